/*
 * fixed_point.c: fixed points.
 *
 * For meaning `solution` the oracle does not follow any engine's iterations. It iterates x* to the precision of the
 * evaluation on a trace that is then taken back. x* stands in the trace as leaves. The body is then put into the trace
 * many times in a chain, each copy at x*. A sweep over the chain sums the Neumann series of (1 - df/dx)^-1. So the
 * derivative of the implicit function needs no solver. README.md says how the ball changes.
 */
#include "graph/walk.h"
#include "internal.h"
#include "oracles/oracle_rules.h"
#include "double_of.h"

#include <limits.h>
#include <math.h>

#define R MPFR_RNDN

enum {
	CHAIN_SCALARS = 1 << 18,  /* limit of the chain of bodies; beyond it, the solution is undecided */
	CHAIN_ELEMENTS = 1 << 20, /* limit of all values in the chain, integers and moves included; as LIMIT_WORK */
	START_BITS = 40,          /* the contraction is measured from a distance of 2^-START_BITS */
	FLOOR_BITS = 20,          /* changes up to this far above the last bit may be rounding errors, */
	STALE = 8                 /* if this many steps have brought no smaller change */
};

/* Iterations that gain one bit if the contraction factor is 0.9. A slower fixed point is undecided. */
static const double slowest = 6.58;

struct solver {
	struct evaluation_run *r;
	const struct node *node;
	const struct region *body;
	/* [body->n_node] The carries depend on the node; nodes that only end the iteration have no part in x*. */
	bool *live;
	int64_t cost;     /* the most elements that one body makes */
	int total;        /* elements of all carries */
	int x, next;      /* the first of `total` scalars: the iterate, and room for its successor */
	double *residual; /* [total] how far the iterate may be from x* */
	double largest;   /* the largest element of any iterate so far */
	int n_frozen, next_frozen;
};

/* ---- the body ---- */

/* The number of values that one execution makes. It saturates well above what is affordable. */
static int64_t cost_of(const struct program *p, const struct region *region)
{
	int64_t total = 1;
	for (int i = 0; i < region->n_node && total < LIMIT_WORK; i++) {
		const struct node *node = &region->node[i];
		total++;
		for (int k = 0; k < node->n_out; k++)
			total += shape_elements(&p->type[node->out + k].shape);
		for (int k = 0; k < node->n_region; k++)
			total += node_executions(p, node) * cost_of(p, &node->region[k]);
	}
	return total;
}

static void find_live(struct solver *s)
{
	bool *used = NEW(s->r->arena, bool, s->r->p->n_value);
	s->live = NEW(s->r->arena, bool, s->body->n_node);
	for (int k = 0; k < s->node->n_arg; k++)
		used[s->body->result[k]] = true;
	for (int i = s->body->n_node - 1; i >= 0; i--) {
		const struct node *node = &s->body->node[i];
		for (int k = 0; k < node->n_out; k++)
			s->live[i] |= used[node->out + k];
		for (int k = 0; k < node->n_arg && s->live[i]; k++)
			used[node->arg[k]] = true;
		for (int k = 0; k < node->n_region && s->live[i]; k++)
			region_mark_reads(&node->region[k], used);
	}
}

/* Every execution of the body freezes, or reads, the same values. Those of the last execution at the point remain,
 * which is at x*. */
static void thaw(struct solver *s)
{
	if (s->r->ev->freeze)
		s->r->ev->next_frozen = s->next_frozen;
	else
		s->r->ev->n_frozen = s->n_frozen;
}

/* Executes the body once: all of it, or only its live nodes. */
static void run_body(struct solver *s, const struct elements *carry, bool whole)
{
	for (int k = 0; k < s->node->n_arg; k++)
		s->r->env[s->body->param + k] = carry[k];
	for (int i = 0; i < s->body->n_node; i++)
		if (whole || s->live[i])
			evaluate_node(s->r, &s->body->node[i]);
}

