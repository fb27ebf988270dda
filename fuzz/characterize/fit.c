/* fit.c: see fit.h. */
#include "fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/edit/formula.h"
#include "lab_edit.h"

/* ---- forms ---- */

int fit_polynomial(const double *y, int n, double *c)
{
	double difference[FIT_DEGREE + 1], newton[FIT_DEGREE + 1], basis[FIT_DEGREE + 2] = {1};
	int degree = -1;

	if (n < 3 || n > FIT_DEGREE + 1)
		return -2;
	memcpy(difference, y, (size_t)n * sizeof *y);
	/* divided differences at 0, 1, ...: exact for polynomials with integer coefficients of this size */
	for (int k = 0; k < n; k++) {
		newton[k] = difference[0];
		for (int i = 0; i + 1 < n - k; i++)
			difference[i] = (difference[i + 1] - difference[i]) / (k + 1);
	}
	memset(c, 0, (size_t)n * sizeof *c);
	for (int k = 0; k < n; k++) {
		for (int i = 0; i <= k; i++)
			c[i] += newton[k] * basis[i];
		for (int i = k + 1; i > 0; i--) /* times (x - k) */
			basis[i] = basis[i - 1] - k * (i <= k ? basis[i] : 0);
		basis[0] *= -k;
	}
	for (int i = 0; i < n; i++) {
		if (!isfinite(c[i]) || c[i] != rint(c[i]) || fabs(c[i]) > 1e6)
			return -2;
		if (c[i] != 0)
			degree = i;
	}
	return degree < n - 2 ? degree : -2;
}

bool fit_ratio(double x, int *p, int *q)
{
	for (*q = 1; *q <= FIT_DENOMINATOR; ++*q) {
		double n = rint(x * *q);

		if (fabs(n) > 1e6 || n == 0)
			continue;
		if (fabs(x * *q - n) <= 1e-12 * fabs(n)) {
			*p = (int)n;
			return true;
		}
	}
	return false;
}

const char *fit_text(const double *c, int degree, struct arena *a)
{
	const char *text = "";

	for (int i = 0; i <= degree; i++) {
		const char *sign = c[i] < 0 ? (*text ? " - " : "-")
		    : *text                 ? " + "
		                            : "",
		           *factor = fabs(c[i]) == 1 && i ? "" : arena_printf(a, "%.0f%s", fabs(c[i]), i ? " " : "");

		if (c[i] != 0)
			text = arena_printf(a, "%s%s%s%s", text, sign, factor,
			    !i           ? ""
			        : i == 1 ? "x"
			                 : arena_printf(a, "x^%d", i));
	}
	return *text ? text : "0";
}

/* ---- the experiment: integers in a row ---- */

void experiment_polynomials(struct lab *l)
{
	const struct transform *t = request_outermost(l->base->transform, l->base->n_transform);
	const struct variant_table *bodies = lab_find(l, "bodies");

	lab_columns(l, (const char *const[]){"program", "x"}, 2);
	if (t && t->n_wrt == 1 && l->base->n_point == 1)
		for (int x = 0; x <= FIT_DEGREE; x++) {
			struct edit e = lab_edit(l);

			if (!lab_is_float_input(&e, t->wrt[0]) || e.c.point[0][t->wrt[0]].type.shape.rank)
				break;
			edit_fill(&e.c.point[0][t->wrt[0]], x);
			lab_try(l, &e, (const char *const[]){"as it is", LAB_TEXT(l, "%d", x)});
		}
	/* the same for the loop bodies that failed in table `bodies`: the last input of these cases is x */
	for (int i = 0; bodies && i < bodies->n_row; i++) {
		const struct variant_row *r = &bodies->row[i];
		const char *name = LAB_TEXT(l, "%s, %s times", r->cell[0], r->cell[1]);

		if (!r->fails || strcmp(r->cell[2], "0.5") != 0 || strchr(r->cell[0], '(') || strchr(r->cell[0], 'y') ||
		    strchr(r->cell[0], '/'))
			continue;
		for (int x = 0; x <= FIT_DEGREE; x++) {
			struct edit e = lab_edit_of(l, l->out->cases[r->case_number]);

			edit_fill(&e.c.point[0][e.c.program.top.n_param - 1], x);
			lab_try(l, &e, (const char *const[]){name, LAB_TEXT(l, "%d", x)});
		}
	}
}

