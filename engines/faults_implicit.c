/* faults_implicit.c: historic bugs of implicit differentiation. */
#include "faults.h"

static double overwritten(double sum, double term)
{
	(void)sum;
	return term;
}

bool plant_implicit_overwrite(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.implicit.join = overwritten;
	return true;
}

static bool first_enters(int k, int n)
{
	(void)n;
	return k == 0;
}

bool plant_implicit_first(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.implicit.enters = first_enters;
	return true;
}
