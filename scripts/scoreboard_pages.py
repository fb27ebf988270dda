"""The pages of scripts/scoreboard, from its data alone: equal data give equal bytes.

Usage: import it.  write_all() writes index.html, defects.html, dead-branches.html, how.html, engines/, families/, findings/ and known/ below a folder.
"""
import collections
import json
import re
import shutil

import real_corpus
import scoreboard_leaks
from scoreboard_counts import GROUP_OF, GROUPS, ORDERS, OUTCOMES, STATES, first_seen, order_of, total
from scoreboard_html import KEY, STYLE, cell, esc, plural, slug, table

UNKNOWN = "On what it depends is not determined"  # says nothing to a reader
LONG = 400  # characters of a line of a program that are shown
PROVENANCE = ("title: ", "comment: ", "source: ", "expected of ")  # lines of `adjudge show` that are no part of a program


def told_of(defects, unknown):
    """What follows the number of findings: how many known defects they are, and how many findings nobody has looked at."""
    return f": {plural(defects, 'known defect')}" + (f", and {plural(unknown, 'finding')} that nobody has looked at" if unknown else "") if defects else ""


class Site:
    def __init__(self, folder, results, root, families, render, show):
        self.folder, self.families, self.render, self.show = folder, families, render, show
        self.results = sorted(results, key=lambda r: (r["builtin"], r["name"].lower()))
        css = (root / "reports/html_page.css").read_text(encoding="utf-8")
        self.style = css + STYLE
        self.texts, self.known_names = {}, {}
        for d in real_corpus.defects():
            stem = d["cases"][0]["file"].removesuffix(".json")
            n = sum(name == stem or re.fullmatch(re.escape(stem) + r"-\d+", name) is not None for name in self.known_names.values())
            self.known_names[json.dumps(d, sort_keys=True)] = f"{stem}-{n + 1}" if n else stem
        self.reports = {r["name"]: {f["id"]: json.loads((folder / "data" / r["name"] / f"{f['id']}.json").read_text(encoding="utf-8")) for f in r["findings"]} for r in results}

    def page(self, path, title, body, up):
        nav = "".join(f"<a href=\"{up}{target}\">{text}</a>" for target, text in (("index.html", "Scoreboard"), ("defects.html", "Defects"), ("dead-branches.html", "Dead branches"), ("how.html", "How it was measured")))
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
        return (real_corpus.family_of(result["said"]) or {}).get("name")

    def title(self, result):
        return f"{self.family_name(result) or result['said']} {result['version']}" if not result["builtin"] else result["name"]

    def known_of(self, result):
        """[(defect, its state here, its cases that fail here)]"""
        states = {r["case"]: r for r in result["replay"]}
        rows = []
        for d in real_corpus.defects_of(result["said"]):
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

    def seen(self, d, name):
        """The first and the last version that is known to have a defect, and whether it is fixed."""
        faulty = [v for e in d["engines"] if e["name"] == name for v in e["faulty"]]
        right = [v for e in d["engines"] if e["name"] == name for v in e.get("right", [])]
        range_ = faulty[0] if len(faulty) == 1 else f"{faulty[0]} to {faulty[-1]}" if faulty else ""
        return f"seen in {range_}, {d['status']}" + (f"; right in {', '.join(right)}" if right else "")

    def known_page(self, d):
        """The page of a known defect, below the folder."""
        return f"known/{self.known_names[json.dumps(d, sort_keys=True)]}.html"

    def option(self, result):
        """The option of adjudge that names an engine, as it is typed in the checkout."""
        name, made = result["name"], result.get("made_by", "")
        return f"--engine \"{name}=$(scripts/engines {made})\"" if made else f"--engine {name}" if result["builtin"] else f"--engine \"{name}=SPEC\""

    def finding(self, result, f, up):
        report = self.reports[result["name"]][f["id"]]
        shown = report.get("typical", report)
        known = self.known_as(result, f)
        name = f"{result['name']}-{f['id']}"
        said = [f"<span class=\"tag bad\">{esc(f['verdict'])}</span>", f"<span class=\"tag\">{esc(shown['request'])}</span>", f"<code class=\"engine\">{esc(self.title(result))}</code>"]
        apart = f", as {f['findings_of_campaign']} findings" if f.get("findings_of_campaign", 0) > 1 else ""
        found = ", ".join(f"{by} ({n}{apart if by == 'the campaign' else ''})" if n > 1 else by for by, n in f["found_by"].items())
        also = [f"also as {esc(', '.join(f['also'][:4]))}" + (f" and {len(f['also']) - 4} more" if len(f["also"]) > 4 else "")] if f["also"] else []
        if not known and self.family_name(result):
            said.append("<span class=\"tag bad\">not looked at yet</span>")
        first, last = first_seen(result["history"], f, result["version"]), result["version"]
        since = [f"seen here in {esc(first)}" + (f" to {esc(last)}" if last != first else "") + ", open"]
        since += dict.fromkeys(f"<a href=\"{up}{esc(self.known_page(d))}\">known</a>: {esc(self.seen(d, self.family_name(result)))}: {self.upstream(d)}" for d in known)
        title, _, cause = report.get("characterization", {}).get("cause", "").partition(". ")
        cause = "" if cause.startswith(UNKNOWN) else cause
        title = next((d["program"] for d in known), title.rstrip(".") or shown["summary"].rstrip("."))
        return (f"<section class=\"finding\" id=\"{f['id']}\">\n<div class=\"top\">{''.join(said)}</div>\n<p><a href=\"{up}findings/{esc(name)}.html\">"
                f"{esc(title)}</a></p>\n" + (f"<p>{esc(cause)}</p>\n" if cause else "") + self.case("the smallest case", report["case"], self.told(report)) +
                (self.case("a typical case", report["typical"]["case"], self.told(report["typical"])) if "typical" in report else "") + self.run_it(result, f"{f['id']}.json", "") +
                f"<p class=\"under\">{' &middot; '.join(since + [f'found by {esc(found)}'] + also + self.files(result, f, up))}</p>\n</section>\n")

    def files(self, result, f, up):
        """Links to the case and to the program for the engine alone."""
        data = f"{up}data/{esc(result['name'])}/"
        return [f"<a href=\"{data}{esc(f.get('file', f.get('id', '') + '.json'))}\">case</a>"] + ([f"<a href=\"{data}{esc(f['source'])}\">reproducer</a>"] if f.get("source") else [])

    def run_it(self, result, file, option):
        """How to run a case again, where the pages lie in the folder `site` of a checkout."""
        command = f"build/adjudge run site/data/{result['name']}/{file}{option} {self.option(result)}"
        return f"<details><summary>run it</summary><pre class=\"run\">{esc(command)}</pre><p class=\"under\">In a checkout of adjudge, with these pages in its folder <code>site</code>.</p></details>\n"

    @staticmethod
    def told(shown):
        """What was expected and what was returned, where both are known."""
        told = {key: shown[key].get("decimal", shown[key].get("value", shown[key].get("type", ""))) for key in ("expected", "returned") if isinstance(shown.get(key), dict)}
        if "expected" in told and told["expected"] == shown.get("returned", {}).get("type"):  # the type is right, and the right number is not known
            del told["expected"]
        return told

    def case(self, heading, case, told, opened=False):
        """A program, its points with decimal numbers, and what the engine makes of it."""
        value = ", ".join(f"{key} <code>{esc(number)}</code>" for key, number in told.items())
        return f"<details{' open' if opened else ''}><summary>{heading}{': ' + value if value else ''}</summary><pre>{esc(self.text_of(case))}</pre></details>\n"

    def text_of(self, case):
        key = json.dumps(case)
        if key not in self.texts:
            lines = [line for line in self.show(key).splitlines() if not line.startswith(PROVENANCE)]
            self.texts[key] = "\n".join(line if len(line) < LONG else line[:LONG] + " ..." for line in lines)
        return self.texts[key]

    # ---- NaN of weak zeros ----

    def dead(self, r):
        """("NaN", "clean" or "not asked", what is known of the smallest case or None)."""
        dead, leak = r.get("dead_branches"), r.get("weak_zeros") or {}
        if dead and dead["nan"]:
            return "NaN", dead
        if leak.get("branch"):  # of programs that those cases do not cover
            return "NaN", leak
        return ("clean" if dead and dead["asked"] else "not asked"), None

    def dead_cell(self, r):
        state, _ = self.dead(r)
        return f"<td class=\"{ {'NaN': 'bad', 'clean': 'ok'}.get(state, 'none')}\"><a href=\"dead-branches.html#{esc(r['name'])}\">{state}</a>"

    def leak_cell(self, r):
        leak = self.other_leak(r)
        if r.get("weak_zeros") and not leak:
            return f"<td class=\"none\"><a href=\"engines/{esc(r['name'])}.html#weak-zeros\">not told apart</a>"
        return "<td class=\"warn\">" + f"<a href=\"engines/{esc(r['name'])}.html#weak-zeros\">{plural(leak['matrix'] + leak['campaign'], 'case')}</a>" if leak else "<td class=\"ok\">none"

    def other_leak(self, r):
        """The NaNs of weak zeros of an engine that are not known to come out of a dead branch, or None."""
        leak = r.get("weak_zeros")
        return leak if leak and "dead_branches" in r and not leak.get("branch") else None

    def leak_case(self, r, leak, up):
        case = json.loads((self.folder / "data" / r["name"] / leak["file"]).read_text(encoding="utf-8"))
        told = {key: leak[key] for key in ("expected", "returned") if leak.get(key) is not None}
        return self.case("the smallest case", case, told, opened=True) + self.run_it(r, leak["file"], " --strict") + f"<p class=\"under\">{' &middot; '.join(self.files(r, leak, up))}</p>\n"

    def dead_entry(self, r, up):
        """The one entry of an engine whose dead branches give NaN."""
        _, dead = self.dead(r)
        counted = f"NaN in {dead['nan']} of {plural(dead['asked'], 'case')} that ask for it. " if "nan" in dead else f"Seen in {dead['first']}. "
        declared = (r.get("weak_zeros") or {}).get("declared")
        said = "" if declared is None else "Its adapter declares this habit, so it is no finding." if declared else "Its adapter does not declare this habit, so it is a finding."
        return (f"<section class=\"finding\" id=\"{esc(r['name'])}\">\n<div class=\"top\"><span class=\"tag bad\">NaN</span><span class=\"tag\">{esc(dead.get('request', ''))}</span>"
                f"<code class=\"engine\"><a href=\"{up}engines/{esc(r['name'])}.html\">{esc(self.title(r))}</a></code></div>\n<p>{esc(counted)}{said}</p>\n" + self.leak_case(r, dead, up) + "</section>\n")

    def dead_branches(self):
        states = [(r, self.dead(r)[0]) for r in self.results]
        body = ("<p>In <code>where(x &gt; 0, sqrt(x), 0)</code> at 0 the branch with the root is dead, and the gradient is 0. The partial of the root is infinite there. "
                "Engines that multiply it by the zero of the dead branch return NaN.</p>\n<p>Every engine is asked for the root, the logarithm and the reciprocal, as a number and as a vector, backwards and forwards. "
                "It has one entry, with the smallest case that gives NaN. Forms after <a href=\"https://github.com/tensorflow/tensorflow/issues/118674\">tensorflow/tensorflow#118674</a>.</p>\n")
        body += f"<h2>{plural(sum(s == 'NaN' for _, s in states), 'engine')} with NaN</h2>\n" + ("".join(self.dead_entry(r, "") for r, s in states if s == "NaN") or "<p>None.</p>\n")
        for wanted, heading in (("clean", "Clean"), ("not asked", "Not asked")):
            listed = [r for r, s in states if s == wanted]
            if listed:
                body += f"<h2>{heading}</h2>\n<ul>\n" + "".join(f"<li id=\"{esc(r['name'])}\"><a href=\"engines/{esc(r['name'])}.html\">{esc(self.title(r))}</a> ({esc(r['name'])})" +
                                                               (f": {plural(r['dead_branches']['asked'], 'case')}, none NaN" if wanted == "clean" else "") + "\n" for r in listed) + "</ul>\n"
        self.page("dead-branches.html", "NaN out of a dead branch", body, "")

    def leaks(self, r):
        state, dead = self.dead(r)
        body = "<h2 id=\"dead-branch\">NaN out of a dead branch</h2>\n"
        if state == "NaN":
            body += self.dead_entry(r, "../")
        else:
            body += f"<p>{'Clean: ' + plural(r['dead_branches']['asked'], 'case') + ' ask for it, none is NaN' if state == 'clean' else 'The engine was not asked for it'}. <a href=\"../dead-branches.html\">What is asked</a>.</p>\n"
        leak = self.other_leak(r)
        body += "<h2 id=\"weak-zeros\">Other NaN of weak zeros</h2>\n"
        if not leak:
            seen = r.get("weak_zeros")
            return body + ("<p>" + (f"{plural(seen['matrix'], 'case')} of the matrix and {plural(seen['campaign'], 'random case')} were NaN by a weak zero. They are counted together with those out of dead branches."
                                    if seen else "None was seen.") + "</p>\n")
        said = "Its adapter declares this habit, so it is no finding." if leak["declared"] else "Its adapter does not declare this habit, so it is a finding."
        return body + (f"<p>0 times infinity is NaN here without a branch, where a power or a root of 0 is differentiated, for example. {plural(leak['matrix'], 'case')} of the matrix, "
                       f"{plural(leak['campaign'], 'random case')}" + (", those out of dead branches among them" if state == "NaN" else "") +
                       f". {'First seen in ' + esc(leak['first']) + '. ' if leak['first'] else ''}{said}</p>\n" + (self.leak_case(r, leak, "../") if leak.get("file") else ""))

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
            body += f"<h2>{heading}</h2>\n" + table("engine", (*self.orders, "findings", "NaN out of a dead branch", "other NaN of weak zeros"), [
                (self.row_head(r), [cell(total(r, lambda c, o=o: order_of(c["request"]) == o), f"engines/{r['name']}.html") for o in self.orders] + [self.count(r), self.dead_cell(r), self.leak_cell(r)]) for r in rows])
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
        home = (real_corpus.family_of(r["said"]) or {}).get("repository")
        facts = (("version", r["version"]), ("judged by", f"adjudge {r['adjudge']}"), ("random cases", f"{campaign['cases']:,}, seed {int(campaign['seed'], 16)}"),
                 ("decided of those asked", f"{campaign['decided']:,} of {campaign['asked']:,}"),
                 ("verdicts", ", ".join(f"{n:,} {v}" for v, n in sorted(campaign["verdicts"].items()))),
                 ("cases of the corpus", ", ".join(f"{n:,} {OUTCOMES.get(s, s)}" for s, n in sorted(states.items()))))
        body = "<dl class=\"facts\">" + "".join(f"<div><dt>{esc(k)}</dt><dd>{esc(v)}</dd></div>" for k, v in facts) + (f"<div><dt>repository</dt><dd><a href=\"{esc(home)}\">{esc(home.split('//')[1])}</a></dd></div>" if home else "") + "</dl>\n<h2>Families of ops by request</h2>\n" + KEY
        body += table("family", [esc(q.replace(",", ", ")) for q in requests], [
            (f"<a href=\"../families/{slug(g)}.html\">{esc(g)}</a>", [cell(total(r, lambda c, g=g, q=q: GROUP_OF[c["family"]] == g and c["request"] == q)) for q in requests]) for g in GROUPS])
        body += self.leaks(r) + f"<h2 id=\"findings\">{plural(len(r['findings']), 'finding')}{told_of(self.defects_in(r), len(self.unknown(r)))}</h2>\n"
        body += "".join(self.finding(r, f, "../") for f in r["findings"]) or "<p>None.</p>\n"
        body += self.gone(r)
        known = self.known_of(r)
        if known:
            name = self.family_name(r)
            body += ("<h2>Defects known before</h2>\n<div class=\"wide\"><table class=\"defects\"><tr><th>program, request<th>expected<th>returned<th>versions<th>here<th>upstream\n" +
                     "".join(f"<tr><td><a href=\"../{esc(self.known_page(d))}\">{esc(d['program'])}</a><td>{esc(d['expected'])}<td>{esc(d['returned'])}<td>{esc(self.seen(d, name))}<td>"
                             f"<span class=\"tag {'bad' if state == 'open' else 'ok' if state == 'right here' else ''}\">{state}</span><td>{self.upstream(d)}\n" for d, state, _ in known) + "</table></div>\n")
        self.page(f"engines/{r['name']}.html", self.title(r) if r["builtin"] else f"{self.title(r)} ({r['name']})", body, "../")

    def gone(self, r):
        """What older runs saw and the newest does not."""
        listed = r.get("gone", [])
        left = {name for row in r["history"][:-1] for name in row["findings"]} - set(r["history"][-1]["findings"]) - {f["name"] for f in listed}
        listed = listed + [{"name": name, "first": next(row["version"] for row in r["history"] if name in row["findings"]),
                            "last": [row["version"] for row in r["history"] if name in row["findings"]][-1]} for name in sorted(left)]
        if not listed:
            return ""
        rows = "".join(f"<tr><td>{esc(f['name'])}<td>{esc(f['first'])}<td>{esc(f['last'])}<td>{'fixed' if f['last'] != r['version'] else 'not seen again'}: not seen in {esc(r['version'])}<td>"
                       f"{' &middot; '.join(self.files(r, f, '../')) if 'id' in f else ''}\n" for f in listed)
        return f"<h2>Not seen any more</h2>\n<div class=\"wide\"><table class=\"defects\"><tr><th>finding<th>first seen in<th>last seen in<th>now<th>files\n{rows}</table></div>\n"

    def known_pages(self):
        """A page for each known defect of an engine that is shown, with copies of its cases and the text of its issue."""
        shown = {}
        for r in self.results:
            for d, state, _ in self.known_of(r):
                shown.setdefault(self.known_page(d), (d, []))[1].append((r, state))
        for path, (d, here) in shown.items():
            body = f"<dl class=\"facts\"><div><dt>expected</dt><dd>{esc(d['expected'])}</dd></div><div><dt>returned</dt><dd>{esc(d['returned'])}</dd></div><div><dt>state</dt><dd>{esc(d['status'])}</dd></div></dl>\n"
            body += f"<p>{esc(d['mechanism'])}</p>\n" if d.get("mechanism") else ""
            body += f"<p>Upstream: {self.upstream(d)}.</p>\n<h2>Versions</h2>\n<ul>\n" + "".join(f"<li>{esc(e['name'])}: {esc(self.seen({**d, 'engines': [e]}, e['name']))}\n" for e in d["engines"]) + "</ul>\n"
            body += "<h2>On this scoreboard</h2>\n<ul>\n" + "".join(f"<li><a href=\"../engines/{esc(r['name'])}.html\">{esc(self.title(r))}</a> ({esc(r['name'])}): {state}\n" for r, state in here) + "</ul>\n"
            for file in dict.fromkeys(c["file"] for c in d["cases"]):
                self.write(f"known/{file}", (real_corpus.REAL / file).read_text(encoding="utf-8"))
                text = self.text_of(json.loads((real_corpus.REAL / file).read_text(encoding="utf-8")))
                commands = "\n".join(f"build/adjudge run corpus/real/{file} {self.option(r)}" for r, _ in here)
                body += f"<h2><a href=\"{esc(file)}\">{esc(file)}</a></h2>\n<pre>{esc(text)}</pre>\n<p class=\"under\">In a checkout of adjudge:</p>\n<pre class=\"run\">{esc(commands)}</pre>\n"
            for issue in self.issues_of(d):
                body += f"<details><summary>the text of an issue: {esc(issue.name)}</summary><pre class=\"run\">{esc(issue.read_text(encoding='utf-8'))}</pre></details>\n"
            self.page(path, d["program"], body, "../")

    def issues_of(self, d):
        """The files in corpus/real/issues/ about a defect."""
        paths = [real_corpus.REAL / "issues" / real_corpus.issue_name(d, e) for e in d["engines"]]
        return [path for path in dict.fromkeys(paths) if d["upstream"] == "not reported" and path.exists()]

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
                text = re.sub(r"<pre class=\"run\">.*?</pre>", lambda m: self.typed(m[0], r, f), text, flags=re.S)
                text = text.replace("Save the report as JSON, or the case below, as report.json.", "In a checkout of adjudge, with these pages in its folder site.")
                self.write(f"findings/{r['name']}-{f['id']}.html", text.replace("<main>\n", f"<main>\n{nav}</nav>\n", 1))

    def typed(self, text, r, f):
        """Commands of `adjudge report`, with the file, the engine and the format that a reader has."""
        text = re.sub(rf"--engine (?:&#39;)?{re.escape(r['name'])}(?:&#39;)?(?![-\w])", lambda m: esc(self.option(r)), text)
        form = real_corpus.format_of(r["said"])
        text = re.sub(r"adjudge emit --format FORMAT .*", lambda m: m[0].split("  #")[0].replace("FORMAT", form) if form else "", text.replace("</pre>", "\n</pre>")).rstrip()
        text = text.removesuffix("</pre>").rstrip() + "</pre>"
        return text.replace("report.json", f"site/data/{r['name']}/{f['id']}.json").replace("adjudge ", "build/adjudge ")


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
    f"A zero is weak where 0 times infinity is NaN. Each engine is asked for <a href=\"dead-branches.html\">NaN out of a dead branch</a>, in {len(scoreboard_leaks.FUNCTIONS) * len(scoreboard_leaks.SHAPES)} cases for reverse mode and as many for forward mode, if it has them. Other NaN of weak zeros is counted apart. "
    "An engine whose adapter declares this habit has no finding by it.",
    "The cases of earlier findings are asked again. A finding that a newer version does not show is called fixed. The same version may not show it again, by another seed or another adjudge, and then it is called so.",
)


def write_all(folder, results, root, families, render, show):
    """render: the page of a report, as text, from its path.  show: the text of a case, from its JSON."""
    site = Site(folder, results, root, families, render, show)
    for part in ("engines", "families", "findings", "known"):
        shutil.rmtree(folder / part, ignore_errors=True)
    site.index()
    site.defects()
    site.dead_branches()
    site.known_pages()
    site.how()
    site.finding_pages()
    for r in site.results:
        site.engine(r)
    for group in GROUPS:
        site.family(group)


if __name__ == "__main__":
    print(__doc__)
