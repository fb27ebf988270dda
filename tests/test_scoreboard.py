"""scripts/scoreboard with an engine that has a fault, and one that has none: pages, links, same bytes, nothing run twice.  Usage: test_scoreboard.py ADJUDGE ROOT"""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

ADJUDGE, ROOT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests/reports")]
import scoreboard_pages  # noqa: E402
import test_report_pages  # noqa: E402
from test_report_pages import check, failures, pages_of  # noqa: E402


def board(folder, *options, code=0, engine="functional+residual-fifo"):
    command = [sys.executable, "-B", ROOT / "scripts/scoreboard", folder, "--engine", f"stand-in={engine}", "--builtin", "tape", "--op", "for", "--op", "sin", "--cases", "1", "--time", "60",
               "--corpus", ROOT / "corpus/real", "--findings", "1", "--adjudge", ADJUDGE, *options]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    check(done.returncode == code, f"{options}: exit {done.returncode}, not {code}: {done.stderr[-400:]}")
    return done.stderr


def check_pages(folder):
    reached = set()
    for path in sorted(folder.rglob("*.html")):
        page = test_report_pages.Page(path)
        check(not page.scripts, f"{path}: has a script")
        for link in page.links:
            name = urllib.parse.unquote(link.split("#")[0])
            if link.startswith("https://"):
                continue
            target = (path.parent / name).resolve() if name else path
            check(target.is_file(), f"{path}: no file behind {link}")
            reached.add(target)
        check(str(ROOT) not in path.read_text(encoding="utf-8"), f"{path}: a path of this machine")
    for path in folder.rglob("*.html"):
        check(path in reached or path.name == "index.html", f"{path}: nothing links to it")


def check_workflow():
    """The shell of the workflow's steps is shell; its step that measures runs with stand-ins for what it calls."""
    try:
        import yaml
    except ImportError:
        return
    flow = yaml.safe_load((ROOT / "ci/github/scoreboard.yml").read_text())
    steps = {s.get("name"): s for s in flow["jobs"]["measure"]["steps"]}
    for step in steps.values():
        check(subprocess.run(["bash", "-n", "-c", step.get("run", "")]).returncode == 0, f"not shell: {step}")
    with tempfile.TemporaryDirectory() as place:
        (pathlib.Path(place) / "scripts").mkdir()
        for name, text in (("engines", '[ "$1" != lost ] && echo "proc:$1 --x"'), ("scoreboard", 'printf "%s|" "$@"')):
            path = pathlib.Path(place) / "scripts" / name
            path.write_text(f"#!/bin/sh\n{text}\n")
            path.chmod(0o755)
        out = subprocess.run(["bash", "-e", "-c", steps["Measure"]["run"]], cwd=place, capture_output=True, text=True, env={**os.environ, "ENGINES": "a:b lost c", "TIME": "1s"}).stdout
        check(out.endswith("site|--time|1s|--engine|a-b=proc:a:b --x|--engine|c=proc:c --x|"), f"the workflow measures: {out}")


# Whether the second is taken for the first: (request, verdict, ops, deviation).
JOINS = [(("jvp", "wrong", "sin", "finite"), ("jvp", "wrong", "sin", "sign"), True), (("jvp", "wrong", "sin", "finite"), ("jvp,vjp", "wrong", "cos+sin", "finite"), True),
         (("jvp", "wrong", "sin", "finite"), ("vjp", "wrong", "sin", "finite"), False), (("jvp", "wrong", "sin", "finite"), ("jvp", "nan-leak", "sin", "nan"), False),
         (("jvp", "wrong", "cos+sin", "finite"), ("jvp", "wrong", "sin", "finite"), False), (("jvp,vjp", "wrong", "sin", "finite"), ("vjp", "wrong", "sin", "finite"), False),
         (("jvp,jvp", "wrong", "pow", "zero"), ("vjp,jvp", "wrong", "pow", "zero"), True), (("jvp,jvp", "wrong", "pow", "zero"), ("vjp", "wrong", "pow", "zero"), False),
         (("primal", "crash", "sin", "none"), ("vjp", "crash", "sin", "none"), True), (("vjp", "crash", "sin", "none"), ("primal", "crash", "sin", "none"), False),
         (("vjp", "crash", "no op", "none"), ("vjp", "crash", "sin", "none"), False), (("vjp", "crash", "no op", "none"), ("vjp", "crash", "no op", "none"), True)]


# What an outcome says about a defect: (state and verdict, or None; whether it is an inaccuracy).
STATES = [(None, False, "not asked"), (("undecided", "undecided"), False, "not asked"), (("new", "wrong"), False, "open"), (("flaky", "crash"), False, "open"),
          (("passed", "agree"), False, "right here"), (("passed", "convention"), False, "a convention here"), (("passed", "inaccurate"), False, "right here"),
          (("passed", "inaccurate"), True, "open")]


def check_states():
    for row, inaccurate, wanted in STATES:
        said = scoreboard_pages.Site.state_of(row and dict(zip(("state", "verdict"), row)), {"inaccurate": True} if inaccurate else {})
        check(said == wanted, f"{row} says {said}, not {wanted}")


# A finding of Boost.Math by its name in defects.jsonl, one by its case, and one that nobody has looked at.
FOUND = [("jvp|nan-leak|tanh|nan", [], 1), ("primal|wrong-primal|acos|nan", ["corpus/real/boost-arccosine-at-1.json"], 1), ("jvp|wrong|sin|finite", [], 0)]


