#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Test points: a thread is stopped, killed or sent a signal between any two instructions of the
# runtime where something becomes visible to others. Without --all a sample. T=GLOB selects by name.
here=$(cd "$(dirname "$0")" && pwd)
export BUILD=${BUILD:-$here/../../build} CC=${CC:-gcc} PYTHONDONTWRITEBYTECODE=1
exec "${PYTHON:-python3}" "$here/run.py" "$@"
