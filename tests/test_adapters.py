"""The ops of adapters in Python as source, without the engines: usage test_adapters.py SOURCE_ROOT."""
import importlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "engines" / "external"))
import adapter

# An adapter, its inputs, a node with its type, and the source of it; None: it says that the engine has no such thing.
ROWS = [
    ("halide_ops", ["x: f64[2,3]"], {"out": ["y: f64[3,2]"], "op": "transpose", "args": ["x"], "axes": [1, 0]}, "func(2, lambda i: x[i[1], i[0]])"),
    ("halide_ops", ["x: f64[2]", "y: f64[1]"], {"out": ["z: f64[3]"], "op": "concatenate", "args": ["x", "y"], "axis": 0},
     "func(1, lambda i: hl.select(i[0] < 2, x[hl.clamp(i[0] - 0, 0, 1)], y[hl.clamp(i[0] - 2, 0, 0)]))"),
    ("halide_ops", ["x: f64[]"], {"out": ["y: i64[]"], "op": "cast", "args": ["x"]}, None),
    ("hips_autograd", ["x: f64[0]"], {"out": ["y: f64[]"], "op": "reduce_max", "args": ["x"], "axes": [0]}, None),
    ("hips_autograd", ["x: f64[2,0]"], {"out": ["y: f64[2]"], "op": "reduce_min", "args": ["x"], "axes": [1]}, None),
    ("hips_autograd", ["x: f64[2,0]"], {"out": ["y: f64[0]"], "op": "reduce_min", "args": ["x"], "axes": [0]}, "np.min(x, axis=(0,), keepdims=False)"),
    ("hips_autograd", ["x: f64[0]"], {"out": ["y: f64[]"], "op": "reduce_sum", "args": ["x"], "axes": [0]}, "np.sum(x, axis=(0,), keepdims=False)"),
    ("hips_autograd", ["x: f64[3]"], {"out": ["y: f64[]"], "op": "reduce_max", "args": ["x"], "axes": [0]}, "np.max(x, axis=(0,), keepdims=False)"),
    ("tinygrad_engine", ["x: f64[2,3]"], {"out": ["y: f64[2]"], "op": "reduce_prod", "args": ["x"], "axes": [1]}, "x.prod((1,), keepdim=False)"),
    ("tinygrad_engine", ["x: f64[2,3]"], {"out": ["y: f64[2]"], "op": "logsumexp", "args": ["x"], "axes": [1]}, "x.logsumexp((1,), keepdim=True).reshape((2,))"),
    ("tinygrad_engine", ["x: f64[2,3]"], {"out": ["y: f64[2,3]"], "op": "reduce_sum", "args": ["x"], "axes": []}, "x"),
    ("tinygrad_engine", ["x: f64[5]"], {"out": ["y: f64[3]"], "op": "slice", "args": ["x"], "start": [4], "size": [3], "stride": [-2]}, "x[4::-2]"),
    ("tinygrad_engine", ["x: f64[5]"], {"out": ["y: f64[2]"], "op": "slice", "args": ["x"], "start": [1], "size": [2], "stride": [2]}, "x[1:4:2]"),
    ("tinygrad_engine", ["x: f64[5]"], {"out": ["y: f64[0]"], "op": "slice", "args": ["x"], "start": [2], "size": [0]}, "x[0:0:1]"),
    ("tinygrad_engine", ["x: f64[5]", "u: f64[2]"], {"out": ["y: f64[5]"], "op": "slice_scatter", "args": ["x", "u"], "start": [1], "stride": [3]}, "updated(x, (slice(1, 5, 3), ), u)"),
    ("tinygrad_engine", ["x: f64[1,3,1]"], {"out": ["y: f64[3]"], "op": "squeeze", "args": ["x"], "axes": [0, 2]}, "x.squeeze(2).squeeze(0)"),
    ("tinygrad_engine", ["x: f64[2]", "y: f64[1]"], {"out": ["z: f64[3]"], "op": "concatenate", "args": ["x", "y"], "axis": 0}, "x.cat(y, dim=0)"),
    ("tinygrad_engine", ["x: i64[2]"], {"out": ["y: f64[2]"], "op": "cast", "args": ["x"]}, None),
    ("tinygrad_engine", ["x: f64[2]", "v: f64[]"], {"out": ["y: f64[4]"], "op": "pad", "args": ["x", "v"], "low": [1], "high": [1]}, None),
    ("tinygrad_engine", ["x: f64[]"], {"out": ["y: f64[]"], "op": "log1p", "args": ["x"]}, None),
]
# The same with a constant k before it.
INDEXED = [
    ("i64[3]", [0, 7, -1], ["x: f64[2]"], {"out": ["y: f64[3]"], "op": "gather", "args": ["x", "k"], "axis": 0, "mode": "drop"}, "x[Tensor([0, 2, 2], dtype=dtypes.int32)]"),
    ("i64[3]", [0, 7, -1], ["x: f64[2]"], {"out": ["y: f64[3]"], "op": "gather", "args": ["x", "k"], "axis": 0, "mode": "clip"}, "x[Tensor([0, 1, 0], dtype=dtypes.int32)]"),
    ("i64[3]", [0, 7, -1], ["x: f64[2]"], {"out": ["y: f64[3]"], "op": "gather", "args": ["x", "k"], "axis": 0, "mode": "wrap"}, "x[Tensor([0, 1, 1], dtype=dtypes.int32)]"),
    ("i64[1]", [9], ["x: f64[4]", "u: f64[2]"], {"out": ["y: f64[4]"], "op": "dynamic_update_slice", "args": ["x", "u", "k"]}, "updated(x, (slice(2, 4), ), u)"),
    ("i64[1]", [1], ["x: f64[2,3]", "u: f64[2,2]"], {"out": ["y: f64[2,3]"], "op": "scatter_add", "args": ["x", "k", "u"], "axis": 1, "mode": "clip"},
     "x.scatter_reduce(1, Tensor([1], dtype=dtypes.int32).reshape((1, 1)).expand((2, 1)), u, 'sum')"),
    ("f64[]", [0.5], ["x: f64[2]"], {"out": ["y: f64[4]"], "op": "pad", "args": ["x", "k"], "low": [1], "high": [1]}, "x.pad(((1, 1),), value=0.5)"),
]

