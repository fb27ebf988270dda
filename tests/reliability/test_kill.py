#!/usr/bin/env python3
"""Kills campaigns with SIGKILL, goes on with them, and compares them with a campaign that was left alone.

usage: test_kill.py ADJUDGE [KILLS [DRIVER]]    KILL_CASES, KILL_SEED: cases of a campaign, and which kills

Each round kills a random process of a campaign with two judging processes: the one that owns the campaign, one that
judges, or one that runs an engine.  If the owner died, the campaign goes on with --resume.  At the end nothing that was
announced may be lost, no file may be torn, no process and no temporary file may be left, and the findings and counts
must be those of a campaign that nobody killed.

Every other campaign, the first among them, leaves the processes of engines alone.  Then the counted work must be the same,
too.  A process of an engine that is killed is asked again: that is work, and may be a flaky finding.  Triage looks at more
cases if judging is more work.  So after such a kill only the counts of the engines must be the same; no finding may be
missing, and each must come again.

With the drivers plain and libfuzzer the cases depend on timing.  So findings that were announced must still be there, or
be another name of one that is.  A name of a whole class of ops covers those of its ops, which are not listed beside it.
Each must come again from its file alone, and the count of cases never shrinks below what was saved.
"""
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

ENGINES = ["tape+scale:mul:1.5", "functional+residual-fifo", "tape+crash", "forward"]
CASES = int(os.environ.get("KILL_CASES", "1500"))
DRIVER = sys.argv[3] if len(sys.argv) > 3 else "generate"
if DRIVER != "generate":
    ENGINES = ["tape+scale:mul:1.5", "tape+crash", "forward"]
OPTIONS = ["--driver", DRIVER, "--seed", "11", "--jobs", "2", "--progress", "lines"]
SECONDS = 600  # for one run of the campaign; generous
CLASSES = {"elementwise", "nonlinear", "write", "index"}  # of ops, in names of findings


