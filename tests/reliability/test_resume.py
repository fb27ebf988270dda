"""fuzz --resume of a directory that somebody damaged or made to attack us.  Usage: test_resume.py ADJUDGE

Nothing is started, nothing blocks, memory stays bounded, and the message names the place.
"""

import copy
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

adjudge = sys.argv[1]
MOST_MIB = 1024
failures = []


def check(ok, message):
    if not ok:
        failures.append(message)


def fuzz(*more, code=None, say="", before=None):
    """Standard error of `adjudge fuzz`."""
    def start():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if before:
            before()
    done = subprocess.run([adjudge, "fuzz", "--quiet", *[str(x) for x in more]], capture_output=True, text=True, timeout=600, preexec_fn=start)
    check(code is None or done.returncode == code, f"{more}: exit {done.returncode}, not {code}: {done.stderr[-300:]}")
    check(say in done.stderr, f"{more}: no '{say}' in: {done.stderr[-300:]}")
    return done.stderr


def begin(out, *more):
    fuzz("--driver", "generate", "--seed", 3, "--cases", 40, "--out", out, *(more or ("--engine", "tape+scale:mul:1.5", "--engine", "tape")), code=1 if not more else None)


def edited(base, source, name, change):
    """A copy of the campaign whose book was changed."""
    out = base / "copy"
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(source, out)
    book = json.loads((out / name).read_text())
    book = change(book) or book
    (out / name).write_text(json.dumps(book))
    return out


def test_engines_from_outside(base, campaign):
    """A file never starts an engine: neither one under test nor the reference."""
    mark = base / "started"
    for kind in (f"proc:touch {mark}", f"x=proc:touch {mark}", f"so:{mark}"):
        out = edited(base, campaign, "campaign.json", lambda b: b["engines"][0].update(engine=kind))
        fuzz("--resume", out, code=5, say="type: adjudge fuzz --resume")
        out = edited(base, campaign, "campaign.json", lambda b: b.update(right_on=kind, cases=60))
        fuzz("--resume", out, code=5, say="--right-on")
        fuzz("--resume", out, "--engine", "tape+scale:mul:1.5", "--engine", "tape", code=5, say="--right-on")
    check(not mark.exists(), "a file has started an engine")
    out = edited(base, campaign, "campaign.json", lambda b: b["engines"][0].update(engine=f"proc:touch {mark}"))
    fuzz("--resume", out, "--engine", "tape", "--engine", "tape", code=2, say="--engine contradicts")


def test_options(base, campaign):
    """An option that contradicts the directory is refused, and so is a campaign with --cross."""
    for option in (("--fd-one-in", 3), ("--seed", 4), ("--cases", 41), ("--memory-limit", "1G"), ("--process-limit", 7), ("--start-limit", "3s"), ("--corpus", campaign)):
        fuzz("--resume", campaign, *option, code=2, say=f"{option[0]} contradicts")
    fuzz("--resume", campaign, "--fd-one-in", 10, "--seed", 3, "--cases", 40, "--memory-limit", "4G", code=1)
    begin(base / "cross", "--engine", "tape", "--engine", "functional", "--cross")
    fuzz("--resume", base / "cross", code=2, say="--cross")


