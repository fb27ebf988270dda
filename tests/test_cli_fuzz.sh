#!/bin/sh
# The command fuzz: drivers, counts and exit codes.
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
		# The case before minimization is kept too, also when the report is written again.
		check 0 report "$report" --format json --experiments points --out "$work/again.json"
		for kept in "$report" "$work/again.json"; do
			python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["found"]["case"])' "$kept" >"$work/raw.json"
			check 1 run "$work/raw.json" --engine tape+scale:mul:1.5
		done
	done
done
# Given cases are judged before all others, and of them the findings of an earlier campaign; what cannot be read is named.
mkdir -p "$work/given/b/findings"
cp "$source/tests/cli_square.json" "$work/given/a.json"
cp "$work"/generate1/findings/*.json "$work/given/b/findings"
echo '{' >"$work/given/bad.json"
for driver in $drivers; do
	check 1 fuzz --engine tape+scale:mul:1.5 --driver "$driver" --cases 2 --max-findings 1 --corpus "$work/given" --out "$work/given-$driver" --quiet
	says out ' the first is case 1, '
	says err "left out of the corpus: $work/given/bad.json: line "
done
check 0 fuzz --engine tape --engine functional --engine forward --seed 3 --cases 60 --driver plain --corpus "$doc" --out "$work/right" --json --quiet
says out '"cases": 60'
says out '"asked": '
some="some=proc:exec '$adjudge' worker --engine tape | sed -u '1s/{/{\"ops\":[\"mul\",\"add\",\"sin\",\"constant\"],/'"
check 5 fuzz --engine "$some" --cases 40 --min-decided 100 --driver generate --profile "$frozen" --out "$work/some" --quiet
says out 'some: '
says out ' %, less than --min-decided 100'
check 5 merge "$work/some" --out "$work/some-merged" --by-name --engine "$some"
says out ' %, less than --min-decided 100'
check 5 gate "$doc" --engine "$some" --min-decided 100
says out 'FAIL some: nothing was decided, in '
check 0 fuzz --no-oracle --engine tape --cases 10 --driver generate --out "$work/compared" --quiet
saysnot out 'mostly because'
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
check 6 gate "$loop" --engine "proc:exec sh '$work/once'" --json
says out '"flaky": 1'
says out '"crashes": 1'
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
check 5 fuzz --engine tape --cases 50 --driver generate --profile "$frozen" --min-decided 100 --out "$work/min" --quiet
check 2 fuzz --engine tape --cases 50 --min-decided 101 --out "$work/min" --quiet
# campaign.json holds numbers up to 2^53: a larger one could not be read again.
check 2 fuzz --engine tape --cases 9007199254740993 --time 1 --out "$work/large" --quiet
check 2 fuzz --engine tape --memory-limit 8193T --time 1 --out "$work/large" --quiet
check 0 fuzz --engine tape --cases 9007199254740992 --memory-limit 8192T --time 1 --out "$work/large" --quiet
check 0 fuzz --resume "$work/large" --quiet

# A message says what there is, or what to do next.
mkdir "$work/none"
check 5 gate "$work/none" --engine tape
says err 'gate: there is no *.json file below the paths'
says out 'tape: asked 0,'
check 2 gate "$doc" --jobs 257
says err 'gate: --jobs is at most 256'
check 2 conform --engine tape --op sinn
says err "conform: no op 'sinn'; did you mean 'sin'?"
check 2 conform --engine tape --dtype f46
says err "conform: no dtype 'f46'; did you mean 'f64'?"
check 2 report "$doc" --format pdf
says err "report: no format 'pdf'; there are text, json, "
check 2 emit --format c
says err "emit: the case is missing"
check 2 emit "$doc"
says err "emit: --format is missing; 'adjudge emit --formats' lists the formats"
check 4 run "$loop" --engine 'proc:exec sleep 9' --start-limit 1
says err 'proc:exec sleep 9: the engine did not start: no hello within 1 s (--start-limit)'
check 4 run "$loop" --engine tape --engine 'mine=proc:exit 3'
says err 'adjudge: mine: the engine ended as it started: exit code 3'
check 4 fuzz --engine 'mine=proc:echo hello; sleep 9' --cases 1 --out "$work/no-hello"
says err 'adjudge: mine: its hello cannot be read: line 1, column 1: no JSON value'
says err 'the first line of the engine was "hello"'
for end in '' '; sleep 9'; do
	check 4 run "$loop" --engine "mine=proc:echo '{\"adjudge.engine\":1}'$end"
	says err 'adjudge: mine: its hello cannot be read: line 1: lacks the key "name"'
done
check 4 run "$loop" --engine "mine=proc:echo '{\"error\":\"no torch\"}'"
says err 'adjudge: mine: no torch'
check 3 fuzz --engine tape --cases 1 --profile "$loop" --out "$work/no-profile"
says err "adjudge: $loop: schema: \"adjudge.case/1\" is not \"adjudge.profile/1\""
check 4 run "$loop" --engine 'mine=so:./there-is-none.so'
says err 'adjudge: mine: ./there-is-none.so: cannot open shared object file: No such file or directory'
saysnot err 'first line'
check 2 run "$loop" --engine 'python3 my_engine.py'
says err "no engine 'python3 my_engine.py'; did you mean proc:COMMAND or so:PATH?"
check 2 run "$loop" --engine mine
says err 'proc:COMMAND, so:PATH and the names of --engines FILE'

# an engine that knows little is asked only what it knows, and is told what adjudge does not understand
template="$source/engines/external/template.py"
check 0 fuzz --engine "proc:python3 $template" --driver generate --cases 40 --quiet --out "$work/known-generate"
says out 'asked 40, answered 40, '
check 0 fuzz --engine "proc:python3 $template" --driver plain --cases 40 --quiet --out "$work/known-plain"
says out 'asked 40, answered 40, '
sed 's/"rank": 0/"rank": 0, "weakzero": True/' "$template" > "$work/loud.py"
check 0 conform --engine "proc:python3 $work/loud.py" --op sin
says err 'names that adjudge does not know, and ignores: member "weakzero" (did you mean "weak_zero"?)'
sed '1a print("loading")' "$template" > "$work/loud.py"
check 4 conform --engine "proc:python3 $work/loud.py" --op sin
says err 'the first line of the engine was "loading"'

finish
