# SPDX-License-Identifier: GPL-3.0-or-later
"""What every end-to-end test uses: compile, run, read the session, compare.

A test gets a Bench: a scratch folder and the tools. It raises Failure or Skip, or returns.
"""
import contextlib
import fnmatch
import functools
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

import hangs

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("ROOT", os.path.abspath(os.path.join(HERE, "../..")))
E2E = os.path.join(ROOT, "testsuite/e2e")  # its programs/ and trees/
INCLUDE = "-I" + os.path.join(ROOT, "include")
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
CC = shlex.split(os.environ.get("CC", "gcc"))
COMPILERS = {
    ".cc": shlex.split(os.environ.get("CXX", "")) or [word.replace("gcc", "g++") for word in CC],
    ".f90": [word.replace("gcc", "gfortran") for word in CC],
}
PLUGIN = os.path.join(BUILD, "cinstr.so")
RUNTIME = os.path.join(BUILD, "libcinstr.so")
COMMAND = os.path.join(BUILD, "cinstr")
METHOD = os.environ.get("METHOD", "instrumentation")  # auto: as users record
OVERHEAD = os.environ.get("OVERHEAD", "10")  # the limit, where samples are taken
TIMEOUT = 300  # of a command, which takes a minute at most where nothing else runs
LIMIT = int(os.environ.get("LIMIT", "900"))  # of a test, in seconds: what hangs costs one test
# so many times more without probes: whether the program itself differs by chance
PLAIN = int(os.environ.get("PLAIN", "0"))
TESTS = []
QUIET = set()  # names of those that need a machine where nothing else runs
SKIPPED = [0]


class Failure(Exception):
    pass


class TimeFailure(Failure):
    """A time that is wrong, by itself or because the machine was disturbed (quiet.py)."""


class Skip(Exception):
    pass


class Spoilt(Skip):
    """Others had the machine: nobody knows whether it is right."""


class Hangs(BaseException):
    """Of no kind that a test handles."""


def test(name, quiet=False):
    """Registers a test: @test("name"). quiet: it compares times of the program, so nothing else is
    to run beside it."""

    def register(function):
        TESTS.append((name, function))
        if quiet:
            QUIET.add(name)
        return function

    return register


def check(condition, message):
    if not condition:
        raise Failure(message)


def check_time(condition, message):
    """For quiet.measured(): all else must hold each time."""
    if not condition:
        raise TimeFailure(message)


def equal(got, expected, what):
    if got != expected:
        raise Failure(f"{what}: {got!r}, expected {expected!r}")


def need(tool):
    path = shutil.which(tool)
    if not path:
        raise Skip(f"no {tool} here")
    return path


@functools.lru_cache
def release():
    """Of GCC."""
    return int(subprocess.run(CC + ["-dumpversion"], capture_output=True, text=True).stdout.split(".")[0])


def need_release(number):
    if release() < number:
        raise Skip(f"this is GCC {release()}, the language needs GCC {number}")


@functools.lru_cache
def plugin_flags(plugin):
    """Small functions stay in, so that trees show everything; a plugin of before that option keeps
    them anyway."""
    load, small = f"-fplugin={plugin}", "-fplugin-arg-cinstr-small=0"
    known = subprocess.run(CC + [load, small, "-fsyntax-only", "-x", "c", os.devnull], capture_output=True)
    return [load] if known.returncode else [load, small]


def compiler_of(source):
    compiler = COMPILERS.get(os.path.splitext(source)[1], CC)
    need(compiler[0])
    return compiler


LEAVES_FILES = ("--coverage", "-fprofile", "-ftest-coverage", "-pg", "-save-temps", "-gsplit-dwarf")


def kept_build(folder, command, sources):
    """Where the same build without plugin is kept, by compiler, flags, and what the sources are
    made of. None: it has to do with the test's own folder, or leaves files there."""
    command = command[:-command[::-1].index("-o") - 1] + command[len(command) - command[::-1].index("-o") + 1:]
    if any(folder in word or word.startswith(LEAVES_FILES) for word in command + sources):
        return None
    compiler = os.stat(shutil.which(command[0]))
    key = hashlib.sha256(repr((command, compiler.st_size, compiler.st_mtime_ns, CC)).encode())
    for source in sources:
        with open(source, errors="replace") as file:
            if re.search(r'include +"[^"]*(?<!\.h)"', file.read()):
                return None  # not a header
        for path in [source] + headers_for(os.path.dirname(source)):
            with open(path, "rb") as file:
                key.update(file.read())
    return os.path.join(BUILD, "check", "plain", key.hexdigest()[:32])


