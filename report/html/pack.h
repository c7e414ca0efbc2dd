/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pack.h - data of the page: sections, each compressed (raw deflate) and in base64, so that names
 * and source lines cannot be taken for HTML. A section is a series of columns (page/model.js reads
 * them) or a text. Sections are written as they come: only the current column is kept in memory.
 *
 * A column: name, kind (one byte), a name that the kind needs or "", number of values, number of
 * bytes, the bytes. A name is a varint of its length, followed by its bytes; numbers are varints.
 */
#ifndef REPORT_HTML_PACK_H
#define REPORT_HTML_PACK_H

#include <stdint.h>
#include <stdio.h>

#include "lib/util.h"

enum pack_kind {
	PACK_NUMBER = 'n', /* 0: none, else zigzag + 1 */
	PACK_MILLI = 'm',  /* like PACK_NUMBER, in millionths: csv's six decimals */
	/* zigzag of the difference from the previous value; no value is missing */
	PACK_DELTA = 'd',
	/* number of the string + 1, 0: none; stored as PACK_DELTA, as strings are numbered as they
	 * come */
	PACK_STRING = 's',
	PACK_HEX = 'x',	    /* an address, 0: none; stored as PACK_DELTA: csv has it as text */
	PACK_BYTE = 'b',    /* one byte each */
	PACK_DOUBLE = 'f',  /* 8 bytes each, little endian */
	PACK_NOTHING = 'z', /* all values are missing, or 0 of PACK_BYTE: no bytes */
	/* The rest of a number, beyond what follows from the column named by `of` and the tree's
	 * shape (its value, and the numbers of the children): zigzag. */
	PACK_TREE = 't',
};

struct pack {
	FILE *out;
	/* unless NULL, gets name, offset and size of each section; sections are then written as
	 * they are, not in base64, nor as elements of a page */
	FILE *parts;
	const char *prefix, *section;
	long begin;   /* begin of the section in `out` */
	void *stream; /* z_stream */
	unsigned char triple[3];
	size_t n_triple, line;
	/* the current column */
	struct strbuf bytes;
	const char *name, *of;
	enum pack_kind kind;
	uint64_t n;
	int64_t before; /* PACK_DELTA: the previous value */
	int is_any;	/* a value other than none was added */
};

void pack_begin(struct pack *pack, FILE *out, FILE *parts);
void pack_release(struct pack *pack);
void pack_section(struct pack *pack, const char *prefix, const char *name);
void pack_section_end(struct pack *pack);
/* Writes bytes of a section that is not a series of columns. */
void pack_bytes(struct pack *pack, const void *bytes, size_t n);

/* Begins a column. of: NULL except for kinds that need it. */
void pack_column(struct pack *pack, const char *name, enum pack_kind kind, const char *of);
void pack_number(struct pack *pack, int64_t value);
void pack_none(struct pack *pack);
void pack_column_end(struct pack *pack);
/* Writes a column of `n` values, each by the statement, which has the index i. */
#define PACK_COLUMN(pack, name, kind, n, statement) \
	do { \
		pack_column(pack, name, kind, NULL); \
		for (size_t i = 0; i < (n); i++) \
			statement; \
		pack_column_end(pack); \
	} while (0)
/* Writes a column of `n` numbers, each an expression of the index i. */
#define PACK_NUMBERS(pack, name, kind, n, number) PACK_COLUMN(pack, name, kind, n, pack_number(pack, number))

#endif
