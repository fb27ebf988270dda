#!/bin/sh
# adjudge sets the heap up as it starts (heap_begin): large blocks are mappings of their own.
#
# Usage: test_heap.sh ADJUDGE HEAP
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# look PROGRAM...: what heap.c says of it
look()
{
	HEAP_LOOK=$work/look LD_PRELOAD=$heap "$@" >"$work/out" 2>&1
	cat "$work/look" 2>/dev/null
}

adjudge=$1 heap=$2
if [ "$(look env true)" != inside ]; then
	echo "skipped: the heap of this system, or of a build with a sanitizer, is another"
	exit 77
fi
got=$(look "$adjudge" list ops)
[ "$got" = mapped ] || { echo "FAILED: a large block after one that was freed is '$got' in adjudge, not mapped"; exit 1; }
