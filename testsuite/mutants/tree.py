# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps a copy of the source and its build, in which one file at a time is changed.

The worktree is never touched. The copy is built once (-O1, without debug information: so an object
is the same, byte by byte, if its code is). Then a change costs the objects that its file is part
of, and the link of what a test asks for.
"""
import json
import os
import shutil
import subprocess

PROGRAMS = ["unit", "cinstr", "libcinstr.so", "libcinstr-runtime.o", "virtual/libcinstr.so"]
# Not changed here, so taken from the build as it is.
TAKEN = ["cinstr.so", "libcinstr-sampler.so", "cinstr-gcc", "cinstr-g++", "cinstr-gfortran"]
FLAGS = "-O1"
# Its warnings are no news; but a number is no pointer.
STRICT = " -w -Werror=int-conversion -Werror=incompatible-pointer-types"


class Tree:
    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.commands = {}  # file that is made: (command, what it is made of)
        self.saved = {}  # object: its bytes before the change
        self.source = None  # the file that is changed, and its text before
        self.stale = set(PROGRAMS)  # programs to be linked again

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def prepare(self, jobs):
        """Makes the copy, or brings it up to date."""
        kept = self.path("build", "commands.json")
        if self.copy_source() or not os.path.exists(kept):
            self.build(jobs)
            self.read_commands()
            with open(kept, "w") as file:
                json.dump({made: (command, sorted(parts)) for made, (command, parts) in self.commands.items()}, file)
        else:
            with open(kept) as file:
                self.commands = {made: (command, set(parts)) for made, (command, parts) in json.load(file).items()}

    def copy_source(self):
        """Copies what git knows and what is new, if it differs; removes what is gone. Returns
        whether there was any of it."""
        names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=self.root, capture_output=True, text=True,
                               check=True).stdout.splitlines()
        known, differs = set(names), False
        for name in names:
            source, copy = os.path.join(self.root, name), self.path(name)
            if os.path.isfile(source) and not is_same(source, copy):
                os.makedirs(os.path.dirname(copy), exist_ok=True)
                shutil.copy(source, copy)
                differs = True
        for where, _, files in os.walk(self.folder):
            inside = os.path.relpath(where, self.folder)
            for name in files:
                if inside.split("/")[0] not in ("build", "tmp") and os.path.normpath(os.path.join(inside, name)) not in known:
                    os.unlink(os.path.join(where, name))
                    differs = True
        return differs

    def make(self, *words):
        """Runs make for the programs; without what a make that runs this tells its own."""
        plain = {name: value for name, value in os.environ.items()
                 if not name.startswith("MAKE") and name not in ("CI", "O", "SAN")}
        return subprocess.run(["make", *words, f"CFLAGS={FLAGS}", "build/libcinstr.a"] + [f"build/{name}" for name in PROGRAMS],
                              cwd=self.folder, env=plain, stdout=subprocess.PIPE, text=True, check=True).stdout

    def build(self, jobs):
        self.make("-j", str(jobs))
        for name in TAKEN:
            shutil.copy2(os.path.join(os.environ["BUILD"], name), self.path("build", name))

    def read_commands(self):
        """Asks make for all of its commands."""
        for line in self.make("-nB", "V=1").splitlines():
            words = line.split()
            if "-o" not in words or words[0] in ("rm", "ln"):
                continue
            made = words[words.index("-o") + 1]
            if made.endswith(".o") and "-c" in words:
                self.commands[made] = (line + STRICT, self.parts_of(made))
            elif made.startswith("build/"):
                self.commands[made] = (line, {word for word in words if word.endswith(".o")} - {made})

    def parts_of(self, made):
        """Sources and headers of an object, by the list that the compiler left."""
        try:
            with open(self.path(made[:-2] + ".d")) as file:
                text = file.read().replace("\\\n", " ")
        except OSError:
            return set()
        return {os.path.normpath(word) for word in text.split("\n", 1)[0].split(":", 1)[1].split()}

    def objects_of(self, name):
        return sorted(made for made, (_, parts) in self.commands.items() if name in parts and made.endswith(".o"))

    def programs_of(self, objects):
        return [name for name in PROGRAMS if self.commands["build/" + name][1] & set(objects)]

    def run(self, made):
        return subprocess.run(self.commands[made][0], shell=True, cwd=self.folder, capture_output=True, text=True).returncode == 0

    def change(self, change, text):
        """Writes the changed file and compiles it. Returns the programs that differ by it; None: it
        does not compile, [] if it is the same code."""
        self.source = (change.path, text)
        with open(self.path(change.path), "w") as file:
            file.write(change.apply(text))
        differ = []
        for made in self.objects_of(change.path):
            with open(self.path(made), "rb") as file:
                self.saved[made] = file.read()
            if not self.run(made):
                return None
            with open(self.path(made), "rb") as file:
                if file.read() != self.saved[made]:
                    differ.append(made)
        programs = self.programs_of(differ)
        self.stale |= set(programs)
        return programs

    def restore(self):
        if self.source:
            with open(self.path(self.source[0]), "w") as file:
                file.write(self.source[1])
        for made, content in self.saved.items():
            with open(self.path(made), "wb") as file:
                file.write(content)
        self.stale |= set(self.programs_of(self.saved))
        self.source, self.saved = None, {}

    def link(self, programs):
        """Returns whether it can be."""
        for name in programs:
            if name in self.stale:
                if not self.run("build/" + name):
                    return False
                self.stale.discard(name)
        return True


def is_same(one, other):
    try:
        with open(one, "rb") as first, open(other, "rb") as second:
            return first.read() == second.read()
    except OSError:
        return False

