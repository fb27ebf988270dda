"""Several programs as one function for a compiler of PyTorch.

A module costs seconds, whatever it contains, and each program adds its own share. The function runs all the programs,
each on its own inputs, and its backward pass runs all their vjps. So no program affects another one's derivatives.
"""
import adapter

MOST_OPS = 600  # of a module: a longer one takes more time than its parts


class Part:
    """A case as a part of a module: its function, and for each point the inputs, those to differentiate by, the seeds."""

    def __init__(self, torch, case, ops, tensor_source):
        if [level["transform"] for level in case["request"]] != ["vjp"]:
            raise adapter.Unsupported("together: anything but a vjp")
        program, level, self.room = adapter.Program(case, ops), case["request"][0], {"torch": torch}
        types = [program.types[x] for x in program.inputs]
        exec(program.source("f"), self.room)
        self.seeds = [eval(tensor_source(d, program.types[r]), self.room) for d, r in zip(level["cotangents"], program.results)]
        self.ops, self.inputs, self.wrt = len(case["body"]) * len(case["points"]), [], []
        for point in case["points"]:
            xs = [eval(tensor_source(d, t), self.room) for d, t in zip(point, types)]
            self.room["f"](*xs)  # a program that fails without the compiler is asked alone
            xs = [x.requires_grad_() if i in level["wrt"] and x.is_floating_point() else x for i, x in enumerate(xs)]
            self.inputs.append(xs)
            self.wrt.append([xs[i] for i in level["wrt"]])


def module(torch, parts, wrap, encode):
    """The answers of each part, by one function.  Raises whatever one of the programs raises."""
    room, calls, at, slots = {"torch": torch}, [], [], []
    for k, part in enumerate(parts):
        room[f"f{k}"] = part.room["f"]
        for xs, wrt in zip(part.inputs, part.wrt):
            slots.append((k, wrt, part.seeds))
            calls.append(f"*f{k}(*xs[{len(at)}:{len(at) + len(xs)}])")
            at += xs
    exec(f"def f(*xs):\n    return ({', '.join(calls)},)\n", room)
    torch.default_generator.manual_seed(0)
    y = iter(eval(wrap, {**room, "xs": at})(*at))
    primal = [[next(y) for _ in seeds] for _, _, seeds in slots]
    live = [(y, c) for ys, (_, _, seeds) in zip(primal, slots) for y, c in zip(ys, seeds) if y.requires_grad]
    wanted = [x for _, wrt, _ in slots for x in wrt if x.requires_grad]
    grads = iter(torch.autograd.grad([y for y, _ in live], wanted, [c for _, c in live], allow_unused=True) if live and wanted else [None] * len(wanted))
    out = [[] for _ in parts]
    for ys, (k, wrt, _) in zip(primal, slots):
        derivative = [next(grads) if x.requires_grad else None for x in wrt]
        derivative = [torch.zeros_like(x) if g is None else g for x, g in zip(wrt, derivative)]
        out[k].append({"primal": [encode(torch, t) for t in ys], "derivative": [encode(torch, t) for t in derivative]})
    return out


def halved(torch, parts, wrap, encode):
    """The same, without the programs that cannot be compiled: None in their places."""
    try:
        return module(torch, parts, wrap, encode)
    except Exception:
        half = len(parts) // 2
        return halved(torch, parts[:half], wrap, encode) + halved(torch, parts[half:], wrap, encode) if half else [None]
    finally:
        torch._dynamo.reset()


def answers(torch, cases, ops, wrap, tensor_source, encode):
    """For each case a list of answers, one per point, or None: it is to be asked alone.  wrap: source of the call that
    compiles f."""
    out, group = [None] * len(cases), []

    def compiled():
        if len(group) > 1:  # one is asked alone
            for (k, _), a in zip(group, halved(torch, [part for _, part in group], wrap, encode)):
                out[k] = a
        group.clear()
    for k, case in enumerate(cases):
        try:
            part = Part(torch, case, ops, tensor_source)
        except Exception:
            continue
        if sum(p.ops for _, p in group) + part.ops > MOST_OPS:
            compiled()
        group.append((k, part))
    compiled()
    return out
