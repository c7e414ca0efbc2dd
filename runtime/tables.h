/* SPDX-License-Identifier: MIT */
/*
 * tables.h - a module's tables (cinstr/abi.h) in memory: iterates over the notes and resolves the
 * references in a table's fields.
 */
#ifndef CINSTR_TABLES_H
#define CINSTR_TABLES_H

#include "runtime.h"

/* tables_check.c: the state of a module's tables. */
enum tables_fault {
	TABLES_SOUND,
	TABLES_ABSENT,	/* none, and no sign of former ones */
	TABLES_REMOVED, /* the hook's note was removed */
	TABLES_DAMAGED,
	TABLES_CODE_MOVED, /* the code is not where the tables say */
	TABLES_OTHER_ABI,
	TABLES_TOO_LARGE,
	TABLES_READ_CODE, /* a unit looks at the module's code, which must stay unchanged */
};
/*
 * Finds the tables of a module whose image is known and sets notes, notes_bytes, notes_moved and
 * strings. Checks every byte, so that later readers may rely on abi.h. hook, code: as passed to
 * cinstr_register_v1().
 */
enum tables_fault tables_check(struct module *module, const void *hook, const void *code);
/* Returns 1 if a unit of the module looks at the module's code, which then must stay unchanged
 * (CINSTR_CHECKED_CODE), else 0. Needs only `image` of the module. */
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

/* Returns the begin of the note that the table is in. */
static inline const char *table_note(const struct cinstr_abi_table *table)
{
	return (const char *)table - ((sizeof(CINSTR_NOTE_NAME) + 3) & ~3ul) - sizeof(ElfW(Nhdr));
}

/* Returns the address that a reference in a module's notes points to. */
static inline char *table_target(const struct module *module, const int32_t *field)
{
	return (char *)field + *field - module->notes_moved;
}

/* Returns the string, or "" if there is none. */
static inline const char *table_text(const struct module *module, const cinstr_abi_ref *field)
{
	return *field ? table_target(module, field) : "";
}

static inline const char *table_string(const struct module *module, const struct cinstr_abi_table *table,
				       uint32_t ref)
{
	return ref < table->n_refs ? table_text(module, table_refs(table) + ref) : "";
}

/* Returns the address of the record's sled. */
static inline char *table_sled(const struct module *module, const struct cinstr_abi_table *table,
			       const struct cinstr_abi_record *record)
{
	return table_target(module, &table->text) + (int32_t)record->offset;
}

/* Returns the address of the enter sled that an ENTRY record refers to. */
static inline char *table_entry(const struct module *module, const struct cinstr_abi_record *record)
{
	return table_target(module, (const int32_t *)&record->offset);
}

static inline uint32_t code_of(const struct module *module, const char *sled)
{
	return module->code_base + (((uint32_t)((uint64_t)sled - module->text_start)) & ~7u);
}

/* direct.c, under the lock: */
/* Returns the end of the sled of the function that the call behind this sled calls by name, if that
 * sled counts its calls and the call can lead to a counter of its own; else NULL. info: of the
 * call's sled. */
const char *direct_counted(const struct module *module, char *sled, uint32_t info);
/* Redirects the call behind this sled to `led`, a counter of its own; or, if that is NULL, to where
 * its callee's sled leads. Text writable. */
void direct_call(const struct module *module, char *sled, uint32_t info, const char *led);
/* Does the latter for all calls of the module. */
void direct_module(struct module *module);

/* choices.c */
/* Returns the module that the code belongs to, loaded or not, or NULL. */
struct module *module_of_code(uint32_t code);
/* Collects a new module's actions and small functions. Both are kept as long as the process
 * lives. */
void choices_find(struct module *module);
/* Applies the module's actions to the process's state. */
void choices_heed(const struct module *module);
/* Returns 1 if the sled has an action besides recording, else 0. end: of its table's records. */
int choices_has_action(const struct cinstr_abi_record *sled, const struct cinstr_abi_record *end);
/* seccomp.c: returns ACTION_SECCOMP ... if the sled precedes a call that may restrict system calls,
 * else 0. */
uint32_t seccomp_concern(const struct module *module, const struct cinstr_abi_table *table,
			 const struct cinstr_abi_record *record);
/* Returns 1 if the call calls a function that was left out as small, whose time counts as its
 * caller's. info: of the call's sled. */
int choices_calls_small(const struct module *module, const struct cinstr_abi_table *table, uint32_t info);
/* Returns the lock that the call of this BEFORE takes, by its AFTER, if the call is timed only
 * while the lock is not free. Sleds with actions always have their events. */
enum cinstr_abi_lock choices_lock(const struct cinstr_abi_table *table,
				  const struct cinstr_abi_record *before);
/* Returns what the call at the sled of this BEFORE reads or writes (cinstr/amounts.h), or
 * CINSTR_AMOUNT_NONE if that cannot be noted there. */
enum cinstr_amount_use choices_moves(const struct module *module, const struct cinstr_abi_table *table,
				     const struct cinstr_abi_record *before);
/* Where blocks are held (held.c): return 1 for a sled before a call that frees, or may; and before
 * one that frees or allocates. */
int choices_frees(const struct module *module, const struct cinstr_abi_table *table,
		  const struct cinstr_abi_record *record);
int choices_holds(const struct module *module, const struct cinstr_abi_table *table,
		  const struct cinstr_abi_record *record);
/* Returns the effect on an object (cinstr/objects.h) of the call at the sled, if it can be noted
 * there. */
enum cinstr_object_use choices_object(const struct module *module, const struct cinstr_abi_table *table,
				      const struct cinstr_abi_record *record);
/* Returns 1 for a call by name of a function that was not left out as small, else 0. */
int choices_calls_name(const struct module *module, const struct cinstr_abi_table *table, uint32_t info);

#endif