# Spellings of PyTorch: constants before it, the node, and the source by the name of the spelling; None: the first one is
# taken instead.  An assignment stands in the last line, after a copy.
NUMBERS = {"k: f64[]": 0.5, "n: f64[2]": [float("-inf")] * 2, "d: f64[2]": [1, 2], "i: i64[2]": [1, 0], "j: i64[2]": [1, 1]}
SPELLED = [
    ({"out": ["y: f64[2]"], "op": "add", "args": ["x", "k"]}, {"by a Python number": "torch.add(x, 0.5)"}),
    ({"out": ["y: f64[2]"], "op": "sub", "args": ["k", "x"]}, {"by a Python number": "torch.rsub(x, 0.5)", "torch.rsub": "torch.rsub(x, k)"}),
    ({"out": ["y: f64[2]"], "op": "mul", "args": ["x", "d"]}, {"by a Python number": None}),
    ({"out": ["y: f64[2]"], "op": "add", "args": ["s", "n"]}, {"by a Python number": None}),
    ({"out": ["y: f64[2]"], "op": "div", "args": ["k", "x"]}, {"by a Python number": None}),
    ({"out": ["y: f64[2]"], "op": "pow", "args": ["k", "x"]}, {"by a Python number": "torch.pow(0.5, x)"}),
    ({"out": ["y: f64[2]"], "op": "square", "args": ["x"]}, {"torch.pow(x, 2)": "torch.pow(x, 2)"}),
    ({"out": ["y: f64[2]"], "op": "clamp", "args": ["x", "n", "k"]},
     {"by Python numbers": "torch.clamp(x, max=0.5)", "by one bound at a time": "torch.clamp(torch.clamp(x, min=n), max=k)"}),
    ({"out": ["y: f64[2]"], "op": "clamp", "args": ["x", "k", "k"]}, {"by Python numbers": "torch.clamp(x, min=0.5, max=0.5)"}),
    ({"out": ["y: f64[2]"], "op": "clamp", "args": ["x", "d", "k"]}, {"by Python numbers": None}),
    ({"out": ["y: f64[2]"], "op": "max", "args": ["s", "x"]}, {"torch.clamp by one bound": "torch.clamp(torch.broadcast_to(s, [2]), min=x)"}),
    ({"out": ["y: f64[2]"], "op": "min", "args": ["x", "k"]}, {"torch.clamp by one bound": "torch.clamp(x, max=0.5)"}),
    ({"out": ["y: f64[3]"], "op": "slice_scatter", "args": ["z", "x"], "start": [1]},
     {"torch.slice_scatter without a step": "torch.slice_scatter(z, x, 0, 1, 3)", "torch.index_copy": "torch.index_copy(z, 0, torch.tensor([1, 2], dtype=torch.int64), x)",
      "torch.select_scatter": None, "assignment to a slice": "y[1:3:1] = x"}),
    ({"out": ["y: f64[3]"], "op": "slice_scatter", "args": ["z", "x"], "start": [0], "stride": [2]},
     {"torch.slice_scatter without a step": None, "torch.index_copy": "torch.index_copy(z, 0, torch.tensor([0, 2], dtype=torch.int64), x)"}),
    ({"out": ["y: f64[2]"], "op": "slice", "args": ["z"], "start": [2], "size": [2], "stride": [-2]},
     {"torch.narrow": None, "torch.index_select": "torch.index_select(z, 0, torch.tensor([2, 0], dtype=torch.int64))", "torch.as_strided": None}),
    ({"out": ["y: f64[2]"], "op": "gather", "args": ["z", "i"], "mode": "clip"},
     {"advanced indexing": "z[torch.tensor([1, 0], dtype=torch.int64)].reshape([2])", "torch.take": "torch.take(z, torch.tensor([1, 0], dtype=torch.int64)).reshape([2])", "embedding": None}),
    ({"out": ["y: f64[3]"], "op": "scatter_mul", "args": ["z", "i", "x"], "mode": "clip"},
     {"torch.scatter_reduce": "torch.scatter_reduce(z, 0, torch.tensor([1, 0], dtype=torch.int64).reshape([2]).expand([2]), x, 'prod')"}),
    ({"out": ["y: f64[3]"], "op": "scatter_set", "args": ["z", "j", "x"], "mode": "clip"}, {"torch.scatter": None, "assignment by an index": None}),
    ({"out": ["y: f64[3]"], "op": "scatter_set", "args": ["z", "i", "x"], "mode": "clip"}, {"assignment by an index": "y[torch.tensor([1, 0], dtype=torch.int64)] = x"}),
    ({"out": ["y: f64[]"], "op": "reduce_sum", "args": ["m"], "axes": [0, 1]},
     {"without axes": "torch.sum(m)", "one axis at a time": "torch.sum(torch.sum(m, 1, False), 0, False)"}),
    ({"out": ["y: f64[2]"], "op": "reduce_mean", "args": ["m"], "axes": [1]}, {"without axes": None, "torch.sum / n": "torch.sum(m, [1], False) / 3"}),
    ({"out": ["y: f64[3]"], "op": "matmul", "args": ["x", "m"]}, {"torch.einsum": "torch.einsum('j,...jk->...k', x, m)", "torch.dot, mv, mm, bmm": None}),
    ({"out": ["y: f64[3,2]"], "op": "transpose", "args": ["m"], "axes": [1, 0]}, {"torch.transpose": "torch.transpose(m, 0, 1)", "torch.movedim": "torch.movedim(m, [1, 0], [0, 1])"}),
]


