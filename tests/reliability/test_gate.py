#!/usr/bin/env python3
"""The gate as a CI job uses it: exit codes, baselines, shards, processes, files for CI systems, and engines that attack a log.

Usage: test_gate.py ADJUDGE SOURCE
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ADJUDGE, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
DOCUMENTS = SOURCE / "corpus/documents"
WRONG = "functional+residual-fifo"
LIMIT = 900  # seconds; generous
failures = []


def check(ok, message):
    if not ok:
        failures.append(message)


class Run:
    def __init__(self, here, *args, env=None):
        self.args = args
        done = subprocess.run([ADJUDGE, *map(str, args)], cwd=here, capture_output=True, stdin=subprocess.DEVNULL, timeout=LIMIT, check=False, env=env)
        self.code, self.bytes, self.error = done.returncode, done.stdout + done.stderr, done.stderr.decode(errors="replace")
        self.out = done.stdout.decode(errors="replace")

    def expect(self, code, *says):
        check(self.code == code, f"{' '.join(map(str, self.args))}: exit {self.code}, not {code}\n{self.out[-600:]}{self.error[-600:]}")
        for text in says:
            check(text in self.out + self.error, f"{' '.join(map(str, self.args))}: does not say {text!r}\n{self.out[-600:]}{self.error[-600:]}")
        return self


def entry(signature, **more):
    return {"signature": signature, "link": "https://example.org/1", "reason": "a test", "expires": "2999-12-31", **more}


def write_baseline(path, *entries):
    path.write_text(json.dumps({"schema": "adjudge.baseline/1", "known": list(entries)}))


def read_baseline(path):
    return json.loads(path.read_text())["known"]


def make_place(root):
    """A project with two cases on which WRONG is wrong, and one on which it is right."""
    here = pathlib.Path(tempfile.mkdtemp(dir=root))
    (here / "cases/deep").mkdir(parents=True)
    for name, to in (("nx-while-acc-mul-x-n3.json", "cases/loop.json"), ("nx-while-acc-mul-x-n2.json", "cases/deep/loop.json"),
                     ("book-sine-chain.json", "cases/sine.json")):
        case = json.loads((DOCUMENTS / name).read_text())
        case.pop("expect", None)
        (here / to).write_text(json.dumps(case))
    write_baseline(here / "known.json")
    return here


LOOP = f"{WRONG}|vjp|wrong|finite"
# What the baseline says; further arguments; the exit code; what is printed.
MATRIX = [
    ("new", [], [], 1, [f"FAIL cases/loop.json: {LOOP}: wrong: expected"]),
    ("known", [entry(LOOP)], [], 0, [f"known cases/loop.json: {LOOP} (https://example.org/1)", "2 known, 0 failures"]),
    ("known by its path", [entry(LOOP, case="cases/loop.json"), entry(LOOP, case="deep/loop.json")], [], 0, ["2 known, 0 failures"]),
    ("one of two is known", [entry(LOOP, case="deep/loop.json")], [], 1, ["FAIL cases/loop.json", "1 known, 1 failure"]),
    ("the end of a path is whole names", [entry(LOOP, case="oop.json")], [], 1, ["of a case that is not here: oop.json"]),
    ("fixed", [entry(LOOP), entry(f"{WRONG}|vjp|wrong|zero")], [], 1, ["no longer fails; remove this line from the baseline: {\"signature\": \"" + WRONG]),
    ("fixed, on line 4", '{"schema": "adjudge.baseline/1",\n "known": [\n' + json.dumps(entry(LOOP, reason='a "{[\\ reason')) + ",\n" + json.dumps(entry(f"{WRONG}|vjp|wrong|zero")) + "]}", [], 1,
     [f"FAIL known.json:4: {WRONG}|vjp|wrong|zero: known finding no longer fails"]),
    ("fixed, allowed", [entry(LOOP), entry(f"{WRONG}|vjp|wrong|zero")], ["--allow-fixed"], 0, ["warning known.json", "2 known, 0 failures"]),
    ("expired", [entry(LOOP, expires="2001-01-01")], [], 1, ["known finding expired on 2001-01-01"]),
    ("without a reason", [entry(LOOP, reason="")], [], 1, ["known finding without a reason"]),
    ("a reason of blanks", [entry(LOOP, reason=" \n")], [], 1, ["known finding without a reason"]),
    ("without a link", [entry(LOOP, link="")], [], 0, ["known cases/loop.json: " + LOOP + " (a test)"]),
    ("another engine", [entry(LOOP), entry("tape|vjp|wrong|zero")], [], 0, ["not checked known.json:1: tape|vjp|wrong|zero"]),
    ("a request nobody decides", [entry(LOOP), entry(f"{WRONG}|vjp|crash|none", case="absent.json")], [], 1, ["not here: absent.json"]),
    ("no baseline", None, [], 1, ["2 failures"]),
    ("a bad flag", [], ["--bad"], 2, ["unknown or ambiguous option --bad"]),
    ("a bad format", [], ["--format", "junit"], 2, ["no format 'junit'"]),
    ("two baselines", [], ["--update-baseline", "known.json"], 2, ["only one of"]),
    ("a bad shard", [], ["--shard", "0/2"], 2, ["--shard is I/N"]),
    ("a shard above", [], ["--shard", "3/2"], 2, ["--shard is I/N"]),
    ("a shard of words", [], ["--shard", "1/2x"], 2, ["--shard is I/N"]),
    ("a bad case", [], ["absent.json"], 3, ["absent.json"]),
    ("an unreadable case", [entry(LOOP)], ["known.json"], 3, ["FAIL known.json"]),
    ("a bad baseline", "no JSON", [], 3, ["known.json"]),
    ("an entry twice", [entry(LOOP), entry(LOOP)], [], 3, ["the same finding as known[0]"]),
    ("a verdict at the end", [entry("mine|jvp|wrong")], [], 3, ["known[0].signature: no finding has it; that of a case is engine|request|verdict|deviation"]),
    ("an unknown deviation", [entry("mine|jvp|wrong|sine")], [], 3, ["known[0].signature: no finding has it"]),
    ("an impossible date", [entry(LOOP, expires="2026-02-30")], [], 3, ["not a date"]),
    ("an engine that is missing", [entry(LOOP)], ["--engine", "proc:/no/such/engine"], 4, ["/no/such/engine"]),
    ("an engine that decides nothing", [entry(LOOP)], ["--engine", "forward"], 5, ["forward: asked 0"]),
    ("an engine that crashes", [entry(LOOP)], ["--engine", "tape+crash"], 1, ["tape+crash|vjp|crash"]),
    ("a file that cannot be written", [entry(LOOP)], ["--junit", "no/such/folder/x.xml"], 4, ["no/such/folder"]),
]


def test_matrix(root):
    for name, baseline, more, code, says in MATRIX:
        here = make_place(root)
        if isinstance(baseline, str):
            (here / "known.json").write_text(baseline)
        elif baseline is not None:
            write_baseline(here / "known.json", *baseline)
        known = [] if baseline is None else ["--baseline", "known.json"]
        run = Run(here, "gate", "cases", "--engine", WRONG, *known, *more)
        before = len(failures)
        run.expect(code, *says)
        failures[before:] = [f"{name}: {x}" for x in failures[before:]]
        # A refusal comes before anything is judged.
        check(code != 2 or not run.out, f"{name}: prints {run.out[:100]}")
    Run(make_place(root), "gate", "known.json").expect(3)
    empty = pathlib.Path(tempfile.mkdtemp(dir=root))
    Run(empty, "gate", empty).expect(5, "0 cases")


def test_life_of_a_baseline(root):
    here = make_place(root)
    # A finding is written into a new baseline, and nothing is accepted until a person gives a reason.
    Run(here, "gate", "cases", "--engine", WRONG, "--write-baseline", "mine.json").expect(1, "2 entries are new", "write a reason")
    entries = read_baseline(here / "mine.json")
    check([(x["signature"], x["case"], x["reason"], x["link"]) for x in entries] == [(LOOP, "deep/loop.json", "", ""), (LOOP, "cases/loop.json", "", "")], f"{entries}")
    check(all(re.fullmatch(r"\d{4}-\d\d-\d\d", x["expires"]) for x in entries), f"{entries}")
    before = (here / "mine.json").read_bytes()
    Run(here, "gate", "cases", "--engine", WRONG, "--write-baseline", "mine.json").expect(2, "exists and is not replaced")
    check((here / "mine.json").read_bytes() == before, "--write-baseline changed a file")
    Run(here, "gate", "cases", "--engine", WRONG, "--baseline", "mine.json").expect(1, "without a reason", "2 known, 2 failures")
    for x in entries:
        x.update(reason="a slow fix", link="https://example.org/7", expires="2999-01-02")
    write_baseline(here / "mine.json", *entries)
    Run(here, "gate", "cases", "--engine", WRONG, "--baseline", "mine.json").expect(0)
    # Nothing changes: the entries stay as they are, each on a line of its own.
    Run(here, "gate", "cases", "--engine", WRONG, "--update-baseline", "mine.json").expect(0, "0 entries are new, 0 are removed")
    check(read_baseline(here / "mine.json") == entries, "an update without a change")
    check(sum("signature" in line for line in (here / "mine.json").read_text().splitlines()) == 2, "an entry is not one line")
    # One more case fails, and one is fixed.
    shutil.copy(here / "cases/loop.json", here / "cases/another.json")
    shutil.copy(here / "cases/sine.json", here / "cases/deep/loop.json")
    run = Run(here, "gate", "cases", "--engine", WRONG, "--baseline", "mine.json").expect(1, "remove this line from the baseline", "FAIL cases/another.json")
    line = re.search(r"remove this line from the baseline: (.*)", run.out)
    check(line and json.loads(line[1]) == entries[0], f"the line to remove: {line and line[1]}")
    # A baseline as adjudge writes it has that very line.
    shutil.copy(here / "mine.json", here / "again.json")
    Run(here, "gate", "cases/loop.json", "--engine", WRONG, "--update-baseline", "again.json")
    check(line and line[1] in (here / "again.json").read_text(), f"no such line: {line and line[1]}")
    (here / "again.json").unlink()
    Run(here, "gate", "cases", "--engine", WRONG, "--update-baseline", "mine.json").expect(1, "1 entries are new, 1 are removed")
    after = read_baseline(here / "mine.json")
    check(after[0] == entries[1] and len(after) == 2 and after[1]["case"] == "another.json" and after[1]["reason"] == "", f"after an update: {after}")
    # An entry about an engine or a case that was not asked is kept.
    write_baseline(here / "mine.json", entries[1], entry("tape|vjp|wrong|zero"), entry("truth|vjp|unmet", case="gone.json"))
    Run(here, "gate", "cases/loop.json", "--engine", WRONG, "--update-baseline", "mine.json").expect(1)
    check([x["signature"] for x in read_baseline(here / "mine.json")] == [LOOP, "tape|vjp|wrong|zero", "truth|vjp|unmet"], "an entry that was not checked is gone")
    # What cannot be read is not replaced.
    (here / "mine.json").write_text("{")
    Run(here, "gate", "cases", "--engine", WRONG, "--update-baseline", "mine.json").expect(3)
    check((here / "mine.json").read_text() == "{", "a file that is no baseline was replaced")
    check(sorted(p.name for p in here.iterdir()) == ["cases", "known.json", "mine.json"], f"left over: {sorted(here.iterdir())}")


def test_shards(root):
    here = make_place(root)
    write_baseline(here / "known.json", entry(LOOP, case="cases/loop.json"), entry(LOOP, case="deep/loop.json"), entry(f"{WRONG}|vjp|wrong|zero", case="sine.json"))
    whole = [x for x in lines_of(Run(here, "gate", "cases", "--engine", WRONG, "--format", "jsonl", "--baseline", "known.json").expect(1)) if x["event"] == "outcome"]
    parts = []
    for i in 1, 2, 3, 4:
        # In one shard the entry of sine.json is fixed; in the others it is not stale.
        run = Run(here, "gate", "cases", "--engine", WRONG, "--format", "jsonl", "--baseline", "known.json", "--shard", f"{i}/4")
        part = lines_of(run)
        fixed = any(x["event"] == "outcome" and x["state"] == "fixed" for x in part)
        check(run.code == (1 if fixed else 0), f"shard {i}: exit {run.code}\n{run.out}")
        parts += [x for x in part if x["event"] == "outcome"]
    check(sorted(map(json.dumps, whole)) == sorted(map(json.dumps, parts)), f"the shards together are not the whole: {parts}")
    # A shard whose case nobody can answer is no error; the whole gate decides.
    Run(here, "gate", "cases", "--engine", "forward", "--shard", "1/2").expect(0)
    Run(here, "gate", "cases", "--engine", "forward").expect(5)


def lines_of(run):
    return [json.loads(line) for line in run.out.splitlines()]


def test_jobs(root):
    """The same bytes on both streams for any number of processes, with bad files, crashes and engines that cases name."""
    here = make_place(root)
    for name in ("crash.json", "hang.json"):
        if name != "hang.json":
            shutil.copy(SOURCE / "corpus/zoo" / name, here / "cases" / name)
    for k, path in enumerate(sorted(DOCUMENTS.glob("nx-*.json"))[:12]):
        shutil.copy(path, here / "cases" / f"{k}.json")
    (here / "cases/bad.json").write_text("{")
    (here / "cases/none.json").write_text((here / "cases/loop.json").read_text()[:-1] + ', "expect": [{"engine": "no-such", "verdict": "agree"}]}')
    for more in ([], ["--engine", WRONG, "--engine", "tape+crash"]):
        runs = [Run(here, "gate", "cases", *more, "--jobs", n) for n in (1, 2, 3, 20)]
        for run in runs:
            check(run.code == 3, f"{run.args}: exit {run.code}")
            check(run.bytes == runs[0].bytes, f"{run.args}: other bytes than with one process\n{run.out[-900:]}\n---\n{runs[0].out[-900:]}")
    one = Run(here, "gate", "cases", "--jobs", "2", "--engine", "proc:/no/such/engine").expect(4)
    check(one.error == Run(here, "gate", "cases", "--jobs", "1", "--engine", "proc:/no/such/engine").error, f"{one.error}")
    Run(here, "gate", "cases", "--jobs", "x").expect(2)


def test_conform(root):
    """Findings of a sweep: in a baseline, fixed, in other shards, and outside of what was asked for."""
    here = make_place(root)
    sweep = ["conform", "--quiet", "--cases", "1", "--seed", "2"]  # no case of mul has a sin
    wrong = [*sweep, "--op", "sin", "--op", "mul", "--engine", "mine=tape+scale:sin:1.5"]
    Run(here, *wrong, "--write-baseline", "mine.json", "--junit", "j.xml", "--sarif", "s.sarif", "--summary", "s.md").expect(1)
    entries = read_baseline(here / "mine.json")
    check(entries and all(re.fullmatch(r"sin-vjp-\w+-(edge|inside)\.json", x["case"]) for x in entries), f"{entries}")
    suite = xml.etree.ElementTree.parse(here / "j.xml").getroot()
    check(int(suite.get("failures")) == len(entries) and int(suite.get("tests")) == 16, f"{suite.attrib}")
    check(len(json.loads((here / "s.sarif").read_text())["runs"][0]["results"]) == len(entries), "conform: results of SARIF")
    for x in entries:
        x["reason"] = "a test"
    write_baseline(here / "mine.json", *entries)
    Run(here, *wrong, "--baseline", "mine.json", "--out", "found").expect(0, "known found/sin-vjp")
    right = [*sweep, "--engine", "mine=tape", "--baseline", "mine.json"]
    Run(here, *right, "--op", "sin").expect(1, "remove this line from the baseline")
    Run(here, *right, "--op", "sin", "--allow-fixed").expect(0)
    Run(here, *right, "--op", "mul").expect(0)  # nothing is known about sin
    Run(here, *right, "--op", "mul", "--format", "yaml").expect(2, "no format 'yaml'; there are text, json, markdown, html, github")
    # All shards together sweep each op once.
    small = [*sweep, "--engine", "tape", "--dtype", "f64", "--format", "jsonl"]
    whole = lines_of(Run(here, *small).expect(0))
    parts = [x for i in (1, 2, 3) for x in lines_of(Run(here, *small, "--shard", f"{i}/3").expect(0))]
    names = [[x["path"] for x in lines if x["event"] == "outcome"] for lines in (whole, parts)]
    check(len(names[0]) > 90 and sorted(names[0]) == sorted(names[1]), f"conform: {len(names[0])} cells, {len(names[1])} in shards")


def test_campaign(root):
    """A finding of a campaign is accepted by a baseline; what a campaign does not meet is not fixed."""
    here = make_place(root)

    def fuzz(out, *more, engine=WRONG):
        return Run(here, "fuzz", "--driver", "generate", "--cases", "10", "--quiet", "--engine", engine, "--out", out, *more)

    fuzz("a", "--write-baseline", "mine.json").expect(1, "entries are new")
    entries = read_baseline(here / "mine.json")
    check(entries and all("case" not in x and x["signature"].startswith(WRONG + "|") for x in entries), f"{entries}")
    fuzz("b", "--baseline", "mine.json").expect(1, "without a reason")
    for x in entries:
        x["reason"] = "a test"
    write_baseline(here / "mine.json", *entries, entry(f"{WRONG}|vjp|never"))
    fuzz("c", "--baseline", "mine.json", "--junit", "j.xml", "--sarif", "s.sarif", "--summary", "s.md").expect(0, "known c/findings/")
    xml.etree.ElementTree.parse(here / "j.xml")
    results = json.loads((here / "s.sarif").read_text())["runs"][0]["results"]
    check(len(results) == len(entries) and all(x["ruleId"] == "adjudge/known" for x in results), f"{results}")
    check("## adjudge fuzz: passed" in (here / "s.md").read_text(), "the summary of a campaign")
    write_baseline(here / "mine.json", *[{**x, "expires": "2001-01-01"} for x in entries])
    fuzz("d", "--baseline", "mine.json").expect(1, "expired on 2001-01-01")
    fuzz("e", "--baseline", "known.json", "--format", "tap").expect(1, "not ok 1 - e/findings/")
    fuzz("f", "--format", "jsonl", engine="functional").expect(0, '"state":"passed"')
    mute = f"proc:{ADJUDGE} worker --engine tape | sed -u '1s/{{/{{\"ops\":[\"mull\"],/'"
    fuzz("g", "--format", "jsonl", "--min-decided", "90", engine=mute).expect(5, '"state":"too-few"')
    fuzz("s", "--format", "jsonl", "--min-decided", "90", "--shard", "2/3", engine=mute).expect(0, '"shard":"2/3"')
    fuzz("h", "--format", "html").expect(2, "no format 'html'")
    fuzz("i", "--write-baseline", "mine.json").expect(2, "exists")
    check(not (here / "h").exists() and not (here / "i").exists(), "a refused campaign has made its directory")
    fuzz("k", "--baseline", "absent.json").expect(3, "absent.json")


# An engine that answers through a built-in one, and says things to whoever reads a log.
HOSTILE = r"""
import json, os, subprocess, sys
how = sys.argv[1]
worker = subprocess.Popen([ADJUDGE, "worker", "--engine", "tape"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
evil = "\n::error file=x::gotcha\n  ::add-mask::a\r\n##[error]x\x1b[31m\x1b]0;title\x07 ]]><failure/> <script>alert(1)</script> a|b `c`"
hello = json.loads(worker.stdout.readline())
if how == "name":
    hello["name"] = hello["version"] = evil
print(json.dumps(hello), flush=True)
for line in sys.stdin:
    sys.stderr.write(evil + "\n")
    if how == "noise":
        while True:
            os.write(1, b"x" * 65536)  # without a newline
    if how == "stderr":
        for _ in range(40):
            os.write(2, b"::error::noise " * 4096)
    worker.stdin.write(line)
    worker.stdin.flush()
    answer = json.loads(worker.stdout.readline())
    if how == "refuse":
        answer = {k: answer[k] for k in answer if k == "id"}
        answer.update(status="unsupported", text=evil, message=evil, error=evil)
    if how == "garbage":
        print(evil, flush=True)
        continue
    if how == "die":
        os.abort()
    print(json.dumps(answer), flush=True)
"""


def check_log(name, data):
    check(b"\x1b" not in data and b"\r" not in data, f"{name}: escapes or carriage returns")
    check(len(data) <= 64 << 10, f"{name}: a log of {len(data)} bytes")
    commands = [x for x in data.split(b"\n") if x.lstrip().startswith(b"::") and not re.match(rb"::(error|warning) file=[^,:]*,line=1,title=[^,:]*::", x)]
    check(not commands and b"##[" not in data, f"{name}: commands {commands[:3]}")


def test_hostile_engines(root):
    here = make_place(root)
    (here / "engine.py").write_text(f"ADJUDGE = {ADJUDGE!r}\n" + HOSTILE)
    evil = here / "cases" / "::error::x <script>|`a`]]>.json"
    shutil.copy(here / "cases/loop.json", evil)
    for how in ("name", "noise", "stderr", "refuse", "garbage", "die"):
        spec = f"proc:exec '{sys.executable}' engine.py {how}"
        run = Run(here, "gate", evil, "cases/sine.json", "--engine", spec, "--junit", "j.xml", "--sarif", "s.sarif", "--summary", "s.md")
        check(run.code in (0, 1, 5), f"{how}: exit {run.code}\n{run.error}")
        check_log(how, run.bytes)
        xml.etree.ElementTree.parse(here / "j.xml")
        json.loads((here / "s.sarif").read_text())
        for path in "j.xml", "s.sarif", "s.md":
            check_log(f"{how} {path}", (here / path).read_bytes())
        check("<script" not in (here / "s.md").read_text() + (here / "j.xml").read_text(), f"{how}: a script")
    for form in "github", "gitlab", "tap", "jsonl":
        run = Run(here, "gate", "cases", "--engine", f"proc:exec '{sys.executable}' engine.py garbage", "--format", form)
        check_log(form, run.out.encode())


def test_plain(root):
    """No escape and no carriage return on a pipe, whatever the terminal is said to be."""
    here = make_place(root)
    for more in ({"TERM": "xterm"}, {"TERM": "dumb"}, {"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": ""}):
        env = {k: v for k, v in os.environ.items() if k not in ("TERM", "NO_COLOR")} | more
        for args in (["gate", "cases", "--engine", WRONG], ["gate", "cases", "--engine", WRONG, "--jobs", "2", "--format", "github"],
                     ["conform", "--engine", "tape", "--op", "sin", "--cases", "1"],
                     ["fuzz", "--engine", WRONG, "--driver", "generate", "--cases", "20", "--out", tempfile.mkdtemp(dir=root)]):
            run = Run(here, *args, env=env)
            check(b"\x1b" not in run.bytes and b"\r" not in run.bytes, f"{more} {args}: escapes")


def main():
    with tempfile.TemporaryDirectory() as root:
        for test in test_matrix, test_life_of_a_baseline, test_shards, test_jobs, test_conform, test_campaign, test_hostile_engines, test_plain:
            test(root)
    print("\n".join(failures[:30]))
    print(f"{len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
