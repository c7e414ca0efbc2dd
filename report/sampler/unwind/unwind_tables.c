/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unwind_tables.c - makes the search table for unwind information that has none: an .eh_frame
 * without header (static programs of some linkers), a .debug_frame (code without .eh_frame,
 * compiled with -g). See unwind_image.c, which owns it.
 *
 * libunwind reads tables of .debug_frame only in its own process, and unchecked. So the section is
 * rewritten to what it would be as an .eh_frame: the identification of CIEs is 0, FDEs tell the
 * distance to theirs, and version 4 loses the size of addresses.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "sampler/images/image.h"
#include "unwind_image.h"

#define SECTION_BYTES_MAX (64ull << 20)
#define SECTIONS_MAX 65536u

struct function {
	uint64_t address, information; /* the latter: offset in the section */
};

struct scan {
	uint8_t *bytes;
	size_t n;
	uint64_t address; /* of the section */
	int is_debug;
	struct function *functions;
	size_t n_functions, size;
};

/* ---- sections -------------------------------------------------------------------------------- */

static int has_name(const struct image *image, const Elf64_Shdr *names, const Elf64_Shdr *section,
		    const char *name)
{
	char found[32] = { 0 };
	size_t n = strlen(name) + 1;

	return section->sh_name < names->sh_size &&
	       image_read(image, names->sh_offset + section->sh_name, found, n) == n &&
	       !memcmp(found, name, n);
}

static int find_section(const struct image *image, const char *name, Elf64_Shdr *section)
{
	Elf64_Ehdr header;
	Elf64_Shdr names;

	if (image_read(image, 0, &header, sizeof(header)) != sizeof(header) || !header.e_shnum ||
	    header.e_shentsize != sizeof(*section) ||
	    image_read(image, header.e_shoff + header.e_shstrndx * sizeof(names), &names, sizeof(names)) !=
		    sizeof(names))
		return -1;
	for (size_t i = 0; i < header.e_shnum && i < SECTIONS_MAX; i++)
		if (image_read(image, header.e_shoff + i * sizeof(*section), section, sizeof(*section)) ==
			    sizeof(*section) &&
		    has_name(image, &names, section, name))
			return section->sh_type == SHT_NOBITS || section->sh_flags & SHF_COMPRESSED ||
					       section->sh_size > SECTION_BYTES_MAX
				       ? -1
				       : 0;
	return -1;
}

/* ---- entries --------------------------------------------------------------------------------- */

static uint32_t u32_at(const struct scan *s, size_t at)
{
	uint32_t value;

	memcpy(&value, s->bytes + at, sizeof(value));
	return value;
}

static void set_u32(struct scan *s, size_t at, uint32_t value)
{
	memcpy(s->bytes + at, &value, sizeof(value));
}

/* End of the entry at `at`, 0: there is none. */
static size_t entry_end(const struct scan *s, size_t at)
{
	uint32_t n;

	if (at + 8 > s->n)
		return 0;
	n = u32_at(s, at);
	return n >= 4 && n < 0xfffffff0 && n <= s->n - at - 4 ? at + 4 + n : 0;
}

static int is_cie(const struct scan *s, size_t at)
{
	return u32_at(s, at + 4) == (s->is_debug ? 0xffffffff : 0);
}

static size_t skip_leb(const struct scan *s, size_t at, size_t end)
{
	while (at < end && s->bytes[at] & 0x80)
		at++;
	return at + 1;
}

/* Bytes of a pointer by its DW_EH_PE_ encoding; 0: one that is not read here. */
static size_t pointer_bytes(uint8_t encoding)
{
	static const uint8_t bytes[16] = { [0x00] = 8, [0x03] = 4, [0x04] = 8, [0x0b] = 4, [0x0c] = 8 };

	return encoding & 0x60 ? 0 : bytes[encoding & 0x0f];
}

/* The encoding of functions' addresses that a CIE tells by letters of its augmentation. */
static uint8_t encoding_of(const struct scan *s, size_t cie, size_t end)
{
	size_t letters = cie + 9, at = letters + strnlen((const char *)s->bytes + letters, end - letters) + 1;

	if (at >= end || s->bytes[letters] != 'z')
		return 0;
	at = skip_leb(s, skip_leb(s, at, end), end);
	at = s->bytes[cie + 8] == 1 ? at + 1 : skip_leb(s, at, end);
	at = skip_leb(s, at, end);
	for (letters++; at < end && s->bytes[letters]; letters++) {
		if (s->bytes[letters] == 'R')
			return s->bytes[at];
		if (s->bytes[letters] == 'L')
			at++;
		else if (s->bytes[letters] == 'P')
			at += 1 + pointer_bytes(s->bytes[at] & 0x0f);
	}
	return 0;
}

