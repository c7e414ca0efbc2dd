# SPDX-License-Identifier: GPL-3.0-or-later
"""`make demo`: the summary names the three planted problems of testsuite/demo/shop.c."""
import os
import re

import lab

PLANTED = {"log_order": r"sleeps .* while it holds a lock", "load_prices": r"reads little at a time: 200,000 calls of read",
           "find_customer": r"formats or parses text by snprintf"}


@lab.test("findings/demo")
def _(bench):
    bench.compile(os.path.join(lab.ROOT, "testsuite/demo/shop.c"), "shop", "-O2", "-fno-inline", "-pthread")
    os.mkdir(bench.path("files"))
    bench.run("./shop", "files")
    screen = bench.cinstr("summary", "--limit=3", bench.path("cinstr.data"))
    for function, text in PLANTED.items():
        lab.check(re.search(rf"{function}: {text}", " ".join(screen.split())), f"{function} is not among the findings: {screen}")
