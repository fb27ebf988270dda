/*
 * twin.h: a twin is a case made from another one, to be judged where that one is undecided or has no teeth.
 *
 * A twin has the program and the request of its case, and other points or another dtype.  So its answers have the
 * shapes of those of the case, and each component of a twin stands for one of the case.  A twin depends on the case
 * alone: whoever has the case can make it again.
 */
#ifndef FUZZ_BENCH_TWIN_H
#define FUZZ_BENCH_TWIN_H

#include "bench.h"
#include "oracles/verdict/teeth.h"

enum twin {
#define TWIN(id, name, work, bare, meaning) TWIN_##id,
#include "twins.def"
#undef TWIN
	TWIN_COUNT
};
extern const char *const twin_names[TWIN_COUNT];

/* Why a component has no teeth: a reason (reasons.def), or behind them a cause of blindness (blind_causes.def). */
enum { TWIN_WHYS = REASON_COUNT + BLIND_COUNT };
const char *twin_why_name(int why);

/* The probability that a component without teeth for that reason or cause has teeth in a twin of that kind, as measured
 * (the tables of twin.c).  0: no such twin is made for it. */
double twin_chance(enum twin kind, int why);

/* What is known of one float component that a case asks for. */
struct twin_component {
	enum dtype dtype; /* in the case itself */
	int why;          /* of the case itself, if it has no teeth */
	bool teeth;       /* it has teeth, in the case or in a twin that counts for it */
	bool wide;        /* it has teeth in the wide twin alone */
};

struct twin_components {
	int n, room;
	struct twin_component *at; /* [n] in the order of bite_each */
};

/* The components of a case by its truth; in the arena.  *teeth receives teeth_of, which looks at the same. */
struct twin_components twin_components_of(
    const struct testcase *c, const struct truth *t, struct arena *a, struct teeth *teeth);

/* Counts over cases, as sums.  Every member is an int64_t.  Initialise to zero. */
struct twin_tally {
	int64_t cases;    /* cases in which a component has no teeth */
	int64_t left_out; /* of these, cases without a twin that might help, because the case cost too much */
	int64_t work;     /* counted nanoseconds that the truths of twins cost */
	/* Cases without teeth that have teeth in a twin of their own dtype; and those that have them in a wide one
	 * alone. */
	int64_t gained, gained_wide;
	/* Twins; those that gave teeth to a component, so that engines were asked; judgements that are findings. */
	int64_t made[TWIN_COUNT], judged[TWIN_COUNT], findings[TWIN_COUNT];
	/* Components that had no teeth before that twin, by the reason that they had in the case itself. */
	struct twin_again {
		int64_t components, decided, with_teeth;
	} again[TWIN_COUNT][TWIN_WHYS];
	/* All float components asked for: in the case, and in twins of their own dtype; and in a wide twin alone. */
	struct {
		int64_t components, with_teeth, gained, wide;
	} dtype[DTYPE_COUNT];
};
enum { TWIN_NUMBERS = sizeof(struct twin_tally) / sizeof(int64_t) };
void twin_tally_add(struct twin_tally *to, const struct twin_tally *from);

/*
 * Whether a twin of that kind may help a component of `x` that has no teeth so far.  Which reasons a kind helps is a
 * table in twin.c.  Some kinds are only for cases in which no component has teeth so far (twins.def).
 */
bool twin_helps(enum twin kind, const struct twin_components *x);

/*
 * Whether the case may have a twin of that kind, if its truth cost `work` counted nanoseconds.  A twin costs about as
 * much as its case, with TWIN_ENGINES engines.  Its worth is the work of twins.def, times the share of the components x
 * that it is expected to give teeth, by their reasons; TWIN_WHOLE of them count like all.  A case without any teeth is
 * worth TWIN_BARE times as much.  A twin that costs no more than its worth is always made, and else with the
 * probability (worth / cost)^4.  A steep power gives the most teeth for the work.  The draw depends on the case alone,
 * so no kind of case is left out for ever.
 */
enum { TWIN_ENGINES = 4, TWIN_WHOLE = 8, TWIN_BARE = 4 };
bool twin_affordable(const struct testcase *c, enum twin kind, const struct twin_components *x, int64_t work);

/* The widest float dtype that all engines of the bench know; DTYPE_COUNT: there is none. */
enum dtype twin_widest(const struct bench *b);

/*
 * Makes the twin of c (checked) of that kind.  wide: the dtype of TWIN_WIDE.  *out is a valid case without
 * expectations, in the arena.  False: c has no such twin, because nothing would change.
 */
bool twin_make(
    const struct testcase *c, enum twin kind, enum dtype wide, struct arena *a, struct testcase *out) MUST_CHECK;

/*
 * Notes in *x and *tally what the truth of a twin of that kind says about the components of the case.  Whether it gave
 * teeth to one of them: no engine is asked about a twin that does not.
 */
bool twin_note(enum twin kind, const struct testcase *twin, const struct truth *t, struct twin_components *x,
    struct twin_tally *tally);
/* Counts the components, and whether the case gained teeth, once its twins are noted. */
void twin_count(const struct twin_components *before, const struct twin_components *after, struct twin_tally *tally);

#endif
