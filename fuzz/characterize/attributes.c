/* attributes.c: experiments with the attributes of each op of the typical case, also with one more axis. */
#include <string.h>

#include "graph/walk.h"
#include "lab_edit.h"

enum {
	FORMS = 3, /* the typical case; with one more axis in front; behind */
	LISTS = 64
};

/* A list of axes, or a permutation of them. */
struct axis_list {
	int n, axis[LIMIT_RANK];
};

/* All lists of different axes below `rank`; with `whole`, only those of all axes. */
static int list_axes(int rank, bool whole, struct axis_list out[LISTS])
{
	int n = 0;

	for (int length = whole ? rank : 1; length <= rank; length++) {
		int digits[LIMIT_RANK] = {0}, d = 0;

		while (d >= 0 && n < LISTS) {
			struct axis_list list = {.n = length};
			bool different = true;

			for (int i = 0; i < length; i++) {
				list.axis[i] = digits[i];
				for (int k = 0; k < i; k++)
					different &= digits[k] != digits[i];
			}
			if (different)
				out[n++] = list;
			for (d = length - 1; d >= 0 && ++digits[d] == rank; d--)
				digits[d] = 0;
		}
	}
	return n;
}

/* ---- one attribute ---- */

/* Sets variant k of a node whose operand 0 has shape x, and says which; NULL past the last. */
typedef const char *attribute_fn(struct lab *l, struct node *n, const struct shape *x, int k);

static const char *set_axis(struct lab *l, struct node *n, const struct shape *x, int k)
{
	if (!(op_table[n->op].attrs & ATTR_AXIS) || k >= x->rank)
		return NULL;
	n->attrs.axis = k;
	return LAB_TEXT(l, "axis %d", k);
}

static const char *set_axes(struct lab *l, struct node *n, const struct shape *x, int k)
{
	struct axis_list lists[LISTS];
	const char *text = "";

	if (!(op_table[n->op].attrs & ATTR_AXES) || k >= list_axes(x->rank, n->op == OP_TRANSPOSE, lists))
		return NULL;
	n->attrs.n_axes = lists[k].n;
	memcpy(n->attrs.axes, lists[k].axis, sizeof n->attrs.axes);
	for (int i = 0; i < lists[k].n; i++)
		text = LAB_TEXT(l, "%s%s%d", text, i ? ", " : "", lists[k].axis[i]);
	return LAB_TEXT(l, "axes [%s]", text);
}

static const char *set_keepdims(struct lab *l, struct node *n, const struct shape *x, int k)
{
	(void)l, (void)x;
	if (!(op_table[n->op].attrs & ATTR_KEEPDIMS) || k > 1)
		return NULL;
	n->attrs.keepdims = k;
	return k ? "axes kept" : "axes dropped";
}

static const char *set_mode(struct lab *l, struct node *n, const struct shape *x, int k)
{
	(void)x;
	if (!(op_table[n->op].attrs & ATTR_MODE) || k >= MODE_COUNT)
		return NULL;
	n->attrs.mode = (enum index_mode)k;
	return LAB_TEXT(l, "mode %s", mode_names[k]);
}

/* As many elements as fit, or one fewer, forwards from the first or backwards from the last. */
static const char *set_stride(struct lab *l, struct node *n, const struct shape *x, int k)
{
	static const int strides[] = {-3, -2, -1, 1, 2, 3};
	enum { STRIDES = sizeof strides / sizeof *strides };
	const int d = k / (2 * STRIDES), fewer = k / STRIDES % 2, s = strides[k % STRIDES], step = s < 0 ? -s : s;
	struct attrs *a = &n->attrs;

	if (op_table[n->op].family != FAMILY_SLICE || d >= x->rank)
		return NULL;
	a->stride[d] = s;
	a->size[d] = x->extent[d] ? (x->extent[d] - 1) / step + 1 : 0;
	a->size[d] -= fewer && a->size[d] > 1;
	a->start[d] = s < 0 && x->extent[d] ? x->extent[d] - 1 : 0;
	return LAB_TEXT(l, "stride %d along axis %d%s", s, d, fewer ? ", one element fewer" : "");
}

