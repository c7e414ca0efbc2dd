/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "thrift.h"

#include <string.h>

#define SHORT_LIST 15 /* so many items do not fit into its first byte */
#define NESTED_MOST 32

static uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static void put_byte(struct thrift *t, unsigned byte)
{
	const char c = (char)byte;

	strbuf_add(&t->out, &c, 1);
}

static void put_field(struct thrift *t, int field, enum thrift_type type)
{
	int *last = &t->last[t->depth], step = field - *last;

	if (step > 0 && step < SHORT_LIST + 1) {
		put_byte(t, (unsigned)step << 4 | type);
	} else {
		put_byte(t, type);
		varint_put(&t->out, zigzag(field));
	}
	*last = field;
}

void thrift_i32(struct thrift *t, int field, int64_t value)
{
	put_field(t, field, THRIFT_I32);
	varint_put(&t->out, zigzag(value));
}

void thrift_i64(struct thrift *t, int field, int64_t value)
{
	put_field(t, field, THRIFT_I64);
	varint_put(&t->out, zigzag(value));
}

static void put_bytes(struct thrift *t, const void *bytes, size_t n)
{
	varint_put(&t->out, n);
	strbuf_add(&t->out, bytes, n);
}

void thrift_bytes(struct thrift *t, int field, const void *bytes, size_t n)
{
	put_field(t, field, THRIFT_BYTES);
	put_bytes(t, bytes, n);
}

void thrift_text(struct thrift *t, int field, const char *text)
{
	thrift_bytes(t, field, text, strlen(text));
}

void thrift_item(struct thrift *t)
{
	t->last[++t->depth] = 0;
}

void thrift_struct(struct thrift *t, int field)
{
	put_field(t, field, THRIFT_STRUCT);
	thrift_item(t);
}

void thrift_end(struct thrift *t)
{
	put_byte(t, THRIFT_STOP);
	if (t->depth)
		t->depth--;
}

void thrift_list(struct thrift *t, int field, enum thrift_type type, size_t n)
{
	put_field(t, field, THRIFT_LIST);
	if (n < SHORT_LIST) {
		put_byte(t, (unsigned)n << 4 | type);
	} else {
		put_byte(t, SHORT_LIST << 4 | type);
		varint_put(&t->out, n);
	}
}

void thrift_item_number(struct thrift *t, int64_t value)
{
	varint_put(&t->out, zigzag(value));
}

void thrift_item_text(struct thrift *t, const char *text)
{
	put_bytes(t, text, strlen(text));
}

void thrift_begin(struct thrift *t)
{
	strbuf_clear(&t->out);
	t->depth = 0;
	t->last[0] = 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

static unsigned get_byte(struct varint_reader *in)
{
	if (in->at < in->end)
		return *in->at++;
	in->is_bad = 1;
	return 0;
}

int64_t thrift_get_number(struct varint_reader *in)
{
	uint64_t n = varint_get64(in);

	return (int64_t)(n >> 1) ^ -(int64_t)(n & 1);
}

int thrift_get_field(struct varint_reader *in, int last, struct thrift_field *field)
{
	unsigned byte = get_byte(in);
	int64_t number;

	field->type = (enum thrift_type)(byte & 15);
	if (in->is_bad || field->type == THRIFT_STOP)
		return 0;
	number = byte >> 4 ? last + (int)(byte >> 4) : thrift_get_number(in);
	if (number <= 0 || number > INT16_MAX)
		in->is_bad = 1;
	field->number = (int)number;
	return !in->is_bad;
}

const unsigned char *thrift_get_bytes(struct varint_reader *in, size_t *n)
{
	uint64_t length = varint_get64(in);
	const unsigned char *at = in->at;

	*n = 0;
	if (in->is_bad || length > (uint64_t)(in->end - at)) {
		in->is_bad = 1;
		in->at = in->end;
		return in->end;
	}
	in->at += length;
	*n = length;
	return at;
}

size_t thrift_get_list(struct varint_reader *in, enum thrift_type *type)
{
	unsigned byte = get_byte(in);
	uint64_t n = byte >> 4 == SHORT_LIST ? varint_get64(in) : byte >> 4;

	*type = (enum thrift_type)(byte & 15);
	if (n > (uint64_t)(in->end - in->at)) /* each takes a byte, at least */
		in->is_bad = 1;
	return in->is_bad ? 0 : n;
}

static void skip(struct varint_reader *in, enum thrift_type type, unsigned depth);

static void skip_struct(struct varint_reader *in, unsigned depth)
{
	struct thrift_field field = { 0 };

	while (thrift_get_field(in, field.number, &field))
		skip(in, field.type, depth);
}

static void skip(struct varint_reader *in, enum thrift_type type, unsigned depth)
{
	size_t n;

	if (depth > NESTED_MOST)
		in->is_bad = 1;
	if (in->is_bad)
		return;
	switch (type) {
	case THRIFT_TRUE:
	case THRIFT_FALSE:
		break;
	case THRIFT_BYTE:
		get_byte(in);
		break;
	case THRIFT_I16:
	case THRIFT_I32:
	case THRIFT_I64:
		varint_get(in);
		break;
	case THRIFT_BYTES:
		thrift_get_bytes(in, &n);
		break;
	case THRIFT_LIST:
	case THRIFT_SET:
		for (n = thrift_get_list(in, &type); n-- && !in->is_bad;)
			if (type == THRIFT_TRUE || type == THRIFT_FALSE)
				get_byte(in);
			else
				skip(in, type, depth + 1);
		break;
	case THRIFT_STRUCT:
		skip_struct(in, depth + 1);
		break;
	default: /* what no file of ours has */
		in->is_bad = 1;
	}
}

void thrift_skip(struct varint_reader *in, enum thrift_type type)
{
	skip(in, type, 0);
}
