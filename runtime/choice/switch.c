/* SPDX-License-Identifier: MIT */
/*
 * switch.c - which sleds are patched, and to what: as the rules say (rules.c), function by
 * function, when a module comes and, while all threads run, when somebody chooses anew.
 *
 * Under the lock of patch.c. Events that threads have begun before a switch may lack their other
 * half: the fold bears that from the first switch on (cinstr.switches, stored before the first sled
 * changes).
 */
#include <errno.h>
#include <linux/membarrier.h>

#include "rules.h"
#include "tables.h"

#ifndef MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ /* older headers */
#define MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ (1 << 7)
#endif

/* parts of a function: hot and cold; more, if the linker has folded identical functions */
#define GROUPS_MAX 8

/* A walk over sleds. */
struct switching {
	struct module *module;
	const struct choice *choice;
	struct rules_subject subject;
	int fresh;	/* nothing is patched yet */
	int selected;	/* the function at hand */
	int level;	/* the same */
	int skip_after; /* the before of this after is not wanted */
	/* the before was one of a call that may enter the kernel: so is its after */
	int is_stream;
};

/* ---- levels of functions --------------------------------------------------------------------- */

static int level_of(uint32_t func)
{
	return 2 - (cinstr.demoted[func >> 5] >> (func >> 2 & 6) & 3);
}

static void set_level(uint32_t func, int level)
{
	uint8_t *byte = &cinstr.demoted[func >> 5];
	unsigned shift = func >> 2 & 6;

	*byte = (uint8_t)((*byte & ~(3u << shift)) | (unsigned)(2 - level) << shift);
}

/* ---- one sled -------------------------------------------------------------------------------- */

static int is_around_function(uint32_t kind)
{
	return kind == CINSTR_EV_ENTER || kind == CINSTR_EV_EXIT || kind == CINSTR_EV_TAIL ||
	       kind == CINSTR_EV_LANDING;
}

static int is_wanted(const struct switching *at, uint32_t kind)
{
	return at->selected && at->level && (at->level == 2 || is_around_function(kind)) &&
	       rules_want(at->choice, kind);
}

static const char *thunk_for(struct switching *at, char *sled, uint32_t info)
{
	struct thunks *thunks = at->module->thunks;
	uint32_t kind = CINSTR_REC_KIND(info) & 7;
	int keep = (CINSTR_REC_FLAGS(info) & CINSTR_SITE_KEEP) != 0 ||
		   (at->choice->depth && is_around_function(kind)); /* depth.c counts them */
	int indirect = (kind == CINSTR_EV_BEFORE || kind == CINSTR_EV_TAIL) &&
		       CINSTR_REC_PAYLOAD(info) == CINSTR_REC_NO_REF;
	const char *thunk = NULL;

	if (kind == CINSTR_EV_BEFORE)
		at->is_stream = !keep && (CINSTR_REC_FLAGS(info) & CINSTR_SITE_STREAM) != 0;
	if (at->is_stream && (kind == CINSTR_EV_BEFORE || kind == CINSTR_EV_AFTER)) {
		at->is_stream = kind == CINSTR_EV_BEFORE;
		return thunk_for_stream(thunks, kind);
	}
	if (indirect && !keep && cinstr.clock == CINSTR_CLOCK_TSC)
		thunk = thunk_for_indirect(thunks, kind, (uint8_t *)sled + ARCH_SLED_BYTES);
	return thunk ? thunk : thunk_address(thunks, kind, keep || indirect, at->choice->functions_only);
}

/* What the sled of `record`, which is wanted, calls; NULL: a call that counts as its caller's
 * time. */
