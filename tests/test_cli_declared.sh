#!/bin/sh
# What an engine declares in its hello, and what that excuses in run, conform and fuzz.
. "$2/tests/cli.sh"
there="proc:exec '$adjudge' worker --engine"

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
flushing="$there tape | sed -u 's/\"0x1.2p-17\"/\"0x0p+0\"/;1s/.$/"
check 1 run --engine "$flushing}/'" "$work/subnormal.json"
says out wrong-primal
check 0 run --engine tape:flushing=1 "$work/subnormal.json"
check 0 run --engine "$flushing,\"flushes\":[\"f16\"]}/'" "$work/subnormal.json"
check 1 run --engine "$flushing,\"flushes\":[\"f32\",\"f64\",\"bf16\"]}/'" "$work/subnormal.json"
check 4 run --engine "proc:echo what is wrong >&2; exit 3" "$loop"
says err 'exit code 3: what is wrong'
check 4 run --engine so:engine.so "$loop"
says err 'so:./engine.so'
check 0 conform --engine "$there tape" --cases 1 --quiet
says out scatter_mul
check 1 conform --engine "$there tape+scale:sin:1.5" --cases 1 --quiet --out "$work/conform" --format json
says out '"worst": "wrong"'
# other cells point to the finding of the op that is to blame
says err 'cond-vjp-f64-inside: the same finding as sin-vjp-'
check 1 run --engine tape+scale:sin:1.5 "$work"/conform/sin-vjp-*.json
check 1 conform --engine tape+scale:sin:1.5 --op sin --dtype f32 --cases 1 --quiet
says out 'sin-vjp-f32-edge: wrong in 1 of 1 cases: expected '
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
# Why nothing was decided, and how much was.
check 5 conform --engine "sines=$there tape | sed -u '1s/{/{\"ops\":[\"sin\"],/'" --op tan --quiet
says out 'FAIL sines: nothing was decided: its hello lacks op tan'
check 5 conform --engine tape --op floor --dtype i64 --quiet
says out 'FAIL tape: nothing was decided: it takes none of these ops, dtypes and requests'
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
weak=$(declares tape+weak-zero '"weak_zero":true')
check 0 run --engine "$weak" "$work/dead.json"
says out convention
says out 'a NaN of weak zeros, which it declares'
check 1 run --strict --engine "$weak" "$work/dead.json"
says out nan-leak
check 0 gate "$work/dead.json" --engine "$weak"
check 1 gate "$work/dead.json" --engine "$weak" --strict
check 0 minimize "$work/dead.json" --engine "wz=$weak" --out "$work/leak.json"
says err 'wz|*|nan-leak|declared: '
check 0 report "$work/leak.json" --engine "wz=$weak"
says out 'wz'
# Two spellings of sin, of which one is wrong: found, minimized with its variant, and named by the report.
spelled() {
	echo "sp=proc:exec python3 '$source/tests/spelled_engine.py' $*"
}
check 0 fuzz --engine "$(spelled 1 1)" --driver generate --seed 1 --cases 40 --out "$work/spelled-right"
check 1 fuzz --engine "$(spelled 1 1.5)" --driver generate --seed 1 --cases 40 --out "$work/spelled"
says out 'sp|jvp|sin|sin as sine / of ?[2J<b>another</b> name: 1 case,'
saysnot out 'sin:'
found=$(echo "$work"/spelled/findings/*.json)
check 0 show "$found"
says out 'variant 13' # the smallest that draws the second spelling of sin, and the first of the request
check 0 report "$found"
says out 'Engine: sp (spelled), sin as sine | of ?[2J<b>another</b> name'
check 0 report "$found" --format html
says out 'another'
saysnot out '<b>another'
check 1 run "$found" --engine "$(spelled 1 1.5)"
check 0 run "$found" --engine "$(spelled 1.5 1)"
# If the first spelling is wrong too, the case is minimized to it.
check 0 minimize "$found" --engine "$(spelled 1.5 1.5)" --out "$work/first.json"
check 0 show "$work/first.json"
saysnot out 'variant'
# So does a sweep, which asks for the root in a dead branch first, and for the logarithm and the reciprocal too.
check 0 conform --engine "$weak" --op select --dtype f32 --cases 1 --quiet
says out 'nan-leak by weak zeros, which the engine declares: 3 cases, the first in select-vjp-f32-edge; smallest case of 3 nodes:'
says out 'sqrt v0'
# An engine without that root shows the next one.
rootless=$(declares tape+weak-zero '"weak_zero":true,"ops":["select","gt","log","div"]')
check 0 conform --engine "$rootless" --op select --dtype f32 --cases 1 --quiet
says out 'nan-leak by weak zeros, which the engine declares: 2 cases'
says out 'log v0'
# A dead branch is shown also where another program leaked first.
check 0 conform --engine "$weak" --op log --op select --dtype f64 --seed 3 --cases 12 --quiet
says out 'the first in log-vjp-f64-edge; smallest case of 3 nodes:'
says out 'sqrt v0'
check 1 conform --engine "$weak" --op select --dtype f32 --cases 1 --quiet --strict
check 1 conform --engine tape+weak-zero --op select --dtype f32 --cases 1 --quiet
says out 'nan-leak by weak zeros: 3 cases'
check 0 conform --engine tape --op select --dtype f32 --cases 1 --quiet --format json
grep nan_leak_by_weak_zeros "$work/out" >"$work/none-of-it"
same "$work/none-of-it" /dev/null
check 0 conform --engine "$weak" --op select --dtype f32 --cases 1 --quiet --format json --out "$work/leaks"
says out '"nan_leak_by_weak_zeros"'
says out '"declared": true'
check 0 report "$work/leaks/nan-leak.json" --engine "$weak"
# A campaign reports one entry, with a report of its own, and does not fail.
check 0 fuzz --engine "wz=$weak" --driver generate --seed 1 --cases 130 --out "$work/weak" --quiet
says out '0 distinct findings'
says out 'wz: nan-leak by weak zeros, which it declares: 1 case, the first is case 116, minimal case of 2 ops'
check 1 run --strict "$work"/weak/findings/*.json --engine "wz=$weak"
check 1 fuzz --engine "wz=$weak" --driver generate --seed 1 --cases 130 --strict --out "$work/weak-strict" --quiet
says out '1 distinct finding,'
# Another bug of the same engine is not taken for it.
check 1 fuzz --engine "wz=$(declares tape+weak-zero+scale:sin:1.5 '"weak_zero":true')" --driver generate --seed 1 --cases 130 --out "$work/weak-sine" --quiet
says out '1 distinct finding,'
says out 'wz|vjp|sin'
says out 'wz: nan-leak by weak zeros, which it declares'
# Nor is a NaN that no infinity explains: a product that is divided by a factor of 0.
mkdir "$work/twice"
cp "$prod" "$work/twice/prod.json"
check 1 fuzz --engine "wz=$(declares tape+prod-div-zero '"weak_zero":true')" --corpus "$work/twice" --driver generate --cases 1 --out "$work/weak-twice" --quiet
says out 'wz|vjp|reduce_prod: 1 case'
# The derivatives of atan that are written for an engine have no branch that is infinite where it is not taken.
cat >"$work/atan.json" <<'EOF'
{"schema": "adjudge.case/1", "inputs": ["x: f64[]"], "body": [{"out": ["d: f64[]"], "op": "derivative", "args": ["x", "x"], "primals": 1, "transform": "jvp",
 "regions": [{"params": ["y: f64[]"], "body": [{"out": ["z"], "op": "atan", "args": ["y"]}], "results": ["z"]}]}],
 "results": ["d"], "points": [[0]], "request": [{"transform": "vjp", "wrt": [0], "cotangents": [1]}]}
EOF
check 0 run --engine "$(declares tape+weak-zero '"unroll":true')" "$work/atan.json"
says out agree
check 1 run --engine "$(declares tape+scale:sin:1.000000000001 '"weak_zero":true')" "$work/sine.json"
cat >"$work/power.json" <<'EOF'
{"schema": "adjudge.case/1", "inputs": ["x: f64[]", "n: f64[]"], "body": [{"out": ["y"], "op": "pow", "args": ["x", "n"]}],
 "results": ["y"], "points": [[-2, 3]], "request": [{"transform": "jvp", "wrt": [0, 1], "tangents": [1, 0]}]}
EOF
check 1 run --engine "$(declares forward+fdiff-weak-zero '"weak_zero":true')" "$work/power.json" # log -2 is no infinity
says out nan-leak
cat >"$work/infinite.json" <<'EOF'
{"schema": "adjudge.case/1", "inputs": ["x: f64[]", "z: f64[]"], "body": [{"out": ["y"], "op": "sin", "args": ["x"]}, {"out": ["m"], "op": "neg", "args": ["z"]}],
 "results": ["y"], "points": [[0.75, "inf"]], "request": [{"transform": "vjp", "wrt": [0], "cotangents": [1]}]}
EOF
sed 's/"points": \[/&[0.5, 1], /' "$work/infinite.json" >"$work/finite.json"
check 1 run --engine "$(declares tape+scale:sin:1.5 '"unroll":true')" "$work/infinite.json"
check 0 run --engine "$(declares tape+scale:sin:1.5 '"finite_math":true')" "$work/infinite.json" # of fast math
says out convention
check 1 run --strict --engine "$(declares tape+scale:sin:1.5 '"finite_math":true')" "$work/infinite.json"
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
sed 's/"vjp"/"jvp"/; s/cotangents/tangents/' "$source/tests/cli_square.json" >"$work/jvp.json"
check 5 emit --format torch "$work/jvp.json"
says err 'torch.reverse: no request jvp, only primal or vjp'
says err '; other formats of PyTorch: torch-forward, torch-func, '
# With constants and without bool there is no select.
check 5 conform --engine "floats=$there tape | sed -u '1s/{/{\"constants\":true,\"dtypes\":[\"f64\"],/'" --op select --cases 6 --quiet
says out '; for select, "dtypes" must have bool'
check 2 emit --format torch
check 3 emit --format torch /dev/null

# ---- gate with a list of known defects ----
mkdir "$work/real"
for op in sin cos exp; do
	printf '{"schema": "adjudge.case/1", "inputs": ["x: f64[]"], "body": [{"out": ["y"], "op": "%s", "args": ["x"]}], "results": ["y"], "points": [[0.5]], "request": [{"transform": "vjp", "wrt": [0], "cotangents": [1]}]}' \
		$op >"$work/real/$op.json"
done
cat >"$work/real/engines.jsonl" <<'END'
{"name": "Scale", "formats": {"tape+scale:sin:1.5": "", "tape": ""}}
END
cat >"$work/real/defects.jsonl" <<'END'
{"engines": [{"name": "Scale", "faulty": ["1", "2"]}], "program": "sine", "cases": [{"file": "sin.json"}]}
{"engines": [{"name": "Other", "faulty": ["1"]}, {"name": "Scale", "faulty": ["1"]}], "program": "cosine", "cases": [{"file": "cos.json"}]}
{"engines": [{"name": "Scale", "faulty": ["1"]}], "program": "nowhere", "cases": [{"file": "cos.json"}, {"file": "tan.json"}]}
{"engines": [{"name": "Scale", "faulty": ["1"], "modes": ["tape"]}], "program": "in one mode", "cases": [{"file": "exp.json"}]}
{"engines": [{"name": "Scale", "faulty": ["1"]}], "program": "beside infinity", "cases": [{"file": "infinite.json"}]}
END
cp "$work/infinite.json" "$work/real"
check 1 gate "$work/real" --engine "mine=proc:exec $adjudge worker --engine tape+scale:sin:1.5"
says out 'mine: still there: sine (sin.json), known of 1, 2'
says out 'mine: right here: cosine (cos.json), known of 1'
says out 'mine: still there: beside infinity'
says out 'mine: not decided here: nowhere (cos.json, tan.json), known of 1'
saysnot out 'in one mode'
finite="mine=$(declares tape+scale:sin:1.5 '"finite_math":true')"
check 1 gate "$work/real" --engine "$finite"
says out 'mine: a convention here: beside infinity'
check 1 gate "$work/real" --strict --engine "$finite"
says out 'mine: still there: beside infinity'
check 0 gate "$work/real" --engine "mine=proc:exec $adjudge worker --engine tape" --json
says out '"state": "right here", "program": "sine"'
says out '"program": "in one mode"'
check 0 gate "$work/real" --engine tape
saysnot out cosine
# An absent engine has no defect, and none is fixed in it: neither one that never starts, nor one that starts once.
check 4 gate "$work/real" --engine "mine=proc:exec false"
saysnot out 'here:'
saysnot out 'still there'
check 1 gate "$work/real" --engine "mine=proc:mkdir '$work/started' && exec $adjudge worker --engine tape+scale:sin:1.5"
says err 'mine: the engine ended as it started'
says err 'it is absent, and its defects were not compared'
saysnot out 'here:'
saysnot out 'still there'
echo '{' >>"$work/real/defects.jsonl"
check 0 gate "$work/real" --engine "mine=proc:exec $adjudge worker --engine tape"
says err defects.jsonl

finish
