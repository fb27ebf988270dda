#!/usr/bin/env python3
"""Writes sources for engines of C++ numbers, and for CasADi: scalar_source.py ENGINE --emit.

A C++ engine's calls are the rows of its adapter, so the source makes the calls that were judged. How numbers are made
and read, and how a level of a request is asked, are the rows of ENGINES. Neither the engine nor a compiler is needed.
See ../PROTOCOL.md.
"""
import itertools
import pathlib
import re
import sys

import adapter
from adapter import Unsupported
from scalar_statements import FOLDS, MOVES, Statements

HERE = pathlib.Path(__file__).parent


# ---- the calls of an adapter ----

def argument_of(text, at):
    """The text from `at` to the parenthesis that closes it."""
    depth = 0
    for end in range(at, len(text)):
        depth += (text[end] in "({[") - (text[end] in ")}]")
        if depth < 0:
            return text[at:end]
    return ""


def calls_of(name, struct):
    """The rows in an adapter: kind and op, and the call as an expression of a and b. struct: where, if not all have them."""
    text, out = (HERE / f"{name}.cpp").read_text(encoding="utf-8"), {}
    if struct:
        text = text[text.index(f"struct {struct} {{"):].split("\n};")[0]
    if "adjudge::usual(" in text:
        text = (HERE / "spellings.hpp").read_text(encoding="utf-8") + text
    for m in re.finditer(r'\b(?:ADJUDGE_)?(UNARY|BINARY|LINE)\("(\w+)", ', text):
        out[m[1].lower(), m[2]] = argument_of(text, m.end())
    for m in re.finditer(r's\.(\w+)\["(\w+)"\] = \[\]\([^)]*\) -> T \{ return (.*?); \}', text):
        out[m[1], m[2]] = m[3]
    return {key: re.sub(r"literal<T>\(([^()]*)\)", r"T(\1)", call) for key, call in out.items()}


def number(x):
    """A double in C++."""
    return 'std::nan("")' if x != x else repr(x).replace("inf", "HUGE_VAL")


def literal(x):
    return f"T({number(x)})"


def filled(call, a, b=""):
    return re.sub(r"\b[ab]\b", lambda m: a if m[0] == "a" else b, call)


class Calls:
    """Expressions in C++. mixed: the ops that the numbers have with a double on either side."""

    def __init__(self, engine):
        self.rows, self.mixed, self.integers = calls_of(engine["adapter"], engine.get("struct")), engine.get("mixed", ()), "symbol" in engine
        self.ops = sorted({op for _, op in self.rows})
        self.lines = [op for kind, op in self.rows if kind == "line"]

    def expression(self, op, operands, constants):
        if op in self.lines:
            if not operands:
                raise Unsupported(f"{op} of nothing")
            return re.sub(r"\bx\b", lambda m: f"std::vector<T>{{{', '.join(operands)}}}", self.rows["line", op])
        if len(operands) == 1:
            return filled(self.row("unary", op), *operands)
        if len(operands) == 3:
            return f"{operands[0]} + {operands[1]} * {operands[2]}"
        left, right = constants
        if left is not None and right is not None:
            right = None
        if right is not None and ("constant_right", op) in self.rows:
            return filled(self.rows["constant_right", op], operands[0], number(right))
        if op == "pow" and self.integers and right is not None and float(right).is_integer():
            return filled(self.row("binary", op), operands[0], str(int(right)))
        if op in self.mixed:
            operands = [x if c is None else number(c) for x, c in zip(operands, (left, right))]
        return filled(self.row("binary", op), *operands)

    def row(self, kind, op):
        if (kind, op) not in self.rows:
            raise Unsupported(op)
        return self.rows[kind, op]


# ---- the engines ----

ARITHMETIC = ("add", "sub", "mul", "div")