def check_known():
    replay = [{"case": "corpus/real/boost-arccosine-at-1.json", "state": "new", "verdict": "wrong-primal"}]
    result = {"name": "boost", "said": "boost.math autodiff", "builtin": False, "replay": replay, "findings": [{"name": name, "also": [], "cases": cases} for name, cases, _ in FOUND]}
    site = scoreboard_pages.Site(ROOT, [], ROOT, {}, None)
    for finding, (name, _, wanted) in zip(result["findings"], FOUND):
        check(len(site.known_as(result, finding)) == wanted, f"{name}: {site.known_as(result, finding)}")
    said = scoreboard_pages.told_of(site.defects_in(result), len(site.unknown(result)))
    check(said == ": 2 known defects, and 1 finding that nobody has looked at", f"said: {said}")


def check_reproducer(script, place):
    """adjudge is not beside its adapters here, and the reproducer is written all the same."""
    moved = shutil.copy(ADJUDGE, place)
    source = script.source_of(script.Tool(moved), "boost.math autodiff", ROOT / "corpus/real/boost-arccosine-at-1.json")
    check(source and source[0] == "cpp" and "acos(" in source[1], f"reproducer {source}")
    check(script.source_of(script.Tool(moved), "tape", ROOT / "corpus/real/boost-arccosine-at-1.json") is None, "a reproducer for an engine without a format")


def check_script():
    script = importlib.util.module_from_spec(importlib.util.spec_from_loader("scoreboard", importlib.machinery.SourceFileLoader("scoreboard", str(ROOT / "scripts/scoreboard"))))
    script.__loader__.exec_module(script)
    with tempfile.TemporaryDirectory() as place:
        check_reproducer(script, place)
    for first, second, wanted in JOINS:
        check(script.joins(second, first) == wanted, f"{second} joins {first}: not {wanted}")
    report = {"signature": "a|b|jvp|wrong-primal|nan", "program": ["inputs v0: f64[]", "v1: f64[] = constant 3", "v2: f64[] = add v0, v1", "return v2"]}
    check(script.name_of(report) == ("primal", "wrong-primal", "add", "nan"), f"name {script.name_of(report)}")
    for op, wanted in (("broadcast_to", "add"), ("sub", "add+sub")):
        report["program"][1] = f"v1: f64[] = {op} v0"
        check(script.name_of(report)[2] == wanted, f"name with {op}: {script.name_of(report)}")
    check(script.name_of({**report, "program": ["v1: f64[2] = broadcast_to v0"]})[2] == "broadcast_to", "a broadcast alone")


def main():
    check_workflow()
    check_script()
    check_states()
    check_known()
    families = {o["family"] for o in json.loads(subprocess.run([ADJUDGE, "ops", "--json"], capture_output=True, text=True, check=True).stdout)}
    check(families == set(scoreboard_pages.GROUP_OF), f"families on no page or of no op: {families ^ set(scoreboard_pages.GROUP_OF)}")
    for defect in scoreboard_pages.known_defects(ROOT):
        for e in defect["engines"]:
            check(e["name"] in [known["name"] for known in scoreboard_pages.engines(ROOT)], f"{e['name']} is not in corpus/real/engines.jsonl")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve() / "board"
        said = board(folder)
        check("stand-in adjudge" in said and "tape adjudge" in said, f"not measured: {said}")
        check_pages(folder)
        data = json.loads((folder / "data/stand-in.json").read_text())
        check(data["findings"] and all("for" in f["name"] for f in data["findings"]), f"findings {data['findings']}")
        check(not json.loads((folder / "data/tape.json").read_text())["findings"], "a right engine shows a finding")
        counts = {v for c in data["matrix"] if c["op"] == "sin" for v in c["cases"]}
        check("agree" in counts and "wrong" not in counts, f"verdicts of sin: {counts}")
        page = test_report_pages.Page(folder / "engines/stand-in.html").text
        check("finding" in page and "known defect" not in page, "the findings of an engine without known defects")
        check("wrong" in page and "expected" in page and "The gradient" in page, "the finding is not on the page of its engine")
        check("the smallest case" in page and "request: vjp" in page, "the program of the finding is not on the page of its engine")
        control = test_report_pages.Page(folder / "families/control-flow.html").text
        check("No engine here was asked about cond" in control, "ops that were not asked about are not named")
        # The same again: nothing is run, and every byte is the same.
        first = pages_of(folder)
        check(board(folder).count("as before") == 2, "an engine that did not change was run again")
        check(pages_of(folder) == first, "the second time other bytes")
        shutil.copytree(folder / "data", folder.parent / "copy/data")
        board(folder.parent / "copy", "--pages")
        check(pages_of(folder.parent / "copy") == first, "the pages do not follow from the data alone")
        # Another engine of that name, and a finding that an older version had.
        said = board(folder, engine="functional")
        check("stand-in adjudge" in said and said.count("as before") == 1, f"a new engine was not run: {said}")
        data = json.loads((folder / "data/stand-in.json").read_text())
        data["history"].insert(0, {"version": "0.0.1", "findings": ["vjp|wrong|for|<b>"]})
        (folder / "data/stand-in.json").write_text(json.dumps(data))
        board(folder, "--pages")
        check("vjp|wrong|for|<b>: last seen in 0.0.1" in test_report_pages.Page(folder / "engines/stand-in.html").text, "a finding that is gone is not shown")
        check_pages(folder)
        # A built-in engine must be clean.
        data.update(builtin=True, campaign={**data["campaign"], "disagreements": 1})
        (folder / "data/stand-in.json").write_text(json.dumps(data))
        board(folder, "--pages", code=1)
        check("show findings: stand-in" in test_report_pages.Page(folder / "index.html").text, "a built-in engine that is not clean is not named")
    print("\n".join(failures) or "the scoreboard is in order")
    return 1 if failures else 0


sys.exit(main())
