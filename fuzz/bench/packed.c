/* packed.c: see packed.h. */
#include "packed.h"

#include <string.h>

void pack_bytes(struct text *t, const void *from, size_t size) { text_put_bytes(t, from, size); }

static void pack_counted(struct text *t, const char *bytes, size_t len)
{
	pack_bytes(t, &len, sizeof len);
	text_put_bytes(t, bytes, len);
}

void pack_text(struct text *t, const char *text) { pack_counted(t, text ? text : "", text ? strlen(text) : 0); }

void pack_case(struct text *t, const struct testcase *c)
{
	size_t len;
	const char *bytes = testcase_write_compact(c, t->arena, &len);

	pack_counted(t, bytes, len);
}

void unpack_bytes(struct packed *r, void *to, size_t size)
{
	r->good = r->good && (size_t)(r->end - r->at) >= size;
	if (!r->good) {
		memset(to, 0, size);
		return;
	}
	memcpy(to, r->at, size);
	r->at += size;
}

/* The bytes of a text; *len is 0 if it cannot be read. */
static const char *unpack_counted(struct packed *r, size_t *len)
{
	const char *at;

	unpack_bytes(r, len, sizeof *len);
	r->good = r->good && (size_t)(r->end - r->at) >= *len;
	at = r->at;
	*len = r->good ? *len : 0;
	r->at += *len;
	return at;
}

const char *unpack_text(struct packed *r)
{
	size_t len;
	const char *at = unpack_counted(r, &len);
	char *out = NEW(r->arena, char, len + 1);

	memcpy(out, at, len);
	return out;
}

void unpack_case(struct packed *r, struct testcase *out)
{
	struct error e = {0};
	size_t len;
	const char *at = unpack_counted(r, &len);

	r->good = r->good && testcase_read(at, len, r->arena, out, &e);
}
