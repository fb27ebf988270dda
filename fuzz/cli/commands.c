/* commands.c: shared by several commands. */
#include "reports/file.h"
#include "reports/view.h"
#include "commands.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engines/engine.h"
#include "engines/process/hello.h"
#include "fuzz/bench/stop.h"
#include "fuzz/campaign/judging/jobs.h"
#include "fuzz/campaign/books/setup.h"

struct engine_limits engine_limits_preset(void)
{
	const struct quota now = quota_now();

	return (struct engine_limits){now, 1e-3 * (double)now.start_ms};
}

void engine_limits_use(const struct engine_limits *x)
{
	struct quota of = x->of;

	of.start_ms = (int64_t)fmin(1e3 * x->start, INT_MAX);
	quota_set(&of);
}

void texts_add_right_engines(struct texts *list)
{
	for (int i = 0; engine_names[i]; i++)
		texts_add(list, engine_names[i]);
}

int choose_jobs(const char *command, int64_t jobs)
{
	if (jobs <= JOBS_MOST)
		return jobs ? (int)jobs : jobs_processors();
	complain("%s: --jobs is at most %d", command, JOBS_MOST);
	return -1;
}

void warn_of_hellos(const struct bench *b)
{
	for (int k = 0; k < b->n_engine; k++) {
		const struct hello *hello = engine_hello(b->engine[k]);

		if (hello && *hello->unknown)
			complain("%s: its hello has names that adjudge does not know, and ignores: %s",
			    engine_name(b->engine[k]), hello->unknown);
	}
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

int complain_about_stop(const char *command)
{
	complain("%s: stopped by %s", command, stop_signal_name());
	return EXIT_SIGNAL + stop_signal();
}

static const char *text_member(const struct json *object, const char *key)
{
	const struct json *v = json_find(object, key);

	return v && v->kind == JSON_STRING ? v->text : NULL;
}

static struct reported report_engine(const char *text, size_t len, struct arena *a)
{
	struct error e = {0};
	const struct json *root = json_read(text, len, a, &e);

	if (!root || root->kind != JSON_OBJECT || !json_find(root, "case"))
		return (struct reported){0};
	return (struct reported){
	    text_member(root, "engine"), text_member(root, "engine_spec"), text_member(root, "signature")};
}

bool is_directory(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

int check_output(const char *path)
{
	struct error e = {0};

	if (!path || file_may_write(path, &e))
		return -1;
	complain("%s", e.text);
	return EXIT_OURS;
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

bool read_case(const char *path, struct arena *a, struct testcase *out, struct reported *engine, struct error *e)
{
	size_t len;
	const char *text;

	if (is_directory(path))
		return error_set(e, path, "is a directory; 'adjudge gate' judges all cases below one");
	text = json_read_bytes(path, LIMIT_CASE_BYTES, a, &len, e);
	if (!text || !testcase_read_named(path, text, len, a, out, e))
		return false;
	*engine = report_engine(text, len, a);
	return true;
}

bool file_may_name(const char *engine) { return setup_may_open(engine); }

/* Whether the text names an engine that a file may mention: a built-in one, or one that only the user can give.  False
 * with the reason. */
static bool file_may_mention(const char *engine, struct error *e)
{
	size_t name_length;

	if (engine_text_spec(engine, &name_length) != engine)
		return error_set(e, NULL, "'%s' is no name and no spec of an engine", engine);
	return engine_name_free(engine) || engine_spec_valid(engine, e);
}

const char *engine_option_text(const char *engine, const char *spec, struct arena *a)
{
	const char *text = engine;

	if (engine_name_free(engine))
		text = arena_printf(a, "%s=%s", engine, spec ? spec : "SPEC");
	return arena_printf(a, "--engine %s", view_shell_word(text, a));
}

int check_own_engine(const char *command, const char *path, const struct reported *own, struct arena *a)
{
	struct error e = {0};

	if (!file_may_mention(own->name, &e)) {
		complain("%s: engine: %s", path, e.text);
		return EXIT_BAD_CASE;
	}
	if (file_may_name(own->name))
		return -1;
	complain("%s: %s is about the engine '%s', which is not built in, and a file never starts an engine; "
	         "if you trust it, type: adjudge %s %s %s",
	    command, path, own->name, command, view_shell_word(path, a), engine_option_text(own->name, own->spec, a));
	return EXIT_NOTHING;
}

int choose_engine(const char *command, const char *path, const struct reported *own, const struct naming *names,
    const char **text, struct arena *a)
{
	if (*text)
		return -1;
	if (!own->name) {
		complain("%s: --engine is missing, and %s is no report, which would name one", command, path);
		return EXIT_USAGE;
	}
	*text = naming_find(names, own->name);
	if (*text)
		return -1;
	*text = own->name;
	return check_own_engine(command, path, own, a);
}

/* Without an engine the expectation is about the truth, which is decided or not. */
static bool check_verdict(const struct expectation *x, struct error *e)
{
	const int v = verdict_find(x->verdict);
	const char *near = v < 0 ? json_nearest(x->verdict, verdict_names, VERDICT_COUNT) : NULL;

	if (v < 0)
		return error_set(e, "verdict", "no verdict '%s'%s%s%s", x->verdict, near ? "; did you mean '" : "",
		    near ? near : "", near ? "'?" : "");
	if (x->engine || v == VERDICT_AGREE || v == VERDICT_UNDECIDED)
		return true;
	return error_set(e, "verdict",
	    "without an engine it is about the truth, which is 'agree' or 'undecided', not '%s'", x->verdict);
}

static bool check_expectation(const struct expectation *x, struct error *e)
{
	struct error inner = {0};

	if (x->verdict && !check_verdict(x, e))
		return false;
	return !x->engine || !strcmp(x->engine, "*") || file_may_mention(x->engine, &inner) ||
	    error_set(e, "engine", "%s", inner.text);
}

bool check_expectations(const char *path, const struct testcase *c, struct error *e)
{
	for (int i = 0; i < c->n_expect; i++) {
		struct error inner = {0};
		char place[sizeof inner.place + 32];

		if (check_expectation(&c->expect[i], &inner))
			continue;
		snprintf(place, sizeof place, "expect[%d].%s", i, inner.place);
		error_set(e, place, "%s", inner.text);
		return json_error_in(path, e);
	}
	return true;
}

bool machine_failed(const char *engine, const struct answer *answers, int n_point)
{
	for (int p = 0; p < n_point; p++)
		if (answers[p].status == ANSWER_FAILURE) {
			complain("%s: %s", engine, answers[p].text ? answers[p].text : "failed");
			return true;
		}
	return false;
}
