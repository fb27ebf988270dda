/* render.c: the matrix of a sweep as text, JSON, Markdown and HTML. */
#include <string.h>

#include "engines/process/hello.h"
#include "conform.h"

/* One letter for each verdict, for a column of a line. */
static const char letters[VERDICT_COUNT] = {
    [VERDICT_UNSUPPORTED] = '-',
    [VERDICT_UNDECIDED] = '?',
    [VERDICT_AGREE] = '.',
    [VERDICT_CONVENTION] = 'c',
    [VERDICT_INACCURATE] = 'i',
    [VERDICT_NAN_LEAK] = 'n',
    [VERDICT_NONDETERMINISTIC] = 'N',
    [VERDICT_WRONG] = 'W',
    [VERDICT_WRONG_PRIMAL] = 'P',
    [VERDICT_BAD_DTYPE] = 'D',
    [VERDICT_BAD_SHAPE] = 'S',
    [VERDICT_INPUT_MODIFIED] = 'M',
    [VERDICT_PROTOCOL] = 'G',
    [VERDICT_HANG] = 'H',
    [VERDICT_OOM] = 'O',
    [VERDICT_CRASH] = 'X',
};

static const char *const meanings[VERDICT_COUNT] = {
#define VERDICT(id, name, finding, meaning) [VERDICT_##id] = meaning,
#include "oracles/verdict/verdicts.def"
#undef VERDICT
};

static char letter(const struct conform_cell *cell) { return conform_cell_cases(cell) ? letters[cell->worst] : ' '; }

/* Whether column k begins a new request. */
static bool begins(const struct conform *m, int k)
{
	return !k || strcmp(m->column[k].request, m->column[k - 1].request);
}

/* The first column after k with another request or dtype. */
static int next_group(const struct conform *m, int k)
{
	for (k++; k < m->n_column && m->column[k].points != POINTS_INSIDE;)
		k++;
	return k;
}

/* The letters of a group of columns; two columns of points, or four. */
static const char *letters_of(const struct conform *m, int op, int k, struct arena *a)
{
	struct text t = {.arena = a};

	for (int end = next_group(m, k); k < end; k++)
		text_put(&t, "%c", letter(&m->cell[op][k]));
	return t.at;
}

static const char *legend(const struct conform *m)
{
	return m->deep ? "per request and dtype four letters: points inside the domain and on edges, an operand used "
	                 "once more, special operands"
	               : "per request and dtype two letters, points inside the domain and on edges";
}

static void put_counts(struct text *t, const struct conform *m)
{
	text_put(t, "%d cases%s", m->asked, m->asked ? ":" : "");
	for (int v = 0; v < VERDICT_COUNT; v++)
		if (m->verdict[v])
			text_put(t, " %d %s (%c)", m->verdict[v], verdict_names[v], letters[v]);
	if (m->flaky)
		text_put(t, "; %d did not come again", m->flaky);
	text_put(t, "\n");
}

/* What each letter of the matrix means, for those who see the page alone. */
static void put_meanings(struct text *t, const struct conform *m)
{
	const char *before = "\nA cell shows its worst verdict.";

	for (int v = 0; v < VERDICT_COUNT; v++)
		if (m->verdict[v]) {
			text_put(t, "%s `%c`: %s", before, letters[v],
			    v == VERDICT_CRASH ? "the engine's process died, or it answered with an error of its own"
			                       : meanings[v]);
			before = ".";
		}
	text_put(t, ".\n");
}

static void put_replayed_count(struct text *t, const struct conform *m)
{
	if (m->deep)
		text_put(t, "corpus: %d of %d cases asked\n", m->n_replayed, m->n_corpus);
}

/* The entry of the leaks, without the smallest case. */
static const char *leaks_text(const struct conform_leaks *leaks, struct arena *a)
{
	return arena_printf(a, "nan-leak by weak zeros%s: %s, the first in %s; smallest case of %s:",
	    leaks->declared ? ", which the engine declares" : "", text_count(leaks->cases, "case", a), leaks->first,
	    text_count(program_nodes(&leaks->smallest->program), "node", a));
}

