/*
 * audit.h: the oracles on trial: laws that they must keep, whatever the engines do.
 *
 * A section (sections.def) measures one law on cases of its own and says where it is broken.  Same options, same bytes,
 * but for the member `timing` of the JSON.
 */
#ifndef FUZZ_AUDIT_AUDIT_H
#define FUZZ_AUDIT_AUDIT_H

#include "graph/json.h"
#include "oracles/truth.h"
#include "fuzz/generate/generate.h"

struct audit_options {
	uint64_t seed;
	int64_t cases;              /* random cases of a section that has some */
	int draws;                  /* parameter sets of a family that has parameters */
	const char *only;           /* families with this in their name; NULL: all */
	const char *out;            /* directory for cases that break a law, made by the caller; NULL: nowhere */
	const char *const *section; /* [n_section] names; none: all */
	int n_section;
	struct profile profile;           /* of random cases */
	const char *fault;                /* planted in every oracle: a name of oracle_faults.def, or NULL */
	const struct oracle_rules *rules; /* with that fault, or NULL */
	bool first_only;                  /* the first breach is enough */
	bool glance;                      /* a section that can do without finite differences does */
	bool json;                        /* nothing is printed as text */
	bool progress;                    /* on standard error */
};

struct audit;

/* ---- for a section ---- */

typedef void audit_section_fn(struct audit *self);

#define SECTION(function, name, law) audit_section_fn audit_##function;
#include "sections.def"
#undef SECTION

const struct audit_options *audit_options_of(const struct audit *self);
/*
 * What every oracle of the audit is opened with, by oracle_open or bench_open: with the seed, and with the fault that
 * was planted.  fd_one_in: the share of finite differences.
 */
struct oracle_options audit_oracle_options(const struct audit *self, int fd_one_in);
/* The JSON object of this section: the section adds members of its own (not: section, law, broken, breaches). */
struct json_writer *audit_json(struct audit *self);
/*
 * One line of the text: "LABEL  ...", labels aligned.  Nothing where JSON is wanted.
 */
void audit_line(struct audit *self, const char *label, const char *format, ...) __attribute__((format(printf, 3, 4)));
/*
 * The law is broken: by `c`, which is then kept in the directory (NULL: by no one case).  label: the line it belongs
 * to; the message says what was measured.  The first few are told; all are counted.
 */
void audit_broken(struct audit *self, const struct testcase *c, const char *label, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/*
 * To be asked before every case: tells how far the section is, and says whether to go on: not when a signal asked to
 * stop.  Who never asks has measured nothing.
 */
bool audit_goes_on(struct audit *self, int64_t done, int64_t of);
/*
 * Calls one(context, number, c, a) for every random case c of the options, until audit_goes_on says no.  Memory from
 * `a` is given back after each. Returns how many cases did not fit into memory.
 */
typedef void audit_case_fn(void *context, int64_t number, const struct testcase *c, struct arena *a);
int64_t audit_each_case(struct audit *self, audit_case_fn *one, void *context);

/* ---- the whole ---- */

/*
 * Runs the sections and prints text or JSON on standard output.  Exit code: 0 all laws hold, 1 one is broken, 4 the
 * machine failed (a file could not be written: *e, empty on entry, says why), 5 no section has measured anything.
 */
int audit_run(const struct audit_options *o, struct error *e) MUST_CHECK;

/*
 * Whether some section of these options is broken: nothing is printed or written, and the first breach ends it.
 * label[n] (n > 0): the line it belongs to, as audit_broken was told.
 */
bool audit_breaks(const struct audit_options *o, char *label, size_t n);

/*
 * Plants every fault whose name has o->only in it, one after the other, and checks whether the section that must break
 * does (planted.c). Exit code: 0 all are caught, 1 one is not, 5 there is none, or no time was left for all.
 */
int audit_plant_all(const struct audit_options *o);

/* Names of the sections in order, NULL-terminated. */
extern const char *const audit_section_names[];

#endif
