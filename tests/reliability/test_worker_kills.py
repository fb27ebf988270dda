#!/usr/bin/env python3
"""Processes of an engine that die although the engine is right: as they start, while they answer, and in every fifth request.

Usage: test_worker_kills.py ADJUDGE [KILLS]
A death that does not come again is counted and reported as flaky.  It is never a finding, and never ends a campaign.
KILLS: how many processes are killed (default 20).  With 1,000 or more, engines behind proxy_engine.py are asked too.
"""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

ADJUDGE = os.path.abspath(sys.argv[1])
KILLS = int(sys.argv[2]) if len(sys.argv) > 2 else 20
PROXY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "proxy_engine.py")
CASE = ('{"schema": "adjudge.case/1", "inputs": ["x: f64[]"], "body": [{"out": ["y"], "op": "mul", "args": ["x", "x"]}],'
        ' "results": ["y"], "points": [[1.5]], "request": [{"transform": "vjp", "wrt": [0], "cotangents": [1]}]}')
PASS, FINDING, OURS, FLAKY, STARTS, PATIENCE = 0, 1, 4, 6, 5, 30
PROXIES = [("fifth-crash", 40), ("fifth-kill", 40), ("fifth-hang", 40), ("batch-crash", 40), ("last-bit", 1000)]  # (mode, cases)
failures = 0


def check(ok, text):
    global failures
    failures += not ok
    print(("ok: " if ok else "FAILED: ") + text, flush=True)


def run(command, **variables):
    p = subprocess.run([ADJUDGE] + command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **variables})
    return p.returncode, p.stdout


def summary(folder):
    return json.loads((folder / "summary.json").read_text())


