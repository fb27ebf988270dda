/* index.c: reads the reports of a directory, groups and orders them. */
#include "index.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

struct index_reader {
	const char *dir;
	struct arena *a;
	struct index *out;
	const struct json *found[2]; /* members "findings" of the summary or state, and "declared"; NULL: none */
	int room;
	struct listed {
		const char *path, *fine, *signature;
		const struct json *root;
		int64_t case_number;
		int ops;
	} * listed;
};

/* ---- files ---- */

static int compare_names(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* Names in `dir` that end in .json, sorted; -1: it cannot be read. */
static int list_names(const char *dir, struct arena *a, const char ***name)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	int n = 0, room = 0;

	*name = NULL;
	if (!d)
		return -1;
	while ((entry = readdir(d))) {
		size_t len = strlen(entry->d_name);

		if (len < 6 || strcmp(entry->d_name + len - 5, ".json") || !strcmp(entry->d_name, "summary.json"))
			continue;
		GROW(a, *name, &room, n + 1);
		(*name)[n++] = arena_printf(a, "%s", entry->d_name);
	}
	closedir(d);
	if (n)
		qsort(*name, (size_t)n, sizeof **name, compare_names);
	return n;
}

static const struct json *read_json(const char *path, struct arena *a)
{
	struct error e = {0};
	size_t len;
	const char *text = json_read_bytes(path, JSON_BYTES, a, &len, &e);
	const struct json *root = text ? json_read(text, len, a, &e) : NULL;

	return root && root->kind == JSON_OBJECT ? root : NULL;
}

/* Counts the nodes of the printed program, without constants. */
static int count_ops(const struct json *report)
{
	const struct json *lines = json_find(report, "program");
	int n = 0;

	for (const struct json *v = lines && lines->kind == JSON_ARRAY ? lines->child : NULL; v; v = v->next)
		n += v->kind == JSON_STRING && strstr(v->text, " = ") && !strstr(v->text, " = constant ");
	return n;
}

static void read_report(struct index_reader *r, const char *path)
{
	struct arena_mark before = arena_mark(r->a);
	const struct json *root = read_json(arena_printf(r->a, "%s/%s", r->dir, path), r->a),
	                  *found = root ? json_find(root, "found") : NULL;
	const char *number = render_member(found, "case_number");

	if (!root || strcmp(render_member(root, "schema"), "adjudge.report/1")) {
		arena_rewind(r->a, before); /* somebody else's files in the folder may be large */
		r->out->unreadable[r->out->n_unreadable++] = path;
		return;
	}
	r->listed[r->out->n_report++] = (struct listed){.path = path,
	    .root = root,
	    .signature = render_member(root, "signature"),
	    .fine = *render_member(root, "fine") ? render_member(root, "fine") : render_member(root, "signature"),
	    .case_number = *number ? strtoll(number, NULL, 10) : -1,
	    .ops = count_ops(root)};
}

/* ---- groups ---- */

static void add_text(const char ***list, int *n, int room, const char *text, struct arena *a)
{
	for (int k = 0; k < *n; k++)
		if (!strcmp((*list)[k], text))
			return;
	if (!*list)
		*list = NEW(a, const char *, room);
	(*list)[(*n)++] = text;
}

/* Appends the texts of an array to the list and leaves room for `more`. */
static void add_texts(const char ***list, int *n, const struct json *array, int more, struct arena *a)
{
	if (!array || array->kind != JSON_ARRAY || *n)
		return;
	*list = NEW(a, const char *, array->n_child + more);
	for (const struct json *v = array->child; v; v = v->next)
		if (v->kind == JSON_STRING)
			add_text(list, n, 0, v->text, a);
}

