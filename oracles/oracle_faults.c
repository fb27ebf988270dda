/* oracle_faults.c: each fault is an edit of a copy of the right rules. */
#include "oracle_rules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "oracles/analytic/internal.h"
#include "oracles/ball/rules.h"
#include "oracles/evaluate/scalar_ops.h"

#define R MPFR_RNDN

/* ---- which ops ---- */

static bool in_list(enum op op, const enum op *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == op)
			return true;
	return false;
}

#define IN_LIST(op, ...) \
	in_list(op, (const enum op[]){__VA_ARGS__}, sizeof((const enum op[]){__VA_ARGS__}) / sizeof(enum op))

static bool is_NONE(enum op op) { return (void)op, false; }
static bool is_PAIRS(enum op op)
{
	return IN_LIST(op, OP_SUB, OP_MUL, OP_CUMPROD, OP_DIV, OP_MOD, OP_POW, OP_ATAN2, OP_MATMUL);
}

static bool is_TWINS(enum op op)
{
	return unary_rule_of(op) || is_PAIRS(op) ||
	    IN_LIST(op, OP_ADD, OP_NEG, OP_REDUCE_SUM, OP_REDUCE_MEAN, OP_NORM, OP_LOGSUMEXP);
}

static bool is_PARTIALS(enum op op)
{
	return is_TWINS(op) ||
	    IN_LIST(op, OP_ABS, OP_CAST, OP_MAX, OP_MIN, OP_REDUCE_MAX, OP_REDUCE_MIN, OP_FIXED_POINT);
}

static bool is_FORMULAS(enum op op) { return is_PARTIALS(op) && op != OP_FIXED_POINT; }
static bool is_EDGES(enum op op) { return trace_edge_rules[op][0].factor || trace_edge_rules[op][1].factor; }
static bool is_EDGE_PAIRS(enum op op) { return is_PAIRS(op) && is_EDGES(op); }

/* ---- faulty seams ---- */

static bool scaled_partial(
    const struct evaluation *ev, struct note *note, int k, int j, struct shared *shared, struct partial *out)
{
	bool connected = ball_partial(ev, note, k, j, shared, out);
	if (ev->scalar[k].op == ev->rules->edited)
		mpfr_mul_d(out->value, out->value, 1 + 0x1p-30, R);
	return connected;
}

static bool swapped_partial(
    const struct evaluation *ev, struct note *note, int k, int j, struct shared *shared, struct partial *out)
{
	return ball_partial(ev, note, k, ev->scalar[k].op == ev->rules->edited ? j ^ 1 : j, shared, out);
}

static bool lost_partial(
    const struct evaluation *ev, struct note *note, int k, int j, struct shared *shared, struct partial *out)
{
	return ball_partial(ev, note, k, j, shared, out) && ev->scalar[k].op != ev->rules->edited;
}

static bool widened_partial(
    const struct evaluation *ev, struct note *note, int k, int j, struct shared *shared, struct partial *out)
{
	bool connected = ball_partial(ev, note, k, j, shared, out);
	if (ev->scalar[k].op == ev->rules->edited)
		out->loose += 1e-3 * out->magnitude;
	return connected;
}

static bool partial_of_short_norm(
    const struct evaluation *ev, struct note *note, int k, int j, struct shared *shared, struct partial *out)
{
	bool connected = ball_partial(ev, note, k, j, shared, out);
	if (ev->scalar[k].op == OP_NORM) {
		int n = ev->scalar[k].n_parent;
		double terms = out->magnitude * (n / 2) * ev->dtype[ev->scalar[k].dtype].unit;
		out->tight = fmax(0, out->tight - terms);
		out->loose = fmax(0, out->loose - terms);
	}
	return connected;
}

static bool scaled_value(const struct evaluation *ev, enum op op, mpfr_ptr out, mpfr_srcptr const *x, int n)
{
	bool exact = scalar_value(op, out, x, n);
	if (op != ev->rules->edited)
		return exact;
	mpfr_mul_d(out, out, 1 + 0x1p-40, R);
	return false;
}

static bool any_path(const struct evaluation *ev, uint64_t path) { return (void)ev, (void)path, true; }

static int scaled_factor(struct derivation *d, int k, const int *parent, int j)
{
	enum op op = trace_op_of(d, k);
	const struct edge_rule *right = &trace_edge_rules[op][j > 0 && trace_edge_rules[op][1].factor];
	int one = right->how == EDGE_SAME || right->how == EDGE_NEGATED ? -1 : right->factor(d, k, parent, j);
	return trace_scaled(d, one);
}

