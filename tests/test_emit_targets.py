"""`adjudge emit` for array libraries: sources of every case can be read by their language, or the refusal names what has no counterpart.

Usage: test_emit_targets.py ADJUDGE CASE_OR_FOLDER...  Elixir is asked where it is installed.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

adjudge, places = sys.argv[1], sys.argv[2:]
PYTHON = ["jax", "tensorflow", "mlx"]
NO_COUNTERPART = 5  # exit status of emit
REFUSAL = re.compile(r"adjudge: emit: (\w+): (no counterpart for .+|nothing to differentiate: no float is)$")
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
        return None, None if m and m.group(1) == target else f"a refusal that says nothing: {done.stderr}", m and m.group(2)
    if done.returncode or done.stderr:
        return None, f"exit status {done.returncode}: {done.stderr}", None
    if target in PYTHON:
        try:
            compile(done.stdout, str(case), "exec")
        except (SyntaxError, ValueError) as e:
            return done.stdout, str(e), None
    return done.stdout, None, None


failed = 0
every = list(cases())
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool, tempfile.TemporaryDirectory() as place:
    for target in PYTHON + ["nx"]:
        refused, written = {}, []
        for case, (source, wrong, why) in zip(every, pool.map(lambda c: emit(target, c), every)):
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
        if n == len(every):
            failed += 1
        print(f"{target}: {len(every) - n} of {len(every)} written")
        for why, n in sorted(refused.items()):
            print(f"    {n} refused: {why}")
sys.exit(1 if failed or not every else 0)
