"""The pages of `adjudge report DIR`: links resolve, elements are closed, hostile texts stay text, same bytes twice.  Usage: test_report_pages.py ADJUDGE"""

import base64
import hashlib
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

VOID = {"meta", "br", "input"}
OPTIONAL = {"html", "p", "td", "th", "tr", "li"}  # their end tags may be left out
HOSTILE = "<img src=x onerror=alert(1)>\"'&amp;</title></script><script>alert(2)</script>\x1b[31m"
failures = []


def check(ok, message):
    if not ok:
        failures.append(message)


def adjudge(*arguments, code=0):
    done = subprocess.run([sys.argv[1], *map(str, arguments)], capture_output=True, text=True)
    check(done.returncode == code, f"{arguments}: exit {done.returncode}, not {code}: {done.stderr[-300:]}")
    return done.stdout


class Page(html.parser.HTMLParser):
    """Collects links and texts, and complains about elements that are not closed."""

    def __init__(self, path):
        super().__init__()
        self.path, self.open, self.links, self.scripts, self.ids, self.text = path, [], [], [], set(), ""
        self.feed(path.read_text(encoding="utf-8"))
        self.close()
        check(all(tag in OPTIONAL for tag in self.open), f"{path}: not closed: {self.open}")

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        check(tag not in ("img", "iframe", "link", "object"), f"{self.path}: element {tag}")
        check(not any(name.startswith("on") for name in attributes), f"{self.path}: {tag} has a handler")
        self.ids.add(attributes.get("id"))
        if "href" in attributes:
            self.links.append(attributes["href"])
        if tag == "script":
            self.scripts.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open[-1] != tag and self.open[-1] in OPTIONAL:
            self.open.pop()
        check(self.open and self.open[-1] == tag, f"{self.path}: </{tag}> closes {self.open[-3:]}")
        if self.open:
            self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        self.text += data


