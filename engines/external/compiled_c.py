#!/usr/bin/env python3
"""Engines that are a part of a C compiler, behind adjudge's protocol: Enzyme and clad, plugins of clang.

Usage: compiled_c.py MODE     the folder of the plugin is in the environment variable ENZYME or CLAD

adjudge writes a case as C functions (`adjudge emit --format c --serve`).  Many of them are compiled as one module.  A
forked process loads the module and calls them, because compiled code may crash or not end.
"""
import ctypes
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

import adapter
import compiled_c_clad
from compiled_c_clad import C_TYPES, c_type, elements, file_below, version_below

COMPILE_SECONDS = 120
CALL_SECONDS = float(os.environ.get("ADJUDGE_CALL_SECONDS", 10))  # of processor time
KEPT = 512  # compiled programs
ALONE = {"fixed_point", "custom", "checkpoint", "store", "derivative", "stop_gradient"}  # C has no counterpart; adjudge writes all but the last in other ops
FIRST, SECOND = [["jvp"], ["vjp"]], [["jvp", "jvp"], ["vjp", "jvp"], ["jvp", "vjp"], ["vjp", "vjp"]]
# What a compiler says where the engine has no rule.  Any other error of its own is a finding.
LACKS = re.compile(r"No (augmented |forward |reverse |create nofree of |)?.*(derivative|pass) found for|not (yet )?(implemented|supported)|unsupported|Numerical differentiation is (not|disabled)", re.I)


def adjudge():
    """The program that writes the functions: by default the one that asks."""
    parent = pathlib.Path(f"/proc/{os.getppid()}/exe").resolve()
    return os.environ.get("ADJUDGE") or (str(parent) if parent.name == "adjudge" else "adjudge")


# ---- programs ----

