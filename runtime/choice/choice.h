/* SPDX-License-Identifier: MIT */
/*
 * choice.h - chooses what is recorded: modules, rules, sleds, levels of functions, counting,
 * budget: functions for other rooms, by file. Included by runtime.h.
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
/* Arguments as of cinstr_register_v1(). */
void module_add(const void *ehdr, const struct cinstr_abi_hook *hook, const void *code);
void module_remove(const void *ehdr);
/* Checks the module that contains `code`. Returns 0; -errno: its code may not be changed, so it
 * cannot be recorded; or 1: it looks at its own code, so it is left unchanged. */
int module_try(const void *ehdr, const void *code);
/* Reports that a module for which module_try returned 1 is left unchanged. */
void module_say_left(const void *ehdr, const void *code);
void modules_scan(void);
void module_each_string(const struct module *module, void (*visit)(const char *string, void *data),
			void *data);
void module_each_sled(struct module *module, void (*visit)(const struct module *, char *sled, uint32_t info));
/* Returns the first action of the sled with this code, or NULL. */
const struct action *module_actions(uint32_t code);
/* Returns the address of the aligned word that holds the sled with this code, or 0: in no loaded
 * module. */
uint64_t module_address(uint32_t code);
/* Returns the path of the module's file, as in the data file. */
const char *module_path(const struct module *module);
/* Writes the number of patched sleds to the module's entry in the data file. */
void module_tell(struct module *module, int seal);
void modules_copy(const char *parent_file, uint64_t parent_bytes);

/* callee.c */
struct missing;
struct dl_phdr_info;
struct callees {
	uint64_t base;		    /* of the module */
	struct cinstr_callee *list; /* sorted by string_address; NULL: none */
	struct missing *missing;    /* callees whose address is not known yet */
	uint32_t n, n_missing;
};
/* Fills `out` with the functions that the module calls by name; callees_release() frees it. */
void callees_collect(const struct module *module, struct callees *out);
/* Looks in a loaded object for callees without an address. Under the loader's lock. */
void callees_look(struct callees *callees, const struct dl_phdr_info *info);
void callees_release(struct callees *callees);

/* rules.c */
/* Rules for what is recorded. */
struct choice {
	const char *only, *except; /* globs, separated by commas */
	int functions_only, lines;
	uint32_t depth; /* levels of functions; 0: all */
};
extern const struct choice *volatile rules_choice; /* the rules in force; under the patch lock */
extern uint32_t rules_depth;			   /* their depth, for any thread */
void rules_begin(void);
const struct choice *rules_read(const char *rules);
void rules_take(const struct choice *choice);

/* switch.c */
/*
 * Applies new rules: "only=GLOB,... not=GLOB,... probes=functions|calls|lines depth=N", or "all":
 * as at the start. Rules that are not named stay. From any thread, also within a probe (signals
 * blocked). Returns 0; -EINVAL: invalid rules, nothing has changed; -EBUSY: another thread is
 * switching, only within a probe; other errors: the text cannot be written.
 */
int choose_apply(const char *rules);
#define SWITCH_CHANGES_MAX 64
/*
 * func: code of a function's ENTER sled. level 0: no probes, 1: only at its entry and exits, 2: by
 * the rules, 3: its calls are counted, without events, except its calls of waiting functions. For a
 * function that the rules leave out, the level applies once they choose it. error: 0, -EBUSY: try
 * later; -ENOENT: no such function; others: it cannot be at that level.
 */
struct switch_change {
	uint32_t func;
	int level, error;
};
/* Changes n functions, at most SWITCH_CHANGES_MAX, and sets their `error`. Many at once cost little
 * more than one. */
void switch_functions(struct switch_change *list, unsigned n);
/* Switches the sleds of a module that was just loaded. Under the lock. */
void switch_module(struct module *module);
/* Switches the sleds of all modules again: has_regions has changed, or the parent process was
 * switching when it forked. */
void switch_again(void);
/* Writes the final state of the modules' entries to the file, at the end of the process. */
void switch_finish(void);

