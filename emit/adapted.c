/* adapted.c: sources of adapters, with the functions that judge returned numbers. */
#include <string.h>

#include "expected.h"

#include "emit_parts.h"

/* How a language holds the expected numbers of all points, and ends. */
struct language {
	const char *suffix, *judges; /* judges: the functions */
	struct expected_words words;
	const char *ask, *asked;          /* stand around what is asked */
	const char *begin, *key[2], *end; /* of the table of points; key: of the primal and the derivatives */
	const char *sums;                 /* begins the list of expected_sum of each point */
	const char *open, *close;         /* around each text, so that names of one do not meet those of another */
	const char *finish;
	const char *prints; /* makes `judge` print */
};

static const struct language languages[] = {
    {"py",
#include "emit/compare_python.h"
#include "emit/judge_python.h"
        , {"nan", "inf", "-inf", "False", "True"}, "\n\njudged[\"asked\"] = \"", "\"\n", "points = {\n",
        {"    \"primal\": [\n", "    \"derivative\": [\n"}, "}\n", "sums = [", "", "", "\nfinish_points()\n",
        "judge = print\n"},
    {"cjs",
#include "emit/compare_node.h"
        , {"NaN", "Infinity", "-Infinity", "false", "true"}, "judged.asked = '", "';\n", "const points = {\n",
        {"    primal: [\n", "    derivative: [\n"}, "};\n", "const sums = [", "{\n", "}\n", "",
        "const judge = console.log;\n"},
};

/* The names of dtypes in Python and JavaScript. */
static const char *const dtype_words[DTYPE_COUNT] = {[DTYPE_F64] = "float64",
    [DTYPE_F32] = "float32",
    [DTYPE_BF16] = "bfloat16",
    [DTYPE_F16] = "float16",
    [DTYPE_I64] = "int64",
    [DTYPE_I32] = "int32",
    [DTYPE_BOOL] = "bool"};

static const char *shape_list(const struct shape *s, struct arena *a)
{
	struct text out = {.arena = a};

	text_put(&out, "[");
	for (int k = 0; k < s->rank; k++)
		text_put(&out, "%s%d", k ? ", " : "", s->extent[k]);
	text_put(&out, "]");
	return out.at;
}

/* A list of [name, whether it is a float, rows, dtype, shape] for every output. */
static void put_outputs(const struct emission *x, const struct language *l, int point, bool derivative)
{
	const struct truth_point *t = &x->truth->point[point];
	int n = derivative ? t->n_derivative : t->n_primal;

	for (int k = 0; k < n; k++) {
		const struct truth_tensor *tensor = derivative ? &t->derivative[0][k] : &t->primal[k];

		text_put(x->out, "%s[\"%s\", %s, %s, \"%s\", %s]", k ? ",\n         " : "",
		    expected_name(x, point, derivative, k),
		    dtype_is_float(tensor->type.dtype) ? l->words.yes : l->words.no,
		    expected_rows(x, point, derivative, k, &l->words), dtype_words[tensor->type.dtype],
		    shape_list(&tensor->type.shape, x->arena));
	}
}

static void put_points(const struct emission *x, const struct language *l)
{
	bool differentiates = request_order(x->c->transform, x->c->n_transform) > 0;

	text_put(x->out, "%s%s%s%s", l->ask, expected_asked(x), l->asked, l->begin);
	for (int derivative = 0; derivative < 2; derivative++) {
		text_put(x->out, "%s", l->key[derivative]);
		for (int k = 0; k < x->truth->n_point && (differentiates || !derivative); k++) {
			text_put(x->out, "        [");
			put_outputs(x, l, k, derivative);
			text_put(x->out, "],\n");
		}
		text_put(x->out, "    ],\n");
	}
	text_put(x->out, "%s%s", l->end, l->sums);
	for (int k = 0; k < x->truth->n_point; k++) {
		double least, most;

		expected_sum(x, k, &least, &most);
		text_put(x->out, "%s[%s, %s]", k ? ", " : "", expected_word(least, &l->words, x->arena),
		    expected_word(most, &l->words, x->arena));
	}
	text_put(x->out, "]\n\n");
}

static const struct language *language_of(const char *suffix, const char *const *text, int n)
{
	for (size_t i = 0; n && strstr(text[0], "judge(") && i < sizeof languages / sizeof *languages; i++)
		if (!strcmp(suffix, languages[i].suffix))
			return &languages[i];
	return NULL;
}

/* The text without lines of comment, and with no more than one empty line at a place. */
static const char *brief(const char *text, struct arena *a)
{
	struct text t = {.arena = a};
	bool empty = false;

	text_put_bytes(&t, "", 0);
	for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
		const char *first = line + strspn(line, " ");

		end = line + strcspn(line, "\n");
		if (*first == '#' || !strncmp(first, "//", 2) || (first == end && empty))
			continue;
		empty = first == end;
		text_put(&t, "%.*s\n", (int)(end - line), line);
	}
	return t.at;
}

void emit_adapted(const struct emission *x, const char *suffix, const char *const *text, int n)
{
	const struct language *l = language_of(suffix, text, n);

	if (l && x->brief) {
		text_put(x->out, "%s", l->prints);
	} else if (l) {
		text_put(x->out, "%s", l->judges);
		put_points(x, l);
	}
	for (int k = 0; k < n; k++)
		text_put(x->out, "%s%s%s", l && n > 1 ? l->open : "", x->brief ? brief(text[k], x->arena) : text[k],
		    l && n > 1 ? l->close : "");
	if (l && !x->brief)
		text_put(x->out, "%s", l->finish);
}
