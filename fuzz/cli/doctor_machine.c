/* doctor_machine.c: the checks of `adjudge doctor` about libraries, the machine, folders and the terminal. */
#include <dlfcn.h>
#include <fenv.h>
#include <float.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <mpfr.h>

#include "engines/process/cage.h"
#include "engines/process/quota.h"
#include "fuzz/bench/progress.h"
#include "reports/report.h"
#include "doctor.h"

enum { PATH_TEXT = 4096 };

/* ---- build ---- */

/* The version of GMP, which MPFR brings along; adjudge does not link it itself. */
static const char *gmp_version_here(void)
{
	void *self = dlopen(NULL, RTLD_LAZY);
	const char *const *version = self ? dlsym(self, "__gmp_version") : NULL;

	if (self)
		dlclose(self);
	return version ? *version : "of unknown version";
}

void doctor_build(struct doctor *d)
{
	const char *const *pair = report_versions();

	for (int i = 0; pair[i] && pair[i + 1]; i += 2)
		if (!strcmp(pair[i], "mpfr") && strcmp(pair[i + 1], MPFR_VERSION_STRING))
			doctor_say(d, DOCTOR_OK, pair[i], NULL, "%s; built with " MPFR_VERSION_STRING, pair[i + 1]);
		else
			doctor_say(d, DOCTOR_OK, pair[i], NULL, "%s", pair[i + 1]);
	doctor_say(d, DOCTOR_OK, "gmp", NULL, "%s", gmp_version_here());
#ifdef ADJUDGE_HAVE_LIBFUZZER
	doctor_say(d, DOCTOR_OK, "libfuzzer", NULL, "fuzz --driver libfuzzer works");
#else
	doctor_say(d, DOCTOR_ABSENT, "libfuzzer", "apt-get install clang libclang-rt-14-dev, then configure again",
	    "fuzz uses its own mutating driver");
#endif
}

/* ---- machine ---- */

enum { MEBI = 20 };

static void say_memory(struct doctor *d)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	uint64_t bytes = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;

	doctor_say(d, DOCTOR_OK, "memory", NULL, "%llu MiB", (unsigned long long)(bytes >> MEBI));
}

static void say_processors(struct doctor *d)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	doctor_say(d, DOCTOR_OK, "processors", NULL, "%ld", online);
}

/* A limit of the process.  `least`: below it, adjudge may fail. */
static const struct process_limit {
	const char *item, *fix;
	int resource;
	uint64_t least;
	int shift;
	const char *unit;
} limits[] = {
    {"address space", "ulimit -v unlimited", RLIMIT_AS, (uint64_t)1 << 30, MEBI, " MiB"},
    {"file size", "ulimit -f unlimited", RLIMIT_FSIZE, (uint64_t)16 << 20, MEBI, " MiB"},
    {"open files", "ulimit -n 256", RLIMIT_NOFILE, 64, 0, ""},
    {"processes", "ulimit -u 256", RLIMIT_NPROC, 16, 0, ""},
    {"core files", NULL, RLIMIT_CORE, 0, MEBI, " MiB"},
};

static void say_limit(struct doctor *d, const struct process_limit *l)
{
	struct rlimit now;
	bool broken;

	if (getrlimit((__rlimit_resource_t)l->resource, &now))
		return;
	broken = now.rlim_cur != RLIM_INFINITY && now.rlim_cur < l->least;
	if (now.rlim_cur == RLIM_INFINITY)
		doctor_say(d, DOCTOR_OK, l->item, NULL, "no limit");
	else
		doctor_say(d, broken ? DOCTOR_BROKEN : DOCTOR_OK, l->item, broken ? l->fix : NULL, "at most %llu%s",
		    (unsigned long long)(now.rlim_cur >> l->shift), l->unit);
}

static void say_cgroup(struct doctor *d)
{
	struct cage cage;

	cage_make(&cage, quota_now().memory, quota_now().processes);
	if (*cage.memory)
		doctor_say(
		    d, DOCTOR_OK, "cgroup", NULL, "a group can be made for each engine, such as %s", cage.memory);
	else
		doctor_say(d, DOCTOR_ABSENT, "cgroup", "systemd-run --user --scope -p Delegate=yes adjudge ...",
		    "no group can be made for engines, so the kernel does not tell who killed one");
	cage_remove(&cage);
}

