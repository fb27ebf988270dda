#!/bin/sh
# The command line: exit codes, messages, and that the same seed gives the same bytes.  $1: adjudge; $2: the source directory.
. "$2/tests/cli.sh"

# ---- inaccurate ----
check 0 run --engine tape+scale:tanh:0x1.00000000001p0 "$source/corpus/accuracy/tanh-formula.json"
says out 'instead of 1 - y^2'
check 5 run --json --engine tape+scale:asinh:0 "$source/corpus/accuracy/asinh-range.json"
says out '"accuracy": {"cause": "range", "ulps": 8388608'

# ---- a file never starts an engine ----
evil=$work/evil.json
sed 's/"results"/"expect": [{"engine": "proc:touch '"$(printf %s "$work" | sed 's,/,\\/,g')"'\/executed; exit 0", "verdict": "agree"}, {"engine": "so:\/nowhere.so", "verdict": "agree"}], "results"/' \
	"$source/tests/cli_square.json" >"$evil"
check 0 run "$evil"
says err 'is not checked: a file never starts an engine'
check 0 gate "$evil"
says out "not checked $evil: proc:touch"
says out 'not checked: 2 expectations'
check 0 gate --json --engine tape "$evil"
says out '"not_checked"'
check 0 minimize --report --engine "$fault" --out "$work/evil-report.json" "$loop"
sed -i "s,\"$fault\",\"proc:touch $work/executed\"," "$work/evil-report.json"
for command in run minimize "report --again"; do
	# shellcheck disable=SC2086 # a command and its option
	check 5 $command "$work/evil-report.json"
	says err 'a file never starts an engine; if you trust it, type'
done
# It is shown from its own evidence.
check 0 report "$work/evil-report.json"
says err 'a file never starts an engine; if you trust it, type'
says out "Engine: proc:touch $work/executed"
checks=$((checks + 1))
[ ! -e "$work/executed" ] || { failures=$((failures + 1)); echo "a case file executed a command" >&2; }

# ---- usage ----
check 2
says err 'Usage: adjudge'
check 2 no-such-command
check 0 --help
says out 'Exit status'
check 0 --version
for command in run gate fuzz minimize report conform emit show doctor engines ops faults audit worker; do
	check 0 $command --help
	says out "Usage: adjudge $command"
	check 2 $command --no-such-option
	says err "--help"
done
check 0 help fuzz
says out 'Usage: adjudge fuzz'
check 2 rum
says err "did you mean 'run'"
check 2 run --jsno "$loop"
says err 'did you mean --json'
check 2 run --json=1 "$loop"
says err 'takes no value'
check 2 run -j "$loop"
check 2 run
check 2 gate
check 2 minimize "$loop"
says err '--engine'
check 2 run "$loop" --engine no-such-engine
check 2 gate "$loop" --engine tape+no-such-fault
check 2 minimize "$loop" --engine no-such-engine
check 2 conform --engine tape --engine aot --op mul
says err "bad value 'aot' for --engine, which needs one value and no second one"
check 2 minimize "$loop" --engine tape --engine aot
check 2 minimize "$loop" --engine "$fault" --right-on tape --right-on aot
check 2 run "$loop" --against tape --against aot
check 0 conform --engine tape --engine tape --op mul --dtype f64 --cases 1 --quiet
check 2 fuzz --cases 10
check 2 fuzz --out "$work/never"
check 2 fuzz --out "$work/never" --cases many
check 2 fuzz --out "$work/never" --time 10x
check 2 fuzz --out "$work/never" --cases 1 --driver none
check 2 fuzz --out "$work/never" --cases 1 --engine no-such-engine
check 2 fuzz --out "$work/never" --cases 1 --seed 12345678901234567890123
says err '64 bits'
check 2 worker
check 0 engines --json
says out '"name": "tape"'
check 0 ops
says out scatter_add
check 0 faults
says out "$fault"
check 0 faults --only fifo
says out "$fault"
saysnot out scale
check 5 faults --only 'no such text'
says err 'faults: there are no faults with no such text'
check 5 faults --mutants --only 'no such text'
check 0 faults --score functional --only fifo --cases 500 --quiet
says out '1 of 1 faults found'
check 0 faults --score functional --only residual-fifo --cases 500 --quiet --found "$work/found"
check 1 run "$work/found/functional+residual-fifo.json" --engine functional+residual-fifo
check 4 faults --score functional --only residual-fifo --cases 500 --quiet --found /dev/null/found
check 0 faults --mutants --score tape --only 'mul: the sign' --cases 2 --json --quiet
says out '"schema": "adjudge.score/1"'
check 0 faults --sensitivity tape --only exp --cases 60 --json --quiet
says out '"schema": "adjudge.sensitivity/1"'
says out '"op": "expm1"'
check 2 faults --sensitivity no-such-engine
check 2 faults --sensitivity tape --score tape
check 2 faults --sensitivity tape --cases 1000001
check 5 faults --sensitivity tape --only "no such op" --quiet
check 2 faults --score no-such-engine
check 5 faults --mutants --score aot --only "no such text" --quiet
check 3 faults --score tape --profile "$work/none.json"