@functools.lru_cache
def headers_for(folder):
    """All that sources there may include."""
    found = []
    for place in folder, os.path.join(ROOT, "include"):
        for where, _, names in os.walk(place):
            found += [os.path.join(where, name) for name in names if name.endswith((".h", ".hpp", ".inc", ".mod"))]
    return sorted(found)


def keep_build(output, kept):
    """Others may do the same at this moment."""
    os.makedirs(os.path.dirname(kept), exist_ok=True)
    shutil.copy2(output, f"{kept}.{os.getpid()}")
    os.rename(f"{kept}.{os.getpid()}", kept)


class Bench:
    def __init__(self, name):
        self.name = name
        self.folder = tempfile.mkdtemp(prefix="cinstr-" + re.sub(r"\W+", "-", name) + "-")
        self.started = []

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def end(self):
        """Ends what the test started and left running, and what that left."""
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.wait()
        hangs.kill(hangs.inside(self.folder))

    def stacks(self):
        """Of all that the test runs, which ends by it. The time that this takes is not the
        test's."""
        left = signal.alarm(0)
        text = hangs.show_and_kill(sorted({*hangs.descendants(os.getpid()), *hangs.inside(self.folder)}))
        signal.alarm(left)
        return text

    # ---- compile and run -----------------------------------------------------------------------

    def compile(self, source, output, *flags, plugin=PLUGIN, fails=False):
        """Compiles SOURCE (a path relative to e2e/, or absolute; or several in a list: the first
        chooses the compiler)."""
        sources = [source] if isinstance(source, str) else source
        sources = [s if os.path.isabs(s) else os.path.join(E2E, s) for s in sources]
        command = compiler_of(sources[0]) + ["-D_GNU_SOURCE", "-g"] + (plugin_flags(plugin) if plugin else [])
        if not plugin:
            flags = [f for f in flags if not f.startswith("-fplugin-arg-")]
        # Libraries stand behind the sources.
        libraries = [f for f in flags if f.startswith("-l")]
        command += [f for f in flags if f not in libraries] + sources + ["-o", self.path(output)] + libraries
        kept = None if plugin or fails else kept_build(self.folder, command, sources)
        if kept and os.path.exists(kept):
            shutil.copy2(kept, self.path(output))
            return self.path(output)
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, timeout=TIMEOUT)
        if not fails and done.returncode:
            raise Failure(f"{' '.join(command)}\n{done.stderr.strip()}")
        if kept:
            keep_build(self.path(output), kept)
        return self.path(output) if not fails else done

    @staticmethod
    def environment(env=None):
        """The environment of the tests, with no option of cinstr but those in env: every call is
        timed, and nothing sampled, unless they or METHOD say so. UTF-8 whatever the caller's locale
        is."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith("CINSTR")}
        clean["CINSTR_METHOD"] = METHOD
        if METHOD != "instrumentation":
            clean["CINSTR_MAX_OVERHEAD"] = OVERHEAD
        clean["COLUMNS"] = "0"  # tables of any width
        clean["LC_ALL"] = "C.UTF-8"
        clean.update(env or {})
        return clean

    def run(self, *command, env=None, cwd=None, status=None, timeout=TIMEOUT, **more):
        """Runs a command; status: the exit status it must end with (-N: signal N)."""
        text = more.pop("input", None)
        if text is not None:
            more["stdin"] = subprocess.PIPE
        with subprocess.Popen(command, env=self.environment(env), cwd=cwd or self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, errors="replace", **more) as process:
            try:
                output, errors = process.communicate(text, timeout)
            except subprocess.TimeoutExpired:
                raise Failure(f"{os.path.basename(command[0])} does not end (waited {timeout} s)\n{self.stacks()}") from None
            except BaseException:
                process.kill()
                raise
        done = subprocess.CompletedProcess(command, process.returncode, output, errors)
        if status is not None and done.returncode != status:
            raise Failure(f"{' '.join(map(os.path.basename, command))}: ended with {done.returncode}, not {status}\n"
                          f"{done.stderr.strip()[-2000:]}")
        return done

    def start(self, *command, env=None, cwd=None, **more):
        process = subprocess.Popen(command, env=self.environment(env), cwd=cwd or self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
        self.started.append(process)
        return process

    @contextlib.contextmanager
    def beside(self, n):
        """Runs so many processes that compute meanwhile; each ends after a minute of processor
        time, whatever becomes of the test."""
        spin = [self.start("sh", "-c", "ulimit -t 60; while :; do :; done") for _ in range(n)]
        try:
            yield
        finally:
            for one in spin:
                one.kill()
                one.wait()

    def same_as_plain(self, source, *flags, args=(), env=None, cwd=None):
        """Compiles and runs with and without the plugin: output and end must be equal. Returns the
        run with it."""
        plain = self.compile(source, "plain", *flags, plugin=None)
        program = self.compile(source, "program", *flags)
        os.makedirs(self.path("plain-run"), exist_ok=True)
        expected = self.run(plain, *args, cwd=self.path("plain-run"))
        for _ in range(PLAIN):
            same_run(self.run(plain, *args, cwd=self.path("plain-run"), timeout=20), expected)
        got = self.run(program, *args, env=env, cwd=cwd)
        same_run(got, expected)
        return got

    # ---- sessions ------------------------------------------------------------------------------

    def cinstr(self, *args, status=0):
        return self.run(COMMAND, *args, status=status).stdout

    def json(self, *args):
        """Functions have their assembler names."""
        text = self.cinstr(args[0], "--format=json", "--names=assembler", *args[1:])
        try:
            return json.loads(text)
        except ValueError as reason:
            raise Failure(f"cinstr {' '.join(args)}: not JSON: {reason}: {text[:200]!r}")

    def report(self, session="cinstr.data", by="function", *args):
        return self.json("report", f"--by={by}", *args, self.path(session))

    def functions(self, session="cinstr.data"):
        """Rows by function name."""
        return {row["name"]: row for row in self.report(session)["rows"]}

    def tree(self, session="cinstr.data"):
        """The call-path tree as nested {name: [calls, children]}, siblings of one name and all
        threads added up."""
        return add_up(self.tree_rows(session))

    def tree_rows(self, session="cinstr.data"):
        return self.json("tree", self.path(session))["rows"]

    def sound(self, session="cinstr.data", lost=0):
        """R10 and nothing lost. Returns the session's totals."""
        totals = self.report(session)["session"]
        equal(totals["conservation_ticks_off"], 0, "conservation_ticks_off")
        equal(totals["lost_events"], lost, "lost_events")
        return totals

    def sessions(self):
        return sorted(n for n in os.listdir(self.folder) if n.startswith("cinstr.data"))


