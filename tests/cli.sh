# Sourced by the tests of the command line, with $1: adjudge; $2: the source directory.
adjudge=$1
source=$2
export ADJUDGE_ADAPTERS="$source/engines/external" # the build may be anywhere
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
checks=0
doc=$source/corpus/documents
loop=$doc/nx-while-acc-mul-x-n3.json
fault=functional+residual-fifo
frozen=$source/benchmarks/frozen-2.json # a profile whose cases never change

# check CODE ARGUMENT...: the exit code; output is left in $work/out and $work/err.
check()
{
	want=$1
	shift
	checks=$((checks + 1))
	"$adjudge" "$@" >"$work/out" 2>"$work/err" </dev/null
	got=$?
	if [ "$got" != "$want" ]; then
		failures=$((failures + 1))
		echo "exit $got, expected $want: adjudge $*" >&2
		head -5 "$work/err" >&2
	fi
}

# says FILE TEXT: the last output holds the fixed text.
says()
{
	checks=$((checks + 1))
	if ! grep -qF -- "$2" "$work/$1"; then
		failures=$((failures + 1))
		echo "not in $1 of the last command: $2" >&2
		head -5 "$work/$1" >&2
	fi
}

# saysnot FILE TEXT: the last output does not hold the fixed text.
saysnot()
{
	checks=$((checks + 1))
	if grep -qF -- "$2" "$work/$1"; then
		failures=$((failures + 1))
		echo "in $1 of the last command: $2" >&2
	fi
}

same()
{
	checks=$((checks + 1))
	if ! cmp -s "$1" "$2"; then
		failures=$((failures + 1))
		echo "differ: $1 $2" >&2
	fi
}

# The summary, at the end: the exit code of the test.
finish()
{
	echo "$checks checks, $failures failed"
	[ "$failures" = 0 ]
}
