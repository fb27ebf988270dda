/*
 * implicit.c: the engine `implicit`, which differentiates solutions by the implicit function theorem.
 *
 * Of x* = f(x*, p) it keeps only x*, however many steps led there.  Let J = df/dx at x*. A vjp solves w = x_bar + J^T w
 * and gives p the cotangent (df/dp)^T w.  A jvp solves dx = J dx + df/dp dp.  Both are solved by iteration, as x* was,
 * and converge where that did.  Everything else is as in `tape`, or `forward` for a jvp.
 */
#include "forward.h"
#include "engines/instance.h"
#include "engines/kernels/kernels.h"
#include "engines/kernels/rounding.h"
#include "tape.h"

#include <math.h>
#include <string.h>

/* Most iterations of one linear solve.  With a contraction of 0.9, they leave 2^-91 of the error. */
enum { SOLVE_LIMIT = 600 };

/* ---- the seams as a correct engine has them ---- */

static double iterate_sum(double cotangent, double pulled) { return cotangent + pulled; }
static bool ends_settled(bool settled) { return settled; }

static bool enters_always(int k, int n)
{
	(void)k, (void)n;
	return true;
}

const struct implicit_rules implicit_right = {iterate_sum, ends_settled, enters_always, iterate_sum};

/* ---- sets of carries ---- */

static struct tensor *new_set(const struct program *p, const struct node *node, struct arena *a)
{
	struct tensor *set = NEW(a, struct tensor, node->n_arg);

	for (int k = 0; k < node->n_arg; k++)
		set[k] = tensor_new(a, &p->type[node->out + k]);
	return set;
}

static void copy_cells(struct tensor *to, const union cell *from)
{
	size_t size = (size_t)shape_elements(&to->type.shape) * sizeof *to->at;

	if (from)
		memcpy(to->at, from, size);
	else
		memset(to->at, 0, size);
}

/* When an iteration ends: once no element moves by more than its rounding, as many iterations run again. */
struct settling {
	int done, settled; /* iterations done; iterations until nothing moved, 0: it still moves */
};

static bool settles(struct settling *s, const struct tensor *before, const struct tensor *after, int n)
{
	bool still = true;

	for (int k = 0; k < n && still; k++)
		for (int i = 0; i < shape_elements(&after[k].type.shape) && still; i++) {
			double moved = fabs(after[k].at[i].f - before[k].at[i].f);

			still = moved <= 4 * dtype_table[after[k].type.dtype].unit * fabs(after[k].at[i].f);
		}
	s->done++;
	if (still && !s->settled)
		s->settled = s->done;
	return s->done >= SOLVE_LIMIT || (s->settled && s->done >= 2 * s->settled);
}

/* ---- on the tape ---- */

/*
 * Executes the body on inactive copies of the carries, and leaves no record.  True when the body says that it is done.
 */
static bool take_step(struct tape *tape, const struct node *node, struct tensor *carry)
{
	const struct region *body = &node->region[0];
	struct record *before = tape->trace->last;

	for (int k = 0; k < node->n_arg; k++)
		tape->variable[body->param + k] = tape_variable(tape, tensor_copy(tape->arena, &carry[k]));
	tape_run(tape, body);
	tape->trace->last = before;
	for (int k = 0; k < node->n_arg; k++)
		copy_cells(&carry[k], tape->variable[body->result[k]]->tensor.at);
	return tape->variable[body->result[node->n_arg]]->tensor.at->i != 0;
}

/*
 * The state before a step.  Its memory is given back, together with anything that a nested op noted for the next time.
 */
struct step_mark {
	struct arena_mark memory;
	struct capture_set **captures;
};

static struct step_mark step_begin(struct tape *tape)
{
	struct step_mark m = {.memory = arena_mark(tape->arena)};

	m.captures = arena_copy(tape->arena, tape->captures, (size_t)tape->program->n_value, sizeof *m.captures);
	return m;
}

static void step_end(struct tape *tape, const struct step_mark *m)
{
	memcpy(tape->captures, m->captures, (size_t)tape->program->n_value * sizeof *m->captures);
	arena_rewind(tape->arena, m->memory);
}

