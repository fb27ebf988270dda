/* corpus.h: the cases that a campaign is given, and those that it keeps. */
#ifndef FUZZ_CAMPAIGN_OWNER_CORPUS_H
#define FUZZ_CAMPAIGN_OWNER_CORPUS_H

#include <stddef.h>
#include <stdint.h>

struct campaign;

/* Takes over the cases that other processes have kept since the last call. */
void corpus_refresh(struct campaign *self);

/* Reads the cases that the campaign is given.  Returns their hash. */
uint64_t corpus_read_given(struct campaign *self);
/* When the state is saved: removes the cases of pending_dir that are given and now counted. */
void corpus_drop_pending(struct campaign *self);
/* After campaign_load: finds failing cases that the state does not know, and the cases that were kept. */
void corpus_go_on(struct campaign *self);
/* Keeps a case with new features, as compact text. */
void corpus_keep(struct campaign *self, const char *text, size_t len);
void corpus_free(struct campaign *self);

/* Notes that the driver holds so many more bytes of cases; negative: that it has freed them. */
void campaign_hold(struct campaign *self, int64_t bytes);
/* libFuzzer's flag with the files of the cases that were kept, and how many they are; NULL: there are none.  The caller
 * never frees it. */
char *campaign_seeds(const struct campaign *self, int *n);

#endif
