/* account.c: see account.h. */
#include "account.h"

#include <limits.h>
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

/* As many whole characters as there is room for, so that the text is still UTF-8. */
static void copy_cause(char to[ACCOUNT_CAUSE], const char *text)
{
	size_t len = strlen(text);

	if (len >= ACCOUNT_CAUSE)
		for (len = ACCOUNT_CAUSE - 1; len && ((unsigned char)text[len] & 0xC0) == 0x80;)
			len--;
	memcpy(to, text, len);
	memset(to + len, 0, ACCOUNT_CAUSE - len);
}

static void count_cause(struct account *self, const char *text, int64_t n)
{
	struct account_cause *x;

	for (x = self->cause; x < self->cause + self->n_cause; x++)
		if (!strcmp(x->text, text))
			break;
	if (x == self->cause + ACCOUNT_CAUSES)
		x--;
	else if (x == self->cause + self->n_cause)
		copy_cause(x->text, ++self->n_cause < ACCOUNT_CAUSES ? text : "other reasons");
	x->n += n;
}

struct account_fact account_fact_of(const struct engine *engine, const struct testcase *c, const struct answer *answers,
    const struct judgement *j, struct arena *a)
{
	struct account_fact fact = {
	    .asked = knows_request(engine, c, a), .verdict = j->verdict, .reason = j->reason, .cause = ""};
	const char *text;

	if (j->verdict != VERDICT_UNSUPPORTED && !judgement_decides(j))
		fact.verdict = VERDICT_UNDECIDED;
	if (!fact.asked || j->verdict != VERDICT_UNSUPPORTED || !answers)
		return fact;
	text = answers_text(answers, c->n_point);
	for (int p = 0; p < c->n_point && engine_is_right(engine); p++)
		fact.broken = fact.broken || answers[p].status == ANSWER_UNSUPPORTED;
	copy_cause(fact.cause, *text ? text : "no reason given");
	return fact;
}

void account_count(struct account *self, const struct account_fact *fact)
{
	if (!fact->asked) {
		self->not_asked++;
		return;
	}
	self->verdict[fact->verdict]++;
	if (fact->verdict == VERDICT_UNDECIDED)
		self->undecided[fact->reason]++;
	else if (fact->verdict == VERDICT_UNSUPPORTED && *fact->cause)
		count_cause(self, fact->cause, 1);
	if (fact->broken && !self->broken++)
		memcpy(self->broken_why, fact->cause, sizeof self->broken_why);
}

void account_add(struct account *self, const struct engine *engine, const struct testcase *c,
    const struct answer *answers, const struct judgement *j, struct arena *a)
{
	const struct account_fact fact = account_fact_of(engine, c, answers, j, a);

	account_count(self, &fact);
}

/* The sum, or the largest int. */
static int add(int a, int b) { return a > INT_MAX - b ? INT_MAX : a + b; }

struct engine_trouble account_trouble_sum(struct engine_trouble a, struct engine_trouble b)
{
	return (struct engine_trouble){.restarts = add(a.restarts, b.restarts),
	    .crashes = add(a.crashes, b.crashes),
	    .hangs = add(a.hangs, b.hangs),
	    .broken = add(a.broken, b.broken),
	    .ooms = add(a.ooms, b.ooms),
	    .killed = add(a.killed, b.killed)};
}

void account_join(struct account *self, const struct account *other)
{
	if (!self->broken)
		memcpy(self->broken_why, other->broken_why, sizeof self->broken_why);
	self->not_asked += other->not_asked;
	self->broken += other->broken;
	for (int k = 0; k < VERDICT_COUNT; k++)
		self->verdict[k] += other->verdict[k];
	for (int k = 0; k < REASON_COUNT; k++)
		self->undecided[k] += other->undecided[k];
	for (int k = 0; k < other->n_cause; k++)
		count_cause(self, other->cause[k].text, other->cause[k].n);
	self->trouble = account_trouble_sum(self->trouble, other->trouble);
}

