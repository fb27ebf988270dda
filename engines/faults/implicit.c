/* implicit.c: historic bugs of implicit differentiation. */
#include "faults.h"
#include "wrong_seams.h"

const struct edits plant_implicit_overwrite = {.edit = {EDIT(adjoint.implicit.join, last_term)}};

const struct edits plant_implicit_first = {.edit = {EDIT(adjoint.implicit.enters, first_alone)}};
