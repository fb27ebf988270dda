"""Rules of ops, batches, races, and engines that die."""
from document_corpus import Region, jvp, region, vjp
from zoo.cases import case, batch


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
