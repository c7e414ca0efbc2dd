/* SPDX-License-Identifier: MIT */
/*
 * sled.c - see sled.h. Decides by the function's choice and level, and by whether a call waits,
 * takes a lock, or is counted by its site.
 */
#include "sled.h"

#include "budget.h"
#include "tables.h"

/* ---- one sled -------------------------------------------------------------------------------- */

static int is_around_function(uint32_t kind)
{
	return kind == CINSTR_EV_ENTER || kind == CINSTR_EV_EXIT || kind == CINSTR_EV_TAIL ||
	       kind == CINSTR_EV_LANDING;
}

/* A call of what waits, or its end: timed where others are not. So is one that may make a task in
 * this memory: what is behind it tells which (tasks.c). */
static int is_waiting_call(struct sled_walk *at, const struct cinstr_abi_table *table,
			   const struct cinstr_abi_record *record)
{
	uint32_t kind = CINSTR_REC_KIND(record->info), flags = CINSTR_REC_FLAGS(record->info);
	int was_waiting = at->is_waiting;

	at->is_waiting = 0;
	if (kind != CINSTR_REC_AFTER)
		at->lock = kind == CINSTR_REC_BEFORE ? choices_lock(table, record) : CINSTR_LOCK_NOT;
	if (kind == CINSTR_REC_AFTER)
		return was_waiting;
	if (kind == CINSTR_REC_BEFORE)
		at->is_waiting = (CINSTR_SITE_CALLEE(flags) || at->lock ||
				  seccomp_concern(at->module, table, record) ||
				  choices_holds(at->module, table, record)) &&
				 !(flags & CINSTR_SITE_NORETURN) && !at->choice->depth;
	return at->is_waiting;
}

/*
 * Of a counted function there is left: that it is entered, and its calls of what waits. Where
 * levels of calls are counted (depth.c) it is left out.
 */
static int is_wanted_counted(struct sled_walk *at, const struct cinstr_abi_table *table,
			     const struct cinstr_abi_record *record)
{
	return is_waiting_call(at, table, record) ||
	       (CINSTR_REC_KIND(record->info) == CINSTR_REC_ENTER && !at->choice->depth);
}

static int is_wanted(struct sled_walk *at, const struct cinstr_abi_table *table,
		     const struct cinstr_abi_record *record)
{
	uint32_t kind = CINSTR_REC_KIND(record->info) & 7;

	if (!at->selected || !rules_want(at->choice, kind))
		return 0;
	switch (at->level) {
	case BUDGET_COUNT:
		return is_wanted_counted(at, table, record);
	case BUDGET_ENTRY:
		return is_around_function(kind) || is_waiting_call(at, table, record);
	default:
		return at->level == BUDGET_ALL;
	}
}

/* Returns the thunk that notes what a call reads or writes, for its BEFORE or AFTER; or NULL: it is
 * no such call, or there is nothing to note at this event. */
static const char *thunk_moving(struct sled_walk *at, const struct cinstr_abi_table *table,
				const struct cinstr_abi_record *record)
{
	uint32_t kind = CINSTR_REC_KIND(record->info);
	enum cinstr_amount_use use = at->moves;

	at->moves = kind == CINSTR_REC_BEFORE ? choices_moves(at->module, table, record) : CINSTR_AMOUNT_NONE;
	if (kind == CINSTR_REC_BEFORE)
		use = at->moves;
	else if (kind != CINSTR_REC_AFTER || CINSTR_REC_FLAGS(record->info) & CINSTR_SITE_KEEP)
		return NULL;
	if (!use || at->choice->depth)
		return NULL;
	return cinstr_amount_is_allocated(use) && held_is_on()
		       ? thunk_for_held(at->module->thunks, kind & 7, use)
		       : thunk_for_moves(at->module->thunks, kind & 7, use);
}

/* Of a call that has an event: the thunk that notes its object as well; NULL: it has none. */
static const char *thunk_noting(struct sled_walk *at, const struct cinstr_abi_table *table,
				const struct cinstr_abi_record *record)
{
	enum cinstr_object_use use = choices_object(at->module, table, record);
	const char *moving = thunk_moving(at, table, record);

	if (moving)
		return moving;
	if (choices_frees(at->module, table, record))
		return thunk_for_frees(at->module->thunks, CINSTR_REC_KIND(record->info) & 7, 0);
	if (!use || at->choice->depth || at->is_stream)
		return NULL;
	return thunk_for_object(at->module->thunks, CINSTR_REC_KIND(record->info) & 7, use);
}

