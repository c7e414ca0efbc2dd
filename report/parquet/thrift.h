/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * thrift.h - structures in Thrift's compact protocol, in which Parquet has its headers: as much of
 * it as these use. Fields are written in ascending order.
 */
#ifndef REPORT_PARQUET_THRIFT_H
#define REPORT_PARQUET_THRIFT_H

#include <stdint.h>

#include "lib/util.h"
#include "lib/varint.h"

enum thrift_type {
	THRIFT_STOP,
	THRIFT_TRUE,
	THRIFT_FALSE,
	THRIFT_BYTE,
	THRIFT_I16,
	THRIFT_I32,
	THRIFT_I64,
	THRIFT_DOUBLE,
	THRIFT_BYTES,
	THRIFT_LIST,
	THRIFT_SET,
	THRIFT_MAP,
	THRIFT_STRUCT
};
#define THRIFT_DEPTH 8

struct thrift {
	struct strbuf out;
	int last[THRIFT_DEPTH]; /* number of the field before, of each structure that is open */
	unsigned depth;
};

void thrift_i32(struct thrift *t, int field, int64_t value);
void thrift_i64(struct thrift *t, int field, int64_t value);
void thrift_bytes(struct thrift *t, int field, const void *bytes, size_t n);
void thrift_text(struct thrift *t, int field, const char *text);
/* A structure as a field; thrift_end() ends it. */
void thrift_struct(struct thrift *t, int field);
/* n items follow: of numbers and texts by thrift_item_...(), of structures by thrift_item(), each
 * ended by thrift_end(). */
void thrift_list(struct thrift *t, int field, enum thrift_type type, size_t n);
void thrift_item(struct thrift *t);
void thrift_item_number(struct thrift *t, int64_t value);
void thrift_item_text(struct thrift *t, const char *text);
void thrift_end(struct thrift *t);
/* Empty, and a structure of its own is open. */
void thrift_begin(struct thrift *t);

/* ---- reading --------------------------------------------------------------------------------- */

struct thrift_field {
	int number;
	enum thrift_type type;
};
/*
 * The next field of a structure, of which `last` is the number of the one before, 0 at first; 0: it
 * has no more. What the caller does not know it skips. Behind a mistake nothing more comes.
 */
int thrift_get_field(struct varint_reader *in, int last, struct thrift_field *field);
int64_t thrift_get_number(struct varint_reader *in);
/* Bytes as they lie in the input. */
const unsigned char *thrift_get_bytes(struct varint_reader *in, size_t *n);
/* Items of a list, no more than there can be. */
size_t thrift_get_list(struct varint_reader *in, enum thrift_type *type);
void thrift_skip(struct varint_reader *in, enum thrift_type type);

#endif
