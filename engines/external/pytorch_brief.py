"""Short sources for PyTorch, for an issue: the same calls as those of pytorch.py, as statements at a point.

Where a level of the tape is not known to reach every input, its general function stays.
"""
import re

import adapter
from adapter import floating


def reached(case):
    """The inputs that each value depends on, as far as a derivative can tell."""
    types, of = {}, {}

    def bind(values, source):
        for name, type_text in (v.split(": ") for v in values):
            types[name] = type_text
            of[name] = source if floating(type_text) else set()

    def names(node):
        out = set(node.get("args", []))
        for region in node.get("regions", []):
            out |= set(region["results"]) | {x for inner in region["body"] for x in names(inner)}
        return out

    for v in case["inputs"]:
        bind([v], {v.split(": ")[0]})
    for node in case["body"]:
        source = set().union(*(of.get(x, set()) for x in names(node)))
        bind(node["out"], set() if node["op"] == "stop_gradient" else source)
    return of


def on_one_line(items, one="{}", more="({})"):
    return one.format(items[0]) if len(items) == 1 else more.format(", ".join(items))


def told(derivative, name, type_text, dtypes):
    numbers = f"{name}.{'flatten().' if len(adapter.shape_of(type_text)) > 1 else ''}tolist()"
    return adapter.told(derivative, numbers, f"{name}.dtype", dtypes[adapter.dtype_of(type_text)], f"tuple({name}.shape)")


FRESH = re.compile(r"(\s+)(v\d+) = (v\d+ [-*+/] v\d+)")  # of such a result nobody keeps the memory


def inline(lines):
    """A region's last value, as an expression in what it returns."""
    out = []
    for line in lines:
        last = FRESH.fullmatch(out[-1]) if out and line.lstrip().startswith("return ") else None
        if last and len(re.findall(rf"\b{last[2]}\b", line)) == 1 and f"own({last[2]})" in line:
            out[-1] = line.replace(f"own({last[2]})", last[3])
        else:
            out.append(line)
    return out


def lambdas(lines):
    """Functions that only return, in the call that they are for, if it stays one line."""
    for k, line in enumerate(lines[:-1]):
        head, body = re.fullmatch(r"\s+def (v\w+)\((.*)\):|def (v\w+)\((.*)\):", line), lines[k + 1].strip()
        name, params = (head[1] or head[3], head[2] or head[4]) if head else (None, None)
        uses = [i for i, other in enumerate(lines) if name and i != k and re.search(rf"\b{name}\b", other)]
        if not name or not body.startswith("return ") or len(uses) != 1:
            continue
        call = re.sub(rf"\b{name}\b", lambda _: f"lambda{' ' if params else ''}{params or ''}: {body.removeprefix('return ')}", lines[uses[0]])
        if len(call) <= 120:
            return lambdas([*lines[:k], *lines[k + 2:uses[0]], call, *lines[uses[0] + 1:]])
    return lines


