/* account.c: see account.h. */
#include "account.h"

#include <stdio.h>
#include <string.h>

#include "engines/process/hello.h"
#include "graph/errors.h"

/* ---- counting ---- */

static bool knows_request(const struct engine *engine, const struct testcase *c, struct arena *a)
{
	const struct hello *hello = engine_hello(engine);
	const struct arena_mark mark = arena_mark(a);
	const char *why;

	if (hello)
		return hello_takes(hello, c->transform, c->n_transform);
	why = engine_refuses(engine_kind(engine), c->transform, c->n_transform, a);
	arena_rewind(a, mark);
	return !why;
}

static void count_cause(struct account *self, const char *text)
{
	struct account_cause *x;

	if (!*text)
		text = "no reason given";
	for (x = self->cause; x < self->cause + self->n_cause; x++)
		if (!strncmp(x->text, text, ACCOUNT_CAUSE - 1))
			break;
	if (x == self->cause + ACCOUNT_CAUSES)
		x--;
	else if (x == self->cause + self->n_cause)
		snprintf(x->text, sizeof x->text, "%s", ++self->n_cause < ACCOUNT_CAUSES ? text : "other reasons");
	x->n++;
}

void account_add(struct account *self, const struct engine *engine, const struct testcase *c,
    const struct answer *answers, const struct judgement *j, struct arena *a)
{
	if (!knows_request(engine, c, a)) {
		self->not_asked++;
		return;
	}
	self->verdict[j->verdict]++;
	if (j->verdict == VERDICT_UNDECIDED)
		self->undecided[j->reason]++;
	else if (j->verdict == VERDICT_UNSUPPORTED && answers) {
		const char *text = answers_text(answers, c->n_point);

		count_cause(self, text);
		if (engine_is_right(engine) && !engine_reason_is_limit(text) && !self->broken++)
			snprintf(self->broken_why, sizeof self->broken_why, "%s", text);
	}
}

int64_t account_asked(const struct account *self)
{
	int64_t sum = 0;

	for (int v = 0; v < VERDICT_COUNT; v++)
		sum += self->verdict[v];
	return sum;
}

int64_t account_answered(const struct account *self)
{
	int64_t sum = 0;

	for (int v = 0; v < VERDICT_COUNT; v++)
		sum += v != VERDICT_UNSUPPORTED && verdict_answers((enum verdict)v) ? self->verdict[v] : 0;
	return sum;
}

int64_t account_decided(const struct account *self)
{
	return account_asked(self) - self->verdict[VERDICT_UNSUPPORTED] - self->verdict[VERDICT_UNDECIDED];
}

int64_t account_findings(const struct account *self)
{
	int64_t sum = 0;

	for (int v = 0; v < VERDICT_COUNT; v++)
		sum += verdict_is_finding[v] ? self->verdict[v] : 0;
	return sum;
}

bool account_too_few(const struct account *self, int64_t percent, bool named)
{
	const int64_t asked = account_asked(self), decided = account_decided(self);

	if (!asked)
		return named;
	return !decided || 100.0 * (double)decided < (double)percent * (double)asked;
}

/* ---- showing ---- */

struct count {
	const char *key;
	int64_t n;
};

static void put_nonzero(struct json_writer *w, const struct count *x, int n)
{
	for (int k = 0; k < n; k++)
		if (x[k].n)
			json_member_integer(w, x[k].key, x[k].n);
}

enum { MAIN_COUNTS = 7, PROCESS_COUNTS = 6 };

static void list_counts(const struct account *self, struct count to[MAIN_COUNTS])
{
	const struct count list[MAIN_COUNTS] = {{"asked", account_asked(self)}, {"answered", account_answered(self)},
	    {"decided", account_decided(self)}, {"agree", self->verdict[VERDICT_AGREE]},
	    {"unsupported", self->verdict[VERDICT_UNSUPPORTED]}, {"undecided", self->verdict[VERDICT_UNDECIDED]},
	    {"findings", account_findings(self)}};

	memcpy(to, list, sizeof list);
}

static void list_process_counts(
    const struct account *self, const struct engine *engine, struct count to[PROCESS_COUNTS])
{
	const struct engine_trouble t = engine_trouble(engine);
	const struct count list[PROCESS_COUNTS] = {{"not_asked", self->not_asked}, {"broken", self->broken},
	    {"restarts", t.starts > 1 ? t.starts - 1 : 0}, {"hangs", t.hangs}, {"crashes", t.crashes},
	    {"broken_answers", t.broken}};

	memcpy(to, list, sizeof list);
}

void account_put(const struct account *self, const struct engine *engine, struct json_writer *w)
{
	struct count of[MAIN_COUNTS], process[PROCESS_COUNTS];

	list_counts(self, of);
	list_process_counts(self, engine, process);
	for (int k = 0; k < MAIN_COUNTS; k++)
		json_member_integer(w, of[k].key, of[k].n);
	put_nonzero(w, process, PROCESS_COUNTS);
	json_member_object(w, "verdicts", JSON_FLOW);
	for (int v = 0; v < VERDICT_COUNT; v++)
		put_nonzero(w, &(struct count){verdict_names[v], self->verdict[v]}, 1);
	json_end(w);
	json_member_object(w, "undecided_reasons", JSON_FLOW);
	for (int r = 0; r < REASON_COUNT; r++)
		put_nonzero(w, &(struct count){reason_names[r], self->undecided[r]}, 1);
	json_end(w);
	json_member_object(w, "unsupported_reasons", JSON_FLOW);
	for (int k = 0; k < self->n_cause; k++)
		json_member_integer(w, self->cause[k].text, self->cause[k].n);
	json_end(w);
}

/* The most frequent reason why a case was not decided. */
static struct count main_reason(const struct account *self)
{
	struct count most = {"its request is not known", account_asked(self) ? 0 : self->not_asked};

	for (int r = 0; r < REASON_COUNT; r++)
		if (self->undecided[r] > most.n)
			most = (struct count){reason_names[r], self->undecided[r]};
	for (int k = 0; k < self->n_cause; k++)
		if (self->cause[k].n > most.n)
			most = (struct count){self->cause[k].text, self->cause[k].n};
	return most;
}

char *account_text(const struct account *self, const struct engine *engine, struct arena *a)
{
	struct count of[MAIN_COUNTS], process[PROCESS_COUNTS], why = main_reason(self);
	char *text = arena_printf(a, "%s:", engine_spec(engine));

	list_counts(self, of);
	list_process_counts(self, engine, process);
	for (int k = 0; k < MAIN_COUNTS; k++)
		text = arena_printf(a, "%s%s %s %lld", text, k ? "," : "", of[k].key, (long long)of[k].n);
	for (int k = 0; k < PROCESS_COUNTS; k++)
		if (process[k].n)
			text = arena_printf(a, "%s, %s %lld", text, process[k].key, (long long)process[k].n);
	if (2 * account_decided(self) < account_asked(self) || !account_asked(self))
		text = arena_printf(a, "%s; decided %s, mostly because: %s (%lld times)", text,
		    account_decided(self) ? "less than half" : "nothing", why.key, (long long)why.n);
	if (self->broken)
		text = arena_printf(a, "%s; broken, a defect of adjudge: %s", text, self->broken_why);
	return arena_printf(a, "%s\n", text_disarm(text, false));
}