# ---- run and show ----
check 0 show "$loop"
says out mul
check 0 run "$loop" --engine functional --engine tape
check 0 run "$source/corpus/zoo/reactant-ckpt-index.json" --engine checkpointed:snapshots=1
says out ' 190 iterations run again'
check 1 run "$loop" --engine "$fault"
says out 1.3125
check 1 run "$loop"
check 1 run "$loop" --engine "$fault" --json
says out '"returned": 1.3125'
says out '"expected": 0.75'
check 1 run "$loop" --engine "$fault" --signature "$fault|vjp|wrong|finite"
check 0 run "$loop" --engine "$fault" --signature "$fault|vjp|wrong|zero"
for signature in foo '' 'tape|vjp|wrong' 'tape|vpj|wrong|zero' 'tape|vjp|wrong|zeros'; do
	check 2 run "$loop" --engine tape --signature "$signature"
	says err "--signature is engine|request|verdict|deviation, as member signature of a report, not '$signature'"
done
check 5 run "$loop" --engine forward

# A type that is not the expected one is said wherever the finding is.
shaped=$source/tests/cli_square.json
for row in 'f64[2]","data":[1,2] bad-shape' 'f32[]","data":[1] bad-dtype'; do
	typed="s=proc:exec '$adjudge' worker --engine tape | sed -u 's/\"derivative\":.*/\"derivative\":[{\"type\":\"${row% *}}]}]]}/'"
	what="gives ${row%%\"*} for the cotangent of input 0, which is f64[]"
	check 1 run "$shaped" --engine "$typed"
	says out "  $what"
	check 1 run "$shaped" --engine "$typed" --json
	says out "\"text\": \"$what\""
	for format in text json github; do
		check 1 gate "$shaped" --engine "$typed" --format $format
		says out "${row#* } $what"
	done
	check 1 conform --engine "$typed" --op mul --dtype f64 --cases 1 --quiet
	says out " for the cotangent of input 0, which is f64["
done

# a case that is undecided alone, and whose twin shows the fault
mkdir -p "$work/jumps"
cat > "$work/jumps/jump.json" <<'CASE'
{"schema": "adjudge.case/1", "inputs": ["x: f64[]"], "body": [{"out": ["z: f64[]"], "op": "constant", "value": 0}, {"out": ["p"], "op": "eq", "args": ["x", "z"]}, {"out": ["s"], "op": "mul", "args": ["x", "x"]}, {"out": ["f"], "op": "exp", "args": ["x"]}, {"out": ["y"], "op": "select", "args": ["p", "f", "s"]}], "results": ["y"], "points": [[0.0]], "request": [{"transform": "vjp", "wrt": [0], "cotangents": [1]}]}
CASE
check 5 run "$work/jumps/jump.json" --engine tape+scale:mul:1.5
check 1 run "$work/jumps/jump.json" --engine tape+scale:mul:1.5 --twins
check 1 run "$work/jumps/jump.json" --engine tape+scale:mul:1.5 --twins --json
check 5 gate "$work/jumps" --engine tape+scale:mul:1.5
check 1 gate "$work/jumps" --engine tape+scale:mul:1.5 --twins
check 5 gate "$work/jumps" --engine tape --twins
checks=$((checks + 1))
"$adjudge" run - --engine tape <"$loop" >/dev/null || { failures=$((failures + 1)); echo "standard input is no case" >&2; }


