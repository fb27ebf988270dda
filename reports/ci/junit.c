/*
 * junit.c: JUnit XML, in the subset that all readers share.  There is a suite for each engine.  Known findings and
 * undecided cases are skipped; a crash, a hang or a broken protocol is an error; any other finding is a failure.
 */
#include "outcome.h"

#include <string.h>

#include "reports/escape.h"

/* How an outcome counts; PASSED has no element. */
enum element { ELEMENT_PASSED, ELEMENT_FAILURE, ELEMENT_ERROR, ELEMENT_SKIPPED, ELEMENTS };
static const char *const element_names[ELEMENTS] = {"", "failure", "error", "skipped"};

static enum element element_of(const struct ci_outcome *x)
{
	static const char *const dead[] = {"crash", "hang", "protocol", "oom"};

	if (ci_state_levels[x->state] == CI_LEVEL_PASS)
		return ELEMENT_PASSED;
	if (ci_state_levels[x->state] != CI_LEVEL_FAIL)
		return ELEMENT_SKIPPED;
	for (size_t k = 0; k < sizeof dead / sizeof *dead; k++)
		if (!strcmp(x->verdict, dead[k]))
			return ELEMENT_ERROR;
	return x->state == CI_ERROR ? ELEMENT_ERROR : ELEMENT_FAILURE;
}

static void put_attribute(struct text *t, const char *name, const char *value)
{
	text_put(t, " %s=\"", name);
	text_put_escaped(t, ESCAPE_HTML, value);
	text_put(t, "\"");
}

/* The counts of the outcomes of one engine, or of all (NULL). */
static void put_counts(struct text *t, const struct ci_report *r, const char *engine)
{
	int n[ELEMENTS] = {0}, sum = 0;

	for (int i = 0; i < r->n; i++)
		if (!engine || !strcmp(r->at[i].engine, engine)) {
			n[element_of(&r->at[i])]++;
			sum++;
		}
	text_put(t, " tests=\"%d\" failures=\"%d\" errors=\"%d\"", sum, n[ELEMENT_FAILURE], n[ELEMENT_ERROR]);
	text_put(t, " skipped=\"%d\"", n[ELEMENT_SKIPPED]);
}

static void put_testcase(struct text *t, const struct ci_report *r, const struct ci_outcome *x)
{
	const enum element element = element_of(x);

	text_put(t, "    <testcase");
	put_attribute(t, "name", *x->path ? ci_path(r, x) : ci_state_names[x->state]);
	put_attribute(t, "classname", *x->engine ? x->engine : "adjudge");
	if (element == ELEMENT_PASSED) {
		text_put(t, "/>\n");
		return;
	}
	text_put(t, ">\n      <%s", element_names[element]);
	put_attribute(t, "type", ci_state_names[x->state]);
	put_attribute(t, "message", *x->message ? x->message : ci_state_meanings[x->state]);
	text_put(t, ">");
	text_put_escaped(t, ESCAPE_HTML, x->signature);
	if (*x->link)
		text_put(t, " (");
	text_put_escaped(t, ESCAPE_HTML, x->link);
	text_put(t, "%s</%s>\n    </testcase>\n", *x->link ? ")" : "", element_names[element]);
}

/* Whether the engine of outcome k has an earlier outcome. */
static bool had_engine(const struct ci_report *r, int k)
{
	for (int i = 0; i < k; i++)
		if (!strcmp(r->at[i].engine, r->at[k].engine))
			return true;
	return false;
}

void ci_write_junit(const struct ci_report *r, struct text *out)
{
	text_put(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
	put_attribute(out, "name", arena_printf(r->arena, "adjudge %s", r->command));
	put_counts(out, r, NULL);
	text_put(out, ">\n");
	for (int i = 0; i < r->n; i++) {
		const char *engine = r->at[i].engine;

		if (had_engine(r, i))
			continue;
		text_put(out, "  <testsuite");
		put_attribute(out, "name", *engine ? engine : "adjudge");
		put_counts(out, r, engine);
		text_put(out, ">\n");
		if (*ci_version(r, engine)) {
			text_put(out, "    <properties>\n      <property name=\"engine_version\"");
			put_attribute(out, "value", ci_version(r, engine));
			text_put(out, "/>\n    </properties>\n");
		}
		for (int k = i; k < r->n; k++)
			if (!strcmp(r->at[k].engine, engine))
				put_testcase(out, r, &r->at[k]);
		text_put(out, "  </testsuite>\n");
	}
	text_put(out, "</testsuites>\n");
}
