/*
 * edit.c: copies of a program: as it is, renumbered, without dead nodes.  Renumbers in place, too.
 *
 * The canonical order of definition: the parameters of a region, then node by node what its regions define, then its
 * results.
 */
#include "program.h"
#include "walk.h"

#include <assert.h>

struct copier {
	const struct program *p;
	struct arena *arena;
	int *map;                  /* [p->n_value] new numbers, -1: not defined; NULL: numbers stay */
	const unsigned char *live; /* [p->n_value]; NULL: every node stays */
	int n_value;               /* numbers given so far */
};

static bool stays(const struct copier *c, const struct node *node)
{
	if (!c->live)
		return true;
	for (int i = 0; i < node->n_out; i++)
		if (c->live[node->out + i])
			return true;
	return false;
}

/* ---- numbering ---- */

static void number_values(struct copier *c, int first, int n)
{
	for (int i = 0; i < n; i++)
		c->map[first + i] = c->n_value++;
}

static void number_region(struct copier *c, const struct region *region)
{
	number_values(c, region->param, region->n_param);
	for (int k = 0; k < region->n_node; k++) {
		const struct node *node = &region->node[k];
		if (!stays(c, node))
			continue;
		for (int i = 0; i < node->n_region; i++)
			number_region(c, &node->region[i]);
		number_values(c, node->out, node->n_out);
	}
}

static int renamed(const struct copier *c, int v)
{
	if (!c->map)
		return v;
	assert(v >= 0 && v < c->p->n_value && c->map[v] >= 0);
	return c->map[v];
}

/* ---- copying ---- */

static int *copy_uses(const struct copier *c, const int *from, int n)
{
	int *to = NEW_RAW(c->arena, int, n);

	for (int i = 0; i < n; i++)
		to[i] = renamed(c, from[i]);
	return to;
}

static struct region copy_region(const struct copier *c, const struct region *from)
{
	struct region to = {.n_param = from->n_param, .n_result = from->n_result};

	to.param = from->n_param ? renamed(c, from->param) : 0;
	for (int k = 0; k < from->n_node; k++)
		to.n_node += stays(c, &from->node[k]);
	to.node = NEW_RAW(c->arena, struct node, to.n_node);

	struct node *next = to.node;
	for (int k = 0; k < from->n_node; k++) {
		const struct node *node = &from->node[k];
		if (!stays(c, node))
			continue;
		*next = *node;
		next->arg = copy_uses(c, node->arg, node->n_arg);
		next->out = node->n_out ? renamed(c, node->out) : 0;
		if (node->op == OP_CONSTANT)
			next->attrs.value = tensor_copy(c->arena, &node->attrs.value);
		if (node->n_region)
			next->region = NEW_RAW(c->arena, struct region, node->n_region);
		for (int i = 0; i < node->n_region; i++)
			next->region[i] = copy_region(c, &node->region[i]);
		next++;
	}
	to.result = copy_uses(c, from->result, from->n_result);
	return to;
}

struct program program_copy(const struct program *p, struct arena *a)
{
	const struct copier c = {.p = p, .arena = a};

	return (struct program){
	    .n_value = p->n_value,
	    .type = arena_copy(a, p->type, (size_t)p->n_value, sizeof *p->type),
	    .top = copy_region(&c, &p->top),
	};
}

/* New numbers for what stays, and the types in their order: out->n_value and out->type. */
static struct copier numbers_of(
    const struct program *p, const unsigned char *live, struct arena *a, struct program *out)
{
	struct copier c = {.p = p, .arena = a, .map = NEW_RAW(a, int, p->n_value), .live = live};

	for (int v = 0; v < p->n_value; v++)
		c.map[v] = -1;
	number_region(&c, &p->top);
	out->n_value = c.n_value;
	out->type = NEW_RAW(a, struct type, c.n_value);
	for (int v = 0; v < p->n_value; v++)
		if (c.map[v] >= 0)
			out->type[c.map[v]] = p->type[v];
	return c;
}

/* A copy of what stays, numbered anew. */
static struct program renumber(const struct program *p, const unsigned char *live, struct arena *a)
{
	struct program out = {0};
	/* Numbers first: a node that uses a later value is program_check's to refuse. */
	const struct copier c = numbers_of(p, live, a, &out);

	out.top = copy_region(&c, &p->top);
	return out;
}