static int swapped_factor(struct derivation *d, int k, const int *parent, int j)
{
	const struct edge_rule *rule = trace_edge_rules[trace_op_of(d, k)];
	return rule[j == 0 && rule[1].factor].factor(d, k, parent, j ^ 1);
}

static void divide(struct truth_tensor *t, int n, double by)
{
	for (int i = 0; i < n; i++)
		for (int e = 0; e < shape_elements(&t[i].type.shape); e++) {
			t[i].at[e].tight /= by;
			t[i].at[e].loose /= by;
		}
}

static void divided_truth(
    struct analytic *self, const struct testcase *c, int which, struct arena *a, struct truth_point *out, double by)
{
	analytic_truth(self, c, which, a, out);
	divide(out->primal, out->n_primal, by);
	for (int k = 0; k < out->n_assignment; k++)
		divide(out->derivative[k], out->n_derivative, by);
}

static void halved_truth(
    struct analytic *self, const struct testcase *c, int which, struct arena *a, struct truth_point *out)
{
	divided_truth(self, c, which, a, out, 2);
}

/* Halves the slack for other formulas. Less would not be seen: measured engines use a third of the slack. */
static void slackless_truth(
    struct analytic *self, const struct testcase *c, int which, struct arena *a, struct truth_point *out)
{
	divided_truth(self, c, which, a, out, 2 * BALL_FLOW_SLACK);
}

static void inflated_truth(
    struct analytic *self, const struct testcase *c, int which, struct arena *a, struct truth_point *out)
{
	analytic_truth(self, c, which, a, out);
	if (c->n_transform > 1)
		return;
	for (int k = 0; k < out->n_assignment; k++)
		for (int i = 0; i < out->n_derivative; i++)
			for (int e = 0; e < shape_elements(&out->derivative[k][i].type.shape); e++)
				out->derivative[k][i].at[e].loose *= 1e6;
}

static void inflated_primal(
    struct analytic *self, const struct testcase *c, int which, struct arena *a, struct truth_point *out)
{
	analytic_truth(self, c, which, a, out);
	divide(out->primal, out->n_primal, 1e-6);
}

static void excusing_truth(
    struct analytic *self, const struct testcase *c, int which, struct arena *a, struct truth_point *out)
{
	analytic_truth(self, c, which, a, out);
	for (int k = 0; k < out->n_assignment; k++)
		for (int i = 0; i < out->n_derivative; i++)
			for (int e = 0; e < shape_elements(&out->derivative[k][i].type.shape); e++)
				out->derivative[k][i].at[e].in_domain = false;
}

static void cornerless_truth(
    struct analytic *self, const struct testcase *c, int which, struct arena *a, struct truth_point *out)
{
	analytic_truth(self, c, which, a, out);
	if (out->hull)
		out->hull->n_corner = 0;
}

static void open_truth(
    struct analytic *self, const struct testcase *c, int which, struct arena *a, struct truth_point *out)
{
	cornerless_truth(self, c, which, a, out);
	for (int k = 0; out->hull && k < out->hull->n_component; k++) {
		out->hull->low[k] = -INFINITY;
		out->hull->high[k] = INFINITY;
	}
}

/* The truth by the faulty rules where `there` holds, by the right ones elsewhere. */
static void truth_there(
    struct analytic *self, bool there, const struct testcase *c, int which, struct arena *a, struct truth_point *out)
{
	const struct oracle_rules *planted = self->ev.rules, *rules = there ? planted->there : &oracle_rules_right;
	bool flushes[DTYPE_COUNT];
	memcpy(flushes, self->flushes, sizeof flushes);
	analytic_use(self, rules, flushes);
	rules->truth(self, c, which, a, out);
	analytic_use(self, planted, flushes);
}

static void truth_of_slices(
    struct analytic *self, const struct testcase *c, int which, struct arena *a, struct truth_point *out)
{
	truth_there(self, self->ev.slices, c, which, a, out);
}

static void truth_of_stacks(
    struct analytic *self, const struct testcase *c, int which, struct arena *a, struct truth_point *out)
{
	truth_there(self, c->n_transform > 1, c, which, a, out);
}

/* ---- planting ---- */

/* Copies of the rules and of the tables that they point to. */
struct planting {
	struct oracle_rules rules, there; /* there: the rules of a fault that concerns some requests only */
	struct edge_rule edge[OP_COUNT][2], inside[OP_COUNT][2];
	struct dtype_info values[DTYPE_COUNT], dtype[DTYPE_COUNT], sums[DTYPE_COUNT];
};