# What cannot be written is a failure of ours; a reader that went away gets no complaint.
checks=$((checks + 3))
"$adjudge" ops >/dev/full 2>/dev/null
[ $? = 4 ] || { failures=$((failures + 1)); echo "a full standard output is not exit 4" >&2; }
"$adjudge" ops 2>"$work/err" >&-
[ $? = 4 ] || { failures=$((failures + 1)); echo "a closed standard output is not exit 4" >&2; }
{ "$adjudge" ops --json 2>"$work/err"; } | :
[ ! -s "$work/err" ] || { failures=$((failures + 1)); echo "a reader that went away: $(cat "$work/err")" >&2; }

# ---- bad case files ----
sed 's/"op": "mul"/"op": "sinn"/' "$loop" >"$work/sinn.json"
check 3 run "$work/sinn.json"
says err "adjudge: $work/sinn.json: "
says err 'unknown op "sinn"'
check 3 show "$work/sinn.json"
check 3 gate "$work/sinn.json"
check 3 minimize "$work/sinn.json" --engine tape
check 3 run "$work/absent.json"
check 3 gate "$work/absent.json"
: >"$work/empty.json"
check 3 run "$work/empty.json"
printf '{"schema":' >"$work/cut.json"
check 3 gate "$work/cut.json"
check 3 fuzz --out "$work/never" --cases 1 --profile "$work/cut.json"
check 3 fuzz --out "$work/never" --cases 1 --corpus "$work/absent"
says err absent
check 3 run ''
check 3 run "$work"
says err 'is a directory'
mkfifo "$work/fifo"
check 3 run "$work/fifo"
check 3 gate "$work/absent.json"
says err "$work/absent.json: No such file"

# An expectation of what there is not; text for the terminal is disarmed.
sed 's/"functional+residual-fifo"/"functional+resi\\u001b[31mdual"/' "$loop" >"$work/engine.json"
for command in run gate; do
	check 3 $command "$work/engine.json"
	says err "adjudge: $work/engine.json: expect[2].engine: "
	checks=$((checks + 1))
	! grep -q "$(printf '\033')" "$work/err" || { failures=$((failures + 1)); echo "an escape sequence reached the terminal" >&2; }
done
sed 's/"agree"/"agreed"/' "$loop" >"$work/verdict.json"
check 3 run "$work/verdict.json"
says err "did you mean 'agree'"
sed 's/"agree"/"good"/' "$loop" >"$work/verdict.json"
for command in run gate show; do
	check 3 $command "$work/verdict.json"
	says err "expect[1].verdict: no verdict 'good'"
	saysnot err 'did you mean'
done
says err "adjudge: $work/verdict.json: expect[1].verdict: "
# Without an engine it is about the truth, which is decided or not; what is not met is said, and fails the gate alone.
square=$source/tests/cli_square.json
sed 's/"results"/"expect": [{"verdict": "wrong"}], "results"/' "$square" >"$work/truth.json"
for command in run gate show; do
	check 3 $command "$work/truth.json"
	says err "truth.json: expect[0].verdict: without an engine it is about the truth, which is 'agree' or 'undecided', not 'wrong'"
done
sed 's/"results"/"expect": [{"returned": ["7"]}, {"engine": "tape", "verdict": "wrong"}, {"engine": "*", "verdict": "agree"}], "results"/' "$square" >"$work/seven.json"
check 0 run "$work/seven.json" --engine tape
says err 'seven.json: expect[0] is not met: truth: expected 7, got '
says err 'seven.json: expect[1] is not met: tape: expected verdict wrong, got agree'
saysnot err 'expect[2]'
check 1 gate "$work/seven.json" --engine tape
# The place of an error is in every format for CI.
sed 's/"wrt": \[0\]/"wrt": [0, 0]/' "$square" >"$work/again-wrt.json"
for format in text json github gitlab tap jsonl; do
	check 3 gate "$work/again-wrt.json" --format $format
	says out 'request[0].wrt: 2 inputs, but there are 1'
