#!/usr/bin/env python3
"""Writes the tables of oracles/TOLERANCE.md that the code decides; --check: only says whether they are as the code has them.

Usage: make_tolerance_table.py [--check]

The formulas of smooth ops are those of oracles/ball/analytic_rules.def.  Every row of the table of constants quotes the code: the quotation must stand in
the file that the row names.  Exit status 1 where anything differs.
"""
import argparse
import pathlib
import re
import sys

ORACLES = pathlib.Path(__file__).resolve().parent.parent / "oracles"
PAPER = ORACLES / "TOLERANCE.md"
BEGIN, END = "<!-- rules: begin -->", "<!-- rules: end -->"

# Largest error in ulps that glibc states for rounding to nearest, of double and float on x86_64 and aarch64 (sysdeps/*/libm-test-ulps of glibc
# 2.41; its manual prints them in "Errors in Math Functions"), and what c is made of where it is not four times that.
ULPS = {"EXP": 1, "EXPM1": 1, "LOG": 1, "LOG1P": 1, "SIN": 1, "COS": 1, "ASIN": 1, "ACOS": 1, "ATAN": 1, "SINH": 2, "COSH": 2, "TANH": 2,
        "ASINH": 2, "ACOSH": 2, "ATANH": 2}
MADE = {"SQUARE": "one rounding", "SQRT": "one rounding (IEEE 754)", "RSQRT": "1/√a: 2, and 2 to spare",
        "TAN": "below 1 ulp: 4 at most, and 2 to spare", "LOGISTIC": "1/(1 + e^-a): 4 + 1 + 1, and 2 to spare",
        "ERF": "1 ulp: 4, and 2 to spare"}


def rules():
    """(name, [arguments]) of every row."""
    text = re.sub(r"/\*.*?\*/", "", (ORACLES / "ball/analytic_rules.def").read_text(), flags=re.S)
    for row in re.finditer(r"^UNARY\(", text, re.M):
        depth, argument, arguments = 1, "", []
        for c in text[row.end():]:
            depth += (c == "(") - (c == ")")
            if depth == 0 or (c == "," and depth == 1):
                arguments.append(" ".join(argument.split()))
                argument = ""
                if depth == 0:
                    break
            else:
                argument += c
        yield arguments[0], arguments[1:]


def table():
    lines = ["| op | c | source of c | r·sup \\|f′\\| | r·sup \\|f″\\| | s | tight/u | loose/u, more | inner |", "|---|---|---|---|---|---|---|---|---|"]
    for name, (c, moved, bent, scale, _, tight, loose, inner, detour) in rules():
        if name in ULPS:
            if float(c) != 4 * ULPS[name]:
                sys.exit(f"{name}: c is {c}, not twice {ULPS[name]} ulp")
            source = f"{ULPS[name]} ulp"
        else:
            source = MADE[name]
        cells = [moved, bent, scale, tight, loose, inner + ("" if detour == "1.0" else " †" if detour == inner else f"; f: {detour}")]
        lines.append(f"| {name.lower()} | {c} | {source} | " + " | ".join(f"`{x}`" for x in cells) + " |")
    return "\n".join(lines)


def stale_quotations(paper):
    """Rows `| file | `code` | ...` of section "Constants" whose code is not in the file."""
    section = paper.split("\n## Constants\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| ([\w/]+\.(?:c|h|def)) \| ``? ?(.*?) ?``? \|", section, re.M)
    if len(rows) < 20:
        sys.exit(f"{PAPER.name}: only {len(rows)} constants")
    return [(f, code) for f, code in rows if " ".join(code.split()) not in " ".join((ORACLES / f).read_text().split())]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--check", action="store_true")
    o = p.parse_args()
    paper = PAPER.read_text()
    head, rest = paper.split(BEGIN, 1)
    old, tail = rest.split(END, 1)
    new = "\n" + table() + "\n"
    bad = stale_quotations(paper)
    for f, code in bad:
        print(f"{PAPER.name}: {f} has no `{code}`")
    if o.check:
        if old != new:
            print(f"{PAPER.name}: the table of rules is not that of ball/analytic_rules.def; run scripts/make_tolerance_table.py")
        return 1 if bad or old != new else 0
    PAPER.write_text(head + BEGIN + new + END + tail)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
