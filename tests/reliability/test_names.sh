#!/bin/sh
# Names of engines: --engine NAME=SPEC and --engines FILE.  $1: adjudge; $2: the source directory.
. "$2/tests/cli.sh"

# One wrong engine from outside, at two places: a name must hide where it is.
adjudge=$(realpath "$adjudge")
ln -s "$adjudge" "$work/here"
ln -s "$adjudge" "$work/there"
at_here="proc:'$work/here' worker --engine $fault"
at_there="proc:'$work/there' worker --engine $fault"
fails=$doc/nx-while-acc-mul-x-n3.json
names=$work/names.json

write_names() { printf '{"schema": "adjudge.engines/1", "engines": [%s]}\n' "$1" >"$names"; }
one() { printf '{"name": "%s", "spec": "%s"}' "$1" "$2"; }

# ---- what is written about an engine at two places ----
for place in here there; do
	spec=$(eval printf %s "\"\$at_$place\"")
	check 1 fuzz --engine "mine=$spec" --driver generate --cases 60 --seed 3 --out "$work/$place-campaign" --quiet --json
	says out '"engine": "mine"'
	grep -v 'per_second\|"seconds"\|engine_spec' "$work/$place-campaign/summary.json" | sed '/"timing"/,$d' >"$work/$place-summary"
	(cd "$work/$place-campaign/findings" && for f in *; do echo "$f"; grep -v '"engine_spec"' "$f"; done) >"$work/$place-findings"
	check 1 gate "$fails" --engine "mine=$spec" --json
	cp "$work/out" "$work/$place-gate"
	check 1 run "$fails" --engine "mine=$spec" --signature 'mine|vjp|wrong|finite'
	check 0 minimize "$fails" --engine "mine=$spec" --report --out "$work/$place.json"
	check 1 conform --engine "mine=$spec" --op while --quiet
	says out 'mine ('
done
for file in summary findings gate; do
	same "$work/here-$file" "$work/there-$file"
done
for place in here there; do
	grep -v engine_spec "$work/$place.json" >"$work/$place-report"
done
same "$work/here-report" "$work/there-report"
cat >"$work/known.json" <<END
{"schema": "adjudge.baseline/1", "known": [{"signature": "mine|vjp|wrong|finite", "link": "l", "reason": "r", "expires": "9999-12-31"}]}
END
check 0 gate "$fails" --engine "mine=$at_there" --baseline "$work/known.json"
says out 'known '

# ---- a report of a named engine ----
report=$work/here.json
for command in run minimize "report --again"; do
	# shellcheck disable=SC2086 # a command and its option
	check 5 $command "$report"
	says err "is about the engine 'mine', which is not built in, and a file never starts an engine; if you trust it, type: adjudge ${command%% *} $report --engine 'mine=proc:"
done
for format in text json markdown html dot; do
	check 0 report "$report" --format "$format"
	check 0 report "$report" --engine "mine=$at_there" --format "$format" --experiments points --out "$work/shown.json"
done
check 0 report "$report" --engine "mine=$at_there" --format json --experiments points --out "$work/full.json"
for format in text json markdown html dot; do
	check 0 report "$work/full.json" --format "$format"
done
check 5 report --again "$work/full.json"
check 1 run "$report" --engine "mine=$at_there"
check 0 minimize "$report" --engine "mine=$at_there"
# What is typed is what the message says.
check 5 run "$report"
typed=$(sed 's/.*type: adjudge //' "$work/err")
checks=$((checks + 1))
eval "\"$adjudge\" $typed" >"$work/out" 2>&1
[ $? = 1 ] || { failures=$((failures + 1)); echo "the command of the message does not show the finding: $typed" >&2; }
# A spec in a report is text alone, whatever a shell would make of it.
sed "s|\"engine_spec\": .*|\"engine_spec\": \"proc:x'; touch $work/executed; '\\\\u001b\",|" "$report" >"$work/evil.json"
check 5 run "$work/evil.json"
check 0 report "$work/evil.json"
typed=$(sed 's/.*type: adjudge //' "$work/err" | head -1)
eval "printf '%s\n' $typed" >"$work/words"
checks=$((checks + 1))
[ ! -e "$work/executed" ] || { failures=$((failures + 1)); echo "a spec in a report left its word" >&2; }

# ---- expectations ----
sed 's/"results"/"expect": [{"engine": "mine", "verdict": "agree"}], "results"/' "$source/tests/cli_square.json" >"$work/expects.json"
check 0 gate "$work/expects.json"
says out "not checked $work/expects.json: mine: a file never starts an engine; give it with --engine mine=SPEC"
says out 'not checked: 1 expectation'
check 0 gate "$work/expects.json" --engine "mine=$at_here"
checks=$((checks + 1))
! grep -q 'not checked' "$work/out" || { failures=$((failures + 1)); echo "an expectation about a given engine was not checked" >&2; }
check 1 gate "$work/expects.json" --engine mine=tape+scale:mul:2
says out 'expected verdict agree, got wrong'