def descendants(pid):
    """All processes below pid, nearest first."""
    children = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat") as f:
                parent = int(f.read().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(int(entry))
    out, level = [], [pid]
    while level:
        level = [c for p in level for c in children.get(p, [])]
        out += level
    return out


def runs_engine(pid):
    """Whether a process below the owner is one of an engine.  One that is just being started still looks like its parent."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            return b"worker" in f.read().split(b"\0")
    except OSError:
        return True


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
        return True
    except ProcessLookupError:
        return False


def wait_gone(pids, seconds=20):
    """The processes of pids that are still there after a while."""
    end = time.monotonic() + seconds
    left = list(pids)
    while left and time.monotonic() < end:
        still = []
        for p in left:
            try:
                with open(f"/proc/{p}/stat") as f:
                    state = f.read().rsplit(")", 1)[1].split()[0]
                if state not in "ZX":
                    still.append(p)
            except OSError:
                pass
        left = still
        time.sleep(0.01)
    return left


def files(directory):
    for root, _, names in os.walk(directory):
        for name in names:
            yield os.path.join(root, name)


def check_files(directory, problems):
    """Every file is complete."""
    for path in files(directory):
        name = os.path.basename(path)
        if name == ".lock" or name.startswith(".tmp."):
            continue
        with open(path) as f:
            text = f.read()
        try:
            json.loads(text)
        except ValueError as e:
            problems.append(f"torn: {path}: {e}")


ANNOUNCEMENT = re.compile(r"(?:new|known|simpler) finding: (.*), case \d+(?:, did not come again)?, \S*/(\w+\.json)(?: instead of \S*/(\w+\.json))?$")


def announced(errors, told):
    """Adds the findings that standard error has announced: the name of each file's finding.  A simpler one replaces one."""
    for line in errors.splitlines():
        found = ANNOUNCEMENT.search(line)
        if found:
            told.pop(found[3], None)
            told[found[2]] = found[1]


def strip(summary, hit):
    """A summary without what depends on the clock; if a kill hit a process of an engine, without what depends on that."""
    for key in ("timing", "cases_per_second", "stopped", "oracle"):
        summary.pop(key, None)
    for engine in summary["engines"]:
        engine.pop("restarts", None)
    if hit:
        for key in ("work", "distinct_findings", "deferred", "findings"):
            summary.pop(key)
        summary["twins"].pop("work_of_all")
        for engine in summary["engines"]:
            for key in ("killed", "crashes", "hangs", "broken_answers", "flaky", "oom"):
                engine.pop(key, None)
    return summary


def campaign(adjudge, directory, resume):
    command = [adjudge, "fuzz"]
    if resume:
        command += ["--resume", directory, "--jobs", "2", "--progress", "lines"]
    else:
        command += [x for e in ENGINES for x in ("--engine", e)] + OPTIONS
        command += ["--cases", str(CASES), "--out", directory]
    log = tempfile.TemporaryFile("w+")
    process = subprocess.Popen(command, stdout=log, stderr=log)
    return process, log


def run_to_end(adjudge, directory, resume=False):
    process, log = campaign(adjudge, directory, resume)
    code = process.wait(SECONDS)
    log.seek(0)
    return code, log.read()


def saved_cases(directory):
    try:
        with open(os.path.join(directory, "state.json")) as f:
            return json.load(f)["counts"]["cases"]
    except OSError:
        return 0


def names_of(summary):
    """The names of all findings, also those that were joined with another one."""
    return {name for f in summary["findings"] for name in [f["fine"], *f.get("also", [])]}


def is_covered(name, names):
    """Whether one of the names says the same of a class of ops: "ENGINE|REQUEST|nonlinear" covers "ENGINE|REQUEST|atan2"."""
    return any(name.rsplit("|", 1)[0] == n.rsplit("|", 1)[0] and n.rsplit("|", 1)[1] in CLASSES for n in names)


def check_steady(adjudge, directory, summary, problems):
    """Each finding that did come again comes again from its file alone."""
    steady = [f["file"] for f in summary["findings"] if not f.get("flaky")]
    if not steady:
        problems.append("no finding")
    for name in steady:
        code = subprocess.run([adjudge, "run", os.path.join(directory, name)], stdout=subprocess.DEVNULL).returncode
        if code != 1:
            problems.append(f"{name} does not come again: {code}")


def wait_saved(process, directory, seconds):
    """Waits until more cases are saved than now."""
    before, end = saved_cases(directory), time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < end and saved_cases(directory) <= before:
        time.sleep(0.01)


def check_mutating(adjudge, directory, summary, told, least, problems):
    """What holds with a driver whose cases depend on timing."""
    here = {os.path.basename(f["file"]) for f in summary["findings"]}
    if not told:
        problems.append("no finding was announced")
    lost = {file: name for file, name in told.items() if file not in here and name not in names_of(summary) and not is_covered(name, names_of(summary))}
    if lost:
        problems.append(f"announced and lost: {lost} of {told}, there are {sorted(here)} with {sorted(names_of(summary))}")
    if not least <= summary["cases"] or summary["cases"] < CASES:
        problems.append(f"{summary['cases']} cases, {least} were saved, {CASES} were asked for")
    check_steady(adjudge, directory, summary, problems)


def check_generated(adjudge, directory, whole, alone, hit, problems):
    """What holds with driver generate: the same summary as that of the campaign that was left alone."""
    missing = names_of(alone) - names_of(whole)
    if missing:
        problems.append(f"{sorted(missing)} are missing")
    if hit:
        check_steady(adjudge, directory, whole, problems)
    got, want = strip(whole, hit), strip(alone, hit)
    for key in got.keys() | want.keys():
        if got.get(key) != want.get(key):
            problems.append(f"{key}: {json.dumps(got.get(key))[:1500]} instead of {json.dumps(want.get(key))[:1500]}")


def main():
    adjudge = sys.argv[1]
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else 6
    draw = random.Random(int(os.environ.get("KILL_SEED", "1")))
    problems, killed, strict = [], {"owner": 0, "judging": 0, "engine": 0}, 0
    with tempfile.TemporaryDirectory(prefix="adjudge-kill-") as base:
        usual, alone = 8, os.path.join(base, "alone")
        if DRIVER == "generate":
            start = time.monotonic()
            code, text = run_to_end(adjudge, alone)
            usual = time.monotonic() - start
            if code != 1:
                print(text)
                problems.append(f"the campaign that was left alone ended with {code}")
        done, series = 0, 0
        while done < kills and not problems:
            series += 1
            directory = os.path.join(base, f"series{series}")
            resume, told, code, least, hit = False, {}, None, 0, False
            begun, most = done, done + max(1, kills // 2)
            while code is None:
                process, log = campaign(adjudge, directory, resume)
                alive = True
                while alive and done < min(kills, most):
                    if done == begun or draw.random() < 0.3:  # else most kills hit a campaign that has saved nothing
                        wait_saved(process, directory, usual)
                    time.sleep(draw.uniform(0.01, min(2.0, usual / 4)))
                    if process.poll() is not None:
                        break
                    below = descendants(process.pid)
                    others = [p for p in below if series % 2 == 0 or not runs_engine(p)]
                    if done > 0 and draw.choice(["owner", "other", "other"]) == "other" and others:
                        target = draw.choice(others)
                        kind = "engine" if runs_engine(target) else "judging"
                        hit = hit or kind == "engine"
                        done += kill(target)
                        killed[kind] += 1
                        continue
                    kill(process.pid)
                    process.wait()
                    done += 1
                    killed["owner"] += 1
                    alive = False
                    now = saved_cases(directory)
                    if now < least:
                        problems.append(f"{now} cases were saved after {least}")
                    least = now
                    left = wait_gone(below)
                    if left:
                        problems.append(f"left after a kill: {left}")
                code_now = process.wait(SECONDS)
                log.seek(0)
                text = log.read()
                announced(text, told)
                check_files(directory, problems)
                if code_now == -signal.SIGKILL:
                    resume = os.path.exists(os.path.join(directory, "campaign.json"))
                else:
                    code = code_now
            if code != 1:
                problems.append(f"series {series} ended with {code}: {text[-600:]}")
                break
            whole = json.load(open(os.path.join(directory, "summary.json")))
            final = {os.path.basename(f["file"]) for f in whole["findings"]}
            if DRIVER != "generate":
                check_mutating(adjudge, directory, whole, told, least, problems)
            else:
                strict += not hit
                check_generated(adjudge, directory, whole, json.load(open(os.path.join(alone, "summary.json"))), hit, problems)
            here = {os.path.basename(p) for p in files(os.path.join(directory, "findings"))}
            if final != here:
                problems.append(f"series {series}: files {sorted(here)} for findings {sorted(final)}")
            for path in files(directory):
                if os.path.basename(path).startswith(".tmp.") or "/pending/" in path:
                    problems.append(f"left: {path}")
    for p in problems:
        print(p)
    print(f"{killed['owner']} kills of the owner, {killed['judging']} of judging processes, {killed['engine']} of engines, "
          f"{series} campaigns, {strict} of them compared with their work, {len(problems)} problems")
    sys.exit(bool(problems))


main()
