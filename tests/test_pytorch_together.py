"""What the PyTorch adapter compiles, and what it keeps, with a stand-in for torch that counts: no PyTorch is needed.

Usage: test_pytorch_together.py SOURCE_ROOT
"""
import inspect
import pathlib
import sys
import tempfile
import types

sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "engines/external"))
import pytorch_together

failed, compiled, called = set(), [], []


class Number:
    """A tensor of one element, with the derivative by the one input that it depends on."""

    def __init__(self, value, partials=None, needs=False):
        self.value, self.partials, self.requires_grad = value, partials or {}, needs

    def requires_grad_(self):
        self.requires_grad, self.partials = True, {id(self): 1}
        return self

    def is_floating_point(self):
        return True

    def by(self, factor):
        if factor > 90:
            raise RuntimeError("too large a factor")
        return Number(self.value * factor, {x: d * factor for x, d in self.partials.items()}, self.requires_grad)


def compile_it(f):
    check(inspect.getsourcefile(f), "torch would compile a wrapper of its own, which all functions share")
    compiled.append(f)

    def run(*xs):
        called.append(f)
        if len(xs) > MOST[0]:
            raise RuntimeError("a module that does not compile")
        return f(*xs)
    return run


def grad(ys, xs, seeds, allow_unused):
    sums = [[y.partials[id(x)] * seed.value for y, seed in zip(ys, seeds) if id(x) in y.partials] for x in xs]
    return [Number(sum(s)) if s else None for s in sums]


resets, MOST = [], [99]  # inputs of a function that compiles
dynamo = types.SimpleNamespace(reset=lambda: resets.append(1), config=types.SimpleNamespace(fail_on_recompile_limit_hit=False))
torch = types.SimpleNamespace(compile=compile_it, tensor=Number, _dynamo=dynamo, autograd=types.SimpleNamespace(grad=grad), zeros_like=lambda x: Number(0),
                              default_generator=types.SimpleNamespace(manual_seed=lambda seed: None))


def check(condition, message):
    if not condition and message not in failed:
        failed.add(message)
        print(message, file=sys.stderr)


def case(factor, *points, seed=1):
    return {"inputs": ["v0: f64[]"], "body": [{"out": ["v1: f64[]"], "op": "scale", "args": ["v0"], "by": factor}], "results": ["v1"],
            "points": [[p] for p in points], "request": [{"transform": "vjp", "wrt": [0], "cotangents": [seed]}]}


def together():
    compiled.clear()
    called.clear()
    resets.clear()
    return pytorch_together.Together(torch, {"scale": lambda node: f"{node.args[0]}.by({node.a['by']})"}, "torch.compile(f)", lambda d, t: f"torch.tensor({d})", lambda torch, t: t.value)


def told(*pairs):
    return [{"primal": [y], "derivative": [d]} for y, d in pairs]


# One program at several points, of one case or of several, is compiled once; another program joins it.
t = together()
check(t.answers([case(2, 1, 3), case(5, 1), case(2, 4, seed=7)]) == [told((2, 2), (6, 2)), told((5, 5)), told((8, 14))], "points and seeds are mixed up")
check(len(compiled) == 1 and len(called) == 3, f"three points of two programs: {len(compiled)} compiled, {len(called)} calls")
check(dynamo.config.fail_on_recompile_limit_hit, "torch may still fall back to the function itself")

# Other points, and other cotangents, are answered by it; the same ones are not.
check(t.again(case(2, 9)) == told((18, 2)) and t.again(case(5, 1, seed=3)) == told((5, 15)), "a kept module answers otherwise")
check(t.answers([case(5, 8)]) == [told((40, 5))] and len(compiled) == 1, "a kept program was compiled again")
for same in case(2, 1, 3), case(5, 1), case(2, 9):
    check(t.again(same) is None, f"a case that was asked before is to be compiled alone: {same['points']}")
check(t.again(case(3, 1)) is None, "a program that was never compiled")
other = case(2, 6)
other["request"][0]["wrt"] = []
check(t.again(other) is None, "another input to differentiate by is another compilation")

# A function that was compiled alone is kept, and answers before any module.
of = t.question(case(2, 1)).key
check(t.function(of, 1, lambda: "made") == "made" and t.function(of, 1, lambda: "made again") == "made", "a function was made twice")
check(t.again(case(2, 77)) is None, "a module answered for a function that was compiled alone")

# A program alone is left to be asked alone; one that fails as it is, too, and the others are answered.
t = together()
check(t.answers([case(2, 1)]) == [None] and not compiled, "one program was compiled with nothing")
check(t.answers([case(2, 1), case(91, 1), case(3, 1)]) == [told((2, 2)), None, told((3, 3))], "a program that fails took others along")

# A module that fails is split; where a program fails alone, nothing is kept of it, and it is asked alone.
t, MOST[0] = together(), 1
check(t.answers([case(2, 1), case(3, 1)]) == [told((2, 2)), told((3, 3))] and len(t.modules) == 2, "a module that failed was not split")
t, MOST[0] = together(), 0
check(t.answers([case(2, 1), case(3, 1)]) == [None, None] and not t.modules and len(resets) > 1, "a module that failed was kept")
MOST[0] = 99

# What is kept is bounded.
t = together()
for k in range(pytorch_together.MOST_KEPT):
    t.answers([case(k / 1e5, 1), case(k / 1e5 + 50, 1)])
check(t.kept <= pytorch_together.MOST_KEPT and len(t.modules) <= pytorch_together.MOST_KEPT / 2 and len(resets) > 1, f"{len(t.modules)} modules are kept")

# Whether vectors can be compiled is found out once.  Where only some can, torch is asked each time.
for works, ok in (["avx512", "avx2"], True), ([], False), (["avx2"], None):
    with tempfile.TemporaryDirectory() as folder:
        asked, told_torch = [], []
        for _ in range(2):
            config = types.SimpleNamespace(cpp=types.SimpleNamespace(vec_isa_ok=None))
            isa = types.SimpleNamespace(valid_vec_isa_list=lambda: asked.append(config.cpp.vec_isa_ok) or (["avx512", "avx2"] if config.cpp.vec_isa_ok else works))
            pytorch_together.remember_vectors(config, isa, folder + "/new")
            told_torch.append(config.cpp.vec_isa_ok)
        check(told_torch == [ok, ok] and asked.count(None) == (2 if ok is None else 1), f"vectors, of which {works} work: {told_torch}, asked {asked}")
sys.exit(1 if failed else 0)
