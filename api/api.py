#!/usr/bin/env python3
"""Maintains the description of the public interface and the files generated from it.

    api.py write [--break]     read the headers; write api/*.json and all generated files. Changes
                               that would break compiled programs are refused; --break allows
                               them until the first release
    api.py check               compare the files with the headers; exits 1 with the differences.
                               This and "write" refuse a function whose stream is not the first input
    api.py layout [CC...]      check sizes, offsets and values with a compiler, as C and C++
    api.py symbols LIBRARY     check that the shared library exports what its description lists
    api.py cdef [LIBRARY]      print C declarations without preprocessor directives, for cffi

    api.py man FOLDER          write man pages of section 3, one per function. A relative folder is
                               relative to the installation when meson runs this

"write" and "check" need libclang for Python (Debian's python3-clang, PyPI's libclang); the others read api/*.json and
need only Python. An interpreter without libclang hands over to one that has it.
"""
import difflib
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

import abi  # noqa: E402
import cdef  # noqa: E402
import man  # noqa: E402
import julia  # noqa: E402
import python  # noqa: E402
import rust  # noqa: E402

LIBRARIES = ["cucore", "cucore-bench"]
SKIPPED = 77  # meson's status for a skipped test


def load(library):
    return json.loads((HERE / f"{library}.json").read_text())


def committed(library):
    """The description of the last commit, or the file's where there is no repository."""
    done = subprocess.run(["git", "show", f"HEAD:./{library}.json"], cwd=HERE, capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else load(library)


def has_libclang():
    try:
        return importlib.util.find_spec("clang.cindex") is not None
    except ModuleNotFoundError:
        return False


def hand_over():
    """Continue in Debian's interpreter if this one lacks libclang."""
    other = "/usr/bin/python3"
    if not has_libclang() and "CUCORE_API_HANDED_OVER" not in os.environ and \
            os.path.exists(other) and os.path.realpath(sys.executable) != os.path.realpath(other):
        os.environ["CUCORE_API_HANDED_OVER"] = "1"
        os.execv(other, [other, *sys.argv])


def need_libclang():
    hand_over()
    if not has_libclang():
        print("no libclang for Python (python3-clang, or pip install libclang)", file=sys.stderr)
        sys.exit(SKIPPED)


def made():
    """Return every generated file as path -> text, and the descriptions."""
    import headers
    files, described = {}, {}
    for library in LIBRARIES:
        api, mistakes = headers.describe(library)
        if mistakes:
            sys.exit("the doc comments leave open:\n  " + "\n  ".join(mistakes))
        if misplaced := abi.misplaced_streams(api):
            sys.exit("\n".join(misplaced))
        described[library] = api
        files[HERE / f"{library}.json"] = json.dumps(api, indent=1, ensure_ascii=False) + "\n"
        files[ROOT / abi.MAPS[library][0]] = abi.symbol_map(api)
        for language in (julia, python, rust):
            files.update({ROOT / path: text for path, text in language.files(api).items()})
    return files, described


def write(breaking):
    files, described = made()
    for library, api in described.items():
        if (HERE / f"{library}.json").exists():
            broken = abi.changes(committed(library), api)
            print("\n".join(broken), file=sys.stderr)
            if broken and not breaking:
                sys.exit("this breaks programs that are built; --break if it is meant")
    for path, text in files.items():
        if not path.exists() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            print(f"wrote {path.relative_to(ROOT)}")


def check():
    bad = False
    for path, text in made()[0].items():
        there = path.read_text() if path.exists() else ""
        if there != text:
            bad = True
            diff = difflib.unified_diff(there.splitlines(), text.splitlines(),
                                        str(path.relative_to(ROOT)), "the headers", n=2, lineterm="")
            print("\n".join(list(diff)[:40]))
    if bad:
        sys.exit("run api/api.py write, and look at the difference")
    print("the descriptions and the files generated from them match the headers")


def layout(compiler):
    compiler = compiler or os.environ.get("CC", "cc").split()
    wrong = []
    for library in LIBRARIES:
        for language in ("c", "c++"):
            wrong += [f"{library}, as {language}: {fact}"
                      for fact in abi.check_layout(load(library), compiler, language)]
    if wrong:
        sys.exit("\n".join(wrong))
    print("sizes, offsets and values are the compiler's")


def symbols(path):
    library = pathlib.Path(path).name.split(".so")[0].removeprefix("lib")
    if wrong := abi.check_symbols(load(library), path):
        sys.exit("\n".join(wrong))
    print(f"{len(load(library)['functions'])} functions described and exported")


def write_pages(folder):
    folder = pathlib.Path(os.environ.get("MESON_INSTALL_DESTDIR_PREFIX", ".")) / folder
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for library in LIBRARIES:
        for name, text in man.pages(load(library)).items():
            (folder / name).write_text(text)
            count += 1
    print(f"{count} man pages in {folder}")


def main(arguments):
    if arguments[:1] == ["write"] and arguments[1:] in ([], ["--break"]):
        need_libclang()
        write("--break" in arguments)
    elif arguments == ["check"]:
        need_libclang()
        check()
    elif arguments[:1] == ["layout"]:
        layout(arguments[1:])
    elif arguments[:1] == ["cdef"] and len(arguments) <= 2:
        library = arguments[1] if arguments[1:] else LIBRARIES[0]
        sys.stdout.write(cdef.text(load(library), load(LIBRARIES[0])["types"]))
    elif arguments[:1] == ["man"] and len(arguments) == 2:
        write_pages(arguments[1])
    elif arguments[:1] == ["symbols"] and len(arguments) == 2:
        symbols(arguments[1])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
