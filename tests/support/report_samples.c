/* report_samples.c: see report_samples.h. */
#include "report_samples.h"

#include <math.h>
#include <string.h>

/* y = sin(x) * x over f64[extent], two points, vjp or jvp wrt [0], or the primal alone. */
static struct testcase sample_case(int extent, int n_transform, enum transform_kind kind, struct arena *a)
{
	struct type vector = {DTYPE_F64, {1, {extent}}};
	struct testcase c = {0};
	struct builder b = {0};
	int x, y;

	build_begin(&b, a);
	x = build_input(&b, &vector);
	y = build_node(&b, OP_SIN, &x, 1, NULL, NULL);
	y = build_node(&b, OP_MUL, (const int[]){y, x}, 2, NULL, NULL);
	c.program = build_end(&b, &y, 1);
	c.n_point = 2;
	c.point = NEW(a, struct tensor *, 2);
	for (int k = 0; k < 2; k++) {
		c.point[k] = NEW(a, struct tensor, 1);
		c.point[k][0] = tensor_new(a, &vector);
		for (int i = 0; i < extent; i++)
			c.point[k][0].at[i].f = 0.25 * i + k;
	}
	c.n_transform = n_transform;
	c.transform = NEW(a, struct transform, 1);
	c.transform[0].kind = kind;
	c.transform[0].n_wrt = 1;
	c.transform[0].wrt = NEW(a, int, 1);
	c.transform[0].n_seed = 1;
	c.transform[0].seed = NEW(a, struct tensor, 1);
	c.transform[0].seed[0] = tensor_new(a, &vector);
	c.transform[0].seed[0].at[0].f = 1;
	return c;
}

static struct truth_tensor sample_truth(const struct type *t, double value, struct arena *a)
{
	struct truth_tensor out = {*t, NEW(a, struct component, shape_elements(&t->shape))};

	for (int i = 0; i < shape_elements(&t->shape); i++)
		out.at[i] = (struct component){
		    .value = value + i, .low = 1e-20, .tight = 1e-12, .loose = 1e-6, .magnitude = 2, .in_domain = true};
	return out;
}

static struct tensor sample_answer(const struct truth_tensor *truth, struct arena *a)
{
	struct tensor t = tensor_new(a, &truth->type);

	for (int i = 0; i < shape_elements(&truth->type.shape); i++)
		t.at[i].f = truth->at[i].value;
	return t;
}

/* A right answer to an undisputed truth; rows then spoil it.  Two assignments of conventions at point 1. */
struct sample *sample_new(int extent, int n_transform, enum transform_kind kind, struct arena *a)
{
	struct sample *s = NEW(a, struct sample, 1);
	struct type type = {DTYPE_F64, {1, {extent}}};

	s->c = sample_case(extent, n_transform, kind, a);
	s->truth.n_point = 2;
	s->truth.point = NEW(a, struct truth_point, 2);
	for (int k = 0; k < 2; k++) {
		struct truth_point *p = &s->truth.point[k];

		p->n_primal = 1;
		p->primal = NEW(a, struct truth_tensor, 1);
		p->primal[0] = sample_truth(&type, 5, a);
		p->n_derivative = n_transform ? 1 : 0;
		p->n_assignment = 1 + k;
		p->derivative = NEW(a, struct truth_tensor *, 2);
		for (int v = 0; v < 2; v++) {
			p->derivative[v] = NEW(a, struct truth_tensor, 1);
			p->derivative[v][0] = sample_truth(&type, 0.5 + 8 * v, a);
		}
		p->kink = k;
		p->fd = (struct fd_evidence){FD_AGREES, REASON_NONE, 128, -60, true, k == 0, 0.5, 0.5, 1e-18, -1};
		s->answer[k].text = "";
		s->answer[k].n_primal = 1;
		s->answer[k].primal = NEW(a, struct tensor, 1);
		s->answer[k].primal[0] = sample_answer(&p->primal[0], a);
		s->answer[k].n_derivative = p->n_derivative;
		s->answer[k].derivative = NEW(a, struct tensor, 1);
		s->answer[k].derivative[0] = sample_answer(&p->derivative[k][0], a);
	}
	s->judgement.verdict = VERDICT_AGREE;
	s->judgement.decided = 2 * extent;
	s->report = (struct report){.signature = "tape+x|vjp|wrong|finite",
	    .engine = "tape+x",
	    .engine_version = "adjudge 9.8",
	    .c = &s->c,
	    .truth = &s->truth,
	    .answers = s->answer,
	    .judgement = &s->judgement};
	return s;
}

/* Point 0, tensor 0, `element` holds `returned`. */
static void spoil(struct sample *s, enum verdict v, int element, double returned, bool in_primal)
{
	const struct component *c = in_primal ? &s->truth.point[0].primal[0].at[element]
	                                      : &s->truth.point[0].derivative[0][0].at[element];

	(in_primal ? s->answer[0].primal : s->answer[0].derivative)[0].at[element].f = returned;
	s->judgement.verdict = v;
	s->judgement.element = element;
	s->judgement.in_primal = in_primal;
	s->judgement.expected = c->value;
	s->judgement.returned = returned;
	s->judgement.radius = c->loose;
	s->judgement.deviation = isnan(returned) ? DEVIATION_NAN : DEVIATION_FINITE;
}

