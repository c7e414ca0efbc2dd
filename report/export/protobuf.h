/* SPDX-License-Identifier: GPL-3.0-or-later */
/* protobuf.h - encodes Protocol Buffers messages field by field into a string. A message inside
 * another one is first encoded into a string of its own. */
#ifndef REPORT_EXPORT_PROTOBUF_H
#define REPORT_EXPORT_PROTOBUF_H

#include <stdint.h>

#include "lib/util.h"

/* Appends one value of a packed field. */
void protobuf_varint(struct strbuf *message, uint64_t value);
void protobuf_number(struct strbuf *message, unsigned field, uint64_t value);
/* Writes bytes that are not UTF-8, and control characters, as \xNN: readers refuse them. */
void protobuf_text(struct strbuf *message, unsigned field, const char *text);
void protobuf_message(struct strbuf *message, unsigned field, const struct strbuf *inner);

#endif
