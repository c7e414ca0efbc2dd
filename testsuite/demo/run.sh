#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# make demo: records shop, a program with three planted problems, and shows what cinstr finds:
# all of it fits on a terminal of 80x24.
set -eu
: "${BUILD:=$(cd "$(dirname "$0")/../.." && pwd)/build}" "${CC:=gcc}"
build=${BUILD#"$PWD"/}
cd "$BUILD/demo"
export CINSTR_PAGER= # all of it at once
run() { printf '$ %s\n' "$*"; "$@"; }

rm -rf files cinstr.data cinstr.data.old
mkdir files
cat <<END

testsuite/demo/shop.c has three planted problems. It was compiled like this:
  $CC -O2 -g -fno-inline -pthread -fplugin=$build/cinstr.so testsuite/demo/shop.c
Now it runs, and cinstr says what is wrong with it:
$ cd $build/demo
END
run ./shop files
run ../cinstr summary --findings
cat <<END
More, in that folder:
  ../cinstr summary                     all of it: who computes, who waits
  ../cinstr annotate find_customer      the lines of one function
  ../cinstr summary --explain=CF0102    what that finding means
Your own program: README.md, doc/tutorial.md
END
