/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides which functions get sleds, and which of their calls.
 */
#ifndef CINSTR_PLUGIN_SELECT_H
#define CINSTR_PLUGIN_SELECT_H

#include "gcc.h"
#include "cinstr/abi.h"

/* No reason: the function is instrumented. */
#define SELECT_INSTRUMENT ((enum cinstr_abi_reason)0)

/* Why the current function (cfun, after the late passes) gets no sleds. */
enum cinstr_abi_reason select_function(tree fn);

/* A reason in words, for messages. */
const char *select_reason_text(enum cinstr_abi_reason reason);

/* The function that a call instruction names, NULL if it is indirect. No leading '*'. */
const char *select_callee_name(rtx_insn *call);

/* Calls that the compiler adds for its own purposes, or that must stay as the linker expects them. */
bool select_call_skipped(rtx_insn *call, const char *callee);

/* Is the callee a wrapper of a system call that this program takes from its C library? */
bool select_is_syscall(rtx_insn *call, const char *callee);

#endif
