#include "generate.h"

#include "graph/json.h"

#include <stddef.h>
#include <string.h>

static const char profile_schema[] = "adjudge.profile/1";

enum { PROFILE_BYTES = 1 << 16, PROFILE_MOST = 1000000 };

static const struct member {
	const char *name;
	size_t offset;
} members[] = {
#define PROFILE(member, value, meaning) {#member, offsetof(struct profile, member)},
#include "profile.def"
#undef PROFILE
};

enum { MEMBERS = sizeof(members) / sizeof(members[0]) };

struct profile profile_default(void)
{
	return (struct profile){
#define PROFILE(member, value, meaning) .member = value,
#include "profile.def"
#undef PROFILE
	};
}

bool profile_equal(const struct profile *x, const struct profile *y)
{
	bool equal = true;

	/* Member by member: bytes of padding may differ. */
#define PROFILE(member, value, meaning) equal = equal && x->member == y->member;
#include "profile.def"
#undef PROFILE
	return equal && x->variants == y->variants && !memcmp(x->without, y->without, sizeof x->without);
}

static const struct member *find(const char *name)
{
	for (int i = 0; i < MEMBERS; i++)
		if (!strcmp(members[i].name, name))
			return &members[i];
	return NULL;
}

void profile_put(struct json_writer *w, const struct profile *profile)
{
	json_begin_object(w, JSON_BLOCK);
	json_member_string(w, "schema", profile_schema);
	for (int i = 0; i < MEMBERS; i++) {
		int x;

		memcpy(&x, (const char *)profile + members[i].offset, sizeof(x));
		json_member_integer(w, members[i].name, x);
	}
	json_end(w);
}

bool profile_read(const struct json *root, struct profile *out, struct error *e)
{
	*out = profile_default();
	if (!json_schema(root, profile_schema, e))
		return false;
	for (const struct json *v = root->child; v; v = v->next) {
		const struct member *m = find(v->key);
		int x;

		if (!strcmp(v->key, "schema"))
			continue;
		if (!m)
			return json_error(v, e, "unknown member of a profile");
		if (!json_int(v, 0, PROFILE_MOST, &x, e))
			return false;
		memcpy((char *)out + m->offset, &x, sizeof(x));
	}
	return true;
}

bool profile_read_file(const char *path, struct profile *out, struct error *e)
{
	struct arena a;
	const struct json *root;
	char *text;
	size_t len;
	bool ok = false;

	*out = profile_default();
	arena_init(&a, (size_t)64 * PROFILE_BYTES);
	text = json_read_bytes(path, PROFILE_BYTES, &a, &len, e);
	root = text ? json_read(text, len, &a, e) : NULL;
	if (root)
		ok = profile_read(root, out, e);
	if (text && !ok)
		json_error_in(path, e);
	arena_free(&a);
	return ok;
}