def marked(mark):
    """The processes with that mark in their environment."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if b"ADJUDGE_TEST_MARK=" + mark.encode() + b"\0" in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            pass
    return found


def check_gone(mark):
    deadline = time.monotonic() + PATIENCE
    while marked(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    check(not marked(mark), f"{mark}: processes left: {marked(mark)}")


# ---- starts ----

def dying(counter, first, last, how, spec):
    """An engine whose starts `first` to `last` end badly; it counts its starts in a file."""
    return (f"e=proc:n=$(($(cat {counter} 2>/dev/null || echo 0) + 1)); echo $n >{counter}; "
            f"[ $n -ge {first} ] && [ $n -le {last} ] && {how}; exec '{ADJUDGE}' worker --engine {spec}")


def check_starts(work):
    (work / "square.json").write_text(CASE)
    kill, exit_3 = "kill -9 $$", "exit 3"
    for name, last, how, code, starts, text in (("some", STARTS - 1, kill, PASS, STARTS, " agree 1,"), ("all", 999, kill, OURS, STARTS, "did not start 5 times in a row"),
                                                ("exit", 999, exit_3, OURS, 1, "exit code 3")):
        got, out = run(["gate", str(work / "square.json"), "--engine", dying(work / name, 1, last, how, "tape")])
        n = int((work / name).read_text())
        check(got == code and n == starts and text in out, f"starts 1 to {last} end by '{how}': exit code {got}, {n} starts" + (": " + out if got != code else ""))


def check_fresh(work):
    """Triage opens the engine anew; its starts are killed, or end with an exit code."""
    for name, how in (("killed", "kill -9 $$"), ("ended", "exit 3")):
        engine = dying(work / name, 2, 4, how, "tape+scale:mul:1.5")
        code, out = run(["fuzz", "--quiet", "--driver", "generate", "--cases", "20", "--out", str(work / ("fresh-" + name)), "--engine", engine])
        n = int((work / name).read_text())
        check(code == FINDING and n > 4, f"starts 2 to 4 end by '{how}': exit code {code}, {n} starts" + (": " + out if code != FINDING else ""))


# ---- answers ----

def engines(mark):
    """Processes of engines: our worker and its keeper, and not the process of adjudge that asks them."""
    found = []
    for pid in marked(mark):
        try:
            if b"\0worker\0" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
        except OSError:
            pass
    return found


def judges(owner):
    """The processes that judge for a campaign."""
    found = []
    for pid in pathlib.Path(f"/proc/{owner}/task/{owner}/children").read_text().split():
        try:
            if b"\0worker\0" not in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(int(pid))
        except OSError:
            pass
    return found


def kill_judge(p):
    """Kills a process that judges; whether another one takes its place."""
    dead = judges(p.pid)[0]
    os.kill(dead, signal.SIGKILL)
    deadline, before = time.monotonic() + PATIENCE, []
    while time.monotonic() < deadline and p.poll() is None:
        now = judges(p.pid)
        if len(now) == 2 and dead not in now and now == before:  # twice: an engine that starts is no judge for long
            return True
        before = now
        time.sleep(0.2)
    return False


def start_seconds(work):
    """How long an engine takes to start here and now, and to answer one case."""
    begun = time.monotonic()
    run(["gate", str(work / "square.json"), "--engine", dying(work / "time", 1, 0, "true", "tape")])
    return time.monotonic() - begun


def check_kills(work):
    # Five starts in a row that fail end a campaign.  So a process that may still be starting is seldom killed.  Where
    # processes are slow, by a sanitizer for instance, kills are rarer: each request must get a chance to end.
    start = start_seconds(work)
    young, slow, born = 3 * start, max(1, start / 0.2), {}
    mark, out = f"kills-{os.getpid()}", work / "kills"
    draw = random.Random(1)
    errors = (work / "errors").open("w+")
    p = subprocess.Popen([ADJUDGE, "fuzz", "--engine", f"e=proc:exec '{ADJUDGE}' worker --engine tape", "--cases", "100000000", "--driver", "generate", "--seed", "9",
                          "--jobs", "2", "--quiet", "--out", str(out)], env={**os.environ, "ADJUDGE_TEST_MARK": mark}, stdout=errors, stderr=errors)
    done, begun = 0, time.monotonic()
    while done < KILLS and p.poll() is None:
        time.sleep(slow * draw.uniform(0.02, 0.12))
        now = time.monotonic()
        born = {pid: born.get(pid, now) for pid in engines(mark)}
        there = [pid for pid in born if now - born[pid] > young or draw.random() < 0.05]
        try:
            if there:
                os.kill(draw.choice(there), signal.SIGKILL)
                done += 1
        except ProcessLookupError:
            pass
    took = time.monotonic() - begun
    check(p.poll() is None, f"{done} kills in {took:.0f} s do not end the campaign")
    open_files = len(os.listdir(f"/proc/{p.pid}/fd")) if p.poll() is None else -1
    if p.poll() is None:
        check(kill_judge(p), "a process that judges is started again")
        p.send_signal(signal.SIGINT)
    code = p.wait()
    errors.seek(0)
    text = errors.read()
    check(code == 128 + signal.SIGINT, f"exit code {code}" + (": " + text[-2000:] if code != 128 + signal.SIGINT else ""))
    check(open_files < 40, f"{open_files} open files")
    if code <= 4:
        return
    s = summary(out)
    solid = [f["fine"] for f in s["findings"] if not f.get("flaky", False)]
    engine = s["engines"][0]
    check(not solid, f"{len(s['findings'])} flaky findings, {sum(f['count'] for f in s['findings'])} cases, {len(solid)} solid ones {solid}")
    check(engine["restarts"] > 0, f"{s['cases']} cases, {engine['restarts']} restarts, {engine['crashes']} crashes of which {engine['killed']} by a signal from outside")
    check_gone(mark)
    check(s["timing"]["jobs"] == 2 and s["timing"]["jobs_restarted"] == 1, f"{s['timing']['jobs_restarted']} of {s['timing']['jobs']} processes restarted")
    left = [str(x) for x in out.rglob(".tmp.*")]
    check(not left, f"temporary files left: {left}")


# ---- now and then ----

def check_proxies(work):
    for mode, cases in PROXIES:
        mark = f"{mode}-{os.getpid()}"
        code, out = run(["fuzz", "--quiet", "--driver", "generate", "--cases", str(cases), "--out", str(work / mode), "--engine",
                         f"e=proc:exec '{sys.executable}' '{PROXY}' '{ADJUDGE}' {mode}"], ADJUDGE_TEST_MARK=mark)
        s = summary(work / mode)
        flaky = [f.get("flaky", False) for f in s["findings"]]
        check(code == FLAKY and flaky and all(flaky), f"{mode}: exit code {code}, {len(flaky)} findings, {sum(f['count'] for f in s['findings'])} cases, "
              f"{s['engines'][0]['restarts']} restarts" + (": " + out if code != FLAKY else ""))
        check_gone(mark)


def main():
    with tempfile.TemporaryDirectory(prefix="adjudge-kills-") as folder:
        work = pathlib.Path(folder)
        check_starts(work)
        check_fresh(work)
        check_kills(work)
        if KILLS >= 1000:
            check_proxies(work)
    print(f"{failures} failures")
    return 1 if failures else 0


sys.exit(main())
