# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of recipes.md, Continuous integration, as the document has them: those of GitHub,
GitLab and Jenkins as their runners give them to a shell, all others one after another. Each ends
as the document says: calls and instructions decide, so nothing depends on time."""
import os
import re

import lab

PROGRAM = r"""
__attribute__((noipa)) static long work(long n) { long s = 0; for (long i = 0; i < n; i++) s += i ^ (s >> 3); return s; }
__attribute__((noipa)) static long parse(int times) { long s = 0; for (int i = 0; i < times; i++) s += work(1000); return s; }
int main(void) { long s = 0; for (int i = 0; i < PARSES; i++) s += parse(20); return s == 1; }
"""
COUNTED = "-fplugin-arg-cinstr-instructions"

# Commands of the section, and their exit status (None: times decide); ./new does more.
ENDS = {
    "cinstr record --repeat=5 -o old.data -- ./old-app": 0,
    "cinstr record --repeat=5 -o new.data -- ./new-app": 0,
    "cinstr diff --fail-over=5 old.data.* -- new.data.*": None,
    "cinstr diff --column=calls --single=0 --fail-over=0 old.data.1 new.data.1": 1,
    "cinstr compare --fail-over=1 -- ./old-app bench -- ./new-app bench": 1,
    "cinstr bisect v1.2 HEAD -- cinstr build make -j8 -- ./app bench": 0,
    "cinstr bisect --function=parse v1.2 HEAD -- cinstr build make -j8 -- ./app bench": 0,
    "./app": 0,
    'cinstr history add perf.history --commit="$(git rev-parse HEAD)" --label=main': 0,
    "cinstr history trend perf.history --label=main --fail-within=20": 0,
    "cinstr history trend perf.history parse_line": 1,  # there is no such function here
    "cinstr summary --format=sarif -o app.sarif": 0,
    "cinstr record -o new.data -- ./app benchmark": 0,
    "cinstr diff --measure=instructions --fail-over=1 old.data new.data": 1,
    "cinstr history trend perf.history --fail-within=1": 0,
    "cinstr annotate --coverage -o lcov.info new.data && genhtml lcov.info -o coverage": 0,
}


def section():
    with open(os.path.join(lab.ROOT, "doc/recipes.md")) as file:
        text = file.read()
    return re.search(r"^## Continuous integration\n(.*?)^## ", text, re.M | re.S)[1]


def block(name):
    """The indented lines below a bold name."""
    return re.search(rf"^\*\*{name}\.\*\*.*?\n\n((?:    [^\n]*\n|\n)+)", section(), re.M | re.S)[1]


def plain_commands():
    """Commands that stand for themselves, without the comment behind them."""
    text = section()
    for name in ("GitHub", "GitLab", "Jenkins"):
        text = text.replace(block(name), "")
    lines = re.findall(r"^    ((?:cinstr|\./)\S* ?.*)$", text, re.M)
    return [re.sub(r"\s+#.*", "", line) for line in lines if not line.startswith("cinstr-gcc")]


def of_github():
    """A folded text of YAML is one line."""
    lines = re.search(r"- run: >\n((?: +.*\n)+)", block("GitHub"))[1]
    return " ".join(line.strip() for line in lines.splitlines())


def of_gitlab():
    """The items of the list: plain, or quoted and folded."""
    items = re.search(r"script:\n(.*?)^    artifacts:", block("GitLab"), re.M | re.S)[1]
    items = re.split(r"^ +- ", items, flags=re.M)[1:]
    joined = [" ".join(line.strip() for line in item.splitlines()) for item in items]
    return [item[1:-1] if item.startswith("'") else item for item in joined]


def of_jenkins():
    return re.search(r"\bsh '(.*)'\n", block("Jenkins"))[1]


def make_programs(bench, *names):
    """Programs by their names: `old...` parse once, all others twice."""
    bench.write("work.c", PROGRAM)
    for name in names:
        bench.compile(bench.path("work.c"), name, "-O2", COUNTED, f"-DPARSES={1 if name.startswith('old') else 2}")


def environment(bench, **more):
    """With the commands of the build, and those of others that only note how they were called."""
    os.makedirs(bench.path("bin"), exist_ok=True)
    for name in ("curl", "genhtml"):
        path = bench.write(f"bin/{name}", f'#!/bin/sh\nprintf "%s\\n" {name} "$@" >> "$CALLED"\n')
        os.chmod(path, 0o755)
    return {"PATH": f"{bench.path('bin')}:{lab.BUILD}:{os.environ['PATH']}", "CALLED": bench.path("called"),
            "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@b", **more}


def called(bench):
    with open(bench.path("called")) as file:
        return file.read()


@lab.test("recipes/GitHub")
def github(bench):
    make_programs(bench, "old", "new")
    env = environment(bench, GITHUB_STEP_SUMMARY=bench.path("summary.md"))
    done = bench.run("bash", "-e", "-c", of_github(), env=env, status=1)
    lab.check("::error file=work.c,line=" in done.stdout, done.stdout)
    with open(bench.path("summary.md")) as file:
        lab.check("**B: " in file.read(), "the summary of the job")
    bench.run("bash", "-e", "-c", of_github().replace("./new", "./old"), env=env, status=0)


@lab.test("recipes/GitLab")
def gitlab(bench):
    make_programs(bench, "old", "new")
    env = environment(bench, TOKEN="secret", CI_API_V4_URL="https://gitlab.example/api/v4", CI_PROJECT_ID="12", CI_MERGE_REQUEST_IID="34")
    script = "\n".join(of_gitlab())
    bench.run("bash", "-eo", "pipefail", "-c", script, env=env, status=1)
    lab.equal(called(bench), "curl\n-sf\n-H\nPRIVATE-TOKEN: secret\n--data-urlencode\nbody@perf.md\n"
              "https://gitlab.example/api/v4/projects/12/merge_requests/34/notes\n", "the call that comments")
    with open(bench.path("perf.md")) as file:
        lab.check("**B: " in file.read(), "the comment")
    lab.check(os.path.isdir(bench.path("cinstr.compare")), "what is kept")
    bench.run("bash", "-eo", "pipefail", "-c", script.replace("./new", "./old"), env=env, status=0)


@lab.test("recipes/Jenkins")
def jenkins(bench):
    make_programs(bench, "old", "new")
    bench.run("sh", "-xe", "-c", of_jenkins(), env=environment(bench), status=1)
    lab.check(os.path.isdir(bench.path("cinstr.compare")), "what is kept")
    bench.run("sh", "-xe", "-c", of_jenkins().replace("./new", "./old"), env=environment(bench), status=0)


@lab.test("recipes/one after another")
def all_others(bench):
    lab.need("git")
    lab.need("make")
    commands = plain_commands()
    lab.equal(set(commands), set(ENDS), "commands of the section")
    env = environment(bench)
    make_programs(bench, "old-app", "new-app")
    bench.write("Makefile", "app: work.c\n\t$(CC) -O2 -g work.c -o app\n")
    bench.run("git", "init", "-q", ".", env=env, status=0)
    for parses in (1, 2, 2):
        bench.write("work.c", f"#define PARSES {parses}\n" + PROGRAM)
        bench.run("git", "add", "work.c", "Makefile", env=env, status=0)
        bench.run("git", "commit", "-q", "--allow-empty", "-m", f"Parses {parses}", env=env, status=0)
        if parses == 1:
            bench.run("git", "tag", "v1.2", env=env, status=0)
    bench.compile(bench.path("work.c"), "app", "-O2", COUNTED)
    for command in commands:
        if command.startswith("cinstr diff --measure"):  # of a run before
            bench.run(bench.path("old-app"), env={**env, "CINSTR_DATA": bench.path("old.data")}, status=0)
        done = bench.run("bash", "-c", command, env=env)
        lab.check(ENDS[command] in (None, done.returncode), f"{command}: ended with {done.returncode}: {done.stdout}{done.stderr}")
        if "bisect" in command:
            lab.check("Parses 2" in done.stdout, done.stdout)
    lab.check("genhtml\nlcov.info\n" in called(bench), "genhtml")
