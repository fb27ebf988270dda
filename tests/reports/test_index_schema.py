"""A sample index against reports/index.schema.json, and that spoiled ones fail.  Usage: test_index_schema.py TEST_RENDER"""

import copy
import json
import pathlib
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: no python module jsonschema")
    sys.exit(77)

SPOIL = [
    lambda x: x.pop("groups"),
    lambda x: x.update(schema="adjudge.index/2"),
    lambda x: x["groups"][0].pop("fine"),
    lambda x: x["groups"][0].update(count=0),
    lambda x: x["groups"][0].update(files=[]),
    lambda x: x["groups"][1].update(also=[]),
    lambda x: x["groups"][0].update(time="2000-01-01"),
]


def main():
    schema = json.loads((pathlib.Path(__file__).resolve().parents[2] / "reports/index.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    index = json.loads(subprocess.run([sys.argv[1], "index"], check=True, capture_output=True, text=True).stdout)
    failures = [f"{e.json_path}: {e.message[:200]}" for e in validator.iter_errors(index)]
    for number, spoil in enumerate(SPOIL):
        spoiled = copy.deepcopy(index)
        spoil(spoiled)
        if validator.is_valid(spoiled):
            failures.append(f"spoiled index {number} is valid")
    print("\n".join(failures) or f"1 index, {len(SPOIL)} spoiled ones")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
