"""No sentence of a comment, a README, a page of docs/ or a text of a report is longer than 30 words.

Usage: test_prose.py ROOT [FILE...]     tables, code and lists of names are not sentences
"""
import pathlib
import re
import subprocess
import sys

MOST = 30
ROOT = pathlib.Path(sys.argv[1]).resolve()
PRODUCT = ("graph", "engines", "oracles", "reports", "emit", "fuzz")
# Texts that were not written as prose: a licence, and the notes of past releases.
NOT_OURS = {"LICENSE", "CHANGELOG.md"}


def files():
    if sys.argv[2:]:
        return [pathlib.Path(p).resolve() for p in sys.argv[2:]]
    """All of them, apart from hidden folders and build folders, however these are called."""
    folders = [p for p in ROOT.iterdir() if p.is_dir() and not p.name.startswith(".") and not (p / "meson-private").exists()]
    return sorted(p for top in [ROOT, *folders] for p in (top.iterdir() if top == ROOT else top.rglob("*")) if p.is_file()
                  and (p.suffix == ".md" or p.suffix in (".c", ".h", ".def") and p.relative_to(ROOT).parts[0] in PRODUCT)
                  and p.name not in NOT_OURS)


def paragraphs_of_comment(text):
    """Blocks of lines; an indented example, a table and a line of a list stand alone or are left out."""
    block = []
    for line in text.splitlines():
        line = re.sub(r"^\s*\*( |$)?", "", line)
        if not line.strip() or re.match(r"\s*(\||----|={4})", line) or re.match(r" {3,}\S|\t", line):
            yield " ".join(block)
            block = []
            continue
        if re.match(r"\s*([-*]|\d+\.) ", line):
            yield " ".join(block)
            block = []
        block.append(line.strip())
    yield " ".join(block)


def texts(path):
    """(line number, paragraph)."""
    source = path.read_text()
    if path.suffix == ".md":
        source = re.sub(r"```.*?```", lambda m: "\n" * m.group(0).count("\n"), source, flags=re.S)
        start, block = 1, []
        for number, line in enumerate(source.splitlines() + [""], 1):
            if not line.strip() or re.match(r"\s*(\||#|```)", line) or re.match(r"\s*([-*]|\d+\.) ", line):
                if block:
                    yield start, " ".join(block)
                block, start = [], number
            if line.strip() and not re.match(r"\s*(\||#)", line):
                block.append(line.strip())
        return
    for m in re.finditer(r"/\*(.*?)\*/", source, re.S):
        number = source.count("\n", 0, m.start()) + 1
        for paragraph in paragraphs_of_comment(m.group(1)):
            yield number, paragraph
    # What people read on a screen or in a report: string literals with the words of a sentence.
    code = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group(0).count("\n"), source, flags=re.S)
    for m in re.finditer(r'"((?:[^"\\\n]|\\.)*)"(?:\s*"((?:[^"\\\n]|\\.)*)")*', code):
        text = re.sub(r'"\s*"', "", m.group(0))[1:-1]
        for piece in re.split(r"\\n", text):
            yield code.count("\n", 0, m.start()) + 1, piece


def sentences(paragraph):
    paragraph = re.sub(r"`[^`]*`", "code", paragraph)
    paragraph = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", paragraph)
    return re.split(r"(?<=[.!?])[)\"']?\s+(?=[A-Z\"'(`\[*_a-z0-9])|:\s*$", paragraph)


def words(sentence):
    return [w for w in sentence.split() if re.search(r"[A-Za-z]{2}|\b[AaI]\b", w)]


def main():
    long, count = [], 0
    for path in files():
        for number, paragraph in texts(path):
            for sentence in sentences(paragraph):
                n = len(words(sentence))
                count += n > 0
                if n > MOST:
                    long.append(f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}:{number}: {n} words: {sentence[:100]} ...")
    print("\n".join(long))
    print(f"{count} sentences, {len(long)} over {MOST} words")
    return 1 if long or not count else 0


sys.exit(main())
