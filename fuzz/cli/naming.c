/* naming.c: see naming.h. */
#include "naming.h"

#include <string.h>

#include "engines/engine.h"
#include "commands.h"
#include "graph/json.h"

/* ---- the file ---- */

static bool read_engine(const struct json *v, struct arena *a, struct texts *engines, struct error *e)
{
	static const char *const keys[] = {"name", "spec"};
	const struct json *name, *spec;
	struct error inner = {0};
	const char *text;

	if (!json_is(v, JSON_OBJECT, e) || !json_only_keys(v, keys, 2, e) ||
	    !json_required(v, "name", JSON_STRING, &name, e) || !json_required(v, "spec", JSON_STRING, &spec, e))
		return false;
	text = arena_printf(a, "%s=%s", name->text, spec->text);
	/* The name is checked first: with a '=', ':' or '+' in it, the text would mean something else. */
	if (strpbrk(name->text, "=:+"))
		return json_error(name, e, "a name of an engine has letters, digits, _ . - only");
	if (!engine_text_name_valid(text, &inner))
		return json_error(name, e, "%s", inner.text);
	if (!engine_spec_valid(text, &inner))
		return json_error(spec, e, "%s", inner.text);
	if (naming_index(engines, name->text) >= 0)
		return json_error(name, e, "the same name as engines[%d]", naming_index(engines, name->text));
	return texts_add(engines, text) || json_error(v, e, "at most %d engines", OPTIONS_TEXTS);
}

static bool read_root(const struct json *root, struct arena *a, struct texts *engines, struct error *e)
{
	static const char *const keys[] = {"schema", "engines"};
	const struct json *list;

	/* The schema is checked first, because another kind of file has other keys too. */
	if (!json_schema(root, "adjudge.engines/1", e) || !json_only_keys(root, keys, 2, e) ||
	    !json_required(root, "engines", JSON_ARRAY, &list, e))
		return false;
	for (const struct json *v = list->child; v; v = v->next)
		if (!read_engine(v, a, engines, e))
			return false;
	/* A command would judge the built-in engines instead. */
	return engines->n || json_error(list, e, "must name an engine");
}

bool naming_read(const char *path, struct arena *a, struct naming *out, struct error *e)
{
	const struct json *root;
	size_t len;
	char *text;

	*out = (struct naming){.path = path};
	text = json_read_bytes(path, LIMIT_CASE_BYTES, a, &len, e);
	if (!text)
		return false;
	root = json_read(text, len, a, e);
	if (root && read_root(root, a, &out->engines, e))
		return true;
	return json_error_in(path, e);
}

int naming_index(const struct texts *engines, const char *name)
{
	for (int i = 0; name && i < engines->n; i++)
		if (engine_text_is_called(engines->at[i], name))
			return i;
	return -1;
}

const char *naming_find(const struct naming *names, const char *name)
{
	int i = naming_index(&names->engines, name);

	return i < 0 ? NULL : names->engines.at[i];
}

/* ---- the options ---- */

/* Replaces a name of the file by NAME=SPEC, and checks the spec of anything else. */
static bool resolve(const char *where, const struct naming *names, const char **text)
{
	const char *named = naming_find(names, *text);
	struct error e = {0};

	if (named) {
		*text = named;
		return true;
	}
	if (engine_spec_valid(*text, &e))
		return true;
	if (names->path && engine_name_free(*text))
		complain("%s: %s has no engine '%s', and it is no spec: %s", where, names->path, *text, e.text);
	else
		complain("%s: %s", where, e.text);
	return false;
}

/* Whether two engines of the list share a name; complains if so. */
static bool name_is_shared(const char *command, const struct texts *list, struct arena *a)
{
	for (int i = 0; i < list->n; i++) {
		const char *name = engine_text_name(list->at[i], a);

		if (naming_index(list, name) < i) {
			complain("%s: two engines have the name '%s'", command, name);
			return true;
		}
	}
	return false;
}

int naming_apply(const char *command, const char *path, bool all, struct naming *names, struct arena *a,
    struct texts *list, const char **const *other, int n)
{
	struct texts given = *list;
	struct error e = {0};

	*names = (struct naming){0};
	if (path && !naming_read(path, a, names, &e))
		return complain_about_case(&e);
	*list = (struct texts){0};
	for (int i = 0; i < given.n; i++) {
		if (!resolve(command, names, &given.at[i]))
			return EXIT_USAGE;
		texts_add(list, given.at[i]);
	}
	if (!given.n && all)
		*list = names->engines;
	if (name_is_shared(command, list, a))
		return EXIT_USAGE;
	for (int i = 0; i < n; i++)
		if (*other[i] && !resolve(command, names, other[i]))
			return EXIT_USAGE;
	return -1;
}
