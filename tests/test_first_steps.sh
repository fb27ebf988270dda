#!/bin/sh
# What a new user meets first.  $1: adjudge
adjudge=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
checks=0

fail()
{
	failures=$((failures + 1))
	echo "$*" >&2
}

# check CODE ARGUMENT...: the exit code; output is left in $work/out and $work/err.
check()
{
	want=$1
	shift
	checks=$((checks + 1))
	"$adjudge" "$@" >"$work/out" 2>"$work/err" </dev/null
	got=$?
	[ "$got" = "$want" ] || fail "exit $got, expected $want: adjudge $*: $(head -n 5 "$work/err")"
}

# says FILE TEXT: the last output holds the fixed text.
says()
{
	checks=$((checks + 1))
	grep -qF -- "$2" "$work/$1" || fail "not in $1 of the last command: $2: $(head -n 5 "$work/$1")"
}

# ---- a case written by hand ----
sine()
{
	echo '{"schema": "adjudge.case/1", "inputs": ["x: '"$1"'[]"], "body": [{"out": ["y"], "op": "sin", "args": ["x"]}], "results": ["y"],
	 "points": [['"$2"']], "request": [{"transform": "vjp", "wrt": [0], "cotangents": ['"$3"']}]}' >"$work/sine.json"
}
sine f64 0.1 0.1
check 0 run "$work/sine.json"
says out agree
sine f16 0.1 -0.3
check 0 run "$work/sine.json"
check 0 show "$work/sine.json"
says out 'v0 = 0.0999755859375'
sine f16 65520 1
check 3 run "$work/sine.json"
says err 'points[0][0]: "65520" is too large for f16; an infinity is written "inf"'
sine f32 1 1e39
check 3 run "$work/sine.json"
says err 'request[0].cotangents[0]: "1e39" is too large for f32'

# ---- names that are misspelled ----
# nearest GIVEN NAME
nearest()
{
	check 2 "$1"
	says err "did you mean '$2'?"
}
nearest rnu run
nearest urn run
nearest rum run
nearest gaet gate
nearest repotr report
nearest minimise minimize
check 2 ab
checks=$((checks + 1))
! grep -q 'did you mean' "$work/err" || fail "ab is like nothing"

# ---- times ----
loop='{"schema": "adjudge.case/1", "inputs": ["x: f64[]"], "body": [{"out": ["y"], "op": "sin", "args": ["x"]}], "results": ["y"], "points": [[1]],
 "request": [{"transform": "vjp", "wrt": [0], "cotangents": [1]}]}'
echo "$loop" >"$work/sine.json"
for time in 0 0s 0.0m; do
	check 0 report "$work/sine.json" --engine tape+scale:sin:1.5 --time $time --experiments seeds
done
check 2 report "$work/sine.json" --engine tape+scale:sin:1.5 --time -1
says err 'or 0 for no limit'
check 2 fuzz --time 0 --out "$work/none"
says err 'a positive time'

# ---- versions ----
check 0 --version
version=$(head -n 1 "$work/out")
for name in adjudge mpfr cjson libc compiler; do
	says out "$name "
done
# reported PATTERN SPEC...: the finding of that engine says its version, in every format.
reported()
{
	pattern=$1
	shift
	check 0 minimize "$work/sine.json" "$@" --report --out "$work/report.json"
	for format in json text markdown html; do
		check 0 report "$work/report.json" "$@" --again --experiments runs --format $format
		says out "$pattern"
	done
	check 1 fuzz "$@" --driver generate --cases 30 --max-findings 1 --quiet --out "$work/campaign"
	for file in "$work/campaign/summary.json" "$work"/campaign/findings/*.json; do
		checks=$((checks + 1))
		grep -qF "\"engine_version\": \"$pattern\"" "$file" || fail "$file does not say $pattern"
	done
	rm -r "$work/campaign"
}
reported "$version" --engine tape+scale:sin:1.5+scale:mul:2
there="proc:'$adjudge' worker --engine tape+scale:sin:1.5+scale:mul:2 | sed -u '1s/\"name\":\"[^\"]*\"/\"name\":\"that engine\",\"version\":\"2.5\"/'"
reported 'that engine 2.5' --engine "$there"

echo "$checks checks, $failures failed"
[ "$failures" = 0 ]