/*
 * Pulls w back through one body at x* = r->arg[0 .. n). pulled[n] becomes J^T w.  With `give`, the contributions to
 * captured values are handed on.  Meanwhile the captured values are inactive copies, so nothing else reaches their
 * adjoints.
 */
static void pull(struct tape *tape, const struct record *r, const struct tensor *w, struct tensor *pulled, bool give)
{
	const struct node *node = r->node;
	const struct region *body = &node->region[0];
	const struct implicit_rules *rules = &tape->rules->implicit;
	int n = node->n_arg, n_captured = r->n_arg - n;
	struct record *before = tape->trace->last;
	struct variable **own = NEW(tape->arena, struct variable *, n + n_captured);

	for (int k = 0; k < r->n_arg; k++) {
		own[k] = tape_variable(tape, r->arg[k]->tensor);
		own[k]->active = r->arg[k]->active;
		own[k]->shared = true;
		tape->variable[k < n ? body->param + k : r->number[k - n]] = own[k];
	}
	tape->trace->last = NULL;
	tape_run(tape, body);
	for (int k = 0; k < n; k++) {
		struct variable *v = tape->variable[body->result[k]];

		if (v->active)
			adjoint_add(tape->rules, &v->tensor.type, &v->adjoint, tensor_copy(tape->arena, &w[k]).at);
	}
	tape_reverse(tape);
	tape->trace->last = before;
	for (int k = 0; k < n; k++)
		copy_cells(&pulled[k], own[k]->adjoint);
	for (int k = n; k < r->n_arg; k++) {
		struct variable *v = r->arg[k];
		const struct type *type = &v->tensor.type;

		tape->variable[r->number[k - n]] = v;
		if (!give || !own[k]->adjoint)
			continue;
		for (int i = 0; i < shape_elements(&type->shape) && v->adjoint; i++)
			v->adjoint[i].f = round_to(type->dtype, rules->join(v->adjoint[i].f, own[k]->adjoint[i].f));
		if (!v->adjoint)
			v->adjoint = own[k]->adjoint;
		v->given = *type;
	}
}

/* Arguments of the record: the results, then what the body captures. */
static void reverse_solution(struct tape *tape, const struct record *r)
{
	const struct implicit_rules *rules = &tape->rules->implicit;
	int n = r->node->n_arg;
	struct tensor *cotangent = new_set(tape->program, r->node, tape->arena), *w, *pulled, *next;
	struct settling s = {0, 0};
	bool any = false, ends = false;

	for (int k = 0; k < n; k++) {
		bool enters = r->arg[k]->adjoint && rules->enters(k, n);

		copy_cells(&cotangent[k], enters ? r->arg[k]->adjoint : NULL);
		any |= enters;
	}
	if (!any)
		return;
	w = new_set(tape->program, r->node, tape->arena);
	next = new_set(tape->program, r->node, tape->arena);
	pulled = new_set(tape->program, r->node, tape->arena);
	for (int k = 0; k < n; k++)
		copy_cells(&w[k], cotangent[k].at);
	while (!ends) {
		struct step_mark mark = step_begin(tape);

		pull(tape, r, w, pulled, false);
		for (int k = 0; k < n; k++)
			for (int i = 0; i < shape_elements(&next[k].type.shape); i++)
				next[k].at[i].f = round_to(
				    next[k].type.dtype, rules->iterate(cotangent[k].at[i].f, pulled[k].at[i].f));
		ends = rules->ends(settles(&s, w, next, n));
		for (int k = 0; k < n; k++)
			copy_cells(&w[k], next[k].at);
		step_end(tape, &mark);
	}
	pull(tape, r, w, pulled, true);
}

/* With other levels, solutions are loops. */
static const struct record_kind solution_kind = {reverse_solution, NULL, NULL};