def same_run(got, expected):
    equal(got.returncode, expected.returncode, "exit status")
    if got.stdout != expected.stdout:
        raise Failure(f"output differs from the plain program's: {got.stdout[-500:]!r}, "
                      f"expected {expected.stdout[-500:]!r}")
    if got.stderr != expected.stderr:
        raise Failure(f"error output differs from the plain program's: {got.stderr[-1000:]!r}")


def add_up(rows):
    """Rows with `depth` (from 1) in preorder to nested {name: [calls, children]}."""
    root = {}
    open_levels = [root]
    for row in rows:
        depth = row["depth"] - 1
        del open_levels[depth + 1:]
        entry = open_levels[depth].setdefault(row["name"], [0, {}])
        entry[0] += row["calls"] or 0
        open_levels.append(entry[1])
    return root


def tree_lines(tree, depth=0):
    lines = []
    for name in sorted(tree):
        calls, children = tree[name]
        lines.append("  " * depth + f"{name} {calls}")
        lines += tree_lines(children, depth + 1)
    return lines


def compare_trees(got, expected, where=""):
    """Both are lists of indented `name calls` lines."""
    if got == expected:
        return
    import difflib

    diff = "\n".join(difflib.unified_diff(expected, got, "expected", "recorded", lineterm="", n=2))
    raise Failure(f"{where}call tree differs\n{diff}")


def signal_name(status):
    return signal.Signals(-status).name if status < 0 else str(status)


def data_files(folder):
    """Of a session that may not be there yet."""
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [os.path.join(folder, name) for name in names if name.endswith(".cinstr")]


