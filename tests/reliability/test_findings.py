"""Planted bugs are found once each, and their minimal cases hold.

Usage: test_findings.py ADJUDGE FOUND.md [FAULTS] [FAILING]

1. A campaign of ten engines with a fault each, until FAILING cases (1,000) have failed: one finding for each engine.
2. The FAULTS (40) faults that random cases find first, by FOUND.md: a campaign ends with its first finding. Ten fresh
   processes must show the signature that its report names; of a nondeterministic fault, any finding. If the name has one
   op and no region, the minimal case has at most 3 nodes, constants counted.
3. Two faults of one engine are two findings, also where nearly every case that shows the rare one shows the other too.
   Such cases wait until the campaign may put work into them, at its end at the latest.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

adjudge, found_md = sys.argv[1], pathlib.Path(sys.argv[2])
FAULTS = int(sys.argv[3]) if len(sys.argv) > 3 else 40
FAILING = int(sys.argv[4]) if len(sys.argv) > 4 else 1000
TEN = ["functional+residual-fifo", "functional+jax-scan-xs-zero", "checkpointed+ckptjl-online-revolve", "tape+weak-zero",
       "tape+nx-clip-gsquared", "tape+mxnet-pad-ones", "forward+packed-select", "tape+torch-gather-dup",
       "compiled+inductor-double-add", "tape+warp-copy-assign"]
FRESH, ONE_OP_NODES, MOST_CASES = 10, 3, 2000
# Every case waits for the time limit of the engine.
SLOW = {"tape+hang"}
base = pathlib.Path(tempfile.mkdtemp(prefix="adjudge-findings-"))
failures = []


def check(ok, message):
    if not ok:
        failures.append(message)
        print("FAILED:", message, flush=True)


def campaign(name, specs, cases, *options):
    """The summary of a campaign."""
    engines = [word for spec in specs for word in ("--engine", spec)]
    command = [adjudge, "fuzz", *engines, "--driver", "generate", *(() if "--seed" in options else ("--seed", "1")), "--cases", str(cases), "--out", base / name, "--quiet", "--json", *options]
    r = subprocess.run(command, capture_output=True, text=True)
    check(r.returncode == 1, f"{name}: exit code {r.returncode}: {r.stderr}")
    return json.loads(r.stdout)


def ten():
    """One finding for each of ten causes."""
    cases, summary = FAILING // 2, None
    while summary is None or sum(f["count"] for f in summary["findings"]) < FAILING:
        cases *= 2
        summary = campaign(f"ten-{cases}", TEN, cases)
    for spec in TEN:
        names = [f["fine"] for f in summary["findings"] if f["fine"].startswith(spec + "|")]
        check(len(names) == 1, f"ten causes: {spec} is {names}")
    failing = sum(f["count"] for f in summary["findings"])
    print(f"ten causes: {summary['cases']} cases, {failing} failing, {len(summary['findings'])} findings", flush=True)


def two():
    """A rare fault beside one that fails in every sixth case."""
    for seed in (1, 2):
        summary = campaign(f"two-{seed}", ["functional+residual-fifo+jax-scattermul-dup"], 2000, "--seed", str(seed))
        names = [f["fine"].split("|", 1)[1] for f in summary["findings"]]
        check(sorted(names) == ["vjp|for{nonlinear}", "vjp|scatter_mul"], f"two causes, seed {seed}: {names}")


def nodes(body):
    return sum(1 + sum(nodes(region["body"]) for region in node.get("regions", [])) for node in body)


def is_one_op(fine):
    """Whether the fine signature ENGINE|REQUEST|OPS names one op: FAILURE: may stand before the ops."""
    return re.fullmatch(r"[a-z0-9_]+", fine.split("|")[-1].split(":")[-1]) and fine.count("|") == 2


def planted(spec, family):
    """How many of the fresh processes show the signature; the size of the minimal case; its name."""
    summary = campaign(spec, [spec], MOST_CASES, "--max-findings", "1")
    if not summary["findings"]:
        check(False, f"{spec}: nothing found")
        return 0, 0, ""
    path = base / spec / summary["findings"][0]["file"]
    report = json.loads(path.read_text())
    shown = 0
    for _ in range(FRESH):
        # Without --engine, the report's own engine is asked again where its answers differ.
        r = subprocess.run([adjudge, "run", path, "--json"], capture_output=True, text=True)
        engines = json.loads(r.stdout)["cases"][0]["engines"]
        own = next(e for e in engines if e["engine"] == spec)
        shown += own["finding"] and (family == "N" or own["signature"] == report["signature"])
    size = nodes(report["case"]["body"])
    check(shown == FRESH, f"{spec}: {shown} of {FRESH} fresh processes show {report['signature']}")
    check(not is_one_op(report["fine"]) or size <= ONE_OP_NODES, f"{spec}: {report['fine']} has {size} nodes")
    return shown, size, report["fine"]


def main():
    rows = re.findall(r"^\| `(\S+)` \| (\w+) \|.*\| ([\d,]+) \|$", found_md.read_text(), re.M)
    first = sorted((int(median.replace(",", "")), spec, family) for spec, family, median in rows if spec not in SLOW)[:FAULTS]
    check(len(first) == FAULTS, f"only {len(first)} faults are found")
    ten()
    two()
    results = [planted(spec, family) for _, spec, family in first]
    one_op = [size for _, size, fine in results if is_one_op(fine)]
    print(f"{len(results)} faults: {sum(shown == FRESH for shown, _, _ in results)} show their signature in all of {FRESH} fresh processes; "
          f"{len(one_op)} of one op, {max(one_op, default=0)} nodes at most; the largest of all has {max(size for _, size, _ in results)}")
    subprocess.run(["rm", "-rf", base], check=True)
    return bool(failures)


sys.exit(main())
