"""`adjudge emit --format c`: sources compile without a warning and return what the oracles say.

Usage: test_emit_c.py PART/PARTS ADJUDGE CASE_OR_FOLDER... -- CC [ARGUMENT...]
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from emit_expected import right

part, parts = map(int, sys.argv[1].split("/"))
adjudge, split = sys.argv[2], sys.argv.index("--")
places, cc = sys.argv[3:split], sys.argv[split + 1:]
NO_COUNTERPART = 5  # exit status of emit
LINE = re.compile(r"(primal \d+(?:\[\d+\])?): returned (\S+), expected (.*)")


def cases():
    for place in map(pathlib.Path, places):
        yield from sorted(place.rglob("*.json")) if place.is_dir() else [place]


def trial(case, place):
    """What was compared, or why nothing was; and what is wrong."""
    emitted = subprocess.run([adjudge, "emit", "--format", "c", str(case)], capture_output=True, text=True)
    if emitted.returncode == NO_COUNTERPART:
        return 0, None, emitted.stderr.strip()
    if emitted.returncode:
        return 0, f"emit: exit status {emitted.returncode}: {emitted.stderr}", None
    base = pathlib.Path(place) / f"{abs(hash(case))}"
    source, program = base.with_suffix(".c"), base.with_suffix(".out")
    source.write_text(emitted.stdout)
    built = subprocess.run([*cc, "-std=c11", "-Wall", "-Werror", "-o", str(program), str(source), "-lm"], capture_output=True, text=True)
    if built.returncode:
        return 0, built.stderr[:1000], None
    done = subprocess.run([str(program)], capture_output=True, text=True, timeout=60)
    found = [LINE.match(line) for line in done.stdout.splitlines()]
    if done.returncode or None in found:
        return 0, f"exit status {done.returncode}: {done.stdout[:300]}", None
    wrong = [m.group(0) for m in found if not right(m.group(2), m.group(3))]
    return len(found), "\n".join(wrong[:4]) or None, None


compared, failed, refused = 0, 0, {}
with tempfile.TemporaryDirectory() as place, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    every = list(cases())[part - 1::parts]
    for case, (n, wrong, why) in zip(every, pool.map(lambda c: trial(c, place), every)):
        compared += n
        if wrong:
            failed += 1
            print(f"{case}: {wrong}", file=sys.stderr)
        if why:
            refused[why] = refused.get(why, 0) + 1
for why, n in sorted(refused.items()):
    print(f"{n} refused: {why}")
print(f"{len(every)} cases, {failed} failed, {sum(refused.values())} refused, {compared} numbers compared")
sys.exit(1 if failed or not compared else 0)
