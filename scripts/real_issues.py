#!/usr/bin/env python3
"""Writes corpus/real/issues/: for each defect of corpus/real/defects.jsonl that nobody has reported upstream, the issue that its engine's maintainers would want.

Usage: scripts/real_issues.py [--check] [--one-in N] [--adjudge PROGRAM]     --check writes nothing, and fails if a file is not as it would be; of every N-th defect alone
       scripts/real_issues.py --measure NAME[=DIR]...                        names of scripts/engines, such as jaxjs:wasm: runs the experiments that say what is ruled out, and the scripts, and keeps what they say in analysis.jsonl
The texts are those of `adjudge report --format issue`, and the scripts those of `adjudge emit --brief`.  Neither needs the engine.  A script in corpus/real/scripts/ takes the place of the emitted one.
A script has at most 20 lines that are not blank, unless the defect says in its member `longer` why it has more, and none of more than 120 columns.
"""
import argparse
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from real_corpus import REAL, defects, defects_of, engine_named, engines, family_of, issue_name, lines_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENVIRONMENT = {**os.environ, "ADJUDGE_ADAPTERS": str(ROOT / "engines/external")}
MOST_LINES, COLUMNS, TITLE, WORDS, SENTENCES = 20, 120, 90, 30, 3
REGIONS = {"for", "while", "scan", "cond", "fixed_point", "checkpoint", "custom", "derivative", "scatter_apply"}


def run(adjudge, *arguments):
    return subprocess.run([str(a) for a in (adjudge, *arguments)], capture_output=True, text=True, env=ENVIRONMENT)


def unreported():
    """(defect, its entry about one engine, the file of its issue)"""
    for d in defects():
        for e in d["engines"] if d["upstream"] == "not reported" else []:
            yield d, e, issue_name(d, e)


def of_one_op(case):
    """Whether the program is one op, about which it says nothing that single ops are right elsewhere."""
    return sum(n["op"] != "constant" for n in case["body"]) == 1


MODES = {"In forward mode": "vjp", "In reverse mode": "jvp"}


def tells(text, case):
    """Whether a measured sentence says something of this case: that the other mode is right does so of a first derivative alone."""
    mode = MODES.get(text[:len("In forward mode")])
    return not (text.startswith("Single ops are right") and of_one_op(case)) and (mode is None or [level["transform"] for level in case["request"]] == [mode])


def uses_regions(nodes):
    return any(n["op"] in REGIONS or any(uses_regions(r["body"]) for r in n.get("regions", [])) for n in nodes)


def form_of(entry, case):
    """The format of `adjudge emit` for the engine's own API, or None."""
    formats = engine_named(entry["name"])["formats"]
    form = next((formats[m] for m in entry.get("modes", formats) if formats.get(m)), None)
    if not form or form == "nx" and uses_regions(case["body"]):  # that format unrolls loops, which the adapter does not
        return None
    stacked = len(case["request"]) > 1 or any(level["transform"] == "jvp" for level in case["request"])
    return "torch-func" if form == "torch" and stacked else form


def written(d, entry):
    """The script that somebody wrote for this issue, or None."""
    return next(iter((REAL / "scripts").glob(issue_name(d, entry).removesuffix("md") + "*")), None)


def can_emit(d, entry):
    """Whether this machine has what writes the script: adapters in JavaScript write their own."""
    form = form_of(entry, case_of(d)[1])
    return written(d, entry) is not None or shutil.which("node") is not None or not form or "js" not in form and form != "adnn"


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
    if (own := written(d, entry)):
        return {"language": {"js": "cjs"}.get(own.suffix[1:], own.suffix[1:]), "text": own.read_text(encoding="utf-8")}
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
    return [s.strip() for s in re.split(r"(?<=\.)\s+(?=[A-Z_a-z\d])", text) if s.strip()]


