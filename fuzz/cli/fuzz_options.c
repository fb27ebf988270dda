/* fuzz_options.c: see fuzz_options.h. */
#include "fuzz_options.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "fuzz/campaign/books/case_paths.h"
#include "fuzz/campaign/books/setup.h"

static const char *const driver_names[DRIVER_COUNT] = {"libfuzzer", "plain", "generate"};

static bool have_libfuzzer(void)
{
#ifdef ADJUDGE_HAVE_LIBFUZZER
	return true;
#else
	return false;
#endif
}

/* The driver with that name (NULL: the default); DRIVER_COUNT after a complaint. */
static enum driver pick_driver(const char *name)
{
	if (!name)
		return have_libfuzzer() ? DRIVER_LIBFUZZER : DRIVER_PLAIN;
	for (int d = 0; d < DRIVER_COUNT; d++) {
		if (strcmp(driver_names[d], name))
			continue;
		if (d != DRIVER_LIBFUZZER || have_libfuzzer())
			return (enum driver)d;
		complain("fuzz: this build has no libFuzzer (it was not found when configuring)");
		return DRIVER_COUNT;
	}
	complain("fuzz: --driver is libfuzzer, plain or generate, not '%s'", name);
	return DRIVER_COUNT;
}

/* False after a complaint. */
static bool pick_progress(const char *name, enum progress_mode *out)
{
	static const char *const names[] = {
	    [PROGRESS_AUTO] = "auto", [PROGRESS_LINES] = "lines", [PROGRESS_JSON] = "json"};

	*out = PROGRESS_AUTO;
	for (int k = PROGRESS_AUTO; name && k <= PROGRESS_JSON; k++)
		if (!strcmp(name, names[k])) {
			*out = (enum progress_mode)k;
			return true;
		}
	if (name)
		complain("fuzz: --progress is auto, lines or json, not '%s'", name);
	return !name;
}

/* False after a complaint. */
static bool pick_shard(const char *text, enum driver driver, struct campaign_options *c)
{
	c->shards = 1;
	if (!text)
		return true;
	if (driver != DRIVER_GENERATE) {
		complain(
		    "fuzz: --shard needs --driver generate; with another driver, give each machine its own --seed");
		return false;
	}
	if (!read_shard(text, &c->shard, &c->shards)) {
		complain("fuzz: --shard is I/N with I from 1 to N, not '%s'", text);
		return false;
	}
	c->shard--;
	return true;
}

/* A corpus is only a hint: a file in it that cannot be read is left out.  A corpus that does not exist is probably a
 * typing mistake. */
static bool check_corpus(const char *dir)
{
	struct paths files = paths_find((const char *const[]){dir}, 1);
	bool ok = !files.error && files.n;

	if (!ok)
		complain(
		    "fuzz: --corpus: %s%s", files.error ? files.error : dir, files.error ? "" : ": has no *.json file");
	paths_free(&files);
	return ok;
}

static bool read_profile(struct fuzz_request *r, int *code)
{
	struct error e = {0};

	r->c.profile = profile_default();
	if (!r->profile)
		return true;
	r->c.profile_name = r->profile;
	if (profile_read_file(r->profile, &r->c.profile, &e))
		return true;
	*code = complain_about_case(&e);
	return false;
}

static bool read_jobs(struct fuzz_request *r)
{
	r->c.jobs = choose_jobs("fuzz", r->jobs);
	if (r->c.jobs < 2 || !r->c.cross)
		return r->c.jobs > 0;
	complain("fuzz: --cross needs --jobs 1");
	return false;
}

/* Whether value x of the row differs from the stored one, which has the same place in *stored. */
static bool differs(const struct fuzz_request *r, const struct option_row *x, const struct campaign_options *stored)
{
	const char *from = (const char *)&r->c, *at = x->out;
	const char *other, *text, *stored_text;

	if (at < from || at >= from + sizeof r->c)
		return false;
	other = (const char *)stored + (at - from);
	switch (x->kind) {
	case OPTION_TEXT:
		memcpy(&text, at, sizeof text);
		memcpy(&stored_text, other, sizeof stored_text);
		return !stored_text || strcmp(text, stored_text) != 0;
	case OPTION_FLAG:
		return memcmp(at, other, sizeof(bool)) != 0;
	default:
		return memcmp(at, other, sizeof(int64_t)) != 0; /* numbers, seeds and durations have as many bytes */
	}
}

static bool same_engines(const struct fuzz_request *r, const struct campaign_options *stored)
{
	if (r->specs.n != stored->n_spec)
		return false;
	for (int k = 0; k < r->specs.n; k++)
		if (strcmp(r->specs.at[k], stored->spec[k]) != 0)
			return false;
	return true;
}

/* The name of an option that contradicts the campaign in the directory, or NULL. */
static const char *contradiction(
    const struct fuzz_request *r, const struct options *o, const struct campaign_options *stored)
{
	const struct campaign_options *c = &r->c;

	for (int i = 0; i < o->n_row; i++)
		if (o->given[i] &&
		    (differs(r, &o->row[i], stored) ||
		        (o->row[i].out == &r->fd_one_in && c->fd_one_in != stored->fd_one_in)))
			return o->row[i].name;
	if (r->specs.n && !same_engines(r, stored))
		return "engine";
	if (r->profile && !profile_equal(&c->profile, &stored->profile))
		return "profile";
	if (r->driver && strcmp(r->driver, stored->driver) != 0)
		return "driver";
	if (r->ci.shard && (c->shard != stored->shard || c->shards != stored->shards))
		return "shard";
	if (r->max_findings && c->max_findings != stored->max_findings)
		return "max-findings";
	return NULL;
}

