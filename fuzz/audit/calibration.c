/*
 * calibration.c: how much of the ball correct engines use.  It measures the distribution of |answer - truth| over the
 * tight and the loose radius on random cases, by engine, request and dtype.  A ball that no engine leaves may be far
 * too large; this measures how large it is.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "graph/heap.h"
#include "fuzz/bench/bench.h"

/* The kind of a component: a primal result of any request, or a derivative of a request of that kind. */
enum request_kind { KIND_PRIMAL, KIND_JVP, KIND_VJP, KIND_SECOND, KIND_THIRD, KIND_BATCH, KIND_COUNT };
static const char *const kind_names[KIND_COUNT] = {"primal", "jvp", "vjp", "order 2", "order 3", "batch"};

/* Bins for ratios from 2^-LOWEST on, a factor of 2^(1/PER_OCTAVE) apart.  A percentile is the upper end of its bin, so
 * it is off by at most 4 %. */
enum { PER_OCTAVE = 16, LOWEST = 80, OCTAVES = 90, BINS = OCTAVES * PER_OCTAVE, DTYPES = 4 };
static const enum dtype floats[DTYPES] = {DTYPE_F64, DTYPE_F32, DTYPE_F16, DTYPE_BF16};

/* The median relative radius of f64 must not be above this. */
static const double F64_MEDIAN = 1e-13;

struct histogram {
	int64_t n, zero; /* all ratios; those that are 0 */
	double most;
	int64_t bin[BINS];
};

struct distribution {
	int64_t sure, sure_exact;      /* components whose radius is 0; those that the answer meets exactly */
	struct histogram tight, loose; /* error over radius; loose: only where that radius is finite */
};

struct calibration {
	struct audit *self;
	struct bench bench;
	int64_t cases, skipped, outside;
	/* [engine, then all engines][kind][dtype] */
	struct distribution (*part)[KIND_COUNT][DTYPES];
	struct histogram radius[DTYPES]; /* of derivative components away from kinks: tight radius over |value| */
};

/* ---- histograms ---- */

static void add(struct histogram *h, double x)
{
	int bin;

	h->n++;
	h->most = fmax(h->most, x);
	if (x == 0) {
		h->zero++;
		return;
	}
	bin = (int)ceil((log2(x) + LOWEST) * PER_OCTAVE);
	h->bin[bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin]++;
}

static void merge(struct histogram *into, const struct histogram *h)
{
	into->n += h->n;
	into->zero += h->zero;
	into->most = fmax(into->most, h->most);
	for (int i = 0; i < BINS; i++)
		into->bin[i] += h->bin[i];
}

/* The value that a share p of all ratios does not exceed. */
static double percentile(const struct histogram *h, double p)
{
	int64_t rank = (int64_t)ceil(p * (double)h->n), seen = h->zero;

	if (seen >= rank)
		return 0;
	for (int i = 0; i < BINS; i++) {
		seen += h->bin[i];
		if (seen >= rank)
			return fmin(exp2((double)i / PER_OCTAVE - LOWEST), h->most);
	}
	return h->most;
}

/* ---- one component ---- */

static int dtype_number(enum dtype d)
{
	for (int i = 0; i < DTYPES; i++)
		if (floats[i] == d)
			return i;
	return -1;
}

static enum request_kind kind_of(const struct testcase *c)
{
	int order = request_order(c->transform, c->n_transform);

	if (order < c->n_transform)
		return KIND_BATCH;
	return order > 2                            ? KIND_THIRD
	    : order == 2                            ? KIND_SECOND
	    : c->transform[0].kind == TRANSFORM_JVP ? KIND_JVP
	                                            : KIND_VJP;
}

/* Counts a decided component.  False: the answer is outside the loose ball. */
static bool measure(struct distribution *d, const struct component *c, double got)
{
	double error = fabs((got - c->value) - c->low);

	if (isnan(got))
		return c->escapes || !c->in_domain;
	if (c->tight == 0) {
		d->sure++;
		d->sure_exact += error == 0;
		return error <= component_radius(c, got);
	}
	add(&d->tight, error / c->tight);
	if (isfinite(c->loose))
		add(&d->loose, error / c->loose);
	return error <= component_radius(c, got) || (c->escapes && isinf(got));
}

