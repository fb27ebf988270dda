"""Control flow that `adjudge emit` leaves native, executed: by stand-ins of JAX and TensorFlow that are numpy and their loops and branches as documented.

The sources judge what they return: nothing is WRONG, and something is once the numbers are changed.

Usage: test_emit_control.py ADJUDGE CASE_OR_FOLDER...  Primals alone; a source that asks a stand-in for what it has not is left out.  Exit status 77 without numpy.
"""
import contextlib
import io
import pathlib
import re
import subprocess
import sys

try:
    import stand_ins
except ImportError:  # numpy
    sys.exit(77)

stand_ins.refusing = True
adjudge, places = sys.argv[1], sys.argv[2:]
LINE = re.compile(r"primal \d+, \w+\[[\d,]*\](, element \d+)?: expected .+, returned .+, allowed [^:]+$", re.M)
LEAST = 20  # sources with native control flow that have to run to the end of their primals


# ---- sources ----

def cases():
    for place in map(pathlib.Path, places):
        yield from sorted(place.rglob("*.json")) if place.is_dir() else [place]


def run(source):
    """What it printed, as far as it came."""
    printed, hook, status = io.StringIO(), sys.excepthook, None
    try:
        with contextlib.redirect_stdout(printed), contextlib.suppress(stand_ins.Missing, AttributeError, TypeError):
            exec(compile(source, "case", "exec"), {})
    except SystemExit as e:
        status = e.code
    sys.excepthook = hook  # the source sets its own
    return printed.getvalue(), status


def changed(source):
    """The source with other numbers: what `flat` returns."""
    return re.sub(r"(def flat\(x\):\n    return) (.*)", r"\1 [1 + 2 * v for v in \2]", source)


def finite(printed):
    """Whether some finite number was judged: another one is then wrong."""
    return re.search(r"returned -?[0-9][^,]*, allowed [0-9]", printed)


failed = 0
for target, modules in (("jax", stand_ins.jax_modules()), ("tensorflow", stand_ins.tf_modules())):
    sys.modules.update(modules)
    ran = numbers = native = finished = seen = 0
    for case in cases():
        if '"regions"' not in case.read_text():
            continue  # no control flow
        done = subprocess.run([adjudge, "emit", "--format", target, str(case)], capture_output=True, text=True)
        if done.returncode or not re.search(r"^ +def (body|then|condition)\d", done.stdout, re.M):
            continue
        native += 1
        printed, status = run(done.stdout)
        n = len(LINE.findall(printed))
        ran += n > 0
        numbers += n
        finished += status is not None
        if "WRONG" in printed or status not in (None, 0):
            failed += 1
            print(f"{target}, {case}: exit status {status}\n{printed}", file=sys.stderr)
        if n and finite(printed):
            planted, status = run(changed(done.stdout))
            seen += "WRONG" in planted
            if "WRONG" not in planted or status not in (None, 1):
                failed += 1
                print(f"{target}, {case}: changed, but exit status {status}\n{planted}", file=sys.stderr)
    print(f"{target}: {ran} of {native} with native control flow ran, {finished} to the end, {numbers} numbers, {seen} changed sources seen")
    if ran < LEAST or seen < LEAST:
        failed += 1
        print(f"{target}: {ran} ran, {LEAST} are expected", file=sys.stderr)
sys.exit(1 if failed else 0)
