/* rehearse.c: see rehearse.h. */
#include "rehearse.h"

/* The most requests of one rehearsal and the other.  Cases beyond them are asked alone. */
enum { REQUESTS = 4 };

struct rehearsal {
	const struct question *q;
	trials_fn *trials;
	void *context;
	struct arena *arena;
};

static void run(void *context)
{
	const struct rehearsal *x = context;

	x->trials(x->context, x->q, x->arena);
}

/* Notes the cases that the trials ask about, and asks them. */
static void note(const struct rehearsal *x, enum guess guess)
{
	const struct arena_mark mark = arena_mark(x->arena);
	struct question guessing = *x->q;
	struct rehearsal own = *x;

	guessing.guess = guess;
	own.q = &guessing;
	arena_try(x->arena, run, &own); /* in a full arena fewer cases are noted */
	arena_rewind(x->arena, mark);
	if (!limit_over(x->q->until, NULL))
		lookahead_ask(x->q->ahead);
}

void rehearse(const struct question *q, trials_fn *trials, void *context, struct arena *a)
{
	struct question ahead = *q;
	struct rehearsal x = {&ahead, trials, context, a};
	const int64_t work = bench_work(q->bench);
	bool fits;

	ahead.ahead = q->guess || q->ahead ? NULL : question_ahead(q, REQUESTS);
	if (!ahead.ahead) {
		trials(context, q, a);
		return;
	}
	ahead.trusts_ahead = true;
	note(&x, GUESS_FINDING);
	note(&x, GUESS_RIGHT);
	q->bench->work += work - bench_work(q->bench); /* the last run counts everything */
	fits = arena_try(a, run, &x);
	lookahead_close(ahead.ahead);
	if (!fits)
		arena_full(a);
}
