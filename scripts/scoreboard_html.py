"""The parts that the pages of scripts/scoreboard are made of: style, escaped text, tables of counts.

Usage: import it.
"""
import html
import re

from scoreboard_counts import KINDS

STYLE = """
main{max-width:84rem}
.matrix td,.matrix th{padding:.3rem .6rem;border:1px solid var(--line);font-size:.82rem;vertical-align:top}
.matrix tr:last-child td{border-bottom:1px solid var(--line)}
.matrix thead th{vertical-align:bottom;line-height:1.3}
.matrix tbody th{position:sticky;left:0;background:var(--paper);text-align:left;color:var(--ink);font-size:.86rem;z-index:1;min-width:8rem}
.matrix td{text-align:right;font-variant-numeric:tabular-nums;line-height:1.35;min-width:4.6rem}
.matrix td a{color:inherit;text-decoration:none}.matrix td a:hover{text-decoration:underline}
.matrix small{display:block;font-size:.74rem;color:var(--dim);white-space:nowrap}
.matrix .ok{background:var(--good-wash)}.matrix .bad{background:var(--bad-wash)}.matrix .bad small.wrong{color:var(--bad);font-weight:600}
.matrix .warn{background:var(--accent-wash)}.matrix .none{color:var(--dim)}
.matrix tbody th .under{margin:0;font-weight:400;font-size:.76rem}
.matrix th a{text-decoration:none}.matrix th a:hover{text-decoration:underline}
.wide{border-radius:.3rem}
.key{display:flex;flex-wrap:wrap;gap:.3rem .5rem;font-size:.82rem;margin:.8rem 0}
.key span{border:1px solid var(--line);border-radius:.3rem;padding:.05rem .5rem}
.key .ok{background:var(--good-wash)}.key .bad{background:var(--bad-wash)}.key .warn{background:var(--accent-wash)}.key .none{color:var(--dim)}
.tag.ok{color:var(--good);border-color:var(--good-line);background:var(--good-wash)}
.finding summary{font-weight:400;overflow-wrap:anywhere}.finding details{padding:.3rem 0}
table.defects td{overflow-wrap:anywhere}table.defects td:first-child{min-width:13rem}
.finding details{font-size:.88rem}.finding pre{margin:.3rem 0 .6rem}
@media(max-width:34rem){.matrix tbody th{min-width:6.2rem;max-width:8rem;overflow-wrap:break-word;padding-right:.4rem}.matrix tbody th a{font-size:.8rem}.matrix tbody th .under{font-size:.72rem}.matrix td{min-width:3.9rem;padding:.25rem .4rem}}
"""


def esc(text):
    return html.escape(str(text), quote=True)


def plural(n, noun):
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def cell(k, link=None):
    if not sum(k.values()):
        return "<td class=\"none\">"
    look = "bad" if k["wrong"] else "warn" if k["inaccurate"] else "ok" if k["right"] else "none"
    right = f"{k['right']:,}"
    body = f"<a href=\"{esc(link)}\">{right}</a>" if link else right
    return f"<td class=\"{look}\">{body}" + "".join(f"<small class=\"{kind}\">{k[kind]:,} {kind}</small>" for kind in KINDS[1:] if k[kind])


def table(corner, columns, rows):
    """columns: HTML; rows: [(HTML of the head, [cells])]."""
    head = "".join(f"<th scope=\"col\">{c}" for c in (corner, *columns))
    body = "\n".join(f"<tr><th scope=\"row\">{name}{''.join(cells)}" for name, cells in rows)
    return f"<div class=\"wide\" tabindex=\"0\"><table class=\"matrix\"><thead><tr>{head}</thead>\n<tbody>\n{body}\n</tbody></table></div>\n"


KEY = ("<p class=\"key\"><span class=\"ok\">cases with the right answer</span><span class=\"bad\">some wrong</span><span class=\"warn\">some inaccurate</span>"
       "<span class=\"none\">none right: a convention, undecided or unsupported</span></p>\n")


if __name__ == "__main__":
    print(__doc__)
