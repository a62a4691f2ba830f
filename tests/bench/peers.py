#!/usr/bin/env python3
"""peers.py CUCORE SIMULATOR PEERS: tests the Python peers (PEERS is bench_peers.py): first the
script by itself, then cucore bench with the script and fake libraries."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

CUCORE, SIMULATOR, PEERS = (os.path.abspath(word) for word in sys.argv[1:4])
problems = []


def expect(right, text):
    if not right:
        problems.append(text)


def ask(name, *requests, **environment):
    """Send requests to a new process and return its answers."""
    lines = "".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in requests)
    done = subprocess.run([sys.executable, PEERS, name], input=lines, capture_output=True,
                          text=True, check=False, timeout=60, env={**os.environ, **environment})
    expect(done.returncode == 0, f"{name}: exit status {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


POINT = {"do": "point", "suite": "memory", "case": "stream", "axes": {"op": "add", "bytes": 64},
         "seed": "1", "mode": "cold", "quick": True,
         "device": {"name": "a device", "ordinal": 0, "simulated": False}}


def check_script():
    answers = ask("nobody", POINT, {"do": "check"}, {"do": "sample", "set": 0}, {"do": "dance"},
                  "{", {"do": "point"})
    expect(len(answers) == 6, f"not every line has an answer: {answers}")
    expect("not known" in answers[0].get("skipped", "") and answers[0].get("everywhere") is True,
           f"a peer that is not known: {answers[0]}")
    for answer in answers[1:3]:
        expect("no point" in answer.get("failed", ""), f"without a point: {answer}")
    expect("point, check and sample" in answers[3].get("failed", ""), f"dance: {answers[3]}")
    expect("JSON" in answers[4].get("failed", ""), f"no JSON: {answers[4]}")
    expect("KeyError" in answers[5].get("failed", ""), f"a request without a device: {answers[5]}")


def check_broken(folder):
    """Test that an installed library that cannot be imported is skipped, whatever it raises."""
    for name, raised in {"torch": "AttributeError", "triton": "RuntimeError", "cupy": "OSError",
                         "numba": "AttributeError"}.items():
        package = folder / name
        package.mkdir()
        (package / "__init__.py").write_text("" if name == "numba" else
                                             f"raise {raised}('no row_stack')\n")
        (package / "cuda.py").write_text(f"raise {raised}('no row_stack')\n")
        answer, = ask(name, POINT, PYTHONPATH=str(folder), PYTHONDONTWRITEBYTECODE="1")
        expect(f"{raised}: no row_stack" in answer.get("skipped", "") and answer.get("everywhere"),
               f"{name} that cannot be imported: {answer}")


# Implements the part of Numba that the script uses before its first kernel; compiling that kernel
# fails.
BROKEN_NUMBA = r"""
class Device:
    name = "a device"

class Kernel:
    def __getitem__(self, how):
        raise AttributeError("module 'numpy' has no attribute 'row_stack'")

def is_available():
    return True

def select_device(ordinal):
    return Device()

class Event:
    def record(self, stream):
        pass

def stream():
    return None

def event(timing):
    return Event()

def jit(function):
    return Kernel()

def to_device(array):
    return array
"""


def check_unusable(folder):
    """Test that a library is skipped with the reason if it can be imported but its first kernel
    fails."""
    package = folder / "numba"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "cuda.py").write_text(BROKEN_NUMBA)
    (folder / "numpy.py").write_text("int32 = 0\ndef zeros(count, dtype):\n    return None\n")
    answers = ask("numba", POINT, POINT, PYTHONPATH=str(folder), PYTHONDONTWRITEBYTECODE="1")
    for answer in answers:
        expect("cannot be used: AttributeError: module 'numpy' has no attribute 'row_stack'" in
               answer.get("skipped", "") and answer.get("everywhere"),
               f"numba that cannot be used: {answer}")
    expect(len(answers) == 2, f"numba that cannot be used: {answers}")


def check_fastest():
    """Test that the fastest of several implementations is measured, and failing ones are not."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, os.path.dirname(PEERS))
    from bench_peers_fastest import TorchFastest

    class Fastest(TorchFastest):
        def wait(self):
            pass

        def sample(self, work, number):
            work.run(number)
            return times[work.run]

    def slow(_number):
        return "slow"

    def fast(_number):
        return "fast"

    def broken(_number):
        raise ValueError("no such kernel")

    times = {slow: 3.0, fast: 2.0, broken: 1.0}
    ways = [("slow", slow), ("broken", broken), ("fast", fast)]
    work = Fastest().fastest(ways, lambda got: f"it is {got}")
    expect(work.run is fast and work.figures == {"fast": 1} and work.check() == "it is fast",
           f"the fastest is {work.figures}")
    try:
        Fastest().fastest([("broken", broken)], None)
        expect(False, "a peer of no implementation is measured")
    except ValueError as why:
        expect("no such kernel" in str(why), f"the reason is {why}")


