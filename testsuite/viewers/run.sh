#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What `cinstr export` writes, read by the viewers it is for: see run.py. T=GLOB selects by name.
here=$(cd "$(dirname "$0")" && pwd)
export BUILD=${BUILD:-$here/../../build} CC=${CC:-gcc} PYTHONDONTWRITEBYTECODE=1
exec "${PYTHON:-python3}" "$here/run.py" "$@"
