/* progress_screen.h: the lines of a campaign on a terminal, and the numbers that all forms of progress share. */
#ifndef FUZZ_CAMPAIGN_PROGRESS_PROGRESS_SCREEN_H
#define FUZZ_CAMPAIGN_PROGRESS_PROGRESS_SCREEN_H

#include "graph/text.h"
#include "progress.h"

enum { CLOCK_TEXT = 32 };

/*
 * Draws the screen over the `lines` that are there.  The terminal has so many columns and rows.  Returns how many lines
 * there are now, fewer than rows.  No line is as wide as the terminal, so none wraps.
 */
int screen_draw(struct text *out, const struct progress *p, int lines, int width, int height);
/* Removes the lines; the cursor is then where the first of them began. */
void screen_erase(struct text *out, int lines);

/* "1:02:03": hours, minutes, seconds.  Returns `to`. */
const char *progress_clock(double seconds, char to[CLOCK_TEXT]);
/* Seconds until the limit that comes first; negative: not known. */
double progress_left(const struct progress *p);
double progress_percent(int64_t part, int64_t whole);
/* Cases a second. */
double progress_rate(const struct progress *p);
int64_t progress_restarts(const struct progress *p);

#endif
