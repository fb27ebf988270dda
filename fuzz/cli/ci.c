/* ci.c: see ci.h. */
#include "ci.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "graph/json.h"
#include "reports/file.h"

/* How long a new entry of a baseline counts, in days. */
enum { ENTRY_DAYS = 90, SHARDS = 100000, HERE = 4096 };

static void set_date(char out[BASELINE_DATE], int days)
{
	time_t when = time(NULL) + (time_t)days * 86400;
	struct tm utc;

	gmtime_r(&when, &utc);
	strftime(out, BASELINE_DATE, "%Y-%m-%d", &utc);
}

bool read_shard(const char *text, int *shard, int *n)
{
	char *end;
	long i, of;

	if (*text < '0' || *text > '9')
		return false;
	i = strtol(text, &end, 10);
	if (*end != '/' || end[1] < '0' || end[1] > '9')
		return false;
	of = strtol(end + 1, &end, 10);
	if (*end || of < 1 || of > SHARDS || i < 1 || i > of)
		return false;
	*shard = (int)i;
	*n = (int)of;
	return true;
}

static int check_options(const char *command, const struct ci_options *o)
{
	struct stat status;

	if ((o->baseline != NULL) + (o->write_baseline != NULL) + (o->update_baseline != NULL) > 1) {
		complain("%s: only one of --baseline, --write-baseline and --update-baseline can be given", command);
		return EXIT_USAGE;
	}
	if (o->write_baseline && !lstat(o->write_baseline, &status)) {
		complain("%s: --write-baseline: %s exists and is not replaced; --update-baseline changes it", command,
		    o->write_baseline);
		return EXIT_USAGE;
	}
	return -1;
}

bool ci_check_format(const char *command, const char *format, const char *own)
{
	const struct ci_format *f = format ? ci_format_find(format) : NULL;
	const size_t n = format ? strlen(format) : 0;

	if (!format || (f && f->printed))
		return true;
	for (const char *at = own; *at; at += strcspn(at, ", "), at += strspn(at, ", "))
		if (strcspn(at, ", ") == n && !strncmp(at, format, n))
			return true;
	complain("%s: no format '%s'; there are %s, " CI_FORMATS, command, format, own);
	return false;
}

int ci_begin(struct ci_run *run, const char *command, const struct ci_options *o, struct arena *a)
{
	const char *file = o->update_baseline ? o->update_baseline : o->baseline;
	struct error e = {0};
	char here[HERE];
	int code = check_options(command, o);

	*run = (struct ci_run){.o = o, .shard = 1, .n_shard = 1, .arena = a};
	if (code >= 0)
		return code;
	if (o->shard && !read_shard(o->shard, &run->shard, &run->n_shard)) {
		complain("%s: --shard is I/N with I from 1 to N, not '%s'", command, o->shard);
		return EXIT_USAGE;
	}
	if (file && !baseline_read_file(file, a, &run->baseline, &e))
		return complain_about_case(&e);
	run->report = (struct ci_report){.arena = a,
	    .command = command,
	    .shard = o->shard,
	    .root = getcwd(here, sizeof here) ? arena_printf(a, "%s", here) : NULL};
	set_date(run->today, 0);
	set_date(run->expires, ENTRY_DAYS);
	return -1;
}

bool ci_in_shard(const struct ci_run *run, int64_t k) { return k % run->n_shard == run->shard - 1; }
bool ci_sharded(const struct ci_run *run) { return run->o->shard != NULL; }

void ci_run_add(struct ci_run *run, struct ci_outcome x, const struct paths *all)
{
	if (x.state == CI_NEW || x.state == CI_FLAKY) {
		const struct known_finding *k = baseline_match(&run->baseline, x.signature, x.path);

		if (k) {
			x.state = CI_KNOWN;
			x.link = k->link;
			x.message = *k->reason ? k->reason : "without a reason";
		} else if (x.state == CI_NEW) {
			baseline_add(&run->baseline, x.signature, x.path, all, run->expires, run->arena);
		}
	}
	ci_add(&run->report, x);
}

void ci_check_baseline(struct ci_run *run, const struct paths *all, const char *const *judged, int n_judged)
{
	const struct ci_options *o = run->o;
	struct baseline_review x = {.file = o->update_baseline ? o->update_baseline : o->baseline,
	    .all = all,
	    .judged = judged,
	    .n_judged = n_judged,
	    .sharded = ci_sharded(run) || run->partial,
	    .partial = run->partial,
	    .allow_fixed = o->allow_fixed};

	memcpy(x.today, run->today, sizeof x.today);
	baseline_check(&run->baseline, &x, &run->report);
}

void ci_add_too_few(struct ci_run *run, const char *engine, const char *message)
{
	ci_add(&run->report, (struct ci_outcome){.state = CI_TOO_FEW, .engine = engine, .message = message});
}

/* ---- the end ---- */

void ci_print_baseline(const struct ci_run *run)
{
	static const bool shown[CI_STATES] = {[CI_KNOWN] = true,
	    [CI_FIXED] = true,
	    [CI_FIXED_ALLOWED] = true,
	    [CI_EXPIRED] = true,
	    [CI_NO_REASON] = true,
	    [CI_NO_CASE] = true};

	for (int i = 0; i < run->report.n; i++)
		if (shown[run->report.at[i].state])
			fputs(ci_line(&run->report.at[i], run->arena), stdout);
}

static bool write_file(const char *path, const char *text, size_t len)
{
	struct error e = {0};

	if (!path || file_write_path(path, text, len, &e))
		return true;
	complain("%s", e.text);
	return false;
}

static bool write_format(const char *path, const struct ci_report *r, const char *format)
{
	struct text t;

	if (!path)
		return true;
	t = ci_write(r, format);
	return write_file(path, t.at, t.len);
}

static bool write_baseline(struct ci_run *run)
{
	const char *path = run->o->update_baseline ? run->o->update_baseline : run->o->write_baseline;
	const struct baseline *b = &run->baseline;
	int gone = 0;
	size_t len;
	char *text;

	if (!path)
		return true;
	text = baseline_text(b, run->arena, &len);
	for (int i = 0; i < b->n; i++)
		gone += b->known[i].gone;
	if (!write_file(path, text, len))
		return false;
	fprintf(stderr, "adjudge: %s: %d entries are new, %d are removed%s\n", text_harmless(path, run->arena),
	    b->n - b->n_read, gone, b->n > b->n_read ? "; write a reason into each new one" : "");
	return true;
}

int ci_end(struct ci_run *run, int code, bool *printed)
{
	const struct ci_options *o = run->o;
	const struct ci_format *f = o->format ? ci_format_find(o->format) : NULL;
	bool good;

	run->report.exit_code = code;
	*printed = f && f->printed;
	if (*printed)
		fputs(ci_write(&run->report, o->format).at, stdout);
	good = write_format(o->junit, &run->report, "junit");
	good = write_format(o->sarif, &run->report, "sarif") && good;
	good = write_format(o->summary, &run->report, "markdown") && good;
	good = write_baseline(run) && good;
	return good ? code : EXIT_OURS;
}
