/* gate_defects.c: compares a folder's list of known defects with what an engine did on their cases. */
#include "gate_defects.h"

#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "engines/process/hello.h"

const char *const defect_state_names[DEFECT_STATES] = {[DEFECT_THERE] = "still there",
    [DEFECT_EXCUSED] = "a convention here",
    [DEFECT_RIGHT] = "right here",
    [DEFECT_OPEN] = "not decided here"};

struct defect_lists {
	const struct json *engines, *defects; /* arrays, one value a line */
	const struct ci_report *report;
	struct arena *arena;
	struct defects_here *out;
};

/* A file with a JSON value in each line, as an array; NULL after a complaint. */
static const struct json *read_lines(const char *path, struct arena *a)
{
	struct text array = {.arena = a};
	struct error e = {0};
	size_t len;
	char *text = json_read_bytes(path, JSON_BYTES, a, &len, &e);
	const struct json *root;

	text_put(&array, "[");
	for (char *line = text; line && *line;) {
		size_t n = strcspn(line, "\n");

		if (n) {
			text_put(&array, "%s", array.len > 1 ? "," : "");
			text_put_bytes(&array, line, n);
		}
		line += n + (line[n] == '\n');
	}
	text_put(&array, "]");
	root = text ? json_read(array.at, array.len, a, &e) : NULL;
	if (!root)
		complain("gate: %s: %s: %s", path, e.place, e.text);
	return root;
}

static const char *string_of(const struct json *object, const char *key)
{
	const struct json *v = object && object->kind == JSON_OBJECT ? json_find(object, key) : NULL;

	return v && v->kind == JSON_STRING ? v->text : "";
}

static const struct json *children(const struct json *object, const char *key)
{
	const struct json *v = object && object->kind == JSON_OBJECT ? json_find(object, key) : NULL;

	return v ? v->child : NULL;
}

/* The name in the list of defects of an engine that says this name; NULL: it is not in the list. */
static const char *listed_name(const struct defect_lists *x, const char *said)
{
	for (const struct json *e = x->engines->child; e; e = e->next)
		for (const struct json *f = children(e, "formats"); f; f = f->next)
			if (!strcmp(f->key, said))
				return string_of(e, "name");
	return NULL;
}

/* The entry of the defect about the engine, in the mode that it runs in; NULL: there is none. */
static const struct json *entry_of(const struct json *defect, const char *name, const char *said)
{
	for (const struct json *e = children(defect, "engines"); e; e = e->next) {
		const struct json *mode = children(e, "modes");
		bool concerned = !mode;

		for (; mode && !concerned; mode = mode->next)
			concerned = mode->kind == JSON_STRING && !strcmp(mode->text, said);
		if (concerned && !strcmp(string_of(e, "name"), name))
			return e;
	}
	return NULL;
}

static bool is_of(const struct ci_outcome *o, const char *file, const char *engine)
{
	const char *base = o->path ? strrchr(o->path, '/') : NULL;

	return base && !strcmp(base + 1, file) && o->engine && !strcmp(o->engine, engine);
}

static bool is_inaccurate(const struct json *defect)
{
	const struct json *v = json_find(defect, "inaccurate");

	return v && v->kind == JSON_BOOL && v->truth;
}

/* What one outcome says about the defect. */
static enum defect_state outcome_state(const struct ci_outcome *o, bool inaccurate)
{
	if (o->state == CI_NEW || o->state == CI_KNOWN || o->state == CI_FLAKY ||
	    (inaccurate && !strcmp(o->verdict, verdict_names[VERDICT_INACCURATE])))
		return DEFECT_THERE;
	if (o->state != CI_PASSED)
		return DEFECT_OPEN;
	return strcmp(o->verdict, verdict_names[VERDICT_CONVENTION]) != 0 ? DEFECT_RIGHT : DEFECT_EXCUSED;
}

static enum defect_state state_of(const struct defect_lists *x, const struct json *defect, const char *engine)
{
	enum defect_state state = DEFECT_RIGHT;

