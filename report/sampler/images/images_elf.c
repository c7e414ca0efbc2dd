/* SPDX-License-Identifier: GPL-3.0-or-later */
/* images_elf.c - program headers and build-id of an image, read through its descriptor: it may be
 * changed meanwhile. See image.h. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image.h"
#include "lib/util.h"
#include "machine.h"

#define PROGRAM_HEADERS_MAX 512
#define NOTES_BYTES_MAX 65536
#define PAGE 4096ull

size_t image_read(const struct image *image, uint64_t offset, void *bytes, size_t n)
{
	ssize_t got;

	if (image->fd < 0 || offset > INT64_MAX)
		return 0;
	got = pread(image->fd, bytes, n, (off_t)offset);
	return got > 0 ? (size_t)got : 0;
}

static void add_segment(struct image *image, const Elf64_Phdr *program)
{
	image->segments = xrealloc(image->segments, image->n_segments + 1, sizeof(*image->segments));
	image->segments[image->n_segments++] =
		(struct image_segment){ program->p_offset, program->p_filesz, program->p_vaddr,
					program->p_memsz, !!(program->p_flags & PF_X) };
}

/* notes[n]: aligned to 4 bytes, as build-ids are. */
static void find_build_id(struct image *image, const char *notes, size_t n)
{
	size_t at = 0;

	while (at + sizeof(Elf64_Nhdr) <= n) {
		Elf64_Nhdr note;
		uint64_t desc;

		memcpy(&note, notes + at, sizeof(note));
		desc = at + sizeof(note) + (((uint64_t)note.n_namesz + 3) & ~3ull);
		if (desc + note.n_descsz > n)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + at + sizeof(note), "GNU", 4) &&
		    note.n_descsz <= sizeof(image->build_id)) {
			image->build_id_bytes = note.n_descsz;
			memcpy(image->build_id, notes + desc, note.n_descsz);
			return;
		}
		at = desc + (((uint64_t)note.n_descsz + 3) & ~3ull);
	}
}

static void read_notes(struct image *image, const Elf64_Phdr *program)
{
	size_t n = program->p_filesz < NOTES_BYTES_MAX ? (size_t)program->p_filesz : NOTES_BYTES_MAX;
	FREED char *notes = NULL;

	if (image->build_id_bytes || !n)
		return;
	notes = xcalloc(n, 1);
	find_build_id(image, notes, image_read(image, program->p_offset, notes, n));
}

static void read_program_header(struct image *image, const Elf64_Phdr *program)
{
	if (program->p_type == PT_LOAD && program->p_filesz)
		add_segment(image, program);
	else if (program->p_type == PT_NOTE)
		read_notes(image, program);
	else if (program->p_type == PT_GNU_EH_FRAME)
		image->eh_frame_hdr = program->p_vaddr;
}

void image_read_headers(struct image *image)
{
	Elf64_Ehdr header;

	if (image_read(image, 0, &header, sizeof(header)) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != MACHINE_ELF ||
	    header.e_phentsize != sizeof(Elf64_Phdr))
		return;
	for (uint32_t i = 0; i < header.e_phnum && i < PROGRAM_HEADERS_MAX; i++) {
		Elf64_Phdr program;

		if (image_read(image, header.e_phoff + i * sizeof(program), &program, sizeof(program)) !=
		    sizeof(program))
			return;
		read_program_header(image, &program);
	}
}

int image_is_zeroed(const struct image *image, uint64_t address)
{
	for (size_t i = 0; i < image->n_segments; i++) {
		const struct image_segment *s = &image->segments[i];

		if (address - s->address < s->memory_bytes)
			return address - s->address >= s->file_bytes;
	}
	return 0;
}

/* A mapping begins at a page; the segment in it may begin later. */
static int is_in_segment(const struct image_segment *s, uint64_t file_offset)
{
	uint64_t first = s->offset & ~(PAGE - 1);

	return file_offset >= first && file_offset - first < (s->offset - first) + s->file_bytes;
}

/* The page where two segments meet is mapped for both of them: what is asked for is code. */
uint64_t image_base(const struct image *image, uint64_t start, uint64_t file_offset)
{
	for (int is_code = 1; is_code >= 0; is_code--)
		for (size_t i = 0; i < image->n_segments; i++) {
			const struct image_segment *s = &image->segments[i];

			if (s->is_code == is_code && is_in_segment(s, file_offset))
				return start - (s->address - s->offset + file_offset);
		}
	return start - file_offset;
}
