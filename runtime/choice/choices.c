/* SPDX-License-Identifier: MIT */
/*
 * choices.c - the choices made when a module was compiled: actions at sleds (performed by
 * control.c), and functions left out as small, whose calls are not probed.
 *
 * Filled in the constructor of the module; read by patching (switch.c) and, lock-free, by the slow
 * path of any thread.
 */
#include "tables.h"

/* Functions in cinstr/amounts.h that allocate and that the program defines, with probes: by their
 * number there. What these call tells. */
static uint8_t own_allocators[sizeof(cinstr_amount_calls) / sizeof(*cinstr_amount_calls)];

/* Returns the number of the function with this name if it allocates, or -1. */
static int allocator_of(const char *name)
{
	const struct cinstr_amount_call *call;

	/* of most functions in C++ that is enough */
	if (name[0] == '_' && name[1] == 'Z' && name[2] != 'n')
		return -1;
	call = (const struct cinstr_amount_call *)CINSTR_NAMES_FIND(cinstr_amount_calls, name);
	return call && cinstr_amount_is_allocated(call->use) ? (int)(call - cinstr_amount_calls) : -1;
}

static int has_alignment(const char *name)
{
	while (*name && *name != 'S') /* _ZnwmSt11align_val_t, _ZnwmRKSt9nothrow_t */
		name++;
	return *name && name[1] == 't' && name[2] == '1';
}

/* The library's other forms of operator new call the one for single objects, with or without an
 * alignment, that the program may define. */
static void note_own_new(const char *name)
{
	for (size_t i = 0; i < sizeof(own_allocators); i++) {
		const char *other = cinstr_amount_calls[i].name;

		if (other[1] == 'Z' && has_alignment(other) == has_alignment(name))
			own_allocators[i] = 1;
	}
}

static void note_allocator(const struct module *module, const struct cinstr_abi_table *table,
			   const struct cinstr_abi_record *record)
{
	int number = -1;

	if (CINSTR_REC_KIND(record->info) == CINSTR_REC_FUNCTION &&
	    !(CINSTR_REC_FLAGS(record->info) & CINSTR_FUNCTION_LOCAL))
		number = allocator_of(table_string(module, table, CINSTR_REC_PAYLOAD(record->info)));
	if (number < 0)
		return;
	own_allocators[number] = 1;
	if (string_equal(cinstr_amount_calls[number].name, "_Znwm") ||
	    string_equal(cinstr_amount_calls[number].name, "_ZnwmSt11align_val_t"))
		note_own_new(cinstr_amount_calls[number].name);
}

static void count_choices(struct module *module, const struct cinstr_abi_table *table, void *data)
{
	uint32_t *n_small = data;

	for (uint32_t i = 0; i < table->n_records; i++) {
		const struct cinstr_abi_record *record = table_records(table) + i;
		uint32_t kind = CINSTR_REC_KIND(record->info);

		note_allocator(module, table, record);
		module->n_actions += kind == CINSTR_REC_ACTION || seccomp_concern(module, table, record);
		*n_small += kind == CINSTR_REC_LEFT_OUT && record->offset == CINSTR_LEFT_OUT_SMALL;
	}
}

static void insert_action(struct module *module, struct action action)
{
	uint32_t i = module->n_actions++;

	for (; i > 0 && module->actions[i - 1].code > action.code; i--)
		module->actions[i] = module->actions[i - 1];
	module->actions[i] = action;
}

static void collect_choices(struct module *module, const struct cinstr_abi_table *table, void *data)
{
	uint32_t code = 0;

	(void)data;
	for (uint32_t i = 0; i < table->n_records; i++) {
		const struct cinstr_abi_record *record = table_records(table) + i;
		uint32_t kind = CINSTR_REC_KIND(record->info), payload = CINSTR_REC_PAYLOAD(record->info);
		const char *string = table_string(module, table, payload);
		uint64_t at = (uint64_t)string - module->strings_start;
		uint32_t concern = seccomp_concern(module, table, record);

		if (kind > 8)
			code = code_of(module, table_sled(module, table, record));
		if (concern && module->actions)
			insert_action(module, (struct action){ code, concern, string });
		if (kind == CINSTR_REC_ACTION && module->actions)
			insert_action(module, (struct action){ code, record->offset, string });
		/* By name: only global functions. Who calls a local one knows already that it has
		 * no probes. */
		if (kind == CINSTR_REC_LEFT_OUT && record->offset == CINSTR_LEFT_OUT_SMALL && module->small &&
		    !(CINSTR_REC_FLAGS(record->info) &
		      (CINSTR_FUNCTION_LOCAL | CINSTR_FUNCTION_REPLACEABLE)) &&
		    at < module->strings_end - module->strings_start)
			module->small[at >> 3] |= (uint8_t)(1u << (at & 7));
	}
}

