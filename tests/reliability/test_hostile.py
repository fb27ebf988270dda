"""Hostile engines: each is named rightly or counted, and leaves no process.

Usage: test_hostile.py ADJUDGE HOSTILE HOSTILE_OBJECT [all]
Each row is a mode of hostile.c, and the verdict that `adjudge gate` must give it.  Without `all`, only rows marked `short` run."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ADJUDGE, PROGRAM, OBJECT = (os.path.abspath(x) for x in sys.argv[1:4])
ALL = "all" in sys.argv[4:]
CASE = ('{"schema": "adjudge.case/1", "inputs": ["x: f64[]"], "body": [{"out": ["y"], "op": "mul", "args": ["x", "x"]}],'
        ' "results": ["y"], "points": [[1.5]], "request": [{"transform": "vjp", "wrt": [0], "cotangents": [1]}]}')
PASS, FAIL, OURS, FLAKY = 0, 1, 4, 6
LOG_BYTES, PATIENCE = 64 << 10, 20

# (kind, mode, exit code, verdict or other text, short)
DIES = [(kind, mode, FAIL, "|crash|none: crash " + text, kind == "proc" and mode in ("segv", "kill"))
        for kind in ("proc", "so")
        for mode, text in [("segv", "SIGSEGV"), ("abort", "SIGABRT"), ("fpe", "SIGFPE"), ("ill", "SIGILL"), ("bus", "SIGBUS"),
                           ("trap", "SIGTRAP"), ("sys", "SIGSYS"), ("kill", "SIGKILL, killed from outside or by itself, unknown"),
                           ("term", "SIGTERM, killed"), ("int", "SIGINT, killed"), ("hup", "SIGHUP, killed"), ("quit", "SIGQUIT, killed"),
                           ("pipe", "SIGPIPE"), ("alrm", "SIGALRM"), ("usr1", "signal 10"), ("xcpu", "SIGXCPU"),
                           ("exit-0", "exit code 0"), ("exit-1", "exit code 1"), ("exit-77", "exit code 77"), ("stack", "SIGSEGV"),
                           ("null", "SIGSEGV"), ("fork-die", "SIGSEGV"), ("daemon", "exit code 0"), ("kill-parent", "SIGKILL, killed"),
                           ("stop-parent", "SIGTERM, killed"), ("errors-die", "SIGABRT: ")]]
HANGS = [(kind, mode, FAIL, "|hang|none: hang no answer within 400 ms", kind == "so" and mode == "deaf")
         for kind in ("proc", "so")
         for mode in ("sleep", "loop", "stop", "deaf", "deaf-blocked", "fork-sleep", "exit-handler")]
LIMITS = [(kind, mode, FAIL, text, kind == "proc")
          for kind in ("proc", "so")
          for mode, text in [("eat", "|oom|none: oom held more memory than it may: more than 256 MiB (--memory-limit)"), ("eat-child", "|oom|none: oom"),
                             ("breed", "started more processes than it may: more than 50 (--process-limit)")]]
HARMLESS = [(kind, mode, PASS, " agree 1,", mode == "fork-answer")
            for kind in ("proc", "so")
            for mode in ("", "fork-answer", "eat-some", "errors", "locale", "cwd", "rlimits", "dumpable", "signals")]
PROC = [("proc", mode, code, text, short) for mode, code, text, short in [
    ("nan-text", FAIL, "|protocol|", True), ("nan-bare", FAIL, "|protocol|", False), ("nan", FAIL, "|nan-leak|nan", False),
    ("huge", FAIL, "|wrong-primal|infinite", False), ("huge-wrong", FAIL, "|wrong|finite", False), ("long-number", FAIL, "|protocol|", False),
    ("wrong", FAIL, "|wrong|sign", True), ("wrong-primal", FAIL, "|wrong-primal|zero", False), ("shape", FAIL, "|bad-shape|shape", True),
    ("short-data", FAIL, "|protocol|", False), ("dtype", FAIL, "|bad-dtype|dtype", False), ("no-type", FAIL, "|protocol|", False),
    ("extents", FAIL, "|protocol|", False), ("none", FAIL, "|bad-shape|shape", False), ("too-many", FAIL, "|bad-shape|shape", False),
    ("modified", FAIL, "|input-modified|", False), ("two-cases", FAIL, "|protocol|", False), ("status", FAIL, "|protocol|", False),
    ("error", FAIL, "|crash|none: crash", True), ("keys", FAIL, "|protocol|", False), ("twice-id", FAIL, "|protocol|", False),
    ("cut", FAIL, "|protocol|", False), ("noise", FAIL, "|protocol|none: protocol the answer is too long", True),
    ("garbage", FAIL, "|protocol|", True), ("deep", FAIL, "|protocol|", False), ("half", FAIL, "|hang|", False),
    ("half-exit", FAIL, "|crash|none: crash exit code 0", False), ("close-output", FAIL, "|protocol|", False),
    ("other-id", FAIL, "|protocol|", True), ("negative-id", FAIL, "|protocol|", False), ("twice", FAIL, "|protocol|", False),
    ("descriptors", PASS, " agree 1,", False), ("print", FAIL, "|protocol|", False), ("round-up", PASS, " agree 1,", False),
    ("hello-exit", OURS, "exit code 3", True), ("hello-segv", OURS, "SIGSEGV", False), ("hello-sleep", OURS, "no hello within", False),
    ("hello-noise", OURS, "too long", False), ("hello-garbage", OURS, "", True), ("hello-error", OURS, "", False),
    ("late-exit", FAIL, "|crash|none: crash exit code 0", False), ("unread", FAIL, "|hang|", False)]]
SO = [("so", mode, code, text, short) for mode, code, text, short in [
    ("longjmp", FAIL, "|crash|none: crash SIGSEGV", False), ("error", FAIL, "|crash|none: crash ", False), ("status", FAIL, "|crash|", False),
    ("wrong", FAIL, "|wrong|sign", False), ("nan", FAIL, "|nan-leak|nan", False), ("wrong-primal", FAIL, "|wrong-primal|zero", False),
    ("unwritten", FAIL, "left element 0 of derivative 0 unwritten", True), ("overrun", FAIL, "wrote beyond", False),
    ("write-input", FAIL, "|input-modified|", True), ("write-seed", FAIL, "|input-modified|", False), ("release", FAIL, "crash SIGSEGV", False),
    ("round-up", FAIL, "left the rounding mode changed", True), ("flush", FAIL, "left flushing of subnormal numbers switched on", True),
    ("print", PASS, " agree 1,", False), ("wild-state", PASS, " agree 1,", False), ("no-engine", OURS, "returns no engine", False)]]
ROWS = DIES + HANGS + LIMITS + HARMLESS + PROC + SO


def marked(mark):
    """The processes with that mark in their environment."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            pass
    return found


