"""Shards that are merged are one campaign: same findings, same counts, in any order, however often, and after one was killed.

Usage: test_merge.py ADJUDGE [ENGINES CASES SEEDS].  With engines (a list with blanks) and a number of seeds, only one campaign and its shards are compared for
each seed, and the differences are counted.
"""

import json
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

adjudge = sys.argv[1]
ENGINES = ["tape+scale:sin:1.5", "functional+residual-fifo", "compiled+inductor-slice-scatter", "tape"]
CASES, SHARDS, KILLED = 240, 8, 5
failures = []


def check(ok, message):
    if not ok:
        failures.append(message)


def fuzz(out, cases, *more, engines=ENGINES, seed=3):
    return [adjudge, "fuzz", "--driver", "generate", "--seed", str(seed), "--cases", str(cases), "--quiet", "--out", str(out),
            *[x for e in engines for x in ("--engine", e)], *more]


def run(arguments, code=None):
    done = subprocess.run([str(x) for x in arguments], capture_output=True, text=True)
    check(code is None or done.returncode == code, f"{arguments[1:]}: exit {done.returncode}, not {code}: {done.stderr[-300:]}")
    return done


def merge(*dirs, out, code=1):
    return run([adjudge, "merge", *dirs, "--out", out], code)


def summary(folder):
    return json.loads((folder / "summary.json").read_text())


def files(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file() and p.name != ".lock"}


def kill_midway(command, out):
    """Starts a campaign, and kills it as soon as it has saved something."""
    with subprocess.Popen([str(x) for x in command], stdout=subprocess.DEVNULL) as process:
        while not (out / "state.json").exists() and process.poll() is None:
            time.sleep(0.005)
        process.kill()
    return run([adjudge, "fuzz", "--quiet", "--resume", out])


