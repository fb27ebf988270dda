/* commands.c: shared by several commands. */
#include "reports/file.h"
#include "commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/engine.h"

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

/* The engine of a well-formed report; NULL for a bare case. */
static const char *report_engine(const char *text, size_t len, struct arena *a)
{
	struct error e = {0};
	const struct json *root = json_read(text, len, a, &e), *engine;

	if (!root || root->kind != JSON_OBJECT || !json_find(root, "case"))
		return NULL;
	engine = json_find(root, "engine");
	return engine && engine->kind == JSON_STRING ? engine->text : NULL;
}

int write_output(const char *path, const char *text, size_t len)
{
	struct error e = {0};

	if (!path)
		fwrite(text, 1, len, stdout);
	if (fflush(stdout))
		return EXIT_OURS;
	if (!path || file_write_path(path, text, len, &e))
		return EXIT_NO_FINDING;
	complain("%s", e.text);
	return EXIT_OURS;
}

bool read_case(const char *path, struct arena *a, struct testcase *out, const char **engine, struct error *e)
{
	size_t len;
	const char *text = json_read_bytes(path, LIMIT_CASE_BYTES, a, &len, e);

	if (!text || !testcase_read_named(path, text, len, a, out, e))
		return false;
	*engine = report_engine(text, len, a);
	return true;
}

bool file_may_name(const char *spec) { return !engine_spec_is_external(spec); }

bool check_spec(const char *where, const char *spec)
{
	struct error e = {0};

	if (!spec || engine_spec_valid(spec, &e))
		return true;
	complain("%s: %s", where, e.text);
	return false;
}

int check_own_engine(const char *command, const char *path, const char *own)
{
	struct error e = {0};

	if (!engine_spec_valid(own, &e)) {
		complain("%s: engine: %s", path, e.text);
		return EXIT_BAD_CASE;
	}
	if (file_may_name(own))
		return -1;
	complain("%s: %s is about the engine '%s', which is not built in, and a file never starts an engine; "
	         "if you trust it, type: adjudge %s %s --engine \"%s\"",
	    command, path, own, command, path, own);
	return EXIT_NOTHING;
}

int choose_engine(const char *command, const char *path, const char *own, const char **spec)
{
	if (*spec)
		return -1;
	if (!own) {
		complain("%s: --engine is missing, and %s is no report, which would name one", command, path);
		return EXIT_USAGE;
	}
	*spec = own;
	return check_own_engine(command, path, own);
}

bool check_expectations(const char *path, const struct testcase *c)
{
	for (int i = 0; i < c->n_expect; i++) {
		const struct expectation *x = &c->expect[i];
		struct error e = {0};

		if (x->verdict && verdict_find(x->verdict) < 0) {
			const char *near = json_nearest(x->verdict, verdict_names, VERDICT_COUNT);

			complain("%s: expect[%d].verdict: no verdict '%s'%s%s%s", path, i, x->verdict,
			    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
			return false;
		}
		if (x->engine && strcmp(x->engine, "*") && !engine_spec_valid(x->engine, &e)) {
			complain("%s: expect[%d].engine: %s", path, i, e.text);
			return false;
		}
	}
	return true;
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
