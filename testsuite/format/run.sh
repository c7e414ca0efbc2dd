#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# run.sh [--make] [NAME...] - the data file: decoder.py, made after doc/format.md alone, and the
# command find the same in golden/ and in sessions recorded now. Prints "ok NAME" or "FAIL NAME:
# why", ends with "N passed, N failed". --make: records golden/ anew.
set -u
cd "$(dirname "$0")" || exit 2
: "${BUILD:=$PWD/../../build}"
export BUILD PYTHONDONTWRITEBYTECODE=1
exec python3 compare.py "$@"
