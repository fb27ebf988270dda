/* audit.c: runs the sections and keeps their results. */
#include "audit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "reports/file.h"
#include "fuzz/bench/bench.h"
#include "fuzz/bench/exit_code.h"
#include "fuzz/bench/progress.h"
#include "fuzz/bench/stop.h"

enum { TOLD = 20, TOLD_OF_LABEL = 3, REPORT_ARENA = 64 << 20, LINE_SECONDS = 60 };

static const struct section {
	const char *name, *law;
	audit_section_fn *run;
} sections[] = {
#define SECTION(function, name, law) {name, law, audit_##function},
#include "sections.def"
#undef SECTION
};
enum { SECTIONS = sizeof sections / sizeof *sections };

const char *const audit_section_names[] = {
#define SECTION(function, name, law) name,
#include "sections.def"
#undef SECTION
    NULL};

struct breach {
	const char *label, *message, *file; /* file: NULL when no case was kept */
};

struct audit {
	const struct audit_options *o;
	struct arena arena; /* of the report */
	struct json_writer w;
	const struct section *section;
	int64_t broken; /* of this section */
	int n_breach;   /* breaches that were printed: at most TOLD_OF_LABEL of one line in a row */
	struct breach breach[TOLD];
	struct error *failed; /* why the first file could not be written; empty until then */
	bool asked;           /* some section reached its first case */
	bool terminal;
	double shown; /* when progress was last shown */
};

const struct audit_options *audit_options_of(const struct audit *self) { return self->o; }
struct json_writer *audit_json(struct audit *self) { return &self->w; }

struct oracle_options audit_oracle_options(const struct audit *self, int fd_one_in)
{
	return (struct oracle_options){.seed = self->o->seed, .fd_one_in = fd_one_in, .rules = self->o->rules};
}

static void clear_progress(struct audit *self)
{
	if (self->terminal)
		fputs("\r\033[K", stderr);
}

void audit_line(struct audit *self, const char *label, const char *format, ...)
{
	va_list list;

	if (self->o->json)
		return;
	clear_progress(self);
	printf("  %-32s ", label);
	va_start(list, format);
	vprintf(format, list);
	va_end(list);
	putchar('\n');
}

bool audit_goes_on(struct audit *self, int64_t done, int64_t of)
{
	double now = bench_clock();

	self->asked = true;
	if (self->o->progress && now - self->shown >= (self->terminal ? 1 : LINE_SECONDS)) {
		self->shown = now;
		fprintf(stderr, "%s%s: %lld of %lld, %lld broken%s", self->terminal ? "\r\033[K" : "",
		    self->section->name, (long long)done, (long long)of, (long long)self->broken,
		    self->terminal ? "" : "\n");
		fflush(stderr);
	}
	return !stop_requested() && !(self->o->first_only && self->broken);
}

struct audit_drawing {
	const struct audit_options *o;
	const struct profile *profile;
	int64_t number;
	audit_case_fn *one;
	void *context;
	struct arena arena;
};

static void draw_one(void *context)
{
	struct audit_drawing *d = context;
	struct choice choice = choice_seeded(seed_mix(d->o->seed, (uint64_t)d->number));

	arena_reset(&d->arena);
	struct testcase c = generate(&choice, d->profile, &d->arena);
	d->one(d->context, d->number, &c, &d->arena);
}

int64_t audit_each_case(struct audit *self, audit_case_fn *one, void *context)
{
	return audit_each_case_of(self, &self->o->profile, one, context);
}

int64_t audit_each_case_of(struct audit *self, const struct profile *profile, audit_case_fn *one, void *context)
{
	struct audit_drawing d = {.o = self->o, .profile = profile, .one = one, .context = context};
	int64_t skipped = 0;

	arena_init(&d.arena, CASE_ARENA);
	for (; d.number < d.o->cases && audit_goes_on(self, d.number, d.o->cases); d.number++)
		skipped += !arena_try(&d.arena, draw_one, &d);
	arena_free(&d.arena);
	return skipped;
}

/* The file of the kept case, or NULL. */
static const char *keep_case(struct audit *self, const struct testcase *c, const char *title)
{
	struct testcase copy = *c;
	struct error e = {0};
	const char *name = arena_printf(
	    &self->arena, "%s-%016llx.json", self->section->name, (unsigned long long)testcase_hash(c));
	struct arena_mark mark = arena_mark(&self->arena);
	size_t len;

	copy.provenance = (struct provenance){.title = title, .comment = self->section->law};
	const char *text = testcase_write(&copy, &self->arena, &len);
	bool written = file_write_atomic(self->o->out, name, text, len, &e);
	arena_rewind(&self->arena, mark);
	if (!written && !self->failed->text[0])
		*self->failed = e;
	return written ? name : NULL;
}

