"""The published schema: it is what ops.def says, it accepts every case that the reader accepts, and refuses broken ones.

Usage: test_schema.py ROOT SAMPLES, SAMPLES a program that prints valid cases, one a line.
"""
import copy
import json
import pathlib
import subprocess
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("the Python module jsonschema is missing")
    sys.exit(77)

root, samples_program = pathlib.Path(sys.argv[1]), sys.argv[2]
failures = 0


def check(condition, message):
    global failures
    if not condition:
        failures += 1
        print("FAILED:", message)


published = (root / "graph/case.schema.json").read_text()
generated = subprocess.run([sys.executable, root / "scripts/make_case_schema.py", "--print"], check=True, capture_output=True,
                           text=True).stdout
check(published == generated, "graph/case.schema.json is stale: run scripts/make_case_schema.py")

schema = json.loads(published)
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)

samples = [json.loads(line) for line in subprocess.run([samples_program, "--emit"], check=True, capture_output=True,
                                                       text=True).stdout.splitlines()]
check(len(samples) >= 20, "only %d samples" % len(samples))
for case in samples:
    for error in validator.iter_errors(case):
        check(False, "a valid case: %s: %s" % (error.json_path, error.message))

files = 0
for path in sorted((root / "corpus").rglob("*.json")):
    case = json.loads(path.read_text())
    if isinstance(case, dict) and str(case.get("schema", "")).startswith("adjudge.report/"):
        case = case["case"]
    if not isinstance(case, dict) or not str(case.get("schema", "")).startswith("adjudge.case/"):
        continue
    files += 1
    for error in validator.iter_errors(case):
        check(False, "%s: %s: %s" % (path, error.json_path, error.message))

loop = next(case for case in samples if case.get("title") == "x^3")


def broken(what, change):
    case = copy.deepcopy(loop)
    change(case)
    check(not validator.is_valid(case), "accepted: " + what)


broken("another schema", lambda c: c.update(schema="adjudge.case/2"))
broken("an unknown key", lambda c: c.update(extra=1))
broken("no points", lambda c: c.update(points=[]))
broken("no request", lambda c: c.pop("request"))
broken("an input without type", lambda c: c.update(inputs=["x"]))
broken("a type of rank 5", lambda c: c.update(inputs=["x: f64[1,1,1,1,1]"]))
broken("a long name", lambda c: c.update(inputs=["%s: f64[]" % ("x" * 33)]))
broken("an unknown op", lambda c: c["body"][1].update(op="sinn"))
broken("an attribute of another op", lambda c: c["body"][1].update(axis=0))
broken("a constant without value", lambda c: c["body"][0].pop("value"))
broken("a constant with operands", lambda c: c["body"][0].update(args=["x"]))
broken("a loop without region", lambda c: c["body"][1].pop("regions"))
broken("a loop with two regions", lambda c: c["body"][1]["regions"].append(c["body"][1]["regions"][0]))
broken("a loop without trip and cap", lambda c: c["body"][1].pop("trip"))
broken("a negative trip count", lambda c: c["body"][1].update(trip=-1))
broken("mul of one operand", lambda c: c["body"][1]["regions"][0]["body"][0].update(args=["x"]))
broken("a wrong spelling of NaN", lambda c: c.update(points=[["NaN"]]))
broken("a huge variant", lambda c: c.update(variant=65536))
broken("a negative variant", lambda c: c.update(variant=-1))
broken("a variant of text", lambda c: c.update(variant="1"))
broken("null in a point", lambda c: c.update(points=[[None]]))
broken("tangents of a vjp", lambda c: c["request"][0].update(tangents=[1]))
broken("an unknown transform", lambda c: c["request"][0].update(transform="grad"))
broken("an empty wrt", lambda c: c["request"][0].update(wrt=[]))
broken("a hex literal in returned", lambda c: c["expect"][0].update(returned=["0x1p0"]))
broken("an expectation of nothing", lambda c: c.update(expect=[{"engine": "tape"}]))

print("%d samples, %d corpus files, %d failed" % (len(samples), files, failures))
sys.exit(1 if failures else 0)
