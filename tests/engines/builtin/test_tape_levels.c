/*
 * test_tape_levels.c: requests of several levels on one trace.  Hessians times a direction in every mix against
 * closed forms, higher orders, edited rules, rules of customs, and how long a trace may become.
 */
#include "tests/engines/samples.h"
#include "tests/support/case_text.h"

/* v = [x, y] */
#define BOTH \
	"x1 = reshape x shape=[1]\n" \
	"y1 = reshape y shape=[1]\n" \
	"v = concatenate x1, y1 axis=0\n"
/* x*x*y with a rule of its own. */
#define CUSTOM(kind, rule) \
	"r = custom (x, y) transform=" kind " {\n" \
	"  params p, q\n" \
	"  pp = mul p, p\n" \
	"  ppq = mul pp, q\n" \
	"  yield ppq\n" \
	"} do {\n" rule "}"
/* The derivatives of p*p*q times `factor`: by p 2pq, by q pp. */
#define PARTIALS(factor) \
	"  fu = mul " factor ", u\n" \
	"  fuu = mul fu, u\n" \
	"  fuw = mul fu, w\n" \
	"  by_p = add fuw, fuw\n"
#define VJP_RULE(factor) \
	"  params u, w, d\n" PARTIALS(factor) "  gp = mul by_p, d\n" \
	                                      "  gq = mul fuu, d\n" \
	                                      "  yield gp, gq\n"
#define JVP_RULE(factor) \
	"  params u, w, du, dw\n" PARTIALS(factor) "  tp = mul by_p, du\n" \
	                                           "  tq = mul fuu, dw\n" \
	                                           "  t = add tp, tq\n" \
	                                           "  yield t\n"

