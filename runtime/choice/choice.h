/* SPDX-License-Identifier: MIT */
/*
 * choice.h - what is recorded: modules, rules, sleds, levels of functions, counting, budget.
 * What other rooms may ask for, by file; comes with runtime.h.
 */
#ifndef CINSTR_RUNTIME_CHOICE_H
#define CINSTR_RUNTIME_CHOICE_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/format.h"

struct action;
struct cinstr_abi_hook;
struct cinstr_abi_table;
struct control_event;
struct module;
struct probe_state;
struct thread;
struct thunks;

/* module.c */
/* As cinstr_register_v1() has them. */
void module_add(const void *ehdr, const struct cinstr_abi_hook *hook, const void *code);
void module_remove(const void *ehdr);
/* Returns 0; -errno: the code of the module that has the hook's code may not be changed, so it
 * cannot be recorded; or 1: the module looks at it, so it is left as it is. */
int module_try(const void *ehdr, const void *code);
/* Says that a module of which module_try returned 1 is left as it is. */
void module_say_left(const void *ehdr, const void *code);
void modules_scan(void);
void module_each_string(const struct module *module, void (*visit)(const char *string, void *data),
			void *data);
void module_each_sled(struct module *module, void (*visit)(const struct module *, char *sled, uint32_t info));
/* The first action of the sled with this code; NULL: none. */
const struct action *module_actions(uint32_t code);
/* Address of the aligned word that holds the sled with this code; 0: in no loaded module. */
uint64_t module_address(uint32_t code);
/* Path of the module's file, as the data file has it. */
const char *module_path(const struct module *module);
/* What is patched of it, to the data file. */
void module_tell(struct module *module, int seal);
void modules_copy(const char *parent_file, uint64_t parent_bytes);

/* callee.c */
struct missing;
struct dl_phdr_info;
struct callees {
	uint64_t base;		    /* of the module */
	struct cinstr_callee *list; /* sorted by string_address; NULL: none */
	struct missing *missing;    /* those whose address is not known yet */
	uint32_t n, n_missing;
};
/* Fills `out` with the functions that the module calls by name; callees_release() frees it. */
void callees_collect(const struct module *module, struct callees *out);
/* Looks for those without an address in a loaded object. Under the loader's lock. */
void callees_look(struct callees *callees, const struct dl_phdr_info *info);
void callees_release(struct callees *callees);

/* rules.c */
/* What is recorded. */
struct choice {
	const char *only, *except; /* globs, separated by commas */
	int functions_only, lines;
	uint32_t depth; /* levels of functions; 0: all */
};
extern const struct choice *volatile rules_choice; /* the one in force; under the patch lock */
extern uint32_t rules_depth;			   /* its depth, for any thread */
void rules_begin(void);
const struct choice *rules_read(const char *rules);
void rules_take(const struct choice *choice);

/* switch.c */
/*
 * Chooses anew: "only=GLOB,... not=GLOB,... probes=functions|calls|lines depth=N", or "all": as at
 * the start. What is not named stays as it is. From any thread; within a probe (signals blocked) as
 * well. 0; -EINVAL: not understood, nothing has changed; -EBUSY: somebody else is switching, within
 * a probe only; other errors: text that cannot be written.
 */
int choose_apply(const char *rules);
#define SWITCH_CHANGES_MAX 64
/*
 * func: code of a function's ENTER sled. level 0: no probes, 1: those of its entry and exits only,
 * 2: what the rules say, 3: its calls are counted, by no event, but for its calls of what waits.
 * For a function that the rules leave out it counts when they choose it.
 * error: 0, -EBUSY: try later; -ENOENT: no such function; others: it cannot be at that level.
 */
struct switch_change {
	uint32_t func;
	int level, error;
};
/* n: at most SWITCH_CHANGES_MAX. All at once costs little more than one. */
void switch_functions(struct switch_change *list, unsigned n);
/* A module that has just come, under the lock. */
void switch_module(struct module *module);
/* All modules, as chosen: has_regions has changed, or another process was in the middle of it when
 * it forked us. */
void switch_again(void);
/* At the end of the process: the modules' entries in the file are as they will stay. */
void switch_finish(void);

/* patch.c */
/*
 * Who changes sleds, or adds or removes a module, holds the lock. Waiting for it is not for probes,
 * nor for who holds the store's lock: they try. Both block signals and set *old to the mask for
 * patch_unlock.
 */
void patch_lock(uint64_t *old);
int patch_try_lock(uint64_t *old); /* 1: it is ours */
void patch_unlock(uint64_t old);
void patch_forked(void);
int patch_begin(const struct module *module, uint64_t from, uint64_t to);
void patch_end(const struct module *module, uint64_t from, uint64_t to);
/* Asks for write access to the module's code, and gives it back. Returns 0, or -errno: the code may
 * not be changed. */
int patch_try(const struct module *module);
/* Says that code may not be changed. error: errno of the system call that was refused. */
void patch_say_refused(int error);
/* thunks: of the sled's module. */
int patch_on(const struct thunks *thunks, char *sled, const char *thunk);
int patch_off(const struct thunks *thunks, char *sled);
/* Whether it is a call or a jump, whosever. */
int patch_is_on(const char *sled);
/* Does it call this thunk? */
int patch_leads_to(const char *sled, const char *thunk);
/* Other processors take notice of what was patched. 0 or -errno. */
int patch_sync(void);
/* Recording has ended. By the holder of the lock, if somebody has it. */
void patch_all_off(void);