static void measure_tensors(struct calibration *s, int engine, enum request_kind kind, const struct testcase *c,
    const struct truth_tensor *want, const struct tensor *got, int n)
{
	for (int k = 0; k < n; k++) {
		int d = dtype_number(want[k].type.dtype);

		if (d < 0 || !type_equal(&want[k].type, &got[k].type))
			continue;
		for (int e = 0; e < shape_elements(&want[k].type.shape); e++) {
			const struct component *x = &want[k].at[e];

			if (x->reason != REASON_NONE || !isfinite(x->value))
				continue;
			if (measure(&s->part[engine][kind][d], x, got[k].at[e].f))
				continue;
			s->outside++;
			audit_broken(s->self, c, engine_names[engine],
			    "case %lld, %s %d, element %d: expected %.17g, returned %.17g, radius %.3g",
			    (long long)s->cases, kind_names[kind], k, e, x->value, got[k].at[e].f, x->loose);
		}
	}
}

static void measure_radii(struct calibration *s, const struct truth_point *p)
{
	for (int k = 0; k < p->n_derivative; k++) {
		const struct truth_tensor *t = &p->derivative[0][k];
		int d = dtype_number(t->type.dtype);

		for (int e = 0; d >= 0 && e < shape_elements(&t->type.shape); e++)
			if (t->at[e].reason == REASON_NONE && t->at[e].tight > 0 && t->at[e].value != 0 &&
			    isfinite(t->at[e].value))
				add(&s->radius[d], t->at[e].tight / fabs(t->at[e].value));
	}
}

static void try_case(void *context, int64_t number, const struct testcase *c, struct arena *a)
{
	struct calibration *s = context;
	struct truth truth;

	(void)number;
	oracle_truth(s->bench.oracle, c, a, &truth);
	for (int k = 0; k < truth.n_point; k++)
		if (!truth.point[k].kink)
			measure_radii(s, &truth.point[k]);
	for (int e = 0; e < s->bench.n_engine; e++) {
		struct answer *answer = NEW(a, struct answer, c->n_point);

		engine_answer(s->bench.engine[e], c, a, answer);
		for (int k = 0; k < truth.n_point; k++) {
			const struct truth_point *p = &truth.point[k];

			if (answer[k].status != ANSWER_OK || answer[k].n_primal != p->n_primal ||
			    answer[k].n_derivative != p->n_derivative)
				continue;
			measure_tensors(s, e, KIND_PRIMAL, c, p->primal, answer[k].primal, p->n_primal);
			if (p->n_derivative && !p->kink)
				measure_tensors(
				    s, e, kind_of(c), c, p->derivative[0], answer[k].derivative, p->n_derivative);
		}
	}
	s->cases++;
}

/* ---- the report ---- */

static void add_all_engines(struct calibration *s)
{
	int all = s->bench.n_engine;

	for (int e = 0; e < all; e++)
		for (int k = 0; k < KIND_COUNT; k++)
			for (int d = 0; d < DTYPES; d++) {
				struct distribution *into = &s->part[all][k][d], *from = &s->part[e][k][d];

				into->sure += from->sure;
				into->sure_exact += from->sure_exact;
				merge(&into->tight, &from->tight);
				merge(&into->loose, &from->loose);
			}
}

static void put_histogram(struct json_writer *w, const char *key, const struct histogram *h)
{
	json_member_object(w, key, JSON_FLOW);
	json_member_integer(w, "n", h->n);
	json_member_integer(w, "zero", h->zero);
	json_member_decimal(w, "p50", percentile(h, 0.5));
	json_member_decimal(w, "p90", percentile(h, 0.9));
	json_member_decimal(w, "p99", percentile(h, 0.99));
	json_member_decimal(w, "p99.9", percentile(h, 0.999));
	json_member_decimal(w, "max", h->most);
	json_end(w);
}