static void spoil_status(struct sample *s, enum verdict v, enum answer_status status, const char *text)
{
	for (int k = 0; k < 2; k++)
		s->answer[k] = (struct answer){.status = status, .text = text};
	s->judgement.verdict = v;
	s->judgement.decided = 0;
}

/* A table of every kind of row, a statement of every kind, and every other member. */
static const struct characterization *sample_characterization(struct sample *s, struct arena *a)
{
	static const char *const columns[] = {"x", "n"};
	static const char *cells[] = {"0.001", "3"}, *skipped[] = {"orders"}, *alternatives[] = {"a loop runs"};
	static double pair[2][2] = {{1, 2}, {NAN, INFINITY}};
	static int first[] = {0, 1};
	static struct variant_row row[] = {
	    {.cell = cells,
	        .verdict = VERDICT_WRONG,
	        .decided = true,
	        .fails = true,
	        .of = "cotangent of input 0",
	        .expected = 3e-6,
	        .returned = 1,
	        .radius = 1e-20,
	        .text = ""},
	    {.cell = cells,
	        .engine = "tape",
	        .verdict = VERDICT_NAN_LEAK,
	        .decided = true,
	        .of = "cotangent of input 0",
	        .expected = 1,
	        .returned = NAN,
	        .n_element = 2,
	        .element_expected = pair[0],
	        .element_returned = pair[1],
	        .has_sum = true,
	        .sum_expected = 3,
	        .sum_returned = NAN,
	        .text = ""},
	    {.cell = cells, .verdict = VERDICT_UNDECIDED, .reason = REASON_JUMP, .text = ""},
	    {.cell = cells,
	        .verdict = VERDICT_CRASH,
	        .decided = true,
	        .fails = true,
	        .text = "SIGSEGV \"\x1b[31m\" <b>"},
	};
	static struct variant_table table = {.id = "points",
	    .title = "Points",
	    .varies = "the point",
	    .n_column = 2,
	    .column = columns,
	    .n_row = 4,
	    .row = row};
	static struct support support = {0, 2, first};
	static struct statement statement[] = {
	    {"forward", "The forward value is right.", STATEMENT_SHOWN, 1, &support},
	    {"dtype", "Not a matter of the dtype.", STATEMENT_RULED_OUT, 0, NULL},
	    {"others", "No other engine was there.", STATEMENT_OPEN, 0, NULL},
	};
	static struct condition condition = {.n_term = 1,
	    .term = {{"step-depends", "a step depends on x", true}},
	    .text = "it depends",
	    .failing = 4,
	    .failing_with = 3,
	    .passing = 2,
	    .passing_without = 2,
	    .n_exception = 1,
	    .exception = &support,
	    .n_alternative = 1,
	    .alternative = alternatives,
	    .held_out = 10,
	    .predicted = 9};
	static struct departure departure = {
	    1, "mul", "v2 = mul(v1, v0)", "The result of mul is the first that is wrong.", {0, 2, first}};
	struct characterization *x = NEW(a, struct characterization, 1);
	const struct testcase **cases = NEW(a, const struct testcase *, 1);

	cases[0] = &s->c;
	*x = (struct characterization){.typical = {&s->c, &s->truth, s->answer, &s->judgement, 9, 3},
	    .cause = "The gradient with respect to x is dropped: it is 0.",
	    .runs = 4,
	    .finished = false,
	    .n_skipped = 1,
	    .skipped = skipped,
	    .n_table = 1,
	    .table = &table,
	    .n_statement = 3,
	    .statement = statement,
	    .condition = &condition,
	    .told = &condition,
	    .departure = &departure,
	    .n_case = 1,
	    .cases = cases};
	return x;
}

struct sample *sample_of(enum sample_kind kind, struct arena *a)
{
	bool primal = kind == SAMPLE_PRIMAL_REQUEST;
	struct sample *s = sample_new(
	    kind == SAMPLE_LAST ? WIDE : 3, !primal, kind == SAMPLE_JVP ? TRANSFORM_JVP : TRANSFORM_VJP, a);
	struct type two = {DTYPE_F64, {1, {2}}}, narrow = {DTYPE_F32, {1, {3}}};