static void add_function(struct scan *s, size_t fde, size_t end, uint8_t encoding)
{
	size_t n = pointer_bytes(encoding);
	uint64_t address = 0;

	if (!n || fde + 8 + n > end)
		return;
	memcpy(&address, s->bytes + fde + 8, n);
	if ((encoding & 0x0f) == 0x0b)
		address = (uint64_t)(int64_t)(int32_t)address;
	if (encoding & 0x10)
		address += s->address + fde + 8;
	if (s->n_functions == s->size) {
		s->size = 2 * s->size + 256;
		s->functions = xrealloc(s->functions, s->size, sizeof(*s->functions));
	}
	s->functions[s->n_functions++] = (struct function){ address, fde };
}

/* Where the CIE of an FDE is; 0 and *error: nowhere. */
static size_t cie_of(const struct scan *s, size_t fde, int *error)
{
	uint64_t cie = s->is_debug ? u32_at(s, fde + 4) : fde + 4 - (uint64_t)u32_at(s, fde + 4);
	size_t end = cie < s->n ? entry_end(s, (size_t)cie) : 0;

	*error = !end || end - cie < 16 || !is_cie(s, (size_t)cie);
	return *error ? 0 : (size_t)cie;
}

static void collect(struct scan *s)
{
	for (size_t at = 0, end; at + 4 <= s->n; at = end) {
		int error;
		size_t cie;

		end = entry_end(s, at);
		if (!end && u32_at(s, at))
			return;
		if (!end) {
			end = at + 4; /* the end of one object's part */
			continue;
		}
		if (end - at < 16 || is_cie(s, at))
			continue;
		cie = cie_of(s, at, &error);
		if (!error)
			add_function(s, at, end, encoding_of(s, cie, entry_end(s, cie)));
	}
}

/* ---- .debug_frame to .eh_frame --------------------------------------------------------------- */

/* Version 4 has two bytes after the augmentation: what is before them moves there. Returns where
 * the CIE begins now. */
static size_t convert_cie(struct scan *s, size_t cie)
{
	size_t end = entry_end(s, cie), letters = cie + 9, after;

	if (s->bytes[cie + 8] != 4)
		return cie;
	after = letters + strnlen((const char *)s->bytes + letters, end - letters) + 1;
	if (after + 2 > end)
		return cie;
	return cie + 2;
}

static void convert(struct scan *s)
{
	for (size_t i = 0; i < s->n_functions; i++) {
		size_t fde = s->functions[i].information;

		set_u32(s, fde + 4, (uint32_t)(fde + 4 - convert_cie(s, u32_at(s, fde + 4))));
	}
	for (size_t at = 0, end; (end = entry_end(s, at)); at = end) {
		size_t to, after;

		if (!is_cie(s, at))
			continue;
		to = convert_cie(s, at);
		set_u32(s, at + 4, 0);
		if (to == at)
			continue;
		after = at + 9 + strnlen((const char *)s->bytes + at + 9, end - at - 9) + 1;
		set_u32(s, at, u32_at(s, at) - 2);
		s->bytes[at + 8] = 3;
		memmove(s->bytes + to, s->bytes + at, after - at);
	}
}

/* ---- tables ---------------------------------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
	uint64_t left = ((const struct function *)a)->address, right = ((const struct function *)b)->address;

	return (left > right) - (left < right);
}

/* Entries behind what is in `made` already. Functions too far from the first one cannot be told in
 * 32 bits. */
static void write_table(struct scan *s, struct made *made, struct frames_table *table)
{
	qsort(s->functions, s->n_functions, sizeof(*s->functions), by_address);
	table->function_base = s->functions[0].address;
	table->entries = made->address + made->n;
	made->bytes = xrealloc(made->bytes, made->n + 8 * s->n_functions, 1);
	for (size_t i = 0; i < s->n_functions; i++) {
		uint64_t distance = s->functions[i].address - table->function_base;
		int32_t pair[2] = { (int32_t)distance, (int32_t)s->functions[i].information };

		if (distance > INT32_MAX)
			break;
		memcpy(made->bytes + made->n, pair, sizeof(pair));
		made->n += sizeof(pair);
		table->n++;
	}
}

int unwind_tables_make(struct image *image, enum frames_kind kind, struct made *made,
		       struct frames_table *table)
{
	struct scan s = { .is_debug = kind == FRAMES_DEBUG };
	Elf64_Shdr section;

	if (find_section(image, s.is_debug ? ".debug_frame" : ".eh_frame", &section) || !section.sh_size)
		return 0;
	/* Behind the end a string's end is found. */
	s.bytes = xcalloc((size_t)section.sh_size + 1, 1);
	s.n = image_read(image, section.sh_offset, s.bytes, (size_t)section.sh_size);
	s.address = table->segment_base = section.sh_addr;
	collect(&s);
	if (s.is_debug && s.n_functions) {
		convert(&s);
		made->bytes = s.bytes;
		made->n = (s.n + 7) & ~(size_t)7;
		made->bytes = xrealloc(made->bytes, made->n, 1);
		table->segment_base = made->address;
		s.bytes = NULL;
	}
	if (s.n_functions)
		write_table(&s, made, table);
	free(s.bytes);
	free(s.functions);
	return table->n != 0;
}
