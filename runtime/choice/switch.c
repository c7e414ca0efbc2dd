/* SPDX-License-Identifier: MIT */
/*
 * switch.c - patches sleds by the rules (rules.c), function by function, when a module is loaded
 * and, while all threads run, when the rules change.
 *
 * Under the lock of patch.c. Events from before a switch may lack their counterparts: the fold
 * expects that from the first switch on (cinstr.switches, stored before the first sled changes).
 */
#include <errno.h>
#include <linux/membarrier.h>

#include "budget.h"
#include "sled.h"
#include "tables.h"

#ifndef MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ /* older headers */
#define MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ (1 << 7)
#endif

/* Returns whether the sled at hand has no event because of the limit on overhead. What a choice
 * leaves out goes on: its place on the stack tells whether it is there (control.c). */
static int is_taken_out(const struct sled_walk *at, uint32_t kind)
{
	return !at->is_event && at->selected && rules_want(at->choice, kind & 7);
}

static void switch_sled(struct sled_walk *at, char *sled, uint32_t kind, const char *thunk)
{
	int was_on = !at->fresh && patch_is_on(sled);

	if (was_on && is_taken_out(at, kind))
		lost_note(kind, code_of(at->module, sled) >> 3);
	if (thunk && patch_on(at->module->thunks, sled, thunk))
		at->module->patched += !was_on;
	else if (thunk)
		at->module->refused++;
	else if (was_on && patch_off(at->module->thunks, sled))
		at->module->patched--;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* At the record that begins a function; ENTRY stands behind it. */
static uint32_t func_of(const struct module *module, const struct cinstr_abi_table *table,
			const struct cinstr_abi_record *record)
{
	const struct cinstr_abi_record *entry = record + 1;

	if (entry == table_records(table) + table->n_records ||
	    CINSTR_REC_KIND(entry->info) != CINSTR_REC_ENTRY)
		return 0;
	return code_of(module, table_entry(module, entry)) | CINSTR_EV_ENTER;
}

static void begin_function(struct sled_walk *at, const struct cinstr_abi_table *table,
			   const struct cinstr_abi_record *record)
{
	uint32_t func = func_of(at->module, table, record);

	at->skip_after = at->is_stream = at->is_waiting = 0;
	at->lock = CINSTR_LOCK_NOT;
	at->subject.function = table_string(at->module, table, CINSTR_REC_PAYLOAD(record->info));
	at->subject.file = func ? table_string(at->module, table, CINSTR_REC_PAYLOAD(record[1].info)) : "";
	at->subject.folder = table_text(at->module, &table->comp_dir);
	at->selected = rules_select(at->choice, &at->subject);
	at->level = func - at->module->code_base < at->module->code_bytes ? kept_level_of(func) : BUDGET_ALL;
	if (at->level == BUDGET_COUNT)
		at->slot = (uint32_t)counting_slot(func);
}

/* Switches the sled, and then where the call behind it leads: so each call has an event, or is
 * counted by its sled, or where it leads. A call that another thread makes between the two stores,
 * or between the sled and the call, may be seen by both, or by its function only. */
static void switch_record(struct sled_walk *at, const struct cinstr_abi_table *table,
			  const struct cinstr_abi_record *record)
{
	char *sled = table_sled(at->module, table, record);

	switch_sled(at, sled, CINSTR_REC_KIND(record->info), sled_thunk(at, table, record));
	if (cinstr.sites.counted)
		direct_call(at->module, sled, record->info, at->led);
}

/* Of calls that lead to a counter the function is counted, too: so functions are counted before
 * such calls are switched, and timed again behind them. */
enum part { COUNTED_ENTRIES, CALLS, OTHER_ENTRIES, PARTS };

static enum part part_of(const struct sled_walk *at, uint32_t kind)
{
	return kind != CINSTR_REC_ENTER ? CALLS : at->level == BUDGET_COUNT ? COUNTED_ENTRIES : OTHER_ENTRIES;
}

static void switch_records(struct sled_walk *at, const struct cinstr_abi_table *table,
			   const struct cinstr_abi_record *record, const struct cinstr_abi_record *end)
{
	for (; record < end; record++) {
		uint32_t kind = CINSTR_REC_KIND(record->info);

		if (kind == CINSTR_REC_FUNCTION)
			begin_function(at, table, record);
		if (kind > 8 && part_of(at, kind) == at->part)
			switch_record(at, table, record);
	}
}

/* ---- modules --------------------------------------------------------------------------------- */

static void switch_table(struct module *module, const struct cinstr_abi_table *table, void *data)
{
	const struct cinstr_abi_record *records = table_records(table);

	(void)module;
	switch_records(data, table, records, records + table->n_records);
}

static struct sled_walk begin_switching(struct module *module)
{
	return (struct sled_walk){
		.module = module,
		.choice = rules_choice,
		.subject = { .module = module_path(module) },
		.selected = 1,
		.level = BUDGET_ALL,
	};
}

/* 0 or -errno: its text cannot be written. */
static int switch_whole(struct module *module, int fresh)
{
	struct sled_walk at = begin_switching(module);
	int error = patch_begin(module, 0, UINT64_MAX);

	if (error)
		return error;
	at.fresh = fresh;
	module->refused = 0;
	cinstr.any_on = 1;
	cinstr.switching = 1;
	for (at.part = 0; at.part < PARTS; at.part++)
		each_table(module, switch_table, &at);
	cinstr.switching = 0;
	thunks_ready(module->thunks);
	patch_end(module, 0, UINT64_MAX);
	return 0;
}

void switch_module(struct module *module)
{
	/* a region in it has had all modules switched before (choices_heed) */
	int error = module->loaded && module->thunks ? switch_whole(module, !module->patched) : 0;

	names_module(module);
	if (!error)
		return;
	module->refused = module->sleds;
	patch_say_refused(-error);
}

/* Under the lock. The first error, if nothing at all could be written. */
static int switch_modules(void)
{
	int error = 0, done = 0;

	for (unsigned i = 0; i < cinstr.n_modules; i++) {
		struct module *module = &cinstr.modules[i];
		int result;

		if (!module->loaded || !module->thunks || !atomic_load_acquire(&module->entry_offset))
			continue;
		result = switch_whole(module, 0);
		done += !result;
		error = error ? error : result;
		if (!result)
			module_tell(module, 0);
	}
	patch_sync();
	return done ? 0 : error;
}

void switch_again(void)
{
	uint64_t old;

	patch_lock(&old);
	if (cinstr.state == RUNTIME_ON)
		switch_modules();
	patch_unlock(old);
}

void switch_finish(void)
{
	uint64_t old;

	patch_lock(&old);
	for (unsigned i = 0; i < cinstr.n_modules; i++)
		if (cinstr.modules[i].entry_offset)
			module_tell(&cinstr.modules[i], 1);
	patch_unlock(old);
}

/* From here on events may lack their other half. */
static void begin_missing(void)
{
	atomic_add(&cinstr.switches, 1);
	cinstr.lost_ticks[cinstr.switches % SWITCHES_KEPT] = clock_now();
	names_begin();
	atomic_store_release(&cinstr.header->switches, cinstr.switches); /* reader */
}

/* Threads look at their stack at their next event. Those that run now, too: the kernel disarms
 * their probes. */
static void end_missing(void)
{
	atomic_store_release(&cinstr.switches_done, cinstr.switches); /* slow.c, thread.c */
	if (cinstr.restartable)
		SYS3(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ, 0, 0);
}

static int take_lock(uint64_t *old)
{
	if (cinstr_probe.busy)
		return patch_try_lock(old);
	patch_lock(old);
	return 1;
}

int choose_apply(const char *rules)
{
	const struct choice *choice;
	uint64_t old;
	int error = -ENODEV; /* nothing is recorded */

	if (cinstr.state != RUNTIME_ON)
		return -ENODEV;
	if (!take_lock(&old))
		return -EBUSY;
	choice = rules_read(rules);
	if (choice && cinstr.state == RUNTIME_ON) {
		rules_take(choice);
		begin_missing();
		error = switch_modules();
		end_missing();
		/* Threads that skip probes because they are too deep (depth.c) look at this. */
		atomic_add(&control_block()->epoch, 1);
	}
	patch_unlock(old);
	if (!choice)
		return -EINVAL;
	if (cinstr.state == RUNTIME_ON)
		mark_add(CINSTR_MARK_CHOICE, clock_now(), 0, 0, rules);
	return error;
}

/* ---- some functions -------------------------------------------------------------------------- */

/* One group of records: from a FUNCTION up to the next. */
struct group {
	const struct cinstr_abi_table *table;
	const struct cinstr_abi_record *from, *to;
};

/* Functions of one module whose levels change, and what depends on them: the functions that call
 * one by its name, if it is counted before or then. */
struct changes {
	void (*visit)(struct changes *, const struct group *); /* each_group() */
	struct sled_walk at;
	struct switch_change *list;
	unsigned n;
	const char *names[SWITCH_CHANGES_MAX]; /* NULL: of another module, or not found */
	/* something is done where it is entered */
	uint8_t is_fixed[SWITCH_CHANGES_MAX];
	uint8_t with_callers[SWITCH_CHANGES_MAX];
	uint64_t called; /* bits by name_bit() of names with callers */
};

static uint64_t name_bit(const char *name)
{
	return 1ull << ((uint64_t)name * 0x9e3779b97f4a7c15ull >> 58);
}

/* Its number in the list; -1: it is not one of them. */
static int change_of(const struct changes *changes, const struct group *group)
{
	uint32_t func = func_of(changes->at.module, group->table, group->from);

	for (unsigned i = 0; i < changes->n; i++)
		if (changes->list[i].func == func)
			return (int)i;
	return -1;
}

static int is_called(const struct changes *changes, const char *name)
{
	for (unsigned i = 0; i < changes->n; i++)
		if (changes->with_callers[i] && changes->names[i] == name)
			return 1;
	return 0;
}

static int calls_one(const struct changes *changes, const struct group *group)
{
	for (const struct cinstr_abi_record *record = group->from; record < group->to; record++) {
		uint32_t kind = CINSTR_REC_KIND(record->info);
		const char *name =
			table_string(changes->at.module, group->table, CINSTR_REC_PAYLOAD(record->info));

		if ((kind == CINSTR_REC_BEFORE || kind == CINSTR_REC_TAIL) &&
		    changes->called & name_bit(name) && is_called(changes, name))
			return 1;
	}
	return 0;
}

/* Calls changes->visit for each group of a table. */
static void each_group(struct module *module, const struct cinstr_abi_table *table, void *data)
{
	const struct cinstr_abi_record *record = table_records(table), *end = record + table->n_records;
	struct changes *changes = data;

	(void)module;
	while (record < end) {
		const struct cinstr_abi_record *from = record++;

		while (record < end && CINSTR_REC_KIND(record->info) != CINSTR_REC_FUNCTION)
			record++;
		if (CINSTR_REC_KIND(from->info) == CINSTR_REC_FUNCTION)
			changes->visit(changes, &(struct group){ table, from, record });
	}
}

static void look_at_group(struct changes *changes, const struct group *group)
{
	int i = change_of(changes, group);

	if (i < 0)
		return;
	changes->names[i] =
		table_string(changes->at.module, group->table, CINSTR_REC_PAYLOAD(group->from->info));
	for (const struct cinstr_abi_record *record = group->from; record < group->to; record++)
		changes->is_fixed[i] |= CINSTR_REC_KIND(record->info) == CINSTR_REC_ENTER &&
					choices_has_action(record, group->to);
}

static void switch_group(struct changes *changes, const struct group *group)
{
	if (change_of(changes, group) >= 0 || (changes->called && calls_one(changes, group)))
		switch_records(&changes->at, group->table, group->from, group->to);
}

static int switch_groups(struct module *module, struct changes *changes)
{
	int error = patch_begin(module, 0, UINT64_MAX);

	if (error)
		return error;
	cinstr.any_on = 1;
	cinstr.switching = 1;
	changes->visit = switch_group;
	for (changes->at.part = 0; changes->at.part < PARTS; changes->at.part++)
		each_table(module, each_group, changes);
	cinstr.switching = 0;
	thunks_ready(module->thunks);
	patch_end(module, 0, UINT64_MAX);
	module_tell(module, 0);
	return 0;
}

/* 0 or -errno: it cannot be counted. */
static int may_count(struct module *module, uint32_t func, int is_fixed)
{
	int slot;

	if (is_fixed)
		return -EPERM;
	if (!module->loaded || !module->thunks)
		return -EBUSY;
	slot = counting_slot(func);
	return slot < 0 || !thunks_reserve_count(module->thunks, (uint32_t)slot) ? -ENOSPC : 0;
}

/* The function's new level, before its sleds follow. 0 or -errno. */
static int take_level(struct module *module, struct changes *changes, unsigned i)
{
	uint32_t func = changes->list[i].func;
	int level = changes->list[i].level, old = kept_level_of(func), error = 0;

	if (module->loaded && !changes->names[i])
		return -ENOENT;
	if (level == BUDGET_COUNT)
		error = may_count(module, func, changes->is_fixed[i]);
	if (!error && changes->names[i])
		error = names_set_counted(module, changes->names[i], level == BUDGET_COUNT);
	if (error)
		return error;
	kept_level_set(func, level);
	changes->with_callers[i] = (old == BUDGET_COUNT) != (level == BUDGET_COUNT);
	if (changes->with_callers[i] && changes->names[i])
		changes->called |= name_bit(changes->names[i]);
	return 0;
}

/* Under the lock: those functions of the list that are the module's. */
static void switch_levels(struct module *module, struct switch_change *list, unsigned n)
{
	struct changes changes = { look_at_group, .at = begin_switching(module), .list = list, .n = n };
	int error, any = 0;

	if (module->loaded)
		each_table(module, each_group, &changes);
	for (unsigned i = 0; i < n; i++) {
		if (list[i].func - module->code_base >= module->code_bytes)
			continue;
		list[i].error = take_level(module, &changes, i);
		any |= !list[i].error;
	}
	if (!any || !module->loaded || !module->thunks)
		return; /* when it comes back */
	error = switch_groups(module, &changes);
	for (unsigned i = 0; i < n; i++)
		if (list[i].func - module->code_base < module->code_bytes && !list[i].error)
			list[i].error = error;
}

void switch_functions(struct switch_change *list, unsigned n)
{
	uint64_t old;

	for (unsigned i = 0; i < n; i++)
		list[i].error = -EBUSY;
	if (!patch_try_lock(&old))
		return;
	if (cinstr.state == RUNTIME_ON) {
		begin_missing();
		for (unsigned i = 0; i < n; i++)
			list[i].error = -ENOENT;
		for (unsigned i = 0; i < cinstr.n_modules; i++)
			if (cinstr.modules[i].entry_offset)
				switch_levels(&cinstr.modules[i], list, n);
		patch_sync();
		end_missing();
	}
	patch_unlock(old);
}
