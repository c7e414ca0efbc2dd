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
 * Returns the reason why the current function (cfun, after the late passes) gets no sleds, or
 * SELECT_INSTRUMENT; remembered for its callers. *rule: the rule that decided, or NULL.
 */
enum cinstr_abi_reason select_function(tree fn, const struct rule **rule);

/* Returns true if another function of the same name may be called instead. In a COMDAT group it is
 * the same in all units. */
bool select_replaceable(tree fn);

/* Returns a reason in words, for messages. */
const char *select_reason_text(enum cinstr_abi_reason reason);

/* Returns true for a call by name of a function that may be the program's own. */
bool select_may_lead_elsewhere(rtx_insn *call);
/* Returns the function that a call instruction names (no leading '*'), or NULL if it is
 * indirect. */
const char *select_callee_name(rtx_insn *call);

/* Returns true for a call of a part that GCC has split from a function (-fpartial-inlining). */
bool select_is_split_part(rtx_insn *call);

/* Returns all names of the callee; only for calls by name. */
const struct names *select_callee_names(rtx_insn *call);

/* Kinds of callees. All that another module can replace are foreign. */
enum select_callee {
	SELECT_FOREIGN,
	SELECT_LATER,	     /* of this unit, not compiled yet */
	SELECT_INSTRUMENTED, /* has sleds of its own */
	SELECT_SMALL,	     /* left out as small: its time is the caller's */
	SELECT_LEFT_OUT,     /* for another reason */
};

/* Returns the kind of the callee. For SELECT_LATER sets *name to its name, aliases resolved. */
enum select_callee select_callee(rtx_insn *call, const char **name);

/* Does the same for a function of this unit, by its assembler name. */
enum select_callee select_callee_by_name(const char *name);

/* Returns true if a call of such a function gets sleds even without an action. */
bool select_call_wanted(enum select_callee callee);

/* Returns true for calls that the compiler adds for its own purposes, or that must stay as the
 * linker expects them. */
bool select_call_skipped(rtx_insn *call, const char *callee);

/* Returns true if the callee is a wrapper of a system call from the C library. */
bool select_is_syscall(rtx_insn *call, const char *callee);

/* ... if it is a function that enters the kernel at times. */
bool select_is_stream(rtx_insn *call, const char *callee);

/* ... if it mostly waits, without being such a wrapper. */
bool select_is_wait(rtx_insn *call, const char *callee);

/* Returns true if the system or the compiler declares the function and another unit defines it: a
 * program may have a function of that name which does something else. */
bool select_is_of_system(tree decl);

/* Returns the lock that the callee takes, or what else of it is known, or CINSTR_LOCK_NOT. */
enum cinstr_abi_lock select_lock(rtx_insn *call, const char *callee);

#endif
