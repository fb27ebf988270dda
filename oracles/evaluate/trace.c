/* trace.c: the trace: a list of scalars that grows, and the memory that it keeps. */
#include "internal.h"
#include "reuse.h"
#include "graph/heap.h"
#include "graph/random.h"
#include "oracles/oracle_rules.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define R MPFR_RNDN

/* Work of a scalar's ball and of its class (alike.c). */
enum { BALL_WORK = 400 };
/* Work of a scalar that was known before, and of a copy of one. */
enum { KNOWN_WORK = 30, COPY_WORK = 60 };

/* ---- pools ---- */

/* Grows *array to hold n elements. */
static void grow(void *array, int *room, int n, size_t size)
{
	if (n <= *room)
		return;
	int next = *room ? *room : 256;
	while (next < n)
		next *= 2;
	*(void **)array = heap_resize(*(void **)array, (size_t)next, size);
	*room = next;
}

void evaluation_open(struct evaluation *ev, const struct oracle_rules *rules)
{
	memset(ev, 0, sizeof *ev);
	ev->precision = 128;
	ev->rules = rules;
	ev->dtype = dtype_table;
	grow(&ev->parent, &ev->parent_room, 1,
	    sizeof *ev->parent); /* a scalar without parents still has a place there */
}

void evaluation_close(struct evaluation *ev)
{
	for (int k = 0; k < ev->pool_ready; k++)
		mpfr_clear(ev->value[k]);
	for (int k = 0; k < ev->frozen_ready; k++)
		mpfr_clear(ev->frozen[k]);
	free(ev->scalar);
	free(ev->value);
	free(ev->parent);
	free(ev->frozen);
	free(ev->masked);
	free(ev->ending);
	free(ev->computed);
	memset(ev, 0, sizeof *ev);
}

/* Clears the values from `kept` on.  Returns how many are left. */
static int clear_surplus(mpfr_t *value, int ready, int kept)
{
	while (ready > kept)
		mpfr_clear(value[--ready]);
	return ready;
}

void evaluation_trim(struct evaluation *ev, int kept)
{
	if (ev->scalar_room > kept) {
		ev->pool_ready = clear_surplus(ev->value, ev->pool_ready, kept);
		ev->scalar_room = kept;
		ev->scalar = heap_resize(ev->scalar, (size_t)kept, sizeof *ev->scalar);
		ev->value = heap_resize(ev->value, (size_t)kept, sizeof *ev->value);
		ev->n_scalar = 0;
	}
	if (ev->computed_room > kept) {
		ev->computed_room = kept;
		ev->computed = heap_resize(ev->computed, (size_t)kept, sizeof *ev->computed);
		ev->n_computed = ev->n_computed < kept ? ev->n_computed : kept;
	}
	if (ev->parent_room > 4 * kept) {
		ev->parent_room = 4 * kept;
		ev->parent = heap_resize(ev->parent, (size_t)ev->parent_room, sizeof *ev->parent);
	}
	if (ev->frozen_room > EVALUATION_KEPT_RARE) {
		ev->frozen_ready = clear_surplus(ev->frozen, ev->frozen_ready, EVALUATION_KEPT_RARE);
		ev->frozen_room = EVALUATION_KEPT_RARE;
		ev->frozen = heap_resize(ev->frozen, EVALUATION_KEPT_RARE, sizeof *ev->frozen);
		ev->n_frozen = 0;
	}
}

static void reserve_scalars(struct evaluation *ev, int n)
{
	int room = ev->scalar_room;
	grow(&ev->scalar, &room, n, sizeof *ev->scalar);
	grow(&ev->value, &ev->scalar_room, n, sizeof *ev->value);
}

void evaluation_fill(struct evaluation *ev, int kept, mpfr_prec_t widest)
{
	reserve_scalars(ev, kept);
	grow(&ev->parent, &ev->parent_room, 4 * kept, sizeof *ev->parent);
	for (; ev->pool_ready < kept; ev->pool_ready++)
		mpfr_init2(ev->value[ev->pool_ready], widest);
	reuse_reserve(ev, kept);
}