/* ---- text ---- */

static void put_flaky(struct text *t, const struct conform_cell *cell, const char *name)
{
	text_put(t, "%s: %s in %d cases did not come again: %s\n", name, verdict_names[cell->gone], cell->flaky,
	    text_harmless(cell->gone_text, t->arena));
}

/* A cell with nothing to explain has no line. */
static void put_reason(struct text *t, const struct conform_cell *cell, const char *name)
{
	if (!cell->shows && !*cell->text)
		return;
	text_put(t, "%s: %s in %d of %d cases%s%s", name, verdict_names[cell->worst], cell->cases[cell->worst],
	    conform_cell_cases(cell), cell->shows && *cell->numbers ? ": " : "", cell->shows ? cell->numbers : "");
	text_put(t, "%s%s\n", *cell->text ? ": " : "", text_harmless(cell->text, t->arena));
}

char *conform_text(const struct conform *m, const struct engine *engine, bool reasons, struct arena *a)
{
	struct text t = {.arena = a};

	text_put(&t, "%s (%s): %s\n\n%-22s", text_harmless(engine_name(engine), a),
	    text_harmless(engine_version(engine, a), a), legend(m), "");
	for (int k = 0; k < m->n_column; k = next_group(m, k))
		text_put(&t, "%s%-4s", begins(m, k) ? " | " : " ", begins(m, k) ? m->column[k].request : "");
	text_put(&t, "\n%-22s", "");
	for (int k = 0; k < m->n_column; k = next_group(m, k))
		text_put(&t, "%s%-4s", begins(m, k) ? " | " : " ", dtype_table[m->column[k].dtype].name);
	text_put(&t, "\n");
	for (int op = 0; op < OP_COUNT; op++) {
		if (!m->cell[op])
			continue;
		text_put(&t, "%-22s", op_table[op].name);
		for (int k = 0; k < m->n_column; k = next_group(m, k))
			text_put(&t, "%s%-4s", begins(m, k) ? " | " : " ", letters_of(m, op, k, a));
		text_put(&t, "\n");
	}
	text_put(&t, "\n");
	put_counts(&t, m);
	put_replayed_count(&t, m);
	if (m->leaks.cases)
		text_put(&t, "%s\n%s", leaks_text(&m->leaks, a), testcase_print(m->leaks.smallest, a));
	for (int op = 0; op < OP_COUNT; op++)
		for (int k = 0; m->cell[op] && k < m->n_column; k++) {
			const struct conform_cell *cell = &m->cell[op][k];

			if (reasons && conform_cell_cases(cell))
				put_reason(&t, cell, conform_cell_name(m, (enum op)op, k, a));
			if (cell->flaky)
				put_flaky(&t, cell, conform_cell_name(m, (enum op)op, k, a));
		}
	for (int k = 0; k < m->n_replayed; k++) {
		const struct conform_replayed *x = &m->replayed[k];

		if (reasons)
			put_reason(&t, &x->cell, x->name);
		if (x->cell.flaky)
			put_flaky(&t, &x->cell, x->name);
	}
	return t.at;
}

/* ---- Markdown and HTML ---- */

/* Text for HTML and for a cell of Markdown: characters with a meaning there become entities, and other controls than
 * those of `kept` become spaces. */
static const char *escaped_but(const char *from, const char *kept, struct arena *a)
{
	struct text t = {.arena = a};

	text_put_bytes(&t, "", 0);
	for (; *from; from++) {
		char one[2] = {*from, '\0'};

		text_put(&t, "%s",
		    *from == '&'                                             ? "&amp;"
		        : *from == '<'                                       ? "&lt;"
		        : *from == '>'                                       ? "&gt;"
		        : *from == '"'                                       ? "&quot;"
		        : *from == '|'                                       ? "&#124;"
		        : *from == '`'                                       ? "&#96;"
		        : (unsigned char)*from < ' ' && !strchr(kept, *from) ? " "
		                                                             : one);
	}
	return t.at;
}

