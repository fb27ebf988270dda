#!/bin/sh
# What `ninja install` installs is enough for every command, wherever the installed tree lies.
# $1: meson; $2: the build folder; $3: the source folder; $4: the prefix; $5: a C compiler
meson=$1
source=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
checks=0

fail()
{
	failures=$((failures + 1))
	echo "$*" >&2
}

"$meson" install -C "$2" --no-rebuild --destdir "$work/root" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
mkdir "$work/here"
mv "$work/root$4" "$work/moved" # it works where it was not meant to lie, so it needs neither the source nor the build
cd "$work/here" || exit 1
bin=$work/moved/bin
share=$work/moved/share

# check CODE ARGUMENT...: the exit code of the installed adjudge; output is left in ../out and ../err.
check()
{
	want=$1
	shift
	checks=$((checks + 1))
	env -i PATH="$bin:$PATH" HOME="$work" adjudge "$@" >"$work/out" 2>"$work/err" </dev/null
	got=$?
	[ "$got" = "$want" ] || fail "exit $got, expected $want: adjudge $*: $(head -n 5 "$work/err")"
}

# says TEXT: the last output holds the fixed text.
says()
{
	checks=$((checks + 1))
	grep -qF -- "$1" "$work/out" || fail "not in the last output: $1: $(head -n 5 "$work/out")"
}

# there FILE: it was installed.
there()
{
	checks=$((checks + 1))
	[ -s "$1" ] || fail "not installed: $1"
}

# ---- files ----
for file in "$source"/engines/external/*.* "$source"/engines/external/inductor-g++; do
	case $file in */README.md | */meson.build) ;; *) there "$share/adjudge/adapters/${file##*/}" ;; esac
done
for file in "$source"/*/*.schema.json; do
	there "$share/adjudge/schemas/${file##*/}"
done
there "$share/adjudge/corpus/README.md"
there "$share/man/man1/adjudge.1"
there "$share/doc/adjudge/PROTOCOL.md"
there "$work/moved/include/adjudge_engine.h"

# ---- commands ----
cat >sine.json <<'END'
{"schema": "adjudge.case/1", "inputs": ["x: f64[]"], "body": [{"out": ["y"], "op": "sin", "args": ["x"]}], "results": ["y"],
 "points": [[0.1]], "request": [{"transform": "vjp", "wrt": [0], "cotangents": [1]}]}
END
sed 's/vjp/jvp/; s/cotangents/tangents/' sine.json >jvp.json
wrong=tape+scale:sin:1.5
check 0 --version
check 0 --help
check 0 run sine.json
check 0 gate .
check 0 show sine.json
says 'v0 = 0.1'
check 1 fuzz --engine $wrong --driver generate --cases 60 --max-findings 1 --quiet --out campaign
check 1 run campaign/findings/*.json
check 0 report campaign --format html
check 0 minimize sine.json --engine $wrong --report --out report.json
check 0 report report.json --experiments seeds
check 1 run --engine forward+packed-atan2-oob "$source/corpus/documents/mlx-atan2-jvp-traced-constant.json" # in a worker
check 0 conform --engine tape --op sin --cases 1 --quiet
check 0 conform --engine tape --op cumprod --deep --quiet
says 'cases asked' # of the installed corpus
check 0 audit --section oracles --cases 20 --quiet
check 0 engines
check 0 ops
check 0 faults
check 0 faults --score functional --only residual-fifo --cases 200 --quiet

# ---- adapters and shared objects ----
check 0 emit --formats
cp "$work/out" "$work/formats"
check 0 emit --format torch sine.json
says 'import torch'
while read -r format _; do
	case $format in tfjs* | jax-js* | mathjs | adnn) command -v node >/dev/null || continue ;; esac
	checks=$((checks + 1))
	env -i PATH="$bin:$PATH" HOME="$work" adjudge emit --format "$format" sine.json >"$work/out" 2>"$work/err" </dev/null
	got=$?
	# 5: its engine has no such request or dtype, as its adapter said
	[ $got = 0 ] || [ $got = 5 ] || fail "exit $got: adjudge emit --format $format: $(cat "$work/err")"
	[ $got = 5 ] || says sin
done <"$work/formats"
check 0 run --engine "proc:python3 $share/adjudge/adapters/template.py" jvp.json
says template
if command -v "$5" >/dev/null; then
	"$5" -shared -fPIC -I"$work/moved/include" "$share/adjudge/adapters/example_engine.c" -lm -o example.so || fail "the example does not compile"
	check 0 run --engine so:./example.so jvp.json
fi
mv "$share/adjudge/adapters" "$work/elsewhere"
check 4 emit --format torch sine.json
checks=$((checks + 1))
grep -q ADJUDGE_ADAPTERS "$work/err" || fail "emit does not say how to name the adapters"

# ---- completion ----
check 2 completion fish
if command -v bash >/dev/null; then
	# complete WORD...: what bash proposes for the last one.
	cat >complete.bash <<'END'
. "$1"
shift
COMP_WORDS=(adjudge "$@")
COMP_CWORD=$#
_adjudge 2>/dev/null # compopt complains outside of a completion
echo "${COMPREPLY[@]}"
END
	# proposes WANTED WORD...
	proposes()
	{
		wanted=$1
		shift
		checks=$((checks + 1))
		got=$(bash complete.bash "$share/bash-completion/completions/adjudge" "$@")
		[ "$got" = "$wanted" ] || fail "for adjudge $*: $got, expected $wanted"
	}
	proposes 'report' re
	proposes '--seed' fuzz --se
	proposes '--cross --cross-strict' run sine.json --cr
	proposes 'forward functional' run --engine f
	proposes 'scatter_mul scatter_min scatter_max' conform --op scatter_m
	proposes '' run sine
	proposes '' run sine.json --signature f
	proposes 'minimize' help mi
fi
there "$share/zsh/site-functions/_adjudge"
if command -v zsh >/dev/null; then
	checks=$((checks + 1))
	zsh -n "$share/zsh/site-functions/_adjudge" || fail "zsh cannot read its completion"
fi

echo "$checks checks, $failures failed"
[ "$failures" = 0 ]
