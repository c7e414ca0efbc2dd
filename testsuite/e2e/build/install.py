# SPDX-License-Identifier: GPL-3.0-or-later
"""make install: as a packager, into a tree of one's own, moved, without rights, and nothing is left
of it."""
import os
import shutil
import subprocess

import lab

PLAIN = ("-O2", "-fno-optimize-sibling-calls", "-fno-builtin")
RELEASE = subprocess.run(lab.CC + ["-dumpversion"], capture_output=True, text=True).stdout.strip().split(".")[0]


def make(bench, target, *variables):
    command = ["make", "-s", "-C", lab.ROOT, target, "CC=" + " ".join(lab.CC), "O=" + lab.BUILD] + list(variables)
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, MAKEFLAGS="", MAKELEVEL=""))
    lab.check(done.returncode == 0, done.stderr)
    return done.stdout


def tree(bench):
    """An installed tree, and a folder that is GCC's folder of plugins with -B: make install's last
    words."""
    return make(bench, "install", "PREFIX=" + bench.path("tree"), "GCC_PLUGINS=" + bench.path("gcc", "plugin"))


def everything(folder):
    return sorted(os.path.join(path, name) for path, folders, files in os.walk(folder) for name in folders + files)


def recorded(bench, flags, command, **more):
    """A program compiled with these flags is recorded, and the command shows it."""
    program = bench.path("program")
    bench.run(*lab.CC, *PLAIN, *flags, os.path.join(lab.E2E, "trees/nesting.c"), "-o", program, status=0)
    bench.run(program, status=0, **more)
    table = bench.run(command, "report", "--format=csv", status=0).stdout
    lab.check(any(line.startswith("leaf,") and ",10," in line for line in table.splitlines()), table)
    shutil.rmtree(bench.path("cinstr.data"))


def pkg_config(bench, where, *query):
    lab.need("pkg-config")
    return bench.run("pkg-config", *query, "cinstr", env={"PKG_CONFIG_PATH": where}, status=0).stdout.strip()


@lab.test("install/as a packager", quiet=True)
def staged(bench):
    """Into DESTDIR, for /usr: a program is profiled from there; GCC's folder has a link that does
    not tell of DESTDIR."""
    stage = ("DESTDIR=" + bench.path("root"), "PREFIX=/usr")
    make(bench, "install", *stage)
    base = bench.path("root", "usr")
    plugin = os.path.join(base, f"lib/cinstr/gcc-{RELEASE}/cinstr.so")
    own = bench.run(*lab.CC, "-print-file-name=plugin", status=0).stdout.strip()
    link = bench.path("root") + own + "/cinstr.so"
    lab.check(os.path.islink(link) and bench.path("root") not in os.readlink(link), f"link {link}")
    if own.startswith("/usr/"):
        lab.equal(os.path.realpath(link), plugin, "what GCC's folder leads to")
    lab.equal(os.readlink(os.path.join(base, "lib/libcinstr.so")), "libcinstr.so.0", "the linker's name")
    recorded(bench, ["-fplugin=" + plugin], os.path.join(base, "bin/cinstr"))
    recorded(bench, ["-fplugin=" + plugin, "-static", "-L" + os.path.join(base, "lib"), "-lcinstr"],
             os.path.join(base, "bin/cinstr"))
    source = bench.write("steered.c", "#include <cinstr.h>\n#include <cinstr/VSPerf.h>\n"
                         "int main(void) { return cinstr_mark(1) + (int)MarkProfile(2); }\n")
    steered = bench.compile(source, "steered", "-I" + os.path.join(base, "include"), plugin=plugin)
    bench.run(steered, status=0)
    lab.check(os.path.exists(os.path.join(base, "include/cinstr.hpp")), "cinstr.hpp is not installed")
    make(bench, "uninstall", *stage)
    lab.equal(everything(bench.path("root")), [], "left by uninstall")
    make(bench, "install", "UNINSTALL=no", *stage)
    lab.check(not os.path.exists(os.path.join(base, "lib/cinstr/made")), "UNINSTALL=no: a list that nobody needs")


