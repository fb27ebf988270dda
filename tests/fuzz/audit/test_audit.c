/* The audit holds of right oracles, and breaks for every fault that can be planted in one. */
#include "fuzz/audit/audit.h"

#include <string.h>

#include "oracles/oracle_rules.h"
#include "tests/check.h"
#include "tests/support/frozen.h"

static struct audit_options options(const char *const *section)
{
	return (struct audit_options){
	    .seed = 5, .draws = 1, .profile = profile_frozen(), .section = section, .n_section = 1};
}

/* Every section, on its own. */
static void check_right(int64_t cases)
{
	char label[64];

	for (int i = 0; audit_section_names[i]; i++) {
		struct audit_options o = options(&audit_section_names[i]);

		o.cases = cases;
		label[0] = 0;
		CHECK(!audit_breaks(&o, label, sizeof label), "%s: %s", audit_section_names[i], label);
	}
}

static bool is_section(const char *name)
{
	for (int i = 0; audit_section_names[i]; i++)
		if (!strcmp(name, audit_section_names[i]))
			return true;
	return false;
}

static void check_faults(struct arena *a)
{
	struct oracle_fault f;
	char label[64];
	int n = 0;

	for (; oracle_fault_row(n, a, &f); n++) {
		struct error e = {0};
		struct audit_options o = options(&f.caught);

		o.cases = 1500; /* up to the first that breaks it */
		o.fault = f.name;
		o.rules = oracle_fault_plant(f.name, a, &e);
		CHECK(o.rules, "%s: %s", f.name, e.text);
		if (!is_section(f.caught))
			continue;
		CHECK(o.rules && audit_breaks(&o, label, sizeof label), "%s is not seen by %s", f.name, f.caught);
	}
	CHECK(n > 150, "%d faults", n);
}

/* A fault is of one planting: the rules of a right oracle are what they were. */
static void check_refused(struct arena *a)
{
	static const char *const names[] = {"no-such-fault", "partial-scaled", "partial-scaled:no_such_op",
	    "partial-scaled:floor", "path-lost:mul", ""};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (!row_wanted("refused: %s", names[i]))
			continue;
		struct error e = {0};

		CHECK(!oracle_fault_plant(names[i], a, &e) && e.text[0], "'%s' is planted", names[i]);
	}
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 64 << 20);
	CHECK_LAW(check_right(300));
	check_refused(&a);
	CHECK_LAW(check_faults(&a));
	CHECK_LAW(check_right(50)); /* no fault has stayed */
	arena_free(&a);
	return check_done();
}
