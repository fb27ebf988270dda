#!/usr/bin/env python3
"""Writes graph/case.schema.json from ops.def, attrs.def and dtypes.def, or with --print shows it.

Usage: make_case_schema.py [--print]
"""
import argparse
import json
import pathlib
import re

GRAPH = pathlib.Path(__file__).resolve().parent.parent / "graph"


def read_def(name):
    return re.sub(r"/\*.*?\*/", "", (GRAPH / name).read_text(), flags=re.S)


# (name, operands, family, attribute ids)
OPS = [(m[2], m[3], m[4], [] if m[6] == "0" else [a.strip()[5:] for a in m[6].split("|")])
       for m in re.finditer(r'OP\((\w+), "(\w+)", (\w+), (\w+), ([\w| ]+), ([\w| ]+), (\w+), (\w+),', read_def("ops.def"))]
# (id, key, kind, meaning)
ATTRS = re.findall(r'^ATTR\((\w+), (\w+), (\w+), "(.*)"\)', read_def("attrs.def"), re.M)
DTYPES = re.findall(r'^DTYPE\(\w+, "(\w+)"', read_def("dtypes.def"), re.M)
MODES = ["clip", "drop", "wrap"]
MEANINGS = ["steps", "solution"]
DERIVATIVES = ["jvp", "vjp"]
OPTIONAL = {"KEEPDIMS", "UNTIL", "STRIDE"}
REGIONS = {"COND": 2, "WHILE": 2, "FOR": 1, "SCAN": 1, "CHECKPOINT": 1, "SCATTER_APPLY": 1, "FIXED_POINT": 1, "DERIVATIVE": 1,
           "CUSTOM": 2}

NAME = "[A-Za-z_][A-Za-z0-9_]{0,31}"
TYPE = r"(%s)\[(EXTENT(,EXTENT){0,3})?\]".replace("EXTENT", "(0|[1-9][0-9]{0,4})") % "|".join(DTYPES)
HEX = "-?0x[0-9a-f]+([.][0-9a-f]+)?p[+-]?[0-9]+"
DECIMAL = "-?([0-9]+[.]?[0-9]*|[.][0-9]+)|-?[0-9][.]?[0-9]*[eE][+-]?[0-9]+"


def ref(name, **more):
    return dict(more, **{"$ref": "#/$defs/" + name})


def array(items, **more):
    return dict({"type": "array", "items": items}, **more)


def record(required, properties, **more):
    return dict({"type": "object", "required": required, "additionalProperties": False}, properties=properties, **more)


def text(limit, **more):
    return dict({"type": "string", "maxLength": limit}, **more)


def integer(low, high, **more):
    return dict({"type": "integer", "minimum": low, "maximum": high}, **more)


# Limits of graph/bounds.h: LIMIT_RANK, LIMIT_ELEMENTS and LIMIT_TRIP, LIMIT_ARGS; the reader takes no other integer beyond 2^30.
AXIS, COUNT, ANY = integer(0, 3), integer(0, 65536), integer(-2**30, 2**30)
KINDS = {
    "INT": None,
    "INTS": None,
    "AXES": array(AXIS, maxItems=4, uniqueItems=True),
    "BOOL": {"type": "boolean"},
    "DTYPE": {"enum": DTYPES},
    "MODE": {"enum": MODES},
    "MEANING": {"enum": MEANINGS},
    "TRANSFORM": {"enum": DERIVATIVES},
    "SHAPE": array(COUNT, maxItems=4),
    "TENSOR": ref("tensor"),
}
INTEGERS = {
    "axis": AXIS,
    "start": array(ANY, maxItems=4),
    "stride": array(dict(ANY, **{"not": {"const": 0}}), maxItems=4),
    "size": array(COUNT, maxItems=4),
    "low": array(COUNT, maxItems=4),
    "high": array(COUNT, maxItems=4),
    "trip": COUNT,
    "cap": COUNT,
    "carries": integer(0, 16),
    "primals": integer(0, 16),
}


def names(test):
    return [op[0] for op in OPS if test(op)]


def when(ops, then):
    return {"if": {"properties": {"op": {"enum": ops}}}, "then": then}


def counted(key, n):
    return {"properties": {key: {"minItems": n, "maxItems": n}}, **({"required": [key]} if n else {})}


def node():
    properties = {
        "out": array(ref("binding"), maxItems=16,
                     description='the results, each "NAME: TYPE"; but for constants the type may be left out'),
        "op": {"description": "a name of graph/ops.def", "enum": names(lambda op: True)},
        "args": array(ref("name"), maxItems=16, description="names of values defined before"),
    }
    for _, key, kind, meaning in ATTRS:
        properties[key] = dict({"description": meaning}, **(KINDS[kind] or INTEGERS[key]))
    properties["regions"] = array(ref("region"), maxItems=2)

    only = {key: {"properties": {"op": {"enum": names(lambda op: ident in op[3])}}} for ident, key, _, _ in ATTRS}
    rules = [when(names(lambda op: ident in op[3] and not (op[0] == "for" and ident in ("TRIP", "CAP"))), {"required": [key]})
             for ident, key, _, _ in ATTRS if ident not in OPTIONAL]
    rules.append(when(["for"], {"anyOf": [{"required": ["trip"]}, {"required": ["cap"]}]}))
    for n in range(3):
        rules.append(when(names(lambda op: REGIONS.get(op[2], 0) == n), counted("regions", n)))
    for n in range(4):
        rules.append(when(names(lambda op: op[1] == str(n)), counted("args", n)))
    rules.append(when(names(lambda op: op[1] == "MANY"), {"required": ["args"], "properties": {"args": {"minItems": 1}}}))
    return record(["out", "op"], properties, dependentSchemas=only, allOf=rules)


