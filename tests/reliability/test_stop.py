#!/usr/bin/env python3
"""Commands end soon after a signal or the end of --time, whatever an engine does.  Engines here may take ten minutes."""
import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

ADJUDGE, SOURCE = sys.argv[1:3]
LIMIT = 240  # seconds; far more than a loaded machine needs, less than ten minutes
FAULT = "tape+scale:mul:1.5"

# An engine that relays requests to a faulty built-in one and misbehaves.  HERE/asked: a request (or a mute start) came.
ENGINE = r"""
import json, os, subprocess, sys, time
how, here = sys.argv[1:]
def wait_for_ever():
    open(here + "/asked", "w").close()
    while True:
        time.sleep(1000)
def is_first():
    try:
        os.close(os.open(here + "/first", os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False
if how == "mute":
    wait_for_ever()
worker = subprocess.Popen([ADJUDGE, "worker", "--engine", FAULT], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
hello = json.loads(worker.stdout.readline())
hello.update(name="hostile", timeout_ms=600000)
print(json.dumps(hello), flush=True)
answers = how == "first" and is_first()
for line in sys.stdin.buffer:
    if how == "drip":
        open(here + "/asked", "w").close()
        while True:
            print(" ", end="", flush=True)
            time.sleep(0.01)
    if how == "noise":
        open(here + "/asked", "w").close()
        while True:
            print("noise " * 1000, file=sys.stderr, flush=True)
    if not answers:
        wait_for_ever()
    worker.stdin.write(line)
    worker.stdin.flush()
    sys.stdout.buffer.write(worker.stdout.readline())
    sys.stdout.flush()
"""


class Place:
    """A directory with an engine that misbehaves in one way."""

    def __init__(self, root, how):
        self.path = tempfile.mkdtemp(dir=root)
        with open(self.path + "/engine.py", "w", encoding="utf-8") as f:
            f.write(f"ADJUDGE = {ADJUDGE!r}\nFAULT = {FAULT!r}\n" + ENGINE)
        self.spec = f"proc:exec {sys.executable} {self.path}/engine.py {how} {self.path}"
        self.out = self.path + "/out"

    def start(self, command, *args):
        self.log = open(self.path + "/log", "w+", encoding="utf-8")
        return subprocess.Popen([ADJUDGE, command, "--engine", self.spec, *args], stdout=self.log,
                                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)

    def await_asked(self, process):
        end = time.monotonic() + LIMIT
        while not os.path.exists(self.path + "/asked"):
            assert process.poll() is None, f"ended with {process.returncode} before the engine was asked: {self.said()}"
            assert time.monotonic() < end, "the engine was not asked"
            time.sleep(0.02)

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def summary(self):
        with open(self.out + "/summary.json", encoding="utf-8") as f:
            return json.load(f)

    def check_no_process_left(self):
        end = time.monotonic() + LIMIT
        while subprocess.run(["pgrep", "-f", self.path], stdout=subprocess.DEVNULL, check=False).returncode == 0:
            assert time.monotonic() < end, "a process of the engine is left"
            time.sleep(0.05)


def check_time_is_over(root, how, code):
    place = Place(root, how)
    process = place.start("fuzz", "--driver", "generate", "--time", "8s", "--out", place.out, "--quiet")
    assert process.wait(LIMIT) == code, (how, process.returncode, place.said())
    if how != "mute":
        summary = place.summary()
        assert summary["stopped"] == "time", (how, summary["stopped"])
        # A case that was not waited for has no verdict.
        assert summary["skipped"] == (how != "first") and summary["undecided_cases"] == 0, (how, summary)
        check_findings(place, summary, how == "first")
    place.check_no_process_left()


def check_findings(place, summary, any_expected):
    """The engine answers the campaign, but not the minimizer: a finding is kept as it was found."""
    assert bool(summary["findings"]) == any_expected, summary["findings"]
    for finding in summary["findings"]:
        file = place.out + "/findings/" + os.path.basename(finding["file"])
        assert not finding.get("flaky") and finding["minimized"] == 0, finding
        again = subprocess.run([ADJUDGE, "run", file, "--engine", FAULT], capture_output=True, timeout=LIMIT, check=False)
        assert again.returncode == 1, again.stdout + again.stderr


def check_command(root, how, command, *args):
    place = Place(root, how)
    process = place.start(command, *args)
    place.await_asked(process)
    process.send_signal(signal.SIGTERM)
    assert process.wait(LIMIT) == 128 + signal.SIGTERM, (command, how, process.returncode, place.said())
    assert "stopped by SIGTERM" in place.said(), (command, how, place.said())
    place.check_no_process_left()


def start_long_campaign(root, how):
    place = Place(root, how)
    process = place.start("fuzz", "--driver", "generate", "--cases", "100000", "--out", place.out, "--quiet")
    place.await_asked(process)
    return place, process


def check_campaign(root, how, number, code):
    place, process = start_long_campaign(root, how)
    process.send_signal(number)
    process.send_signal(number)  # as of a program that signals the process and its group
    assert process.wait(LIMIT) == code, (how, number, process.returncode, place.said())
    summary = place.summary()
    assert summary["stopped"] == signal.Signals(number).name, summary["stopped"]
    check_findings(place, summary, how == "first")
    place.check_no_process_left()


def check_second_signal(root):
    place, process = start_long_campaign(root, "hang")
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGINT)
    assert process.wait(LIMIT) in (-signal.SIGTERM, -signal.SIGINT), process.returncode
    place.check_no_process_left()


def rows():
    case = SOURCE + "/corpus/documents/nx-while-acc-mul-x-n3.json"
    cases = [SOURCE + "/corpus/documents/book-sine-chain.json", case]
    for how, code in ("mute", 4), ("hang", 5), ("drip", 5), ("noise", 5), ("first", 1):
        yield check_time_is_over, how, code
    for how in "hang", "mute":
        for command, *args in (("gate", case), ("gate", *cases, "--jobs", "2"), ("run", case), ("conform", "--quiet"),
                               ("conform", "--quiet", "--jobs", "2"), ("minimize", case), ("report", case)):
            yield check_command, how, command, *args
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        yield check_campaign, "hang", number, 128 + number
        yield check_campaign, "first", number, 1
    yield (check_second_signal,)


# Under nohup this signal is ignored, and a child would inherit that.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
# All wait most of the time.
with tempfile.TemporaryDirectory() as directory, concurrent.futures.ThreadPoolExecutor(6) as pool:
    for done in [pool.submit(check, directory, *args) for check, *args in rows()]:
        done.result()
