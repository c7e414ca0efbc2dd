# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of recording that match nothing are told, once, with the nearest name; those that match are
not."""
import os
import re

import lab

SOURCE = """
#include <unistd.h>
__attribute__((noipa)) void parse_line(void) { sleep(0); }
__attribute__((noipa)) void parse_word(void) { sleep(0); }
__attribute__((noipa)) static int small(int x) { return x; }
int main(int argc, char **argv)
{
        parse_line();
        parse_word();
        small(0);
        if (argc > 2)
                execl(argv[1], argv[1], (char *)0);
        return argc > 1 && pause();
}
"""


def build(bench, name="program", source=SOURCE, suffix=".c", flags=()):
    return bench.compile(bench.write(name + suffix, source), name, "-O1", *flags)


def warnings_of(bench, *command):
    lines = bench.run(*command).stderr.splitlines()
    return [line[len("cinstr: warning: "):] for line in lines if "matches no" in line or "match nothing" in line]


def views(bench):
    """What each view warns of: the same. Returns it."""
    session = bench.path("cinstr.data")
    found = warnings_of(bench, lab.COMMAND, "report", session)
    for more in ["report", "--by=line"], ["summary"], ["info"], ["info", "--format=json"], ["tree", "--format=csv"]:
        lab.equal(warnings_of(bench, lab.COMMAND, *more, session), found, " ".join(more))
    return found


@lab.test("rules/what matches nothing is told")
def unmatched(bench):
    program = build(bench)
    expected = {
        "CINSTR_ONLY=parse_lin": ["CINSTR_ONLY=parse_lin matches no function; nearest: parse_line"],
        "CINSTR_ONLY=parse_line,wrod": ["CINSTR_ONLY=wrod matches no function; there is NAMES"],
        "CINSTR_NOT=*_wrd,file:progam.c,module:progam": [
            "CINSTR_NOT=*_wrd matches no function; there is NAMES",
            "CINSTR_NOT=file:progam.c matches no file; nearest: program.c",
            "CINSTR_NOT=module:progam matches no module with probes; nearest: program"],
        "CINSTR_KEEP_SLOWEST=parse_words:1ms": ["CINSTR_KEEP_SLOWEST=parse_words:1ms matches no function; nearest: "
                                               "parse_word"],
        "CINSTR_DEPTH=3": [],
        "CINSTR_ONLY=parse_*,file:program.c,module:*prog*": [],
    }
    for rule, lines in expected.items():
        name, value = rule.split("=", 1)
        bench.run(program, env={name: value}, status=0)
        # in the order of the linker
        names = re.compile(r"('(parse_line|parse_word|small|main)'(, |$)){4}")
        lab.equal([names.sub("NAMES", line) for line in views(bench)], lines, rule)
    bench.run(program, env={"CINSTR_ONLY": ",".join(f"no{i}" for i in range(9))})
    found = views(bench)
    lab.equal((len(found), found[-1]), (6, "and 4 more globs that match nothing"), "many")
    told = bench.run(lab.COMMAND, "record", "--only=parse_lin", "--", program).stderr
    lab.equal(told.count("CINSTR_ONLY=parse_lin matches no function; nearest: parse_line\n"), 1, told)
    told = bench.run(lab.COMMAND, "record", "--only=parse_line", "--", program).stderr
    lab.check("matches no" not in told, told)


@lab.test("rules/who is told is who recorded nothing")
def agreement(bench):
    program = build(bench)
    folder = os.path.realpath(bench.folder)
    for glob in ("parse_[a-l]*", "parse_[!a-z]*", "p?rse_line", "p?rse", "*", "[m]ain", "main*", "?ain", "[", "pa[r-t]se_*",
                 "parse_[^l]ord", "file:*.c", "file:program.c", "file:program", f"file:{folder}/program.c", "file:/*/program.c",
                 "module:program", f"module:{folder}/program", "module:rogram", "\\main", "module:libc.so*"):
        bench.run(program, env={"CINSTR_ONLY": glob}, status=0)
        lab.equal(len(views(bench)), int(bench.report()["session"]["events"] == 0), f"warnings of {glob}")


@lab.test("rules/one process of the session has it")
def one_of_several(bench):
    other = build(bench, "other", "__attribute__((noipa)) void special(void) { __asm__(\"\"); }\n"
                  "int main(void) { special(); return 0; }")
    program = build(bench)
    bench.run(program, other, "x", env={"CINSTR_NOT": "special,parse_word,nowhere"}, status=0)
    lab.equal(bench.report()["session"]["processes"], 2, "processes")
    lab.equal([line.split(";")[0] for line in views(bench)], ["CINSTR_NOT=nowhere matches no function"], "of both")
    chosen = warnings_of(bench, lab.COMMAND, "report", "--process=program", bench.path("cinstr.data"))
    lab.equal(chosen, [], "of a part it is not known")


@lab.test("rules/names of C++, and what was left out")
def other_names(bench):
    program = build(bench, "cxx", "namespace n { __attribute__((noipa)) void parse(int) { __asm__(\"\"); } }\n"
                    "int main() { n::parse(1); return 0; }", ".cc")
    for glob in "n::parse", "n::p*", "n::parse(int)", "_ZN1n5parseEi":
        for variable, more in ("CINSTR_KEEP_SLOWEST", ":1ms"), ("CINSTR_ONLY", ""):
            bench.run(program, env={variable: glob + more})
            lab.equal(views(bench), [], f"{variable}={glob}")
        lab.equal([row["name"] for row in bench.json("report")["rows"]], ["_ZN1n5parseEi"], glob)
    bench.run(program, env={"CINSTR_KEEP_SLOWEST": "n::prase:1ms"})
    lab.equal(views(bench), ["CINSTR_KEEP_SLOWEST=n::prase:1ms matches no function; nearest: n::parse"], "n::prase")
    bench.run(program, env={"CINSTR_ONLY": "parse"})
    lab.equal(views(bench), ["CINSTR_ONLY=parse matches no function; nearest: n::parse"], "parse")
    program = build(bench, flags=["-fplugin-arg-cinstr-small=10"])
    bench.run(program, env={"CINSTR_NOT": "small"}, status=0)
    lab.equal(views(bench), ["CINSTR_NOT=small matches no function with probes: it was left out when it was compiled "
                             "(cinstr info)"], "small")


@lab.test("rules/chosen while it runs")
def chosen(bench):
    program = build(bench, "busy", "#include <unistd.h>\n"
                    "__attribute__((noipa)) void parse_line(void) { usleep(1000); }\n"
                    "int main(void) { for (;;) parse_line(); }")
    running = bench.start(program)
    lab.wait_for(bench.report, "no session")

    def choose(*rules):
        return warnings_of(bench, lab.COMMAND, "control", bench.path("cinstr.data"), "choose", *rules)

    lab.equal(choose("only=parse_lin", "depth=3"), ["only=parse_lin matches no function; nearest: parse_line"], "only")
    lab.equal(choose("only=parse_line", "not=man"), ["not=man matches no function; nearest: main"], "not")
    lab.equal(choose("all"), [], "all")
    lab.equal(choose("probes=functions"), [], "no globs")
    running.kill()
