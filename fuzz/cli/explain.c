/* explain.c: see explain.h. */
#include "explain.h"
#include "commands.h"
#include "emit_writer.h"

#include <limits.h>
#include <string.h>

#include "emit/emit.h"
#include "engines/process/hello.h"
#include "fuzz/bench/stop.h"
#include "graph/walk.h"
#include "reports/report.h"

/* ASKS: an engine whose answers differ may be right at first. SCRIPT_LINES: of a script that is short. */
enum { ASKS = 16, SCRIPT_LINES = 20 };

/* A program of case c for the engine alone; NULL: `writer` writes none. */
static const char *script_of(
    const struct report *r, struct bench *b, struct engine *writer, const struct testcase *c, struct arena *a)
{
	struct testcase asked = *c;
	struct emission x = {.c = &asked, .brief = true, .arena = a, .out = NEW(a, struct text, 1)};
	struct truth truth;
	struct error e = {0};
	const char **text;
	int n;

	x.out->arena = a;
	if (r->judgement->in_primal) /* a short source has only what is asked for */
		asked.n_transform = 0;
	if (!engine_emit(writer, &asked, true, a, &text, &n, &e))
		return NULL;
	bench_declared_truth(b, &asked, a, &truth);
	x.truth = &truth;
	x.weak_zero = engine_hello(b->engine[0])->weak_zero && r->judgement->verdict != VERDICT_NAN_LEAK;
	emit_adapted(&x, engine_hello(writer)->emits, text, n);
	return x.out->at;
}

/* Lines that are not blank. */
static int lines_in(const char *text)
{
	int n = 0;

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
		n += text[strspn(text, " \t")] != '\n';
	return n;
}

/* Adds to the report a program for the engine alone, if `writer` writes one: of the typical case, or of the smallest if
 * that is needed for a short one. */
static void add_script(struct report *r, struct bench *b, struct engine *writer, struct arena *a)
{
	const struct hello *hello = engine_hello(writer);
	const struct testcase *typical = r->characterization->typical.c;
	const char *text = NULL, *small = NULL;

	if (!hello || !*hello->emits)
		return;
	if (typical)
		text = script_of(r, b, writer, typical, a);
	if (!text || lines_in(text) > SCRIPT_LINES)
		small = script_of(r, b, writer, r->c, a);
	r->script_of_smallest = typical && small && (!text || lines_in(small) < lines_in(text));
	r->script = !typical || r->script_of_smallest ? small : text;
	r->script_calls = NEW(a, const char *, OP_COUNT);
	for (enum op op = 0; op < OP_COUNT; op++)
		r->script_calls[op] = region_has_op(&r->c->program.top, op) ? emit_call(hello->name, op) : NULL;
	r->script_suffix = r->script ? arena_printf(a, "%s", hello->emits) : NULL;
}

/* The same, by the engine or by the adapter that writes for it. */
static void add_script_of(struct report *r, struct bench *b, struct arena *a)
{
	struct engine *writer = emit_writer_open(b->engine[0], a);

	if (engine_hello(b->engine[0]))
		add_script(r, b, writer ? writer : b->engine[0], a);
	if (writer)
		engine_close(writer);
}

int explain_case(const struct explain_options *o, const struct testcase *c, const struct json *before, struct arena *a,
    const char **text, size_t *len)
{
	const struct oracle_options oracle = {.seed = 1, .fd_one_in = INT_MAX};
	struct characterization x;
	struct bench_result r;
	struct report report;
	struct error e = {0};
	const char *name;
	struct bench b;
	int code = EXIT_NO_FINDING;

	*text = NULL;
	stop_on_signals();
	if (!bench_open(&b, &o->spec, 1, &oracle, &e)) {
		complain("%s", e.text);
		return stop_signal() ? complain_about_stop("report") : EXIT_OURS;
	}
	name = engine_name(b.engine[0]);
	bench_judge(&b, c, a, &r);
	for (int k = 1; k < ASKS && !verdict_is_finding[r.judgement[0].verdict] && !r.interrupted &&
	     !machine_failed(name, r.answer[0], c->n_point);
	     k++)
		bench_judge(&b, c, a, &r);
	if (machine_failed(name, r.answer[0], c->n_point)) {
		code = EXIT_OURS;
	} else if (r.interrupted) {
		code = complain_about_stop("report");
	} else if (!verdict_is_finding[r.judgement[0].verdict]) {
		complain("%s shows no finding here: %s", name, verdict_names[r.judgement[0].verdict]);
		code = EXIT_NOTHING;
	} else if (!characterize(&b, o->spec, c, &o->characterize, a, &x, &e)) {
		complain("report: %s", e.text);
		code = EXIT_USAGE;
	} else {
		report = (struct report){.signature = signature_coarse(name, c, &r.judgement[0], a),
		    .engine = name,
		    .engine_spec = engine_spec(b.engine[0]),
		    .engine_version = engine_version(b.engine[0], a),
		    .spellings = engine_spellings(b.engine[0], c, a),
		    .c = c,
		    .truth = &r.truth,
		    .answers = r.answer[0],
		    .judgement = &r.judgement[0],
		    .before = before,
		    .characterization = &x};
		if (o->script)
			add_script_of(&report, &b, a);
		*text = report_write(&report, a, len);
	}
	bench_close(&b);
	return stop_exit_code(code);
}