static const char *escaped(const char *from, struct arena *a) { return escaped_but(from, "", a); }

char *conform_markdown(const struct conform *m, const struct engine *engine, struct arena *a)
{
	struct text t = {.arena = a};

	/* names the engine and its version, not its path */
	text_put(&t, "# Conformance of %s%s%s\n\nPer request and dtype %s.  ",
	    engine_hello(engine) ? "" : escaped(engine_name(engine), a), engine_hello(engine) ? "" : ", ",
	    escaped(engine_version(engine, a), a),
	    m->deep ? "four letters: points inside the domain, on edges, an operand used once more, special operands"
	            : "two letters: points inside the domain, and on edges");
	put_counts(&t, m);
	put_replayed_count(&t, m);
	put_meanings(&t, m);
	text_put(&t, "\n| op |");
	for (int k = 0; k < m->n_column; k = next_group(m, k))
		text_put(&t, " %s %s |", m->column[k].request, dtype_table[m->column[k].dtype].name);
	text_put(&t, "\n|---|");
	for (int k = 0; k < m->n_column; k = next_group(m, k))
		text_put(&t, "---|");
	for (int op = 0; op < OP_COUNT; op++) {
		if (!m->cell[op])
			continue;
		text_put(&t, "\n| %s |", op_table[op].name);
		for (int k = 0; k < m->n_column; k = next_group(m, k))
			text_put(&t, " %s |", letters_of(m, op, k, a));
	}
	text_put(&t, "\n");
	for (int k = 0, n = 0; k < m->n_replayed; k++)
		if (m->replayed[k].cell.shows)
			text_put(&t, "%s- %s: %s\n", n++ ? "" : "\n", escaped(m->replayed[k].name, a),
			    verdict_names[m->replayed[k].cell.worst]);
	if (m->leaks.cases)
		text_put(&t, "\n%s\n\n```\n%s```\n", leaks_text(&m->leaks, a), testcase_print(m->leaks.smallest, a));
	return t.at;
}

static const char style[] =
#include "fuzz/conform/matrix_css.h"
    ;

static const char *css_class(const struct conform_cell *cell)
{
	return verdict_is_finding[cell->worst] ? "bad" : verdict_names[cell->worst];
}

char *conform_html(const struct conform *m, const struct engine *engine, struct arena *a)
{
	const char *name = engine_name(engine);
	struct text t = {.arena = a};

	text_put(&t,
	    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
	    "content=\"width=device-width\">\n");
	text_put(&t, "<title>Conformance of %s</title><style>%s</style>\n<h1>Conformance of %s</h1><p>%s. ",
	    escaped(name, a), style, escaped(name, a), escaped(engine_version(engine, a), a));
	put_counts(&t, m);
	put_replayed_count(&t, m);
	text_put(&t, "</p><div><table><tr><th>op</th>");
	for (int k = 0; k < m->n_column; k++)
		text_put(&t, "<th>%s %s<br>%s</th>", m->column[k].request, dtype_table[m->column[k].dtype].name,
		    point_class_names[m->column[k].points]);
	text_put(&t, "</tr>\n");
	for (int op = 0; op < OP_COUNT; op++) {
		if (!m->cell[op])
			continue;
		text_put(&t, "<tr><th>%s</th>", op_table[op].name);
		for (int k = 0; k < m->n_column; k++) {
			const struct conform_cell *cell = &m->cell[op][k];

			if (conform_cell_cases(cell))
				text_put(&t, "<td class=\"%s\" title=\"%s\">%s</td>", css_class(cell),
				    escaped(cell->text, a), verdict_names[cell->worst]);
			else
				text_put(&t, "<td></td>");
		}
		text_put(&t, "</tr>\n");
	}
	text_put(&t, "</table></div>\n");
	for (int k = 0; k < m->n_replayed; k++)
		if (m->replayed[k].cell.shows)
			text_put(&t, "<p>%s: %s</p>\n", escaped(m->replayed[k].name, a),
			    verdict_names[m->replayed[k].cell.worst]);
	if (m->leaks.cases)
		text_put(&t, "<p>%s</p><pre>%s</pre>\n", leaks_text(&m->leaks, a),
		    escaped_but(testcase_print(m->leaks.smallest, a), "\n", a));
	text_put(&t, "</html>\n");
	return t.at;
}

