#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the recording, and the program under it, survive: every fault many times, counted. See run.py
# --help.
here=$(cd "$(dirname "$0")" && pwd)
# with samples; entries are compared with those of the tree
export METHOD=${METHOD:-auto} OVERHEAD=${OVERHEAD:-unlimited}
export BUILD=${BUILD:-$here/../../build} CC=${CC:-gcc} PYTHONDONTWRITEBYTECODE=1
exec "${PYTHON:-python3}" "$here/run.py" "$@"
