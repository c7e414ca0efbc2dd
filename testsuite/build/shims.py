# SPDX-License-Identifier: GPL-3.0-or-later
"""The shims that take the compilers' places: names, arguments, ends, folders."""
import os
import shutil
import signal
import subprocess

import lab
import yard

ECHO = """#!/bin/sh
for word; do printf '%s\\0' "$word"; done > "$SEEN"
"""


def folder_of(bench, *options):
    return yard.build(bench, "sh", "-c", "command -v " + yard.CC, options=options).stdout.strip().rpartition("/")[0]


@lab.test("shims/every name of this compiler")
def names(bench):
    """All names that lead to compilers of the plugin's version."""
    bench.write("a.c", "int work(int n) { while (n % 7) n *= 3; return n; }\n")
    found = []
    for name in sorted(os.listdir(folder_of(bench))):
        if not shutil.which(name) or name in ("ccache", "sccache") or "fortran" in name:
            continue
        version = subprocess.run([name, "-dumpfullversion"], capture_output=True, text=True).stdout.strip()
        if version != yard.VERSION:
            continue
        language = "c++" if "++" in name else "f95" if name in ("f77", "f95") else "c"
        if language == "f95":
            continue
        yard.build(bench, name, "-x", language, "-c", "a.c")
        lab.check(yard.has_probes(bench, "a.o"), f"{name} makes no probes")
        found.append(name)
    lab.check(yard.CC in found, f"names found: {found}")


@lab.test("shims/Fortran")
def fortran(bench):
    compiler = yard.CC.replace("gcc", "gfortran")
    lab.need(compiler)
    bench.write("a.f90", "program a\n  print *, sum([(i*i, i = 1, 10)])\nend program\n")
    yard.instrumented(yard.build(bench, compiler, "a.f90", "-o", "a"), 1)
    lab.check(yard.has_probes(bench, "a"), "no probes")


@lab.test("shims/Ada, by gnatmake")
def ada(bench):
    """It calls the compiler that is beside itself."""
    gnatmake = lab.need("gnatmake")
    version = subprocess.run([gnatmake, "--version"], capture_output=True, text=True).stdout.split("\n")[0]
    if not version.endswith(" " + yard.VERSION):
        raise lab.Skip(f"gnatmake here is {version}, not of GCC {yard.VERSION}")
    bench.write("hello.adb", "with Ada.Text_IO;\nprocedure Hello is\nbegin\n   Ada.Text_IO.Put_Line (\"x\");\nend Hello;\n")
    yard.says(yard.build(bench, "gnatmake", "hello.adb").stderr, "^cinstr: instrumented 1 compilation ")
    lab.check(yard.has_probes(bench, "hello"), "no probes")


@lab.test("shims/Ada, by hand")
def ada_by_hand(bench):
    """As doc/faq.md says: by --cflags, whose -I gnat1 takes for a folder of its own."""
    gnatmake = lab.need("gnatmake")
    bench.write("hello.adb", "procedure Hello is\nbegin\n   null;\nend Hello;\n")
    compiler = os.path.realpath(gnatmake).replace("gnatmake", "gcc")
    lab.need(compiler)
    flags = bench.run(lab.COMMAND, "--cflags", compiler)
    if flags.returncode:
        raise lab.Skip(f"no plugin for {compiler}")
    bench.run("sh", "-c", f"{gnatmake} -q hello.adb -cargs {flags.stdout.strip()}", status=0)
    lab.check(yard.has_probes(bench, "hello"), "no probes")


@lab.test("shims/Ada, by the compiler of gnatmake's own release")
def own_compiler(bench):
    """Not by what is called gcc beside it."""
    gnatmake = os.path.realpath(lab.need("gnatmake"))
    compiler = os.path.basename(gnatmake).replace("gnatmake", "gcc")
    if compiler == "gcc" or not shutil.which(compiler):
        raise lab.Skip(f"no {compiler} for {gnatmake} in PATH")
    yard.script(bench, "bin/gcc", "#!/bin/sh\necho called >&2\nexit 7\n")
    os.symlink(gnatmake, bench.path("bin/gnatmake"))
    bench.write("hello.adb", "procedure Hello is\nbegin\n   null;\nend Hello;\n")
    yard.build(bench, "gnatmake", "hello.adb", env={"PATH": bench.path("bin") + ":" + os.environ["PATH"]})
    bench.run(bench.path("hello"), status=0)


