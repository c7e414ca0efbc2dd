/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pack.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define LEVEL 7
#define LEVEL_PARTS 1 /* they go no farther than to this machine's browser */
#define LINE 120      /* characters of base64: mail programs and editors dislike endless lines */

/* ---- base64 ---------------------------------------------------------------------------------- */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_triple(struct pack *pack)
{
	const unsigned char *t = pack->triple;
	char four[4] = { digits[t[0] >> 2], digits[(t[0] & 3) << 4 | t[1] >> 4],
			 digits[(t[1] & 15) << 2 | t[2] >> 6], digits[t[2] & 63] };

	for (size_t i = pack->n_triple + 1; i < 4; i++)
		four[i] = '=';
	fwrite(four, 1, sizeof(four), pack->out);
	pack->line += sizeof(four);
	if (pack->line >= LINE) {
		fputc('\n', pack->out);
		pack->line = 0;
	}
	memset(pack->triple, 0, sizeof(pack->triple));
	pack->n_triple = 0;
}

static void put_base64(struct pack *pack, const unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		pack->triple[pack->n_triple++] = bytes[i];
		if (pack->n_triple == sizeof(pack->triple))
			put_triple(pack);
	}
}

/* ---- sections -------------------------------------------------------------------------------- */

static void compress_bytes(struct pack *pack, const void *bytes, size_t n, int flush)
{
	z_stream *stream = pack->stream;
	unsigned char out[16384];

	stream->next_in = (unsigned char *)(uintptr_t)bytes;
	stream->avail_in = (uInt)n;
	do {
		stream->next_out = out;
		stream->avail_out = sizeof(out);
		deflate(stream, flush);
		if (pack->parts)
			fwrite(out, 1, sizeof(out) - stream->avail_out, pack->out);
		else
			put_base64(pack, out, sizeof(out) - stream->avail_out);
	} while (!stream->avail_out);
}

void pack_begin(struct pack *pack, FILE *out, FILE *parts)
{
	z_stream *stream = xcalloc(1, sizeof(*stream));

	*pack = (struct pack){ .out = out, .parts = parts, .stream = stream };
	if (deflateInit2(stream, parts ? LEVEL_PARTS : LEVEL, Z_DEFLATED, -MAX_WBITS, 9,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	strbuf_clear(&pack->bytes);
}

void pack_release(struct pack *pack)
{
	deflateEnd(pack->stream);
	free(pack->stream);
	strbuf_release(&pack->bytes);
}

void pack_section(struct pack *pack, const char *prefix, const char *name)
{
	pack->prefix = prefix;
	pack->section = name;
	pack->begin = pack->parts ? ftell(pack->out) : 0;
	if (!pack->parts)
		fprintf(pack->out, "<script type=\"application/octet-stream\" id=\"data-%s%s\">\n", prefix,
			name);
}

void pack_section_end(struct pack *pack)
{
	compress_bytes(pack, NULL, 0, Z_FINISH);
	if (pack->n_triple)
		put_triple(pack);
	pack->line = 0;
	if (!pack->parts)
		fputs("</script>\n", pack->out);
	deflateReset(pack->stream);
	if (pack->parts)
		fprintf(pack->parts, "%s%s %ld %ld\n", pack->prefix, pack->section, pack->begin,
			ftell(pack->out) - pack->begin);
}

void pack_bytes(struct pack *pack, const void *bytes, size_t n)
{
	const char *rest = bytes;

	for (size_t part; n; rest += part, n -= part) {
		part = n < 1u << 20 ? n : 1u << 20;
		compress_bytes(pack, rest, part, Z_NO_FLUSH);
	}
}

/* ---- columns --------------------------------------------------------------------------------- */

static void put_varint(struct strbuf *to, uint64_t value)
{
	char bytes[10];
	size_t n = 0;

	for (; value >= 128; value >>= 7)
		bytes[n++] = (char)(value & 127) | (char)128;
	bytes[n++] = (char)value;
	strbuf_add(to, bytes, n);
}

static uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static void put_name(struct strbuf *to, const char *name)
{
	put_varint(to, strlen(name));
	strbuf_puts(to, name);
}

void pack_column(struct pack *pack, const char *name, enum pack_kind kind, const char *of)
{
	pack->name = name;
	pack->kind = kind;
	pack->of = of;
	pack->n = 0;
	pack->before = 0;
	pack->is_any = 0;
	strbuf_clear(&pack->bytes);
}

static void put_difference(struct pack *pack, int64_t value)
{
	put_varint(&pack->bytes, zigzag(value - pack->before));
	pack->before = value;
}

void pack_number(struct pack *pack, int64_t value)
{
	char byte = (char)value;

	pack->n++;
	switch (pack->kind) {
	case PACK_NUMBER:
	case PACK_MILLI:
		put_varint(&pack->bytes, zigzag(value) + 1);
		break;
	case PACK_DELTA:
		put_difference(pack, value);
		break;
	case PACK_STRING:
		put_difference(pack, value + 1);
		break;
	case PACK_HEX:
		put_difference(pack, value);
		break;
	case PACK_TREE:
		put_varint(&pack->bytes, zigzag(value));
		break;
	default:
		strbuf_add(&pack->bytes, &byte, 1);
		pack->is_any |= value != 0;
		return;
	}
	pack->is_any = 1;
}

void pack_none(struct pack *pack)
{
	pack->n++;
	if (pack->kind == PACK_STRING || pack->kind == PACK_HEX)
		put_difference(pack, 0);
	else
		put_varint(&pack->bytes, 0);
}

void pack_column_end(struct pack *pack)
{
	STRBUF(head);
	char kind = pack->is_any || !pack->n ? (char)pack->kind : PACK_NOTHING;

	if (kind == PACK_NOTHING)
		strbuf_clear(&pack->bytes);
	put_name(&head, pack->name);
	strbuf_add(&head, &kind, 1);
	put_name(&head, pack->of ? pack->of : "");
	put_varint(&head, pack->n);
	put_varint(&head, pack->bytes.length);
	pack_bytes(pack, head.text, head.length);
	pack_bytes(pack, pack->bytes.text, pack->bytes.length);
}
