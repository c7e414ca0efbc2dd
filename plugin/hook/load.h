/* SPDX-License-Identifier: MIT */
/*
 * Loads the runtime's library without the dynamic loader, which would allocate with the program's
 * own malloc before the program has set that up. The library needs no other one, so only
 * relocations against its own address are necessary. It is never unloaded.
 */
#ifndef CINSTR_HOOK_LOAD_H
#define CINSTR_HOOK_LOAD_H

#include "objects.h"

#define HOOK_PAGE 4096ul
#define HOOK_HEADER_BYTES 1024 /* the ELF header and the program headers */
#define HOOK_PATH_MAX 512

struct hook_library {
	struct hook_object object;
	char path[HOOK_PATH_MAX];
};

union hook_header {
	Elf64_Ehdr elf;
	char bytes[HOOK_HEADER_BYTES];
};

static inline uint64_t hook_page_down(uint64_t at)
{
	return at & ~(HOOK_PAGE - 1);
}

static inline uint64_t hook_page_up(uint64_t at)
{
	return hook_page_down(at + HOOK_PAGE - 1);
}

/* Returns the program headers of a library for this processor, or NULL. */
static const Elf64_Phdr *cinstr_hook_headers(long fd, union hook_header *header)
{
	long n = hook_syscall(SYS_read, (void *)fd, (long)header, sizeof(*header), 0, 0, 0);
	const Elf64_Ehdr *elf = &header->elf;

	if (n < (long)sizeof(*elf) || elf->e_ident[EI_MAG0] != ELFMAG0 || elf->e_ident[EI_MAG1] != ELFMAG1 ||
	    elf->e_ident[EI_MAG2] != ELFMAG2 || elf->e_ident[EI_MAG3] != ELFMAG3 ||
	    elf->e_ident[EI_CLASS] != ELFCLASS64 || elf->e_type != ET_DYN || elf->e_machine != HOOK_MACHINE ||
	    elf->e_phentsize != sizeof(Elf64_Phdr) ||
	    elf->e_phoff + elf->e_phnum * sizeof(Elf64_Phdr) > (uint64_t)n)
		return NULL;
	return (const void *)(header->bytes + elf->e_phoff);
}

