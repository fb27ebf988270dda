/* html_page.h: the frame of all HTML pages.  A page is one file without scripts and loads nothing from the network; it
 * is light or dark by the reader's setting. */
#ifndef REPORTS_HTML_PAGE_H
#define REPORTS_HTML_PAGE_H

#include "graph/text.h"

/* Up to and including <main>.  title: any text. */
void html_begin(struct text *out, const char *title);
void html_end(struct text *out);
/* As text_put_template. */
void html_put(struct text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* <TAG class="CLASS">text</TAG>; class may be NULL. */
void html_element(struct text *out, const char *tag, const char *class, const char *text);

#endif