# adapter: where the calls are.  number: the type over {T}, for an engine of levels.  A level has `begin`, `variable` and
# `constant` of {x} with a {value} (and a {tangent}), `value` and `derivative` of {y}.  A backward one has `sweep`, of the
# results' names.  build: how a source is built.  order: how many levels it has, 2 at most.  brief: rows of a short source.
FORWARDS = {"begin": "", "constant": "const {N} {x}({value});"}
ENGINES = {
    "ceres": {"adapter": "ceres_jet", "title": "Ceres's Jet", "include": ["ceres/jet.h"], "build": "-I/usr/include/eigen3", "mixed": (*ARITHMETIC, "pow"),
              "jvp": {**FORWARDS, "number": "ceres::Jet<{T}, 1>", "variable": "{N} {x}({value}); {x}.v[0] = {tangent};", "value": "{y}.a", "derivative": "{y}.v[0]"}},
    "boost": {"adapter": "boost_autodiff", "title": "Boost.Math's autodiff", "include": ["boost/math/differentiation/autodiff.hpp"], "mixed": (*ARITHMETIC, "pow", "atan2"),
              "define": [f"BOOST_MATH_{e}_ERROR_POLICY ignore_error" for e in ("DOMAIN", "POLE", "OVERFLOW")],
              "jvp": {**FORWARDS, "number": "boost::math::differentiation::autodiff_fvar<{T}, 1>",
                      "variable": "const {N} {x} = {value} + {tangent} * boost::math::differentiation::make_fvar<{T}, 1>(0);", "value": "{y}.derivative(0)", "derivative": "{y}.derivative(1)"}},
    "eigen": {"adapter": "eigen_autodiff", "title": "Eigen's AutoDiffScalar", "order": 1, "include": ["Eigen/Core", "unsupported/Eigen/AutoDiff"], "build": "-I/usr/include/eigen3", "mixed": ARITHMETIC,
              "jvp": {**FORWARDS, "number": "Eigen::AutoDiffScalar<Eigen::VectorXd>", "variable": "const {N} {x}({value}, Eigen::VectorXd::Constant(1, {tangent}));", "value": "{y}.value()",
                      "derivative": "({y}.derivatives().size() ? {y}.derivatives()[0] : 0.0)"}},
    "adolc-traceless": {"adapter": "adolc_traceless", "title": "ADOL-C's traceless numbers", "order": 1, "include": ["adolc/adtl.h"], "build": "-ladolc", "mixed": (*ARITHMETIC, "pow", "atan2", "max", "min"),
                        "jvp": {**FORWARDS, "number": "adtl::adouble", "variable": "{N} {x}({value}); {x}.setADValue(0, {tangent});", "value": "{y}.getValue()", "derivative": "{y}.getADValue(0)"}},
    "autodiff-dual": {"adapter": "autodiff", "struct": "Dual", "title": "autodiff's dual", "include": ["autodiff/forward/dual.hpp"], "build": "-I/usr/include/eigen3 -I$AUTODIFF", "mixed": (*ARITHMETIC, "pow", "atan2"),
                      "jvp": {**FORWARDS, "number": "autodiff::HigherOrderDual<{k}, double>", "variable": "{N} {x}; {x}.val = {value}; {x}.grad = {tangent};", "value": "{y}.val", "derivative": "{y}.grad"}},
    "autodiff-var": {"adapter": "autodiff", "struct": "Var", "title": "autodiff's var", "include": ["autodiff/reverse/var.hpp"], "build": "-I/usr/include/eigen3 -I$AUTODIFF", "mixed": (*ARITHMETIC, "pow", "atan2"),
                     "vjp": {"number": "autodiff::var", "begin": "", "constant": "const {N} {x}({value});", "variable": "const {N} {x}({value});", "value": "val({y})",
                             "sweep": "const auto {d} = autodiff::derivatives({total}, autodiff::wrt({xs}));", "derivative": "{d}[{i}]"}},
}
SACADO = {"adapter": "sacado", "include": ["Sacado_No_Kokkos.hpp"], "mixed": (*ARITHMETIC, "pow", "atan2", "max", "min"),
          "build": "-DOMPI_SKIP_MPICXX -I/usr/include/trilinos -I/usr/lib/x86_64-linux-gnu/openmpi/include -ltrilinos_teuchoscomm -ltrilinos_teuchoscore -ltrilinos_kokkoscore"}
