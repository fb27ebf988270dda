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
import real_corpus  # noqa: E402
import scoreboard_counts  # noqa: E402
import scoreboard_leaks  # noqa: E402
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
    for job in flow["jobs"].values():
        for step in job["steps"]:
            check(subprocess.run(["bash", "-n", "-c", step.get("run", "")]).returncode == 0, f"not shell: {step}")
    job = flow["jobs"]["measure"]
    run = {s.get("name"): s for s in job["steps"]}["Measure"]["run"]
    packaged = [line.split()[0] for line in subprocess.run([ROOT / "scripts/engines", "--list"], capture_output=True, text=True).stdout.splitlines() if line.split()[1] not in ("checkout", "python")]
    check(sorted(job["strategy"]["matrix"]["engine"]) == sorted(["builtin", *packaged]), f"the workflow leaves out or has too much: {set(packaged) ^ set(job['strategy']['matrix']['engine'])}")
    check(job["continue-on-error"] is True and flow["jobs"]["publish"]["if"] == "!cancelled()", "an engine that fails keeps the pages from being published")
    with tempfile.TemporaryDirectory() as place:
        (pathlib.Path(place) / "scripts").mkdir()
        ready = "".join(f"echo \"{name}=proc:x --run '{made}@1'\"\n" for name, made in (("a-b", "a:b"), ("a-c", "a:c"), ("a-d", "a-d"), ("e", "e")))
        for name, text in (("engines", f'case $1 in lost) exit 4 ;; --ready)\n{ready};; esac'), ("scoreboard", 'printf "%s|" "$@"; exit 4')):
            path = pathlib.Path(place) / "scripts" / name
            path.write_text(f"#!/bin/sh\n{text}\n")
            path.chmod(0o755)
        for engine, wanted in (("a", "site|--time|1s|--builtin|none|--engine|a-b=proc:x --run 'a:b@1'|--engine|a-c=proc:x --run 'a:c@1'|::warning::a was not"), ("e", "site|--time|1s|--builtin|none|--engine|e=proc"),
                               ("lost", "::warning::lost is not ready"), ("builtin", "site|--time|1s|::error::")):
            done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", run], cwd=place, capture_output=True, text=True, env={**os.environ, "ENGINE": engine, "TIME": "1s"})
            check(done.stdout.startswith(wanted) and done.returncode == 0, f"the workflow measures {engine}: {done}")


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
    site = scoreboard_pages.Site(ROOT, [], ROOT, {}, None, None)
    for finding, (name, _, wanted) in zip(result["findings"], FOUND):
        check(len(site.known_as(result, finding)) == wanted, f"{name}: {site.known_as(result, finding)}")
    said = scoreboard_pages.told_of(site.defects_in(result), len(site.unknown(result)))
    check(said == ": 2 known defects, and 1 finding that nobody has looked at", f"said: {said}")


def check_reproducer(script, place):
    """adjudge is not beside its adapters here, and the reproducer is written all the same."""
    moved = shutil.copy(ADJUDGE, place)
    source = script.source_of(script.Tool(moved), "boost.math autodiff", ROOT / "corpus/real/boost-arccosine-at-1.json")
    check(source and source[0] == "cpp" and "acos(" in source[1], f"reproducer {source}")
    source = script.source_of(script.Tool(moved), "sympy.mpmath", ROOT / "corpus/real/boost-arccosine-at-1.json")
    check(source and source[0] == "py" and compile(source[1], "source", "exec"), f"reproducer {source}")
    if shutil.which("node"):  # whose adapters write their own sources
        source = script.source_of(script.Tool(moved), "adnn", ROOT / "corpus/real/adnn-maximum.json")
        check(source and source[0] == "cjs" and "require('adnn" in source[1], f"reproducer {source}")
    check(script.source_of(script.Tool(moved), "tape", ROOT / "corpus/real/boost-arccosine-at-1.json") is None, "a reproducer for an engine without a format")


