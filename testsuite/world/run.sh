#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs from Debian's sources built with the plugin, their own test suites recorded: same results
# as without; lua and sqlite also: same call counts as callgrind's. `make world`. See run.py.
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1
exec "${PYTHON:-python3}" "$here/run.py"
