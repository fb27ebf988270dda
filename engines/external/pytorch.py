#!/usr/bin/env python3
"""PyTorch behind adjudge's protocol: pytorch.py [MODE [DEVICE]].  Needs torch 1.13 or newer.  MODES are below."""
import functools
import os
import sys

import adapter
import pytorch_brief
import pytorch_regions
import pytorch_spellings
import pytorch_together
from adapter import Unsupported, floating
from pytorch_ops import DISCRETE, DTYPES, NAMES, OPS, scripted_constant

sys.path = [p for p in sys.path if p]

# ---- transforms as source ----

def tensor_source(data, type_text):
    shape = adapter.shape_of(type_text)
    text = f"torch.tensor({adapter.literal(adapter.flat(data, type_text), shape)}, dtype={DTYPES[adapter.dtype_of(type_text)]})"
    return text + (f".reshape({shape})" if 0 in shape else "")


def of_floats(data, types):
    return "(" + "".join(f"{tensor_source(d, t)}, " for d, t in zip(data, types) if floating(t)) + ")"


def zeros(type_text):
    return f"torch.zeros({adapter.shape_of(type_text)}, dtype={DTYPES[adapter.dtype_of(type_text)]})"


def with_zeros(text, types):
    """All derivatives, from those of floats."""
    if all(floating(t) for t in types):
        return text
    at = [i for i, t in enumerate(types) if floating(t)]
    return f"(lambda d: ({', '.join(f'd[{at.index(i)}]' if i in at else zeros(t) for i, t in enumerate(types))},))({text})"


class Level:
    """One level of a request as the function `name` of all inputs.  below: the function that it differentiates.  within:
    the inputs that a level above differentiates."""

    def __init__(self, level, name, below, inputs, types_in, types_out, within):
        self.level, self.name, self.below, self.inputs = level, name, below, inputs
        self.types_in, self.types_out, self.within, self.wrt = types_in, types_out, within, level["wrt"]
        self.at = [i for i in self.wrt if floating(types_in[i])]
        self.vjp = level["transform"] == "vjp"
        self.types = [types_in[i] for i in self.wrt] if self.vjp else types_out  # of its outputs
        self.seeds = of_floats(level["cotangents"], types_out) if self.vjp else of_floats(level["tangents"], [types_in[i] for i in self.wrt])
        self.active = "".join(f"{inputs[i]}, " for i in self.at)
        floats = all(floating(t) for t in types_out)
        call = f"{below}({', '.join(inputs)})"
        self.call = call if floats else f"tuple(y for y in {call} if y.is_floating_point())"

    def source(self, style):
        some = self.at and any(floating(t) for t in self.types_out)
        body = style(self) if some else [f"return ({', '.join(zeros(t) for t in self.types)},)"]
        return [f"def {self.name}({', '.join(self.inputs)}):"] + [f"    {line}" for line in body]


def func(v):
    """A level by torch.func."""
    f = f"lambda {v.active[:-2]}: {v.call}"
    if v.vjp:
        return [f"return {with_zeros(f'func.vjp({f}, {v.active[:-2]})[1]({v.seeds})', v.types)}"]
    return [f"return {with_zeros(f'func.jvp({f}, ({v.active}), {v.seeds})[1]', v.types)}"]


def tape(v):
    """A level by the tape.  It differentiates copies of its inputs, so that it marks no other level's tensors.  A copy
    that a level above differentiates keeps its graph."""
    own = [f"{x} = {x}.view_as({x})" if i in v.within else f"{x} = {x}.detach().requires_grad_()" for i, x in ((i, v.inputs[i]) for i in v.at)]
    return own + [
        f"live = [(y, c) for y, c in zip({v.call}, {v.seeds}) if y.requires_grad]",
        f"d = torch.autograd.grad([y for y, _ in live], ({v.active}), [c for _, c in live], create_graph={bool(v.within)}, allow_unused=True) if live else ({v.active})",
        f"d = [torch.zeros_like(x) if g is None or not live else g for x, g in zip(({v.active}), d)]",
        f"return {with_zeros('tuple(d)', v.types)}"]


def accumulated(v):
    """A level by the tape into the gradients that tensors carry.  For the outermost level alone."""
    active = v.active[:-2]
    return [f"{v.inputs[i]} = {v.inputs[i]}.detach().requires_grad_()" for i in v.at] + [
        f"live = [(y, c) for y, c in zip({v.call}, {v.seeds}) if y.requires_grad]",
        "if live:", "    torch.autograd.backward([y for y, _ in live], [c for _, c in live])",
        f"return {with_zeros(f'tuple(torch.zeros_like(x) if x.grad is None else x.grad for x in ({active},))', v.types)}"]


