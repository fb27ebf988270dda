#!/usr/bin/env python3
"""Kills campaigns with SIGKILL, goes on with them, and compares them with a campaign that was left alone.

usage: test_kill.py ADJUDGE [KILLS [DRIVER]]    KILL_CASES, KILL_SEED: cases of a campaign, and which kills

Each round kills a random process of a campaign with two judging processes: the one that owns the campaign, one that
judges, or one that runs an engine.  If the owner died, the campaign goes on with --resume.  At the end nothing that was
announced may be lost, no file may be torn, no process and no temporary file may be left, and the findings and counts
must be those of a campaign that nobody killed.

With the drivers plain and libfuzzer the cases depend on timing.  So findings that were announced must still be there, or
be another name of one that is.  Each must come again from its file alone, and the count of cases never shrinks below what
was saved.
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


def strip(summary):
    """A summary without what depends on the clock, or on an engine's process that was killed.

    Nobody knows whether such a process died of itself.  So that is a flaky finding, and finite differences run once more.
    Where there is one, the work of judging is larger.  A process that dies while a case is minimized counts as work, too.
    """
    summary["work"] = {key: summary["work"][key] for key in ("judging", "known_findings")}
    if any(f.get("flaky") for f in summary["findings"]):
        summary["work"].pop("judging")
        summary["twins"].pop("work_of_all", None)
    for key in ("timing", "cases_per_second", "stopped", "oracle", "distinct_findings"):
        summary.pop(key, None)
    for engine in summary["engines"]:
        for key in ("restarts", "killed", "crashes", "hangs", "broken_answers", "flaky", "oom"):
            engine.pop(key, None)
    summary["findings"] = [f for f in summary["findings"] if not f.get("flaky")]
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


def check_mutating(adjudge, directory, summary, told, least, problems):
    """What holds with a driver whose cases depend on timing."""
    here = {os.path.basename(f["file"]) for f in summary["findings"]}
    steady = {os.path.basename(f["file"]) for f in summary["findings"] if not f.get("flaky")}
    if not told:
        problems.append("no finding was announced")
    names = {name for f in summary["findings"] for name in [f["fine"], *f.get("also", [])]}
    lost = {file: name for file, name in told.items() if file not in here and name not in names}
    if lost:
        problems.append(f"announced and lost: {lost} of {told}, there are {sorted(here)} with {sorted(names)}")
    if not least <= summary["cases"] or summary["cases"] < CASES:
        problems.append(f"{summary['cases']} cases, {least} were saved, {CASES} were asked for")
    if not steady:
        problems.append("no finding")
    for name in steady:
        code = subprocess.run([adjudge, "run", os.path.join(directory, "findings", name)], stdout=subprocess.DEVNULL).returncode
        if code != 1:
            problems.append(f"{name} does not come again: {code}")


def main():
    adjudge = sys.argv[1]
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else 6
    draw = random.Random(int(os.environ.get("KILL_SEED", "1")))
    problems, killed = [], {"owner": 0, "other": 0}
    with tempfile.TemporaryDirectory(prefix="adjudge-kill-") as base:
        usual, want = 8, None
        if DRIVER == "generate":
            alone = os.path.join(base, "alone")
            start = time.monotonic()
            code, text = run_to_end(adjudge, alone)
            usual = time.monotonic() - start
            if code != 1:
                print(text)
                problems.append(f"the campaign that was left alone ended with {code}")
            want = strip(json.load(open(os.path.join(alone, "summary.json"))))
        done, series = 0, 0
        while done < kills and not problems:
            series += 1
            directory = os.path.join(base, f"series{series}")
            resume, told, code, moves, least = False, {}, None, 0, 0
            while code is None:
                process, log = campaign(adjudge, directory, resume)
                alive = True
                while alive and done < kills:
                    time.sleep(draw.uniform(0.01, min(2.0, usual / 4)))
                    if process.poll() is not None:
                        break
                    below = descendants(process.pid)
                    target = draw.choice(["owner", "other", "other"])
                    if target == "other" and below:
                        done += kill(draw.choice(below))
                        killed["other"] += 1
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
                    moves += 1
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
            got = strip(whole)
            expected = want if "judging" in got["work"] else {
                **want, "work": got["work"], "twins": {k: v for k, v in want["twins"].items() if k != "work_of_all"}} if want else None
            if DRIVER == "generate" and got != expected:
                for key in expected:
                    if expected[key] != got.get(key):
                        problems.append(f"series {series}: {key}: {json.dumps(got.get(key))[:1500]} "
                                        f"instead of {json.dumps(expected[key])[:1500]}")
            here = {os.path.basename(p) for p in files(os.path.join(directory, "findings"))}
            if final != here:
                problems.append(f"series {series}: files {sorted(here)} for findings {sorted(final)}")
            for path in files(directory):
                if os.path.basename(path).startswith(".tmp.") or "/pending/" in path:
                    problems.append(f"left: {path}")
    for p in problems:
        print(p)
    print(f"{killed['owner']} kills of the owner, {killed['other']} of other processes, {series} campaigns, "
          f"{len(problems)} problems")
    sys.exit(bool(problems))


main()
