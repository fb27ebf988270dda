#!/usr/bin/env python3
"""Ten findings as a maintainer reads them: the cause, the typical and the smallest case, from `adjudge report` of historic bugs.

Usage: findings_page.py ADJUDGE [--out FILE]    writes docs/ten-findings.md
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Built-in engines with a historic bug each; `adjudge faults` says where it was reported.
FINDINGS = ["functional+jax-scan-xs-zero", "functional+residual-fifo", "functional+theano-until-tail", "functional+jax-scattermul-dup",
            "tape+torch-gather-dup", "tape+mxnet-pad-ones", "tape+nx-clip-gsquared", "tape+prod-div-zero", "functional+customjvp-unbroadcast",
            "tape+warp-copy-assign"]
HEAD = """# Ten findings

Reports of ten bugs that other engines once shipped, planted in a built-in engine. The first paragraph is
what `adjudge report` says about the cause. The typical case shows the bug plainly, the smallest one has nothing to
spare. `scripts/findings_page.py` writes this page.
"""


def source_of(spec):
    """The first case of the corpus that is about the fault and expects it to fail."""
    for path in sorted((ROOT / "corpus").glob("*/*.json")):
        if path.parent.name not in ("zoo", "documents"):
            continue
        for expect in json.loads(path.read_text()).get("expect", []):
            if expect.get("engine") == spec and expect.get("verdict") not in ("agree", "convention", "unsupported", "undecided"):
                return path
    sys.exit(f"no case for {spec}")


def wrapped(text):
    return "\n".join(textwrap.wrap(text, 118, break_long_words=False, break_on_hyphens=False))


def plain(v):
    """Numbers of a case as people write them."""
    if isinstance(v, list):
        return "[" + ", ".join(plain(x) for x in v) + "]"
    return f"{float.fromhex(v):.17g}" if isinstance(v, str) else str(v)


def shown(title, part):
    case = part["case"]
    names = [i.split(":")[0] for i in case["inputs"]]
    point = ", ".join(f"{n} = {plain(v)}" for n, v in zip(names, case["points"][0]))
    seeds = "; ".join(f"{k} {plain(level[k])}" for level in case["request"] for k in ("cotangents", "tangents") if k in level)
    return [f"{title}:", "", "```", *part["program"], f"at {point}; {seeds}", "```", "", wrapped(part["summary"]), ""]


def section(adjudge, spec, scratch):
    minimal = pathlib.Path(scratch) / "minimal.json"
    subprocess.run([adjudge, "minimize", source_of(spec), "--engine", spec, "--report", "--simplest", "--out", minimal], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    text = subprocess.run([adjudge, "report", minimal, "--engine", spec, "--again", "--format", "json"], check=True, stdout=subprocess.PIPE,
                          text=True).stdout
    report = json.loads(text)
    out = [f"## {spec}", "", f"Reported as `{report['case']['source']}`.", "", "```", wrapped(report["characterization"]["cause"]), "```", ""]
    if "typical" in report:
        out += shown("A typical case", report["typical"])
    return out + shown("The smallest case", report)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("adjudge")
    p.add_argument("--out", default=ROOT / "docs/ten-findings.md")
    o = p.parse_args()
    lines = [HEAD]
    with tempfile.TemporaryDirectory() as scratch:
        for spec in FINDINGS:
            lines += section(o.adjudge, spec, scratch)
    pathlib.Path(o.out).write_text("\n".join(lines).rstrip() + "\n")


main()