FADS = {"fad": "Fad::DFad", "cache": "CacheFad::DFad", "elr": "ELRFad::DFad"}
for mode, fad in {**FADS, "rad": FADS["fad"]}.items():
    ENGINES[f"sacado-{mode}"] = {**SACADO, "title": f"Sacado's {fad if mode != 'rad' else 'Rad::ADvar'}",
                                 "jvp": {**FORWARDS, "number": f"Sacado::{fad}<{{T}}>", "variable": "{N} {x}(1, 0, {value}); {x}.fastAccessDx(0) = {tangent};", "value": "{y}.val()",
                                         "derivative": "{y}.dx(0)"}}
ENGINES["sacado-rad"]["vjp"] = {"number": "Sacado::Rad::ADvar<{T}>", "begin": "", "constant": "const {N} {x}({value});", "variable": "const {N} {x}({value});", "value": "{y}.val()",
                                "sweep": "{N} *{d}[] = {{{pointers}}}; {T} {d}_weights[] = {{{weights}}}; {N}::Weighted_Gradcomp({n}, {d}, {d}_weights);", "copies": True, "derivative": "{x}.adj()"}
CODI = {"adapter": "codipack", "include": ["codi.hpp"], "build": "-I$CODIPACK/include", "mixed": (*ARITHMETIC, "pow", "atan2", "max", "min"),
        "jvp": {**FORWARDS, "number": "codi::RealForwardGen<{T}, {T}>", "variable": "{N} {x}({value}); {x}.setGradient({tangent});", "value": "{y}.getValue()", "derivative": "{y}.getGradient()"}}
for mode, real in {"linear": "RealReverseGen", "primal-index": "RealReversePrimalIndexGen"}.items():
    ENGINES[f"codipack-{mode}"] = {**CODI, "title": f"CoDiPack's {real}", "vjp": {
        "number": f"codi::{real}<{{T}}>", "begin": "{N}::Tape &tape{k} = {N}::getTape(); tape{k}.setActive();", "constant": "const {N} {x}({value});",
        "variable": "{N} {x}({value}); tape{k}.registerInput({x});", "value": "{y}.getValue()", "copies": True,
        "output": "tape{k}.registerOutput({y}); {y}.setGradient({w});", "sweep": "tape{k}.setPassive(); tape{k}.evaluate();", "derivative": "{x}.getGradient()"}}
STAN = {"adapter": "stan_math", "mixed": (*ARITHMETIC, "pow", "atan2", "max", "min"),
        "build": "-w -D_REENTRANT -DTBB_INTERFACE_NEW -DOMPI_SKIP_MPICXX -I/usr/include/stan-math -I/usr/include/eigen3 -I/usr/lib/x86_64-linux-gnu/openmpi/include -ltbb",
        "jvp": {**FORWARDS, "number": "stan::math::fvar<{T}>", "variable": "const {N} {x}({value}, {tangent});", "value": "{y}.val()", "derivative": "{y}.d_"}}
ENGINES["stan-fwd"] = {**STAN, "include": ["stan/math/fwd.hpp"], "title": "Stan Math's fvar"}
ENGINES["stan-rev"] = {**STAN, "include": ["stan/math/mix.hpp"], "title": "Stan Math's var", "requests": [["vjp"], ["jvp", "vjp"]],
                       "vjp": {"number": "stan::math::var_value<{T}>", "begin": "", "constant": "const {N} {x}({value});", "variable": "const {N} {x}({value});", "value": "{y}.val()",
                               "output": "{y}.adj() += {w};", "sweep": "stan::math::grad();", "derivative": "{x}.adj()"}}


def vector(name, expressions):
    return f"const std::vector<T> {name}{{{', '.join(expressions)}}};"


