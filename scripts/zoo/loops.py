"""Loops and checkpoints."""
import math

from document_corpus import Region, jvp, real, reals, region, vjp
from zoo.cases import case, digits, single, xs_exact


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


def xs_exact(xs):
    return [float(x).hex() for x in xs]
