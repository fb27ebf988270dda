/* html_page.h: what the HTML pages share: one file, no script, nothing from the network, light and dark by the reader's
 * setting. */
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
