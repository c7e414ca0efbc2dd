# SPDX-License-Identifier: GPL-3.0-or-later
"""What the neighbour has put where a command of root's reads and writes files: links, FIFOs,
devices, packed files of immense content, names that steer a terminal."""
import contextlib
import ctypes
import http.server
import os
import re
import struct
import subprocess
import threading

import lab
from neighbour import DEADLINE, NEIGHBOUR, Scene, as_neighbour, tree_of
from trial import Skip, check, equal, fault

SECRET = b"known to root alone\n"
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


# ---- a server that keeps what it gets ------------------------------------------------------------

class Answer(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def store():
    try:
        ctypes.CDLL("libcurl.so.4")
    except OSError:
        raise Skip("no libcurl.so.4")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    server.bodies = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server, f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def sent_name(session, url):
    """Where a push keeps what it has sent."""
    value = 0xcbf29ce484222325
    for byte in f"{session}\n{url}".encode():
        value = (value ^ byte) * 0x100000001b3 % 2**64
    return f".sent-{value:016x}"


class Files(Scene):
    """Besides: a file that root alone may read, and root's own session."""

    def __init__(self, t, **more):
        super().__init__(t, **more)
        self.secret = os.path.join(self.private, "secret")
        with open(self.secret, "wb") as file:
            file.write(SECRET)
        os.chmod(self.secret, 0o600)
        self.before = tree_of(self.private)
        self.treasure = os.path.join(self.private, "treasure")

    def command(self, *arguments, **more):
        return self.run(lab.COMMAND, *arguments, **{"status": None, **more})


# ---- the spool -----------------------------------------------------------------------------------

def put_in_spool(spool, how, secret, kind, sent):
    traps = {"a partial file of the baseline": lambda: os.symlink(secret, f"{spool}/{sent}.partial"),
             "the baseline": lambda: os.symlink(secret, f"{spool}/{sent}"),
             "the lock": lambda: os.symlink(secret, f"{spool}/{sent}.lock"),
             "a request": lambda: os.symlink(secret, f"{spool}/00000000000000000001.1.{kind}"),
             "a FIFO": lambda: os.mkfifo(f"{spool}/00000000000000000001.1.{kind}"),
             "a FIFO as the baseline": lambda: os.mkfifo(f"{spool}/{sent}"),
             "a device": lambda: os.symlink("/dev/zero", f"{spool}/00000000000000000001.1.{kind}")}
    traps[list(traps)[how % len(traps)]]()


def make_spool(spool, mode, *trap):
    os.mkdir(spool)
    os.chmod(spool, mode)
    put_in_spool(spool, *trap)


@fault("push --spool=DIR, DIR is the neighbour's", (21, 210),
       "or everybody may write there: links to files of root's, FIFOs, devices by the names of requests and of what push keeps: nothing is sent or written")
def foreign_spool(t):
    scene = Files(t)

    def once(number):
        scene.begin()
        spool = scene.path("spool")
        with store() as (server, url):
            trap = number, scene.secret, "pyroscope", sent_name(scene.treasure, url)
            if number % 3 == 0:
                check(as_neighbour(make_spool, spool, 0o777, *trap), "no spool")
            elif number % 3 == 1:
                os.mkdir(spool)
                os.chmod(spool, 0o1777)
                check(as_neighbour(put_in_spool, spool, *trap), "nothing put there")
            else:
                check(as_neighbour(make_spool, scene.path("theirs"), 0o755, *trap), "no spool")
                check(as_neighbour(os.symlink, "theirs", spool), "no link")
            names = sorted(os.listdir(spool))
            done = scene.command("push", url, scene.treasure, f"--spool={spool}", "--retries=0")
            equal(server.bodies, [], "what was sent")
        equal((done.returncode, done.stdout), (1, ""), f"status: {done.stderr}")
        check("another user" in done.stderr, done.stderr)
        equal(sorted(os.listdir(spool)), names, "what is in the spool")
        scene.unharmed()

    return once


@fault("push --spool=DIR of root's own", (3, 30), "works, and takes up what a push before it has left")
def own_spool(t):
    scene = Files(t)

    def once(number):
        scene.begin()
        spool = scene.path("spool")
        if number % 2:
            os.mkdir(scene.path("elsewhere"), 0o700)
            os.symlink("elsewhere", spool)  # root's own link
        scene.command("push", "http://127.0.0.1:1", scene.treasure, f"--spool={spool}", "--retries=0", status=1)
        equal(len([name for name in os.listdir(spool) if name[0] != "."]), 1, "requests that wait")
        with store() as (server, url):
            scene.command("push", url, scene.treasure, f"--spool={spool}", status=0)
            equal(len(server.bodies), 2, "requests")
        scene.unharmed()

    return once


# ---- links out of a session ----------------------------------------------------------------------

def session_of_links(folder, target):
    os.mkdir(folder)
    os.symlink(target, os.path.join(folder, "a.1.00000000.cinstr"))


VERBS = [["report"], ["info"], ["tree"], ["summary"], ["export", "--format=collapsed"], ["merge", "-o", "merged.cinstr"],
         ["history", "add", "runs"], ["html", "-o", "page.html"], ["diff", "@"]]


@fault("links out of the neighbour's session", (18, 180), "to a session of root's, in a folder of theirs, by their link or one of root's: no command follows them")
def session_links(t):
    scene = Files(t)
    (data,) = [name for name in os.listdir(scene.treasure) if name.endswith(".cinstr")]
    data = os.path.join(scene.treasure, data)
    own = os.path.join(scene.private, "treasure")

    def once(number):
        scene.begin()
        verb = VERBS[number // 2 % len(VERBS)]
        theirs = scene.path("theirs")
        if number % 2:
            check(as_neighbour(session_of_links, theirs, data), "no links")
        else:
            session_of_links(theirs, data)  # what an archive that root unpacks may hold
            os.chown(theirs, NEIGHBOUR, NEIGHBOUR)
        arguments = [own if word == "@" else word for word in verb]
        done = scene.command(*arguments, theirs)
        check(done.returncode, f"{verb} has read it: {done.stdout[:200]}")
        check("is not followed" in done.stderr, f"{verb}: {done.stderr}")
        scene.unharmed()

    return once


FOLDERS = [["report"], ["info"], ["merge", "-o", "merged.cinstr"], ["diff", "@"], ["history", "list"], ["history", "add"]]


@fault("links to folders of root's", (12, 120), "a session, a history, in a folder where everybody writes, also with a slash at the end: not followed")
def folder_links(t):
    scene = Files(t)
    own = os.path.join(scene.private, "treasure")

    def once(number):
        scene.begin()
        os.chmod(scene.shared, 0o1777)
        verb = FOLDERS[number % len(FOLDERS)]
        check(as_neighbour(link_to, scene.path("theirs"), own), "no link")
        operands = [scene.path("theirs") + "/" * (number // len(FOLDERS) % 2)] + [own] * (verb[-1] == "add")
        done = scene.command(*[own if word == "@" else word for word in verb], *operands)
        equal(done.returncode, 1, f"{verb}: status: {done.stdout}")
        check("is not followed" in done.stderr, f"{verb}: {done.stderr}")
        scene.unharmed()

    return once


@fault("links in a session of root's own", (3, 30), "are followed: root has put them there")
def own_links(t):
    scene = Files(t)
    (data,) = [name for name in os.listdir(scene.treasure) if name.endswith(".cinstr")]

    def once(number):
        scene.begin()
        session_of_links(scene.path("mine"), os.path.join(scene.treasure, data))
        scene.command("report", scene.path("mine"), status=0)
        scene.command("report", os.path.join(scene.path("mine"), "a.1.00000000.cinstr"), status=0)

    return once


def link_to(path, target):
    os.symlink(target, path)


@fault("links by the names of what is written", (12, 120), "of -o FILE and what stands beside it while it is written, in a folder where everybody writes")
def output_links(t):
    scene = Files(t)

    def once(number):
        scene.begin()
        os.chmod(scene.shared, 0o777)
        out = ("out", "out.partial")[number % 2]
        check(as_neighbour(link_to, scene.path(out), scene.secret), "no link")
        verb = [["export", "--format=collapsed"], ["export", "--format=pprof"], ["report", "--format=csv"], ["merge"],
                ["html"], ["suggest"]][number // 2 % 6]
        scene.command(*verb, "-o", scene.path("out"), scene.treasure)
        scene.unharmed()

    return once


@fault("a FIFO by the name of what is written", (4, 40), "of the neighbour's, who reads it or not: refused, at once; one of root's own is written to")
def output_fifo(t):
    scene = Files(t)

    def once(number):
        scene.begin()
        os.chmod(scene.shared, 0o777)
        fifo = scene.path("out")
        check(as_neighbour(os.mkfifo, fifo, 0o666), "no FIFO")
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK) if number % 2 else -1
        verb = [["export", "--format=collapsed"], ["report", "--format=csv"]][number // 2 % 2]
        done = scene.command(*verb, "-o", fifo, scene.treasure)
        equal((done.returncode, done.stdout), (1, ""), f"status: {done.stderr}")
        check("another user" in done.stderr or "Permission denied" in done.stderr, done.stderr)
        if reader >= 0:
            equal(os.read(reader, 100), b"", "what was written")
            os.close(reader)
        own = scene.path("own")
        os.mkfifo(own)
        whole = scene.run("sh", "-c", f'cat own > copy & "$0" {" ".join(verb)} -o own "$1"; wait', lab.COMMAND, scene.treasure, status=0)
        check(os.path.getsize(scene.path("copy")) > 10, f"its own FIFO: {whole.stderr}")
        scene.unharmed()

    return once


# ---- FIFOs ---------------------------------------------------------------------------------------

def history_of_fifos(path, what):
    os.makedirs(os.path.join(path, "run=000001"))
    os.mkfifo(os.path.join(path, "run=000001", what))


@fault("FIFOs where files are read", (9, 90), "in a history, as a list, a filter, a token, a data file: an error, at once")
def read_fifos(t):
    scene = Files(t)

    def once(number):
        scene.begin()
        fifo = scene.path("fifo")
        os.mkfifo(fifo)
        check(as_neighbour(history_of_fifos, scene.path("runs"), "run.parquet"), "no history")
        commands = [["history", "list", scene.path("runs")], ["merge", "-o", scene.path("m"), "@" + fifo],
                    ["report", f"--filter={fifo}", scene.treasure], ["push", "http://127.0.0.1:1", scene.treasure, f"--token={fifo}"],
                    ["push", "https://127.0.0.1:1", scene.treasure, "--retries=0", f"--ca={fifo}"],
                    ["report", fifo], ["info", fifo], ["diff", scene.treasure, fifo], ["merge", "-o", scene.path("m"), fifo]]
        done = scene.command(*commands[number % len(commands)])
        check(done.returncode in (1, 2), f"{commands[number % len(commands)]}: {done.stdout}")
        check("not a regular file" in done.stderr or "cannot be read" in done.stderr, done.stderr)

    return once


@fault("lists and filters through a shell's pipe", (2, 20), "<(...) is a pipe without a name: it is read")
def shell_pipes(t):
    scene = Files(t)

    def once(number):
        scene.begin()
        script = ('"$0" merge -o m @<(echo "$1")', '"$0" report --filter=<(echo thread "*") "$1"')[number % 2]
        scene.run("bash", "-c", script, lab.COMMAND, scene.treasure, status=0)

    return once


# ---- packed files that unpack to gigabytes -------------------------------------------------------

def rle_frame(size):
    """A zstd frame of `size` bytes that are alike: four bytes for 128 KB."""
    block = 1 << 17
    n = size // block
    heads = b"".join(struct.pack("<I", block << 3 | 1 << 1 | (i == n - 1))[:3] + b"\x01" for i in range(n))
    return b"\x28\xb5\x2f\xfd\x00\x38" + heads


FILE_BYTES_AT, PACKED_AT = 104, 460  # in struct cinstr_header


@fault("packed files of gigabytes", (4, 20), "six of 37 KB that unpack to 1 GB each: refused")
def bombs(t):
    scene = Files(t)
    (data,) = [name for name in os.listdir(scene.treasure) if name.endswith(".cinstr")]
    with open(os.path.join(scene.treasure, data), "rb") as file:
        head = bytearray(file.read(4096))
    struct.pack_into("<Q", head, FILE_BYTES_AT, 1 << 30)
    struct.pack_into("<I", head, PACKED_AT, 1)

    def once(number):
        scene.begin()
        os.mkdir(scene.path("bombs"))
        for i in range(6):
            with open(scene.path("bombs", f"a.{i}.00000000.cinstr"), "wb") as file:
                file.write(head + rle_frame((1 << 30) - 4096 + (1 << 17) - 4096 & ~((1 << 17) - 1)))
        verb = [["report"], ["info"], ["pack", "--undo"], ["merge", "-o", scene.path("m")]][number % 4]
        limited = ["sh", "-c", 'ulimit -f 300000; exec "$@"', "sh", lab.COMMAND, *verb, scene.path("bombs")]
        done = scene.run(*limited, status=None)
        check(done.returncode == 1, f"{verb}: {done.returncode} {done.stdout}")
        check("times its size" in done.stderr or "damaged" in done.stderr, done.stderr)

    return once


# ---- names ---------------------------------------------------------------------------------------

NAME = "\x1b]0;theirs\x07\x1b[31m\u009b5m"


@fault("names that steer a terminal", (9, 90), "of folders, files and programs, where recording or reading fails: shown as \\xNN")
def names(t):
    scene = Files(t)

    def once(number):
        scene.begin()
        folder = scene.path(NAME)
        os.mkdir(folder)
        file = os.path.join(folder, "file")
        with open(file, "wb"):
            pass
        there = os.path.join(folder, "data")
        commands = [([scene.program], {"CINSTR_DATA": os.path.join(file, "data")}), ([scene.program], {"CINSTR_DATA": there, "CINSTR_VERBOSE": "1"}),
                    ([lab.COMMAND, "record", "-o", os.path.join(file, "data"), scene.program], {}),
                    ([lab.COMMAND, "record", "-o", there, scene.program], {}), ([lab.COMMAND, "report", folder], {}),
                    ([lab.COMMAND, "export", "--format=collapsed", "-o", os.path.join(folder, "out"), scene.treasure], {}),
                    ([lab.COMMAND, "merge", "-o", os.path.join(file, "m"), scene.treasure, file], {}),
                    ([lab.COMMAND, "history", "add", f"{folder}/runs", scene.treasure], {}),
                    ([lab.COMMAND, "html", "-o", os.path.join(file, "m"), scene.treasure], {})]
        command, env = commands[number % len(commands)]
        done = subprocess.run(command, cwd=scene.shared, capture_output=True, timeout=DEADLINE,
                              env={**lab.Bench.environment(), **env})
        said = (done.stdout + done.stderr).decode("utf-8", "replace")
        check(not CONTROL.search(said), f"{command[:3]}: {said!r}")
        check("theirs" in said or number % 9 in (5, 7, 3), f"{command[:3]}: nothing said: {said!r}")

    return once
