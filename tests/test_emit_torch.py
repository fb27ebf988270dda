"""What `adjudge emit` writes for PyTorch, run by PyTorch: its primal is the oracles'.

Usage: test_emit_torch.py ADJUDGE SOURCE_ROOT CASE_OR_FOLDER...  Skipped where this python3 has no torch.
"""
import concurrent.futures
import contextlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import warnings

from emit_expected import right

try:
    import torch
except ImportError:
    sys.exit(77)  # of Meson: skipped

adjudge, root, places = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
NO_COUNTERPART = 5  # exit status of emit
EXPECTED = re.compile(r"# expected primal (\d+)(?: at point \d+)?: (.*)")
PRIMAL = re.compile(r"print\('primal:', (\w+)\(\*xs\)\)")


def cases():
    for place in map(pathlib.Path, places):
        yield from sorted(place.rglob("*.json")) if place.is_dir() else [place]


def format_of(case):
    raw = json.loads(case.read_text())
    levels = {level["transform"] for level in raw.get("case", raw)["request"]}
    return "torch-vmap" if "batch" in levels else "torch" if levels <= {"vjp"} else "torch-func"


def emit(case):
    command = [adjudge, "emit", "--format", format_of(case), str(case)]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "ADJUDGE_ADAPTERS": str(root / "engines" / "external")})


def compared(source):
    """How many numbers were, and which are wrong."""
    room = {"__name__": "emitted"}
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with contextlib.suppress(RuntimeError, NotImplementedError):  # the engine's own, at the derivative: the primal is what is asked here
            exec(compile(source, "emitted", "exec"), room)
        try:
            returned = room[PRIMAL.findall(source)[-1]](*room["xs"])
        except RuntimeError as e:
            if "not implemented" not in str(e):
                raise
            return 0, []  # for that dtype
    n, wrong = 0, []
    for output, listed in EXPECTED.findall(source)[-len(returned):]:
        listed = [] if listed == "nothing" else [e for e in listed.split(", ") if not e.startswith("...")]
        for k, (x, e) in enumerate(zip(returned[int(output)].detach().flatten().tolist(), listed)):
            n += 1
            if not right(x, e):
                wrong.append(f"primal {output}[{k}]: returned {x}, expected {e}")
    return n, wrong


failed, numbers, refused, every = 0, 0, {}, list(cases())
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for case, done in zip(every, pool.map(emit, every)):
        if done.returncode == NO_COUNTERPART:
            why = done.stderr.strip()
            refused[why] = refused.get(why, 0) + 1
            continue
        try:
            n, wrong = compared(done.stdout) if not done.returncode else (0, [done.stderr])
        except Exception as e:
            n, wrong = 0, [f"{type(e).__name__}: {e}"]
        numbers += n
        if wrong:
            failed += 1
            print(f"{case}: {wrong[:4]}", file=sys.stderr)
for why, n in sorted(refused.items()):
    print(f"{n} refused: {why}")
print(f"{len(every)} cases, {failed} failed, {sum(refused.values())} refused, {numbers} numbers compared")
sys.exit(1 if failed or not numbers else 0)