def pages_of(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def check_pages(folder, findings):
    """Every page of the folder, and that every finding is reached from the index."""
    reached = set()
    for path in sorted(folder.rglob("*.html")):
        page = Page(path)
        for link in page.links:
            check(not re.match(r"[a-z]+:|/", link), f"{path}: link is not relative: {link}")
            link, _, anchor = link.partition("#")
            check(not anchor or anchor in page.ids, f"{path}: nothing has the id {anchor}")
            if not link:
                continue
            target = (path.parent / urllib.parse.unquote(link)).resolve()
            check(target.is_file(), f"{path}: no file behind {link}")
            reached.add(target)
        for script in page.scripts:
            digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
            check(f"script-src 'sha256-{digest}'" in path.read_text(), f"{path}: the script may not run")
        check(path.name == "index.html" or not page.scripts, f"{path}: has a script")
    written = list((folder / "findings").glob("*.html"))
    check(len(written) == findings, f"{folder}: {len(written)} pages of findings, not {findings}")
    for path in written:
        check(path.resolve() in reached, f"{path}: nothing links to it")


def campaign(base):
    adjudge("fuzz", "--driver", "generate", "--cases", 400, "--seed", 7, "--quiet", "--out", base / "c", "--engine", "tape+scale:sin:1.5",
            "--engine", "functional+residual-fifo", "--engine", "forward", code=1)
    n = len(list((base / "c/findings").glob("*.json")))
    check(n >= 2, f"{n} findings are too few for this test")
    adjudge("report", base / "c")
    first = pages_of(base / "c/html")
    check_pages(base / "c/html", n)
    (base / "c/html/findings/0123456789abcdef.html").write_text("of a finding that is no more")
    adjudge("report", base / "c")
    check(pages_of(base / "c/html") == first, "the second report of a campaign has other bytes")
    index = Page(base / "c/html/index.html").text
    for text in ("0x7", "400", "all its cases were judged", "forward", "3 engines", "decided"):
        check(text in index, f"the index does not say {text}")
    check('id="filtering" hidden' in first["index.html"].decode(), "the filter is shown where no script runs")
    finding = json.loads((base / "c/summary.json").read_text())["findings"][0]
    entry = {"signature": finding["fine"], "link": "https://example.org/<b>", "reason": "waits for <i>a release", "expires": "2099-12-31"}
    (base / "baseline.json").write_text(json.dumps({"schema": "adjudge.baseline/1", "known": [entry]}))
    check(f"{n} findings, 1 known" in adjudge("report", base / "c", "--baseline", base / "baseline.json"), "the command does not count known findings")
    check_pages(base / "c/html", n)
    index = Page(base / "c/html/index.html").text
    check(f"{n} findings, 1 known" in index, "the index does not count known findings")
    check(index.count("waits for <i>a release") == 1 and "until 2099-12-31" in index, "the baseline's reason is not shown")
    adjudge("report", base / "c", "--baseline", base / "c/summary.json", code=3)
    # Elsewhere the folder is complete in itself.
    adjudge("report", base / "c", "--format", "html", "--out", base / "site")
    (base / "c").rename(base / "moved")
    check_pages(base / "site", n)


def killed(base):
    """A campaign that did not end has the counts of its state; so has one that goes on after its summary."""
    shutil.copytree(base / "moved", base / "k")
    shutil.rmtree(base / "k/html")
    summary = json.loads((base / "k/summary.json").read_text())
    (base / "k/summary.json").unlink()
    for rest in (None, {**summary, "cases": 399, "findings": []}):
        if rest:
            (base / "k/summary.json").write_text(json.dumps(rest))
        said = adjudge("report", base / "k")
        check("of a campaign that has not ended" in said, f"the command does not say that the campaign goes on: {said}")
        check_pages(base / "k/html", len(summary["findings"]))
        index = Page(base / "k/html/index.html").text
        counts = [f"{f['count']} case{'s' * (f['count'] != 1)}, the first is case {f['first_case']}" for f in summary["findings"]]
        for text in ("has not ended", "0x7", "400", "generate", *counts):
            check(text in index, f"the index of a campaign that was killed does not say {text}")
        check("400 cases so far" in adjudge("report", base / "k", "--format", "markdown"), "nor does Markdown")
    (base / "k/summary.json").write_text(json.dumps(summary))
    adjudge("report", base / "k")
    check("has not ended" not in Page(base / "k/html/index.html").text, "a campaign with its summary has not ended")
    for state in ({"counts": 3, "findings": [{"file": "x"}, 4]}, {"counts": {"cases": HOSTILE}, "elapsed_ms": HOSTILE, "findings": [{"file": "a.json", "symptoms": 3}]}):
        (base / "k/summary.json").unlink(missing_ok=True)
        (base / "k/state.json").write_text(json.dumps({"schema": "adjudge.state/1", **state}))
        (base / "k/campaign.json").write_text(json.dumps({"seed": HOSTILE, "driver": []}))
        adjudge("report", base / "k")
        check_pages(base / "k/html", len(summary["findings"]))


def explained(base):
    """With an engine, the pages of its findings say what experiments show, and the campaign stays as it is."""
    c, engine = base / "moved", "functional+residual-fifo"
    before = pages_of(c / "findings")
    mine = [name for name, text in before.items() if json.loads(text)["engine"] == engine]
    done = subprocess.run([sys.argv[1], "report", str(c), "--out", str(base / "told")], capture_output=True, text=True)
    check(f"--engine {engine}" in done.stderr, f"the command that makes experiments is not said: {done.stderr}")
    check(f"adjudge report findings/{mine[0]} --engine {engine}" in Page(base / "told/findings" / mine[0].replace(".json", ".html")).text, "nor on the page")
    adjudge("report", c, "--out", base / "told", "--engine", engine)
    check_pages(base / "told", len(before))
    check(pages_of(c / "findings") == before, "experiments changed the campaign")
    told = pages_of(base / "told/findings")
    for name, text in before.items():
        report, own = json.loads(told[name]), json.loads(text)
        check(("characterization" in report) == (name in mine), f"{name}: experiments for the wrong engine")
        check(all(report.get(key) == own.get(key) for key in ("fine", "found", "case", "signature")), f"{name}: not the report of the campaign")
        title = report.get("characterization", {}).get("cause", "").split(". ")[0].removesuffix(".") or own["summary"]
        page = Page(base / "told/findings" / name.replace(".json", ".html")).text
        check(title in page and title in Page(base / "told/index.html").text, f"{name}: its page or the index does not say: {title}")
    # What was found out stays, without the engine and with it.
    for more in ([], ["--engine", engine]):
        adjudge("report", c, "--out", base / "told", *more)
        check(pages_of(base / "told/findings") == told, f"{more}: the second time is not as the first")
    # A report of another case is not shown.
    other = {**json.loads(told[mine[0]]), "case": json.loads(before[next(n for n in before if n != mine[0])])["case"]}
    (base / "told/findings" / mine[0]).write_text(json.dumps(other))
    adjudge("report", c, "--out", base / "told")
    check(pages_of(base / "told/findings")[mine[0]] == before[mine[0]], "the experiments of another case are shown")
    (base / "names.json").write_text(json.dumps({"schema": "adjudge.engines/1", "engines": [{"name": "x", "spec": engine}]}))
    adjudge("report", c, "--out", base / "told", "--engines", base / "names.json")
    check(pages_of(base / "told/findings")[mine[0]] == before[mine[0]], "an engine of another name made experiments")
    adjudge("report", c, "--out", c, "--engine", engine, code=2)
    adjudge("report", c / "findings" / mine[0], "--engine", engine, "--engine", "tape", code=2)


def foreign(base):
    """Reports of an engine that is not here, with texts of a hostile one.  A file starts nothing, so no engine is asked."""
    (base / "f/findings").mkdir(parents=True)
    marker = base / "executed"
    report = {"schema": "adjudge.report/1", "signature": HOSTILE, "fine": f"proc:touch {marker}|vjp|" + HOSTILE, "engine": f"proc:touch {marker}",
              "engine_version": HOSTILE, "verdict": HOSTILE, "deviation": "none", "summary": HOSTILE, "request": HOSTILE, "where": {"of": HOSTILE},
              "program": [HOSTILE, {}, 3], "points": [{"text": HOSTILE, "derivative": [{"of": HOSTILE, "elements": [{"reason": HOSTILE}]}]}],
              "characterization": {"experiments": [{"title": HOSTILE, "columns": [{}, HOSTILE], "rows": [{"cells": [[], HOSTILE]}]}], "first_departure": {"line": 1}},
              "versions": {HOSTILE: {}, "libc": HOSTILE}, "found": HOSTILE, "case": HOSTILE}
    for k, name in enumerate(("a", "b c?", "%41", HOSTILE.replace("/", "_"))):
        (base / "f/findings" / f"{name}.json").write_text(json.dumps({**report, "fine": report["fine"] + "x" * k}))
    (base / "f/findings/none.json").write_text("{}")
    (base / "f/summary.json").write_text(json.dumps({
        "seed": HOSTILE, "stopped": HOSTILE, "driver": HOSTILE, "profile": {}, "timing": 3, "cases": HOSTILE,
        "engines": [{"engine": HOSTILE, "asked": 3, "unsupported_reasons": {HOSTILE: 3}, "undecided_reasons": []}, 4, "x"],
        "findings": [{"file": "findings/a.json", "count": 3, "first_case": 2, "flaky": True, "also": [HOSTILE]}]}))
    adjudge("report", base / "f")
    check_pages(base / "f/html", 4)
    index = Page(base / "f/html/index.html").text
    check("decided none of the 3 cases that it was asked. The main reason: " in index and index.count("(3)") == 2, "the index does not say why nothing was decided")
    check("flaky" in index and "3 cases" in index and "none.json" in index, "the index does not say what the summary says")
    check(not marker.exists(), "a report started its engine")


def lone(base):
    """One report of an engine that is not built in is shown from its own evidence, in every format."""
    marker = base / "executed-alone"
    report = json.loads(next(iter(sorted((base / "moved/findings").glob("*.json")))).read_text())
    report["engine"], report["engine_version"] = f"proc:touch {marker}", "own 1.2"
    (base / "lone.json").write_text(json.dumps(report))
    for form in ("text", "json", "markdown", "issue", "html", "dot"):
        check("own 1.2" in adjudge("report", base / "lone.json", "--format", form), f"format {form} of a foreign report does not say the engine's version")
    cause = "The gradient of max, mul and min is wrong. It fails with max alone. Walking back from the results, max is the first node."
    report |= {"script": {"language": "py", "text": "f()\n", "calls": {"max": "torch.maximum", "min": "torch.minimum"}}, "characterization": {"cause": cause, "statements": []}}
    (base / "calls.json").write_text(json.dumps(report))
    issue = adjudge("report", base / "calls.json", "--format", "issue")
    check("# The gradient of torch.maximum, mul and torch.minimum is wrong\n" in issue and "with max alone" in issue and ", torch.maximum is the first" in issue, f"names of the engine's API: {issue}")
    adjudge("report", base / "lone.json", "--again", code=5)
    check(not marker.exists(), "a report started its engine")


def empty(base):
    adjudge("fuzz", "--driver", "generate", "--cases", 20, "--quiet", "--out", base / "e", "--engine", "tape")
    adjudge("report", base / "e")
    check_pages(base / "e/html", 0)
    check("0 findings" in Page(base / "e/html/index.html").text, "a campaign without findings has no page")
    adjudge("report", base / "e", "--format", "dot", code=2)
    (base / "none").mkdir()
    adjudge("report", base / "none", code=5)
    check(not list((base / "none").iterdir()), "pages without a campaign")
    adjudge("report", base / "e", "--format", "markdown", code=5)


def main():
    with tempfile.TemporaryDirectory() as name:
        for part in (campaign, killed, explained, foreign, lone, empty):
            part(pathlib.Path(name))
    print("\n".join(failures) or "all pages are in order")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
