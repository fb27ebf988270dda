/*
 * audit.h: tests the oracles: laws that they must keep, whatever the engines do.
 *
 * A section (sections.def) measures one law on its own cases and says where it is broken.  The same options give the
 * same bytes, except for the member `timing` of the JSON.
 */
#ifndef FUZZ_AUDIT_AUDIT_H
#define FUZZ_AUDIT_AUDIT_H

#include "graph/json.h"
#include "oracles/truth.h"
#include "fuzz/generate/generate.h"

struct audit_options {
	uint64_t seed;
	int64_t cases;    /* number of random cases, for a section that draws them */
	int draws;        /* parameter sets of a family that has parameters */
	const char *only; /* only families with this in their name; NULL: all */
	const char *out;  /* directory for cases that break a law, which the caller makes; NULL: they are not kept */
	const char *const *section; /* [n_section] names; n_section 0: all sections */
	int n_section;
	struct profile profile;           /* of random cases */
	const char *fault;                /* a name of oracle_faults.def, planted in every oracle, or NULL */
	const struct oracle_rules *rules; /* the rules with that fault, or NULL */
	bool first_only;                  /* stop at the first breach */
	bool glance;                      /* sections skip finite differences where they can */
	bool json;                        /* print JSON instead of text */
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
 * Options for every oracle of the audit (oracle_open, bench_open): the seed and the planted fault.  fd_one_in: the
 * share of cases with finite differences.
 */
struct oracle_options audit_oracle_options(const struct audit *self, int fd_one_in);
/* The JSON object of this section, to which the section adds its own members (not: section, law, broken, breaches). */
struct json_writer *audit_json(struct audit *self);
/* Prints one line of the text: "LABEL ...", labels aligned.  Prints nothing if JSON is wanted. */
void audit_line(struct audit *self, const char *label, const char *format, ...) __attribute__((format(printf, 3, 4)));
/*
 * Reports that the law is broken by case `c`, which is kept in the directory (NULL: by no single case).  label: the
 * line it belongs to.  The message says what was measured.  All breaches are counted; the first few are printed.
 */
void audit_broken(struct audit *self, const struct testcase *c, const char *label, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/*
 * Every section asks this before each case: it shows progress and says whether to go on.  False after a signal to stop.
 * A section that never asks counts as having measured nothing.
 */
bool audit_goes_on(struct audit *self, int64_t done, int64_t of);
/*
 * Calls one(context, number, c, a) for every random case c of the options, until audit_goes_on says no.  Memory from
 * `a` is released after each case.  Returns how many cases did not fit into memory.
 */
typedef void audit_case_fn(void *context, int64_t number, const struct testcase *c, struct arena *a);
int64_t audit_each_case(struct audit *self, audit_case_fn *one, void *context);
/* The same with the distributions of another profile. */
int64_t audit_each_case_of(struct audit *self, const struct profile *profile, audit_case_fn *one, void *context);

/* ---- the whole ---- */

/*
 * Runs the sections and prints text or JSON to standard output.  Exit code: 0 all laws hold; 1 one is broken; 4 the
 * machine failed to write a file (*e, empty on entry, says why); 5 no section measured anything.
 */
int audit_run(const struct audit_options *o, struct error *e) MUST_CHECK;

/*
 * Whether some section of these options is broken.  It prints and writes nothing, and ends at the first breach.
 * label[n] (n > 0): the line of that breach, as given to audit_broken.
 */
bool audit_breaks(const struct audit_options *o, char *label, size_t n);

/*
 * Plants every fault whose name contains o->only, one after the other, and checks whether the section that must break
 * does (planted.c).  Exit code: 0 all are caught; 1 one is not; 5 there is none, or there was no time for all.
 */
int audit_plant_all(const struct audit_options *o);

/* Names of the sections in order, NULL-terminated. */
extern const char *const audit_section_names[];

#endif
