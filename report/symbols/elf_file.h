/* SPDX-License-Identifier: GPL-3.0-or-later */
/* elf_file.h - an ELF file in memory; every offset is checked before it is used. 64 bit, little
 * endian. */
#ifndef REPORT_ELF_FILE_H
#define REPORT_ELF_FILE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

struct elf {
	char *path; /* NULL: not from a file */
	const char *bytes;
	size_t n_bytes;
	const Elf64_Shdr *sections;
	size_t n_sections;
	/* The sections, if the file has no section headers (elf_loaded.c); else NULL. */
	Elf64_Shdr *made;
};

/* Maps an ELF file. Returns 0, or -1 if it cannot be read or is not such an ELF file. */
int elf_open(struct elf *elf, const char *path);
/* Like elf_open(), for bytes from malloc(), which it owns from then on, also after an error. */
int elf_open_bytes(struct elf *elf, char *bytes, size_t n_bytes);
void elf_close(struct elf *elf);

/* Return a section whose bytes are in the file, or NULL. */
const Elf64_Shdr *elf_section_of_type(const struct elf *elf, uint32_t type);
const Elf64_Shdr *elf_section_named(const struct elf *elf, const char *name);
/* elf_loaded.c, for elf_file.c: make sections from the program headers; return one of them by
 * name. */
void elf_sections_make(struct elf *elf);
const Elf64_Shdr *elf_made_section(const struct elf *elf, const char *name);
/* Returns the file's i-th segment of notes (PT_NOTE), of n bytes; NULL: there are fewer. One that
 * is not in the file has 0 bytes. */
const char *elf_notes(const struct elf *elf, size_t i, size_t *n);
/* Returns the file's build-id of n bytes, or NULL. */
const uint8_t *elf_build_id(const struct elf *elf, size_t *n);
/* Whether the file has this build-id; n 0: any file. */
int elf_build_id_is(const struct elf *elf, const uint8_t *build_id, size_t n);
/* Whether [offset, offset + bytes) lies in the file. */
int elf_has(const struct elf *elf, uint64_t offset, uint64_t bytes);

#endif