static void take_results(struct solver *s, struct elements *carry)
{
	for (int k = 0; k < s->node->n_arg; k++)
		carry[k] = s->r->env[s->body->result[k]];
}

static void take_initial(struct solver *s, struct elements *carry)
{
	for (int k = 0; k < s->node->n_arg; k++)
		carry[k] = s->r->env[s->node->arg[k]];
}

/* The scalars of a set of carries, in order. */
static void scalars_of(const struct solver *s, const struct elements *carry, int *out)
{
	for (int k = 0, i = 0; k < s->node->n_arg; k++)
		for (int e = 0; e < shape_elements(&s->r->p->type[s->node->arg[k]].shape); e++)
			out[i++] = carry[k].at[e].scalar;
}

/* The carries that consist of these scalars. */
static void carries_of(const struct solver *s, const int *scalar, struct elements *carry)
{
	for (int k = 0, i = 0; k < s->node->n_arg; k++) {
		int n = shape_elements(&s->r->p->type[s->node->arg[k]].shape);
		carry[k] = elements_new(s->r, n, false);
		for (int e = 0; e < n; e++)
			carry[k].at[e].scalar = scalar[i++];
	}
}

/* ---- a trace that is taken back ---- */

struct trace_mark {
	int n_scalar, n_parent;
	uint64_t path;
	int64_t n_event;
	bool edge;
};

static struct trace_mark trace_mark(const struct evaluation *ev)
{
	return (struct trace_mark){ev->n_scalar, ev->n_parent, ev->path, ev->n_event, ev->edge};
}

static void forget_events(struct evaluation *ev, const struct trace_mark *m)
{
	ev->path = m->path;
	ev->n_event = m->n_event;
	ev->edge = m->edge;
}

static void take_back(struct evaluation *ev, const struct trace_mark *m)
{
	forget_events(ev, m);
	ev->n_scalar = m->n_scalar;
	ev->n_parent = m->n_parent;
}

/* ---- the solution ---- */

/*
 * Replaces the iterate that begins at scalar x by the result of the body. Gives the largest change, each element
 * measured in its scale; infinity if a value is NaN or no patience is left. residual[] is a bound on the distance from
 * x* of an iterate that goes on converging like this.
 */
static double step(struct solver *s, int x, const double *scale, double *residual)
{
	struct evaluation *ev = s->r->ev;
	struct arena_mark memory = arena_mark(s->r->arena);
	struct trace_mark mark = trace_mark(ev);
	struct elements carry[LIMIT_ARGS] = {{0}};
	int *scalar = NEW(s->r->arena, int, s->total);
	double change = 0;
	for (int i = 0; i < s->total; i++)
		scalar[i] = x + i;
	carries_of(s, scalar, carry);
	thaw(s);
	run_body(s, carry, false);
	take_results(s, carry);
	scalars_of(s, carry, scalar);
	for (int i = 0; i < s->total; i++)
		mpfr_set(ev->value[s->next + i], ev->value[scalar[i]], R);
	ev->patience -= ev->n_scalar - mark.n_scalar + s->cost / 4;
	take_back(ev, &mark);
	arena_rewind(s->r->arena, memory);
	for (int i = 0; i < s->total; i++) {
		mpfr_sub(ev->value[x + i], ev->value[s->next + i], ev->value[x + i], R);
		double moved = fabs(double_of(ev->value[x + i]));
		residual[i] = 16 * moved; /* moved * L/(1 - L), for L up to 0.9, plus a margin */
		moved /= scale[i];
		change = moved > change || isnan(moved) ? moved : change;
		mpfr_swap(ev->value[x + i], ev->value[s->next + i]);
		if (isnan(change))
			break;
	}
	return isnan(change) || ev->patience < 0 ? INFINITY : change;
}

