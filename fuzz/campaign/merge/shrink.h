/* shrink.h: a corpus without the cases whose features smaller ones have. */
#ifndef FUZZ_CAMPAIGN_MERGE_SHRINK_H
#define FUZZ_CAMPAIGN_MERGE_SHRINK_H

#include "graph/errors.h"

/*
 * Takes the cases of a directory by length, then by bytes.  It removes each case that has no feature which the cases
 * before it lack, and each for which a corpus has no room.  So what stays depends on the set of cases alone.  Shrinking
 * a corpus again changes nothing, also together with cases that it lost.  A signal (stop.h) leaves the rest as it is.
 * False with an error: a file cannot be removed, or no oracle can be opened.
 */
bool corpus_shrink(const char *dir, struct error *e);

#endif