class Sources:
    """Functions of cases, by a child that adjudge is."""

    def __init__(self):
        self.child = subprocess.Popen([adjudge(), "emit", "--format", "c", "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.child.stdout.readline()  # the hello

    def of(self, case):
        print(json.dumps({"id": 1, "emit": [case]}), file=self.child.stdin, flush=True)
        reply = json.loads(self.child.stdout.readline())
        if "error" in reply:
            raise adapter.Unsupported(reply["error"])
        return reply["sources"][0]


def types_below(body, types):
    for node in body:
        types.update(v.split(": ") for v in node["out"])
    return types


class Program:
    """A case as functions whose names nothing else has: primal_NAME and derivative_NAME, which take an array of pointers
    to the inputs, then the outputs."""

    def __init__(self, engine, case, text):
        self.case = case
        types = types_below(case["body"], dict(v.split(": ") for v in case["inputs"]))
        self.inputs = [v.split(": ") for v in case["inputs"]]
        self.results = [types[r] for r in case["results"]]
        self.derivative = self.results
        for level in case["request"]:
            if level["transform"] == "vjp":
                self.derivative = [self.inputs[k][1] for k in level["wrt"]]
        self.name = hashlib.sha256((text + json.dumps(case["request"])).encode()).hexdigest()[:12]
        entry = [("program", "primal", self.inputs, self.results)]
        if case["request"]:
            text += engine.derivative(self)
            entry.append(("derivative", "derivative", self.inputs, self.floats()))
        text += "".join(self.entry(*e) for e in entry)
        own = "|".join(set(re.findall(r"^static [\w ]+?[ *](\w+)\(", text, re.M)))
        self.source = re.sub(rf"\b({own})\b", rf"\1_{self.name}", text)

    def floats(self):
        return [t for t in self.derivative if adapter.floating(t)]

    def entry(self, function, name, inputs, outputs):
        types = [f"const {c_type(t)}" for _, t in inputs] + [c_type(t) for t in outputs]
        return f"EXTERN void call_{name}_{self.name}(void **p)\n{{\n\t{function}({', '.join(f'({t} *)p[{k}]' for k, t in enumerate(types))});\n}}\n\n"


def buffer(type_text, values=None):
    n, code = elements(type_text), C_TYPES[adapter.dtype_of(type_text)][1]
    room = ctypes.create_string_buffer(max(n, 1) * struct.calcsize(code))
    if values is not None:
        struct.pack_into(f"={n}{code}", room, 0, *values)
    return room


def tensor(type_text, room):
    dtype, shape = adapter.dtype_of(type_text), adapter.shape_of(type_text)
    return adapter.tensor_out(dtype, shape, struct.unpack_from(f"={elements(type_text)}{C_TYPES[dtype][1]}", room))


def call(library, name, rooms):
    pointers = (ctypes.c_void_p * len(rooms))(*map(ctypes.addressof, rooms))
    getattr(library, name)(pointers)


def asked(library, program):
    """The answers at every point."""
    out = []
    for point in program.case["points"]:
        values = [adapter.flat(d, t) for d, (_, t) in zip(point, program.inputs)]
        inputs = [buffer(t, v) for v, (_, t) in zip(values, program.inputs)]
        before = [bytes(room) for room in inputs]
        primal, slopes = [buffer(t) for t in program.results], [buffer(t) for t in program.floats()]
        call(library, f"call_primal_{program.name}", inputs + primal)
        answer = {"primal": [tensor(t, room) for t, room in zip(program.results, primal)], "derivative": []}
        if program.case["request"]:
            call(library, f"call_derivative_{program.name}", inputs + slopes)
            left = iter(slopes)
            answer["derivative"] = [tensor(t, next(left) if adapter.floating(t) else buffer(t)) for t in program.derivative]
        if before != [bytes(room) for room in inputs]:
            answer["input_modified"] = True
        out.append(answer)
    return out


def in_child(jobs, pipe):
    """Writes the answers to jobs, pairs of a module and a program, as lines; a process of its own runs this."""
    libraries = {}
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    with os.fdopen(pipe, "w") as out:
        for path, program in jobs:
            signal.setitimer(signal.ITIMER_VIRTUAL, CALL_SECONDS)
            if path not in libraries:
                libraries[path] = ctypes.CDLL(path)
            print(json.dumps(asked(libraries[path], program)), file=out, flush=True)


def run(jobs):
    """Answers to all jobs.  Where the process dies, its job is answered by how it died, and another one goes on."""
    answers = []
    while len(answers) < len(jobs):
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            status = 1
            try:
                os.close(reading)
                in_child(jobs[len(answers):], writing)
                status = 0
            finally:
                os._exit(status)
        os.close(writing)
        with os.fdopen(reading) as lines:
            answers += [json.loads(line) for line in lines if line.endswith("\n")]
        _, status = os.waitpid(child, 0)
        if len(answers) < len(jobs):
            killer = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
            text = f"the compiled program gave no answer in {CALL_SECONDS:g} s" if killer == signal.SIGVTALRM else \
                f"the compiled program died by {signal.Signals(killer).name}" if killer else f"the compiled program ended with {status >> 8}"
            answers.append(refused(jobs[len(answers)][1].case, "error", text))
    return answers


def refused(case, status, text):
    return [{"status": status, "text": text[:400]}] * len(case["points"])


# ---- engines ----

class Enzyme:
    """derivative: calls of __enzyme_fwddiff and __enzyme_autodiff, which adjudge writes."""
    suffix, head, extern, requests = "c", "", "", FIRST + SECOND

    def __init__(self, mode):
        plugin = file_below("ENZYME", "ClangEnzyme-*.so")
        level, _, precise = mode.removeprefix("enzyme-").partition("-")
        options = {"": [], "precise": ["-enzyme-fast-math=0"], "strong": ["-enzyme-fast-math=0", "-enzyme-strong-zero=1"]}[precise]
        self.clang = os.environ.get("CLANG") or f"clang-{re.search(r'-([0-9]+)', plugin.name)[1]}"
        self.flags = [f"-{level}", f"-fplugin={plugin}", "-std=c11", "-DENZYME", *(word for o in options for word in ("-mllvm", o))]
        self.name = f"enzyme {level}{' ' * bool(precise)}{precise}"
        # its own arithmetic has LLVM's fast-math flags, and its zeros are numbers like any other
        self.allowances = {"": {"finite_math": True, "weak_zero": True}, "precise": {"weak_zero": True}, "strong": {}}[precise]
        self.version = os.environ.get("ENGINE_VERSION") or version_below("ENZYME", "EnzymeConfigVersion.cmake", r'PACKAGE_VERSION "([^"]+)')

    @staticmethod
    def derivative(_):
        return ""


# ---- compiling ----

class Compiled:
    def __init__(self, engine):
        self.engine, self.sources, self.folder = engine, Sources(), tempfile.TemporaryDirectory()
        self.modules, self.errors, self.made = {}, {}, 0

    def build(self, programs):
        """The module of these programs, or what the compiler said."""
        self.made += 1
        source = pathlib.Path(self.folder.name) / f"module{self.made}.{self.engine.suffix}"
        module = source.with_suffix(".so")
        source.write_text(f"{self.engine.head}#define EXTERN {self.engine.extern}\n" + "".join(p.source for p in programs))
        command = [self.engine.clang, *self.engine.flags, "-ffp-contract=off", "-w", "-fno-crash-diagnostics", "-shared", "-fPIC", "-o", str(module), str(source), "-lm"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=COMPILE_SECONDS)
        except subprocess.TimeoutExpired:
            return None, f"the compiler gave no answer in {COMPILE_SECONDS} s"
        finally:
            source.unlink()
        if not done.returncode:
            return str(module), ""
        lines = [line for line in done.stderr.splitlines() if re.search(r"error|assert|terminate|LLVM ERROR|UNREACHABLE|PLEASE|Stack dump", line, re.I)]
        return None, re.sub(r"\S*module\d+\.\w+:[\d:]* ", "", (lines or done.stderr.splitlines() or [f"exit status {done.returncode}"])[0]).strip()

    def compile(self, programs):
        """Finds a module for each program, or its error.  A module that does not compile is split into halves."""
        if not programs:
            return
        module, error = self.build(programs)
        if module:
            self.modules.update((p.name, module) for p in programs)
        elif len(programs) == 1:
            self.errors[programs[0].name] = error
        else:
            half = len(programs) // 2
            self.compile(programs[:half])
            self.compile(programs[half:])

    def forget(self):
        if len(self.modules) + len(self.errors) > KEPT:
            shutil.rmtree(self.folder.name, ignore_errors=True)
            os.mkdir(self.folder.name)
            self.modules, self.errors = {}, {}

    def answers(self, cases):
        out, programs = [None] * len(cases), {}
        self.forget()
        for k, case in enumerate(cases):
            try:
                programs[k] = Program(self.engine, case, self.sources.of(case))
            except adapter.Unsupported as e:
                out[k] = refused(case, "unsupported", str(e))
        unknown = {p.name: p for p in programs.values() if p.name not in self.modules and p.name not in self.errors}
        self.compile(list(unknown.values()))
        for k, p in programs.items():
            if p.name in self.errors:
                error = self.errors[p.name]
                out[k] = refused(p.case, "unsupported" if LACKS.search(error) else "error", error)
        ready = [k for k, p in programs.items() if p.name in self.modules]
        for k, answer in zip(ready, run([(self.modules[programs[k].name], programs[k]) for k in ready])):
            out[k] = answer
        return out


def ops():
    """Every op that C expresses: all but those that adjudge writes in other ops."""
    listed = json.loads(subprocess.run([adjudge(), "ops", "--json"], capture_output=True, text=True, check=True).stdout)
    return [op["name"] for op in (listed if isinstance(listed, list) else listed["ops"]) if op["name"] not in ALONE]


def main():
    modes = ["enzyme-O2-precise", "enzyme-O1-precise", "enzyme-O2", "enzyme-O1", "enzyme-O0", "enzyme-O3", "enzyme-O2-strong", "clad"]
    mode = sys.argv[1] if len(sys.argv) > 1 else modes[0]
    if mode not in modes:
        sys.exit(f"compiled_c.py: no mode '{mode}'; there are {', '.join(modes)}")
    engine = (compiled_c_clad.Clad if mode == "clad" else Enzyme)(mode)
    compiled = Compiled(engine)
    hello = {"name": engine.name, "version": engine.version, "requests": engine.requests, "dtypes": list(C_TYPES), "ops": ops(), **engine.allowances,
             "cases_per_request": 32, "timeout_ms": 600000}
    adapter.main(hello, lambda case: compiled.answers([case])[0], together=compiled.answers)


if __name__ == "__main__":
    main()