struct engine_trouble account_trouble(const struct engine *engine, struct engine_trouble before)
{
	return account_trouble_sum(before, engine_trouble(engine));
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

static int64_t account_findings(const struct account *self)
{
	int64_t sum = 0;

	for (int v = 0; v < VERDICT_COUNT; v++)
		sum += verdict_is_finding[v] ? self->verdict[v] : 0;
	return sum;
}

bool decided_too_few(int64_t decided, int64_t asked, int64_t percent, bool named)
{
	if (!asked)
		return named;
	return !decided || 100.0 * (double)decided < (double)percent * (double)asked;
}

char *too_few_text(int64_t decided, int64_t asked, int64_t percent, struct arena *a)
{
	if (!asked)
		return arena_printf(a, "nothing was decided: it was asked about no case");
	if (!decided)
		return arena_printf(a, "nothing was decided, in %s", text_count(asked, "case", a));
	return arena_printf(a, "%lld of %s decided, %.1f %%, less than --min-decided %lld", (long long)decided,
	    text_count(asked, "case", a), 100.0 * (double)decided / (double)asked, (long long)percent);
}

bool account_too_few(const struct account *self, int64_t percent, bool named)
{
	return decided_too_few(account_decided(self), account_asked(self), percent, named);
}

/* ---- saving ---- */

enum { PLAIN_COUNTS = 2 + VERDICT_COUNT + REASON_COUNT, TROUBLES = sizeof(struct engine_trouble) / sizeof(int) };

/* All counters in one list: not asked, broken, verdicts, reasons. */
static void copy_counts(struct account *self, int64_t list[PLAIN_COUNTS], bool load)
{
	int64_t *const at[] = {&self->not_asked, &self->broken, self->verdict, self->undecided};
	const size_t n[] = {1, 1, VERDICT_COUNT, REASON_COUNT};

	for (size_t k = 0; k < sizeof n / sizeof *n; list += n[k++])
		memcpy(load ? at[k] : list, load ? list : at[k], n[k] * sizeof *list);
}

void account_save(const struct account *self, struct json_writer *w)
{
	struct account copy = *self;
	int64_t list[PLAIN_COUNTS];
	int trouble[TROUBLES];

	copy_counts(&copy, list, false);
	json_member_array(w, "counts", JSON_FLOW);
	for (int k = 0; k < PLAIN_COUNTS; k++)
		json_put_integer(w, list[k]);
	json_end(w);
	memcpy(trouble, &self->trouble, sizeof trouble);
	json_member_array(w, "trouble", JSON_FLOW);
	for (int k = 0; k < TROUBLES; k++)
		json_put_integer(w, trouble[k]);
	json_end(w);
	json_member_string(w, "broken_why", self->broken_why);
	json_member_array(w, "causes", JSON_FLOW);
	for (int k = 0; k < self->n_cause; k++) {
		json_put_string(w, self->cause[k].text);
		json_put_integer(w, self->cause[k].n);
	}
	json_end(w);
}

/* An array of n integers from 0 to `most`. */
static bool load_list(const struct json *object, const char *key, int64_t *list, int n, int64_t most, struct error *e)
{
	const struct json *array;

	if (!json_required(object, key, JSON_ARRAY, &array, e))
		return false;
	if (array->n_child != n)
		return json_error(array, e, "%d numbers instead of %d", array->n_child, n);
	for (const struct json *v = array->child; v; v = v->next)
		if (!json_integer(v, 0, most, list++, e))
			return false;
	return true;
}

static bool load_causes(struct account *self, const struct json *object, struct error *e)
{
	const struct json *list;

	if (!json_required(object, "causes", JSON_ARRAY, &list, e))
		return false;
	for (const struct json *v = list->child; v; v = v->next->next) {
		struct account_cause *x = &self->cause[self->n_cause++];

		if (!json_is(v, JSON_STRING, e))
			return false;
		if (!v->next || self->n_cause > ACCOUNT_CAUSES)
			return json_error(v, e, "too many causes, or one without its number");
		copy_cause(x->text, v->text);
		if (!json_integer(v->next, 0, JSON_EXACT, &x->n, e))
			return false;
	}
	return true;
}

bool account_load(struct account *self, const struct json *object, struct error *e)
{
	int64_t list[PLAIN_COUNTS], troubles[TROUBLES];
	int trouble[TROUBLES];
	const struct json *why;

	*self = (struct account){0};
	if (!load_list(object, "counts", list, PLAIN_COUNTS, JSON_EXACT, e) ||
	    !load_list(object, "trouble", troubles, TROUBLES, INT_MAX, e) ||
	    !json_required(object, "broken_why", JSON_STRING, &why, e) || !load_causes(self, object, e))
		return false;
	copy_counts(self, list, true);
	for (int k = 0; k < TROUBLES; k++)
		trouble[k] = (int)troubles[k];
	memcpy(&self->trouble, trouble, sizeof trouble);
	copy_cause(self->broken_why, why->text);
	return true;
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

enum { MAIN_COUNTS = 7, ALWAYS_COUNTS = 4, PROCESS_COUNTS = 10 };

static void list_counts(const struct account *self, struct count to[MAIN_COUNTS])
{
	const struct count list[MAIN_COUNTS] = {{"asked", account_asked(self)}, {"answered", account_answered(self)},
	    {"decided", account_decided(self)}, {"agree", self->verdict[VERDICT_AGREE]},
	    {"unsupported", self->verdict[VERDICT_UNSUPPORTED]}, {"undecided", self->verdict[VERDICT_UNDECIDED]},
	    {"findings", account_findings(self)}};

	memcpy(to, list, sizeof list);
}

static void list_process_counts(const struct account *self, struct count to[PROCESS_COUNTS])
{
	const struct engine_trouble t = self->trouble;
	const struct count list[PROCESS_COUNTS] = {{"restarts", t.restarts}, {"hangs", self->verdict[VERDICT_HANG]},
	    {"crashes", t.crashes}, {"timeouts", t.hangs}, {"not_asked", self->not_asked}, {"broken", self->broken},
	    {"flaky", self->flaky}, {"killed", t.killed}, {"ooms", t.ooms}, {"broken_answers", t.broken}};

	memcpy(to, list, sizeof list);
}

void account_put(const struct account *self, struct json_writer *w)
{
	struct count of[MAIN_COUNTS], process[PROCESS_COUNTS];

	list_counts(self, of);
	list_process_counts(self, process);
	for (int k = 0; k < MAIN_COUNTS; k++)
		json_member_integer(w, of[k].key, of[k].n);
	for (int k = 0; k < ALWAYS_COUNTS; k++)
		json_member_integer(w, process[k].key, process[k].n);
	put_nonzero(w, process + ALWAYS_COUNTS, PROCESS_COUNTS - ALWAYS_COUNTS);
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

/* The most frequent reason why a case was not decided; a sum of several reasons is none. */
static struct count main_reason(const struct account *self)
{
	struct count most = {"its request is not known", account_asked(self) ? 0 : self->not_asked};

	for (int r = 0; r < REASON_COUNT; r++)
		if (r != REASON_NONE && self->undecided[r] > most.n)
			most = (struct count){reason_names[r], self->undecided[r]};
	for (int k = 0; k < self->n_cause && k < ACCOUNT_CAUSES - 1; k++)
		if (self->cause[k].n > most.n)
			most = (struct count){self->cause[k].text, self->cause[k].n};
	return most;
}

/* Appends the verdicts that are no findings although the oracles decided: these and `agree` and findings are all. */
static char *with_excused(char *text, const struct account *self, struct arena *a)
{
	for (int v = 0; v < VERDICT_COUNT; v++)
		if (self->verdict[v] && !verdict_is_finding[v] && v != VERDICT_AGREE && v != VERDICT_UNSUPPORTED &&
		    v != VERDICT_UNDECIDED)
			text = arena_printf(a, "%s, %s %lld", text, verdict_names[v], (long long)self->verdict[v]);
	return text;
}

char *account_text(const struct account *self, const char *engine, struct arena *a)
{
	struct count of[MAIN_COUNTS], process[PROCESS_COUNTS], why = main_reason(self);
	char *text = arena_printf(a, "%s:", engine);

	list_counts(self, of);
	list_process_counts(self, process);
	for (int k = 0; k < MAIN_COUNTS; k++) {
		text = arena_printf(a, "%s%s %s %lld", text, k ? "," : "", of[k].key, (long long)of[k].n);
		if (!strcmp(of[k].key, "agree"))
			text = with_excused(text, self, a);
	}
	for (int k = 0; k < PROCESS_COUNTS; k++)
		if (process[k].n)
			text = arena_printf(a, "%s, %s %lld", text, process[k].key, (long long)process[k].n);
	if (why.n && (2 * account_decided(self) < account_asked(self) || !account_asked(self)))
		text = arena_printf(a, "%s; decided %s, mostly because: %s (%lld times)", text,
		    account_decided(self) ? "less than half" : "nothing", why.key, (long long)why.n);
	if (self->broken)
		text = arena_printf(a, "%s; broken, a defect of adjudge: %s", text, self->broken_why);
	return arena_printf(a, "%s\n", text_disarm(text, false));
}
