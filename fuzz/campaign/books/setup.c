/* setup.c: see setup.h. */
#include "setup.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engines/engine.h"
#include "graph/hash.h"
#include "graph/json.h"
#include "fuzz/bench/twin.h"
#include "reports/file.h"
#include "reports/report.h"
#include "reports/view.h"

static const char schema[] = "adjudge.campaign/1";

enum { SETUP_BYTES = 1 << 20, PATH_TEXT = 4096, ID_DIGITS = 16, PERCENT = 100 };

bool setup_exists(const char *dir)
{
	char path[PATH_TEXT];
	struct stat status;

	return (size_t)snprintf(path, sizeof path, "%s/%s", dir, SETUP_FILE) < sizeof path && !lstat(path, &status);
}

bool campaign_is_in(const char *dir)
{
	char summary[PATH_TEXT];

	return setup_exists(dir) ||
	    ((size_t)snprintf(summary, sizeof summary, "%s/" SUMMARY_FILE, dir) < sizeof summary &&
	        !access(summary, F_OK));
}

void setup_draw_id(struct setup *self)
{
	uint64_t id;

	if (getrandom(&id, sizeof id, 0) != sizeof id)
		id = (uint64_t)getpid() ^ (uint64_t)(bench_clock() * 1e9);
	snprintf(self->id, sizeof self->id, "%016llx", (unsigned long long)id);
}

uint64_t setup_layout(void)
{
	uint64_t h = HASH_BEGIN;

	for (int k = 0; k < OP_COUNT; k++)
		h = hash_step(h, hash_text(op_table[k].name));
	for (int k = 0; k < VERDICT_COUNT; k++)
		h = hash_step(h, hash_text(verdict_names[k]));
	for (int k = 0; k < REASON_COUNT; k++)
		h = hash_step(h, hash_text(reason_names[k] ? reason_names[k] : ""));
	for (int k = 0; k < PLANT_COUNT; k++)
		h = hash_step(h, hash_text(plant_names[k]));
	for (int k = 0; k < BLIND_COUNT; k++)
		h = hash_step(h, hash_text(blind_names[k]));
	for (int k = 0; k < TWIN_COUNT; k++)
		h = hash_step(h, hash_text(twin_names[k]));
	return hash_step(h, hash_text(report_versions()[1]));
}

/* ---- members that are numbers or flags ---- */

static const struct {
	const char *name;
	size_t offset;
	int least;
} numbers[] = {{"fd_one_in", offsetof(struct campaign_options, fd_one_in), 1},
    {"max_findings", offsetof(struct campaign_options, max_findings), 0},
    {"minimize_budget", offsetof(struct campaign_options, minimize_budget), 0},
    {"shard", offsetof(struct campaign_options, shard), 0}, {"shards", offsetof(struct campaign_options, shards), 1}};

enum { NUMBERS = sizeof numbers / sizeof *numbers };

static const struct {
	const char *name;
	size_t offset;
	bool required;
} names[] = {{"right_on", offsetof(struct campaign_options, right_on), false},
    {"driver", offsetof(struct campaign_options, driver), true},
    {"profile", offsetof(struct campaign_options, profile_name), true},
    {"corpus", offsetof(struct campaign_options, corpus), false}};

enum { NAMES = sizeof names / sizeof *names };

/* The limits of engines in processes of their own. */
static const struct {
	const char *name;
	size_t offset;
} limits[] = {{"memory", offsetof(struct quota, memory)}, {"processes", offsetof(struct quota, processes)},
    {"start_ms", offsetof(struct quota, start_ms)}};

enum { LIMITS = sizeof limits / sizeof *limits };

static void put_hex(struct json_writer *w, const char *key, uint64_t x)
{
	char text[32];

	snprintf(text, sizeof text, "0x%016llx", (unsigned long long)x);
	json_member_string(w, key, text);
}

static bool read_hex(const struct json *object, const char *key, uint64_t *out, struct error *e)
{
	const struct json *v;
	unsigned long long x;
	int end = 0;

	if (!json_required(object, key, JSON_STRING, &v, e))
		return false;
	if (sscanf(v->text, "0x%16llx%n", &x, &end) != 1 || v->text[end])
		return json_error(v, e, "not a hexadecimal number");
	*out = x;
	return true;
}

/* ---- writing ---- */

static void put_limits(struct json_writer *w, const struct quota *quota)
{
	json_member_object(w, "limits", JSON_FLOW);
	for (int k = 0; k < LIMITS; k++) {
		int64_t n;

		memcpy(&n, (const char *)quota + limits[k].offset, sizeof n);
		json_member_integer(w, limits[k].name, n);
	}
	json_end(w);
}

static void put_engines(struct json_writer *w, const struct setup *self, const struct campaign_options *o)
{
	json_member_array(w, "engines", JSON_BLOCK);
	for (int k = 0; k < o->n_spec; k++) {
		json_begin_object(w, JSON_FLOW);
		json_member_string(w, "engine", o->spec[k]);
		json_member_string(w, "engine_version", self->version[k]);
		json_end(w);
	}
	json_end(w);
}

