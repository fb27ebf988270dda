"""The corpus of a campaign has a limit, and progress says what a process holds of it.  Usage: test_corpus.py ADJUDGE DRIVER"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

CASES, BYTES = 4096, 32 << 20  # fuzz/campaign/books/corpus_room.h
adjudge, driver = sys.argv[1:3]
failures = []


def check(ok, message):
    if not ok:
        failures.append(message)


def fuzz(*arguments):
    """The last event of progress, and the process that wrote it."""
    process = subprocess.Popen([adjudge, "fuzz", "--progress", "json", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    text = process.communicate()[1]
    if process.returncode:
        sys.exit(f"exit {process.returncode}: {text[-500:]}")
    return json.loads(text.splitlines()[-1]), process.pid


def files(folder):
    return {p.name: p.stat().st_size for p in folder.iterdir()}


def main():
    with tempfile.TemporaryDirectory() as base:
        out = pathlib.Path(base) / "out"
        corpus = out / "corpus"
        end, pid = fuzz("--engine", "forward", "--driver", driver, "--seed", "3", "--cases", "60", "--out", str(out))
        kept = files(corpus)
        held = end["processes"][0]["corpus_bytes"]
        check([p["pid"] for p in end["processes"]] == [pid], f"processes: {end['processes']}")
        check(0 < end["corpus"] == len(kept), f"{end['corpus']} cases are said, {len(kept)} are kept")
        check(held >= sum(kept.values()), f"{held} bytes are held of {sum(kept.values())}")
        if driver == "plain":  # it holds what it keeps, and nothing else
            check(held == sum(kept.values()), f"{held} bytes are held, {sum(kept.values())} are kept")

        # A campaign in a folder with a comma in its name goes on from the same cases: libFuzzer takes a list with commas.
        go_on = []
        for name in ("plain", "a, b"):
            copy = pathlib.Path(base) / name
            shutil.copytree(out, copy)
            (copy / "campaign.json").write_text(json.dumps(json.loads((copy / "campaign.json").read_text()) | {"cases": 90}))
            go_on.append(fuzz("--resume", str(copy))[0]["processes"][0]["corpus_bytes"])
        check(go_on[0] == go_on[1] > held, f"{go_on} bytes are held with and without a comma in the name, {held} before")

        # More than a campaign keeps: the next run reads no more than the limit, and adds nothing.
        smallest = min(corpus.iterdir(), key=lambda p: p.stat().st_size)
        for k in range(CASES):
            os.link(smallest, corpus / f"{k:016x}.json")
        before = files(corpus)
        setup = json.loads((out / "campaign.json").read_text())
        (out / "campaign.json").write_text(json.dumps(setup | {"cases": 120}))
        end, _ = fuzz("--resume", str(out))
        check(end["corpus"] == CASES, f"{end['corpus']} cases are said, with {len(before)} in the folder")
        check(files(corpus) == before, f"{len(before)} cases became {len(files(corpus))}")
        check(end["processes"][0]["corpus_bytes"] <= 2 * BYTES, f"{end['processes']} hold more than two lists may")
    print("\n".join(failures) or "the corpus is within its limit")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