/* Programs of two scalars x and y that give the scalar r, and its second derivatives by xx, xy, yy. */
static const struct row {
	const char *name, *body;
	double x, y, xx, xy, yy;
} rows[] = {
    {"product", "s = mul x, x; r = mul s, y", 3, 5, 10, 6, 0},
    {"by one input alone", "r = square x", 3, 5, 2, 0, 0},
    {"linear", "r = add x, y", 3, 5, 0, 0, 0},
    {"shared value", "s = mul x, y; t = mul s, s; u = mul t, s; r = add u, s", 2, .5, 1.5, 10, 24},
    {"sine at a cotangent of 0", "s = sin x; q = square s; c = cos y; r = mul q, c", 0, 0, 2, 0, 0},
    {"loop, unrolled",
        "r = for (1) trip=4 {\n"
        "  params i, p\n"
        "  q = mul p, x\n"
        "  s = add q, y\n"
        "  yield s\n"
        "}",
        2, 3, 90, 17, 0},
    {"loop, never entered",
        "s = mul x, x\n"
        "n: i64[] = constant 0\n"
        "r = for (n, s) cap=3 {\n"
        "  params i, p\n"
        "  q = mul p, x\n"
        "  yield q\n"
        "}",
        3, 1, 2, 0, 0},
    {"cond, taken",
        "p = gt x, 0\n"
        "r = cond (p) {\n"
        "  a = mul x, x\n"
        "  b = mul a, y\n"
        "  yield b\n"
        "} else {\n"
        "  c = mul y, y\n"
        "  yield c\n"
        "}",
        3, 5, 10, 6, 0},
    {"cond, not taken",
        "p = lt x, 0\n"
        "r = cond (p) {\n"
        "  a = mul x, x\n"
        "  b = mul a, y\n"
        "  yield b\n"
        "} else {\n"
        "  c = mul y, y\n"
        "  yield c\n"
        "}",
        3, 5, 0, 0, 2},
    /* x^8 y^7 */
    {"while",
        "h = constant 100\n"
        "r = while (x) cap=9 {\n"
        "  params a\n"
        "  p = lt a, h\n"
        "  yield p\n"
        "} do {\n"
        "  params b\n"
        "  c = mul b, b\n"
        "  d = mul c, y\n"
        "  yield d\n"
        "}",
        3, 1, 40824, 122472, 275562},
    /* y (x + 2x^2 + 6x^3) */
    {"scan, rows and stacks",
        "k = constant [1, 2, 3]\n"
        "w = mul k, x\n"
        "e, ys = scan (y, w) trip=3 carries=1 {\n"
        "  params c, t\n"
        "  d = mul c, t\n"
        "  yield d, d\n"
        "}\n"
        "r = reduce_sum ys axes=[0]",
        1, 2, 80, 23, 0},
    /* y (x + 2x^2) */
    {"scan that ends early",
        "h = constant 3\n"
        "k = constant [1, 2, 3]\n"
        "w = mul k, x\n"
        "e, ys = scan (y, w) trip=3 carries=1 until {\n"
        "  params c, t\n"
        "  d = mul c, t\n"
        "  z = gt d, h\n"
        "  yield d, d, z\n"
        "}\n"
        "r = reduce_sum ys axes=[0]",
        1, 2, 8, 5, 0},
    /* x^2 (x + y) */
    {"store into a saved buffer",
        "b = broadcast_to x shape=[2]\n"
        "q = square b\n"
        "y1 = reshape y shape=[1]\n"
        "at: i64[1] = constant [1]\n"
        "b2 = store b, y1, at\n"
        "m = mul q, b2\n"
        "r = reduce_sum m axes=[0]",
        2, 3, 18, 4, 0},
    /* y^2 (x^2 + x^4 + x^6) */
    {"stores of a loop",
        "z = constant [0, 0, 0]\n"
        "e, o = for (z, y) trip=3 {\n"
        "  params i, buf, p\n"
        "  q = mul p, x\n"
        "  q1 = reshape q shape=[1]\n"
        "  i1 = reshape i shape=[1]\n"
        "  b2 = store buf, q1, i1\n"
        "  yield b2, q\n"
        "}\n"
        "m = square e\n"
        "r = reduce_sum m axes=[0]",
        1, 2, 176, 48, 6},
    /* x y^4 */
    {"scatter_apply, one element twice",
        BOTH "at: i64[2] = constant [1, 1]\n"
             "a = scatter_apply (v, at) axis=0 mode=drop {\n"
             "  params e\n"
             "  f = mul e, e\n"
             "  yield f\n"
             "}\n"
             "r = reduce_prod a axes=[0]",
        3, 2, 0, 32, 144},
    {"gather, one index twice",
        BOTH "at: i64[3] = constant [0, 0, 1]\n"
             "g = gather v, at axis=0 mode=clip\n"
             "r = reduce_prod g axes=[0]",
        3, 5, 10, 6, 0},
    {"matmul", BOTH "w = reverse v axes=[0]; r = matmul v, w", 3, 5, 0, 2, 0},
    /* x + x y */
    {"cumprod", BOTH "c = cumprod v axis=0; r = reduce_sum c axes=[0]", 3, 0, 0, 1, 0},
    /* x^3 y */
    {"checkpoint",
        "k = checkpoint {\n"
        "  a = mul x, x\n"
        "  b = mul a, y\n"
        "  yield b\n"
        "}\n"
        "r = mul k, x",
        2, 3, 36, 12, 0},
    {"checkpoint that gives what it captures",
        "k = checkpoint {\n"
        "  yield x\n"
        "}\n"
        "s = mul k, x\n"
        "r = mul s, y",
        3, 5, 10, 6, 0},
    /* x^3 + xy + y */
    {"checkpoint in a checkpoint in a loop",
        "r = for (x) trip=2 {\n"
        "  params i, p\n"
        "  k = checkpoint {\n"
        "    l = checkpoint {\n"
        "      a = mul p, x\n"
        "      yield a\n"
        "    }\n"
        "    b = add l, y\n"
        "    yield b\n"
        "  }\n"
        "  yield k\n"
        "}",
        2, 3, 12, 1, 0},
    {"custom with a vjp", CUSTOM("vjp", VJP_RULE("1")), 3, 5, 10, 6, 0},
    {"custom with a jvp", CUSTOM("jvp", JVP_RULE("1")), 3, 5, 10, 6, 0},
    /* y x^3 */
    {"fixed point",
        "r = fixed_point (y) cap=3 meaning=solution {\n"
        "  params p\n"
        "  q = mul p, x\n"
        "  no = constant false\n"
        "  yield q, no\n"
        "}",
        2, 3, 36, 12, 0},
    /* d/dx (x^2 y) along 1, times x: 2 x^2 y */
    {"op derivative",
        "d = derivative (x, 1) transform=jvp primals=1 {\n"
        "  params p\n"
        "  a = mul p, p\n"
        "  b = mul a, y\n"
        "  yield b\n"
        "}\n"
        "r = mul d, x",
        3, 5, 20, 12, 0},
};
enum { ROWS = sizeof rows / sizeof *rows };

