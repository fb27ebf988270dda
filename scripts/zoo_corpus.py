#!/usr/bin/env python3
"""Writes corpus/zoo/: for every fault of engines/faults/faults.def a case that shows it, with the numbers of the public report.

Truths are those of the reports; closed forms stand beside the rows.  The output is committed.

Usage: scripts/zoo_corpus.py
"""
import argparse
import math
import os
import struct

import document_corpus as corpus
from document_corpus import Region, jvp, real, reals, region, vjp

corpus.OUT = os.path.join(corpus.CORPUS, "zoo")


def case(slug, title, source, inputs, top, results, points, request, truth, *faulty, right="agree", comment=None, decided=True):
    """truth: numbers, or None: not stated.  faulty: (spec, verdict, numbers or None).  decided: the oracles decide every number."""
    rows = [{"returned": truth}] if truth and decided and right == "agree" else []
    rows.append({"engine": "*", "verdict": right, **({"returned": truth} if truth else {})})
    for spec, verdict, returned in faulty:
        rows.append({"engine": spec, "verdict": verdict, **({"returned": returned} if returned else {})})
    corpus.case(slug, title, source, inputs, top, results, points, request, rows, comment)


def digits(x, n=12):
    return f"{x:.{n}g}" if "e" not in f"{x:.{n}g}" else f"{x:.{n - 1}e}"


# ---- loops ----