def shards(base, cases=CASES, **more):
    for k in range(SHARDS):
        command = fuzz(base / f"s{k}", cases // SHARDS, "--shard", f"{k + 1}/{SHARDS}", **more)
        if k == KILLED:
            kill_midway(command, base / f"s{k}")
        else:
            run(command)
    return [base / f"s{k}" for k in range(SHARDS)]


def test_same(base):
    """As one campaign with all cases, but for times and for how many cases were minimized."""
    run(fuzz(base / "one", CASES), 1)
    part = shards(base)
    done = merge(*part, out=base / "m")
    check(f"{SHARDS} campaigns" in done.stdout, done.stdout)
    one, all_ = summary(base / "one"), summary(base / "m")
    check(len(all_["findings"]) >= 2, "too few findings for this test")
    for key in ("cases", "skipped", "decided", "with_teeth", "undecided", "unsupported", "components", "teeth", "distinct_findings", "engines", "strata", "result_dtypes", "features",
                "median_ops", "oracle", "seed", "work", "twins"):
        check(one[key] == all_[key], f"{key}: {one[key]}, merged {all_[key]}")
    for key in ("signature", "fine", "count", "first_case", "minimal_ops"):
        check([f[key] for f in one["findings"]] == [f[key] for f in all_["findings"]], f"{key}: {one['findings']}, merged {all_['findings']}")
    check([s["cases"] for s in all_["sources"]] == [CASES // SHARDS] * SHARDS, f"{all_['sources']}")
    check(files(base / "one/findings") == files(base / "m/findings"), "reports of findings")
    for finding in all_["findings"]:
        run([adjudge, "run", base / "m" / finding["file"]], 1)
    return part


def test_again(base, part):
    """The order does not matter, and nothing counts twice."""
    before = files(base / "m")
    merge(*reversed(part), out=base / "m")
    check(files(base / "m") == before, "merging again changes something")
    merge(part[1], base / "m", out=base / "n")
    check(files(base / "n") == before, "merging the merge and a part changes something")
    merge(*part[2:], out=base / "o")
    merge(part[0], part[1], out=base / "o")
    check(files(base / "o") == before, "step by step it is another merge")
    check(not list(base.glob("*/.triage*")), "reports of a triage that ran again are left")
    run([adjudge, "report", base / "m"], 0)
    done = run(fuzz(base / "more", 1, "--corpus", base / "m"))
    check("left out" not in done.stderr, f"the books of a merge are read as cases: {done.stderr}")


def test_corpora(base, _):
    """Of the kept cases of both, those stay that have a feature which smaller ones lack; merging again changes nothing."""
    def kept(name):
        return {p.name: p.read_bytes() for p in (base / name / "corpus").iterdir()}

    for seed in (3, 4):
        run([adjudge, "fuzz", "--engine", "tape", "--driver", "plain", "--seed", seed, "--cases", 60, "--quiet", "--out", base / f"kept-{seed}"], 0)
    merge(base / "kept-3", base / "kept-4", out=base / "kept", code=0)
    both, joined = {**kept("kept-3"), **kept("kept-4")}, kept("kept")
    check(joined.items() < both.items() and len(joined) > len(both) / 2, f"{len(joined)} of {len(both)} cases are kept")
    smallest = min(both.items(), key=lambda x: (len(x[1]), x[1]))[0]
    check(smallest in joined, "the smallest case is gone")
    merge(base / "kept-4", base / "kept", out=base / "kept", code=0)
    check(kept("kept") == joined, "merging again keeps other cases")


def test_killed(base, part):
    """A shard that was killed counts as far as it got, and fully when it has gone on."""
    shutil.copytree(part[0], base / "early")
    killed = subprocess.Popen(fuzz(base / "k", 1000000, "--shard", f"1/{SHARDS}"), stdout=subprocess.DEVNULL)
    while not (base / "k/state.json").exists():
        time.sleep(0.1)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    done = merge(base / "k", part[1], out=base / "killed", code=None)
    check(done.returncode in (0, 1), f"exit {done.returncode}")
    check("has not ended" in done.stdout, done.stdout)
    ids = [s["id"] for s in summary(base / "killed")["sources"]]
    check(len(ids) == 2 and len(set(ids)) == 2, f"{ids}")
    # A later state of the same campaign takes the place of an earlier one.
    book = json.loads((base / "early/state.json").read_text())
    book["counts"]["draws"] -= 1
    book["counts"]["cases"] -= 1
    (base / "early/state.json").write_text(json.dumps(book))
    merge(base / "early", part[1], out=base / "p")
    merge(*part, out=base / "p")
    check(summary(base / "p")["cases"] == CASES, f"{summary(base / 'p')['cases']} cases")


def test_codes(base, part):
    (base / "none").mkdir()
    check("holds no campaign" in merge(base / "none", out=base / "x", code=3).stderr, "the reason is not said")
    check(not (base / "x").exists(), "a refused merge left a directory")
    merge(part[0], base / "gone", out=base / "x", code=3)
    merge(part[0], out=part[1], code=4)
    run([adjudge, "merge", part[0]], 2)
    broken = base / "broken"
    shutil.copytree(part[0], broken)
    (broken / "state.json").write_text("{")
    merge(broken, out=base / "x", code=3)
    (broken / "state.json").unlink()
    (broken / "state.json").mkdir()
    check("state.json" in merge(broken, out=base / "x", code=3).stderr, "a state that cannot be read")
    # A shard whose cases an engine cannot answer is no error; the merge decides, and says that the profiles differ.
    (base / "vjp.json").write_text(json.dumps({"schema": "adjudge.profile/1", "jvp": 0, "order_second": 0, "order_third": 0}))
    (base / "jvp.json").write_text(json.dumps({"schema": "adjudge.profile/1", "jvp": 100, "order_second": 0, "order_third": 0}))
    for name, profile in (("a", "vjp"), ("b", "jvp"), ("c", "jvp")):
        run(fuzz(base / f"p{name}", 30, "--profile", base / f"{profile}.json", engines=["tape", "forward"], seed=ord(name)), 5)
    merge(base / "pb", base / "pc", out=base / "nothing", code=5)
    done = merge(base / "pb", base / "pa", base / "pc", out=base / "enough", code=0)
    check("the profile is" in done.stderr, done.stderr)
    check(summary(base / "enough")["profile"] == summary(base / "enough")["seed"] == "several", "profile and seed differ")


def triaged_again(folder):
    return {s.get("triaged_again") for s in summary(folder)["sources"]}


def names(folder):
    return [(f["fine"], f["count"], f["first_case"], f["minimal_ops"]) for f in summary(folder)["findings"]]


def test_by_name(base, part):
    """What cannot be triaged again is joined by name, and merge says why."""
    check(triaged_again(base / "m") == {True}, "the shards were not triaged again")
    merge(*part, "--by-name", out=base / "by-name")
    check(triaged_again(base / "by-name") == {False}, "--by-name is not obeyed")
    check(names(base / "by-name") != names(base / "m"), "these shards do not show that triage depends on its history: choose another seed")
    engine = "mine=" + ENGINES[0]
    for k in (1, 2):
        run(fuzz(base / f"n{k}", 40, "--shard", f"{k}/2", engines=[engine]), 1)
    parts = [base / "n1", base / "n2"]
    done = merge(*parts, out=base / "not-given")
    check(f"--engine {engine}" in done.stdout and triaged_again(base / "not-given") == {False}, f"an engine of the user's: {done.stdout}")
    done = merge(*parts, "--engine", engine, out=base / "given")
    check(triaged_again(base / "given") == {True}, f"an engine that was given: {done.stdout}")
    shutil.copytree(base / "n1", base / "twice")
    for name in ("campaign.json", "state.json", "draws.log"):
        text = (base / "twice" / name).read_bytes()
        (base / "twice" / name).write_bytes(text.replace(json.loads((base / "n1/campaign.json").read_text())["id"].encode(), b"0123456789abcdef"))
    check("judged twice" in merge(*parts, base / "twice", "--engine", engine, out=base / "t").stdout, "a shard that was judged twice")
    log = (base / "n1/draws.log").read_bytes()
    for name, text in {"cut": log[:-1], "other": log.replace(b"draws/1", b"draws/2", 1), "endless": log[:60] + b"\xff" * 999, "none": None}.items():
        shutil.copytree(base / "n1", base / f"log-{name}")
        (base / f"log-{name}/draws.log").unlink()
        if text is not None:
            (base / f"log-{name}/draws.log").write_bytes(text)
        done = merge(base / f"log-{name}", base / "n2", "--engine", engine, out=base / f"merged-{name}")
        check("log of its draws" in done.stdout and triaged_again(base / f"merged-{name}") == {False}, f"log {name}: {done.stdout}")


def test_cross(base, _):
    """Comparisons and leads of --cross are added."""
    for k in (1, 2):
        run(fuzz(base / f"c{k}", 150, "--shard", f"{k}/2", "--no-oracle", "--cross-strict", "--against", ENGINES[0], engines=["tape"]), 1)
    merge(base / "c1", base / "c2", out=base / "c")
    one, two, both = (summary(base / name)["cross"] for name in ("c1", "c2", "c"))
    check(both["cases"] == one["cases"] + two["cases"] and both["against"] == ENGINES[0], f"{both}")
    for x, y, z in zip(one["engines"], two["engines"], both["engines"]):
        added = {v: x.get(v, 0) + y.get(v, 0) for v in {*x, *y} - {"engine", "mode"}}
        check(z == {"engine": x["engine"], "mode": x["mode"], **added}, f"{x} and {y} are {z}")
    check(sum(lead["count"] for lead in both["leads"]) == sum(lead["count"] for s in (one, two) for lead in s["leads"]) > 0, f"{both['leads']}")
    check(both["distinct_leads"] == len({(lead["signature"], lead["file"]) for s in (one, two) for lead in s["leads"]}), f"{both}")
    check(all((base / "c" / lead["file"]).exists() for lead in both["leads"]), "a lead without a file")


def compare_seeds(engines, cases, seeds):
    """One campaign and its eight shards, one of them killed, for each seed."""
    by_name = 0
    for seed in range(1, seeds + 1):
        with tempfile.TemporaryDirectory() as name:
            base = pathlib.Path(name)
            run(fuzz(base / "one", cases, engines=engines, seed=seed))
            part = shards(base, cases, engines=engines, seed=seed)
            merge(*part, out=base / "m", code=None)
            merge(*part, "--by-name", out=base / "n", code=None)
            check(names(base / "one") == names(base / "m"), f"seed {seed}: {names(base / 'one')}, merged {names(base / 'm')}")
            check(files(base / "one/findings") == files(base / "m/findings"), f"seed {seed}: other reports")
            by_name += sorted(names(base / "one")) == sorted(names(base / "n"))
            print(f"seed {seed}: {len(names(base / 'one'))} findings", flush=True)
    print(f"{' '.join(engines)}: {seeds} seeds, {len(failures)} differences; joined by name, {by_name} seeds had the same findings and counts")


def main():
    if len(sys.argv) > 2:
        compare_seeds(sys.argv[2].split(), int(sys.argv[3]), int(sys.argv[4]))
        print("\n".join(failures) or "every merge is as one campaign")
        return 1 if failures else 0
    with tempfile.TemporaryDirectory() as name:
        base = pathlib.Path(name)
        part = test_same(base)
        for test in (test_again, test_corpora, test_killed, test_codes, test_by_name, test_cross):
            test(base, part)
    print("\n".join(failures) or "merges are in order")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