static bool is_true(const struct json *object, const char *key)
{
	const struct json *v = object && object->kind == JSON_OBJECT ? json_find(object, key) : NULL;

	return v && v->kind == JSON_BOOL && v->truth;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Adds the count of the campaign for the report at that path: it saw more cases than it wrote. */
static void add_counted(struct index_reader *r, struct index_group *g, const struct listed *l, const struct json *found)
{
	for (const struct json *f = found ? found->child : NULL; f; f = f->next) {
		const struct json *symptoms;
		int64_t first, counted;

		if (strcmp(last_part(render_member(f, "file")), last_part(l->path)))
			continue;
		symptoms = json_find(f, "symptoms"); /* of state.json */
		first = strtoll(render_member(f, "first_case"), NULL, 10);
		counted = strtoll(render_member(f, "count"), NULL, 10);
		g->count += counted > 1 ? counted - 1 : 0; /* a count of 0 means that only the report shows it */
		g->first_case = g->first_case < 0 || first < g->first_case ? first : g->first_case;
		add_texts(&g->signature, &g->n_signature, json_find(f, "faces"), r->out->n_report + 1, r->a);
		add_texts(&g->also, &g->n_also, json_find(f, "also"), 0, r->a);
		g->flaky = g->flaky || is_true(f, "flaky") ||
		    (symptoms && symptoms->kind == JSON_ARRAY && is_true(symptoms->child, "flaky"));
	}
}

/* Whether the coarse signature is of what an engine declares, as a NaN of weak zeros. */
static bool is_declared(const char *signature)
{
	const char *last = strrchr(signature, '|');

	return last && !strcmp(last, "|declared");
}

static void add_listed(struct index_reader *r, const struct listed *l)
{
	struct index *x = r->out;
	struct index_group *g = x->group;

	while (g < x->group + x->n_group && strcmp(g->fine, l->fine))
		g++;
	if (g == x->group + x->n_group) {
		x->n_group++;
		*g = (struct index_group){.fine = l->fine,
		    .declared = is_declared(l->signature),
		    .engine = render_member(l->root, "engine"),
		    .engine_version = render_member(l->root, "engine_version"),
		    .first_case = -1,
		    .ops = -1};
		g->report = NEW(r->a, const char *, x->n_report);
	}
	g->count++;
	if (l->case_number >= 0 && (g->first_case < 0 || l->case_number < g->first_case))
		g->first_case = l->case_number;
	for (int k = 0; k < 2; k++)
		add_counted(r, g, l, r->found[k]);
	add_text(&g->signature, &g->n_signature, x->n_report + 1, l->signature, r->a);
	g->report[g->n_report++] = l->path;
	if (g->ops >= 0 && l->ops >= g->ops)
		return;
	g->ops = l->ops; /* the smallest report represents the group and comes first */
	g->report[g->n_report - 1] = g->report[0];
	g->report[0] = l->path;
	g->request = render_member(l->root, "request");
	g->verdict = render_member(l->root, "verdict");
	g->deviation = render_member(l->root, "deviation");
	g->summary = render_member(l->root, "summary");
}

/* ---- the order ---- */

/* How many names of x are not among those of y.  Names stand between the characters of sign[]. */
static int names_apart(const char *x, const char *y)
{
	static const char sign[] = "|{}+, ";
	int apart = 0;

	for (x += strspn(x, sign); *x; x += strspn(x, sign)) {
		size_t n = strcspn(x, sign);
		const char *at = y;
		bool there = false;

		for (at += strspn(at, sign); *at && !there; at += strspn(at, sign)) {
			size_t m = strcspn(at, sign);

			there = m == n && !strncmp(at, x, n);
			at += m;
		}
		apart += !there;
		x += n;
	}
	return apart;
}

static int distance(const struct index_group *x, const struct index_group *y)
{
	return names_apart(x->fine, y->fine) + names_apart(y->fine, x->fine) +
	    2 * (strcmp(x->verdict, y->verdict) != 0) + (strcmp(x->deviation, y->deviation) != 0);
}

/* Puts the most frequent group first.  The next one is always the group whose nearest predecessor is farthest away;
 * ties go by count, then by name.  What an engine declares comes last. */
static void order_groups(struct index *x)
{
	for (int done = 0; done < x->n_group; done++) {
		int best = -1, best_far = -2;
		struct index_group g;

		for (int k = done; k < x->n_group; k++) {
			int far = done ? 1 << 20 : 0;

			for (int i = 0; i < done; i++) {
				int d = distance(&x->group[k], &x->group[i]);

				far = d < far ? d : far;
			}
			far = x->group[k].declared ? -1 : far;
			if (best < 0 || far > best_far ||
			    (far == best_far &&
			        (x->group[k].count > x->group[best].count ||
			            (x->group[k].count == x->group[best].count &&
			                strcmp(x->group[k].fine, x->group[best].fine) < 0)))) {
				best = k;
				best_far = far;
			}
		}
		g = x->group[best];
		x->group[best] = x->group[done];
		x->group[done] = g;
	}
}

/* state.json, if the campaign has judged more cases than the summary says: it was killed, or it is running. */
static const struct json *read_state(const char *dir, const struct json *summary, struct arena *a)
{
	const struct json *state = read_json(arena_printf(a, "%s/state.json", dir), a),
	                  *counts = state ? json_find(state, "counts") : NULL;

	if (strcmp(render_member(state, "schema"), "adjudge.state/1"))
		return NULL;
	return summary &&
	        strtoll(render_member(summary, "cases"), NULL, 10) >= strtoll(render_member(counts, "cases"), NULL, 10)
	    ? NULL
	    : state;
}

bool index_read(const char *dir, struct arena *a, struct index *out, struct error *e)
{
	const struct json *summary = read_json(arena_printf(a, "%s/summary.json", dir), a),
	                  *state = read_state(dir, summary, a), *books = state ? state : summary,
	                  *found = books ? json_find(books, "findings") : NULL,
	                  *declared = books ? json_find(books, "declared") : NULL;
	struct index_reader r = {.dir = dir,
	    .a = a,
	    .out = out,
	    .found = {found && found->kind == JSON_ARRAY ? found : NULL,
	        declared && declared->kind == JSON_ARRAY ? declared : NULL}};
	const char **name, *below = "findings/";
	int n = list_names(arena_printf(a, "%s/findings", dir), a, &name);

	*out = (struct index){.summary = state ? NULL : summary,
	    .state = state,
	    .setup = state ? read_json(arena_printf(a, "%s/campaign.json", dir), a) : NULL,
	    .in_folder = n >= 0};
	if (n < 0) {
		below = "";
		n = list_names(dir, a, &name);
	}
	if (n < 0)
		return error_set(e, dir, "this directory cannot be read");
	r.listed = NEW(a, struct listed, n + 1);
	out->unreadable = NEW(a, const char *, n + 1);
	out->group = NEW(a, struct index_group, n + 1);
	for (int k = 0; k < n; k++)
		read_report(&r, arena_printf(a, "%s%s", below, name[k]));
	for (int k = 0; k < out->n_report; k++)
		add_listed(&r, &r.listed[k]);
	order_groups(out);
	return true;
}
