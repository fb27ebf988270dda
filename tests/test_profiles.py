#!/usr/bin/env python3
"""test_profiles.py SOURCE: docs/profiles.md has all members in which the frozen profiles differ, with their values."""
import json
import os
import re
import sys


def read(*path):
    with open(os.path.join(sys.argv[1], *path), encoding="utf-8") as f:
        return f.read()


default = {m[1]: int(m[2]) for m in re.finditer(r"^PROFILE\((\w+), (\d+),", read("fuzz/generate/profile.def"), re.M)}
profiles = [default] + [{**default, **json.loads(read("benchmarks", name + ".json"))} for name in ("frozen-4", "frozen-3", "frozen-2", "frozen")]
want = {name: [p[name] for p in profiles] for name in default if len({p[name] for p in profiles}) > 1}
text = re.search(r"members: begin -->(.*)<!-- members: end", read("docs/profiles.md"), re.S)[1]
got = {m[1]: [int(x) for x in m[2].split("|")] for m in re.finditer(r"^\| `(\w+)` \|(.*)\|$", text, re.M)}
wrong = [f"{name}: {got.get(name)}, not {want.get(name)}" for name in {**want, **got} if got.get(name) != want.get(name)]
print(*wrong, f"{len(want)} members, {len(wrong)} failures", sep="\n")
sys.exit(1 if wrong or not want else 0)
