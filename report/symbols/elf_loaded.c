/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elf_loaded.c - see elf_file.h: makes sections for a file without section headers, such as a copy
 * of a process's memory. Program headers suffice for the important ones: the dynamic symbols, the
 * unwind information, the notes.
 */
#include <stdlib.h>
#include <string.h>

#include "elf_file.h"
#include "lib/util.h"

#define PAGE 4096u
#define HEADERS_MAX 64
#define SDATA4_PC 0x1b /* how .eh_frame_hdr says where .eh_frame is */

/* The numbers of what is made. */
enum { MADE_NONE, MADE_SYMBOLS, MADE_STRINGS, MADE_FRAMES, MADE_NOTES, MADE_END = MADE_NOTES + 4 };

static const char *const names[MADE_END] = { "", ".dynsym", ".dynstr", ".eh_frame", "", "", "", "" };

struct making {
	struct elf *elf;
	Elf64_Phdr headers[HEADERS_MAX];
	size_t n;
	Elf64_Shdr *made;
};

static int headers_read(struct making *m)
{
	const Elf64_Ehdr *file = (const void *)m->elf->bytes;

	m->n = file->e_phnum < HEADERS_MAX ? file->e_phnum : HEADERS_MAX;
	if (file->e_phentsize != sizeof(Elf64_Phdr) ||
	    !elf_has(m->elf, file->e_phoff, m->n * sizeof(Elf64_Phdr)))
		return -1;
	memcpy(m->headers, m->elf->bytes + file->e_phoff, m->n * sizeof(Elf64_Phdr));
	for (size_t i = 0; i < m->n; i++)
		if (!elf_has(m->elf, m->headers[i].p_offset, m->headers[i].p_filesz))
			m->headers[i].p_filesz = 0;
	return 0;
}

/* What is in the file of the segment that holds the address: its offset, and how many bytes. 0:
 * nothing. */
static uint64_t bytes_at(const struct making *m, uint64_t address, uint64_t *offset)
{
	for (size_t i = 0; i < m->n; i++) {
		const Elf64_Phdr *p = &m->headers[i];

		if (p->p_type == PT_LOAD && address - p->p_vaddr < p->p_filesz) {
			*offset = p->p_offset + (address - p->p_vaddr);
			return p->p_filesz - (address - p->p_vaddr);
		}
	}
	return 0;
}

static void make(struct making *m, int number, uint32_t type, uint64_t address, uint64_t offset,
		 uint64_t bytes)
{
	m->made[number] = (Elf64_Shdr){ .sh_type = type,
					.sh_flags = SHF_ALLOC,
					.sh_addr = address,
					.sh_offset = offset,
					.sh_size = bytes,
					.sh_link = type == SHT_DYNSYM ? MADE_STRINGS : 0 };
}

/* ---- symbols --------------------------------------------------------------------------------- */

struct dynamic {
	uint64_t symbols, strings, strings_bytes;
};

static void dynamic_read(const struct making *m, const Elf64_Phdr *p, struct dynamic *d)
{
	for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= p->p_filesz; at += sizeof(Elf64_Dyn)) {
		Elf64_Dyn entry;

		memcpy(&entry, m->elf->bytes + p->p_offset + at, sizeof(entry));
		if (entry.d_tag == DT_SYMTAB)
			d->symbols = entry.d_un.d_ptr;
		if (entry.d_tag == DT_STRTAB)
			d->strings = entry.d_un.d_ptr;
		if (entry.d_tag == DT_STRSZ)
			d->strings_bytes = entry.d_un.d_val;
	}
}