	switch (kind) {
	case SAMPLE_CHARACTERIZED:
		s->report.characterization = sample_characterization(s, a);
		s->report.script = "judge = print\nimport torch\n";
		s->report.script_suffix = "py";
		s->report.script_calls = NEW(a, const char *, OP_COUNT);
		s->report.script_calls[OP_MAX] = "torch.maximum";
		s->report.script_of_smallest = true;
		spoil(s, VERDICT_WRONG, 2, -2.5, false);
		break;
	case SAMPLE_WRONG:
		spoil(s, VERDICT_WRONG, 2, -2.5, false);
		s->judgement.deviation = DEVIATION_SIGN;
		break;
	case SAMPLE_TIE:
		s->truth.point[0].n_assignment = 2;
		spoil(s, VERDICT_WRONG, 2, -2.5, false);
		break;
	case SAMPLE_LAST:
		spoil(s, VERDICT_WRONG, WIDE - 1, 99.5 + 1e-7, false);
		break;
	case SAMPLE_PRIMAL:
	case SAMPLE_PRIMAL_REQUEST:
		spoil(s, VERDICT_WRONG_PRIMAL, 1, 0, true);
		break;
	case SAMPLE_INTEGER:
		spoil(s, VERDICT_WRONG_PRIMAL, 1, 0x1p53, true);
		s->truth.point[0].primal[0].type.dtype = s->answer[0].primal[0].type.dtype = DTYPE_I64;
		for (int i = 0; i < 3; i++) {
			s->truth.point[0].primal[0].at[i] = (struct component){
			    .value = 0x1p53, .low = i == 1, .in_domain = true};
			s->answer[0].primal[0].at[i].i = (int64_t)1 << 53;
		}
		break;
	case SAMPLE_JVP:
		spoil(s, VERDICT_WRONG, 0, INFINITY, false);
		s->report.spellings = "sin as sine, request as traced";
		break;
	case SAMPLE_NAN:
		spoil(s, VERDICT_NAN_LEAK, 0, NAN, false);
		break;
	case SAMPLE_INACCURATE:
		spoil(s, VERDICT_INACCURATE, 0, 0.5 + 1e-9, false);
		s->judgement.accuracy = (struct accuracy){8, 2.25, false, OP_TANH};
		break;
	case SAMPLE_CONVENTION:
		s->judgement.verdict = VERDICT_CONVENTION;
		s->judgement.point = 1;
		s->judgement.assignment = 1;
		s->truth.point[1].derivative[0][0].at[1].reason = REASON_CONVENTION;
		break;
	case SAMPLE_AGREE:
		break;
	case SAMPLE_SHAPE:
		s->answer[0].derivative[0] = tensor_new(a, &two);
		s->judgement.verdict = VERDICT_BAD_SHAPE;
		s->judgement.deviation = DEVIATION_SHAPE;
		break;
	case SAMPLE_COUNT_OF_RESULTS:
		s->answer[0].n_derivative = 0;
		s->judgement.verdict = VERDICT_BAD_SHAPE;
		break;
	case SAMPLE_DTYPE:
		s->answer[0].derivative[0] = tensor_new(a, &narrow);
		s->judgement.verdict = VERDICT_BAD_DTYPE;
		break;
	case SAMPLE_MODIFIED:
		s->answer[0].input_modified = true;
		s->judgement.verdict = VERDICT_INPUT_MODIFIED;
		break;
	case SAMPLE_CRASH:
		spoil_status(s, VERDICT_CRASH, ANSWER_CRASH, "SIGSEGV");
		break;
	case SAMPLE_RAISED:
		spoil_status(s, VERDICT_CRASH, ANSWER_CRASH, "SIGSEGV");
		s->answer[0].raised = true;
		break;
	case SAMPLE_HANG:
		spoil_status(s, VERDICT_HANG, ANSWER_HANG, "no answer within 5000 ms");
		break;
	case SAMPLE_PROTOCOL:
		spoil_status(s, VERDICT_PROTOCOL, ANSWER_PROTOCOL, "\"x\" \\ \n");
		break;
	case SAMPLE_UNSUPPORTED:
		spoil_status(s, VERDICT_UNSUPPORTED, ANSWER_UNSUPPORTED, "no sort");
		break;
	case SAMPLE_UNDECIDED:
		s->judgement.verdict = VERDICT_UNDECIDED;
		s->judgement.reason = REASON_JUMP;
		s->judgement.undecided[REASON_JUMP] = 6;
		s->judgement.decided = 0;
		s->truth.point[0].fd = (struct fd_evidence){
		    .outcome = FD_ABSTAINS, .reason = REASON_ISOLATED_PATH, .precision = 256};
		s->truth.point[0].derivative[0][0].at[0].reason = REASON_JUMP;
		break;
	case SAMPLE_NONDETERMINISTIC:
		spoil(s, VERDICT_NONDETERMINISTIC, 0, 1, false);
		s->judgement.expected = 1;
		s->judgement.returned = 2;
		s->truth.point[0].fd = (struct fd_evidence){.outcome = FD_NOT_RUN};
		break;
	case SAMPLE_FOUND:
		spoil(s, VERDICT_WRONG, 2, -2.5, false);
		s->report.found = &s->c;
		s->report.seed = UINT64_C(0xfedcba9876543210);
		s->report.case_number = 17;
		s->report.minimize_tried = 300;
		s->report.minimize_accepted = 12;
		break;
	}
	return s;
}