def loops():
    # c_t = a*c_{t-1} + x_t, ys = c_t, L = sum(ys)
    xs = [.11, -.37, .23, .41, -.19]
    for c0, truth, faulty in [(0, "0.10672", "0.26933"), (.5, "3.32797", "1.65588")]:
        top, loop = Region(), Region()
        following = loop.op("add", loop.op("mul", "a", "c"), "x")
        outs = top.loop("scan", [top.const(c0), top.const(xs_exact(xs), "f64[5]")], 2,
                        [region(["c", "x"], loop.body, [following, following])], trip=5, carries=1)
        case(f"torch-scan-carry-nograd-c{real(c0)}", f"scan c = a*c + x, a captured, c0 = {c0} constant", "pytorch/pytorch#184528", ["a: f64[]"], top,
             [outs[1]], [[.7.hex()]], vjp([0], [1] * 5), [truth], ("functional+torch-scan-carry-nograd", "wrong", [faulty]),
             comment="the figures were computed for the reported program, whose own are truncated")

    # x* of x -> x/2 + p/2 is p itself; identity(p) is used before, or after
    for order, verdict, faulty in [("after", "wrong", "1"), ("before", "agree", "2")]:
        top, loop = Region(), Region()
        half, tol = top.const(.5), top.const("0x1p-40")
        if order == "before":
            identity = top.op("mul", "p", top.const(1))
        following = loop.op("mul", loop.op("add", "x", "p"), half)
        done = loop.op("le", loop.op("abs", loop.op("sub", following, "x")), tol)
        root = top.loop("fixed_point", [top.const(0)], 1, [region(["x"], loop.body, [following, done])], cap=100, meaning="solution")
        if order == "after":
            identity = top.op("mul", "p", top.const(1))
        out = top.op("add", root[0], identity)
        case(f"casadi-implicit-adj-{order}", f"identity(p) + newton(p), the identity {order} the root: by p", "casadi/casadi#825", ["p: f64[]"], top,
             [out], [[3]], vjp([0], 1), None, ("implicit", "agree", ["2.0"]), ("implicit+casadi-implicit-adj", verdict, [faulty + ".0"]),
             comment="the report's Jacobian [1, 1] of the pair, summed")
    # sin(x) = p by Newton's iteration, and beside it what is left, p - sin(x): asin(p) is the second of two unknowns
    top, loop = Region(), Region()
    tol = top.const("0x1p-40")
    rest = loop.op("sub", "p", loop.op("sin", "x"))
    following = loop.op("add", "x", loop.op("div", rest, loop.op("cos", "x")))
    done = loop.op("le", loop.op("abs", loop.op("sub", following, "x")), tol)
    root = top.loop("fixed_point", [top.const(0), top.const(0)], 2, [region(["r", "x"], loop.body, [rest, following, done])], cap=100,
                    meaning="solution")
    case("casadi-implicit-aux", "asin(p) as the second unknown of a system of two: by p", "casadi/casadi#558", ["p: f64[]"], top, [root[1]],
         [[.5]], vjp([0], 1), [digits(1 / math.sqrt(.75), 9)], ("implicit+casadi-implicit-aux", "wrong", ["0"]))

    for init in ("constant", "input"):
        top, loop = Region(), Region()
        start = top.const(1) if init == "constant" else "x"
        out = top.loop("for", [start], 1, [region(["i", "r"], loop.body, [loop.op("mul", "r", "x")])], trip=2)
        spec = "functional+swift-nonactive-init"
        if init == "constant":
            case("swift-nonactive-init", "r = 1; twice: r = r*x, at 3", "swiftlang/swift#27796", ["x: f64[]"], top, out, [[3]], vjp([0], 1), ["6"],
                 (spec, "wrong", ["3"]))
        else:
            case("swift-active-init", "r = x; twice: r = r*x, at 3: right either way", "swiftlang/swift#27796", ["x: f64[]"], top, out, [[3]],
                 vjp([0], 1), ["27"], (spec, "agree", ["27"]))
    top, loop = Region(), Region()
    out = top.loop("scan", [top.const(0), top.const([2] * 10, "f64[10]"), "p"], 1,
                   [region(["s", "a", "b"], loop.body, [loop.op("add", "s", loop.op("mul", "a", "b"))])], trip=10, carries=1)
    case("swift-nonactive-init-sum", "sum of input[i]*p[i], input = 2", "tensorflow/swift-apis#394", ["p: f64[10]"], top, out,
         [[[1] * 10]], vjp([0], 1), ["2"] * 10, ("functional+swift-nonactive-init", "wrong", ["0"] * 9 + ["2"]))

    top, loop, then, other = Region(), Region(), Region(), Region()
    taken = loop.loop("cond", ["flag"], 1, [region([], then.body, [then.op("mul", "v", "x")]), region([], other.body, ["v"])])
    out = top.loop("scan", [top.const(1), top.const([True] * 4, "bool[4]")], 1, [region(["v", "flag"], loop.body, taken)], trip=4, carries=1)
    case("jax-scan-cond-alias", "masked power: four times v = cond(flag, v*x, v), at 3", "jax-ml/jax#5900", ["x: f64[]"], top, out, [[3]],
         vjp([0], 1), ["108"], ("functional+jax-scan-cond-alias", "wrong", ["324"]))

    for k in range(5):
        for mode in ("vjp", "jvp") if k == 2 else ("vjp",):
            top, loop = Region(), Region()
            following = loop.op("add", "x", loop.op("mul", "a", "n"))
            outs = top.loop("scan", ["x0", "ns"], 2, [region(["x", "n"], loop.body, [following, following])], trip=5, carries=1)
            unit = [int(j == k) for j in range(5)]
            truth = [str(int(j <= k)) if mode == "vjp" else str(int(j >= k)) for j in range(5)]
            request = vjp([2], unit) if mode == "vjp" else jvp([2], unit)
            case(f"jax-scan-xs-zero-{mode}-{k}", f"scan x = x + a*n; row {k} of d ys/d n" if mode == "vjp" else f"column {k} of d ys/d n",
                 "jax-ml/jax#753", ["x0: f64[]", "a: f64[]", "ns: f64[5]"], top, [outs[1]], [[0, 1, [1, 2, 3, 4, 5]]], request, truth,
                 *([("functional+jax-scan-xs-zero", "wrong", ["0"] * 5)] if mode == "vjp" else []))

    # z = y*x by a rule, x closed over: directly, and in the body of a scan
    for place in ("inside", "outside"):
        for spec, mode in [("functional", vjp), ("forward", jvp)]:
            top, loop, product, rule = Region(), Region(), Region(), Region()
            there = loop if place == "inside" else top
            regions = [region(["p", "q"], product.body, [product.op("mul", "p", "q")]),
                       region(["u", "v", "d"], rule.body, [rule.op("mul", "v", "d"), rule.op("mul", "u", "d")]) if mode is vjp else
                       region(["u", "v", "du", "dv"], rule.body, [rule.op("add", rule.op("mul", "v", "du"), rule.op("mul", "u", "dv"))])]
            out = there.loop("custom", ["y" if place == "inside" else top.const(5), "x"], 1, regions, transform=mode.__name__)
            if place == "inside":
                out = top.loop("scan", [top.const(5)], 1, [region(["y"], loop.body, out)], trip=1, carries=1)
            case(f"jax-scan-perturbed-{place}-{spec}", f"z = 5*x by a rule, x closed over, {place} the body of a scan", "jax-ml/jax#9567",
                 ["x: f64[]"], top, out, [[3]], mode([0], 1), ["5"],
                 (f"{spec}+jax-scan-perturbed", "wrong" if place == "inside" else "agree", ["0" if place == "inside" else "5"]),
                 comment="the report asks whether x is perturbed: yes outside, no inside")

    # i < 3, beside a variable that is handed on; out = var*var
    for place in ("while", "for"):
        top, cond, loop = Region(), Region(), Region()
        if place == "while":
            test = cond.op("lt", "ci", cond.const(3))
            outs = top.loop("while", [top.const(0), "var"], 2, [region(["ci", "cv"], cond.body, [test]),
                                                               region(["bi", "bv"], loop.body, [loop.op("add", "bi", loop.const(1)), "bv"])], cap=8)
        else:
            outs = top.loop("for", [top.const(0), "var"], 2, [region(["k", "bi", "bv"], loop.body, [loop.op("add", "bi", loop.const(1)), "bv"])], trip=3)
        case(f"tf-while-passthrough-{place}", "var*var of a variable that a loop hands on as it is", "tensorflow/tensorflow#1093", ["var: f64[]"], top,
             [top.op("mul", outs[1], outs[1])], [[3]], vjp([0], 1), ["6"], ("functional+tf-while-passthrough", "wrong", ["0"]),
             comment="no gradient at all in the report, which is 0 here")

    # v = v*x twice from 1; w of another width is carried through
    for width, verdict in (("[1]", "crash"), ("[2]", "agree")):
        top, loop = Region(), Region()
        outs = top.loop("for", [top.const([1, 1], "f64[2]"), "w"], 2, [region(["i", "v", "w0"], loop.body, [loop.op("mul", "v", "x"), "w0"])], trip=2)
        n = int(width[1])
        case(f"drjit-loop-invariant-{n}", f"v = v*x twice, w of width {n} carried through: by x and w", "mitsuba-renderer/drjit#536",
             ["x: f64[2]", f"w: f64{width}"], top, [outs[0]], [[[1, 2], [7] * n]], vjp([0, 1], [1, 1]), ["2", "4"] + ["0"] * n,
             ("functional+drjit-loop-invariant", verdict, None), comment="the report's width of 4 is 2 here, as its gradient has")

    # sqrt(p) by eight steps of Newton's iteration, with the implicit function theorem for a rule: p' / (2 sqrt p)
    for levels, truth, faulty in [(1, "0.25", "0.25"), (2, "-0.03125", "0")]:
        def root(of, p):
            steps = Region()
            following = steps.op("mul", steps.op("add", f"y_{p}", steps.op("div", p, f"y_{p}")), steps.const(.5))
            return of.loop("for", [of.const(1)], 1, [region([f"i_{p}", f"y_{p}"], steps.body, [following])], trip=8)[0]
        top, solver, rule = Region(), Region(), Region()
        regions = [region(["p"], solver.body, [root(solver, "p")]),
                   region(["q", "d"], rule.body, [rule.op("div", "d", rule.op("mul", rule.const(2), root(rule, "q")))])]
        case(f"jaxopt-implicit-2nd-{levels}", f"a root with an implicit rule, differentiated {'once' if levels == 1 else 'twice'}: sqrt at 4", "google/jaxopt#141",
             ["x: f64[]"], top, top.loop("custom", ["x"], 1, regions, transform="vjp"), [[4]], vjp([0], 1) * levels, [truth],
             ("implicit+jaxopt-implicit-2nd", "agree" if levels == 1 else "wrong", [faulty]),
             comment="the report's solver, bisection, has no derivative of its own; this one has, so its second application would be right, and the rule's is constant")

    # while i < 3: x = x + i; i = i + 1
    top, cond, loop = Region(), Region(), Region()
    test = cond.op("lt", "ci", cond.const(3))
    nx, ni = loop.op("add", "bx", "bi"), loop.op("add", "bi", loop.const(1))
    outs = top.loop("while", ["x", "i"], 2, [region(["cx", "ci"], cond.body, [test]), region(["bx", "bi"], loop.body, [nx, ni])], cap=8)
    case("paddle-while-overwrite", "while i < 3: x = x + i; i = i + 1, from (1, 1): by x and i", "PaddlePaddle/Paddle#25327", ["x: f64[]", "i: f64[]"],
         top, [outs[0]], [[1, 1]], vjp([0, 1], 1), ["1", "2"], ("functional+paddle-while-overwrite", "wrong", ["0", "1"]))
    # x*x three times from 1.5: 8 x^7; with the last value for all: (2*1.5^4)^3 = 1.5^12 * 8
    top, loop = Region(), Region()
    out = top.loop("for", ["x"], 1, [region(["i", "v"], loop.body, [loop.op("mul", "v", "v")])], trip=3)
    case("paddle-while-lastval", "x = x*x three times, at 1.5", "PaddlePaddle/Paddle#27814", ["x: f64[]"], top, out, [[1.5]], vjp([0], 1),
         [digits(8 * 1.5 ** 7, 7)], ("functional+paddle-while-lastval", "wrong", [digits(8 * 1.5 ** 12, 9)]),
         comment="the report has no figures for this one of its two bugs: closed forms")

    top, loop = Region(), Region()
    squared, stop = loop.op("mul", "x", "x"), loop.op("eq", "x", loop.const(5))
    outs = top.loop("scan", [top.const(0), "xs"], 2, [region(["c", "x"], loop.body, ["c", squared, stop])], trip=20, carries=1, until=True)
    case("theano-until-tail", "scan r = x*x until x == 5, over 0..19", "Theano/Theano#5439", ["xs: f64[20]"], top, [outs[1]], [[list(range(20))]],
         vjp([0], [1] * 20), ["0", "2", "4", "6", "8", "10"] + ["0"] * 14,
         ("functional+theano-until-tail", "wrong", ["0"] * 14 + ["28", "30", "32", "34", "36", "38"]), decided=False,
         comment="x == 5 holds at the point alone, so no side of x[5] shares the path: that number is not judged")
    top, loop = Region(), Region()
    squared, stop = loop.op("mul", "x", "x"), loop.op("ge", "x", loop.const(4.5))
    outs = top.loop("scan", [top.const(0), "xs"], 2, [region(["c", "x"], loop.body, ["c", squared, stop])], trip=20, carries=1, until=True)
    case("theano-until-tail-above", "scan r = x*x until x >= 4.5, over 0..19", "Theano/Theano#5439", ["xs: f64[20]"], top, [outs[1]],
         [[list(range(20))]], vjp([0], [1] * 20), ["0", "2", "4", "6", "8", "10"] + ["0"] * 14,
         ("functional+theano-until-tail", "wrong", ["0"] * 14 + ["28", "30", "32", "34", "36", "38"]))

    for init, truth, faulty in [(0, "12.0", "0"), (5, "22.0", "10.0")]:
        for trip in ("dynamic", "static"):
            top, loop = Region(), Region()
            at = loop.op("reshape", "i", shape=[1])
            element = loop.op("reshape", loop.op("gather", top.const([1, 2, 3], "f64[3]"), at, axis=0, mode="clip"), shape=[])
            following = loop.op("add", "acc", element)
            args, attrs = (["n", top.const(init)], {"cap": 8}) if trip == "dynamic" else ([top.const(init)], {"trip": 3})
            outs = top.loop("for", args, 1, [region(["i", "acc"], loop.body, [following])], **attrs)
            out = top.op("mul", outs[0], top.op("mul", "x", top.const(2)))
            case(f"warp-dynloop-stale-{trip}-init{init}", f"acc = {init}; n times acc += s[k]; acc * (2x); {trip} trip count", "NVIDIA/warp#1694",
                 ["x: f64[]", "n: i64[]"], top, [out], [[1, 3]], vjp([0], 1), [truth],
                 ("functional+warp-dynloop-stale", "wrong", [faulty]) if trip == "dynamic" else ("functional+warp-dynloop-stale", "agree", [truth]))

    # n times: m times: p = p + q*x: p = n m q x
    top, outer, inner = Region(), Region(), Region()
    following = inner.op("add", "b", inner.op("mul", "q", "x"))
    mid = outer.loop("for", ["m", "a"], 1, [region(["j", "b"], inner.body, [following])], cap=8)
    out = top.loop("for", ["n", top.const(0)], 1, [region(["i", "a"], outer.body, mid)], cap=8)
    case("warp-nested-loop-double", "two nested loops of run-time trip counts 2 and 3: p += q*x, by x", "NVIDIA/warp#1293",
         ["x: f64[]", "q: f64[]", "n: i64[]", "m: i64[]"], top, out, [[1.5, 2, 2, 3]], vjp([0], 1), ["12"],
         ("functional+warp-nested-loop-double", "wrong", ["24"]))

    for wrt, verdict in [([0, 1], "agree"), ([1], "wrong")]:
        top, loop = Region(), Region()
        outs = top.loop("scan", ["w", "data"], 2,
                        [region(["v", "d"], loop.body, ["v", loop.op("sin", loop.op("add", "d", "v"))])], trip=3, carries=1)
        data, w = [.5, 1, -.25], .125
        by_w, by_data = sum(math.cos(d + w) for d in data), [math.cos(d + w) for d in data]
        truth = [digits(x) for x in (by_data if 0 in wrt else []) + [by_w]]
        case("mxnet-foreach-null" + ("-both" if 0 in wrt else ""), "foreach: sin(data + w), by " + ("data and w" if 0 in wrt else "w alone"),
             "apache/mxnet#13363", ["data: f64[3]", "w: f64[]"], top, [outs[1]], [[data, w]], vjp(wrt, [1, 1, 1]), truth,
             ("functional+mxnet-foreach-null", verdict, truth if verdict == "agree" else ["0"]))

    # 130 times v = cond(i even, v + 0.01, v * 1.001): 1.001^65; the second body's factor differs from iteration to iteration
    top, loop, then, other = Region(), Region(), Region(), Region()
    even = loop.op("eq", loop.op("bitwise_and", "i", loop.const(1, "i64[]")), loop.const(0, "i64[]"))
    taken = loop.loop("cond", [even], 1, [region([], then.body, [then.op("add", "v", then.const(single(.01), "f32[]"))]),
                                          region([], other.body, [other.op("mul", "v", other.const(single(1.001), "f32[]"))])])
    out = top.loop("for", ["v0"], 1, [region(["i", "v"], loop.body, taken)], trip=130)
    case("jaxmps-fori-cond", "130 times v = cond(i even, v + 0.01, v * 1.001)", "tillahoffmann/jax-mps#195", ["v0: f32[]"], top, out, [[1]],
         vjp([0], 1), ["1.06712747"], decided=False, comment="the figure is that of single precision; 1.001^65 is 1.06712437")
    top, loop = Region(), Region()
    factor = loop.op("gather", "table", loop.op("reshape", "i", shape=[1]), axis=0, mode="clip")
    following = loop.op("mul", "v", loop.op("reshape", factor, shape=[]))
    out = top.loop("for", ["v0"], 1, [region(["i", "v"], loop.body, [following])], trip=128)
    table = [1 + k / 1024 for k in range(128)]
    product = math.prod(table)
    case("jaxmps-fori-cond-flaky", "128 times v = v*(1 + i/1024): which iterations enter the reverse loop varies", "tillahoffmann/jax-mps#195",
         ["v0: f64[]", "table: f64[128]"], top, out, [[1, reals(table)]], vjp([0], 1), [digits(product)],
         ("functional+jaxmps-fori-cond-flaky", "nondeterministic", None),
         comment="the reported loop has equal factors, so two runs may well agree there")

    # s += 1/((i+1) + a*a), twice: -2a/(1+a^2)^2 - 2a/(2+a^2)^2; with the last divisor for both: -4a/(2+a^2)^2
    for a, truth, faulty in [(1, "-0.72222", "-0.44444"), (2, "-0.27111", "-0.22222")]:
        top, loop = Region(), Region()
        i = loop.op("add", loop.op("cast", "i", dtype="f64"), loop.const(1))
        following = loop.op("add", "s", loop.op("div", loop.const(1), loop.op("add", i, loop.op("mul", "a", "a"))))
        out = top.loop("for", [top.const(0)], 1, [region(["i", "s"], loop.body, [following])], trip=2)
        case(f"clad-stale-divisor-a{a}", f"s += 1/((i+1) + a*a), twice, a = {a}", "vgvassilev/clad#1865", ["a: f64[]"], top, out, [[a]],
             vjp([0], 1), [truth], ("tape+clad-stale-divisor", "wrong", [faulty]))

    top, loop = Region(), Region()
    following = loop.op("scatter_add", "arr", loop.op("reshape", "i", shape=[1]), "x", axis=0, mode="clip")
    out = top.loop("for", [top.const([0, 0, 0], "f64[3]")], 1, [region(["i", "arr"], loop.body, [following])], trip=2)
    case("clad-tape-imbalance", "arr[i] += x in a loop", "vgvassilev/clad#246", ["x: f64[1]"], top, out, [[[2]]], vjp([0], [1, 10, 100]), ["11"],
         ("tape+clad-tape-imbalance", "crash", None))