char *setup_text(const struct setup *self, const struct campaign_options *o, struct arena *a, size_t *len)
{
	struct json_writer w = json_document(a, schema);

	json_member_string(&w, "id", self->id);
	json_member_string(&w, "adjudge", report_versions()[1]);
	put_hex(&w, "layout", setup_layout());
	put_engines(&w, self, o);
	json_member_bool(&w, "named", o->named);
	json_member_bool(&w, "cross", o->cross);
	json_member_bool(&w, "cross_strict", o->cross_strict);
	json_member_bool(&w, "strict", o->strict);
	json_member_bool(&w, "no_oracle", o->no_oracle);
	json_member_bool(&w, "no_twins", o->no_twins);
	put_hex(&w, "seed", o->seed);
	json_member_integer(&w, "cases", o->cases);
	json_member_decimal(&w, "seconds", o->seconds);
	json_member_integer(&w, "min_decided", o->min_decided);
	for (int k = 0; k < NUMBERS; k++) {
		int n;

		memcpy(&n, (const char *)o + numbers[k].offset, sizeof n);
		json_member_integer(&w, numbers[k].name, n);
	}
	for (int k = 0; k < NAMES; k++) {
		const char *name;

		memcpy(&name, (const char *)o + names[k].offset, sizeof name);
		if (name)
			json_member_string(&w, names[k].name, name);
	}
	put_limits(&w, &self->quota);
	put_hex(&w, "corpus_hash", self->corpus);
	json_put_key(&w, "distributions");
	profile_put(&w, &o->profile);
	json_end(&w);
	return json_finish(&w, len);
}

bool setup_write(const struct setup *self, const struct campaign_options *o, struct error *e)
{
	struct arena a;
	size_t len;
	char *text;
	bool ok;

	arena_init(&a, (size_t)16 * SETUP_BYTES);
	text = setup_text(self, o, &a, &len);
	ok = file_write_atomic(o->out, SETUP_FILE, text, len, e);
	arena_free(&a);
	return ok;
}

/* ---- reading ---- */

static bool read_engines(
    const struct json *root, struct arena *a, struct campaign_options *o, struct setup *out, struct error *e)
{
	const struct json *list, *spec, *version;
	const char **specs, **versions;

	if (!json_required(root, "engines", JSON_ARRAY, &list, e))
		return false;
	if (!list->n_child || list->n_child > BENCH_ENGINES)
		return json_error(list, e, "%d engines", list->n_child);
	specs = NEW(a, const char *, list->n_child);
	versions = NEW(a, const char *, list->n_child);
	o->n_spec = 0;
	for (const struct json *v = list->child; v; v = v->next) {
		if (!json_is(v, JSON_OBJECT, e) || !json_required(v, "engine", JSON_STRING, &spec, e) ||
		    !json_required(v, "engine_version", JSON_STRING, &version, e))
			return false;
		if (!*spec->text)
			return json_error(spec, e, "an engine without a name");
		versions[o->n_spec] = version->text;
		specs[o->n_spec++] = spec->text;
	}
	o->spec = specs;
	out->version = versions;
	return true;
}

static bool read_flag(const struct json *object, const char *key, bool *out, struct error *e)
{
	const struct json *v;

	if (!json_required(object, key, JSON_BOOL, &v, e))
		return false;
	*out = v->truth;
	return true;
}

/* When the campaign ends. */
static bool read_budget(const struct json *root, struct campaign_options *o, struct error *e)
{
	const struct json *seconds;

	if (!json_count(root, "cases", &o->cases, e) || !json_required(root, "seconds", JSON_NUMBER, &seconds, e))
		return false;
	o->seconds = real_nearest(seconds->text, DTYPE_F64);
	if (!isfinite(o->seconds) || o->seconds < 0)
		return json_error(seconds, e, "not a duration");
	return o->cases || o->seconds > 0 || json_error(root, e, "neither cases nor seconds end this campaign");
}

static bool read_limits(const struct json *root, struct quota *out, struct error *e)
{
	const struct json *object;

	if (!json_required(root, "limits", JSON_OBJECT, &object, e))
		return false;
	for (int k = 0; k < LIMITS; k++) {
		int64_t n;

		if (!json_count(object, limits[k].name, &n, e))
			return false;
		memcpy((char *)out + limits[k].offset, &n, sizeof n);
	}
	return true;
}

static bool read_numbers(const struct json *root, struct campaign_options *o, struct error *e)
{
	for (int k = 0; k < NUMBERS; k++) {
		const struct json *v;
		int n;

		if (!json_required(root, numbers[k].name, JSON_NUMBER, &v, e) ||
		    !json_int(v, numbers[k].least, INT32_MAX, &n, e))
			return false;
		memcpy((char *)o + numbers[k].offset, &n, sizeof n);
	}
	return o->shards > o->shard || json_error(root, e, "shard %d of %d", o->shard, o->shards);
}