/* Of a call without an event: the thunk that notes who gives an object; NULL: there is none. */
static const char *thunk_giving(const struct sled_walk *at, const struct cinstr_abi_table *table,
				const struct cinstr_abi_record *record)
{
	enum cinstr_object_use use = choices_object(at->module, table, record);

	return cinstr_object_is_given(use) && at->selected && at->level != BUDGET_NONE
		       ? thunk_for_give(at->module->thunks, use)
		       : NULL;
}

static const char *thunk_for(struct sled_walk *at, char *sled, uint32_t info)
{
	struct thunks *thunks = at->module->thunks;
	uint32_t kind = CINSTR_REC_KIND(info) & 7, flags = CINSTR_REC_FLAGS(info);
	enum thunk_way way = flags & CINSTR_SITE_KEEP ? THUNK_KEEP : THUNK_USUAL;
	const char *thunk = NULL;

	if (at->choice->depth && is_around_function(kind))
		way = THUNK_SLOW; /* depth.c counts them */
	if (kind == CINSTR_EV_BEFORE)
		at->is_stream = CINSTR_SITE_CALLEE(flags) == CINSTR_SITE_STREAM;
	if (at->is_stream && (kind == CINSTR_EV_BEFORE || kind == CINSTR_EV_AFTER)) {
		at->is_stream = kind == CINSTR_EV_BEFORE;
		if (way == THUNK_USUAL)
			return thunk_for_stream(thunks, kind);
		way = THUNK_SLOW; /* where r11 is live it tells nothing */
	} else if ((kind == CINSTR_EV_BEFORE || kind == CINSTR_EV_TAIL) &&
		   CINSTR_REC_PAYLOAD(info) == CINSTR_REC_NO_REF) {
		thunk = thunk_for_indirect(thunks, kind, way, (uint8_t *)sled + ARCH_SLED_BYTES);
		way = THUNK_SLOW;
	}
	return thunk ? thunk : thunk_address(thunks, kind, way, at->choice->functions_only);
}

/* ---- sleds of calls that are counted (CINSTR_COUNTS) ----------------------------------------- */

/* Is this the sled of a call that is recorded, as things are chosen, but for the level? */
static int is_chosen_call(const struct sled_walk *at, const struct cinstr_abi_table *table,
			  const struct cinstr_abi_record *record)
{
	uint32_t kind = CINSTR_REC_KIND(record->info);

	if (!cinstr.counts || !at->selected || at->choice->functions_only || at->choice->depth)
		return 0;
	if (cinstr.counts == COUNTS_LIBRARIES)
		return choices_calls_name(at->module, table, record->info);
	return (kind == CINSTR_REC_BEFORE || kind == CINSTR_REC_TAIL) &&
	       !choices_calls_small(at->module, table, record->info);
}

/* Such a sled without an event; a tail call's has one where it is an exit. */
static int counts_site(const struct sled_walk *at, const struct cinstr_abi_table *table,
		       const struct cinstr_abi_record *record)
{
	return (at->level == BUDGET_COUNT ||
		(CINSTR_REC_KIND(record->info) == CINSTR_REC_BEFORE && at->level != BUDGET_NONE)) &&
	       is_chosen_call(at, table, record);
}

static uint32_t code_at(const struct sled_walk *at, const char *sled, const struct cinstr_abi_record *record)
{
	return code_of(at->module, sled) | (CINSTR_REC_KIND(record->info) & 7);
}

/* Returns how the call allocates memory, or CINSTR_AMOUNT_NONE: it does not. */
static enum cinstr_amount_use allocates(const struct sled_walk *at, const struct cinstr_abi_table *table,
					const struct cinstr_abi_record *record)
{
	enum cinstr_amount_use use = CINSTR_REC_KIND(record->info) == CINSTR_REC_BEFORE
					     ? choices_moves(at->module, table, record)
					     : CINSTR_AMOUNT_NONE;

	return cinstr_amount_is_allocated(use) ? use : CINSTR_AMOUNT_NONE;
}

/* Returns the slot of a call site's counter, or -1: no room. */
static int slot_of_site(struct sled_walk *at, const struct cinstr_abi_table *table,
			const struct cinstr_abi_record *record)
{
	uint32_t code = code_at(at, table_sled(at->module, table, record), record);

	if (!counting_sled(code) && !thunks_can_count_site(at->module->thunks))
		return -1;
	return allocates(at, table, record) ? counting_site_slot(code) : counting_slot(code);
}

