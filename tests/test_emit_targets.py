"""`adjudge emit` for array libraries: sources of every case can be read by their language, or the refusal names what has no counterpart.

Usage: test_emit_targets.py ONE_IN ADJUDGE CASE_OR_FOLDER...  Elixir is asked where it is installed.  Each format gets one case in ONE_IN, and its other
modes a fifth of these.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

one_in, adjudge, places = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
PYTHON = ["jax", "tensorflow", "mlx"]
MODES = ["jax-jit", "tensorflow-function", "tensorflow-xla"]  # of these: other calls, for a part of the cases
NO_COUNTERPART = 5  # exit status of emit
REFUSAL = re.compile(r"adjudge: emit: (\w+): (no counterpart for .+|nothing to differentiate: no float is)$")
HOSTILE = ["*/ int x; /*", "*/", "*/*/", "\nimport os", "\rimport os", "coding: utf-7", "-*- coding: rot13 -*-", "\\", "x\\\nimport os", '"""', "#{System.halt()}", "??/", "\u2028x", "\u202ex",
           "\ufeff", "\x0cimport os", "\x85import os"]
ELIXIR = """
for path <- System.argv() do
  with {:error, why} <- Code.string_to_quoted(File.read!(path)), do: IO.puts("#{path}: #{inspect(why)}")
end
"""


def cases():
    for place in map(pathlib.Path, places):
        yield from sorted(place.rglob("*.json")) if place.is_dir() else [place]


def emit(target, case):
    """Source, or None; what is wrong, or None; and the refusal."""
    done = subprocess.run([adjudge, "emit", "--format", target, str(case)], capture_output=True, text=True)
    if done.returncode == NO_COUNTERPART:
        m = REFUSAL.match(done.stderr.strip())
        return None, None if m and m.group(1) == target.split("-")[0] else f"a refusal that says nothing: {done.stderr}", m and m.group(2)
    if done.returncode or done.stderr:
        return None, f"exit status {done.returncode}: {done.stderr}", None
    if target in PYTHON + MODES:
        try:
            compile(done.stdout, str(case), "exec")
        except (SyntaxError, ValueError) as e:
            return done.stdout, str(e), None
    return done.stdout, None, None


def hostile(place):
    """A title says what it likes: nothing of the source but the comment changes, and that stays one."""
    case, wrong = json.loads(next(c for c in every if c.stem == "tfjs-cumsum-axis").read_text()), []
    for k, title in enumerate(["plain", *HOSTILE]):
        path = pathlib.Path(place) / f"hostile-{k}.json"
        path.write_text(json.dumps({**case, "title": title}))
        for target in [*PYTHON, "nx", "c"]:
            done = subprocess.run([adjudge, "emit", "--format", target, str(path)], capture_output=True)
            source = done.stdout
            if target == "c":
                code = source.partition(b"*/")[2]
            else:
                code = b"".join(line for line in source.splitlines(True) if not line.startswith(b"# "))
            if not k:
                plain[target] = code
            if done.returncode or code != plain[target]:
                wrong.append(f"{target}, title {title!r}: exit status {done.returncode}, other code")
            if target in PYTHON:
                try:
                    compile(source, "hostile", "exec")  # bytes: a comment may name an encoding
                except (SyntaxError, ValueError) as e:
                    wrong.append(f"{target}, title {title!r}: {e}")
    return wrong


def lines_of_every_length(place):
    """A line of a source ends where its text ends, also at the end of a block of memory."""
    wrong, path = [], pathlib.Path(place) / "line.json"
    for digits in range(120, 250, 3 if one_in > 1 else 1):
        numbers = [10**9] * (digits // 12) + [10**(digits % 12)]
        path.write_text(json.dumps({"schema": "adjudge.case/1", "inputs": ["x: i64[]"], "body": [
            {"out": [f"c: i64[{len(numbers)}]"], "op": "constant", "value": numbers}], "results": ["c"], "points": [[1]], "request": []}))
        source, bad, _ = emit("jax", path)
        if bad or source.count("v1 = ") != 1:
            wrong.append(f"jax, a constant of {digits} characters: {bad or source}")
    return wrong


failed, plain = 0, {}
every = list(cases())
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool, tempfile.TemporaryDirectory() as place:
    for wrong in hostile(place) + lines_of_every_length(place):
        failed += 1
        print(wrong, file=sys.stderr)
    for k, target in enumerate(PYTHON + MODES + ["nx"]):
        refused, written = {}, []
        step = one_in * (5 if target in MODES else 1)
        some = every[k % one_in::step]
        for case, (source, wrong, why) in zip(some, pool.map(lambda c: emit(target, c), some)):
            if wrong:
                failed += 1
                print(f"{target}, {case}: {wrong}", file=sys.stderr)
            if why:
                refused[why] = refused.get(why, 0) + 1
            if source and target == "nx":
                path = pathlib.Path(place) / f"{len(written)}-{case.stem}.exs"
                path.write_text(source)
                written.append(str(path))
        if written and shutil.which("elixir"):
            done = subprocess.run(["elixir", "-e", ELIXIR, *written], capture_output=True, text=True)
            if done.returncode or done.stdout:
                failed += 1
                print(done.stdout, done.stderr, file=sys.stderr)
        n = sum(refused.values())
        if n == len(some):
            failed += 1
        print(f"{target}: {len(some) - n} of {len(some)} written")
        for why, n in sorted(refused.items()):
            print(f"    {n} refused: {why}")
sys.exit(1 if failed or not every else 0)
