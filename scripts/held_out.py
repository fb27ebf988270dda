#!/usr/bin/env python3
"""How well the conditions of reports predict: for every fault of the zoo, `adjudge report --held-out N` on its minimized corpus case.  Usage: held_out.py ADJUDGE [N] [FAULT...]"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]


def cases():
    """The first case of each fault of a built-in engine that expects a finding."""
    seen = {}
    for folder in ("documents", "zoo"):
        for path in sorted((ROOT / "corpus" / folder).glob("*.json")):
            for expect in json.loads(path.read_text()).get("expect", []):
                spec = expect.get("engine", "")
                if "+" in spec and expect.get("verdict") not in (None, "agree", "convention", "unsupported", "undecided"):
                    seen.setdefault(spec, path)
    return sorted(seen.items())


def main():
    adjudge, count = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "200"
    only = sys.argv[3:]
    reached = total = 0
    with tempfile.TemporaryDirectory() as folder:
        small = pathlib.Path(folder) / "small.json"
        for spec, path in cases():
            if only and not any(word in spec for word in only):
                continue
            run = subprocess.run([adjudge, "minimize", str(path), "--engine", spec, "--out", str(small)], capture_output=True, text=True)
            if run.returncode:
                continue
            begin = time.monotonic()
            run = subprocess.run([adjudge, "report", str(small), "--engine", spec, "--format", "json", "--time", "10m", "--held-out", count], capture_output=True, text=True)
            seconds = time.monotonic() - begin
            total += 1
            if run.returncode:
                print(f"{spec}: exit {run.returncode}: {run.stderr.strip()}")
                continue
            found = json.loads(run.stdout)["characterization"]
            condition = found.get("condition")
            held = condition.get("held_out") if condition else None
            share = held["predicted"] / held["variants"] if held and held["variants"] else 0
            reached += share >= 0.95
            print(f"{share:6.1%} of {held['variants'] if held else 0:3d} {seconds:5.1f}s {found['runs']:4d} runs  {spec}: {condition['text'] if condition else 'no condition'}",
                  flush=True)
    print(f"{reached} of {total} faults with at least 95 % of fresh variants predicted")


main()