static bool read_texts(const struct json *root, struct campaign_options *o, struct error *e)
{
	for (int k = 0; k < NAMES; k++) {
		const struct json *v = NULL;
		const char *name;

		if (names[k].required ? !json_required(root, names[k].name, JSON_STRING, &v, e)
		                      : !json_optional(root, names[k].name, JSON_STRING, &v, e))
			return false;
		name = v ? v->text : NULL;
		memcpy((char *)o + names[k].offset, &name, sizeof name);
	}
	return true;
}

static bool read_plain(const struct json *root, struct campaign_options *o, struct setup *out, struct error *e)
{
	const struct json *id, *percent;

	if (!json_required(root, "id", JSON_STRING, &id, e))
		return false;
	if (id->len != ID_DIGITS || strspn(id->text, "0123456789abcdef") != ID_DIGITS)
		return json_error(id, e, "not 16 hexadecimal digits");
	memcpy(out->id, id->text, ID_DIGITS + 1);
	if (!read_flag(root, "named", &o->named, e) || !read_flag(root, "cross", &o->cross, e) ||
	    !read_flag(root, "cross_strict", &o->cross_strict, e) || !read_flag(root, "strict", &o->strict, e) ||
	    !read_flag(root, "no_oracle", &o->no_oracle, e) || !read_flag(root, "no_twins", &o->no_twins, e) ||
	    !json_required(root, "min_decided", JSON_NUMBER, &percent, e) ||
	    !json_integer(percent, 0, PERCENT, &o->min_decided, e))
		return false;
	return read_budget(root, o, e) && read_hex(root, "seed", &o->seed, e) &&
	    read_hex(root, "corpus_hash", &out->corpus, e) && read_numbers(root, o, e) && read_texts(root, o, e) &&
	    read_limits(root, &out->quota, e);
}

static bool read_root(
    const struct json *root, struct arena *a, struct campaign_options *o, struct setup *out, struct error *e)
{
	const struct json *version, *distributions;
	uint64_t layout;

	if (!json_schema(root, schema, e) || !json_required(root, "adjudge", JSON_STRING, &version, e) ||
	    !read_hex(root, "layout", &layout, e))
		return false;
	if (layout != setup_layout())
		return json_error(root, e,
		    "another build of adjudge (version %s) wrote this campaign, and only that one can "
		    "read it",
		    version->text);
	return read_engines(root, a, o, out, e) && read_plain(root, o, out, e) &&
	    json_required(root, "distributions", JSON_OBJECT, &distributions, e) &&
	    profile_read(distributions, &o->profile, e);
}

struct parsing {
	const char *text;
	size_t len;
	struct arena *a;
	struct campaign_options *o;
	struct setup *out;
	struct error *e;
	bool ok;
};

static void parse(void *context)
{
	struct parsing *x = context;
	const struct json *root = json_read(x->text, x->len, x->a, x->e);

	x->ok = root && read_root(root, x->a, x->o, x->out, x->e);
}

bool setup_parse(
    const char *text, size_t len, struct arena *a, struct campaign_options *o, struct setup *out, struct error *e)
{
	struct parsing x = {text, len, a, o, out, e, false};

	if (!arena_try(a, parse, &x))
		return error_set(e, NULL, "needs too much memory");
	return x.ok;
}

bool setup_read(const char *dir, struct arena *a, struct campaign_options *o, struct setup *out, struct error *e)
{
	const char *path = arena_printf(a, "%s/%s", dir, SETUP_FILE);
	size_t len;
	char *text = json_read_bytes(path, SETUP_BYTES, a, &len, e);

	if (text && setup_parse(text, len, a, o, out, e)) {
		o->out = dir;
		return true;
	}
	return text ? json_error_in(path, e) : false;
}

/* ---- to go on ---- */

bool setup_may_open(const char *engine)
{
	struct error e = {0};
	size_t name_length;

	return engine_text_spec(engine, &name_length) == engine && !engine_spec_is_external(engine) &&
	    engine_spec_valid(engine, &e);
}

const char *setup_resume_command(const struct campaign_options *o, struct arena *a)
{
	const char *text = arena_printf(a, "adjudge fuzz --resume %s", view_shell_word(o->out, a));
	bool all = false;

	for (int k = 0; k < o->n_spec; k++)
		all = all || !setup_may_open(o->spec[k]);
	for (int k = 0; k < o->n_spec && all; k++)
		text = arena_printf(a, "%s --engine %s", text, view_shell_word(o->spec[k], a));
	if (o->right_on && !setup_may_open(o->right_on))
		text = arena_printf(a, "%s --right-on %s", text, view_shell_word(o->right_on, a));
	return text;
}
