"""Layers, headers and habits that a compiler does not check.  Usage: test_layers.py ROOT CC [ARGUMENT...]"""
import pathlib
import re
import subprocess
import sys

ROOT, CC = pathlib.Path(sys.argv[1]), sys.argv[2:]

# ARCHITECTURE.md: what each folder may include.
MAY = {
    "graph": {"graph"},
    "engines": {"graph", "engines"},
    "oracles": {"graph", "oracles"},
    "reports": {"graph", "reports", "oracles/verdict.h", "oracles/truth.h"},
    "emit": {"graph", "engines", "emit", "oracles/truth.h", "reports/escape.h"},
    "fuzz": {"graph", "engines", "oracles", "reports", "emit", "fuzz"},
}
# Nothing that decides a result may depend on these.
BANNED = re.compile(r"\b(rand|srand|random|drand48|time|localtime|setlocale|strtok|sprintf|gets|cJSON_Compare|cJSON_GetArrayItem)\(")
# The one clock that decides something: whether an entry of a baseline has expired.
ALLOWED = {("fuzz/command_gate.c", "time")}
WORDS = re.compile(r"TODO|FIXME")


def sources():
    for folder in MAY:
        yield from sorted(p for p in (ROOT / folder).glob("*.[ch]"))


def included(path):
    for line in path.read_text().splitlines():
        m = re.match(r'\s*#include "([^"]+\.h)"', line)
        if m:
            yield (path.parent / m.group(1)).resolve().relative_to(ROOT.resolve())


def main():
    failures, checks = [], 0
    for path in sources():
        folder = path.parent.name
        for target in included(path):
            checks += 1
            if target.parts[0] not in MAY[folder] and str(target) not in MAY[folder]:
                failures.append(f"{path.relative_to(ROOT)} includes {target}: {folder}/ may not")
        for number, line in enumerate(path.read_text().splitlines(), 1):
            code = line.split("/*")[0].split("//")[0]
            banned = BANNED.search(code)
            if banned and (str(path.relative_to(ROOT)), banned.group(1)) not in ALLOWED:
                failures.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
            if WORDS.search(line):
                failures.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
        if path.suffix == ".h":
            checks += 1
            run = subprocess.run([*CC, "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-D_DEFAULT_SOURCE", "-fsyntax-only", "-Wall",
                                  "-Wno-unused-function", "-x", "c", str(path)],
                                 capture_output=True, text=True)
            if run.returncode or "warning" in run.stderr.replace("#pragma once in main file", ""):
                failures.append(f"{path.relative_to(ROOT)} does not compile alone: {run.stderr.splitlines()[:2]}")
    print("\n".join(failures))
    print(f"{checks} checks, {len(failures)} failed")
    return 1 if failures or not checks else 0


sys.exit(main())