/* Whether row i of the options was given and fills that place. */
static bool is_given(const struct options *o, int i, const void *place)
{
	return o->given[i] && o->row[i].out == place;
}

/* The same of an option about engines in processes of their own. */
static const char *limit_contradiction(
    const struct fuzz_request *r, const struct options *o, const struct quota *stored)
{
	const struct quota now = quota_now();

	for (int i = 0; i < o->n_row; i++)
		if ((is_given(o, i, &r->limits.of.memory) && now.memory != stored->memory) ||
		    (is_given(o, i, &r->limits.of.processes) && now.processes != stored->processes) ||
		    (is_given(o, i, &r->limits.start) && now.start_ms != stored->start_ms))
			return o->row[i].name;
	return NULL;
}

/* Whether the campaign has an engine from outside that the user has not given again. */
static bool names_outside(const struct fuzz_request *r, const struct campaign_options *stored)
{
	for (int k = 0; k < stored->n_spec && !r->specs.n; k++)
		if (!setup_may_open(stored->spec[k]))
			return true;
	return stored->right_on && !r->c.right_on && !setup_may_open(stored->right_on);
}

/*
 * Takes the options of the campaign in the directory.  A file never starts a process, so the user gives engines from
 * outside again.  -1, or an exit code after a complaint.
 */
static int go_on(struct fuzz_request *r, const struct options *o)
{
	struct campaign_options stored = {0};
	struct error e = {0};
	struct setup setup;
	const char *what;

	if (r->c.out) {
		complain("fuzz: --resume has the directory already; leave out --out");
		return EXIT_USAGE;
	}
	if (!setup_exists(r->resume)) {
		complain("fuzz: %s holds no campaign: it has no " SETUP_FILE "; --out begins one", r->resume);
		return EXIT_BAD_CASE;
	}
	if (!setup_read(r->resume, &r->texts, &stored, &setup, &e))
		return complain_about_case(&e);
	what = contradiction(r, o, &stored);
	if (!what)
		what = limit_contradiction(r, o, &setup.quota);
	if (what) {
		complain("fuzz: --%s contradicts %s/%s; leave it out, or type: %s", what, r->resume, SETUP_FILE,
		    setup_resume_command(&stored, &r->texts));
		return EXIT_USAGE;
	}
	if (stored.cross) {
		complain("fuzz: %s is a campaign with --cross, which cannot go on; begin another one", r->resume);
		return EXIT_USAGE;
	}
	if (names_outside(r, &stored)) {
		complain("fuzz: %s/%s names an engine from outside, and a file never starts one; if you trust it, give "
		         "--engines FILE as before, or type: %s",
		    r->resume, SETUP_FILE, setup_resume_command(&stored, &r->texts));
		return EXIT_NOTHING;
	}
	quota_set(&setup.quota);
	stored.progress = r->c.progress;
	stored.jobs = r->c.jobs;
	stored.resume = true;
	r->c = stored;
	return -1;
}

/* Checks the options of a campaign that begins.  -1, or an exit code after a complaint. */
static int begin_new(struct fuzz_request *r, enum driver driver)
{
	if (!r->c.out || (!r->c.cases && !(r->c.seconds > 0))) {
		complain("fuzz: %s", r->c.out ? "one of --cases and --time is needed" : "--out is missing");
		fputs("Try 'adjudge fuzz --help'.\n", stderr);
		return EXIT_USAGE;
	}
	if (campaign_is_in(r->c.out)) {
		complain("fuzz: %s holds a campaign; go on with it by --resume %s, or choose another directory",
		    r->c.out, r->c.out);
		return EXIT_USAGE;
	}
	r->c.named = r->specs.n;
	if (!r->specs.n)
		texts_add_right_engines(&r->specs);
	r->c.spec = r->specs.at;
	r->c.n_spec = r->specs.n;
	r->c.driver = driver_names[driver];
	return r->c.corpus && !check_corpus(r->c.corpus) ? EXIT_BAD_CASE : -1;
}

int fuzz_settle(struct fuzz_request *r, const struct options *o, enum driver *driver)
{
	const char **const other[] = {&r->c.right_on, &r->c.against};
	int code = EXIT_USAGE;

	*driver = pick_driver(r->driver);
	if (*driver == DRIVER_COUNT || !ci_check_format("fuzz", r->ci.format, "text, json") ||
	    !pick_progress(r->progress, &r->c.progress) || !read_profile(r, &code) ||
	    !pick_shard(r->ci.shard, r->resume ? DRIVER_GENERATE : *driver, &r->c))
		return code;
	if (r->quiet)
		r->c.progress = PROGRESS_NONE;
	code = naming_apply("fuzz", r->engines, true, &r->names, &r->texts, &r->specs, other, 2);
	if (code >= 0)
		return code;
	r->c.fd_one_in = r->fd_one_in < 1 ? INT_MAX : r->fd_one_in > INT_MAX ? INT_MAX : (int)r->fd_one_in;
	r->c.max_findings = r->keep_going || r->max_findings > INT_MAX ? 0 : (int)r->max_findings;
	r->c.cross = r->c.cross || r->c.no_oracle || r->c.cross_strict || r->c.against;
	if (!read_jobs(r))
		return EXIT_USAGE;
	if (!r->resume)
		return begin_new(r, *driver);
	code = go_on(r, o);
	if (code < 0)
		*driver = pick_driver(r->c.driver);
	return code < 0 && *driver == DRIVER_COUNT ? EXIT_USAGE : code;
}
