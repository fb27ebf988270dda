/* audit.c: adjudge audit: tests the oracles. */
#include <stdio.h>
#include <string.h>

#include "oracles/oracle_rules.h"
#include "reports/file.h"
#include "fuzz/audit/audit.h"
#include "commands.h"
#include "fuzz/bench/stop.h"

enum { DEFAULT_CASES = 1000, DEFAULT_DRAWS = 6, MOST_DRAWS = 1 << 16 };

static bool check_sections(const struct texts *list)
{
	int n = 0;

	while (audit_section_names[n])
		n++;
	for (int i = 0; i < list->n; i++) {
		bool known = false;

		for (int k = 0; k < n; k++)
			known |= !strcmp(list->at[i], audit_section_names[k]);
		if (known)
			continue;
		const char *near = json_nearest(list->at[i], audit_section_names, n);
		complain("audit: --section: no section '%s'%s%s%s", list->at[i], near ? "; did you mean '" : "",
		    near ? near : "", near ? "'?" : "");
		return false;
	}
	return true;
}

static int list_faults(bool json)
{
	struct listing l = {.json = json};
	struct oracle_fault f;

	listing_begin(&l, NULL);
	for (int i = 0; oracle_fault_row(i, &l.arena, &f); i++) {
		json_begin_object(&l.w, JSON_FLOW);
		json_member_string(&l.w, "fault", f.name);
		json_member_string(&l.w, "caught_by", f.caught);
		json_member_string(&l.w, "meaning", f.meaning);
		json_end(&l.w);
		if (!json)
			printf("%-28s %-14s %s\n", f.name, f.caught, f.meaning);
	}
	return listing_end(&l);
}

int command_audit(int argc, char **argv)
{
	struct audit_options audit = {.seed = 1, .cases = DEFAULT_CASES, .profile = profile_default()};
	struct texts sections = {0};
	const char *profile = NULL;
	int64_t draws = DEFAULT_DRAWS;
	bool quiet = false, list = false, planted = false;
	struct arena a;
	const struct option_row rows[] = {
	    {"section", OPTION_TEXTS, &sections, "NAME", "only this section; may be repeated"},
	    {"cases", OPTION_NUMBER, &audit.cases, "N", "number of random cases of a section (default 1000)"},
	    {"draws", OPTION_NUMBER, &draws, "N", "parameter sets of a family of programs (default 6)"},
	    {"seed", OPTION_SEED, &audit.seed, "N", "same seed, same cases and draws (default 1)"},
	    {"only", OPTION_TEXT, &audit.only, "TEXT",
	        "only families (with --planted: faults) with TEXT in their name"},
	    {"profile", OPTION_TEXT, &profile, "FILE", "distributions of the generator"},
	    {"fault", OPTION_TEXT, &audit.fault, "NAME", "plant this fault in the oracles; a section must break"},
	    {"faults", OPTION_FLAG, &list, NULL, "list the faults that can be planted in an oracle"},
	    {"planted", OPTION_FLAG, &planted, NULL,
	        "plant all of them, one after the other, and check that each is caught"},
	    {"out", OPTION_TEXT, &audit.out, "DIR", "keep the cases that break a law"},
	    {"json", OPTION_FLAG, &audit.json, NULL, "print JSON"},
	    {"quiet", OPTION_FLAG, &quiet, NULL, "no progress on standard error"},
	};
	const struct options o = {"audit", "[OPTION]...",
	    "Judges the oracles.  Each section states a law, measures it, and says where it is broken.  With\n"
	    "--fault, the oracles are wrong on purpose.  With --planted, it checks that every planted fault is\n"
	    "caught.\n"
	    "Example: adjudge audit --cases 10000 --seed 7 --out broken\n"
	    "Exit status: 0 all laws hold, 1 one is broken, 3 the profile cannot be read, 4 the machine failed,\n"
	    "5 nothing was measured.\n",
	    rows, sizeof rows / sizeof *rows, 0, 0};
	struct error e = {0};
	char **operand;
	int n, code = options_parse(&o, argc, argv, &operand, &n);

	if (code >= 0)
		return code;
	if (!check_sections(&sections))
		return EXIT_USAGE;
	if (draws < 1 || draws > MOST_DRAWS) {
		complain("audit: --draws: 1 to %d", MOST_DRAWS);
		return EXIT_USAGE;
	}
	if (profile && !profile_read_file(profile, &audit.profile, &e))
		return complain_about_case(&e);
	if (audit.out && !file_make_directory(audit.out, &e)) {
		complain("audit: %s", e.text);
		return EXIT_OURS;
	}
	audit.draws = (int)draws;
	audit.section = sections.at;
	audit.n_section = sections.n;
	audit.progress = !quiet;
	stop_on_signals();
	arena_init(&a, COMMAND_ARENA);
	if (audit.fault && !(audit.rules = oracle_fault_plant(audit.fault, &a, &e))) {
		complain("audit: --fault: %s", e.text);
		code = EXIT_USAGE;
	} else {
		code = list ? list_faults(audit.json) : planted ? audit_plant_all(&audit) : audit_run(&audit, &e);
		if (e.text[0])
			complain("audit: %s", e.text);
	}
	arena_free(&a);
	return code;
}