@lab.test("install/by name", quiet=True)
def by_name(bench):
    """-fplugin=cinstr, what is said about it, and pkg-config."""
    os.makedirs(bench.path("gcc", "plugin"))
    command = bench.path("tree", "bin", "cinstr")
    lab.check("-fplugin=cinstr app.c" in tree(bench), "what make install says at its end")
    recorded(bench, ["-B" + bench.path("gcc"), "-fplugin=cinstr"], command)
    plugin = bench.path("tree", f"lib/cinstr/gcc-{RELEASE}/cinstr.so")
    lab.equal(bench.run(command, "--plugin-path", *lab.CC, status=0).stdout, plugin + "\n", "--plugin-path")
    where = bench.path("tree", "lib", "pkgconfig")
    lab.equal(os.path.realpath(pkg_config(bench, where, "--variable=plugindir")), os.path.dirname(plugin), "plugindir")
    lab.check("fplugin" not in pkg_config(bench, where, "--cflags", "--libs"), "pkg-config instruments who only includes")


@lab.test("install/moved", quiet=True)
def moved(bench):
    """A tree that was moved: its plugin, its runtime, its command; what was built before finds the
    runtime by its name."""
    os.makedirs(bench.path("gcc", "plugin"))
    tree(bench)
    recorded(bench, ["-fplugin=" + bench.path("tree", f"lib/cinstr/gcc-{RELEASE}/cinstr.so")],
             bench.path("tree", "bin", "cinstr"))
    os.rename(bench.path("tree"), bench.path("a new place"))
    command = bench.path("a new place", "bin", "cinstr")
    bench.run(bench.path("program"), status=0)
    lab.equal(bench.sessions(), [], "sessions when the runtime is gone")
    said = bench.run(command, "record", "--", bench.path("program"), status=0).stderr
    lab.check("not there any more" in said and "make install again" in said, f"said by record: {said!r}")
    bench.run(bench.path("program"), status=0, env={"LD_LIBRARY_PATH": bench.path("a new place", "lib")})
    lab.equal(bench.sessions(), ["cinstr.data"], "sessions with the runtime found by its name")
    plugin = bench.run(command, "--plugin-path", *lab.CC, status=0).stdout.strip()
    lab.equal(plugin, bench.path("a new place", f"lib/cinstr/gcc-{RELEASE}/cinstr.so"), "--plugin-path")
    recorded(bench, ["-fplugin=" + plugin], command)
    flags = bench.run(command, "--cflags", *lab.CC, status=0).stdout
    source = bench.write("api.c", "#include <cinstr.h>\nint main(void) { return cinstr_mark(1); }\n")
    bench.run("sh", "-c", f"{' '.join(lab.CC)} {flags.strip()} {source} -o api && ./api", status=0)
    where = bench.path("a new place", "lib", "pkgconfig")
    lab.equal(os.path.realpath(pkg_config(bench, where, "--variable=plugindir").replace("\\", "")),
              os.path.dirname(plugin), "plugindir")


@lab.test("install/GCC's folder is not writable", quiet=True)
def no_rights(bench):
    """Said in one line that works when copied."""
    said = make(bench, "install", "PREFIX=" + bench.path("tree"), "GCC_PLUGINS=/proc/none/plugin")
    lab.check("/proc/none/plugin, which is not writable" in said, f"said: {said!r}")
    line = said.strip().splitlines()[-1].replace("cinstr: gcc", " ".join(lab.CC))
    bench.write("app.c", "__attribute__((noipa)) int leaf(int n) { int sum = 0; for (int i = 0; i < n; i++) sum ^= i; return sum; }\n"
                "int main(int argc, char **argv) { (void)argv; return leaf(argc * 100) < 0; }\n")
    lab.check("leaf" in bench.run("sh", "-c", line, status=0).stdout, f"no profile by: {line}")
    make(bench, "uninstall", "PREFIX=" + bench.path("tree"))
    lab.check(not os.path.exists(bench.path("tree")), "uninstall leaves a tree that was not there before")


@lab.test("install/uninstall leaves nothing", quiet=True)
def uninstalled(bench):
    """What was there stays: folders, empty ones too, other files, a plugin of somebody else in
    GCC's folder."""
    for folder in ("tree/share/man/man1", "tree/lib", "gcc/plugin"):
        os.makedirs(bench.path(*folder.split("/")))
    bench.write("tree/share/man/man1/other.1", "")
    before = everything(bench.path("tree")) + everything(bench.path("gcc"))
    where = ("PREFIX=" + bench.path("tree"), "GCC_PLUGINS=" + bench.path("gcc", "plugin"))
    tree(bench)
    tree(bench)
    lab.check(os.path.islink(bench.path("gcc", "plugin", "cinstr.so")), "no link in GCC's folder")
    make(bench, "uninstall", *where)
    lab.equal(everything(bench.path("tree")) + everything(bench.path("gcc")), before, "left after two installs")
    tree(bench)
    os.remove(bench.path("gcc", "plugin", "cinstr.so"))
    bench.write("gcc/plugin/cinstr.so", "somebody else's")
    make(bench, "uninstall", *where)
    lab.check(os.path.exists(bench.path("gcc", "plugin", "cinstr.so")), "uninstall took away somebody else's plugin")


