"""Blocks and sizes: each case has the size from which on the fault shows, or a little more.  The reports give larger sizes or no figures."""
from document_corpus import Region, jvp, region, vjp
from zoo.cases import case, digits

LESS = "the report's sizes are larger"


def numbers(*runs):
    """(value, count), ... as a list of texts."""
    return [str(value) for value, count in runs for _ in range(count)]


def one_op(slug, title, source, op, inputs, point, request, truth, *faulty, **attrs):
    top = Region()
    out = top.op(op, *(i.split(":")[0] for i in inputs), **attrs)
    case(slug, title, source, inputs, top, [out], [point], request, truth, *faulty, comment=LESS)


def lanes():
    for n in (64, 67):
        wrong = n > 64
        inputs, point = [f"x: f64[{n}]", f"y: f64[{n}]"], [[2] * n, [3] * n]
        tail = [(3, n // 8 * 8), (0, n % 8)] if wrong else [(3, n)]
        one_op(f"iron-vector-tail-{n}", f"x*y of {n} elements, by x", "amd/IRON#198", "mul", inputs, point, vjp([0], [1] * n), numbers((3, n)),
               ("tape+iron-vector-tail", "wrong" if wrong else "agree", numbers(*tail)))
        one_op(f"iron-vector-tail-jvp-{n}", f"x*y of {n} elements, by x", "amd/IRON#198", "mul", inputs, point, jvp([0], [1] * n), numbers((3, n)),
               ("forward+iron-vector-tail", "wrong" if wrong else "agree", numbers(*tail)))
    one_op("rdna-float4-columns", "67 of 69 elements, by all", "stew675/llama-cpp-rdna-boosts#19", "slice", ["x: f64[69]"], [[2] * 69],
           vjp([0], [1] * 67), numbers((1, 67), (0, 2)), ("compiled+rdna-float4-columns", "wrong", numbers((1, 64), (0, 5))), start=[0], size=[67], stride=[1])


def sums():
    one_op("flashinfer-partial-warp", "the norm of 144 ones", "flashinfer-ai/flashinfer#3879", "norm", ["x: f64[144]"], [[1] * 144], vjp([0], 1),
           [digits(1 / 12)] * 144, ("functional+flashinfer-partial-warp", "wrong", [digits(128 ** -.5)] * 144), axes=[0])
    for n in (256, 257):
        top = Region()
        out = top.op("mul", "x", top.const([1] * n, f"f64[{n}]"))
        case(f"llmc-bias-halving-{n}", f"x in {n} places, by x", "karpathy/llm.c#439", ["x: f64[]"], top, [out], [[2]], vjp([0], [1] * n), [str(n)],
             ("functional+llmc-bias-halving", "wrong" if n > 256 else "agree", ["256"]), comment=LESS)
    one_op("openfhe-cumsum-carry", "the running sum of 258 elements", "openfheorg/openfhe-numpy#85", "cumsum", ["x: f64[258]"], [[1] * 258],
           vjp([0], [1] * 258), [str(258 - k) for k in range(258)],
           ("tape+openfhe-cumsum-carry", "wrong", ["2", "1"] + [str(256 - k) for k in range(256)]), axis=0)
    # 600, 599, ... 1: element i is sorted to place 599 - i; without the last merge the first 512 come first
    place = [511 - i if i < 512 else 512 + 599 - i for i in range(600)]
    one_op("mlx-merge-steps", "600 elements sorted, cotangents 0, 1, ...", "ml-explore/mlx#906", "sort", ["x: f64[600]"], [[600 - i for i in range(600)]],
           vjp([0], list(range(600))), [str(599 - i) for i in range(600)], ("tape+mlx-merge-steps", "wrong", [str(p) for p in place]), axis=0)


def grids():
    for wrt, truth, wrong in ((0, numbers((3, 33)), numbers((3, 32), (0, 1))), (1, ["66"], ["64"])):
        one_op(f"fuser-matmul-tile-{wrt}", f"33 rows times one column, by {'ab'[wrt]}", "NVIDIA/Fuser#3963", "matmul", ["a: f64[33,1]", "b: f64[1,1]"],
               [[2] * 33, [3]], vjp([wrt], [1] * 33), truth, ("tape+fuser-matmul-tile", "wrong", wrong))
    top = Region()
    out = top.op("gather", "x", top.const([0] * 1025, "i64[1025]"), axis=0, mode="clip")
    case("torch-embed-block", "x[0] 1,025 times", "pytorch/pytorch#9851", ["x: f64[1]"], top, [out], [[[2]]], vjp([0], [1] * 1025), ["1025"],
         ("tape+torch-embed-block", "wrong", ["1024"]), comment=LESS)
    for n, wrong in ((256, numbers((0, 255), (5, 1))), (257, numbers((5, 1), (0, 256)))):
        top = Region()
        out = top.op("gather", "x", top.const([n - 1], "i64[1]"), axis=0, mode="clip")
        case(f"cupy-narrow-offset-{n}", f"x[{n - 1}] of {n} elements", "cupy/cupy#758", ["x: f64[%d]" % n], top, [out], [[[2] * n]], vjp([0], [5]),
             numbers((0, n - 1), (5, 1)), ("tape+cupy-narrow-offset", "wrong" if n > 256 else "agree", wrong), comment=LESS)
    top = Region()
    out = top.op("masked_scatter", top.const([0] * 258, "f64[258]"), top.const([True] * 258, "bool[258]"), "v")
    case("migraphx-narrow-count", "258 elements, all replaced, by what replaces them", "ROCm/AMDMIGraphX#4919", ["v: f64[258]"], top, [out], [[[2] * 258]],
         vjp([0], [1] * 258), numbers((1, 258)), ("tape+migraphx-narrow-count", "wrong", numbers((2, 2), (1, 254), (0, 2))), comment=LESS)


def long_loops():
    # s += t*x; t += 1: the sum of 0 ... n - 1
    for spec, source, n, wrong in (("functional+taichi-adstack-ring", "taichi-dev/taichi#4226", 514, 514 * 513 // 2 + 2 * 512),
                                   ("functional+taichi-adstack-ring", "taichi-dev/taichi#4226", 512, 512 * 511 // 2),
                                   ("checkpointed+mlstm-chunk-states", "NX-AI/mlstm_kernels#10", 129, 20190),
                                   ("checkpointed+mlstm-chunk-states", "NX-AI/mlstm_kernels#10", 128, 128 * 127 // 2)):
        top, loop = Region(), Region()
        following = [loop.op("add", "t", loop.const(1)), loop.op("add", "s", loop.op("mul", "t", "x"))]
        outs = top.loop("for", [top.const(0), top.const(0)], 2, [region(["i", "t", "s"], loop.body, following)], trip=n)
        truth = n * (n - 1) // 2
        case(f"{spec.split('+')[1]}-{n}", f"{n} times s += t*x, t += 1: by x", source, ["x: f64[]"], top, [outs[1]], [[2]], vjp([0], 1), [str(truth)],
             (spec, "agree" if wrong == truth else "wrong", [str(wrong)]), comment=LESS)


def blocks():
    lanes()
    sums()
    grids()
    long_loops()
