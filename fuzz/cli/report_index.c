/* report_index.c: adjudge report DIR: writes the findings of a campaign, as one text or as pages. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "reports/file.h"
#include "reports/html_page.h"
#include "reports/index.h"
#include "reports/view.h"
#include "baseline.h"
#include "commands.h"
#include "report_pages.h"

/* Why the baseline accepts the group, if it does: the reason, the link and the date. */
static const char *why_known(struct baseline *b, const struct index_group *g, const char *path, struct arena *a)
{
	const struct known_finding *k = baseline_match(b, g->fine, path);

	for (int i = 0; i < g->n_also && !k; i++)
		k = baseline_match(b, g->also[i], path);
	if (!k)
		return NULL;
	return arena_printf(a, "%s%s%s, until %s", *k->reason ? k->reason : "no reason given", *k->link ? ", " : "",
	    k->link, k->expires);
}

/* Reads the campaign in that directory; baseline: a file, or NULL.  False after a complaint. */
static bool index_of(const char *dir, const char *baseline, struct arena *a, struct index *x)
{
	struct error e = {0};
	struct baseline b;

	if (!index_read(dir, a, x, &e) || (baseline && !baseline_read_file(baseline, a, &b, &e))) {
		complain("%s: %s", e.place, e.text);
		return false;
	}
	for (int k = 0; baseline && k < x->n_group; k++)
		x->group[k].known = why_known(
		    &b, &x->group[k], arena_printf(a, "%s/%s", dir, x->group[k].report[0]), a);
	return true;
}

int report_index(const char *dir, const char *format, const char *baseline, const char *out, struct arena *a)
{
	struct text text = {.arena = a};
	struct index x;
	size_t len;
	char *json;

	if (!index_of(dir, baseline, a, &x))
		return EXIT_BAD_CASE;
	if (!strcmp(format, "json")) {
		json = index_json(&x, a, &len);
		text_put_bytes(&text, json, len);
	} else {
		index_markdown(&text, &x);
	}
	return x.n_report ? write_output(out, text.at, text.len) : EXIT_NOTHING;
}

/* ---- pages ---- */

enum { OPTIONS_SHOWN = 300 }; /* characters of --engine options, after which no more are added to a message */

struct pages {
	const char *given;                /* --out, or NULL */
	const char *dir, *out, *findings; /* of the campaign, of the pages, OUT/findings */
	const char *json; /* address of `dir` from OUT, with a slash; NULL: the reports lie in OUT/findings */
	bool copies;      /* they have to be copied there */
	bool among;       /* the pages lie among the campaign's own reports */
	struct index x;
	struct arena *a;
};

static bool write_file(const char *dir, const char *name, const char *text, size_t len)
{
	struct error e = {0};

	if (file_write_atomic(dir, name, text, len, &e))
		return true;
	complain("%s", e.text);
	return false;
}

/* The address of another report's page, from a page; NULL for NULL. */
static const char *neighbour(const char *report, struct arena *a)
{
	return report ? html_address(report_name(index_page_of(report, a)), a) : NULL;
}

static bool write_finding(
    const struct pages *p, const struct index_group *g, const char *report, const char *previous, const char *next)
{
	struct arena *a = p->a;
	struct finding_place place = {.group = g,
	    .index = "../index.html",
	    .file = report,
	    .previous = neighbour(previous, a),
	    .next = neighbour(next, a),
	    .json = html_address(p->json ? arena_printf(a, "../%s%s", p->json, report) : report_name(report), a)};
	struct text page = {.arena = a};
	struct error e = {0};
	size_t len, length;
	const char *text = json_read_bytes(arena_printf(a, "%s/%s", p->dir, report), JSON_BYTES, a, &len, &e), *source;
	const struct json *root = text ? json_read(text, len, a, &e) : NULL, *explained;

	if (!root) {
		complain("report: %s: %s", e.place, e.text);
		return false;
	}
	explained = p->among ? NULL : report_explained(p->findings, report_name(report), root, a, &source, &length);
	if (explained) { /* it lies beside its page */
		place.json = html_address(report_name(report), a);
		render_html_finding(&page, explained, &place);
		return write_file(p->findings, report_name(index_page_of(report, a)), page.at, page.len);
	}
	render_html_finding(&page, root, &place);
	return write_file(p->findings, report_name(index_page_of(report, a)), page.at, page.len) &&
	    (!p->copies || write_file(p->findings, report_name(report), text, len));
}

