#!/usr/bin/env python3
"""How much longer PyTorch's adapter takes than a bare script that makes the same calls: benchmarks/adapter_overhead.py [MODE [PROGRAMS]].

Programs are those that `build/adjudge fuzz` draws, with 64 points each.  The bare script is what `adjudge emit` prints, in a loop over the points, and reads the numbers of
every result.  Both run by turns, a program each, in a process each.  What it takes to import torch is in neither.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
EXTERNAL = os.path.join(HERE, "..", "engines", "external")
POINTS = 64
sys.path.insert(0, EXTERNAL)
import adapter
import pytorch


def record(mode, path):
    """An engine that answers nothing and writes down what it is asked."""
    engine = pytorch.Torch(mode)
    print(json.dumps({"adjudge.engine": 1, "name": "recorder", "requests": engine.requests, "dtypes": list(pytorch.DTYPES), "ops": list(pytorch.OPS),
                      "unroll": True, "constants": True}), flush=True)
    with open(path, "a") as out:
        for line in sys.stdin:
            request = json.loads(line)
            out.writelines(json.dumps(c) + "\n" for c in request["cases"] if c["request"])
            out.flush()
            unsupported = {"status": "unsupported", "text": "recorded"}
            print(json.dumps({"id": request["id"], "answers": [[unsupported] * len(c["points"]) for c in request["cases"]]}), flush=True)


def moved(tensor, k):
    """Another point: floats a little further, all else as it is."""
    if isinstance(tensor, list):
        return [moved(x, k) for x in tensor]
    return (float.fromhex(tensor) * (1 + k / 4096)).hex() if isinstance(tensor, str) and "0x" in tensor else tensor


def programs(mode, n):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cases")
        engine = f"proc:{sys.executable} {os.path.abspath(__file__)} --record {mode} {path}"
        subprocess.run([os.path.join(HERE, "..", "build", "adjudge"), "fuzz", "--engine", engine, "--driver", "generate", "--cases", str(2 * n), "--quiet",
                        "--out", os.path.join(folder, "out")], stdout=subprocess.DEVNULL, check=False)
        with open(path) as f:
            cases = [json.loads(line) for line in f]
    first = {json.dumps(c["body"]): c for c in cases if len(c["body"]) < 200}
    cases = list(first.values())[:n]
    for c in cases:
        types = [text.split(": ")[1] for text in c["inputs"]]
        c["points"] = [[moved(x, k) if t[0] in "fb" and t[:4] != "bool" and "f64" in t else x for x, t in zip(c["points"][0], types)] for k in range(POINTS)]
    return cases


def bare_server(mode):
    """Reads a case a line, and says how many seconds its script takes."""
    import torch
    torch.set_num_threads(1)
    engine = pytorch.Torch(mode)
    engine.room()
    print("ready", flush=True)
    for line in sys.stdin:
        case = json.loads(line)
        script = bare_script(engine, case)
        try:
            start = time.perf_counter()
            exec(compile(script, "bare", "exec"), {**engine.room(), "__name__": "program"})
            print(time.perf_counter() - start, flush=True)
        except Exception:  # the adapter says what it was
            print(-1, flush=True)


def bare_script(engine, case):
    """The adapter's calls in the adapter's order: what is traced is optimized for those of its arguments that come first."""
    source, primal, derivative, points = engine.parts(case)
    rows = "".join(f"    {p},\n" for p in points)
    wrap = f"xs = points[0]\nf = {engine.wrap}\n" if engine.wrap else ""
    return (f"{source}\nresults = []\npoints = (\n{rows})\n{wrap}for xs in points:\n"
            f"    results.append([y.tolist() for y in {derivative}(*xs)] + [y.tolist() for y in {primal}(*xs)])\n")


def start(*command):
    process = subprocess.Popen([sys.executable, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    process.stdout.readline()
    return process


def ask(process, text):
    process.stdin.write(text + "\n")
    process.stdin.flush()
    return process.stdout.readline()


def main():
    mode, n = sys.argv[1] if len(sys.argv) > 1 else "reverse", int(sys.argv[2]) if len(sys.argv) > 2 else 100
    cases = programs(mode, n)
    bare, judged = start(os.path.abspath(__file__), "--bare", mode), start(os.path.join(EXTERNAL, "pytorch.py"), mode)
    totals, ratios = [0, 0], []
    for case in cases[:3] + cases:  # the first ones twice: to warm up
        request, line = json.dumps({"id": 1, "cases": [case]}), json.dumps(case)
        alone = float(ask(bare, line))
        begin = time.perf_counter()
        reply = ask(judged, request)
        took = time.perf_counter() - begin
        if alone < 0 or '"ok"' not in reply:
            continue
        ratios.append(took / alone)
        totals = [totals[0] + took, totals[1] + alone]
    if not totals[1]:
        sys.exit("no program was answered by both")
    ratios = sorted(ratios[3:])
    print(f"{len(ratios)} programs, {POINTS} points each: adapter {totals[0]:.2f} s, bare script {totals[1]:.2f} s, ratio {totals[0] / totals[1]:.2f}, median {ratios[len(ratios) // 2]:.2f}")


if __name__ == "__main__":
    if "--record" in sys.argv:
        record(*sys.argv[2:4])
    elif "--bare" in sys.argv:
        bare_server(sys.argv[2])
    else:
        main()
