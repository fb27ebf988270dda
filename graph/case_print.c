/* case_print.c: a case as text for people. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testcase.h"
#include "text.h"

/* Elements of one tensor that are shown. */
enum { SHOWN = 64 };

/* Text of a file, on a terminal. */
static void add_foreign(struct text *t, const char *before, const char *foreign, const char *after)
{
	text_put(t, "%s%s%s", before, text_harmless(foreign, t->arena), after);
}

static void add_element(struct text *t, enum dtype d, union cell x)
{
	char digits[REAL_TEXT];

	switch (dtype_table[d].class) {
	case DTYPE_CLASS_FLOAT:
		text_put(t, "%s", real_decimal(x.f, DTYPE_F64, 1, digits));
		break;
	case DTYPE_CLASS_INT:
		text_put(t, "%lld", (long long)x.i);
		break;
	case DTYPE_CLASS_BOOL:
		text_put(t, "%s", x.i ? "true" : "false");
		break;
	}
}

static void add_tensor(struct text *t, const struct tensor *x, int most)
{
	int n = shape_elements(&x->type.shape);

	if (!x->type.shape.rank) {
		add_element(t, x->type.dtype, x->at[0]);
		return;
	}
	text_put(t, "[");
	for (int k = 0; k < n && k < most; k++) {
		text_put(t, "%s", k ? ", " : "");
		add_element(t, x->type.dtype, x->at[k]);
	}
	if (n > most)
		text_put(t, ", ... %d more", n - most);
	text_put(t, "]");
}

static void add_point(struct text *t, const struct testcase *c, int k)
{
	text_put(t, "point %d:", k);
	for (int i = 0; i < c->program.top.n_param; i++) {
		text_put(t, "%s v%d = ", i ? "," : "", c->program.top.param + i);
		add_tensor(t, &c->point[k][i], SHOWN);
	}
	text_put(t, "\n");
}

static void add_transform(struct text *t, const struct testcase *c, int k, int most)
{
	const struct transform *transform = &c->transform[k];

	bool batch = transform->kind == TRANSFORM_BATCH;

	text_put(t, "%s%s", transform_names[transform->kind], batch ? " over" : " with respect to");
	for (int i = 0; i < transform->n_wrt; i++)
		text_put(t, "%s v%d", i ? "," : "", c->program.top.param + transform->wrt[i]);
	if (batch)
		text_put(t, "; %d slices", transform->size);
	else
		text_put(t, transform->kind == TRANSFORM_VJP ? "; cotangents" : "; tangents");
	for (int i = 0; i < transform->n_seed; i++) {
		text_put(t, "%s", i ? ", " : " ");
		add_tensor(t, &transform->seed[i], most);
	}
}

char *testcase_print_request(const struct testcase *c, int most, struct arena *a)
{
	struct text t = {.arena = a};

	text_put(&t, "%s", c->n_transform ? "" : "the primal alone");
	for (int k = 0; k < c->n_transform; k++) {
		text_put(&t, "%s", k ? "; then " : "");
		add_transform(&t, c, k, most);
	}
	return t.at;
}

static void add_expectation(struct text *t, const struct expectation *x)
{
	add_foreign(t, "expected of ", x->engine ? x->engine : "the truth", ":");
	if (x->verdict)
		add_foreign(t, " ", x->verdict, "");
	for (int i = 0; i < x->n; i++)
		text_put(t, "%s%s", i ? ", " : x->verdict ? ", returned " : " ", x->returned[i]);
	text_put(t, "\n");
}

char *testcase_print(const struct testcase *c, struct arena *a)
{
	const struct provenance *from = &c->provenance;
	struct text t = {.arena = a};

	if (from->title)
		add_foreign(&t, "title: ", from->title, "\n");
	if (from->source)
		add_foreign(&t, "source: ", from->source, "\n");
	if (from->comment)
		add_foreign(&t, "comment: ", from->comment, "\n");
	text_put(&t, "%s", program_print(&c->program, a));
	if (t.len && t.at[t.len - 1] != '\n')
		text_put(&t, "\n");
	for (int k = 0; k < c->n_point; k++)
		add_point(&t, c, k);
	if (!c->n_transform)
		text_put(&t, "request: the primal alone\n");
	for (int k = 0; k < c->n_transform; k++) {
		text_put(&t, "%s ", k ? "    then" : "request:");
		add_transform(&t, c, k, SHOWN);
		text_put(&t, "\n");
	}
	if (c->variant)
		text_put(&t, "variant %d\n", c->variant);
	for (int k = 0; k < c->n_expect; k++)
		add_expectation(&t, &c->expect[k]);
	return t.at;
}