static const struct row *row_named(const char *name)
{
	for (int i = 0; i < ROWS; i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	CHECK(false, "no row '%s'", name);
	return &rows[0];
}

static struct testcase read_row(const struct row *row, const char *request, struct arena *a)
{
	return test_case(a,
	    arena_printf(a,
	        "inputs x: f64[], y: f64[]\n"
	        "%s\n"
	        "return r\n"
	        "point %g, %g\n"
	        "request: %s",
	        row->body, row->x, row->y, request));
}

static struct answer ask(const char *spec, const struct testcase *c, struct arena *a)
{
	struct engine *engine = sample_engine(spec);
	struct answer out = {.status = ANSWER_FAILURE, .text = ""};

	if (c->n_point)
		engine_answer(engine, c, a, &out);
	engine_close(engine);
	return out;
}

/* ---- second derivatives ---- */

static const double direction[2] = {.5, 2};

static const struct mix {
	const char *name, *request;
	bool on_tape; /* else of `implicit` alone, which knows every outermost level */
} mixes[] = {
    {"jvp of vjp", "vjp; then jvp; tangents 0.5, 2", true},
    {"vjp of vjp", "vjp; then vjp; cotangents 0.5, 2", true},
    {"vjp of jvp", "jvp; tangents 0.5, 2; then vjp", true},
    {"jvp of jvp", "jvp; tangents 0.5, 2; then jvp; tangents 0.5, 2", false},
};

static void check_row(const char *spec, const struct row *row, const struct mix *mix, struct arena *a)
{
	struct testcase c = read_row(row, mix->request, a);
	struct answer out = ask(spec, &c, a);
	double want[2] = {
	    row->xx * direction[0] + row->xy * direction[1], row->xy * direction[0] + row->yy * direction[1]};

	if (!strcmp(mix->name, "jvp of jvp"))
		want[0] = want[0] * direction[0] + want[1] * direction[1];
	CHECK(out.status == ANSWER_OK, "%s, %s, %s: %s", spec, row->name, mix->name, out.text);
	CHECK(
	    out.n_primal == 1 && out.primal[0].type.shape.rank == 0, "%s, %s, %s: primal", spec, row->name, mix->name);
	for (int k = 0; k < out.n_derivative; k++)
		CHECK(near(out.derivative[k].at->f, want[k], 1e-14), "%s, %s, %s: [%d] %.17g, expected %.17g", spec,
		    row->name, mix->name, k, out.derivative[k].at->f, want[k]);
}

static void check_hessians(struct arena *a)
{
	for (int i = 0; i < ROWS; i++) {
		arena_reset(a);
		if (!row_wanted("hessians: %s", rows[i].name))
			continue;
		for (size_t m = 0; m < sizeof mixes / sizeof *mixes; m++) {
			if (mixes[m].on_tape)
				check_row("tape", &rows[i], &mixes[m], a);
			check_row("implicit", &rows[i], &mixes[m], a);
		}
	}
}

/* Each level by another input: the mixed derivative. */
static void check_mixed(struct arena *a)
{
	static const char *const requests[] = {"vjp x; then vjp y", "vjp y; then jvp x", "jvp y; then vjp x"};

	for (int i = 0; i < ROWS; i++) {
		arena_reset(a);
		if (!row_wanted("mixed: %s", rows[i].name))
			continue;
		for (size_t m = 0; m < sizeof requests / sizeof *requests; m++) {
			struct testcase c = read_row(&rows[i], requests[m], a);
			struct answer out = ask("tape", &c, a);

			CHECK(out.status == ANSWER_OK && out.n_derivative == 1 &&
			        near(out.derivative[0].at->f, rows[i].xy, 1e-14),
			    "%s, %zu: %s, %.17g", rows[i].name, m, out.text,
			    out.n_derivative ? out.derivative[0].at->f : NAN);
		}
	}
}

/* ---- higher orders ---- */

/* y x^4, every factor multiplied in an iteration that a checkpoint holds. */
static const struct row power = {"power",
    "r = for (y) trip=4 {\n"
    "  params i, p\n"
    "  k = checkpoint {\n"
    "    q = mul p, x\n"
    "    yield q\n"
    "  }\n"
    "  yield k\n"
    "}",
    .5, 3, 0, 0, 0};

static void check_orders(struct arena *a)
{
	static const double want[] = {1.5, 9, 36, 72}; /* 4x^3 y, 12x^2 y, 24x y, 24y */

	for (int order = 1; order <= 4; order++)
		for (int mix = 0; mix < 1 << order; mix++) {
			bool forward_alone = mix == (1 << order) - 1;
			char request[512] = "";
			struct testcase c;

			for (int k = 0; k < order; k++) {
				strcat(request, k ? "; then " : "");
				strcat(request, mix >> k & 1 ? "jvp x" : "vjp x");
			}
			c = read_row(&power, request, a);
			for (int e = forward_alone; e < 2; e++) {
				struct answer out = ask(e ? "implicit" : "tape", &c, a);

				CHECK(out.status == ANSWER_OK && near(out.derivative[0].at->f, want[order - 1], 1e-14),
				    "mix %d of order %d: %s, %.17g", mix, order, out.text,
				    out.n_derivative ? out.derivative[0].at->f : NAN);
			}
			arena_reset(a);
		}
}

/* A batch below a level: x is the same for all slices, y has one for each, 5 and 7. */
static const struct {
	const char *request;
	bool on_tape;
	int n;
	double want[3];
} batches[] = {
    /* of sum over b of w_b 2 x y_b + u_b x^2: by x 2 w_b y_b + 2 u_b x, by y_b 2 w_b x */
    {"vjp; then batch y; 2 slices; then vjp; cotangents [1, 10], [100, 1000]", true, 3,
        {2 * 5 + 20 * 7 + 200 * 3 + 2000 * 3, 6, 60}},
    {"batch y; 2 slices; then vjp; cotangents [1, 10]", true, 3, {30 + 420, 9, 90}},
    {"batch y; 2 slices; then jvp; tangents 1, [2, 3]", false, 2, {30 + 18, 42 + 27}},
};

static void check_batch(struct arena *a)
{
	for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
		if (!row_wanted("batch: %s", batches[i].request))
			continue;
		struct testcase c = test_case(a,
		    arena_printf(a,
		        "inputs x: f64[], y: f64[]\n"
		        "%s\n"
		        "return r\n"
		        "point 3, [5, 7]\n"
		        "request: %s",
		        row_named("product")->body, batches[i].request));

		for (int k = !batches[i].on_tape; k < 2; k++) {
			struct answer out = ask(k ? "implicit" : "tape", &c, a);
			int n = 0;

			CHECK(out.status == ANSWER_OK && out.primal[0].at[0].f == 45 && out.primal[0].at[1].f == 63,
			    "batch %zu: %s", i, out.text);
			for (int d = 0; d < out.n_derivative; d++)
				for (int at = 0; at < shape_elements(&out.derivative[d].type.shape); at++, n++)
					CHECK(out.derivative[d].at[at].f == batches[i].want[n],
					    "batch %zu: [%d] %g, expected %g", i, n, out.derivative[d].at[at].f,
					    batches[i].want[n]);
			CHECK(n == batches[i].n, "batch %zu: %d", i, n);
		}
	}
}

