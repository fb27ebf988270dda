#!/usr/bin/env python3
"""Writes corpus/real/issues/: for each defect of corpus/real/defects.jsonl that nobody has reported upstream, the issue that its engine's maintainers would want.

Usage: scripts/real_issues.py [--check] [--one-in N] [--adjudge PROGRAM]     --check writes nothing, and fails if a file is not as it would be; of every N-th defect alone
       scripts/real_issues.py --measure NAME=SPEC...                         runs the experiments that say what matters and what is ruled out, and keeps them in analysis.jsonl
The texts are those of `adjudge report --format issue`, and the scripts those of `adjudge emit --brief`.  Neither needs the engine.
A script has at most 20 lines that are not blank, unless the defect says in its member `longer` why it has more, and none of more than 120 columns.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import scoreboard_pages

ROOT = pathlib.Path(__file__).resolve().parent.parent
REAL = ROOT / "corpus/real"
ENVIRONMENT = {**os.environ, "ADJUDGE_ADAPTERS": str(ROOT / "engines/external")}
MOST_LINES, COLUMNS = 20, 120
REGIONS = {"for", "while", "scan", "cond", "fixed_point", "checkpoint", "custom", "derivative", "scatter_apply"}


def run(adjudge, *arguments):
    return subprocess.run([str(a) for a in (adjudge, *arguments)], capture_output=True, text=True, env=ENVIRONMENT)


def lines_of(name):
    path = REAL / name
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def unreported():
    """(defect, its entry about one engine, the file of its issue)"""
    short = {e["name"]: e["short"] for e in scoreboard_pages.engines(ROOT)}
    for d in lines_of("defects.jsonl"):
        for e in d["engines"] if d["upstream"] == "not reported" else []:
            stem = d["cases"][0]["file"].removesuffix(".json")
            yield d, e, f"{stem if stem.startswith(short[e['name']] + '-') else short[e['name']] + '-' + stem}.md"


def of_one_op(case):
    """Whether the program is one op, about which it says nothing that single ops are right elsewhere."""
    return sum(n["op"] != "constant" for n in case["body"]) == 1


def uses_regions(nodes):
    return any(n["op"] in REGIONS or any(uses_regions(r["body"]) for r in n.get("regions", [])) for n in nodes)


def form_of(entry, case):
    """The format of `adjudge emit` for the engine's own API, or None."""
    formats = next(e["formats"] for e in scoreboard_pages.engines(ROOT) if e["name"] == entry["name"])
    form = next((formats[m] for m in entry.get("modes", formats) if formats.get(m)), None)
    if not form or form == "nx" and uses_regions(case["body"]):  # that format unrolls loops, which the adapter does not
        return None
    stacked = len(case["request"]) > 1 or any(level["transform"] == "jvp" for level in case["request"])
    return "torch-func" if form == "torch" and stacked else form


def can_emit(d, entry):
    """Whether this machine has what writes the script: adapters in JavaScript write their own."""
    form = form_of(entry, case_of(d)[1])
    return shutil.which("node") is not None or not form or "js" not in form and form != "adnn"


def case_of(d):
    path = REAL / d["cases"][0]["file"]
    return path, json.loads(path.read_text(encoding="utf-8"))


def emitted(adjudge, d, form, path, brief=True):
    """The source of a case.  Where the primal is wrong, a brief one asks for nothing else."""
    options = [*["--brief"] * brief, *["--tight"] * d.get("inaccurate", False), "--format", form]
    if not (brief and d.get("primal")):
        return run(adjudge, "emit", *options, path)
    with tempfile.TemporaryDirectory() as place:
        bare = pathlib.Path(place) / path.name
        bare.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), "request": []}), encoding="utf-8")
        return run(adjudge, "emit", *options, bare)


def script_of(adjudge, d, entry):
    """{language, text} of a program in the engine's own API, of the first case that it can express, or None."""
    for case in d["cases"]:
        path = REAL / case["file"]
        form = path.is_file() and form_of(entry, json.loads(path.read_text(encoding="utf-8")))
        done = emitted(adjudge, d, form, path) if form else None
        if done and done.returncode == 0:
            language = "c" if form == "c" else "cpp" if "#include <" in done.stdout else "cjs" if "require('" in done.stdout else "exs" if form == "nx" else "py"
            return {"language": language, "text": done.stdout.strip("\n") + "\n"}
    return None


