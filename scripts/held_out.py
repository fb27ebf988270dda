#!/usr/bin/env python3
"""How well the conditions of reports predict: for every fault of the zoo, `adjudge report --held-out N` on its minimized corpus case.

Usage: held_out.py ADJUDGE [N] [FAULT...]
"""
import argparse
import json
import pathlib
import subprocess
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
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("adjudge")
    p.add_argument("count", metavar="N", nargs="?", type=int, default=200, help="fresh variants of each fault")
    p.add_argument("only", metavar="FAULT", nargs="*")
    o = p.parse_args()
    reached = total = 0
    with tempfile.TemporaryDirectory() as folder:
        small = pathlib.Path(folder) / "small.json"
        for spec, path in cases():
            if o.only and not any(word in spec for word in o.only):
                continue
            run = subprocess.run([o.adjudge, "minimize", str(path), "--engine", spec, "--out", str(small)], capture_output=True, text=True)
            if run.returncode:
                continue
            begin = time.monotonic()
            run = subprocess.run([o.adjudge, "report", str(small), "--engine", spec, "--format", "json", "--time", "10m", "--held-out", str(o.count)], capture_output=True, text=True)
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
