/* render.c: the table of renderings, and what they share. */
#include "render.h"

#include <string.h>

const struct rendering renderings[] = {
#define RENDERING(id, name, meaning) {name, meaning, render_##id},
#include "renderings.def"
#undef RENDERING
    {NULL, NULL, NULL}};

const struct rendering *rendering_find(const char *name)
{
	for (const struct rendering *r = renderings; r->name; r++)
		if (!strcmp(r->name, name))
			return r;
	return NULL;
}

void render_json(struct text *out, const struct json *report, const char *source)
{
	(void)report;
	text_put_bytes(out, source, strlen(source));
}
