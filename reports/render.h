/* render.h: a report in the formats of renderings.def. */
#ifndef REPORTS_RENDER_H
#define REPORTS_RENDER_H

#include "graph/json.h"
#include "graph/text.h"

/* Writes `report` to `out`.  The report has the form of report.schema.json, but its texts are untrusted.  source: its
 * JSON text. */
typedef void render_fn(struct text *out, const struct json *report, const char *source);

#define RENDERING(id, name, meaning) render_fn render_##id;
#include "renderings.def"
#undef RENDERING

struct rendering {
	const char *name, *meaning;
	render_fn *render;
};
/* Ends with a row of NULLs. */
extern const struct rendering renderings[];
/* The row of that name, or NULL. */
const struct rendering *rendering_find(const char *name);

/* The text of member `key` of object v: a string, or a number as written; "" if it is missing or v is NULL. */
const char *render_member(const struct json *v, const char *key);

#endif