# Engines with a tape: `record` and `end` around the program, and a product for each request.
ENGINES["cppad"] = {
    "adapter": "cppad", "title": "CppAD", "include": ["cppad/cppad.hpp"], "build": "-lcppad_lib", "number": "CppAD::AD<double>",
    # as cppad.cpp lists them
    "spellings": {"gather": ["gather", "VecAD"], "request": ["request", "optimize()"], "select": ["select", "CondExpGt"]},
    "array": {"open": "CppAD::VecAD<double> {name}({n});", "put": "{name}[T({k}.0)] = {x};", "take": "{name}[T({k}.0)]"}, "optimize": "tape.optimize();",
    "record": ["std::vector<T> x = {{{values}}};", "CppAD::Independent(x);"], "variable": "const T {x} = x[{i}];",
    "end": ["std::vector<T> y = {{{results}}};", "CppAD::ADFun<double> tape;", "tape.Dependent(x, y);", "{optimize}", "tape.check_for_nan(false);", "using Numbers = std::vector<double>;",
            "const Numbers p = tape.Forward(0, Numbers{{{values}}});"], "result": "p[{i}]",
    "jvp": "const Numbers {d} = tape.Forward(1, Numbers{{{tangents}}});", "vjp": "const Numbers {d} = tape.Reverse(1, Numbers{{{weights}}});",
    "second": "tape.Forward(1, Numbers{{{tangents}}}); const Numbers {d} = tape.Reverse(2, Numbers{{{weights}}});", "derivative": "{d}[{i}]", "seconds": "{d}[2 * {i} + 1]"}
ENGINES["cppad"]["brief"] = {
    "variable": None, "end": [line.replace("Numbers{", "std::vector<double>{").replace("Numbers p", "auto p") for line in ENGINES["cppad"]["end"] if "using" not in line],
    **{key: ENGINES["cppad"][key].replace("Numbers{{{", "std::vector<double>{{{").replace("const Numbers", "const auto") for key in ("jvp", "vjp", "second")}}
ENGINES["adolc"] = {
    "adapter": "adolc", "title": "ADOL-C", "include": ["adolc/adolc.h"], "build": "-ladolc", "number": "adouble", "vector": vector,
    "record": ["double x[] = {{{values}}}, p[{m}];", "trace_on(1);"], "variable": "T {x}; {x} <<= x[{i}];",
    "results": "T({y}) >>= p[{i}];", "end": ["trace_off();"], "result": "p[{i}]",
    "jvp": "double v[] = {{{tangents}}}, {d}[{m}]; fos_forward(1, {m}, {n}, 0, x, v, p, {d});",
    "vjp": "double w[] = {{{weights}}}, {d}[{n}]; zos_forward(1, {m}, {n}, 1, x, p); fos_reverse(1, {m}, {n}, w, {d});",
    "second": "double {d}_v[] = {{{tangents}}}, {d}_w[] = {{{weights}}}, {d}[{n}]; lagra_hess_vec(1, {m}, {n}, x, {d}_v, {d}_w, {d});", "derivative": "{d}[{i}]", "seconds": "{d}[{i}]",
    "brief": {"gradient": "double {d}[{n}]; gradient(1, {n}, x, {d});"}}
ENGINES["adept"] = {
    "adapter": "adept", "title": "Adept", "order": 1, "include": ["adept.h"], "build": "-ladept", "mixed": (*ARITHMETIC, "pow", "atan2", "max", "min"), "number": "adept::adouble",
    "record": ["adept::Stack stack;", "T x[] = {{{values}}};", "stack.new_recording();"], "variable": "const T {x} = x[{i}];", "end": ["T y[] = {{{results}}};"], "result": "y[{i}].value()",
    "jvp": "const double v[] = {{{tangents}}}; double {d}[{m}]; adept::set_gradients(x, {n}, v); stack.forward(); adept::get_gradients(y, {m}, {d});",
    "vjp": "const double w[] = {{{weights}}}; double {d}[{n}]; adept::set_gradients(y, {m}, w); stack.reverse(); adept::get_gradients(x, {n}, {d});", "derivative": "{d}[{i}]",
    "brief": {"variable": None, "jvp": "stack.forward();", "vjp": "stack.reverse();", "seed": "{x}[{i}].set_gradient({w});", "derivative": "{d}[{i}].get_gradient()"}}
# An engine of expressions: its derivatives are expressions, too.
ENGINES["ginac"] = {"adapter": "ginac_expressions", "title": "GiNaC", "include": ["ginac/ginac.h"], "build": "-lginac -lcln", "symbol": "const GiNaC::realsymbol {x};"}


