"""The ops of adapters in Python as source, without the engines: usage test_adapters.py SOURCE_ROOT."""
import importlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "engines" / "external"))
import adapter

# An adapter, its inputs, a node with its type, and the source of it; None: it says that the engine has no such thing.
ROWS = [
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
sys.exit(1 if failed else 0)
