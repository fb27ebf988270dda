/* progress_screen.c: the screen of a campaign.  It is a few lines, of which none is as wide as the terminal. */
#include "progress_screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	WIDEST = 132,
	ENGINE_LINES = 4,
	NUMBERS = 22, /* columns of " 100.0 100.0 100.0" and the gap behind them */
	LINE_TEXT = 512
};

/* Lines that are being made.  `room` of them fit the terminal; later ones are dropped. */
struct canvas {
	struct text *out;
	int width, room, n;
};

/* ---- lines ---- */

/* What is left of `text` in so many columns: its middle goes.  Characters that are not ASCII count as one '?'. */
static void fit(char *text, int columns)
{
	char *to = text;
	int len, head;

	for (const char *c = text; *c; c++)
		if ((*c & 0xc0) != 0x80)
			*to++ = *c & 0x80 ? '?' : *c;
	*to = '\0';
	len = (int)(to - text);
	if (len <= columns)
		return;
	if (columns < 8) {
		text[columns > 0 ? columns : 0] = '\0';
		return;
	}
	head = (columns - 3) / 2;
	memcpy(text + head, "...", 3);
	memmove(text + head + 3, text + len - (columns - 3 - head), (size_t)(columns - 3 - head) + 1);
}

static void put_line(struct canvas *c, const char *text)
{
	char line[LINE_TEXT];

	if (c->n == c->room)
		return;
	snprintf(line, sizeof line, "%.*s", c->width, text);
	text_put(c->out, "%s%s\033[K", c->n++ ? "\n" : "", line);
}

static void put_head(struct canvas *c, const struct progress *p)
{
	struct text t = {.arena = c->out->arena};
	const double left = progress_left(p);
	char clock[CLOCK_TEXT];

	text_put(&t, "%s", progress_clock(p->seconds, clock));
	if (left >= 0)
		text_put(&t, ", %s left", progress_clock(left, clock));
	text_put(&t, "; %lld cases, %s/s, %.1f %% decided", (long long)p->cases, text_rate(progress_rate(p), t.arena),
	    progress_percent(p->decided, p->cases));
	put_line(c, t.at);

	t = (struct text){.arena = t.arena};
	text_put(&t, "findings: %lld new, %lld known; %s; %lld restarts", (long long)p->findings_new,
	    (long long)p->findings_known, p->doing, (long long)progress_restarts(p));
	if (p->jobs > 1)
		text_put(&t, "; %d jobs", p->jobs);
	if (p->jobs_restarted)
		text_put(&t, ", %lld restarted", (long long)p->jobs_restarted);
	put_line(c, t.at);

	t = (struct text){.arena = t.arena};
	text_put(&t, "features: %lld", (long long)p->features);
	if (p->seconds_since_feature >= 0)
		text_put(&t, ", last new %s ago", progress_clock(p->seconds_since_feature, clock));
	if (p->corpus >= 0)
		text_put(&t, "; corpus: %lld", (long long)p->corpus);
	put_line(c, t.at);
}

/* ---- engines ---- */

static double share(const struct progress_engine *e) { return progress_percent(e->decided, e->asked); }

/* The name, then three numbers, in `name` + NUMBERS columns. */
static const char *engine_cell(const struct progress_engine *e, int name, struct arena *a)
{
	char *text = text_harmless(e->name, a);

	fit(text, name);
	if (!e->asked)
		return arena_printf(a, "%-*s %-*s", name, text, NUMBERS - 1, "not asked");
	return arena_printf(a, "%-*s %5.1f %5.1f %5.1f    ", name, text, progress_percent(e->answered, e->asked),
	    share(e), progress_percent(e->unsupported, e->asked));
}

/* By the share that they decided, least first; ties by name. */
static int by_share(const void *x, const void *y)
{
	const struct progress_engine *const *left = x, *const *right = y;

	if (share(*left) != share(*right))
		return share(*left) < share(*right) ? -1 : 1;
	return strcmp((*left)->name, (*right)->name);
}

static int longest_name(const struct progress *p)
{
	int longest = 0;

	for (int k = 0; k < p->n_engine; k++) {
		int len = (int)strnlen(p->engine[k].name, LINE_TEXT);

		longest = len > longest ? len : longest;
	}
	return longest;
}

/* Engines that find no room are one line; those that decided least are shown. */
static void put_engines(struct canvas *c, const struct progress *p)
{
	struct arena *a = c->out->arena;
	const struct progress_engine **e = NEW(a, const struct progress_engine *, p->n_engine + 1);
	const int lines = c->room - c->n - 1 < ENGINE_LINES ? c->room - c->n - 1 : ENGINE_LINES,
	          columns = c->width >= 2 * (NUMBERS + 12) && p->n_engine > 1 ? 2 : 1, fits = lines * columns;
	int shown = p->n_engine, name = c->width / columns - NUMBERS;

	if (lines < 1 || name < 1)
		return;
	name = longest_name(p) < name ? longest_name(p) : name;
	for (int k = 0; k < p->n_engine; k++)
		e[k] = &p->engine[k];
	if (p->n_engine > fits) {
		qsort(e, (size_t)p->n_engine, sizeof *e, by_share);
		shown = (lines - 1) * columns;
	}
	put_line(c, "of the cases asked, % answered, decided, unsupported:");
	for (int k = 0; k < shown; k += columns)
		put_line(c,
		    columns == 2 && k + 1 < shown
		        ? arena_printf(a, "%s%s", engine_cell(e[k], name, a), engine_cell(e[k + 1], name, a))
		        : engine_cell(e[k], name, a));
	if (shown < p->n_engine)
		put_line(c,
		    arena_printf(a, "%s%d engines decided %.1f to %.1f %%", shown ? "other " : "", p->n_engine - shown,
		        share(e[shown]), share(e[p->n_engine - 1])));
}

/* ---- drawing ---- */

/* To the beginning of the first of the lines. */
static void go_up(struct text *out, int lines)
{
	text_put(out, "\r");
	if (lines > 1)
		text_put(out, "\033[%dA", lines - 1);
}

void screen_erase(struct text *out, int lines)
{
	if (!lines)
		return;
	go_up(out, lines);
	text_put(out, "\033[J");
}

int screen_draw(struct text *out, const struct progress *p, int lines, int width, int height)
{
	struct canvas c = {.out = out,
	    .width = width > WIDEST ? WIDEST
	        : width > 1         ? width - 1
	                            : 1,
	    .room = height > 1 ? height - 1 : 1};

	go_up(out, lines);
	put_head(&c, p);
	put_engines(&c, p);
	text_put(out, "\033[J");
	return c.n;
}
