"""Selects and kinks; conventions, which must be accepted."""
from document_corpus import Region, jvp, vjp
from zoo.cases import case


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
