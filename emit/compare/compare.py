import os
import re
import sys
import traceback
from math import inf, nan

# Returned numbers beside expected ones.  Exit status: 0 all agree, 1 some number is wrong, 125 it cannot be said.
judged = {"asked": "", "numbers": 0, "wrong": 0, "unclear": 0, "followed": None, "sum": 0.0}


# An exception of the engine is wrong, unless the engine cannot be imported or says that it lacks something.
def stop(kind, value, trace):
    own = [line for file, _, _, line in traceback.extract_tb(trace) if file == __file__]
    imports = bool(own) and own[-1].startswith(("import ", "from "))
    lines = [line.strip() for line in str(value).splitlines() if line.strip()] or [""]  # what follows them may be the whole program
    said = f"{kind.__name__}: {' '.join(lines[:2 if lines[0].endswith(':') else 1])}"[:400].lower()
    lacks = issubclass(kind, (ImportError, NotImplementedError, KeyboardInterrupt)) or re.search("not implemented|not supported|unsupported|don't support", said)
    sys.__excepthook__(kind, value, trace)
    print("no answer: WRONG" if not imports and not lacks else "no answer")
    sys.stdout.flush()
    os._exit(125 if (imports or lacks) and not judged["wrong"] else 1)


sys.excepthook = stop


def wrong(text):
    judged["wrong"] += 1
    print(f"{text}: WRONG")


# A row: the texts of expected and allowed, whether a NaN is accepted, [value, its lower digits, radius] for each
# convention at a tie, and the interval of their mixtures if they differ.
def compare(name, returned, dtype, shape, wanted, extents, rows):
    if wanted and not re.search(rf"\b{wanted}\b", str(dtype)):
        wrong(f"{name}: expected {wanted}, returned {dtype}")
    if shape is not None and list(shape) != extents:
        wrong(f"{name}: expected shape {extents}, returned {list(shape)}")
    if len(returned) != len(rows):
        wrong(f"{name}: expected {len(rows)} numbers, returned {len(returned)}")
    for k, (r, row) in enumerate(zip(returned, rows)):
        expected, allowed, accepts_nan, choices, low, high = (*row, inf, -inf)[:6]
        r = r if isinstance(r, int) else float(r)
        if r != r:
            followed = set(range(len(choices))) if accepts_nan else set()
        else:
            followed = {k for k, (value, rest, radius) in enumerate(choices)
                        if radius == inf or abs((r - value) - rest) <= radius or (r == value and r in (inf, -inf))}
        line = f"{name}{f', element {k}' if len(rows) > 1 else ''}: expected {expected}, returned {r}, allowed {allowed}"
        if not followed and not low <= r <= high:
            wrong(line)
            continue
        print(line)
        judged["numbers"] += choices[0][2] != inf and judged["asked"] in name
        if len(choices) > 1 or low <= high:
            judged["sum"] += r
            judged["followed"] = followed if judged["followed"] is None else judged["followed"] & followed


# The sum of all numbers at a tie is in this range, whatever mixture of conventions they follow.
def conclude(least, most):
    if judged["followed"] is not None and not judged["followed"]:
        if judged["sum"] < least or judged["sum"] > most:
            wrong(f"sum of the shares at a tie: expected {least} to {most}, returned {judged['sum']}")
        else:
            judged["unclear"] += 1
            print("no convention explains all numbers of this tie, but a mixture of them may")
    judged.update(followed=None, sum=0.0)


def finish():
    unclear = judged["unclear"] or not judged["numbers"]
    print(f"{judged['numbers']} numbers of the {judged['asked']} agree, {judged['wrong']} wrong{', not all could be judged' if unclear else ''}")
    sys.exit(1 if judged["wrong"] else 125 if unclear else 0)
