/*
 * graph_layout.h: lays out a program as boxes and curves.  Each region is laid out in layers: a node stands below
 * everything that it uses.  A node with regions is a box around them.  Coordinates are whole pixels from the upper left
 * corner.
 */
#ifndef REPORTS_GRAPH_LAYOUT_H
#define REPORTS_GRAPH_LAYOUT_H

#include "graph/program.h"

enum box_kind { BOX_INPUT, BOX_PARAM, BOX_CONSTANT, BOX_OP, BOX_LOOP, BOX_REGION, BOX_RESULT, BOX_KINDS };
extern const char *const box_kind_names[BOX_KINDS];

/* label, detail, attrs: one line each, top to bottom; "" if there is none.  BOX_LOOP is a node with regions, BOX_REGION
 * one of its regions. */
struct box {
	enum box_kind kind;
	int x, y, w, h;
	const char *label, *detail, *attrs;
	int value;  /* first value that it defines, or -1 */
	int parent; /* the box around it, or -1 */
};

/* A curve from the box that defines a value to a box that uses it.  captured: the user is inside a region, and the
 * value is defined outside. */
struct curve {
	int from, to;
	int x0, y0, x1, y1;
	bool captured;
	bool around; /* it first goes to (side, top), then straight down to (side, bottom): a box is in its way */
	int side, top, bottom; /* set by graph_route */
};

struct drawing {
	int w, h;
	int n_box, n_curve;
	struct box *box; /* enclosing ones first */
	struct curve *curve;
};

/* How far the ends of a piece of a curve go straight down: half of its height, and more than nothing. */
int curve_bend(int y0, int y1);
struct drawing graph_layout(const struct program *p, struct arena *a);
/* Pixels: width of a character of the label, of the two smaller lines, and height of a line. */
enum { BOX_LABEL_CHAR = 8, BOX_DETAIL_CHAR = 7, BOX_LINE = 16 };

#endif
