/* progress.c: when progress is shown, and its forms as plain lines and as JSON.  The screen is in progress_screen.c. */
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "graph/json.h"
#include "fuzz/bench/account.h"
#include "fuzz/bench/progress.h"
#include "progress_screen.h"

enum {
	ARENA = 1 << 20,
	SCREEN_SECONDS = 1,
	LINE_SECONDS = 60,
	JSON_SECONDS = 10,
	WIDTH = 80, /* of a terminal that does not say */
	HEIGHT = 24
};

void progress_open(struct progress_screen *self, enum progress_mode mode, double now)
{
	*self = (struct progress_screen){
	    .mode = mode, .terminal = mode == PROGRESS_AUTO && progress_overwrites(), .shown = now};
}

bool progress_due(const struct progress_screen *self, double now)
{
	int every = self->terminal ? SCREEN_SECONDS : self->mode == PROGRESS_JSON ? JSON_SECONDS : LINE_SECONDS;

	return self->mode != PROGRESS_NONE && now - self->shown >= every;
}

double progress_left(const struct progress *p)
{
	double left = p->seconds_limit > 0 ? fmax(p->seconds_limit - p->seconds, 0) : -1;

	if (p->cases_limit > 0 && p->cases > 0) {
		double rest = fmax((double)(p->cases_limit - p->cases), 0) * p->seconds / (double)p->cases;

		left = left < 0 || rest < left ? rest : left;
	}
	return left;
}

double progress_percent(int64_t part, int64_t whole) { return whole > 0 ? 100.0 * (double)part / (double)whole : 0; }

double progress_rate(const struct progress *p) { return p->seconds > 0 ? (double)p->cases / p->seconds : 0; }

