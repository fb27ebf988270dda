"""What the families of the zoo share: a case, and its numbers."""
import os
import struct

import document_corpus as corpus

corpus.OUT = os.path.join(corpus.CORPUS, "zoo")


def case(slug, title, source, inputs, top, results, points, request, truth, *faulty, right="agree", comment=None, decided=True):
    """truth: numbers, or None: not stated.  faulty: (spec, verdict, numbers or None).  decided: the oracles decide every number."""
    rows = [{"returned": truth}] if truth and decided and right == "agree" else []
    rows.append({"engine": "*", "verdict": right, **({"returned": truth} if truth else {})})
    for spec, verdict, returned in faulty:
        rows.append({"engine": spec, "verdict": verdict, **({"returned": returned} if returned else {})})
    corpus.case(slug, title, source, inputs, top, results, points, request, rows, comment)


def digits(x, n=12):
    return f"{x:.{n}g}" if "e" not in f"{x:.{n}g}" else f"{x:.{n - 1}e}"


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0].hex()


def xs_exact(xs):
    return [float(x).hex() for x in xs]


def batch(size, *wrt):
    return [{"transform": "batch", "wrt": list(wrt), "size": size}]