typedef void plant_fn(struct planting *p);

static void plant_partial_scaled(struct planting *p) { p->rules.partial = scaled_partial; }
static void plant_partial_swapped(struct planting *p) { p->rules.partial = swapped_partial; }
static void plant_partial_lost(struct planting *p) { p->rules.partial = lost_partial; }
static void plant_partial_widened(struct planting *p) { p->rules.partial = widened_partial; }
static void plant_norm_radius_short(struct planting *p) { p->rules.partial = partial_of_short_norm; }
static void plant_loose_inflated(struct planting *p) { p->rules.truth = inflated_truth; }
static void plant_value_inflated(struct planting *p) { p->rules.truth = inflated_primal; }
static void plant_nan_excused(struct planting *p) { p->rules.truth = excusing_truth; }
static void plant_reach_lost(struct planting *p) { p->rules.reach = false; }
static void plant_hull_open(struct planting *p) { p->rules.truth = open_truth; }
static void plant_corners_lost(struct planting *p) { p->rules.truth = cornerless_truth; }
static void plant_twin_scaled(struct planting *p) { p->rules.value = scaled_value; }

static void scale_edges(struct edge_rule row_of[2])
{
	for (int which = 0; which < 2; which++) {
		struct edge_rule *row = &row_of[which];
		if (!row->factor)
			continue;
		row->factor = scaled_factor;
		row->how = row->how == EDGE_SAME ? EDGE_TIMES : row->how == EDGE_NEGATED ? EDGE_MINUS_TIMES : row->how;
	}
}

static void plant_edge_scaled(struct planting *p) { scale_edges(p->edge[p->rules.edited]); }
static void plant_inside_scaled(struct planting *p) { scale_edges(p->inside[p->rules.edited]); }
static void plant_captures_move(struct planting *p) { p->rules.captures = false; }
static void plant_custom_unchecked(struct planting *p) { p->rules.custom = 0; }
static void plant_custom_linear_lost(struct planting *p) { p->rules.custom &= ~(unsigned)CUSTOM_LINEAR; }
static void plant_custom_guards_lost(struct planting *p) { p->rules.custom &= ~(unsigned)CUSTOM_GUARDS; }
static void plant_custom_second_lost(struct planting *p) { p->rules.custom &= ~(unsigned)CUSTOM_SECOND; }
static void plant_custom_ties_lost(struct planting *p) { p->rules.custom &= ~(unsigned)CUSTOM_TIES; }
static void plant_custom_errors_lost(struct planting *p) { p->rules.custom &= ~(unsigned)CUSTOM_ERRORS; }

static void plant_edge_negated(struct planting *p)
{
	static const enum edge_how other[] = {[EDGE_SAME] = EDGE_NEGATED,
	    [EDGE_NEGATED] = EDGE_SAME,
	    [EDGE_TIMES] = EDGE_MINUS_TIMES,
	    [EDGE_MINUS_TIMES] = EDGE_TIMES,
	    [EDGE_OVER] = EDGE_MINUS_OVER,
	    [EDGE_MINUS_OVER] = EDGE_OVER};
	for (int which = 0; which < 2; which++)
		p->edge[p->rules.edited][which].how = other[p->edge[p->rules.edited][which].how];
}

static void plant_edge_swapped(struct planting *p)
{
	struct edge_rule *row = p->edge[p->rules.edited];
	enum edge_how how = row[0].how;
	if (row[1].factor) {
		row[0].how = row[1].how;
		row[1].how = how;
		row[1].factor = swapped_factor;
	}
	row[0].factor = swapped_factor;
}

static void plant_alternative_lost(struct planting *p) { p->rules.ways = 1; }
static void plant_alternatives_wide(struct planting *p) { p->rules.margin = 1000; }
static void plant_convention_lost(struct planting *p) { p->rules.conventions = 2; }
static void plant_neumann_short(struct planting *p) { p->rules.neumann = 0.25; }
static void plant_path_lost(struct planting *p) { p->rules.same_path = any_path; }
static void plant_freeze_lost(struct planting *p) { p->rules.freeze = false; }
static void plant_radius_halved(struct planting *p) { p->rules.truth = halved_truth; }

static void plant_underflow_lost(struct planting *p)
{
	for (int d = 0; d < DTYPE_COUNT; d++)
		p->dtype[d].tiny = 0;
}

