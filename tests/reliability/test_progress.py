"""Progress as a terminal shows it, and as lines and JSON: nothing wraps, the screen is drawn in place, findings are announced when their files are there.  Usage: test_progress.py ADJUDGE SCHEMA"""

import fcntl
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

try:
    import jsonschema
except ImportError:
    jsonschema = None

adjudge, schema = sys.argv[1], json.loads(pathlib.Path(sys.argv[2]).read_text())
FAULTY = ["functional+residual-fifo", "tape+scale:sin:1.5", "compiled+inductor-slice-scatter"]
MANY = FAULTY + [f"tape+scale:cos:1.{k}" for k in range(10, 71)]
PROFILE = str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "frozen-2.json")  # its cases stay the same
ANNOUNCED = re.compile(r"^(?:new|simpler) finding: (.+), case (\d+), (.+?)(?: instead of (.+))?$")
failures = []


def check(ok, message):
    if not ok:
        failures.append(message)


def command(out, engines, *more, cases=150):
    return [adjudge, "fuzz", "--driver", "plain", "--seed", "7", "--cases", str(cases), "--profile", PROFILE, "--out", str(out), *[x for e in engines for x in ("--engine", e)], *more]


def terminal(arguments, size=(24, 80), resized=None, **environment):
    """Runs it on a terminal of so many rows and columns, which gets size `resized` after its first output; returns all bytes."""
    pid, fd = pty.fork()
    if pid == 0:
        env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")} | {"TERM": "xterm"} | environment
        os.execvpe("sh", ["sh", "-c", 'read -r go; exec "$@"', "sh", *arguments], env)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    attributes = termios.tcgetattr(fd)
    attributes[3] &= ~termios.ECHO
    termios.tcsetattr(fd, termios.TCSANOW, attributes)
    os.write(fd, b"\n")
    data = b""
    while True:
        try:
            got = os.read(fd, 65536)
        except OSError:  # the other side is closed
            break
        if not got:
            break
        data += got
        if resized and b"\x1b" in data:
            fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", *resized, 0, 0))
            resized = None
    os.close(fd)
    return data.decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


class Terminal:
    """Carriage return, line feed, cursor up, erase to the end of the line and of the screen; no line is lost."""

    def __init__(self, text, columns):
        self.lines, self.row, self.column, self.widest, self.drawings = [""], 0, 0, 0, 0
        for part in re.findall(r"\x1b\[\d*[A-Z]|\r|\n|[^\x1b\r\n]+|\x1b", text):
            if part == "\r":
                self.column = 0
            elif part == "\n":
                self.row += 1
                self.lines += [""] * (self.row + 1 - len(self.lines))
            elif part.endswith("A") and part[0] == "\x1b":
                check(int(part[2:-1]) <= self.row, "the cursor leaves the top")
                self.row -= int(part[2:-1])
            elif part == "\x1b[K":
                self.lines[self.row] = self.lines[self.row][:self.column]
            elif part == "\x1b[J":
                self.lines = self.lines[:self.row] + [self.lines[self.row][:self.column]]
                self.drawings += 1
            else:
                check(part[0] != "\x1b", f"unknown escape in {part!r}")
                line = self.lines[self.row]
                self.lines[self.row] = line[:self.column].ljust(self.column) + part + line[self.column + len(part):]
                self.column += len(part)


def announced(text, out):
    """Checks that the announcements in the text tell all findings, each with its file."""
    files = set()
    for line in text.splitlines():
        match = ANNOUNCED.match(line)
        if match:
            check(match[3] not in files, f"announced twice: {line}")
            files -= {match[4]}
            files.add(match[3])
    there = {str(p) for p in (out / "findings").glob("*.json")}
    check(there <= files and len(there) >= 1, f"{len(files)} findings announced, {len(there)} written: {there - files}")
    return files


def makes_room(text):
    """Whether the screen is erased before each announcement.  Several announcements in a row need that once."""
    drawn = False
    for part in re.finditer("\x1b\\[[KJ]|new finding: ", text):
        if drawn and part[0].startswith("new"):
            return False
        drawn = part[0] == "\x1b[K"
    return True


