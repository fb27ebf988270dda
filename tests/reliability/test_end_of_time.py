#!/usr/bin/env python3
"""A campaign whose time is over while it minimizes: the cases that its processes have judged meanwhile count.

Usage: test_end_of_time.py ADJUDGE DRIVER
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ADJUDGE, DRIVER = os.path.abspath(sys.argv[1]), sys.argv[2]
LIMIT = 300  # seconds; generous
TOGETHER = 8

# A wrong engine that takes several cases in one request. It writes down which cases it answers to processes that judge,
# and never answers the process that minimizes: of that one, the parent is not adjudge.
ENGINE = r"""
import json, os, subprocess, sys, time, zlib
def above(pid):
    return int(open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[1])
asks = above(os.getppid())  # there is a guard between
judges = b"fuzz" in open(f"/proc/{above(asks)}/cmdline", "rb").read().split(b"\0")
worker = subprocess.Popen([ADJUDGE, "worker", "--engine", "tape+scale:mul:1.5"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
hello = json.loads(worker.stdout.readline())
hello.update(timeout_ms=600000, cases_per_request=TOGETHER)
print(json.dumps(hello), flush=True)
for line in sys.stdin.buffer:
    while not judges:
        time.sleep(1000)
    worker.stdin.write(line)
    worker.stdin.flush()
    sys.stdout.buffer.write(worker.stdout.readline())
    sys.stdout.flush()
    with open(f"{LOG}/{os.getpid()}", "a") as f:
        for case in json.loads(line)["cases"]:
            f.write(f"{zlib.crc32(json.dumps(case).encode())}\n")
"""


def main():
    with tempfile.TemporaryDirectory() as directory:
        root = pathlib.Path(directory)
        (root / "log").mkdir()
        (root / "vjp.json").write_text('{"schema": "adjudge.profile/1", "jvp": 0}')
        (root / "engine.py").write_text(f"ADJUDGE, TOGETHER, LOG = {ADJUDGE!r}, {TOGETHER}, {str(root / 'log')!r}\n" + ENGINE)
        r = subprocess.run([ADJUDGE, "fuzz", "--quiet", "--driver", DRIVER, "--jobs", "2", "--time", "10s", "--seed", "3", "--no-twins", "--profile", root / "vjp.json", "--out", root / "out",
                            "--engine", f"mine=proc:exec '{sys.executable}' '{root}/engine.py'"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT)
        answered = len({x for p in (root / "log").iterdir() for x in p.read_text().splitlines()})
        summary = json.loads((root / "out/summary.json").read_text()) if r.returncode == 1 else {"cases": 0, "skipped": 0, "findings": []}
    cases, found = summary["cases"] - summary["skipped"], sum(f["count"] for f in summary["findings"])
    print(f"{answered} cases answered, {cases} counted, {found} failed, {len(summary['findings'])} findings")
    ok = r.returncode == 1 and answered > 20 * TOGETHER and 2 * cases > answered and found > 1 and summary["skipped"] <= 2
    if not ok:
        print(f"FAILED: exit code {r.returncode}, {summary['skipped']} skipped\n{r.stdout[:1500]}")
    sys.exit(not ok)


main()