def checkpoints():
    # ll = sum_t y_t X_t, X_t = a X_{t-1} + 0.1: dX_t = X_{t-1} + a dX_{t-1}
    a, x, dx, dll = .75, 1.0, 0.0, 0.0
    ys = [(t * t % 7) / 4 - .5 for t in range(20)]
    for y in ys:
        x, dx = a * x + .125, x + a * dx
        dll += y * dx
    for indexed, spec, verdict in [(True, "checkpointed+reactant-ckpt-index", "wrong"), (False, "checkpointed+reactant-ckpt-index", "agree")]:
        top, loop = Region(), Region()
        table = top.const(ys if indexed else [1] * 20, "f64[20]")
        following = loop.op("add", loop.op("mul", "a", "x"), loop.const(.125))
        y = loop.op("gather", table, "t", axis=0, mode="clip") if indexed else loop.const(1)
        outs = top.loop("for", [top.const(1), top.const(0)], 2, [region(["t", "x", "ll"], loop.body, [
            following, loop.op("add", "ll", loop.op("mul", y, following))])], trip=20)
        if not indexed:
            x, dx, dll = 1.0, 0.0, 0.0
            for _ in ys:
                x, dx = a * x + .125, x + a * dx
                dll += dx
        case("reactant-ckpt-index" + ("" if indexed else "-none"), "20 times x = a*x + 1/8, ll += y[t]*x" if indexed else
             "20 times x = a*x + 1/8, ll += x: no index, right either way", "EnzymeAD/Reactant.jl#3119", ["a: f64[]"], top, [outs[1]], [[a]],
             vjp([0], 1), [digits(dll)], (spec, verdict, None if indexed else [digits(dll)]))

    for n, c in [(1, 3), (2, 3), (3, 3), (2, 4), (3, 4), (4, 4), (3, 2), (4, 2), (8, 2), (9, 2), (0, 3)]:
        top, cond, loop = Region(), Region(), Region()
        outs = top.loop("while", [top.const(1), top.const(0, "i64[]")], 2, [
            region(["r", "i"], cond.body, [cond.op("lt", "i", cond.const(n, "i64[]"))]),
            region(["s", "j"], loop.body, [loop.op("mul", "s", "x"), loop.op("add", "j", loop.const(1, "i64[]"))])], cap=16)
        dies = (c, n) in {(2, 4), (2, 8), (3, 1), (3, 2), (4, 2), (4, 3)}
        case(f"ckptjl-online-revolve-n{n}-c{c}", f"while of {n} iterations, {c} snapshots: x^{n} at 2",
             "Argonne-National-Laboratory/Checkpointing.jl#88", ["x: f64[]"], top, [outs[0]], [[2]], vjp([0], 1), [str(n * 2 ** (n - 1)) if n else "0"],
             ("checkpointed" + (f":snapshots={c}" if c != 3 else "") + "+ckptjl-online-revolve", "crash" if dies else "agree", None))

    for op, attrs, truth, faulty in [("reduce_max", {"axes": [0], "keepdims": False}, ["0", "1"], ["0", "0"]),
                                     ("neg", {}, ["-1", "-1"], None)]:
        top, again = Region(), Region()
        out = top.name("r")
        top.body.append({"out": [out], "op": "checkpoint", "regions": [region([], again.body, [again.op(op, "x", **attrs)])]})
        case(f"torch-ckpt-rrelu-{op}", f"checkpoint({op}) at [3, 4]: its derivative reads " +
             ("what it gave" if faulty else "its operand alone: right either way"), "pytorch/pytorch#193671", ["x: f64[2]"], top, [out], [[[3, 4]]],
             vjp([0], 1 if faulty else [1, 1]), truth, ("tape+torch-ckpt-rrelu", "wrong" if faulty else "agree", faulty or truth))


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0].hex()


