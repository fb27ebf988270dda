#!/usr/bin/env python3
"""Writes sources for CasADi and SymPy: expression_source.py casadi-sx | casadi-mx | sympy | sympy-cse --emit.

A program becomes one statement for each op and element. The calls are those of the adapter's tables. Neither engine nor
numpy is needed. See ../PROTOCOL.md.
"""
import itertools
import re
import sys

import adapter
import casadi_expressions
import sympy_expressions
from adapter import Unsupported
from scalar_statements import FOLDS, MOVES, Statements

OPERATORS = {"op.neg": "-{}", "op.add": "{} + {}", "op.sub": "{} - {}", "op.mul": "{} * {}", "op.truediv": "{} / {}", "op.pow": "{} ** {}",
             **{f"op.{name}": f"{{}} {sign} {{}}" for name, sign in (("eq", "=="), ("ne", "!="), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="))}}


def called(call, operands):
    """The text of a call of these operands: of an operator, a lambda, or a name."""
    if call in OPERATORS:
        return OPERATORS[call].format(*operands)
    if call.startswith("lambda "):
        names, body = call.removeprefix("lambda ").split(": ", 1)
        given = dict(zip(names.split(", "), operands))
        return re.sub(r"\b(?<!\.)(%s)\b" % "|".join(given), lambda m: given[m[0]], body)
    return f"{call}({', '.join(operands)})"


# What the elements of a reduction are gathered in, and what else the adapters' tables call.
CASADI = {**casadi_expressions.UNARY, **casadi_expressions.BINARY, **{name: f"op.{name}" for name in ("eq", "ne", "lt", "le", "gt", "ge")}, "logical_and": "ca.logic_and",
          "logical_or": "ca.logic_or", "logical_not": "ca.logic_not", "select": "ca.if_else", "clamp": "lambda x, low, high: ca.fmin(ca.fmax(x, low), high)"}
SYMPY = {**sympy_expressions.UNARY, **sympy_expressions.BINARY, "logical_and": "sp.And", "logical_or": "sp.Or", "logical_not": "sp.Not",
         "select": "lambda p, x, y: sp.Piecewise((x, p), (y, True))", "clamp": "lambda x, low, high: sp.Min(sp.Max(x, low), high)"}
MODES = {"casadi-sx": "SX", "casadi-mx": "MX", "sympy": "", "sympy-cse": ", cse=True"}


class Source:
    def __init__(self, mode, case):
        self.mode, self.case = mode, case
        self.casadi = mode.startswith("casadi")
        self.calls, self.gather = (CASADI, "ca.vertcat({})") if self.casadi else (SYMPY, "[{}]")
        reduced = casadi_expressions.REDUCED if self.casadi else sympy_expressions.REDUCED
        self.reduced = {op: call for op, call in reduced.items() if call != "product"}
        self.statements = Statements(case, self.literal, self.expression, "{} = {}".format, own=(*self.calls, *self.reduced))
        self.program = self.statements.program

    def literal(self, x):
        if self.casadi:
            return f"ca.{MODES[self.mode]}({adapter.literal([float(x)], [])})"
        if isinstance(x, bool):
            return f"sp.sympify({x})"
        if x - x or repr(x) == "-0.0":
            raise Unsupported("a constant that is no finite number, or -0")
        top, bottom = float(x).as_integer_ratio()
        return f"sp.Integer({top})" if bottom == 1 else f"sp.Rational({top}, {bottom})"

    def expression(self, op, operands, _):
        if len(operands) == 3 and op == "add":
            return f"{operands[0]} + {operands[1]} * {operands[2]}"
        if op in self.reduced:
            return called(self.reduced[op], [self.gather.format(", ".join(operands))])
        return called(self.calls[op], operands)

    def size(self, type_text):
        out = 1
        for extent in adapter.shape_of(type_text):
            out *= extent
        return out

    def write(self):
        p = self.program
        types, outs = [p.types[x] for x in p.inputs], [p.types[r] for r in p.results]
        ends = list(itertools.accumulate(map(self.size, types), initial=0))
        names = {x: [f"x[{k}]" for k in range(a, b)] for x, a, b in zip(p.inputs, ends, ends[1:])}
        y = [e for r in self.statements.run(names) for e in r]
        lines, of = [*self.inputs(types), *self.statements.lines, f"y = {self.gather.format(', '.join(y))}", "d = y"], outs
        for level in self.case["request"]:
            of, taken = self.level(level, types, of, ends)
            lines += taken
        for point in self.case["points"]:
            flat = [v for d, t in zip(point, types) for v in adapter.flat(d, t)]
            lines += self.asked(adapter.literal([float(v) if not isinstance(v, bool) or self.casadi else v for v in flat], [len(flat)]), outs, of)
        return "\n".join(lines) + "\n"

    def inputs(self, types):
        n = sum(map(self.size, types))
        if self.casadi:
            return ["import casadi as ca", "", f'x = ca.{MODES[self.mode]}.sym("x", {n})']
        kinds = [t.startswith("bool") for t in types for _ in range(self.size(t))]
        letter = "x" if "cse" in self.mode else "v"
        return ["import mpmath", "import sympy as sp", "", f"mpmath.mp.prec = {sympy_expressions.BITS}",
                f"x = [{', '.join(f'sp.Symbol({letter + str(k)!r}' + ('' if kind else ', real=True') + ')' for k, kind in enumerate(kinds))}]"]

    def level(self, level, types, of, ends):
        """The types of the results after it, and its lines."""
        vjp, wrt = level["transform"] == "vjp", level["wrt"]
        seeded = range(len(of)) if vjp else wrt
        given = {k: d for k, d in zip(seeded, level["cotangents" if vjp else "tangents"]) if adapter.floating((of if vjp else types)[k])}
        seed = [float(v) for k, t in enumerate(of if vjp else types) for v in (adapter.flat(given[k], t) if k in given else [0.0] * self.size(t))]
        if self.casadi:
            lines = [f"d = ca.jtimes(d, x, ca.DM({adapter.literal(seed, [len(seed)])}), {vjp})"]
        else:
            seed = [self.literal(v) for v in seed]
            lines = [f"seed = [{', '.join(seed)}]", "d = [sp.Add(*(s * sp.diff(v, a) for s, v in zip(seed, d) if s != 0)) for a in x]" if vjp else
                     "d = [sp.Add(*(s * sp.diff(v, a) for s, a in zip(seed, x) if s != 0)) for v in d]"]
        if vjp:
            kept = [k for i in wrt for k in range(ends[i], ends[i + 1])]
            if kept != list(range(ends[-1])):
                lines.append(f"d = {self.gather.format(', '.join(f'd[{k}]' for k in kept))}")
            of = [types[k] for k in wrt]
        return of, lines

    def write_brief(self):
        """The results, or only the derivative, compared by lines that adjudge writes."""
        p, levels = self.program, self.case["request"]
        types, outs = [p.types[x] for x in p.inputs], [p.types[r] for r in p.results]
        ends = list(itertools.accumulate(map(self.size, types), initial=0))
        names = {x: [f"x[{k}]" for k in range(a, b)] for x, a, b in zip(p.inputs, ends, ends[1:])}
        y = [e for r in self.statements.run(names) for e in r]
        lines, of = [*self.inputs(types), *self.statements.lines, f"d = {y[0] if self.casadi and len(y) == 1 else self.gather.format(', '.join(y))}"], outs
        for level in levels:
            of, taken = self.level(level, types, of, ends)
            lines += taken
        lone = len(of) == 1 and self.size(of[0]) == 1 and not adapter.shape_of(of[0])
        if self.casadi:
            lines.append('f = ca.Function("f", [x], [d])')
        for point in self.case["points"]:
            flat = [v for d, t in zip(point, types) for v in adapter.flat(d, t)]
            at = adapter.literal([float(v) if not isinstance(v, bool) or self.casadi else v for v in flat], [len(flat)])
            if self.casadi:
                call = f"f(ca.DM({at}))"
                lines.append(f"d = float({call})" if lone else f"d = {call}.full().ravel().tolist()")
            else:
                lines += [f"at = [v if isinstance(v, bool) else mpmath.mpf(v) for v in {at}]",
                          f'd = [float(sp.lambdify(x, e, modules=["mpmath"]{MODES[self.mode]})(*at)) for e in d]{"[0]" if lone else ""}']
            ends = list(itertools.accumulate(map(self.size, of), initial=0))
            for t, a, b in zip(of, ends, ends[1:]):
                if not levels or adapter.floating(t):
                    lines.append(adapter.told(bool(levels), "d" if lone or len(of) == 1 and adapter.shape_of(t) else f"d[{a}:{b}]" if adapter.shape_of(t) else f"d[{a}]"))
        return "\n".join(lines) + "\n"

    def asked(self, point, outs, of):
        """The lines that judge at a point. Results that are no floats are left out of derivatives."""
        if self.casadi:
            lines = ['f = ca.Function("f", [x], [y, d])', f"primal, derivative = [column.full().ravel().tolist() for column in f(ca.DM({point}))]"]
        else:
            evaluate = 'sp.lambdify(x, e, modules=["mpmath"]{})'.format(MODES[self.mode])
            lines = [f"at = [v if isinstance(v, bool) else mpmath.mpf(v) for v in {point}]", f"primal, derivative = [[float({evaluate}(*at)) for e in es] for es in (y, d)]"]
        lines.append(f"judge('primal', {self.parts('primal', outs)})")
        return lines + ([f"judge('derivative', {self.parts('derivative', of)})"] if self.case["request"] else [])

    def parts(self, name, types):
        ends = list(itertools.accumulate(map(self.size, types), initial=0))
        return "[" + ", ".join(f"{name}[{a}:{b}]" for t, a, b in zip(types, ends, ends[1:]) if name == "primal" or adapter.floating(t)) + "]"


def main():
    mode = sys.argv[1] if len(sys.argv) > 1 else ""
    if mode not in MODES:
        sys.exit(f"Usage: {sys.argv[0]} MODE --emit, where MODE is one of {', '.join(MODES)}")
    requests = [list(stack) for n in (1, 2, 3) for stack in itertools.product(("jvp", "vjp"), repeat=n)]
    table, reduced = (CASADI, casadi_expressions.REDUCED) if mode.startswith("casadi") else (SYMPY, sympy_expressions.REDUCED)
    adapter.main({"name": mode, "version": "", "requests": requests, "dtypes": ["f64", "i64", "i32", "bool"], "ops": list(dict.fromkeys(["constant", "matmul", "cumsum", "cumprod", *table, *reduced, *MOVES, *FOLDS])),
                  "unroll": True, "weak_zero": True, "emits": "py"}, None, emit_of(mode), brief=emit_of(mode, True))


def emit_of(mode, brief=False):
    def emit(case):
        if case.get("variant"):
            raise Unsupported("a case with spellings")
        return Source(mode, case).write_brief() if brief else Source(mode, case).write()
    return emit


if __name__ == "__main__":
    main()
