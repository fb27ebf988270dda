/*
 * teeth.h: whether a grossly wrong number would be a finding.
 *
 * A decided component has teeth if the verdict about each gross plant (plants.def) in its place is a finding. All other
 * components keep their true values; at a tie, those of the first assignment. This depends on the truth alone, not on
 * any engine.
 */
#ifndef ORACLES_VERDICT_TEETH_H
#define ORACLES_VERDICT_TEETH_H

#include "graph/json.h"
#include "verdict.h"

enum plant {
#define PLANT(id, name, gross, meaning) PLANT_##id,
#include "plants.def"
#undef PLANT
	PLANT_COUNT
};
extern const char *const plant_names[PLANT_COUNT];

enum blind_cause {
#define BLIND(id, name, meaning) BLIND_##id,
#include "blind_causes.def"
#undef BLIND
	BLIND_COUNT
};
extern const char *const blind_names[BLIND_COUNT];

/* What the verdict says about the plants of one float component. */
struct plants {
	int point, which, element;
	bool in_primal; /* only for a request without derivatives */
	enum dtype dtype;
	const struct component *component; /* at a tie: that of the first assignment */
	bool zero;                         /* the dtype rounds the true value to 0 */
	bool undecided;                    /* 0 in its place is no finding, so the verdict counts it as undecided */
	/* By plant: it was tried; it is no finding; it even agrees, because it is within the tight radius. A plant that
	 * means nothing here is not tried. */
	bool tried[PLANT_COUNT], blind[PLANT_COUNT], agrees[PLANT_COUNT];
	/* By plant: it would be a finding if no engine divided a product by a factor. */
	bool divided[PLANT_COUNT];
	enum blind_cause cause; /* BLIND_NONE: the component has teeth */
};

/* Calls one(context, p) for each float component that the request asks for and that is decided, or undecided (blind).
 */
typedef void plants_fn(void *context, const struct plants *p);
void teeth_each(const struct testcase *c, const struct truth *t, plants_fn *one, void *context);

/*
 * What the truth says about one float component that the request asks for: it has teeth, or a reason why it is
 * undecided, or a cause of blindness.  The components of a case always come in the same order, which depends on the
 * types of its answers alone.
 */
struct bite {
	enum dtype dtype;
	bool decided, teeth;
	enum reason reason;          /* if it is undecided */
	enum blind_cause cause;      /* if it is decided and has no teeth */
	const struct plants *plants; /* if it is decided; else NULL */
};
typedef void bite_fn(void *context, const struct bite *b);
void bite_each(const struct testcase *c, const struct truth *t, bite_fn *one, void *context);

/* Numbers of decided components; sums over cases. Every member is an int64_t. */
struct teeth_tally {
	int64_t components, with_teeth, zeros;
	int64_t unbounded; /* their loose radius is infinite: must be 0, because they are undecided(range) */
	int64_t tried[PLANT_COUNT], blind[PLANT_COUNT], agrees[PLANT_COUNT];
};
enum { TEETH_NUMBERS = sizeof(struct teeth_tally) / sizeof(int64_t) };

struct teeth {
	struct teeth_tally of[DTYPE_COUNT];
};

/* Counts the components of a case. */
struct teeth teeth_of(const struct testcase *c, const struct truth *t);
void teeth_count(struct teeth_tally *to, const struct plants *p);
void teeth_add(struct teeth_tally *to, const struct teeth_tally *from);
struct teeth_tally teeth_sum(const struct teeth *x);
/* Writes the numbers as members of the open JSON object. */
void teeth_put(const struct teeth_tally *t, struct json_writer *w);
/* Whether some component has teeth. */
bool teeth_any(const struct teeth *x);

#endif
