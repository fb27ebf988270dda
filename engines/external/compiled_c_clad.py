"""clad for compiled_c.py: a derivative in C++ by clad::gradient and clad::differentiate, on functions that adjudge writes."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import adapter

C_TYPES = {"f64": ("double", "d"), "f32": ("float", "f"), "i64": ("int64_t", "q"), "i32": ("int32_t", "i"), "bool": ("bool", "?")}


def file_below(variable, pattern):
    folder = os.environ.get(variable)
    if not folder:
        sys.exit(f"compiled_c.py: the environment variable {variable} is not set; it names the folder of the plugin")
    found = sorted(pathlib.Path(folder).rglob(pattern))
    if not found:
        sys.exit(f"compiled_c.py: no {pattern} below {folder}")
    return found[0]


def version_below(variable, name, pattern):
    """What a file of the folder says, or nothing."""
    for path in sorted(pathlib.Path(os.environ[variable]).rglob(name)):
        found = re.search(pattern, path.read_text(errors="replace"))
        if found:
            return found[1]
    return ""


def compiler_that_loads(plugin):
    """A plugin works with the clang that it was built for alone."""
    for clang in ["clang++", *(f"clang++-{n}" for n in range(22, 11, -1))]:
        command = [clang, f"-fplugin={plugin}", "-fsyntax-only", "-x", "c++", "-"]
        if shutil.which(clang) and not subprocess.run(command, input=b"#ifndef __CLAD__\n#error\n#endif\n", capture_output=True).returncode:
            return clang
    sys.exit(f"compiled_c.py: no clang++ here loads {plugin}; the environment variable CLANG names one")


def elements(type_text):
    n = 1
    for extent in adapter.shape_of(type_text):
        n *= extent
    return n


class Clad:
    """clad differentiates functions that return a number.  weighted: the sum of all outputs times their cotangents.
    directional: an element of the outputs along the line x + t dx."""
    head = '#include "clad/Differentiator/Differentiator.h"\n'
    suffix, extern, requests, name, allowances = "cpp", 'extern "C" ', [["jvp"], ["vjp"]], "clad", {}

    def __init__(self, _):
        plugin, header = file_below("CLAD", "clad.so"), file_below("CLAD", "clad/Differentiator/Differentiator.h")
        self.clang = os.environ.get("CLANG") or compiler_that_loads(plugin)
        self.flags = ["-O1", f"-fplugin={plugin}", "-std=c++17", f"-I{header.parents[2]}", "-DCLAD_NO_NUM_DIFF"]
        self.place = tempfile.TemporaryDirectory()
        self.flags += self.precompiled(header)
        self.version = os.environ.get("ENGINE_VERSION") or version_below("CLAD", "VERSION", r"(\S+)")

    def precompiled(self, header):
        """Flags by which the compiler reads clad's header once: that is two thirds of the time for a small module."""
        out = f"{self.place.name}/clad.pch"
        done = subprocess.run([self.clang, *self.flags, "-ffp-contract=off", "-w", "-fPIC", "-x", "c++-header", "-o", out, str(header)], capture_output=True)
        return [] if done.returncode else ["-include-pch", out]

    @staticmethod
    def derivative(p):
        level, n = p.case["request"][0], range(len(p.inputs))
        kinds, scalar = [c_type(t) for _, t in p.inputs], [not adapter.shape_of(t) for _, t in p.inputs]
        seeds = [adapter.flat(d, p.results[k] if "cotangents" in level else p.inputs[k][1]) for k, d in seeded(level)]
        inputs = [f"{c} v{k}" if s else f"const {c} *v{k}" for k, c, s in zip(n, kinds, scalar)]
        given = [f"*v{k}" if s else f"v{k}" for k, s in zip(n, scalar)]
        outputs = [f"{c_type(t)} *d{k}" for k, t in enumerate(p.floats())]
        head = f"void derivative({', '.join([f'const {c} *v{k}' for k, c in zip(n, kinds)] + outputs)})"
        wrt = [k for k in level["wrt"] if adapter.floating(p.inputs[k][1])]
        if level["transform"] == "vjp":
            terms = [f"{number(s, t)} * y{k}[{i}]" for k, t in enumerate(p.results) if adapter.floating(t) for i, s in enumerate(seeds[k])]
            weighted = c_function(f"{widest(p.results)} weighted({', '.join(inputs)})", [*result_lines(p, [f"v{k}" for k in n]), f"return {' + '.join(terms) or '0'};"])
            slots = [f"d{k}" for k in range(len(wrt))]
            return weighted + c_function(head, [f'clad::gradient(weighted, "{", ".join(f"v{k}" for k in wrt)}").execute({", ".join(given + slots)});'] * bool(wrt))
        moved, lines = [f"v{k}" for k in n], []
        for k, seed in zip(level["wrt"], seeds):
            if k in wrt:
                lines += [f"{kinds[k]} x{k}[{max(len(seed), 1)}];"] + [f"x{k}[{i}] = v{k}{'' if scalar[k] else f'[{i}]'} + t * {number(s, p.inputs[k][1])};" for i, s in enumerate(seed)]
                moved[k] = f"x{k}[0]" if scalar[k] else f"x{k}"
        text, calls = "", []
        for k, t in enumerate(r for r in p.results if adapter.floating(r)):
            y = [r for r, u in enumerate(p.results) if adapter.floating(u)][k]
            text += c_function(f"{c_type(t)} directional{k}({', '.join([f'{c_type(t)} t', 'int q', *inputs])})", [*lines, *result_lines(p, moved), f"return y{y}[q];"])
            calls += [f'auto slope{k} = clad::differentiate(directional{k}, "t");', f"for (int q = 0; q < {elements(t)}; q++) d{k}[q] = slope{k}.execute({', '.join(['0', 'q', *given])});"]
        return text + c_function(head, calls)


def c_type(type_text):
    return C_TYPES[adapter.dtype_of(type_text)][0]


def seeded(level):
    """Pairs of the number of an output, or of an input, and its seed."""
    return list(enumerate(level["cotangents"])) if level["transform"] == "vjp" else list(zip(level["wrt"], level["tangents"]))


def widest(types):
    return "double" if any(adapter.dtype_of(t) == "f64" for t in types) else "float"


def number(value, type_text):
    return f"({c_type(type_text)}){'NAN' if value != value else '-INFINITY' if value < -1.8e308 else 'INFINITY' if value > 1.8e308 else value.hex()}"


def result_lines(p, arguments):
    """Lines that call f with these arguments.  Its results are y0, y1 ..."""
    if len(p.results) == 1 and not adapter.shape_of(p.results[0]) and adapter.floating(p.results[0]):
        return [f"{c_type(p.results[0])} y0[1];", f"y0[0] = f({', '.join(arguments)});"]
    names = [f"y{k}" for k in range(len(p.results))]
    return [f"{c_type(t)} {y}[{max(elements(t), 1)}];" for y, t in zip(names, p.results)] + [f"f({', '.join(arguments + names)});"]


def c_function(head, lines):
    return f"static {head}\n{{\n" + "".join(f"\t{line}\n" for line in lines) + "}\n\n"