# ---- sources ----


class Source:
    """The lines of one case at its point.  brief: what a short source needs."""

    def __init__(self, engine, case, point, brief=False):
        self.engine, self.case, self.brief, self.lines, calls = {**engine, **(engine.get("brief", {}) if brief else {})}, case, brief, [], Calls(engine)
        self.drawn = {op for op, names in engine.get("spellings", {}).items() if adapter.spelling(case.get("variant", 0), op, len(names))}
        if "select" in self.drawn and any(raw["op"] == "select" for raw in case["body"]):
            raise Unsupported(f"select as {engine['spellings']['select'][1]}")
        self.statements = Statements(case, literal, calls.expression, "const T {} = {};".format, engine.get("vector"), calls.lines, engine["array"] if "gather" in self.drawn else None)
        p = self.program = self.statements.program
        self.inputs = {x: [number(float(v)) for v in adapter.flat(d, p.types[x])] for x, d in zip(p.inputs, point)}
        self.discrete = [x for x in p.inputs if not adapter.floating(p.types[x])]
        p.constants.update({x: adapter.flat(d, p.types[x]) for x, d in zip(p.inputs, point) if x in self.discrete})
        self.levels = case["request"]
        self.types = [p.types[r] for r in case["results"]]

    def names(self, suffix=""):
        """The elements of all inputs, in one list."""
        return [f"{x}{suffix}" if not adapter.shape_of(self.program.types[x]) else f"{x}_{i}{suffix}" for x in self.inputs for i in range(len(self.inputs[x]))]

    def elements(self, which):
        """Whether these inputs have each element of all inputs."""
        return [k in which and x not in self.discrete for k, x in enumerate(self.inputs) for _ in self.inputs[x]]

    def seeds(self, level, types):
        """A number for each element of all inputs, or of the results."""
        if level["transform"] == "vjp":
            return [float(v) for d, t in zip(level["cotangents"], types) for v in (adapter.flat(d, t) if adapter.floating(t) else [0.0] * len(adapter.flat(d, t)))]
        given = dict(zip(level["wrt"], level["tangents"]))
        return [float(v) for k, x in enumerate(self.inputs) for v in (adapter.flat(given[k], self.program.types[x]) if k in given and x not in self.discrete else [0.0] * len(self.inputs[x]))]

    def run(self, names):
        """The elements of all results."""
        at = iter(names)
        results = self.statements.run({x: list(itertools.islice(at, len(self.inputs[x]))) for x in self.inputs})
        self.lines += self.statements.lines
        return [y for r in results for y in r]

    def judged(self, kind, elements, types):
        """The call that judges the floats among these results."""
        at, lists, told = iter(elements), [], []
        for t in types:
            part = list(itertools.islice(at, len(walk_of(t))))
            if adapter.floating(t):
                lists.append("{" + ", ".join(part) + "}")
                told.append(adapter.told(kind == "derivative", ", ".join(part)))
        if self.brief:
            self.lines += told if kind == "derivative" or not self.levels else []
            return
        self.lines.append(f'judge("{kind}", {{{", ".join(lists)}}});')

    def differentiated(self):
        """The types of the derivatives."""
        types = self.types
        for level in self.levels:
            if level["transform"] == "vjp":
                types = [self.program.types[list(self.inputs)[k]] for k in level["wrt"]]
        return types

    def text(self, alias):
        """The types that it needs, and its lines.  A short source has no name for a type that needs none."""
        lone = re.fullmatch(r"using T = (.{,20});", alias)
        if self.brief and lone:
            alias, self.lines = "", [re.sub(r"\bT\b", lone[1], line) for line in self.lines]
        return alias, [line for text in self.lines for line in text.replace("; ", ";\n").split("\n")]


def walk_of(type_text):
    count = 1
    for extent in adapter.shape_of(type_text):
        count *= extent
    return range(count)