/* The scale of each element: its own size, but at least a small part of the largest iterate so far. */
static void measure(struct solver *s, double *scale)
{
	const struct evaluation *ev = s->r->ev;
	for (int i = 0; i < s->total; i++)
		s->largest = fmax(s->largest, fabs(double_of(ev->value[s->x + i])));
	for (int i = 0; i < s->total; i++)
		scale[i] = fmax(fmax(fabs(double_of(ev->value[s->x + i])), ldexp(s->largest, -START_BITS)), 0x1p-900);
}

/*
 * Iterates from the initial carries to the precision of the evaluation, or until only rounding errors are left. An
 * element that cancels to 0 keeps the rounding errors of its terms. False if that takes too long or does not converge.
 */
static bool solve(struct solver *s)
{
	struct evaluation *ev = s->r->ev;
	int bits = (int)ev->precision, limit = 2 * (int)(slowest * bits), stale = 0;
	double *scale = NEW(s->r->arena, double, s->total), least = INFINITY;
	for (int t = 0; t < limit; t++) {
		measure(s, scale);
		double change = step(s, s->x, scale, s->residual);
		if (change == INFINITY ||
		    isinf(s->largest)) /* beyond the range of double nothing can be measured here */
			return false;
		stale = change < least ? 0 : stale + 1;
		least = fmin(least, change);
		if (change > ldexp(1, 4 - bits) && (stale < STALE || change > ldexp(1, START_BITS + FLOOR_BITS - bits)))
			continue;
		for (int i = 0; i < s->total; i++) {
			s->residual[i] += ldexp(s->largest, 8 - bits);
			/* At 2560 bits, the last ones lie below the range of double. */
			int last = s->largest > 0 ? ilogb(s->largest) + 9 - bits : INT_MIN,
			    all = s->residual[i] > 0 ? ilogb(s->residual[i]) + 1 : INT_MIN;
			ev->residual_exponent = ev->residual_exponent > last ? ev->residual_exponent : last;
			ev->residual_exponent = ev->residual_exponent > all ? ev->residual_exponent : all;
		}
		return true;
	}
	return false;
}

double evaluate_part(int i, uint32_t stream)
{
	uint32_t h = (uint32_t)i * 2654435761u + stream; /* Knuth's multiplicative hash, TAOCP volume 3, 6.4 */
	h = (h ^ h >> 15) * 2246822519u;
	double size = 0.5 + (h >> 8 & 0xffff) * 0x1p-17;
	return h >> 31 ? size : -size;
}

/*
 * How many bodies a chain needs so that errors vanish along it; 0 if points beside x* return to it too slowly or not
 * at all.
 *
 * The iterates themselves do not show that, because they may lie on x* from the start. So a point beside x* is
 * iterated back. x* is known to its residual only, so the point starts farther away than that.
 */
static int chain_length(struct solver *s)
{
	struct evaluation *ev = s->r->ev;
	struct trace_mark mark = trace_mark(ev);
	int bits = (int)ev->precision, shrink = bits - START_BITS - FLOOR_BITS - 4, y = ev->n_scalar, t = 0;
	double *scale = NEW(s->r->arena, double, s->total), *unused = NEW(s->r->arena, double, s->total);
	bool near = false;
	int away, next_frozen = s->next_frozen;
	measure(s, scale);
	for (int i = 0; i < s->total; i++) {
		scale[i] = fmax(ldexp(scale[i], -START_BITS), ldexp(s->residual[i], shrink));
		trace_leaf(ev, ev->scalar[s->x + i].dtype, evaluate_part(i, 0x9e3779b9u) * scale[i]);
		mpfr_add(ev->value[y + i], ev->value[y + i], ev->value[s->x + i], R);
	}
	/* The hooks belong to an evaluation at the point. It has just frozen the values that must now be read. */
	ev->freeze = true;
	s->next_frozen = s->n_frozen;
	away = trace_leaf(ev, DTYPE_F64, 0);
	for (; t < (int)(slowest * shrink) && !near; t++) {
		if (step(s, y, scale, unused) == INFINITY)
			break;
		near = true;
		for (int i = 0; i < s->total && near; i++) {
			mpfr_sub(ev->value[away], ev->value[y + i], ev->value[s->x + i], R);
			near = fabs(double_of(ev->value[away])) <= ldexp(scale[i], -shrink);
		}
	}
	ev->freeze = false;
	s->next_frozen = next_frozen;
	take_back(ev, &mark);
	return near ? (int)(ev->rules->neumann * (t * bits / shrink + 4)) : 0;
}

