/* test_scripted.c: each mode against an engine that is wrong as no built-in one is: of x * x * x at x. */
#include "engines/instance.h"
#include "fuzz/cross/cross.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#include <stdlib.h>
#include <string.h>

enum wrong {
	WRONG_IN_F32,
	WRONG_BY_CHANCE,
	WRONG_IN_BATCHES,
	DIES_IN_BATCHES,
	WRONG_HERE,
	NOISY_IN_F32,
	JVP_OFF_IN_F32,
	MIXES_SLICES,
	WRONGS
};

struct scripted {
	struct engine engine; /* first: what is asked */
	enum wrong wrong;
	int asked;
};

static enum answer_status scripted_prepare(
    struct engine *self, const struct testcase *c, struct arena *a, void **state, const char **text)
{
	(void)self, (void)c, (void)a, (void)state, (void)text;
	return ANSWER_OK;
}

static bool is_wrong(struct scripted *s, const struct testcase *c, double x)
{
	switch (s->wrong) {
	case WRONG_IN_F32:
		return c->program.type[0].dtype == DTYPE_F32;
	case WRONG_BY_CHANCE:
		return ++s->asked % 3 == 0;
	case WRONG_IN_BATCHES:
		return c->n_transform && c->transform[c->n_transform - 1].kind == TRANSFORM_BATCH;
	case JVP_OFF_IN_F32:
		return c->program.type[0].dtype == DTYPE_F32 && c->transform[0].kind == TRANSFORM_JVP;
	case WRONG_HERE:
		return x == 1.5 && c->transform[0].kind == TRANSFORM_JVP;
	case DIES_IN_BATCHES:
	case NOISY_IN_F32:
	case MIXES_SLICES:
	case WRONGS:
		break;
	}
	return false;
}

static void scripted_answer(struct engine *self, void *state, const struct testcase *c, int which, struct tensor *point,
    struct arena *a, struct answer *out)
{
	struct scripted *s = (struct scripted *)self;
	bool batch = c->n_transform && c->transform[c->n_transform - 1].kind == TRANSFORM_BATCH,
	     f32 = c->program.type[0].dtype == DTYPE_F32;
	int n = shape_elements(&point[0].type.shape);

	(void)state, (void)which;
	out->text = "scripted";
	out->status = batch && s->wrong == DIES_IN_BATCHES ? ANSWER_CRASH : ANSWER_OK;
	if (out->status != ANSWER_OK)
		return;
	out->n_primal = out->n_derivative = 1;
	out->primal = NEW(a, struct tensor, 1);
	out->derivative = NEW(a, struct tensor, 1);
	out->primal[0] = tensor_new(a, &point[0].type);
	out->derivative[0] = tensor_new(a, &point[0].type);
	for (int i = 0; i < n; i++) {
		double x = point[0].at[s->wrong == MIXES_SLICES ? 0 : i].f, seed = c->transform[0].seed[0].at[0].f;

		out->primal[0].at[i].f = dtype_round(point[0].type.dtype, x * x * x);
		out->derivative[0].at[i].f = dtype_round(point[0].type.dtype,
		    3 * x * x * seed *
		        (is_wrong(s, c, x)                        ? 1.5
		                : s->wrong == NOISY_IN_F32 && f32 ? 1.0001
		                                                  : 1));
	}
}

static const struct engine_kind scripted_kind = {.name = "scripted",
    .summary = "",
    .modelled_on = "",
    .jvp = true,
    .vjp = true,
    .order = 1,
    .batch = true,
    .stacks = true,
    .prepare = scripted_prepare,
    .answer = scripted_answer};

static void check_scripted(struct arena *a)
{
	static const struct {
		enum wrong wrong;
		enum cross_mode mode;
		enum cross_verdict verdict;
		const char *dtype, *kind;
	} turns[] = {
	    {WRONGS, CROSS_MODE_again, CROSS_SAME, "f64", NULL},
	    {WRONGS, CROSS_MODE_batch, CROSS_SAME, "f64", NULL},
	    {WRONGS, CROSS_MODE_dtype, CROSS_SAME, "f32", NULL},
	    {WRONGS, CROSS_MODE_transpose, CROSS_SAME, "f64", NULL},
	    {WRONG_IN_F32, CROSS_MODE_dtype, CROSS_DIFFERS, "f64", "finite"},
	    {WRONG_IN_F32, CROSS_MODE_dtype, CROSS_DIFFERS, "f32", "finite"},
	    {WRONG_IN_F32, CROSS_MODE_transpose, CROSS_SAME, "f32", NULL},
	    /* what f32 explains */
	    {NOISY_IN_F32, CROSS_MODE_dtype, CROSS_SAME, "f64", NULL},
	    {WRONG_BY_CHANCE, CROSS_MODE_again, CROSS_DIFFERS, "f64", "finite"},
	    {WRONG_IN_BATCHES, CROSS_MODE_batch, CROSS_DIFFERS, "f64", "finite"},
	    {MIXES_SLICES, CROSS_MODE_batch, CROSS_DIFFERS, "f64", "finite"},
	    {DIES_IN_BATCHES, CROSS_MODE_batch, CROSS_DIFFERS, "f64", "crash"},
	    {DIES_IN_BATCHES, CROSS_MODE_transpose, CROSS_SAME, "f64", NULL},
	    {JVP_OFF_IN_F32, CROSS_MODE_transpose, CROSS_ROUNDING, "f32", NULL},
	    {JVP_OFF_IN_F32, CROSS_MODE_transpose, CROSS_SAME, "f64", NULL},
	    /* a point alone: a special case, or a convention */
	    {WRONG_HERE, CROSS_MODE_transpose, CROSS_ISOLATED, "f64", NULL},
	};

	for (size_t k = 0; k < sizeof turns / sizeof *turns; k++) {
		if (!row_wanted("scripted: %s, %s, %s", turns[k].dtype, cross_mode_names[turns[k].mode],
		        cross_verdict_names[turns[k].verdict]))
			continue;
		struct scripted *s = calloc(1, sizeof *s);
		struct cross *cross;
		struct cross_result r;
		struct testcase c;

		s->engine.place = &place_here;
		s->engine.kind = &scripted_kind;
		s->engine.spec = strdup("scripted");
		s->wrong = turns[k].wrong;
		arena_reset(a);
		c = test_case(a,
		    arena_printf(a,
		        "inputs x: %s[]\n"
		        "s = mul x, x\n"
		        "r = mul s, x\n"
		        "return r\n"
		        "point 1.5\n"
		        "request: vjp",
		        turns[k].dtype));
		cross = cross_open(&s->engine, NULL);
		cross_check(cross, turns[k].mode, &c, a, &r);
		CHECK(r.verdict == turns[k].verdict, "scripted %d, %s: %s, expected %s (%g and %g; %s)", turns[k].wrong,
		    cross_mode_names[turns[k].mode], cross_verdict_names[r.verdict],
		    cross_verdict_names[turns[k].verdict], r.left, r.right, r.text);
		CHECK(!turns[k].kind || (r.kind && !strcmp(r.kind, turns[k].kind)), "scripted %d: kind %s",
		    turns[k].wrong, r.kind ? r.kind : "none");
		cross_close(cross);
		engine_close(&s->engine);
	}
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 1 << 30);
	check_scripted(&a);
	arena_free(&a);
	return check_done();
}
