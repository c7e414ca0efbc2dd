# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings on computing: of each rule a program that shows it, told with its figures and its place,
and programs that look like it, of which it is not told."""
import os
import re

import finding_lab
import lab
from finding_lab import absent, at, look, present

SCAN, SEARCH, RECURSION, ALLOCATION, FORMAT, EXCEPTIONS, SHORT, POINTER, HOT, STRINGS = [f"CF02{n:02}" for n in range(1, 11)]
COPIES, STRIDES, LOCKED, CHASE, SLOW, MOVED, OBJECTS = "CF0212", "CF0213", "CF0214", "CF0215", "CF0216", "CF0217", "CF0220"


def build(bench, sources, *flags):
    return finding_lab.build(bench, sources, "-O2", *flags)


@finding_lab.test("scans in a loop")
def scans(bench):
    program = build(bench, "scans.c")
    one = present(look(bench, program, "strlen"), SCAN, "upper", r"^calls strlen 40,001 times a call:")
    at(one, "scans.c", "i < strlen(s)")
    # strcat of a constant: strlen and a copy
    present(look(bench, program, "strcat"), SCAN, "join", r"^calls str(len|cat) 20,000 times a call:")
    one = present(look(bench, program, "front"), SCAN, "insert_front", r"^calls memmove 40,000 times a call, which moves a long array by some elements: ")
    at(one, "scans.c", "memmove(")
    for what in "once", "lines", "back":
        absent(look(bench, program, what), SCAN)


@finding_lab.test("what is erased at the front of a vector")
def windows(bench):
    """The vector is as long all the time: its code tells that the rest moves."""
    for flags in ("-O2",), ("-O1",):
        program = finding_lab.build(bench, "windows.cc", *flags)
        one = present(look(bench, program, "erased"), SCAN, "_ZL12slide_erasedRSt6vectorIlSaIlEEi", r"^calls memmove 20,000 times, which moves a long array by some elements: ")
        at(one, "windows.cc", "window.erase(")
        for what in "copied", "ring":
            absent(look(bench, program, what), SCAN)


@finding_lab.test("a search in a loop")
def searches(bench):
    program = build(bench, "quadratic.c")
    one = present(look(bench, program, "list"), SEARCH, "collect_list",
                  r"^calls find 2,000 times, and that same 1,000 times each:", True)
    at(one, "quadratic.c", "!find(&name)")
    for what in "hash", "image", "requests":
        absent(look(bench, program, what), SEARCH, SCAN)


@finding_lab.test("a recursion that explodes")
def recursions(bench):
    program = build(bench, "recursion.c")
    present(look(bench, program, "again"), RECURSION, "fibonacci", r"^calls itself \d,\d{3},\d{3} times for each call", True)
    for what in "kept", "tree":
        absent(look(bench, program, what), RECURSION)


@finding_lab.test("memory allocation")
def allocations(bench):
    program = build(bench, "allocations.c")
    present(look(bench, program, "copies"), ALLOCATION, "split_copies", r"^allocates memory, 1,000,000 blocks, 20 a call:")
    absent(look(bench, program, "places"), ALLOCATION)


@finding_lab.test("memory allocation by functions of the program's own, mixed")
def wrapped(bench):
    """They are counted where they are called, and known by their names."""
    found = look(bench, build(bench, "allocations.c", "-fplugin-arg-cinstr-small=0"), "wrapped", method=("--mixed",))
    present(found, ALLOCATION, "split_wrapped", r"^allocates memory, 5,000,000 blocks, 20 a call: \d+ % of the computing")


@finding_lab.test("text formatting")
def formatting(bench):
    program = build(bench, "formatting.c")
    one = present(look(bench, program, "all"), FORMAT, "with_key", r"by snprintf and the like, 200,000 calls:")
    at(one, "formatting.c", "snprintf(")
    absent(look(bench, program, "some"), FORMAT)


@finding_lab.test("text formatting by streams")
def streams(bench):
    program = build(bench, "streams.cc")
    found = [one for one in look(bench, program, "all") if one["id"] == FORMAT]
    lab.check(found and "describe" in found[0]["subject"], f"all: {found}")
    absent(look(bench, program, "some"), FORMAT)


@finding_lab.test("exceptions")
def exceptions(bench):
    program = build(bench, "exceptions.cc")
    one = present(look(bench, program, "throws"), EXCEPTIONS, "_ZL9number_ofPKc", r"^throws 40,000 exceptions:", True)
    at(one, "exceptions.cc", "throw std")
    present(look(bench, program, "library"), EXCEPTIONS, "_ZL11sum_libraryPKc", r"^throws 40,000 exceptions:", True)
    for what in "tells", "rare":
        absent(look(bench, program, what), EXCEPTIONS)
    present(look_alone(bench, program, "library"), EXCEPTIONS, "_ZL11sum_libraryPKc", r"^throws (at least \d[\d,]*|40,000) exceptions:", True)


@finding_lab.test("short functions in other files")
def short(bench):
    both = ["calls_across.c", "calls_across_table.c"]
    one = present(look(bench, build(bench, both), "4000000"), SHORT, "table_at",
                  r"called 4,000,000 times from another source file, most by main:")
    at(one, "calls_across_table.c", "unsigned table_at")
    absent(look(bench, build(bench, both, "-DWORK=200"), "20000"), SHORT)
    absent(look(bench, build(bench, both[0], "-DSAME"), "4000001"), SHORT)


@finding_lab.test("a pointer that always leads to one function")
def pointers(bench):
    program = build(bench, "virtual.cc")
    found = [one for one in look(bench, program, "one") if one["id"] == POINTER]
    lab.check(found and "_ZNK6square4areaEj" in found[0]["text"] and "2,000,000 times" in found[0]["text"], f"one: {found}")
    at(found[0], "virtual.cc", "shapes[i]->area")
    absent(look(bench, program, "two"), POINTER)


@finding_lab.test("a hot spot")
def hot(bench):
    program = build(bench, "hotspot.c")
    present(look(bench, program, "one"), HOT, "solve", r"^does [789]\d % of the computing itself, in 200 calls, [\d.]+ [um]s each")
    absent(look(bench, program, "even"), HOT)


@finding_lab.test("computing, mixed")
def mixed(bench):
    """Calls are exact, or told to be at least so many."""
    found = look(bench, build(bench, "exceptions.cc"), "throws", method=("--mixed",))
    present(found, EXCEPTIONS, "_ZL9number_ofPKc", r"^throws (at least \d[\d,]*|40,000) exceptions:")
    found = look(bench, build(bench, "scans.c"), "front", method=("--mixed",))
    present(found, SCAN, "insert_front", r"^calls memmove (at least \d[\d,]*|40,000) times a call, which moves ")


@finding_lab.test("computing, samples")
def sampled(bench):
    """Shares, and nothing of calls."""
    bench.compile(finding_lab.FOLDER + "formatting.c", "formatting", "-O2", plugin=None)
    found = look(bench, "formatting", "all", "2000000", method=("--sample",))
    present(found, FORMAT, "with_key", r"^formats or parses text by \w+: (about )?\d+ % of the samples$")
    absent(found, SCAN, SEARCH, RECURSION, SHORT, POINTER)
    bench.compile(finding_lab.FOLDER + "duplicates.c", "duplicates", "-O2", "-g", plugin=None)
    found = [one for one in look(bench, "duplicates", "list", "30", method=("--sample",)) if one["id"] == HOT]
    lab.check(not found or "strcmp" not in found[0]["text"] or
              (found[0]["subject"] == "same" and found[0]["file"].endswith("duplicates.c")), f"strcmp: {found}")


def head(bench, program, *args):
    """What people see first of the recording that look() has made."""
    return bench.run(lab.COMMAND, "summary", "--no-pager", bench.path("-".join([program, *args]))).stdout


@finding_lab.test("probes that take most of the time: a scan")
def duplicates(bench):
    program = build(bench, "duplicates.c")
    one = present(look(bench, program, "list"), SCAN, "seen",
                  r"^calls same 1,500 times a call, each of which calls strcmp: about \d+ % of the computing", True, 3)
    at(one, "duplicates.c", "if (same(")
    text = head(bench, program, "list")
    lab.check(re.search(r"The probes took most of the time\. Without them the program computes (at most|between)", text), text)
    lab.check("reliability: poor" in text and "0 ns" not in text, text)
    lab.check(re.search(r"Computing with probes: .*\n +\d[\d.]* %  #+ +same +4,4\d\d,\d{3} calls", text), text)
    absent(look(bench, program, "hash"), SCAN, SEARCH)


@finding_lab.test("probes that take most of the time: mixed")
def duplicates_mixed(bench):
    found = look(bench, build(bench, "duplicates.c"), "list", "3", method=("--mixed",))
    present(found, SCAN, "seen", r"^calls same (about |at least )?[\d,]+ times a call, each of which calls strcmp: \d+ % of the computing")


@finding_lab.test("a scan that was inlined into main")
def inlined(bench):
    program = build(bench, "duplicates.c", "-DKEEP=")
    one = present(look(bench, program, "list"), SCAN, "main",
                  r"^calls strcmp 4,498,500 times, 1,500 for each call of snprintf: about \d+ % of the computing", True)
    at(one, "duplicates.c", "return strcmp(")
    absent(look(bench, program, "hash"), SCAN)


@finding_lab.test("a scan in inlined code of headers")
def in_headers(bench):
    program = build(bench, "known_words.cc")
    one = present(look(bench, program, "all"), SCAN, "main", r"^calls memcmp [\d,]+ times, [\d,]+ for each call of snprintf", True)
    at(one, "known_words.cc", "if (other == word)")
    lab.equal(one["inlined"], "is_known", "inlined function")
    text = head(bench, program, "all")
    lab.check(f"known_words.cc:{one['line']} (is_known, inlined)  CF0201 ->" in text, text)


@finding_lab.test("text that is copied at each level")
def copied_text(bench):
    program = build(bench, "nested_parser.cc", "-DTEXT=std::string")
    one = present(look(bench, program, "copies"), STRINGS, "_ZL13parse_productNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERm",
                  r"^builds std::strings by 28,802 calls in 20,802 calls of its own, most for _ZL9parse_sum", first=True, least=30)
    finding_lab.at(one, "nested_parser.cc", "static double parse_product")
    build(bench, "nested_parser.cc", "-DTEXT=const std::string &")
    absent(look(bench, program, "fine"), STRINGS, ALLOCATION, "CF0308")


@finding_lab.test("strings that are built")
def strings(bench):
    program = build(bench, "strings.cc")
    found = [one for one in look(bench, program, "keys") if one["id"] == STRINGS]
    lab.check(found and "make_key" in found[0]["subject"] and "in 100,000 calls of its own, most for" in found[0]["text"], f"keys: {found}")
    absent(look(bench, program, "pairs"), STRINGS)


@finding_lab.test("objects that are copied")
def copies(bench):
    program = build(bench, "copies.cc")
    for method in (), ("--mixed",):
        found = [one for one in look(bench, program, "values", method=method) if one["id"] == OBJECTS]
        lab.check(found and "find" in found[0]["subject"] and re.search("^copies .*section", found[0]["text"]), f"values, {method}: {found}")
        at(found[0], "copies.cc", "return sections[number]")
        absent(look(bench, program, "references", method=method), COPIES, OBJECTS)


@finding_lab.test("what was inlined into main")
def inlined_into_main(bench):
    """Neither strings nor copies are made by functions that have probes, or by calls whose places
    are recorded; and main is next to the only function that there is."""
    program = build(bench, "inlined.cc", "-std=c++17")
    one = present(look_alone(bench, program, "rest"), STRINGS, "main", r"^builds std::strings by [\d,]+ calls: \d+ % of the computing", True, 50)
    lab.equal((os.path.basename(one["file"]), one["inlined"]), ("inlined.cc", "_ZN6reader4nextERNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"), "place")
    one = present(look_alone(bench, program, "letter"), STRINGS, "main", r"^builds std::strings by [\d,]+ calls: \d+ % of the computing", True, 60)
    at(one, "inlined.cc", "// copies all that is there")
    one = present(look_alone(bench, program, "value"), OBJECTS, "main", r"^copies .*series.*$", True, 80)
    at(one, "inlined.cc", "// a copy")
    found = look_alone(bench, program, "reference")
    absent(found, STRINGS, COPIES, OBJECTS)
    one = present(found, HOT, "main", r"^does \d+ % of the computing itself, in 1 call$", True)
    lab.equal((os.path.basename(one["file"]), one["inlined"]), ("inlined.cc", "sum_references"), "place")
    one = present(look_alone(bench, program, "remainders"), HOT, "main", r"^does \d+ % of the computing itself, in 1 call; \d+ % of that at divisions or square roots$", True)
    lab.equal((os.path.basename(one["file"]), one["inlined"]), ("inlined.cc", "remainders"), "place")


@finding_lab.test("work during which others had the processor", quiet=True)
def preempted_work(bench):
    """A long call that loses its processor computes all the same: parts are of all of that."""
    program = build(bench, "sorting.c", "-O2")
    with bench.beside(os.cpu_count() + 1):
        found = look(bench, program, "run")
    formats = [one for one in found if one["id"] == FORMAT]
    shares = [int(re.search(r"(\d+) % of the computing", one["text"])[1]) for one in formats]
    lab.check(all(share <= 75 for share in shares), f"formatting has less than the sorting beside it: {found}")


@finding_lab.test("a hot spot that searches a list that grows", quiet=True)
def list_that_grows(bench):
    program = build(bench, "list.c")
    one = present(look(bench, program, "run"), HOT, "last_of",
                           r" each, evenly from about 0 to [\d.]+ us, as a search in a list that grows takes$", first=True)
    lab.check("Samples tell" not in one["text"], one["text"])


def look_alone(bench, program, what):
    """As it runs by itself: its threads take samples."""

    def record():
        bench.run("./" + program, what, env={"CINSTR_DATA": what, "CINSTR_METHOD": "mixed"}, status=0)
        return finding_lab.findings(bench, what)

    return finding_lab.recorded(bench, what, record)


@finding_lab.test("what inner loops do to memory")
def inner_loops(bench):
    program = build(bench, "inner_loops.c")
    one = present(look_alone(bench, program, "columns"), STRIDES, "add_columns", r"goes through memory in steps of 8,192 bytes", True)
    at(one, "inner_loops.c", "/* across */")
    one = present(look_alone(bench, program, "list"), CHASE, "add_list", r"most in a loop that goes from pointer to pointer", True)
    at(one, "inner_loops.c", "/* from pointer to pointer */")
    one = present(look_alone(bench, program, "atomic"), LOCKED, "count", r"^spends \d+ % of its time at locked instructions, in 2 threads: slow if they share memory$", True)
    at(one, "inner_loops.c", "/* locked */")
    one = present(look_alone(bench, program, "value"), MOVED, "play", r" copies large pieces of memory: likely objects passed by value$", True)
    at(one, "inner_loops.c", "/* by value */")
    for what in "lines", "array", "one", "die", "own", "pointer":
        absent(look_alone(bench, program, what), STRIDES, CHASE, LOCKED, MOVED, "CF0219")


@finding_lab.test("a lock of the C library", quiet=True)
def library_locks(bench):
    """Where another program has a processor, the threads do not meet at the lock."""
    program = build(bench, "inner_loops.c")
    one = present(look_alone(bench, program, "dice"), "CF0219", "dice",
                  r"^calls rand [\d,]+ times, which takes a lock that \d threads share: \d+ % of the computing$", True)
    at(one, "inner_loops.c", "/* throws */")


@finding_lab.test("objects of the C++ library")
def objects(bench):
    """The place is in the program's code, whatever the compiler has inlined there."""
    program = build(bench, "objects.cc", "-std=c++17")
    for what, function, text, place in (
            ("table", "in_table", r"^builds a .* for each use$", "// here: built"),
            ("erase", "_ZL5eraseRSt6vectorI4nameSaIS0_EE", r"^erases in a .*, which moves all that is behind$", "// here: erased"),
            ("bound", "bound", r"^goes from element to element of a std::set or std::map by ", "// here: bound"),
            ("long", "positions", r"^searches long texts by ", "// here: searched")):
        found = [one for one in look_alone(bench, program, what) if one["id"] == OBJECTS]
        lab.check(found and found[0]["rank"] == 1 and function.strip("_") in found[0]["subject"] and re.search(text, found[0]["text"]), f"{what}: {found}")
        at(found[0], "objects.cc", place)
    for what in "once", "remove", "own", "short", "kept":
        absent(look_alone(bench, program, what), OBJECTS)


