"""One word for one thing.  Usage: test_glossary.py ROOT

- Each word of the glossary in ARCHITECTURE.md is defined once there.
- No struct, union or enum tag is defined in two files with different members.
- Words that were given up (the table below the glossary) occur nowhere in code, help or reports.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()
PRODUCT = ("graph", "engines", "oracles", "reports", "emit", "fuzz")
failures, checks = [], 0


def check(ok, text):
    global checks
    checks += 1
    if not ok:
        failures.append(text)


def table(text, heading):
    """First cells of the rows of the table in a section."""
    section = re.search(rf"^##+ {heading}\n(.*?)(?=^##+ |\Z)", text, re.M | re.S)
    rows = re.findall(r"^\| *([^|]+?) *\|", section.group(1), re.M) if section else []
    return [r for r in rows[2:]]


def sources(*suffixes):
    for folder in PRODUCT:
        yield from sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in suffixes and "external" not in p.parts)


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def tags():
    """{kind and tag: {members: files}}"""
    found = {}
    for path in sources(".c", ".h"):
        for kind, tag, members in re.findall(r"\b(struct|union|enum)\s+(\w+)\s*\{(.*?)\n?\}", without_comments(path.read_text()), re.S):
            found.setdefault(f"{kind} {tag}", {}).setdefault(" ".join(members.split()), []).append(str(path.relative_to(ROOT)))
    return found


def main():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    words = table(text, "Glossary")
    check(len(words) > 20, f"only {len(words)} words in the glossary")
    for word in {w for w in words if words.count(w) > 1}:
        check(False, f"'{word}' is defined {words.count(word)} times in the glossary")
    found = tags()
    check(len(found) > 200, f"only {len(found)} tags found")
    for tag, definitions in sorted(found.items()):
        check(len(definitions) == 1, f"{tag} is defined with different members in {', '.join(f for files in definitions.values() for f in files)}")
    given_up = table(text, "Words given up")
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "man/adjudge.1"]
    for word in given_up:
        pattern = re.compile(rf"(?<![\w-]){re.escape(word.strip('`'))}(?![\w-])")
        for path in [*sources(".c", ".h", ".def", ".css"), *pages]:
            for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
                if pattern.search(line):
                    check(False, f"{path.relative_to(ROOT)}:{number}: '{word}' was given up: {line.strip()[:80]}")
    check(bool(given_up), "no table of words given up")
    print("\n".join(failures))
    print(f"{checks} checks, {len(failures)} failed")
    return 1 if failures else 0


sys.exit(main())
