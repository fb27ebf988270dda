/* html_page.c: head, style and foot of the HTML pages. */
#include "html_page.h"

#include "escape.h"

/* Colours are variables: the drawing of the graph uses them as well. */
static const char style[] =
    ":root{color-scheme:light dark;--ink:#1c1e22;--dim:#5d6570;--line:#e1e4e8;--paper:#fff;--wash:#f5f6f8;--bad:#b3261e;--bad-wash:#fcefed;--bad-line:#f0c9c4;"
    "--good:#14683c;--good-wash:#edf6f0;--good-line:#c4e0cf;--mark:#ffd3cc;--accent:#2558a0;--accent-wash:#e9f0fa;--const:#7a5b14}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e7e9ec;--dim:#9ba4af;--line:#2d3239;--paper:#131519;--wash:#1b1e24;--bad:#ff9d92;--bad-wash:#2e1a19;--bad-line:#5c302c;"
    "--good:#7fd3a1;--good-wash:#14261c;--good-line:#2b5040;--mark:#7a2f27;--accent:#8db6f2;--accent-wash:#18243a;--const:#d9b968}}\n"
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica Neue\",sans-serif}\n"
    "main{max-width:66rem;margin:0 auto;padding:clamp(1.1rem,4vw,3rem) clamp(1rem,4vw,2.5rem) 4rem}\n"
    "h1{font-size:clamp(1.15rem,.95rem + .9vw,1.5rem);line-height:1.3;font-weight:650;letter-spacing:-.011em;margin:.55rem 0 1.3rem;overflow-wrap:anywhere;text-wrap:pretty}\n"
    "h2{font-size:1.02rem;font-weight:650;margin:2.4rem 0 .7rem;letter-spacing:-.003em}\n"
    "p{margin:.5rem 0;max-width:46rem}\n"
    "code,pre,.num,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,\"Liberation Mono\",monospace}\n"
    "a{color:var(--accent);text-underline-offset:.15em}\n"
    ".dim{color:var(--dim)}\n"
    ".top{display:flex;flex-wrap:wrap;gap:.45rem .6rem;align-items:center;font-size:.86rem}\n"
    ".engine{font-weight:600;overflow-wrap:anywhere}\n"
    ".tag{border:1px solid var(--line);border-radius:99px;padding:.08rem .65rem;color:var(--dim);white-space:nowrap}\n"
    ".tag.bad{color:var(--bad);border-color:var(--bad-line);background:var(--bad-wash);font-weight:600}\n"
    ".pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,15rem),1fr));gap:.8rem}\n"
    ".card{border:1px solid var(--line);border-radius:.7rem;padding:.8rem 1rem .9rem;min-width:0}\n"
    ".card b{display:block;font-size:.8rem;font-weight:600;margin-bottom:.15rem}\n"
    ".card .num{font-size:clamp(1.15rem,1rem + .8vw,1.5rem);line-height:1.35;overflow-wrap:anywhere}\n"
    ".card.good{border-color:var(--good-line);background:var(--good-wash)}.card.good b{color:var(--good)}\n"
    ".card.bad{border-color:var(--bad-line);background:var(--bad-wash)}.card.bad b{color:var(--bad)}\n"
    "mark{background:var(--mark);color:inherit;border-radius:.18em;padding:0 .06em}\n"
    ".under{font-size:.88rem;color:var(--dim);margin:.6rem 0 0}\n"
    ".split{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:0 2rem;align-items:start}\n"
    ".split>*{min-width:0}\n"
    "pre{margin:0;padding:.85rem 1rem;background:var(--wash);border-radius:.6rem;overflow-x:auto;font-size:.84rem;line-height:1.6;tab-size:2}\n"
    "pre.run{white-space:pre-wrap;overflow-wrap:anywhere}\n"
    ".here{background:var(--mark);display:inline-block;min-width:100%;border-radius:.2em}\n"
    ".wide{overflow-x:auto;max-width:100%}\n"
    "table{border-collapse:collapse;font-size:.88rem;min-width:min(100%,20rem)}\n"
    "th{text-align:left;font-weight:600;font-size:.8rem;color:var(--dim);vertical-align:bottom}\n"
    "th,td{padding:.32rem 1.1rem .32rem 0;border-bottom:1px solid var(--line);vertical-align:top}\n"
    "tr:last-child td{border-bottom:0}\n"
    "th.num{font-family:inherit}\n"
    "td.num,th.num{text-align:right;font-variant-numeric:tabular-nums lining-nums;white-space:nowrap}\n"
    "td.num{font-size:.84rem}\n"
    "td.mono{font-size:.84rem;overflow-wrap:anywhere}\n"
    "tr.bad td.got,tr.bad td.verdict,.sign.bad{color:var(--bad);font-weight:600}\n"
    "tr.good td.verdict,.sign.good{color:var(--good)}\n"
    "ul.said{list-style:none;margin:0;padding:0;max-width:50rem}\n"
    "ul.said li{position:relative;padding:.2rem 0 .2rem 1.5rem}\n"
    "ul.said li::before{position:absolute;left:.1rem;color:var(--bad);content:\"\\25CF\";font-size:.7rem;top:.5rem}\n"
    "ul.said li.ruled-out{color:var(--dim)}ul.said li.ruled-out::before{content:\"\\2715\";color:var(--dim)}\n"
    "ul.said li.open::before{content:\"?\";color:var(--accent);font-weight:700;font-size:.9rem;top:.2rem}\n"
    ".note{border-left:3px solid var(--accent);background:var(--accent-wash);border-radius:0 .5rem .5rem 0;padding:.6rem 1rem;max-width:50rem;margin:.9rem 0}\n"
    ".note p{margin:.2rem 0}\n"
    "details{border-top:1px solid var(--line);padding:.55rem 0}\n"
    "details:last-of-type{border-bottom:1px solid var(--line)}\n"
    "summary{cursor:pointer;font-weight:600;font-size:.92rem}\n"
    "details>*:not(summary){margin-top:.6rem}\n"
    ".finding{border-top:1px solid var(--line);padding:1rem 0 .9rem}.finding p{margin:.35rem 0 0}.finding a{font-weight:600;text-decoration:none;overflow-wrap:anywhere}.finding a:hover{text-decoration:underline}\n"
    "footer{margin-top:2.6rem;padding-top:1rem;border-top:1px solid var(--line);font-size:.82rem;color:var(--dim);overflow-wrap:anywhere}\n"
    "svg{display:block;height:auto;max-width:100%}\n"
    "svg text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,\"Liberation Mono\",monospace;fill:var(--ink);text-anchor:middle}\n"
    "svg .l{font-weight:650;font-size:13px}svg .d{fill:var(--dim);font-size:11px}\n"
    "svg rect{fill:var(--paper);stroke:var(--line);stroke-width:1.2}\n"
    "svg .input rect,svg .param rect{fill:var(--accent-wash);stroke:var(--accent);stroke-opacity:.35}\n"
    "svg .op rect{stroke:var(--dim);stroke-opacity:.6}\n"
    "svg .constant rect{fill:none;stroke:none}svg .constant .l{fill:var(--const)}\n"
    "svg .result rect{fill:var(--ink);stroke:none}svg .result .l{fill:var(--paper)}\n"
    "svg .loop>rect{fill:var(--wash);stroke:var(--dim);stroke-opacity:.5}svg .region>rect{fill:var(--paper);stroke-dasharray:3 3}\n"
    "svg .here rect{fill:var(--bad-wash);stroke:var(--bad);stroke-opacity:1;stroke-width:1.8}\n"
    "svg path{fill:none;stroke:var(--dim);stroke-width:1.3}svg path.captured{stroke-dasharray:4 3;stroke:var(--accent)}svg marker path{fill:var(--dim);stroke:none}\n"
    "@media(max-width:34rem){th,td{padding-right:.7rem}table{font-size:.82rem}td.num,td.mono{font-size:.78rem}.pair{gap:.5rem}.card{padding:.55rem .8rem .65rem}h2{margin-top:1.9rem}}\n"
    "@media print{details>*{display:block}body{font-size:11pt}}\n";

void html_put(struct text *out, const char *text)
{
	text_put_escaped(out, ESCAPE_HTML, text);
}

void html_element(struct text *out, const char *tag, const char *class, const char *text)
{
	if (class)
		text_put(out, "<%s class=\"%s\">", tag, class);
	else
		text_put(out, "<%s>", tag);
	html_put(out, text);
	text_put(out, "</%s>", tag);
}

void html_begin(struct text *out, const char *title)
{
	text_put(out, "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';style-src 'unsafe-inline'\">\n<meta name=\"referrer\" content=\"no-referrer\">\n");
	html_element(out, "title", NULL, title);
	text_put(out, "\n<style>\n%s</style>\n<main>\n", style);
}

void html_end(struct text *out)
{
	text_put(out, "</main>\n</html>\n");
}
