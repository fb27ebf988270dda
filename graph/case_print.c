/* case_print.c: a case as text for people. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testcase.h"

/* Elements of one tensor that are shown. */
enum { SHOWN = 64 };

struct text {
	struct arena *arena;
	char *at;
	size_t len, room;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...)
{
	va_list list;

	for (;;) {
		va_start(list, format);
		int n = vsnprintf(t->at + t->len, t->room - t->len, format, list);
		va_end(list);
		if (n < 0)
			return;
		if ((size_t)n < t->room - t->len) {
			t->len += (size_t)n;
			return;
		}
		size_t room = 2 * t->room + (size_t)n;
		char *more = NEW(t->arena, char, room);
		memcpy(more, t->at, t->len);
		t->at = more;
		t->room = room;
	}
}

/* Text of a file, on a terminal. */
static void add_foreign(struct text *t, const char *before, const char *foreign, const char *after)
{
	size_t start;

	add(t, "%s", before);
	start = t->len;
	add(t, "%s", foreign);
	text_disarm(t->at + start, true);
	add(t, "%s", after);
}

/* As few digits as tell the double. */
static void add_real(struct text *t, double x)
{
	char buf[REAL_TEXT];

	if (!isfinite(x)) {
		add(t, "%s", real_print(x, buf));
		return;
	}
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(buf, sizeof buf, "%.*g", digits, x);
		if (strtod(buf, NULL) == x)
			break;
	}
	add(t, "%s", buf);
}

static void add_element(struct text *t, enum dtype d, union cell x)
{
	switch (dtype_table[d].class) {
	case DTYPE_CLASS_FLOAT:
		add_real(t, x.f);
		break;
	case DTYPE_CLASS_INT:
		add(t, "%lld", (long long)x.i);
		break;
	case DTYPE_CLASS_BOOL:
		add(t, "%s", x.i ? "true" : "false");
		break;
	}
}

static void add_tensor(struct text *t, const struct tensor *x)
{
	int n = shape_elements(&x->type.shape);

	if (!x->type.shape.rank) {
		add_element(t, x->type.dtype, x->at[0]);
		return;
	}
	add(t, "[");
	for (int k = 0; k < n && k < SHOWN; k++) {
		add(t, "%s", k ? ", " : "");
		add_element(t, x->type.dtype, x->at[k]);
	}
	if (n > SHOWN)
		add(t, ", ... %d more", n - SHOWN);
	add(t, "]");
}

static void add_point(struct text *t, const struct testcase *c, int k)
{
	add(t, "point %d:", k);
	for (int i = 0; i < c->program.top.n_param; i++) {
		add(t, "%s v%d = ", i ? "," : "", c->program.top.param + i);
		add_tensor(t, &c->point[k][i]);
	}
	add(t, "\n");
}

static void add_transform(struct text *t, const struct testcase *c, int k)
{
	const struct transform *transform = &c->transform[k];

	bool batch = transform->kind == TRANSFORM_BATCH;

	add(t, "%s %s%s", k ? "    then" : "request:", transform_names[transform->kind], batch ? " over" : " with respect to");
	for (int i = 0; i < transform->n_wrt; i++)
		add(t, "%s v%d", i ? "," : "", c->program.top.param + transform->wrt[i]);
	if (batch)
		add(t, "; %d slices", transform->size);
	else
		add(t, transform->kind == TRANSFORM_VJP ? "; cotangents" : "; tangents");
	for (int i = 0; i < transform->n_seed; i++) {
		add(t, "%s", i ? ", " : " ");
		add_tensor(t, &transform->seed[i]);
	}
	add(t, "\n");
}

static void add_expectation(struct text *t, const struct expectation *x)
{
	add_foreign(t, "expected of ", x->engine ? x->engine : "the truth", ":");
	if (x->verdict)
		add_foreign(t, " ", x->verdict, "");
	for (int i = 0; i < x->n; i++)
		add(t, "%s%s", i ? ", " : x->verdict ? ", returned " : " ", x->returned[i]);
	add(t, "\n");
}

char *testcase_print(const struct testcase *c, struct arena *a)
{
	const struct provenance *from = &c->provenance;
	struct text t = {.arena = a, .room = 1024};

	t.at = NEW(a, char, t.room);
	if (from->title)
		add_foreign(&t, "title: ", from->title, "\n");
	if (from->source)
		add_foreign(&t, "source: ", from->source, "\n");
	if (from->comment)
		add_foreign(&t, "comment: ", from->comment, "\n");
	add(&t, "%s", program_print(&c->program, a));
	if (t.len && t.at[t.len - 1] != '\n')
		add(&t, "\n");
	for (int k = 0; k < c->n_point; k++)
		add_point(&t, c, k);
	if (!c->n_transform)
		add(&t, "request: the primal alone\n");
	for (int k = 0; k < c->n_transform; k++)
		add_transform(&t, c, k);
	for (int k = 0; k < c->n_expect; k++)
		add_expectation(&t, &c->expect[k]);
	return t.at;
}
