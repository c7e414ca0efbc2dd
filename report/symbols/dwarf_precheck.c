/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dwarf_precheck.c - see internal.h: decides whether libdwarf may read the debug information of a
 * file. Checks what libdwarf (version 20210528) does not check itself.
 */
#include <string.h>

#include "internal.h"

#define LISTS_VERSION 5

/* A header of .debug_rnglists or .debug_loclists, up to the offsets that follow. */
struct lists_header {
	uint16_t version;
	uint8_t address_bytes, segment_bytes;
	uint32_t n_offsets;
};

/* The length that a unit of a section begins with. Returns the bytes it takes, 0: it is too
 * long. */
static size_t unit_length(const char *at, uint64_t left, uint64_t *bytes)
{
	uint32_t narrow;

	if (left < 4)
		return 0;
	memcpy(&narrow, at, 4);
	*bytes = narrow;
	if (narrow != 0xffffffffu)
		return *bytes <= left - 4 ? 4 : 0;
	if (left < 12)
		return 0;
	memcpy(bytes, at + 4, 8);
	return *bytes <= left - 12 ? 12 : 0;
}

/* libdwarf frees the list of headers twice when one is wrong. */
static int lists_are_sound(const struct elf *elf, const char *name)
{
	const Elf64_Shdr *s = elf_section_named(elf, name);
	const char *at = s ? elf->bytes + s->sh_offset : NULL;
	uint64_t left = s && !(s->sh_flags & SHF_COMPRESSED) ? s->sh_size : 0, bytes;

	while (left) {
		size_t taken = unit_length(at, left, &bytes);
		struct lists_header header;

		if (!taken || bytes < sizeof(header))
			return 0;
		memcpy(&header, at + taken, sizeof(header));
		if (header.version != LISTS_VERSION || header.address_bytes != sizeof(uint64_t) ||
		    header.segment_bytes ||
		    header.n_offsets > (bytes - sizeof(header)) / (taken == 4 ? 4 : 8))
			return 0;
		at += taken + bytes;
		left -= taken + bytes;
	}
	return 1;
}

int elf_debug_info_is_sound(const struct elf *elf)
{
	return lists_are_sound(elf, ".debug_rnglists") && lists_are_sound(elf, ".debug_loclists");
}
