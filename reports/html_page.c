/* html_page.c: head, style and foot of the HTML pages. */
#include "html_page.h"

#include <stdarg.h>

#include "escape.h"

/* The colours are CSS variables, which the drawing of the graph uses too. */
static const char style[] =
#include "reports/html_page_css.h"
    ;

void html_put(struct text *out, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	text_put_template(out, ESCAPE_HTML, format, list);
	va_end(list);
}

void html_element(struct text *out, const char *tag, const char *class, const char *text)
{
	if (class)
		text_put(out, "<%s class=\"%s\">", tag, class);
	else
		text_put(out, "<%s>", tag);
	html_put(out, "%s", text);
	text_put(out, "</%s>", tag);
}

void html_begin(struct text *out, const char *title)
{
	text_put(out,
	    "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
	    "content=\"width=device-width,initial-scale=1\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';style-src "
	    "'unsafe-inline'\">\n<meta name=\"referrer\" content=\"no-referrer\">\n");
	html_element(out, "title", NULL, title);
	text_put(out, "\n<style>\n%s</style>\n<main>\n", style);
}

void html_end(struct text *out) { text_put(out, "</main>\n</html>\n"); }
