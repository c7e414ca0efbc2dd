# SPDX-License-Identifier: GPL-3.0-or-later
"""Built in but off, where it costs most: a loop of nothing but calls, placed at every 4 bytes of a
line of the cache.

Where a loop lies changes what it costs by more than sleds do (processors fetch and keep code by
lines and halves of them), and sleds move what is behind them. So plain and off are measured at all
places, and compared by their medians and by their best places.
"""
import os
import statistics
import subprocess

import world

HERE = os.path.dirname(os.path.abspath(__file__))
PLACES = range(0, 64, 4)
OPTION = "-fplugin-arg-cinstr-small=0"


def ns_of_call(binary, folder):
    clean = {key: value for key, value in os.environ.items() if not key.startswith("CINSTR")}
    done = subprocess.run([binary], env={**clean, "CINSTR": "off"}, cwd=folder, capture_output=True, text=True, check=True)
    return float(done.stdout)


def measure(folder, rounds):
    """{variant: [least ns a call over the rounds, by place]}"""
    least = {"plain": [], "off": []}
    for place in PLACES:
        program = world.Program([os.path.join(HERE, "placed.c")], [f"-DPLACE={place}"], [], [])
        for variant in least:
            world.compile(program, os.path.join(folder, "placed-" + variant), ["-O2"] + [OPTION] * (variant == "off"), variant == "off")
        times = {variant: [] for variant in least}
        for _ in range(rounds):
            for variant in least:
                times[variant].append(ns_of_call(os.path.join(folder, "placed-" + variant), folder))
        for variant in least:
            least[variant].append(min(times[variant]))
    return least


def main(folder, rounds):
    least = measure(folder, rounds)
    print(f"Built in but off: a loop of nothing but calls at {len(PLACES)} places in a line of the cache, ns a call")
    print(f"  {'':28}{'best':>12}{'median':>12}{'worst':>12}")
    for variant, ns in least.items():
        print(f"  {variant:28}{min(ns):12.3f}{statistics.median(ns):12.3f}{max(ns):12.3f}")
    over = [off / plain for off, plain in zip(least["off"], least["plain"])]
    ratios = (choose(least["off"]) / choose(least["plain"]) for choose in (min, statistics.median, max))
    print(f"  {'off over plain':28}" + "".join(f"{ratio:12.3f}" for ratio in ratios))
    print(f"  {'the same place':28}{min(over):12.3f}{statistics.median(over):12.3f}{max(over):12.3f}")
    more = [off - plain for off, plain in zip(least["off"], least["plain"])]
    print(f"  {'ns more, the same place':28}{min(more):12.3f}{statistics.median(more):12.3f}{max(more):12.3f}\n")