void evaluation_touch(struct evaluation *ev)
{
	memset(ev->scalar, 0, (size_t)ev->scalar_room * sizeof *ev->scalar);
	memset(ev->parent, 0, (size_t)ev->parent_room * sizeof *ev->parent);
}

/* ---- the trace ---- */

/* Whether no hook is called for scalars. */
static bool is_quiet(const struct evaluation *ev) { return ev->quiet || !ev->hooks.scalar; }

/* Makes room for scalar k, the next one, and its value. */
static void make_room(struct evaluation *ev, int k)
{
	if (k + 1 > ev->scalar_room)
		reserve_scalars(ev, k + 1);
	if (k >= ev->pool_ready) {
		mpfr_init2(ev->value[k], ev->precision);
		ev->pool_ready = k + 1;
	} else if (mpfr_get_prec(ev->value[k]) != ev->precision) {
		mpfr_set_prec(ev->value[k], ev->precision);
		reuse_changed(ev, k);
	}
}

/* A new scalar of n parents whose value is not set yet. */
static int new_scalar(struct evaluation *ev, enum op op, enum op kind, enum dtype d, int n)
{
	int k = ev->n_scalar;
	work_take(ev->work, work_of(op, ev->precision, n) + (ev->hooks.scalar ? BALL_WORK : 0), k + 1, ev->arena);
	ev->known = 0;
	ev->same = false;
	make_room(ev, k);
	ev->n_scalar = k + 1;
	ev->scalar[k] = (struct scalar){.op = op,
	    .kind = kind,
	    .dtype = d,
	    .exact = true,
	    .part = ev->part,
	    .derivations = ev->derivations,
	    .quiet = is_quiet(ev),
	    .derived = ev->part == TRACE_FLOW,
	    .moves = ev->quiet || ev->part != TRACE_PROGRAM,
	    .parent = ev->n_parent};
	return k;
}

static void announce(struct evaluation *ev, int k)
{
	if (!is_quiet(ev))
		ev->hooks.scalar(ev->hooks.self, ev, k);
}

/* Gives the last scalar its parents. */
static void take_parents(struct evaluation *ev, const int *parent, int n)
{
	grow(&ev->parent, &ev->parent_room, ev->n_parent + n, sizeof *ev->parent);
	for (int j = 0; j < n; j++)
		ev->parent[ev->n_parent + j] = parent[j];
	ev->n_parent += n;
	ev->scalar[ev->n_scalar - 1].n_parent = n;
}

/* Whether the next scalar is known: the last evaluation left it here, and the same ones before it. */
static bool is_known(const struct evaluation *ev, enum op op, enum op kind, enum dtype d, const int *parent, int n)
{
	const struct scalar *s;
	if (ev->n_scalar >= ev->known)
		return false;
	s = &ev->scalar[ev->n_scalar];
	return s->op == op && s->kind == kind && s->dtype == d && s->part == ev->part && s->quiet == is_quiet(ev) &&
	    s->derivations == ev->derivations && s->n_parent == n && s->parent == ev->n_parent &&
	    (!n || !memcmp(ev->parent + s->parent, parent, (size_t)n * sizeof *parent));
}

/* Appends the next scalar, which is known. What later scalars note in it is taken back. */
static int append_known(struct evaluation *ev)
{
	struct scalar *s = &ev->scalar[ev->n_scalar];
	work_take(ev->work, KNOWN_WORK, ev->n_scalar + 1, ev->arena);
	s->left_alone = 0;
	s->divided = false;
	ev->n_parent += s->n_parent;
	return ev->n_scalar++;
}