static void plant_flushing_lost(struct planting *p) { p->rules.flushes = false; }

/* Restricts the planted fault to the requests that `truth` selects. */
static void narrow(struct planting *p,
    void (*truth)(struct analytic *, const struct testcase *, int, struct arena *, struct truth_point *))
{
	p->there = p->rules;
	p->rules = oracle_rules_right;
	p->rules.there = &p->there;
	p->rules.truth = truth;
}

static void plant_second_radius_lost(struct planting *p)
{
	p->rules.truth = slackless_truth;
	narrow(p, truth_of_stacks);
}

static void plant_second_underflow_lost(struct planting *p)
{
	for (int d = 0; d < DTYPE_COUNT; d++)
		p->values[d].tiny = 0;
	narrow(p, truth_of_stacks);
}

static void plant_batch_partial_scaled(struct planting *p)
{
	p->rules.edited = OP_MUL;
	plant_partial_scaled(p);
	narrow(p, truth_of_slices);
}

static void plant_batch_partial_swapped(struct planting *p)
{
	p->rules.edited = OP_SUB;
	plant_partial_swapped(p);
	narrow(p, truth_of_slices);
}

static void plant_batch_radius_halved(struct planting *p)
{
	plant_radius_halved(p);
	narrow(p, truth_of_slices);
}

static void plant_batch_underflow_lost(struct planting *p)
{
	plant_underflow_lost(p);
	for (int d = 0; d < DTYPE_COUNT; d++)
		p->values[d].tiny = 0;
	narrow(p, truth_of_slices);
}

static void plant_fan_in_lost(struct planting *p)
{
	for (int d = 0; d < DTYPE_COUNT; d++)
		p->sums[d].unit = 0;
}

static const struct planted_fault {
	const char *name, *caught, *meaning;
	bool (*about)(enum op op);
	plant_fn *plant;
} faults[] = {
#define FAULT(plant, name, ops, caught, meaning) {name, caught, meaning, is_##ops, plant_##plant},
#include "oracle_faults.def"
#undef FAULT
};
enum { FAULTS = sizeof faults / sizeof *faults };

bool oracle_fault_row(int i, struct arena *a, struct oracle_fault *out)
{
	for (int k = 0; k < FAULTS; k++) {
		const struct planted_fault *f = &faults[k];
		*out = (struct oracle_fault){f->name, f->meaning, f->caught};
		if (f->about == is_NONE && i-- == 0)
			return true;
		for (int op = 0; op < OP_COUNT; op++)
			if (f->about((enum op)op) && i-- == 0) {
				out->name = arena_printf(a, "%s:%s", f->name, op_table[op].name);
				return true;
			}
	}
	return false;
}

const struct oracle_rules *oracle_fault_plant(const char *name, struct arena *a, struct error *e)
{
	const char *colon = strchr(name, ':');
	size_t len = colon ? (size_t)(colon - name) : strlen(name);
	int op = colon ? op_find(colon + 1) : OP_COUNT;
	for (int k = 0; k < FAULTS; k++) {
		const struct planted_fault *f = &faults[k];
		if (strlen(f->name) != len || strncmp(f->name, name, len))
			continue;
		if ((f->about == is_NONE) == (colon != NULL) || (colon && (op < 0 || !f->about((enum op)op)))) {
			error_set(e, NULL, "'%s': %s", name,
			    f->about == is_NONE ? "this fault takes no op"
			                        : "this fault needs an op that it can be planted in: FAULT:OP");
			return NULL;
		}
		struct planting *p = NEW(a, struct planting, 1);
		p->rules = oracle_rules_right;
		memcpy(p->edge, trace_edge_rules, sizeof p->edge);
		memcpy(p->inside, trace_edge_rules, sizeof p->inside);
		memcpy(p->values, dtype_table, sizeof p->values);
		memcpy(p->dtype, dtype_table, sizeof p->dtype);
		memcpy(p->sums, dtype_table, sizeof p->sums);
		p->rules.edge = (const struct edge_rule(*)[2])p->edge;
		p->rules.inside = (const struct edge_rule(*)[2])p->inside;
		p->rules.values = p->values;
		p->rules.dtype = p->dtype;
		p->rules.sums = p->sums;
		p->rules.edited = (enum op)op;
		f->plant(p);
		return &p->rules;
	}
	error_set(e, NULL, "no fault '%s' ('adjudge audit --faults' lists them)", name);
	return NULL;
}
