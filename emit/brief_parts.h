/* brief_parts.h: a language of short sources; shared by brief*.c. */
#ifndef EMIT_BRIEF_PARTS_H
#define EMIT_BRIEF_PARTS_H

#include "brief.h"

/*
 * Templates.  got, right: names; numbers, value: what these are; known: where the numbers have a name already; error:
 * how far a number may be off.  list: of numbers that all have one error; each: of an error for each; a condition of
 * one number x: range, same, inside, is_nan.
 */
struct brief_language {
	const char *suffix, *head;
	struct expected_words words;
	bool lists;   /* a result without axes is a list, too */
	bool flat;    /* all results are one list, which a loop prints and compares */
	bool renames; /* a name is defined once; a flat one has a block for each point */
	const char *open, *close;
	const char *both, *alone, *known, *print, *told, *said;
	const char *equal, *near, *equal_list, *list, *each;
	const char *range, *same, *inside, *is_nan, *element, *and;
	const char *length; /* of a list whose shape is not told; keys: got, count */
	const char *shape, *open_shape, *comma_shape, *lone_shape, *close_shape, *dtype;
	const char *first, *next, *only, *end,
	    *end_more; /* only: of a lone result; end_more: of a point that is not alone; flat: next ends a source that
	                  is wrong, and end any */
};

#endif