# What `adjudge report` says, in the words of somebody who does not know adjudge: (pattern, text, or None to leave it out).  A sentence that no row matches is left out.
DTYPES = {"f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16"}
PLAIN = [
    (r"The forward value is right, here and in all \d+ variants that fail: only derivatives are wrong\.", "The value is right, and only its derivative is wrong."),
    (r"In (forward|reverse) mode the (?:derivative|gradient) of the same program is right for every input\.", r"In \1 mode the derivative of the same program is right."),
    (r"It fails only if (.*)\.", r"It fails only if \1."),
    (r"It fails at (\d+) of (\d+) points; it is right at (.*?)(?: and others)?\.", r"It fails at \1 of \2 points, and is right at \3."),
    (r"It fails at all (\d+) points tried\.", r"The point does not matter: all \1 that were tried fail."),
    (r"Single ops are right( on scalars)?, whichever of their operands are differentiated \((\d+) variants?\)\.", r"Each operation alone is right\1, whichever operands are differentiated (\2 programs)."),
    (r"Precision and dtype do not matter: it fails in (.*?)(?:, with the identical wrong value)?\.", r"The dtype does not matter: it fails in \1."),
    (r"It fails in (b?f\d\d(?:, b?f\d\d)*), and not in (.*)\.", r"It fails in \1, and not in \2."),
    (r"The seed does not matter: it fails for all (\d+) directions drawn(?: that were decided \(.*\))?\.", r"Other tangents or cotangents do not matter: all \1 that were tried fail."),
    (r"Chance and earlier cases do not matter: all (\d+) runs give the same result, .*", r"It does not depend on chance: \1 runs gave the same result, the last of them in a new process."),
    (r"The program is not the cause: every other engine that answers is right \((.*)\)\.", lambda m: f"The program is well defined: {m[1].count(',') + 1} engines of adjudge return the expected result."),
    (r"The second derivative is right wherever the engine answers it: .*", "The second derivative is right."),
    (r"It fails with these ops in place of the original ones: .*?; it is right with: (.*?)(?: and \d+ more)?\.", r"With other operations in the same program it is right: \1."),
    (r"It is right with all guarded functions that were tried \((\d+) variants?\)\.", r"Functions with a guard, such as where(x > 0, sqrt(x), 0), are right (\1 programs)."),
    (r"The kind of loop does not matter: the same iterations fail when written as (.*)\.", r"The kind of loop does not matter: it also fails as \1."),
]


def plain(text):
    """A measured sentence in plain words, or None."""
    for pattern, words in PLAIN:
        if (found := re.fullmatch(pattern, text)):
            said = words(found) if callable(words) else found.expand(words)
            said = re.sub(r"\breduce_", "", said)
            return re.sub(r"\b(b?f\d\d)\b", lambda m: DTYPES.get(m[1], m[1]), said)
    return None


ANALYSIS = ("The value is right", "It fails only if", "It fails at ")
RIGHT = re.compile(r"\b(is|are|was|were) right\b|\bright (with|in|for)\b")
NOT_RULED_OUT = re.compile(r"\bwhere\b.*\b(is|are|was) right|See |adjudge|^[\d., and]+(is|are) right\.$|^[0-9a-f]{7} returns")


def known_right(case, entry, said):
    """Sentences of a person's comment that say what is right, if the comment is about this engine."""
    comment = case.get("comment", "")
    name = entry["name"].split()[0]
    known = [s for s in sentences(re.sub(r"([^.])$", r"\1.", comment)) if RIGHT.search(s) and not NOT_RULED_OUT.search(s)] if comment.startswith(name) else []
    names = tuple(row["name"].split()[0] for row in engines())
    return [s for s in known[:3] if not s.startswith(names) and s.rstrip(".") not in said and len(s.split()) <= WORDS]


def plain_error(text):
    """The returned thing of the table, without its "of its own"."""
    text = re.sub(r"\ban assertion of its own", "a failed assertion", text)
    return re.sub(r"(\w+) of its own", r"\1", text)


def first_of(d, key):
    """What the first case returns, of a defect that lists a number for each case."""
    parts = {k: d[k].split("; ") for k in ("expected", "returned")}
    return parts[key][0] if len(parts["expected"]) == len(parts["returned"]) > 1 else d[key]


def report_of(adjudge, d, entry, analysis):
    path, case = case_of(d)
    shown = run(adjudge, "show", path).stdout.splitlines()
    end = next(k for k, line in enumerate(shown) if line.startswith("point "))
    known = analysis.get((entry["name"], path.name), {})
    cause = entry.get("mechanism", d["mechanism"])
    found = [plain(t) for t in known.get("ruled_out", []) if tells(t, case)]
    ruled_out = list(dict.fromkeys([*known_right(case, entry, cause), *(t for t in found if t)]))
    for said in [t for t in ruled_out if t.startswith(ANALYSIS)]:  # where it fails is a part of the analysis, as far as there is room
        if len(sentences(f"{cause} {said}")) <= SENTENCES and len(ruled_out) > 1:
            ruled_out.remove(said)
            cause = f"{cause} {said}"
    versions = f"{entry['name']} {', '.join(entry['faulty'])}" + (f" ({entry['where']})" if "where" in entry else "") + (f". {' and '.join(entry['right'])} {'is' if len(entry['right']) == 1 else 'are'} right" if entry["right"] else "")
    error = entry.get("error") or known.get("output")
    returned = plain_error(first_of(d, "returned"))
    expected, own = first_of(d, "expected"), written(d, entry)
    if own and (found := re.search(r"\bright = ([\d.]+);", own.read_text(encoding="utf-8"))):  # it may have other numbers than the case
        expected = found[1]
        returned = found[1] if (found := re.search(r", returned (\S+)", known.get("output", ""))) else returned
    report = {"schema": "adjudge.report/1", "engine": entry["name"], "engine_version": versions, "verdict": "wrong", "deviation": "none", "summary": "",
              "request": next((line.removeprefix("request: ") for line in shown[end:] if line.startswith("request: ")), "the value alone"), "where": {"of": "result"},
              "expected": {"type": expected}, "returned": {"type": returned}, "program": [line for line in shown[:end] if not line.startswith(("title: ", "comment: "))],
              "points": [{"text": error}] if error else [],
              "characterization": {"cause": f"{entry['title']}. {cause}",
                                   "statements": [{"kind": "ruled-out", "text": t} for t in ruled_out]},
              "versions": {"adjudge": version_of(adjudge)}, "case": case}
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