@lab.test("shims/arguments arrive as they are")
def arguments(bench):
    """At a compiler without a plugin: nothing added, nothing changed."""
    yard.script(bench, "bin/odd-gcc", ECHO)
    words = ["-c", "a b.c", "", "x\ny", "'\"\\$", "@nonexistent", "-DX=\"a b\"", "é"]
    env = {"PATH": bench.path("bin") + ":" + os.environ["PATH"], "SEEN": bench.path("seen")}
    yard.build(bench, "odd-gcc", *words, env=env)
    with open(bench.path("seen")) as file:
        lab.equal(file.read().split("\0")[:-1], words, "arguments")


@lab.test("shims/the plugin comes first, and nothing else changes")
def first(bench):
    real = shutil.which(yard.CC)
    yard.script(bench, "bin/" + yard.CC, f"#!/bin/sh\ncase $1 in -fplugin=*) "
                f"for word; do printf '%s\\0' \"$word\"; done > \"$SEEN\" ;; esac\nexec {real} \"$@\"\n")
    env = {"PATH": bench.path("bin") + ":" + os.environ["PATH"], "SEEN": bench.path("seen")}
    bench.write("a b.c", yard.WORK)
    bench.write("rest", "-c 'a b.c' -o a.o")
    words = ["-O2", "-DX=\"a b\"", "@rest"]
    yard.instrumented(yard.build(bench, yard.CC, *words, env=env, options=["--small=0"]), 1)
    with open(bench.path("seen")) as file:
        got = file.read().split("\0")[:-1]
    lab.equal(got[1:], ["-fplugin-arg-cinstr-small=0", "-fplugin-arg-cinstr-quiet"] + words, "arguments")
    lab.check(got[0].startswith("-fplugin=/") and got[0].endswith("cinstr.so"), got[0])
    lab.check(yard.has_probes(bench, "a.o"), "no probes")


@lab.test("shims/a build that looks where the compiler's link leads to")
def links(bench):
    """What it finds is still a shim of that name: g++ links the library of C++."""
    bench.write("a.cc", "#include <string>\nint main(int n, char **v) { return std::string(v[0]).size() + n > 99; }\n")
    done = yard.build(bench, "sh", "-c", f"$(readlink -f $(command -v {yard.CXX})) a.cc -o a")
    yard.instrumented(done, 1)
    lab.check(yard.has_probes(bench, "a"), "no probes")


@lab.test("shims/ends: exit status, signals, streams")
def ends(bench):
    yard.script(bench, "bin/odd-gcc", "#!/bin/sh\ncat; echo err >&2; [ \"$1\" = die ] && kill -SEGV $$; exit 41\n")
    shim = os.path.join(folder_of(bench), "odd-gcc")
    env = {"PATH": bench.path("bin") + ":" + os.environ["PATH"]}
    yard.build(bench, "true", env=env)
    for word, status in ("live", 41), ("die", -signal.SIGSEGV):
        done = subprocess.run([shim, word], input="in\n", env=yard.environment(bench, **env), capture_output=True, text=True)
        lab.equal((done.returncode, done.stdout, done.stderr), (status, "in\n", "err\n"), word)
    done = yard.run(bench, shim, status=127)
    yard.says(done.stderr, "there is no 'odd-gcc' in PATH")


@lab.test("shims/queries and text are as without")
def queries(bench):
    bench.write("a.c", "#include <stdio.h>\n" + yard.WORK)
    shim = os.path.join(folder_of(bench), yard.CC)
    for words in (["--version"], ["-dumpmachine"], ["-print-file-name=plugin"], ["-print-search-dirs"], ["-E", "a.c"],
                  ["-M", "a.c"], ["-MM", "a.c"], ["-fsyntax-only", "a.c"], ["-E", "-dM", "-x", "c", "/dev/null"],
                  ["-Q", "--help=target"], ["-dumpspecs"], ["nonexistent.c"], ["-v"]):
        plain, probed = yard.run(bench, "sh", "-c", '"$@"; echo $?', "sh", yard.CC, *words), \
            yard.run(bench, "sh", "-c", '"$@"; echo $?', "sh", shim, *words)
        lab.equal(probed.stdout, plain.stdout, " ".join(words))
        lab.equal(probed.stderr.replace(shim, yard.CC).replace(shutil.which(yard.CC), yard.CC),
                  plain.stderr.replace(shutil.which(yard.CC), yard.CC), " ".join(words))


