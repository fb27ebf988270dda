#!/usr/bin/env python3
"""Runs the source of each defect of corpus/real on the engines that are ready on this machine.

Usage: scripts/real_reproducers.py [--brief | --issues] [--adjudge PROGRAM] [NAME[=DIR]...]     names of scripts/engines; without one, all that are ready
A source must end with 1 where the version is among the faulty ones, and with 0 where the defect says that it is right there (fixed, or another engine's).  A version that the defect says to lack the op is not asked.
With --brief, which catches no crash, the signal of one counts as 1.  --issues: the same of the scripts in corpus/real/issues/.
An engine that cannot compute x + x by a source of the same format is absent: its defects are neither shown nor clean, and counted apart.
Exit status: 0 all do, 1 some does not, or is of an absent engine.
"""
import argparse
import functools
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import real_corpus
import real_issues

ROOT = real_issues.ROOT
# How a source is run, by language, in a folder of its own that has it as `source`.
RUNS = {"py": "/usr/bin/python3 -B source", "cjs": "cp source source.cjs && node source.cjs", "cpp": "cp source source.cpp && g++ -std=c++17 -o source.out source.cpp FLAGS || exit 125; ./source.out",
        "exs": "cp source source.exs && elixir source.exs",
        # a defect of Enzyme may depend on what clang did before
        "c": "cp source source.c && p=$(find \"$ENZYME\" -name \"ClangEnzyme-*.so\" | head -n 1) && v=${p##*-} && for o in -O2 -O1 \"-O1 -mllvm -enzyme-fast-math=0\"; do clang-${v%.so} -w $o -DENZYME -fplugin=\"$p\" "
             "-o source.out source.c -lm || exit 125; ./source.out && r=0 || r=$?; [ $r != 1 ] || exit 1; done; exit $r",
        # what clad writes may not compile
        "clad": "cp source source.cpp && p=$(find \"$CLAD\" -name clad.so | head -n 1) && for c in clang++ clang++-22 clang++-21 clang++-20 clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14; do "
                "printf \"#ifndef __CLAD__\\n#error\\n#endif\\n\" | $c -fplugin=\"$p\" -fsyntax-only -x c++ - 2>/dev/null && break; done && $c -w -std=c++17 -fplugin=\"$p\" -I\"$CLAD/include\" -o source.out source.cpp || exit 1; ./source.out"}


def started(place, text, language, defect):
    """A defect that is a hang says after how many seconds no answer is one; others may take long."""
    limit = defect.get("no_answer_s", 900)
    language = "clad" if "clad/Differentiator" in text else language
    flags = re.search(r"^/\* Build: g\+\+ -std=c\+\+17 FILE (.*?) \*/$", text, re.M | re.S)
    command = RUNS[language].replace("FLAGS", " ".join(flags[1].split()) if flags else "")
    inside = f'd=$(mktemp -d) && cd "$d" && cat >source && timeout {limit} sh -c \'{command}\'; r=$?; rm -rf "$d"; exit $r'
    ran = subprocess.run([str(ROOT / "scripts/engines"), "--in", place, "sh", "-c", inside], input=text, capture_output=True, text=True)
    if ran.returncode == 124:
        ran.returncode = 1 if "no_answer_s" in defect else 124
        ran.stdout += f"no answer in {limit} s: WRONG\n"
    return ran


ABSENT = "absent"  # in place of an exit status: the engine is not there, or not in that format, and its failure would look like a defect
# Right everywhere; for engines without f64 in f32.
CONTROL = ('{"schema": "adjudge.case/1", "inputs": ["x: DTYPE[]"], "body": [{"out": ["y"], "op": "add", "args": ["x", "x"]}], "results": ["y"], "points": [[0.5]],'
           ' "request": REQUEST}')
VJP, JVP = '[{"transform": "vjp", "wrt": [0], "cotangents": [1]}]', '[{"transform": "jvp", "wrt": [0], "tangents": [1]}]'


@functools.lru_cache(maxsize=None)
def absence(adjudge, place, form):
    """Why the engine at this place is absent in a format, or None: it computes x + x in one of these ways.  A written source of x + x stands for an engine that adjudge writes no source for."""
    own = next((real_corpus.REAL / "scripts").glob(f"{place.split('=')[0]}-x-plus-x.*"), None)
    if own:
        ran = started(place, own.read_text(encoding="utf-8"), own.suffix[1:], {})
        return None if ran.returncode == 0 else f"x + x ends with {ran.returncode}: {((ran.stderr or ran.stdout).splitlines() or [''])[-1][:200]}"
    with tempfile.TemporaryDirectory() as folder:
        path, why = pathlib.Path(folder) / "control.json", "no source of x + x"
        for dtype, request in itertools.product(("f64", "f32"), (VJP, JVP, "[]")):
            path.write_text(CONTROL.replace("DTYPE", dtype).replace("REQUEST", request), encoding="utf-8")
            done = real_issues.run(adjudge, "emit", "--format", form, path)
            if done.returncode == 0:
                ran = started(place, done.stdout, real_corpus.language_of(form, done.stdout), {})
                if ran.returncode == 0:
                    return None
                why = f"x + x ends with {ran.returncode}: {((ran.stderr or ran.stdout).splitlines() or [''])[-1][:200]}"
        return why


