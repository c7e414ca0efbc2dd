/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables of a translation unit (cinstr/abi.h): collected while the pass walks the functions,
 * written when the unit is finished. A table describes one text section; the functions of a table,
 * and the sleds of a function, are in the order of the code.
 *
 * Sleds are named by labels: .Lcinstr<number>, numbered from 1 per unit; 0 is no label.
 */
#ifndef CINSTR_PLUGIN_SITES_H
#define CINSTR_PLUGIN_SITES_H

#include "gcc.h"
#include "cinstr/abi.h"

struct site_place {
	const char *file; /* NULL: unknown */
	unsigned int line;
};

/* Returns the file and line of a location; without a line: file NULL, line 0. */
struct site_place place_of(location_t location);

struct site_function {
	const char *name; /* assembler name */
	struct site_place definition;
	bool local;
	/* another function of the same name may replace it, at the link or later */
	bool replaceable;
};

struct site_totals {
	unsigned int functions; /* with sleds */
	unsigned int left_out;
	unsigned int sleds;
	unsigned int own_functions; /* functions outside COMDAT groups, after sites_settle() */
	/* functions in COMDAT groups: the linker drops most copies */
	unsigned int shared_functions;
	unsigned int indirect_calls;
	unsigned int own_named_calls; /* calls by name */
	unsigned int shared_named_calls;
};

/*
 * Begins the records of a function, or of its cold part, in the table of `text`. enter: label of
 * the function's enter sled, 0 if that is the next sled to be added.
 */
void sites_begin_function(section *text, const struct site_function *function, unsigned int enter);

/* Adds a sled to the function begun last. Returns its label, which the caller puts into the
 * code. */
unsigned int sites_add(enum cinstr_abi_kind kind, unsigned int flags, unsigned int payload);

/*
 * Notes that the last added BEFORE or TAIL calls a function of this unit that is not compiled yet:
 * sites_settle() will ask whether the sled is wanted. Call it right after adding.
 */
void sites_await(const char *callee);

/* Adds the place of the last added sled. */
void sites_add_place(struct site_place place);

/* Adds a level of inlining to the last added place (lines_each_inlined()). */
void sites_add_inlined(const char *level);

/* Returns the index of a string in the table of the last begun function, or CINSTR_REC_NO_REF for
 * NULL. */
unsigned int sites_ref(const char *string);

/* Adds an action to the last added sled, after its place. text: of a mark, or NULL. */
void sites_add_action(enum cinstr_abi_action action, const char *text);

/*
 * Notes a function without sleds. Returns a label to be put into its code, so that the table refers
 * to something in it; 0 if not needed.
 */
unsigned int sites_leave_out(section *text, const struct site_function *function,
			     enum cinstr_abi_reason reason);

/* Notes an alias of a function without sleds, right after that function. */
void sites_leave_out_alias(section *text, const char *name, enum cinstr_abi_reason reason);

/* Return the number of the last begun function; the number of its remaining sleds. */
unsigned int sites_current_function(void);
unsigned int sites_function_sleds(unsigned int function);

enum site_verdict {
	SITE_WANTED,
	SITE_UNWANTED, /* drop the BEFORE and its AFTER */
	SITE_EXIT,     /* the TAIL is an EXIT */
};

/* Decides on the sleds that have been waiting for their callees, at the end of the unit. */
void sites_settle(enum site_verdict (*judge)(enum cinstr_abi_kind kind, const char *callee));

const struct site_totals *sites_totals(void);

/*
 * Begins a note of this type with a descriptor of `bytes` bytes, which the caller writes next. The
 * note is in the section of the text section's table, which has at least one function.
 */
void sites_begin_note(FILE *out, section *text, unsigned int bytes, unsigned int type);

/* Writes all tables and their strings, after sites_settle(). */
void sites_write(FILE *out);

#endif