/* NULL: no room. Then it has no slot either, so that readers know what is not counted. */
static const char *thunk_for_site(struct sled_walk *at, const struct cinstr_abi_table *table,
				  const struct cinstr_abi_record *record)
{
	enum cinstr_object_use use = choices_object(at->module, table, record);
	enum cinstr_amount_use allocated = allocates(at, table, record);
	const char *thunk = NULL;
	int slot = slot_of_site(at, table, record);

	if (slot >= 0 && allocated && counting_has_bytes((uint32_t)slot))
		thunk = thunk_for_count_bytes(at->module->thunks, (uint32_t)slot, allocated);
	else if (slot >= 0 && cinstr_object_is_given(use))
		thunk = thunk_for_count_give(at->module->thunks, (uint32_t)slot, use);
	else if (slot >= 0)
		thunk = thunk_for_count(at->module->thunks, (uint32_t)slot,
					CINSTR_REC_FLAGS(record->info) & CINSTR_SITE_KEEP, NULL);
	return thunk;
}

/* Returns the counter of its own that a call without an event is to lead to, which counts for its
 * site and its function at once; or NULL: the call cannot lead there. */
static const char *led_to_counter(const struct sled_walk *at, const struct cinstr_abi_table *table,
				  const struct cinstr_abi_record *record)
{
	char *sled = table_sled(at->module, table, record);
	const char *entered = direct_counted(at->module, sled, record->info);
	uint32_t code = code_at(at, sled, record), func;
	int slot;

	if (!entered)
		return NULL;
	/* one that is about to be timed again is counted until calls of it have their events */
	func = code_of(at->module, entered - ARCH_SLED_BYTES) | CINSTR_EV_ENTER;
	if (kept_level_of(func) != BUDGET_COUNT ||
	    (!counting_is_led(code) && !thunks_can_count_site(at->module->thunks)))
		return NULL;
	slot = counting_led_slot(code, func);
	return slot >= 0 ? thunk_for_led(at->module->thunks, (uint32_t)slot, entered) : NULL;
}

/* At a function's begin the sled jumps, and the stub jumps back: that takes half as long. Elsewhere
 * who reads stacks needs the address that a call leaves there. */
static const char *thunk_for_entry(const struct sled_walk *at, const char *sled, uint32_t info)
{
	int keep = CINSTR_REC_FLAGS(info) & CINSTR_SITE_KEEP, jumps = !keep && !cinstr.is_traced;

	return thunk_for_count(at->module->thunks, at->slot, keep, jumps ? sled + ARCH_SLED_BYTES : NULL);
}

/* ---- what a sled calls ----------------------------------------------------------------------- */

/* Returns the stub by which the sled of a call without an event counts it, or NULL: the call leads
 * to a counter (at->led), or there is no room. */
static const char *thunk_of_site(struct sled_walk *at, const struct cinstr_abi_table *table,
				 const struct cinstr_abi_record *record)
{
	at->led = led_to_counter(at, table, record);
	return at->led ? NULL : thunk_for_site(at, table, record);
}

/* A call in a timed function of one that is counted. NULL: as thunk_of_site(), or nothing to
 * count. */
static const char *thunk_of_counted(struct sled_walk *at, const struct cinstr_abi_table *table,
				    const struct cinstr_abi_record *record)
{
	if (CINSTR_REC_KIND(record->info) != CINSTR_REC_BEFORE ||
	    !names_calls_counted(at->module, table, record->info) || !is_chosen_call(at, table, record))
		return NULL;
	return thunk_of_site(at, table, record);
}

static int has_no_event(const struct sled_walk *at, const struct cinstr_abi_table *table,
			const struct cinstr_abi_record *record)
{
	/* A tail call's stays, as it tells of both, the exit and the call; and so do, if all calls
	 * are counted, those for which there is no room. */
	return choices_calls_small(at->module, table, record->info) ||
	       (names_calls_counted(at->module, table, record->info) &&
		(!is_chosen_call(at, table, record) ||
		 (cinstr.counts != COUNTS_SITES && CINSTR_REC_KIND(record->info) == CINSTR_REC_BEFORE)));
}

/* Is it a call of a counted function that takes a lock, or its end? */
static int is_lock(const struct sled_walk *at, const struct cinstr_abi_record *record)
{
	uint32_t kind = CINSTR_REC_KIND(record->info);

	return at->lock && (kind == CINSTR_REC_BEFORE || kind == CINSTR_REC_AFTER);
}

/* At such a call, or its end. If the lock is free the call is counted, where calls by site are and
 * there is room; else it is timed. */