/* ---- an engine's iteration ---- */

/* After how many steps an engine may stop, and how far its iterate may be from x* then. */
struct stop {
	int fewest, most;
	double *distance; /* [total] the largest distance so far; NULL: not asked for */
};

static void follow(struct solver *s, struct stop *stop)
{
	struct evaluation *ev = s->r->ev;
	struct trace_mark mark = trace_mark(ev);
	struct elements carry[LIMIT_ARGS] = {{0}};
	int *scalar = NEW(s->r->arena, int, s->total), cap = s->node->attrs.cap;
	take_initial(s, carry);
	for (int t = 1; t <= cap && !stop->most; t++) {
		thaw(s);
		run_body(s, carry, true);
		take_results(s, carry);
		const struct elements *done = &s->r->env[s->body->result[s->node->n_arg]];
		bool sure = !element_shaky(done, 0);
		if (!stop->fewest && (done->at[0].i || !sure || t == cap))
			stop->fewest = t;
		if ((done->at[0].i && sure) || t == cap)
			stop->most = t;
		if (!stop->fewest || !stop->distance)
			continue;
		scalars_of(s, carry, scalar);
		mpfr_ptr gap = ev->value[s->next];
		for (int i = 0; i < s->total; i++) {
			mpfr_sub(gap, ev->value[scalar[i]], ev->value[s->x + i], R);
			/* Doubled, because the ball is of first order in its radius, and this radius may be large. */
			double far = 2 * fabs(double_of(gap)) + trace_radius(ev, scalar[i]);
			stop->distance[i] = far > stop->distance[i] || isnan(far) ? far : stop->distance[i];
		}
	}
	take_back(ev, &mark);
}

/* ---- the results ---- */

static void give(struct solver *s, const struct elements *carry)
{
	for (int k = 0; k < s->node->n_arg; k++)
		s->r->env[s->node->out + k] = carry[k];
}

/* The iterations that an engine executes. */
static void unroll(struct solver *s)
{
	struct stop stop = {0};
	struct elements carry[LIMIT_ARGS] = {{0}};
	follow(s, &stop);
	int steps = stop.most - stop.fewest < s->r->ev->late ? stop.most : stop.fewest + s->r->ev->late;
	if (stop.most - stop.fewest > s->r->ev->latest)
		s->r->ev->latest = stop.most - stop.fewest;
	take_initial(s, carry);
	for (int t = 0; t < steps; t++) {
		thaw(s);
		run_body(s, carry, false);
		take_results(s, carry);
	}
	give(s, carry);
}

/*
 * Puts a chain of `length` bodies into the trace, each at x*. An engine knows their parameters up to distance[].
 * Decisions count once. length 0: x* is unknown, and so is its dependence on the initial carries. One body then shows
 * what else it depends on.
 */
