/*
 * fixed_point.c: fixed points.
 *
 * For meaning `solution` the oracle does not follow any engine's iterations. It iterates x* to the precision of the
 * evaluation on a trace that is then taken back. x* stands in the trace as leaves. The body is then put into the trace
 * many times in a chain, each copy at x*. A sweep over the chain sums the Neumann series of (1 - df/dx)^-1. So the
 * derivative of the implicit function needs no solver. README.md says how the ball changes.
 */
#include "graph/heap.h"
#include "graph/walk.h"
#include "body.h"
#include "oracles/oracle_rules.h"
#include "reuse.h"
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

/* ---- the body ---- */

/* Executes the live nodes of the body, or those that only end the iteration. */
static void run_nodes(struct solver *s, bool live)
{
	for (int i = 0; i < s->body->n_node; i++)
		if (s->live[i] == live)
			evaluate_node(s->r, &s->body->node[i]);
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
	body_thaw(s);
	body_set_parameters(s, carry);
	run_nodes(s, true);
	body_take_results(s, carry);
	body_scalars(s, carry, scalar);
	for (int i = 0; i < s->total; i++) {
		mpfr_set(ev->value[s->next + i], ev->value[scalar[i]], R);
		reuse_changed(ev, s->next + i);
		reuse_changed(ev, x + i);
	}
	ev->patience -= ev->n_scalar - mark.n_scalar + s->cost / 4;
	s->top = 0;
	for (int k = mark.n_scalar; k < ev->n_scalar; k++)
		if (mpfr_number_p(ev->value[k]))
			s->top = fmax(s->top, fabs(double_of(ev->value[k])));
	trace_take_back(ev, &mark);
	arena_rewind(s->r->arena, memory);
	for (int i = 0; i < s->total; i++) {
		mpfr_sub(ev->value[x + i], ev->value[s->next + i], ev->value[x + i], R);
		double moved = fabs(double_of(ev->value[x + i]));
		residual[i] = 16 * moved; /* moved * L/(1 - L), for L up to 0.9, plus a margin */
		if (moved == 0 && !mpfr_zero_p(ev->value[x + i])) /* less than the smallest double */
			residual[i] = 0x1p-1070;
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

static void iterate_changed(struct solver *s)
{
	for (int i = 0; i < s->total; i++)
		reuse_changed(s->r->ev, s->x + i);
}

/* The same from the start that the evaluation names, if there is one, else from the initial carries. inner: the search
 * for another solution goes on. */
static bool solve_from_start(struct solver *s, const int *initial, bool inner)
{
	struct evaluation *ev = s->r->ev;
	const int number = inner ? 0 : ev->n_solution++;
	const uint64_t path = ev->path;
	mpfr_t *x = &ev->value[s->x];
	bool found = !inner && ev->from && starts_take(ev->from, ev->across, number, path, x, s->total, &s->largest);
	iterate_changed(s);
	found = found && solve(s);
	if (!found) {
		s->largest = 0;
		for (int i = 0; i < s->total; i++)
			mpfr_set(ev->value[s->x + i], ev->value[initial[i]], R);
		iterate_changed(s);
		found = solve(s);
	}
	if (!inner && ev->to) /* a failure takes its place too */
		starts_keep(ev->to, path, &ev->value[s->x], found ? s->total : 0, s->largest);
	return found;
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
 * iterated back. x* is known to its residual only, so the point starts farther away than that. It also starts so far
 * away that the body does not lose it beside its largest number: x* may be 0 where terms cancel.
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
		scale[i] = fmax(fmax(ldexp(scale[i], -START_BITS), ldexp(s->top, FLOOR_BITS - bits + shrink)),
		    ldexp(s->residual[i], shrink));
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
	trace_take_back(ev, &mark);
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
	body_take_initial(s, carry);
	for (int t = 1; t <= cap && !stop->most; t++) {
		body_thaw(s);
		body_set_parameters(s, carry);
		evaluate_region(s->r, s->body);
		body_take_results(s, carry);
		const struct elements *done = &s->r->env[s->body->result[s->node->n_arg]];
		bool sure = !element_shaky(done, 0);
		if (!stop->fewest && (done->at[0].i || !sure || t == cap))
			stop->fewest = t;
		if ((done->at[0].i && sure) || t == cap)
			stop->most = t;
		if (!stop->fewest || !stop->distance)
			continue;
		body_scalars(s, carry, scalar);
		mpfr_ptr gap = ev->value[s->next];
		for (int i = 0; i < s->total; i++) {
			mpfr_sub(gap, ev->value[scalar[i]], ev->value[s->x + i], R);
			/* Doubled, because the ball is of first order in its radius, and this radius may be large. */
			double far = 2 * fabs(double_of(gap)) + trace_radius(ev, scalar[i]);
			stop->distance[i] = far > stop->distance[i] || isnan(far) ? far : stop->distance[i];
		}
	}
	trace_take_back(ev, &mark);
}

/* ---- the results ---- */

static void give(struct solver *s, const struct elements *carry)
{
	for (int k = 0; k < s->node->n_arg; k++)
		s->r->env[s->node->out + k] = carry[k];
}

/* Whether an engine stops after an iteration. It may, if rounding decides. */
enum stopping { GOES_ON, MAY_STOP, STOPS };

/* What the nodes that only end the iteration found out. */
struct iteration_end {
	enum stopping stopping;
	enum evaluate_status status;
};

/*
 * Whether an engine stops after the iteration whose live nodes were just executed. What the other nodes add to the
 * trace is taken back. While the trace is that of the last evaluation, its answers are known.
 */
static enum stopping stopping_of(struct solver *s)
{
	struct evaluation *ev = s->r->ev;
	struct trace_mark mark = trace_mark(ev);
	struct iteration_end found;
	if (ev->same && ev->next_ending < ev->n_ending) {
		found = ev->ending[ev->next_ending++];
		if (found.status != EVALUATE_OK)
			ev->status = found.status;
		return found.stopping;
	}
	run_nodes(s, false);
	const struct elements *done = &s->r->env[s->body->result[s->node->n_arg]];
	found.stopping = element_shaky(done, 0) ? MAY_STOP : done->at[0].i ? STOPS : GOES_ON;
	found.status = ev->status;
	trace_take_back(ev, &mark);
	ev->n_ending = ev->next_ending++;
	if (ev->n_ending == ev->ending_room) {
		ev->ending_room = ev->ending_room ? 2 * ev->ending_room : 64;
		ev->ending = heap_resize(ev->ending, (size_t)ev->ending_room, sizeof *ev->ending);
	}
	ev->ending[ev->n_ending++] = found;
	return found.stopping;
}

/* The iterations that an engine executes. */
static void unroll(struct solver *s)
{
	struct evaluation *ev = s->r->ev;
	struct elements carry[LIMIT_ARGS] = {{0}};
	const int cap = s->node->attrs.cap;
	bool ended = false;
	body_take_initial(s, carry);
	for (int t = 1, fewest = 0; t <= cap && !ended; t++) {
		body_thaw(s);
		body_set_parameters(s, carry);
		run_nodes(s, true);
		body_take_results(s, carry);
		const enum stopping stopping = stopping_of(s);
		if (!fewest && (stopping != GOES_ON || t == cap))
			fewest = t;
		const bool most = stopping == STOPS || t == cap;
		ended = most || (fewest && t - fewest == ev->late);
		const int latest = !ended ? 0 : most ? t - fewest : ev->late + 1;
		ev->latest = latest > ev->latest ? latest : ev->latest;
	}
	give(s, carry);
}

/* Whether something in the body notes in an operand how often it was executed (struct scalar, left_alone). */
static bool counts_executions(const struct region *body)
{
	for (struct walk w = walk_nodes(body); walk_next(&w);)
		if (w.node->op == OP_SCATTER_MUL)
			return true;
	return false;
}

/*
 * Puts a chain of `length` bodies into the trace, each at x*. An engine knows their parameters up to distance[].
 * Decisions count once. length 0: x* is unknown, and so is its dependence on the initial carries. One body then shows
 * what else it depends on. Each element may depend on all that any of them depends on: a body may exchange its carries.
 */
static void put_chain(struct solver *s, int length, const double *distance)
{
	struct evaluation *ev = s->r->ev;
	struct elements carry[LIMIT_ARGS] = {{0}};
	struct trace_mark after = {0};
	int *scalar = NEW(s->r->arena, int, s->total), *parent = NEW(s->r->arena, int, s->total);
	enum dtype *dtype = NEW(s->r->arena, enum dtype, s->total);
	const bool repeats = ev->hooks.equal && !ev->quiet && s->total > 0 && !counts_executions(s->body);
	for (int i = 0; i < s->total; i++)
		dtype[i] = ev->scalar[s->x + i].dtype;
	ev->n_scalar = s->x; /* the iterate, where it stands, becomes the first parameters */
	body_take_initial(s, carry);
	body_scalars(s, carry, parent);
	for (int i = 0; i < s->total; i++)
		scalar[i] = trace_fixed_point(
		    ev, dtype[i], s->x + i, length ? -1 : parent[i], length ? distance[i] : INFINITY);
	for (int t = 0; t < length || !t; t++) {
		int before = ev->n_scalar, masked = ev->n_masked;
		carries_of(s, scalar, carry);
		body_thaw(s);
		body_set_parameters(s, carry);
		run_nodes(s, true);
		body_take_results(s, carry);
		body_scalars(s, carry, parent);
		if (!t)
			after = trace_mark(ev);
		if (!t && s->cost * length > CHAIN_ELEMENTS)
			length = 0;
		if (!t && (int64_t)(ev->n_scalar - before + s->total) * length > CHAIN_SCALARS - ev->n_scalar)
			length = 0;
		if (!length && s->total > 1) {
			const int any = trace_uncertain(ev, dtype[0], parent, s->total, -1);
			for (int i = 0; i < s->total; i++)
				parent[i] = any;
		}
		trace_forget_events(ev, &after);
		for (int i = 0; i < s->total; i++)
			scalar[i] = trace_fixed_point(
			    ev, dtype[i], s->x + i, parent[i], length ? distance[i] : INFINITY);
		/* If the parameters that a body leaves are as those that it had, all bodies after it are as it is. The
		 * first ones depend on no body. */
		if (t && t + 1 < length && repeats &&
		    ev->hooks.equal(ev->hooks.self, scalar[0], before - s->total, s->total)) {
			int more = length - t - 1, size = ev->n_scalar - before;
			trace_repeat(ev, before - s->total, before, masked, more);
			for (int i = 0; i < s->total; i++)
				scalar[i] += more * size;
			break;
		}
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
	body_find_live(&s);
	s.cost = body_cost(r->p, s.body);
	for (int k = 0; k < node->n_arg; k++)
		s.total += shape_elements(&r->p->type[node->arg[k]].shape);
	if (ev->unrolled) {
		unroll(&s);
		return;
	}
	scalar = NEW(r->arena, int, s.total);
	body_take_initial(&s, carry);
	body_scalars(&s, carry, scalar);
	ev->quiet = true;
	s.x = ev->n_scalar;
	for (int i = 0; i < s.total; i++)
		trace_leaf(ev, ev->scalar[scalar[i]].dtype, 0);
	s.next = ev->n_scalar;
	for (int i = 0; i < s.total; i++)
		trace_leaf(ev, ev->scalar[scalar[i]].dtype, 0);
	s.residual = NEW(r->arena, double, s.total);
	length = solve_from_start(&s, scalar, quiet);
	if (length && heard)
		length = chain_length(&s);
	ev->quiet = quiet;
	if (!length && !heard)
		for (int i = 0; i < s.total; i++)
			mpfr_set_nan(ev->value[s.x + i]);
	iterate_changed(&s);
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
	body_take_initial(&s, carry);
	for (int t = 0; t < node->attrs.cap && !done; t++) {
		body_set_parameters(&s, carry);
		evaluate_region(r, s.body);
		body_take_results(&s, carry);
		done = evaluate_decide(r, &r->env[s.body->result[node->n_arg]]) != 0;
	}
	give(&s, carry);
}

void evaluate_fixed_point(struct evaluation_run *r, const struct node *node)
{
	(node->attrs.meaning == MEANING_SOLUTION ? evaluate_solution : evaluate_steps)(r, node);
}
