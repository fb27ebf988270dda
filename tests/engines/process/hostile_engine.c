/* hostile_engine.c: an engine as a shared object that does what the environment variable ADJUDGE_TEST_BEHAVIOUR says; x
 * + x of scalars at its best. */
#include "engines/adjudge_engine.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is(const char *behaviour)
{
	const char *chosen = getenv("ADJUDGE_TEST_BEHAVIOUR");

	return chosen && !strcmp(chosen, behaviour);
}

static enum adjudge_status prepare(const struct adjudge_case *c, void **state, char text[ADJUDGE_TEXT])
{
	if (is("prints"))
		printf("{\"id\":1,\"answers\":[]}\n");
	fflush(stdout);
	if (is("dies")) {
		fprintf(stderr, "Assertion failed\n");
		signal(SIGABRT, SIG_DFL);
		abort();
	}
	if (is("asserts")) {
		fprintf(stderr,
		    "loading\nhostile: /usr/include/op.h:116: Op<Left, Right>::Op(const Left &, const Right &) [with ");
		for (int k = 0; k < 20; k++)
			fprintf(stderr, "Left = Matrix<double>; ");
		fprintf(stderr, "Right = int]: Assertion `a.rows() == b.rows()' failed.\n");
		signal(SIGABRT, SIG_DFL);
		abort();
	}
	if (is("hangs"))
		for (;;)
			pause();
	if (is("reads"))
		(void)!read(0, text, 1);
	if (is("refuses")) {
		snprintf(text, ADJUDGE_TEXT, "no\tsuch program");
		return ADJUDGE_UNSUPPORTED;
	}
	*state = malloc(1);
	return c->n_value == 2 && c->node[0].op == 1 && c->node[0].n_arg == 2 && c->region[0].n_result == 1
	    ? ADJUDGE_OK
	    : ADJUDGE_ERROR;
}

static enum adjudge_status answer(
    void *state, const struct adjudge_case *c, int32_t point, struct adjudge_answer *out, char text[ADJUDGE_TEXT])
{
	(void)state;
	if (is("fails")) {
		memset(text, 'x', ADJUDGE_TEXT);
		return ADJUDGE_ERROR;
	}
	if (!is("forgets"))
		out->primal[0][0].f = 2 * c->point[point][0][0].f;
	if (is("overruns"))
		out->primal[0][1].f = 0;
	return ADJUDGE_OK;
}

const struct adjudge_engine *adjudge_engine_1(void)
{
	static const char *const ops[] = {"an op of the future", "add", NULL};
	static struct adjudge_engine engine = {ADJUDGE_ENGINE_VERSION,
	    "{\"name\": \"hostile\", \"requests\": [], \"dtypes\": [\"f64\"]}", ops, prepare, answer, free};

	if (is("dies-at-once"))
		raise(SIGKILL);
	if (is("nothing"))
		return NULL;
	if (is("another-version"))
		engine.version = 7;
	if (is("no-functions"))
		engine.answer = NULL;
	if (is("no-hello"))
		engine.hello = NULL;
	if (is("no-object"))
		engine.hello = "[]";
	if (is("bad-hello"))
		engine.hello = "{\"name\": 3}";
	if (is("unrolls"))
		engine.hello = "{\"name\": \"hostile\", \"requests\": [], \"dtypes\": [\"f64\"], \"unroll\": true}";
	if (is("empty-hello"))
		engine.hello = " { } ";
	return &engine;
}
