# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that are not ours, as `make bench` builds and runs them: plain, and with the plugin as
anybody would who gives no option."""
import glob
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import world

HERE = os.path.dirname(os.path.abspath(__file__))
WORK = os.path.join(world.BUILD, "bench")
FLAGS = "-O2 -g"
CLOCKED, FIGURES = os.path.join(WORK, "clocked"), os.path.join(WORK, "clocked.txt")
TO_COMPRESS, VIDEO = os.path.join(WORK, "to-compress"), os.path.join(WORK, "video.yuv")
WIDTH, HEIGHT, FRAMES = 352, 288, 150
JOBS = os.environ.get("JOBS", "2")


class Subject:
    """A program. args: of its work; few: of work that callgrind can do in a minute (None: it
    cannot); stdin: a file that it reads."""

    def __init__(self, args, few=None, stdin=os.devnull):
        self.args, self.few, self.stdin = [str(arg) for arg in args], few and [str(arg) for arg in few], stdin

    def build(self, name, kind, flags=FLAGS):
        """Returns the program's path. kind: plain or usual, which are of one length: lua interns
        its own name only where that is short."""
        raise NotImplementedError

    def run(self, binary, wrap=(), args=None):
        """Returns ([seconds by the clock, seconds on the processor] of the program alone, its
        output)."""
        with open(self.stdin, "rb") as work:
            done = subprocess.run([*wrap, CLOCKED, FIGURES, binary, *(self.args if args is None else args)], stdin=work, env=clean(),
                                  cwd=WORK, capture_output=True, check=False)
        if done.returncode not in (0, 1):  # sqlite's work has a wrong statement in it
            raise RuntimeError(f"{binary}: ended with {done.returncode}: {done.stderr.decode(errors='replace')[-300:]}")
        return figures(), done.stdout


class Sources(Subject):
    """Compiled one source at a time."""

    def __init__(self, sources, flags, libraries, args, few=None, stdin=os.devnull, compiler="cc"):
        super().__init__(args, few, stdin)
        self.sources, self.flags, self.libraries, self.compiler = sources, flags, libraries, compiler

    def build(self, name, kind, flags=FLAGS):
        binary = os.path.join(WORK, f"{name}-{kind}")
        plugin = ["-fplugin=" + world.PLUGIN] if kind.startswith("usual") else []
        compiler = compiler_of(self.compiler)
        folder = binary + ".o"
        os.makedirs(folder, exist_ok=True)
        objects = []
        for source in self.sources:
            objects.append(os.path.join(folder, os.path.basename(source) + ".o"))
            run_command([*compiler, "-w", *plugin, *flags.split(), *self.flags, "-c", source, "-o", objects[-1]], folder)
        run_command([*compiler, *plugin, *flags.split(), *objects, "-o", binary, *self.libraries])
        return binary


class Project(Subject):
    """Built by its own means, in a copy of its sources."""

    def __init__(self, commands, binary, args, few=None, stdin=os.devnull):
        super().__init__(args, few, stdin)
        self.commands, self.binary = commands, binary

    def build(self, name, kind, flags=FLAGS):
        folder = os.path.join(WORK, f"{name}-{kind}")
        binary = os.path.join(folder, self.binary)
        if os.path.exists(folder + ".done"):
            return binary
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(os.path.join(world.WORLD, name.partition("-")[0]), folder, symlinks=True)
        compiler = " ".join(compiler_of("cc")) if kind == "plain" else os.path.join(world.BUILD, "cinstr-gcc")
        env = dict(clean(), CC=compiler, FLAGS=flags, JOBS=JOBS, CINSTR="off", LC_ALL="C")
        for name_ in "MAKEFLAGS", "MFLAGS", "MAKELEVEL":
            env.pop(name_, None)
        for command in self.commands:
            with open(folder + ".log", "ab") as log:
                if subprocess.run(command, shell=True, cwd=folder, env=env, stdout=log, stderr=log, stdin=subprocess.DEVNULL, check=False).returncode:
                    raise RuntimeError(f"{name}: `{command}` failed, see {folder}.log")
        with open(folder + ".done", "w", encoding="ascii"):
            pass
        return binary


class Server(Project):
    """Is asked a number of times by a client. The figures are of one request of a million."""

    def __init__(self, commands, binary, args, client, ready, requests):
        super().__init__(commands, binary, args)
        self.client, self.ready, self.requests = client, ready, requests

    def run(self, binary, wrap=(), args=None):
        server = subprocess.Popen([*wrap, CLOCKED, FIGURES, binary, *self.args], cwd=WORK, env=clean(), stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            for _ in range(600):
                if subprocess.run(self.ready, shell=True, capture_output=True, check=False).returncode == 0:
                    break
                time.sleep(0.1)
            done = subprocess.run([word.replace("BINARY", os.path.dirname(binary)) for word in self.client], capture_output=True, text=True,
                                  check=True)
        finally:
            subprocess.run(["pkill", "-TERM", "-x", "-s", str(server.pid), os.path.basename(binary)[:15]], check=False)
            try:
                server.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(server.pid, signal.SIGKILL)
        requests = re.search(self.requests, done.stdout)
        number = float(requests.group(1)) if requests and requests.groups() else 1e6
        return [figure / number * 1e6 for figure in figures()], b""


def callgrind(subject, binary, args, *options):
    """Runs the program under callgrind, and returns the file of its own process: CLOCKED, which
    starts it, has one, too."""
    out = binary + ".callgrind"
    for old in glob.glob(out + ".*"):
        os.remove(old)
    subject.run(binary, ["env", "CINSTR=off", "valgrind", "-q", "--trace-children=yes", "--tool=callgrind", "--compress-pos=no",
                         "--compress-strings=no", f"--callgrind-out-file={out}.%p", *options], args)
    for path in glob.glob(out + ".*"):
        with open(path, encoding="utf-8", errors="replace") as file:
            if any(line.startswith(f"cmd:  {binary} ") for line in itertools.islice(file, 20)):
                return path
    raise RuntimeError(f"{binary}: no file of callgrind's")


def compiler_of(language):
    cc = world.CC[0]
    return {"cc": world.CC, "cxx": [re.sub(r"gcc", "g++", cc)], "fc": [re.sub(r"gcc", "gfortran", cc)]}[language]


def clean():
    return {k: v for k, v in os.environ.items() if not k.startswith("CINSTR")}


def figures():
    with open(FIGURES, encoding="ascii") as file:
        return [float(figure) for figure in file.read().split()]


def run_command(command, folder=None):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[:3])} ... {command[-1]}: {done.stderr[-400:]}")


def source(*names):
    return os.path.join(world.WORLD, *names)


def make_input():
    """Text that bzip2 can compress to a fifth, sqlite's work several times, a film of moving
    stripes."""
    os.makedirs(WORK, exist_ok=True)
    run_command([*world.CC, "-O2", "-o", CLOCKED, os.path.join(HERE, "clocked.c")])
    for name, lines in (TO_COMPRESS, 1200000), (TO_COMPRESS + "-few", 20000):
        with open(name, "w", encoding="ascii") as file:
            for i in range(lines):
                file.write(f"{i * 7919 % 10007:x} {i * i % 997} some text that repeats {i % 13}\n")
    with open(os.path.join(world.HERE, "work.sql"), encoding="utf-8") as file:
        work = file.read()
    with open(os.path.join(WORK, "work-often.sql"), "w", encoding="utf-8") as file:
        file.write("\n.open :memory:\n".join([work] * 9))
    with open(VIDEO, "wb") as file:
        for frame in range(FRAMES):
            for y in range(HEIGHT):
                file.write(bytes((x * 3 + y * 2 + frame * 5 + x * y * frame // 977) & 255 for x in range(WIDTH)))
            file.write(bytes(128 for _ in range(WIDTH * HEIGHT // 2)))


def subjects():
    """{name: Subject}; those that take minutes to build come last."""
    known = world.programs()
    lua = [os.path.join(HERE, "lua_work.lua"), os.path.join(world.HERE, "work.lua")]
    bzip2 = "blocksort huffman crctable randtable compress decompress bzlib bzip2"
    openssl = "enc -aes-256-cbc -pbkdf2 -k pass -S 0102030405060708 -in {} -out /dev/null -iter".format(os.path.join(HERE, "run.sh")).split()
    x264 = ["--input-res", f"{WIDTH}x{HEIGHT}", "--fps", "25", "--threads", "2", "--quiet", "-o", "/dev/null"]
    return {
        # else hashes go by the time and addresses, and so how often strings collide, are found
        "lua": Sources(known["lua"].sources, [*known["lua"].flags, "-Dluai_makeseed(L)=1", "-DSTRCACHE_N=1", "-DSTRCACHE_M=2"],
                       known["lua"].libraries, [*lua, 12, 10], [*lua, 1, 1]),
        "sqlite": Sources(known["sqlite"].sources, known["sqlite"].flags, known["sqlite"].libraries, [":memory:"], [":memory:"],
                          stdin=os.path.join(WORK, "work-often.sql")),
        "cjson": Sources([os.path.join(HERE, "json_work.c"), source("cjson/cJSON.c")], ["-I" + source("cjson")], ["-lm"], [8000], [20]),
        "tinyxml2": Sources([os.path.join(HERE, "xml_work.cc"), source("tinyxml2/tinyxml2.cpp")], ["-I" + source("tinyxml2")], [], [9000],
                            [20], compiler="cxx"),
        "bzip2": Sources([source("bzip2", name + ".c") for name in bzip2.split()], [], [], ["-k", "-c", TO_COMPRESS],
                         ["-k", "-c", TO_COMPRESS + "-few"]),
        "fiber": Sources([os.path.join(HERE, "fiber_work.cc")], [], ["-lboost_fiber", "-lboost_context", "-pthread"], [8000000],
                         compiler="cxx"),
        "redis": Server(["make -j$JOBS MALLOC=libc CC=\"$CC\" OPTIMIZATION=-O2"], "src/redis-server", ["--port", "6399", "--save", ""],
                        ["BINARY/redis-benchmark", "-p", "6399", "-c", "20", "-n", "300000", "-q", "-t", "set,get,lpush,lrange_100,zadd"],
                        "exec 3<>/dev/tcp/127.0.0.1/6399".join(["bash -c '", "'"]), "never"),
        "haproxy": Server(["make -j$JOBS TARGET=linux-glibc CC=\"$CC\" DEBUG_CFLAGS=-g CPU_CFLAGS=-O2"], "haproxy",
                          ["-f", os.path.join(HERE, "haproxy.cfg")],
                          ["wrk", "-t1", "-c20", "-d5s", "http://127.0.0.1:6398/"],
                          "exec 3<>/dev/tcp/127.0.0.1/6398".join(["bash -c '", "'"]), r"(\d+) requests in"),
        "luajit": Project(["make -j$JOBS CC=\"$CC\" HOST_CC=gcc CCDEBUG=-g XCFLAGS=-DLUAJIT_ENABLE_LUA52COMPAT"], "src/luajit",
                          ["-joff", *lua, 40, 5]),
        "x264": Project(["./configure --disable-asm --disable-lavf --disable-swscale --disable-ffms --disable-gpac --disable-lsmash "
                         "--disable-opencl --extra-cflags=-g", "make -j$JOBS x264"], "x264", [*x264, VIDEO]),
        "perl": Project(["sh Configure -des -Dcc=\"$CC\" -Doptimize=\"$FLAGS\"", "make -j$JOBS miniperl"], "miniperl",
                        [os.path.join(HERE, "perl_work.pl"), 800], [os.path.join(HERE, "perl_work.pl"), 1]),
        "ruby": Project(["./configure --disable-install-doc --disable-jit-support CFLAGS=\"$FLAGS\"", "make -j$JOBS miniruby"], "miniruby",
                        [os.path.join(HERE, "ruby_work.rb"), 400]),
        "openssl": Project(["./Configure linux-x86_64 no-shared no-tests -g", "make build_generated", "make -j$JOBS apps/openssl"], "apps/openssl",
                           [*openssl, 2500000], [*openssl, 5000]),
        "lapack": Sources(lapack_sources(), ["-std=legacy"], [], [1400], compiler="fc"),
    }


# What is needed of it for eigenvalues of a matrix and a system of equations, modules first.
LAPACK = """la_constants.f90 la_xisnan.F90 dgesv.f dgetrf.f dgetrf2.f dgetrs.f disnan.f dlae2.f dlaev2.f dlaisnan.f dlanst.f dlansy.f dlapy2.f
dlarf.f dlarfb.f dlarfg.f dlarft.f dlartg.f90 dlascl.f dlaset.f dlasr.f dlasrt.f dlassq.f90 dlaswp.f dlatrd.f dorg2l.f dorg2r.f dorgql.f
dorgqr.f dorgtr.f dsteqr.f dsterf.f dsyev.f dsytd2.f dsytrd.f ieeeck.f iladlc.f iladlr.f ilaenv.f iparmq.f xerbla.f"""
BLAS = """daxpy.f dcopy.f ddot.f dgemm.f dgemv.f dger.f dnrm2.f90 dscal.f dswap.f dsymv.f dsyr2.f dsyr2k.f dtrmm.f dtrmv.f dtrsm.f idamax.f lsame.f"""


def lapack_sources():
    return [*(source("lapack/SRC", name) for name in LAPACK.split()), *(source("lapack/BLAS/SRC", name) for name in BLAS.split()),
            source("lapack/INSTALL/dlamch.f"), os.path.join(HERE, "lapack_work.f90")]


if __name__ == "__main__":  # programs.py NAME...: builds them
    os.makedirs(WORK, exist_ok=True)
    for given in sys.argv[1:]:
        for one in "plain", "usual":
            began = time.monotonic()
            print(subjects()[given].build(given, one), f"{time.monotonic() - began:.0f} s", flush=True)
