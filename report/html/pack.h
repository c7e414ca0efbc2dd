/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pack.h - data of the page: sections, each compressed (raw deflate) and in base64, so that a name
 * or a line of source can hold whatever it wants without being taken for HTML. A section is a
 * series of columns (page/model.js reads them) or a text. Written as they come: of a section only
 * the column at hand is kept in memory.
 *
 * A column: name, kind (one byte), a name that the kind needs or "", number of values, number of
 * bytes, the bytes. Names are a varint of their length, and the bytes; numbers are varints.
 */
#ifndef REPORT_HTML_PACK_H
#define REPORT_HTML_PACK_H

#include <stdint.h>
#include <stdio.h>

#include "lib/util.h"

enum pack_kind {
	PACK_NUMBER = 'n', /* 0: none, else zigzag + 1 */
	PACK_MILLI = 'm',  /* the same of millionths: csv's six decimals */
	PACK_DELTA = 'd',  /* zigzag of the difference to the value before; no value is missing */
	/* number of the string + 1, 0: none; as PACK_DELTA: strings are numbered as they come */
	PACK_STRING = 's',
	PACK_HEX = 'x',	    /* an address, 0: none, likewise: csv has it as text */
	PACK_BYTE = 'b',    /* a byte each */
	PACK_DOUBLE = 'f',  /* 8 bytes each, little endian */
	PACK_NOTHING = 'z', /* no value is there, or all are 0 of PACK_BYTE: no bytes */
	/* What is left of a number that the column named by `of` and the tree's shape foretell (its
	 * value, and those of the children): zigzag. */
	PACK_TREE = 't',
};

struct pack {
	FILE *out;
	/* NULL, or where name, offset and size of each section go: they are then written as they
	 * are, not in base64, nor as elements of a page */
	FILE *parts;
	const char *prefix, *section;
	long begin;   /* of the section, in `out` */
	void *stream; /* z_stream */
	unsigned char triple[3];
	size_t n_triple, line;
	/* the column at hand */
	struct strbuf bytes;
	const char *name, *of;
	enum pack_kind kind;
	uint64_t n;
	int64_t before; /* PACK_DELTA */
	int is_any;	/* something else than none was put */
};

void pack_begin(struct pack *pack, FILE *out, FILE *parts);
void pack_release(struct pack *pack);
void pack_section(struct pack *pack, const char *prefix, const char *name);
void pack_section_end(struct pack *pack);
/* Bytes of a section that is no series of columns. */
void pack_bytes(struct pack *pack, const void *bytes, size_t n);

/* of: NULL but for the kinds that say so. */
void pack_column(struct pack *pack, const char *name, enum pack_kind kind, const char *of);
void pack_number(struct pack *pack, int64_t value);
void pack_none(struct pack *pack);
void pack_double(struct pack *pack, double value);
void pack_column_end(struct pack *pack);

#endif