/* patch.c */
/*
 * The lock is held while sleds are changed, and modules added or removed. Probes and holders of the
 * store's lock must not wait for it: they try. Both functions block signals and set *old to the
 * mask for patch_unlock.
 */
void patch_lock(uint64_t *old);
int patch_try_lock(uint64_t *old); /* returns 1: taken */
void patch_unlock(uint64_t old);
void patch_forked(void);
int patch_begin(const struct module *module, uint64_t from, uint64_t to);
void patch_end(const struct module *module, uint64_t from, uint64_t to);
/* Obtains write access to the module's code, and gives it back. Returns 0, or -errno: the code may
 * not be changed. */
int patch_try(const struct module *module);
/* Reports that code may not be changed. error: errno of the system call that was refused. */
void patch_say_refused(int error);
/* Have a sled lead to a thunk, or make it a NOP, and return 1; 0: another tool has changed the
 * sled. thunks: of its module. */
int patch_on(const struct thunks *thunks, char *sled, const char *thunk);
int patch_off(const struct thunks *thunks, char *sled);
/* Returns 1 if the sled is a call or a jump, ours or another tool's; else 0. */
int patch_is_on(const char *sled);
/* Returns 1 if the sled calls this thunk, else 0. */
int patch_leads_to(const char *sled, const char *thunk);
/* Has other processors see the patched code. Returns 0 or -errno. */
int patch_sync(void);
/* Takes out all probes when recording has ended. If the lock is held, its holder does so. */
void patch_all_off(void);

/* direct.c: returns the address that calls of the function with this entry sled lead to: its mark
 * (endbr64), if it has one, else the sled. */
const char *direct_entry(const char *sled);
/* Reserves room for one more stub that counts calls of a site. Returns 1, or 0: no room. */
int thunks_can_count_site(struct thunks *thunks);
/* Writes the places of all pages of thunks to the data file (counting.c). */
void thunks_describe(void);
const char *thunks_code(const struct thunks *thunks);
/* thunk_field.c: returns the address of a descriptor of a sequence that no thread executes. */
uint64_t thunks_idle_descriptor(void);

/* depth.c */
/* Returns 1 if the event belongs to the levels that are recorded, else 0. The thread has begun. */
int depth_before(struct probe_state *probe, const struct control_event *event);
void depth_behind(struct probe_state *probe, const struct control_event *event);
/* Suspend and restore the limit of depth around the runtime's work in a thread. */
void depth_open(struct probe_state *probe);
void depth_close(struct probe_state *probe);
void depth_forked(struct probe_state *probe, const struct thread *parent);

/* names.c, under the patch lock: */
/* Marks the name as that of counted functions, or not any more. Returns 0 or -errno. Local
 * functions may share a name. */
int names_set_counted(struct module *module, const char *name, int is_counted);
/* Returns 1 if the sled is at a call of a counted function, which shows no more than the count;
 * else 0. */
int names_calls_counted(const struct module *module, const struct cinstr_abi_table *table, uint32_t info);
/* Gives the numbers of names to the fold, once sleds have been switched. */
void names_begin(void);
/* ... and those of a module that was loaded later. */
void names_module(struct module *module);

/* counting.c */
struct counting_place {
	uint32_t block, index;
};
struct counting_place counting_place(uint32_t slot);
/* Returns the permanent slot of a sled (ENTER, BEFORE, TAIL), new if need be, or -1: no room. Under
 * the patch lock. */
int counting_slot(uint32_t code);
/* Returns the slot of the call at this sled while it leads to a counter of its own, which counts
 * for the function, too, new if need be; or -1: no room. code: of the call's sled; func: of the
 * function's, which has a slot. Under the patch lock. */
int counting_led_slot(uint32_t code, uint32_t func);
/* Returns the slot of a site whose calls allocate, new if need be, with the next slot for their
 * bytes if there is room; or -1: no room. Under the patch lock. */
int counting_site_slot(uint32_t code);
/* Returns whether the slot behind this one counts bytes of the same site, in the same block. */
int counting_has_bytes(uint32_t slot);
/* Returns whether the call at this sled has a slot of counting_led_slot(). */
int counting_is_led(uint32_t code);
/* direct.c: returns the slot of the counter that the call behind this sled leads to, its own or its
 * function's, or -1: it leads to none. */