def script_in(path):
    """(language, text) of the script in an issue, or None if it shows a program instead."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    block = re.search(r"^### To reproduce\n\n(`{3,})(\w+)\n(.*?)^\1$", text, re.M | re.S)
    return (block[2], block[3]) if block else None


def lines_in(path):
    """The lines of the script in an issue, without blank ones; none if it shows a program instead."""
    script = script_in(path)
    return [line.expandtabs(4) for line in script[1].split("\n") if line.strip()] if script else []


def too_long(every, folder):
    """Complaints about scripts in issues."""
    for d, _, name in every:
        lines = lines_in(folder / name)
        if len(lines) > MOST_LINES and "longer" not in d:
            yield f"corpus/real/issues/{name}: a script of {len(lines)} lines, and no member `longer` that says why"
        if any(len(line) > COLUMNS for line in lines):
            yield f"corpus/real/issues/{name}: a line of more than {COLUMNS} columns"
    for d in {id(d): d for d, *_ in every if "longer" in d}.values():
        if not any(of is d and len(lines_in(folder / name)) > MOST_LINES for of, _, name in every):
            yield f"{d['program']}: `longer`, but no script of more than {MOST_LINES} lines"


def sentences(text):
    return [s.strip() for s in re.split(r"(?<=\.)\s+(?=[A-Z])", text) if s.strip()]


def report_of(adjudge, d, entry, analysis):
    path, case = case_of(d)
    shown = run(adjudge, "show", path).stdout.splitlines()
    end = next(k for k, line in enumerate(shown) if line.startswith("point "))
    known = analysis.get((entry["name"], path.name), {})
    comment = sentences(re.sub(r"([^.])$", r"\1.", case.get("comment", "")))
    name = entry["name"].split()[0]
    others = {row["name"].split()[0] for row in lines_of("engines.jsonl")}
    if comment and name not in comment[0] and any(other in comment[0] for other in others):  # written about another engine with that defect
        comment = comment[next((k for k, said in enumerate(comment) if name in said), len(comment)):]
    own = comment if name in " ".join(comment) or not known else []  # what a person wrote about this engine
    said = own[:2] + sentences(known.get("cause", "").replace(" On what it depends is not determined.", "")) if known else own
    ruled_out = [t for t in known.get("ruled_out", []) if not (t.startswith("Single ops are right") and of_one_op(case))]
    versions = f"{entry['name']} {', '.join(entry['faulty'])}" + (f" ({entry['where']})" if "where" in entry else "")
    title = f"{d['program']}: expected {d['expected']}, returned {d['returned']}.".replace(". ", "; ").replace("`", "").replace("->", "→")
    report = {"schema": "adjudge.report/1", "engine": entry["name"], "engine_version": versions, "verdict": "wrong", "deviation": "none", "summary": "",
              "request": next((line.removeprefix("request: ") for line in shown[end:] if line.startswith("request: ")), "the value alone"), "where": {"of": "result"},
              "expected": {"type": d["expected"]}, "returned": {"type": d["returned"]}, "program": [line for line in shown[:end] if not line.startswith(("title: ", "comment: "))], "points": [],
              "characterization": {"cause": " ".join([title, *said[:3]]),
                                   "statements": [{"kind": "ruled-out", "text": t} for t in ruled_out]},
              "versions": {"adjudge": "0.1.0"}, "case": case}
    script = script_of(adjudge, d, entry)
    return {**report, "script": script} if script else report


def issue(adjudge, d, entry, analysis):
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place) / "report.json"
        path.write_text(json.dumps(report_of(adjudge, d, entry, analysis)), encoding="utf-8")
        done = run(adjudge, "report", path, "--format", "issue")
    if done.returncode:
        raise SystemExit(f"{d['program']}: {done.stderr}")
    return done.stdout


def measure(adjudge, engines):
    rows = {(r["engine"], r["case"]): r for r in lines_of("analysis.jsonl")}
    for engine in engines:
        said = json.loads(run(adjudge, "conform", "--engine", engine, "--op", "add", "--dtype", "f64", "--dtype", "f32", "--cases", 1, "--format", "json", "--quiet").stdout)
        family = scoreboard_pages.family_of(ROOT, said["name"])
        for d in scoreboard_pages.defects_of(ROOT, said["name"]):
            path = REAL / d["cases"][0]["file"]
            done = run(adjudge, "report", path, "--engine", engine, "--format", "json", "--time", "8s")
            if done.returncode:
                print(f"{path.name}: {done.stderr.strip()[-200:]}", file=sys.stderr)
                continue
            x = json.loads(done.stdout)["characterization"]
            rows[family["name"], path.name] = {"engine": family["name"], "case": path.name, "version": said["version"], "cause": x.get("cause", ""),
                                               "ruled_out": [s["text"] for s in x["statements"] if s["kind"] == "ruled-out"]}
            print(f"{path.name}: {x.get('cause', '')}", file=sys.stderr, flush=True)
    text = "".join(json.dumps(rows[k], ensure_ascii=False) + "\n" for k in sorted(rows))
    (REAL / "analysis.jsonl").write_text(text, encoding="utf-8")


def main():
    if "-h" in sys.argv or "--help" in sys.argv:
        print(__doc__)
        return 0
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("--check", action="store_true")
    p.add_argument("--one-in", type=int, default=1)
    p.add_argument("--measure", nargs="+", metavar="NAME=SPEC")
    p.add_argument("--adjudge", default=ROOT / "build/adjudge", type=lambda f: pathlib.Path(f).resolve())
    o = p.parse_args()
    if o.measure:
        measure(o.adjudge, o.measure)
        return 0
    analysis = {(r["engine"], r["case"]): r for r in lines_of("analysis.jsonl")}
    folder, wrong, missing, every = REAL / "issues", [], [], list(unreported())
    folder.mkdir(exist_ok=True)
    for k, (d, entry, name) in enumerate(every):
        if k % o.one_in:
            continue
        if not can_emit(d, entry):
            missing.append(name)
            continue
        text = issue(o.adjudge, d, entry, analysis)
        if not o.check:
            (folder / name).write_text(text, encoding="utf-8")
        elif not (folder / name).exists() or (folder / name).read_text(encoding="utf-8") != text:
            wrong.append(f"corpus/real/issues/{name}: run scripts/real_issues.py")
    wrong += too_long(every, folder)
    names = [name for _, _, name in every]
    wrong += [f"two issues {name}" for name in set(names) if names.count(name) > 1]
    for path in sorted(folder.glob("*.md")):
        if path.name not in names and path.name != "README.md":
            wrong.append(f"{path}: the issue of no defect")
    if missing:
        print(f"{len(missing)} issues are left as they are, because node is missing", file=sys.stderr)
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