/* ---- edited rules, and rules of customs ---- */

/* Whether the engine's answer is off. */
static bool shows(const char *spec, const struct row *row, const struct mix *mix, struct arena *a)
{
	struct testcase c = read_row(row, mix->request, a);
	struct answer out = ask(spec, &c, a), right = ask("tape", &c, a);

	CHECK(out.status == ANSWER_OK && right.status == ANSWER_OK, "%s, %s, %s: %s", spec, row->name, mix->name,
	    out.text);
	for (int k = 0; k < out.n_derivative; k++)
		if (!near(out.derivative[k].at->f, right.derivative[k].at->f, 1e-12))
			return true;
	return false;
}

static void check_edits(struct arena *a)
{
	/* p / (p + y) twice: the divisor of the first is written over by that of the second */
	static const struct row quotient = {"quotient",
	    "r = for (x) trip=2 {\n"
	    "  params i, p\n"
	    "  q = add p, y\n"
	    "  s = div p, q\n"
	    "  yield s\n"
	    "}",
	    3, 5, 0, 0, 0};
	static const struct row squared = {"squared", "s = square x; r = mul s, y", 3, 5, 0, 0, 0};

	for (size_t m = 0; m < 3; m++) {
		CHECK(shows("tape+scale:mul:1.5", row_named("product"), &mixes[m], a), "scale, %s", mixes[m].name);
		CHECK(shows("tape+clad-stale-divisor", &quotient, &mixes[m], a), "stale divisor, %s", mixes[m].name);
	}
	CHECK(
	    shows("tape+inductor-view-version", row_named("store into a saved buffer"), &mixes[0], a), "version lost");
	CHECK(shows("tape+saved-const-higher", &squared, &mixes[0], a) &&
	        shows("tape+saved-const-higher", &squared, &mixes[1], a),
	    "saved as constants");
}