/* Computes the value of scalar k, the last one. */
static void compute(struct evaluation *ev, int k, enum op op, const int *parent, int n)
{
	mpfr_srcptr few[8], *x = few;
	if (n > 8)
		x = NEW(ev->arena, mpfr_srcptr, n);
	for (int j = 0; j < n; j++)
		x[j] = ev->value[parent[j]];
	ev->scalar[k].exact = ev->rules->value(ev, op, ev->value[k], x, n);
	reuse_note(ev, k, op, parent, n, ev->scalar[k].exact);
}

/* Whether short moves of the operands leave the value as it is. Where they do not, at the edge of a step, the op has
 * noted an edge already. */
static bool is_step(enum op op)
{
	switch ((int)op) {
	case OP_FLOOR:
	case OP_CEIL:
	case OP_TRUNC:
	case OP_ROUND:
	case OP_SIGN:
	case OP_FLOOR_DIVIDE:
	case OP_STOP_GRADIENT: /* each evaluation has the value at the point */
		return true;
	default:
		return false;
	}
}

/* Notes whether scalar k moves: with its parents, unless it is a step. A choice may depend on more than its parents. */
static void note_moves(struct evaluation *ev, int k, const int *parent, int n)
{
	struct scalar *s = &ev->scalar[k];

	s->moves |= s->op == OP_SELECT;
	for (int j = 0; j < n && !s->moves && !is_step(s->op); j++)
		s->moves = ev->scalar[parent[j]].moves;
}

int trace_scalar(struct evaluation *ev, enum op op, enum op kind, enum dtype d, const int *parent, int n)
{
	if (is_known(ev, op, kind, d, parent, n))
		return append_known(ev);
	int k = new_scalar(ev, op, kind, d, n);
	for (int j = 0; j < n; j++)
		assert(parent[j] >= 0 && parent[j] < k); /* the trace is in order of execution */
	take_parents(ev, parent, n);
	for (int j = 0; j < n && (ev->part == TRACE_FORMULA || ev->quiet); j++)
		ev->scalar[k].derived |= ev->scalar[parent[j]].derived;
	note_moves(ev, k, parent, n);
	if (!reuse_value(ev, k, op, parent, n, &ev->scalar[k].exact))
		compute(ev, k, op, parent, n);
	announce(ev, k);
	return k;
}

/* Whether the value is x, the sign of 0 included. */
static bool is_double(mpfr_srcptr value, double x)
{
	return !isnan(x) && !mpfr_nan_p(value) && !mpfr_cmp_d(value, x) && !mpfr_signbit(value) == !signbit(x);
}

/* Whether place k may hold the value that a leaf needs. */
static bool holds_leaf(const struct evaluation *ev, int k) { return !ev->hooks.scalar && k < ev->n_computed; }

int trace_leaf(struct evaluation *ev, enum dtype d, double x)
{
	if (is_known(ev, OP_CONSTANT, OP_CONSTANT, d, NULL, 0) && is_double(ev->value[ev->n_scalar], x))
		return append_known(ev);
	int k = new_scalar(ev, OP_CONSTANT, OP_CONSTANT, d, 0);
	if (!holds_leaf(ev, k) || !is_double(ev->value[k], x)) {
		mpfr_set_d(ev->value[k], x, R);
		reuse_changed(ev, k);
	}
	announce(ev, k);
	return k;
}

static bool is_integer(mpfr_srcptr value, int64_t i)
{
	return !mpfr_nan_p(value) && !mpfr_cmp_si(value, (long)i) && (i || !mpfr_signbit(value));
}

int trace_leaf_real(struct evaluation *ev, enum dtype d, void (*set)(mpfr_ptr x))
{
	int k = new_scalar(ev, OP_CONSTANT, OP_CONSTANT, d, 0);
	set(ev->value[k]);
	reuse_changed(ev, k);
	announce(ev, k);
	return k;
}

int trace_leaf_integer(struct evaluation *ev, enum dtype d, int64_t i)
{
	if (is_known(ev, OP_CONSTANT, OP_CONSTANT, d, NULL, 0) && is_integer(ev->value[ev->n_scalar], i))
		return append_known(ev);
	int k = new_scalar(ev, OP_CONSTANT, OP_CONSTANT, d, 0);
	if (!holds_leaf(ev, k) || !is_integer(ev->value[k], i)) {
		mpfr_set_si(ev->value[k], (long)i, R);
		reuse_changed(ev, k);
	}
	announce(ev, k);
	return k;
}

