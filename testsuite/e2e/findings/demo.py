# SPDX-License-Identifier: GPL-3.0-or-later
"""`make demo`: the summary names the three planted problems of testsuite/demo/shop.c."""
import os
import re

import finding_lab as findings
import lab

PLANTED = {"log_order": r"sleeps .* while it holds a lock", "load_prices": r"reads little at a time: 200,000 calls of read",
           "find_customer": r"formats or parses text by snprintf and the like, 2,387,280 calls:"}


@findings.test("demo")
def _(bench):
    bench.compile(os.path.join(lab.ROOT, "testsuite/demo/shop.c"), "shop", "-O2", "-fno-inline", "-pthread")
    os.makedirs(bench.path("files"), exist_ok=True)

    def record():
        bench.run("./shop", "files")
        return bench.cinstr("summary", "--limit=3", bench.path("cinstr.data"))

    screen = findings.recorded(bench, "cinstr.data", record)
    for function, text in PLANTED.items():
        lab.check(re.search(rf"{function}: {text}", " ".join(screen.split())), f"{function} is not among the findings: {screen}")
