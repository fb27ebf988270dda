#!/usr/bin/env python3
"""The bug reports that the project grew from, row by row, beside what `adjudge report` finds by experiment from the minimal case of each.

Usage: document_reports.py ADJUDGE            checks that every row and statement is there
       document_reports.py ADJUDGE --write    writes corpus/documents/REPORTS.md

A row names an experiment, cells that tell the variant, and the two figures (the right ones, where a document is wrong: corpus/README.md); None: nothing
of it is checked.  A statement names its id, its kind and words that it must have.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
NAN = math.nan


def body(text, n, x, right, wrong, by="x"):
    return (f"{text}, n = {n}, x = {x}" + ("" if by == "x" else f", by {by}"), "bodies", [text, str(n), str(x), by], right, wrong)


def guard(text, x, right, wrong):
    return (f"{text} at {x}", "branches", [text, x], right, wrong)


def scattered(shape, part, rows, size, taken, wrong, dtype="f32"):
    """The derivative by every element of x is 1 for each row outside the slice: its sum is the number of elements left."""
    total = math.prod(shape)
    right = total // shape[1] * (shape[1] - taken)
    return (f"{shape}, slice {part}", "slices", [f"{dtype}[{','.join(map(str, shape))}]", part, "1", "sum along it", "x"], right, total if wrong else 0)


NX = {
    "title": "Nx: grad through a while loop", "case": "nx-while-acc-mul-x-n3.json", "engine": "functional+residual-fifo",
    "rows": [
        body("c + x", 3, 0.5, 3, 3), body("c * 2", 3, 0.5, 0, 0), body("sin(c)", 3, 0.5, 0, 0), body("c * c", 3, 0.5, 0, 0), body("c + x^2", 3, 0.5, 3, 3),
        body("c * x", 3, 0.5, 0.75, 1.3125), body("c * x", 2, 0.5, 1, 1.25), body("c / x", 3, 0.5, -48, -84),
        body("sin(c * x)", 2, 0.5, 0.8919615208882853, 1.0819350969923076), body("sin(c * x)", 3, 0.5, 0.6785945955153712, 1.132179238282995),
        body("c + c * x", 3, 0.5, 6.75, 8.3125),
        body("c * x", 3, 0.001, 3e-6, 1.000001000001), body("c * x", 3, 0.01, 3e-4, 1.00010001), body("c * x", 3, 0.1, 0.03, 1.0101),
        body("c * x", 3, 1, 3, 3), body("c * x", 3, 2, 12, 21),
        body("c * (x - 2)", 2, 0.5, -3, 3.25), body("c * (x - 2)", 4, 1.5, -0.5, 1.328125), body("c * (-x)", 3, 0.3, -0.27, -1.0981),
        body("c * (-x)", 3, 0.7, -1.47, -1.7301),
        body("c * x + y", 3, 0.5, None, None), body("c * x + y", 3, 0.5, 1.75, 1.75, "y"),
        ("second derivative of x^3 at 0.5", "orders", ["c * x, 3 times", "jvp, then vjp", "as it is"], 3, 1.5),
        ("second derivative of x^3 at 2", "orders", ["c * x, 3 times", "jvp, then vjp", "2"], 12, 36),
    ],
    "statements": [
        ("the forward pass is correct, only the backward pass is wrong", "forward", "shown", "The forward value is right"),
        ("returns the sum of x^(2k) for n x^(n-1)", "closed-form", "shown", "Loop body c * x, 3 times: it returns 1 + x^2 + x^4 where 3 x^2 is right"),
        ("per variable: by y right, by x wrong", "per-variable", "shown", "with respect to y is right, with respect to x it is wrong"),
        ("catastrophic near zero", "near-zero", "shown", "The error grows towards 0"),
        ("right at x = 1, by coincidence", "points", "shown", "right at 1"),
        ("sign flips", "sign", "shown", "The sign is wrong in"),
        ("the same for while and for", "loops", "ruled-out", "for, while"),
        ("type-independent, identical values", "dtypes", "ruled-out", "f64, f32, bf16, f16, with the identical wrong value"),
        ("compounds for the second order", "orders", "shown", "The second derivative is wrong too"),
        ("elementwise wrong for a tensor", "shapes", "shown", "every element of a tensor gets its own wrong value"),
        ("each slice of a batch is wrong by itself", "batches", "shown", "every slice gets its own wrong value"),
    ],
    "condition": ["step", "runs more than once"], "departure": "for",
}
XLA = {
    "title": "TensorFlow XLA: the dead branch of where leaks NaN", "case": "xla-where-sqrt-at-0.json", "engine": "tape+weak-zero",
    "rows": [
        guard("where(x > 0, sqrt(x), 0)", "0", 0, NAN), guard("where(x > 0, sqrt(x), 0)", "-1", 0, NAN), guard("where(x > 0, 1 / x, 1)", "0", 0, NAN),
        guard("where(x > 0, log(x), -100)", "0", 0, NAN),
        guard("where(x > 0, sqrt(x), 0)", "[-1, 0, 1, 4]", [0, 0, 0.5, 0.25], [NAN, NAN, 0.5, 0.25]),
        guard("where(sum((x - y)^2) > 0, sqrt(sum((x - y)^2)), 0)", "x = y = [1, 2, 3]", [0, 0, 0], [NAN, NAN, NAN]),
    ],
    "statements": [
        ("the forward pass agrees", "forward", "shown", "The forward value is right"),
        ("other modes of the engine are right", "engines", "ruled-out", "every other engine that answers is right"),
        ("only the elements of the dead branch are wrong", "shapes", "shown", "some elements of a tensor are right"),
    ],
    "condition": ["domain"], "departure": "sqrt",
}
INDUCTOR = {
    "title": "PyTorch inductor: slice_scatter, then a sum", "case": "inductor-slice-scatter-3x20x7-5-12.json", "engine": "compiled+inductor-slice-scatter",
    "rows": [
        scattered((4, 13, 33), "[0:6]", 13, 33, 6, False), scattered((2, 8, 16), "[0:4]", 8, 16, 4, False), scattered((1, 6, 100), "[0:3]", 6, 100, 3, False),
        scattered((3, 20, 7), "[5:12]", 20, 7, 7, True), scattered((1, 64, 16), "[0:32]", 64, 16, 32, False, "f64"),
        scattered((1, 33, 257), "[0:16]", 33, 257, 16, False, "f64"), scattered((7, 63, 33), "[0:31]", 63, 33, 31, False, "f64"),
    ],
    "statements": [
        ("the forward pass is right", "forward", "shown", "The forward value is right"),
        ("y.grad is right, x.grad is wrong", "per-variable", "shown", "with respect to y is right, with respect to x it is wrong"),
        ("all 0 where the slice contains index 0", "slices", "shown", "contains index 0 and the result is summed along its axis, the derivative with respect to x is 0 everywhere"),
        ("else nothing is masked", "slices", "shown", "does not contain index 0 and the result is summed along its axis, the derivative with respect to x is too large"),
        ("the ratio is exactly 20/13", "closed-form", "shown", "slice [5:12] along axis 1, it returns 20/13 of the right value"),
        ("not a precision artifact, float64 too", "dtypes", "ruled-out", "Precision and dtype do not matter"),
        ("not in the reference engine", "engines", "ruled-out", "every other engine that answers is right"),
        ("not in the backward graph: right when run op by op", "derivative-program", "ruled-out", "aot runs it op by op and is right"),
        ("not seed-sensitive", "seeds", "ruled-out", "The seed does not matter"),
        ("verified in a fresh process", "runs", "ruled-out", "in a freshly started engine"),
    ],
    "condition": ["summed along the slice's axis"], "departure": "slice_scatter",
}


def mlx(title, case, engine, rows, statements, departure):
    return {"title": title, "case": case, "engine": engine, "rows": rows, "statements": statements, "condition": [], "departure": departure}


def operand(op, which, right, wrong):
    return (f"{op}, {which} traced, jvp", "operands", [op, which, "jvp"], right, wrong)


MLX = [
    mlx("MLX: jvp of select", "mlx-select-jvp-constant-branch.json", "forward+packed-select", [
        guard("where(x < -1, 999, x * x)", "3", 6, 0), operand("select", "c", 1, 0), operand("select", "b", None, None)],
        [("vjp and finite differences are right", "engines", "ruled-out", "every other engine that answers is right"),
         ("silently 0", "closed-form", "shown", "It returns 0")], "select"),
    mlx("MLX: jvp of arctan2", "mlx-atan2-jvp-traced-constant.json", "forward+packed-atan2", [operand("atan2", "a", None, None), operand("atan2", "a, b", None, None)],
        [("only when not both operands are traced", "operands", "shown", "atan2 alone fails when these operands are differentiated: a")], "atan2"),
    mlx("MLX: jvp of arctan2, out of bounds", "mlx-atan2-jvp-traced-constant.json", "forward+packed-atan2-oob", [operand("atan2", "a, b", None, None)],
        [("out of bounds with one traced operand", "operands", "shown", "atan2 alone fails when these operands are differentiated: a"), ("crashes in every run", "runs", "ruled-out", "all 12 runs give the same")], "atan2"),
    mlx("MLX: jvp of masked_scatter", "mlx-masked-scatter-jvp-update-only.json", "forward+packed-masked-scatter", [operand("masked_scatter", "c", None, None)],
        [("when the update is the only traced input", "operands", "shown", "masked_scatter alone fails when these operands are differentiated: c")], "masked_scatter"),
    mlx("MLX: jvp of bitwise ops", "mlx-bitwise-jvp-two-traced.json", "forward+packed-bitwise", [operand("bitwise_and", "a, b", None, None)], [], None),
]
DOCUMENTS = [NX, *MLX, XLA, INDUCTOR]


def same(figure, want):
    if want is None:
        return True
    if isinstance(want, list):
        return isinstance(figure, list) and len(figure) == len(want) and all(map(same, figure, want))
    if isinstance(figure, str):
        figure = float(figure)
    if figure is None:
        return False
    return math.isnan(figure) if math.isnan(want) else abs(figure - want) <= 1e-9 * abs(want) + 1e-300


def find_row(found, experiment, cells):
    for table in found["experiments"]:
        if table["id"] == experiment:
            for number, row in enumerate(table["rows"]):
                if row["cells"] == cells and "engine" not in row:
                    return number, row
    return None, None


def figures(row, want):
    if isinstance(want, list):
        return row.get("elements", {}).get("expected"), row.get("elements", {}).get("returned")
    if "sum" in row and "elements" not in row:
        return row["sum"]["expected"], row["sum"]["returned"]
    return row.get("expected"), row.get("returned")


def text(x):
    if isinstance(x, list):
        return "[" + ", ".join(map(text, x)) + "]"
    return "" if x is None else x if isinstance(x, str) else "nan" if math.isnan(x) else f"{x:.7g}"


def compare(document, found, lines):
    missing = []
    lines += [f"## {document['title']}", "", f"`{document['engine']}`, from the minimal case of `{document['case']}`: {found['runs']} variants.", "",
              "| document | right | faulty | experiment, row | right | returned | verdict |", "|---|---|---|---|---|---|---|"]
    for name, experiment, cells, right, wrong in document["rows"]:
        number, row = find_row(found, experiment, cells)
        if row is None:
            missing.append(name)
            continue
        got = figures(row, right)
        if not (same(got[0], right) and same(got[1], wrong)):
            missing.append(f"{name}: {got}")
        lines.append(f"| {name} | {text(right)} | {text(wrong)} | {experiment} {number} | {text(got[0])} | {text(got[1])} | {row['verdict']} |")
    lines += ["", "| document says | report says | |", "|---|---|---|"]
    for name, ident, kind, words in document["statements"]:
        hits = [s for s in found["statements"] if s["id"] == ident and s["kind"] == kind and words in s["text"]]
        if not hits:
            missing.append(name)
            continue
        lines.append(f"| {name} | {hits[0]['text']} | {kind} |")
    condition = found.get("condition", {}).get("text", "")
    for words in document["condition"]:
        if words not in condition:
            missing.append(f"condition: {words} not in {condition}")
    departure = found.get("first_departure", {})
    if document["departure"] and departure.get("op") != document["departure"]:
        missing.append(f"departure: {departure.get('op')}")
    lines += ["", "| found | |", "|---|---|", f"| condition | {condition or 'none'} |", f"| first node | {departure.get('sentence', 'none')} |", ""]
    return missing


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("adjudge")
    p.add_argument("--write", action="store_true")
    o = p.parse_args()
    lines = ["# The documents beside our reports", "", "Written by `scripts/document_reports.py --write`; a test checks it. The left columns hold the rows and figures of the document, the right ones what `adjudge report` found.", ""]
    failures = checks = 0
    with tempfile.TemporaryDirectory() as folder:
        small = pathlib.Path(folder) / "small.json"
        for document in DOCUMENTS:
            case = ROOT / "corpus/documents" / document["case"]
            subprocess.run([o.adjudge, "minimize", str(case), "--engine", document["engine"], "--out", str(small)], check=True, capture_output=True)
            run = subprocess.run([o.adjudge, "report", str(small), "--engine", document["engine"], "--format", "json"], check=True, capture_output=True, text=True)
            missing = compare(document, json.loads(run.stdout)["characterization"], lines)
            checks += len(document["rows"]) + len(document["statements"]) + len(document["condition"]) + 1
            failures += len(missing)
            for name in missing:
                print(f"{document['title']}: {name}")
    if o.write:
        (ROOT / "corpus/documents/REPORTS.md").write_text("\n".join(lines).rstrip() + "\n")
    print(f"{checks} rows and statements, {failures} missing")
    return 1 if failures else 0


sys.exit(main())
