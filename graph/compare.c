/*
 * compare.c: equality and hash of checked programs.  Value numbers take part, so bring both to the canonical order
 * first; attributes that the op does not name do not.
 */
#include "hash.h"
#include "program.h"

#include <math.h>
#include <string.h>

/* ---- attributes as numbers ---- */

struct words {
	int n;
	int64_t at[64];
};

static void put(struct words *w, int64_t x) { w->at[w->n++] = x; }

/* All but `value`. */
static void put_attrs(struct words *w, const struct program *p, const struct node *node)
{
	w->n = 0;
	for (unsigned left = op_table[node->op].attrs; left; left &= left - 1) {
		const int k = __builtin_ctz(left);
		enum attr_kind kind = attr_fields[k].kind;

		if (kind == ATTR_KIND_TENSOR || (k == ATTR_INDEX_CAP && node_has_trip(node)))
			continue;
		struct attr_value v = node_attr(p, node, (enum attr_index)k);
		if (kind == ATTR_KIND_AXES ||
		    kind == ATTR_KIND_SHAPE) /* INTS has as many entries as operand 0 has axes */
			put(w, v.n);
		for (int i = 0; i < v.n; i++)
			put(w, v.at[i]);
	}
}

bool node_attrs_equal(const struct program *p, const struct node *a, const struct program *q, const struct node *b)
{
	struct words v, w;

	if (!op_table[a->op].attrs)
		return true;
	put_attrs(&v, p, a);
	put_attrs(&w, q, b);
	if (v.n != w.n || memcmp(v.at, w.at, (size_t)v.n * sizeof v.at[0]) != 0)
		return false;
	return a->op != OP_CONSTANT || tensor_same(&a->attrs.value, &b->attrs.value);
}

/* ---- equality ---- */

static bool uses_equal(const int *a, const int *b, int n)
{
	for (int i = 0; i < n; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

static bool regions_equal(
    const struct program *p, const struct region *a, const struct program *q, const struct region *b);

static bool nodes_equal(const struct program *p, const struct node *a, const struct program *q, const struct node *b)
{
	if (a->op != b->op || a->n_arg != b->n_arg || a->n_out != b->n_out || a->out != b->out ||
	    a->n_region != b->n_region || !uses_equal(a->arg, b->arg, a->n_arg) || !node_attrs_equal(p, a, q, b))
		return false;
	for (int i = 0; i < a->n_region; i++)
		if (!regions_equal(p, &a->region[i], q, &b->region[i]))
			return false;
	return true;
}

static bool regions_equal(
    const struct program *p, const struct region *a, const struct program *q, const struct region *b)
{
	if (a->n_param != b->n_param || (a->n_param && a->param != b->param) || a->n_node != b->n_node ||
	    a->n_result != b->n_result || !uses_equal(a->result, b->result, a->n_result))
		return false;
	for (int k = 0; k < a->n_node; k++)
		if (!nodes_equal(p, &a->node[k], q, &b->node[k]))
			return false;
	return true;
}

bool program_equal(const struct program *p, const struct program *q)
{
	if (p->n_value != q->n_value)
		return false;
	for (int v = 0; v < p->n_value; v++)
		if (!type_equal(&p->type[v], &q->type[v]))
			return false;
	return regions_equal(p, &p->top, q, &q->top);
}

/* ---- hash ---- */

/* FNV-1a (Fowler, Noll, Vo) by words; the high half is folded in, as multiplication carries upwards only. */
static uint64_t mix(uint64_t h, int64_t word)
{
	h = hash_step(h, (uint64_t)word);
	return h ^ h >> 32;
}

/* Names, not enum numbers: a new row in a table moves no hash. */
static uint64_t mix_name(uint64_t h, const char *name)
{
	for (; *name; name++)
		h = mix(h, (unsigned char)*name);
	return h;
}

static uint64_t mix_type(uint64_t h, const struct type *t)
{
	h = mix_name(h, dtype_table[t->dtype].name);
	h = mix(h, t->shape.rank);
	for (int d = 0; d < t->shape.rank; d++)
		h = mix(h, t->shape.extent[d]);
	return h;
}

static uint64_t mix_tensor(uint64_t h, const struct tensor *t)
{
	int n = shape_elements(&t->type.shape);

	h = mix_type(h, &t->type);
	for (int k = 0; k < n; k++) {
		if (!dtype_is_float(t->type.dtype))
			h = mix(h, t->at[k].i);
		else /* tensor_same takes any NaN for any NaN */
			h = mix(h, (int64_t)(isnan(t->at[k].f) ? bits_of(INFINITY) | 1 : bits_of(t->at[k].f)));
	}
	return h;
}

static uint64_t mix_region(uint64_t h, const struct program *p, const struct region *region)
{
	struct words w;

	h = mix(h, region->n_param);
	for (int i = 0; i < region->n_param; i++) {
		h = mix(h, region->param + i);
		h = mix_type(h, &p->type[region->param + i]);
	}
	h = mix(h, region->n_node);
	for (int k = 0; k < region->n_node; k++) {
		const struct node *node = &region->node[k];
		h = mix_name(h, op_table[node->op].name);
		h = mix(h, node->n_arg);
		for (int i = 0; i < node->n_arg; i++)
			h = mix(h, node->arg[i]);
		h = mix(h, node->n_out);
		for (int i = 0; i < node->n_out; i++) {
			h = mix(h, node->out + i);
			h = mix_type(h, &p->type[node->out + i]);
		}
		put_attrs(&w, p, node);
		for (int i = 0; i < w.n; i++)
			h = mix(h, w.at[i]);
		if (node->op == OP_CONSTANT)
			h = mix_tensor(h, &node->attrs.value);
		for (int i = 0; i < node->n_region; i++)
			h = mix_region(h, p, &node->region[i]);
	}
	h = mix(h, region->n_result);
	for (int i = 0; i < region->n_result; i++)
		h = mix(h, region->result[i]);
	return h;
}

uint64_t program_hash(const struct program *p) { return mix_region(HASH_BEGIN, p, &p->top); }
