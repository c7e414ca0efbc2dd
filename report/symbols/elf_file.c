/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elf_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/files.h"
#include "lib/util.h"

int elf_has(const struct elf *elf, uint64_t offset, uint64_t bytes)
{
	return offset <= elf->n_bytes && bytes <= elf->n_bytes - offset;
}

void elf_close(struct elf *elf)
{
	if (elf->path)
		munmap((void *)(uintptr_t)elf->bytes, elf->n_bytes);
	else
		free((void *)(uintptr_t)elf->bytes);
	free(elf->path);
	free(elf->made);
	*elf = (struct elf){ 0 };
}

static int check(struct elf *elf)
{
	const Elf64_Ehdr *header = (const void *)elf->bytes;

	if (elf->n_bytes < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
		return -1;
	if (!header->e_shnum) {
		elf_sections_make(elf);
		return 0;
	}
	if (header->e_shoff % 8 || header->e_shentsize != sizeof(Elf64_Shdr) ||
	    !elf_has(elf, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr)))
		return -1;
	elf->sections = (const void *)(elf->bytes + header->e_shoff);
	elf->n_sections = header->e_shnum;
	return 0;
}

int elf_open(struct elf *elf, const char *path)
{
	int fd = files_open(path, FILES_LINKED);
	struct stat st;
	void *bytes = MAP_FAILED;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0)
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return -1;
	*elf = (struct elf){ .path = xstrdup(path), .bytes = bytes, .n_bytes = (size_t)st.st_size };
	if (!check(elf))
		return 0;
	elf_close(elf);
	return -1;
}

int elf_open_bytes(struct elf *elf, char *bytes, size_t n_bytes)
{
	*elf = (struct elf){ .bytes = bytes, .n_bytes = n_bytes };
	if (!check(elf))
		return 0;
	elf_close(elf);
	return -1;
}

const Elf64_Shdr *elf_section_of_type(const struct elf *elf, uint32_t type)
{
	for (size_t i = 0; i < elf->n_sections; i++)
		if (elf->sections[i].sh_type == type &&
		    elf_has(elf, elf->sections[i].sh_offset, elf->sections[i].sh_size))
			return &elf->sections[i];
	return NULL;
}

const Elf64_Shdr *elf_section_named(const struct elf *elf, const char *name)
{
	const Elf64_Ehdr *header = (const void *)elf->bytes;
	size_t n = strlen(name) + 1;
	const Elf64_Shdr *names;

	if (elf->made)
		return elf_made_section(elf, name);
	if (!elf->bytes || header->e_shstrndx >= elf->n_sections)
		return NULL;
	names = &elf->sections[header->e_shstrndx];
	if (!elf_has(elf, names->sh_offset, names->sh_size))
		return NULL;
	for (size_t i = 0; i < elf->n_sections; i++) {
		const Elf64_Shdr *s = &elf->sections[i];

		if (s->sh_name < names->sh_size && n <= names->sh_size - s->sh_name &&
		    !memcmp(elf->bytes + names->sh_offset + s->sh_name, name, n) &&
		    s->sh_type != SHT_NOBITS && elf_has(elf, s->sh_offset, s->sh_size))
			return s;
	}
	return NULL;
}

const char *elf_notes(const struct elf *elf, size_t i, size_t *n)
{
	const Elf64_Ehdr *header = (const void *)elf->bytes;
	Elf64_Phdr p;

	for (size_t k = 0; header->e_phentsize == sizeof(p) && k < header->e_phnum; k++) {
		if (header->e_phoff > elf->n_bytes ||
		    !elf_has(elf, header->e_phoff + k * sizeof(p), sizeof(p)))
			return NULL;
		memcpy(&p, elf->bytes + header->e_phoff + k * sizeof(p), sizeof(p));
		if (p.p_type != PT_NOTE || i--)
			continue;
		*n = elf_has(elf, p.p_offset, p.p_filesz) ? p.p_filesz : 0;
		return elf->bytes + (*n ? p.p_offset : 0);
	}
	return NULL;
}

/* The build-id among the notes; NULL: none. */
static const uint8_t *note_build_id(const char *notes, uint64_t bytes, size_t *n)
{
	uint64_t at = 0;

	while (at + sizeof(Elf64_Nhdr) <= bytes) {
		Elf64_Nhdr note;
		uint64_t desc;

		memcpy(&note, notes + at, sizeof(note));
		desc = at + sizeof(note) + (((uint64_t)note.n_namesz + 3) & ~3ull);
		if (desc + note.n_descsz > bytes)
			return NULL;
		*n = note.n_descsz;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + at + sizeof(note), "GNU", 4))
			return (const uint8_t *)notes + desc;
		at = desc + (((uint64_t)note.n_descsz + 3) & ~3ull);
	}
	return NULL;
}

const uint8_t *elf_build_id(const struct elf *elf, size_t *n)
{
	for (size_t i = 0; i < elf->n_sections; i++) {
		const Elf64_Shdr *s = &elf->sections[i];
		const uint8_t *found = s->sh_type == SHT_NOTE && elf_has(elf, s->sh_offset, s->sh_size)
					       ? note_build_id(elf->bytes + s->sh_offset, s->sh_size, n)
					       : NULL;

		if (found)
			return found;
	}
	*n = 0;
	return NULL;
}

int elf_build_id_is(const struct elf *elf, const uint8_t *build_id, size_t n)
{
	size_t found_bytes;
	const uint8_t *found = n ? elf_build_id(elf, &found_bytes) : NULL;

	return !n || (found && found_bytes == n && !memcmp(found, build_id, n));
}
