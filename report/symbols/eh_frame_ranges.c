/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * eh_frame_ranges.c - see internal.h: the ranges of code described by .eh_frame. Each is a function
 * or its unlikely part. Reads only their begins and ends.
 */
#include <string.h>

#include "internal.h"

/* How pointers are written. */
enum {
	ENCODED_FORMAT = 0x0f,
	ENCODED_ABSOLUTE = 0x00,
	ENCODED_U16 = 0x02,
	ENCODED_U32 = 0x03,
	ENCODED_U64 = 0x04,
	ENCODED_S16 = 0x0a,
	ENCODED_S32 = 0x0b,
	ENCODED_S64 = 0x0c,
	ENCODED_RELATIVE_TO = 0x70,
	ENCODED_PC = 0x10,
	ENCODED_NOT = 0xff,
};

/* Bytes that are read one after another. */
struct reader {
	const uint8_t *at, *end;
	uint64_t address; /* of `end` */
	int failed;
};

static uint64_t take(struct reader *r, size_t bytes)
{
	uint64_t value = 0;

	if ((size_t)(r->end - r->at) < bytes) {
		r->failed = 1;
		r->at = r->end;
		return 0;
	}
	memcpy(&value, r->at, bytes);
	r->at += bytes;
	return value;
}

static uint64_t take_leb128(struct reader *r)
{
	uint64_t value = 0, byte;
	unsigned shift = 0;

	do {
		byte = take(r, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return value;
}

static uint64_t take_encoded(struct reader *r, unsigned encoding)
{
	uint64_t address = r->address - (uint64_t)(r->end - r->at), value = 0;

	switch (encoding & ENCODED_FORMAT) {
	case ENCODED_ABSOLUTE:
	case ENCODED_U64:
	case ENCODED_S64:
		value = take(r, 8);
		break;
	case ENCODED_U32:
		value = take(r, 4);
		break;
	case ENCODED_S32:
		value = (uint64_t)(int64_t)(int32_t)take(r, 4);
		break;
	case ENCODED_U16:
		value = take(r, 2);
		break;
	case ENCODED_S16:
		value = (uint64_t)(int64_t)(int16_t)take(r, 2);
		break;
	default:
		r->failed = 1;
	}
	if ((encoding & ENCODED_RELATIVE_TO) == ENCODED_PC)
		return value + address;
	if (encoding & ENCODED_RELATIVE_TO)
		r->failed = 1;
	return value;
}

/* An entry of the section: its length is taken; `r` is where its content begins. -1: there are no
 * more. */
static int entry_take(struct reader *section, struct reader *r)
{
	uint64_t length;

	do
		length = take(section, 4);
	/* an end within: of one of the linker's inputs */
	while (!length && section->at < section->end);
	if (length == 0xffffffffu)
		length = take(section, 8);
	if (section->failed || !length || length > (uint64_t)(section->end - section->at))
		return -1;
	*r = (struct reader){ .at = section->at,
			      .end = section->at + length,
			      .address = section->address - (uint64_t)(section->end - section->at) + length };
	section->at += length;
	return 0;
}

/* How the CIE says that pointers are written. */
static unsigned cie_encoding(struct reader r)
{
	unsigned version, encoding = ENCODED_ABSOLUTE;
	const char *augmentation;
	size_t n;

	take(&r, 4);
	version = (unsigned)take(&r, 1);
	augmentation = (const char *)r.at;
	n = strnlen(augmentation, (size_t)(r.end - r.at));
	if (r.failed || n == (size_t)(r.end - r.at) || (n && augmentation[0] != 'z'))
		return ENCODED_NOT;
	r.at += n + 1;
	take_leb128(&r);
	take_leb128(&r);
	if (version == 1)
		take(&r, 1);
	else
		take_leb128(&r);
	take_leb128(&r);
	for (size_t i = 1; i < n; i++) {
		if (augmentation[i] == 'R')
			encoding = (unsigned)take(&r, 1);
		if (augmentation[i] == 'L')
			take(&r, 1);
		if (augmentation[i] == 'P')
			take_encoded(&r, (unsigned)take(&r, 1) & ENCODED_FORMAT);
	}
	return r.failed ? ENCODED_NOT : encoding;
}

/* Encoding of the CIE that an FDE's first field leads back to. */
static unsigned encoding_of(const uint8_t *section, const uint8_t *field, uint64_t back, uint64_t address)
{
	struct reader whole = { .at = field - back, .end = field, .address = address }, cie;

	if (back > (uint64_t)(field - section) || entry_take(&whole, &cie) || cie.end - cie.at < 4)
		return ENCODED_NOT;
	return cie_encoding(cie);
}

void elf_bounds_read(struct address_ranges *bounds, const struct elf *elf)
{
	const Elf64_Shdr *s = elf_section_named(elf, ".eh_frame");
	const uint8_t *begin = s ? (const uint8_t *)elf->bytes + s->sh_offset : NULL, *last_cie = NULL;
	struct reader section = { .at = begin,
				  .end = s ? begin + s->sh_size : NULL,
				  .address = s ? s->sh_addr + s->sh_size : 0 },
		      r;
	unsigned encoding = ENCODED_NOT;

	while (s && !entry_take(&section, &r)) {
		const uint8_t *field = r.at;
		uint64_t back = take(&r, 4), from, bytes;

		if (!back || r.failed)
			continue; /* a CIE */
		if (field - back != last_cie) {
			last_cie = field - back;
			encoding = encoding_of(begin, field, back, r.address - (uint64_t)(r.end - field));
		}
		if (encoding == ENCODED_NOT)
			continue;
		from = take_encoded(&r, encoding);
		bytes = take_encoded(&r, encoding & ENCODED_FORMAT);
		if (!r.failed && from && from + bytes > from)
			ranges_add(bounds, from, from + bytes, 0);
	}
	ranges_sort(bounds);
}
