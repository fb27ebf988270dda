/* graph_route.h: leads the curves of a drawing around boxes that they would cross. */
#ifndef REPORTS_GRAPH_ROUTE_H
#define REPORTS_GRAPH_ROUTE_H

#include "graph_layout.h"

/*
 * A curve that would cross a box gets a straight part beside it: `around`, `side`, `top` and `bottom`.  A box that
 * holds an end of the curve is not in its way.  The ends of the curves must be set.
 */
void graph_route(struct drawing *d);
/* Whether the box with that number may be in the way of the curve. */
bool graph_in_the_way(const struct drawing *d, const struct curve *c, int box);

#endif
