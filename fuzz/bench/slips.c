/* slips.c: see slips.h. */
#include "slips.h"
#include "graph/heap.h"

#include <stdlib.h>
#include <string.h>

static void slip_set(struct slip *s, const struct testcase *c, int nodes, struct arena *scratch)
{
	char *text = testcase_write_compact(c, scratch, &s->len);

	free(s->text);
	s->text = heap_new(s->len + 1, 1);
	memcpy(s->text, text, s->len + 1);
	s->nodes = nodes;
}

void slips_note(struct slips *self, const char *signature, const struct testcase *c, struct arena *scratch)
{
	int nodes = program_nodes(&c->program);
	struct slip *s;

	for (s = self->at; s < self->at + self->n; s++)
		if (!strcmp(s->signature, signature)) {
			if (nodes < s->nodes)
				slip_set(s, c, nodes, scratch);
			return;
		}
	if (self->n == SLIPS)
		return;
	self->n++;
	*s = (struct slip){.signature = heap_text(signature)};
	slip_set(s, c, nodes, scratch);
}

void slips_free(struct slips *self)
{
	for (int i = 0; i < self->n; i++) {
		free(self->at[i].signature);
		free(self->at[i].text);
	}
	self->n = 0;
}