/* direct.c: what a call of the function with this entry sled leads to: its mark, if it has one. */
const char *direct_entry(const char *sled);
/* Whether there is room for one more stub that counts. */
int thunks_can_count_site(struct thunks *thunks);
/* Tells the data file of all pages (counting.c). */
void thunks_describe(void);
uint64_t thunks_idle_descriptor(void);
const char *thunks_code(const struct thunks *thunks);

/* depth.c */
/* 1: the event is of the levels that are recorded. The thread has begun. */
int depth_before(struct probe_state *probe, const struct control_event *event);
void depth_behind(struct probe_state *probe, const struct control_event *event);
/* While the runtime works in a thread, it is as if nothing was too deep. */
void depth_open(struct probe_state *probe);
void depth_close(struct probe_state *probe);
void depth_forked(struct probe_state *probe, const struct thread *parent);

/* names.c, under the patch lock: */
/* Counts calls of functions of this name from now on, or does not any more. Returns 0, or -errno.
 * Local functions may share it. */
int names_set_counted(struct module *module, const char *name, int is_counted);
/* Returns whether a sled is that of a call of a function that is counted: it tells nothing more
 * than the count. */
int names_calls_counted(const struct module *module, const struct cinstr_abi_table *table, uint32_t info);
/* Sleds have been switched: the fold knows names from now on. */
void names_begin(void);
/* ... and those of a module that has come. */
void names_module(struct module *module);

/* counting.c */
struct counting_place {
	uint32_t block, index;
};
struct counting_place counting_place(uint32_t slot);
/* The slot of a sled (ENTER, BEFORE, TAIL), which it has from now on. Under the patch lock. -1: no
 * room. */
int counting_slot(uint32_t code);
/* The sled in this word that has a slot; 0: none has. */
uint32_t counting_sled(uint32_t code);
/* Under the patch lock: calls at this sled, which has something to do besides, are counted by the
 * slow path, or not any more. -1: no room. */
int counting_by_hand(uint32_t code, int is_on);
/* Counts a call at such a sled. */
void counting_hand(struct thread *thread, uint32_t code);
/* The thread records: it has counters of that block; its pointer stays NULL if there is no room. */
void counting_open(struct probe_state *probe, uint32_t block);
/* The thread's stubs come to the slow path, and its segments are counted for nobody. */
void counting_close(struct probe_state *probe);
/*
 * In a forked child, when its parent's file is out of its memory: puts memory of nobody's where the
 * parent's thread had its counters, as a handler may have forked that has interrupted a stub. NULL:
 * the thread had none.
 */
void counting_hide(const struct thread *parents);
/* Counts one call without a stub. */
void counting_add(struct thread *thread, uint32_t code);
/* Calls of this sled that were counted, by threads that are there. */
uint64_t counting_sum(uint32_t code);

/* segments.c: executed instructions */
/* A module that has come: its counters are switched on. Under the lock. */
void segments_module(struct module *module);
/* What the module's counters add to sums of executed instructions: before its thunks are made; and
 * behind segments_module(). */
void segments_expect(const struct module *module);
void segments_expected(const struct module *module);
/* What the thread has executed so far, and SUM_FIRST. */
uint64_t segments_sum(const struct thread *thread);
/* segment_sums.c: what each of the module's *n counters adds, to be unmapped; NULL: nothing, or
 * there is no memory. *flags: enum cinstr_call_sums_flag */
int32_t *segment_sums_make(const struct module *module, uint32_t *n, uint32_t *flags);
/* Under the lock. Its text is writable: its counters count no more. */
void segments_off(const struct module *module);
int segments_are_counted(const struct module *module);
/* The thread records: it counts for itself from here on, until counting_close(). */
void segments_open(struct thread *thread);
/* As counting_hide(). */
void segments_hide(const struct thread *parents);
/* In a forked child, whose file has nothing of that yet. */
void segments_forked(void);
/* At the end of the process: tells what was counted for no thread. */
void segments_end(void);

/* counting_phases.c: a mark has begun this phase; the data file is told what was counted before. */
void counting_phase(uint32_t phase);
/* Tells the data file of a piece of the recording's own code: enum cinstr_probe_code_kind. */
void counting_code(const char *start, const char *end, uint32_t kind);
/* Whether calls may be counted, or samples may meet the recording's own code. */
int counting_is_on(void);
/* Sets cinstr.is_traced if a debugger, most likely, traces the process. Opens a file: is called in
 * a task apart. */
void counting_look_for_tracer(void);
/* Tells the data file, once it is there, where the runtime's own code is. */
void counting_begin(void);
void counting_forked(void);
void counting_phases_forked(void);

/* budget.c. Only while cinstr.budget is there: */
void budget_fold(struct thread *thread, size_t n, uint64_t began);
uint64_t budget_clock(void);
int budget_wants_fold(const struct thread *thread, uint64_t now);
/* At any time: */
void budget_begin(void);
void budget_begin_thread(struct thread *thread);
void budget_forked(void);

#endif
