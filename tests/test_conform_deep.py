"""`adjudge conform --deep`: faults that show only there, and in which cells; right engines; the corpus; same bytes.  Usage: test_conform_deep.py ADJUDGE ROOT"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

ADJUDGE, ROOT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
failures = []

# (engine, op, classes of cells with a finding in a deep sweep of f64); without --deep there is none.
ONLY_DEEP = [
    ("tape+warp-copy-assign", "cast", {"reused"}),
    ("tape+warp-copy-assign", "reshape", {"reused"}),
    ("tape+inductor-view-version", "store", {"reused"}),
    ("implicit+casadi-implicit-adj", "fixed_point", {"reused"}),
    ("aot+jax-pow-2nd", "pow", {"special"}),
    ("functional+jax-pow-2nd", "pow", {"special"}),
    ("forward+torch-cumprod-jvp2", "cumprod", {"special"}),
    ("tape+tinygrad-equal-leaves", "mul", {"special"}),
]
# (engine, op, case of corpus/zoo that must fail)
REPLAYED = [("implicit+casadi-implicit-adj", "fixed_point", "corpus/zoo/casadi-implicit-adj-after.json")]
RIGHT = ("forward", "tape", "functional", "checkpointed", "parallel", "aot", "compiled", "implicit")
RIGHT_OPS = ("pow", "cumprod", "scatter_mul", "for")
NO_FINDING = {"agree", "convention", "inaccurate", "undecided", "unsupported"}


def check(holds, text):
    if not holds:
        failures.append(text)


def conform(engine, *options, code=None):
    done = subprocess.run([ADJUDGE, "conform", "--engine", engine, "--dtype", "f64", "--quiet", *map(str, options)], capture_output=True, text=True, cwd=ROOT)
    check(code is None or done.returncode == code, f"{engine} {options}: exit {done.returncode}, not {code}: {done.stderr[-300:]}")
    return done


def sweep(engine, *options, code=None):
    return json.loads(conform(engine, "--format", "json", *options, code=code).stdout)


def failing(said):
    """The classes of the cells with a finding, and the failing cases of the corpus."""
    return ({c["points"] for o in said["ops"] for c in o["cells"] if c["worst"] not in NO_FINDING},
            {x["case"] for x in said.get("corpus", {"outcomes": []})["outcomes"] if x["worst"] not in NO_FINDING})


def check_only_deep(one):
    for engine, op, classes in ONLY_DEEP:
        said = sweep(engine, "--op", op, code=0)
        check("corpus" not in said and {c["points"] for o in said["ops"] for c in o["cells"]} <= {"inside", "edge"}, f"{engine}: classes without --deep")
        check(failing(sweep(engine, "--op", op, "--deep", "--corpus", one, code=1))[0] == classes, f"{engine}, {op}: not in {classes}")


def check_normal_cells():
    """A deep sweep has all cells of one that is not, with the same cases."""
    plain, deep = (sweep("tape+scale:sin:1.5", "--op", "sin", *deep, code=1) for deep in ((), ("--deep",)))
    cells = [c for c in deep["ops"][0]["cells"] if c["points"] in ("inside", "edge") and "," not in c["request"]]
    check(cells == plain["ops"][0]["cells"], f"other cells with --deep: {cells}")


def check_replayed():
    for engine, op, case in REPLAYED:
        said = sweep(engine, "--op", op, "--deep", code=1)
        check(case in failing(said)[1], f"{engine}: {case} does not fail")
        check(said["corpus"]["cases"] == len(said["corpus"]["outcomes"]) and said["corpus"]["left_out"] > 0, f"{engine}: counts of the corpus")


def check_files(place):
    """One file a finding: cells and cases of the corpus with the same minimal case point to it."""
    first, second = (conform("aot+jax-pow-2nd", "--op", "pow", "--deep", "--out", place / "found", "--junit", place / "junit.xml", code=1).stdout for _ in range(2))
    check(first == second, "a second sweep prints other bytes")
    files = {p.name for p in (place / "found").glob("*.json")}
    check(len(files) == 1, f"one finding is in the files {files}")
    case = json.loads((place / "found" / files.pop()).read_text())
    check([n["op"] for n in case["body"] if n["op"] != "constant"] == ["pow"] and len(case["request"]) == 2, f"the minimal case: {case}")
    check("corpus/zoo/jax-pow-2nd-aot-xy.json: the same finding as pow-" in first, "a case of the corpus does not point to its finding")
    listed = conform("tape+scale:sin:1.5", "--op", "sin", "--deep", "--out", place / "sine", code=1).stdout
    points = [tuple(line.split(": the same finding as ")) for line in listed.splitlines() if "the same finding as" in line]
    check(points and len(points) == len(set(points)) and all(cell != finding for cell, finding in points), f"a cell points twice, or to itself: {points}")
    check("corpus/zoo/jax-pow-2nd-aot-xy.json" in (place / "junit.xml").read_text(), "JUnit has no case of the corpus")
    for form in ("markdown", "html"):
        check("corpus/zoo/jax-pow-2nd-aot-xy.json: wrong" in conform("aot+jax-pow-2nd", "--op", "pow", "--deep", "--format", form, code=1).stdout, f"{form} has no case of the corpus")


def check_letters():
    """A page says what its letters mean, and the README of the pages has all letters."""
    page = conform("aot+jax-pow-2nd", "--op", "pow", "--deep", "--format", "markdown", code=1).stdout
    cells = set("".join(row.split("|", 2)[2] for row in page.splitlines() if row.startswith("| pow"))) - set("| ")
    check(len(cells) > 1 and cells <= set(re.findall(r"`(.)`: \w", page)), f"letters without a meaning: {cells}")
    every = set(re.findall(r"\[VERDICT_\w+\] = '(.)'", (ROOT / "fuzz/conform/render.c").read_text()))
    named = set(re.findall(r"`(.)`", (ROOT / "engines/external/conformance/README.md").read_text().split("`--out DIR`")[0]))
    check(len(every) > 10 and every <= named, f"the README of the pages lacks {every - named}")


def check_wrong_value(one, place):
    """A wrong value is one finding, whatever the request."""
    out = place / "values"
    conform("compiled+inductor-slice-scatter", "--op", "slice_scatter", "--deep", "--corpus", one, "--out", out, code=1)
    titles = [json.loads(p.read_text())["title"] for p in out.glob("*.json")]
    check(titles == ["broadcast_to+slice_scatter: wrong-primal"], f"findings of a wrong value: {titles}")


def check_right():
    for engine in RIGHT:
        said = sweep(engine, *[x for op in RIGHT_OPS for x in ("--op", op)], "--deep", code=0)
        check(failing(said) == (set(), set()), f"{engine}: {failing(said)}")
        check(said["corpus"]["cases"] > 50, f"{engine}: {said['corpus']['cases']} cases of the corpus")


def check_options(place):
    check("--corpus needs --deep" in conform("tape", "--corpus", ROOT / "corpus", code=2).stderr, "--corpus alone")
    (place / "empty").mkdir()
    check("has no *.json" in conform("tape", "--deep", "--corpus", place / "empty", code=3).stderr, "an empty corpus")
    check("none" in conform("tape", "--deep", "--corpus", place / "none", code=3).stderr, "no corpus")
    parts = [sweep("tape", "--op", "pow", "--op", "atan2", "--deep", "--shard", f"{k}/2", code=None) for k in (1, 2)]
    whole = sweep("tape", "--op", "pow", "--op", "atan2", "--deep", code=0)
    check(sum(p["cases"] for p in parts) == whole["cases"], "the shards are not the whole")


with tempfile.TemporaryDirectory() as name:
    place = pathlib.Path(name)
    (place / "one").mkdir()
    (place / "one/x.json").write_bytes(sorted((ROOT / "corpus/documents").glob("*.json"))[0].read_bytes())
    check_only_deep(place / "one")
    check_normal_cells()
    check_replayed()
    check_files(place)
    check_wrong_value(place / "one", place)
    check_letters()
    check_right()
    check_options(place)
print("\n".join(failures) or "deep sweeps are in order")
sys.exit(1 if failures else 0)
