"""The pages of scripts/scoreboard, from its data alone: equal data give equal bytes.

Usage: import it.  write_all() writes index.html, defects.html, how.html, engines/, families/ and findings/ below a folder.
"""
import collections
import html
import json
import re

# Families of graph/ops.def that readers look for together.
GROUPS = {
    "one operand": "unary",
    "two operands": "binary compare clamp select",
    "constants and casts": "constant iota cast",
    "reductions and sorting": "reduce cumulative argmax sort argsort",
    "matrix products": "matmul",
    "shapes": "broadcast_to reshape transpose reverse squeeze concatenate pad",
    "slices": "slice slice_scatter dynamic_slice dynamic_update_slice",
    "indices": "gather take_along_axis scatter scatter_apply masked_scatter",
    "control flow": "cond for while scan fixed_point checkpoint custom derivative",
}
GROUP_OF = {family: group for group, families in GROUPS.items() for family in families.split()}
# The columns of the first page, and which requests they hold.
ORDERS = ("primal", "jvp", "vjp", "order 2", "order 3 and above", "with batches")
# What is not a wrong answer, in the order of a cell; all other verdicts are findings.
KINDS = ("right", "wrong", "inaccurate", "convention", "undecided", "unsupported")
# Of a defect on an engine, the most telling first.
STATES = ("open", "a convention here", "right here", "not asked")
# What an engine did on a case of the corpus, in words for readers.
OUTCOMES = {"new": "wrong", "passed": "right or excused"}
KIND_OF = {"agree": "right", **{k: k for k in KINDS[2:]}}

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
.finding .values{font-size:.9rem;overflow-wrap:anywhere}
table.defects td{overflow-wrap:anywhere}table.defects td:first-child{min-width:13rem}
.finding details{font-size:.88rem}.finding pre{margin:.3rem 0 .6rem}
@media(max-width:34rem){.matrix tbody th{min-width:6.2rem;max-width:8rem;overflow-wrap:break-word;padding-right:.4rem}.matrix tbody th a{font-size:.8rem}.matrix tbody th .under{font-size:.72rem}.matrix td{min-width:3.9rem;padding:.25rem .4rem}}
"""


def engines(root):
    with open(root / "corpus/real/engines.jsonl", encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def known_defects(root):
    with open(root / "corpus/real/defects.jsonl", encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def family_of(root, said):
    """The row of engines.jsonl of an engine that calls itself so, or None."""
    return next((e for e in engines(root) if said in e["formats"]), None)


def format_of(root, said):
    """The format of `adjudge emit` that writes for it, or ""."""
    return (family_of(root, said) or {"formats": {}})["formats"].get(said, "")


def defects_of(root, said):
    """The known defects of an engine that calls itself so, in that mode."""
    name = (family_of(root, said) or {}).get("name")
    return [d for d in known_defects(root) if any(e["name"] == name and said in e.get("modes", [said]) for e in d["engines"])]


def esc(text):
    return html.escape(str(text), quote=True)


def plural(n, noun):
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def told_of(defects, unknown):
    """What follows the number of findings: how many known defects they are, and how many findings nobody has looked at."""
    return f": {plural(defects, 'known defect')}" + (f", and {plural(unknown, 'finding')} that nobody has looked at" if unknown else "") if defects else ""


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


# ---- counting ----

def kinds(cases):
    """{kind: cases} of {verdict: cases}."""
    out = collections.Counter()
    for verdict, n in cases.items():
        out[KIND_OF.get(verdict, "wrong")] += n
    return out


def order_of(request):
    levels = request.split(",")
    if "batch" in levels:
        return ORDERS[5]
    return request if len(levels) == 1 else ORDERS[3] if len(levels) == 2 else ORDERS[4]


def total(result, wanted):
    """The kinds of all cells of the matrix that are wanted."""
    out = collections.Counter()
    for cell in result["matrix"]:
        if wanted(cell):
            out += kinds(cell["cases"])
    return out


# ---- parts of pages ----

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


UNKNOWN = "On what it depends is not determined"  # says nothing to a reader
LONG = 400  # characters of a point that are shown


class Site:
    def __init__(self, folder, results, root, families, render):
        self.folder, self.root, self.families, self.render = folder, root, families, render
        self.results = sorted(results, key=lambda r: (r["builtin"], r["name"].lower()))
        css = (root / "reports/html_page.css").read_text(encoding="utf-8")
        self.style = css + STYLE
        self.reports = {r["name"]: {f["id"]: json.loads((folder / "data" / r["name"] / f"{f['id']}.json").read_text(encoding="utf-8")) for f in r["findings"]} for r in results}

    def page(self, path, title, body, up):
        nav = "".join(f"<a href=\"{up}{target}\">{text}</a>" for target, text in (("index.html", "Scoreboard"), ("defects.html", "Defects"), ("how.html", "How it was measured")))
        text = ("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';style-src 'unsafe-inline'\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
                f"<title>{esc(title)}</title>\n<style>\n{self.style}</style>\n<main>\n<nav class=\"top\">{nav}</nav>\n<h1>{esc(title)}</h1>\n{body}</main>\n</html>\n")
        self.write(path, text)

    @property
    def orders(self):
        """Those columns of ORDERS in which there is a case."""
        return [o for o in ORDERS if any(order_of(c["request"]) == o for r in self.results for c in r["matrix"])]

    def write(self, path, text):
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    # ---- what is known of an engine ----

    def family_name(self, result):
        """The name of the engine in defects.jsonl, or None."""
        return (family_of(self.root, result["said"]) or {}).get("name")

    def title(self, result):
        return f"{self.family_name(result) or result['said']} {result['version']}" if not result["builtin"] else result["name"]

    def known_of(self, result):
        """[(defect, its state here, its cases that fail here)]"""
        states = {r["case"]: r for r in result["replay"]}
        rows = []
        for d in defects_of(self.root, result["said"]):
            of = [self.state_of(states.get(f"corpus/real/{c['file']}"), d) for c in d["cases"]]
            rows.append((d, next((s for s in STATES if s in of), STATES[-1]), [c["file"] for c, s in zip(d["cases"], of) if s == STATES[0]]))
        return rows

    @staticmethod
    def state_of(row, defect):
        """What an outcome of the corpus says about a defect."""
        if row is None or row["state"] in ("undecided", "unsupported"):
            return STATES[3]
        if row["state"] in ("new", "flaky") or row["verdict"] == "inaccurate" and defect.get("inaccurate"):
            return STATES[0]
        return STATES[1 if row["verdict"] == "convention" else 2]

    def since(self, result, finding):
        """The first of the measured versions from which on the finding is there without a gap."""
        first = result["version"]
        for row in reversed(result["history"]):
            if finding["name"] not in row["findings"]:
                break
            first = row["version"]
        return first

    def known_as(self, result, finding):
        """The defects of corpus/real that this finding is: their cases show it, or it has one of the names that are noted there."""
        names = {finding["name"], *finding["also"]}
        return [d for d, _, files in self.known_of(result) if any(f"corpus/real/{f}" in finding["cases"] for f in files) or names & self.names_of(d, result)]

    def names_of(self, defect, result):
        """The names of findings that somebody looked at, and that are this defect too."""
        return {name for e in defect["engines"] if e["name"] == self.family_name(result) for name in e.get("findings", [])}

    def unknown(self, result):
        """The findings that are no known defect: nobody has looked at them yet."""
        return [f for f in result["findings"] if not self.known_as(result, f)]

    def defects_in(self, result):
        """How many known defects its findings are."""
        return len({d["program"] for f in result["findings"] for d in self.known_as(result, f)})

    # ---- pieces ----

    def upstream(self, d):
        if d["upstream"] == "not reported":
            return "no report upstream known"
        return ", ".join(("" if u["is"] == "same" else "related: ") + f"<a href=\"{esc(u['link'])}\">{esc('#' * ('/blob/' not in u['link']) + u['link'].rsplit('/', 1)[1])}</a>" for u in d["upstream"])

    def versions(self, d, name):
        return ", ".join(v for e in d["engines"] if e["name"] == name for v in e["faulty"])

    def finding(self, result, f, up):
        report = self.reports[result["name"]][f["id"]]
        shown = report.get("typical", report)
        known = self.known_as(result, f)
        name = f"{result['name']}-{f['id']}"
        data = f"{up}data/{result['name']}/"
        said = [f"<span class=\"tag bad\">{esc(f['verdict'])}</span>", f"<span class=\"tag\">{esc(shown['request'])}</span>", f"<code class=\"engine\">{esc(self.title(result))}</code>"]
        apart = f", as {f['findings_of_campaign']} findings" if f.get("findings_of_campaign", 0) > 1 else ""
        found = ", ".join(f"{by} ({n}{apart if by == 'the campaign' else ''})" if n > 1 else by for by, n in f["found_by"].items())
        also = [f"also as {esc(', '.join(f['also'][:4]))}" + (f" and {len(f['also']) - 4} more" if len(f["also"]) > 4 else "")] if f["also"] else []
        if not known and self.family_name(result):
            said.append("<span class=\"tag bad\">not looked at yet</span>")
        since = [f"since {esc(self.since(result, f))}"] if not known else list(dict.fromkeys(f"faulty in {esc(self.versions(d, self.family_name(result)))}: {self.upstream(d)}" for d in known))
        told = {key: shown[key].get("decimal", shown[key].get("value", shown[key].get("type", ""))) for key in ("expected", "returned") if isinstance(shown.get(key), dict)}
        if "expected" in told and told["expected"] == shown.get("returned", {}).get("type"):  # the type is right, and the right number is not known
            del told["expected"]
        value = ", ".join(f"{key} <code>{esc(number)}</code>" for key, number in told.items())
        links = [f"<a href=\"{data}{f['id']}.json\">case</a>"] + ([f"<a href=\"{data}{esc(f['source'])}\">reproducer</a>"] if f["source"] else [])
        title, _, cause = report.get("characterization", {}).get("cause", "").partition(". ")
        cause = "" if cause.startswith(UNKNOWN) else cause
        title = next((d["program"] for d in known), title.rstrip(".") or shown["summary"].rstrip("."))
        return (f"<section class=\"finding\" id=\"{f['id']}\">\n<div class=\"top\">{''.join(said)}</div>\n<p><a href=\"{up}findings/{esc(name)}.html\">"
                f"{esc(title)}</a></p>\n" + (f"<p>{esc(cause)}</p>\n" if cause else "") + (f"<p class=\"values\">{value}</p>\n" if value else "") + self.program("the smallest case", report) +
                (self.program("a typical case", report["typical"]) if "typical" in report else "") +
                f"<p class=\"under\">{' &middot; '.join(since + [f'found by {esc(found)}'] + also + links)}</p>\n</section>\n")

    @staticmethod
    def program(heading, shown):
        point = json.dumps(shown["case"]["points"][0], ensure_ascii=False)
        text = "\n".join([*shown["program"], f"at {point if len(point) < LONG else point[:LONG] + ' ...'}", f"request: {shown['request']}"])
        return f"<details><summary>{heading}</summary><pre>{esc(text)}</pre></details>\n"

    # ---- pages ----

    def index(self):
        others = [r for r in self.results if not r["builtin"]]
        own = [r for r in self.results if r["builtin"]]
        n, defects, unknown = sum(len(r["findings"]) for r in others), sum(self.defects_in(r) for r in others), sum(len(self.unknown(r)) for r in others)
        bad = [r["name"] for r in own if r["findings"] or r["campaign"]["disagreements"]]
        body = (f"<p>Engines of automatic differentiation differentiate small programs. Two oracles know the right derivatives, each with an error bound. "
                f"{plural(len(others), 'released engine')} {'shows' if len(others) == 1 else 'show'} <a href=\"defects.html\">{plural(n, 'finding')}</a>{told_of(defects, unknown)}. " +
                (f"{plural(len(own), 'built-in engine')}, known to be right, " + (f"<b>show findings: {esc(', '.join(bad))}</b>." if bad else "shows none." if len(own) == 1 else "show none.") if own else "") +
                " <a href=\"how.html\">How it was measured</a>.</p>\n" + KEY)
        for heading, rows in (("Engines by request", others), ("Built-in engines", own)):
            if not rows:
                continue
            body += f"<h2>{heading}</h2>\n" + table("engine", (*self.orders, "findings", "NaN by weak zeros"), [
                (self.row_head(r), [cell(total(r, lambda c, o=o: order_of(c["request"]) == o), f"engines/{r['name']}.html") for o in self.orders] + [self.count(r), self.leak_cell(r)]) for r in rows])
        body += "<h2>Families of ops by engine</h2>\n" + table("family", [f"<a href=\"engines/{esc(r['name'])}.html\">{esc(r['name'])}</a>" for r in others + own], [
            (f"<a href=\"families/{slug(g)}.html\">{esc(g)}</a>", [cell(total(r, lambda c, g=g: GROUP_OF[c["family"]] == g), f"families/{slug(g)}.html") for r in others + own]) for g in GROUPS])
        self.page("index.html", "Derivatives, judged", body, "")

    def row_head(self, r):
        version = "" if r["builtin"] else f"<p class=\"under\">{esc(self.title(r))}</p>"
        return f"<a href=\"engines/{esc(r['name'])}.html\">{esc(r['name'])}</a>{version}"

    def count(self, r):
        n = len(r["findings"])
        return f"<td class=\"{'bad' if n else 'ok'}\"><a href=\"engines/{esc(r['name'])}.html#findings\">{n}</a>"

    def engine(self, r):
        requests = list(dict.fromkeys(c["request"] for c in r["matrix"]))
        campaign, states = r["campaign"], collections.Counter(x["state"] for x in r["replay"])
        home = (family_of(self.root, r["said"]) or {}).get("repository")
        facts = (("version", r["version"]), ("judged by", f"adjudge {r['adjudge']}"), ("random cases", f"{campaign['cases']:,}, seed {int(campaign['seed'], 16)}"),
                 ("decided of those asked", f"{campaign['decided']:,} of {campaign['asked']:,}"),
                 ("verdicts", ", ".join(f"{n:,} {v}" for v, n in sorted(campaign["verdicts"].items()))),
                 ("cases of the corpus", ", ".join(f"{n:,} {OUTCOMES.get(s, s)}" for s, n in sorted(states.items()))))
        body = "<dl class=\"facts\">" + "".join(f"<div><dt>{esc(k)}</dt><dd>{esc(v)}</dd></div>" for k, v in facts) + (f"<div><dt>repository</dt><dd><a href=\"{esc(home)}\">{esc(home.split('//')[1])}</a></dd></div>" if home else "") + "</dl>\n<h2>Families of ops by request</h2>\n" + KEY
        body += table("family", [esc(q.replace(",", ", ")) for q in requests], [
            (f"<a href=\"../families/{slug(g)}.html\">{esc(g)}</a>", [cell(total(r, lambda c, g=g, q=q: GROUP_OF[c["family"]] == g and c["request"] == q)) for q in requests]) for g in GROUPS])
        body += self.leaks(r) + f"<h2 id=\"findings\">{plural(len(r['findings']), 'finding')}{told_of(self.defects_in(r), len(self.unknown(r)))}</h2>\n"
        body += "".join(self.finding(r, f, "../") for f in r["findings"]) or "<p>None.</p>\n"
        gone = [(row["version"], f) for row in r["history"][:-1] for f in row["findings"] if f not in r["history"][-1]["findings"]]
        if gone:
            body += "<h2>Gone</h2>\n<ul>\n" + "".join(f"<li>{esc(f)}: last seen in {esc(v)}\n" for v, f in gone) + "</ul>\n"
        known = self.known_of(r)
        if known:
            body += ("<h2>Defects known before</h2>\n<div class=\"wide\"><table class=\"defects\"><tr><th>program, request<th>expected<th>returned<th>faulty in<th>here<th>upstream\n" +
                     "".join(f"<tr><td>{esc(d['program'])}<td>{esc(d['expected'])}<td>{esc(d['returned'])}<td>{esc(self.versions(d, self.family_name(r)))}<td>"
                             f"<span class=\"tag {'bad' if state == 'open' else 'ok' if state == 'right here' else ''}\">{state}</span><td>{self.upstream(d)}\n" for d, state, _ in known) + "</table></div>\n")
        self.page(f"engines/{r['name']}.html", self.title(r) if r["builtin"] else f"{self.title(r)} ({r['name']})", body, "../")

    def leak_cell(self, r):
        leak = r.get("weak_zeros")
        return "<td class=\"warn\">" + plural(leak["matrix"] + leak["campaign"], "case") if leak else "<td class=\"ok\">none"

    def leaks(self, r):
        leak = r.get("weak_zeros")
        if not leak:
            return "<h2>NaN by weak zeros</h2>\n<p>None was seen.</p>\n"
        said = "The engine says so itself, so this is no finding." if leak["declared"] else "The engine does not say so, so this is a finding."
        return (f"<h2>NaN by weak zeros</h2>\n<p>Its zeros multiply like any number: 0 times infinity out of a branch not taken is NaN. {plural(leak['matrix'], 'case')} of the matrix, "
                f"{plural(leak['campaign'], 'random case')}. {'First seen in ' + esc(leak['first']) + '. ' if leak['first'] else ''}{said} {'The smallest case:' if leak['program'] else ''}</p>\n" + (f"<pre>{esc(leak['program'])}</pre>\n" if leak["program"] else ""))

    def family(self, group):
        ops = [op for op, family in self.families.items() if GROUP_OF[family] == group]
        names = [f"<a href=\"../engines/{esc(r['name'])}.html\">{esc(r['name'])}</a>" for r in self.results]
        body = KEY + "<h2>Requests</h2>\n" + table("engine", self.orders, [
            (name, [cell(total(r, lambda c, o=o: GROUP_OF[c["family"]] == group and order_of(c["request"]) == o)) for o in self.orders]) for name, r in zip(names, self.results)])
        asked = {c["op"] for r in self.results for c in r["matrix"]}
        body += "<h2>Ops</h2>\n" + table("op", names, [(esc(op), [cell(total(r, lambda c, op=op: c["op"] == op)) for r in self.results]) for op in ops if op in asked])
        body += "".join(f"<p class=\"under\">No engine here was asked about {esc(', '.join(left))}, alone.</p>\n" for left in [[op for op in ops if op not in asked]] if left)
        shown = [(r, f) for r in self.results for f in r["findings"] if set(f["name"].split("|")[2].split("+")) & set(ops)]
        body += "<h2>Findings</h2>\n" + ("".join(self.finding(r, f, "../") for r, f in shown) or "<p>None.</p>\n")
        self.page(f"families/{slug(group)}.html", f"Ops: {group}", body, "../")

    def defects(self):
        body = "<p>Every finding of every engine, each with its smallest case.</p>\n"
        for r in self.results:
            if r["findings"]:
                body += f"<h2>{esc(self.title(r))}</h2>\n" + "".join(self.finding(r, f, "") for f in r["findings"])
        self.page("defects.html", "All defects", body, "")

    def how(self):
        own = [r for r in self.results if r["builtin"]]
        body = "".join(f"<p>{p}</p>\n" for p in HOW)
        body += "<h2>What was run</h2>\n<div class=\"wide\"><table><tr><th>engine<th>version<th>adjudge<th class=\"num\">cases of a cell<th>campaign<th class=\"num\">random cases<th class=\"num\">corpus<th class=\"num\">findings\n"
        for r in self.results:
            o = r["options"]
            body += (f"<tr><td><a href=\"engines/{esc(r['name'])}.html\">{esc(r['name'])}</a><td>{esc(r['version'])}<td>{esc(r['adjudge'])}<td class=\"num\">{o['cases']}"
                     f"<td>{esc(o['time'])}{' cases' if str(o['time']).isdigit() else ''}, seed {o['seed']}<td class=\"num\">{r['campaign']['cases']:,}<td class=\"num\">{len(r['replay']):,}<td class=\"num\">{len(r['findings'])}\n")
        body += "</table></div>\n<h2>The same for engines that are right</h2>\n<p>adjudge brings engines of its own, which are right. They are measured like the others: a finding here would be a false alarm.</p>\n<ul>\n"
        body += "".join(f"<li>{esc(r['name'])}: {r['campaign']['cases']:,} random cases, {sum(total(r, lambda c: True).values()):,} cases of the matrix, {len(r['replay']):,} of the corpus, "
                        f"{len(r['findings'])} findings, {r['campaign']['disagreements']} disagreements of the oracles\n" for r in own) + "</ul>\n"
        self.page("how.html", "How it was measured", body, "")

    def finding_pages(self):
        for r in self.results:
            for f in r["findings"]:
                text = self.render(self.folder / "data" / r["name"] / f"{f['id']}.json")
                nav = f"<nav class=\"top\"><a href=\"../index.html\">Scoreboard</a><a href=\"../engines/{esc(r['name'])}.html\">{esc(self.title(r))}</a><a href=\"../data/{esc(r['name'])}/{f['id']}.json\">Case</a>"
                nav += f"<a href=\"../data/{esc(r['name'])}/{esc(f['source'])}\">Reproducer</a>" if f["source"] else ""
                self.write(f"findings/{r['name']}-{f['id']}.html", text.replace("<main>\n", f"<main>\n{nav}</nav>\n", 1))


HOW = (
    "Each engine answers three sets of cases. The <b>matrix</b> holds small programs around each op that the engine knows, in each request and dtype: inside the domain, on its edges, at special operands, and with an operand used once more beside the op. "
    "The <b>campaign</b> holds random programs with loops, branches and scatters. The <b>corpus</b> holds cases that once showed a bug somewhere.",
    "Two oracles compute the truth in high precision. Each expected number has an error bound, derived from stated assumptions about floating-point arithmetic. An answer is <b>wrong</b> only outside it. "
    "At a kink any published <b>convention</b> is accepted. An answer that is worse than the best formulas, but no worse than the usual ones, is <b>inaccurate</b>. "
    "A case that the oracles cannot settle is <b>undecided</b>, and counts for nobody. What an engine does not have is <b>unsupported</b>.",
    "Some wrong answers have names of their own. <b>wrong-primal</b>: the value is wrong already. <b>nan-leak</b>: NaN where a number is right. <b>bad-shape</b>, <b>bad-dtype</b>: a result of another type. "
    "<b>crash</b>, <b>hang</b>, <b>oom</b>: no answer at all.",
    "The matrix counts cases, with all dtypes and points of a request together. A failing case is made smaller until nothing can be left out. Failing cases with the same request, ops and kind of failure are one finding. "
    "Experiments around it say what matters.",
    "Each program that is shown was answered wrongly by a fresh process of the engine.",
)


def write_all(folder, results, root, families, render):
    """render: the page of a report, as text, from its path."""
    site = Site(folder, results, root, families, render)
    for part in ("engines", "families", "findings"):
        for old in (folder / part).glob("*.html"):
            old.unlink()
    site.index()
    site.defects()
    site.how()
    site.finding_pages()
    for r in site.results:
        site.engine(r)
    for group in GROUPS:
        site.family(group)


if __name__ == "__main__":
    print(__doc__)
