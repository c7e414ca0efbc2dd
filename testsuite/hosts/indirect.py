# SPDX-License-Identifier: GPL-3.0-or-later
"""Indirect calls: whatever the instruction, they cost what others do; where they fault, they fault
as they do without probes."""
import re

import host
from host import check, equal, need, test

FORMS = 79  # calls of each callee in a round of indirect_forms.c
ROUNDS = 1000
ALL = {"CINSTR_MAX_OVERHEAD": "unlimited"}  # each call is timed
METHODS = {}, {"CINSTR_METHOD": "mixed"}, {"CINSTR_MAX_OVERHEAD": "5"}


def masks_set(bench):
    """How often the signal mask is set: twice in each event that takes the slow path, and in each
    fold."""
    bench.run(need("strace"), "-f", "-c", "-o", "counts", bench.path("probes"), str(ROUNDS), env=ALL, status=0)
    with open(bench.path("counts"), encoding="utf-8") as file:
        row = re.search(r"^ *\S+ +\S+ +\S+ +(\d+) +rt_sigprocmask$", file.read(), re.MULTILINE)
    return int(row[1]) if row else 0


def forms(bench, *flags, optimize="-O2"):
    host.build(bench, "indirect_forms.c", *flags, optimize=optimize)
    host.same(bench, str(ROUNDS), env=ALL)
    for callee in "counted", "unprobed":
        equal(host.calls(bench, callee), FORMS * ROUNDS, f"calls of {callee}")
    # One form on the slow path would make 4 * ROUNDS.
    masks = masks_set(bench)
    check(masks < 2 * ROUNDS, f"{masks} signal masks set in {2 * FORMS * ROUNDS} indirect calls")


@test("indirect/every form")
def every_form(bench):
    forms(bench)


@test("indirect/every form, -O0")
def every_form_unoptimized(bench):
    forms(bench, optimize="-O0")


@test("indirect/every form, notrack")
def every_form_notrack(bench):
    forms(bench, "-fcf-protection=full", "-fno-omit-frame-pointer", optimize="-O1")


@test("indirect/every form, position-dependent")
def every_form_absolute(bench):
    forms(bench, "-fno-pie", "-no-pie")


@test("indirect/every form by thunks of the compiler")
def every_form_thunk(bench):
    forms(bench, "-mindirect-branch=thunk", "-mindirect-branch-cs-prefix")


@test("indirect/every form by thunks in place")
def every_form_thunk_in_place(bench):
    forms(bench, "-mindirect-branch=thunk-inline")


@test("indirect/every form, functions only")
def every_form_functions(bench):
    host.build(bench, "indirect_forms.c")
    host.same(bench, str(ROUNDS), env={"CINSTR_PROBES": "functions"})
    equal(host.calls(bench, "counted"), FORMS * ROUNDS, "calls of counted")


def null(bench, way, *flags, optimize="-O2"):
    host.build(bench, "indirect_null.cc", *flags, optimize=optimize)
    for env in METHODS:
        env = {**(env or {}), "CINSTR_CHECKED_CODE": "change"}  # it asks where its code is
        host.same(bench, way, env=env)
        host.same(bench, way, "unmapped", env=env)


@test("indirect/null, left by a jump")
def null_jump(bench):
    null(bench, "jump")


@test("indirect/null, left by a jump, -O0")
def null_jump_unoptimized(bench):
    null(bench, "jump", optimize="-O0")


@test("indirect/null, left by an exception")
def null_exception(bench):
    null(bench, "throw", "-fnon-call-exceptions")


@test("indirect/null, left by an exception, -O1")
def null_exception_unoptimized(bench):
    null(bench, "throw", "-fnon-call-exceptions", "-fcf-protection=full", optimize="-O1")


@test("indirect/a table that the handler repairs")
def repaired(bench):
    host.build(bench, "indirect_repaired.c")
    for env in METHODS:
        host.same(bench, env=env)


def kept(bench, *flags, optimize="-O2", env=None):
    host.build(bench, "kept_registers.c", "-ffixed-r10", "-ffixed-r11", *flags, optimize=optimize)
    host.same(bench, str(10 * ROUNDS), env=env)
    equal(host.calls(bench, "leaf"), 4 * 10 * ROUNDS, "calls of leaf")


@test("indirect/registers of the program's own")
def kept_registers(bench):
    kept(bench)
    masks = masks_set(bench)
    check(masks < ROUNDS, f"{masks} signal masks set in {9 * ROUNDS} calls")


@test("indirect/registers of the program's own, -O0")
def kept_registers_unoptimized(bench):
    kept(bench, "-fcf-protection=full", optimize="-O0")


@test("indirect/registers of the program's own, functions only")
def kept_registers_functions(bench):
    kept(bench, env={"CINSTR_PROBES": "functions"})


@test("indirect/registers of the program's own, on the slow path")
def kept_registers_slow(bench):
    kept(bench, env={"CINSTR_CLOCK": "monotonic"})