static const char *thunk_of_wanted(struct switching *at, const struct cinstr_abi_table *table,
				   const struct cinstr_abi_record *record)
{
	char *sled = table_anchor(table) + (int32_t)record->offset;
	uint32_t kind = CINSTR_REC_KIND(record->info), info = record->info;

	if (choices_calls_small(at->module, table, info)) {
		at->skip_after =
			kind == CINSTR_REC_BEFORE && !(CINSTR_REC_FLAGS(info) & CINSTR_SITE_NORETURN);
		if (kind == CINSTR_REC_BEFORE)
			return NULL;
		info = (info & ~15u) |
		       CINSTR_REC_EXIT; /* the end of the tail call's caller is still an exit */
	} else if (kind == CINSTR_REC_AFTER && at->skip_after) {
		at->skip_after = 0;
		return NULL;
	}
	return thunk_for(at, sled, info);
}

/* Sleds with actions are there whatever is chosen: then for these alone. */
static const char *thunk_of(struct switching *at, const struct cinstr_abi_table *table,
			    const struct cinstr_abi_record *record)
{
	uint32_t kind = CINSTR_REC_KIND(record->info) & 7;
	int wanted = is_wanted(at, kind);

	if ((at->module->n_actions + cinstr.has_regions &&
	     choices_has_action(record, table_records(table) + table->n_records)) ||
	    seccomp_concern(table, record))
		return thunk_for_action(at->module->thunks, kind, wanted);
	return wanted ? thunk_of_wanted(at, table, record) : NULL;
}

static void switch_sled(struct switching *at, char *sled, const char *thunk)
{
	int was_on = !at->fresh && patch_is_on(sled);

	if (thunk && patch_on(sled, thunk))
		at->module->patched += !was_on;
	else if (thunk)
		at->module->refused++;
	else if (was_on && patch_off(sled))
		at->module->patched--;
}

/* ---- functions ------------------------------------------------------------------------------- */

static const char *string_at(const cinstr_abi_ref *field)
{
	return *field ? (const char *)field + *field : "";
}

/* At the record that begins a function; ENTRY stands behind it. */
static uint32_t func_of(const struct module *module, const struct cinstr_abi_table *table,
			const struct cinstr_abi_record *record)
{
	const struct cinstr_abi_record *entry = record + 1;

	if (entry == table_records(table) + table->n_records ||
	    CINSTR_REC_KIND(entry->info) != CINSTR_REC_ENTRY)
		return 0;
	return code_of(module, (const char *)&entry->offset + (int32_t)entry->offset) | CINSTR_EV_ENTER;
}

static void begin_function(struct switching *at, const struct cinstr_abi_table *table,
			   const struct cinstr_abi_record *record)
{
	uint32_t func = func_of(at->module, table, record);

	at->skip_after = at->is_stream = 0;
	at->subject.function = table_string(table, CINSTR_REC_PAYLOAD(record->info));
	at->subject.file = func ? table_string(table, CINSTR_REC_PAYLOAD(record[1].info)) : "";
	at->subject.folder = string_at(&table->comp_dir);
	at->selected = rules_select(at->choice, &at->subject);
	at->level = func - at->module->code_base < at->module->code_bytes ? level_of(func) : 2;
}

static void switch_records(struct switching *at, const struct cinstr_abi_table *table,
			   const struct cinstr_abi_record *record, const struct cinstr_abi_record *end)
{
	for (; record < end; record++) {
		uint32_t kind = CINSTR_REC_KIND(record->info);

		if (kind == CINSTR_REC_FUNCTION)
			begin_function(at, table, record);
		if (kind > 8)
			switch_sled(at, table_anchor(table) + (int32_t)record->offset,
				    thunk_of(at, table, record));
	}
}

/* ---- modules --------------------------------------------------------------------------------- */

static void switch_table(struct module *module, const struct cinstr_abi_table *table, void *data)
{
	const struct cinstr_abi_record *records = table_records(table);

	(void)module;
	switch_records(data, table, records, records + table->n_records);
}

static struct switching begin_switching(struct module *module)
{
	return (struct switching){
		.module = module,
		.choice = rules_choice,
		.subject = { .module = module_path(module) },
		.selected = 1,
		.level = 2,
	};
}

