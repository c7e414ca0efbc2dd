# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs of `make world`: how each is built at its own default flags, and which of its tests
are run."""
from suite import Suite


def bzip2():
    """Its six comparisons, and what Debian tests."""
    debian = ["compare", "compress", "grep"]
    one = ("export PATH=$PWD:$PATH LD_LIBRARY_PATH=$PWD; cp bzdiff bzcmp; ln -sf bzip2 bunzip2; ln -sf bzip2 bzcat; "
           "chmod +x bz*; for t in " + " ".join(debian) + "; do export AUTOPKGTEST_TMP=$PWD/tmp.$t; "
           "mkdir -p $AUTOPKGTEST_TMP; sh debian/tests/$t; echo debian $t: exit status $?; done")
    return Suite("bzip2", build=["make CC={cc} libbz2.a bzip2 bzip2recover"], test=["make CC={cc} test", one],
                 results=r"^(cmp .*|debian .*: exit status \d+)$|.* differ: .*", failing=r"differ: |exit status [1-9]",
                 least=9)


def jq():
    """Everything, but of 302 runs on cut-off input only those that its authors do under valgrind:
    at each start it compiles its library, millions of short calls. The manual's examples need
    ruby."""
    return Suite("jq", build=["autoreconf -fi",
                              "./configure CC={cc} --disable-static --disable-maintainer-mode --disable-valgrind "
                              "--disable-docs", "make -j{jobs}"],
                 test=["sed -i 's/start=1$/start=120/' tests/shtest",
                       "make check; echo check: exit status $?; cat tests/*.log"],
                 results=r"^(Testing '.*|Test #\d+: '.*|\*\*\* .*|PASS: .*|FAIL: .*|ERROR: .*|\d+ of \d+ tests passed.*|check: .*)$",
                 failing=r"^(\*\*\*|FAIL|ERROR)|exit status [1-9]",
                 same_files=["src/builtin.inc", "Makefile.in"], limit=900, least=350)


def zstd():
    """playTests.sh without its long part, the command's own tests, the fuzzer's fixed part. zstd
    starts threads."""
    return Suite("zstd", build=["make -C tests CC={cc} -j{jobs} zstd datagen fuzzer"],
                 test=["cd tests; t=check; make -n shortest >/dev/null 2>&1 && t=shortest; make CC={cc} $t; echo playTests: exit status $?",
                       "python3 cli-tests/run.py; echo cli-tests: exit status $?",
                       "./fuzzer -v -i1 -s1234 --no-big-tests; echo fuzzer: exit status $?"],
                 results=r"^(===>.*|PASS: .*|FAIL: .*|test +\d+ *: .*|\w+\S* *: *[\d.]+% .*=>.*|"
                         r"\S+: exit status \d+)$",
                 failing=r"^FAIL|exit status [1-9]", scrub=[(r"0x[0-9a-f]+", "ADDRESS")],
                 limit=900, least=250)


def lua():
    """Debian's source has no tests: our scripts."""
    flags = "$(dpkg-buildflags --get CFLAGS) $(dpkg-buildflags --get CPPFLAGS) -DLUA_COMPAT_5_3 -DLUA_USE_LINUX"
    return Suite("lua", build=["echo '#define DEB_HOST_MULTIARCH \"\"' > src/lua5.4-deb-multiarch.h",
                               f"CC={{cc}}; cd src; rm luac.c; $CC -std=gnu99 {flags} *.c -o lua -Wl,-E -lm -ldl"],
                 test=["cd src; for t in {here}/lua/*.lua; do ./lua $t; echo $(basename $t): exit status $?; done",
                       "./lua {here}/work.lua 2; echo work.lua: exit status $?"],
                 results=r"^.*$", failing=r"exit status [1-9]|^not ok", least=60)


SQLITE_TESTS = (
    "select[1-8] where where[2-6] trans trans2 fts3aa fts3ab fts3ac fts3near join join2 index index2 insert insert2 "
    "update delete delete2 trigger[1-4] view subquery func expr date collate1 collate2 cast attach attach2 autoinc "
    "alter aggerror between blob capi3 check conflict corrupt2 distinct fkey1 fkey2 fts4aa in in4 incrblob intpkey "
    "io json101 like limit lock main malloc4 minmax misc1 misc5 null pager1 pragma printf quote rowid savepoint "
    "schema sort table temptable thread1 triggerC types unique vacuum vtab1 wal wal2 window1 with1 without_rowid1")


def sqlite():
    """A part of what its `veryquick` runs, one process a file; the testfixture is Tcl with sqlite
    inside."""
    files = " ".join(f"test/{name}.test" for name in SQLITE_TESTS.split())
    return Suite("sqlite", build=["[ ! -e Makefile ] || make distclean", "./configure CC={cc} --disable-readline",
                                  "make -j{jobs} testfixture"],
                 test=["for t in " + files + "; do ./testfixture $t --verbose=1; echo $t: exit status $?; done"],
                 results=r"^(\S+\.\.\. .*|! .*|\d+ errors out of \d+ tests|\S+: exit status \d+)",
                 failing=r"^!|exit status [1-9]", scrub=[(r"\(\d+ ms - want", "(TIME - want")],
                 same_files=["sqlite_cfg.h", "opcodes.h", "parse.c"], limit=900, least=20000)


REDIS_UNITS = ("type/string type/incr type/list type/set type/zset type/hash type/stream expire scripting "
               "keyspace scan auth protocol multi quit pubsub bitops")


def redis():
    """Its server under its own tests, one client at a time; with its own jemalloc, instrumented as
    well. In Debian 12 the patch for the system's compares with `yes`, which is 0 to the
    preprocessor: the 1 keeps it from taking effect."""
    units = " ".join("--single unit/" + unit for unit in REDIS_UNITS.split())
    return Suite("redis", build=["d=; ! grep -q 'USE_SYSTEM_JEMALLOC *== *yes' src/zmalloc.h || d=-DUSE_SYSTEM_JEMALLOC=1; "
                                 "make CC={cc} REDIS_CFLAGS=$d -j{jobs}"],
                 test=["./runtest --clients 1 --verbose --no-latency " + units],
                 results=r"\[(ok|err|exception|ignore)\]: .*$", failing=r"\[(err|exception)\]",
                 scrub=[(r" \(\d+ ms\)$", "")], limit=900, least=1500)


GIT_TESTS = "t0001 t0003 t0005 t0060 t1000 t1006 t1300 t2000 t3400 t4013 t5300 t6012 t7300"


def git():
    """A test of each family; without the parts for which it needs other libraries."""
    flags = "NO_OPENSSL=1 NO_CURL=1 NO_EXPAT=1 NO_TCLTK=1 NO_GETTEXT=1 NO_PYTHON=1 NO_PERL=1"
    return Suite("git", build=[f"make CC={{cc}} -j{{jobs}} {flags} all"],
                 test=[f"cd t; for t in {GIT_TESTS}; do sh $t-*.sh --no-color; echo $t: exit status $?; done"],
                 results=r"^(ok \d+|not ok \d+|\d+\.\.\d+|\S+: exit status \d+).*$", failing=r"^not ok|exit status [1-9]",
                 limit=900, least=1000)


def suites():
    """{name: Suite}, in the order in which they run."""
    return {suite.name: suite for suite in (bzip2(), jq(), zstd(), sqlite(), lua(), redis(), git())}
