/* SPDX-License-Identifier: MIT */
/*
 * tables.h - a module's tables (cinstr/abi.h) in memory: the notes one after another, and what a
 * table's fields lead to.
 */
#ifndef CINSTR_TABLES_H
#define CINSTR_TABLES_H

#include <elf.h>
#include <link.h>

#include "runtime.h"

/* Calls visit(table) for each of a module's tables. */
static inline void each_table(const struct module *module,
			      void (*visit)(struct module *, const struct cinstr_abi_table *, void *),
			      void *data)
{
	const char *at = module->notes, *end = at + module->notes_bytes;

	while (at + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *note = (const void *)at;
		const char *name = at + sizeof(*note);
		const char *descriptor = name + ((note->n_namesz + 3) & ~3u);

		at = descriptor + ((note->n_descsz + 3) & ~3u);
		if (at > end)
			break;
		if (note->n_type == CINSTR_NOTE_TABLE && note->n_namesz == sizeof(CINSTR_NOTE_NAME) &&
		    string_equal(name, CINSTR_NOTE_NAME))
			visit((struct module *)module, (const void *)descriptor, data);
	}
}

static inline const cinstr_abi_ref *table_refs(const struct cinstr_abi_table *table)
{
	return (const cinstr_abi_ref *)(table + 1);
}

static inline const struct cinstr_abi_record *table_records(const struct cinstr_abi_table *table)
{
	return (const void *)(table_refs(table) + table->n_refs);
}

static inline const char *table_string(const struct cinstr_abi_table *table, uint32_t ref)
{
	const cinstr_abi_ref *field = table_refs(table) + ref;

	return ref < table->n_refs && *field ? (const char *)field + *field : "";
}

static inline char *table_anchor(const struct cinstr_abi_table *table)
{
	return (char *)&table->text + table->text;
}

static inline uint32_t code_of(const struct module *module, const char *sled)
{
	return module->code_base + (((uint32_t)((uint64_t)sled - module->text_start)) & ~7u);
}

/* direct.c: under the lock, text writable: calls in these records, or in the module, lead to where
 * their callees' sleds do. */
void direct_records(const struct module *module, const struct cinstr_abi_table *table,
		    const struct cinstr_abi_record *record, const struct cinstr_abi_record *end);
void direct_module(struct module *module);

/* choices.c */
/* The module that the code belongs to, loaded or not; NULL: none. */
struct module *module_of_code(uint32_t code);
/* Collects a new module's actions and small functions. They are kept as long as the process
 * lives. */
void choices_find(struct module *module);
/* What the module's actions mean for the process. */
void choices_heed(const struct module *module);
/* Is there something to do at this sled besides recording it? end: of its table's records. */
int choices_has_action(const struct cinstr_abi_record *sled, const struct cinstr_abi_record *end);
/* seccomp.c: ACTION_SECCOMP ..., if the sled stands before a call that may restrict system calls;
 * else 0. */
uint32_t seccomp_concern(const struct cinstr_abi_table *table, const struct cinstr_abi_record *record);
/* Calls of functions that are left out because they are small count as their caller's time. info:
 * of a sled. */
int choices_calls_small(const struct module *module, const struct cinstr_abi_table *table, uint32_t info);

#endif