@functools.lru_cache(maxsize=None)
def version_of(adjudge):
    return run(adjudge, "--version").stdout.split()[1]


def ready_engine(name):
    """The spec of an engine of scripts/engines."""
    done = subprocess.run([str(ROOT / "scripts/engines"), name], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{name}: {done.stderr.strip()}")
    return done.stdout.strip().splitlines()[-1]


def shortened(line):
    return line if len(line) <= COLUMNS else line[:COLUMNS - 4].rsplit(" ", 1)[0] + " ..."


def printed(place, d, entry):
    """The line by which the script of the issue tells what is wrong, as it prints it or as the engine's error, or None."""
    import real_reproducers

    script = script_in(REAL / "issues" / issue_name(d, entry))
    if not script or script[0] not in real_reproducers.LANGUAGES:
        return None
    ran = real_reproducers.started(place, script[1], real_reproducers.LANGUAGES[script[0]], d)
    if ran.returncode != 1 and ran.returncode <= 128 or real_reproducers.lacking(ran):
        return None
    lines = [line.strip() for line in ran.stdout.splitlines() if "expected" in line]
    for pattern in (r"(?:what\(\):\s*)(.*)", r".*?\b([Aa]ssertion.*)", r".*?((?:\w*Error|\w*Exception|\berror)(?: \[\w+\])?: .*)"):
        lines = lines or [found[1] for line in ran.stderr.splitlines() if (found := re.match(pattern, line.strip()))][-1:]
    lines = lines or ([f"The process ends by signal {ran.returncode - 128}."] if ran.returncode > 128 else [])
    return shortened(re.sub(r"[\w.+-]*/\S*/", "", lines[0])) if lines else None


def measure(adjudge, names):
    rows = {(r["engine"], r["case"]): r for r in lines_of("analysis.jsonl")}
    for name in names:
        spec = ready_engine(name)
        said = json.loads(run(adjudge, "conform", "--engine", spec, "--op", "add", "--dtype", "f64", "--dtype", "f32", "--cases", 1, "--format", "json", "--quiet").stdout)
        family = family_of(said["name"])
        for d in (d for d in defects_of(said["name"]) if d["upstream"] == "not reported" and "no_answer_s" not in d):
            path = REAL / d["cases"][0]["file"]
            done = run(adjudge, "report", path, "--engine", spec, "--format", "json", "--time", "8s")
            if done.returncode:
                print(f"{path.name}: {done.stderr.strip()[-200:]}", file=sys.stderr)
                continue
            x = json.loads(done.stdout)["characterization"]
            rows[family["name"], path.name] = {**rows.get((family["name"], path.name), {}), "engine": family["name"], "case": path.name, "version": said["version"], "cause": x.get("cause", ""), "ruled_out": [s["text"] for s in x["statements"] if plain(s["text"])]}
            print(f"{path.name}: {x.get('cause', '')}", file=sys.stderr, flush=True)
        place = re.sub(r":[^=]*", "", name)
        version = family["ready"][place.split("=")[0]]
        for d, entry, _ in unreported():
            key = (entry["name"], d["cases"][0]["file"])
            if entry["name"] == family["name"] and version in entry["faulty"] and (line := printed(place, d, entry)):
                rows.setdefault(key, {"engine": entry["name"], "case": key[1], "version": version, "cause": "", "ruled_out": []})["output"] = line
    text = "".join(json.dumps(rows[k], ensure_ascii=False) + "\n" for k in sorted(rows))
    (REAL / "analysis.jsonl").write_text(text, encoding="utf-8")


def main():
    if "-h" in sys.argv or "--help" in sys.argv:
        print(__doc__)
        return 0
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("--check", action="store_true")
    p.add_argument("--one-in", type=int, default=1)
    p.add_argument("--measure", nargs="+", metavar="NAME[=DIR]")
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
    for path in sorted((REAL / "scripts").iterdir()):
        if f"{path.stem}.md" not in names and not path.stem.endswith("-x-plus-x"):
            wrong.append(f"{path}: the script of no issue")
    if missing:
        print(f"{len(missing)} issues are left as they are, because node is missing", file=sys.stderr)
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
