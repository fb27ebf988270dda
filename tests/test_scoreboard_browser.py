"""Pages of the scoreboard in headless Chromium: on a desktop and a phone nothing is wider than the window, in light and dark the text is seen, and nothing is asked of a network.

Usage: test_scoreboard_browser.py ADJUDGE ROOT      Exit status 77, a skip, without Chromium or where it does not start.
"""
import base64
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ADJUDGE, ROOT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
CHROMIUM = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
WIDTHS = {"desktop": 1280, "phone": 390}
COLOURS = {"dark": 0, "light": 1}  # preferredColorScheme of Chromium
LIMIT = 120  # seconds of one start; it takes 2
failures = []

# A page with no script of its own is measured in frames of each width.  Both are read from files, so the frame may be looked into (--allow-file-access-from-files).
MEASURE = """<!doctype html><meta charset="utf-8"><pre id="out"></pre><script>
const pages = PAGES, widths = WIDTHS, out = [];
let left = 0;
for (const page of pages) for (const [name, width] of Object.entries(widths)) {
    const frame = document.createElement('iframe');
    frame.style.cssText = `width:${width}px;height:900px;border:0`;
    left++;
    frame.onload = () => {
        const d = frame.contentDocument, style = frame.contentWindow.getComputedStyle(d.body);
        out.push({page, name, width: frame.contentWindow.innerWidth, wide: d.scrollingElement.scrollWidth, text: d.body.innerText.length, high: d.scrollingElement.scrollHeight,
                  ink: style.color, paper: style.backgroundColor, asked: frame.contentWindow.performance.getEntriesByType('resource').map(e => e.name)});
        if (!--left) document.getElementById('out').textContent = 'MEASURED ' + btoa(JSON.stringify(out)) + ' END';
    };
    frame.src = page;
    document.body.appendChild(frame);
}
</script>"""

# The browser reads its own screenshot: the first pixel, and the part of the pixels whose brightness is far from it.
LOOK = """<!doctype html><pre id="out"></pre><img id="seen" src="data:image/png;base64,PICTURE"><script>
onload = () => {
    const canvas = document.createElement('canvas'), seen = document.getElementById('seen');
    canvas.width = seen.naturalWidth, canvas.height = seen.naturalHeight;
    const context = canvas.getContext('2d'), bright = (d, k) => (299 * d[k] + 587 * d[k + 1] + 114 * d[k + 2]) / 1000;
    context.drawImage(seen, 0, 0);
    const d = context.getImageData(0, 0, canvas.width, canvas.height).data;
    let apart = 0;
    for (let k = 0; k < d.length; k += 4)
        apart += Math.abs(bright(d, k) - bright(d, 0)) > 128;
    document.getElementById('out').textContent = 'MEASURED ' + btoa(JSON.stringify({paper: [...d.slice(0, 3)], apart: 4 * apart / d.length})) + ' END';
};
</script>"""


def check(ok, message):
    if not ok:
        failures.append(message)


def chromium(place, *arguments):
    # no sandbox: tests run as root in containers; a profile of its own, and no network
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--allow-file-access-from-files", "--proxy-server=127.0.0.1:9",
               "--virtual-time-budget=10000", f"--user-data-dir={place}/profile", *map(str, arguments)]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None


def dumped(place, colour, url):
    """What a page of ours writes into its DOM, or None."""
    done = chromium(place, f"--blink-settings=preferredColorScheme={COLOURS[colour]}", "--dump-dom", url)
    said = re.search(r"MEASURED (\S+) END", done.stdout) if done else None
    if not said:
        check(False, f"Chromium measured nothing: {done and done.stderr[-400:]}")
    return json.loads(base64.b64decode(said[1])) if said else None


def brightness(colour):
    r, g, b = colour
    return (299 * r + 587 * g + 114 * b) / 1000


