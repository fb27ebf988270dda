"""Control flow by PyTorch's own ops: torch.cond, while_loop and scan.

A region becomes a function of its parameters. It is defined inside the function around it, where it finds its
captures. A result of a region must not be a view of an operand, and must have the layout of the value that it
replaces. So `own` copies.
"""
import functools
import importlib

import adapter

# The module and class of an op's derivative: older versions have only the op.
DERIVATIVES = {"cond": "cond.CondAutogradOp", "while": "while_loop.WhileLoopAutogradOp", "for": "while_loop.WhileLoopAutogradOp", "scan": "scan.ScanAutogradOp"}

HEAD = ["from torch._higher_order_ops.while_loop import while_loop", "from torch._higher_order_ops.scan import scan", "", "",
        "def own(x):", "    return x.clone(memory_format=torch.contiguous_format)", "", ""]


def differentiates(op):
    """Whether this torch differentiates the op.  True of any op except control flow."""
    if op not in DERIVATIVES:
        return True
    module, name = DERIVATIVES[op].split(".")
    try:
        return hasattr(importlib.import_module(f"torch._higher_order_ops.{module}"), name)
    except ImportError:
        return False


def tuple_of(values):
    return f"({', '.join(values)}{',' if len(values) == 1 else ''})"


def own(names):
    return [f"own({x})" for x in names]


def cond(n):
    """The branches have no parameters: they capture."""
    for k, branch in enumerate(("yes", "no")):
        _, lines, results = n.region(k)
        n.before += adapter.function(f"{n.out}_{branch}", [], lines, tuple_of(own(results)))
    n.to = tuple_of(n.outs)
    return f"torch.cond({n.args[0]}, {n.out}_yes, {n.out}_no, ())"


def loop(n, test, step, initial, to):
    """A while_loop that counts.  test, step: (parameters, lines, results); the count is the first parameter and result."""
    params, lines, more = test
    n.before += adapter.function(f"{n.out}_test", params, lines, more)
    params, lines, results = step
    n.before += adapter.function(f"{n.out}_step", params, lines, tuple_of([f"{params[0]} + 1", *own(results)]))
    n.to = tuple_of(["_", *to])
    return f"while_loop({n.out}_test, {n.out}_step, {tuple_of(['torch.tensor(0)', *initial])})"


def while_(n):
    count = f"{n.out}_count"
    params, lines, (more,) = n.region(0)
    test = [count, *params], lines, f"({count} < {n.a['cap']}) & {more}"
    params, lines, results = n.region(1)
    return loop(n, test, ([count, *params], lines, results), own(n.args), n.outs)


def for_(n):
    trip, initial = n.a.get("trip"), n.args
    if trip is None:
        trip, initial = f"torch.clamp({n.args[0]}, 0, {n.a['cap']})", n.args[1:]
    params, lines, results = n.region(0)
    if not n.a.get("until"):
        return loop(n, ([params[0], "*_"], [], f"{params[0]} < {trip}"), (params, lines, results), own(initial), n.outs)
    test = [params[0], "*carries"], [], f"({params[0]} < {trip}) & ~carries[-1]"
    return loop(n, test, (params + ["_"], lines, results), own(initial) + ["torch.tensor(False)"], n.outs + ["_"])


def scan(zeros, n):
    """Without carries it gets one that nobody reads.  Steps after an early exit hand their carries on."""
    carried, trip, until = n.a.get("carries", 0), n.a["trip"], n.a.get("until")
    params, lines, results = n.region(0)
    carries, rows = params[:carried], params[carried:]
    last, stacked = list(results[:carried]), list(results[carried:])
    initial, to = own(n.args[:carried]), n.outs[:carried]
    if until:
        none = [zeros(n.program.types[x]) for x in stacked[:-1]]
        done = f"{n.out}_done"
        lines = adapter.function(f"{n.out}_go_on", [], lines, tuple_of(own(last + stacked))) + adapter.function(
            f"{n.out}_rest", [], [], tuple_of(own(carries) + none + [f"own({done})"]))
        new = [f"{n.out}_{k}" for k in range(len(results))]
        lines += [f"{tuple_of(new)} = torch.cond({done}, {n.out}_rest, {n.out}_go_on, ())"]
        carries, last, stacked = carries + [done], new[:carried] + new[-1:], new[carried:-1]
        initial, to = initial + ["torch.tensor(False)"], to + ["_"]
    if not initial:
        carries, last, initial, to = ["_"], ["_"], ["torch.zeros(())"], ["_"]
    unpacked = [f"{tuple_of(carries)} = carries"] + ([f"{tuple_of(rows)} = rows"] if rows else [])
    n.before += adapter.function(f"{n.out}_step", ["carries", "rows"], unpacked + lines, f"{tuple_of(own(last))}, {tuple_of(own(stacked))}")
    n.to = f"{tuple_of(to)}, {tuple_of(n.outs[carried:])}"
    xs = tuple_of(n.args[carried:]) if rows else f"None, length={trip}"
    return f"scan({n.out}_step, {tuple_of(initial)}, {xs})"


def regions(zeros):
    """The ops as rules; zeros: source of zeros of a type."""
    return {"cond": cond, "while": while_, "for": for_, "scan": functools.partial(scan, zeros)}
