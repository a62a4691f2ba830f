#!/usr/bin/env python3
"""follow.py PAGE BUILD [installed]: follows the instructions of docs/PAGE.md. "installed": the Python package is
already installed, and the source folder is not used.

The line above a code fence names the file to save it in ("Save it as `NAME`:"); without such a
line, the code continues the last file of its language. Indented text holds commands, and the
next fence holds their output. In the output, `...` stands for part of a line, or alone for any
number of lines. Fences in the languages "py" and "sh" are not run.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
STEP = re.compile(r"^```(?P<language>\w+)\n(?P<code>.*?)^```$|(?P<commands>(?:^    [^\n]*\n|^\n(?=    ))+)",
                  re.M | re.S)


def steps(text):
    """Yield ("file", name, code), ("run", commands) and ("prints", text) in order."""
    last = {}
    ran = False
    text = re.sub(r"^```(?:py|sh)\n.*?^```$", "", text, flags=re.M | re.S) # shown, not run
    for step in STEP.finditer(text):
        if step["commands"]:
            commands = re.sub(r"^    ", "", step["commands"].strip("\n"), flags=re.M)
            ran = True
            yield "run", commands
        elif step["language"] == "text":
            assert ran, f"text that nothing printed: {step['code']}"
            yield "prints", step["code"]
        else:
            line = text[:step.start()].rstrip().rpartition("\n")[2]
            name = re.search(r"`([\w./]+\.\w+)`[^`]*:$", line)
            if name:
                last[step["language"]] = name[1]
            yield "file", last[step["language"]], step["code"], bool(name)


def fits(wanted, said):
    """Return whether the output matches."""
    lines = ["(?:.*\n)*?" if line.strip() == "..." else "[^\n]*".join(map(re.escape, line.split("..."))) + "\n"
             for line in wanted.rstrip("\n").split("\n")]
    return re.fullmatch("".join(lines), said.rstrip("\n") + "\n")


def uninstalled(build):
    """Return the variables that docs/installing.md lists for a build that is not installed."""
    section = (ROOT / "docs/installing.md").read_text().partition("\n## Without installing it\n")[2].partition("\n## ")[0]
    for name, value in re.findall(r"^    export (\w+)=(\S+)$", section, re.M):
        yield name, value.replace("$PWD/build", str(build)).replace("$PWD", str(ROOT)).replace(
            "$PATH", os.environ["PATH"])


def environment(page, build, folder, installed):
    env = {**os.environ, **dict(uninstalled(build)), "CUCORE_DRIVER": str(build / "libcucore-sim.so"), "LC_ALL": "C",
           "PYTHONDONTWRITEBYTECODE": "1", "CARGO_NET_OFFLINE": "true",
           "CARGO_TARGET_DIR": str(build / "tests/docs/target")}
    env["PYTHONPATH"] += ":" + os.environ.get("PYTHONPATH", "")
    if page == "tour-rust": # cargo must find the library by itself
        del env["LD_LIBRARY_PATH"]
    if installed:
        for name in ("PYTHONPATH", "CUCORE_LIBRARY"):
            del env[name]
        env["CUCORE_DRIVER"] = "sim"
    (folder / "bin").mkdir() # "python" is this test's interpreter, wrapped in a script, as in some environments
    (folder / "bin/python").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    (folder / "bin/python").chmod(0o755)
    env["PATH"] = f"{folder / 'bin'}:{env['PATH']}"
    return env


def main(page, build, installed=""):
    build = pathlib.Path(build).resolve()
    text = (ROOT / f"docs/{page}.md").read_text()
    if "__global__" in text:
        if subprocess.run([build / "tools/cucore/cucore", "find", "nvrtc"], capture_output=True,
                          check=False).returncode:
            print("there is no NVRTC")
            return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        env = environment(page, build, folder, installed)
        said, ran = "", 0
        for kind, *what in steps(text):
            if kind == "file":
                path = folder / what[0]
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("w" if what[2] else "a") as file:
                    file.write(what[1].replace('"../cucore/', f'"{ROOT}/'))
            elif kind == "run" and what[0].startswith("export "):
                continue # the test selects its own driver
            elif kind == "run":
                print(f"$ {what[0]}", flush=True)
                done = subprocess.run(["bash", "-e", "-c", what[0]], cwd=folder, env=env, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=250,
                                      check=False)
                print(done.stdout, flush=True)
                if done.returncode:
                    return f"exit status {done.returncode}"
                said, ran = done.stdout, ran + 1
            elif not fits(what[0], said):
                return f"the page says that this prints\n{what[0]}"
    return 0 if ran else "the page has no commands"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
