/* wiring.c: see wiring.h. */
#include "wiring.h"
#include "graph/walk.h"

/* Node k of `small` is compared with node n of p.  Results of k are matched to results of n, one by one. */
struct match {
	const struct program *small, *p;
	const struct node *k, *n;
	int to[LIMIT_ARGS]; /* result of k -> result of n */
};

bool pattern_is_bare(const struct pattern *p)
{
	bool any = false;

	for (int i = 0; i < PATTERN_SIZE; i++) {
		if (p->has[i] && (i >= OP_COUNT || !op_table[i].n_region))
			return false;
		any = any || p->has[i];
	}
	return any;
}

/* The node directly in the region that makes v; NULL: none.  *param: v is a parameter of the region. */
static const struct node *maker(const struct region *r, int v, bool *param)
{
	*param = v >= r->param && v < r->param + r->n_param;
	for (int i = 0; i < r->n_node; i++)
		if (v >= r->node[i].out && v < r->node[i].out + r->node[i].n_out)
			return &r->node[i];
	return NULL;
}

static bool is_inside(const struct region *r, int v)
{
	bool param;

	return maker(r, v, &param) || param;
}

/* How many regions of the op, counted from the last one, return the results of the node. */
static int giving_regions(enum op op)
{
	switch (op_table[op].family) {
	case FAMILY_FOR:
	case FAMILY_SCAN:
	case FAMILY_WHILE:
		return 1;
	case FAMILY_COND:
		return 2;
	default:
		return 0;
	}
}

static bool is_given_twice(const struct region *r, int v)
{
	int places = 0;

	for (int i = 0; i < r->n_result; i++)
		places += r->result[i] == v;
	return places > 1;
}

static bool result_fits(const struct match *m, int of, int to)
{
	for (int i = 0; i < of; i++)
		if (m->to[i] == to)
			return false;
	for (int r = 1; r <= giving_regions(m->k->op); r++) {
		const struct region *small = &m->k->region[m->k->n_region - r],
		                    *large = &m->n->region[m->n->n_region - r];
		int v = small->result[of], w = large->result[to];

		if (dtype_is_float(m->small->type[v].dtype) != dtype_is_float(m->p->type[w].dtype))
			return false;
		if (region_constant(&m->small->top, v))
			continue;
		/* A value that is returned twice may come from anywhere. */
		if (!is_given_twice(small, v) &&
		    (is_inside(small, v) ? !is_inside(large, w)
		                         : is_inside(large, w) || region_constant(&m->p->top, w)))
			return false;
		for (int i = 0; i < of; i++)
			if (small->result[i] == v && large->result[m->to[i]] != w)
				return false;
	}
	return true;
}

/* Matches result `of` of k, and those after it, by backtracking. */
static bool results_fit(struct match *m, int of)
{
	if (of == m->k->n_out)
		return true;
	for (m->to[of] = 0; m->to[of] < m->n->n_out; m->to[of]++)
		if (result_fits(m, of, m->to[of]) && results_fit(m, of + 1))
			return true;
	return false;
}

static bool node_fits(const struct program *small, const struct node *k, const struct program *p, const struct node *n);

/* Whether k fits a node of the region, at any depth. */
static bool fits_in(const struct program *small, const struct node *k, const struct program *p, const struct region *r)
{
	for (struct walk w = walk_nodes(r); walk_next(&w);)
		if (node_fits(small, k, p, w.node))
			return true;
	return false;
}

static bool all_fit_in(
    const struct program *small, const struct region *from, const struct program *p, const struct region *r)
{
	for (int i = 0; i < from->n_node; i++)
		if (from->node[i].n_region && !fits_in(small, &from->node[i], p, r))
			return false;
	return true;
}

static bool node_fits(const struct program *small, const struct node *k, const struct program *p, const struct node *n)
{
	struct match m = {.small = small, .p = p, .k = k, .n = n};
	const int gives = giving_regions(k->op);

	/* Any loop fits any other loop. */
	if (!k->n_region || (k->op != n->op && (gives != 1 || giving_regions(n->op) != 1)) ||
	    (gives && !results_fit(&m, 0)))
		return false;
	return all_fit_in(small, &k->region[k->n_region - 1], p, &n->region[n->n_region - 1]);
}

bool wiring_is_in(const struct program *small, const struct program *p)
{
	return all_fit_in(small, &small->top, p, &p->top);
}

bool wiring_hangs_on(const struct program *small, const struct program *p, const struct node *n)
{
	for (int i = 0; i < small->top.n_node; i++) {
		const struct node *k = &small->top.node[i];

		if (node_fits(small, k, p, n))
			return true;
		for (int r = 0; k->n_region && r < n->n_region; r++)
			if (fits_in(small, k, p, &n->region[r]))
				return true;
	}
	return false;
}