	for (const struct json *c = children(defect, "cases"); c; c = c->next) {
		enum defect_state of_case = DEFECT_OPEN;
		size_t len = strlen(string_of(c, "file"));

		if (len && string_of(c, "file")[len - 1] == '/')
			continue; /* a folder with further cases */
		for (int k = 0; k < x->report->n; k++)
			if (is_of(&x->report->at[k], string_of(c, "file"), engine)) {
				enum defect_state now = outcome_state(&x->report->at[k], is_inaccurate(defect));

				of_case = now < of_case ? now : of_case;
			}
		if (of_case == DEFECT_THERE)
			return DEFECT_THERE;
		/* One case that is open leaves the defect open. */
		state = of_case == DEFECT_OPEN || state == DEFECT_OPEN ? DEFECT_OPEN
		    : of_case < state                                  ? of_case
		                                                       : state;
	}
	return state;
}

static const char *joined(const struct json *list, const char *key, struct arena *a)
{
	const char *text = "";

	for (; list; list = list->next)
		text = arena_printf(a, "%s%s%s", text, *text ? ", " : "",
		    key                             ? string_of(list, key)
		        : list->kind == JSON_STRING ? list->text
		                                    : "");
	return text_disarm(arena_printf(a, "%s", text), false);
}

static void add(struct defect_lists *x, struct defect_here d)
{
	struct defects_here *out = x->out;

	GROW(x->arena, out->at, &out->room, out->n + 1);
	out->at[out->n++] = d;
}

static void compare(struct defect_lists *x, const char *spec)
{
	const char *engine = engine_text_name(spec, x->arena), *name;
	struct error e = {0};
	struct engine *opened = engine_open(spec, &e);
	const struct hello *hello = opened ? engine_hello(opened) : NULL;

	if (!opened) /* it started before: an engine that is gone says nothing about its defects */
		complain("gate: %s; it is absent, and its defects were not compared", e.text);
	name = hello ? listed_name(x, hello->name) : NULL;
	for (int state = 0; name && state < DEFECT_STATES; state++)
		for (const struct json *d = x->defects->child; d; d = d->next) {
			const struct json *entry = entry_of(d, name, hello->name);

			if (!entry || state_of(x, d, engine) != (enum defect_state)state)
				continue;
			add(x,
			    (struct defect_here){.engine = engine,
			        .version = arena_printf(x->arena, "%s", hello->version),
			        .program = text_disarm(arena_printf(x->arena, "%s", string_of(d, "program")), false),
			        .faulty = joined(children(entry, "faulty"), NULL, x->arena),
			        .files = joined(children(d, "cases"), "file", x->arena),
			        .state = (enum defect_state)state});
		}
	engine_close(opened);
}

struct defects_here gate_defects(
    const char *const *root, int n_root, const struct texts *specs, const struct ci_report *r, struct arena *a)
{
	struct defects_here out = {0};

	for (int i = 0; i < n_root; i++) {
		struct defect_lists x = {.report = r, .arena = a, .out = &out};
		const char *defects = arena_printf(a, "%s/defects.jsonl", root[i]),
		           *engines = arena_printf(a, "%s/engines.jsonl", root[i]);

		if (!is_directory(root[i]) || access(defects, R_OK) || access(engines, R_OK))
			continue;
		x.engines = read_lines(engines, a);
		x.defects = x.engines ? read_lines(defects, a) : NULL;
		for (int k = 0; x.defects && k < specs->n; k++)
			compare(&x, specs->at[k]);
	}
	return out;
}

const char *gate_defect_line(const struct defect_here *d, struct arena *a)
{
	return arena_printf(a, "%s%s%s: %s: %s (%s), known of %s", d->engine, *d->version ? " " : "", d->version,
	    defect_state_names[d->state], d->program, d->files, d->faulty);
}

void gate_defect_put(const struct defect_here *d, struct json_writer *w)
{
	json_begin_object(w, JSON_FLOW);
	json_member_string(w, "engine", d->engine);
	json_member_string(w, "version", d->version);
	json_member_string(w, "state", defect_state_names[d->state]);
	json_member_string(w, "program", d->program);
	json_member_string(w, "cases", d->files);
	json_member_string(w, "faulty", d->faulty);
	json_end(w);
}
