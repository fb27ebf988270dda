#!/usr/bin/env python3
"""Outcomes whose texts try to escape from each format are still read by the usual readers.

Usage: test_ci_formats.py WRITE_OUTCOMES [SARIF_VALIDATOR]
Exits with 77, a skip, only where junitparser is missing.  SARIF_VALIDATOR: npm's sarif-multitool, for the nightly run.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

try:
    import junitparser
except ImportError:
    junitparser = None

WRITE = sys.argv[1]
STATES = {"error", "new", "fixed", "expired", "no-reason", "no-case", "too-few", "fixed-allowed", "flaky", "known", "not-checked", "undecided", "unsupported", "passed"}
FAIL = {"error", "new", "fixed", "expired", "no-reason", "no-case", "too-few"}
ATTACKS = 31
RESULTS = 10  # states that become a result or an issue
ALL = ATTACKS * len(STATES) + 2
failures = []


def check(ok, message):
    if not ok:
        failures.append(message)


def written(name, further=0):
    """The text, checked for what no format may contain."""
    data = subprocess.run([WRITE, name, str(further)], stdout=subprocess.PIPE, check=True).stdout
    try:
        text = data.decode()
    except UnicodeDecodeError as e:
        check(False, f"{name}: {e}")
        text = data.decode(errors="replace")
    bad = re.findall("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufffe\uffff]", text)
    check(not bad, f"{name}: control characters {set(bad)}")
    check("##[" not in text or name in ("jsonl", "gitlab", "sarif"), f"{name}: ##[")
    commands = [line for line in text.split("\n") if line.lstrip().startswith("::")]
    check(not commands or name == "github", f"{name}: workflow commands {commands[:2]}")
    check(data == subprocess.run([WRITE, name, str(further)], stdout=subprocess.PIPE, check=True).stdout, f"{name}: two runs differ")
    return text


def test_github():
    lines = written("github").split("\n")
    commands = [line for line in lines if line.lstrip().startswith("::")]
    check(len(commands) == 20, f"github: {len(commands)} commands, not 10 errors and 10 warnings")
    for line in commands:
        # A property ends at a comma, and its value has no colon.
        match = re.fullmatch(r"::(error|warning) file=([^,:]*),line=1,title=([^,:]*)::(.*)", line)
        check(match, f"github: {line}")
        check(not match or not re.search(r"%(?!25|0D|0A|3A|2C)", match[2] + match[3] + match[4]), f"github: {line}")
    check(sum(line.startswith("FAIL ") for line in lines) == ATTACKS * len(FAIL) + 2 - 10, "github: the other failures are plain lines")


def test_gitlab():
    issues = json.loads(written("gitlab"))
    check(len(issues) == ATTACKS * RESULTS + 2, f"gitlab: {len(issues)} issues")
    for x in issues:
        check(set(x) == {"description", "check_name", "fingerprint", "severity", "location"}, f"gitlab: {x}")
        check(x["description"] and x["check_name"] and x["severity"] in ("info", "minor", "major", "critical", "blocker"), f"gitlab: {x}")
        check(x["location"]["lines"] == {"begin": 1} and x["location"]["path"], f"gitlab: {x}")
        check(not x["location"]["path"].startswith("./"), f"gitlab: {x['location']}")
    check({"a.json", "/etc/passwd"} <= {x["location"]["path"] for x in issues}, "gitlab: paths below the root")
    check(len({x["fingerprint"] for x in issues}) == len(issues), "gitlab: two issues have one fingerprint")


def test_tap():
    text = written("tap")
    program = """use TAP::Parser; local $/; my $p = TAP::Parser->new({tap => scalar <STDIN>}); $p->run;
        print join(",", $p->tests_planned, $p->tests_run, scalar $p->parse_errors, scalar $p->failed, scalar $p->todo, scalar $p->skipped, $p->version), "\\n";
        print "$_\\n" for $p->parse_errors;"""
    out = subprocess.run(["perl", "-e", program], input=text, stdout=subprocess.PIPE, check=True, text=True).stdout
    # A skipped test is ok; a TODO is no failure.
    want = f"{ALL},{ALL},0,{ATTACKS * len(FAIL) + 2},{ATTACKS * 3},{ATTACKS * 3},13"
    check(out.split("\n")[0] == want, f"tap: {out[:500]}, not {want}")
    check(re.match(r"TAP version 13\n1\.\.\d+\n", text), f"tap: begins with {text[:40]}")


def test_jsonl():
    text = written("jsonl")
    lines = [json.loads(line) for line in text.split("\n")[:-1]]
    check(text.splitlines() == text.split("\n")[:-1], "jsonl: a line is broken by other characters")
    check(len(lines) == ALL + 1, f"jsonl: {len(lines)} lines")
    check(all(x["schema"] == "adjudge.outcome/1" for x in lines), "jsonl: schema")
    check({x["state"] for x in lines[:-1]} == STATES, "jsonl: states")
    check(all(x["fails"] == (x["state"] in FAIL) for x in lines[:-1]), "jsonl: fails")
    end = lines[-1]
    check(end["event"] == "end" and end["exit_code"] == 1 and end["shard"] == "2/4" and sum(end["outcomes"].values()) == ALL, f"jsonl: {end}")


def test_junit():
    text = written("junit")
    root = xml.etree.ElementTree.fromstring(text)
    counts = {k: 0 for k in ("tests", "failures", "errors", "skipped")}
    for suite in root:
        for properties in suite.findall("properties"):
            check([(p.tag, p.get("name")) for p in properties] == [("property", "engine_version")], "junit: properties")
            suite.remove(properties)
        got = {"tests": len(suite), **{k: sum(len(c.findall(e)) for c in suite) for k, e in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))}}
        check({k: int(suite.get(k)) for k in got} == got, f"junit: suite {suite.attrib} holds {got}")
        for k, n in got.items():
            counts[k] += n
        check(all(c.tag == "testcase" and c.get("name") and c.get("classname") for c in suite), "junit: a test case without a name")
        check(all(e.tag in ("failure", "error", "skipped") and not len(e) for c in suite for e in c), "junit: an element of others")
    check({k: int(root.get(k)) for k in counts} == counts, f"junit: {root.attrib}, counted {counts}")
    check(counts["tests"] == ALL and counts["failures"] + counts["errors"] == ATTACKS * len(FAIL) + 2, f"junit: {counts}")
    check(len({s.get("name") for s in root}) == len(root), "junit: two suites have one name")
    if junitparser:
        read = junitparser.JUnitXml.fromstring(text.encode())
        got = {k: sum(getattr(s, k) for s in read) for k in counts}
        check(got == counts, f"junitparser: {got}, not {counts}")
        results = [r for s in read for c in s for r in c.result]
        check(len(results) == counts["failures"] + counts["errors"] + counts["skipped"], f"junitparser: {len(results)} results")


def check_result(x, rules):
    check(x["message"]["text"] and len(x["message"]["text"]) <= 1024, f"sarif: message {x['message']}")
    check(rules[x["ruleIndex"]]["id"] == x["ruleId"], f"sarif: rule {x['ruleId']}")
    check(x["level"] == rules[x["ruleIndex"]]["defaultConfiguration"]["level"], f"sarif: level {x['level']}")
    check(len(x["locations"]) == 1, "sarif: locations")
    place = x["locations"][0]["physicalLocation"]
    uri = place["artifactLocation"]["uri"]
    check(re.fullmatch(r"(file:///|(?!/))(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+", uri), f"sarif: uri {uri}")
    check(not uri.startswith("./"), f"sarif: uri {uri}")
    check(place["region"] == {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 2}, f"sarif: {place['region']}")
    check(set(x["partialFingerprints"]) == {"primaryLocationLineHash"}, "sarif: fingerprints")
    check(("suppressions" in x) == (x["ruleId"] == "adjudge/known"), "sarif: suppressions")


def test_sarif():
    for further, left_out in (0, 0), (6000, 6000 + ATTACKS * RESULTS + 2 - 5000):
        text = written("sarif", further)
        document = json.loads(text)
        check(document["$schema"] and document["version"] == "2.1.0" and len(document["runs"]) == 1, "sarif: root")
        run = document["runs"][0]
        driver = run["tool"]["driver"]
        check(driver["name"] == "adjudge" and re.fullmatch(r"\d+\.\d+\.\d+", driver["semanticVersion"]), f"sarif: {driver['name']}")
        for rule in driver["rules"]:
            check(rule["id"] and all(0 < len(rule[k]["text"]) <= 1024 for k in ("shortDescription", "fullDescription", "help")), f"sarif: {rule}")
        check(run["automationDetails"]["id"] == "adjudge-gate/shard-2/4/", f"sarif: {run['automationDetails']}")
        check(len(run["results"]) == min(5000, further + ATTACKS * RESULTS + 2), f"sarif: {len(run['results'])} results")
        for x in run["results"]:
            check_result(x, driver["rules"])
        invocation = run["invocations"][0]
        check(invocation["executionSuccessful"] is True and invocation["exitCode"] == 1, f"sarif: {invocation}")
        said = json.dumps(invocation.get("toolExecutionNotifications", []))
        check(str(left_out) in said if left_out else said == "[]", f"sarif: {said}")
        keys = [(x["ruleId"], x["partialFingerprints"]["primaryLocationLineHash"]) for x in run["results"]]
        check(len(set(keys)) == len(keys), "sarif: two results have one fingerprint")
        check(len(text) < 10 << 20, f"sarif: {len(text)} bytes")
        # Failures are kept, and what fails nothing is left out.
        check(not further or all(x["level"] == "error" for x in run["results"]), "sarif: a known finding takes the place of a new one")


def test_markdown():
    text = written("markdown", 6000)
    check(len(text.encode()) < 1 << 20, f"markdown: {len(text)} bytes")
    check("further rows are left out" in text, "markdown: nothing says that rows are left out")
    before, block = text.split("\n`````text\n")  # one more than the longest run of backticks
    check(block.endswith("\n`````\n") and block.count("\n`````\n") == 1, "markdown: the fence is broken")
    small = written("markdown").split("\n`````text\n")[0]
    for part in before, small:
        check(not re.search(r"<|(?<!\\)!\[|(?<!\\)\]\(|@|https?://|www\.|`", part), "markdown: markup of others")
        for line in part.split("\n"):
            check(not line.startswith("|") or line.count("|") in (4, 5), f"markdown: cells of {line[:80]}")
            check(not line or re.match(r"\||## adjudge gate: failed$|\d+ further", line), f"markdown: {line[:80]}")


def test_versions():
    """What an engine calls itself stands beside its findings."""
    for name in "github", "gitlab", "tap", "jsonl", "junit", "sarif":
        check("tool 1.2" in written(name, 4), f"{name}: no version of the engine")


def test_validator():
    """The validator of the format's makers, with GitHub's rules."""
    if not sys.argv[2:]:
        return
    with tempfile.TemporaryDirectory() as name:
        for further in 0, 6000:
            path = os.path.join(name, "x.sarif")
            with open(path, "w", encoding="utf-8") as f:
                f.write(written("sarif", further))
            done = subprocess.run([sys.argv[2], "validate", path, "--rule-kind", "Sarif;Ghas", "--log", "ForceOverwrite", "--output", os.path.join(name, "out.sarif")], capture_output=True, text=True)
            check(done.returncode == 0 and "Analysis completed successfully" in done.stdout and ": error " not in done.stdout, f"sarif-multitool: {done.returncode}: {done.stdout[-2000:]}")


def main():
    for test in test_github, test_gitlab, test_tap, test_jsonl, test_junit, test_sarif, test_markdown, test_versions, test_validator:
        test()
    print("\n".join(failures[:40]))
    print(f"{len(failures)} failures{'' if junitparser else '; junitparser is missing'}")
    return 1 if failures else 0 if junitparser else 77


sys.exit(main())
