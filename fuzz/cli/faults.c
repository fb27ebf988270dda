/*
 * faults.c: adjudge faults: lists the faults, and measures how many of them, and how small an error, a campaign finds.
 */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "fuzz/audit/mutation_score.h"
#include "fuzz/audit/sensitivity.h"
#include "fuzz/bench/stop.h"

enum { DEFAULT_SCORE_CASES = 100000, DEFAULT_SENSITIVITY_CASES = 30000, SENSITIVITY_CASES_MOST = 1000000 };

/* ---- lists ---- */

/* "functional+residual-fifo            2026 L vjp  ..." */
static void print_fault(const struct fault_info *f)
{
	char year[12] = "";

	if (f->year)
		snprintf(year, sizeof year, "%d", f->year);
	printf("%-36s %-4s %-1s %-3s  %s\n", f->spec, year, f->family, f->request, f->meaning);
}

/* Whether --only (NULL: not given) names it, as for a score. */
static bool is_listed(const char *only, const char *spec, const char *meaning)
{
	return !only || strstr(spec, only) || strstr(meaning, only);
}

/* Both return how many were listed. */
static int list_mutants(struct listing *l, const char *only)
{
	char meaning[MUTANT_TEXT];
	int n = 0;

	for (int k = 0; engine_names[k]; k++)
		for (int i = 0; mutant_row(engine_names[k], i, meaning); i++) {
			const char *spec = arena_printf(&l->arena, "%s+mutant:%d", engine_names[k], i);

			if (!is_listed(only, spec, meaning))
				continue;
			n++;
			json_begin_object(&l->w, JSON_FLOW);
			json_member_string(&l->w, "spec", spec);
			json_member_string(&l->w, "meaning", meaning);
			json_end(&l->w);
			if (!l->json)
				printf("%-24s %s\n", spec, meaning);
		}
	return n;
}

static int list_faults(struct listing *l, const char *only)
{
	const struct fault_info *f;
	int n = 0;

	for (int i = 0; (f = fault_row(i)); i++) {
		if (!is_listed(only, f->spec, f->meaning))
			continue;
		n++;
		json_begin_object(&l->w, JSON_FLOW);
		json_member_string(&l->w, "spec", f->spec);
		json_member_string(&l->w, "slug", f->slug);
		json_member_string(&l->w, "source", f->source);
		json_member_string(&l->w, "meaning", f->meaning);
		json_member_bool(&l->w, "isolated", f->isolated);
		json_member_integer_if(&l->w, "year", f->year, f->year);
		json_member_string(&l->w, "family", f->family);
		json_member_string(&l->w, "request", f->request);
		json_end(&l->w);
		if (!l->json)
			print_fault(f);
	}
	return n;
}

static int list(bool mutants, const char *only, bool json)
{
	struct listing l = {.json = json};
	int n, code;

	listing_begin(&l, NULL);
	n = (mutants ? list_mutants : list_faults)(&l, only);
	code = listing_end(&l);
	if (n)
		return code;
	complain("faults: there are no %s with %s", mutants ? "mutants" : "faults", only);
	return EXIT_NOTHING;
}

/* ---- scores ---- */

static void print_score(const struct score_options *o, const struct score *s)
{
	printf("%s: %d of %d %s found within %lld cases; half of those found after %lld, nine tenths after %lld\n",
	    o->engine, s->n - s->survivors, s->n, o->mutants ? "mutants" : "faults", (long long)s->cases,
	    (long long)s->median, (long long)s->ninety);
	for (int i = 0; i < s->n; i++)
		if (!s->row[i].found)
			printf("survivor%s: %-24s %s\n", s->row[i].inaccurate ? ", at times inaccurate" : "",
			    s->row[i].spec, s->row[i].meaning);
}

static void print_score_json(const struct score_options *o, const char *profile, const struct score *s)
{
	struct listing l = {.json = true};
	struct json_writer *w = &l.w;

	listing_begin(&l, "adjudge.score/1");
	json_member_string(w, "engine", o->engine);
	json_member_string(w, "of", o->mutants ? "mutants" : "faults");
	json_member_string(w, "seed", arena_printf(&l.arena, "%llu", (unsigned long long)o->seed));
	json_member_string(w, "profile", profile);
	json_member_integer(w, "cases", s->cases);
	json_member_integer(w, "skipped", s->skipped);
	json_member_integer(w, "total", s->n);
	json_member_integer(w, "found", s->n - s->survivors);
	json_member_integer(w, "median", s->median);
	json_member_integer(w, "ninety_percent", s->ninety);
	json_member_array(w, "rows", JSON_BLOCK);
	for (int i = 0; i < s->n; i++) {
		const struct scored *r = &s->row[i];

		json_begin_object(w, JSON_FLOW);
		json_member_string(w, "spec", r->spec);
		json_member_string(w, "meaning", r->meaning);
		json_member_integer_if(w, "first_case", r->found, r->found);
		json_member_string(w, "verdict", r->found ? verdict_names[r->verdict] : "");
		json_member_integer_if(w, "inaccurate_case", r->inaccurate, r->inaccurate);
		json_end(w);
	}
	json_end(w);
	listing_end(&l);
}