def dual(v):
    """A level by dual numbers."""
    seeds = [f"{x} = torch.autograd.forward_ad.make_dual({x}, t[{k}])" for k, x in enumerate(v.inputs[i] for i in v.at)]
    return [f"t = {v.seeds}", "with torch.autograd.forward_ad.dual_level():"] + [f"    {line}" for line in seeds + [
        f"d = [torch.autograd.forward_ad.unpack_dual(y) for y in {v.call}]", "d = tuple(torch.zeros_like(y) if t is None else t for y, t in d)",
        f"return {with_zeros('d', v.types)}"]]


def batched(type_text, size):
    return f"{adapter.dtype_of(type_text)}[{','.join(str(n) for n in [size] + adapter.shape_of(type_text))}]"


def levels_source(levels, style, inputs, types_in, types_out, prefix=""):
    """The levels of a request, innermost first: lines, the name of the outermost function, and the types of its inputs."""
    lines, below = [], "f"
    for k, level in enumerate(levels):
        name = f"{prefix}{level['transform']}{k + 1}"
        if level["transform"] == "batch":
            axes = ["0" if i in level["wrt"] else "None" for i in range(len(inputs))]
            types_in = [batched(t, level["size"]) if i in level["wrt"] else t for i, t in enumerate(types_in)]
            types_out = [batched(t, level["size"]) for t in types_out]
            lines += [f"def {name}({', '.join(inputs)}):", f"    return func.vmap({below}, ({', '.join(axes)},))({', '.join(inputs)})"]
        else:
            v = Level(level, name, below, inputs, types_in, types_out, {i for above in levels[k + 1:] for i in above["wrt"]})
            lines += v.source(style)
            types_out = v.types
        below = name
    return lines, below, types_in


# As the adapter does: for several threads, inductor calls torch in place of some loops that it writes for one.
ONE_THREAD = "torch.set_num_threads(1)\n"
IMPORT_CHECKPOINT = "from torch.utils.checkpoint import checkpoint\n"
# torch.export takes modules.
FUNCTION = ["class Function(torch.nn.Module):", "    def __init__(self, f):", "        super().__init__()", "        self.f = f", "",
            "    def forward(self, *xs):", "        return self.f(*xs)", "", ""]
IMPORT_FUNC = ["try:", "    from torch import func", "except ImportError:  # before 2.0", "    import functorch as func"]
ONE = [["jvp"], ["vjp"]]
TWO = [[a, *s] for a in ("jvp", "vjp") for s in ONE]
THREE = [[a, *s] for a in ("jvp", "vjp") for s in TWO]
BATCHED = [s for one in ONE + TWO for s in (["batch", *one], [*one, "batch"], ["batch", *one, "batch"])]
CASES_TOGETHER = 24  # in one request to a compiler
# erf of f32 is off by up to 5.42e-7 in 2.6 and 2.14, whatever its value.  This holds with AVX2 and AVX-512, for scalars
# and for tensors of any length.  That is 3646 ulps at 2^-10, and at 2^-25 the result is 0.  An ulp of 1 is 1.2e-7.  In
# f64, in 1.13, and without AVX, it is off by less than 0.83 ulp.
ERF = {"absolute": 5}
# Ops of a program, all loops unrolled.  Inductor takes 0.05 to 0.1 s of processor time for each.  Of the default
# profile, 6 programs in 10 have no more than 30; they have 13 on average, and the others 110.
MOST_COMPILED, MOST_BY_INDUCTOR = 100, 30
REFUSALS = ["UserError", "UncapturedHigherOrderOpError", "Unsupported"]  # errors by which torch._dynamo says that it cannot trace something
EVERY = {**OPS, **DISCRETE}
NATIVE = {**EVERY, **pytorch_regions.regions(zeros)}
# By name: the writer of a level, the stacks, a call that wraps the function first (or None), and the ops that it sees.
# OPS: the ops executed at a point, with integers as constants.  EVERY: integers too.  NATIVE: also the control flow that
# this torch differentiates.
MODES = {
    "reverse": (tape, [["vjp"], ["vjp"] * 2, ["vjp"] * 3], None, OPS),
    "forward": (dual, [["jvp"]], None, OPS),
    "func": (func, ONE + TWO + THREE, None, OPS),
    "vmap": (func, [["batch"]] + BATCHED, None, EVERY),
    "script": (tape, [["vjp"], ["vjp"] * 2], "torch.jit.trace(f, xs, check_trace=False)", OPS),
    "export": (tape, [["vjp"], ["vjp"] * 2], "torch.export.export(Function(f), xs, strict=True).module()", OPS),
    "aot_eager": (tape, [["vjp"]], "torch.compile(f, backend='aot_eager', dynamic=False)", OPS),
    "inductor": (tape, [["vjp"]], "torch.compile(f, backend='inductor', dynamic=False)", OPS),
    "native": (tape, [["vjp"], ["vjp"] * 2], None, NATIVE),
    "native_forward": (dual, [["jvp"]], None, NATIVE),
    "native_inductor": (tape, [["vjp"]], "torch.compile(f, backend='inductor', dynamic=False)", NATIVE),
}


