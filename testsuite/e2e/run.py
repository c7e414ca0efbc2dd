# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the end-to-end tests: every function marked @lab.test in the modules below."""
import fnmatch
import os
import shutil
import sys
import time
import traceback

import lab
import accuracy, api, beside, budget, builds, choosing, control, diff, endings, faults, hotpath, lines, names, osview, outside, phases, processes  # noqa: F401 (they register)
import percall, places, programs, ranges, seccomp, sessions, size, switching, timeline, together, trees, truth, views  # noqa: F401


def main():
    wanted = sys.argv[1:] or os.environ.get("T", "*").split()
    keep = bool(os.environ.get("KEEP"))
    passed, failed = 0, 0
    for name, function in lab.TESTS:
        if not any(fnmatch.fnmatch(name, pattern) for pattern in wanted):
            continue
        bench = lab.Bench(name)
        start = time.monotonic()
        try:
            function(bench)
        except lab.Skip as reason:
            print(f"skip {name}: {reason}")
        except lab.Failure as reason:
            failed += 1
            print(f"FAIL {name}: {reason}")
        except Exception:
            failed += 1
            print(f"FAIL {name}: the test itself broke\n{traceback.format_exc(limit=-2)}")
        else:
            passed += 1
            slow = time.monotonic() - start
            print(f"ok {name}" + (f"  ({slow:.1f} s)" if slow > 2 else ""))
        finally:
            bench.end()
            sys.stdout.flush()
        if not keep:
            shutil.rmtree(bench.folder, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
