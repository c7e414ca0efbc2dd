/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protobuf.h"

#include <string.h>

enum { WIRE_VARINT, WIRE_BYTES = 2 };
#define VARINT_MOST 10

void protobuf_varint(struct strbuf *message, uint64_t value)
{
	char bytes[VARINT_MOST];
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[n++] = (char)(value | 0x80);
	bytes[n++] = (char)value;
	strbuf_add(message, bytes, n);
}

void protobuf_number(struct strbuf *message, unsigned field, uint64_t value)
{
	protobuf_varint(message, (uint64_t)field << 3 | WIRE_VARINT);
	protobuf_varint(message, value);
}

static void bytes_put(struct strbuf *message, unsigned field, const char *bytes, size_t n)
{
	protobuf_varint(message, (uint64_t)field << 3 | WIRE_BYTES);
	protobuf_varint(message, n);
	strbuf_add(message, bytes, n);
}

void protobuf_text(struct strbuf *message, unsigned field, const char *text)
{
	STRBUF(visible);

	strbuf_visible(&visible, text);
	bytes_put(message, field, visible.text, visible.length);
}

void protobuf_message(struct strbuf *message, unsigned field, const struct strbuf *inner)
{
	bytes_put(message, field, inner->length ? inner->text : "", inner->length);
}
