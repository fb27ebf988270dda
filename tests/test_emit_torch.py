"""What `adjudge emit` writes for PyTorch, run by PyTorch: its primal is the oracles'.

Usage: test_emit_torch.py ADJUDGE SOURCE_ROOT CASE_OR_FOLDER...  Skipped where this python3 has no torch.
Control flow of PyTorch's own is as its documentation says, in Python: so it is the source that is tested, with any version.
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
import types
import warnings

os.environ["ATEN_CPU_CAPABILITY"] = "default"  # kernels without vectors, whose sinh overflows early: it is the source that is tested
try:
    import torch
except ImportError:
    sys.exit(77)  # of Meson: skipped

adjudge, root, places = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
NO_COUNTERPART = 5  # exit status of emit
PRIMAL = re.compile(r"(?:point \d+, )?primal \d+, \w+\[[\d,]*\](?:, element \d+)?: expected .*")


def cond(pred, yes, no, operands):
    return yes(*operands) if pred else no(*operands)


def while_loop(test, step, carried):
    while test(*carried):
        carried = step(*carried)
    return carried


def scan(step, carry, xs, length=None):
    rows = []
    for k in range(len(xs[0]) if xs else length):
        carry, row = step(carry, tuple(x[k] for x in xs) if xs else None)
        rows.append(row)
    return carry, tuple(torch.stack(column) for column in zip(*rows)) if rows else ()


os.fork = lambda: 0  # a source goes on in a child, which outlives a crash: here it goes on at once
torch.cond = cond
for function in (while_loop, scan):
    module = sys.modules[f"torch._higher_order_ops.{function.__name__}"] = types.ModuleType(function.__name__)
    setattr(module, function.__name__, function)


def cases():
    for place in map(pathlib.Path, places):
        yield from sorted(place.rglob("*.json")) if place.is_dir() else [place]


def formats(case):
    text = case.read_text()
    raw = json.loads(text)
    levels = [level["transform"] for level in raw.get("case", raw)["request"]]
    native = ["torch-native"] if '"regions"' in text and levels in (["vjp"], ["vjp"] * 2) else []
    return ["torch-vmap" if "batch" in levels else "torch" if set(levels) <= {"vjp"} else "torch-func", *native]


def emit(task):
    case, form = task
    command = [adjudge, "emit", "--format", form, str(case)]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "ADJUDGE_ADAPTERS": str(root / "engines" / "external")})


def compared(source, case):
    """How many numbers of the primal the source judges, and which it calls wrong.  An error whose type the case names is the defect that it shows."""
    printed, hook = io.StringIO(), sys.excepthook
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(source, "emitted", "exec"), {"__name__": "emitted"})
        except SystemExit:
            pass
        except (RuntimeError, NotImplementedError) as e:  # the engine's own, at the derivative: the primal is what is asked here
            if not PRIMAL.search(printed.getvalue()) and "not implemented" not in str(e) and type(e).__name__ not in case.read_text():  # for that dtype
                raise
        finally:
            sys.excepthook = hook
    lines = PRIMAL.findall(printed.getvalue())
    return len(lines), [line for line in lines if line.endswith("WRONG")]


failed, numbers, refused, every = 0, {}, {}, [(case, form) for case in cases() for form in formats(case)]
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for (case, form), done in zip(every, pool.map(emit, every)):
        if done.returncode == NO_COUNTERPART:
            why = done.stderr.strip()
            refused[why] = refused.get(why, 0) + 1
            continue
        try:
            n, wrong = compared(done.stdout, case) if not done.returncode else (0, [done.stderr])
        except Exception as e:
            n, wrong = 0, [f"{type(e).__name__}: {e}"]
        numbers[form] = numbers.get(form, 0) + n
        if wrong:
            failed += 1
            print(f"{case}, {form}: {wrong[:4]}", file=sys.stderr)
for why, n in sorted(refused.items()):
    print(f"{n} refused: {why}")
print(f"{len(every)} sources, {failed} failed, {sum(refused.values())} refused, numbers compared: {numbers}")
sys.exit(1 if failed or not all(numbers.get(form) for form in ("torch", "torch-native")) else 0)
