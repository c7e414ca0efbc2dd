/* SPDX-License-Identifier: MIT */
/*
 * names.c - which callees tail calls have, and what functions are called: numbers of names, for the
 * fold (fold_jumps_to()), which needs them once sleds are switched. Until then they take no memory.
 *
 * Under the lock of patch.c; folds of any thread read the numbers without it.
 */
#include "tables.h"

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
