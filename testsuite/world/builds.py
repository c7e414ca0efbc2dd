# SPDX-License-Identifier: GPL-3.0-or-later
"""zstd built in each way that doc/build-systems.md tells, from Debian's source as it is; each build
compresses and decompresses a file, recorded. Used by run.py."""
import json
import os
import re
import shutil
import subprocess

import world

FOLDER = os.path.join(world.WORLD, "builds")
SOURCE = os.path.join(world.WORLD, "zstd")
CONTRIB = os.path.join(world.ROOT, "contrib")
BUILD = [world.COMMAND, "build", "--"]
# At the end of the project's own file, which is not touched.
INCLUDED = """cmake_language(DEFER CALL cinstr_zstd)
function(cinstr_zstd)
	find_package(cinstr REQUIRED HINTS "%s")
	cinstr_instrument(zstd libzstd_static)
endfunction()
""" % os.path.join(CONTRIB, "cmake")
# What only compression, and only decompression, calls; the counts are the same however it was
# built.
EXPECTED = ("main", "ZSTD_compressStream2", "ZSTD_compressBlock_internal", "ZSTD_decompressStream", "ZSTD_decompressContinue")


class Broken(Exception):
    pass


def run(name, *command, env=None, cwd=None):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("CINSTR") and k not in ("MAKEFLAGS", "MAKELEVEL", "CFLAGS", "BUILD")}
    clean.update({"LC_ALL": "C", "PATH": world.BUILD + ":" + os.environ["PATH"]}, **(env or {}))
    done = subprocess.run(command, cwd=cwd or FOLDER, env=clean, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace")
    with open(os.path.join(FOLDER, name + ".log"), "a") as log:
        log.write(f"$ {' '.join(command)}\n{done.stdout}{done.stderr}")
    if done.returncode:
        raise Broken(f"{' '.join(command)}: exit status {done.returncode}: {(done.stderr or done.stdout)[-500:]}")
    return done


def need(*tools):
    missing = [tool for tool in tools if not shutil.which(tool)]
    if missing:
        raise LookupError(f"no {missing[0]} here")


def copy(name):
    """The source, to be built in its own folders."""
    path = os.path.join(FOLDER, name + "-source")
    shutil.copytree(SOURCE, path, symlinks=True)
    return path


def make():
    source = copy("make")
    run("make", *BUILD, "make", "-C", source + "/programs", "-j2", "zstd", "HAVE_LZMA=0", "HAVE_ZLIB=0", "HAVE_LZ4=0")
    return source + "/programs/zstd"


def cmake():
    need("cmake", "ninja")
    run("cmake", *BUILD, "cmake", "-G", "Ninja", "-S", SOURCE + "/build/cmake", "-B", "cmake-build")
    run("cmake", *BUILD, "cmake", "--build", "cmake-build", "--target", "zstd")
    return "cmake-build/programs/zstd"


def cmake_package():
    need("cmake")
    with open(os.path.join(FOLDER, "included.cmake"), "w") as file:
        file.write(INCLUDED)
    run("package", "cmake", "-S", SOURCE + "/build/cmake", "-B", "package-build",
        f"-DCMAKE_PROJECT_zstd_INCLUDE={FOLDER}/included.cmake", env={"CC": world.CC[-1]})
    run("package", "cmake", "--build", "package-build", "--target", "zstd", "-j2")
    return "package-build/programs/zstd"


def meson():
    need("meson", "ninja")
    run("meson", *BUILD, "meson", "setup", "-Dbin_contrib=false", "meson-build", SOURCE + "/build/meson")
    run("meson", *BUILD, "ninja", "-C", "meson-build", "programs/zstd")
    return "meson-build/programs/zstd"


def meson_subproject():
    """Two lines are added to its files, as the subproject wants it."""
    need("meson", "ninja")
    source = os.path.join(copy("subproject"), "build/meson")
    os.makedirs(source + "/subprojects")
    os.symlink(CONTRIB + "/meson", source + "/subprojects/cinstr")
    for file, before in ("lib", "libzstd = library("), ("programs", "zstd = executable("):
        path = f"{source}/{file}/meson.build"
        with open(path) as old:
            text = old.read()
        name = "libzstd_deps" if file == "lib" else "zstd_deps"
        added = f"{name} += dependency('cinstr-instrument', fallback: 'cinstr')\n"
        with open(path, "w") as new:
            new.write(text.replace(before, added + before, 1))
    run("subproject", "meson", "setup", "subproject-build", source, env={"CC": world.CC[-1]})
    run("subproject", "ninja", "-C", "subproject-build", "programs/zstd")
    return "subproject-build/programs/zstd"


WAYS = {"cinstr build -- make": make, "cinstr build -- cmake, ninja": cmake, "CMake package": cmake_package,
        "cinstr build -- meson, ninja": meson, "Meson subproject": meson_subproject}


def calls(program):
    """Compresses and decompresses the work, as one session; {function: calls}."""
    data = os.path.join(FOLDER, "data")
    shutil.rmtree(data, ignore_errors=True)
    program = os.path.join(FOLDER, program)
    run("work", world.COMMAND, "record", "-o", data, "--", "sh", "-c",
        f"{program} -q -f --single-thread -3 work -o work.zst && {program} -q -f -d --single-thread work.zst -o again")
    with open(FOLDER + "/work", "rb") as one, open(FOLDER + "/again", "rb") as other:
        if one.read() != other.read():
            raise Broken("what was decompressed is not what was compressed")
    report = json.loads(run("work", world.COMMAND, "report", "--format=json", data).stdout)
    if report["session"]["conservation_ticks_off"] or report["session"]["lost_events"]:
        raise Broken("events were lost")
    # What the compiler split off or specialised is named by its source.
    found = {}
    for row in report["rows"]:
        name = re.sub(r"\..*", "", row["name"])
        found[name] = found.get(name, 0) + (row["calls"] or 0)
    missing = [name for name in EXPECTED if not found.get(name)]
    if missing:
        raise Broken(f"not in the profile: {', '.join(missing)}")
    return found


def builds(verdict):
    """All of them; the second and later ones against the first."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    with open(FOLDER + "/work", "w") as work:
        work.writelines(f"{i * 7919 % 10007} some text that repeats {i % 13}\n" for i in range(20000))
    for name, way in WAYS.items():
        try:
            found = calls(way())
            verdict(f"zstd by {name}: {len(found)} functions", None)
        except LookupError as reason:
            print(f"skip zstd by {name}: {reason}", flush=True)
        except (Broken, OSError, ValueError) as reason:
            verdict(f"zstd by {name}", str(reason))