# Fake libraries, which look installed to the script; each behaves differently.
STUB = r'''
import importlib.util, os, sys
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("bench_peers", {peers!r})
script = importlib.util.module_from_spec(spec)
spec.loader.exec_module(script)
Peer, Work = script.Peer, script.Work


class Stub(Peer):
    def __init__(self, ordinal):
        self.now = 0.0
        self.log = []

    def device_name(self):
        return "NVIDIA H200 (simulated)"

    def l2_bytes(self):
        return 1 << 16

    def flush(self):
        self.log.append("flush")

    def hold(self, ns):
        assert ns > 0
        self.log.append("hold")

    def event(self):
        self.log.append("event")
        return self.now

    def elapsed_s(self, start, stop):
        assert self.log[-4:] == ["flush", "hold", "event", "event"], self.log[-4:]
        return stop - start

    def wait(self):
        pass

    def memory_stream(self, axes):
        print("a library prints")
        os.write(1, b"and another one\n")
        assert self.seed == 7 and axes["op"] == "add", (self.seed, axes)
        sets = self.sets_for(axes["bytes"])

        def run(number):
            self.now += 1e-3 * (1 + number % 3)

        return Work(run, lambda: None if sets == 32 else f"{{sets}} sets")


class Wrong(Stub):
    def memory_stream(self, axes):
        return Work(lambda number: None, lambda: "off by 3")


class Elsewhere(Stub):
    def device_name(self):
        return "another device"


class Dies(Stub):
    def memory_stream(self, axes):
        print("the driver is gone", file=sys.stderr, flush=True)
        os._exit(3)


script.PEERS.update(torch=Stub, triton=Wrong, cupy=Elsewhere, numba=Dies)
sys.exit(script.main())
'''


def check_whole(folder):
    # The program looks for the script next to itself.
    program = folder / "cucore"
    shutil.copy(CUCORE, program)
    (folder / "bench_peers.py").write_text(STUB.format(peers=PEERS))
    done = subprocess.run(
        [program, "bench", "memory", "--filter", "stream", "--axis", "op=add", "--axis", "bytes=12",
         "--seed", "7", "--quick", "--max-seconds", "0.05", "--json", "-"],
        env={**os.environ, "CUCORE_DRIVER": SIMULATOR, "CUCORE_PYTHON": sys.executable},
        capture_output=True, text=True, check=False, timeout=120)
    expect(done.returncode == 1, f"exit status {done.returncode}: {done.stderr}")
    results = json.loads(done.stdout)["results"]
    of = {(r["subject"], r.get("mode")): r for r in results}
    mine, torch = of.get(("cuda", "cold"), {}), of.get(("torch", "cold"), {})
    expect(mine.get("median_s"), f"cuda was not measured beside them: {results}")
    expect(torch.get("kind") == "foreign" and torch.get("checked") == "passed" and
           torch.get("peer") == "cuda" and torch.get("verdict") == "SLOWER", f"torch: {torch}")
    # Samples rotate through the sets, which take 1, 2 or 3 ms.
    expect(1e-3 <= torch.get("min_s", 0) <= torch.get("median_s", 0) <= 3.1e-3 and
           torch.get("q1_s") < torch.get("q3_s"), f"torch: {torch}")
    expect("off by 3" in of.get(("triton", None), {}).get("failed", ""), "a check that fails")
    expect("another device" in of.get(("cupy", None), {}).get("skipped", ""), "another device")
    died = of.get(("numba", None), {}).get("failed", "")
    expect("exited with status 3" in died and "the driver is gone" in died, f"it ends: {died}")


# The first interpreter gives an invalid answer and waits for a process that it has started; the
# second closes its output and keeps running.
ASTRAY = """#!/bin/sh
case $2 in
torch) sleep 300 & echo $! >"$ASTRAY_PID"; echo hello; wait ;;
*) exec <&- >&-; sleep 300 ;;
esac
"""


def runs(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def check_astray(folder):
    python, pid = folder / "python3", folder / "pid"
    python.write_text(ASTRAY)
    python.chmod(0o755)
    done = subprocess.run(
        [CUCORE, "bench", "elementwise", "--filter", "vadd", "--axis", "n=10", "--axis", "dtype=f32",
         "--quick", "--max-seconds", "0.05", "--json", "-"],
        env={**os.environ, "CUCORE_DRIVER": SIMULATOR, "CUCORE_PYTHON": str(python),
             "ASTRAY_PID": str(pid)},
        capture_output=True, text=True, check=False, timeout=60)
    of = {r["subject"]: r.get("failed", "") for r in json.loads(done.stdout)["results"]}
    expect("not a JSON object: hello" in of.get("torch", ""), f"an invalid answer: {of}")
    expect("without an answer" in of.get("triton", ""), f"a closed output: {of}")
    expect(not runs(pid.read_text().strip()), "what a peer has started outlives it")


check_script()
check_fastest()
with tempfile.TemporaryDirectory() as name:
    check_broken(pathlib.Path(name))
with tempfile.TemporaryDirectory() as name:
    check_unusable(pathlib.Path(name))
if subprocess.run([CUCORE, "find", "nvrtc"], capture_output=True, check=False).returncode == 0:
    with tempfile.TemporaryDirectory() as name:
        check_whole(pathlib.Path(name))
    with tempfile.TemporaryDirectory() as name:
        check_astray(pathlib.Path(name))
print("\n".join(problems) or "peers are asked and answer as they should")
sys.exit(bool(problems))
