/* faults_implicit.c: historic bugs of implicit differentiation. */
#include "faults.h"

static double overwritten(double sum, double term)
{
	(void)sum;
	return term;
}

const struct edits plant_implicit_overwrite = {.edit = {EDIT(adjoint.implicit.join, overwritten)}};

static bool first_enters(int k, int n)
{
	(void)n;
	return k == 0;
}

const struct edits plant_implicit_first = {.edit = {EDIT(adjoint.implicit.enters, first_enters)}};
