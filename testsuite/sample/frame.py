# SPDX-License-Identifier: GPL-3.0-or-later
"""The tests' own arithmetic."""
from sampled import check, is_share, test


@test("shares are judged by the binomial error")
def _(bench):
    check(is_share(500, 1000, 0.5), "the exact share")
    check(is_share(540, 1000, 0.5), "2.5 sigma off")
    check(not is_share(580, 1000, 0.5), "5 sigma off")