def check_measures(folder, pages, place):
    for colour in COLOURS:
        wrapper = place / f"measure-{colour}.html"
        wrapper.write_text(MEASURE.replace("PAGES", json.dumps([(folder / p).as_uri() for p in pages])).replace("WIDTHS", json.dumps(WIDTHS)), encoding="utf-8")
        measured = dumped(place, colour, wrapper.as_uri()) or []
        check(len(measured) == len(pages) * len(WIDTHS), f"measured {len(measured)} pages")
        for m in measured:
            where = f"{m['page'].rsplit('/', 2)[-2:]}, {m['name']}, {colour}"
            check(m["width"] == WIDTHS[m["name"]], f"{where}: the frame is {m['width']} wide")
            check(m["wide"] <= m["width"], f"{where}: {m['wide']} pixels in a window of {m['width']}")
            check(m["text"] > 200 and m["high"] > 300, f"{where}: {m['text']} characters, {m['high']} pixels high")
            check(not m["asked"], f"{where}: asks for {m['asked']}")
            ink, paper = (brightness(map(int, re.findall(r"\d+", m[key])[:3])) for key in ("ink", "paper"))
            check((ink - paper if colour == "dark" else paper - ink) > 128, f"{where}: text {m['ink']} on {m['paper']}")


def check_seen(folder, place):
    """In a screenshot of the first page text stands out from the paper."""
    for colour, number in COLOURS.items():
        path = place / f"{colour}.png"
        chromium(place, f"--blink-settings=preferredColorScheme={number}", "--window-size=500,400", f"--screenshot={path}", (folder / "index.html").as_uri())
        looker = place / f"looker-{colour}.html"
        looker.write_text(LOOK.replace("PICTURE", base64.b64encode(path.read_bytes()).decode() if path.exists() else ""), encoding="utf-8")
        seen = dumped(place, colour, looker.as_uri())
        if not seen:
            continue
        paper, apart = brightness(seen["paper"]), seen["apart"]
        check((paper < 64) == (colour == "dark"), f"{colour}: the paper has brightness {paper}")
        check(.005 < apart < .5, f"{colour}: {100 * apart:.2f} % of the pixels stand out")


def check_addresses(folder):
    for path in sorted(folder.rglob("*.html")):
        text = path.read_text(encoding="utf-8")
        check("default-src 'none'" in text, f"{path}: may load something")
        styles = "".join(re.findall(r"<style>(.*?)</style>", text, re.S))
        check(not re.search(r"@import|url\(\s*['\"]?(?!data:|#)", styles), f"{path}: its style loads something")
        check(not re.search(r"<(?:img|script|iframe|link|object|source|video|audio|embed)\b", text), f"{path}: has an element that loads")


def main():
    if not CHROMIUM:
        print("Chromium is missing")
        return 77
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name).resolve()
        started = chromium(place, "--dump-dom", "data:text/html,<p>started</p>")
        if not started or "<p>started</p>" not in started.stdout:
            print(f"Chromium does not start: {started and started.stderr[-400:]}")
            return 77
        folder, cases = place / "board", place / "cases"
        cases.mkdir()
        shutil.copy(ROOT / "corpus/documents/xla-where-sqrt-at-0.json", cases)
        command = [sys.executable, "-B", ROOT / "scripts/scoreboard", folder, "--engine", "a-name-that-is-long-enough=functional+residual-fifo", "--engine", "weak=tape+weak-zero", "--builtin", "none", "--op", "for",
                   "--op", "select", "--cases", "1", "--time", "40", "--corpus", cases, "--findings", "0", "--adjudge", ADJUDGE]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        check(done.returncode == 0, f"the scoreboard ended with {done.returncode}: {done.stderr[-400:]}")
        found = sorted(p.relative_to(folder).as_posix() for p in (folder / "findings").glob("*.html"))
        check(found, "no finding to look at")
        pages = ["index.html", "dead-branches.html", "engines/weak.html", "engines/a-name-that-is-long-enough.html", "families/control-flow.html", "defects.html", "how.html", *found[:1]]
        check_addresses(folder)
        check_measures(folder, pages, place)
        check_seen(folder, place)
    print("\n".join(failures) or "the pages fit, in light and dark")
    return 1 if failures else 0


sys.exit(main())
