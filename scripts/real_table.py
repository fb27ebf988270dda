#!/usr/bin/env python3
"""Writes the table of corpus/real/README.md from corpus/real/defects.jsonl, where each line is a defect, and its lines about the scripts in issues/.

Usage: scripts/real_table.py [--check]   with --check it writes nothing, and fails if the table is another one"""
import json
import re
import statistics
import sys

import real_corpus
import real_issues

HEAD = ["| engine, version | program, request | expected | returned | case | upstream |", "|---|---|---|---|---|---|"]
STATUS = re.compile("open|documented|fixed in [0-9a-f.]+")


def upstream(link):
    """A link to a thread of GitHub, by the name of its repository and its number, or to a file there."""
    repository, number, file = re.fullmatch(r"https://github\.com/[^/]+/([^/]+)/(?:(?:issues|pull)/(\d+)|blob/\S+/([^/]+))", link["link"]).groups()
    text = f"[{file or repository + '#' + number}]({link['link']})" + (f" ({link['note']})" if "note" in link else "")
    return text if link["is"] == "same" else f"related: {text}"


def engine(e):
    return e["name"] + " " + ", ".join(e["faulty"] + ([e["where"]] if "where" in e else []))


def row(d):
    known = [upstream(link) for link in d["upstream"]] if d["upstream"] != "not reported" else []
    cells = ["; ".join(map(engine, d["engines"])), d["program"], d["expected"], d["returned"],
             ", ".join(f"[{c.get('name', c['file'].removesuffix('.json'))}]({c['file']})" for c in d["cases"]),
             "; ".join(known + ([d["status"]] if d["status"] != "open" else []))]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def of_scripts(folder):
    """How long the scripts in issues/ are."""
    lines = {name: (len(real_issues.lines_in(folder / "issues" / name)), d.get("longer")) for d, _, name in real_issues.unreported()}
    counts = [n for n, _ in lines.values() if n]
    longer = [f"- [{name.removesuffix('.md')}](issues/{name}): {n} lines; {why}" for name, (n, why) in lines.items() if n > real_issues.MOST_LINES]
    return [f"Of {len(lines)} issues, {len(counts)} have a script, {len(counts) - len(longer)} of them one of at most {real_issues.MOST_LINES} lines; the median is "
            f"{statistics.median(counts):.0f}. These are longer:", "", *longer]


def repeated_keys(path):
    """What adjudge would refuse to read: a key twice in one object of a line."""
    found = []

    def take(pairs):
        keys = [key for key, _ in pairs]
        found.extend(f"{path.name}: key '{key}' twice" for key in sorted(set(keys)) if keys.count(key) > 1)
        return dict(pairs)

    for line in path.read_text(encoding="utf-8").splitlines():
        json.loads(line, object_pairs_hook=take)
    return found


def of_versions(d, versions):
    """Versions are those of engines.jsonl, in order, each of one kind; a defect is fixed exactly if each of its engines has a later version that is right."""
    fixed = []
    for e in d["engines"]:
        kinds = [*e["faulty"], *e["right"], *e.get("lacks", [])]
        if len(set(kinds)) < len(kinds) or not set(kinds) <= set(versions[e["name"]]):
            yield f"{e['name']}: a version twice, or not in engines.jsonl"
            return
        order = versions[e["name"]].index
        fixed.append(next((v for v in sorted(e["right"], key=order) if order(v) > max(map(order, e["faulty"]))), None))
    if d["status"] != "documented" and d["status"] != (f"fixed in {fixed[0]}" if all(fixed) else "open"):
        yield f"status '{d['status']}', and right after the faulty versions: {', '.join(map(str, fixed))}"


def of_texts(d):
    """The title of an issue fits in a list of issues; a mechanism is up to three sentences, each short."""
    for mechanism in [d.get("mechanism", ""), *(e["mechanism"] for e in d["engines"] if "mechanism" in e)]:
        said = real_issues.sentences(mechanism)
        if not 1 <= len(said) <= real_issues.SENTENCES or not mechanism.endswith(".") or any(len(s.split()) > real_issues.WORDS for s in said):
            yield f"a mechanism is one to {real_issues.SENTENCES} sentences of at most {real_issues.WORDS} words"
    for e in d["engines"]:
        title = e.get("title")
        if (title is None) != (d["upstream"] != "not reported"):
            yield f"{e['name']}: a title, and no issue of ours, or none"
        if title is not None and (len(title) > real_issues.TITLE or title.endswith(".") or ". " in title):
            yield f"{e['name']}: a title is one clause of at most {real_issues.TITLE} characters"


def complaints(folder, rows):
    """What is wrong with the data, as texts."""
    for path in sorted(folder.glob("*.jsonl")):
        yield from repeated_keys(path)
    named = {c["file"] for d in rows for c in d["cases"]}
    files = {p.name for p in folder.glob("*.json")}
    yield from (f"{name}: no such case" for name in sorted(named - files) if not (folder / name).exists())
    yield from (f"{name}: the case of no defect" for name in sorted(files - named))
    versions = {e["name"]: e["versions"] for e in real_corpus.engines()}
    for d in rows:
        yield from (f"{d['program']}: {text}" for text in [*of_versions(d, versions), *of_texts(d)])
        if not STATUS.fullmatch(d["status"]):
            yield f"{d['program']}: status '{d['status']}'"
        links = d["upstream"] if d["upstream"] != "not reported" else [{"is": "same"}]
        if not links or not all(link["is"] in ("same", "related") for link in links):
            yield f"{d['program']}: upstream is a list of links or 'not reported'"
        if not all(e["faulty"] for e in d["engines"]):
            yield f"{d['program']}: an engine without a faulty version"


def main():
    if "-h" in sys.argv or "--help" in sys.argv:
        print(__doc__)
        return 0
    folder = real_corpus.REAL
    rows = real_corpus.defects()
    wrong = list(complaints(folder, rows))
    old = (folder / "README.md").read_text(encoding="utf-8")
    lines = old.split("\n")
    about = next(k for k, line in enumerate(lines) if re.match(r"Of \d+ issues, ", line))
    after = next(k for k in range(about + 1, len(lines)) if lines[k] and not lines[k].startswith("- "))
    lines[about:after] = [*of_scripts(folder), ""]
    first = next(k for k, line in enumerate(lines) if line.startswith("|"))
    last = next(k for k in range(first, len(lines)) if not lines[k].startswith("|"))
    new = "\n".join(lines[:first] + HEAD + [row(d) for d in rows] + lines[last:])
    if "--check" in sys.argv:
        if new != old:
            wrong.append("corpus/real/README.md: run scripts/real_table.py")
    elif not wrong:
        (folder / "README.md").write_text(new, encoding="utf-8")
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


sys.exit(main())