/* A rule that is off by 7 shows in the levels below the outermost where it is for their direction, and nowhere else. */
static void check_customs(struct arena *a)
{
	static const struct row wrong[2] = {{"wrong vjp", CUSTOM("vjp", VJP_RULE("7")), 3, 5, 10, 6, 0},
	    {"wrong jvp", CUSTOM("jvp", JVP_RULE("7")), 3, 5, 10, 6, 0}};

	for (int rule = 0; rule < 2; rule++)
		for (size_t m = 0; m < sizeof mixes / sizeof *mixes; m++) {
			bool by_vjp = m < 2;
			struct row row = wrong[rule];

			if (by_vjp != !rule) {
				check_row("implicit", &row, &mixes[m], a);
				continue;
			}
			row.xx *= 7;
			row.xy *= 7;
			check_row("implicit", &row, &mixes[m], a);
		}
}

/* ---- how long a trace may be ---- */

static struct testcase long_case(int trip, int order, struct arena *a)
{
	struct row row = {"long", NULL, 1, 1, 0, 0, 0};
	char request[512] = "";

	row.body = arena_printf(a,
	    "r = for (x) trip=%d {\n"
	    "  params i, p\n"
	    "  s = sin p\n"
	    "  q = mul s, y\n"
	    "  yield q\n"
	    "}",
	    trip);
	for (int k = 0; k < order; k++) {
		strcat(request, k ? "; then vjp x" : "vjp x");
	}
	return read_row(&row, request, a);
}

/* A loop that writes y into a table of 500 elements, and the sum of the table's squares. */
static struct testcase table_case(int trip, struct arena *a)
{
	struct row row = {"table", NULL, 1, 1, 0, 0, 0};

	row.body = arena_printf(a,
	    "t = broadcast_to 0 shape=[500]\n"
	    "y1 = reshape y shape=[1]\n"
	    "e = for (t) trip=%d {\n"
	    "  params i, b\n"
	    "  i1 = reshape i shape=[1]\n"
	    "  c = store b, y1, i1\n"
	    "  yield c\n"
	    "}\n"
	    "m = square e\n"
	    "r = reduce_sum m axes=[0]",
	    trip);
	return read_row(&row, mixes[0].request, a);
}

static size_t table_bytes(int trip, struct arena *a)
{
	struct testcase c;
	struct answer out;
	size_t before;

	arena_reset(a);
	c = table_case(trip, a);
	before = a->used;
	out = ask("tape", &c, a);
	CHECK(out.status == ANSWER_OK && out.derivative[1].at->f == 2 * trip * direction[1], "%d stores: %s", trip,
	    out.text);
	return (size_t)(arena_peak(a) - before);
}

static size_t bytes(int trip, int order, struct arena *a)
{
	struct testcase c;
	struct answer out;
	size_t before;

	arena_reset(a);
	c = long_case(trip, order, a);
	before = a->used;
	out = ask("tape", &c, a);
	CHECK(out.status == ANSWER_OK, "%d iterations, order %d: %s", trip, order, out.text);
	return arena_peak(a) - before;
}

static void check_memory(struct arena *a)
{
	struct testcase c;
	struct answer out;
	size_t stores;

	for (int order = 1; order <= 3; order++) {
		size_t one = bytes(100, order, a), two = bytes(200, order, a), three = bytes(300, order, a);

		CHECK(three - two <= (two - one) * 101 / 100, "order %d: %zu, %zu, %zu bytes", order, one, two, three);
		printf("order %d: %zu bytes an iteration\n", order, (three - two) / 100);
	}
	/*
	 * A store's tangent, its cotangent and the tangent of that are tables of 4000 bytes; the table itself is
	 * written in place.
	 */
	stores = (table_bytes(200, a) - table_bytes(100, a)) / 100;
	CHECK(stores > 12000 && stores < 15000, "%zu bytes an iteration that stores", stores);
	arena_reset(a);
	c = long_case(60000, 4, a);
	out = ask("tape", &c, a);
	CHECK(out.status == ANSWER_TOO_LARGE && strstr(out.text, "records, expected at most"), "%d: %s", out.status,
	    out.text);
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 30);
	check_hessians(&a);
	check_mixed(&a);
	CHECK_LAW(check_orders(&a));
	check_batch(&a);
	CHECK_LAW(check_edits(&a));
	CHECK_LAW(check_customs(&a));
	CHECK_LAW(check_memory(&a));
	arena_free(&a);
	return check_done();
}