done
check 3 gate "$work/verdict.json"
says out "FAIL $work/verdict.json: expect[1].verdict: no verdict 'good'"
# The whole path, though it is long.
long=$work/$(printf '%0120d' 0)/$(printf '%0120d' 0)
mkdir -p "$long"
cp "$work/sinn.json" "$long"
check 3 run "$long/sinn.json"
says err "adjudge: $long/sinn.json: body[3]"

# ---- report ----
check 2 report "$loop"
check 2 report "$loop" --engine "$fault" --format paper
check 2 report "$work/characterized.json" --experiments nothing
says err "report: no experiment 'nothing'"
check 2 report "$loop" --engine "$fault" --experiments point
says err "did you mean 'points'?"
check 3 report "$work/sinn.json" --engine tape
check 5 report "$loop" --engine tape
check 0 report "$loop" --engine "$fault" --experiments points,bodies --format json --out "$work/characterized.json"
check 0 report "$loop" --engine "$fault" --experiments points,bodies --format json --out "$work/again.json"
same "$work/characterized.json" "$work/again.json"
check 0 report "$work/characterized.json"
says out '333333.7'
check 1 run "$work/characterized.json"
check 0 report "$loop" --engine "$fault" --experiments engines
says out 'tape                     vjp'
# In x exp(x), exp is the node whose rule is wrong, though mul is the one that reads what exp saved.
check 0 report "$source/corpus/real/tfjs-second-derivative-of-exp.json" --engine tape+saved-const-higher --experiments cuts
says out 'exp is the first node whose operands get a wrong derivative; the nodes after it'
saysnot out 'mul is the first node'
# An engine that answers by chance is asked again, here and for every variant that passes; one that fails everywhere has that for its condition.
check 0 report "$source/corpus/zoo/enzyme-threads-race.json" --engine tape+enzyme-threads-race --experiments neighbours --format json
says out 'It fails where a differentiated value is broadcast'
check 0 report "$source/corpus/zoo/wrong-shape.json" --engine tape+wrong-shape --experiments neighbours
says out 'It fails in every variant with the same request, there or at a nearby point.'

