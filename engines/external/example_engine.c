/*
 * example_engine.c: a whole engine behind adjudge_engine.h in 100 lines: forward mode with dual numbers, for f64 scalars
 * and vectors.
 * Build: cc -shared -fPIC -I.. example_engine.c -lm -o example_engine.so
 * Try it: adjudge conform --engine so:./example_engine.so
 */
#include "adjudge_engine.h"
#include <math.h>
#include <stdlib.h>

enum op { NEG, SIN, COS, EXP, LOG, SQRT, TANH, ADD, SUB, MUL, DIV, BROADCAST_TO, RESHAPE, REDUCE_SUM };
static const char *const ops[] = {"neg", "sin", "cos", "exp", "log", "sqrt", "tanh", "add", "sub", "mul", "div", "broadcast_to", "reshape",
    "reduce_sum", NULL};

struct dual {
	double value, tangent;
};

static struct dual apply(enum op op, struct dual a, struct dual b)
{
	double x = a.value, y = b.value, dx = a.tangent, dy = b.tangent, t = tanh(x);

	switch (op) {
	case NEG: return (struct dual){-x, -dx};
	case SIN: return (struct dual){sin(x), cos(x) * dx};
	case COS: return (struct dual){cos(x), -sin(x) * dx};
	case EXP: return (struct dual){exp(x), exp(x) * dx};
	case LOG: return (struct dual){log(x), dx / x};
	case SQRT: return (struct dual){sqrt(x), dx / (2 * sqrt(x))};
	case TANH: return (struct dual){t, dx / (cosh(x) * cosh(x))};
	case ADD: return (struct dual){x + y, dx + dy};
	case SUB: return (struct dual){x - y, dx - dy};
	case MUL: return (struct dual){x * y, dx * y + x * dy};
	case DIV: return (struct dual){x / y, (dx - x / y * dy) / y};
	default: return a;
	}
}

/* One node: out[n] of a[na] and b[nb].  They have n elements too, except in broadcast_to and reduce_sum. */
static void run(enum op op, const struct dual *a, int na, const struct dual *b, struct dual *out, int n)
{
	for (int i = 0; i < n; i++)
		out[i] = op == REDUCE_SUM && n != na ? (struct dual){0, 0} : op == BROADCAST_TO ? a[na == n ? i : 0] : apply(op, a[i], b[i]);
	for (int i = 0; op == REDUCE_SUM && n != na && i < na; i++)
		out[0] = apply(ADD, out[0], a[i]);
}

/* The state: where the elements of each value begin, and then room for all of them. */
static enum adjudge_status prepare(const struct adjudge_case *c, void **state, char text[ADJUDGE_TEXT])
{
	size_t n = 0;
	struct dual **value;

	(void)text;
	for (int v = 0; v < c->n_value; v++)
		n += (size_t)c->type[v].elements;
	*state = value = malloc((size_t)c->n_value * sizeof *value + n * sizeof **value);
	for (int v = 0; v < c->n_value; v++)
		value[v] = v ? value[v - 1] + c->type[v - 1].elements : (struct dual *)(value + c->n_value);
	return ADJUDGE_OK;
}

static enum adjudge_status answer(void *state, const struct adjudge_case *c, int32_t point, struct adjudge_answer *out, char text[ADJUDGE_TEXT])
{
	struct dual **value = state;
	const struct adjudge_region *top = &c->region[0];

	(void)text;
	for (int k = 0; k < top->n_param; k++)
		for (int i = 0; i < c->type[k].elements; i++)
			value[k][i] = (struct dual){c->point[point][k][i].f, 0};
	for (int k = 0; c->n_level && k < c->level[0].n_wrt; k++)
		for (int i = 0; i < c->level[0].seed_type[k].elements; i++)
			value[c->level[0].wrt[k]][i].tangent = c->level[0].seed[k][i].f;
	for (const struct adjudge_node *node = c->node; node < c->node + c->n_node; node++) {
		const struct dual *a = value[node->n_arg ? node->arg[0] : 0], *b = value[node->n_arg > 1 ? node->arg[1] : node->n_arg ? node->arg[0] : 0];

		for (int i = 0; node->op == ADJUDGE_CONSTANT && i < c->type[node->out].elements; i++)
			value[node->out][i] = (struct dual){node->constant[i].f, 0};
		if (node->op != ADJUDGE_CONSTANT)
			run((enum op)node->op, a, c->type[node->arg[0]].elements, b, value[node->out], c->type[node->out].elements);
	}
	for (int r = 0; r < top->n_result; r++)
		for (int i = 0; i < c->type[top->result[r]].elements; i++) {
			out->primal[r][i].f = value[top->result[r]][i].value;
			if (c->n_level)
				out->derivative[r][i].f = value[top->result[r]][i].tangent;
		}
	return ADJUDGE_OK;
}

const struct adjudge_engine *adjudge_engine_1(void)
{
	static const struct adjudge_engine engine = {ADJUDGE_ENGINE_VERSION,
	    "{\"name\": \"example\", \"version\": \"1\", \"requests\": [[\"jvp\"]], \"dtypes\": [\"f64\"], \"rank\": 1,"
	    " \"unroll\": true, \"constants\": true, \"broadcast\": true}", ops, prepare, answer, free};
	return &engine;
}