def test_terminal(base):
    for name, engines, size, resized in (("few", FAULTY, (24, 80), None), ("many", MANY, (24, 80), None), ("narrow", FAULTY, (5, 30), None),
                                         ("shrunk", FAULTY, (24, 100), (10, 40)), ("grown", FAULTY, (10, 40), (50, 200))):
        out = base / name
        text, code = terminal(command(out, engines, cases=60 if len(engines) > 8 else 150), size, resized)
        check(code == 1, f"{name}: exit {code}")
        progress = text[:text.rindex("\x1b[J") + 3] if "\x1b[J" in text else ""
        for line in re.findall(r"[^\r\n\x1b]+(?=\x1b\[K)", progress):
            check(len(line) < max(size[1], (resized or size)[1]), f"{name}: a line of {len(line)} columns: {line}")
        screen = Terminal(text, size[1])
        check(screen.drawings >= 2, f"{name}: the screen was drawn {screen.drawings} times")
        left = [line for line in screen.lines if "of the cases asked" in line or "features: " in line]
        check(not left, f"{name}: the screen is still there: {left}")
        announced("\n".join(screen.lines), out)
        check(makes_room(text), f"{name}: an announcement does not make room")


def test_plain(base):
    """No escapes and no carriage returns where the terminal takes none."""
    for name, environment, more in (("no-color", {"NO_COLOR": "1"}, []), ("dumb", {"TERM": "dumb"}, []), ("empty", {"TERM": ""}, []),
                                    ("lines", {}, ["--progress", "lines"])):
        text, _ = terminal(command(base / name, FAULTY, *more, cases=100), **environment)
        text = text.replace("\r\n", "\n")  # the terminal's own
        check("\x1b" not in text and "\r" not in text, f"{name}: escapes")
        announced(text, base / name)
    text, _ = terminal(command(base / "quiet", FAULTY, "--quiet", cases=100))
    check("\x1b" not in text and "finding:" not in text, "--quiet shows something")


def known(base, summary):
    """The same campaign in two processes, with a baseline of its first finding."""
    entry = {"signature": summary["findings"][0]["fine"], "reason": "a test", "link": "", "expires": "2999-01-01"}
    (base / "known.json").write_text(json.dumps({"schema": "adjudge.baseline/1", "known": [entry]}))
    done = subprocess.run(command(base / "known", FAULTY, "--progress", "json", "--jobs", "2", "--baseline", str(base / "known.json"), "--driver", "generate"),
                          capture_output=True, text=True)
    events = [json.loads(line) for line in done.stderr.splitlines()]
    names = {e["signature"]: e["known"] for e in events if e["event"] == "finding"}
    now, end = json.loads((base / "known" / "summary.json").read_text()), events[-1]
    both = entry["signature"] in [f["fine"] for f in now["findings"]]
    check(both and names[entry["signature"]] and list(names.values()).count(True) == 1, f"announced as known: {names}")
    check(end["findings_known"] == 1 and end["findings_new"] == now["distinct_findings"] - 1, f"at the end {end}")
    check(end["jobs"] == 2 and now["timing"]["jobs"] == 2 and now["timing"]["jobs_restarted"] == 0, f"at the end {end}, {now['timing']}")
    shares = [now["timing"][key] for key in ("generate", "engines", "cross", "analytic", "finite_difference", "minimize", "other")]
    check(min(shares) >= 0 and abs(sum(shares) - 1) < 1e-6, f"shares of the time of all processes: {now['timing']}")


def test_json(base):
    out = base / "json"
    done = subprocess.run(command(out, FAULTY, "--progress", "json"), capture_output=True, text=True)
    events = [json.loads(line) for line in done.stderr.splitlines()]
    if jsonschema:
        validator = jsonschema.Draft202012Validator(schema)
        for event in events:
            failures.extend(f"{e.json_path}: {e.message[:200]}" for e in validator.iter_errors(event))
    findings = {e["file"] for e in events if e["event"] == "finding"} - {e.get("replaces") for e in events}
    check(findings == {str(p) for p in (out / "findings").glob("*.json")}, f"announced {findings}")
    summary = json.loads((out / "summary.json").read_text())
    check([e["event"] for e in events].count("end") == 1 and events[-1]["event"] == "end", "one event `end`, the last")
    end = events[-1]
    check(end["cases"] == summary["cases"] and end["decided"] == summary["decided"] and end["findings_new"] == summary["distinct_findings"], f"at the end {end}")
    check(end["jobs"] == 1 and end["jobs_restarted"] == 0 and not end["findings_known"], f"at the end {end}")
    known(base, summary)
    for mine, theirs in zip(end["engines"], summary["engines"]):
        check(all(mine[k] == theirs[k] for k in ("engine", "asked", "answered", "decided", "agree", "unsupported", "hangs", "crashes", "timeouts", "undecided_reasons", "unsupported_reasons")), f"{mine}\n{theirs}")
    check(subprocess.run(command(base / "no", FAULTY, "--progress", "loud"), capture_output=True).returncode == 2, "--progress loud is accepted")


def main():
    with tempfile.TemporaryDirectory() as name:
        for test in (test_terminal, test_plain, test_json):
            test(pathlib.Path(name))
    print("\n".join(failures) or "progress is in order")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