static const char *thunk_of_lock(struct sled_walk *at, const struct cinstr_abi_table *table,
				 const struct cinstr_abi_record *record)
{
	struct thunks *thunks = at->module->thunks;
	uint32_t kind = CINSTR_REC_KIND(record->info) & 7;
	int keep = (CINSTR_REC_FLAGS(record->info) & CINSTR_SITE_KEEP) != 0, slot = -1;
	const char *thunk = NULL;

	if (kind == CINSTR_EV_BEFORE && is_chosen_call(at, table, record))
		slot = slot_of_site(at, table, record);
	if (slot >= 0)
		thunk = thunk_for_count_lock(thunks, (uint32_t)slot, at->lock, keep);
	at->module->refused += slot >= 0 && !thunk;
	return thunk ? thunk : thunk_for_lock(thunks, kind, at->lock, keep);
}

/* What the sled of `record`, which is wanted, calls; NULL: a call that counts as its caller's time,
 * or is counted. */
static const char *thunk_of_wanted(struct sled_walk *at, const struct cinstr_abi_table *table,
				   const struct cinstr_abi_record *record)
{
	char *sled = table_sled(at->module, table, record);
	uint32_t kind = CINSTR_REC_KIND(record->info), info = record->info;
	const char *counting, *noting, *thunk;

	if (at->level == BUDGET_COUNT && kind == CINSTR_REC_ENTER)
		return thunk_for_entry(at, sled, info);
	counting = thunk_of_counted(at, table, record);
	if (counting || at->led || has_no_event(at, table, record)) {
		at->skip_after =
			kind == CINSTR_REC_BEFORE && !(CINSTR_REC_FLAGS(info) & CINSTR_SITE_NORETURN);
		if (kind == CINSTR_REC_BEFORE)
			return counting;
		info = (info & ~15u) |
		       CINSTR_REC_EXIT; /* the end of the tail call's caller is still an exit */
	} else if (kind == CINSTR_REC_AFTER && at->skip_after) {
		at->skip_after = 0;
		return NULL;
	}
	if (is_lock(at, record))
		return thunk_of_lock(at, table, record);
	thunk = thunk_for(at, sled, info);
	noting = info == record->info ? thunk_noting(at, table, record) : NULL;
	return noting ? noting : thunk;
}

/* Returns the thunk of a sled that has an action, or is before a call that concerns seccomp.c. A
 * syscall() with futex()'s number does not: it is left to the thunk that notes objects. */
static const char *thunk_acting(struct sled_walk *at, const struct cinstr_abi_table *table,
				const struct cinstr_abi_record *record, int wanted, int has_action)
{
	const char *noting = NULL;

	if (wanted && !has_action && seccomp_concern(at->module, table, record) == ACTION_SYSCALL)
		noting = thunk_noting(at, table, record);
	return noting ? noting
		      : thunk_for_action(at->module->thunks, CINSTR_REC_KIND(record->info) & 7, wanted);
}

/* Sleds with actions are there whatever is chosen: then for these alone. */
const char *sled_thunk(struct sled_walk *at, const struct cinstr_abi_table *table,
		       const struct cinstr_abi_record *record)
{
	uint32_t kind = CINSTR_REC_KIND(record->info) & 7;
	char *sled = table_sled(at->module, table, record);
	int wanted = is_wanted(at, table, record);
	int counts = !wanted && counts_site(at, table, record);
	int has_action = at->module->n_actions + cinstr.has_regions &&
			 choices_has_action(record, table_records(table) + table->n_records);
	const char *thunk;
	/* a held block may be freed where nothing is recorded */
	int frees = !wanted && choices_frees(at->module, table, record);

	at->led = NULL;
	at->is_event = wanted && !(at->level == BUDGET_COUNT && kind == CINSTR_EV_ENTER);
	if (has_action || frees || seccomp_concern(at->module, table, record)) {
		if (cinstr.counts && counting_by_hand(code_at(at, sled, record), counts))
			at->module->refused++;
		return frees && !has_action ? thunk_for_frees(at->module->thunks, kind, 1)
					    : thunk_acting(at, table, record, wanted, has_action);
	}
	if (counts) {
		thunk = thunk_of_site(at, table, record);
		at->module->refused += !thunk && !at->led;
		return thunk || at->led ? thunk : thunk_giving(at, table, record);
	}
	thunk = wanted ? thunk_of_wanted(at, table, record) : NULL;
	/* of a call that is recorded in any case the end is not, from here on, behind a lock */
	at->is_event &= thunk && (!is_lock(at, record) || patch_leads_to(sled, thunk));
	return wanted ? thunk : thunk_giving(at, table, record);
}
