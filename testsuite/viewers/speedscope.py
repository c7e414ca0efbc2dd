# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of speedscope: valid by the schema that it brings along, opened in its own app in Chromium,
which writes them again as it has understood them; what is there is csv's.

The app is an npm package, which is fetched into the build folder; nothing of it is in the source.
"""
import base64
import json
import os
import subprocess
import sys
import urllib.parse

import golden
import lab
import slices
import timeline_csv

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../html"))
import browser  # noqa: E402

PACKAGE = "speedscope@1.25.0"
CATEGORIES = {"waiting": "waiting", "preempted": "waiting", "page-ins": "waiting", "disk": "waiting"}


def app():
    """The folder of the app."""
    folder = os.path.join(lab.BUILD, "viewers", PACKAGE)
    release = os.path.join(folder, "package/dist/release")
    if os.path.exists(os.path.join(release, "index.html")):
        return release
    lab.need("npm")
    os.makedirs(folder, exist_ok=True)
    got = subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, capture_output=True, text=True, timeout=lab.TIMEOUT)
    if got.returncode:
        raise lab.Skip(f"npm has no {PACKAGE} for us")
    subprocess.run(["tar", "xzf", got.stdout.strip()], cwd=folder, check=True, timeout=lab.TIMEOUT)
    return release


# ---- the schema ----------------------------------------------------------------------------------

TYPES = {"object": dict, "array": list, "string": str, "number": (int, float), "boolean": bool}


def wrong(value, schema, root, path="$"):
    """What of JSON schema the file uses: a sentence, or None."""
    if "$ref" in schema:
        return wrong(value, root["definitions"][schema["$ref"].rpartition("/")[2]], root, path)
    if "anyOf" in schema:
        found = [wrong(value, one, root, path) for one in schema["anyOf"]]
        return None if None in found else "; ".join(found)
    if "const" in schema and value != schema["const"]:
        return f"{path} is {value!r}, not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{path} is {value!r}, none of {schema['enum']}"
    if "type" in schema and not isinstance(value, TYPES[schema["type"]]):
        return f"{path} is no {schema['type']}"
    lab.check(not set(schema) - {"$schema", "definitions", "type", "title", "properties", "required", "items", "const", "enum"},
              f"the schema has words that this test does not know: {sorted(schema)}")
    for name in schema.get("required", []):
        if name not in value:
            return f"{path} has no {name}"
    for name, one in schema.get("properties", {}).items():
        if name in value:
            found = wrong(value[name], one, root, f"{path}.{name}")
            if found:
                return found
    if "items" in schema:
        for i, item in enumerate(value):
            found = wrong(item, schema["items"], root, f"{path}[{i}]")
            if found:
                return found
    return None


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def check_schema(path):
    with open(os.path.join(app(), "file-format-schema.json")) as file:
        schema = json.load(file)
    top = {"$ref": schema["$ref"]} if "$ref" in schema else {"$ref": "FileFormat.File"}
    read = load(path)
    lab.equal(wrong(read, top, schema), None, "the schema")
    damaged = dict(read, profiles=[dict(read["profiles"][0], unit="hours")])
    lab.check(wrong(damaged, top, schema), "a unit that there is not is found")
    return read


# ---- what is in it -------------------------------------------------------------------------------


def sums_of(profile):
    """{frame: its own value}; what begins ends."""
    sums = {}
    if profile["type"] == "sampled":
        lab.equal(len(profile["samples"]), len(profile["weights"]), "a weight for each stack")
        for stack, weight in zip(profile["samples"], profile["weights"]):
            sums[stack[-1]] = sums.get(stack[-1], 0) + weight
        return sums
    stack, last = [], None
    for event in profile["events"]:
        if stack:
            sums[stack[-1]] = sums.get(stack[-1], 0) + event["at"] - last
        lab.check(last is None or event["at"] >= last, "events are in order")
        last = event["at"]
        if event["type"] == "O":
            stack.append(event["frame"])
        else:
            lab.equal(stack.pop(), event["frame"], "the innermost ends")
    lab.equal(stack, [], "all has ended")
    return sums


def by_name(read, ends):
    """Of profiles whose name ends so: {name of the function: its own value}."""
    sums = {}
    for profile in read["profiles"]:
        if profile["name"].endswith(ends):
            for frame, value in sums_of(profile).items():
                name = read["shared"]["frames"][frame]["name"]
                sums[name] = sums.get(name, 0) + value
    return sums


TAKE = """(() => {
  window.made = []
  const made = URL.createObjectURL
  URL.createObjectURL = (blob) => { window.made.push(blob); return made.call(URL, blob) }
})()"""


def opened(path, picture, said="WebGL"):
    """What the app writes when it saves what it has read of the file. said: errors with these words
    on its console are none."""
    lab.need("chromium")
    release = app()
    with open(path, "rb") as file:
        text = base64.b64encode(file.read()).decode()
    script = path + ".js"  # as its command does it
    with open(script, "w") as file:
        file.write(f"speedscope.loadFileFromBase64({json.dumps(os.path.basename(path))}, {json.dumps(text)})")
    with browser.page("file://" + urllib.parse.quote(os.path.join(release, "index.html")) + f"#localProfilePath={script}") as page:
        page.allowed = ["file://" + urllib.parse.quote(release), "file://" + script]
        page.evaluate(TAKE)
        page.wait("document.querySelector('canvas') !== null && document.title !== 'speedscope'")
        page.screenshot("speedscope-" + picture)
        page.key("s", "Control")
        saved = json.loads(page.wait("window.made.length ? window.made[0].text() : ''"))
        # What the browser says of the machine is not of the page.
        page.errors = [error for error in page.errors if "WebGL" not in error and said not in error]
        return saved


@lab.test("speedscope/every measure is csv's")
def measures(bench):
    session = golden.record(bench)
    rows = golden.csv_rows(bench, session)
    for by in "thread", "all":
        read = check_schema(golden.export(bench, "speedscope", session, f"--by={by}", "--measure=elapsed,application,waiting,calls"))
        lab.equal(len(read["profiles"]), 12 if by == "thread" else 4, "profiles")
        for measure in "elapsed", "application", "waiting", "calls":
            golden.same_values(by_name(read, ": " + measure), rows, measure, by)
        frames = [tuple(sorted(frame.items())) for frame in read["shared"]["frames"]]
        lab.equal(len(set(frames)), len(frames), "a function is one frame")
        lab.check(any(frame.get("file", "").endswith("golden.cc") and frame.get("line") for frame in read["shared"]["frames"]),
                  "functions have their lines")


@lab.test("speedscope/the app shows call paths")
def paths_in_app(bench):
    session = golden.record(bench)
    rows = golden.csv_rows(bench, session)
    saved = opened(golden.export(bench, "speedscope", session), "paths")
    lab.equal(len(saved["profiles"]), 9, "profiles")
    for measure in "elapsed", "waiting", "calls":
        golden.same_values(by_name(saved, ": " + measure), rows, measure, "saved by the app")


@lab.test("speedscope/the app shows a timeline")
def timeline_in_app(bench):
    session = golden.record(bench, env={"CINSTR_TIMELINE": "unlimited"})
    path = golden.export(bench, "speedscope", session)
    events = timeline_csv.rows(bench, session)
    check_schema(path)
    for read, begin in ((load(path), 0), (opened(path, "timeline"), None)):
        tracks = {}
        for profile in read["profiles"]:
            tid = int(profile["name"].rpartition("tid ")[2].rstrip(")"))
            track = tracks[tid] = slices.Track()
            first = begin if begin is not None else load(path)["profiles"][len(tracks) - 1]["startValue"]
            for event in profile["events"]:
                name = read["shared"]["frames"][event["frame"]]["name"]
                ns = int(event["at"] + 1e-4) + first  # the order is behind the point
                if event["type"] == "O":
                    track.begin(ns, name, CATEGORIES.get(name, "call"))
                else:
                    track.end(ns, None, name)
        slices.compare(tracks, events, has_waits=False)