def drawn(ops, op, name):
    """The smallest variant by which that spelling is drawn."""
    at = [n for n, _ in ops[op]].index(name)
    return next(v for v in range(1 << 16) if adapter.spelling(v, op, len(ops[op])) == at)


def spelled_source(ops, node, variant):
    body = [{"out": [binding], "op": "constant", "value": value} for binding, value in NUMBERS.items()] + [node]
    inputs = ["x: f64[2]", "s: f64[]", "z: f64[3]", "m: f64[2,3]"]
    line = adapter.Program({"inputs": inputs, "body": body, "results": ["y"], "variant": variant}, ops).lines[-1]
    return line[4:] if line.startswith("y = ") else line


rows = ROWS + [("tinygrad_engine", inputs, [{"out": [f"k: {t}"], "op": "constant", "value": values if "[]" not in t else values[0]}, node], text)
               for t, values, inputs, node, text in INDEXED]
failed = 0
for name, inputs, body, wanted in rows:
    body = body if isinstance(body, list) else [body]
    case = {"inputs": inputs, "body": body, "results": [body[-1]["out"][0].split(":")[0]]}
    try:
        got = adapter.Program(case, importlib.import_module(name).OPS).lines[-1].split(" = ", 1)[1]
    except adapter.Unsupported:
        got = None
    if got != wanted:
        failed += 1
        print(f"{name}, {body[-1]['op']} of {inputs}: {got}, not {wanted}", file=sys.stderr)