def xs_exact(xs):
    return [float(x).hex() for x in xs]


# ---- select and kinks ----

def kinks():
    top = Region()
    out = top.op("select", top.op("gt", "x1", top.const(1)), top.op("div", "x0", "x1"), top.const(0))
    case("cppad-condexp-nan", "x1 > 1 ? x0/x1 : 0 at (1, 0)", "coin-or/CppAD#8", ["x0: f64[]", "x1: f64[]"], top, [out], [[1, 0]],
         vjp([0, 1], 1), ["0", "0"], ("tape+cppad-condexp-nan", "nan-leak", None))

    top = Region()
    norm = top.op("sqrt", top.op("add", top.op("mul", "x", "x"), top.op("mul", "y", "y")))
    out = top.op("max", norm, top.const([(1e-10).hex()] * 2, "f64[2]"))
    case("mlx-max-sqrt-nan", "max(sqrt(x*x + y*y), 1e-10) at the origin and at (3, 4)", "ml-explore/mlx#3668", ["x: f64[2]", "y: f64[2]"], top, [out],
         [[[0, 3], [0, 4]]], vjp([0, 1], [1, 1]), ["0", "0.6", "0", "0.8"], ("tape+mlx-max-sqrt-nan", "nan-leak", ["nan", "0.6", "nan", "0.8"]))

    for reduce, truth, verdict, faulty in [("reduce_mean", ".25", "wrong", "0.0625"), ("reduce_sum", "1", "agree", "1")]:
        top = Region()
        out = top.op(reduce, top.op("clamp", "x", top.const([-1] * 4, "f64[4]"), top.const([1] * 4, "f64[4]")), axes=[0])
        case("nx-clip-gsquared" + ("" if verdict == "wrong" else "-sum"), f"{reduce[7:]} of clip(x, -1, 1)", "elixir-nx/nx#1779", ["x: f64[4]"], top,
             [out], [[[.5, 2, -.25, .125]]], vjp([0], 1), [truth, "0", truth, truth],
             ("tape+nx-clip-gsquared", verdict, [faulty, "0", faulty, faulty]))

    top = Region()
    padded = top.op("pad", top.op("slice", "a", start=[0, 1], size=[2, 2], stride=[1, 1]), top.const(0), low=[0, 0], high=[0, 1])
    out = top.op("reduce_sum", top.op("mul", padded, top.const([2, 3, 5, 7, 11, 13], "f64[2,3]")), axes=[0, 1])
    case("mxnet-pad-ones", "sum(pad(a[:,1:]) * mult)", "apache/mxnet#19043", ["a: f64[2,3]"], top, [out], [[[1, 2, 3, 4, 5, 6]]], vjp([0], 1),
         ["0", "2", "3", "0", "7", "11"], ("tape+mxnet-pad-ones", "wrong", ["0", "1", "1", "0", "1", "1"]))

    for op in ("reduce_max", "reduce_min"):
        top = Region()
        out = top.op(op, "x", axes=[0])
        case(f"tf-reducemax-nan-{op[7:]}", f"{op} of [1, 2, NaN]", "tensorflow/tensorflow#118673", ["x: f64[3]"], top, [out], [[[1, 2, "nan"]]],
             vjp([0], 1), None, ("tape+tf-reducemax-nan", "undecided", ["0", "0", "0"]), right="undecided",
             comment="a derivative where the value is NaN means nothing: neither answer is wrong")

    for c in (True, False):
        top = Region()
        out = top.op("select", top.const(c, "bool[]"), "x", top.const(0))
        case("casadi-ifelse-fwd-zero" + ("" if c else "-false"), f"if_else({c}, x, 0)", "casadi/casadi#2760", ["x: f64[]"], top, [out], [[3]],
             jvp([0], 1), [str(int(c))], ("forward+casadi-ifelse-fwd-zero", "wrong" if c else "agree", ["0"]))

    # 0 times 1/0, and 0 times a partial that overflows though the value does not
    for slug, op, x2, right, verdict in [("", lambda t, u: t.op("log", u), 0, "undecided", "undecided"),
                                         ("-overflow", lambda t, u: t.op("div", t.const(1), u), (1e-200).hex(), "undecided", "undecided")]:
        top = Region()
        out = op(top, top.op("add", top.op("mul", top.const(0), "x1"), "x2"))
        case("fdiff-weak-zero" + slug, ("1/" if slug else "log") + f"(0*x1 + x2) at (1, {'1e-200' if slug else 0}), along x1",
             "JuliaDiff/ForwardDiff.jl#774", ["x1: f64[]", "x2: f64[]"], top, [out], [[1, x2]], jvp([0], 1), ["0"],
             ("forward+fdiff-weak-zero", verdict, ["nan"]), right=right,
             comment="the partial overflows double, so nothing is judged" if slug else "the logarithm itself is -inf there, so nothing is judged")
    top = Region()
    out = top.op("max", top.op("sub", top.const(-1), top.op("sqrt", "x")), top.const(0))
    case("fdiff-weak-zero-max", "max(-1 - sqrt(x), 0) at 0: the dual number (-1, -inf)", "JuliaDiff/ForwardDiff.jl#603", ["x: f64[]"], top, [out],
         [[0]], jvp([0], 1), None, ("forward+fdiff-weak-zero", "undecided", ["nan"]), right="undecided",
         comment="the root has no derivative at 0, so a NaN is not called wrong in forward mode")
    top = Region()
    out = top.op("logsumexp", "x", axes=[1])
    case("lse-neginf", "logsumexp of [-inf, -inf] and of [0, 0]", "pytorch/pytorch#31829", ["x: f64[2,2]"], top, [out],
         [[["-inf", "-inf", 0, 0]]], vjp([0], [0, 1]), ["0", "0", "0.5", "0.5"], ("tape+lse-neginf", "nan-leak", ["nan", "nan", "0.5", "0.5"]))


