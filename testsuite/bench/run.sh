#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# make bench. ROUNDS=N (default 5), PROGRAMS=leaf,fib,lua,sqlite,large, TOOLS=... narrow it down.
usage="usage: run.sh [--defaults | --page | --merge | --size | --gate | --exact | --compare | --history |
  --predictions ...]
  ROUNDS=N (default 5), PROGRAMS=leaf,fib,lua,sqlite,large, TOOLS=...: less of it
  --defaults PROGRAM...  recordings as they come alone, of these programs (programs.py)
  --page SESSION...: the page alone; --merge [SCALE]; --size [PATHS]; --gate; --compare [same | planted] [N]
  --history [RUNS [ORDERS]]  changes that cinstr history shows of programs that did not change
  --exact [PROGRAM...]  executed instructions against callgrind's
  --predictions [PROGRAM...]  what the critical path foretells, and what the repair brings"
case ${1-} in
-h | --help) echo "$usage" && exit ;;
--defaults | --page | --merge | --size | --gate | --exact | --compare | --history | --predictions | '') ;;
*) echo "run.sh: no such option: $1
$usage" >&2 && exit 2 ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/../world
if [ "${1-}" = --defaults ]; then # recordings as they come alone, of these programs
	shift
	export BUILD=${BUILD:-$here/../../build} CC=${CC:-gcc}
	exec "${PYTHON:-python3}" "$here/defaults.py" "$@"
fi
if [ "${1-}" = --page ]; then # the page in Chromium alone, with these sessions
	shift
	export BUILD=${BUILD:-$here/../../build} CC=${CC:-gcc}
	exec "${PYTHON:-python3}" "$here/page.py" "$@"
fi
if [ "${1-}" = --merge ]; then # cinstr merge alone; a number: so many times the processes
	shift
	export BUILD=${BUILD:-$here/../../build} CC=${CC:-gcc}
	exec "${PYTHON:-python3}" "$here/merge.py" "$@"
fi
if [ "${1-}" = --size ]; then # a merged session of many call paths, and its tables, alone
	shift
	export BUILD=${BUILD:-$here/../../build} CC=${CC:-gcc}
	exec "${PYTHON:-python3}" "$here/size.py" "$@"
fi
if [ "${1-}" = --gate ]; then # gates on executed instructions alone: same, diff, planted
	shift
	export BUILD=${BUILD:-$here/../../build} CC=${CC:-gcc}
	exec "${PYTHON:-python3}" "$here/gate.py" "$@"
fi
if [ "${1-}" = --exact ]; then # executed instructions against callgrind's
	shift
	export BUILD=${BUILD:-$here/../../build} CC=${CC:-gcc}
	exec "${PYTHON:-python3}" "$here/exact.py" "$@"
fi
if [ "${1-}" = --predictions ]; then # what cinstr waits --without says, and the repair, alone
	shift
	export BUILD=${BUILD:-$here/../../build} CC=${CC:-gcc}
	exec "${PYTHON:-python3}" "$here/predictions.py" "$@"
fi
if [ "${1-}" = --compare ]; then # cinstr compare alone: same, planted
	shift
	export BUILD=${BUILD:-$here/../../build} CC=${CC:-gcc}
	exec "${PYTHON:-python3}" "$here/compare.py" "$@"
fi
if [ "${1-}" = --history ]; then # cinstr history of programs that do not change, alone
	shift
	export BUILD=${BUILD:-$here/../../build} CC=${CC:-gcc}
	exec "${PYTHON:-python3}" "$here/history.py" "$@"
fi
"$here/../world/fetch.sh" && exec "${PYTHON:-python3}" "$here/run.py" "$@"
