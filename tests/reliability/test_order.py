"""What is said about a case does not depend on the cases before it.  Usage: test_order.py ADJUDGE FOLDER [CASES]

The cases of corpus/, and CASES cases that campaigns keep (default 100), are judged in one process in two orders, and
each in a process of its own.  Without CASES, every eighth case of corpus/ is taken.  All that is printed about a case
must be the same.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

adjudge, folder = sys.argv[1], pathlib.Path(sys.argv[2])
full = len(sys.argv) > 3
kept = int(sys.argv[3]) if full else 100
ENGINES = ["tape", "functional", "compiled", "parallel", "implicit", "tape+scale:mul:1.5"]
LONGEST = 20000  # cases of a campaign: one keeps some 1,700 of them
AT_ONCE = 200  # cases of one process, as arguments


def judge(paths):
    """What is said about each case, in their order."""
    out = []
    for k in range(0, len(paths), AT_ONCE):
        command = [adjudge, "run", "--json", *[x for e in ENGINES for x in ("--engine", e)], *map(str, paths[k:k + AT_ONCE])]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 1, 5):
            sys.exit(f"exit {done.returncode}: {done.stderr[-500:]}")
        out += said(done.stdout)
    return out


def said(text):
    """The documents in the text, as canonical text."""
    decoder, at, out = json.JSONDecoder(), 0, []
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        document, at = decoder.raw_decode(text, at)
        out.append(document)
    return [json.dumps(x, sort_keys=True) for d in out for x in (d["cases"] if "cases" in d else [d])]


def keep(base):
    """The first `kept` of the cases that campaigns with other seeds keep."""
    out, seed = [], 5
    while len(out) < kept:
        campaign = base / str(seed)
        subprocess.run([adjudge, "fuzz", "--quiet", "--driver", "plain", "--engine", "tape", "--seed", str(seed), "--cases", str(min(20 * kept, LONGEST)), "--out", campaign],
                       stdout=subprocess.DEVNULL, check=True)
        out += sorted((campaign / "corpus").glob("*.json"))
        seed += 1
    return out[:kept]


def main():
    with tempfile.TemporaryDirectory() as name:
        paths = sorted(folder.glob("corpus/*/*.json"))[:: 1 if full else 8] + keep(pathlib.Path(name))
        shuffled = random.Random(1).sample(paths, len(paths))
        first = dict(zip(paths, judge(paths)))
        second = dict(zip(shuffled, judge(shuffled)))
        alone = {p: one for p in paths for one in judge([p])}
    bad = [p for p in paths if not first[p] == second[p] == alone[p]]
    for p in bad[:5]:
        print(f"{p}:\n  {first[p][:400]}\n  {second[p][:400]}\n  {alone[p][:400]}")
    decided = sum('"verdict": "agree"' in first[p] or '"verdict": "wrong"' in first[p] for p in paths)
    print(f"{len(paths)} cases in two orders and alone, {decided} of them with a number that is right or wrong: {len(bad)} differ")
    return 1 if bad or decided < len(paths) / 2 else 0


if __name__ == "__main__":
    sys.exit(main())