def check_dead_branches(script, place):
    """An engine whose zeros are weak has NaN in the smallest case and all others, and an engine that is right has none."""
    for engine, wanted in (("tape+weak-zero", 12), ("tape", 0)):
        folder = pathlib.Path(place) / engine
        folder.mkdir()
        dead = script.dead_branches(script.Tool(ADJUDGE), engine, engine, folder, folder)
        check((dead["asked"], dead["nan"]) == (12, wanted), f"dead branches of {engine}: {dead}")
        if wanted:
            case = json.loads((folder / dead["file"]).read_text())
            check([n["op"] for n in case["body"]] == ["sqrt", "constant", "select"] and (dead["expected"], dead["returned"]) == (1, "nan"), f"the smallest dead branch: {dead} {case}")
            check(scoreboard_leaks.has_branch(case), "no branch in a case of a branch")
    power = {"body": [{"op": "pow", "args": ["x", "y"]}]}
    check(not scoreboard_leaks.has_branch(power) and scoreboard_leaks.has_branch({"body": [{"op": "for", "regions": [{"body": [{"op": "cond"}]}]}]}), "what has a branch")


MADE = [("proc:exec '/a b/scripts/engines' --run 'adnn@30076fb0053b64d1'", "adnn"), ("proc:exec env ADJUDGE_ROOTS=/r '/a/scripts/engines' --run 'codipack:linear=/c d@30076f'", "codipack:linear=DIR"),
        ("proc:python3 mine.py", ""), ("functional", "")]


def check_typed(script):
    """The commands on pages name the engine as scripts/engines makes it."""
    for spec, wanted in MADE:
        check(script.made_by(spec) == wanted, f"{spec} is made by {script.made_by(spec)!r}")
    site = scoreboard_pages.Site(ROOT, [], ROOT, {}, None, None)
    result = {"name": "tfjs-cpu", "said": "tfjs", "builtin": False, "made_by": "tfjs:cpu"}
    text = "<pre class=\"run\">adjudge run report.json --engine tfjs-cpu\nadjudge emit --format FORMAT report.json  # a program</pre>"
    typed = site.typed(text, result, {"id": "1a"})
    check(typed == "<pre class=\"run\">build/adjudge run site/data/tfjs-cpu/1a.json --engine &quot;tfjs-cpu=$(scripts/engines tfjs:cpu)&quot;\n"
          "build/adjudge emit --format tfjs site/data/tfjs-cpu/1a.json</pre>", f"typed: {typed}")


def check_script():
    script = importlib.util.module_from_spec(importlib.util.spec_from_loader("scoreboard", importlib.machinery.SourceFileLoader("scoreboard", str(ROOT / "scripts/scoreboard"))))
    script.__loader__.exec_module(script)
    with tempfile.TemporaryDirectory() as place:
        check_reproducer(script, place)
        check_dead_branches(script, place)
    check_typed(script)
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
    check(families == set(scoreboard_counts.GROUP_OF), f"families on no page or of no op: {families ^ set(scoreboard_counts.GROUP_OF)}")
    for defect in real_corpus.defects():
        for e in defect["engines"]:
            check(e["name"] in [known["name"] for known in real_corpus.engines()], f"{e['name']} is not in corpus/real/engines.jsonl")
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
        check("Clean: 12 cases ask for it" in page and "None was seen." in page, "what is said of dead branches")
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
        page = test_report_pages.Page(folder / "engines/stand-in.html").text
        check("vjp|wrong|for|<b>0.0.10.0.1fixed: not seen in" in page, "a finding that is gone is not shown")
        check(data["gone"] and all((folder / "data/stand-in" / f"{f['id']}.json").is_file() for f in data["gone"]), f"gone: {data['gone']}")
        check(all(f["name"] in page for f in data["gone"]) and "not seen again" in page, "a finding that the same version does not show any more is not shown")
        check_pages(folder)
        board(folder / "nothing", "--pages", code=2)
        # A built-in engine must be clean.
        data.update(builtin=True, campaign={**data["campaign"], "disagreements": 1})
        (folder / "data/stand-in.json").write_text(json.dumps(data))
        board(folder, "--pages", code=1)
        check("show findings: stand-in" in test_report_pages.Page(folder / "index.html").text, "a built-in engine that is not clean is not named")
    print("\n".join(failures) or "the scoreboard is in order")
    return 1 if failures else 0


sys.exit(main())
