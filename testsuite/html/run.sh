#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The pages that cinstr makes, in Chromium. T=GLOB selects by name; screenshots are in $BUILD/html.
here=$(cd "$(dirname "$0")" && pwd)
export BUILD=${BUILD:-$here/../../build} CC=${CC:-gcc} PYTHONDONTWRITEBYTECODE=1
exec "${PYTHON:-python3}" "$here/run.py" "$@"
