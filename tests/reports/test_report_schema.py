"""Sample reports against reports/report.schema.json, and that spoiled ones fail.  Usage: test_report_schema.py TEST_REPORT [ADJUDGE [all]]"""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: no python module jsonschema")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Each makes a valid report invalid.
SPOIL = [
    lambda r: r.pop("case"),
    lambda r: r["case"].pop("body"),
    lambda r: r.update(verdict="perhaps"),
    lambda r: r.update(schema="adjudge.report/2"),
    lambda r: r.update(time="2000-01-01"),
    lambda r: r.update(engine_version=2),
    lambda r: r.update(spellings=""),
    lambda r: r["where"].update(point=-1),
    lambda r: r["where"].update(primal=0),
    lambda r: r["expected"].update(value="2.5 or so"),
    lambda r: r["found"].update(seed=17),
    lambda r: r["points"][0]["derivative"][0]["elements"][0].pop("expected"),
]
# Reports of experiments that adjudge makes: a wrong number, a process that dies; in the nightly suite a NaN and what always fails, too.
REAL = [("documents/nx-while-acc-mul-x-n3.json", "functional+residual-fifo"), ("documents/xla-where-sqrt-mixed.json", "tape+weak-zero"),
        ("documents/mlx-atan2-jvp-traced-constant.json", "forward+packed-atan2-oob"), ("zoo/wrong-shape.json", "tape+wrong-shape")]

SPOIL_CHARACTERIZATION = [
    lambda x: x.pop("runs"),
    lambda x: x.update(seconds=1),
    lambda x: x["statements"][0].update(kind="perhaps"),
    lambda x: x["statements"][0]["support"][0].update(rows=[-1]),
    lambda x: x["condition"].update(terms=[]),
    lambda x: x["condition"].update(join="always"),
    lambda x: x["first_departure"].pop("support"),
    lambda x: x["experiments"][0]["rows"][0].update(case=None),
    lambda x: x["experiments"][0]["rows"][0].pop("verdict"),
    lambda x: x["experiments"][0]["rows"][0].pop("expected"),
    lambda x: x["experiments"][0]["rows"][0].update(ratio="large"),
    lambda x: x["cases"][0].pop("body"),
]


def main():
    case = json.loads((ROOT / "graph/case.schema.json").read_text())
    report = json.loads((ROOT / "reports/report.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(report)
    try:
        import referencing
        registry = referencing.Registry().with_resource(case["$id"], referencing.Resource.from_contents(case))
        validator = jsonschema.Draft202012Validator(report, registry=registry)
    except ImportError:  # Debian 12 has jsonschema 4.10, which knows resolvers and not yet registries
        resolver = jsonschema.RefResolver.from_schema(report, store={case["$id"]: case})
        validator = jsonschema.Draft202012Validator(report, resolver=resolver)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], "write", folder], check=True)
        for case, engine in [] if len(sys.argv) < 3 else REAL if "all" in sys.argv[3:] else REAL[::2]:
            subprocess.run([sys.argv[2], "report", str(ROOT / "corpus" / case), "--engine", engine, "--format", "json", "--held-out", "5", "--out",
                            f"{folder}/{engine.replace('+', '-')}.json"], check=True)
        files = sorted(pathlib.Path(folder).glob("*.json"))
        for path in files:
            for error in validator.iter_errors(json.loads(path.read_text())):
                failures += 1
                print(f"{path.name}: {error.json_path}: {error.message[:200]}")
        characterized = json.loads((pathlib.Path(folder) / "characterized.json").read_text())
        found = json.loads((pathlib.Path(folder) / "found.json").read_text())
    for number, spoil in enumerate(SPOIL):
        spoiled = copy.deepcopy(found)
        spoil(spoiled)
        if validator.is_valid(spoiled):
            failures += 1
            print(f"spoiled report {number} is valid")
    for number, spoil in enumerate(SPOIL_CHARACTERIZATION):
        spoiled = copy.deepcopy(characterized)
        spoil(spoiled["characterization"])
        if validator.is_valid(spoiled):
            failures += 1
            print(f"spoiled characterization {number} is valid")
    # the schema's lists against the tables they repeat
    for table, name in (("verdict/verdicts", "verdict"), ("reasons", "reason")):
        rows = [line.split('"')[1] for line in (ROOT / f"oracles/{table}.def").read_text().splitlines()
                if line.startswith(f"{name.upper()}(")]
        if sorted(rows) != sorted(report["$defs"][name]["enum"]):
            failures += 1
            print(f"{table}.def and the schema differ: {set(rows) ^ set(report['$defs'][name]['enum'])}")
    print(f"{len(files)} reports, {len(SPOIL) + len(SPOIL_CHARACTERIZATION)} spoiled ones, {failures} failed")
    return 1 if failures or not files else 0


if __name__ == "__main__":
    sys.exit(main())