int direct_slot(const char *sled_end);
/* Returns the code of the sled in this word that has a slot, or 0. */
uint32_t counting_sled(uint32_t code);
/* Has the slow path count calls at this sled, which has other actions, or not any more. Returns 0,
 * or -1: no room. Under the patch lock. */
int counting_by_hand(uint32_t code, int is_on);
/* Counts a call at such a sled, if they are counted. */
void counting_hand(struct thread *thread, uint32_t code);
/* Gives a recording thread counters of that block; its pointer stays NULL if there is no room. */
void counting_open(struct probe_state *probe, uint32_t block);
/* Takes the thread's counters away: its stubs take the slow path, and its segments are counted for
 * no thread. */
void counting_close(struct probe_state *probe);
/*
 * Maps private memory where the parent's thread had its counters, in a forked child that has
 * unmapped its parent's file: a handler that interrupted a stub may have forked. NULL: the thread
 * had none.
 */
void counting_hide(const struct thread *parents);
/* Counts one call without a stub: at a sled, or in a slot. */
void counting_add(struct thread *thread, uint32_t code);
void counting_add_slot(struct thread *thread, uint32_t slot);
/* Adds bytes that one of the calls at the sled allocates, if they are counted. */
void counting_add_bytes(struct thread *thread, uint32_t code, uint64_t bytes);
/* Has a call that will be counted in this slot, but has an event, too, count for its function
 * only. */
void counting_had_event(struct thread *thread, uint32_t slot);
/* Returns the calls that the thread has counted, of all sleds. In this thread. */
uint64_t counting_of_thread(const struct thread *thread);
/* Returns the counted calls at this sled, summed over the threads in the list. */
uint64_t counting_sum(uint32_t code);

/* segments.c: executed instructions */
/* Switches on the counters of a new module. Under the lock. */
void segments_module(struct module *module);
/* Determines what the module's counters add to sums of executed instructions, before its thunks are
 * made; segments_expected() discards that after segments_module(). */
void segments_expect(const struct module *module);
void segments_expected(const struct module *module);
/* Returns the instructions that the thread has executed so far, plus SUM_FIRST. */
uint64_t segments_sum(const struct thread *thread);
/* segment_sums.c: returns what each of the module's *n counters adds, to be unmapped by the caller;
 * NULL: nothing, or no memory. *flags: enum cinstr_call_sums_flag */
int32_t *segment_sums_make(const struct module *module, uint32_t *n, uint32_t *flags);
/* Switches the module's counters off. Under the lock, text writable. */
void segments_off(const struct module *module);
int segments_are_counted(const struct module *module);
/* Gives a recording thread counters of its own, until counting_close(). */
void segments_open(struct thread *thread);
/* As counting_hide(). */
void segments_hide(const struct thread *parents);
/* Writes the counted modules to the new file of a forked child. */
void segments_forked(void);
/* Writes the counts that belong to no thread to the file, at the end of the process. */
void segments_end(void);

/* counting_phases.c: writes the counts before this phase, which a mark has just begun, to the data
 * file. */
void counting_phase(uint32_t phase);
/* Writes a range of the recording's own code to the data file. kind: enum
 * cinstr_probe_code_kind. */
void counting_code(const char *start, const char *end, uint32_t kind);
/* Returns 1 if calls may be counted, or samples may lie in the recording's own code; else 0. */
int counting_is_on(void);
/* Sets cinstr.is_traced if the process is traced, most likely by a debugger. Opens a file: called
 * in a task apart. */
void counting_look_for_tracer(void);
/* Writes the range of the runtime's own code to the data file, once that is made. */
void counting_begin(void);
void counting_forked(void);
void counting_phases_forked(void);

/* budget.c. Only if cinstr.budget is not NULL: */
void budget_fold(struct thread *thread, size_t n, uint64_t began);
uint64_t budget_clock(void);
int budget_wants_fold(const struct thread *thread, uint64_t now);
/* At any time: */
void budget_begin(void);
void budget_begin_thread(struct thread *thread);
void budget_forked(void);

#endif