/* The linker puts the strings right behind the symbols, the first of which is empty. */
static int symbols_make(struct making *m, const struct dynamic *d, uint64_t base)
{
	static const Elf64_Sym empty;
	uint64_t symbols_at, strings_at, bytes = d->strings - d->symbols;

	if (bytes_at(m, d->symbols - base, &symbols_at) < bytes ||
	    bytes_at(m, d->strings - base, &strings_at) < d->strings_bytes || symbols_at % 8 ||
	    memcmp(m->elf->bytes + symbols_at, &empty, sizeof(empty)) || m->elf->bytes[strings_at] ||
	    m->elf->bytes[strings_at + d->strings_bytes - 1])
		return -1;
	make(m, MADE_SYMBOLS, SHT_DYNSYM, d->symbols - base, symbols_at, bytes);
	make(m, MADE_STRINGS, SHT_STRTAB, d->strings - base, strings_at, d->strings_bytes);
	return 0;
}

/* The loader has added the address where the file was loaded to the pointers: which it is, is tried
 * out. */
static void symbols_find(struct making *m, const Elf64_Phdr *p)
{
	struct dynamic d = { 0 };
	uint64_t end = 0;

	dynamic_read(m, p, &d);
	if (d.strings_bytes < 2 || d.symbols >= d.strings || d.strings - d.symbols < sizeof(Elf64_Sym))
		return;
	for (size_t i = 0; i < m->n; i++)
		if (m->headers[i].p_type == PT_LOAD && m->headers[i].p_vaddr + m->headers[i].p_filesz > end)
			end = m->headers[i].p_vaddr + m->headers[i].p_filesz;
	if (end > m->elf->n_bytes + (1u << 24) || !symbols_make(m, &d, 0))
		return;
	for (uint64_t base = d.symbols & -(uint64_t)PAGE; base && d.symbols - base < end; base -= PAGE)
		if (!symbols_make(m, &d, base))
			return;
}

/* ---- unwind information ---------------------------------------------------------------------- */

static uint64_t frames_bytes(const char *at, uint64_t left)
{
	uint64_t bytes = 0;
	uint32_t length;

	while (left - bytes >= 4) {
		memcpy(&length, at + bytes, 4);
		if (!length || length >= 0xfffffff0u || length > left - bytes - 4)
			break;
		bytes += 4 + (uint64_t)length;
	}
	return bytes;
}

static void frames_find(struct making *m, const Elf64_Phdr *p)
{
	const char *at = p->p_filesz < 8 ? NULL : m->elf->bytes + p->p_offset;
	uint64_t address, offset, left;
	int32_t relative;

	if (!at || at[0] != 1 || (unsigned char)at[1] != SDATA4_PC)
		return;
	memcpy(&relative, at + 4, sizeof(relative));
	address = p->p_vaddr + 4 + (uint64_t)(int64_t)relative;
	left = bytes_at(m, address, &offset);
	if (left)
		make(m, MADE_FRAMES, SHT_PROGBITS, address, offset,
		     frames_bytes(m->elf->bytes + offset, left));
}

/* ---------------------------------------------------------------------------------------------- */

void elf_sections_make(struct elf *elf)
{
	struct making m = { .elf = elf };
	int note = MADE_NOTES;

	if (headers_read(&m))
		return;
	m.made = xcalloc(MADE_END, sizeof(*m.made));
	for (size_t i = 0; i < m.n; i++) {
		const Elf64_Phdr *p = &m.headers[i];

		if (p->p_type == PT_DYNAMIC)
			symbols_find(&m, p);
		if (p->p_type == PT_GNU_EH_FRAME)
			frames_find(&m, p);
		if (p->p_type == PT_NOTE && note < MADE_END)
			make(&m, note++, SHT_NOTE, p->p_vaddr, p->p_offset, p->p_filesz);
	}
	elf->made = m.made;
	elf->sections = m.made;
	elf->n_sections = MADE_END;
}

const Elf64_Shdr *elf_made_section(const struct elf *elf, const char *name)
{
	for (size_t i = MADE_SYMBOLS; i < MADE_NOTES; i++)
		if (elf->made[i].sh_size && !strcmp(names[i], name))
			return &elf->made[i];
	return NULL;
}
