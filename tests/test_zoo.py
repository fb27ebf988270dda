"""Every fault of `adjudge faults` has a case below corpus/ that expects a verdict of it.  Usage: test_zoo.py ADJUDGE ROOT"""
import json
import pathlib
import subprocess
import sys

ADJUDGE, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
FINDINGS = {"nan-leak", "nondeterministic", "wrong", "wrong-primal", "bad-dtype", "bad-shape", "input-modified", "protocol", "hang", "crash"}
# What the oracles leave open: a NaN where the path itself is singular, a maximum that is NaN.
UNDECIDED = {"forward+fdiff-weak-zero", "tape+tf-reducemax-nan"}


# Conventions, planted to see that they are accepted.
ACCEPTED = {"tape+max-first-tie", "tape+clamp-open-bounds"}


def main():
    faults = json.loads(subprocess.run([ADJUDGE, "faults", "--json"], capture_output=True, text=True, check=True).stdout)
    verdicts = {}
    for path in sorted((ROOT / "corpus").rglob("*.json")):
        for row in json.loads(path.read_text()).get("expect", []):
            if "engine" in row:
                verdicts.setdefault(row["engine"].split(":")[0], set()).add(row.get("verdict"))
    failures = []
    for f in faults:
        spec = f["spec"].split(":")[0]
        if f["slug"] == "mutant":  # a family of its own, counted by test_mutants.c
            continue
        shown = verdicts.get(spec, set())
        if spec in ACCEPTED:
            if shown != {"convention"}:
                failures.append(f"{spec}: a convention, expected as {shown}")
        elif not shown & FINDINGS and not (spec in UNDECIDED and shown):
            failures.append(f"{spec}: no case below corpus/ shows it")
        if bool(f["year"]) != bool(f["source"]) or bool(f["family"]) != bool(f["source"]):
            failures.append(f"{spec}: a historic fault has a source, a year and a family")
        if f["family"] and f["family"] not in "LSCTNB":
            failures.append(f"{spec}: family {f['family']}")
    print("\n".join(failures))
    print(f"{len(faults)} faults, {len(failures)} failed")
    return 1 if failures or not faults else 0


sys.exit(main())