def wait_for(condition, what, seconds=120):
    """Until it is so; what it returned then. A Failure in it, as of a file that is being made, is
    one more wait."""
    end = time.monotonic() + seconds
    while True:
        reason = ""
        try:
            got = condition()
            if got:
                return got
        except Failure as failure:
            reason = f" ({failure})"
        check(time.monotonic() < end, f"waited {seconds} s: {what}{reason}")
        time.sleep(0.02)


def processor_seconds(pid):
    """Of processor time that the process has had, all its threads together."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def let_run(pid, seconds):
    """Until the process has had so much processor time more, however busy the machine is."""
    end = processor_seconds(pid) + seconds
    wait_for(lambda: processor_seconds(pid) >= end, f"process {pid} does not get the processor")


def settled(count, pid, seconds=0.1, tries=20):
    """A number that soon changes no more, although the process runs on: it stays while that gets so
    much processor time."""
    for _ in range(tries):
        before = count()
        let_run(pid, seconds)
        if count() == before:
            return before
    raise Failure(f"still {count()}, {before} before")


@contextlib.contextmanager
def limited(bench):
    """A test may take LIMIT seconds. What hangs is a Failure with the place and the stacks of all
    that runs, which ends."""

    def expired(_number, frame):
        places = [f"{place.filename}:{place.lineno} in {place.name}" for place in traceback.extract_stack(frame)[-6:]]
        raise Hangs("\n".join([f"it does not end (waited {LIMIT} s)"] + places + [bench.stacks()]))

    signal.signal(signal.SIGALRM, expired)
    signal.alarm(LIMIT)
    try:
        yield
    except Hangs as reason:
        raise Failure(str(reason)) from None
    except subprocess.TimeoutExpired as reason:
        raise Failure(f"{reason}\n{bench.stacks()}") from None
    finally:
        signal.alarm(0)


@contextlib.contextmanager
def favoured(wanted):
    """What a quiet test runs has the highest priority that it may have, in its session and with its
    session: where neighbours compute as well it is rarely interrupted."""
    if not wanted:
        yield
        return
    before, session = os.getpriority(os.PRIO_PROCESS, 0), session_priority()
    set_priorities(-20, -20)
    try:
        yield
    finally:
        set_priorities(before, session)


def session_priority():
    """Of the kernel's autogroup (sched(7)); None where there is none."""
    with contextlib.suppress(OSError, ValueError, IndexError), open("/proc/self/autogroup") as file:
        return int(file.read().split("nice")[1])


def set_priorities(own, session):
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, own)
    if session is not None:
        with contextlib.suppress(OSError), open("/proc/self/autogroup", "w") as file:
            file.write(str(session))


def run_tests():
    """All that are registered, or those that the arguments, or T, select by globs; --exact: by
    names; --list: only says which. Returns an exit status."""
    arguments = [word for word in sys.argv[1:] if not word.startswith("--")]
    wanted = arguments or os.environ.get("T", "*").split()
    matches = (lambda name: name in wanted) if "--exact" in sys.argv else (
        lambda name: any(fnmatch.fnmatch(name, pattern) for pattern in wanted))
    chosen = [one for one in TESTS if matches(one[0])]
    if "--list" in sys.argv:
        for name, function in chosen:
            print("quiet" if name in QUIET else "any", name)
        return 0
    failed = [name for name, function in chosen if run_test(name, function) is False]
    passed = len(chosen) - len(failed) - SKIPPED[0]
    print(f"{passed} passed, {len(failed)} failed")
    return 1 if failed else 0


def run_test(name, function):
    """Prints how it ended; False: it failed."""
    bench, start, good = Bench(name), time.monotonic(), True
    try:
        with limited(bench), favoured(name in QUIET):
            function(bench)
        text = f"ok {name}"
    except Skip as reason:
        SKIPPED[0] += 1
        text = f"skip {name}: {reason}"
    except Failure as reason:
        text, good = f"FAIL {name}: {reason}", False
    except Exception:
        text, good = f"FAIL {name}: the test itself broke\n{traceback.format_exc(limit=-2)}", False
    finally:
        seconds = time.monotonic() - start
        bench.end()
    print(text + (f"  ({seconds:.1f} s)" if text.startswith("ok ") else ""), flush=True)
    if not os.environ.get("KEEP"):
        shutil.rmtree(bench.folder, ignore_errors=True)
    return good
