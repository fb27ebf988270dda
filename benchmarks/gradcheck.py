#!/usr/bin/env python3
"""Compares adjudge with torch.autograd.gradcheck and with bare MPFR, on the same programs, by processor time.

Usage: benchmarks/gradcheck.py [--build build] [--rounds 7] [--programs 100] [--readme README.md]

The programs are those of build/benchmarks/throughput, of 6 and of 20 scalar f64 ops.  Each round runs, one after the other:
gradcheck of PyTorch over as many programs of each set, adjudge with one engine and with three, and central differences in
MPFR without anything else (`throughput --floor`).  Needs torch; PyTorch's adapter writes the programs.  A program that
this torch lacks an op for is left out for gradcheck alone.  Prints a Markdown table: medians of programs per second of
processor time, and medians of the ratio to gradcheck.  --readme puts it between the lines "<!-- speed -->" of that file.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
EXTERNAL = os.path.join(HERE, "..", "engines", "external")
SETS = ["arithmetic-heavy", "uniform"]
OPS = [6, 20]
ROWS = [("torch.autograd.gradcheck, one engine", None), ("adjudge, one engine", ["tape"]), ("adjudge, three engines", []), ("central differences in MPFR alone", ["--floor"])]
MARK = "<!-- speed -->"


def record(path):
    """An engine that answers nothing and writes down what it is asked, each case once."""
    sys.path.insert(0, EXTERNAL)
    import pytorch
    seen = set()
    print(json.dumps({"adjudge.engine": 1, "name": "recorder", "requests": pytorch.Torch("reverse").requests, "dtypes": ["f64"], "ops": list(pytorch.OPS), "unroll": True,
                      "constants": True}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        new = {json.dumps(c) for c in request["cases"]} - seen
        seen |= new
        with open(path, "a") as out:  # at once: the engine is killed at the end
            out.writelines(text + "\n" for text in sorted(new))
        unsupported = {"status": "unsupported", "text": "recorded"}
        print(json.dumps({"id": request["id"], "answers": [[unsupported] * len(c["points"]) for c in request["cases"]]}), flush=True)


def gradcheck_server(path, most):
    """For each line of input: the processor time of gradcheck over all programs, how many there are, and how many pass."""
    sys.path.insert(0, EXTERNAL)
    import torch
    import adapter
    import pytorch
    torch.set_num_threads(1)
    with open(path) as f:
        cases = [json.loads(line) for line in f][:most]
    checks = []
    for case in cases:
        program = adapter.Program(case, pytorch.OPS)
        room = {"torch": torch}
        exec(program.source(), room)
        checks.append((room["f"], [torch.tensor(float.fromhex(x[0] if isinstance(x, list) else x), dtype=torch.float64, requires_grad=True) for x in case["points"][0]]))
    for _ in sys.stdin:
        begun = time.process_time()
        passed = sum(torch.autograd.gradcheck(f, xs, raise_exception=False) for f, xs in checks)
        print(json.dumps([time.process_time() - begun, len(checks), passed]), flush=True)


def throughput(o, ops, arguments):
    """{set: programs per second of processor time}"""
    r = subprocess.run([os.path.join(o.build, "benchmarks", "throughput"), "--ops", str(ops)] + arguments, check=True, stdout=subprocess.PIPE, text=True)
    found = {line.split()[0]: float(re.search(r"(\d+) per second of the processor", line)[1]) for line in r.stdout.splitlines()}
    assert list(found) == SETS, r.stdout
    return found


def programs(o, ops, folder):
    """The files with the programs of each set."""
    path = os.path.join(folder, f"{ops}.json")
    subprocess.run([os.path.join(o.build, "benchmarks", "throughput"), "--ops", str(ops), f"proc:{sys.executable} {os.path.abspath(__file__)} --record {path}.$$"], check=False,
                   stdout=subprocess.DEVNULL)
    return sorted((os.path.join(folder, f) for f in os.listdir(folder) if f.startswith(f"{ops}.json.")), key=os.path.getmtime)


def start(path, most):
    return subprocess.Popen([sys.executable, os.path.abspath(__file__), "--gradcheck", path, str(most)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(server):
    print("", file=server.stdin, flush=True)
    seconds, n, passed = json.loads(server.stdout.readline())
    return n / seconds, n, passed


def table(rates):
    """rates[row][column]: programs per second, one a round."""
    columns = [f"{ops} ops, {'arithmetic' if s == SETS[0] else 'uniform'}" for ops in OPS for s in SETS]
    lines = ["| programs per second of processor time | " + " | ".join(columns) + " |", "|---|" + "---:|" * len(columns)]
    for (name, arguments), row in zip(ROWS, rates):
        cells = []
        for column, first in zip(row, rates[0]):
            ratio = statistics.median(a / b for a, b in zip(column, first))
            cells.append(f"{statistics.median(column):,.0f}" + (f" ({ratio:.1f})" if arguments is not None else ""))
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", default=os.path.join(HERE, "..", "build"))
    p.add_argument("--rounds", type=int, default=7)
    p.add_argument("--programs", type=int, default=100)
    p.add_argument("--readme")
    o = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        servers = []
        for ops in OPS:
            files = programs(o, ops, folder)
            assert len(files) == len(SETS), files
            servers += [start(f, o.programs) for f in files]
        rates = [[[] for _ in servers] for _ in ROWS]
        for _ in range(o.rounds):
            for k, server in enumerate(servers):
                rate, n, passed = ask(server)
                rates[0][k].append(rate)
                print(f"gradcheck: {passed} of {n} programs pass", file=sys.stderr)
            for r, (_, arguments) in list(enumerate(ROWS))[1:]:
                for k, ops in enumerate(OPS):
                    for j, rate in enumerate(throughput(o, ops, arguments).values()):
                        rates[r][len(SETS) * k + j].append(rate)
        for server in servers:
            server.stdin.close()
            server.wait()
    text = table(rates)
    print(text)
    if o.readme:
        with open(o.readme) as f:
            before, _, after = f.read().split(MARK)
        with open(o.readme, "w") as f:
            f.write(f"{before}{MARK}\n\n{text}\n\n{MARK}{after}")


if __name__ == "__main__":
    if "--record" in sys.argv:
        record(sys.argv[2])
    elif "--gradcheck" in sys.argv:
        gradcheck_server(sys.argv[2], int(sys.argv[3]))
    else:
        main()