def check(row, work):
    kind, mode, code, text, _ = row
    mark = f"{os.getpid()}-{kind}-{mode or 'right'}"
    env = {**os.environ, "ADJUDGE_TEST_MARK": mark, "ADJUDGE_TEST_BEHAVIOUR": mode, "PYTHONUNBUFFERED": "1"}
    engine = f"proc:exec '{PROGRAM}' '{mode}'" if kind == "proc" else f"so:{OBJECT}"
    run = subprocess.run([ADJUDGE, "gate", work / "square.json", "--engine", "hostile=" + engine, "--memory-limit", "256M",
                          "--process-limit", "50", "--start-limit", "12s" if mode == "hello-sleep" else "3s"], capture_output=True, env=env)
    wrong = []
    out = run.stdout + run.stderr
    if mode == "hello-sleep" and b"no hello after 10 s" not in out: # said while it still waits
        wrong.append("nothing is said after 10 s")
    if run.returncode != code:
        wrong.append(f"exit code {run.returncode}, expected {code}")
    if text.encode() not in out:
        wrong.append(f"no '{text}'")
    if b"\033" in out or any(line.startswith(b"::") for line in out.splitlines()):
        wrong.append("an escape or a command of a CI system")
    if len(out) > LOG_BYTES:
        wrong.append(f"{len(out)} bytes")
    deadline = time.monotonic() + PATIENCE
    while marked(f"ADJUDGE_TEST_MARK={mark}".encode() + b"\0") and time.monotonic() < deadline:
        time.sleep(0.01)
    left = marked(f"ADJUDGE_TEST_MARK={mark}".encode() + b"\0")
    if left:
        wrong.append(f"processes {' '.join(left)} are left")
    if wrong:
        print(f"{kind} {mode}: {'; '.join(wrong)}\n{out[:1500].decode(errors='replace')}")
    return not wrong


def own_group():
    """The folder of our own control group, if groups below it tell when the kernel kills for want of memory; else None."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        folder = pathlib.Path("/sys/fs/cgroup", "memory" if names else "", path.lstrip("/"))
        probe = folder / f"probe-{os.getpid()}"
        if names and "memory" not in names.split(","):
            continue
        try:
            probe.mkdir()
        except OSError:
            continue
        tells = (probe / "memory.oom_control").exists() or (probe / "memory.events").exists()
        probe.rmdir()
        if tells:
            return folder
    return None


def check_group(work):
    """Where that is allowed, an engine from outside runs in a control group, which tells a kill by the kernel from others."""
    folder = own_group()
    if not folder:
        return True
    run = subprocess.run([ADJUDGE, "gate", work / "square.json", "--engine", f"mine=proc:cat /proc/self/cgroup >'{work}/group'; exec '{PROGRAM}' ''"], capture_output=True)
    inside = f"{folder.name}/adjudge-" in (work / "group").read_text()
    left = [x.name for x in folder.glob("adjudge-*") if not os.path.exists("/proc/" + x.name.split("-")[1])]
    if run.returncode or not inside or left:
        print(f"control group: exit code {run.returncode}, inside: {inside}, left: {left}")
    return not run.returncode and inside and not left


def main():
    rows = [row for row in ROWS if ALL or row[-1]]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "square.json").write_text(CASE)
        good = sum(check(row, work) for row in rows)
        caged = check_group(work)
    print(f"{len(rows)} engines, {len(rows) - good} failed")
    return good != len(rows) or not caged


sys.exit(main())