static void say_arithmetic(struct doctor *d)
{
	volatile double small = DBL_MIN;

	if (fegetround() != FE_TONEAREST || small / 2 == 0)
		doctor_say(d, DOCTOR_BROKEN, "arithmetic", "start adjudge without the library that sets this", "%s",
		    fegetround() != FE_TONEAREST ? "rounding is not to nearest" : "subnormal numbers are 0");
	else
		doctor_say(d, DOCTOR_OK, "arithmetic", NULL, "rounds to nearest and keeps subnormal numbers");
}

void doctor_machine(struct doctor *d)
{
	say_processors(d);
	say_memory(d);
	for (size_t k = 0; k < sizeof limits / sizeof *limits; k++)
		say_limit(d, &limits[k]);
	say_cgroup(d);
	say_arithmetic(d);
}

/* ---- files ---- */

/* The folder `path` itself, or the nearest one above it that exists. */
static const char *existing_folder(const char *path, char out[PATH_TEXT])
{
	snprintf(out, PATH_TEXT, "%s", path);
	while (*out && access(out, F_OK)) {
		char *slash = strrchr(out, '/');

		if (!slash)
			return ".";
		slash[slash == out] = '\0';
	}
	return *out ? out : ".";
}

/* Whether a campaign can be written there.  The directory of --out must be fit for one; "." need not be. */
static void say_disk(struct doctor *d)
{
	char place[PATH_TEXT];
	const char *folder = existing_folder(d->out ? d->out : ".", place);
	enum doctor_state bad = d->out ? DOCTOR_BROKEN : DOCTOR_ABSENT;
	struct statvfs disk;
	uint64_t free_bytes;

	if (!is_directory(folder) || access(folder, W_OK | X_OK) || statvfs(folder, &disk)) {
		doctor_say(d, bad, d->out ? "--out" : "this folder",
		    d->out ? "choose a folder that you may write to" : "adjudge doctor --out DIR",
		    "nothing can be written into %s", folder);
		return;
	}
	free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
	doctor_say(d, free_bytes < (uint64_t)64 << MEBI ? bad : DOCTOR_OK, d->out ? "--out" : "this folder",
	    free_bytes < (uint64_t)64 << MEBI ? "free some disk space, or choose another --out" : NULL,
	    "%llu MiB free in %s", (unsigned long long)(free_bytes >> MEBI), folder);
}

/* folder: that has the file, or NULL. */
static void say_folder(struct doctor *d, const char *item, const char *folder, const char *use)
{
	if (folder)
		doctor_say(d, DOCTOR_OK, item, NULL, "%s", folder);
	else
		doctor_say(d, DOCTOR_ABSENT, item, "take it from the sources of adjudge", "%s", use);
}

void doctor_files(struct doctor *d)
{
	say_disk(d);
	doctor_say(d, DOCTOR_OK, "default profile", NULL, "part of the executable");
	say_folder(d, "corpus", corpus_folder(&d->list.arena),
	    "cases of known bugs, for conform --deep and to begin a gate with");
	say_folder(d, "frozen profiles",
	    data_folder((const char *const[]){"../benchmarks", "../benchmarks", "../benchmarks"}, "frozen.json",
	        &d->list.arena),
	    "only needed to repeat published figures");
	doctor_adapters(d);
}

/* ---- terminal ---- */

void doctor_terminal(struct doctor *d)
{
	const char *term = getenv("TERM"), *colour = getenv("NO_COLOR");

	doctor_say(d, DOCTOR_OK, "standard error", NULL, "%s, TERM=%s%s: progress is %s",
	    isatty(STDERR_FILENO) ? "a terminal" : "no terminal", term ? term : "(unset)",
	    colour && *colour ? ", NO_COLOR" : "",
	    progress_overwrites() ? "shown on one place" : "printed as plain lines");
}
