"""`adjudge emit --format c`: sources compile without a warning and judge themselves.

What they return is right: no number is WRONG, and the exit status is 0, or 125 where the derivative needs an engine.
In every tenth case the result of the function is changed: the exit status is 1.

Usage: test_emit_c.py PART/PARTS ADJUDGE CASE_OR_FOLDER... -- CC [ARGUMENT...]
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

part, parts = map(int, sys.argv[1].split("/"))
adjudge, split = sys.argv[2], sys.argv.index("--")
places, cc = sys.argv[3:split], sys.argv[split + 1:]
NO_COUNTERPART = 5  # exit status of emit
CANNOT_TELL = 125  # exit status of a source
PLANTED = 10  # a case in so many
NUMBER = re.compile(r"(point \d+, )?primal \d+, \w+\[[\d,]*\](, element \d+)?: expected .+, returned \S+, allowed [^:]+$", re.M)


def cases():
    for place in map(pathlib.Path, places):
        yield from sorted(place.rglob("*.json")) if place.is_dir() else [place]


def run(base, source):
    """What the source prints and its exit status, or what the compiler says."""
    path, program = base.with_suffix(".c"), base.with_suffix(".out")
    path.write_text(source)
    built = subprocess.run([*cc, "-std=c11", "-Wall", "-Werror", "-o", str(program), str(path), "-lm"], capture_output=True, text=True)
    if built.returncode:
        return built.stderr[:1000], None
    done = subprocess.run([str(program)], capture_output=True, text=True, timeout=60)
    return done.stdout, done.returncode


def planted(source):
    """The source with another result of f, equal to it at no likely value; None where that is an integer, or nothing is judged."""
    head, f, rest = re.split(r"(?m)^(static (?:double|float|void) f\(.*?^}$)", source, maxsplit=1, flags=re.S | re.M)
    changed = re.sub(r"return (v\d+\S*);|((?:double|float) \*?y.*?)?(?<= )(\*?y0(?:\[i\])?) = (.*?);",
                     lambda m: f"return 1.3 + 2.7 * {m[1]};" if m[1] else f"{m[3]} = 1.3 + 2.7 * {m[4]};", f)
    floats = re.search(r"^static (double|float) f|(double|float) \*?y0", f) is not None
    return head + changed + rest if changed != f and floats else None


def trial(case, place, plants):
    """What was compared, or why nothing was; what is wrong; how many planted values were seen."""
    emitted = subprocess.run([adjudge, "emit", "--format", "c", str(case)], capture_output=True, text=True)
    if emitted.returncode == NO_COUNTERPART:
        return 0, None, emitted.stderr.strip(), 0
    if emitted.returncode:
        return 0, f"emit: exit status {emitted.returncode}: {emitted.stderr}", None, 0
    base = pathlib.Path(place) / f"{abs(hash(case))}"
    printed, status = run(base, emitted.stdout)
    if status not in (0, CANNOT_TELL) or "WRONG" in printed or (status == 0 and "not judged" in printed):
        return 0, f"exit status {status}: {printed[:600]}", None, 0
    numbers = NUMBER.findall(printed)
    bad = planted(emitted.stdout) if plants and re.search(r"allowed [0-9.e+-]+$", printed, re.M) else None
    if not bad:
        return len(numbers), None, None, 0
    printed, status = run(base, bad)
    return len(numbers), None if status == 1 and "WRONG" in printed else f"planted, but exit status {status}: {printed[:600]}", None, 1


compared, failed, seen, refused = 0, 0, 0, {}
with tempfile.TemporaryDirectory() as place, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    every = list(cases())[part - 1::parts]
    for case, (n, wrong, why, plants) in zip(every, pool.map(lambda k: trial(every[k], place, k % PLANTED == 0), range(len(every)))):
        compared += n
        seen += plants
        if wrong:
            failed += 1
            print(f"{case}: {wrong}", file=sys.stderr)
        if why:
            refused[why] = refused.get(why, 0) + 1
for why, n in sorted(refused.items()):
    print(f"{n} refused: {why}")
print(f"{len(every)} cases, {failed} failed, {sum(refused.values())} refused, {compared} numbers compared, {seen} planted values seen")
sys.exit(1 if failed or not compared or seen < len(every) // (4 * PLANTED) else 0)
