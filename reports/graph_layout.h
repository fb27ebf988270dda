/*
 * graph_layout.h: a program as boxes and curves.  A region is laid out in layers, a node below all that it uses; a node
 * with regions is a box around them. Coordinates are whole pixels from the upper left corner.
 */
#ifndef REPORTS_GRAPH_LAYOUT_H
#define REPORTS_GRAPH_LAYOUT_H

#include "graph/program.h"

enum box_kind { BOX_INPUT, BOX_PARAM, BOX_CONSTANT, BOX_OP, BOX_LOOP, BOX_REGION, BOX_RESULT, BOX_KINDS };
extern const char *const box_kind_names[BOX_KINDS];

/* label, detail, attrs: a line each, from above; "" where there is none.  BOX_LOOP is any node with regions, BOX_REGION
 * one of them. */
struct box {
	enum box_kind kind;
	int x, y, w, h;
	const char *label, *detail, *attrs;
	int value;  /* first value that it makes, or -1 */
	int parent; /* the box around it, or -1 */
};

/* From the box that makes a value to the one that uses it; captured: used inside a region that it was made outside of.
 */
struct curve {
	int from, to;
	int x0, y0, x1, y1;
	bool captured;
};

struct drawing {
	int w, h;
	int n_box, n_curve;
	struct box *box; /* enclosing ones first */
	struct curve *curve;
};

struct drawing graph_layout(const struct program *p, struct arena *a);
/* Width of a character of a label, and of the two smaller lines, in the fonts that the drawing is meant for. */
enum { BOX_LABEL_CHAR = 8, BOX_DETAIL_CHAR = 7, BOX_LINE = 16 };

#endif
