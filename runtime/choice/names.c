/* SPDX-License-Identifier: MIT */
/*
 * names.c - the set of names of counted functions; and numbers for the names of functions and of
 * callees of tail calls, which the fold needs (fold_jumps_to()) once sleds are switched. Until then
 * the numbers take no memory.
 *
 * Under the lock of patch.c; folds of any thread read the numbers without it.
 */
#include <errno.h>

#include "tables.h"

/* ---- counted names --------------------------------------------------------------------------- */

static int is_in_strings(const struct module *module, const char *name)
{
	return (uint64_t)name - module->strings_start < module->strings_end - module->strings_start;
}

int names_set_counted(struct module *module, const char *name, int is_counted)
{
	uint64_t at = (uint64_t)name - module->strings_start;

	if (!is_in_strings(module, name) || (!is_counted && !module->counted))
		return 0;
	if (!module->counted) {
		void *memory = sys_memory((module->strings_end - module->strings_start) / 8 + 1);

		if (sys_failed(memory))
			return -ENOMEM;
		module->counted = memory;
	}
	module->counted[at >> 3] &= (uint8_t) ~(1u << (at & 7));
	module->counted[at >> 3] |= (uint8_t)(is_counted << (at & 7));
	return 0;
}

int names_calls_counted(const struct module *module, const struct cinstr_abi_table *table, uint32_t info)
{
	uint32_t kind = CINSTR_REC_KIND(info);
	const char *name = table_string(module, table, CINSTR_REC_PAYLOAD(info));
	uint64_t at = (uint64_t)name - module->strings_start;

	return module->counted && (kind == CINSTR_REC_BEFORE || kind == CINSTR_REC_TAIL) &&
	       is_in_strings(module, name) && module->counted[at >> 3] >> (at & 7) & 1;
}

/* ---- numbers of names ------------------------------------------------------------------------ */

static void name_table(struct module *module, const struct cinstr_abi_table *table, void *data)
{
	const struct cinstr_abi_record *record = table_records(table), *end = record + table->n_records;
	uint16_t *names = data;
	uint32_t function = CINSTR_REC_NO_REF;

	for (; record < end; record++) {
		uint32_t kind = CINSTR_REC_KIND(record->info), ref = CINSTR_REC_PAYLOAD(record->info), word;

		if (kind == CINSTR_REC_FUNCTION)
			function = ref;
		if (kind == CINSTR_REC_ENTER)
			ref = function;
		else if (kind != CINSTR_REC_TAIL)
			continue;
		word = code_of(module, table_sled(module, table, record)) >> 3;
		if (word - (module->code_base >> 3) < module->code_bytes >> 3 && ref != CINSTR_REC_NO_REF)
			atomic_store_relaxed(&names[word], fold_name(table_string(module, table, ref)));
	}
}

void names_module(struct module *module)
{
	if (cinstr.switches && module->loaded)
		each_table(module, name_table, cinstr.names_place.at);
}

void names_begin(void)
{
	if (cinstr.sites.names)
		return;
	for (unsigned i = 0; i < cinstr.n_modules; i++)
		names_module(&cinstr.modules[i]);
	/* fold_jumps_to */
	atomic_store_release(&cinstr.sites.names, (uint16_t *)(void *)cinstr.names_place.at);
}