void audit_broken(struct audit *self, const struct testcase *c, const char *label, const char *format, ...)
{
	char message[512];
	int n = self->n_breach;
	va_list list;

	self->broken++;
	if (n == TOLD || (n >= TOLD_OF_LABEL && !strcmp(self->breach[n - TOLD_OF_LABEL].label, label)))
		return;
	self->n_breach++;
	va_start(list, format);
	vsnprintf(message, sizeof message, format, list);
	va_end(list);
	struct breach *b = &self->breach[n];
	*b = (struct breach){
	    .label = arena_printf(&self->arena, "%s", label), .message = arena_printf(&self->arena, "%s", message)};
	if (c && self->o->out)
		b->file = keep_case(self, c, b->message);
	audit_line(self, label, "BROKEN: %s%s%s", message, b->file ? ": " : "", b->file ? b->file : "");
}

/* ---- the whole ---- */

static bool wanted(const struct audit_options *o, const struct section *s)
{
	for (int i = 0; i < o->n_section; i++)
		if (!strcmp(o->section[i], s->name))
			return true;
	return !o->n_section;
}

static void put_breaches(struct audit *self)
{
	json_member_integer(&self->w, "broken", self->broken);
	json_member_array(&self->w, "breaches", JSON_BLOCK);
	for (int i = 0; i < self->n_breach; i++) {
		json_begin_object(&self->w, JSON_FLOW);
		json_member_string(&self->w, "of", self->breach[i].label);
		json_member_string(&self->w, "message", self->breach[i].message);
		json_member_string(&self->w, "file", self->breach[i].file);
		json_end(&self->w);
	}
	json_end(&self->w);
}

static void run_section(struct audit *self, const struct section *s)
{
	self->section = s;
	self->broken = 0;
	self->n_breach = 0;
	self->shown = bench_clock();
	if (!self->o->json)
		printf("%s: %s\n", s->name, s->law);
	json_begin_object(&self->w, JSON_BLOCK);
	json_member_string(&self->w, "section", s->name);
	json_member_string(&self->w, "law", s->law);
	s->run(self);
	put_breaches(self);
	json_end(&self->w);
	clear_progress(self);
	if (!self->o->json)
		printf("%s: %s\n", s->name, self->broken ? "BROKEN" : "holds");
}

static void put_head(struct audit *self)
{
	const struct audit_options *o = self->o;

	self->w = json_document(&self->arena, "adjudge.audit/1");
	json_member_string(&self->w, "seed", arena_printf(&self->arena, "%llu", (unsigned long long)o->seed));
	json_member_integer(&self->w, "cases", o->cases);
	json_member_integer(&self->w, "draws", o->draws);
	json_member_string(&self->w, "fault", o->fault);
	json_member_array(&self->w, "sections", JSON_BLOCK);
}

bool audit_breaks(const struct audit_options *o, char *label, size_t n)
{
	struct audit_options quiet = *o;
	struct audit self = {.o = &quiet};
	int64_t broken = 0;

	quiet.json = quiet.first_only = true;
	quiet.progress = false;
	quiet.out = NULL;
	arena_init(&self.arena, REPORT_ARENA);
	self.w = json_writer_new(&self.arena, false);
	json_begin_array(&self.w, JSON_FLOW);
	/* Most breaches show without finite differences, which take most of the time.  So a run without them comes
	 * first. */
	for (int pass = 0; pass < 2 && !broken; pass++) {
		quiet.glance = pass == 0;
		for (int i = 0; i < SECTIONS && !broken; i++) {
			if (!wanted(o, &sections[i]))
				continue;
			run_section(&self, &sections[i]);
			broken = self.broken;
		}
	}
	if (broken)
		snprintf(label, n, "%s", self.breach[0].label);
	arena_free(&self.arena);
	return broken > 0;
}

int audit_run(const struct audit_options *o, struct error *e)
{
	struct audit self = {.o = o, .failed = e};
	double seconds[SECTIONS] = {0};
	int64_t broken = 0;
	size_t len;

	self.terminal = o->progress && progress_overwrites();
	arena_init(&self.arena, REPORT_ARENA);
	put_head(&self);
	for (int i = 0; i < SECTIONS; i++) {
		if (!wanted(o, &sections[i]) || stop_requested())
			continue;
		double start = bench_clock();
		run_section(&self, &sections[i]);
		seconds[i] = bench_clock() - start;
		broken += self.broken;
	}
	json_end(&self.w);
	json_member_integer(&self.w, "broken", broken);
	json_member_object(&self.w, "timing", JSON_FLOW);
	for (int i = 0; i < SECTIONS; i++)
		if (wanted(o, &sections[i]))
			json_member_decimal(&self.w, sections[i].name, seconds[i]);
	json_end(&self.w);
	json_end(&self.w);
	if (o->json)
		fputs(json_finish(&self.w, &len), stdout);
	arena_free(&self.arena);
	return e->text[0]                     ? EXIT_OURS
	    : broken                          ? EXIT_FINDING
	    : self.asked && !stop_requested() ? EXIT_NO_FINDING
	                                      : EXIT_NOTHING;
}
