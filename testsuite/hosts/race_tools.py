# SPDX-License-Identifier: GPL-3.0-or-later
"""helgrind and drd say of a program with probes what they say of the plain one: nothing of the
runtime's."""
import os
import re

import host
from host import check, equal, lab, need, test


def errors(bench, tool, name, *options):
    done = bench.run(need("valgrind"), f"--tool={tool}", *options, bench.path(name), status=0)
    return int(re.search(r"ERROR SUMMARY: ([\d,]+) ", done.stderr).group(1).replace(",", "")), done.stderr


for tool in "helgrind", "drd":
    @test(f"race tools/{tool}")
    def silent(bench, tool=tool):
        if not os.path.exists("/usr/include/valgrind/valgrind.h"):
            raise host.Skip("valgrind's headers are not there")
        host.build(bench, "racing.c", "-g", "-pthread")
        plain = errors(bench, tool, "plain")[0]
        got, text = errors(bench, tool, "probes")
        equal(got, plain, f"errors; {text[:1500]}")
        check(host.calls(bench, "step") == 6000, "calls of step")


@test("race tools/suppressions")
def suppressed(bench):
    host.build(bench, "racing.c", "-g", "-pthread")
    file = os.path.join(lab.ROOT, "contrib/valgrind/cinstr.supp")
    got, text = errors(bench, "helgrind", "probes", f"--suppressions={file}")
    equal(got, errors(bench, "helgrind", "plain")[0], f"errors; {text[:1500]}")