static bool write_findings(const struct pages *p)
{
	const struct index *x = &p->x;
	const char **report = NEW(p->a, const char *, x->n_report + 1);
	int n = 0, done = 0;

	for (int k = 0; k < x->n_group; k++)
		for (int i = 0; i < x->group[k].n_report; i++)
			report[n++] = x->group[k].report[i];
	for (int k = 0; k < x->n_group; k++)
		for (int i = 0; i < x->group[k].n_report; i++, done++) {
			struct arena_mark mark = arena_mark(p->a);

			if (!write_finding(p, &x->group[k], report[done], done ? report[done - 1] : NULL,
			        done + 1 < n ? report[done + 1] : NULL))
				return false;
			arena_rewind(p->a, mark);
		}
	return true;
}

/* Whether the file has the name of a page of a finding of a campaign, or of its report: 16 hexadecimal digits and
 * ".html" or ".json". */
static bool is_page(const struct pages *p, const char *name)
{
	return strspn(name, "0123456789abcdef") == 16 &&
	    (!strcmp(name + 16, ".html") || (!p->among && !strcmp(name + 16, ".json")));
}

/* Whether the file is the page or the report at that path. */
static bool belongs(const struct pages *p, const char *name, const char *report)
{
	return !strcmp(report_name(index_page_of(report, p->a)), name) || !strcmp(report_name(report), name);
}

/* Removes pages of findings that the campaign has no more. */
static void sweep_pages(const struct pages *p)
{
	DIR *d = opendir(p->findings);
	struct error e = {0};

	for (struct dirent *entry; d && (entry = readdir(d));) {
		bool kept = !is_page(p, entry->d_name);

		for (int k = 0; k < p->x.n_group && !kept; k++)
			for (int i = 0; i < p->x.group[k].n_report && !kept; i++)
				kept = belongs(p, entry->d_name, p->x.group[k].report[i]);
		if (!kept)
			file_remove(p->findings, entry->d_name, &e);
	}
	if (d)
		closedir(d);
}

/* The command that makes the experiments which are missing: of these engines, some of them if there are many. */
static void say_next(const struct pages *p, const char *engines)
{
	if (*engines)
		complain("report: to find the causes by experiments, type: adjudge report %s%s%s%s",
		    view_shell_word(p->dir, p->a), p->given ? " --out " : "",
		    p->given ? view_shell_word(p->given, p->a) : "", engines);
}

/* Gives each finding with experiments the sentence of its page.  Returns the options --engine of the others. */
static const char *take_titles(struct pages *p)
{
	const char *text, *engines = "";
	struct error e = {0};
	size_t len;

	for (int k = 0; k < p->x.n_group; k++) {
		struct index_group *g = &p->x.group[k];
		const struct json *own, *explained;
		const char *option;

		text = json_read_bytes(arena_printf(p->a, "%s/%s", p->dir, g->report[0]), JSON_BYTES, p->a, &len, &e);
		own = text ? json_read(text, len, p->a, &e) : NULL;
		explained = own ? report_explained(p->findings, report_name(g->report[0]), own, p->a, &text, &len)
		                : NULL;
		option = own && !explained && !*view_cause(own) ? view_engine_option(own, p->a) : NULL;
		if (explained)
			g->summary = view_title(explained, p->a);
		else if (option && !strstr(engines, option) && strlen(engines) < OPTIONS_SHOWN)
			engines = arena_printf(p->a, "%s %s", engines, option);
	}
	return engines;
}

int report_pages(const char *dir, const char *baseline, const char *out, struct arena *a)
{
	struct pages p = {.given = out,
	    .dir = dir,
	    .out = out ? out : arena_printf(a, "%s/html", dir),
	    .json = out ? NULL : "../",
	    .a = a};
	struct text index = {.arena = a};
	const char *engines;
	struct error e = {0};

	if (!index_of(dir, baseline, a, &p.x))
		return EXIT_BAD_CASE;
	if (!p.x.n_report && !p.x.summary && !p.x.state) {
		complain("report: %s: no report, and no campaign", dir);
		return EXIT_NOTHING;
	}
	p.findings = arena_printf(a, "%s/findings", p.out);
	if (!file_make_directory(p.findings, &e)) {
		complain("%s", e.text);
		return EXIT_OURS;
	}
	p.among = report_among(dir, &p.x, p.findings, a);
	p.copies = out && !p.among;
	if (!write_findings(&p))
		return EXIT_OURS;
	engines = p.among ? "" : take_titles(&p);
	index_html(&index, &p.x, p.json);
	if (!write_file(p.out, "index.html", index.at, index.len))
		return EXIT_OURS;
	sweep_pages(&p);
	printf("%s/index.html: %s%s\n", text_harmless(p.out, a), index_title(&p.x, a),
	    p.x.state ? " of a campaign that has not ended" : "");
	say_next(&p, engines);
	return EXIT_NO_FINDING;
}
