/* mutate.c: makes a valid case that differs a little from another one. */
#include "internal.h"

static const struct mutation {
	const char *name;
	int weight;
	mutation_fn *apply;
} mutations[] = {
    {"operand", 10, mutate_operand}, {"outer-operand", 5, mutate_outer_operand}, {"op", 8, mutate_op},
    {"insert", 7, mutate_insert}, {"emit", 7, mutate_emit}, {"delete", 8, mutate_delete}, {"attr", 8, mutate_attr},
    {"constant", 6, mutate_constant}, {"wrap-for", 4, mutate_wrap_for}, {"wrap-cond", 3, mutate_wrap_cond},
    {"dtype", 2, mutate_dtype}, {"result", 4, mutate_result}, {"point-special", 7, mutate_point_special},
    {"point-equal", 1, mutate_point_equal}, {"point-nudge", 4, mutate_point_nudge}, {"point-new", 3, mutate_point_new},
    {"add-point", 2, mutate_add_point}, {"drop-point", 1, mutate_drop_point}, {"wrt", 5, mutate_wrt},
    {"seed", 2, mutate_seed}, {"kind", 3, mutate_kind}, {"level", 3, mutate_level},
    {"variant", 3, mutate_variant}, /* the last row: without spellings, others are drawn as if it did not exist */
};

enum { MUTATIONS = sizeof(mutations) / sizeof(mutations[0]), ATTEMPTS = 8 };

/* Makes one mutation of *t.  False: none of a few attempts was valid. */
static bool mutate_once(struct testcase *t, struct choice *c, const struct profile *profile, struct arena *a)
{
	int weight[MUTATIONS];

	for (int i = 0; i < MUTATIONS; i++)
		weight[i] = mutations[i].apply == mutate_variant && !profile->variants ? 0 : mutations[i].weight;
	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		const struct mutation *row = &mutations[choice_weighted(c, weight, MUTATIONS)];
		struct mutator m = {.c = c, .p = profile, .a = a, .t = testcase_copy(t, a)};

		if (row->apply(&m) && !testcase_equal(&m.t, t) && testcase_check(&m.t, NULL)) {
			*t = m.t;
			return true;
		}
	}
	return false;
}

struct testcase mutate(const struct testcase *from, struct choice *c, const struct profile *profile, struct arena *a)
{
	struct testcase t = *from;
	int times = 1 + (choice_percent(c, 40) ? choice_below(c, 3) : 0);
	bool any = false;

	/* The expectations and the history of the original do not hold for the mutant. */
	t.n_expect = 0;
	t.expect = NULL;
	t.provenance = (struct provenance){0};
	for (int i = 0; i < times; i++)
		any |= mutate_once(&t, c, profile, a);
	return any ? t : generate(c, profile, a);
}
