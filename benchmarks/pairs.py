#!/usr/bin/env python3
"""Compares the processor time of two builds of adjudge, in interleaved pairs of campaigns.

Usage: benchmarks/pairs.py OLD NEW [--pairs 7] [--cases 2000] [--seed 1] [--profile frozen-2] [--engine SPEC]...

OLD and NEW are programs `adjudge`, built with the same options.  Each pair runs the same campaign (driver generate) with
both, one after the other, in turns first.  Without --engine there is one row for tape, and one for all built-in engines.
Prints a Markdown table of medians: cases per second of processor time, and the median of the ratios.  Ends with 1 if
the summaries differ, apart from their time.  `--pairs 1 --cases 200000 --profile frozen` (and frozen-2) is the check
that a change of speed changes no verdict, reason or finding.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def run(o, program, engines):
    """(processor seconds, summary without time)"""
    with tempfile.TemporaryDirectory() as out:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([program, "fuzz", "--quiet", "--driver", "generate", "--profile", f"benchmarks/{o.profile}.json", "--seed", str(o.seed), "--cases", str(o.cases),
                        "--out", out] + [x for e in engines for x in ("--engine", e)], stdout=subprocess.DEVNULL, cwd=ROOT)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(os.path.join(out, "summary.json")) as f:
            summary = json.load(f)
    for member in ("cases_per_second", "timing"):
        summary.pop(member, None)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, summary


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("old")
    p.add_argument("new")
    p.add_argument("--pairs", type=int, default=7)
    p.add_argument("--cases", type=int, default=2000)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--profile", default="frozen-2")
    p.add_argument("--engine", action="append")
    o = p.parse_args()
    o.old, o.new = os.path.abspath(o.old), os.path.abspath(o.new)
    every = [e["name"] for e in json.loads(subprocess.run([o.new, "engines", "--json"], check=True, stdout=subprocess.PIPE).stdout)]
    equal = True
    print("| engines | old, cases/s | new, cases/s | ratio |\n|---|---:|---:|---:|")
    for engines in [o.engine] if o.engine else [["tape"], every]:
        times = []
        for k in range(o.pairs):
            first, second = (o.old, o.new) if k % 2 else (o.new, o.old)
            a, b = run(o, first, engines), run(o, second, engines)
            equal &= a[1] == b[1]
            times.append((a[0], b[0]) if k % 2 else (b[0], a[0]))
        old, new = (o.cases / statistics.median(t[i] for t in times) for i in (0, 1))
        print(f"| {len(engines)} | {old:.0f} | {new:.0f} | {statistics.median(t[0] / t[1] for t in times):.2f} |", flush=True)
    print("The summaries are the same." if equal else "The summaries differ.")
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
