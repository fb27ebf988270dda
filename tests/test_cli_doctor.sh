#!/bin/sh
# adjudge doctor: what works is ok, what is missing is absent, what is broken ends with 4.  $1: adjudge; $2: the source directory.
. "$2/tests/cli.sh"

# ---- all is well ----
check 0 doctor --out "$work/not/there/yet" --engine "proc:exec $adjudge worker --engine tape"
for item in adjudge mpfr gmp cjson 'address space' arithmetic --out adapters 'standard error' 'a worker process' --engine git; do
	says out "$item"
done
for engine in $("$adjudge" engines | cut -d' ' -f1); do
	checks=$((checks + 1))
	grep -Eq "^  ok +$engine +.*right about x \* x" "$work/out" || { failures=$((failures + 1)); echo "$engine is not ok" >&2; }
done
says out 'to have it: scripts/engines hips=DIR'
says out ' 0 broken'

# ---- JSON says the same ----
check 0 doctor --json
checks=$((checks + 1))
python3 - "$work/out" <<'END' || { failures=$((failures + 1)); echo "the JSON of doctor is wrong" >&2; }
import collections, json, sys

said = json.load(open(sys.argv[1]))
states = collections.Counter(c["state"] for c in said["checks"])
assert said["schema"] == "adjudge.doctor/1"
assert all(said[s] == states[s] for s in ("ok", "absent", "broken")), (said["ok"], states)
assert all(c["fix"] for c in said["checks"] if c["state"] != "ok")
assert {"build", "machine", "files", "terminal", "engines", "programs", "released", "frameworks"} == {c["check"] for c in said["checks"]}
END

# A library that sets another rounding mode, for the end.
if command -v cc >/dev/null; then
	cat >"$work/rounding.c" <<'END'
#include <fenv.h>

__attribute__((constructor)) static void set(void) { fesetround(FE_UPWARD); }
END
	cc -shared -fPIC -o "$work/rounding.so" "$work/rounding.c" -lm
fi

# ---- something is missing ----
mkdir "$work/bin"
for program in sh cat grep head rm; do
	ln -s "$(command -v $program)" "$work/bin/$program"
done
PATH=$work/bin
ADJUDGE_ADAPTERS=$work/bin
check 0 doctor
says out 'absent  python3'
says out 'absent  adapters'
says out 'absent  scripts/engines'
says out 'to have it: apt-get install nodejs'

# ---- something is broken ----
check 4 doctor --engine 'proc:exit 3'
says out 'broken  --engine'
check 4 doctor --engine "right=proc:exec $adjudge worker --engine tape" --engine 'wrong=proc:exit 3'
says out 'ok      right              tape: right'
says out 'broken  wrong              wrong: the engine ended as it started: exit code 3'
check 4 doctor --engine "died=proc:'$adjudge' worker --engine tape </dev/null; read -r line; echo out of paper >&2; exit 3"
says out ': crash for x * x: exit code 3: out of paper'
check 4 doctor --engine tape+scale:mul:2
says out 'wrong for x * x'
check 2 doctor --engine no-such-engine
check 4 doctor --out /proc/nowhere
says out 'broken  --out'
if ! grep -q __asan_init "$adjudge"; then # a sanitizer reserves more address space than that itself
	(ulimit -v 900000 && "$adjudge" doctor >"$work/out" 2>"$work/err")
	got=$?
	checks=$((checks + 1))
	[ $got = 4 ] || { failures=$((failures + 1)); echo "doctor with little address space ends with $got" >&2; }
	says out 'fix: ulimit -v unlimited'
fi
ADJUDGE_WORKER=$work/nothing "$adjudge" doctor >"$work/out" 2>"$work/err"
got=$?
checks=$((checks + 1))
[ $got = 4 ] || { failures=$((failures + 1)); echo "doctor with a wrong ADJUDGE_WORKER ends with $got" >&2; }
says out 'broken  a worker process'

if [ -e "$work/rounding.so" ]; then
	LD_PRELOAD=$work/rounding.so "$adjudge" doctor >"$work/out" 2>"$work/err"
	got=$?
	checks=$((checks + 1))
	[ $got = 4 ] || { failures=$((failures + 1)); echo "doctor with another rounding mode ends with $got" >&2; }
	says out 'rounding is not to nearest'
fi
finish
