# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said when something is not as it was meant, by whom, and where; and that nothing else
is."""
import os
import shutil

import lab

SOURCE = "trees/nesting.c"


def said(done):
    return [line for line in done.stderr.splitlines() if line.startswith("cinstr: ")]


def one_line(done, *words):
    lines = said(done)
    lab.equal(len(lines), 1, f"lines said {lines}")
    for word in words:
        lab.check(word in lines[0], f"{word!r} is not in {lines[0]!r}")


@lab.test("message/a variable that is no option")
def unknown_variable(bench):
    program = bench.compile(SOURCE, "program", "-O2")
    one_line(bench.run(program, env={"CINSTR_DEPHT": "3"}, status=0), "CINSTR_DEPHT", "did you mean CINSTR_DEPTH?")
    one_line(bench.run(program, env={"CINSTR_PROBE": "x"}, status=0), "CINSTR_PROBE ", "did you mean CINSTR_PROBES?")
    one_line(bench.run(program, env={"CINSTR_SOMETHING_ELSE": "x"}, status=0), "CINSTR_SOMETHING_ELSE is not a variable of cinstr")
    lab.equal(said(bench.run(program, env={"CINSTR_REPORT_THREADS": "1"}, status=0)), [], "of the command's own")
    done = bench.run(lab.COMMAND, "record", "--", program, env={"CINSTR_DEPHT": "3"}, status=0)
    lab.equal([line for line in said(done) if "CINSTR_DEPTH?" in line], said(done)[:1], "said by record, once")


@lab.test("message/a value that there is not")
def unknown_value(bench):
    program = bench.compile(SOURCE, "program", "-O2")
    one_line(bench.run(program, env={"CINSTR_PROBES": "call"}, status=0), "CINSTR_PROBES=call",
             "functions|calls|lines", "did you mean calls", "using calls")
    one_line(bench.run(program, env={"CINSTR_DEPTH": "x"}, status=0), "CINSTR_DEPTH=x", "using 0")
    one_line(bench.run(program, env={"CINSTR": "fasle"}, status=0), "CINSTR=fasle", "did you mean false")
    done = bench.run(lab.COMMAND, "record", "--", program, env={"CINSTR_PROBES": "call"}, status=0)
    lab.equal(sum("CINSTR_PROBES=call" in line for line in said(done)), 1, f"times said by record: {done.stderr!r}")
    done = bench.run(lab.COMMAND, "record", "--mode=0660", "--", program)
    lab.check(done.returncode == 2 and "0660" in done.stderr, f"--mode=0660: {done.returncode}, {done.stderr!r}")


@lab.test("message/CINSTR=off, 0, no, false")
def off(bench):
    program = bench.compile(SOURCE, "program", "-O2")
    for word in ("off", "0", "no", "false"):
        done = bench.run(program, env={"CINSTR": word}, status=0)
        lab.equal((said(done), bench.sessions()), ([], []), f"CINSTR={word}")
    for word in ("on", "1", "yes", "true"):
        bench.run(program, env={"CINSTR": word}, status=0)
        lab.equal(bench.sessions(), ["cinstr.data"], f"CINSTR={word}")
        shutil.rmtree(bench.path("cinstr.data"))


@lab.test("message/only who begins a session speaks")
def descendants(bench):
    """A test suite's own output stays as it is; report, info and record tell what the descendants
    had to say."""
    program = bench.compile(SOURCE, "program", "-O2")
    script = f"CINSTR_PROBES=call {program}; CINSTR_CLOCK=sundial {program}; CINSTR_PROBES=call {program}"
    done = bench.run(lab.COMMAND, "record", "--", "sh", "-c", f"exec 3>&2 2>inner; {script}", status=0)
    with open(bench.path("inner")) as file:
        lab.equal(file.read(), "", "stderr of the programs")
    for lines in (said(done), said(bench.run(lab.COMMAND, "report", status=0)),
                  said(bench.run(lab.COMMAND, "info", status=0))):
        lab.equal(sum("CINSTR_PROBES=call" in line for line in lines), 1, f"the same of two processes in {lines}")
        lab.equal(sum("CINSTR_CLOCK=sundial" in line for line in lines), 1, f"what another had to say in {lines}")
    done = bench.run(program, env={"CINSTR_VERBOSE": "1"}, status=0)
    lab.check(any("recorded" in line for line in said(done)), f"CINSTR_VERBOSE=1: {done.stderr!r}")


@lab.test("message/an error has its text and a remedy")
def errors(bench):
    program = bench.compile(SOURCE, "program", "-O2")
    bench.write("file", "")
    one_line(bench.run(program, env={"CINSTR_DATA": bench.path("file", "x")}, status=0), "Not a directory")
    one_line(bench.run(program, env={"CINSTR_DATA": bench.path("none", "x")}, status=0), "No such file or directory")
    one_line(bench.run(program, env={"CINSTR_DATA": "/proc/x"}, status=0), "not recorded")
    one_line(bench.run(program, env={"CINSTR_DATA": "x" * 300}, status=0), "File name too long", "shorter")
    if os.getuid():
        raise lab.Skip("the rest is for root")
    os.chmod(bench.folder, 0o755)
    user = (lab.need("setpriv"), "--reuid=65534", "--regid=65534", "--clear-groups")
    one_line(bench.run(*user, program, status=0), "Permission denied", "set CINSTR_DATA to a folder that it may write")


@lab.test("message/the runtime is missing")
def no_runtime(bench):
    """Told by the plugin, also with -Werror, and by record."""
    for name in ("cinstr.so", "libcinstr.so"):
        shutil.copy(os.path.join(lab.BUILD, name), bench.path(name))
    bench.write("program.c", "int main(void) { return 0; }\n")
    command = lab.CC + ["-O2", "-Werror", "-fplugin=" + bench.path("cinstr.so"), bench.path("program.c"), "-o",
                        bench.path("program")]
    lab.equal(bench.run(*command, status=0).stderr, "", "said while it is there")
    os.remove(bench.path("libcinstr.so"))
    text = bench.run(*command, status=0).stderr
    lab.check("libcinstr.so" in text and "record nothing" in text, f"said by the plugin: {text!r}")
    quiet = command + ["-fplugin-arg-cinstr-quiet"]
    lab.equal(bench.run(*quiet, status=0).stderr, "", "said with quiet")
    lab.equal(bench.run(bench.path("program"), status=0).stderr, "", "said by the program")
    text = bench.run(lab.COMMAND, "record", "--", bench.path("program"), status=0).stderr
    lab.check(bench.path("libcinstr.so") in text and "not there any more" in text, f"said by record: {text!r}")


@lab.test("message/nothing was recorded")
def nothing(bench):
    plain = bench.compile(SOURCE, "plain", "-O2", plugin=None)
    text = bench.run(lab.COMMAND, "record", "--", plain, status=0).stderr
    lab.check("not built with -fplugin=cinstr.so" in text and "--sample" in text, f"of a plain program: {text!r}")
    program = bench.compile(SOURCE, "program", "-O2")
    text = bench.run(lab.COMMAND, "record", "--", "env", "CINSTR=off", program, status=0).stderr
    lab.check("nothing was recorded" in text, f"switched off: {text!r}")
    lab.equal(bench.sessions(), [], "sessions")