class Tape(Source):
    """For an engine with drivers of a tape: f's second derivatives are products with the Hessian."""

    def write(self):
        e, names, values = self.engine, self.names(), [v for x in self.inputs.values() for v in x]
        every = [any(w) for w in zip(*[self.elements(level["wrt"]) for level in self.levels])] if self.levels else self.elements(range(len(self.inputs)))
        self.active = [k for k, wanted in enumerate(every) if wanted]
        if not self.active:
            raise Unsupported("a tape without independent variables")
        m = sum(len(walk_of(t)) for t in self.types)
        words = {"values": ", ".join(values[k] for k in self.active), "n": len(self.active), "m": m}
        self.lines += [line.format(**words) for line in e["record"]]
        for k, name in enumerate(names):
            if k not in self.active:
                self.lines.append(f"const T {name}({values[k]});")
            elif e["variable"]:
                self.lines.append(e["variable"].format(x=name, i=self.active.index(k)))
            else:
                names[k] = f"x[{self.active.index(k)}]"
        results = self.run(names)
        self.lines += [e["results"].format(y=y, i=i) for i, y in enumerate(results) if "results" in e]
        words["optimize"] = e["optimize"] if "request" in self.drawn else ""
        self.lines += filter(None, (line.format(results=", ".join(results), **words) for line in e["end"]))
        self.judged("primal", [e["result"].format(i=i) for i in range(m)], self.types)
        if self.levels:
            self.judged("derivative", self.derivative(words, m), self.differentiated())
        return self.text(f"using T = {e['number']};")

    def ask(self, form, words, d, tangents=(), weights=()):
        self.lines.append(form.format(d=d, tangents=", ".join(map(number, tangents)), weights=", ".join(map(number, weights)), **words))

    def taken(self, level, form, d):
        """The elements of the inputs that a level is with respect to."""
        return [form.format(d=d, i=self.active.index(k)) for k, wanted in enumerate(self.elements(level["wrt"])) if wanted]

    def derivative(self, words, m):
        e, levels, own = self.engine, self.levels, [level["transform"] for level in self.levels]
        seeds = [self.seeds(level, self.types if not k or own[0] == "jvp" else self.derived(levels[0])) for k, level in enumerate(levels)]
        inner = [seeds[0][k] for k in self.active] if own[0] == "jvp" else seeds[0]
        if own == ["vjp"] and "gradient" in e and seeds[0] == [1.0]:
            self.ask(e["gradient"], words, "d")
            return self.taken(levels[0], e["derivative"], "d")
        if len(levels) == 1:
            d = ("y" if own[0] == "jvp" else "x") if "seed" in e else "d"
            self.lines += [e["seed"].format(x="x" if own[0] == "jvp" else "y", i=i, w=number(w)) for i, w in enumerate(inner) if "seed" in e]
            self.ask(e[own[0]], words, d, **{"tangents" if own[0] == "jvp" else "weights": inner})
            return [e["derivative"].format(d=d, i=i) for i in range(m)] if own[0] == "jvp" else self.taken(levels[0], e["derivative"], d)
        if len(levels) > 2:
            raise Unsupported("derivatives of order 3")
        if own == ["jvp", "jvp"]:
            out = []
            for i in range(m):
                self.ask(e["second"], words, f"d{i}", inner, [float(k == i) for k in range(m)])
                terms = [(seeds[1][k], e["seconds"].format(d=f"d{i}", i=at)) for at, k in enumerate(self.active)]
                out.append(" + ".join(y if s == 1 else f"{number(s)} * {y}" for s, y in terms))
            return out
        direction = seeds[0] if own[0] == "jvp" else seeds[1] if own[1] == "jvp" else self.of_inputs(levels[0], seeds[1])
        self.ask(e["second"], words, "d", [direction[k] for k in self.active], seeds[1] if own[0] == "jvp" else seeds[0])
        return self.taken(levels[0] if own == ["vjp", "jvp"] else levels[1], e["seconds"], "d")

    def derived(self, level):
        return [self.program.types[list(self.inputs)[k]] for k in level["wrt"]]

    def of_inputs(self, level, seeds):
        """Seeds of the inputs of a level, as a list of all inputs."""
        at, out = iter(seeds), []
        parts = {k: list(itertools.islice(at, len(self.inputs[list(self.inputs)[k]]))) for k in level["wrt"]}
        for k, x in enumerate(self.inputs):
            out += parts.get(k, [0.0] * len(self.inputs[x]))
        return out