static void *memory_or_null(size_t bytes)
{
	void *memory = sys_memory(bytes);

	return sys_failed(memory) ? NULL : memory;
}

static int has_bit(const struct module *module, const uint8_t *bits, uint64_t at)
{
	return at < module->strings_end - module->strings_start && bits[at >> 3] >> (at & 7) & 1;
}

static void count_named_calls(struct module *module, const struct cinstr_abi_table *table, void *data)
{
	(void)data;
	for (uint32_t i = 0; i < table->n_records; i++)
		module->named_calls +=
			(uint32_t)choices_calls_name(module, table, table_records(table)[i].info);
}

void choices_find(struct module *module)
{
	uint32_t n_actions, n_small = 0;

	each_table(module, count_choices, &n_small);
	n_actions = module->n_actions;
	module->n_actions = 0;
	if (n_actions)
		module->actions = memory_or_null(n_actions * sizeof(*module->actions));
	if (n_small)
		module->small = memory_or_null((module->strings_end - module->strings_start) / 8 + 1);
	if (n_actions || n_small)
		each_table(module, collect_choices, NULL);
	if (cinstr.counts)
		each_table(module, count_named_calls, NULL);
}

void choices_heed(const struct module *module)
{
	int had_regions = cinstr.has_regions;

	for (uint32_t i = 0; i < module->n_actions; i++) {
		uint32_t action = module->actions[i].action;

		cinstr.has_regions |=
			action == CINSTR_ACTION_REGION_BEGIN || action == CINSTR_ACTION_QUIET_BEGIN;
		if (action == CINSTR_ACTION_START || action == CINSTR_ACTION_REGION_BEGIN)
			control_starts_off();
	}
	if (cinstr.has_regions && !had_regions)
		switch_again(); /* from now on landings check whether a region was left */
}

struct module *module_of_code(uint32_t code)
{
	unsigned n = atomic_load_acquire(&cinstr.n_modules);

	for (unsigned i = 0; i < n; i++)
		if (code - cinstr.modules[i].code_base < cinstr.modules[i].code_bytes)
			return &cinstr.modules[i];
	return NULL;
}

const struct action *module_actions(uint32_t code)
{
	const struct module *module = module_of_code(code);
	uint32_t low = 0, high = module ? module->n_actions : 0;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (module->actions[middle].code < CINSTR_CODE_WORD(code))
			low = middle + 1;
		else
			high = middle;
	}
	return module && low < module->n_actions && module->actions[low].code == CINSTR_CODE_WORD(code)
		       ? &module->actions[low]
		       : NULL;
}

uint64_t module_address(uint32_t code)
{
	const struct module *module = module_of_code(code);

	return module && module->loaded
		       ? (module->text_start & ~7ull) + (CINSTR_CODE_WORD(code) - module->code_base)
		       : 0;
}

int choices_has_action(const struct cinstr_abi_record *sled, const struct cinstr_abi_record *end)
{
	const struct cinstr_abi_record *next = sled + 1;

	if (cinstr.has_regions && CINSTR_REC_KIND(sled->info) == CINSTR_REC_LANDING)
		return 1;
	while (next < end && (CINSTR_REC_KIND(next->info) == CINSTR_REC_LINE ||
			      CINSTR_REC_KIND(next->info) == CINSTR_REC_INLINED))
		next++;
	return next < end && CINSTR_REC_KIND(next->info) == CINSTR_REC_ACTION;
}

/* Returns the AFTER of a BEFORE; NULL: it has none. */
static const struct cinstr_abi_record *after_of(const struct cinstr_abi_table *table,
						const struct cinstr_abi_record *before)
{
	const struct cinstr_abi_record *after = before + 1, *end = table_records(table) + table->n_records;

	while (after < end && CINSTR_REC_KIND(after->info) == CINSTR_REC_LINE)
		after++;
	return after < end && CINSTR_REC_KIND(after->info) == CINSTR_REC_AFTER ? after : NULL;
}

