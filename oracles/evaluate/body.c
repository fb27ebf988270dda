/* body.c: see body.h. */
#include "body.h"
#include "graph/walk.h"

/* The number of values that one execution makes. It saturates well above what is affordable. */
int64_t body_cost(const struct program *p, const struct region *region)
{
	int64_t total = 1;
	for (int i = 0; i < region->n_node && total < LIMIT_WORK; i++) {
		const struct node *node = &region->node[i];
		total++;
		for (int k = 0; k < node->n_out; k++)
			total += shape_elements(&p->type[node->out + k].shape);
		for (int k = 0; k < node->n_region; k++)
			total += node_executions(p, node) * body_cost(p, &node->region[k]);
	}
	return total;
}

void body_find_live(struct solver *s)
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
void body_thaw(struct solver *s)
{
	if (s->r->ev->freeze)
		s->r->ev->next_frozen = s->next_frozen;
	else
		s->r->ev->n_frozen = s->n_frozen;
}

void body_set_parameters(struct solver *s, const struct elements *carry)
{
	for (int k = 0; k < s->node->n_arg; k++)
		s->r->env[s->body->param + k] = carry[k];
}

void body_take_results(struct solver *s, struct elements *carry)
{
	for (int k = 0; k < s->node->n_arg; k++)
		carry[k] = s->r->env[s->body->result[k]];
}

void body_take_initial(struct solver *s, struct elements *carry)
{
	for (int k = 0; k < s->node->n_arg; k++)
		carry[k] = s->r->env[s->node->arg[k]];
}

/* The scalars of a set of carries, in order. */
void body_scalars(const struct solver *s, const struct elements *carry, int *out)
{
	for (int k = 0, i = 0; k < s->node->n_arg; k++)
		for (int e = 0; e < shape_elements(&s->r->p->type[s->node->arg[k]].shape); e++)
			out[i++] = carry[k].at[e].scalar;
}
