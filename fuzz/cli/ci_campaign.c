/* ci_campaign.c: see ci_campaign.h. */
#include "ci_campaign.h"

#include <string.h>

#include "engines/engine.h"
#include "fuzz/bench/account.h"
#include "fuzz/bench/stop.h"
#include "fuzz/campaign/books/setup.h"
#include "graph/json.h"

static const char *text_of(const struct json *object, const char *key)
{
	const struct json *v = json_find(object, key);

	return v && v->kind == JSON_STRING ? v->text : "";
}

static int64_t count_of(const struct json *object, const char *key)
{
	const struct json *v = json_find(object, key);
	struct error e = {0};
	int64_t n;

	return v && json_int64(v, &n, &e) ? n : 0;
}

static const struct json *first_of(const struct json *object, const char *key)
{
	const struct json *v = json_find(object, key);

	return v && v->kind == JSON_ARRAY ? v->child : NULL;
}

/* The verdict in a coarse signature, which is the last but one of its parts. */
static const char *verdict_of(const char *signature, struct arena *a)
{
	const char *end = strrchr(signature, '|'), *start = end;

	while (start && start > signature && start[-1] != '|')
		start--;
	return end ? arena_printf(a, "%.*s", (int)(end - start), start) : "";
}

/* Whether the finding's signature begins with that engine. */
static bool is_of(const char *signature, const char *engine)
{
	const size_t n = strlen(engine);

	return !strncmp(signature, engine, n) && signature[n] == '|';
}

static const char *engine_of(const struct json *summary, const char *signature)
{
	for (const struct json *v = first_of(summary, "engines"); v; v = v->next)
		if (is_of(signature, text_of(v, "engine")))
			return text_of(v, "engine");
	return "";
}

/* The name of the finding that the baseline lists, or its first name. */
static const char *known_name(struct ci_run *run, const struct json *finding, const char *path)
{
	for (const struct json *v = first_of(finding, "also"); v; v = v->next)
		if (v->kind == JSON_STRING && baseline_match(&run->baseline, v->text, path))
			return v->text;
	return text_of(finding, "fine");
}

static void add_finding(
    struct ci_run *run, const struct json *summary, const struct json *finding, const struct ci_campaign *x)
{
	const char *path = arena_printf(run->arena, "%s/%s", x->out, text_of(finding, "file"));
	const char *signature = text_of(finding, "signature");
	const struct json *flaky = json_find(finding, "flaky");
	const bool gone = flaky && flaky->truth;

	ci_run_add(run,
	    (struct ci_outcome){.state = gone ? CI_FLAKY : CI_NEW,
	        .path = path,
	        .engine = engine_of(summary, signature),
	        .signature = known_name(run, finding, path),
	        .verdict = verdict_of(signature, run->arena),
	        .message = arena_printf(run->arena, "%s%s",
	            text_seen(count_of(finding, "count"), count_of(finding, "first_case"), run->arena),
	            gone ? ", did not come again" : "")},
	    NULL);
}

/* A lead counts only with --cross-strict. */
static void add_lead(struct ci_run *run, const struct json *lead, const struct ci_campaign *x)
{
	ci_run_add(run,
	    (struct ci_outcome){.state = CI_NEW,
	        .path = arena_printf(run->arena, "%s/%s", x->out, text_of(lead, "file")),
	        .signature = text_of(lead, "signature"),
	        .message = "two answers that must be equal differ"},
	    NULL);
}

/* An outcome for each engine that has no finding.  Returns whether too little was decided about one. */
static bool add_engines(struct ci_run *run, const struct json *summary, const struct ci_campaign *x)
{
	bool any = false;

	for (const struct json *v = first_of(summary, "engines"); v && !x->no_oracle; v = v->next) {
		const int64_t decided = count_of(v, "decided"), asked = count_of(v, "asked");
		const bool few = decided_too_few(decided, asked, x->min_decided, x->named) && !ci_sharded(run);

		any = any || few;
		if (count_of(v, "findings") && !few)
			continue;
		ci_run_add(run,
		    (struct ci_outcome){.state = few ? CI_TOO_FEW
		            : decided                ? CI_PASSED
		                                     : CI_UNDECIDED,
		        .path = arena_printf(run->arena, "%s/" SUMMARY_FILE, x->out),
		        .engine = text_of(v, "engine"),
		        .message = few ? too_few_text(decided, asked, x->min_decided, run->arena)
		                       : arena_printf(run->arena, "decided %lld of %lld cases", (long long)decided,
		                             (long long)asked)},
		    NULL);
	}
	return any;
}

static int exit_code(const struct ci_run *run, const struct json *summary, const struct ci_campaign *x, bool few)
{
	const struct ci_report *r = &run->report;

	if (x->code >= EXIT_USAGE && x->code <= EXIT_OURS)
		return x->code;
	if (ci_failures(r) > r->count[CI_TOO_FEW])
		return EXIT_FINDING;
	if (stop_requested() && !strcmp(text_of(summary, "stopped"), stop_signal_name()))
		return EXIT_SIGNAL + stop_signal();
	if (few || (x->code == EXIT_NOTHING && !ci_sharded(run)))
		return EXIT_NOTHING;
	return r->count[CI_FLAKY] ? EXIT_FLAKY : EXIT_NO_FINDING;
}

int ci_take_campaign(struct ci_run *run, const struct ci_campaign *x)
{
	struct error e = {0};
	const struct json *summary = json_read(x->summary, strlen(x->summary), run->arena, &e), *cross;
	bool few;

	if (!summary || summary->kind != JSON_OBJECT)
		return EXIT_OURS;
	for (const struct json *v = first_of(summary, "engines"); v; v = v->next)
		if (engine_spec_is_external(text_of(v, "engine_spec")))
			ci_add_engine(&run->report, text_of(v, "engine"), text_of(v, "engine_version"));
	for (const struct json *v = first_of(summary, "findings"); v; v = v->next)
		add_finding(run, summary, v, x);
	cross = x->cross_strict ? json_find(summary, "cross") : NULL;
	for (const struct json *v = cross ? first_of(cross, "leads") : NULL; v; v = v->next)
		add_lead(run, v, x);
	few = add_engines(run, summary, x);
	if (x->code == EXIT_OURS)
		ci_run_add(run,
		    (struct ci_outcome){.state = CI_ERROR, .path = x->out, .message = "adjudge or the machine failed"},
		    NULL);
	/* A campaign draws other cases each time, so a finding that was not met is not fixed. */
	ci_check_baseline(run, NULL, NULL, 0);
	for (const char *line = x->text; *line; line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n'))
		ci_add_total(&run->report, line);
	return exit_code(run, summary, x, few);
}