/* ---- statements ---- */

static void state_polynomials(struct lab *l)
{
	const struct variant_table *t = lab_find(l, "polynomials");

	for (int i = 0, n; t && i < t->n_row; i += n) {
		double y[FIT_DEGREE + 1], want[FIT_DEGREE + 1], c[FIT_DEGREE + 1], d[FIT_DEGREE + 1];
		int degree, right, *row = NEW(l->arena, int, FIT_DEGREE + 1);

		for (n = 0; i + n < t->n_row && !strcmp(t->row[i].cell[0], t->row[i + n].cell[0]); n++) {
			if (n > FIT_DEGREE)
				continue;
			y[n] = t->row[i + n].of ? t->row[i + n].returned : NAN;
			want[n] = t->row[i + n].expected;
			row[n] = i + n;
		}
		if (n != FIT_DEGREE + 1)
			continue;
		degree = fit_polynomial(y, n, c);
		right = fit_polynomial(want, n, d);
		if (degree > -2 && right > -2)
			lab_say(l, "closed-form", STATEMENT_SHOWN, &(struct support){(int)(t - l->out->table), n, row},
			    1, "%s: it returns %s where %s is right.",
			    strcmp(t->row[i].cell[0], "as it is") ? LAB_TEXT(l, "Loop body %s", t->row[i].cell[0])
			                                          : "The program itself",
			    fit_text(c, degree, l->arena), fit_text(d, right, l->arena));
	}
}

/* Says how many failing variants return 0, if that is most of them. */
static void state_zeros(struct lab *l)
{
	struct support s[32];
	int zeros = 0, fails = 0, n = 0;

	for (int i = 0; i < l->out->n_table && n < 32; i++) {
		const struct variant_table *t = &l->out->table[i];
		int *row = NEW(l->arena, int, t->n_row), k = 0;

		for (int r = 0; r < t->n_row; r++) {
			const struct variant_row *v = &t->row[r];
			double got = v->has_sum ? v->sum_returned : v->returned;

			if (!v->fails || !v->of || v->engine)
				continue;
			fails++;
			if (got == 0 && v->returned == 0)
				row[k++] = r;
		}
		zeros += k;
		s[n++] = (struct support){i, k, row};
	}
	if (zeros && 2 * zeros > fails)
		lab_say(l, "closed-form", STATEMENT_SHOWN, s, n, "It returns 0 in %d of the %d variants that fail.",
		    zeros, fails);
}

/* Returned to expected: of the sum if there are several elements, for the sum shows how many of them are wrong. */
static double row_ratio(const struct variant_row *r)
{
	return r->has_sum ? r->sum_returned / r->sum_expected : r->returned / r->expected;
}

static void state_ratios(struct lab *l)
{
	const struct variant_table *t = lab_find(l, "slices");

	for (int i = 0; t && i < t->n_row; i++) {
		const struct variant_row *r = &t->row[i];
		int p, q, *row = NEW(l->arena, int, 1);

		row[0] = i;
		if (r->fails && r->of && isfinite(row_ratio(r)) && fit_ratio(row_ratio(r), &p, &q) && q > 1)
			lab_say(l, "closed-form", STATEMENT_SHOWN, &(struct support){(int)(t - l->out->table), 1, row},
			    1, "For %s, slice %s along axis %s, it returns %d/%d of the right value.", r->cell[0],
			    r->cell[1], r->cell[2], p, q);
	}
}

void lab_state_fits(struct lab *l)
{
	state_polynomials(l);
	state_zeros(l);
	state_ratios(l);
}