@lab.test("shims/the same folder for the same options")
def same_folder(bench):
    one, same, other = folder_of(bench), folder_of(bench), folder_of(bench, "--small=0")
    lab.equal(one, same, "folder")
    lab.check(one != other, "other options, but the same folder")
    lab.check(one.startswith(bench.path(".cache/cinstr/shims/")), one)
    # Options are where a remembered path leads to, whatever is built last.
    bench.write("a.c", "int small(int n) { return n; }\n")
    yard.run(bench, os.path.join(other, yard.CC), "-c", "a.c")
    lab.check(yard.has_probes(bench, "a.o"), "no probes")


@lab.test("shims/no HOME, or a folder of one's own")
def folders(bench):
    bench.write("a.c", yard.WORK)
    os.makedirs(bench.path("tmp"))
    yard.instrumented(yard.build(bench, yard.CC, "-c", "a.c", env={"HOME": "/nonexistent", "TMPDIR": bench.path("tmp")}), 1)
    lab.equal(os.listdir(bench.path("tmp")), [f"cinstr-{os.geteuid()}"], "in TMPDIR")
    yard.instrumented(yard.build(bench, yard.CC, "-c", "a.c", options=["--shims=mine"]), 1)
    lab.check(os.path.lexists(bench.path("mine", yard.CC)), "no shims in the folder that was named")
    bench.write("taken", "")
    yard.says(yard.build(bench, "true", options=["--shims=taken"], status=1).stderr, "cannot be put into")
    os.makedirs(bench.path("full/of"))
    yard.says(yard.build(bench, "true", options=["--shims=full"], status=2).stderr, "holds something else")


@lab.test("shims/a folder where others may write is not used")
def safe(bench):
    bench.write("a.c", yard.WORK)
    os.makedirs(bench.path("tmp"))
    os.makedirs(bench.path("cache/cinstr/shims"))
    os.chmod(bench.path("cache/cinstr"), 0o777)
    env = {"XDG_CACHE_HOME": bench.path("cache")}
    yard.instrumented(yard.build(bench, yard.CC, "-c", "a.c", env=env), 1)
    lab.equal(os.listdir(bench.path("cache/cinstr/shims")), [], "shims there")
    os.makedirs(bench.path("mine"))
    os.chmod(bench.path("mine"), 0o777)
    yard.says(yard.build(bench, "true", options=["--shims=mine"], status=1).stderr, "others may write")


@lab.test("shims/what is known of a compiler is forgotten when its plugin changes")
def known(bench):
    bench.write("a.c", yard.WORK)
    command = yard.installation(bench)
    env = {"CC": yard.CC}
    yard.instrumented(yard.run(bench, command, "build", "--", yard.CC, "-c", "a.c", env=env), 1)
    shutil.copy(os.path.join(lab.BUILD, "libcinstr.so"), bench.path("installed/other.so"))
    os.rename(bench.path("installed/other.so"), bench.path("installed/cinstr.so"))
    done = yard.run(bench, command, "build", "--", yard.CC, "-c", "a.c", env=env)
    if "instrumented 1 " not in done.stderr:
        yard.says(done.stderr, "^cinstr: not instrumented: 1 ")
        lab.check(not yard.has_probes(bench, "a.o"), "probes of no plugin")
    shutil.copy2(lab.PLUGIN, bench.path("installed/cinstr.so"))
    yard.instrumented(yard.run(bench, command, "build", "--", yard.CC, "-c", "a.c", env=env), 1)
    os.makedirs(bench.path("lib"))
    os.rename(bench.path("installed"), bench.path("lib/moved"))
    yard.instrumented(yard.run(bench, bench.path("lib/moved/cinstr"), "build", "--", yard.CC, "-c", "a.c", env=env), 1)
