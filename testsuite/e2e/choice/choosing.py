# SPDX-License-Identifier: GPL-3.0-or-later
"""What is chosen when compiling, as the report shows it: small functions are part of their callers,
others have rows."""
import lab

OPTION = "-fplugin-arg-cinstr-"
NO_CLONES = ["-fno-inline", "-fno-ipa-icf", "-fno-builtin"]

GETTERS = """
struct point { volatile int x, y; };
int get_x(struct point *p) { return p->x; }
int get_y(struct point *p) { return p->y; }
"""

USER = """
#include <stdio.h>
struct point { volatile int x, y; };
int get_x(struct point *p);
int get_y(struct point *p);
int get_later(struct point *p);
static int get_z(struct point *p) { return p->x + p->y; }
int tail(struct point *p) { return get_x(p); }
int work(struct point *p) { return get_x(p) + get_y(p) + get_z(p) + get_later(p); }
int get_later(struct point *p) { return p->y; }
int main(void)
{
    struct point p = { 1, 2 };
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += work(&p) + tail(&p);
    printf("%d\\n", sum);
    return 0;
}
"""


def build(bench, *flags, small=10):
    sources = [bench.write("user.c", USER), bench.write("getters.c", GETTERS)]
    bench.same_as_plain(sources, *NO_CLONES, "-w", *flags, f"{OPTION}small={small}")
    bench.sound()
    return bench.functions()


def levels(name):
    def register(function):
        for level in "-O0", "-O2", "-O2 -flto=1":
            lab.TESTS.append((f"choosing/{name} {level}",
                              lambda bench, level=level: function(bench, level.split())))
        return function

    return register


@levels("small functions are part of their callers")
def small(bench, flags):
    rows = build(bench, *flags)
    lab.equal(sorted(n for n in rows if n.startswith("get_")), [], "small functions with rows")
    lab.equal(rows["work"]["calls"], 100, "calls of work")
    lab.equal(rows["main"]["calls"], 1, "calls of main")
    info = bench.cinstr("info", bench.path("cinstr.data"))
    left = [line for line in info.splitlines() if "small" in line]
    lab.check(left, "info says nothing about small functions")


@levels("small=0 keeps them")
def kept(bench, flags):
    rows = build(bench, *flags, small=0)
    lab.equal({n: rows[n]["calls"] for n in rows if n.startswith("get_")},
              {"get_x": 200, "get_y": 100, "get_z": 100, "get_later": 100}, "calls")


@lab.test("choosing/an excluded function is its caller's callee")
def excluded(bench):
    rows = build(bench, "-O2", f"{OPTION}exclude=work", small=0)
    lab.equal(rows["work"]["calls"], 100, "calls of work, from its call site")
    lab.equal(rows["get_z"]["calls"], 100, "calls of get_z")
    roots = bench.tree()
    lab.check("get_z" in roots["main"][1]["work"][1], "get_z hangs below work, which calls it")


@lab.test("choosing/calls=none and calls=unknown")
def calls(bench):
    rows = build(bench, "-O2", f"{OPTION}calls=none", small=0)
    lab.check("printf" not in rows, "a call without probes has a row")
    lab.equal(rows["get_x"]["calls"], 200, "calls of get_x")
    rows = build(bench, "-O2", f"{OPTION}calls=unknown", small=0)
    lab.equal(rows["printf"]["calls"], 1, "calls of printf")
    lab.equal(rows["work"]["calls"], 100, "calls of work")


@lab.test("choosing/include, by name and by file")
def include(bench):
    rows = build(bench, "-O2", f"{OPTION}include=main", f"{OPTION}include-file=*getters.c", small=0)
    instrumented = sorted(n for n in rows if rows[n]["line"] and n in ("main", "work", "tail", "get_x", "get_z"))
    lab.check("get_x" in instrumented and "main" in instrumented, str(instrumented))
    lab.check("get_z" not in instrumented, "get_z has a row though nothing that calls it has probes")


WEAK = """
__attribute__((weak)) int answer(int x) { return x + 1; }
int kept(int x) { return x + 2; }
"""

STRONG = """
int answer(int x)
{
    volatile int n = 0;
    for (int i = 0; i < x; i++)
        n += i;
    return n;
}
"""

ASKS = """
int answer(int x), kept(int x);
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += answer(i) + kept(i);
    return sum > 0 ? 0 : 1;
}
"""


@lab.test("choosing/a small weak function says nothing of the one that replaces it")
def replaced(bench):
    sources = [bench.write("asks.c", ASKS), bench.write("weak.c", WEAK), bench.write("strong.c", STRONG)]
    bench.same_as_plain(sources, "-O2", f"{OPTION}exclude-file=*strong.c", f"{OPTION}quiet",
                        f"{OPTION}small=10")
    bench.sound()
    rows = bench.functions()
    lab.equal(rows["answer"]["calls"], 100, "calls of answer, from its call site")
    lab.check("kept" not in rows, "a small function has a row")


CLASS = """
struct Tiny {
    int value;
    Tiny(int x);
    ~Tiny();
};
"""

TINY = CLASS + """
Tiny::Tiny(int x) { value = x; }
Tiny::~Tiny() { value = 0; }
"""

MAKES = CLASS + """
int main()
{
    volatile int sum = 0;
    for (int i = 0; i < 100; i++) {
        Tiny tiny(i);
        sum = sum + tiny.value;
    }
    return sum == 4950 ? 0 : 1;
}
"""


@levels("small constructors and destructors are part of their callers")
def constructors(bench, flags):
    sources = [bench.write("makes.cc", MAKES), bench.write("tiny.cc", TINY)]
    bench.same_as_plain(sources, *flags, f"{OPTION}small=10")
    bench.sound()
    lab.equal([name for name in bench.functions() if "Tiny" in name], [], "small functions with rows")
    info = bench.cinstr("info", bench.path("cinstr.data"))
    # With -flto they are inlined.
    lab.check("small leaf functions (2):" in info or "-flto=1" in flags, "aliases are counted in: " + info)