# On a device: every source says so, once, and no quotient has a Python number as its divisor.
on_device = importlib.import_module("pytorch").Torch("reverse", "cuda")
case = {"inputs": ["x: f64[]"], "body": [{"out": ["y: f64[]"], "op": "sin", "args": ["x"]}], "results": ["y"], "points": [[0.5]],
        "request": [{"transform": "vjp", "wrt": [0], "cotangents": [1.0]}]}
for what, got, wanted in [("the source", on_device.emit(case).count("torch.set_default_device('cuda')"), 1), ("the short source", on_device.brief(case).count("torch.set_default_device('cuda')"), 1),
                          ("spellings", [op for op in ("div", "reduce_mean") if isinstance(on_device.ops[op], list)], [])]:
    if got != wanted:
        failed += 1
        print(f"pytorch on a device, {what}: {got}, not {wanted}", file=sys.stderr)
torch = importlib.import_module("pytorch").Torch("reverse").ops
for node, spellings in SPELLED:
    first = spelled_source(torch, node, 0)
    for name, wanted in spellings.items():
        got = spelled_source(torch, node, drawn(torch, node["op"], name))
        if got != (wanted or first):
            failed += 1
            print(f"pytorch, {node['op']} as {name}: {got}, not {wanted or first}", file=sys.stderr)
# x * x is mul, which a finding of square must not show, and has two contributions, each rounded.
for variant in range(64):
    got = spelled_source(torch, {"out": ["y: f64[2]"], "op": "square", "args": ["x"]}, variant)
    if got not in ("torch.square(x)", "torch.pow(x, 2)"):
        failed += 1
        print(f"pytorch, square as {got}", file=sys.stderr)
        break
# The numbers of tests/graph/test_case_json.c.
for variant, name, n, wanted in [(0, "clamp", 2, 0), (1, "clamp", 2, 0), (2, "clamp", 2, 1), (1, "request", 3, 1), (2, "request", 5, 4), (2, "request", 16, 2)]:
    if adapter.spelling(variant, name, n) != wanted:
        failed += 1
        print(f"spelling {variant} of {n} {name}: {adapter.spelling(variant, name, n)}, not {wanted}", file=sys.stderr)
# The kernels of inductor depend on the number of threads, which is one in the adapter.
case = {"inputs": ["x: f64[]"], "body": [], "results": ["x"], "points": [[1]], "request": []}
for mode, wanted in [("inductor", True), ("aot_eager", False), ("reverse", False)]:
    source = importlib.import_module("pytorch").Torch(mode).emit(case)
    if ("torch.set_num_threads(1)" in source) != wanted:
        failed += 1
        print(f"pytorch {mode}: {source}", file=sys.stderr)
sys.exit(1 if failed else 0)
