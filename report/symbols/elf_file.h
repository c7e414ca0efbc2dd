/* SPDX-License-Identifier: GPL-3.0-or-later */
/* elf_file.h - an ELF file in memory, of which every offset is checked before it is used. 64 bit,
 * little endian. */
#ifndef REPORT_ELF_FILE_H
#define REPORT_ELF_FILE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

struct elf {
	char *path; /* NULL: it is not a file's */
	const char *bytes;
	size_t n_bytes;
	const Elf64_Shdr *sections;
	size_t n_sections;
	/* the sections, where the file does not tell them (elf_loaded.c); else NULL */
	Elf64_Shdr *made;
};

/* 0; -1: no such file, or not such an ELF file. */
int elf_open(struct elf *elf, const char *path);
/* The same of bytes from malloc(), which it takes over in any case. */
int elf_open_bytes(struct elf *elf, char *bytes, size_t n_bytes);
void elf_close(struct elf *elf);

/* Sections whose bytes are in the file; NULL: none. */
const Elf64_Shdr *elf_section_of_type(const struct elf *elf, uint32_t type);
const Elf64_Shdr *elf_section_named(const struct elf *elf, const char *name);
/* elf_loaded.c, for elf_file.c: sections by the program headers, and that of a name among them. */
void elf_sections_make(struct elf *elf);
const Elf64_Shdr *elf_made_section(const struct elf *elf, const char *name);
/* The file's build-id, of n bytes; NULL: it has none. */
const uint8_t *elf_build_id(const struct elf *elf, size_t *n);
/* Whether the file's build-id is this one; n 0: any will do. */
int elf_build_id_is(const struct elf *elf, const uint8_t *build_id, size_t n);
/* Whether [offset, offset + bytes) is in the file. */
int elf_has(const struct elf *elf, uint64_t offset, uint64_t bytes);

#endif
