#!/bin/sh
# Campaigns that are stopped, die, or cannot write, and the command audit.
. "$2/tests/cli.sh"
there="proc:exec '$adjudge' worker --engine"

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
rm "$work/unwritten/campaign.json" "$work/unwritten/state.json" "$work/unwritten/summary.json"
check 4 fuzz --engine "$fault" --cases 400 --max-findings 1 --driver plain --out "$work/unwritten" --quiet
says err "adjudge: cannot replace $report: not a regular file"
sed -n '/^{/,/^}/p' "$work/err" >"$work/printed.json"
same "$work/printed.json" "$work/unwritten.json"

# One campaign writes into a directory; what a killed one left over is swept, and nothing else.
busy=$work/busy
"$adjudge" fuzz --engine tape --time 60 --driver plain --out "$busy" --quiet >/dev/null &
first=$!
while kill -0 $first && [ ! -e "$busy/campaign.json" ]; do sleep 0.1; done
check 4 fuzz --resume "$busy" --quiet
says err "adjudge: $busy is in use by another campaign"
kill -KILL $first
wait $first 2>/dev/null
left="$busy/.tmp.$first.0 $busy/findings/.tmp.$first.63"
kept="$busy/.tmp.$$.0 $busy/.tmp.note $busy/findings/.tmp.$first.0.json"
touch $left $kept
waits=$busy/pending/0123456789abcdef.json
cp "$work/unwritten.json" "$waits"
check 2 fuzz --engine tape --cases 5 --driver plain --out "$busy" --quiet
says err 'holds a campaign; go on with it by --resume'
check 2 fuzz --resume "$busy" --engine forward --quiet
says err '--engine contradicts'
check 2 fuzz --resume "$busy" --seed 2 --quiet
says err '--seed contradicts'
check 2 fuzz --resume "$busy" --driver generate --quiet
says err '--driver contradicts'
says err "or type: adjudge fuzz --resume $busy"
"$adjudge" fuzz --resume "$busy" --quiet >"$work/out" &
second=$!
checks=$((checks + 7))
# A case that waited to be minimized goes when it is counted.
for file in $left $waits; do
	while kill -0 $second && [ -e "$file" ]; do sleep 0.1; done
	[ ! -e "$file" ] || { failures=$((failures + 1)); echo "not swept: $file" >&2; }
done
for file in $kept; do
	[ -e "$file" ] || { failures=$((failures + 1)); echo "swept: $file" >&2; }
done
kill -TERM $second
wait $second
got=$?
[ $got = 143 ] || { failures=$((failures + 1)); echo "exit $got, expected 143: a campaign that went on" >&2; }
says out "to go on, type: adjudge fuzz --resume $busy"

# Until it is counted, it stays: here no time is left for it.
check 1 fuzz --engine "$fault" --cases 400 --max-findings 1 --driver plain --out "$work/spent" --quiet
waits=$work/spent/pending/0123456789abcdef.json
cp "$work"/spent/findings/*.json "$waits"
check 1 fuzz --resume "$work/spent" --quiet
check 0 run "$waits" --engine tape
check 3 fuzz --resume "$work/none" --quiet
says err "fuzz: $work/none holds no campaign: it has no campaign.json; --out begins one"
sed 's/"layout": "0x./"layout": "0x/' "$busy/campaign.json" >"$work/edited"
mv "$work/edited" "$busy/campaign.json"
check 3 fuzz --resume "$busy" --quiet
says err "another build of adjudge (version "

# campaign.json opens no engine from outside.  The message has the whole command that gives them again.
foreign=$work/foreign
check 0 fuzz --engine tape --right-on functional --cases 5 --driver generate --out "$foreign" --quiet
sed 's/"right_on": "functional"/"right_on": "proc:echo a; cat"/; s/"engine": "tape"/"engine": "mine=proc:cat"/' \
	"$foreign/campaign.json" >"$work/edited"
cp "$work/edited" "$foreign/campaign.json"
check 5 fuzz --resume "$foreign" --quiet
says err "type: adjudge fuzz --resume $foreign --engine mine=proc:cat --right-on 'proc:echo a; cat'"

# The summary prints commands that work: with --engine for an engine that no file opens, without it for others.
check 1 fuzz --engine "mine=$there tape+scale:mul:2" --cases 30 --driver generate --out "$work/named" --quiet
says out ".json --engine 'mine=proc:exec"
for shard in 1 2; do
	check 1 fuzz --engine "mine=$there tape+scale:mul:2" --cases 30 --shard $shard/2 --driver generate --out "$work/part$shard" --quiet
done
check 1 merge "$work/part1" "$work/part2" --out "$work/parts"
says out "give it: --engine 'mine=proc:exec"
# A campaign that goes on says at once where it stands; one engine of it is given again by a file of names.
printf '{"schema": "adjudge.engines/1", "engines": [{"name": "mine", "spec": "%s tape+scale:mul:2"}]}' "$there" >"$work/names.json"
check 5 fuzz --resume "$work/named"
says err 'if you trust it, give --engines FILE as before, or type: '
check 1 fuzz --resume "$work/named" --engines "$work/names.json"
says err ': 30 cases, '

# A campaign whose time is over goes on to its summary, although its engines must start for that.
check 0 fuzz --engine "mine=$there tape" --time 1s --driver generate --out "$work/over" --quiet
rm "$work/over/summary.json"
for jobs in 1 2; do
	check 0 fuzz --resume "$work/over" --engine "mine=$there tape" --jobs $jobs --quiet
	says out ' 0 distinct findings'
done

# Independent cases give the same for any number of processes; a drawn seed is printed.
for jobs in 1 2 3; do
	check 1 fuzz --engine "$fault" --cases 60 --driver generate --jobs $jobs --out "$work/jobs$jobs" --quiet
	sed '/"cases_per_second"/,$d' "$work/jobs$jobs/summary.json" >"$work/jobs$jobs.json"
	same "$work/jobs1.json" "$work/jobs$jobs.json"
	checks=$((checks + 1))
	diff -r "$work/jobs1/findings" "$work/jobs$jobs/findings" || failures=$((failures + 1))
done
check 0 fuzz --engine tape --cases 60 --driver plain --jobs 2 --out "$work/jobs-plain" --quiet --seed fresh
says err 'adjudge: seed 0x'
check 0 fuzz --engine tape --cases 60 --jobs 2 --out "$work/jobs-default" --quiet
check 0 fuzz --engine tape --cases 60 --corpus "$work/jobs-plain" --out "$work/from-corpus" --quiet
check 2 fuzz --engine tape --cases 60 --jobs 257 --out "$work/many"
check 2 fuzz --engine tape --cases 60 --jobs 2 --cross --out "$work/many"
check 2 fuzz --engine tape --cases 60 --shard 3/2 --out "$work/many"

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
