/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * thrift.h - the parts of Thrift's compact protocol that Parquet's headers use. Fields are written
 * in ascending order.
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
	int last[THRIFT_DEPTH]; /* number of the previous field in each open structure */
	unsigned depth;
};

void thrift_i32(struct thrift *t, int field, int64_t value);
void thrift_i64(struct thrift *t, int field, int64_t value);
void thrift_bytes(struct thrift *t, int field, const void *bytes, size_t n);
void thrift_text(struct thrift *t, int field, const char *text);
/* Begins a structure as a field, to be ended by thrift_end(). */
void thrift_struct(struct thrift *t, int field);
/* Begins a list of n items: numbers and texts are written by thrift_item_...(), structures by
 * thrift_item() and thrift_end(). */
void thrift_list(struct thrift *t, int field, enum thrift_type type, size_t n);
void thrift_item(struct thrift *t);
void thrift_item_number(struct thrift *t, int64_t value);
void thrift_item_text(struct thrift *t, const char *text);
void thrift_end(struct thrift *t);
/* Begins a new message: an open structure without fields. */
void thrift_begin(struct thrift *t);

/* ---- reading --------------------------------------------------------------------------------- */

struct thrift_field {
	int number;
	enum thrift_type type;
};
/* Reads the head of a structure's next field. `last`: number of the previous field, at first 0.
 * Returns 0 at the end or after an error. The caller skips fields that it does not know. */
int thrift_get_field(struct varint_reader *in, int last, struct thrift_field *field);
int64_t thrift_get_number(struct varint_reader *in);
/* Returns bytes, which are not copied. */
const unsigned char *thrift_get_bytes(struct varint_reader *in, size_t *n);
/* Returns the number of items of a list; limited by the size of the input. */
size_t thrift_get_list(struct varint_reader *in, enum thrift_type *type);
void thrift_skip(struct varint_reader *in, enum thrift_type type);

#endif