# ---- a file of names ----
write_names "$(one mine "$at_there"), $(one right functional)"
check 1 run "$report" --engines "$names"
says out 'mine '
says out 'right '
check 0 minimize "$report" --engines "$names"
check 0 report "$report" --engines "$names" --again --experiments points
check 1 gate "$fails" --engines "$names"
says out 'right: asked 1, answered 1, decided 1, agree 1'
check 0 gate "$fails" --engines "$names" --engine right # it selects
checks=$((checks + 1))
! grep -q mine "$work/out" || { failures=$((failures + 1)); echo "--engine did not select from the file of names" >&2; }
check 1 gate "$fails" --engines "$names" --engine right=tape+scale:mul:2 # the command line is stronger
check 1 fuzz --engines "$names" --driver generate --profile "$frozen" --cases 20 --seed 3 --out "$work/both" --quiet --json
says out '"engine": "right"'
check 0 fuzz --engine right --right-on mine --engines "$names" --driver generate --cases 3 --out "$work/beside" --quiet --json
says out '"right_on": "mine"'
check 0 run "$fails" --no-oracle --engine right --against mine --engines "$names"
check 1 conform --engine mine --engines "$names" --op while --quiet
check 2 conform --engines "$names"
check 2 minimize "$fails" --engines "$names"
check 2 run "$fails" --engine other --engines "$names"
says err "$names has no engine 'other', and it is no spec"
check 3 run "$fails" --engine tape --engines "$work/absent.json"
# No command looks for it.
(cd "$work" && cp "$names" engines.json && "$adjudge" run "$report" 2>"$work/err" >/dev/null)
[ $? = 5 ] || { failures=$((failures + 1)); echo "a file of names was found without being named" >&2; }

# refuses ENTRIES TEXT: exit 3, with the place.
refuses()
{
	write_names "$1"
	check 3 gate "$fails" --engines "$names"
	says err "$names: $2"
}
refuses '' 'engines: must name an engine'
refuses "$(one a tape), $(one a forward)" 'engines[1].name: the same name as engines[0]'
refuses "$(one tape forward)" "engines[0].name: the name 'tape' is that of a built-in engine"
refuses "$(one a tpae)" "engines[0].spec: no engine 'tpae'"
refuses "$(one a tape+no-such)" "engines[0].spec: "
refuses "$(one a b=tape)" "engines[0].spec: no engine 'b=tape'"
refuses "$(one 'a b' tape)" "engines[0].name: the name 'a b' of an engine is not 1 to 64 letters"
refuses "$(one '' tape)" "engines[0].name: the name '' of an engine"
refuses "$(one 'a=b' tape)" 'engines[0].name: a name of an engine has letters, digits, _ . - only'
refuses "$(one 'proc:x' tape)" 'engines[0].name: a name of an engine has letters, digits, _ . - only'
refuses '{"name": "a", "spec": "tape", "path": "x"}' 'engines[0]'
refuses '{"name": "a"}' 'engines[0]'
refuses '{"name": 1, "spec": "tape"}' 'engines[0].name'
refuses '[]' 'engines[0]'
printf '{"schema": "adjudge.engines/2", "engines": []}' >"$names"
check 3 gate "$fails" --engines "$names"
says err "$names: schema: \"adjudge.engines/2\" is not \"adjudge.engines/1\""
printf '{"schema": "adjudge.engines/1", "engines": [' >"$names"
check 3 gate "$fails" --engines "$names"
says err "$names: line 1"

# ---- names on the command line ----
for bad in tape=forward 'a b=tape' =tape -a=tape .a=tape a=b=tape "a	b=tape" \
	aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=tape tape=proc:true é=tape; do
	check 2 run "$fails" "--engine=$bad"
	check 2 conform "--engine=$bad"
	check 2 fuzz --engine tape "--right-on=$bad" --cases 1 --out "$work/unused"
done
check 2 run "$fails" --engine a=tape --engine a=forward
says err "two engines have the name 'a'"
check 2 gate "$fails" --engine tape --engine tape=tape
check 0 run "$fails" --engine a=tape --engine a=tape --engine b=tape --engine tape=tape --engine 0.x_y-z=tape
says out '0.x_y-z '
check 3 run "$work/other.json" --engine tape
# A file cannot name an engine with its spec.
for text in mine=proc:true mine=tape tape=tape =tape; do
	sed "s/\"engine\": \"mine\"/\"engine\": \"$text\"/" "$report" >"$work/other.json"
	check 3 run "$work/other.json"
	says err "is no name and no spec of an engine"
	sed "s/\"engine\": \"mine\"/\"engine\": \"$text\"/" "$work/expects.json" >"$work/other.json"
	check 3 gate "$work/other.json"
done

finish
