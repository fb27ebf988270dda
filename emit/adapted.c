/* adapted.c: sources of adapters, with the functions that judge returned numbers. */
#include <math.h>
#include <string.h>

#include "expected.h"

#include "brief.h"
#include "emit_parts.h"

/* How a language holds the expected numbers of all points, and ends. */
struct language {
	const char *suffix, *judges;
	struct expected_words words;
	const char *ask, *asked;          /* stand around what is asked */
	const char *begin, *key[2], *end; /* of the table of points; key: of the primal and the derivatives */
	const char *sums;                 /* begins the list of expected_sum of each point */
	const char *open, *close; /* around each of several texts, so that names of one do not meet those of another */
	const char *finish;
	bool braces; /* around lists */
};

static const struct language languages[] = {
    {"py",
#include "emit/compare_python.h"
#include "emit/judge_python.h"
        , {"nan", "inf", "-inf", "False", "True"}, "\n\njudged[\"asked\"] = \"", "\"\n", "points = {\n",
        {"    \"primal\": [\n", "    \"derivative\": [\n"}, "}\n", "sums = [", "", "", "\nfinish_points()\n", false},
    {"cjs",
#include "emit/compare_node.h"
        , {"NaN", "Infinity", "-Infinity", "false", "true"}, "judged.asked = '", "';\n", "const points = {\n",
        {"    primal: [\n", "    derivative: [\n"}, "};\n", "const sums = [", "{\n", "}\n", "", false},
    {"cpp",
#include "emit/compare_cpp.h"
        , {"NAN", "INFINITY", "-INFINITY", "false", "true"}, "const char *const judged::asked = \"", "\";\n",
        "judged::Points judged::points = {\n", {"    {\n", "    {\n"}, "};\n",
        "std::vector<std::vector<double>> judged::sums = [", "", "#undef ask\n", "", true},
};

/* Output k of the primal or of the outermost level, at a point. */
static const struct truth_tensor *output_of(const struct emission *x, int point, bool derivative, int k)
{
	const struct truth_point *t = &x->truth->point[point];

	return derivative ? &t->derivative[0][k] : &t->primal[k];
}

static int count_outputs(const struct emission *x, int point, bool derivative)
{
	const struct truth_point *t = &x->truth->point[point];

	return derivative ? t->n_derivative : t->n_primal;
}

/* A list of [name, whether it is a float, rows, dtype, shape] for every output; in C++, which has numbers alone,
 * without the last two. */
static void put_outputs(const struct emission *x, const struct language *l, int point, bool derivative)
{
	for (int k = 0; k < count_outputs(x, point, derivative); k++) {
		const struct type *type = &output_of(x, point, derivative, k)->type;

		text_put(x->out, "%s[\"%s\", %s, %s", k ? ",\n         " : "", expected_name(x, point, derivative, k),
		    dtype_is_float(type->dtype) ? l->words.yes : l->words.no,
		    expected_rows(x, point, derivative, k, &l->words));
		if (!l->braces)
			text_put(x->out, ", \"%s\", [%s]", expected_dtype(type->dtype),
			    expected_extents(&type->shape, ", ", x->arena));
		text_put(x->out, "]");
	}
}

/* Square brackets outside of quotes become braces. */
static void put_braces(char *at)
{
	for (bool quoted = false; *at; at++) {
		quoted ^= *at == '"';
		if (!quoted && (*at == '[' || *at == ']'))
			*at = *at == '[' ? '{' : '}';
	}
}

static void put_table(const struct emission *x, const struct language *l, bool differentiates)
{
	text_put(x->out, "%s", l->begin);
	for (int derivative = 0; derivative < 2; derivative++) {
		text_put(x->out, "%s", l->key[derivative]);
		for (int k = 0; k < x->truth->n_point && (differentiates || !derivative); k++) {
			text_put(x->out, "        [");
			put_outputs(x, l, k, derivative);
			text_put(x->out, "],\n");
		}
		text_put(x->out, "    ],\n");
	}
	text_put(x->out, "%s", l->end);
}

static void put_sums(const struct emission *x, const struct language *l)
{
	text_put(x->out, "%s", l->sums);
	for (int k = 0; k < x->truth->n_point; k++) {
		double least, most;

		expected_sum(x, k, &least, &most);
		text_put(x->out, "%s[%s, %s]", k ? ", " : "", expected_word(least, &l->words, x->arena),
		    expected_word(most, &l->words, x->arena));
	}
	text_put(x->out, "]%s\n", l->braces ? ";" : "");
}

static void put_points(const struct emission *x, const struct language *l)
{
	const bool differentiates = request_order(x->c->transform, x->c->n_transform) > 0;
	size_t before;

	text_put(x->out, "%s%s%s", l->ask, expected_asked(x), l->asked);
	before = x->out->len;
	put_table(x, l, differentiates);
	put_sums(x, l);
	if (l->braces)
		put_braces(x->out->at + before);
	text_put(x->out, "\n");
}

/* In C++, the function that asks about all points. */
static void put_main(const struct emission *x, int n)
{
	struct text calls = {.arena = x->arena};

	text_put(&calls, n > 1 ? "" : "ask();");
	for (int k = 0; k < n && n > 1; k++)
		text_put(&calls, "%sask_%d();", k ? " " : "", k);
	if (n > 1)
		text_put(x->out, "\nint main() { return judged::begin([] { %s }); }\n", calls.at);
	else
		text_put(x->out, "\nint main() { return judged::begin(ask); }\n");
}

static const struct language *language_of(const char *suffix, const char *const *text, int n)
{
	for (size_t i = 0; n && strstr(text[0], "judge(") && i < sizeof languages / sizeof *languages; i++)
		if (!strcmp(suffix, languages[i].suffix))
			return &languages[i];
	return NULL;
}

void emit_adapted(const struct emission *x, const char *suffix, const char *const *text, int n)
{
	const struct language *l = language_of(suffix, text, n);
	const struct brief_language *direct = x->brief ? brief_language_of(suffix) : NULL;

	if (direct && brief_has_results(text, n)) {
		brief_write(x, direct, text, n);
		return;
	}
	if (l) {
		text_put(x->out, "%s", l->judges);
		put_points(x, l);
	}
	for (int k = 0; k < n; k++) {
		if (l && n > 1 && l->braces)
			text_put(x->out, "#define ask ask_%d\n", k);
		else if (l && n > 1)
			text_put(x->out, "%s", l->open);
		text_put(x->out, "%s%s", text[k], l && n > 1 ? l->close : "");
	}
	if (l && l->braces)
		put_main(x, n);
	else if (l)
		text_put(x->out, "%s", l->finish);
}
