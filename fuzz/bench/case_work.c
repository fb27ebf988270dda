/* case_work.c: see case_work.h. */
#include "case_work.h"

#include <string.h>

enum { CANDIDATE = 30000, SCALAR = 300 };
/* Of a request of order 1 to an engine that does not write a program; each further order costs FURTHER times as much.
 */
enum { ASKED_NODE = 600, ASKED_SCALAR = 20, FURTHER = 5 };

/* Engines that write a derivative program for each request. */
static const struct {
	const char *kind;
	int weight;
} weights[] = {{"aot", 3}, {"compiled", 6}};

/* Beyond it, one case is as dear as another. */
static const int64_t most = 1 << 20;

/* Also adds the number of its nodes, at any depth, to *n_node. */
static int64_t region_work(const struct program *p, const struct region *r, int *n_node)
{
	int64_t sum = 0;

	*n_node += r->n_node;
	for (int i = 0; i < r->n_node; i++) {
		const struct node *n = &r->node[i];
		const int64_t trips = n->n_region && op_is_loop(n->op) ? node_max_trip(n) : 1;

		for (int k = 0; k < n->n_out; k++)
			sum += shape_elements(&p->type[n->out + k].shape);
		for (int k = 0; k < n->n_region; k++)
			sum += trips * region_work(p, &n->region[k], n_node);
	}
	return sum < most ? sum : most;
}

int64_t case_work(const struct testcase *c)
{
	int n_node = 0;

	return CANDIDATE + SCALAR * c->n_point * region_work(&c->program, &c->program.top, &n_node);
}

static int weight_of(const char *spec)
{
	const size_t len = strcspn(spec, ":+");

	for (size_t k = 0; k < sizeof weights / sizeof *weights; k++)
		if (strlen(weights[k].kind) == len && !memcmp(weights[k].kind, spec, len))
			return weights[k].weight;
	return 1;
}

int64_t request_work(const struct testcase *c, const char *spec)
{
	const int order = request_order(c->transform, c->n_transform);
	int n_node = 0;
	const int64_t scalars = region_work(&c->program, &c->program.top, &n_node);
	int64_t sum = ASKED_NODE * (int64_t)n_node + ASKED_SCALAR * c->n_point * scalars;

	for (int k = 1; k < order; k++)
		sum *= FURTHER;
	if (order < c->n_transform) /* there is a batch */
		sum *= 2;
	return CANDIDATE + sum * weight_of(spec);
}
