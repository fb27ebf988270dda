"""The PyTorch adapter where there is a PyTorch: every mode answers, and finds nothing wrong where nothing is.

Usage: test_pytorch.py ADJUDGE SOURCE_ROOT.  Skipped where /usr/bin/python3 has no torch.
"""
import pathlib
import subprocess
import sys
import tempfile

adjudge, root = sys.argv[1], pathlib.Path(sys.argv[2])
PYTHON = "/usr/bin/python3"
SKIPPED = 77  # of Meson
# A mode, and ops that it has without a fault in any version since 1.13; of vmap those that know integers, too.
MODES = {"reverse": ["sin", "select", "gather", "for"], "forward": ["mul", "matmul"], "func": ["sin", "cumsum"], "script": ["sin", "cond"],
         "vmap": ["sin", "gather", "select", "dynamic_slice"], "native": ["sin", "cond"], "export": ["sin", "select", "gather"]}
NEWER = {"native": "torch._higher_order_ops.cond", "export": "torch.export"}  # what a mode needs of torch

# Minimization ends in such: no input, nothing to differentiate by.
CONSTANT = """{"schema": "adjudge.case/1", "inputs": [], "body": [{"out": ["c: f64[]"], "op": "constant", "value": 1}], "results": ["c"], "points": [[]],
 "request": []}"""

if not pathlib.Path(PYTHON).exists() or subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode:
    sys.exit(SKIPPED)
failed = 0
constant = tempfile.NamedTemporaryFile("w", suffix=".json")
constant.write(CONSTANT)
constant.flush()
for mode, ops in MODES.items():
    if mode in NEWER and subprocess.run([PYTHON, "-c", f"import {NEWER[mode]}"], capture_output=True).returncode:
        continue
    wanted = [word for op in ops for word in ("--op", op)]
    spec = f"proc:exec {PYTHON} '{root}/engines/external/pytorch.py' {mode}"
    done = subprocess.run([adjudge, "conform", "--engine", spec, "--quiet", "--cases", "1", "--dtype", "f64", *wanted], capture_output=True, text=True)
    if done.returncode or not all(op in done.stdout for op in ops) or " agree" not in done.stdout:
        failed += 1
        print(f"{mode}: exit {done.returncode}\n{done.stdout}{done.stderr}", file=sys.stderr)
    done = subprocess.run([adjudge, "run", "--engine", spec, constant.name], capture_output=True, text=True)
    if done.returncode or "agree" not in done.stdout:
        failed += 1
        print(f"{mode}, a constant: exit {done.returncode}\n{done.stdout}{done.stderr}", file=sys.stderr)
sys.exit(1 if failed else 0)
