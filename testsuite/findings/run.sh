#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What `cinstr summary` says first about slow programs, and what their repair gains: testing.md.
here=$(cd "$(dirname "$0")" && pwd)
export BUILD=${BUILD:-$here/../../build} CC=${CC:-gcc} PYTHONDONTWRITEBYTECODE=1
exec "${PYTHON:-python3}" "$here/score.py" "$@"