static void put_part(
    struct json_writer *w, const char *engine, const char *kind, enum dtype dtype, const struct distribution *d)
{
	if (!d->sure && !d->tight.n)
		return;
	json_begin_object(w, JSON_BLOCK);
	json_member_string(w, "engine", engine);
	json_member_string(w, "of", kind);
	json_member_string(w, "dtype", dtype_table[dtype].name);
	json_member_integer(w, "radius_0", d->sure);
	json_member_integer(w, "radius_0_met", d->sure_exact);
	put_histogram(w, "tight", &d->tight);
	put_histogram(w, "loose", &d->loose);
	json_end(w);
}

static void report(struct calibration *s)
{
	struct json_writer *w = audit_json(s->self);
	int all = s->bench.n_engine;

	add_all_engines(s);
	json_member_integer(w, "judged", s->cases);
	json_member_integer(w, "skipped", s->skipped);
	json_member_integer(w, "outside", s->outside);
	json_member_object(w, "relative_radius", JSON_BLOCK);
	for (int d = 0; d < DTYPES; d++)
		put_histogram(w, dtype_table[floats[d]].name, &s->radius[d]);
	json_end(w);
	json_member_array(w, "error", JSON_BLOCK);
	for (int e = 0; e <= all; e++)
		for (int k = 0; k < KIND_COUNT; k++)
			for (int d = 0; d < DTYPES; d++)
				put_part(
				    w, e < all ? engine_names[e] : "*", kind_names[k], floats[d], &s->part[e][k][d]);
	json_end(w);

	audit_line(s->self, "cases", "%8lld  (%lld skipped)", (long long)s->cases, (long long)s->skipped);
	audit_line(s->self, "outside the loose ball", "%8lld", (long long)s->outside);
	for (int d = 0; d < DTYPES; d++)
		audit_line(s->self, "relative radius", "%-5s median %8.2g  99 %% %8.2g  (%lld components)",
		    dtype_table[floats[d]].name, percentile(&s->radius[d], 0.5), percentile(&s->radius[d], 0.99),
		    (long long)s->radius[d].n);
	audit_line(s->self, "error over the tight radius", "%-8s %-5s %10s %8s %8s %8s %8s %8s %8s", "", "",
	    "components", "exact", "median", "90 %", "99 %", "99.9 %", "most");
	for (int k = 0; k < KIND_COUNT; k++)
		for (int d = 0; d < DTYPES; d++) {
			const struct histogram *h = &s->part[all][k][d].tight;

			if (h->n)
				audit_line(s->self, "", "%-8s %-5s %10lld %6.1f %% %8.2g %8.2g %8.2g %8.2g %8.2g",
				    kind_names[k], dtype_table[floats[d]].name, (long long)h->n,
				    100 * (double)h->zero / (double)h->n, percentile(h, 0.5), percentile(h, 0.9),
				    percentile(h, 0.99), percentile(h, 0.999), h->most);
		}
}

void audit_calibration(struct audit *self)
{
	struct oracle_options options = audit_oracle_options(self, 1 << 20);
	struct calibration s = {.self = self};
	struct error e = {0};
	int n = 0;

	while (engine_names[n])
		n++;
	s.part = heap_new((size_t)n + 1, sizeof *s.part);
	if (!bench_open(&s.bench, engine_names, n, &options, &e)) {
		audit_broken(self, NULL, "engines", "%s", e.text);
		free(s.part);
		return;
	}
	s.skipped = audit_each_case(self, try_case, &s);
	report(&s);
	if (s.radius[0].n && !(percentile(&s.radius[0], 0.5) <= F64_MEDIAN))
		audit_broken(self, NULL, "relative radius", "the median of f64 is %.3g, above %.3g",
		    percentile(&s.radius[0], 0.5), F64_MEDIAN);
	bench_close(&s.bench);
	free(s.part);
}
