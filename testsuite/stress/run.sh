#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Stress: many threads at all shared state at once; once with the runtime and the program under
# TSan, once longer without. STRESS_SECONDS: how long each takes. T=GLOB selects by name.
here=$(cd "$(dirname "$0")" && pwd)
export BUILD=${BUILD:-$here/../../build} CC=${CC:-gcc} PYTHONDONTWRITEBYTECODE=1
exec "${PYTHON:-python3}" "$here/run.py" "$@"