# In emitted sources: what a tensor says of itself, which may have no storage if it is zeros.
TOLD = "def told(t):\n    return t.dtype, tuple(t.shape), (torch.zeros(t.shape) if t._is_zerotensor() else t.detach()).flatten().tolist()\n\n"


# Spellings of a request, by mode: a name, the writer of a level, the call that wraps the function, and how often the
# derivative is computed before its answer.  torch.jit optimizes what it has seen twice.
OPTIMIZED = 2
TRACE, SCRIPT = "torch.jit.trace(f, xs, check_trace=False)", "torch.jit.script(f)"
EXPORT = "torch.export.export(Function(f), xs, strict={strict}){then}.module()"
CHECKPOINT = "(lambda f: lambda *xs: checkpoint(f, *xs, use_reentrant=False))(f)"
CALLS = {
    "reverse": [("torch.autograd.grad", tape, None, 0), ("backward()", accumulated, None, 0), ("torch.utils.checkpoint", tape, CHECKPOINT, 0)],
    "script": [("torch.jit.trace", tape, TRACE, 0), ("torch.jit.script", tape, SCRIPT, 0), ("torch.jit.trace, called before", tape, TRACE, OPTIMIZED),
               ("torch.jit.script, called before", tape, SCRIPT, OPTIMIZED)],
    "export": [("torch.export.export", tape, EXPORT.format(strict=True, then=""), 0),
               ("torch.export.export, not strict", tape, EXPORT.format(strict=False, then=""), 0),
               ("torch.export.export, decomposed", tape, EXPORT.format(strict=False, then=".run_decompositions()"), 0)],
}


