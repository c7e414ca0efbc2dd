/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unwind_sections.c - the sections of an image that hold its unwind information, as a small ELF
 * file in memory. See unwind_cfi.h.
 *
 * libdw is given nothing else of the file: no headers that may be damaged, no sections of debug
 * information, of which it would read, and unpack, all. And it reads some bytes in front of a
 * section, and behind it, where what is in there leads to its ends (0.188, 0.192): so there is room
 * around each.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "sampler/images/image.h"
#include "unwind_cfi.h"

#define SECTION_BYTES_MAX (64ull << 20)
#define SECTIONS_MAX 65536u
#define ROOM 64 /* bytes around a section */

struct section {
	const char *name;
	uint64_t address, offset, n; /* as in the image */
};

/* ---- in the image ---------------------------------------------------------------------------- */

static int has_name(const struct image *image, const Elf64_Shdr *names, const Elf64_Shdr *section,
		    const char *name)
{
	char found[32] = { 0 };
	size_t n = strlen(name) + 1;

	return section->sh_name < names->sh_size &&
	       image_read(image, names->sh_offset + section->sh_name, found, n) == n &&
	       !memcmp(found, name, n);
}

static int find_by_name(const struct image *image, const char *name, struct section *found)
{
	Elf64_Ehdr header;
	Elf64_Shdr names, s;

	if (image_read(image, 0, &header, sizeof(header)) != sizeof(header) || !header.e_shnum ||
	    header.e_shentsize != sizeof(s) ||
	    image_read(image, header.e_shoff + header.e_shstrndx * sizeof(names), &names, sizeof(names)) !=
		    sizeof(names))
		return -1;
	for (size_t i = 0; i < header.e_shnum && i < SECTIONS_MAX; i++) {
		if (image_read(image, header.e_shoff + i * sizeof(s), &s, sizeof(s)) != sizeof(s) ||
		    !has_name(image, &names, &s, name))
			continue;
		*found = (struct section){ name, s.sh_addr, s.sh_offset, s.sh_size };
		return s.sh_type == SHT_NOBITS || s.sh_flags & SHF_COMPRESSED ? -1 : 0;
	}
	return -1;
}

/* Where there are no section headers, as in copies of a process's memory: .eh_frame_hdr says where
 * .eh_frame begins; it ends with its segment at the latest. */
static int find_by_header(struct image *image, struct section *found)
{
	uint8_t head[8];
	int32_t distance;
	uint64_t address;

	if (!image->eh_frame_hdr ||
	    image_unwind_read(image, image->eh_frame_hdr, head, sizeof(head)) != sizeof(head) ||
	    head[1] != CFI_POINTER_TO_EH_FRAME)
		return -1;
	memcpy(&distance, head + 4, sizeof(distance));
	address = image->eh_frame_hdr + 4 + (uint64_t)(int64_t)distance;
	for (size_t i = 0; i < image->n_segments; i++) {
		const struct image_segment *s = &image->segments[i];
		uint64_t at = address - s->address;

		if (at >= s->file_bytes)
			continue;
		*found = (struct section){ ".eh_frame", address, s->offset + at, s->file_bytes - at };
		return 0;
	}
	return -1;
}

/* .eh_frame_hdr, if it has a table. */
static int find_header(struct image *image, struct section *found)
{
	struct functions functions;

	if (image_functions(image, &functions))
		return -1;
	for (size_t i = 0; i < image->n_segments; i++) {
		const struct image_segment *s = &image->segments[i];
		uint64_t at = image->eh_frame_hdr - s->address, left = s->file_bytes - at;
		uint64_t n = functions.entries + 8 * functions.n - image->eh_frame_hdr;

		if (at >= s->file_bytes)
			continue;
		*found = (struct section){ ".eh_frame_hdr", image->eh_frame_hdr, s->offset + at,
					   n < left ? n : left };
		return 0;
	}
	return -1;
}

/* In the order in which libdw wants them. Returns how many. */
static size_t find_all(struct image *image, enum frames_kind kind, struct section found[2])
{
	size_t n = kind == FRAMES_EH && !find_header(image, &found[0]) ? 1 : 0;

	if (kind == FRAMES_DEBUG)
		return find_by_name(image, ".debug_frame", &found[0]) ? 0 : 1;
	if (find_by_name(image, ".eh_frame", &found[n]) && find_by_header(image, &found[n]))
		return 0;
	return n + 1;
}

/* ---- the small file -------------------------------------------------------------------------- */

/* Header, section headers, their names; then the sections. */
struct head {
	Elf64_Ehdr elf;
	Elf64_Shdr sections[4]; /* none, names, the image's */
	char names[64];
};

static void put_head(struct head *head, const struct section *sections, const size_t *at, size_t n)
{
	size_t used = 1; /* the names' section has none, at 0 */

	head->elf = (Elf64_Ehdr){ .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
					       EV_CURRENT },
				  .e_type = ET_DYN,
				  .e_machine = MACHINE_ELF,
				  .e_version = EV_CURRENT,
				  .e_shoff = offsetof(struct head, sections),
				  .e_ehsize = sizeof(Elf64_Ehdr),
				  .e_shentsize = sizeof(Elf64_Shdr),
				  .e_shnum = (Elf64_Half)(2 + n),
				  .e_shstrndx = 1 };
	head->sections[1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
					  .sh_offset = offsetof(struct head, names),
					  .sh_size = sizeof(head->names) };
	for (size_t i = 0; i < n; i++) {
		head->sections[2 + i] = (Elf64_Shdr){ .sh_name = (Elf64_Word)used,
						      .sh_type = SHT_PROGBITS,
						      .sh_flags = SHF_ALLOC,
						      .sh_addr = sections[i].address,
						      .sh_offset = at[i],
						      .sh_size = sections[i].n,
						      .sh_addralign = 1 };
		memcpy(head->names + used, sections[i].name, strlen(sections[i].name) + 1);
		used += strlen(sections[i].name) + 1;
	}
}

char *unwind_sections(struct image *image, enum frames_kind kind, size_t *bytes)
{
	struct section sections[2];
	size_t n = find_all(image, kind, sections), at[2], end = sizeof(struct head) + ROOM;
	char *file;

	for (size_t i = 0; i < n; i++) {
		if (!sections[i].n || sections[i].n > SECTION_BYTES_MAX)
			return NULL;
		at[i] = end;
		end += (size_t)sections[i].n + ROOM;
	}
	if (!n)
		return NULL;
	file = xcalloc(end, 1);
	for (size_t i = 0; i < n; i++)
		sections[i].n = image_read(image, sections[i].offset, file + at[i], (size_t)sections[i].n);
	put_head((struct head *)(void *)file, sections, at, n);
	*bytes = end;
	return file;
}
