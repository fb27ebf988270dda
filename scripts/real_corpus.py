"""The data of corpus/real: the engines, their known defects, and the names that are made of them.

Usage: import it.
"""
import functools
import json
import pathlib

REAL = pathlib.Path(__file__).resolve().parent.parent / "corpus/real"


def lines_of(name):
    """The objects of a file of JSON lines."""
    return [json.loads(line) for line in (REAL / name).read_text(encoding="utf-8").splitlines()]


@functools.lru_cache(maxsize=None)
def engines():
    return lines_of("engines.jsonl")


@functools.lru_cache(maxsize=None)
def defects():
    return lines_of("defects.jsonl")


def engine_named(name):
    """The row of engines.jsonl with this name, which is that of a family of modes."""
    return next(e for e in engines() if e["name"] == name)


def family_of(said):
    """The row of engines.jsonl of an engine that calls itself so, or None."""
    return next((e for e in engines() if said in e["formats"]), None)


def format_of(said):
    """The format of `adjudge emit` that writes for an engine that calls itself so, or ""."""
    return (family_of(said) or {"formats": {}})["formats"].get(said, "")


def defects_of(said):
    """The known defects of an engine that calls itself so, in that mode."""
    name = (family_of(said) or {}).get("name")
    return [d for d in defects() if any(e["name"] == name and said in e.get("modes", [said]) for e in d["engines"])]


def issue_name(d, entry):
    """The file in corpus/real/issues/ about a defect in one engine."""
    short = engine_named(entry["name"])["short"]
    stem = d["cases"][0]["file"].removesuffix(".json")
    return f"{stem if stem.startswith(short + '-') else short + '-' + stem}.md"


def language_of(form, text):
    """The suffix of a program that `adjudge emit` wrote in this format."""
    return "c" if form == "c" else "exs" if form == "nx" else "cpp" if "#include <" in text else "cjs" if "require('" in text else "py"


if __name__ == "__main__":
    print(__doc__)
