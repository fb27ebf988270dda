#!/usr/bin/env python3
"""`conform` and `gate` in several processes: the same bytes for any number, and no process or file that stays.

Usage: test_jobs.py ADJUDGE SOURCE
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ADJUDGE, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
LIMIT = 300  # seconds; generous
MARK = f"{os.getpid()}-jobs"
failures = []


def check(ok, text):
    if not ok:
        failures.append(text)


# A right engine behind a pipe.  With HOW: it is slow or slower, hangs, or eats memory or dies at one request of three.
# The case alone decides at which one.
ENGINE = r"""
import json, os, subprocess, sys, time, zlib
how = sys.argv[1] if len(sys.argv) > 1 else ""
worker = subprocess.Popen([ADJUDGE, "worker", "--engine", "functional"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
hello = json.loads(worker.stdout.readline())
hello.update(timeout_ms=600000 if how == "hang" else 2000)
print(json.dumps(hello), flush=True)
for line in sys.stdin.buffer:
    request = json.loads(line)
    request.pop("id", None)
    mine = zlib.crc32(json.dumps(request, sort_keys=True).encode()) % 3 == 1
    if mine and how == "die":
        os.abort()
    if mine and how == "eat":
        held = [bytearray(1 << 26) for _ in range(64)]
        time.sleep(1000)
    time.sleep({"slow": 0.02, "slower": 0.5, "hang": 1000}.get(how, 0))
    worker.stdin.write(line)
    worker.stdin.flush()
    sys.stdout.buffer.write(worker.stdout.readline())
    sys.stdout.flush()
"""


def marked():
    """The processes with our mark in their environment."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if b"ADJUDGE_TEST_MARK=" + MARK.encode() + b"\0" in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            pass
    return found


def await_true(what, text):
    end = time.monotonic() + LIMIT
    while not what():
        if time.monotonic() > end:
            check(False, text)
            return
        time.sleep(0.05)


class Place:
    """A directory in which a command runs, with its own place for temporary files."""

    def __init__(self, root):
        self.path = pathlib.Path(tempfile.mkdtemp(dir=root))
        self.temporary = pathlib.Path(tempfile.mkdtemp(dir=root))

    def start(self, *args):
        with open(self.path / "out", "wb") as out, open(self.path / "error", "wb") as error:
            return subprocess.Popen([ADJUDGE, *args], cwd=self.path, stdin=subprocess.DEVNULL, stdout=out, stderr=error,
                                    env={**os.environ, "ADJUDGE_TEST_MARK": MARK, "TMPDIR": str(self.temporary)})

    def finish(self, process, name):
        """The exit code and the bytes of every file, once nothing runs any more."""
        try:
            code = process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        await_true(lambda: not marked(), f"{name}: processes are left")
        check(not list(self.temporary.iterdir()), f"{name}: temporary files are left")
        check(not list(self.path.rglob("*.tmp*")), f"{name}: unfinished files are left")
        return code, {str(p.relative_to(self.path)): p.read_bytes() for p in sorted(self.path.rglob("*")) if p.is_file()}

    def run(self, *args):
        return self.finish(self.start(*args), " ".join(args))


def engine(root, how=""):
    return f"mine=proc:exec '{sys.executable}' '{root}/engine.py' {how}"


FILES = ["--junit", "j.xml", "--sarif", "s.sarif", "--summary", "s.md", "--out", "found"]
WRONG = "mine=tape+scale:sin:1.5"


def rows(root):
    """Name, arguments of a sweep, exit code.  The corpus of a deep sweep is three cases, one of which is no case."""
    yield "text, deep", ["--engine", WRONG, "--op", "sin", "--dtype", "f64", "--deep", "--corpus", f"{root}/corpus", *FILES], 1
    yield "json", ["--engine", "functional+residual-fifo", "--op", "for", "--op", "while", "--format", "json", "--cases", "2", *FILES], 1
    yield "markdown, leaks", ["--engine", "tape", "--op", "select", "--op", "sqrt", "--format", "markdown", "--cases", "2", *FILES], 0
    yield "html, crashes", ["--engine", "tape+crash", "--op", "mul", "--dtype", "f32", "--format", "html", "--cases", "2", *FILES], 1
    yield "tap, new baseline", ["--engine", WRONG, "--op", "sin", "--format", "tap", "--cases", "1", "--write-baseline", "b.json"], 1
    yield "jsonl, known", ["--engine", WRONG, "--op", "sin", "--format", "jsonl", "--cases", "1", "--baseline", f"{root}/known.json"], 0
    yield "github, shard", ["--engine", WRONG, "--op", "sin", "--op", "mul", "--format", "github", "--cases", "1", "--shard", "1/2"], 1
    yield "eats memory", ["--engine", engine(root, "eat"), "--op", "mul", "--dtype", "f64", "--cases", "3", "--memory-limit", "300M"], 1
    yield "dies", ["--engine", engine(root, "die"), "--op", "mul", "--dtype", "f64", "--cases", "3"], 1
    yield "nothing decided", ["--engine", "forward", "--op", "sort", "--op", "fixed_point", "--cases", "1"], None
    yield "does not start", ["--engine", "proc:/no/such/engine"], 4


def test_same_bytes(root):
    for name, args, code in rows(root):
        # The baseline that is written has a date, so midnight would show; nothing else in these files is a time.
        done = [Place(root).run("conform", "--quiet", *args, "--jobs", str(n)) for n in (1, 2, 3)]
        for n, (got, files) in enumerate(done, 1):
            check(code in (None, got), f"{name}: {n} processes: exit {got}, not {code}\n{files['out'][-900:]}\n{files['error'][-900:]}")
            other = [x for x in {**files, **done[0][1]} if files.get(x) != done[0][1].get(x)]
            check(got == done[0][0] and not other, f"{name}: {n} processes: exit {got}, other files than with one: {other}")
        check(name != "eats memory" or b"oom" in done[0][1]["out"], f"{name}: no oom\n{done[0][1]['out'][-900:]}")


def jobs_of(process):
    """The processes that judge for this one: its children that are adjudge themselves, not an engine."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
            if int(fields[1]) == process.pid and b"conform" in path.with_name("cmdline").read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            pass
    return found


def sweep(root, place, how, jobs):
    return place.start("conform", "--quiet", "--op", "sin", "--op", "mul", "--dtype", "f64", "--engine", engine(root, how), "--jobs", jobs)


def test_killed_jobs(root):
    """A process that is killed takes nothing along: another one does its cell again."""
    first = Place(root)
    one = first.finish(sweep(root, first, "slow", "1"), "one process")
    place = Place(root)
    process = sweep(root, place, "slow", "2")
    killed = []
    for _ in range(3):
        await_true(lambda: process.poll() is not None or set(jobs_of(process)) - set(killed), "no process judges")
        for pid in sorted(set(jobs_of(process)) - set(killed))[:1]:
            killed.append(pid)
            os.kill(pid, signal.SIGKILL)
            time.sleep(0.3)
    got = place.finish(process, "killed jobs")
    check(len(killed) >= 2, f"{len(killed)} processes were killed")
    check(got == one, f"after kills: exit {got[0]}, not {one[0]}\n{got[1]['out'][-900:]}{got[1]['error'][-900:]}")


def test_stopped(root):
    """SIGTERM, and the death of the first process."""
    for how, number, code in ("slower", signal.SIGTERM, 143), ("hang", signal.SIGINT, 130), ("hang", signal.SIGKILL, -9):
        place = Place(root)
        process = sweep(root, place, how, "2")
        await_true(lambda: len(jobs_of(process)) == 2 or process.poll() is not None, "no processes judge")
        time.sleep(0.5)
        process.send_signal(number)
        got, files = place.finish(process, f"{how}, signal {number}")
        check(got == code, f"{how}, signal {number}: exit {got}\n{files['error'][-900:]}")


def prepare(root):
    (root / "engine.py").write_text(f"ADJUDGE = {ADJUDGE!r}\n" + ENGINE)
    (root / "corpus").mkdir()
    for name in "book-sine-chain.json", "nx-while-acc-mul-x-n2.json":
        shutil.copy(SOURCE / "corpus/documents" / name, root / "corpus" / name)
    (root / "corpus/bad.json").write_text("{")
    subprocess.run([ADJUDGE, "conform", "--quiet", "--engine", WRONG, "--op", "sin", "--cases", "1", "--write-baseline", root / "known.json"],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    known = json.loads((root / "known.json").read_text())
    for entry in known["known"]:
        entry["reason"] = "a test"
    (root / "known.json").write_text(json.dumps(known))


def main():
    with tempfile.TemporaryDirectory() as directory:
        root = pathlib.Path(directory)
        prepare(root)
        for test in test_same_bytes, test_killed_jobs, test_stopped:
            begin = time.monotonic()
            test(root)
            print(f"{test.__name__}: {time.monotonic() - begin:.1f} s")
    for text in failures:
        print("FAILED: " + text)
    sys.exit(bool(failures))


main()