static void put_chain(struct solver *s, int length, const double *distance)
{
	struct evaluation *ev = s->r->ev;
	struct elements carry[LIMIT_ARGS] = {{0}};
	struct trace_mark after = {0};
	int *scalar = NEW(s->r->arena, int, s->total), *parent = NEW(s->r->arena, int, s->total);
	enum dtype *dtype = NEW(s->r->arena, enum dtype, s->total);
	for (int i = 0; i < s->total; i++)
		dtype[i] = ev->scalar[s->x + i].dtype;
	ev->n_scalar = s->x; /* the iterate, where it stands, becomes the first parameters */
	take_initial(s, carry);
	scalars_of(s, carry, parent);
	for (int i = 0; i < s->total; i++)
		scalar[i] = trace_fixed_point(
		    ev, dtype[i], s->x + i, length ? -1 : parent[i], length ? distance[i] : INFINITY);
	for (int t = 0; t < length || !t; t++) {
		int before = ev->n_scalar;
		carries_of(s, scalar, carry);
		thaw(s);
		run_body(s, carry, false);
		take_results(s, carry);
		scalars_of(s, carry, parent);
		if (!t)
			after = trace_mark(ev);
		if (!t && s->cost * length > CHAIN_ELEMENTS)
			length = 0;
		if (!t && (int64_t)(ev->n_scalar - before + s->total) * length > CHAIN_SCALARS - ev->n_scalar)
			length = 0;
		forget_events(ev, &after);
		for (int i = 0; i < s->total; i++)
			scalar[i] = trace_fixed_point(
			    ev, dtype[i], s->x + i, parent[i], length ? distance[i] : INFINITY);
	}
	carries_of(s, scalar, carry);
	give(s, carry);
}

static void evaluate_solution(struct evaluation_run *r, const struct node *node)
{
	struct evaluation *ev = r->ev;
	struct solver s = {
	    .r = r, .node = node, .body = &node->region[0], .n_frozen = ev->n_frozen, .next_frozen = ev->next_frozen};
	/* Without hooks nobody asks for derivatives. Within the search for another solution, nobody asks for those
	 * of this one. */
	bool heard = ev->hooks.settled && !ev->quiet, quiet = ev->quiet;
	struct elements carry[LIMIT_ARGS] = {{0}};
	struct stop stop = {0};
	int length, *scalar;
	find_live(&s);
	s.cost = cost_of(r->p, s.body);
	for (int k = 0; k < node->n_arg; k++)
		s.total += shape_elements(&r->p->type[node->arg[k]].shape);
	if (ev->unrolled) {
		unroll(&s);
		return;
	}
	scalar = NEW(r->arena, int, s.total);
	take_initial(&s, carry);
	scalars_of(&s, carry, scalar);
	ev->quiet = true;
	s.x = ev->n_scalar;
	for (int i = 0; i < s.total; i++) {
		int leaf = trace_leaf(ev, ev->scalar[scalar[i]].dtype, 0); /* moves ev->value */

		mpfr_set(ev->value[leaf], ev->value[scalar[i]], R);
	}
	s.next = ev->n_scalar;
	for (int i = 0; i < s.total; i++)
		trace_leaf(ev, ev->scalar[scalar[i]].dtype, 0);
	s.residual = NEW(r->arena, double, s.total);
	length = solve(&s);
	if (length && heard)
		length = chain_length(&s);
	ev->quiet = quiet;
	if (!length && !heard)
		for (int i = 0; i < s.total; i++)
			mpfr_set_nan(ev->value[s.x + i]);
	stop.distance = s.residual;
	if (length && heard)
		follow(&s, &stop);
	put_chain(&s, length, stop.distance);
}

static void evaluate_steps(struct evaluation_run *r, const struct node *node)
{
	struct solver s = {.r = r, .node = node, .body = &node->region[0]};
	struct elements carry[LIMIT_ARGS] = {{0}};
	bool done = false;
	take_initial(&s, carry);
	for (int t = 0; t < node->attrs.cap && !done; t++) {
		run_body(&s, carry, true);
		take_results(&s, carry);
		done = evaluate_decide(r, &r->env[s.body->result[node->n_arg]]) != 0;
	}
	give(&s, carry);
}

void evaluate_fixed_point(struct evaluation_run *r, const struct node *node)
{
	(node->attrs.meaning == MEANING_SOLUTION ? evaluate_solution : evaluate_steps)(r, node);
}
