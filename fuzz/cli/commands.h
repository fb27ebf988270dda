/* commands.h: the commands of adjudge.  Each takes its own argv (argv[0] is the command) and returns the exit code. */
#ifndef FUZZ_CLI_COMMANDS_H
#define FUZZ_CLI_COMMANDS_H

#include "engines/process/quota.h"
#include "fuzz/bench/bench.h"
#include "graph/json.h"
#include "naming.h"
#include "options.h"

int command_run(int argc, char **argv);
int command_gate(int argc, char **argv);
int command_fuzz(int argc, char **argv);
int command_merge(int argc, char **argv);
int command_minimize(int argc, char **argv);
int command_report(int argc, char **argv);
int command_show(int argc, char **argv);
int command_engines(int argc, char **argv);
int command_ops(int argc, char **argv);
int command_faults(int argc, char **argv);
int command_audit(int argc, char **argv);
int command_conform(int argc, char **argv);
int command_emit(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_worker(int argc, char **argv);

enum { COMMAND_ARENA = 1 << 30 };

bool is_directory(const char *path);
/* Whether --out (NULL: not given) can be written, before the work for it is done: -1, or an exit code after a
 * complaint. */
int check_output(const char *path);
/* Writes to the file of that path (file_write_path), or to standard output (NULL): an exit code, after a complaint
 * where it failed. */
int write_output(const char *path, const char *text, size_t len);

/* The processes that --jobs asks for (0: one for each processor), or -1 after a complaint. */
int choose_jobs(const char *command, int64_t jobs);
#define JOBS_ROW(jobs) \
	{ \
		"jobs", OPTION_NUMBER, &(jobs), "N", "judge in N processes; 0: one for each processor (default 1)" \
	}

/* Warns of names in the hellos of the bench's engines that adjudge does not know. */
void warn_of_hellos(const struct bench *b);

/* What --strict of `fuzz`, `conform` and `run` means. */
#define STRICT_HELP "a NaN of weak zeros is a finding although the engine declares weak_zero"
/* What it means for commands without triage. */
#define FINITE_HELP "; so is a wrong answer where something is infinite, although it declares finite_math"

/* What --min-decided of `fuzz` and `gate` means. */
#define MIN_DECIDED_HELP "exit 5 if an engine decided less of the cases it was asked (default: if it decided nothing)"

/*
 * The options about engines in processes of their own, for the table of a command.  x: a struct engine_limits.  Call
 * engine_limits_use before the first engine is opened.
 */
struct engine_limits {
	struct quota of;
	double start; /* seconds */
};
struct engine_limits engine_limits_preset(void);
void engine_limits_use(const struct engine_limits *x);
#define ENGINE_LIMIT_ROWS(x) \
	{"memory-limit", OPTION_SIZE, &(x).of.memory, "SIZE", \
	    "end an engine's process whose memory, with that of its children, exceeds this (default 4G)"}, \
	    {"process-limit", OPTION_NUMBER, &(x).of.processes, "N", \
	        "end an engine's process that has more than N descendants (default 256; 0: no limit)"}, \
	{ \
		"start-limit", OPTION_DURATION, &(x).start, "T", \
		    "wait so long for the first line of an engine's process (default 120s)" \
	}

/* Every built-in engine without a fault. */
void texts_add_right_engines(struct texts *list);
/* "vjp", "vjp,jvp" or "primal": the middle part of a signature. */
const char *request_text(const struct testcase *c, struct arena *a);
/* Complains about a file that could not be read: "adjudge: FILE: place: text". */
int complain_about_case(const struct error *e) MUST_CHECK;
/* Says that a signal stopped the command (stop.h), and returns the exit code. */
int complain_about_stop(const char *command);
/* What a report says about its engine.  All are NULL for a bare case. */
struct reported {
	const char *name;      /* what the report calls it: a name, or a spec */
	const char *spec;      /* of an engine with a name, for information; NULL: not known */
	const char *signature; /* the coarse one */
};
/* Reads a case or a report ("-": standard input). */
bool read_case(
    const char *path, struct arena *a, struct testcase *out, struct reported *engine, struct error *e) MUST_CHECK;
/* Whether the engines and verdicts in a case's expectations exist, and fit each other.  False with the place. */
bool check_expectations(const char *path, const struct testcase *c, struct error *e) MUST_CHECK;
/*
 * Whether a case or report may have that engine opened: only a built-in one.  A file never starts a process and never
 * loads a library.  The user names these engines on the command line or in a file of names.
 */
bool file_may_name(const char *engine);
/* The option that gives an engine which a file may not name, for a shell.  spec: NULL, or what the file says about it.
 */
const char *engine_option_text(const char *engine, const char *spec, struct arena *a);
/* Whether the engine that a report names may be asked: -1, or an exit code after a complaint. */
int check_own_engine(const char *command, const char *path, const struct reported *own, struct arena *a);
/* If a command was given no engine (*text NULL), takes that of the report, which may be in the file of names.  -1, or
 * an exit code after a complaint. */
int choose_engine(const char *command, const char *path, const struct reported *own, const struct naming *names,
    const char **text, struct arena *a);
/* Whether the machine prevented an answer; complains if so. */
bool machine_failed(const char *engine, const struct answer *answers, int n_point);

/* ---- list.c ---- */

/* A list, printed line by line or, with `json`, as one JSON text. */
struct listing {
	struct arena arena;
	struct json_writer w;
	bool json;
};

/* Begins the document of that schema, or an array (NULL). */
void listing_begin(struct listing *l, const char *schema);
/* Ends the document and prints it if JSON is wanted.  Returns EXIT_NO_FINDING. */
int listing_end(struct listing *l);

/* ---- folders.c ---- */

/*
 * The first of three folders that has `file`, in the arena; NULL where none has it.  place: the source folder, seen
 * from a build folder inside it; the installed folder, seen from the executable's; the folder of the installation
 * prefix.
 */
enum { DATA_PLACES = 3 };
const char *data_folder(const char *const place[DATA_PLACES], const char *file, struct arena *a);
/* The corpus, likewise. */
const char *corpus_folder(struct arena *a);

/* ---- emit.c ---- */

/* The folder of adapters that has `file`, in the arena or from the environment; NULL where none has it. */
const char *adapter_folder(const char *file, struct arena *a);

#endif
