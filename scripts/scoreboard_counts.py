"""Counts of a matrix for the pages of scripts/scoreboard: by family of ops, by request, by kind of verdict.

Usage: import it.
"""
import collections

# Families of graph/ops.def that readers look for together.
GROUPS = {
    "one operand": "unary",
    "two operands": "binary compare clamp select",
    "constants and casts": "constant iota cast",
    "reductions and sorting": "reduce cumulative argmax sort argsort",
    "matrix products": "matmul",
    "shapes": "broadcast_to reshape transpose reverse squeeze concatenate pad",
    "slices": "slice slice_scatter dynamic_slice dynamic_update_slice",
    "indices": "gather take_along_axis scatter scatter_apply masked_scatter",
    "control flow": "cond for while scan fixed_point checkpoint custom derivative",
}
GROUP_OF = {family: group for group, families in GROUPS.items() for family in families.split()}
# The columns of the first page, and which requests they hold.
ORDERS = ("primal", "jvp", "vjp", "order 2", "order 3 and above", "with batches")
# What is not a wrong answer, in the order of a cell; all other verdicts are findings.
KINDS = ("right", "wrong", "inaccurate", "convention", "undecided", "unsupported")
# Of a defect on an engine, the most telling first.
STATES = ("open", "a convention here", "right here", "not asked")
# What an engine did on a case of the corpus, in words for readers.
OUTCOMES = {"new": "wrong", "passed": "right or excused"}
KIND_OF = {"agree": "right", **{k: k for k in KINDS[2:]}}


def kinds(cases):
    """{kind: cases} of {verdict: cases}."""
    out = collections.Counter()
    for verdict, n in cases.items():
        out[KIND_OF.get(verdict, "wrong")] += n
    return out


def order_of(request):
    levels = request.split(",")
    if "batch" in levels:
        return ORDERS[5]
    return request if len(levels) == 1 else ORDERS[3] if len(levels) == 2 else ORDERS[4]


def total(result, wanted):
    """The kinds of all cells of the matrix that are wanted."""
    out = collections.Counter()
    for cell in result["matrix"]:
        if wanted(cell):
            out += kinds(cell["cases"])
    return out


def first_seen(history, finding, newest):
    """The first of the measured versions from which on a finding is there without a gap."""
    names, first = {finding["name"], *finding.get("also", [])}, newest
    for row in reversed(history):
        if not names & set(row["findings"]):
            break
        first = row["version"]
    return first


if __name__ == "__main__":
    print(__doc__)