static int score(const struct score_options *o, const char *profile, bool json)
{
	struct error e = {0};
	struct score s;
	int code = EXIT_NO_FINDING;

	stop_on_signals();
	if (!mutation_score(o, &s, &e)) {
		complain("faults: %s", e.text);
		return EXIT_OURS;
	}
	if (!s.n) {
		complain("faults: engine %s has no %s%s%s", o->engine, o->mutants ? "mutants" : "faults",
		    o->only ? " with " : "", o->only ? o->only : "");
		code = EXIT_NOTHING;
	} else if (s.right_wrong || s.failures) {
		complain(s.failures ? "faults: %s could not be asked in case %lld"
		                    : "faults: %s without faults was judged wrong in case %lld",
		    o->engine, (long long)s.cases);
		code = EXIT_OURS;
	} else if (s.unwritten.text[0]) {
		complain("faults: %s", s.unwritten.text);
		code = EXIT_OURS;
	} else if (json) {
		print_score_json(o, profile, &s);
	} else {
		print_score(o, &s);
	}
	score_free(&s);
	return code;
}

/* ---- sensitivity ---- */

static void print_sensitivity(const struct sensitivity *s)
{
	printf("%-26s %-14s %-14s %s\n", "op", "smallest error", "found within", "cases with the op");
	for (int i = 0; i < s->n; i++) {
		const struct sensitivity_row *r = &s->row[i];
		char name[48], error[16] = "none";

		snprintf(name, sizeof name, r->operand ? "%s, by %c" : "%s", op_table[r->op].name, r->operand);
		if (r->found)
			snprintf(error, sizeof error, "%g", sensitivity_error[r->found - 1]);
		printf("%-26s %-14s %-14lld %lld\n", name, error, (long long)r->cases_95, (long long)r->occurs);
	}
}

static void print_sensitivity_json(
    const struct sensitivity_options *o, const char *profile, const struct sensitivity *s)
{
	struct listing l = {.json = true};
	struct json_writer *w = &l.w;

	listing_begin(&l, "adjudge.sensitivity/1");
	json_member_string(w, "engine", o->engine);
	json_member_string(w, "seed", arena_printf(&l.arena, "%llu", (unsigned long long)o->seed));
	json_member_string(w, "profile", profile);
	json_member_integer(w, "cases", s->cases);
	json_member_integer(w, "needed", s->needed);
	json_member_integer(w, "skipped", s->skipped);
	json_member_array(w, "rows", JSON_BLOCK);
	for (int i = 0; i < s->n; i++) {
		const struct sensitivity_row *r = &s->row[i];

		json_begin_object(w, JSON_FLOW);
		json_member_string(w, "op", op_table[r->op].name);
		json_member_string(w, "operand", (const char[]){r->operand, '\0'});
		json_member_decimal_if(w, "smallest_error", r->found, r->found ? sensitivity_error[r->found - 1] : 0);
		json_member_integer(w, "cases_95_percent", r->cases_95);
		json_member_integer(w, "shown_next", r->shown_next);
		json_member_integer(w, "cases_with_op", r->occurs);
		json_end(w);
	}
	json_end(w);
	listing_end(&l);
}

static int measure(const struct sensitivity_options *o, const char *profile, bool json)
{
	struct error e = {0};
	struct sensitivity s;

	stop_on_signals();
	if (!sensitivity_measure(o, &s, &e)) {
		complain("faults: %s", e.text);
		return EXIT_OURS;
	}
	if (!s.n) {
		complain("faults: no op with a rule of its own has %s in its name", o->only);
		return EXIT_NOTHING;
	}
	if (s.right_wrong || s.failures || stop_requested()) {
		complain(s.failures     ? "faults: %s could not be asked in case %lld"
		        : s.right_wrong ? "faults: %s without faults was judged wrong in case %lld"
		                        : "faults: %s: stopped after %lld cases",
		    o->engine, (long long)s.cases);
		return EXIT_OURS;
	}
	if (json)
		print_sensitivity_json(o, profile, &s);
	else
		print_sensitivity(&s);
	return EXIT_NO_FINDING;
}

