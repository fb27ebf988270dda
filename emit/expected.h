/* expected.h: the truth as a source judges returned numbers by it, with the rules of oracles/verdict. */
#ifndef EMIT_EXPECTED_H
#define EMIT_EXPECTED_H

#include "emit.h"

/* One convention at a tie.  The returned number must be at most radius away from value + low; radius infinity: anything
 * is right. */
struct expected_choice {
	double value, low, radius;
};

/* One number of the truth. */
struct expected {
	const char *text, *allowed;     /* for people: "0 or 1", "1.2e-16" */
	bool accepts_nan;               /* a NaN is right, or proves nothing */
	int n_choice;                   /* at least 1 */
	struct expected_choice *choice; /* by assignment of conventions; one if all are alike */
	/* Numbers from least to most may be a mixture of conventions; least > most: there is no mixture. */
	double least, most;
	double slack; /* how far rounding may lead outside of the mixtures; part of least and most */
};

/* Element i of an output of the primal, or (derivative) of the outermost level, at a point; in the arena. */
struct expected expected_number(const struct emission *x, int point, bool derivative, int output, int i);
/* "float64", as libraries print it. */
const char *expected_dtype(enum dtype d);
/* "2, 3" where comma is ", "; in the arena. */
const char *expected_extents(const struct shape *s, const char *comma, struct arena *a);
/* "float64[2,3]"; in the arena. */
const char *expected_type(const struct type *type, struct arena *a);
/* "primal 0, float64[2,3]", or with several points "point 1, primal 0, float64[2,3]"; in the arena. */
const char *expected_name(const struct emission *x, int point, bool derivative, int output);

/*
 * The range of the sum of all numbers at a tie, whatever mixture of conventions an engine follows; infinite where it is
 * not known.  A share that is missing or counted twice leaves it.
 */
void expected_sum(const struct emission *x, int point, double *least, double *most);
/* "derivative", or "primal" if the request asks for nothing else. */
const char *expected_asked(const struct emission *x);

/* The words of a language with lists in square brackets. */
struct expected_words {
	const char *nan, *inf, *minus_inf, *no, *yes;
};
/* A number as a word or a decimal; in the arena. */
const char *expected_word(double v, const struct expected_words *words, struct arena *a);
/* A list with one row per element of the output, as the functions of compare/ read it; in the arena. */
const char *expected_rows(
    const struct emission *x, int point, bool derivative, int output, const struct expected_words *words);

/* The functions that judge rows, in each language (compare/). */
extern const char *const compare_python, *const compare_elixir;

#endif
