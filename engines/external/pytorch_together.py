"""Several programs as one function for a compiler of PyTorch.

Its C++ takes seconds per module to compile, and little more per program. The function runs all the programs, each on
its own inputs, and its backward pass runs all their vjps. So no program affects another one's derivatives.
"""
import adapter

MOST_OPS = 600  # of all the programs: a longer module takes more time than its parts


def answers(torch, cases, ops, wrap, tensor_source, encode):
    """For each case a list of answers, one per point.  wrap: source of the call that compiles f.  Raises whatever one of
    the programs raises."""
    if sum(len(case["body"]) * len(case["points"]) for case in cases) > MOST_OPS:
        raise adapter.Unsupported("together: so many ops")
    room, calls, at, slots = {"torch": torch}, [], [], []
    for k, case in enumerate(cases):
        if [level["transform"] for level in case["request"]] != ["vjp"]:
            raise adapter.Unsupported("together: anything but a vjp")
        program, level = adapter.Program(case, ops), case["request"][0]
        types = [program.types[x] for x in program.inputs]
        exec(program.source(f"f{k}"), room)
        seeds = [eval(tensor_source(d, program.types[r]), room) for d, r in zip(level["cotangents"], program.results)]
        for point in case["points"]:
            xs = [eval(tensor_source(d, t), room) for d, t in zip(point, types)]
            room[f"f{k}"](*xs)  # a program that fails without the compiler is found first
            xs = [x.requires_grad_() if i in level["wrt"] and x.is_floating_point() else x for i, x in enumerate(xs)]
            slots.append((k, [xs[i] for i in level["wrt"]], seeds))
            calls.append(f"*f{k}(*xs[{len(at)}:{len(at) + len(xs)}])")
            at += xs
    exec(f"def f(*xs):\n    return ({', '.join(calls)},)\n", room)
    torch.default_generator.manual_seed(0)
    y = iter(eval(wrap, {**room, "xs": at})(*at))
    primal = [[next(y) for _ in seeds] for _, _, seeds in slots]
    live = [(y, c) for ys, (_, _, seeds) in zip(primal, slots) for y, c in zip(ys, seeds) if y.requires_grad]
    wanted = [x for _, wrt, _ in slots for x in wrt if x.requires_grad]
    grads = iter(torch.autograd.grad([y for y, _ in live], wanted, [c for _, c in live], allow_unused=True) if live and wanted else [None] * len(wanted))
    out = [[] for _ in cases]
    for ys, (k, wrt, _) in zip(primal, slots):
        derivative = [next(grads) if x.requires_grad else None for x in wrt]
        derivative = [torch.zeros_like(x) if g is None else g for x, g in zip(wrt, derivative)]
        out[k].append({"primal": [encode(torch, t) for t in ys], "derivative": [encode(torch, t) for t in derivative]})
    torch._dynamo.reset()
    return out
