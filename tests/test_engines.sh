#!/bin/sh
# scripts/engines with an engine of its own, in a checkout of its own: who has a spec keeps what it was printed for, whatever becomes of the sources.
# Usage: test_engines.sh SOURCE_ROOT
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
mkdir -p "$work/scripts" "$work/engines/external"
sed 's/^adolc|.*/fake|host||.\/fake|/; s/^tfjs|.*/read|host||sh read.sh|plain loud/; s/^hips|.*/given|checkout||sh given.sh|/; s/^boost|.*/absent|host|no-such-package|sh read.sh|/
	/^[a-z0-9.-]*|\(host\|npm\|trixie\|forky\|checkout\|python\)|/{/^\(fake\|read\|given\|absent\)|/!d}' "$1/scripts/engines" >"$work/scripts/engines"
chmod +x "$work/scripts/engines"
export ADJUDGE_ROOTS="$work/roots"

# adapters WORD BUILD: an adapter that is built by BUILD and says WORD, and one that is not built.
adapters() {
	printf '%s\n' ": '/* Build: $2 */'" "echo $1" >"$work/engines/external/fake.cpp"
	echo "echo $1" >"$work/engines/external/read.sh"
	echo 'echo "$PYTHONPATH"' >"$work/engines/external/given.sh"
}
spec() {
	"$work/scripts/engines" "$1" 2>"$work/err" | sed 's/^proc://'
}
# says SPEC WORD
says() {
	got=$(sh -c "$1" 2>&1)
	[ "$got" = "$2" ] && return
	failures=$((failures + 1))
	echo "$1: '$got', not '$2'" >&2
}

build='{ echo built >>../../log; cp fake.cpp fake && chmod +x fake; }'
adapters one "$build"
fake=$(spec fake) read=$(spec read)
says "$fake" one
says "$read" one
adapters two false
says "$fake" one
says "$read" one
says "$(spec read)" two
two=$(spec read)
echo prose >"$work/engines/external/README.md"
[ "$(spec read)" = "$two" ] || says "spec read" "what it was before the prose" # prose is no part of an engine
says "$fake" one
[ -z "$(spec fake)" ] && grep -q 'does not build' "$work/err" || says "a source that does not build" "an error"
adapters one "$build"
[ "$(spec fake)" = "$fake" ] || says "$(spec fake)" "$fake"
says "$fake" one
built=$(find "$work" -name log -exec cat {} + | grep -c built)
[ "$built" = 1 ] || says "built $built times" "built once"
rm -r "$work/roots/built"
case "$(sh -c "$fake" 2>&1)" in *"ask for the spec of fake again"*) ;; *) says "$fake" "that it is gone" ;; esac
# What is not packaged is given, and seen where Python looks.
mkdir "$work/its folder"
says "$(spec "given=$work/its folder")" "$work/its folder"
[ -z "$(spec given)" ] && grep -q 'give its folder' "$work/err" || says "an engine without its folder" "an error"
# An engine that cannot be made ready is said, and the others are made ready.
both=$("$work/scripts/engines" given read 2>"$work/err")
[ "$?/$both" = "4/proc:$(spec read)" ] || says "given, then read" "the spec of read, and exit status 4"
# What is ready is listed, in all its modes, and waits for no lock.
says "'$work/scripts/engines' --list | cut -c1-30 | sed 's/ *\$//'" "$(printf '%-15s %-8s %s\n' fake host ready absent host - read host ready given checkout - | sed 's/ *$//')"
says "'$work/scripts/engines' --lacks" "$(printf '%s\n' 'fake: ' 'absent: no-such-package' 'read: ' 'given: its folder, as in given=DIR')"
(
	flock 9
	"$work/scripts/engines" --ready 2>"$work/err" | sed 's/=.*//' >"$work/ready"
) 9>"$work/roots/.lock-host"
[ "$(tr '\n' ' ' <"$work/ready")" = "fake read-plain read-loud " ] || says "cat '$work/ready'" "fake read-plain read-loud"
says "'$work/scripts/engines' --lacks nosuch; echo \$?" "$(printf '%s\n' "engines: --lacks takes nothing else, not 'nosuch'; try 'scripts/engines --help'" 2)"
# Only --remove alone removes, and nothing that is in use.
says "'$work/scripts/engines' --remove --help | grep -c Usage" 1
says "'$work/scripts/engines' --remove read; echo \$?" "$(printf '%s\n' "engines: --remove takes nothing else, not 'read'; try 'scripts/engines --help'" 2)"
mkdir -p "$work/roots/built/used"
(cd "$work/roots/built/used" && exec sleep 600) &
while [ "$(readlink "/proc/$!/cwd")" != "$work/roots/built/used" ]; do sleep 0.1; done
says "'$work/scripts/engines' --remove; echo \$?" "$(printf '%s\n' "engines: $work/roots/built is in use: end what runs in it first; nothing was removed" 4)"
kill $!
wait $! 2>/dev/null
"$work/scripts/engines" --remove 2>"$work/err" && grep -q "^removes $work/roots/built, " "$work/err" && [ "$(ls "$work/roots")" = log ] || says "cat '$work/err'; ls '$work/roots'" "what was removed, and the file of another"
[ "$failures" = 0 ]
