/* SPDX-License-Identifier: MIT */
/*
 * tables.h - a module's tables (cinstr/abi.h) in memory: the notes one after another, and what a
 * table's fields lead to.
 */
#ifndef CINSTR_TABLES_H
#define CINSTR_TABLES_H

#include "runtime.h"

/* tables_check.c: what is wrong with a module's tables. */
enum tables_fault {
	TABLES_SOUND,
	TABLES_ABSENT,	/* there are none, and nothing says that there were */
	TABLES_REMOVED, /* the hook's note is not there any more */
	TABLES_DAMAGED,
	TABLES_CODE_MOVED, /* the code is not where they say */
	TABLES_OTHER_ABI,
	TABLES_TOO_LARGE,
	TABLES_READ_CODE, /* a unit looks at the module's code, which is to be left as it is */
};
/*
 * Finds the tables of a module whose image is known: notes, notes_bytes, notes_moved, and strings.
 * Looks at every byte of them, so that whoever reads them afterwards may rely on what abi.h says.
 * hook, code: as cinstr_register_v1() got them.
 */
enum tables_fault tables_check(struct module *module, const void *hook, const void *code);
/* Whether a unit of the module, of which nothing but `image` is known, looks at the module's code,
 * which is then to be left as it is (CINSTR_CHECKED_CODE). */
int tables_read_code(struct module *module);

/* Calls visit(table) for each of a module's tables. */
static inline void each_table(const struct module *module,
			      void (*visit)(struct module *, const struct cinstr_abi_table *, void *),
			      void *data)
{
	const char *at = module->notes, *end = at + module->notes_bytes;

	while (at < end) {
		struct note note;

		if (!note_read(at, end, 4, &note)) {
			at += 4;
			continue;
		}
		at = note.end;
		if (note.type == CINSTR_NOTE_TABLE)
			visit((struct module *)module, (const void *)note.descriptor, data);
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

/* What a reference in a module's notes means. */
static inline char *table_target(const struct module *module, const int32_t *field)
{
	return (char *)field + *field - module->notes_moved;
}

/* "": there is none. */
static inline const char *table_text(const struct module *module, const cinstr_abi_ref *field)
{
	return *field ? table_target(module, field) : "";
}

static inline const char *table_string(const struct module *module, const struct cinstr_abi_table *table,
				       uint32_t ref)
{
	return ref < table->n_refs ? table_text(module, table_refs(table) + ref) : "";
}

/* Where the sled of a record is. */
static inline char *table_sled(const struct module *module, const struct cinstr_abi_table *table,
			       const struct cinstr_abi_record *record)
{
	return table_target(module, &table->text) + (int32_t)record->offset;
}

/* Where the enter sled is that an ENTRY tells of. */
static inline char *table_entry(const struct module *module, const struct cinstr_abi_record *record)
{
	return table_target(module, (const int32_t *)&record->offset);
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
uint32_t seccomp_concern(const struct module *module, const struct cinstr_abi_table *table,
			 const struct cinstr_abi_record *record);
/* Calls of functions that are left out because they are small count as their caller's time. info:
 * of a sled. */
int choices_calls_small(const struct module *module, const struct cinstr_abi_table *table, uint32_t info);
/* The lock that the call of this BEFORE takes, if it is timed only when that is not free: its AFTER
 * tells. Sleds with actions have their events in any case. */
enum cinstr_abi_lock choices_lock(const struct cinstr_abi_table *table,
				  const struct cinstr_abi_record *before);
/* Returns what the call behind the sled does to an object (cinstr/objects.h), if that can be noted
 * there. */
enum cinstr_object_use choices_object(const struct module *module, const struct cinstr_abi_table *table,
				      const struct cinstr_abi_record *record);
/* A call by name of a function that the module has no probes of? 0 unless such calls are
 * counted. */
int choices_calls_library(const struct module *module, const struct cinstr_abi_table *table, uint32_t info);

#endif