@lab.test("install/another copy's link stays")
def another_copy(bench):
    """It is in GCC's folder first: the second copy says so, and takes none away at its end."""
    os.makedirs(bench.path("gcc", "plugin"))
    link = bench.path("gcc", "plugin", "cinstr.so")
    lab.check(f"by a link in {bench.path('gcc/plugin')}:" in tree(bench), "the link is not told")
    first = os.readlink(link)
    second = ("PREFIX=" + bench.path("second"), "GCC_PLUGINS=" + bench.path("gcc", "plugin"))
    said = make(bench, "install", *second)
    lab.check(f"{link} stays: it is of another copy ({os.path.realpath(first)}):" in said, said)
    lab.check("$(" + bench.path("second/bin/cinstr") + " --cflags)" in said, said)
    lab.equal(os.readlink(link), first, "the first copy's link")
    make(bench, "uninstall", *second)
    lab.equal(os.readlink(link), first, "the first copy's link, after uninstalling the second")


@lab.test("install/whose a link in GCC's folder is")
def link_of(bench):
    """One that leads nowhere is replaced, a file is not; one that leads elsewhere is not
    removed."""
    gcc, lib = bench.path("gcc"), bench.path("lib/cinstr")
    plugin, link = lib + "/gcc-12/cinstr.so", gcc + "/cinstr.so"
    os.makedirs(gcc)
    os.makedirs(os.path.dirname(plugin))
    bench.write(plugin, "")

    def made(*words):
        bench.run(os.path.join(lab.ROOT, "contrib/install-made"), "", lib + "/made", *words, status=0)

    bench.write(link, "somebody's")
    made("link", plugin, gcc, bench.path("none"))
    lab.check(not os.path.islink(link), "a file was replaced")
    for leads_to in "/nowhere/cinstr.so", plugin:
        os.remove(link)
        os.symlink(leads_to, link)
        made("link", plugin, gcc, bench.path("none"))
        lab.equal(os.readlink(link), plugin, f"the link that led to {leads_to}")
    os.remove(link)
    os.symlink("/elsewhere/cinstr/gcc-12/cinstr.so", link)
    made("remove", lib)
    lab.check(os.path.islink(link), "removed, though it leads elsewhere by now")
    made("link", plugin, gcc, bench.path("none"))
    made("remove", lib)
    lab.check(not os.path.lexists(link), "its own link is left")


@lab.test("install/a second compiler", quiet=True)
def second(bench):
    """Its plugin beside the first, and both uninstalled at once. Skip: the suite `compilers` has
    built none."""
    other = next((name for name in ("gcc-11", "gcc-13", "gcc-14", "gcc-15")
                  if name != "gcc-" + RELEASE and os.path.exists(os.path.join(lab.BUILD, name, "cinstr.so"))), None)
    if not other:
        raise lab.Skip("no plugin for another compiler is built")
    os.makedirs(bench.path("gcc", "plugin"))
    os.makedirs(bench.path("other", "plugin"))
    tree(bench)
    make(bench, "install-plugin", "PREFIX=" + bench.path("tree"), "GCC_PLUGINS=" + bench.path("other", "plugin"),
         "CC=" + other, "CXX=" + other.replace("gcc", "g++"), "O=" + os.path.join(lab.BUILD, other))
    command = bench.path("tree", "bin", "cinstr")
    for compiler in (lab.CC, [other]):
        flags = bench.run(command, "--cflags", *compiler, status=0).stdout.split()
        lab.check(bench.path("tree") in flags[0], f"plugin for {compiler}: {flags}")
        bench.run(*compiler, *PLAIN, flags[0], os.path.join(lab.E2E, "trees/nesting.c"), "-o", bench.path("program"), status=0)
        bench.run(bench.path("program"), status=0)
    lab.equal(len([name for name in bench.sessions() if name.startswith("cinstr.data")]), 2, "sessions")
    make(bench, "uninstall", "PREFIX=" + bench.path("tree"))
    lab.equal(everything(bench.path("tree")) + os.listdir(bench.path("other", "plugin")) if os.path.exists(bench.path("tree"))
              else os.listdir(bench.path("other", "plugin")), [], "left by uninstall")