int trace_sorted(struct evaluation *ev, enum dtype d, const int *parent, int n, int rank)
{
	if (is_known(ev, OP_SORT, OP_SORT, d, parent, n) && ev->scalar[ev->n_scalar].rank == rank)
		return append_known(ev);
	int k = new_scalar(ev, OP_SORT, OP_SORT, d, n);
	take_parents(ev, parent, n);
	mpfr_set(ev->value[k], ev->value[parent[rank]], R);
	reuse_changed(ev, k);
	ev->scalar[k].rank = rank;
	ev->scalar[k].moves = true;
	announce(ev, k);
	return k;
}

int trace_fixed_point(struct evaluation *ev, enum dtype d, int from, int parent, double radius)
{
	int k = new_scalar(ev, OP_FIXED_POINT, OP_FIXED_POINT, d, 1);
	take_parents(ev, &parent, parent >= 0);
	if (k != from)
		mpfr_set(ev->value[k], ev->value[from], R);
	reuse_changed(ev, k);
	ev->scalar[k].exact = false;
	ev->scalar[k].moves = true;
	announce(ev, k);
	if (ev->hooks.settled && !ev->quiet)
		ev->hooks.settled(ev->hooks.self, k, radius);
	return k;
}

double trace_radius(const struct evaluation *ev, int k)
{
	return ev->hooks.radius && !ev->quiet ? ev->hooks.radius(ev->hooks.self, k) : 0;
}

int trace_uncertain(struct evaluation *ev, enum dtype d, const int *parent, int n, int because)
{
	int k = trace_scalar(ev, OP_SELECT, OP_SELECT, d, parent, n);
	if (ev->hooks.uncertain && !ev->quiet)
		ev->hooks.uncertain(ev->hooks.self, ev, k, because);
	return k;
}

int trace_together(struct evaluation *ev, enum dtype d, const int *parent, int n, int group)
{
	const int k = trace_scalar(ev, OP_SELECT, OP_SELECT, d, parent, n);

	ev->scalar[k].group = group;
	if (ev->hooks.uncertain)
		ev->hooks.uncertain(ev->hooks.self, ev, k, -1);
	return k;
}

int trace_either(struct evaluation *ev, enum dtype d, int a, int b)
{
	const int parent[2] = {a, b};
	if (a == b)
		return a;
	int k = trace_uncertain(ev, d, parent, 2, -1);
	for (int j = 0; ev->both && j < 2; j++) /* an engine may mask either */
		trace_masked(ev, parent[j], k);
	return k;
}

/*
 * A step of the running hash. It depends on order, value and number of decisions. Otherwise small decisions could lead
 * back to a state from which another sequence starts. After the same decisions, the next one must be of the same
 * place: an event that is noted on some paths alone would make the events of two paths equal.
 */
void trace_event(struct evaluation *ev, int64_t decision)
{
	ev->path = random_mix(
	    ev->path * RANDOM_STEP + (uint64_t)decision + 0xd1342543de82ef95u * (uint64_t)++ev->n_event);
}

void trace_edge(struct evaluation *ev, bool equal, int a, int b)
{
	ev->edge |= equal && (ev->scalar[a].moves || (b >= 0 && ev->scalar[b].moves));
}

bool trace_separated(const struct evaluation *ev, int a, int b, double bound)
{
	return !ev->hooks.separated || ev->quiet || ev->hooks.separated(ev->hooks.self, ev, a, b, bound);
}

