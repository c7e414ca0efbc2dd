#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# GCC's own execution tests, built with the plugin and recorded. Without arguments: the sample of
# `make check`. --help tells the options; `make torture` is `run.sh --all`.
here=$(cd "$(dirname "$0")" && pwd)
export BUILD=${BUILD:-$here/../../build} CC=${CC:-gcc} PYTHONDONTWRITEBYTECODE=1
exec "${PYTHON:-python3}" "$here/run.py" "$@"
