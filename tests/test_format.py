"""Sources are as .clang-format says, and no line of code or prose is over 120 columns.

Usage: test_format.py ROOT     exits with 77, a skip, only where clang-format 14 is missing (others format otherwise)
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()
FOLDERS = ("graph", "engines", "oracles", "reports", "emit", "fuzz", "tests", "benchmarks")
WIDTH = 120
BATCH = 40  # files for one run of clang-format


def sources(*suffixes):
    for folder in FOLDERS:
        yield from sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in suffixes and "external" not in p.parts)


def unformatted(paths):
    """Those that clang-format would change."""
    done = subprocess.run(["clang-format", "--style=file", "--dry-run", *map(str, paths)], capture_output=True, text=True, check=True, cwd=ROOT)
    return sorted(set(re.findall(r"^(.+?):\d+:\d+: warning: code should be clang-formatted", done.stderr, re.M)))


def main():
    failures = []
    for path in sources(".c", ".h"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if len(line.expandtabs(8)) > WIDTH:
                failures.append(f"{path.relative_to(ROOT)}:{number}: {len(line.expandtabs(8))} columns")
    version = subprocess.run(["clang-format", "--version"], capture_output=True, text=True).stdout if shutil.which("clang-format") else ""
    paths = list(sources(".c", ".h"))
    if re.search(r"version 14\.", version):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for wrong in pool.map(unformatted, [paths[k:k + BATCH] for k in range(0, len(paths), BATCH)]):
                for path in map(pathlib.Path, wrong):
                    failures.append(f"{path.relative_to(ROOT)}: not as .clang-format says; type: clang-format -i {path.relative_to(ROOT)}")
    print("\n".join(failures))
    print(f"{len(paths)} files, {len(failures)} failures{'' if version else '; clang-format is missing'}")
    if failures:
        return 1
    return 0 if re.search(r"version 14\.", version) else 77


sys.exit(main())
