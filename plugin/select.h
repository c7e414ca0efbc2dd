/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides which functions get sleds, and which of their calls.
 */
#ifndef CINSTR_PLUGIN_SELECT_H
#define CINSTR_PLUGIN_SELECT_H

#include "gcc.h"
#include "cinstr/abi.h"
#include "rules.h"

/* No reason: the function is instrumented. */
#define SELECT_INSTRUMENT ((enum cinstr_abi_reason)0)

/*
 * Why the current function (cfun, after the late passes) gets no sleds; remembered for its callers.
 * *rule: the rule that decided so, or NULL.
 */
enum cinstr_abi_reason select_function(tree fn, const struct rule **rule);

/* May another function of the same name be called instead? One of a COMDAT group is the same in all
 * units. */
bool select_replaceable(tree fn);

/* A reason in words, for messages. */
const char *select_reason_text(enum cinstr_abi_reason reason);

/* Is it a call by name of what may be one of the program's own functions? */
bool select_may_lead_elsewhere(rtx_insn *call);
/* The function that a call instruction names, NULL if it is indirect. No leading '*'. */
const char *select_callee_name(rtx_insn *call);

/* Does it call what GCC has split from a function (-fpartial-inlining)? */
bool select_is_split_part(rtx_insn *call);

/* All names of that function; only if it has one. */
const struct names *select_callee_names(rtx_insn *call);

/* What is known of a callee. Only one that no other module can replace is not foreign. */
enum select_callee {
	SELECT_FOREIGN,
	SELECT_LATER,	     /* of this unit, not compiled yet */
	SELECT_INSTRUMENTED, /* has sleds of its own */
	SELECT_SMALL,	     /* left out as small: its time is the caller's */
	SELECT_LEFT_OUT,     /* for another reason */
};

/* *name: set to that of the function called, aliases resolved, if it is SELECT_LATER. */
enum select_callee select_callee(rtx_insn *call, const char **name);

/* The same of a function of this unit by its assembler name. */
enum select_callee select_callee_by_name(const char *name);

/* Does a call of such a function get sleds, as far as no action wants them? */
bool select_call_wanted(enum select_callee callee);

/* Calls that the compiler adds for its own purposes, or that must stay as the linker expects
 * them. */
bool select_call_skipped(rtx_insn *call, const char *callee);

/* Is the callee a wrapper of a system call that this program takes from its C library? */
bool select_is_syscall(rtx_insn *call, const char *callee);

/* The same of a function that enters the kernel at times. */
bool select_is_stream(rtx_insn *call, const char *callee);

/* ... of one that waits, mostly, without being such a wrapper. */
bool select_is_wait(rtx_insn *call, const char *callee);

/* ... of one that takes a lock. */
enum cinstr_abi_lock select_lock(rtx_insn *call, const char *callee);

#endif