class Torch:
    def __init__(self, mode, device=""):
        self.device = f"torch.set_default_device({device!r})\n" if device else ""
        self.style, self.requests, self.wrap, ops = MODES[mode]
        self.native, self.constants = ops is NATIVE, ops is OPS
        self.compiles = self.native or bool(self.wrap) and "compile" in self.wrap  # torch compiles its control flow to execute it
        self.most = MOST_BY_INDUCTOR if self.wrap and "inductor" in self.wrap else MOST_COMPILED
        self.exports = bool(self.wrap) and "export" in self.wrap
        self.ops = ops if self.compiles else pytorch_spellings.spelled(ops, self.style is not func)
        if device and not self.compiles:  # a device divides by a Python number by its reciprocal
            self.ops.update({op: ops[op] for op in ("div", "reduce_mean")})
        self.calls = CALLS.get(mode, [("usual", self.style, self.wrap, 0)])

    def call(self, case):
        """The spelling of the request, which is the first one for nested levels."""
        k = adapter.spelling(case.get("variant", 0), "request", len(self.calls))
        return self.calls[k if len(case["request"]) < 2 else 0][1:]

    def head(self):
        return IMPORT_FUNC if self.style is func else pytorch_regions.HEAD if self.native else FUNCTION if self.exports else []

    @functools.lru_cache(maxsize=1)
    def room(self):
        """The names that programs use.  They are made once: before 2.0, importing torch.func takes longer than most cases."""
        import torch
        room = {"torch": torch}
        exec("\n".join(self.head()), room)
        return room

    def parts(self, case):
        """Definitions, the names of the functions for the primal and the derivative (None: not requested), and the points."""
        style, wrap, _ = self.call(case)
        program = adapter.Program(case, {**self.ops, "constant": scripted_constant} if wrap == SCRIPT else self.ops)
        types = [program.types[x] for x in program.inputs], [program.types[r] for r in program.results]
        batches = [level for level in case["request"] if level["transform"] == "batch"]
        outer, primal, types_in = levels_source(batches, style, program.inputs, *types, "primal_")
        lines, derivative, _ = levels_source(case["request"], style, program.inputs, *types) if len(batches) < len(case["request"]) else ([], None, None)
        points = [f"({''.join(f'{tensor_source(d, t)}, ' for d, t in zip(p, types_in))})" for p in case["points"]]
        return program.source() + "\n" + "\n".join(outer + lines) + "\n", primal, derivative, points

    def emit(self, case):
        source, primal, derivative, points = self.parts(case)
        head = "".join(f"{line}\n" for line in self.head() if self.native or self.exports or case["request"])
        _, wrap, before = self.call(case)
        head += IMPORT_CHECKPOINT if wrap == CHECKPOINT else ""
        head += ONE_THREAD if wrap and "inductor" in wrap else ""
        lines, compiled = [], wrap and "inductor" in wrap
        for k, p in enumerate(points):
            lines += [f"xs = {p}"] + (["was = str([told(x) for x in xs])"] if compiled else []) + ([f"f = {wrap}"] if wrap and k == 0 else [])
            lines += [f"{derivative}(*xs)"] * (before if derivative else 0) + [f"judge('primal', [told(y) for y in {primal}(*xs)])"]
            lines += [f"judge('derivative', [told(d) for d in {derivative}(*xs)])"] if derivative else []
            lines += ["if str([told(x) for x in xs]) != was:", "    raise RuntimeError('an input was overwritten')"] if compiled else []
        return "import torch\n" + self.device + head + "\n" + TOLD + source + "\n".join(lines) + "\n"

    def brief(self, case):
        style, wrap, before = self.call(case)
        program = adapter.Program(case, {**self.ops, "constant": scripted_constant} if wrap == SCRIPT else self.ops)
        b = pytorch_brief.Brief(sys.modules[__name__], case, program, style, wrap)
        if style in (tape, func, dual) and b.simple() and wrap != CHECKPOINT and not self.exports:
            source = b.write(before)
        else:
            source = self.general_brief(case)
        return source.replace("import torch\n", "import torch\n" + self.device, 1)

    def general_brief(self, case):
        """The functions of all levels, and the outermost of them called."""
        source, primal, derivative, points = self.parts(case)
        _, wrap, before = self.call(case)
        program = adapter.Program(case, self.ops)
        types = [program.types[r] for r in program.results]
        for level in case["request"]:
            types = [program.types[program.inputs[i]] for i in level["wrt"]] if level["transform"] == "vjp" else [batched(t, level["size"]) for t in types] if level["transform"] == "batch" else types
        head = ["from torch import func"] if self.style is func else self.head() if self.native or self.exports else []
        head += [ONE_THREAD] if wrap and "inductor" in wrap else []
        lines = ["import torch", *head, IMPORT_CHECKPOINT if wrap == CHECKPOINT else "", source]
        for k, p in enumerate(points):
            lines += [f"xs = {p}"] + ([f"f = {wrap}"] if wrap and k == 0 else []) + [f"{derivative}(*xs)"] * (before if derivative else 0)
            lines += [f"out = {derivative or primal}(*xs)"]
            lines += [pytorch_brief.told(bool(derivative), f"out[{i}]", t, DTYPES) for i, t in enumerate(types) if floating(t) or not derivative]
        return "\n".join(lines) + "\n"

    def answer(self, case):
        try:
            return self.judged(case)
        except Exception as e:
            if type(e).__name__ in REFUSALS:
                raise Unsupported(f"{type(e).__name__}: {adapter.message(e)}") from e
            if "TorchScript interpreter" in str(e):  # the last line says what happened
                raise RuntimeError(str(e).strip().splitlines()[-1]) from e
            raise

    def judged(self, case):
        import torch
        source, primal, derivative, points = self.parts(case)
        room = dict(self.room())
        keeps = self.compiles and not self.native
        if keeps:
            known = self.kept().again(case)
            if known:
                return known
        elif self.compiles or self.exports:
            torch._dynamo.reset()
        else:  # torch.jit.trace needs a name; torch._dynamo would import it
            room["__name__"] = "program"
        _, wrap, before = self.call(case)
        if wrap and not self.compiles and not self.exports:  # a compilation unit keeps everything traced: gigabytes in half an hour
            torch.jit._state._python_cu = torch._C.CompilationUnit()
        if wrap == CHECKPOINT:
            exec(IMPORT_CHECKPOINT, room)
        if keeps or wrap == SCRIPT:
            pytorch_together.define(source, room)
        else:
            exec(compile(source, "program", "exec"), room)
        torch.default_generator.manual_seed(0)  # without a GPU, torch.manual_seed keeps a traceback of each call
        answers, fresh = [], f"[{', '.join(points)}]"
        inputs = eval(fresh, room)
        if wrap:
            room["xs"] = inputs[0]
            room["f"] = scripted(room) if wrap == SCRIPT else self.kept_alone(case, room) if keeps else eval(wrap, room)
        for xs in inputs:
            for _ in range(before if derivative else 0):
                room[derivative](*xs)
            derivatives = room[derivative](*xs) if derivative else ()
            values = room[primal](*xs)
            answers.append({"primal": [encode(torch, t) for t in values], "derivative": [encode(torch, t) for t in derivatives]})
        if self.compiles:  # compiled code must not write into the caller's memory
            for a, xs, was in zip(answers, inputs, eval(fresh, room)):
                a["input_modified"] = [encode(torch, x) for x in xs] != [encode(torch, x) for x in was]
        return answers

    @functools.lru_cache(maxsize=1)
    def kept(self):
        import torch
        if "inductor" in self.wrap:
            from torch._inductor import codecache, config, cpu_vec_isa
            pytorch_together.remember_vectors(config, cpu_vec_isa, codecache.cache_dir())
        return pytorch_together.Together(torch, self.ops, self.wrap, tensor_source, encode)

    def kept_alone(self, case, room):
        """The compiled function of the case alone."""
        program = adapter.Program(case, self.ops)
        of = pytorch_together.key(program.source(), [program.types[x] for x in program.inputs], [level["wrt"] for level in case["request"]])
        return self.kept().function(of, len(case["body"]), lambda: eval(self.wrap, room))

    def together(self, cases):
        return self.kept().answers(cases)


