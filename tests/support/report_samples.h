/* report_samples.h: findings of every verdict, from truths and answers made up here: no engine and no oracle runs. */
#ifndef TESTS_SUPPORT_REPORT_SAMPLES_H
#define TESTS_SUPPORT_REPORT_SAMPLES_H

#include "reports/characterization.h"
#include "reports/report.h"

enum { WIDE = 100 }; /* elements of SAMPLE_LAST */

/* One finding with all it points to. */
struct sample {
	struct report report;
	struct testcase c;
	struct truth truth;
	struct answer answer[2];
	struct judgement judgement;
};

/* What is spoiled. */
enum sample_kind {
	SAMPLE_WRONG,
	SAMPLE_TIE, /* point 0 has two assignments too */
	SAMPLE_LAST,
	SAMPLE_PRIMAL,
	SAMPLE_INTEGER,
	SAMPLE_PRIMAL_REQUEST,
	SAMPLE_JVP,
	SAMPLE_NAN,
	SAMPLE_INACCURATE,
	SAMPLE_CONVENTION,
	SAMPLE_AGREE,
	SAMPLE_SHAPE,
	SAMPLE_COUNT_OF_RESULTS,
	SAMPLE_DTYPE,
	SAMPLE_MODIFIED,
	SAMPLE_CRASH,
	SAMPLE_RAISED,
	SAMPLE_HANG,
	SAMPLE_PROTOCOL,
	SAMPLE_UNSUPPORTED,
	SAMPLE_UNDECIDED,
	SAMPLE_NONDETERMINISTIC,
	SAMPLE_FOUND,
	SAMPLE_CHARACTERIZED
};

/* A finding of that kind; in the arena. */
struct sample *sample_of(enum sample_kind kind, struct arena *a);
/* A right answer to a case over f64[extent] at two points, with n_transform levels of that kind, 0 or 1; in the arena.
 */
struct sample *sample_new(int extent, int n_transform, enum transform_kind kind, struct arena *a);

#endif
