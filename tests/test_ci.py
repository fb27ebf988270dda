"""The GitHub Action, the GitLab template and the example project of ci/: their shell steps are executed, and Meson and CTest run the gate.

Usage: test_ci.py ADJUDGE SOURCE_ROOT hosts|meson|ctest      Exit status 77, a skip, without python3-yaml (hosts), meson or cmake.
Only what belongs to the host is a stand-in: its expressions, actions that it would fetch, and the programs that install packages and build.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

adjudge, root, part = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
if part == "hosts":
    try:
        import yaml
    except ImportError:
        print("python3-yaml is missing")
        sys.exit(77)
elif not shutil.which("meson" if part == "meson" else "cmake"):
    print(f"{part} is missing")
    sys.exit(77)
ENGINE = "example=proc:exec python3 engine.py"
failed = checks = 0


def check(good, text):
    global failed, checks
    checks += 1
    if not good:
        failed += 1
        print(text, file=sys.stderr)


def project(place, change=lambda source: source):
    """A fresh copy of the example, its engine changed."""
    shutil.rmtree(place / "project", ignore_errors=True)
    shutil.copytree(root / "ci" / "example", place / "project")
    engine = place / "project" / "engine.py"
    engine.write_text(change(engine.read_text()))
    return place / "project"


def fixed(source):
    return source.replace("lambda a, da: da)", "lambda a, da: da if a > 0 else -da if a < 0 else 0.0)")


# How the engine may be, and the exit code of the gate.
ENGINES = {
    "as it is": (lambda s: s, 0),
    "with a new bug": (lambda s: s.replace("-math.sin(a) * da", "math.sin(a) * da"), 1),
    "with its bug fixed": (fixed, 1),
    "that does not start": (lambda s: "import sys\nsys.exit(77)\n", 4),
    "that dies with 77": (lambda s: s.replace("        request = json.loads(line)\n", "        sys.exit(77)\n"), 1),
    "that knows nothing": (lambda s: s.replace('"ops": list(OPS)', '"ops": []'), 5),
}


# ---- Meson and CTest ----

def builds(place):
    environment = {**os.environ, "PATH": f"{place / 'bin'}:{os.environ['PATH']}"}
    (place / "bin").mkdir()
    (place / "bin" / "adjudge").symlink_to(adjudge)
    run = lambda *command: subprocess.run(command, capture_output=True, text=True, env=environment, timeout=1500)
    for name, (change, code) in ENGINES.items():
        folder = project(place, change)
        build = place / "build"
        shutil.rmtree(build, ignore_errors=True)
        made = run("meson", "setup", str(build), str(folder)) if part == "meson" else run("cmake", "-S", str(folder), "-B", str(build))
        check(not made.returncode, f"{part}, configuring: {made.stdout}{made.stderr}")
        done = run("meson", "test", "-C", str(build), "--no-rebuild") if part == "meson" else run("ctest", "--test-dir", str(build), "--output-on-failure")
        check((done.returncode == 0) == (code == 0), f"{part}, an engine {name}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        check("SKIP" not in done.stdout and "Not Run" not in done.stdout, f"{part}, an engine {name}: a test was skipped\n{done.stdout}")
        if part == "meson":
            logged = [json.loads(line) for line in (build / "meson-logs" / "testlog.json").read_text().splitlines()]
            codes = {t["name"]: t["returncode"] for t in logged}
            check(codes.get("adjudge") == code, f"meson, an engine {name}: the gate ended with {codes}, not {code}")
            check(all((t["result"] == "OK") == (code == 0) for t in logged) and len(logged) == 2, f"meson, an engine {name}: {[(t['name'], t['result']) for t in logged]}")


# ---- GitHub ----

def expression(text, context):
    """The value of an expression of GitHub, of the kinds that the action has."""
    text = re.sub(r"\b(inputs|steps|github)\.([\w.-]+)", lambda m: repr(str(context.get(f"{m[1]}.{m[2]}", ""))), text)
    return eval(text.replace("&&", " and ").replace("||", " or ").replace("always()", "True"), {"__builtins__": {}})


def filled(text, context):
    return re.sub(r"\$\{\{(.*?)\}\}", lambda m: str(expression(m[1].strip(), context)), str(text))


def github(place, given, change=lambda s: s, tools=None):
    """Runs the steps of the action: exit codes by step, the actions used, outputs, the summary and the logs."""
    action = yaml.safe_load((root / "ci/github/action.yml").read_text())
    folder = project(place, change)
    for name in ("output", "summary"):
        (place / name).write_text("")
    context = {f"inputs.{k}": given.get(k, v.get("default", "")) for k, v in action["inputs"].items()}
    context["github.action_path"] = str(place / "sources" / "ci" / "github")
    environment = {**os.environ, "GITHUB_WORKSPACE": str(folder), "GITHUB_OUTPUT": str(place / "output"), "GITHUB_STEP_SUMMARY": str(place / "summary"), "GITHUB_ACTIONS": "true",
                   "PATH": f"{tools}:{os.environ['PATH']}" if tools else os.environ["PATH"]}
    codes, used, logs, stopped = {}, [], "", False
    for step in action["runs"]["steps"]:
        condition = step.get("if", "")
        if (stopped and "always()" not in condition) or (condition and not expression(condition, context)):
            continue
        if "uses" in step:
            used.append((step["uses"], filled(step["with"], context)))
            continue
        check("${{" not in step["run"], "an expression in a shell step would let an input run commands")
        check(step["shell"] == "bash", "a step of a composite action needs a shell")
        env = {**environment, **{k: filled(v, context) for k, v in step["env"].items()}}
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=folder, env=env, capture_output=True, text=True, timeout=900)
        codes[step["id"]], logs = done.returncode, logs + done.stdout + done.stderr
        stopped |= done.returncode != 0
        for line in (place / "output").read_text().splitlines():
            key, _, value = line.partition("=")
            context[f"steps.{step['id']}.outputs.{key}"] = value
        (place / "output").write_text("")
    outputs = {k: filled(v["value"], context) for k, v in action["outputs"].items()}
    return codes, used, outputs, (place / "summary").read_text(), logs


def test_github(place):
    given = {"engine": ENGINE, "baseline": "known.json", "adjudge": str(adjudge), "sarif": "true"}
    for name, (change, code) in ENGINES.items():
        codes, used, outputs, summary, logs = github(place, given, change)
        check(codes == {"build": 0, "gate": code} and outputs["exit-code"] == str(code), f"GitHub, an engine {name}: {codes}, {outputs}\n{logs}")
        check([u.partition("@")[0] for u, _ in used] == ["github/codeql-action/upload-sarif"], f"GitHub: {used}")
        if code in (0, 1):
            sarif = json.loads((place / "project" / "adjudge.sarif").read_text())
            check(sarif["version"] == "2.1.0", "GitHub: the SARIF file")
            check("example" in summary, f"GitHub, an engine {name}: the summary is\n{summary}")
            xml.etree.ElementTree.parse(place / "project" / "adjudge.xml")
        check(("::error" in logs) == (code in (1, 5)), f"GitHub, an engine {name}: annotations\n{logs}")
    codes, _, _, _, logs = github(place, {**given, "options": "--min-decided\n100\n"})
    check(codes["gate"] == 0, f"GitHub, options: {codes}\n{logs}")
    codes, _, _, _, logs = github(place, {**given, "engine": "example=proc:exec python3 engine.py $(touch executed) `touch executed`; touch executed", "cases": "$(touch executed)"})
    check(not (place / "project" / "executed").exists(), f"GitHub: the value of an input was executed\n{logs}")
    codes, used, _, summary, logs = github(place, {**given, "baseline": "", "time": "2s", "sarif": "false"}, fixed)
    check(codes == {"build": 0, "gate": 0, "campaign": 0} and (place / "project/adjudge-campaign/summary.json").exists(), f"GitHub, random cases: {codes}\n{logs}")
    check([u.partition("@")[0] for u, _ in used] == ["actions/upload-artifact"], f"GitHub, random cases: {used}")
    codes, _, _, _, logs = github(place, {**given, "baseline": "", "time": "2s", "campaign-baseline": "nowhere.json"}, fixed)
    check(codes["campaign"] == 3 and "nowhere.json" in logs, f"GitHub, random cases with a baseline: {codes}\n{logs}")


def build_tools(place):
    """Stand-ins of what installs and builds; ninja makes build/adjudge, where the step must find it."""
    tools = place / "tools"
    tools.mkdir()
    texts = {"sudo": 'exec "$@"', "apt-get": "true", "meson": 'mkdir -p "$2" && touch "$2/build.ninja"', "ninja": f'[ -e "$2/build.ninja" ] && ln -sf {adjudge} "$2/adjudge"',
             "git": 'for last; do :; done; mkdir -p "$last"'}
    for name, text in texts.items():
        (tools / name).write_text(f'#!/bin/sh\necho "{name} $*" >>{place}/log\n{text}\n')
        (tools / name).chmod(0o755)
    return tools


def test_building(place):
    tools = build_tools(place)
    (place / "sources" / "ci" / "github").mkdir(parents=True)
    codes, _, outputs, _, logs = github(place, {"engine": ENGINE, "baseline": "known.json"}, tools=tools)
    check(codes == {"build": 0, "gate": 0} and outputs["adjudge"] == str(place / "sources/build/adjudge"), f"GitHub, building: {codes}, {outputs}\n{logs}")
    codes, logs = gitlab(place, "adjudge-gate", {"ADJUDGE": "", "ADJUDGE_REPOSITORY": "https://example.com/adjudge.git"}, tools=tools)
    check(codes == 0, f"GitLab, building: {codes}\n{logs}")
    codes, logs = gitlab(place, "adjudge-gate", {"ADJUDGE": ""}, tools=tools)
    check(codes == 2 and "set ADJUDGE_REPOSITORY" in logs, f"GitLab, without a place to build from: {codes}\n{logs}")
    log = (place / "log").read_text()
    check(f"git clone -q --depth 1 --branch main https://example.com/adjudge.git {place}/project/.adjudge" in log and "libmpfr-dev" in log, f"GitLab, building:\n{log}")


# ---- GitLab ----

def gitlab(place, job, given, change=lambda s: s, tools=None):
    template = yaml.safe_load((root / "ci/gitlab/adjudge.yml").read_text())
    folder = project(place, change)
    this = {**template[template[job]["extends"]], **template[job]}
    environment = {**os.environ, **{k: str(v) for k, v in template["variables"].items()}, "ADJUDGE_ENGINE": ENGINE, "ADJUDGE_BASELINE": "known.json", "ADJUDGE": str(adjudge),
                   "CI_PROJECT_DIR": str(folder), "GITLAB_CI": "true", **given, "PATH": f"{tools}:{os.environ['PATH']}" if tools else os.environ["PATH"]}
    script = "set -eo pipefail\n" + "\n".join(this["before_script"] + this["script"])
    done = subprocess.run(["bash", "--noprofile", "--norc", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, timeout=900)
    for path in [*this["artifacts"].get("reports", {}).values(), *this["artifacts"].get("paths", [])]:
        check((folder / path).exists() or done.returncode in (2, 3, 4), f"GitLab, {job}: {path} was not written\n{done.stdout}{done.stderr}")
    return done.returncode, done.stdout + done.stderr


def test_gitlab(place):
    for name, (change, code) in ENGINES.items():
        status, logs = gitlab(place, "adjudge-gate", {}, change)
        check(status == code, f"GitLab, an engine {name}: exit status {status}, not {code}\n{logs}")
        if code in (0, 1):
            quality = json.loads((place / "project" / "adjudge-quality.json").read_text())
            check(isinstance(quality, list) and (code == 0 or quality), f"GitLab, an engine {name}: {quality}")
            xml.etree.ElementTree.parse(place / "project" / "adjudge.xml")
            check(("adjudge gate: failed" in logs) == (code == 1), f"GitLab, an engine {name}: the log does not say what failed\n{logs}")
        if name == "with its bug fixed":
            line = next(k for k, text in enumerate((place / "project/known.json").read_text().splitlines(), 1) if "abs" in text)
            check(f"known.json:{line}" in logs and quality[0]["location"] == {"path": "known.json", "lines": {"begin": line}}, f"GitLab: not the line to remove\n{logs}{quality}")
    status, logs = gitlab(place, "adjudge-campaign", {"ADJUDGE_TIME": "2s"}, fixed)
    check(status == 0, f"GitLab, random cases: exit status {status}\n{logs}")
    status, logs = gitlab(place, "adjudge-campaign", {"ADJUDGE_TIME": "2s", "ADJUDGE_CAMPAIGN_BASELINE": "nowhere.json"}, fixed)
    check(status == 3 and "nowhere.json" in logs, f"GitLab, random cases with a baseline: exit status {status}\n{logs}")


def test_example():
    """The files of the example's own CI name inputs and variables that exist."""
    action = yaml.safe_load((root / "ci/github/action.yml").read_text())
    steps = yaml.safe_load((root / "ci/example/.github/workflows/adjudge.yml").read_text())["jobs"]["gate"]["steps"]
    uses = [s for s in steps if "ci/github@" in s["uses"]]
    check(len(uses) == 1 and set(uses[0]["with"]) <= set(action["inputs"]) and uses[0]["with"]["engine"] == ENGINE, f"the workflow of the example: {uses}")
    template = yaml.safe_load((root / "ci/gitlab/adjudge.yml").read_text())
    own = yaml.safe_load((root / "ci/example/.gitlab-ci.yml").read_text())
    check(set(own["variables"]) <= set(template["variables"]) and own["variables"]["ADJUDGE_ENGINE"] == ENGINE, f"the pipeline of the example: {own}")


with tempfile.TemporaryDirectory() as folder:
    place = pathlib.Path(folder)
    if part != "hosts":
        builds(place)
    else:
        test_example()
        test_github(place)
        test_gitlab(place)
        test_building(place)
print(f"{checks} checks, {failed} failed")
sys.exit(1 if failed else 0)