def places(value, path=()):
    """The paths of all members of objects, and of the first elements of arrays."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield path + (key,)
            yield from places(inner, path + (key,))
    elif isinstance(value, list) and value:
        yield path + (0,)
        yield from places(value[0], path + (0,))


def holder(book, path):
    for key in path[:-1]:
        book = book[key]
    return book


def test_damaged(base, campaign):
    """Every member left out, of another type, or huge."""
    tried = 0
    for name in ("campaign.json", "state.json"):
        whole = json.loads((campaign / name).read_text())
        paths = [p for p in places(whole) if "distributions" not in p[:-1] and "wirings" not in p[:-1]]
        for path in paths:
            for how in ("none", [], -1, 10**400):
                def change(book):
                    at = holder(book, path)
                    if how == "none":
                        del at[path[-1]]
                    elif how == 10**400:
                        at[path[-1]] = 9e300 if isinstance(at[path[-1]], (int, float)) else "9" * 400
                    else:
                        at[path[-1]] = [] if how == [] and at[path[-1]] != [] else how if how != [] else {}
                if path[-1] in ("named",) and how == []:
                    continue
                book = copy.deepcopy(whole)
                change(book)
                out = base / "copy"
                if not out.exists():
                    shutil.copytree(campaign, out)
                for other in ("campaign.json", "state.json"):
                    (out / other).write_bytes((campaign / other).read_bytes())
                (out / name).write_text(json.dumps(book))
                done = subprocess.run([adjudge, "fuzz", "--quiet", "--resume", str(out)], capture_output=True, text=True, timeout=600)
                tried += 1
                # Some texts may be anything; a list may be short.  Whatever it is, it ends in order.
                check(done.returncode in (0, 1, 2, 3, 5), f"{name}: {path} {how}: exit {done.returncode}: {done.stderr[-200:]}")
                check(done.returncode != 3 or "campaign.json" in done.stderr or "state.json" in done.stderr, f"{name}: {path} {how}: no place: {done.stderr[-200:]}")
                if how == "none" and isinstance(path[-1], str) and path[-1] not in ("profile_name", "corpus", "right_on", "program"):
                    check(done.returncode == 3, f"{name}: without {path}: exit {done.returncode}")
    check(tried > 200, f"only {tried} changes")


def test_no_files(base, campaign):
    """FIFOs, directories, devices and endless texts in the place of the books."""
    def put(name, how):
        out = base / "copy"
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(campaign, out)
        (out / name).unlink()
        how(out / name)
        return out

    for name in ("campaign.json", "state.json"):
        for how in (os.mkfifo, os.mkdir, lambda p: p.symlink_to("/dev/zero"), lambda p: p.symlink_to("/nowhere"), lambda p: p.write_text(""),
                    lambda p: p.write_bytes(b"\xff" * 1000), lambda p: p.write_text("[" * 900000), lambda p: p.write_text("[" + "[]," * 300000 + "[]]"),
                    lambda p: p.write_bytes(b'{"schema":"adjudge.state/1","findings":[' + b"[]," * 5000000 + b"[]]}"), lambda p: os.truncate(os.open(p, os.O_CREAT | os.O_WRONLY), 1 << 40)):
            fuzz("--resume", put(name, how), code=3, say=name)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    check(peak <= MOST_MIB, f"{peak} MiB")


def test_files_of_the_user(base, campaign):
    """What a campaign has not written, it does not remove."""
    own = campaign / "findings" / "my notes.json"
    own.write_text("{}")
    fuzz("--resume", campaign, code=1)
    check(own.exists(), "a file of the user is gone")
    own.unlink()


def test_unfiled_reports(base, _):
    """Reports that a killed campaign wrote and did not save are judged again, though all its cases are judged."""
    for jobs in (1, 2):
        out = base / f"unfiled{jobs}"
        fuzz("--driver", "plain", "--seed", 3, "--cases", 60, "--jobs", jobs, "--engine", "tape+scale:mul:1.5", "--out", out, code=1)
        reports = sorted(x.name for x in (out / "findings").iterdir())
        # A report of a bug that the state knows by another report, such as one that was replaced.
        shutil.copy(out / "findings" / reports[0], out / "findings/0123456789abcdef.json")
        fuzz("--resume", out, "--jobs", jobs, code=1)
        check(sorted(x.name for x in (out / "findings").iterdir()) == reports, "a report that belongs to a finding is still there")
        check(not list((out / "pending").iterdir()), "a case is pending after it was judged")
        # Reports of bugs that the state does not know.
        state = json.loads((out / "state.json").read_text())
        check(state["findings"], "no finding in the state")
        state["findings"] = []
        (out / "state.json").write_text(json.dumps(state))
        fuzz("--resume", out, "--jobs", jobs, code=1)
        found = sorted(pathlib.Path(f["file"]).name for f in json.loads((out / "summary.json").read_text())["findings"])
        check(found and found == sorted(x.name for x in (out / "findings").iterdir()), f"an unsaved finding is lost: {found} of {reports}")
        check(not list((out / "pending").iterdir()), "a case is pending after it was judged")


def test_ignored_ends(base, _):
    """A process that judges is killed, and adjudge was started by a program that ignores SIGCHLD."""
    command = [adjudge, "fuzz", "--quiet", "--engine", "tape", "--jobs", "2", "--driver", "generate", "--cases", "1200", "--out", str(base / "chld")]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)) as process:
        state = base / "chld" / "state.json"
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while process.poll() is None and not (state.exists() and children.exists() and children.read_text().split()):
            time.sleep(0.02)
        if process.poll() is None:
            os.kill(int(children.read_text().split()[0]), signal.SIGKILL)
        check(process.wait(600) == 0, f"exit {process.returncode}")
    check(json.loads((base / "chld/summary.json").read_text())["cases"] == 1200, "cases are missing")


def main():
    with tempfile.TemporaryDirectory() as name:
        base = pathlib.Path(name)
        begin(base / "whole")
        for test in (test_engines_from_outside, test_options, test_damaged, test_no_files, test_files_of_the_user, test_unfiled_reports, test_ignored_ends):
            test(base, base / "whole")
            shutil.rmtree(base / "copy", ignore_errors=True)
    print("\n".join(failures[:40]) or "--resume of a hostile directory is in order")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