enum cinstr_abi_lock choices_lock(const struct cinstr_abi_table *table,
				  const struct cinstr_abi_record *before)
{
	const struct cinstr_abi_record *after = after_of(table, before);
	unsigned lock = after ? CINSTR_AFTER_LOCK(CINSTR_REC_FLAGS(after->info)) : CINSTR_LOCK_NOT;

	if (!lock || lock >= CINSTR_LOCK_OBJECT || cinstr.counts == COUNTS_SITES ||
	    cinstr.clock != CINSTR_CLOCK_TSC ||
	    choices_has_action(after, table_records(table) + table->n_records))
		return CINSTR_LOCK_NOT;
	return (enum cinstr_abi_lock)lock;
}

enum cinstr_object_use choices_object(const struct module *module, const struct cinstr_abi_table *table,
				      const struct cinstr_abi_record *record)
{
	uint32_t kind = CINSTR_REC_KIND(record->info), flags = CINSTR_REC_FLAGS(record->info);
	const struct cinstr_abi_record *after = kind == CINSTR_REC_BEFORE ? after_of(table, record) : NULL;
	const struct cinstr_object_call *call;

	if (!(after ? CINSTR_AFTER_LOCK(CINSTR_REC_FLAGS(after->info))
		    : kind == CINSTR_REC_TAIL && flags & CINSTR_SITE_OBJECT) ||
	    CINSTR_REC_PAYLOAD(record->info) == CINSTR_REC_NO_REF || flags & CINSTR_SITE_KEEP ||
	    cinstr.clock != CINSTR_CLOCK_TSC)
		return CINSTR_OBJECT_NONE;
	call = cinstr_object_call_of(table_string(module, table, CINSTR_REC_PAYLOAD(record->info)));
	return call ? call->use : CINSTR_OBJECT_NONE;
}

enum cinstr_amount_use choices_moves(const struct module *module, const struct cinstr_abi_table *table,
				     const struct cinstr_abi_record *before)
{
	const struct cinstr_abi_record *after = after_of(table, before);
	const char *name;
	int number;

	if (!after || CINSTR_AFTER_LOCK(CINSTR_REC_FLAGS(after->info)) != CINSTR_LOCK_AMOUNT ||
	    CINSTR_REC_FLAGS(before->info) & CINSTR_SITE_KEEP ||
	    CINSTR_REC_PAYLOAD(before->info) == CINSTR_REC_NO_REF || cinstr.clock != CINSTR_CLOCK_TSC)
		return CINSTR_AMOUNT_NONE;
	name = table_string(module, table, CINSTR_REC_PAYLOAD(before->info));
	number = allocator_of(name);
	return number >= 0 && own_allocators[number] ? CINSTR_AMOUNT_NONE : cinstr_amount_use_of(name);
}

/* Returns whether a call by name is recorded by the sled, and sets `at` to the name's place. */
static int names_callee(const struct module *module, const struct cinstr_abi_table *table, uint32_t info,
			uint64_t *at)
{
	uint32_t kind = CINSTR_REC_KIND(info);

	if ((kind != CINSTR_REC_BEFORE && kind != CINSTR_REC_TAIL) ||
	    CINSTR_REC_PAYLOAD(info) == CINSTR_REC_NO_REF)
		return 0;
	*at = (uint64_t)table_string(module, table, CINSTR_REC_PAYLOAD(info)) - module->strings_start;
	return 1;
}

int choices_calls_small(const struct module *module, const struct cinstr_abi_table *table, uint32_t info)
{
	uint64_t at;

	return module->small && names_callee(module, table, info, &at) && has_bit(module, module->small, at);
}

int choices_calls_name(const struct module *module, const struct cinstr_abi_table *table, uint32_t info)
{
	uint64_t at;

	return names_callee(module, table, info, &at) && !choices_calls_small(module, table, info);
}

int choices_frees(const struct module *module, const struct cinstr_abi_table *table,
		  const struct cinstr_abi_record *record)
{
	uint64_t at;

	return held_is_on() && names_callee(module, table, record->info, &at) &&
	       cinstr_held_is_freed(table_string(module, table, CINSTR_REC_PAYLOAD(record->info)));
}

int choices_holds(const struct module *module, const struct cinstr_abi_table *table,
		  const struct cinstr_abi_record *record)
{
	return held_is_on() && (choices_frees(module, table, record) ||
				cinstr_amount_is_allocated(choices_moves(module, table, record)));
}
