# SPDX-License-Identifier: GPL-3.0-or-later
"""The tests out of GCC's source, which Debian has as package gcc-N-source."""
import glob
import os
import shutil
import subprocess

FOLDERS = ["gcc.c-torture/execute", "g++.dg/torture", "g++.dg/eh", "gcc.dg/tg-tests.h",
           "gcc.dg/tree-ssa/pr91680.c"]


class Missing(Exception):
    pass


def archive():
    """The source archive of the compiler's own release."""
    if os.environ.get("GCC_SOURCE"):
        return os.environ["GCC_SOURCE"]
    release = subprocess.run([os.environ.get("CC", "gcc"), "-dumpversion"], capture_output=True, text=True).stdout.split(".")[0].strip()
    found = sorted(glob.glob(f"/usr/src/gcc-{release}/gcc-*.tar.*"))
    if not found:
        raise Missing(f"GCC's source is not here: install gcc-{release}-source, or say GCC_SOURCE=its archive or folder")
    return found[-1]


def extract(folder):
    """The tests below `folder`/src, extracted once from each archive."""
    source, root = os.path.abspath(archive()), os.path.join(folder, "src")
    stamp = os.path.join(root, ".from")
    identity = f"{source} {os.stat(source).st_size} {os.stat(source).st_mtime} {' '.join(FOLDERS)}"
    if os.path.exists(stamp) and open(stamp).read() == identity:
        return root
    fresh = root + ".new"
    for old in (fresh, root):
        shutil.rmtree(old, ignore_errors=True)
    os.makedirs(fresh)
    (copy if os.path.isdir(source) else unpack)(source, fresh)
    with open(os.path.join(fresh, ".from"), "w") as file:
        file.write(identity)
    os.rename(fresh, root)
    return root


def unpack(source, fresh):
    """Archives have one folder at the top, gcc-VERSION. One pass over the archive, about 6 s."""
    command = ["tar", "xf", source, "-C", fresh, "--strip-components=3", "--wildcards"]
    done = subprocess.run(command + [f"*/gcc/testsuite/{one}" for one in FOLDERS], capture_output=True, text=True)
    if done.returncode:
        raise Missing(f"{source}: {done.stderr.strip()[-300:]}")


def copy(source, fresh):
    for one in FOLDERS:
        subprocess.run(["cp", "-r", "--parents", one, fresh], cwd=os.path.join(source, "gcc/testsuite"), check=True)
