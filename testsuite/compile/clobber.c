/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stand-in for the runtime that turns every sled into the call of a thunk which destroys all
 * that a probe may destroy: r10, r11, flags, and what lies below the stack pointer. At sites that
 * carry CINSTR_SITE_KEEP, and at line sleds, it destroys what lies below the stack pointer only. A
 * program that still does the same has right sleds. Knows the tables from cinstr/abi.h alone.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cinstr/abi.h"

static void abort_with(const char *message)
{
	if (write(2, message, strlen(message)) > 0)
		_exit(99);
	_exit(98);
}

__asm__(".pushsection .text\n"
	"thunk_keep:\n"
	".rept 17\n\tpush %rsp\n.endr\n"
	"\tlea 136(%rsp), %rsp\n"
	"\tret\n"
	"thunk_clobber:\n"
	".rept 17\n\tpush %rsp\n.endr\n"
	"\tlea 136(%rsp), %rsp\n"
	"\tmov $0xdead1001, %r10d\n"
	"\tmov $0xdead1101, %r11d\n"
	"\tadd %r10d, %r11d\n"
	"\tret\n"
	"thunk_end:\n"
	".popsection\n");
extern const char thunk_keep[], thunk_clobber[], thunk_end[];

/* Both thunks, near enough to the module for a call. */
static unsigned char *thunks_near(const unsigned char *module)
{
	for (unsigned long distance = 1UL << 20; distance < 1UL << 30; distance += 1UL << 20) {
		void *place = (void *)((unsigned long)(module - distance) & -4096UL);
		void *page = mmap(place, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		if (page == place) {
			memcpy(page, thunk_keep, thunk_end - thunk_keep);
			return page;
		}
		if (page != MAP_FAILED)
			munmap(page, 4096);
	}
	abort_with("no place for the thunks\n");
	return NULL;
}

static void patch(unsigned char *sled, const unsigned char *thunk)
{
	static const unsigned char nop[] = CINSTR_SLED_NOP;
	int distance = (int)(thunk - (sled + CINSTR_SLED_BYTES));

	if (memcmp(sled, nop, sizeof(nop)))
		abort_with("a sled is not the NOP\n");
	sled[0] = 0xe8;
	memcpy(sled + 1, &distance, 4);
}

static void patch_table(const struct cinstr_abi_table *table, const unsigned char *thunks)
{
	const cinstr_abi_ref *refs = (const cinstr_abi_ref *)(table + 1);
	const struct cinstr_abi_record *records = (const struct cinstr_abi_record *)(refs + table->n_refs);
	unsigned char *text = (unsigned char *)((unsigned long)&table->text + table->text);

	for (unsigned int i = 0; i < table->n_records; i++) {
		unsigned int info = records[i].info;
		int keep = CINSTR_REC_FLAGS(info) & CINSTR_SITE_KEEP ||
			   CINSTR_REC_KIND(info) == CINSTR_REC_SOURCE_LINE;

		if (CINSTR_REC_KIND(info) >= CINSTR_REC_ENTER)
			patch(text + (int)records[i].offset,
			      keep ? thunks : thunks + (thunk_clobber - thunk_keep));
	}
}

static void patch_notes(unsigned char *at, const unsigned char *end, unsigned long align,
			const unsigned char *thunks)
{
	while (at < end) {
		const Elf64_Nhdr *note = (const Elf64_Nhdr *)at;
		unsigned char *name = at + sizeof(*note);
		unsigned char *desc = name + ((note->n_namesz + align - 1) & -align);

		if (note->n_type == CINSTR_NOTE_TABLE && !memcmp(name, CINSTR_NOTE_NAME, note->n_namesz))
			patch_table((const struct cinstr_abi_table *)desc, thunks);
		at = desc + ((note->n_descsz + align - 1) & -align);
	}
}

static void protect(unsigned char *base, const Elf64_Phdr *segment, int writable)
{
	unsigned long begin = segment->p_vaddr & -4096UL;
	int access = PROT_READ | PROT_EXEC | (writable ? PROT_WRITE : 0);

	if (segment->p_type == PT_LOAD && segment->p_flags & PF_X)
		if (mprotect(base + begin, segment->p_vaddr + segment->p_memsz - begin, access))
			abort_with("text cannot be written\n");
}

void cinstr_register_v1(const void *module, const struct cinstr_abi_hook *hook, const void *code,
			const struct cinstr_abi_start *how)
{
	const Elf64_Ehdr *ehdr = module;
	const Elf64_Phdr *segments = (const Elf64_Phdr *)((const char *)module + ehdr->e_phoff);
	const unsigned char *thunks = thunks_near(module);
	unsigned char *base = NULL;

	for (int i = ehdr->e_phnum; i-- > 0;)
		if (segments[i].p_type == PT_LOAD)
			base = (unsigned char *)module - (segments[i].p_vaddr - segments[i].p_offset);
	for (int i = 0; i < ehdr->e_phnum; i++)
		protect(base, &segments[i], 1);
	for (int i = 0; i < ehdr->e_phnum; i++)
		if (segments[i].p_type == PT_NOTE)
			patch_notes(base + segments[i].p_vaddr,
				    base + segments[i].p_vaddr + segments[i].p_memsz,
				    segments[i].p_align < 8 ? 4 : 8, thunks);
	for (int i = 0; i < ehdr->e_phnum; i++)
		protect(base, &segments[i], 0);
}

void cinstr_unregister_v1(const void *module)
{
	(void)module;
}
