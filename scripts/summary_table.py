#!/usr/bin/env python3
"""Campaigns' summary.json as Markdown tables: decided shares by stratum, dtype and reason.

Usage: scripts/summary_table.py [--twins] SUMMARY.json...

Several summaries, of one profile, are added up.  --twins: the tables of benchmarks/twins.md in place of those.
"""
import argparse
import json


def share(decided, undecided):
    total = decided + undecided
    return f"{100 * decided / total:.1f} %" if total else "-"


def total(parts):
    """The sum of dicts of numbers or of such dicts, by key."""
    keys = dict.fromkeys(k for part in parts for k in part)
    return {k: total([p[k] for p in parts if k in p]) if any(isinstance(p.get(k), dict) for p in parts) else sum(p.get(k, 0) for p in parts) for k in keys}


def print_tables(summaries):
    first, cases = summaries[0], sum(s["cases"] for s in summaries)
    seeds = sorted(int(s["seed"], 16) for s in summaries)
    c, strata, dtypes = (total([s[k] for s in summaries]) for k in ("components", "strata", "result_dtypes"))
    undecided = sum(c["undecided"].values())
    print(f"{cases:,} cases (seed{'' if len(seeds) == 1 else 's'} {seeds[0]}{f' to {seeds[-1]}' if len(seeds) > 1 else ''}, profile {first['profile']}, driver {first['driver']}): "
          f"{sum(s['distinct_findings'] for s in summaries)} findings, {sum(s['oracle_disagreements'] for s in summaries)} oracle disagreements; "
          f"{share(c['decided'], undecided)} of {c['decided'] + undecided:,} components decided, "
          f"{100 * sum(s['decided'] for s in summaries) / cases:.1f} % of the cases decided, {100 * sum(s['with_teeth'] for s in summaries) / cases:.1f} % with teeth; median {sorted(s['median_ops'] for s in summaries)[len(summaries) // 2]} ops; "
          f"finite differences on one case in {first['fd_one_in']} and where something was off.\n")
    print("| stratum | share of the cases | cases decided | cases with teeth |\n|---|---|---|---|")
    for name, row in strata.items():
        print(f"| {name.replace('_', ' ')} | {100 * row['cases'] / cases:.0f} % | {share(row['decided'], row['undecided'])} | {share(row['with_teeth'], row['cases'] - row['with_teeth'])} |")
    for name, row in dtypes.items():
        print(f"| results in {name} | {100 * row['cases'] / cases:.0f} % | {share(row['decided'], row['undecided'])} | {share(row['with_teeth'], row['cases'] - row['with_teeth'])} |")
    print("\n| reason | components |\n|---|---|")
    for name, count in sorted(c["undecided"].items(), key=lambda kv: -kv[1]):
        print(f"| {name} | {100 * count / (c['decided'] + undecided):.2f} % |")


def percent(part, whole, digits):
    return f"{100 * part / whole:.{digits}f}" if whole else "-"


def print_twins(summaries):
    """Own, twins and wide are sums: each column has what the one before it has."""
    twins, cases, strata = total([s["twins"] for s in summaries]), sum(s["cases"] for s in summaries), total([s["result_dtypes"] for s in summaries])
    empty, own = (sum(f(s) for s in summaries) for f in (lambda s: s["undecided"].get("empty", 0), lambda s: s["with_teeth"]))
    rows = [(name, n, own, twins["gained"], twins["gained_wide"], 2) for name, n in (("cases", cases), ("cases that ask for a number", cases - empty))]
    rows += [(f"cases with results in {t}", strata[t]["cases"], strata[t]["with_teeth"], strata[t]["twin"], strata[t]["wide"], 1) for t in ("f16", "bf16")]
    parts = twins["components"]
    for name, row in [("components", total(list(parts.values())))] + [(f"components in {t}", row) for t, row in parts.items()]:
        rows.append((name, row["components"], row["with_teeth"], row["twin"], row["wide"], 2))
    print("| share with teeth, in percent | number | own | twins | wide |\n|---|---:|---:|---:|---:|")
    for name, number, own, twin, wide, digits in rows:
        print(f"| {name} | {number:,} | " + " | ".join(percent(n, number, digits) for n in (own, own + twin, own + twin + wide)) + " |")
    print(f"\nCases with a component without teeth: {twins['cases']:,}. Of these, cases that were too dear for a kind of twin: {twins['left_out']:,}.\n\n"
          "| twin | made | engines asked | components by reason: looked at again, with teeth |\n|---|---:|---:|---|")
    for name, kind in twins["kinds"].items():
        reasons = [f"{reason} {row['components']:,}, {percent(row['with_teeth'], row['components'], 0)} %"
                   for part in (kind["undecided"], kind["without_teeth"]) for reason, row in part.items() if row["components"] >= 300]
        print(f"| {name} | {kind['made']:,} | {kind['judged']:,} | {'; '.join(reasons)} |")


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--twins", action="store_true")
    p.add_argument("summary", nargs="+", type=argparse.FileType())
    o = p.parse_args()
    (print_twins if o.twins else print_tables)([json.load(f) for f in o.summary])