class Levels(Source):
    """For an engine whose numbers carry derivatives: the outermost level has numbers over doubles."""

    def write(self):
        self.asked, self.aliases = self.levels or [self.idle()], []
        for level in self.asked:
            if level["transform"] not in self.engine:
                raise Unsupported(f"{level['transform']} of {self.engine['title']}")
        self.outputs = [self.types]  # of each level, before it
        for level in self.asked:
            self.outputs.append([self.program.types[list(self.inputs)[k]] for k in level["wrt"]] if level["transform"] == "vjp" else self.outputs[-1])
        if "adtl" in self.engine["include"][0]:
            self.lines.append("adtl::setNumDir(1);")
        primal, derivative = self.level(len(self.asked) - 1, "double", [v for x in self.inputs.values() for v in x])
        self.judged("primal", primal, self.types)
        if self.levels:
            self.judged("derivative", derivative, self.outputs[-1])
        return self.text("\n".join(self.aliases))

    def idle(self):
        """The level by whose numbers a primal is computed."""
        whole = list(range(len(self.inputs)))
        if "vjp" in self.engine:
            return {"transform": "vjp", "wrt": whole, "cotangents": [nested(0, adapter.shape_of(t)) for t in self.types]}
        return {"transform": "jvp", "wrt": whole, "tangents": [nested(0, adapter.shape_of(self.program.types[x])) for x in self.inputs]}

    def level(self, k, below, x):
        """The elements of the primal and of the derivative, of the type `below`."""
        if k < 0:
            results = self.run(x)
            return results, results
        level = self.asked[k]
        way, wanted, seeds = self.engine[level["transform"]], self.elements(level["wrt"]), self.seeds(level, self.outputs[k])
        words = {"T": below, "N": "T" if k == 0 else f"T{k + 1}", "k": "" if k == 0 else k + 1}
        self.aliases.append(f"using {words['N']} = {way['number'].format(T=below, k=len(self.asked) - k)};")
        names = self.names("" if k == 0 else f"_{k + 1}")
        self.lines += [way["begin"].format(**words)] if way["begin"] else []
        for i, (name, value) in enumerate(zip(names, x)):
            tangent = {"tangent": number(seeds[i])} if level["transform"] == "jvp" else {}
            self.lines.append(way["variable" if wanted[i] else "constant"].format(x=name, value=value, **tangent, **words))
        primal, derivative = self.level(k - 1, words["N"], names)
        values = [way["value"].format(y=y) for y in primal]
        if level["transform"] == "jvp":
            return values, [way["derivative"].format(y=y) for y in derivative]
        return values, self.swept(way, words, [n for n, w in zip(names, wanted) if w], derivative, seeds) if self.levels else []

    def swept(self, way, words, variables, results, weights):
        """The adjoints of the variables."""
        d = f"d{words['k']}"
        if way.get("copies"):
            self.lines += [f"{words['N']} {d}_{i} = {y};" for i, y in enumerate(results)]
            results = [f"{d}_{i}" for i in range(len(results))]
        self.lines += [way["output"].format(y=y, w=number(w), **words) for y, w in zip(results, weights) if "output" in way]
        total = " + ".join(y if w == 1 else f"{number(w)} * {y}" for y, w in zip(results, weights))
        self.lines.append(way["sweep"].format(d=d, n=len(results), total=f"{words['N']}({total})" if total else "", xs=", ".join(variables), pointers=", ".join(f"&{y}" for y in results),
                                              weights=", ".join(map(number, weights)), **words))
        return [way["derivative"].format(d=d, x=x, i=i) for i, x in enumerate(variables)]