# Where two answers differ, the first one is no truth.
cat >"$work/differs" <<'END'
echo '{"adjudge.engine": 1, "name": "differs", "requests": [["vjp"]], "dtypes": ["f64"], "ops": ["mul"], "rank": 0}'
n=1
while read -r line; do
	n=$((n + 1))
	id=${line#*\"id\":}
	echo "{\"id\": ${id%%[!0-9]*}, \"answers\": [[{\"status\": \"ok\", \"primal\": [{\"type\": \"f64[]\", \"data\": [0.25]}], \"derivative\": [{\"type\": \"f64[]\", \"data\": [$n]}]}]]}"
done
END
check 1 run "$source/tests/cli_square.json" --engine "proc:sh '$work/differs'"
says out ' nondeterministic '
says out ' first: '
check 1 run "$source/tests/cli_square.json" --engine "proc:sh '$work/differs'" --json
says out '"expected": null'
says out '"first": '
check 1 gate "$source/tests/cli_square.json" --engine "proc:sh '$work/differs'"
says out 'nondeterministic: first '

# ---- text of others starts no line, and has no escape sequence ----
# unarmed: neither in the output of the last command nor in its messages.
unarmed()
{
	checks=$((checks + 1))
	if grep -nE "^[[:space:]]*(::|injected)|##\[|$(printf '\033')" "$work/out" "$work/err" >&2; then
		failures=$((failures + 1))
		echo "text that a terminal or GitHub obeys" >&2
	fi
}
armed='::error::\\n::error::\\ninjected \\u001b[31m ##[error] \\u00a0::error::'
sed 's/"inputs"/"title": "'"$armed"'", "source": "'"$armed"'", "comment": "'"$armed"'", "inputs"/' "$source/tests/cli_square.json" >"$work/::armed.json"
for command in show run "run --cross" "run --json" gate "gate --json" "gate --engine tape+scale:mul:1.5"; do
	checks=$((checks + 1))
	# shellcheck disable=SC2086 # a command and its options
	(program=$(realpath "$adjudge") && cd "$work" && "$program" $command ::armed.json >"$work/out" 2>"$work/err")
	[ $? -le 1 ] || { failures=$((failures + 1)); echo "$command ::armed.json: $(cat "$work/err")" >&2; }
	unarmed
done
check 1 run --engine "proc:'$adjudge' worker --engine tape+scale:mul:1.5 # $(printf '\n::error::\n\033')" "$source/tests/cli_square.json"
unarmed
check 1 fuzz --engine "proc:'$adjudge' worker --engine tape+scale:mul:1.5 # $(printf '\n::error::\n\033')" --cases 20 --driver plain --out "$work/$(printf 'a\n::error::')" --quiet
unarmed
sed 's/"summary": "/&'"$armed"' /; s/"title": "[a-z]/"title": "'"$armed"'/; /"program": \[/{n; s/"/&'"$armed"'/; }; s/"cells": \["/&'"$armed"'/' \
	"$work/characterized.json" >"$work/armed-report.json"
for format in text markdown; do
	check 0 report "$work/armed-report.json" --format $format
	unarmed
done

# ---- minimize ----
check 0 minimize "$loop" --engine "$fault" --out "$work/small.json"
check 1 run "$work/small.json" --engine "$fault"
checks=$((checks + 1))
[ "$(grep -c '"op"' "$work/small.json")" -le 2 ] || { failures=$((failures + 1)); echo "more than a loop and its body" >&2; cat "$work/small.json"; }
check 0 minimize "$loop" --engine "$fault" --report --out "$work/report.json"
check 1 run "$work/report.json"
says out "$fault"
check 0 minimize "$work/report.json"
check 0 minimize "$work/report.json" --simplest
# Other findings on the way are kept, each a case that shows one.
check 0 minimize "$work/found/functional+residual-fifo.json" --engine "$fault" --out "$work/slipped.json" --slips "$work/slips"
says err 'slipped to functional+residual-fifo|vjp|wrong|'
check 1 run "$work/slips/slip-1.json" --engine "$fault"
check 4 minimize "$work/found/functional+residual-fifo.json" --engine "$fault" --slips /dev/null/slips
# Without time the case stays as it is.
check 0 minimize "$loop" --engine "$fault" --time 0.000001s
says err ' 0 of '
# What differs from run to run shows again, if not always at once.
check 1 fuzz --driver generate --seed 5 --cases 20 --engine tape+enzyme-threads-race --out "$work/race" --quiet
for report in "$work"/race/findings/*.json; do
	check 1 run "$report"
done
check 0 run "$work/report.json" --engine functional
checks=$((checks + 1))
"$adjudge" run - --signature "$fault|vjp|wrong|finite" <"$work/report.json" >/dev/null
[ $? = 1 ] || { failures=$((failures + 1)); echo "a report from standard input: its engine was not judged" >&2; }
check 3 run "$work/absent.json" "$work/report.json"
sed 's/"engine": "functional/"engine": "no-such:/' "$work/report.json" >"$work/other.json"
check 3 run "$work/other.json"
says err "$work/other.json: engine: no engine 'no-such"
check 3 minimize "$work/other.json"
check 5 minimize "$loop" --engine tape
# Before the search, not after it: nothing is asked.
for command in "minimize $loop" "report $loop"; do
	for file in "$work/no/such/directory.json" /dev/null/x "$work"; do
		# shellcheck disable=SC2086 # a command and its operand
		check 4 $command --engine "$fault" --out "$file"
		says err "adjudge: cannot write $file: "
		saysnot err 'candidates'
	done
done

# ---- --out: what is no regular file is not replaced ----
check 0 minimize "$loop" --engine "$fault"
cp "$work/out" "$work/plain.json"
# Devices of our own: a build that replaces them must not harm the machine.
ln -s /proc/self/fd/1 "$work/stdout"
check 0 minimize "$loop" --engine "$fault" --out "$work/stdout"
same "$work/out" "$work/plain.json"
ln -s /dev/null "$work/nowhere"
mknod "$work/device" c 1 3 2>/dev/null || ln -s /dev/null "$work/device" # only root makes devices
[ -L "$work/device" ] && device=-L || device=-c
for file in nowhere device; do
	check 0 minimize "$loop" --engine "$fault" --out "$work/$file"
done
timeout 30 cat "$work/fifo" >"$work/through" &
check 0 minimize "$loop" --engine "$fault" --out "$work/fifo"
wait
same "$work/through" "$work/plain.json"
: >"$work/behind.json"
ln -s behind.json "$work/link.json"
check 0 minimize "$loop" --engine "$fault" --out "$work/link.json"
same "$work/behind.json" "$work/plain.json"
checks=$((checks + 5))
for kind in "$device $work/device" "-L $work/stdout" "-L $work/nowhere" "-p $work/fifo" "-L $work/link.json"; do
	# shellcheck disable=SC2086 # an operator and its operand
	[ $kind ] || { failures=$((failures + 1)); echo "--out replaced it: test $kind" >&2; }
done
mkdir "$work/directory"
check 4 minimize "$loop" --engine "$fault" --out "$work/directory"
says err 'Is a directory'
check 2 minimize "$loop" --engine "$fault" --out ''
says err "bad value '' for --out, which needs a name"
check 2 minimize "$loop" --engine "$fault" --slips ''
check 2 report "$loop" --engine "$fault" --out ''
check 2 fuzz --engine tape --out '' --cases many # it never starts: it would write into the root folder
says err "bad value '' for --out"
check 2 conform --engine tape --out ''
check 2 audit --out ''
check 2 faults --score tape --found ''

# A finding that another engine has to be right about: what both get wrong is none, and nothing is left in which they do.
both=functional+residual-fifo+scale:mul:1.5
check 5 minimize "$loop" --engine "$fault" --right-on "$both"
says err "$both is not right about it either"
check 2 minimize "$loop" --engine "$fault" --right-on no-such-engine
check 0 minimize "$loop" --engine "$both" --right-on functional --out "$work/any.json"
check 0 minimize "$loop" --engine "$both" --right-on functional+scale:sin:1.5 --out "$work/right.json"
same "$work/any.json" "$work/right.json"
check 2 fuzz --engine "$fault" --right-on no-such-engine --cases 1 --out "$work/none-right"
check 0 fuzz --driver generate --engine "$fault" --right-on "$fault" --cases 60 --out "$work/none-right" --quiet --json
says out '"right_on": "functional+residual-fifo"'
says out '"reference": '

# ---- gate ----
mkdir "$work/cases" "$work/none"
check 5 gate "$work/none"
cp "$loop" "$work/cases"
check 0 gate "$work/cases"
check 0 gate "$work/cases" --strict
check 0 gate "$work/cases" --json
says out '"failures": []'
ln -s . "$work/cases/circle"
check 0 gate "$work/cases"
says out '1 case, '
check 3 run "$work/cases" --engine tape
says err "is a directory; 'adjudge gate' judges all cases below one"
saysnot err 'nothing was decided'
rm "$work/cases/circle"
cp "$work/small.json" "$work/cases"
check 0 gate "$work/cases"
check 1 gate "$work/cases" --engine "$fault"
says out "FAIL $work/cases/small.json"
sed 's/"agree"/"wrong"/' "$loop" >"$work/unmet.json"
check 1 gate "$work/unmet.json"
says out FAIL

# baseline DATE SIGNATURE
baseline()
{
	printf '{"schema": "adjudge.baseline/1", "known": [{"signature": "%s", "link": "https://example.org/1", "reason": "test", "expires": "%s"}]}\n' \
	    "$2" "$1" >"$work/known.json"
}
baseline 2999-12-31 "$fault|vjp|wrong|finite"
check 0 gate "$work/small.json" --engine "$fault" --baseline "$work/known.json"
says out known
baseline 2001-01-01 "$fault|vjp|wrong|finite"
check 1 gate "$work/small.json" --engine "$fault" --baseline "$work/known.json"
says out expired
baseline 2999-12-31 "tape|vjp|wrong|zero"
check 1 gate "$work/small.json" --engine tape --baseline "$work/known.json"
says out 'no longer fails; remove this line from the baseline: {"signature": "tape|vjp|wrong|zero"'
check 0 gate "$work/small.json" --engine tape --baseline "$work/known.json" --allow-fixed
says out 'warning '
# An engine that was not asked has fixed nothing.
check 0 gate "$work/small.json" --engine functional --baseline "$work/known.json"
says out 'not checked '
says out 'not checked: 1 known finding'
saysnot out 'expectation'
sed 's/"link"/"case": "elsewhere.json", "link"/' "$work/known.json" >"$work/elsewhere.json"
check 1 gate "$work/small.json" --engine tape --baseline "$work/elsewhere.json"
says out 'not here: elsewhere.json'
for date in soon 2026-13-45 2026-02-30 2026-00-01 2026-01-00 2100-02-29; do
	baseline $date "$fault|vjp|wrong|finite"
	check 3 gate "$work/small.json" --baseline "$work/known.json"
	says err 'known[0].expires: not a date'
done
baseline 2096-02-29 "$fault|vjp|wrong|finite"
check 0 gate "$work/small.json" --engine "$fault" --baseline "$work/known.json"
sed 's/\[\({.*}\)\]/[\1, \1]/' "$work/known.json" >"$work/twice.json"
check 3 gate "$work/small.json" --engine "$fault" --baseline "$work/twice.json"
says err 'known[1].signature: the same finding as known[0]'
baseline 2999-12-31 '*'
check 3 gate "$work/small.json" --baseline "$work/known.json"
says err 'known[0].signature: '
check 3 gate "$work/small.json" --baseline "$work/absent.json"

# ---- checks without an oracle ----
check 0 run --cross --engine aot --against tape "$loop"
says out 'transpose     same'
check 1 run --cross --engine "$fault" "$loop"
says out 'unrolled      differs'
check 0 run --no-oracle --engine "$fault" "$loop"
says out 'unrolled      differs'
check 1 run --no-oracle --cross-strict --engine "$fault" "$loop"
check 0 run --no-oracle --cross-strict --engine functional --json "$loop"
check 1 run --cross-strict --engine functional --against "$fault" --json "$loop"
says out '"signature": "functional|cross|engine|finite"'
check 5 run --no-oracle --engine forward "$loop"
check 2 run --engine tape --against no-such-engine "$loop"
check 2 fuzz --engine tape --against no-such-engine --cases 1 --out "$work/none"
for run in 1 2; do
	check 0 fuzz --no-oracle --engine "$fault" --against forward --seed 2 --cases 40 --driver generate --profile "$frozen" --out "$work/cross$run" --quiet
	sed '/"cases_per_second"/,$d' "$work/cross$run/summary.json" >"$work/cross$run.summary"
done
same "$work/cross1.summary" "$work/cross2.summary"
checks=$((checks + 1))
diff -r "$work/cross1/leads" "$work/cross2/leads" >&2 || failures=$((failures + 1))
for lead in "$work/cross1/leads"/*.json; do
	check 1 run --no-oracle --cross-strict --engine "$fault" --against forward "$lead"
	says out differs
done
check 1 fuzz --no-oracle --cross-strict --engine "$fault" --seed 2 --cases 10 --driver generate --profile "$frozen" --out "$work/cross3" --quiet
check 0 fuzz --cross --engine aot --engine functional --seed 2 --cases 100 --driver plain --out "$work/cross4" --quiet --json
says out '"distinct_leads": 0'

finish
