/* commands.h: the commands of adjudge.  Each takes its own argv (argv[0] is the command) and returns the exit code. */
#ifndef FUZZ_CLI_COMMANDS_H
#define FUZZ_CLI_COMMANDS_H

#include "fuzz/bench/bench.h"
#include "graph/json.h"
#include "options.h"

int command_run(int argc, char **argv);
int command_gate(int argc, char **argv);
int command_fuzz(int argc, char **argv);
int command_minimize(int argc, char **argv);
int command_report(int argc, char **argv);
int command_show(int argc, char **argv);
int command_engines(int argc, char **argv);
int command_ops(int argc, char **argv);
int command_faults(int argc, char **argv);
int command_audit(int argc, char **argv);
int command_conform(int argc, char **argv);
int command_emit(int argc, char **argv);
int command_worker(int argc, char **argv);

enum { COMMAND_ARENA = 1 << 30 };

/* Writes to the file of that path (file_write_path), or to standard output (NULL): an exit code, after a complaint
 * where it failed. */
int write_output(const char *path, const char *text, size_t len);

/* What --min-decided of `fuzz` and `gate` means. */
#define MIN_DECIDED_HELP "exit 5 if an engine decided less of the cases it was asked (default: if it decided nothing)"

/* Every built-in engine without a fault. */
void texts_add_right_engines(struct texts *list);
/* "vjp", "vjp,jvp" or "primal": the middle part of a signature. */
const char *request_text(const struct testcase *c, struct arena *a);
/* Complains about a file that could not be read: "adjudge: FILE: place: text". */
int complain_about_case(const struct error *e) MUST_CHECK;
/* Reads a case or a report ("-": standard input).  *engine: the engine of a report; NULL for a bare case. */
bool read_case(
    const char *path, struct arena *a, struct testcase *out, const char **engine, struct error *e) MUST_CHECK;
/* Whether the engines and verdicts in a case's expectations exist; complains if not. */
bool check_expectations(const char *path, const struct testcase *c);
/*
 * Whether a file may name that engine: only a built-in one.  A file never starts a process and never loads a library;
 * the user names these engines on the command line.
 */
bool file_may_name(const char *spec);
/* Whether `spec` is the spec of an engine, or NULL; complains if not, in the name of `where`. */
bool check_spec(const char *where, const char *spec);
/* Whether the engine that a report names may be asked: -1, or an exit code after a complaint. */
int check_own_engine(const char *command, const char *path, const char *own);
/* For a command that was given no engine, takes the engine of the report (NULL: it is a bare case).  -1, or an exit
 * code after a complaint. */
int choose_engine(const char *command, const char *path, const char *own, const char **spec);
/* Whether the machine prevented an answer; complains if so. */
bool machine_failed(const char *spec, const struct answer *answers, int n_point);

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

/* ---- report_index.c ---- */

bool is_directory(const char *path);
/* The index of the campaign in that directory: json, html or markdown; `text` gives markdown too.  Returns an exit
 * code. */
int report_index(const char *dir, const char *format, struct text *out);

#endif