class Expressions(Source):
    """For an engine of expressions: each level makes expressions of those below."""

    HELPERS = """using T = GiNaC::ex;

static double number(const T &e, const GiNaC::exmap &at)
{
	const T v = e.subs(at).evalf();
	return v.info(GiNaC::info_flags::real) ? GiNaC::ex_to<GiNaC::numeric>(v).to_double() : std::nan("");
}"""

    def write(self):
        names, values = self.names(), [v for x in self.inputs.values() for v in x]
        self.lines += ["GiNaC::Digits = 720;", *(self.engine["symbol"].format(x=x) for x in names)]
        derived = results = self.run(names)
        of = self.types
        for k, level in enumerate(self.levels):
            derived = self.level(level, derived, of, names, f"d{k + 1}" if len(self.levels) > 1 else "d")
            of = [self.program.types[list(self.inputs)[i]] for i in level["wrt"]] if level["transform"] == "vjp" else of
        self.lines.append(f"const GiNaC::exmap at{{{', '.join(f'{{{x}, T({v})}}' for x, v in zip(names, values))}}};")
        number = "GiNaC::ex_to<GiNaC::numeric>({}.subs(at).evalf()).to_double()" if self.brief else "number({}, at)"
        self.judged("primal", [number.format(y) for y in results], self.types)
        if self.levels:
            self.judged("derivative", [number.format(y) for y in derived], self.differentiated())
        return self.text(self.HELPERS.split("\n")[0] if self.brief else self.HELPERS)

    def level(self, level, of, types, names, d):
        """The elements of a derivative of these expressions."""
        seeds, wanted = self.seeds(level, types), self.elements(level["wrt"])
        if level["transform"] == "vjp":
            sums = [[(w, y, x) for w, y in zip(seeds, of)] for x, kept in zip(names, wanted) if kept]
        else:
            sums = [[(w, y, x) for w, x, kept in zip(seeds, names, wanted) if kept] for y in of]
        for k, terms in enumerate(sums):
            parts = [f"{y}.diff({x})" if w == 1 else f"T({number(w)}) * {y}.diff({x})" for w, y, x in terms if w]
            self.lines.append(f"const T {d}_{k} = {' + '.join(parts) or 'T(0)'};")
        return [f"{d}_{k}" for k in range(len(sums))]


def nested(value, shape):
    for extent in reversed(shape):
        value = [value] * extent
    return value


def emit(engine, case, brief=False):
    if case.get("variant") and "spellings" not in engine:
        raise Unsupported("a case with spellings")
    points = [(Tape if "record" in engine else Expressions if "symbol" in engine else Levels)(engine, case, point, brief).write() for point in case["points"]]
    if brief and not any("@" in line for _, lines in points for line in lines):
        raise Unsupported("a result that is no float")
    head = [f"/* Build: g++ -std=c++17 FILE {engine.get('build', '')} */", *(f"#define {d}" for d in engine.get("define", [])), *(f"#include <{i}>" for i in engine["include"]), "", points[0][0], ""]
    blocks = points[0][1] if len(points) == 1 else [line for _, lines in points for line in ("{", *(f"\t{line}" for line in lines), "}")]
    return "\n".join([*head, "int main()" if brief else "static void ask()", "{", *(f"\t{line}" for line in blocks), "}"]) + "\n"


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in ENGINES:
        sys.exit(f"Usage: {sys.argv[0]} ENGINE --emit, where ENGINE is one of {', '.join(ENGINES)}")
    engine = ENGINES[sys.argv[1]]
    levels = [name for name in ("jvp", "vjp") if name in engine or "symbol" in engine]
    requests = engine.get("requests") or [list(stack) for n in range(1, engine.get("order", 2) + 1) for stack in itertools.product(levels, repeat=n)]
    adapter.main({"name": sys.argv[1], "version": "", "requests": requests, "dtypes": ["f64", "i64", "i32", "bool"], "constants": True, "unroll": True, "weak_zero": True, "emits": "cpp", **({"spellings": engine["spellings"]} if "spellings" in engine else {}),
                  "ops": ["constant", "select", "matmul", "clamp", "scatter_set", "scatter_add", "scatter_mul", "scatter_min", "scatter_max", "cumsum", "cumprod", *MOVES, *FOLDS,
                          *sorted(set(Calls(engine).ops) - {"constant"})]},
                 None, lambda case: emit(engine, case), brief=lambda case: emit(engine, case, True))


if __name__ == "__main__":
    main()
