/* drivers.h: what chooses the cases of a campaign.  A driver calls campaign_judge until campaign_over. */
#ifndef FUZZ_CAMPAIGN_DRIVERS_DRIVERS_H
#define FUZZ_CAMPAIGN_DRIVERS_DRIVERS_H

struct campaign;

/* Draws fresh, independent cases: case k depends on the seed and k alone.  (plain.c) */
void drive_generate(struct campaign *s);
/*
 * An evolutionary loop: it keeps cases with new features, and draws fresh, mutated and crossed cases.  (plain.c)
 */
void drive_plain(struct campaign *s);
/*
 * Runs libFuzzer inside this process.  It does not return: when the campaign is over it calls `finish`, whose result is
 * the exit code.  (libfuzzer.c; only if the executable is linked with libFuzzer)
 */
typedef int campaign_finish_fn(struct campaign *s, void *self);
void drive_libfuzzer(struct campaign *s, campaign_finish_fn *finish, void *self) __attribute__((noreturn));

#endif
