"""Layers, rooms and habits that a compiler does not check.

Usage: test_layers.py ROOT BUILD CC [ARGUMENT...]     BUILD holds the static libraries whose calls are read by `nm`
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT, BUILD, CC = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), sys.argv[3:]

# Files and folders at the top of the repository: nothing else may be committed there.
TOP = set("""fuzz oracles engines corpus reports graph emit tests scripts benchmarks docs man ci meson.build meson_options.txt README.md
ARCHITECTURE.md CHANGELOG.md LICENSE NOTICE .ci .clang-format .clang-tidy .clusterfuzzlite .gitignore""".split())
# ARCHITECTURE.md: what each folder may include of the others: all of it, or these headers.
MAY = {
    "graph": {"graph"},
    "engines": {"graph", "engines"},
    "oracles": {"graph", "oracles"},
    "reports": {"graph", "reports", "oracles/verdict/verdict.h", "oracles/truth.h"},
    "emit": {"graph", "engines", "emit", "oracles/truth.h", "reports/text.h", "reports/escape.h"},
    "fuzz": {"graph", "engines", "oracles", "reports", "emit", "fuzz"},
}
# The rooms of a folder or of a room, floor by floor: a room uses the floors below its own, and of its own floor only the rooms named
# before it.  What stands in the folder itself is its top floor.
FLOORS = {
    "fuzz": ["generate edit bench", "mutate minimize grow cross audit", "triage characterize", "campaign conform", "cli targets"],
    "fuzz/campaign": ["counting progress", "books", "owner", "judging", "drivers merge"],
    "engines": ["kernels", "aot", "builtin", "compiled process", "faults"],
    "oracles": ["evaluate", "ball", "analytic differences", "verdict"],
}
# Headers in the folder itself that its rooms share: types and tables, which are filled from above.
GROUND = {"engines/engine.h", "engines/instance.h", "engines/interrupt.h", "engines/adjudge_engine.h", "oracles/truth.h", "oracles/oracle_rules.h"}
# The rules that the rooms go by, and edits of them: they name functions inside of rooms.
RULES = {"oracles/oracle_faults.c"}
# A cycle of calls inside a room spans at most so many files; where a cut is not natural, ARCHITECTURE.md says why.
LARGEST_CYCLE = 8
CYCLES = {"engines/aot": 11, "engines/builtin": 10, "fuzz/audit": 10}
# Nothing that decides a result may depend on these.
BANNED = re.compile(r"\b(rand|srand|random|drand48|time|localtime|setlocale|strtok|sprintf|gets|cJSON_Compare|cJSON_GetArrayItem)\(")
# The one clock that decides something: whether an entry of a baseline has expired.
ALLOWED = {("fuzz/cli/ci.c", "time")}
WORDS = re.compile(r"TODO|FIXME")
WORD_OF_A_FORMAT = {"reports/ci/tap.c"}  # a directive of TAP

failures, checks = [], 0


def check(ok, text):
    global checks
    checks += 1
    if not ok:
        failures.append(text)


def sources():
    for folder in MAY:
        yield from sorted(p.relative_to(ROOT) for p in (ROOT / folder).rglob("*.[ch]") if "external" not in p.parts)


def room(path):
    depth = min(2, len(path.parts) - 1)
    while "/".join(path.parts[:depth]) in FLOORS and len(path.parts) > depth + 1:
        depth += 1
    return "/".join(path.parts[:depth])


def place(folder, name):
    """(floor, place on it) of a room in its folder; the folder itself, whose name is None, stands above its rooms."""
    for floor, names in enumerate(FLOORS[folder]):
        if name in names.split():
            return floor, names.split().index(name)
    return len(FLOORS[folder]), 0


def rank(room_name):
    """Its place in the folder, then its place in the room that it is in, and so on."""
    parts, places = room_name.split("/"), []
    for depth in range(1, len(parts) + 1):
        if "/".join(parts[:depth]) in FLOORS:
            places.append(place("/".join(parts[:depth]), parts[depth] if depth < len(parts) else None))
    return places


def may_use(user, used):
    if user.partition("/")[0] != used.partition("/")[0]:
        return True
    return rank(used) <= rank(user)


def included(path):
    for line in (ROOT / path).read_text().splitlines():
        m = re.match(r'\s*#include "([^"]+)"', line)
        if m:
            beside = path.parent / m.group(1)
            target = beside if (ROOT / beside).exists() else pathlib.Path(m.group(1))
            if (ROOT / target).exists():  # else it is written by the build
                yield target


def check_includes(path):
    folder = path.parts[0]
    for target in included(path):
        check(target.parts[0] in MAY[folder] or str(target) in MAY[folder], f"{path} includes {target}: {folder}/ may not")
        check(str(target) in GROUND or may_use(room(path), room(target)), f"{path} includes {target}: {room(path)}/ stands below {room(target)}/")
        check(not target.name.endswith("internal.h") or target.parent == path.parent or str(path) in RULES, f"{path} includes {target}, which is another room's own")


def check_text(path):
    for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
        banned = BANNED.search(line.split("/*")[0].split("//")[0])
        if banned and (str(path), banned.group(1)) not in ALLOWED:
            check(False, f"{path}:{number}: {line.strip()}")
        if WORDS.search(line) and str(path) not in WORD_OF_A_FORMAT:
            check(False, f"{path}:{number}: {line.strip()}")


def object_of(path):
    """Where the build puts what it makes of a source."""
    return BUILD / path.parts[0] / f"lib{path.parts[0]}.a.p" / (str(path.relative_to(path.parts[0])).replace("/", "_") + ".o")


def built_alone(sources):
    """The headers that a built source includes before anything else: the build has shown that they compile alone."""
    for path in sources:
        code = re.sub(r"/\*.*?\*/", "", (ROOT / path).read_text(), flags=re.S).lstrip()
        first = next(included(path), None)
        if first and re.match(r'#include "', code) and code.split('"')[1].endswith(first.name) and object_of(path).exists():
            yield first


def check_headers(headers):
    """Each compiles alone, and none has the name of a system header."""
    flags = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-D_DEFAULT_SOURCE", "-I", str(ROOT), "-fsyntax-only", "-Wall", "-Wno-unused-function"]
    waiting = []
    shown = {os.path.normpath(p) for p in built_alone([p for p in sources() if p.suffix == ".c"])}
    alone = [p for p in headers if str(p) not in shown]
    for path in alone:
        waiting.append((path, subprocess.Popen([*CC, *flags, "-x", "c", str(ROOT / path)], stderr=subprocess.PIPE, text=True)))
        while len(waiting) >= (os.cpu_count() or 1) or waiting and path is alone[-1]:
            header, run = waiting.pop(0)
            error = run.communicate()[1]
            check(not run.returncode and "warning" not in error.replace("#pragma once in main file", ""),
                  f"{header} does not compile alone: {error.splitlines()[:2]}")
    names = sorted({p.name for p in headers})
    probe = "".join(f"#if __has_include(<{n}>)\nshadows {n}\n#endif\n" for n in names)
    out = subprocess.run([*CC, "-E", "-P", "-x", "c", "-"], input=probe, capture_output=True, text=True, check=True).stdout
    for line in out.split("shadows")[1:]:
        check(False, f"{line.strip()} has the name of a system header")


def calls():
    """Arrows between sources by the symbols that one takes from another: {(user, used): names}."""
    sources_of = {f"lib{f}.a.p/" + str(p.relative_to(f)).replace("/", "_") + ".o": p for f in MAY for p in sources() if p.parts[0] == f and p.suffix == ".c"}
    defined, wanted = {}, []
    for folder in MAY:
        objects = {str(BUILD / folder / name): path for name, path in sources_of.items() if path.parts[0] == folder and (BUILD / folder / name).exists()}
        read = subprocess.run(["nm", "-A", *objects], capture_output=True, text=True, check=True).stdout if objects else ""
        for line in read.splitlines():
            name, _, rest = line.partition(":")
            *_, kind, symbol = rest.split()
            if kind in "TDBRVWC":
                defined[symbol] = objects[name]
            elif kind == "U":
                wanted.append((objects[name], symbol))
    arrows = {}
    for path, symbol in wanted:
        used = defined.get(symbol)
        if used and used != path:
            arrows.setdefault((path, used), []).append(symbol)
    return arrows


def cycles(arrows):
    """The sets of files that reach each other by calls (Tarjan's algorithm)."""
    out, index, low, stack, found = {}, {}, {}, [], []
    for user, used in arrows:
        out.setdefault(user, []).append(used)

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in out.get(v, []):
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            group = []
            while not group or group[-1] != v:
                group.append(stack.pop())
            found.append(sorted(group))

    sys.setrecursionlimit(10000)
    for v in list(out):
        if v not in index:
            visit(v)
    return [g for g in found if len(g) > 1]


def check_calls():
    arrows = calls()
    check(len(arrows) > 500, f"only {len(arrows)} calls between files found in {BUILD}: are the libraries built?")
    for (user, used), names in sorted(arrows.items()):
        check(user.parts[0] == used.parts[0] or used.parts[0] in {m.partition("/")[0] for m in MAY[user.parts[0]]},
              f"{user} calls {', '.join(names)} of {used}: {user.parts[0]}/ may not")
        check(may_use(room(user), room(used)), f"{user} calls {', '.join(names)} of {used}: {room(user)}/ stands below {room(used)}/")
    for group in cycles(arrows):
        rooms = sorted({room(p) for p in group})
        check(len(rooms) == 1, f"a cycle of calls across {', '.join(rooms)}: {', '.join(map(str, group))}")
        most = CYCLES.get(rooms[0], LARGEST_CYCLE)
        check(len(group) <= most, f"a cycle of calls in {rooms[0]}/ spans {len(group)} files (at most {most}): {', '.join(p.name for p in group)}")


def check_top():
    """Committed files alone: a build folder, or the scratch files of its user, are no fault.  An archive of the sources has no list."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True)
    found = {name.partition("/")[0] for name in listed.stdout.splitlines()} if listed.returncode == 0 else TOP
    check(found == TOP, f"at the top of the repository: unknown {sorted(found - TOP)}, missing {sorted(TOP - found)}")


def main():
    paths = list(sources())
    for path in paths:
        check_includes(path)
        check_text(path)
        folder, _, name = str(path.parent).rpartition("/")
        check(folder not in FLOORS or any(name in f.split() for f in FLOORS[folder]), f"{path}: no such room")
    check_headers([p for p in paths if p.suffix == ".h"])
    check_calls()
    check_top()
    print("\n".join(failures))
    print(f"{checks} checks, {len(failures)} failed")
    return 1 if failures or not checks else 0


sys.exit(main())