struct program program_renumber(const struct program *p, struct arena *a) { return renumber(p, NULL, a); }

/* ---- in place ---- */

static void rename_uses(const struct copier *c, int *value, int n)
{
	for (int i = 0; i < n; i++)
		value[i] = renamed(c, value[i]);
}

static void rename_region(const struct copier *c, struct region *region)
{
	region->param = region->n_param ? renamed(c, region->param) : 0;
	for (int k = 0; k < region->n_node; k++) {
		struct node *node = &region->node[k];

		rename_uses(c, node->arg, node->n_arg);
		node->out = node->n_out ? renamed(c, node->out) : 0;
		for (int i = 0; i < node->n_region; i++)
			rename_region(c, &node->region[i]);
	}
	rename_uses(c, region->result, region->n_result);
}

void program_number(struct program *p, struct arena *a)
{
	struct program numbered = *p;
	const struct copier c = numbers_of(p, NULL, a, &numbered);

	rename_region(&c, &numbered.top);
	*p = numbered;
}

/* ---- liveness ---- */

/* Marks what the results of a region need; a live region op keeps all its regions' results. */
static void mark_region(const struct region *region, unsigned char *live)
{
	for (int i = 0; i < region->n_result; i++)
		live[region->result[i]] = 1;
	/* Uses come after definitions, also those by capture: one backward pass sees every use of a node first. */
	for (int k = region->n_node - 1; k >= 0; k--) {
		const struct node *node = &region->node[k];
		bool wanted = false;
		for (int i = 0; i < node->n_out; i++)
			wanted = wanted || live[node->out + i];
		if (!wanted)
			continue;
		for (int i = 0; i < node->n_arg; i++)
			live[node->arg[i]] = 1;
		for (int i = 0; i < node->n_region; i++)
			mark_region(&node->region[i], live);
	}
}

unsigned char *program_live(const struct program *p, struct arena *a)
{
	unsigned char *live = NEW(a, unsigned char, p->n_value);

	mark_region(&p->top, live);
	return live;
}

bool program_has_dead(const struct program *p, struct arena *a)
{
	struct arena_mark mark = arena_mark(a);
	const struct copier c = {.p = p, .live = program_live(p, a)};
	bool dead = false;

	for (struct walk w = walk_nodes(&p->top); !dead && walk_next(&w);)
		dead = !stays(&c, w.node);
	arena_rewind(a, mark);
	return dead;
}

struct program program_drop_dead(const struct program *p, struct arena *a)
{
	return renumber(p, program_live(p, a), a);
}

/* ---- stores ---- */

struct settler {
	struct node **consumer; /* [n_value] the store that has taken the value; NULL: none so far */
	int *depth;             /* [n_value] of the region that defines the value */
};

static void settle_uses(struct settler *s, const int *value, int n)
{
	for (int k = 0; k < n; k++)
		if (s->consumer[value[k]]) {
			s->consumer[value[k]]->op = OP_DYNAMIC_UPDATE_SLICE;
			s->consumer[value[k]] = NULL;
		}
}

static void settle_values(struct settler *s, int first, int n, int depth)
{
	for (int k = 0; k < n; k++)
		s->depth[first + k] = depth;
}

static void settle_region(struct settler *s, struct region *region, int depth)
{
	settle_values(s, region->param, region->n_param, depth);
	for (int i = 0; i < region->n_node; i++) {
		struct node *node = &region->node[i];

		settle_uses(s, node->arg, node->n_arg);
		for (int k = 0; k < node->n_region; k++)
			settle_region(s, &node->region[k], depth + 1);
		settle_values(s, node->out, node->n_out, depth);
		if (node->op != OP_STORE)
			continue;
		if (s->depth[node->arg[0]] == depth && node->arg[0] != node->arg[1] && node->arg[0] != node->arg[2])
			s->consumer[node->arg[0]] = node;
		else
			node->op = OP_DYNAMIC_UPDATE_SLICE;
	}
	settle_uses(s, region->result, region->n_result);
}

void program_settle_stores(struct program *p, struct arena *a)
{
	struct arena_mark mark = arena_mark(a);
	struct settler s = {NEW(a, struct node *, p->n_value), NEW(a, int, p->n_value)};

	settle_region(&s, &p->top, 0);
	arena_rewind(a, mark);
}
