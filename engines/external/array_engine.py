#!/usr/bin/env python3
"""JAX and TensorFlow behind adjudge's protocol: array_engine.py ENGINE [MODE [DEVICE]].  Never run on TensorFlow itself yet.

- jax: eager, jit, vmap. Needs jax on the module path. DEVICE is a platform of JAX, such as cuda; the CPU without one.
- tensorflow: eager, function (tf.function), xla (jit_compile=True), vmap (vectorized_map). Needs tensorflow on the module
  path.

Mode vmap has the requests with batches, the others those without.

adjudge writes the source of each case from the templates of `adjudge emit` (emit/jax.def, emit/tensorflow.def), in a
process that the adapter keeps. The adapter executes it: what the source hands to `judge` is the answer. So the calls
that are judged are those of a reproducer, and an op is added in the templates alone.
"""
import json
import math
import os
import re
import subprocess
import sys

import adapter
from adapter import Unsupported, floating

WORDS = {"float64": "f64", "float32": "f32", "bfloat16": "bf16", "float16": "f16", "int64": "i64", "int32": "i32", "bool": "bool"}
WORD = re.compile(rf"\b({'|'.join(WORDS)})\b")
ROOM = 2 << 30  # bytes that the process may have before an engine's caches are emptied

# By engine: the format of each mode, variables of the environment before the import, what empties its caches, and what
# errors say where it lacks something.  XLA's CPU client and TensorFlow's threads flush subnormals, also those of bf16.
ENGINES = {
    "jax": ({"eager": "jax", "jit": "jax-jit", "vmap": "jax"}, {"JAX_DEFAULT_MATMUL_PRECISION": "highest"}, lambda jax: jax.clear_caches(), "UNIMPLEMENTED"),
    "tensorflow": ({"eager": "tensorflow", "function": "tensorflow-function", "xla": "tensorflow-xla", "vmap": "tensorflow"}, {"CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "2"}, None,
                   "UnimplementedError|OpKernel|Could not find device for node|gradient registry has no entry"),
}
# Zeros are numbers like any other in both: their documents say so of where, and advise to replace the operand too.
# XLA and the optimizer of graphs regroup constants, for JAX also in the body of a loop that is called eagerly.
DECLARED = {"weak_zero": True, "flushes": ["f64", "f32", "bf16"], "timeout_ms": 120000}
# Measured on jaxlib 0.11.2 for the CPU against 120 bits, in units in the last place.  sinh and cosh are exp(x - log 2), and
# off by up to 248 at the end of the range.  tanh is off by 3.3, expm1 by 2.4, atan of few elements by 2.3, the others by 2.
ACCURACY = {"jax": {"default": 4, "sinh": 256, "cosh": 256, **dict.fromkeys(["tanh", "expm1", "erf"], 8)}}
# XLA rounds quotients and square roots of f32 on a GPU worse than IEEE 754 does, and computes f16 and bf16 by them.
ON_DEVICE = {"dtypes": ["f64", "i64", "i32", "bool"], "nondeterministic": True}


class Sources:
    """A process of adjudge that writes sources."""

    def __init__(self, form):
        program = os.environ.get("ADJUDGE", "adjudge")
        try:
            self.process = subprocess.Popen([program, "emit", "--format", form, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        except OSError as e:
            raise adapter.Failure(f"{program}: {e.strerror}; the environment variable ADJUDGE names adjudge") from e
        self.hello = self.line()

    def line(self):
        text = self.process.stdout.readline()
        if not text:
            raise adapter.Failure(f"adjudge emit ended with {self.process.wait()}")
        return json.loads(text)

    def __call__(self, case, brief=False):
        try:
            self.process.stdin.write(json.dumps({"id": 1, "emit": [case], "brief": brief}) + "\n")
            self.process.stdin.flush()
        except OSError as e:
            raise adapter.Failure(f"adjudge emit: {e.strerror}") from e
        said = self.line()
        if "error" in said:
            raise Unsupported(said["error"].rpartition("no counterpart for ")[2])
        return said["sources"][0]


def batched(type_text, size):
    return adapter.type_text(adapter.dtype_of(type_text), (size, *adapter.shape_of(type_text)))


def derivative_types(case):
    """The types of the outputs of the outermost level; none if no level differentiates."""
    types = dict(binding.split(": ") for bindings in [case["inputs"], *(node["out"] for node in case["body"])] for binding in bindings)
    inputs, outs = [b.split(": ")[1] for b in case["inputs"]], [types[r] for r in case["results"]]
    for level in case["request"]:
        if level["transform"] == "batch":
            inputs = [batched(t, level["size"]) if i in level["wrt"] else t for i, t in enumerate(inputs)]
            outs = [batched(t, level["size"]) for t in outs]
        elif level["transform"] == "vjp":
            outs = [inputs[i] for i in level["wrt"]]
    return outs if any(level["transform"] != "batch" for level in case["request"]) else []


def tensor(told):
    dtype, shape, values = told
    word = WORD.search(str(dtype))
    return adapter.tensor_out(WORDS[word[1]] if word else str(dtype), shape, values)


def zeros(type_text):
    dtype, shape = adapter.dtype_of(type_text), adapter.shape_of(type_text)
    return adapter.tensor_out(dtype, shape, [False if dtype == "bool" else 0] * math.prod(shape))


class Engine:
    def __init__(self, name, mode, device=""):
        forms, environment, self.empty, lacks = ENGINES[name]
        self.name, self.mode, self.lacks, self.module = name, mode, re.compile(lacks), None
        self.sources = Sources(forms[mode])
        self.device = device
        os.environ["JAX_PLATFORMS"] = device or "cpu"
        for variable, value in environment.items():
            os.environ.setdefault(variable, value)

    def load(self):
        self.module = __import__(self.name)

    def hello(self):
        version = getattr(self.module, "__version__", "")
        requests = [stack for stack in self.sources.hello["requests"] if ("batch" in stack) == (self.mode == "vmap")]
        name = ".".join([self.name, self.mode, *[self.device] * bool(self.device)])
        return {**self.sources.hello, "requests": requests, "name": name, "version": version, **DECLARED,
                "reassociates": (self.name, self.mode) != ("tensorflow", "eager"), **({"accuracy": ACCURACY[self.name]} if self.name in ACCURACY else {}),
                **(ON_DEVICE if self.device else {})}

    def answer(self, case):
        told = {"primal": [], "derivative": []}
        self.tidy()
        try:
            exec(compile(self.sources(case), "case", "exec"), {"__name__": "case", "judge": lambda kind, results: told[kind].append(results)})
        except Exception as e:
            if self.lacks.search(f"{type(e).__name__}: {e}"):
                raise Unsupported(f"{type(e).__name__}: {str(e).strip().splitlines()[0]}"[:400]) from e
            raise
        types, answers = derivative_types(case), []
        for k, primal in enumerate(told["primal"]):
            floats = iter(told["derivative"][k] if types else ())
            answers.append({"primal": [tensor(t) for t in primal], "derivative": [tensor(next(floats)) if floating(t) else zeros(t) for t in types]})
        return answers

    def tidy(self):
        with open("/proc/self/statm", encoding="ascii") as f:
            resident = int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        if self.empty and resident > ROOM:
            self.empty(self.module)


def main():
    words = [w for w in sys.argv[1:] if not w.startswith("-")]
    name, mode, device = (words + ["", "", ""])[:3]
    if name not in ENGINES or mode and mode not in ENGINES[name][0] or device and name != "jax":
        sys.exit(f"Usage: {sys.argv[0]} ENGINE [MODE [DEVICE]] (a device for jax alone): " + "; ".join(f"{e} {' | '.join(row[0])}" for e, row in ENGINES.items()))
    engine = Engine(name, mode or next(iter(ENGINES[name][0])), device)
    if "--emit" not in sys.argv:
        engine.load()
    adapter.main(engine.hello(), engine.answer, engine.sources, None, lambda case: engine.sources(case, True))


if __name__ == "__main__":
    main()
