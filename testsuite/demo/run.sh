#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# make demo: records shop, a program with three planted problems, and shows what cinstr finds.
set -eu
: "${BUILD:=$(cd "$(dirname "$0")/../.." && pwd)/build}" "${CC:=gcc}"
cd "$BUILD/demo"
export CINSTR_PAGER= # all of it at once
run() { printf '\n$ %s\n' "$*"; "$@"; }

rm -rf files cinstr.data cinstr.data.old
mkdir files
cat <<END

testsuite/demo/shop.c has three planted problems. It was compiled with one more option:
  $CC -O2 -g -fno-inline -pthread -fplugin=$BUILD/cinstr.so shop.c -o shop
Now it runs, and cinstr says what is wrong with it.

$ cd $BUILD/demo
END
run ./shop files
run ../cinstr summary
cat <<END

Look closer, in that folder:
  ../cinstr report                                  all functions, with calls and times
  ../cinstr annotate find_customer                  one function, line by line
  ../cinstr callers --sites pthread_mutex_lock      who calls it, from which lines
  ../cinstr summary --explain=CF0102                what a finding means, and what people do
Your own program: README.md; doc/tutorial.md takes five minutes.
END