@finding_lab.test("instructions that wait for memory")
def slow_instructions(bench):
    program = build(bench, "slow_instructions.c", "-fplugin-arg-cinstr-instructions")
    pattern = r"^does \d+ % of the computing itself, [\d.]+ ns for an instruction, where the rest of the program takes 0?[\d.]+: it likely waits for memory$"
    present(look(bench, program, "far"), SLOW, "walk", pattern, True)
    absent(look(bench, program, "near"), SLOW)
    # It is told of who reads, if at all: probes hide most of its time.
    calls = look(bench, program, "calls")
    wrong = [one for recording in (*calls.before, calls) for one in recording if one["id"] == SLOW and one["subject"] != "one"]
    lab.check(not wrong, f"false alarm: {wrong}")
    absent(look(bench, build(bench, "slow_instructions.c"), "far"), SLOW)


@finding_lab.test("a hash function of few values")
def chains(bench):
    program = build(bench, "hash_chains.cc")
    present(look_alone(bench, program, "chains"), CHASE, "_ZL5countRSt13unordered_mapI5pointi4hashSt8equal_toIS0_ESaISt4pairIKS0_iEEEi",
            r"^calls .*ixEOS1_, which does \d+ % of the computing itself, most along long chains of a hash table$", True)
    absent(look_alone(bench, program, "spread"), CHASE)