class Brief:
    """One case.  torch: the module pytorch.py, whose rows it uses.  program: the case as lines."""

    def __init__(self, torch, case, program, style, wrap):
        self.torch, self.case, self.program, self.style, self.wrap = torch, case, program, style, wrap
        p, self.levels = program, case["request"]
        self.lines = adapter.used(p.lines, p.results)
        self.types_in, self.types_out = [p.types[x] for x in p.inputs], [p.types[r] for r in p.results]
        self.at = [[p.inputs[i] for i in level.get("wrt", []) if floating(self.types_in[i])] for level in self.levels]
        self.seed = torch.tensor_source
        self.kept = ""  # with inductor, the numbers of all inputs: it may overwrite them

    def simple(self):
        """Whether each level reaches all inputs that it differentiates by, and nothing else is there to tell."""
        of = reached(self.case)
        if not all(floating(t) for t in self.types_out) or any("batch" == level["transform"] for level in self.levels):
            return False
        if not all(floating(self.types_in[i]) for level in self.levels for i in level["wrt"]):
            return False
        if not self.levels or self.style is self.torch.func:
            return len(self.program.results) == 1 or len(self.levels) <= 1
        results = self.program.results
        if not all(of[r] for r in results):
            return False
        if len(self.levels) == 1:
            return all(any(x in of[r] for r in results) for x in self.at[0])
        return len(results) == 1 and len({x for level in self.at for x in level}) == 1

    def inputs(self, point, graph=()):
        out = []
        for x, t, d in zip(self.program.inputs, self.types_in, point):
            text = self.torch.tensor_source(d, t)
            out.append(f"{x} = {text[:-1] + ', requires_grad=True)' if x in graph and text.endswith(')') and '.reshape(' not in text else text + ('.requires_grad_()' if x in graph else '')}")
        return out

    def function(self):
        p = self.program
        return ["", *(adapter.short_function if len(p.results) == 1 else adapter.function)("f", p.inputs, self.lines, ", ".join(p.results)), ""]

    def seeds(self, level, types):
        return [self.seed(d, t) for d, t in zip(level["cotangents" if level["transform"] == "vjp" else "tangents"], types)]

    def called(self):
        """Lines that compute the results by the function, and their names."""
        p, xs = self.program, ", ".join(self.program.inputs)
        if not self.wrap:
            return self.lines, p.results
        wrap = self.wrap.replace("xs", f"({xs},)")
        if "inductor" in self.wrap and p.inputs:
            self.kept = f"[{', '.join(f'{x}.tolist()' for x in p.inputs)}]"
        ys = ["y"] if len(p.results) == 1 else [f"y{k}" for k in range(len(p.results))]
        return [f"f = {wrap}", *([f"was = {self.kept}"] if self.kept else []), f"{', '.join(ys)} = f({xs})"], ys

    def taped(self, point, before):
        """Statements of torch.autograd.grad."""
        lines = self.inputs(point, {x for level in self.at for x in level})
        called, ys = self.called()
        lines += called[:-1] + [called[-1].split(" = ")[1]] * before + called[-1:] if before and self.wrap else called
        types, of = self.types_out, ys
        for k, level in enumerate(self.levels):
            xs, seeds, last = self.at[k], self.seeds(level, types), k + 1 == len(self.levels)
            default = len(of) == 1 and seeds == [self.seed([1.0], "f64[]").replace("[1.0]", "1.0")] or [t for t in types if adapter.shape_of(t)] == [] and level["cotangents"] == [1]
            call = f"torch.autograd.grad({on_one_line(of)}, {on_one_line(xs)}{'' if default else ', ' + on_one_line(seeds)}{'' if last else ', create_graph=True'})"
            ds = ["d"] if len(xs) == 1 else [f"d{i}" for i in range(len(xs))]
            lines.append(f"{ds[0]} = {call}[0] if {of[0]}.requires_grad else torch.zeros_like({xs[0]})" if k else f"{', '.join(ds)}{',' * (len(ds) == 1)} = {call}")
            of, types = ds, [self.program.types[x] for x in xs]
        return lines, of, types

    def transformed(self, point):
        """torch.func: all levels but the last are functions."""
        p, xs, below, lines, types, lone = self.program, ", ".join(self.program.inputs), "f", self.function(), self.types_out, len(self.program.results) == 1
        for k, level in enumerate(self.levels):
            at, vjp, last = self.at[k], level["transform"] == "vjp", k + 1 == len(self.levels)
            f = below if at == p.inputs else f"lambda {', '.join(at)}: {below}({xs})"
            seeds = self.seeds(level, types if vjp else [p.types[x] for x in at])
            text = f"func.vjp({f}, {', '.join(at)})[1]({on_one_line(seeds)})" if vjp else f"func.jvp({f}, ({', '.join(at)},), ({', '.join(seeds)},))[1]"
            types = [p.types[x] for x in at] if vjp else types
            lone = len(at) == 1 if vjp else lone
            text += "[0]" if vjp and lone else ""
            below = f"{level['transform']}{k + 1}"
            lines += [] if last else [f"def {below}({xs}):", f"    return {text}", ""]
        ds = ["d"] if lone else [f"d{i}" for i in range(len(types))]
        return lines, [*self.inputs(point), f"{', '.join(ds)} = {text}"], ds, types

    def dual(self, point):
        """Dual numbers: the level holds the statements."""
        p, (level,) = self.program, self.levels
        seeds = dict(zip(self.at[0], self.seeds(level, [p.types[x] for x in self.at[0]])))
        made = [f"{x} = fwAD.make_dual({x}, {seeds[x]})" for x in self.at[0]]
        ds = ["d"] if len(p.results) == 1 else [f"d{k}" for k in range(len(p.results))]
        unpacked = [f"{d} = fwAD.unpack_dual({r}).tangent" for d, r in zip(ds, p.results)]
        return [*self.inputs(point), "with fwAD.dual_level():", *(f"    {line}" for line in [*made, *self.lines, *unpacked])], ds, self.types_out

    def write(self, before):
        torch, lines = self.torch, []
        head = ["import torch", *([torch.ONE_THREAD.strip()] if self.wrap and "inductor" in self.wrap else [])]
        for point in self.case["points"]:
            if not self.levels:
                head += self.function() if self.wrap else []
                called, ds = self.called()
                lines += [*self.inputs(point), *called]
                types = self.types_out
            elif self.style is torch.tape:
                head += self.function() if self.wrap else []
                more, ds, types = self.taped(point, before)
                lines += more
            elif self.style is torch.func:
                functions, more, ds, types = self.transformed(point)
                head += ["from torch import func", *functions] if not lines else []
                lines += more
            else:
                more, ds, types = self.dual(point)
                head += ["import torch.autograd.forward_ad as fwAD", ""] if not lines else []
                lines += more
            lines += [f"assert {self.kept} == was, 'an input was overwritten'"] if self.kept else []
            lines += [told(bool(self.levels), d, t, torch.DTYPES) for d, t in zip(ds, types)]
        return self.own("\n".join(inline([*head, *([""] if head[-1] else []), *lines])) + "\n")

    def own(self, text):
        """Control flow: what it imports, and copies of values whose layout a plain clone keeps."""
        flat = not any(op in str(self.case["body"]) for op in ("'transpose'", "'broadcast_to'"))
        text = re.sub(r"\bown\(([^()]+)\)", r"\1.clone()", text) if flat else text
        text = "\n".join(lambdas(text.split("\n")))
        names = [name for name in ("while_loop", "scan") if re.search(rf"(?<![\w.]){name}\(", text)]
        imports = "".join(f"from torch._higher_order_ops.{name} import {name}\n" for name in names)
        copies = "\ndef own(x):\n    return x.clone(memory_format=torch.contiguous_format)\n" if "own(" in text else ""
        return text.replace("import torch\n", f"import torch\n{imports}{copies}", 1)
