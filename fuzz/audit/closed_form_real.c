/* closed_form_real.c: numbers of formulas, in the arena.  MPFR's custom interface needs no clear. */
#include "closed_form.h"

#define R MPFR_RNDN

static mpfr_ptr new_real(struct form *f)
{
	struct number {
		mpfr_t value;
	} *number = NEW(f->arena, struct number, 1);
	void *significand = arena_alloc(f->arena, 1, mpfr_custom_get_size(FORM_PRECISION));

	mpfr_custom_init(significand, FORM_PRECISION);
	mpfr_custom_init_set(number->value, MPFR_ZERO_KIND, 0, FORM_PRECISION, significand);
	return number->value;
}

/* A new number, set by `set`, an expression over `out`. */
#define RETURN_NEW(set) \
	do { \
		mpfr_ptr out = new_real(f); \
		(void)(set); \
		return out; \
	} while (0)

real r_num(struct form *f, double x) { RETURN_NEW(mpfr_set_d(out, x, R)); }
real r_add(struct form *f, real a, real b) { RETURN_NEW(mpfr_add(out, a, b, R)); }
real r_sub(struct form *f, real a, real b) { RETURN_NEW(mpfr_sub(out, a, b, R)); }
real r_mul(struct form *f, real a, real b) { RETURN_NEW(mpfr_mul(out, a, b, R)); }
real r_div(struct form *f, real a, real b) { RETURN_NEW(mpfr_div(out, a, b, R)); }
real r_neg(struct form *f, real a) { RETURN_NEW(mpfr_neg(out, a, R)); }
real r_times(struct form *f, double x, real a) { RETURN_NEW(mpfr_mul_d(out, a, x, R)); }
real r_plus(struct form *f, real a, double x) { RETURN_NEW(mpfr_add_d(out, a, x, R)); }
real r_pow(struct form *f, real a, int n) { RETURN_NEW(mpfr_pow_si(out, a, n, R)); }
real r_sqrt(struct form *f, real a) { RETURN_NEW(mpfr_sqrt(out, a, R)); }
real r_pi(struct form *f) { RETURN_NEW(mpfr_const_pi(out, R)); }
real r_fn(struct form *f, int (*fn)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t), real a) { RETURN_NEW(fn(out, a, R)); }

real r_root(struct form *f, real (*g)(struct form *f, real x, const real *parameter), const real *parameter, double low,
    double high)
{
	real a = r_num(f, low), b = r_num(f, high);

	for (int bit = 0; bit < FORM_PRECISION; bit++) {
		real middle = r_times(f, 0.5, r_add(f, a, b));

		if (mpfr_sgn(g(f, middle, parameter)) < 0)
			a = middle;
		else
			b = middle;
	}
	return a;
}
