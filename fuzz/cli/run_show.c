/* run_show.c: shows what each engine was judged to do, on a case, on its twins and over all cases. */
#include "run_show.h"

#include <stdio.h>
#include <string.h>

#include "run_numbers.h"
#include "fuzz/bench/look_again.h"
#include "fuzz/bench/question.h"

static void put_judgement(struct command_run *r, const char *engine, const struct testcase *c,
    const struct bench_result *b, int k, int64_t recomputed)
{
	const struct judgement *j = &b->judgement[k];
	struct json_writer *w = &r->w;
	bool there = judgement_has_numbers(j);

	json_begin_object(w, JSON_BLOCK);
	json_member_string(w, "engine", engine);
	json_member_string(w, "request", request_text(c, &r->arena));
	json_member_string(w, "verdict", verdict_names[j->verdict]);
	json_member_string(w, "reason", reason_names[j->reason]);
	json_member_string(w, "deviation", deviation_names[j->deviation]);
	json_member_bool(w, "finding", verdict_is_finding[j->verdict]);
	json_member_bool(w, "declared", j->declared);
	json_member_string(w, "signature", signature_coarse(engine, c, j, &r->arena));
	json_member_string(w, "text", judged_text(c, &b->truth, b->answer[k], j, &r->arena));
	json_member_string(w, "did_not_come_again", r->gone[k]);
	run_put_value(w, &b->answer[k][there && j->point < c->n_point ? j->point : 0]);
	/* an answer that differs from an earlier one is held against that one, not against the truth */
	json_member_decimal_if(w, "expected", there && j->verdict != VERDICT_NONDETERMINISTIC, j->expected);
	if (j->verdict == VERDICT_NONDETERMINISTIC)
		json_member_decimal_if(w, "first", there, j->expected);
	json_member_decimal_if(w, "returned", there, j->returned);
	json_member_decimal_if(w, "radius", there, j->radius);
	run_put_accuracy(w, j);
	json_member_object(w, "place", JSON_FLOW);
	json_member_integer(w, "point", j->point);
	json_member_bool(w, "primal", j->in_primal);
	json_member_integer(w, "which", j->which);
	json_member_integer(w, "element", j->element);
	json_end(w);
	json_member_integer(w, "decided", j->decided);
	json_member_integer(w, "recomputed", recomputed);
	run_put_components(w, c, &b->truth, b->answer[k], j);
	json_end(w);
}

static void print_judgement(struct command_run *r, const char *engine, const struct testcase *c,
    const struct bench_result *b, int k, int64_t recomputed)
{
	const struct judgement *j = &b->judgement[k];
	const char *text = text_harmless(judged_text(c, &b->truth, b->answer[k], j, &r->arena), &r->arena);
	bool there = judgement_has_numbers(j), inaccurate = j->verdict == VERDICT_INACCURATE;
	const char *expected = arena_printf(&r->arena, "%s%s", j->verdict == VERDICT_NONDETERMINISTIC ? "first: " : "",
	    decimal_text(j->expected, &r->arena));

	if (inaccurate && j->reason != REASON_NONE)
		text = arena_printf(&r->arena, "%s%s%s", text, *text ? "; " : "", reason_names[j->reason]);
	if (inaccurate)
		text = arena_printf(
		    &r->arena, "%s%s%s", text, *text ? "; " : "", accuracy_text(&j->accuracy, &r->arena));
	if (j->declared)
		text = arena_printf(&r->arena, "%s%sa NaN of weak zeros, which it declares", text, *text ? "; " : "");
	if (recomputed && !*text)
		text = arena_printf(&r->arena, "%lld iterations run again", (long long)recomputed);
	printf("%-32s %-8s %-16s %-16s %-22s %-22s %s%s%s\n", text_harmless(engine, &r->arena),
	    request_text(c, &r->arena), verdict_names[j->verdict],
	    inaccurate                     ? accuracy_cause(&j->accuracy)
	        : j->reason == REASON_NONE ? "-"
	                                   : reason_names[j->reason],
	    there ? expected : "-", there ? decimal_text(j->returned, &r->arena) : "-",
	    there ? arena_printf(&r->arena, "%.3g", j->radius) : "-", *text ? "  " : "", text);
}

/* Counts it, and prints it unless it is JSON. */
static void show_incident(struct command_run *r, int k, const char *engine, struct account *account)
{
	if (!*r->gone[k])
		return;
	r->flaky++;
	if (account)
		account->flaky++;
	if (!r->json)
		printf("%s: did not come again: %s\n", text_harmless(engine, &r->arena),
		    text_harmless(r->gone[k], &r->arena));
}