def forms(family, entry, path):
    """The formats to try for an engine: each that shows the defect."""
    own = [family["formats"].get(m) for m in entry.get("modes", family["formats"])]
    request = json.loads(path.read_text(encoding="utf-8"))["request"]
    stacked = len(request) > 1 or any(level["transform"] == "jvp" for level in request)
    return list(dict.fromkeys("torch-func" if f == "torch" and stacked and "where" not in entry else f for f in own if f))


def tried(o, place, family, version):
    """For each case of the family's defects in this version: whether it must be wrong, the case, and [(format, exit status, last line)]."""
    for d in real_corpus.defects():
        for entry in d["engines"]:
            if entry["name"] != family["name"] or version in entry.get("lacks", []):
                continue
            results = []
            for c in (c for c in d["cases"] if c["file"].endswith(".json")):
                path = real_corpus.REAL / c["file"]
                for form in forms(family, entry, path):
                    if (why := absence(o.adjudge, place, form)):
                        results.append((c["file"], form, ABSENT, why))
                        continue
                    done = real_issues.emitted(o.adjudge, d, form, path, o.brief)
                    if done.returncode:
                        results.append((c["file"], form, None, done.stderr.strip()))
                        continue
                    ran = started(place, done.stdout, real_corpus.language_of(form, done.stdout), d)
                    status, line = outcome(ran, o.brief)
                    results.append((c["file"], form, status, line))
                    if status == 1:
                        break
            yield version in entry["faulty"], d, results


LANGUAGES = {"python": "py", "js": "cjs", "cpp": "cpp", "c": "c"}


def issues(o, place, family, version):
    """The same of each issue of the family: the script that stands in it."""
    for d, entry, name in real_issues.unreported():
        script = real_issues.script_in(real_corpus.REAL / "issues" / name) if entry["name"] == family["name"] else None
        if script and script[0] in LANGUAGES and version not in entry.get("lacks", []):
            why = absence(o.adjudge, place, real_issues.form_of(entry, real_issues.case_of(d)[1]))
            status, line = (ABSENT, why) if why else outcome(started(place, script[1], LANGUAGES[script[0]], d), True)
            yield version in entry["faulty"], d, [(name, script[0], status, line)]


def lacking(ran):
    """The line by which a script of Python says that the engine lacks a module, or ""."""
    found = re.search(r"^(ImportError|ModuleNotFoundError).*", ran.stderr, re.M)
    return found[0] if found else ""


def outcome(ran, brief):
    """The exit status, and the line that tells.  A version that lacks the module shows nothing."""
    if lacking(ran):
        return ABSENT, lacking(ran)
    status = 1 if brief and ran.returncode > 128 else ran.returncode  # the shell's word for a signal
    lines = [line for line in (ran.stdout + ran.stderr).splitlines() if "WRONG" in line or "expected" in line] or (ran.stderr or ran.stdout).splitlines()[-1:]
    return status, " ".join(lines[:1])


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("--brief", action="store_true")
    p.add_argument("--issues", action="store_true")
    p.add_argument("--adjudge", default=ROOT / "build/adjudge", type=lambda f: pathlib.Path(f).resolve())
    p.add_argument("names", nargs="*")
    o = p.parse_args()
    ready = [line.split()[0] for line in subprocess.run([str(ROOT / "scripts/engines"), "--list"], capture_output=True, text=True).stdout.splitlines() if " ready " in line]
    counts, bad, absent = {}, 0, 0
    for place in o.names or ready:
        name = place.split("=")[0]
        for family in real_corpus.engines():
            for faulty, d, results in (issues if o.issues else tried)(o, place, family, family["ready"][name]) if name in family["ready"] else ():
                if not results:
                    print(f"no source  {name}  {d['cases'][0]['file']}", flush=True)
                    continue
                shown = any(status == 1 for *_, status, _ in results)
                ran = [status for *_, status, _ in results if status not in (None, ABSENT)]  # a format may lack the request
                if not ran and any(status == ABSENT for *_, status, _ in results):
                    absent += 1
                    print(f"absent  {name}  {results[0][1]}  {results[0][0]}: {results[0][-1]}", flush=True)
                    continue
                right = shown if faulty else bool(ran) and not any(ran)
                counts[name] = counts.get(name, 0) + 1
                bad += not right
                for file, form, status, line in results:
                    print(f"{'' if right else 'NOT '}{'shown' if faulty else 'clean'}  {name}  {form}  {file}: exit status {status}: {line[:200]}", flush=True)
    print(f"{sum(counts.values())} defects of {len(counts)} engines, {bad} not as they should be; {absent} more of absent engines")
    return 1 if bad or absent or not counts else 0


if __name__ == "__main__":
    sys.exit(main())
