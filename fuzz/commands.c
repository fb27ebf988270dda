/* commands.c: what several commands need. */
#include "commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../graph/json.h"

bool texts_add(struct texts *list, const char *spec)
{
	for (int i = 0; i < list->n; i++)
		if (!strcmp(list->at[i], spec))
			return true;
	if (list->n == OPTIONS_TEXTS)
		return false;
	list->at[list->n++] = spec;
	return true;
}

void texts_add_right_engines(struct texts *list)
{
	for (int i = 0; engine_names[i]; i++)
		texts_add(list, engine_names[i]);
}

const char *request_text(const struct testcase *c, struct arena *a)
{
	const char *text = c->n_transform ? "" : "primal";

	for (int i = 0; i < c->n_transform; i++)
		text = arena_printf(a, "%s%s%s", text, i ? "," : "", transform_names[c->transform[i].kind]);
	return text;
}

int complain_about_case(const struct error *e)
{
	if (e->place[0])
		complain("%s: %s", e->place, e->text);
	else
		complain("%s", e->text);
	return EXIT_BAD_CASE;
}

const char *report_engine(const char *path, struct arena *a)
{
	struct error e = {0};
	const struct json *root, *engine;
	size_t len;
	char *text;

	if (!strcmp(path, "-"))
		return NULL; /* it can be read but once */
	text = json_read_bytes(path, LIMIT_CASE_BYTES, a, &len, &e);
	root = text ? json_read(text, len, a, &e) : NULL;
	if (!root || root->kind != JSON_OBJECT || !json_find(root, "case"))
		return NULL;
	engine = json_find(root, "engine");
	return engine && engine->kind == JSON_STRING ? engine->text : NULL;
}

const char *decimal_text(double x, struct arena *a)
{
	if (isnan(x))
		return "nan";
	if (isinf(x))
		return x > 0 ? "inf" : "-inf";
	for (int digits = 6; digits < 17; digits++) {
		const char *text = arena_printf(a, "%.*g", digits, x);

		if (strtod(text, NULL) == x)
			return text;
	}
	return arena_printf(a, "%.17g", x);
}

bool judgement_has_numbers(const struct judgement *j)
{
	switch (j->verdict) {
	case VERDICT_AGREE: case VERDICT_CONVENTION: case VERDICT_INACCURATE: case VERDICT_NAN_LEAK: case VERDICT_NONDETERMINISTIC:
	case VERDICT_WRONG: case VERDICT_WRONG_PRIMAL:
		return true;
	case VERDICT_UNSUPPORTED: case VERDICT_UNDECIDED: case VERDICT_BAD_DTYPE: case VERDICT_BAD_SHAPE: case VERDICT_INPUT_MODIFIED:
	case VERDICT_PROTOCOL: case VERDICT_HANG: case VERDICT_CRASH: case VERDICT_COUNT:
		break;
	}
	return false;
}

const char *answers_text(const struct answer *answers, int n_point)
{
	for (int p = 0; p < n_point; p++)
		if (answers[p].text && *answers[p].text)
			return answers[p].text;
	return "";
}

bool machine_failed(const char *spec, const struct answer *answers, int n_point)
{
	for (int p = 0; p < n_point; p++)
		if (answers[p].status == ANSWER_FAILURE) {
			complain("%s: %s", spec, answers[p].text ? answers[p].text : "failed");
			return true;
		}
	return false;
}
