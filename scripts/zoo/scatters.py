"""Scatter, gather and views."""
import math

from document_corpus import Region, jvp, region, vjp
from zoo.cases import case, digits


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
