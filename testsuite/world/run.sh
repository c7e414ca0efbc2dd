#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# lua5.4 and sqlite3 built with the plugin: same output as without, same call counts as callgrind's. `make world`.
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1
"$here/fetch.sh" && exec "${PYTHON:-python3}" "$here/run.py"