def scripted(room):
    """The function by torch.jit.script, which knows a part of Python."""
    try:
        return eval(SCRIPT, room)
    except RuntimeError as e:
        raise Unsupported(f"torch.jit.script: {adapter.message(e)}") from e


# A device adds in any order, and its functions are off by up to 4 units in the last place (CUDA documents that).
DEVICE = {"accuracy": {"default": 4, "erf": ERF}, "nondeterministic": True}


def encode(torch, t):
    if t._is_zerotensor():  # zeros without storage
        t = torch.zeros(t.shape, dtype=t.dtype)
    values = (t.detach().flatten() if t.dim() > 1 else t).tolist()
    return adapter.tensor_out(NAMES[str(t.dtype)], t.shape, values if t.dim() else [values])


def main():
    words = [w for w in sys.argv[1:] if not w.startswith("-")]
    mode, device = (words + ["reverse", ""][len(words):])[:2]
    if mode not in MODES:
        sys.exit(f"no mode {mode}; there are {', '.join(MODES)}")
    version = ""
    os.environ.setdefault("CXX", os.path.join(os.path.dirname(os.path.abspath(__file__)), "inductor-g++"))
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # more threads start processes that each import torch
    if "--emit" not in sys.argv:
        import torch
        torch.set_num_threads(1)
        version = torch.__version__
        if device:
            torch.set_default_device(device)
    engine = Torch(mode, device)
    ops = [op for op in engine.ops if "--emit" in sys.argv or pytorch_regions.differentiates(op)]
    hello = {"name": ".".join(["torch", mode, *[device] * bool(device)]), "version": version, "requests": engine.requests, "dtypes": list(DTYPES), "ops": ops,
             "unroll": True, "constants": engine.constants, "weak_zero": True, "accuracy": {"erf": ERF}, "emits": "py"}
    if device:
        hello.update(DEVICE)
    if not engine.compiles:
        calls = {"request": [name for name, *_ in engine.calls]} if len(engine.calls) > 1 else {}
        hello["spellings"] = adapter.spellings(engine.ops, **calls)
    if engine.compiles:
        hello.update(nodes=engine.most, timeout_ms=600000, cases_per_request=1 if engine.native else CASES_TOGETHER)
    adapter.main(hello, engine.answer, engine.emit, engine.together if engine.compiles and not engine.native else None, engine.brief)


if __name__ == "__main__":
    main()