def transform(kind, seeds, meaning):
    return record(["transform", "wrt", seeds],
                  {"transform": {"const": kind}, "wrt": ref("wrt"), seeds: ref("tensors", description=meaning)})


def schema():
    return dict({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://adjudge.example/case.schema.json",
        "title": "adjudge case",
        "description": "A program, the points at which it is evaluated, and the derivatives asked for. What a schema cannot say "
                       "(types, scopes, limits) is checked by the reader; graph/ops.def says what the ops mean.",
    }, **record(["schema", "inputs", "body", "results", "points", "request"], {
        "schema": {"const": "adjudge.case/1"},
        "title": text(16384),
        "source": text(16384, description="where the case comes from"),
        "comment": text(16384),
        "inputs": array(ref("typed_binding"), maxItems=16),
        "body": ref("body"),
        "results": array(ref("name"), minItems=1, maxItems=16),
        "points": array(ref("tensors"), minItems=1, maxItems=16, description="per point one tensor per input"),
        "request": array(ref("transform"), maxItems=4, description="transforms, innermost first; empty: the primal alone"),
        "variant": {"type": "integer", "minimum": 0, "maximum": 65535,
                    "description": "which of its spellings an engine uses for each op; 0, or absent: the first of each"},
        "expect": array(ref("expectation"), maxItems=64),
    }), **{"$defs": {
        "name": {"type": "string", "pattern": "^" + NAME + "$"},
        "binding": {"type": "string", "pattern": "^" + NAME + "(: " + TYPE + ")?$"},
        "typed_binding": {"type": "string", "pattern": "^" + NAME + ": " + TYPE + "$"},
        "element": {
            "description": "reals: hex float (exactly a value of the dtype), nan, inf or -inf, or a plain number, "
                           "which is taken as the nearest value of the dtype; "
                           "integers: a number up to 2^53 in magnitude, a string beyond; bool: true or false",
            "anyOf": [{"type": ["number", "boolean"]},
                      {"type": "string", "pattern": "^(" + HEX + "|nan|inf|-inf|0|-?[1-9][0-9]*)$"}]},
        "tensor": {"description": "the elements, row-major; for rank 0 the bare element",
                   "anyOf": [ref("element"), array(ref("element"))]},
        "tensors": array(ref("tensor"), maxItems=16),
        "body": array(ref("node"), maxItems=1024),
        "region": record(["results"], {
            "params": array(ref("binding"), maxItems=16),
            "body": ref("body"),
            "results": array(ref("name"), maxItems=16)}),
        "wrt": array({"type": "integer", "minimum": 0, "maximum": 15}, minItems=1, maxItems=16, uniqueItems=True,
                     description="input numbers, ascending"),
        "transform": {"oneOf": [
            transform("vjp", "cotangents", "one tensor per output of the level below"),
            transform("jvp", "tangents", "one tensor per entry of wrt"),
            record(["transform", "wrt", "size"], {
                "transform": {"const": "batch"}, "wrt": ref("wrt"),
                "size": {"type": "integer", "minimum": 1, "maximum": 64,
                         "description": "slices: the leading axis that each input of wrt gains"}})]},
        "expectation": record([], {
            "engine": text(256, description="the spec of a built-in engine, the name of any other, or * for every right built-in engine; absent: the truth"),
            "verdict": text(256),
            "returned": array(text(40, pattern="^(" + DECIMAL + "|nan|inf|-inf)$"), minItems=1, maxItems=4096,
                              description="decimal literals, derivatives flattened; as many digits are compared as are written"),
        }, anyOf=[{"required": ["verdict"]}, {"required": ["returned"]}]),
        "node": node(),
    }})


def fill(pieces, indent):
    """Pieces as lines of up to 110 columns."""
    lines = [""]
    for k, piece in enumerate(pieces):
        piece += "," if k + 1 < len(pieces) else ""
        if lines[-1] and len(lines[-1]) + len(piece) + indent > 110:
            lines.append("")
        lines[-1] += " " * bool(lines[-1]) + piece
    return lines


def layout(x, indent=0):
    line = json.dumps(x, ensure_ascii=False)
    if len(line) + indent <= 110 or not isinstance(x, (dict, list)):
        return line
    if isinstance(x, dict):
        lines = [json.dumps(k) + ": " + layout(v, indent + 2) for k, v in x.items()]
    elif all(isinstance(v, str) for v in x):
        lines = None
    else:
        lines = [layout(v, indent + 2) for v in x]
    pad = "\n" + " " * (indent + 2)
    body = pad.join(fill([json.dumps(v) for v in x], indent + 2)) if lines is None else ("," + pad).join(lines)
    opening, closing = "{}" if isinstance(x, dict) else "[]"
    return opening + pad + body + "\n" + " " * indent + closing


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--print", action="store_true")
    text = layout(schema())
    if p.parse_args().print:
        print(text)
    else:
        (GRAPH / "case.schema.json").write_text(text + "\n")


main()
