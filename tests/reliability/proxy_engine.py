#!/usr/bin/env python3
"""A right engine behind a proxy that misbehaves now and then.

Usage: proxy_engine.py ADJUDGE MODE
MODE: fifth-hang, fifth-crash, fifth-kill: at every fifth request; batch-crash: at requests with 8 cases;
last-bit: changes the last bit of one f64 derivative in a hundred; canary: doubles the derivatives of one case in a
hundred, always the same ones.
"""
import json
import math
import os
import random
import signal
import subprocess
import sys
import time
import zlib

ADJUDGE, MODE = sys.argv[1:3]
DIES = {"fifth-crash": signal.SIGSEGV, "fifth-kill": signal.SIGKILL, "batch-crash": signal.SIGSEGV}
BATCH, NTH, SHARE, CANARY_ONE_IN, LARGE = 8, 5, 0.01, 100, 2**14


def read(x):
    return float.fromhex(x) if isinstance(x, str) and "x" in x else float(x)


def change(line):
    """The answer with a bit changed here and there."""
    answer = json.loads(line)
    for point in (p for case in answer.get("answers", []) for p in case):
        for t in point.get("derivative", []):
            if not t["type"].startswith("f64") or not isinstance(t["data"], list) or random.random() >= SHARE:
                continue
            t["data"] = [math.nextafter(read(x), math.inf).hex() if math.isfinite(read(x)) else x for x in t["data"]]
    return json.dumps(answer).encode() + b"\n"


def doubled(x):
    return (2 * read(x)).hex() if abs(read(x)) < LARGE else x


def double(line, request):
    """The answer with doubled derivatives of the cases whose text says so."""
    answer = json.loads(line)
    for case, points in zip(json.loads(request)["cases"], answer.get("answers", [])):
        if zlib.crc32(json.dumps(case, sort_keys=True).encode()) % CANARY_ONE_IN == 0:
            for t in (t for p in points for t in p.get("derivative", []) if "f" in t["type"]):
                t["data"] = [doubled(x) for x in t["data"]] if isinstance(t["data"], list) else doubled(t["data"])
    return json.dumps(answer).encode() + b"\n"


def main():
    env = {k: v for k, v in os.environ.items() if not k.startswith("ADJUDGE_WORKER_")}
    engine = subprocess.Popen([ADJUDGE, "worker", "--engine", "tape"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
    hello = json.loads(engine.stdout.readline())
    hello.update(name=MODE, requests=[["vjp"]], timeout_ms=500)
    if MODE == "batch-crash":
        hello["cases_per_request"] = BATCH
    print(json.dumps(hello), flush=True)
    for n, line in enumerate(sys.stdin.buffer, 1):
        now = len(json.loads(line)["cases"]) >= BATCH if MODE == "batch-crash" else n % NTH == 0
        if now and MODE in DIES:
            os.kill(os.getpid(), DIES[MODE])
        if now and MODE == "fifth-hang":
            time.sleep(1000)
        engine.stdin.write(line)
        engine.stdin.flush()
        answer = engine.stdout.readline()
        if MODE in ("last-bit", "canary"):
            answer = change(answer) if MODE == "last-bit" else double(answer, line)
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()


main()