/* ---- JSON ---- */

/* Verdicts and messages, as members of the object that is open; ends it. */
static void put_verdicts(struct json_writer *w, const struct conform_cell *cell)
{
	json_member_string(w, "worst", verdict_names[cell->worst]);
	for (int v = 0; v < VERDICT_COUNT; v++)
		if (cell->cases[v])
			json_member_integer(w, verdict_names[v], cell->cases[v]);
	if (*cell->text)
		json_member_string(w, "text", cell->text);
	if (cell->flaky) {
		json_member_integer(w, "did_not_come_again", cell->flaky);
		json_member_string(w, "incident", verdict_names[cell->gone]);
		json_member_string(w, "incident_text", cell->gone_text);
	}
	json_end(w);
}

static void put_cell(struct json_writer *w, const struct conform_column *column, const struct conform_cell *cell)
{
	json_begin_object(w, JSON_FLOW);
	json_member_string(w, "request", column->request);
	json_member_string(w, "dtype", dtype_table[column->dtype].name);
	json_member_string(w, "points", point_class_names[column->points]);
	put_verdicts(w, cell);
}

/* The cases of the corpus that the engine was asked about; its other cases are "left_out". */
static void put_corpus(struct json_writer *w, const struct conform *m)
{
	json_member_object(w, "corpus", JSON_BLOCK);
	json_member_integer(w, "cases", m->n_replayed);
	json_member_integer(w, "left_out", m->n_corpus - m->n_replayed);
	json_member_array(w, "outcomes", JSON_BLOCK);
	for (int k = 0; k < m->n_replayed; k++) {
		json_begin_object(w, JSON_FLOW);
		json_member_string(w, "case", m->replayed[k].name);
		put_verdicts(w, &m->replayed[k].cell);
	}
	json_end(w);
	json_end(w);
}

char *conform_json(const struct conform *m, const struct engine *engine, struct arena *a)
{
	const struct hello *hello = engine_hello(engine);
	struct json_writer w = json_document(a, "adjudge.conformance/1");
	size_t len;

	json_member_string(&w, "engine", engine_name(engine));
	json_member_string(&w, "engine_version", engine_version(engine, a));
	if (hello) {
		json_member_string(&w, "name", hello->name);
		json_member_string(&w, "version", hello->version);
	}
	json_member_integer(&w, "cases", m->asked);
	if (m->leaks.cases) {
		json_member_object(&w, "nan_leak_by_weak_zeros", JSON_BLOCK);
		json_member_integer(&w, "cases", m->leaks.cases);
		json_member_bool(&w, "declared", m->leaks.declared);
		json_member_string(&w, "first", m->leaks.first);
		json_put_key(&w, "smallest");
		testcase_put(&w, m->leaks.smallest);
		json_end(&w);
	}
	json_member_array(&w, "ops", JSON_BLOCK);
	for (int op = 0; op < OP_COUNT; op++) {
		if (!m->cell[op])
			continue;
		json_begin_object(&w, JSON_FLOW);
		json_member_string(&w, "op", op_table[op].name);
		json_member_array(&w, "cells", JSON_BLOCK);
		for (int k = 0; k < m->n_column; k++)
			if (conform_cell_cases(&m->cell[op][k]))
				put_cell(&w, &m->column[k], &m->cell[op][k]);
		json_end(&w);
		json_end(&w);
	}
	json_end(&w);
	if (m->deep)
		put_corpus(&w, m);
	json_end(&w);
	return json_finish(&w, &len);
}