/* 0 or -errno: its text cannot be written. */
static int switch_whole(struct module *module, int fresh)
{
	struct switching at = begin_switching(module);
	int error = patch_begin(module, 0, UINT64_MAX);

	if (error)
		return error;
	at.fresh = fresh;
	module->refused = 0;
	cinstr.any_on = 1;
	cinstr.switching = 1;
	each_table(module, switch_table, &at);
	cinstr.switching = 0;
	thunks_ready(module->thunks);
	patch_end(module, 0, UINT64_MAX);
	return 0;
}

void switch_module(struct module *module)
{
	int error = module->loaded && module->thunks ? switch_whole(module, 1) : 0;

	if (!error)
		return;
	module->refused = module->sleds;
	cinstr_say("not recorded: the program's text cannot be written (hardened system?)", NULL, -error);
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

/* ---- one function ---------------------------------------------------------------------------- */

/* Where the function's records are, and its sleds. */
struct groups {
	uint32_t func;
	unsigned n;
	struct group {
		const struct cinstr_abi_table *table;
		const struct cinstr_abi_record *from, *to;
	} group[GROUPS_MAX];
	uint64_t low, high;
};

static void add_group(struct groups *groups, const struct cinstr_abi_table *table, uint32_t first)
{
	const struct cinstr_abi_record *record = table_records(table) + first, *from = record;
	const struct cinstr_abi_record *end = table_records(table) + table->n_records;

	if (groups->n == GROUPS_MAX)
		return;
	do {
		uint64_t sled = (uint64_t)table_anchor(table) + (uint64_t)(int64_t)(int32_t)record->offset;

		if (CINSTR_REC_KIND(record->info) > 8) {
			groups->low = min_of(groups->low, sled);
			groups->high = sled + 8 > groups->high ? sled + 8 : groups->high;
		}
		record++;
	} while (record < end && CINSTR_REC_KIND(record->info) != CINSTR_REC_FUNCTION);
	groups->group[groups->n++] = (struct group){ table, from, record };
}

static void find_groups(struct module *module, const struct cinstr_abi_table *table, void *data)
{
	struct groups *groups = data;

	for (uint32_t i = 0; i < table->n_records; i++) {
		const struct cinstr_abi_record *record = table_records(table) + i;

		if (CINSTR_REC_KIND(record->info) == CINSTR_REC_FUNCTION &&
		    func_of(module, table, record) == groups->func)
			add_group(groups, table, i);
	}
}

static int switch_groups(struct module *module, const struct groups *groups)
{
	struct switching at = begin_switching(module);
	int error = patch_begin(module, groups->low, groups->high);

	if (error)
		return error;
	cinstr.any_on = 1;
	cinstr.switching = 1;
	for (unsigned i = 0; i < groups->n; i++)
		switch_records(&at, groups->group[i].table, groups->group[i].from, groups->group[i].to);
	cinstr.switching = 0;
	thunks_ready(module->thunks);
	patch_end(module, groups->low, groups->high);
	patch_sync();
	module_tell(module, 0);
	return 0;
}

/* Under the lock. */
static int switch_level(uint32_t func, int level)
{
	struct groups groups = { .func = func, .low = UINT64_MAX };
	struct module *module = module_of_code(func);
	int error;

	if (!module || !module->entry_offset)
		return -ENOENT;
	if (module->loaded)
		each_table(module, find_groups, &groups);
	if (module->loaded && !groups.n)
		return -ENOENT;
	set_level(func, level);
	if (!groups.n || !module->thunks || groups.low >= groups.high)
		return 0; /* when it comes back */
	begin_missing();
	error = switch_groups(module, &groups);
	end_missing();
	return error;
}

int switch_function(uint32_t func, int level)
{
	uint64_t old;
	int error = -ENODEV;

	if (level < 0 || level > 2 || CINSTR_CODE_KIND(func) != CINSTR_EV_ENTER)
		return -EINVAL;
	if (!patch_try_lock(&old))
		return -EBUSY;
	if (cinstr.state == RUNTIME_ON)
		error = switch_level(func, level);
	patch_unlock(old);
	return error;
}
