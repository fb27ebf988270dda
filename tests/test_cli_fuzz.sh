#!/bin/sh
# The commands fuzz, conform and audit, as test_cli.sh does the others.
. "$2/tests/cli.sh"

# ---- fuzz ----
drivers="plain generate"
"$adjudge" fuzz --out "$work/probe" --cases 1 --driver libfuzzer --quiet >/dev/null 2>&1
[ $? = 2 ] || drivers="libfuzzer $drivers"
for driver in $drivers; do
	for run in 1 2; do
		check 1 fuzz --engine tape+scale:mul:1.5 --engine functional --seed 11 --cases 150 --driver "$driver" --out "$work/$driver$run" --quiet
		sed '/"cases_per_second"/,$d' "$work/$driver$run/summary.json" >"$work/$driver$run.summary"
	done
	same "$work/${driver}1.summary" "$work/${driver}2.summary"
	checks=$((checks + 1))
	diff -r "$work/${driver}1/findings" "$work/${driver}2/findings" >&2 || failures=$((failures + 1))
	for report in "$work/${driver}1"/findings/*.json; do
		check 1 run "$report"
	done
done
check 0 fuzz --engine tape --engine functional --engine forward --seed 3 --cases 60 --driver plain --corpus "$doc" --out "$work/right" --json --quiet
says out '"cases": 60'
says out '"asked": '
check 1 fuzz --engine tape+scale:mul:1.5 --time 30 --max-findings 1 --driver plain --out "$work/first" --quiet
# Engines behind the protocol: our own workers speak it.
there="proc:exec '$adjudge' worker --engine"
check 0 run --engine "$there tape" "$loop"
check 1 run --engine "$there tape+scale:mul:1.5" "$loop"
says out 'proc:'
# A hang or crash that does not come again is counted, and so is a request that a hello excludes.
cat >"$work/once" <<END
if [ ! -e "$work/once.died" ]; then
	: >"$work/once.died"
	"$adjudge" worker --engine tape </dev/null
	read -r line
	kill -SEGV \$\$
fi
exec "$adjudge" worker --engine tape
END
check 1 gate "$loop" --engine "proc:exec sh '$work/once'" --json
says out '"restarts": 1, "crashes": 1'
check 0 gate "$doc" --engine "$there tape | sed -u '1s/{/{\"requests\":[[\"vjp\"]],/'" --json
says out '"not_asked": '
# An engine about which nothing is decided fails the run, however well the others do.
for request in '"ops":["mull"]' '"requests":[["jvp"]]'; do
	mute="$there tape | sed -u '1s/{/{$request,/'"
	check 5 gate "$loop" --engine tape --engine "$mute"
	says out 'decided nothing, mostly because: '
	check 5 run "$loop" --engine tape --engine "$mute"
	says err 'nothing was decided about proc:'
done
check 5 fuzz --engine tape --engine "$there tape | sed -u '1s/{/{\"ops\":[\"mull\"],/'" --cases 20 --driver plain --out "$work/mute" --quiet
says out 'decided nothing, mostly because: '
check 0 gate "$doc" --engine tape --min-decided 90
check 5 gate "$doc" --engine tape --min-decided 100
check 5 fuzz --engine tape --cases 50 --driver generate --min-decided 100 --out "$work/min" --quiet
check 2 fuzz --engine tape --cases 50 --min-decided 101 --out "$work/min" --quiet
# A campaign that a signal stops early says so, unless it has a finding.
stops() { # CODE SIGNAL ENGINE
	checks=$((checks + 1))
	rm -rf "$work/stopped"
	timeout --foreground --preserve-status -s "$2" 2 "$adjudge" fuzz --engine "$3" --cases 100000000 --driver plain --out "$work/stopped" --quiet >"$work/out" 2>"$work/err"
	got=$?
	[ $got = "$1" ] || { failures=$((failures + 1)); echo "exit $got after SIG$2, expected $1" >&2; }
	says stopped/summary.json "\"stopped\": \"SIG$2\""
}
stops 129 HUP tape
stops 130 INT tape
stops 143 TERM tape
says out 'stopped by SIGTERM'
stops 1 TERM "$fault"
# A NaN that an engine says it makes of zeros is no lead.
prod=$source/corpus/zoo/prod-div-zero.json
check 1 run --no-oracle --cross-strict --engine "$there tape+prod-div-zero" --against aot "$prod"
says out differs
check 0 run --no-oracle --cross-strict --engine "$there tape+prod-div-zero | sed -u '1s/.$/,\"weak_zero\":true}/'" --against aot "$prod"
says out edge
# What is subnormal is 0: a finding, unless the engine says that it flushes that dtype.
cat >"$work/subnormal.json" <<-'END'
	{"schema": "adjudge.case/1", "inputs": ["x: f16[]"], "body": [{"out": ["y"], "op": "mul", "args": ["x", "x"]}], "results": ["y"],
	 "points": [["0x1.8p-9"]], "request": [{"transform": "vjp", "wrt": [0], "cotangents": [1]}]}
END
check 1 run --engine "$there tape:flushing=1" "$work/subnormal.json"
says out wrong-primal
check 0 run --engine "$there tape:flushing=1 | sed -u '1s/.$/,\"flushes\":[\"f16\"]}/'" "$work/subnormal.json"
check 1 run --engine "$there tape:flushing=1 | sed -u '1s/.$/,\"flushes\":[\"f32\",\"f64\",\"bf16\"]}/'" "$work/subnormal.json"
check 4 run --engine "proc:echo what is wrong >&2; exit 3" "$loop"
says err 'exit code 3: what is wrong'
check 4 run --engine so:engine.so "$loop"
says err 'so:./engine.so'
check 0 conform --engine "$there tape" --cases 1 --quiet
says out scatter_mul
check 1 conform --engine "$there tape+scale:sin:1.5" --cases 1 --quiet --out "$work/conform" --format json
says out '"worst": "wrong"'
check 1 run --engine tape+scale:sin:1.5 "$work"/conform/sin-vjp-f64-*.json
check 1 conform --engine tape+scale:sin:1.5 --op sin --dtype f32 --cases 1 --quiet --out "$work/conform-f32"
# a finding in one dtype is shown in it
cat "$work"/conform-f32/sin-*.json | grep -o 'f[0-9]*\[' | sort -u >"$work/dtypes"
echo 'f32[' >"$work/asked"
same "$work/dtypes" "$work/asked"
for format in markdown html; do
	check 0 conform --engine forward --cases 1 --quiet --format $format
	says out scatter_mul
done
check 2 conform --engine forward --format pdf
check 0 conform --engine forward --op sin --dtype f32 --quiet
says out 'sin'
check 2 conform --engine forward --op sine
check 2 conform --engine forward --dtype f8
check 2 conform
# What a hello declares: weak zeros excuse a dead branch's NaN and nothing else; inaccurate functions what they may have lost and nothing else.
cat >"$work/dead.json" <<'EOF'
{"schema": "adjudge.case/1", "inputs": ["x: f64[]"], "body": [{"out": ["o: f64[]"], "op": "constant", "value": 0}, {"out": ["p"], "op": "gt", "args": ["x", "o"]},
 {"out": ["s"], "op": "sqrt", "args": ["x"]}, {"out": ["y"], "op": "select", "args": ["p", "s", "o"]}],
 "results": ["y"], "points": [[-1]], "request": [{"transform": "vjp", "wrt": [0], "cotangents": [1]}]}
EOF
cat >"$work/sine.json" <<'EOF'
{"schema": "adjudge.case/1", "inputs": ["x: f64[]"], "body": [{"out": ["y"], "op": "sin", "args": ["x"]}],
 "results": ["y"], "points": [[0.75]], "request": [{"transform": "vjp", "wrt": [0], "cotangents": [1]}]}
EOF
check 0 run "$work/sine.json" # the default engine forward is not asked about a vjp
check 5 run "$work/sine.json" --engine tape --engine forward
declares() {
	echo "proc:'$adjudge' worker --engine $1 | sed -u '1s/{/{$2,/'"
}
check 1 run --engine "$there tape+weak-zero" "$work/dead.json"
says out nan-leak
check 0 run --engine "$(declares tape+weak-zero '"weak_zero":true')" "$work/dead.json"
says out convention
cat >"$work/atan.json" <<'EOF'
{"schema": "adjudge.case/1", "inputs": ["x: f64[]"], "body": [{"out": ["d: f64[]"], "op": "derivative", "args": ["x", "x"], "primals": 1, "transform": "jvp",
 "regions": [{"params": ["y: f64[]"], "body": [{"out": ["z"], "op": "atan", "args": ["y"]}], "results": ["z"]}]}],
 "results": ["d"], "points": [[0]], "request": [{"transform": "vjp", "wrt": [0], "cotangents": [1]}]}
EOF
check 1 run --engine "$(declares tape+weak-zero '"unroll":true')" "$work/atan.json" # a select in the derivative of atan that is written for it
says out nan-leak
check 0 run --engine "$(declares tape+weak-zero '"weak_zero":true,"unroll":true')" "$work/atan.json"
says out convention
check 1 run --engine "$(declares tape+scale:sin:1.000000000001 '"weak_zero":true')" "$work/sine.json"
cat >"$work/infinite.json" <<'EOF'
{"schema": "adjudge.case/1", "inputs": ["x: f64[]", "z: f64[]"], "body": [{"out": ["y"], "op": "sin", "args": ["x"]}, {"out": ["m"], "op": "neg", "args": ["z"]}],
 "results": ["y"], "points": [[0.75, "inf"]], "request": [{"transform": "vjp", "wrt": [0], "cotangents": [1]}]}
EOF
sed 's/"points": \[/&[0.5, 1], /' "$work/infinite.json" >"$work/finite.json"
check 1 run --engine "$(declares tape+scale:sin:1.5 '"unroll":true')" "$work/infinite.json"
check 0 run --engine "$(declares tape+scale:sin:1.5 '"finite_math":true')" "$work/infinite.json" # of fast math
says out convention
check 1 run --engine "$(declares tape+scale:sin:1.5 '"finite_math":true')" "$work/finite.json" # but not at the other point
check 0 run --engine "$(declares tape+scale:sin:1.000000000001 '"finite_math":true,"accuracy":100000')" "$work/finite.json" # what it declares holds there too
varies() { # as declares, and the first answer differs from those that follow
	printf '%s\n' "proc:'$adjudge' worker --engine $1 | sed -u '1s/{/{$2,/;2s/\\(derivative.*0x1\\.\\)[0-9a-f]/\\13/'"
}
check 1 run --engine "$(varies tape+scale:sin:1.5 '"unroll":true')" "$work/sine.json"
says out ' nondeterministic -'
check 1 run --engine "$(varies tape+scale:sin:1.5 '"nondeterministic":true')" "$work/sine.json"
says out ' wrong  '
check 1 run --engine "$(declares tape+scale:sin:1.000000000001 '"accuracy":{"cos":100000}')" "$work/sine.json"
check 1 run --engine "$(declares tape+scale:sin:1.000000000001 '"accuracy":100')" "$work/sine.json"
check 0 run --engine "$(declares tape+scale:sin:1.000000000001 '"accuracy":{"sin":100000}')" "$work/sine.json"
says out inaccurate
check 1 fuzz --engine "$there functional+residual-fifo" --cases 60 --driver plain --out "$work/none" --quiet
check 0 emit --formats
says out torch
check 0 emit --format torch "$loop"
says out 'import torch'
check 0 emit --format c "$loop"
says out '#include <math.h>'
check 0 emit --format jax "$loop"
says out 'import jax'
check 2 emit --format basic "$loop"
check 2 emit --format torch
check 3 emit --format torch /dev/null

# A worker that greets and dies at its first case, and whose successors are real: what it showed does not come again.
cat >"$work/worker" <<END
#!/bin/sh
if [ ! -e "$work/died" ]; then
	: >"$work/died"
	env -u ADJUDGE_WORKER_PARENT "$adjudge" "\$@" </dev/null | head -n 1
	read -r line
	kill -SEGV \$\$
fi
exec "$adjudge" "\$@"
END
chmod +x "$work/worker"
export ADJUDGE_WORKER="$work/worker"
check 6 fuzz --engine forward+packed-atan2-oob --cases 5 --driver plain --out "$work/flaky" --quiet
says out 'did not come again'
export ADJUDGE_WORKER=/no/such/worker
check 4 run "$doc/mlx-atan2-jvp-traced-constant.json"
unset ADJUDGE_WORKER
checks=$((checks + 1))
(ulimit -f 1 && "$adjudge" fuzz --engine "$fault" --cases 400 --driver plain --out "$work/limited" --quiet >/dev/null 2>&1)
[ $? = 4 ] || { failures=$((failures + 1)); echo "a file that may not grow is not exit 4" >&2; }
: >"$work/file"
check 4 fuzz --engine tape --cases 5 --driver plain --out "$work/file/below" --quiet

# Escape sequences go to a terminal, unless NO_COLOR or TERM says that it takes none.
# shown SETTING...: what `conform` writes to a terminal in that environment.
shown()
{
	env -u NO_COLOR "$@" python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$adjudge" conform --engine tape --op sin --dtype f32 --cases 1 </dev/null >"$work/out"
}
# A container may have no terminal to give.
if python3 -c 'import os; os.openpty()' 2>/dev/null; then
	shown TERM=xterm NO_COLOR=
	says out "$(printf '\033[K')"
	for setting in "TERM=xterm NO_COLOR=1" TERM=dumb TERM= "-u TERM"; do
		# shellcheck disable=SC2086 # settings
		shown $setting
		says out sin
		checks=$((checks + 1))
		! grep -q "$(printf '\033')" "$work/out" || { failures=$((failures + 1)); echo "an escape sequence: $setting" >&2; }
	done
fi

# A finding that cannot be written is printed whole.
check 1 fuzz --engine "$fault" --cases 400 --max-findings 1 --driver plain --out "$work/unwritten" --quiet
report=$(echo "$work"/unwritten/findings/*.json)
mv "$report" "$work/unwritten.json"
mkdir "$report"
check 4 fuzz --engine "$fault" --cases 400 --max-findings 1 --driver plain --out "$work/unwritten" --quiet
says err "adjudge: cannot replace $report: not a regular file"
sed -n '/^{/,/^}/p' "$work/err" >"$work/printed.json"
same "$work/printed.json" "$work/unwritten.json"

# One campaign writes into a directory; what a killed one left over is swept, and nothing else.
busy=$work/busy
"$adjudge" fuzz --engine tape --time 60 --driver plain --out "$busy" --quiet >/dev/null &
first=$!
while kill -0 $first && [ ! -d "$busy/findings" ]; do sleep 0.1; done
check 4 fuzz --engine tape --cases 5 --driver plain --out "$busy" --quiet
says err "adjudge: $busy is in use by another campaign"
kill -KILL $first
wait $first 2>/dev/null
left="$busy/.tmp.$first.0 $busy/findings/.tmp.$first.63"
kept="$busy/.tmp.$$.0 $busy/.tmp.note $busy/findings/.tmp.$first.0.json"
touch $left $kept
check 0 fuzz --engine tape --cases 5 --driver plain --out "$busy" --quiet
checks=$((checks + 5))
for file in $left; do
	[ ! -e "$file" ] || { failures=$((failures + 1)); echo "not swept: $file" >&2; }
done
for file in $kept; do
	[ -e "$file" ] || { failures=$((failures + 1)); echo "swept: $file" >&2; }
done

# ---- audit ----
check 2 audit --section no-such-section
says err "no section 'no-such-section'"
check 2 audit --draws 0
check 2 audit --fault no-such-fault
says err 'adjudge audit --faults'
check 3 audit --profile "$work/none.json"
check 5 audit --planted --only "no such text"
check 0 audit --faults
says out 'partial-swapped:div'
check 0 audit --faults --json
says out '"fault": "path-lost"'
check 0 audit --section oracles --cases 60 --quiet
says out 'oracles: holds'
check 0 audit --section closed-forms --section oracles --draws 1 --cases 30 --json --quiet
says out '"schema": "adjudge.audit/1"'
grep -v '"timing"' "$work/out" >"$work/audit"
check 0 audit --section closed-forms --section oracles --draws 1 --cases 30 --json --quiet
grep -v '"timing"' "$work/out" >"$work/again"
same "$work/audit" "$work/again"
check 1 audit --section closed-forms --only power-for --fault partial-scaled:mul --out "$work/broken" --quiet
says out 'BROKEN'
check 1 audit --section closed-forms --only power-for --fault partial-scaled:mul --json --quiet
says out '"fault": "partial-scaled:mul"'
for kept in "$work"/broken/*.json; do
	check 0 run "$kept" --engine tape
done
check 0 audit --planted --only path-lost --draws 1 --quiet
says out '1 of 1 faults are caught'
check 5 audit --section closed-forms --only "no such text" --quiet

finish