int command_faults(int argc, char **argv)
{
	struct sensitivity_options sensitivity = {.engine = NULL};
	int64_t cases = 0;
	struct score_options score_of = {.seed = 1, .profile = profile_default(), .progress = true};
	const char *profile = NULL;
	bool json = false, quiet = false;
	const struct option_row rows[] = {
	    {"json", OPTION_FLAG, &json, NULL, "print JSON"},
	    {"mutants", OPTION_FLAG, &score_of.mutants, NULL,
	        "mutants instead of faults: systematic single edits of the rules, ENGINE+mutant:N"},
	    {"score", OPTION_TEXT, &score_of.engine, "ENGINE",
	        "measure how many faults of this engine random cases find, and after how many cases"},
	    {"sensitivity", OPTION_TEXT, &sensitivity.engine, "ENGINE",
	        "measure how small an error of its rules random cases find, op by op"},
	    {"only", OPTION_TEXT, &score_of.only, "TEXT",
	        "only faults with TEXT in spec or meaning; with --sensitivity, ops with TEXT in their name"},
	    {"cases", OPTION_NUMBER, &cases, "N", "number of cases (default 100000; with --sensitivity 30000)"},
	    {"seed", OPTION_SEED, &score_of.seed, "N", "same seed, same cases as fuzz --driver generate (default 1)"},
	    {"profile", OPTION_TEXT, &profile, "FILE", "distributions of the generator"},
	    {"found", OPTION_TEXT, &score_of.found, "DIR", "write the first case that shows each fault, as SPEC.json"},
	    {"quiet", OPTION_FLAG, &quiet, NULL, "no progress on standard error"},
	};
	const struct options o = {"faults", "[--mutants] [--json] [--score ENGINE | --sensitivity ENGINE [OPTION]...]",
	    "Lists the faults that can be planted in an engine, as engine specs.  Each re-creates a bug that\n"
	    "somebody reported.\n"
	    "Columns: year, family (L loops, S select and kinks, C scatter, gather, views, T rules, N\n"
	    "nondeterminism, B blocks and sizes), request.\n"
	    "With --score, measures how many faults, or mutants, of one engine random cases find.  With\n"
	    "--sensitivity, measures the smallest relative error of each derivative rule, from 1e-8 down to\n"
	    "1e-15, that 10,000 cases find with a probability of 95 %.\n"
	    "Example: adjudge faults --mutants --score tape --cases 100000 --profile benchmarks/frozen.json\n"
	    "Exit status: 0 listed or measured, 3 the profile cannot be read, 4 the engine without faults was\n"
	    "judged wrong, or the machine failed, 5 there is none.\n",
	    rows, sizeof rows / sizeof *rows, 0, 0};
	struct error e = {0};
	char **operand;
	int n, code = options_parse(&o, argc, argv, &operand, &n);

	if (code >= 0)
		return code;
	if (!score_of.engine && !sensitivity.engine)
		return list(score_of.mutants, score_of.only, json);
	if (score_of.engine && sensitivity.engine) {
		complain("faults: --score and --sensitivity are two questions");
		return EXIT_USAGE;
	}
	if (!engine_kind_find(score_of.engine ? score_of.engine : sensitivity.engine)) {
		complain("faults: %s: no engine '%s' ('adjudge engines' lists them)",
		    score_of.engine ? "--score" : "--sensitivity",
		    score_of.engine ? score_of.engine : sensitivity.engine);
		return EXIT_USAGE;
	}
	if (profile && !profile_read_file(profile, &score_of.profile, &e))
		return complain_about_case(&e);
	if (sensitivity.engine) {
		if (cases > SENSITIVITY_CASES_MOST) {
			complain("faults: --cases: more than %d", SENSITIVITY_CASES_MOST);
			return EXIT_USAGE;
		}
		sensitivity.cases = cases ? cases : DEFAULT_SENSITIVITY_CASES;
		sensitivity.only = score_of.only;
		sensitivity.seed = score_of.seed;
		sensitivity.profile = score_of.profile;
		sensitivity.progress = !quiet;
		return measure(&sensitivity, profile ? profile : "default", json);
	}
	score_of.cases = cases ? cases : DEFAULT_SCORE_CASES;
	score_of.progress = !quiet;
	return score(&score_of, profile ? profile : "default", json);
}