/* Maps a segment into the reserved place. Returns 1 on success, else 0. */
static int cinstr_hook_map_segment(char *base, const Elf64_Phdr *ph, long fd)
{
	int protection = (ph->p_flags & PF_R ? PROT_READ : 0) | (ph->p_flags & PF_W ? PROT_WRITE : 0) |
			 (ph->p_flags & PF_X ? PROT_EXEC : 0);
	uint64_t begin = hook_page_down(ph->p_vaddr), file_end = ph->p_vaddr + ph->p_filesz;
	uint64_t end = hook_page_up(ph->p_vaddr + ph->p_memsz), filled = hook_page_up(file_end);

	if (hook_failed(hook_map(base + begin, file_end - begin, protection, MAP_PRIVATE | MAP_FIXED, fd,
				 hook_page_down(ph->p_offset))))
		return 0;
	if (ph->p_memsz == ph->p_filesz)
		return 1;
	for (uint64_t at = file_end; at < filled; at++)
		*(volatile char *)(base + at) = 0;
	return filled >= end || !hook_failed(hook_map(base + filled, end - filled, protection,
						      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
}

/* Returns the address of the mapped library, or NULL. *bytes: its size in memory. */
static char *cinstr_hook_map_file(const Elf64_Phdr *ph, int n, long fd, uint64_t *bytes)
{
	char *base;

	*bytes = 0;
	for (int i = 0; i < n; i++)
		if (ph[i].p_type == PT_LOAD)
			*bytes = hook_page_up(ph[i].p_vaddr + ph[i].p_memsz);
	base = hook_map(NULL, *bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (hook_failed(base))
		return NULL;
	for (int i = 0; i < n; i++)
		if (ph[i].p_type == PT_LOAD && !cinstr_hook_map_segment(base, &ph[i], fd)) {
			hook_syscall(SYS_munmap, base, (long)*bytes, 0, 0, 0, 0);
			return NULL;
		}
	return base;
}

/* Returns 0 at a relocation that needs the dynamic loader. */
static int cinstr_hook_relocate(const struct hook_object *object, const Elf64_Sym *symbols,
				const Elf64_Rela *rela, uint64_t bytes)
{
	for (; bytes >= sizeof(*rela); bytes -= sizeof(*rela), rela++) {
		uint64_t *at = (uint64_t *)(object->base + rela->r_offset);
		const Elf64_Sym *symbol = &symbols[ELF64_R_SYM(rela->r_info)];
		uint32_t type = ELF64_R_TYPE(rela->r_info);
		uint64_t value = symbol->st_shndx ? object->base + symbol->st_value : 0;

		if (type == HOOK_RELATIVE)
			*at = object->base + (uint64_t)rela->r_addend;
		else if (type == HOOK_GLOBAL || type == HOOK_SLOT)
			*at = value;
		else if (type == HOOK_ADDRESS)
			*at = value ? value + (uint64_t)rela->r_addend : 0;
		else if (type != HOOK_NONE && type != HOOK_THREAD)
			return 0; /* thread variables: the hook's module has their place */
		if (type != HOOK_RELATIVE && type != HOOK_NONE && type != HOOK_THREAD && !value &&
		    ELF64_ST_BIND(symbol->st_info) != STB_WEAK)
			return 0;
	}
	return 1;
}

static int cinstr_hook_relocate_all(const struct hook_object *object)
{
	struct hook_symbols table;
	const Elf64_Rela *rela = NULL, *plt = NULL;
	uint64_t rela_bytes = 0, plt_bytes = 0;

	cinstr_hook_read_symbols(object, &table);
	for (const Elf64_Dyn *d = object->dynamic; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_RELA)
			rela = hook_pointer(object, d->d_un.d_ptr);
		else if (d->d_tag == DT_RELASZ)
			rela_bytes = d->d_un.d_val;
		else if (d->d_tag == DT_JMPREL)
			plt = hook_pointer(object, d->d_un.d_ptr);
		else if (d->d_tag == DT_PLTRELSZ)
			plt_bytes = d->d_un.d_val;
		else if (d->d_tag == DT_RELRSZ && d->d_un.d_val)
			return 0;
	}
	return cinstr_hook_relocate(object, table.symbols, rela, rela_bytes) &&
	       cinstr_hook_relocate(object, table.symbols, plt, plt_bytes);
}

/* Makes the mapped library ready to be called. Returns 1 on success, else 0. */
static int cinstr_hook_prepare(char *base, const Elf64_Phdr *ph, int n, struct hook_object *out)
{
	out->base = (uint64_t)base;
	out->dynamic = NULL;
	for (int i = 0; i < n; i++)
		if (ph[i].p_type == PT_DYNAMIC)
			out->dynamic = (const void *)(base + ph[i].p_vaddr);
	if (!out->dynamic || !cinstr_hook_relocate_all(out))
		return 0;
	for (int i = 0; i < n; i++)
		if (ph[i].p_type == PT_GNU_RELRO) {
			uint64_t from = hook_page_down(ph[i].p_vaddr);
			uint64_t to = hook_page_down(ph[i].p_vaddr + ph[i].p_memsz);

			hook_syscall(SYS_mprotect, base + from, (long)(to - from), PROT_READ, 0, 0, 0);
		}
	return 1;
}

/* Loads the library at this path of `length` characters. Returns 1 on success, else 0. */
static int cinstr_hook_load(const char *path, size_t length, struct hook_library *out)
{
	union hook_header header;
	const Elf64_Phdr *ph;
	char *base = NULL;
	uint64_t bytes;
	long fd;
	int done;

	if (length >= sizeof(out->path))
		return 0;
	for (size_t i = 0; i < length; i++)
		out->path[i] = path[i];
	out->path[length] = '\0';
	fd = hook_open(out->path);
	if (fd < 0)
		return 0;
	ph = cinstr_hook_headers(fd, &header);
	if (ph)
		base = cinstr_hook_map_file(ph, header.elf.e_phnum, fd, &bytes);
	hook_syscall(SYS_close, (void *)fd, 0, 0, 0, 0, 0);
	if (!base)
		return 0;
	done = cinstr_hook_prepare(base, ph, header.elf.e_phnum, &out->object);
	if (!done)
		hook_syscall(SYS_munmap, base, (long)bytes, 0, 0, 0, 0);
	return done;
}

/* Loads the file from a folder (of `length` characters). */
static int cinstr_hook_load_in(const char *folder, size_t length, const char *file, struct hook_library *out)
{
	char path[HOOK_PATH_MAX];
	size_t n = hook_length(file);

	if (!length || length + n + 2 > sizeof(path))
		return 0;
	for (size_t i = 0; i < length; i++)
		path[i] = folder[i];
	path[length] = '/';
	for (size_t i = 0; i <= n; i++)
		path[length + 1 + i] = file[i];
	return cinstr_hook_load(path, length + 1 + n, out);
}

/* Loads a file without a folder from where the dynamic loader would look. libc: path of the C
 * library. */
static int cinstr_hook_search(const char *file, const char *library_path, const char *libc,
			      struct hook_library *out)
{
	const char *const lists[] = { library_path, "/usr/local/lib:/lib64:/usr/lib64:/usr/lib" };

	if (cinstr_hook_load_in(libc, (size_t)(hook_base_name(libc) - libc), file, out))
		return 1;
	for (int i = 0; i < 2; i++)
		for (const char *at = lists[i], *end; at && *at; at = *end ? end + 1 : end) {
			for (end = at; *end && *end != ':' && *end != ';'; end++)
				;
			if (cinstr_hook_load_in(at, (size_t)(end - at), file, out))
				return 1;
		}
	return 0;
}

#endif