# ---- conventions: other answers than the right engines', which must be accepted ----

def conventions():
    top = Region()
    out = top.op("max", "x", "y")
    case("max-first-tie", "max(x, y) at (2, 2): shared evenly, or all to the first", "jax-ml/jax#37821", ["x: f64[]", "y: f64[]"], top, [out], [[2, 2]],
         vjp([0, 1], 3), ["1.5", "1.5"], ("tape+max-first-tie", "convention", ["3", "0"]), right="convention",
         comment="a share that is counted twice, as in (3, 3), is no convention")
    top = Region()
    out = top.op("clamp", "x", top.const(0), top.const(1))
    case("clamp-open-bounds", "clamp(x, 0, 1) at 1: 1 or 0", "pytorch/pytorch#184574", ["x: f64[]"], top, [out], [[1]], vjp([0], 3), ["3"],
         ("tape+clamp-open-bounds", "convention", ["0"]), right="convention")


# ---- scatter, gather, views ----

def scatters():
    top = Region()
    out = top.op("gather", "x", top.const([0, 0], "i64[2]"), axis=0, mode="clip")
    case("torch-gather-dup", "x[[0, 0]], cotangent [0.2, 0.3]", "pytorch/pytorch#1631", ["x: f64[1]"], top, [out], [[[1]]],
         vjp([0], [(.2).hex(), (.3).hex()]), ["0.5"], ("tape+torch-gather-dup", "wrong", ["0.3"]))
    for k in (0, 1):
        top = Region()
        out = top.op("gather", "x", top.const([0, 0], "i64[2]"), axis=0, mode="clip")
        case(f"torch-gather-dup-y{k}", f"y = x[[0, 0]], through y[{k}]", "pytorch/pytorch#1528", ["x: f64[1]"], top, [out], [[[1]]],
             vjp([0], [1 - k, k]), ["1"], ("tape+torch-gather-dup", "wrong" if k == 0 else "agree", [str(k)]))

    for mode in ("vjp", "jvp"):
        top = Region()
        out = top.op("scatter_mul", "x", top.const([0, 0], "i64[2]"), "v", axis=0, mode="drop")
        spec = ("functional" if mode == "vjp" else "forward") + "+jax-scattermul-dup"
        case(f"jax-scattermul-dup-{mode}", "p = x*v1*v2, x = 1, v = (2, 3): by x", "jax-ml/jax#9296", ["x: f64[1]", "v: f64[2]"], top, [out],
             [[[1], [2, 3]]], vjp([0], [1]) if mode == "vjp" else jvp([0], [1]), ["6"], (spec, "wrong", ["3"]))

    for mode, spec, got in [("vjp", "functional+jax-scatter-apply", "0"), ("jvp", "forward+jax-scatter-apply", digits(math.sin(1), 8))]:
        for k in (0, 1):
            top, f = Region(), Region()
            out = top.loop("scatter_apply", ["x", top.const([1], "i64[1]")], 1, [region(["e"], f.body, [f.op("sin", "e")])], axis=0, mode="drop")
            unit = [1 - k, k]
            truth = [digits(v, 8) for v in ([1, 0] if k == 0 else [0, math.cos(2)])]
            wrong = ["0", got] if k else ["1", "0"]
            case(f"jax-scatter-apply-{mode}-{k}", f"x.at[1].apply(sin) at [1, 2], {'row' if mode == 'vjp' else 'column'} {k} of the Jacobian",
                 "jax-ml/jax#16684", ["x: f64[2]"], top, out, [[[1, 2]]], vjp([0], unit) if mode == "vjp" else jvp([0], unit), truth,
                 (spec, "wrong" if k else "agree", wrong))

    top = Region()
    # every index differs from that of the next batch, four further on: two runs agree by chance once in 2^68
    indices = [k // 4 % 3 for k in range(72)]
    out = top.op("gather", "x", top.const(indices, "i64[72]"), axis=0, mode="clip")
    case("torch-embed-sync", "x[i] for 72 indices, three of them distinct, cotangents 2^k", "pytorch/pytorch#187687", ["x: f64[3]"], top, [out], [[[1, 2, 3]]],
         vjp([0], [2.0 ** (k % 40) for k in range(72)]), [str(sum(2 ** (k % 40) for k in range(72) if indices[k] == j)) for j in range(3)],
         ("parallel+torch-embed-sync", "nondeterministic", None))

    for mode in ("vjp", "jvp"):
        top = Region()
        out = top.op("scatter_add", top.const([0], "f64[1]"), top.const([0, -1], "i64[2]"), "x", axis=0, mode="drop")
        rows = [("functional+jax-segsum-negid", "wrong", ["1", "1"])] if mode == "vjp" else []
        case(f"jax-segsum-negid-{mode}", "segment_sum(x, [0, -1])", "jax-ml/jax#7538", ["x: f64[2]"], top, [out], [[[5, 7]]],
             vjp([0], [1]) if mode == "vjp" else jvp([0], [0, 1]), ["1", "0"] if mode == "vjp" else ["0"], *rows)

    top = Region()
    first = top.op("slice", "z", start=[0, 0], size=[1, 3], stride=[2, 1])
    second = top.op("slice", "z", start=[1, 0], size=[1, 3], stride=[2, 1])
    out = top.op("add", top.op("mul", first, top.const([1, 2, 3], "f64[1,3]")), top.op("mul", second, top.const([100, 101, 102], "f64[1,3]")))
    out = top.op("reduce_sum", out, axes=[0, 1])
    case("mlx-slice-one", "sum(z[0::2]*Wa) + sum(z[1::2]*Wb), z has two rows", "ml-explore/mlx#4444", ["z: f64[2,3]"], top, [out],
         [[[1, 1, 1, 1, 1, 1]]], vjp([0], 1), ["1", "2", "3", "100", "101", "102"],
         ("functional+mlx-slice-one", "wrong", ["1", "2", "3", "101", "103", "105"]))
    top = Region()
    out = top.op("slice", "z", start=[1], size=[1], stride=[-2])
    case("mlx-slice-one-negative", "z[1::-2] of two elements", "ml-explore/mlx#4444", ["z: f64[2]"], top, [out], [[[1, 2]]], vjp([0], [3]),
         ["0", "3"], ("functional+mlx-slice-one", "wrong", ["0", "0"]))

    # y[:,0] += |x[:,2]| twice
    top = Region()
    column = top.op("abs", top.op("slice", "x", start=[0, 2], size=[2, 1], stride=[1, 1]))
    out = top.op("add", top.op("add", top.const([0, 0], "f64[2,1]"), column), column)
    case("inductor-double-add", "y[:,0] += |x[:,2]|, twice", "pytorch/pytorch#136662", ["x: f64[2,3]"], top, [out], [[[1, 2, -3, 4, 5, 6]]],
         vjp([0], [1, 1]), ["0", "0", "-2", "0", "0", "2"], ("tape+inductor-double-add", "wrong", ["0", "0", "-1", "0", "0", "1"]),
         ("compiled+inductor-double-add", "wrong", ["0", "0", "-1", "0", "0", "1"]))

    # sum(slice_scatter(x, y)): a slice that contains index 0, and one that does not
    for source, n, start, stop, right, wrong in [("pytorch/pytorch#180771", 5, 0, 2, "0 0 1 1 1", "0 0 0 0 0"),
                                                 ("pytorch/pytorch#183898", 6, 1, 4, "1 0 0 0 1 1", "1 1 1 1 1 1")]:
        top = Region()
        out = top.op("slice_scatter", "x", "y", start=[start], stride=[1])
        out = top.op("reduce_sum", out, axes=[0])
        case(f"inductor-slice-scatter-{n}-{start}-{stop}", f"sum(x with x[{start}:{stop}] replaced by y)", source,
             [f"x: f64[{n}]", f"y: f64[{stop - start}]"], top, [out], [[list(range(n)), [7] * (stop - start)]], vjp([0], 1), right.split(),
             ("compiled+inductor-slice-scatter", "wrong", wrong.split()))

    # sum over rows of x[idx] * w, four rows of one element: the gradient is wrong by the number of rows
    top = Region()
    out = top.op("gather", "x", top.const([0], "i64[1]"), axis=1, mode="clip")
    out = top.op("reduce_sum", top.op("mul", out, "w"), axes=[0, 1])
    case("inductor-indexput-expand", "sum(x[:, idx] * w), four rows", "pytorch/pytorch#188084", ["x: f64[4,1]", "w: f64[]"], top, [out],
         [[[1, 2, 3, 4], 3]], vjp([0], 1), ["3"] * 4, ("compiled+inductor-indexput-expand", "wrong", ["12"] * 4))

    # x and a copy of it: y = copy(x)*2 + x*x
    top = Region()
    copy = top.op("reshape", "x", shape=[2, 1])
    flat = top.op("reshape", top.op("mul", copy, top.const([2, 3], "f64[2,1]")), shape=[2])
    out = top.op("add", flat, top.op("mul", "x", "x"))
    case("warp-copy-assign", "x*x and a copy of x, times [2, 3]", "NVIDIA/warp#1728", ["x: f64[2]"], top, [out], [[[5, 7]]], vjp([0], [1, 1]),
         ["12", "17"], ("tape+warp-copy-assign", "wrong", ["2", "3"]), comment="the report gives no figures for this pattern: 2x + [2, 3]")
    top = Region()
    product = top.op("matmul", "x", top.const([2, 3], "f64[2]"))
    out = top.op("add", product, top.op("reduce_sum", top.op("mul", "x", "x"), axes=[0]))
    case("warp-matmul-assign", "<x, [2, 3]> + <x, x>", "NVIDIA/warp#168", ["x: f64[2]"], top, [out], [[[5, 7]]], vjp([0], 1), ["12", "17"],
         ("tape+warp-matmul-assign", "wrong", ["2", "3"]), comment="the report gives no figures: 2x + [2, 3]")

    top = Region()
    buffer = top.op("copy", "x")
    product = top.op("matmul", buffer, "w")
    above = top.op("add", buffer, top.const(1))
    case("inductor-view-version", "z = x @ w; x += 1 in place; by w", "pytorch/pytorch#197887", ["x: f64[2,2]", "w: f64[2]"], top,
         [product, top.op("store", buffer, above, top.const([0, 0], "i64[2]"))], [[[1, 2, 3, 4], [5, 7]]], vjp([1], [1, 1], [0] * 4), ["4", "6"],
         ("tape+inductor-view-version", "wrong", ["6", "8"]), comment="the report gives no figures: x^T 1, and (x + 1)^T 1")
    top = Region()
    buffer = top.op("copy", "x")
    squared = top.op("square", buffer)
    cleared = top.op("store", buffer, top.const([0], "f64[1]"), top.const([1], "i64[1]"))
    case("inductor-view-version-square", "x*x; x[1] = 0 in place", "chainer/chainer#2353", ["x: f64[3]"], top, [top.op("add", squared, cleared)],
         [[[3, 5, 7]]], vjp([0], [1, 1, 1]), ["7", "10", "15"], ("tape+inductor-view-version", "wrong", ["7", "0", "15"]),
         comment="the report gives no figures: 2x, and 1 where x was kept")
    top, loop = Region(), Region()
    held = loop.op("reduce_sum", loop.op("mul", "b", "b"), axes=[0])
    at = loop.op("reshape", "i", shape=[1])
    outs = top.loop("for", [top.op("copy", "x"), top.const(0)], 2,
                    [region(["i", "b", "s"], loop.body, [loop.op("store", "b", loop.const([0], "f64[1]"), at), loop.op("add", "s", held)])], trip=3)
    case("inductor-view-version-loop", "for i: s += <b, b>; b[i] = 0 in place", "NVIDIA/warp#1350", ["x: f64[3]"], top, [outs[1]], [[[3, 5, 7]]],
         vjp([0], 1), ["6", "20", "42"], ("tape+inductor-view-version", "wrong", ["0", "0", "0"]),
         comment="the report gives no figures: x[k] is there k + 1 times; but all iterations read the last state")
    top = Region()
    squared = top.op("mul", "x", "x")
    out = top.op("store", squared, top.const([1], "f64[1]"), top.const([0], "i64[1]"))
    case("warp-dead-write", "y = x*x; y[0] = 1", "NVIDIA/warp#1728", ["x: f64[2]"], top, [out], [[[5, 7]]], vjp([0], [1, 1]), ["0", "14"],
         ("tape+warp-dead-write", "wrong", ["10", "14"]), comment="the report gives no figures for this pattern: 2x, but for what was written over")

    for op in ("scatter_add", "scatter_set"):
        top = Region()
        out = top.op(op, top.const([0, 0], "f64[2]"), top.const([1], "i64[1]"), "u", axis=0, mode="clip")
        case(f"burn-scatter-shape-{op[8:]}", f"{op}: three updates, one index", "tracel-ai/burn#4063", ["u: f64[3]"], top, [out], [[[1, 2, 3]]],
             vjp([0], [5, 7]), ["7", "0", "0"], ("tape+burn-scatter-shape", "bad-shape", ["7"]))
    top = Region()
    out = top.op("scatter_add", "x", top.const([], "i64[0]"), "u", axis=0, mode="clip")
    case("burn-scatter-shape-empty", "scatter_add with no index: [0] for [2,3]", "pytorch/pytorch#27614", ["x: f64[2,3]", "u: f64[2,3]"], top, [out],
         [[[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6]]], vjp([1], [1] * 6), ["0"] * 6, ("tape+burn-scatter-shape", "bad-shape", None))

    top = Region()
    out = top.op("add", "w1", "w2")
    case("tinygrad-equal-leaves", "w1 + w2, both 3", "tinygrad/tinygrad#9597", ["w1: f64[]", "w2: f64[]"], top, [out], [[3, 3]], vjp([0, 1], 1),
         ["1", "1"], ("tape+tinygrad-equal-leaves", "wrong", ["2", "2"]))


# ---- rules ----

def rules():
    for slug, xs, truth, faulty in [("", [0, 2, 3], ["6", "0", "0"], ["nan", "0", "0"]), ("-last", [4, 0], ["0", "4"], ["0", "nan"])]:
        top = Region()
        out = top.op("reduce_prod", "x", axes=[0])
        case(f"prod-div-zero{slug}", f"product of {xs}", "tinygrad/tinygrad#17404" if not slug else "apache/mxnet#17864", [f"x: f64[{len(xs)}]"], top,
             [out], [[xs]], vjp([0], 1), truth, ("tape+prod-div-zero", "nan-leak", faulty), decided=False)
    top = Region()
    out = top.op("cumprod", "x", axis=0)
    case("cumprod-div-zero", "cumprod([0])", "tensorflow/tensorflow#3862", ["x: f64[1]"], top, [out], [[[0]]], vjp([0], [1]), ["1"],
         ("tape+cumprod-div-zero", "nan-leak", ["nan"]))

    # 1 + x + x^2 as a sum of powers, at 0
    for mode in ("vjp", "jvp"):
        top = Region()
        out = top.op("reduce_sum", top.op("pow", top.op("broadcast_to", "x", shape=[3]), top.const([0, 1, 2], "f64[3]")), axes=[0])
        spec = ("tape" if mode == "vjp" else "forward") + "+pow-at-zero"
        case(f"pow-at-zero-{mode}", "sum(x^[0, 1, 2]) at 0", "jax-ml/jax#14397", ["x: f64[]"], top, [out], [[0]],
             vjp([0], 1) if mode == "vjp" else jvp([0], 1), ["1"], (spec, "nan-leak", ["nan"]))
    top = Region()
    out = top.op("pow", top.op("sub", "a", "b"), "b")
    case("pow-at-zero-difference", "(a - b)^b at a = b = 1, by b, cotangent 123", "ml-explore/mlx#628", ["a: f64[]", "b: f64[]"], top, [out],
         [[1, 1]], vjp([1], 123), ["-123"], ("tape+pow-at-zero", "nan-leak", ["nan"]),
         comment="0^b is 0 for all b around 1, so the exponent adds nothing; the base is negative beyond the point, where there is no power: the derivative is the one from within")

    for spec, verdict, faulty in [("tape", "bad-shape", ["1", "1"]), ("functional", "wrong", ["1"])]:
        top = Region()
        out = top.op("mul", top.const([1, 1], "f64[2]"), "x")
        case(f"customjvp-unbroadcast-{spec}", "[1, 1]*x, x scalar", "jax-ml/jax#6357", ["x: f64[]"], top, [out], [[3]], vjp([0], [1, 1]), ["2"],
             (f"{spec}+customjvp-unbroadcast", verdict, faulty))

    top, powers = Region(), ["x"]
    for _ in range(4):
        powers.append(top.op("mul", powers[-1], "x"))
    for order, truth, faulty in [(1, "5", "5"), (2, "20", "20"), (3, "60", "112")]:
        case(f"diffractor-swap-order-{order}", f"derivative {order} of x^5 at 1", "JuliaDiff/Diffractor.jl#27", ["x: f64[]"], top, [powers[-1]], [[1]],
             vjp([0], 1) * order, [truth], ("aot+diffractor-swap", "agree" if order < 3 else "wrong", [faulty]),
             comment="the report's -76 hangs on what its closures hold, which programs do not; what the swap gives here is stated")

    # tangents 1.3 and 4.0 of the report: the first at a tie
    top = Region()
    case("adolc-fmax-tie", "max(a, b) at a tie and after it", "coin-or/ADOL-C#88", ["a: f64[3]", "b: f64[3]"], top, [top.op("max", "a", "b")],
         [[[1, 2, 2], [1, 0, 0]]], jvp([0, 1], [(1.3).hex(), 4, 7], [(1.3).hex(), 0, 0]), ["1.3", "4", "7"], ("forward+adolc-fmax-tie", "wrong", ["1.3", "7", "7"]), right="convention",
         comment="the report has one element and several directions, side by side in memory as elements are here; both tangents are the same at the tie, whatever the convention")

    top = Region()
    out = top.op("exp", top.op("cos", "x"))
    case("diffractor-swap", "exp(cos(x)) at 1", "JuliaDiff/Diffractor.jl#294", ["x: f64[]"], top, [out], [[1]], jvp([0], 1), ["-1.44440657"],
         ("forward+diffractor-swap", "wrong-primal", ["-1.95202489"]),
         comment="the sine that is passed on shows in the value too, so the derivative is not what is judged")

    for n, verdict, faulty in [(0, "wrong", "12"), (1, "agree", "18")]:
        top, loop = Region(), Region()
        out = top.loop("for", ["n", top.op("square", "x")], 1, [region(["i", "r"], loop.body, [loop.op("mul", "r", "x")])], cap=4)
        case(f"clad-unentered-loop-{n}", f"x^2, {n} times multiplied by x in a loop: the second derivative at 3", "vgvassilev/clad#1958",
             ["x: f64[]", "n: i64[]"], top, out, [[3, n]], vjp([0], 1) + vjp([0], 1), ["2" if n == 0 else "18"],
             ("functional+clad-unentered-loop", verdict, [faulty]), comment="the report is of what uninitialised memory holds; here it is zeros")

    for spec in ("tape", "aot"):
        top = Region()
        case(f"saved-const-higher-{spec}", "the second derivative of a square, whose backward pass saves 2x", "pytorch/pytorch#76185", ["x: f64[]"],
             top, [top.op("square", "x")], [[3]], vjp([0], 1) + vjp([0], 1), ["2"], (f"{spec}+saved-const-higher", "wrong", ["0"]))

    for spec in ("forward", "aot"):
        top = Region()
        rows = [top.op("mul", "t", top.const([[1, 1, -1], [1, 2, 1]][k], "f64[3]")) for k in (0, 1)]
        rows = [top.op("add", rows[k], top.const([[0, 1, 2], [-1, 1, 3]][k], "f64[3]")) for k in (0, 1)]
        products = [top.op("mul", top.op("cumprod", rows[k], axis=0), top.const([[1, 2, 3], [4, 5, 6]][k], "f64[3]")) for k in (0, 1)]
        out = top.op("reduce_sum", top.op("add", *products), axes=[0])
        case(f"torch-cumprod-jvp2-{spec}", "sum w*cumprod of (t, t+1, 2-t) and (t-1, 2t+1, t+3), w = 1 ... 6: f''(1)", "pytorch/pytorch#196701",
             ["t: f64[]"], top, [out], [[1]], jvp([0], 1) + jvp([0], 1), ["144"], (f"{spec}+torch-cumprod-jvp2", "wrong", ["68"]))

    for spec in ("functional", "aot"):
        for k, order in enumerate([(0, 1), (1, 0)]):
            top = Region()
            case(f"jax-pow-2nd-{spec}-{'xy' if k == 0 else 'yx'}", "the mixed second derivative of x^y at (23, 0), by x first or by y first",
                 "jax-ml/jax#12033", ["x: f64[]", "y: f64[]"], top, [top.op("pow", "x", "y")], [[23, 0]], vjp([order[0]], 1) + vjp([order[1]], 1),
                 ["0.0434782608696"], (f"{spec}+jax-pow-2nd", "wrong" if k == 0 else "agree", ["23"] if k == 0 else ["0.0434782608696"]))

    for spec, mode in [("forward", jvp), ("aot", jvp), ("aot", vjp)]:
        top, inner = Region(), Region()
        one = top.const(1)
        slope = top.loop("derivative", [one, one], 1, [region(["y"], inner.body, [inner.op("add", "x", "y")])], primals=1, transform="jvp")
        case(f"perturbation-confusion-{spec}-{mode.__name__}", "x*D(y -> x + y) at 1, by x", "JuliaDiff/ForwardDiff.jl#83", ["x: f64[]"], top,
             [top.op("mul", "x", slope[0])], [[1]], mode([0], 1), ["1"], (f"{spec}+perturbation-confusion", "wrong-primal", ["2"]),
             comment="the value of the derivative inside is 2 where it should be 1")

    for slug, title, build in [("norm", "norm(x)", lambda t, x: x), ("square", "norm(x)^2", lambda t, x: t.op("square", x)),
                               ("loser", "max(norm(x), 1)", lambda t, x: t.op("max", x, t.const(1)))]:
        top = Region()
        out = build(top, top.op("norm", "x", axes=[0]))
        loser, right = slug == "loser", {"norm": "convention"}.get(slug, "agree")
        case(f"norm-at-zero-{slug}", f"{title} at 0", "pytorch/pytorch#2421", ["x: f64[2]"], top, [out], [[[0, 0]]], vjp([0], 1), ["0", "0"],
             ("tape+norm-at-zero", "nan-leak" if loser else "undecided", ["nan", "nan"]), right=right,
             comment=None if loser else "0 is a convention, and no number is what several systems answer: not blamed")


# ---- batches ----

def batch(size, *wrt):
    return [{"transform": "batch", "wrt": list(wrt), "size": size}]


def batches():
    # u = x/|x|, du = (I - u u')/|x|: at (3, 4) with cotangent (1, 1) that is ((1 - .6*1.4)/5, (1 - .8*1.4)/5)
    top, zero, other = Region(), Region(), Region()
    nothing = top.op("eq", top.op("reduce_max", top.op("abs", "x"), axes=[0]), top.const(0))
    out = top.loop("cond", [nothing], 1, [region([], zero.body, [zero.const([0, 0], "f64[2]")]),
                                          region([], other.body, [other.op("div", "x", other.op("norm", "x", axes=[0]))])])
    for slug, points, request, truth, faulty in [
            ("", [[[0, 0, 3, 4]]], batch(2, 0) + vjp([0], [1, 1, 1, 1]), ["0", "0", "0.032", "-0.024"], ["nan", "nan", "0.032", "-0.024"]),
            ("-unbatched", [[[0, 0]]], vjp([0], [1, 1]), ["0", "0"], ["0", "0"])]:
        case(f"jax-vmap-cond-select{slug}", "cond(x == 0, 0, x/norm(x)) at 0", "jax-ml/jax#5658", ["x: f64[2]"], top, out, points, request, truth, ("aot+jax-vmap-cond-select", "nan-leak" if slug == "" else "agree", faulty))
    top, high, low = Region(), Region(), Region()
    out = top.loop("cond", [top.op("gt", "x", top.const(.5))], 1, [region([], high.body, [high.op("sqrt", "x")]),
                                                                  region([], low.body, [low.const(1)])])
    case("jax-vmap-cond-select-sqrt", "cond(x > 0.5, sqrt(x), 1) at 0 and 4", "jax-ml/jax#347", ["x: f64[]"], top, out, [[[0, 4]]],
         batch(2, 0) + vjp([0], [1, 1]), ["0", "0.25"], ("aot+jax-vmap-cond-select", "nan-leak", ["nan", "0.25"]))

    top = Region()
    out = top.op("gather", "x", "i", axis=0, mode="clip")
    for slug, points, request, faulty in [("", [[[1], [1]]], batch(1, 0, 1) + vjp([0], [1]), "0"), ("-unbatched", [[[1], 1]], vjp([0], 1), "1")]:
        case(f"jax-vmap-clip-oob{slug}", "x[1] of one element, clipped", "jax-ml/jax#34228", ["x: f64[1]", "i: i64[]"], top, [out], points, request,
             ["1"], ("aot+jax-vmap-clip-oob", "wrong" if slug == "" else "agree", [faulty]))


# ---- races, and engines that die ----

def others():
    top = Region()
    out = top.op("broadcast_to", "s", shape=[2])
    case("enzyme-threads-race-2", "out[i] = s for two i", "EnzymeAD/Enzyme.jl#3378", ["s: f64[]"], top, [out], [[3]], vjp([0], [1, 1]), ["2"])
    top = Region()
    out = top.op("broadcast_to", "s", shape=[48])
    case("enzyme-threads-race", "out[i] = s for 48 i, cotangents 2^i: which of them are lost shows in the sum", "EnzymeAD/Enzyme.jl#3378",
         ["s: f64[]"], top, [out], [[3]], vjp([0], [2 ** k for k in range(48)]), [str(2 ** 48 - 1)],
         ("tape+enzyme-threads-race", "nondeterministic", None))

    for spec in ["aot", "compiled"]:
        top, product, rule = Region(), Region(), Region()
        regions = [region(["p", "q"], product.body, [product.op("mul", "p", "q")]),
                   region(["u", "v", "d"], rule.body, [rule.op("mul", "v", "d"), rule.op("mul", "u", "d")])]
        case(f"alias-args-dedup-{spec}", "x*y at y = x, by a rule with a slot for each", "pytorch/pytorch#181146", ["x: f64[]"], top,
             top.loop("custom", ["x", "x"], 1, regions, transform="vjp"), [[3]], vjp([0], 1), ["6"],
             (f"{spec}+alias-args-dedup", "wrong", ["3"]))

    top = Region()
    case("strong-zero-lost", "the second derivative of (e^x - 1)^2 at 0", "", ["x: f64[]"], top,
         [top.op("square", top.op("sub", top.op("exp", "x"), top.const(1)))], [[0]], vjp([0], 1) + vjp([0], 1), ["2"],
         ("aot+strong-zero-lost", "wrong", ["0"]))

    for slug, verdict, returned in [("crash", "crash", None), ("oom", "crash", None), ("hang", "hang", None), ("input-modified", "input-modified", ["4"]),
                                    ("wrong-shape", "bad-shape", ["4"]), ("wrong-dtype", "bad-dtype", ["4"])]:
        top = Region()
        out = top.op("mul", "x", "x")
        case(slug, f"x*x by an engine with the fault {slug}", "", ["x: f64[]"], top, [out], [[2]], vjp([0], 1), ["4"], (f"tape+{slug}", verdict, returned))
    for spec, mode in [("forward", "jvp"), ("tape", "vjp"), ("functional", "vjp"), ("checkpointed", "vjp"), ("parallel", "vjp"), ("aot", "vjp"), ("implicit", "vjp")]:
        top = Region()
        out = top.op("mul", "x", "y")
        case(f"scale-{spec}", "x*y by an engine whose rule of mul is off by 1 + 2^-40", "", ["x: f64[]", "y: f64[]"], top, [out], [[2, 3]],
             vjp([0], 1) if mode == "vjp" else jvp([0], 1), ["3"], (f"{spec}+scale:mul:0x1.0000000001p0", "wrong", None))


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    for write in (loops, checkpoints, kinks, conventions, scatters, rules, batches, others):
        write()