int trace_extremum(struct evaluation *ev, enum op kind, enum dtype d, int sign, int a, int b)
{
	const int parent[2] = {a, b};
	if (a != b) { /* whether they are one scalar follows from the decisions before */
		int order = mpfr_cmp(ev->value[a], ev->value[b]);
		trace_event(ev, order < 0 ? -1 : order > 0);
		trace_edge(ev, order == 0, a, b);
	}
	return trace_scalar(ev, sign > 0 ? OP_MAX : OP_MIN, kind, d, parent, 2);
}

int trace_extremum_of(struct evaluation *ev, enum op kind, enum dtype d, int sign, const int *parent, int n)
{
	int best = 0, ties = 0;
	if (n == 1 && !mpfr_nan_p(ev->value[*parent]))
		return *parent;
	for (int k = 1; k < n; k++) {
		int order = mpfr_cmp(ev->value[parent[k]], ev->value[parent[best]]) * sign;
		if (order > 0)
			best = k, ties = 0;
		else if (order == 0 && parent[k] != parent[best])
			ties++;
	}
	if (n > 1)
		trace_event(ev, (int64_t)best * 65536 + ties);
	for (int k = 0; ties && k < n; k++)
		trace_edge(ev, mpfr_equal_p(ev->value[parent[k]], ev->value[parent[best]]), parent[k], -1);
	return trace_scalar(ev, sign > 0 ? OP_REDUCE_MAX : OP_REDUCE_MIN, kind, d, parent, n);
}

void trace_masked(struct evaluation *ev, int from, int to)
{
	if (!ev->hooks.scalar || ev->quiet || from == to)
		return;
	if (ev->n_masked == ev->masked_room) {
		ev->masked_room = ev->masked_room ? 2 * ev->masked_room : 64;
		ev->masked = heap_resize(ev->masked, (size_t)ev->masked_room, sizeof *ev->masked);
	}
	ev->masked[ev->n_masked++] = (struct masked_path){from, to};
}

/* Appends scalar `from` once more. Its parents from `inner` on move by `shift`. */
static void append_copy(struct evaluation *ev, int from, int inner, int shift)
{
	int k = ev->n_scalar++;
	make_room(ev, k);
	ev->scalar[k] = ev->scalar[from];
	ev->scalar[k].parent = ev->n_parent;
	for (int j = 0; j < ev->scalar[from].n_parent; j++) {
		int parent = ev->parent[ev->scalar[from].parent + j];
		ev->parent[ev->n_parent++] = parent < inner ? parent : parent + shift;
	}
	mpfr_set(ev->value[k], ev->value[from], R);
	ev->hooks.copied(ev->hooks.self, k, from);
}

void trace_repeat(struct evaluation *ev, int inner, int first, int first_masked, int times)
{
	const int n = ev->n_scalar - first, n_masked = ev->n_masked - first_masked,
	          n_parent = ev->n_parent - ev->scalar[first].parent;
	for (int t = 1; t <= times; t++) {
		work_take(ev->work, (int64_t)n * COPY_WORK, ev->n_scalar + n, ev->arena);
		grow(&ev->parent, &ev->parent_room, ev->n_parent + n_parent, sizeof *ev->parent);
		for (int i = 0; i < n; i++)
			append_copy(ev, first + i, inner, t * n);
		for (int i = 0; i < n_masked; i++) {
			const struct masked_path path = ev->masked[first_masked + i];
			trace_masked(ev, path.from < inner ? path.from : path.from + t * n,
			    path.to < inner ? path.to : path.to + t * n);
		}
	}
}

/* ---- a trace that is taken back ---- */

struct trace_mark trace_mark(const struct evaluation *ev)
{
	return (struct trace_mark){ev->n_scalar, ev->n_parent, ev->path, ev->n_event, ev->edge};
}

void trace_forget_events(struct evaluation *ev, const struct trace_mark *m)
{
	ev->path = m->path;
	ev->n_event = m->n_event;
	ev->edge = m->edge;
}

void trace_take_back(struct evaluation *ev, const struct trace_mark *m)
{
	trace_forget_events(ev, m);
	ev->n_scalar = m->n_scalar;
	ev->n_parent = m->n_parent;
}