static const char *set_margins(struct lab *l, struct node *n, const struct shape *x, int k)
{
	enum { MARGINS = 3 };
	const int low = k % MARGINS, high = k / MARGINS % MARGINS, d = k / (MARGINS * MARGINS);

	if (!(op_table[n->op].attrs & ATTR_LOW) || d >= x->rank)
		return NULL;
	n->attrs.low[d] = low;
	n->attrs.high[d] = high;
	return LAB_TEXT(l, "axis %d padded by %d and %d", d, low, high);
}

/* The first operand several times more, and without the last one. */
static const char *set_operands(struct lab *l, struct node *n, const struct shape *x, int k)
{
	enum { MORE = 3 };
	int *arg = NEW(&l->work, int, LIMIT_ARGS);

	(void)x;
	if (op_table[n->op].family != FAMILY_CONCATENATE || k > MORE || n->n_arg + k > LIMIT_ARGS || n->n_arg < 2)
		return NULL;
	memcpy(arg, n->arg, (size_t)n->n_arg * sizeof *arg);
	n->arg = arg;
	for (int i = 0; i < k; i++)
		arg[n->n_arg++] = arg[0];
	n->n_arg -= !k;
	return LAB_TEXT(l, "%d operands", n->n_arg);
}

static attribute_fn *const attributes[] = {
    set_axis, set_axes, set_keepdims, set_mode, set_stride, set_margins, set_operands};
enum { ATTRIBUTES = sizeof attributes / sizeof *attributes };

/* ---- the experiment ---- */

static bool form_of(struct lab *l, int form, struct edit *e)
{
	*e = lab_edit_of(l, l->typical);
	return !form || (lab_add_axis(e, form == 2) && edit_finish(e, true));
}

/* Gives each vjp cotangents of the new shapes.  Ones would hide which element goes where. */
static bool renew_cotangents(struct edit *e)
{
	enum { NUMBERS = 61, UNIT = 16 };

	for (int t = 0; t < e->c.n_transform; t++)
		if (e->c.transform[t].kind == TRANSFORM_VJP)
			e->c.transform[t].n_seed = 0;
	if (!edit_finish(e, true))
		return false;
	for (int t = 0; t < e->c.n_transform; t++)
		for (int k = 0; e->c.transform[t].kind == TRANSFORM_VJP && k < e->c.transform[t].n_seed; k++) {
			struct tensor *x = &e->c.transform[t].seed[k];

			for (int i = 0, n = shape_elements(&x->type.shape); i < n && dtype_is_float(x->type.dtype); i++)
				edit_round(
				    x->type.dtype, (double)(1 + (17 * i + 7 * k + 15) % NUMBERS) / UNIT, &x->at[i]);
		}
	return true;
}

/* Tries variant k of that attribute of node `site`; false past the last. */
static bool try_attribute(struct lab *l, int form, int site, attribute_fn *set, int k)
{
	static const char *const forms[FORMS] = {"as it is", "one more axis in front", "one more axis behind"};
	struct edit e;
	struct site s;
	const char *text;
	enum op op;

	if (!form_of(l, form, &e) || !edit_site(&e, site, &s) || !s.node->n_arg)
		return false;
	op = s.node->op;
	text = set(l, s.node, &edit_type(&e, s.node->arg[0])->shape, k);
	if (!text)
		return false;
	if (renew_cotangents(&e))
		lab_try(l, &e, (const char *const[]){op_table[op].name, text, forms[form]});
	return true;
}

void experiment_attributes(struct lab *l)
{
	struct edit sites = {.c = *l->typical};
	struct site s;

	lab_columns(l, (const char *const[]){"op", "attribute", "rank"}, 3);
	for (int site = 0; edit_site(&sites, site, &s); site++)
		for (int form = 0; form < FORMS; form++)
			for (int i = 0; i < ATTRIBUTES; i++)
				for (int k = 0; try_attribute(l, form, site, attributes[i], k); k++)
					;
}
