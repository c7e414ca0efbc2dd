#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# make demo: cinstr profiles itself. First a program with five threads is recorded; then the cinstr
# command, compiled with its own plugin, is recorded while it reads that session; then its profile
# is shown.
set -eu
: "${BUILD:=$(cd "$(dirname "$0")/../.." && pwd)/build}" "${ROOT:=$BUILD/..}"
cd "$BUILD/demo"
show() { printf '\n$ %s\n' "$*"; }

rm -rf threads.data cinstr.data cinstr.data.old
show "./demo report/rows/             # five threads that wait, read files and compute"
CINSTR_DATA=threads.data ./demo "$ROOT/report/rows"
show "cinstr report --by=thread"
../cinstr report --by=thread threads.data
show "cinstr report --limit=10"
../cinstr report --limit=10 threads.data

show "./cinstr report threads.data    # the cinstr command, compiled with its own plugin, reads that session"
./cinstr report --format=csv -o /dev/null threads.data
show "cinstr report --limit=20        # and this is where its time went"
../cinstr report --limit=20 cinstr.data

cat <<'END'

Elapsed is time by the clock; Application leaves out every interval in which the system did something (a wait, a read,
a switch to another thread). Inclusive counts what a function called, Exclusive only its own code: sort by Exclusive to
find where time is spent, by Inclusive to find on whose behalf. More: build/cinstr tree build/demo/cinstr.data, README.md.
END
