/* SPDX-License-Identifier: MIT */
/*
 * image.c - see image.h. Runs in constructors and destructors of modules; image_find() asks the
 * dynamic loader, which may wait for its lock.
 *
 * The program headers are those that the loader used. A module's ELF header may be another one than
 * its file begins with: patchelf puts a new one in front of programs with fixed addresses.
 */
#include "image.h"
#include "runtime.h"

/* ---- finding it ------------------------------------------------------------------------------ */

static int is_loaded(const ElfW(Phdr) * ph)
{
	return ph->p_type == PT_LOAD;
}

struct image image_of_loaded(const struct dl_phdr_info *info)
{
	return (struct image){ .headers = info->dlpi_phdr,
			       .n = info->dlpi_phnum,
			       .base = info->dlpi_addr,
			       .path = libc_is_program(info) ? "/proc/self/exe" : info->dlpi_name };
}

struct search {
	struct image *image;
	uint64_t at;
	int found;
};

static int look_at_loaded(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;
	const ElfW(Phdr) *ph = info->dlpi_phdr;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (is_loaded(ph + i) && search->at - info->dlpi_addr - ph[i].p_vaddr < ph[i].p_memsz) {
			*search->image = image_of_loaded(info);
			search->found = 1;
			return 1;
		}
	return 0;
}

/* By its own word: of a static program that nobody lists. The headers are on its first page. */
static int read_header(struct image *image, const void *at)
{
	const ElfW(Ehdr) *ehdr = at;
	uint64_t room = CINSTR_PAGE - ((uint64_t)at & (CINSTR_PAGE - 1));

	if (ehdr->e_ident[0] != ELFMAG0 || ehdr->e_ident[1] != ELFMAG1 || ehdr->e_ident[2] != ELFMAG2 ||
	    ehdr->e_ident[3] != ELFMAG3 || ehdr->e_phentsize != sizeof(ElfW(Phdr)) || ehdr->e_phoff > room ||
	    ehdr->e_phnum * sizeof(ElfW(Phdr)) > room - ehdr->e_phoff)
		return -1;
	image->headers = (const void *)((const char *)at + ehdr->e_phoff);
	image->n = ehdr->e_phnum;
	for (int i = 0; i < image->n; i++) {
		const ElfW(Phdr) *ph = image->headers + i;

		if (!is_loaded(ph) || ph->p_offset)
			continue;
		image->base = (uint64_t)at - ph->p_vaddr;
		return 0;
	}
	return -1;
}

int image_find(struct image *image, const void *inside, const void *ehdr)
{
	struct search search = { .image = image, .at = (uint64_t)inside };

	libc_each_object(look_at_loaded, &search);
	return search.found ? 0 : read_header(image, ehdr);
}

/* ---- segments -------------------------------------------------------------------------------- */

const ElfW(Phdr) * image_segment(const struct image *image, const void *at, uint64_t bytes, ElfW(Word) flags)
{
	for (int i = 0; i < image->n; i++) {
		const ElfW(Phdr) *ph = image->headers + i;
		uint64_t offset = (uint64_t)at - image->base - ph->p_vaddr;

		if (is_loaded(ph) && (ph->p_flags & flags) == flags && offset <= ph->p_filesz &&
		    bytes <= ph->p_filesz - offset)
			return ph;
	}
	return NULL;
}

void image_text(const struct image *image, uint64_t *start, uint64_t *end)
{
	*start = UINT64_MAX;
	*end = 0;
	for (int i = 0; i < image->n; i++) {
		const ElfW(Phdr) *ph = image->headers + i;
		uint64_t from = image->base + ph->p_vaddr;

		if (!is_loaded(ph) || !(ph->p_flags & PF_X))
			continue;
		*start = min_of(*start, from);
		if (from + ph->p_memsz > *end)
			*end = from + ph->p_memsz;
	}
	if (*start == UINT64_MAX)
		*start = 0;
}

/* ---- notes ----------------------------------------------------------------------------------- */

/* Where these bytes of the file are mapped; NULL: nowhere. */
static const char *place_in_file(const struct image *image, const ElfW(Phdr) * notes)
{
	for (int i = 0; i < image->n; i++) {
		const ElfW(Phdr) *ph = image->headers + i;
		uint64_t offset = notes->p_offset - ph->p_offset;

		if (is_loaded(ph) && ph->p_flags & PF_R && offset <= ph->p_filesz &&
		    notes->p_filesz <= ph->p_filesz - offset)
			return (const char *)image->base + ph->p_vaddr + offset;
	}
	return NULL;
}

/* By its place in the file first: strip -R of one section of notes makes the address 0. */
int image_next_notes(struct note_segments *segments)
{
	const struct image *image = segments->image;

	while (segments->next < image->n) {
		const ElfW(Phdr) *ph = image->headers + segments->next++;
		const char *at = (const char *)image->base + ph->p_vaddr, *in_file;

		if (ph->p_type != PT_NOTE)
			continue;
		in_file = place_in_file(image, ph);
		if (in_file)
			at = in_file;
		else if (!image_segment(image, at, ph->p_filesz, PF_R))
			continue;
		segments->at = (const char *)(((uint64_t)at + 3) & ~3ull);
		segments->end = at + ph->p_filesz;
		segments->align = ph->p_align == 8 ? 8 : 4;
		if (segments->at < segments->end)
			return 1;
	}
	return 0;
}

int note_read(const char *at, const char *end, uint64_t align, struct note *note)
{
	const ElfW(Nhdr) *header = (const void *)at;
	uint64_t left = (uint64_t)(end - at), name_bytes, bytes;

	if (at >= end || left < sizeof(*header))
		return 0;
	if (!header->n_namesz)
		return 0; /* padding, or what strip has left of a note */
	left -= sizeof(*header);
	name_bytes = ((uint64_t)header->n_namesz + 3) & ~3ull;
	if (name_bytes > left || header->n_descsz > left - name_bytes)
		return 0;
	left -= name_bytes;
	bytes = min_of(((uint64_t)header->n_descsz + align - 1) & ~(align - 1), left);
	note->type = header->n_type;
	note->bytes = header->n_descsz;
	note->name_bytes = header->n_namesz;
	note->name = at + sizeof(*header);
	note->descriptor = note->name + name_bytes;
	note->end = note->descriptor + bytes;
	return 1;
}

int note_is(const struct note *note, const char *name, uint32_t name_bytes)
{
	if (note->name_bytes != name_bytes)
		return 0;
	for (uint32_t i = 0; i < name_bytes; i++)
		if (note->name[i] != name[i])
			return 0;
	return 1;
}