const char *progress_clock(double seconds, char to[CLOCK_TEXT])
{
	const long long whole = seconds > 0 && seconds < 1e12 ? (long long)seconds : 0;

	snprintf(to, CLOCK_TEXT, "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
	return to;
}

int64_t progress_restarts(const struct progress *p)
{
	int64_t sum = 0;

	for (int k = 0; k < p->n_engine; k++)
		sum += p->engine[k].restarts;
	return sum;
}

/* ---- plain lines ---- */

/* The engine that decided least of what it was asked, or NULL. */
static const struct progress_engine *least_decided(const struct progress *p)
{
	const struct progress_engine *least = NULL;

	for (const struct progress_engine *e = p->engine; e < p->engine + p->n_engine; e++)
		if (!least || progress_percent(e->decided, e->asked) < progress_percent(least->decided, least->asked))
			least = e;
	return least;
}

static void put_line(struct text *out, const struct progress *p)
{
	const struct progress_engine *least = least_decided(p);
	const double left = progress_left(p);
	char clock[CLOCK_TEXT];

	text_put(out, "%s: ", progress_clock(p->seconds, clock));
	text_put(out, "%lld cases, %s/s, %.1f %% decided, %s, %lld known", (long long)p->cases,
	    text_rate(progress_rate(p), out->arena), progress_percent(p->decided, p->cases),
	    text_count(p->findings_new, "new finding", out->arena), (long long)p->findings_known);
	text_put(out, ", %lld features", (long long)p->features);
	if (p->seconds_since_feature >= 0)
		text_put(out, " (last new %s ago)", progress_clock(p->seconds_since_feature, clock));
	if (p->corpus >= 0)
		text_put(out, ", corpus %lld", (long long)p->corpus);
	if (least && p->n_engine > 1)
		text_put(out, ", %s decided least: %.1f %%", text_harmless(least->name, out->arena),
		    progress_percent(least->decided, least->asked));
	if (progress_restarts(p))
		text_put(out, ", %s", text_count(progress_restarts(p), "restart", out->arena));
	if (p->jobs_restarted)
		text_put(out, ", %lld jobs restarted", (long long)p->jobs_restarted);
	text_put(out, ", %s", p->doing);
	if (left >= 0)
		text_put(out, ", %s left", progress_clock(left, clock));
	text_put(out, "\n");
}

static void put_announcement(struct text *out, const struct progress_finding *f)
{
	text_put(out, "%s: %s, case %lld%s, %s",
	    f->known          ? "known finding"
	        : f->replaces ? "simpler finding"
	                      : "new finding",
	    text_harmless(f->signature, out->arena), (long long)f->case_number, f->flaky ? ", did not come again" : "",
	    text_harmless(f->file, out->arena));
	if (f->replaces)
		text_put(out, " instead of %s", text_harmless(f->replaces, out->arena));
	text_put(out, "\n");
}

/* ---- JSON ---- */

static struct json_writer begin_event(struct arena *a, const char *event)
{
	struct json_writer w = json_writer_new(a, false);

	json_begin_object(&w, JSON_FLOW);
	json_member_string(&w, "schema", "adjudge.progress/1");
	json_member_string(&w, "event", event);
	return w;
}

static void end_event(struct text *out, struct json_writer *w)
{
	size_t len;
	char *text;

	json_end(w);
	text = json_finish(w, &len);
	text_put_bytes(out, text, len);
	text_put(out, "\n");
}

static void put_process(struct json_writer *w, const struct progress_process *p)
{
	json_begin_object(w, JSON_FLOW);
	json_member_integer(w, "pid", p->pid);
	json_member_integer(w, "corpus_bytes", p->corpus_bytes);
	json_end(w);
}

static void put_json(struct text *out, const struct progress *p, const char *event)
{
	struct json_writer w = begin_event(out->arena, event);
	const double left = progress_left(p);

	json_member_string(&w, "doing", p->doing);
	json_member_decimal(&w, "seconds", p->seconds);
	json_member_decimal_if(&w, "seconds_left", left >= 0, left);
	json_member_integer(&w, "cases", p->cases);
	json_member_decimal(&w, "cases_per_second", progress_rate(p));
	json_member_integer(&w, "decided", p->decided);
	json_member_integer(&w, "findings_new", p->findings_new);
	json_member_integer(&w, "findings_known", p->findings_known);
	json_member_integer(&w, "features", p->features);
	json_member_decimal_if(&w, "seconds_since_feature", p->seconds_since_feature >= 0, p->seconds_since_feature);
	json_member_integer_if(&w, "corpus", p->corpus >= 0, p->corpus);
	json_member_integer(&w, "restarts", progress_restarts(p));
	json_member_integer(&w, "jobs", p->jobs > 1 ? p->jobs : 1);
	json_member_integer(&w, "jobs_restarted", p->jobs_restarted);
	json_member_array(&w, "processes", JSON_FLOW);
	put_process(&w, &p->owner);
	for (int k = 0; k < p->n_process; k++)
		put_process(&w, &p->process[k]);
	json_end(&w);
	json_member_array(&w, "engines", JSON_FLOW);
	for (const struct progress_engine *e = p->engine; e < p->engine + p->n_engine; e++) {
		json_begin_object(&w, JSON_FLOW);
		json_member_string(&w, "engine", e->name);
		account_put(e->account, &w);
		json_end(&w);
	}
	json_end(&w);
	end_event(out, &w);
}

static void put_json_finding(struct text *out, const struct progress_finding *f)
{
	struct json_writer w = begin_event(out->arena, "finding");

	json_member_string(&w, "signature", f->signature);
	json_member_integer(&w, "case", f->case_number);
	json_member_string(&w, "file", f->file);
	json_member_bool(&w, "flaky", f->flaky);
	json_member_bool(&w, "known", f->known);
	if (f->replaces)
		json_member_string(&w, "replaces", f->replaces);
	end_event(out, &w);
}

/* ---- showing ---- */

static void send(struct text *out)
{
	fwrite(out->at, 1, out->len, stderr);
	fflush(stderr);
	arena_free(out->arena);
}

static int draw(struct text *out, const struct progress *p, int lines)
{
	struct winsize size = {0};

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0)
		size = (struct winsize){0};
	return screen_draw(out, p, lines, size.ws_col ? size.ws_col : WIDTH, size.ws_row ? size.ws_row : HEIGHT);
}

void progress_show(struct progress_screen *self, const struct progress *p, double now)
{
	struct arena a;
	struct text out = {.arena = &a};

	if (self->mode == PROGRESS_NONE)
		return;
	self->shown = now;
	arena_init(&a, ARENA);
	if (self->terminal)
		self->lines = draw(&out, p, self->lines);
	else if (self->mode == PROGRESS_JSON)
		put_json(&out, p, "progress");
	else
		put_line(&out, p);
	send(&out);
}

void progress_announce(struct progress_screen *self, const struct progress_finding *f)
{
	struct arena a;
	struct text out = {.arena = &a};

	if (self->mode == PROGRESS_NONE)
		return;
	arena_init(&a, ARENA);
	if (self->mode == PROGRESS_JSON) {
		put_json_finding(&out, f);
	} else {
		screen_erase(&out, self->lines);
		put_announcement(&out, f);
	}
	self->lines = 0;
	self->shown = 0; /* the screen comes back at once */
	send(&out);
}

void progress_close(struct progress_screen *self, const struct progress *p)
{
	struct arena a;
	struct text out = {.arena = &a};

	arena_init(&a, ARENA);
	text_put(&out, "%s", "");
	if (self->mode == PROGRESS_JSON)
		put_json(&out, p, "end");
	screen_erase(&out, self->lines);
	*self = (struct progress_screen){0};
	send(&out);
}
