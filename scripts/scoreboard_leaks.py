"""The NaNs of weak zeros that an engine gives: out of a dead branch, and others.  scripts/scoreboard uses it.

A zero is weak where 0 times infinity is NaN.  Out of a dead branch: where(x > 0, sqrt(x), 0) at 0, say.  Others need no branch: pow at 0, rsqrt of infinity.
Usage: import it.  measure() asks an engine for dead branches; has_branch() says whether a case has a branch.
"""
import itertools
import json

DEAD, OTHER = "dead-branch", "nan-leak"  # files in DIR/data/NAME/
BRANCHES = {"select", "cond"}
SOURCE = "tensorflow/tensorflow#118674"
FUNCTIONS = {"sqrt": ("sqrt", []), "log": ("log", []), "1/x": ("div", ["one"])}  # those of corpus/documents/xla-where-*.json
REQUESTS = {"vjp": "cotangents", "jvp": "tangents"}
# The smallest first: the branch is chosen by a constant, and by x > 0 as in the document; all of it is dead, and some.
SHAPES = (("constant", [0], [False]), ("constant", [0.5, 0], [True, False]), ("gt", [0], None), ("gt", [-1, 0, 1, 4], None))


def has_branch(case):
    """Whether a node of a case, or of a region in it, chooses between values."""
    return has_branch_in(case["body"])


def has_branch_in(nodes):
    return any(n["op"] in BRANCHES or any(has_branch_in(r["body"]) for r in n.get("regions", [])) for n in nodes)


def case_of(function, shape, dtype, request):
    """The case that asks for select(mask, f(x), x or 0)."""
    chosen, point, mask = shape
    extent = [] if len(point) == 1 else [len(point)]
    typed, tensor = f"{dtype}{json.dumps(extent)}", (lambda numbers: numbers if extent else numbers[0])
    op, first = FUNCTIONS[function]
    number = lambda name, value: {"out": [f"{name}: {typed}"], "op": "constant", "value": tensor([value] * len(point))}
    body = [number(name, 1) for name in first] + [{"out": ["y"], "op": op, "args": [*first, "x"]}]
    if chosen == "constant":
        body.append({"out": [f"mask: bool{json.dumps(extent)}"], "op": "constant", "value": tensor(mask)})
        body.append({"out": ["z"], "op": "select", "args": ["mask", "y", "x"]})
    else:
        body += [number("zero", 0), {"out": ["mask"], "op": "gt", "args": ["x", "zero"]}, {"out": ["z"], "op": "select", "args": ["mask", "y", "zero"]}]
    said = f"where({'x > 0' if chosen == 'gt' else json.dumps(tensor(mask))}, {function if function == '1/x' else function + '(x)'}, {'0' if chosen == 'gt' else 'x'}) at {json.dumps(tensor(point))}"
    return {"schema": "adjudge.case/1", "title": said, "source": SOURCE, "inputs": [f"x: {typed}"], "body": body, "results": ["z"], "points": [[tensor(point)]],
            "request": [{"transform": request, "wrt": [0], REQUESTS[request]: [tensor([1] * len(point))]}]}


def measure(run, work):
    """{asked, nan, file, expected, returned, request}: of the cases that were decided, those with NaN, and the smallest of these.

    run: the JSON of `adjudge run --strict` on these files, or None; work: a folder for them.
    """
    for dtype in ("f64", "f32"):
        paths = []
        for k, (shape, function, request) in enumerate(itertools.product(SHAPES, FUNCTIONS, REQUESTS)):
            path = work / f"dead-{dtype}-{k:02}.json"
            path.write_text(json.dumps(case_of(function, shape, dtype, request), indent=1) + "\n", encoding="utf-8")
            paths.append(path)
        done = run(paths)
        answers = [(path, c["engines"][0]) for path, c in zip(paths, done["cases"])] if done else []
        decided = [(path, a) for path, a in answers if a["verdict"] not in ("undecided", "unsupported")]
        if decided:
            break
    bad = [(path, a) for path, a in decided if a["verdict"] == "nan-leak"]
    out = {"asked": len(decided), "nan": len(bad)}
    if bad:
        path, a = bad[0]
        out.update(file=path, expected=a["expected"], returned=a["returned"], request=a["request"])
    return out


if __name__ == "__main__":
    print(__doc__)
