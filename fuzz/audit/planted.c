/* planted.c: checks whether the audit catches every fault that can be planted in an oracle. */
#include <stdio.h>
#include <string.h>

#include "oracles/oracle_rules.h"
#include "audit.h"
#include "fuzz/bench/bench.h"
#include "fuzz/bench/exit_code.h"
#include "fuzz/bench/stop.h"

struct planted_count {
	int planted, caught;
};

static void put(struct json_writer *w, bool json, const struct oracle_fault *f, const char *label)
{
	json_begin_object(w, JSON_FLOW);
	json_member_string(w, "fault", f->name);
	json_member_string(w, "section", f->caught);
	json_member_string(w, "broken", label);
	json_end(w);
	if (json)
		return;
	if (label)
		printf("  %-28s %s: %s\n", f->name, f->caught, label);
	else
		printf("  %-28s NOT CAUGHT by %s: %s\n", f->name, f->caught, f->meaning);
	fflush(stdout);
}

/* Tests one fault against the section that must break, with all families. */
static bool is_caught(
    const struct audit_options *o, const struct oracle_fault *f, struct arena *a, char *label, size_t n)
{
	struct audit_options one = *o;
	struct error e = {0};

	one.fault = f->name;
	one.rules = oracle_fault_plant(f->name, a, &e);
	one.section = &f->caught;
	one.n_section = 1;
	one.only = NULL;
	return one.rules && audit_breaks(&one, label, n);
}

int audit_plant_all(const struct audit_options *o)
{
	struct arena report, a;
	struct json_writer w;
	struct planted_count count = {0};
	struct oracle_fault f;
	char label[64];
	size_t len;

	arena_init(&report, CASE_ARENA);
	arena_init(&a, CASE_ARENA);
	w = json_document(&report, "adjudge.audit-planted/1");
	json_member_array(&w, "faults", JSON_BLOCK);
	for (int i = 0; oracle_fault_row(i, &report, &f) && !stop_requested(); i++) {
		if (o->only && !strstr(f.name, o->only))
			continue;
		arena_reset(&a);
		bool caught = is_caught(o, &f, &a, label, sizeof label);

		put(&w, o->json, &f, caught ? label : NULL);
		count.planted++;
		count.caught += caught;
	}
	json_end(&w);
	json_member_integer(&w, "planted", count.planted);
	json_member_integer(&w, "caught", count.caught);
	json_end(&w);
	if (o->json)
		fputs(json_finish(&w, &len), stdout);
	else
		printf("%d of %d faults are caught\n", count.caught, count.planted);
	arena_free(&a);
	arena_free(&report);
	return !count.planted || stop_requested() ? EXIT_NOTHING
	    : count.caught < count.planted        ? EXIT_FINDING
	                                          : EXIT_NO_FINDING;
}
