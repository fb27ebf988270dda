"""An engine that is wrong in one case of a hundred is reported, and a gate fails if it is not.  Usage: test_canary.py ADJUDGE

The engine doubles the derivatives of the same cases each time (proxy_engine.py).  The right engine behind it, in the same
campaign, is not reported.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

adjudge = os.path.abspath(sys.argv[1])
PROXY = pathlib.Path(__file__).resolve().parent / "proxy_engine.py"
CANARY = f"canary=proc:exec '{sys.executable}' '{PROXY}' '{adjudge}' canary"
FAULT = "tape+scale:mul:1.5"
CASES = 400
failures = []


def check(ok, message):
    if not ok:
        failures.append(message)


def run(*arguments, code):
    done = subprocess.run([adjudge, *map(str, arguments)], capture_output=True, text=True)
    check(done.returncode == code, f"{arguments[0]}: exit {done.returncode}, not {code}: {done.stdout[-300:]}{done.stderr[-300:]}")
    return done


def test_campaign(base):
    run("fuzz", "--quiet", "--driver", "generate", "--seed", 1, "--cases", CASES, "--engine", CANARY, "--engine", "tape", "--out", base / "campaign", code=1)
    summary = json.loads((base / "campaign/summary.json").read_text())
    findings, failing = summary["findings"], {e["engine"]: e["findings"] for e in summary["engines"]}
    check(failing["canary"] > 0 and failing["tape"] == 0, f"failing cases: {failing}")
    check(findings and all(f["fine"].startswith("canary|") and not f.get("flaky") for f in findings), f"{findings}")
    check(sum(f["count"] for f in findings) == failing["canary"], f"{failing['canary']} failing cases, findings {findings}")
    for f in findings:
        run("run", base / "campaign" / f["file"], "--engine", CANARY, code=1)
        run("run", base / "campaign" / f["file"], "--engine", "tape", code=0)
    print(f"{failing['canary']} of {CASES} cases were wrong; {len(findings)} findings, the first in case {min((f['first_case'] for f in findings), default=0)}")


def test_gate(base):
    """A case of a planted bug: the gate is green as long as the bug is seen, by its expectation or by its entry in a baseline."""
    case = {"schema": "adjudge.case/1", "inputs": ["x: f64[]"], "body": [{"out": ["y"], "op": "mul", "args": ["x", "x"]}], "results": ["y"], "points": [[1.5]],
            "request": [{"transform": "vjp", "wrt": [0], "cotangents": [1]}]}
    for engine, code in ((FAULT, 0), ("tape", 1)):
        folder = base / f"gate-{code}"
        folder.mkdir()
        (folder / "canary.json").write_text(json.dumps({**case, "expect": [{"engine": engine, "verdict": "wrong"}]}))
        run("gate", folder, "--engine", "functional", code=code)
    (base / "gate-1/canary.json").write_text(json.dumps(case))
    run("gate", base / "gate-1", "--engine", FAULT, code=1)
    run("gate", base / "gate-1", "--engine", "mine=" + FAULT, "--write-baseline", base / "known.json", code=1)
    text = json.loads((base / "known.json").read_text())
    for entry in text["known"]:
        entry.update(reason="a planted bug", link="https://example.org/1")
    (base / "known.json").write_text(json.dumps(text))
    run("gate", base / "gate-1", "--engine", "mine=" + FAULT, "--baseline", base / "known.json", code=0)
    run("gate", base / "gate-1", "--engine", "mine=tape", "--baseline", base / "known.json", code=1)


with tempfile.TemporaryDirectory() as name:
    for test in (test_campaign, test_gate):
        test(pathlib.Path(name))
print("\n".join(failures) or "the canary is seen")
sys.exit(bool(failures))