void implicit_record(struct tape *tape, const struct node *node)
{
	const struct capture_set *c = tape_captures(tape, node);
	struct tensor *carry = new_set(tape->program, node, tape->arena);
	struct record *r = tape_record(tape, &solution_kind, node->n_arg + c->n);
	uint8_t active = 0;
	bool done = false;

	for (int k = 0; k < node->n_arg; k++)
		copy_cells(&carry[k], tape->variable[node->arg[k]]->tensor.at);
	for (int t = 0; t < node->attrs.cap && !done; t++) {
		struct step_mark mark = step_begin(tape);

		done = take_step(tape, node, carry);
		step_end(tape, &mark);
	}
	for (int k = 0; k < c->n; k++) {
		r->arg[node->n_arg + k] = tape->variable[c->value[k]];
		active |= r->arg[node->n_arg + k]->active;
		tape->variable[c->value[k]]->saved = true;
	}
	for (int k = 0; k < node->n_arg; k++) {
		r->arg[k] = tape->variable[node->out + k] = tape_variable(tape, carry[k]);
		r->arg[k]->active = active;
		r->arg[k]->saved = true;
	}
	if (!active)
		return;
	r->node = node;
	r->number = c->value;
	tape_push(tape, r);
}

/* ---- with tangents ---- */

/* Executes the body on `primal` with these tangents; NULL: with none. */
static void push_step(
    struct forward *self, const struct node *node, const struct tensor *primal, const struct tensor *tangent)
{
	const struct region *body = &node->region[0];

	for (int k = 0; k < node->n_arg; k++) {
		self->primal[body->param + k] = primal[k];
		self->tangent[body->param + k] = tangent ? tangent[k] : (struct tensor){.at = NULL};
	}
	forward_run(self, body);
}

void implicit_push(struct forward *self, const struct node *node)
{
	const struct region *body = &node->region[0];
	struct tensor *carry = new_set(self->program, node, self->arena),
	              *next = new_set(self->program, node, self->arena), *tangent;
	bool tracing = self->tracing, done = false;
	struct settling s = {0, 0};

	for (int k = 0; k < node->n_arg; k++)
		copy_cells(&carry[k], self->primal[node->arg[k]].at);
	self->tracing = false;
	for (int t = 0; t < node->attrs.cap && !done; t++) {
		struct arena_mark mark = arena_mark(self->arena);

		push_step(self, node, carry, NULL);
		done = self->primal[body->result[node->n_arg]].at[0].i != 0;
		for (int k = 0; k < node->n_arg; k++)
			copy_cells(&next[k], self->primal[body->result[k]].at);
		for (int k = 0; k < node->n_arg; k++)
			copy_cells(&carry[k], next[k].at);
		arena_rewind(self->arena, mark);
	}
	self->tracing = tracing;
	tangent = new_set(self->program, node, self->arena);
	for (bool ends = !tracing; !ends;) {
		struct arena_mark mark = arena_mark(self->arena);

		push_step(self, node, carry, tangent);
		for (int k = 0; k < node->n_arg; k++)
			copy_cells(&next[k], self->tangent[body->result[k]].at);
		ends = settles(&s, tangent, next, node->n_arg);
		for (int k = 0; k < node->n_arg; k++)
			copy_cells(&tangent[k], next[k].at);
		arena_rewind(self->arena, mark);
	}
	for (int k = 0; k < node->n_arg; k++) {
		self->primal[node->out + k] = carry[k];
		self->tangent[node->out + k] = tracing ? tangent[k] : (struct tensor){.at = NULL};
	}
}

/* ---- the engine ---- */

static bool is_jvp(const struct testcase *c) { return c->n_transform == 1 && c->transform[0].kind == TRANSFORM_JVP; }

static enum answer_status implicit_prepare(
    struct engine *self, const struct testcase *c, struct arena *a, void **state, const char **text)
{
	return (is_jvp(c) ? forward_kind : tape_kind).prepare(self, c, a, state, text);
}

static void implicit_answer(struct engine *self, void *state, const struct testcase *c, int which, struct tensor *point,
    struct arena *a, struct answer *out)
{
	(is_jvp(c) ? forward_kind : tape_kind).answer(self, state, c, which, point, a, out);
}

const struct engine_kind implicit_kind = {
    .name = "implicit",
    .summary = "solutions of fixed points by the implicit function theorem, everything else like tape",
    .modelled_on = "jaxopt and CasADi",
    .jvp = true,
    .vjp = true,
    .order = LIMIT_TRANSFORMS,
    .batch = true,
    .composes = true,
    .solves = true,
    .prepare = implicit_prepare,
    .answer = implicit_answer,
};
