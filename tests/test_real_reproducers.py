"""scripts/real_reproducers.py where engines are absent, in a tree of its own whose scripts/engines has them or not.

Usage: test_real_reproducers.py ADJUDGE SOURCE_ROOT
"""
import json
import pathlib
import subprocess
import sys
import tempfile

adjudge, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
CASE = {"schema": "adjudge.case/1", "inputs": ["x: f64[]"], "body": [{"out": ["y"], "op": "sin", "args": ["x"]}], "results": ["y"], "points": [[0.5]],
        "request": [{"transform": "vjp", "wrt": [0], "cotangents": [1]}]}
FAMILY = {"name": "Fake", "short": "fake", "repository": "https://example.com/fake", "formats": {"fake": "torch"}, "ready": {"fake": "1", "right": "2", "absent": "1", "slow": "1"}}
DEFECT = {"engines": [{"name": "Fake", "faulty": ["1"]}], "program": "sine", "expected": "0.9", "returned": "1", "cases": [{"file": "fake-sine.json"}],
          "upstream": "not reported", "status": "open"}
failed = 0


def check(good, what):
    global failed
    failed += not good
    if not good:
        print(what, file=sys.stderr)


def tree(work, engines, defect):
    for folder in ("scripts", "corpus/real/issues"):
        (work / folder).mkdir(parents=True)
    for name in ("real_reproducers.py", "real_issues.py", "real_corpus.py"):
        (work / "scripts" / name).write_bytes((root / "scripts" / name).read_bytes())
    (work / "engines").symlink_to(root / "engines")
    (work / "corpus/real/defects.jsonl").write_text(json.dumps(defect) + "\n")
    (work / "corpus/real/engines.jsonl").write_text(json.dumps(FAMILY) + "\n")
    (work / "corpus/real/fake-sine.json").write_text(json.dumps(CASE))
    (work / "scripts/engines").write_text(engines)
    (work / "scripts/engines").chmod(0o755)


# What takes the place of an engine: it reads a source, and ends as the source of a program with that op would.
STAND_IN = """#!/bin/sh
[ "$1" = --in ] || exit 0
source=$(cat)
case "$2" in absent) echo "ModuleNotFoundError: No module named 'fake'" >&2; exit 1 ;; esac
case "$2 $source" in fake*torch.sin*) echo "WRONG: expected 0.9"; exit 1 ;; slow*torch.sin*) exit 124 ;; esac
exit 0
"""
ONE, NONE = "1 defects of 1 engines, 0 not as they should be; 0 more", "0 defects of 0 engines, 0 not as they should be; 1 more of absent engines"
# (place, members of the defect, what is said of it, the counts, exit status)
for place, members, said, counted, code in [
        ("fake", {}, "shown  fake  torch  fake-sine.json", ONE, 0),
        ("right", {}, "clean  right  torch  fake-sine.json", ONE, 0),
        ("absent", {}, "absent  absent  torch  fake-sine.json", NONE, 1),
        ("slow", {}, "NOT shown  slow  torch  fake-sine.json: exit status 124", "1 defects of 1 engines, 1 not as they should be", 1),
        ("slow", {"no_answer_s": 7}, "shown  slow  torch  fake-sine.json: exit status 1: no answer in 7 s", ONE, 0)]:
    for options in ([], ["--brief"]):
        with tempfile.TemporaryDirectory() as name:
            work = pathlib.Path(name)
            tree(work, STAND_IN, DEFECT | members)
            done = subprocess.run([sys.executable, work / "scripts/real_reproducers.py", *options, "--adjudge", adjudge, place], capture_output=True, text=True)
            check(done.returncode == code and said in done.stdout, f"{place} {options}: exit {done.returncode}\n{done.stdout}{done.stderr}")
            check(counted in done.stdout, f"{place} {options}: not '{counted}'\n{done.stdout}")
            check(place != "absent" or "shown" not in done.stdout and "clean" not in done.stdout, f"an absent engine shows something\n{done.stdout}")
sys.exit(1 if failed else 0)
