#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What programs can do to themselves, and what is done to them: each behaves with probes as it does
# without. T=GLOB selects by name.
here=$(cd "$(dirname "$0")" && pwd)
# as users record
export METHOD=${METHOD:-auto}
export BUILD=${BUILD:-$here/../../build} CC=${CC:-gcc} PYTHONDONTWRITEBYTECODE=1
exec "${PYTHON:-python3}" "$here/run.py" "$@"
