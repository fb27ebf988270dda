"""A disk that is full or broken.  Usage: test_disk.py ADJUDGE DISK.SO FOLDER [STEP]

Every STEP-th call that changes files fails once (`disk.c`), in every command that writes files.  The command then ends
with exit code 4 and a reason, or writes all that it writes otherwise.  No file is empty or torn, and none is left over.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

adjudge, library, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), pathlib.Path(sys.argv[3])
step = int(sys.argv[4]) if len(sys.argv) > 4 else 1
ERRORS = {"full": {"ERROR": "full"}, "broken": {"ERROR": "broken"}, "short": {"ERROR": "short"}, "full from then on": {"ERROR": "full", "FULL": 1}}
FAULT = "tape+scale:sin:1.5"
failures = []


def check(ok, message):
    if not ok:
        failures.append(message)
        print(message, file=sys.stderr)


def run(arguments, where, **disk):
    env = {**os.environ, **{f"DISK_{k}": str(v) for k, v in disk.items()}}
    if disk:
        env["LD_PRELOAD"] = library
    return subprocess.run([adjudge, *map(str, arguments)], capture_output=True, text=True, timeout=600, env=env, cwd=where)


def written(out):
    """The text of each file below a folder; what differs from run to run is left out."""
    files = {}
    for path in sorted(p for p in out.rglob("*") if p.is_file()):
        name, text = str(path.relative_to(out)), path.read_bytes()
        if path.name in ("summary.json", "state.json", "campaign.json"):
            text = b"a document" if isinstance(json.loads(text), dict) else b""
        if path.name == "draws.log":
            text = b"a log" if text.startswith(b"adjudge.draws/1 ") else b""
        files[name] = text
    return files


def calls_of(arguments, base, source):
    """How many calls a command makes, what it writes, and its exit code."""
    out, count = base / "whole", base / "count"
    shutil.rmtree(out, ignore_errors=True)
    count.unlink(missing_ok=True)
    shutil.copytree(source, out)
    done = run(arguments, out, FAIL=0, COUNT=count)
    return max(map(int, count.read_text().split())), written(out), done.returncode


def try_command(name, arguments, base, source, again=None):
    calls, whole, code = calls_of(arguments, base, source)
    check(calls > 2, f"{name}: only {calls} calls that change files")
    before = set(written(source))
    for i, (error, how) in enumerate(ERRORS.items()):
        for k in range(1 + 5 * i % step, calls + 1, step):
            where = base / "out"
            shutil.rmtree(where, ignore_errors=True)
            shutil.copytree(source, where)
            done = run(arguments, where, FAIL=k, **how)
            label = f"{name}, call {k} of {calls}, {error}: exit {done.returncode}: {done.stderr[-200:]}"
            now = written(where)
            check(done.returncode == code or (done.returncode == 4 and error != "short" and done.stderr.strip()), label)
            check(done.returncode != code or now.keys() == whole.keys(), f"{label}: {sorted(now.keys() ^ whole.keys())}")
            for file, text in now.items():
                check(text or not whole.get(file, text), f"{label}: {file} is empty")
                check(".tmp" not in file, f"{label}: {file} is left")
                if file in whole and not file.startswith("pending") and file not in before:
                    check(text == whole[file], f"{label}: {file} differs from the file without a failure")
            if again and done.returncode == 4:
                again(where, whole, label)


def go_on(where, whole, label):
    """A campaign that met a failing disk goes on to the same findings, or begins anew if it had not begun."""
    out = where / "campaign"
    begun = (out / "campaign.json").exists()
    done = run(["fuzz", "--quiet", "--resume", "campaign"] if begun else CAMPAIGN, where)
    check(done.returncode == 1, f"{label}; then exit {done.returncode}: {done.stderr[-200:]}")
    now = written(where)
    check({k: v for k, v in now.items() if "findings" in k} == {k: v for k, v in whole.items() if "findings" in k},
          f"{label}; then other findings: {sorted(k for k in now.keys() ^ whole.keys())}")


CAMPAIGN = ["fuzz", "--quiet", "--engine", FAULT, "--driver", "generate", "--seed", 3, "--cases", 30, "--shard", "1/2", "--out", "campaign"]

with tempfile.TemporaryDirectory(prefix="adjudge-disk-") as root:
    base = pathlib.Path(root)
    empty, full = base / "empty", base / "full"
    empty.mkdir()
    full.mkdir()
    check(run(CAMPAIGN, full).returncode == 1, "the campaign finds nothing")
    shutil.copytree(folder / "corpus" / "regressions", full / "cases")
    for path in sorted((full / "cases").glob("*.json"))[5:]:
        path.unlink()
    report = "campaign/findings/" + next((full / "campaign" / "findings").glob("*.json")).name
    try_command("fuzz", CAMPAIGN, base, empty, go_on)
    for name, arguments in {
            "minimize": ["minimize", report, "--out", "small.json"],
            "report": ["report", "campaign", "--out", "pages"],
            "merge": ["merge", "campaign", "--out", "merged"],
            "gate": ["gate", "cases", "--engine", FAULT, "--junit", "a.xml", "--sarif", "a.sarif", "--summary", "a.md",
                     "--write-baseline", "known.json"]}.items():
        try_command(name, arguments, base, full)

print(f"{len(failures)} failures")
sys.exit(bool(failures))
