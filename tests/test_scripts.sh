#!/bin/sh
# scripts/prepare builds what it is asked for, scripts/campaign shows the planted fault before the long run, and every
# script has --help.  $1: adjudge; $2: the source directory
adjudge=$1
source=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
checks=0

# check WHAT COMMAND...: the command must succeed.
check()
{
	what=$1
	shift
	checks=$((checks + 1))
	"$@" || { failures=$((failures + 1)); echo "$what: $*" >&2; }
}

# ---- prepare: every package is there, and ninja and meson only say what they are called with ----
mkdir "$work/bin" "$work/scripts"
cp "$source/scripts/prepare" "$work/scripts"
printf '#!/bin/sh\necho "install ok installed"\n' >"$work/bin/dpkg-query"
for tool in meson ninja; do
	printf '#!/bin/sh\necho "%s $*"\n' $tool >"$work/bin/$tool"
done
chmod +x "$work/bin"/*
PATH=$work/bin:$PATH "$work/scripts/prepare" >"$work/everything"
PATH=$work/bin:$PATH TARGETS="adjudge other" "$work/scripts/prepare" >"$work/targets"
check "everything is built" grep -qx 'ninja -C build' "$work/everything"
check "what is asked for is built" grep -qx 'ninja -C build adjudge other' "$work/targets"
check "it is configured" grep -qx 'meson setup build' "$work/targets"

# ---- campaign ----
cp "$source/scripts/campaign" "$work/scripts"
printf '#!/bin/sh\necho "prepare: $TARGETS"\n' >"$work/scripts/prepare"
mkdir "$work/build"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$(realpath "$adjudge")" >"$work/build/adjudge"
chmod +x "$work/build/adjudge"

# campaign CODE [NAME=VALUE...]: its exit code; the output is left in $work/out.
campaign()
{
	want=$1
	shift
	env CASES=40 "$@" "$work/scripts/campaign" "$work/results" >"$work/out" 2>"$work/err"
	got=$?
	check "exit $got, expected $want: $*" [ "$got" = "$want" ]
}
campaign 0
check "adjudge alone is built" grep -qx 'prepare: adjudge' "$work/out"
check "the finding is shown before the long run" sh -c \
	"sed '/every right built-in engine/,\$d' '$work/out' | grep -q '^functional+residual-fifo .* wrong '"
check "the long run has its summary" [ -s "$work/results/right/summary.json" ]
check "what was found is summed up" grep -q '^planted fault: exit code 1 (1: found)' "$work/out"
rm -r "$work/results"
campaign 4 FAULT=functional
check "a fault that is not found is said" grep -q 'was not found' "$work/err"

# ---- help: with it a script shows how it is used, and does nothing else ----
for tool in apt-get npm debootstrap; do
	printf '#!/bin/sh\nexit 1\n' >"$work/bin/$tool"
done
chmod +x "$work/bin"/*
mkdir "$work/empty"
cd "$work/empty" || exit 1
for script in "$source"/scripts/* "$source"/scripts/cluster/shard; do
	case $script in
	*.md | */cluster | */zoo | */__pycache__) continue ;;
	*.py) set -- python3 "$script" ;;
	*) set -- "$script" ;;
	esac
	PATH=$work/bin:$PATH timeout 60 "$@" --help >"$work/help" 2>&1
	check "exit code $? of $script --help" [ $? = 0 ]
	check "usage of $script" grep -qi '^ *usage: ' "$work/help"
done
check "--help writes no file" [ -z "$(ls -A "$work/empty")" ]

echo "$checks checks, $failures failed"
[ "$failures" = 0 ]