static void note_judgement(
    struct command_run *r, const char *engine, const struct testcase *c, const struct judgement *j, bool flaky)
{
	if (judgement_decides(j))
		r->decided++;
	if (!verdict_is_finding[j->verdict] || flaky)
		return;
	r->findings++;
	if (r->signature && !strcmp(signature_coarse(engine, c, j, &r->arena), r->signature))
		r->signature_seen = true;
}

/* Whether engine k showed a finding that fresh processes do not show again; notes it. */
static bool is_flaky(
    struct command_run *r, const struct bench *b, int k, const struct testcase *c, const struct bench_result *result)
{
	const struct judgement *j = &result->judgement[k];
	const char *signature = signature_coarse(engine_name(b->engine[k]), c, j, &r->arena);

	if (!verdict_is_finding[j->verdict] || r->signature || !finding_is_flaky(b, k, c, result, signature, &r->arena))
		return false;
	snprintf(r->gone[k], RUN_GONE_TEXT, "%s: %s", verdict_names[j->verdict],
	    judged_text(c, &result->truth, result->answer[k], j, &r->arena));
	return true;
}

int run_show_judgements(struct command_run *r, const struct texts *specs, const struct testcase *c, struct bench *b,
    int own, const struct bench_result *result)
{
	int code = 0;

	for (int k = 0; k < specs->n; k++) {
		const char *name = engine_name(b->engine[k]);
		int tested = naming_index(&r->tested, name);
		struct account *x = tested >= 0 ? &r->account[tested] : NULL;

		if (x) {
			account_add(x, b->engine[k], c, result->answer[k], &result->judgement[k], &r->arena);
			x->trouble = account_trouble(b->engine[k], x->trouble); /* each case opens its engines */
		}
		note_judgement(r, name, c, &result->judgement[k], k != own && is_flaky(r, b, k, c, result));
		if (r->json)
			put_judgement(r, name, c, result, k, engine_recomputed(b->engine[k]));
		else
			print_judgement(r, name, c, result, k, engine_recomputed(b->engine[k]));
		show_incident(r, k, name, x);
		if (machine_failed(name, result->answer[k], c->n_point))
			code = EXIT_OURS;
	}
	return code;
}

int run_show_twins(struct command_run *r, const struct testcase *c, struct bench *b, const struct bench_result *result)
{
	struct twin_tally tally = {0};
	struct teeth teeth;
	const struct twin_components own = twin_components_of(c, &result->truth, &r->arena, &teeth);
	struct judged_twins twins;
	int code = 0;

	look_again(b, c, &own, -1, twin_widest(b), &r->arena, &tally, &twins);
	if (r->json)
		json_member_array(&r->w, "twins", JSON_BLOCK);
	for (int t = 0; t < twins.n; t++) {
		const struct judged_twin *twin = &twins.at[t];

		if (!r->strict && !r->signature)
			bench_forgive(b, twin->r);
		if (r->json) {
			json_begin_object(&r->w, JSON_BLOCK);
			json_member_string(&r->w, "twin", twin_names[twin->kind]);
			json_put_key(&r->w, "case");
			testcase_put(&r->w, &twin->c);
			json_member_array(&r->w, "engines", JSON_BLOCK);
		} else {
			printf("twin: %s\n", twin_names[twin->kind]);
		}
		for (int k = 0; k < b->n_engine; k++) {
			const char *name = engine_name(b->engine[k]);

			*r->gone[k] = '\0';
			note_judgement(r, name, &twin->c, &twin->r->judgement[k], is_flaky(r, b, k, &twin->c, twin->r));
			if (r->json)
				put_judgement(r, name, &twin->c, twin->r, k, engine_recomputed(b->engine[k]));
			else
				print_judgement(r, name, &twin->c, twin->r, k, engine_recomputed(b->engine[k]));
			show_incident(r, k, name, NULL);
			if (machine_failed(name, twin->r->answer[k], twin->c.n_point))
				code = EXIT_OURS;
		}
		if (r->json) {
			json_end(&r->w);
			json_end(&r->w);
		} else if (twin->r->oracle_disagreement) {
			printf("the two oracles disagree: an oracle finding, not an engine's\n");
		}
	}
	if (r->json)
		json_end(&r->w);
	else if (!twins.n)
		printf("no twin decides more\n");
	return code;
}

void run_put_accounts(struct command_run *r, int n)
{
	if (r->json)
		json_member_array(&r->w, "engines", JSON_BLOCK);
	for (int k = 0; k < r->tested.n; k++) {
		const char *name = engine_text_name(r->tested.at[k], &r->text_arena);

		if (r->json) {
			json_begin_object(&r->w, JSON_FLOW);
			json_member_string(&r->w, "engine", name);
			account_put(&r->account[k], &r->w);
			json_end(&r->w);
		} else if (n > 1 && !r->no_oracle) {
			fputs(account_text(&r->account[k], name, &r->text_arena), stdout);
		}
	}
	if (r->json)
		json_end(&r->w);
}
