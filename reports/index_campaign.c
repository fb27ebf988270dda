/* index_campaign.c: the header of an index, from the summary of the campaign. */
#include <stdlib.h>
#include <string.h>

#include "html_page.h"
#include "index.h"

enum { REASONS_SHOWN = 4, MEANS_LITTLE = 10 /* percent of its cases that an engine decided */ };

static double number(const struct json *object, const char *key) { return strtod(render_member(object, key), NULL); }

static const struct json *list_of(const struct json *object, const char *key)
{
	const struct json *v = object ? json_find(object, key) : NULL;

	return v && (v->kind == JSON_ARRAY || v->kind == JSON_OBJECT) ? v->child : NULL;
}

/* ---- the campaign as a whole ---- */

static void put_fact(struct text *out, const char *name, const char *value)
{
	if (*value)
		html_put(out, "<div><dt>%s</dt><dd>%s</dd></div>\n", name, value);
}

/* "2 h 05 min", "3 min 12 s", "8.4 s". */
static const char *duration(double seconds, struct arena *a)
{
	const long whole = seconds < 1e9 ? (long)seconds : 1000000000;

	if (!(seconds > 0))
		return "";
	if (seconds < 60)
		return arena_printf(a, "%.1f s", seconds);
	if (seconds < 3600)
		return arena_printf(a, "%ld min %ld s", whole / 60, whole % 60);
	return arena_printf(a, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
}

static const char *share(double part, double whole, struct arena *a)
{
	return whole > 0 ? arena_printf(a, "%.1f %%", 100 * part / whole) : "";
}

static const char *why_stopped(const char *word, struct arena *a)
{
	static const struct {
		const char *word, *meaning;
	} words[] = {{"cases", "all its cases were judged"}, {"time", "its time was over"},
	    {"max-findings", "it had enough findings"}, {"failure", "adjudge or the machine failed"}, {"merged", ""}};

	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		if (!strcmp(word, words[k].word))
			return words[k].meaning;
	return *word ? arena_printf(a, "stopped before its end by %s", word) : "";
}

/* "0x5" for "0x0000000000000005". */
static const char *short_seed(const char *seed, struct arena *a)
{
	const bool hex = !strncmp(seed, "0x", 2);
	const char *digits = hex ? seed + 2 + strspn(seed + 2, "0") : seed;

	return hex ? arena_printf(a, "0x%s", *digits ? digits : "0") : seed;
}

/* How many campaigns are merged, and how many of them have not ended. */
static void put_campaigns(struct text *out, const struct json *sources)
{
	int going = 0;

	if (!sources || sources->kind != JSON_ARRAY)
		return;
	for (const struct json *x = sources->child; x; x = x->next)
		going += !*render_member(x, "stopped");
	put_fact(out, "Campaigns",
	    going ? arena_printf(out->arena, "%d, %d of them not ended", sources->n_child, going)
	          : arena_printf(out->arena, "%d", sources->n_child));
}

/* What summary.json and campaign.json both have. */
static void put_setup(struct text *out, const struct json *object)
{
	put_fact(out, "Seed", short_seed(render_member(object, "seed"), out->arena));
	put_fact(out, "Driver", render_member(object, "driver"));
	put_fact(out, "Profile", render_member(object, "profile"));
}

static void put_facts(struct text *out, const struct json *s)
{
	struct arena *a = out->arena;
	const double cases = number(s, "cases"), disagreements = number(s, "oracle_disagreements");
	const char *rate = render_member(s, "cases_per_second");

	text_put(out, "<dl class=\"facts\">\n");
	put_fact(out, "Cases", render_member(s, "cases"));
	put_fact(out, "Cases per second", *rate ? arena_printf(a, "%.0f", strtod(rate, NULL)) : "");
	put_fact(out, "Decided", share(number(s, "decided"), cases, a));
	put_fact(out, "Duration", duration(number(json_find(s, "timing"), "seconds"), a));
	put_fact(out, "Ended because", why_stopped(render_member(s, "stopped"), a));
	put_campaigns(out, json_find(s, "sources"));
	put_setup(out, s);
	put_fact(out, "Only where right", render_member(s, "right_on"));
	if (disagreements > 0)
		put_fact(
		    out, "Disagreements of the oracles, bugs of adjudge", render_member(s, "oracle_disagreements"));
	text_put(out, "</dl>\n");
}

/* ---- engine by engine ---- */

/* The most frequent members of an object of counts, at most `most`: "reason (12), another (3)". */
static const char *reasons(const struct json *object, int most_shown, struct arena *a)
{
	const char *text = "";
	double below = 1e300;
	int shown = 0;

	while (shown < most_shown) {
		double most = 0;

		for (const struct json *v = object ? object->child : NULL; v; v = v->next)
			if (v->kind == JSON_NUMBER && strtod(v->text, NULL) < below && strtod(v->text, NULL) > most)
				most = strtod(v->text, NULL);
		if (!(most > 0))
			break;
		for (const struct json *v = object->child; v && shown < most_shown; v = v->next)
			if (v->kind == JSON_NUMBER && strtod(v->text, NULL) == most)
				text = arena_printf(
				    a, "%s%s%s (%s)", text, shown++ ? ", " : "", v->key ? v->key : "", v->text);
		below = most;
	}
	return text;
}

static void put_why(struct text *out, const char *what, const struct json *counts)
{
	const char *text = counts && counts->kind == JSON_OBJECT ? reasons(counts, REASONS_SHOWN, out->arena) : "";

	if (*text)
		html_put(out, "<br><span class=\"why\">%s: %s</span>", what, text);
}

/* Trouble with the process of an engine: "2 restarts, 1 hang". */
static const char *trouble(const struct json *e, struct arena *a)
{
	static const struct {
		const char *key, *one, *more;
	} counts[] = {{"restarts", "restart", "s"}, {"hangs", "hang", "s"}, {"crashes", "crash", "es"},
	    {"broken_answers", "unreadable answer", "s"}, {"broken", "unanswered case of a kind that it knows", ""},
	    {"not_asked", "not asked because it does not know the request", ""}};
	const char *text = "";

	for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
		if (number(e, counts[k].key) > 0)
			text = arena_printf(a, "%s%s%s %s%s", text, *text ? ", " : "", render_member(e, counts[k].key),
			    counts[k].one, number(e, counts[k].key) > 1 ? counts[k].more : "");
	return text;
}

static void put_number(struct text *out, const char *name, const char *value, bool bad)
{
	text_put(out, bad ? "<div class=\"got\">" : "<div>");
	html_put(out, "<dt>%s</dt><dd>%s</dd></div>", name, *value ? value : "-");
}

static bool decided_little(const struct json *e)
{
	return number(e, "decided") < 0.5 * number(e, "asked") || !(number(e, "decided") > 0);
}

static void put_engine(struct text *out, const struct json *e)
{
	struct arena *a = out->arena;
	const double asked = number(e, "asked");
	const char *version = render_member(e, "engine_version"), *bad = trouble(e, a);

	html_put(out, "<section class=\"judged\"><div><code class=\"engine\">%s</code>", render_member(e, "engine"));
	if (*version && strcmp(version, render_member(e, "engine")) != 0)
		html_put(out, " <span class=\"dim\">%s</span>", version);
	put_why(out, "unsupported", json_find(e, "unsupported_reasons"));
	put_why(out, "undecided", json_find(e, "undecided_reasons"));
	if (*bad)
		html_put(out, "<br><span class=\"why\">%s</span>", bad);
	text_put(out, "</div><dl>");
	put_number(out, "answered", share(number(e, "answered"), asked, a), false);
	put_number(out, "decided", share(number(e, "decided"), asked, a), decided_little(e));
	put_number(out, "unsupported", share(number(e, "unsupported"), asked, a), false);
	put_number(out, "failing cases", render_member(e, "findings"), number(e, "findings") > 0);
	text_put(out, "</dl></section>\n");
}

/* Names the engines that decided less than half, and why: no finding of theirs may mean little. */
static void put_warnings(struct text *out, const struct json *engines)
{
	for (const struct json *e = engines; e; e = e->next) {
		const double asked = number(e, "asked"), decided = number(e, "decided");
		const struct json *why = json_find(e, "unsupported_reasons");
		const char *most = why && why->kind == JSON_OBJECT ? reasons(why, 1, out->arena) : "";

		if (!decided_little(e))
			continue;
		html_put(out, "<div class=\"note\"><p><b>%s</b> ", render_member(e, "engine"));
		if (!(asked > 0))
			text_put(out, "was asked nothing, because it knows none of the requests");
		else
			html_put(out, "decided %s of the %s cases that it was asked",
			    decided > 0 ? arena_printf(out->arena, "only %s", share(decided, asked, out->arena))
			                : "none",
			    render_member(e, "asked"));
		if (*most)
			html_put(out, ". The main reason: %s", most);
		text_put(out, ".%s</p></div>\n",
		    100 * decided < MEANS_LITTLE * asked || !(asked > 0) ? " That it has few findings means little."
		                                                         : "");
	}
}

static void put_engines(struct text *out, const struct json *engines, bool open)
{
	int n = 0;

	put_warnings(out, engines);
	for (const struct json *e = engines; e; e = e->next)
		n++;
	if (!n)
		return;
	text_put(out, "<details class=\"engines\"%s><summary>%s</summary>\n", open ? " open" : "",
	    text_count(n, "engine", out->arena));
	for (const struct json *e = engines; e; e = e->next)
		put_engine(out, e);
	text_put(out, "</details>\n");
}

/* A campaign that was killed, or is running. */
static void put_unended(struct text *out, const struct index *x)
{
	const struct json *counts = json_find(x->state, "counts");

	text_put(out, "<dl class=\"facts\">\n");
	put_fact(out, "Cases", render_member(counts, "cases"));
	put_fact(out, "Duration", duration(1e-3 * number(x->state, "elapsed_ms"), out->arena));
	put_setup(out, x->setup);
	text_put(out,
	    "</dl>\n<div class=\"note\"><p>This campaign has not ended: it was killed, or it is still running. The "
	    "counts are those that it saved last. It goes on with <code>adjudge fuzz --resume DIR</code>.</p></div>\n");
}

void index_put_campaign(struct text *out, const struct index *x, bool open)
{
	if (x->state)
		put_unended(out, x);
	if (!x->summary)
		return;
	put_facts(out, x->summary);
	put_engines(out, list_of(x->summary, "engines"), open);
}
