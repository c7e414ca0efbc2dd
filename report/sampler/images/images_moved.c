/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * images_moved.c - code that a program has moved onto pages of no file (mostly huge pages): the
 * kernel reports it as code made at run time, but it is still the file's. Recognised by comparing
 * the process's memory with the file. See image.h.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "image.h"

#define PAGE_BYTES 4096
#define PAGES_COMPARED 64

/* The bytes of the image at a link address: up to a page of code, 0: none. */
static size_t read_code(const struct image *image, uint64_t address, char *bytes)
{
	for (size_t i = 0; i < image->n_segments; i++) {
		const struct image_segment *s = &image->segments[i];
		uint64_t from = address - s->address, left = s->file_bytes - from;

		if (s->is_code && address >= s->address && from < s->file_bytes)
			return image_read(image, s->offset + from, bytes,
					  left < PAGE_BYTES ? (size_t)left : PAGE_BYTES);
	}
	return 0;
}

/* 1: the page holds what the file has there; 0: something else; -1: it cannot be told. */
static int is_page_of(const struct mapped_image *of, uint32_t pid, uint64_t address)
{
	char file[PAGE_BYTES], memory[PAGE_BYTES];
	size_t n = read_code(of->image, address - of->base, file);

	if (!n || image_read_memory(pid, address, memory, n) != n)
		return -1;
	return !memcmp(file, memory, n);
}

int image_is_moved(const struct mapped_image *of, const struct raw_mapping *to)
{
	uint64_t pages = (to->end - to->start) / PAGE_BYTES;
	uint64_t step = pages > PAGES_COMPARED ? pages / PAGES_COMPARED : 1;
	unsigned same = 0, different = 0;

	for (uint64_t i = 0; i < pages; i += step) {
		int is_same = is_page_of(of, to->pid, to->start + i * PAGE_BYTES);

		same += is_same == 1;
		different += is_same == 0;
	}
	if (!same && !different) /* of a process that is gone only the place is known */
		return to->start == of->start && to->end == of->end && kill((pid_t)to->pid, 0) &&
		       errno == ESRCH;
	return same > different; /* somebody may have patched some of it */
}

/* ---- moved before anything was known of the process ------------------------------------------ */

struct search {
	struct images *images;
	const struct raw_mapping *moved;
	struct mapped_image found;
};

static int holds(const struct image *image, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < image->n_segments; i++) {
		const struct image_segment *s = &image->segments[i];
		uint64_t end = (s->address + s->file_bytes + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);

		if (s->is_code && from >= (s->address & ~(uint64_t)(PAGE_BYTES - 1)) && to <= end)
			return 1;
	}
	return 0;
}

/* Another part of the file may be mapped where the loader has put it. */
static void see_part(void *arg, const struct raw_mapping *part)
{
	struct search *search = arg;
	struct mapped_image of = { .start = search->moved->start, .end = search->moved->end };

	if (search->found.image || part->path[0] != '/' || !part->inode)
		return;
	of.image = images_get(search->images, part);
	if (!of.image)
		return;
	of.base = image_base(of.image, part->start, part->file_offset);
	if (holds(of.image, of.start - of.base, of.end - of.base) && image_is_moved(&of, search->moved))
		search->found = of;
}

int image_find_moved(struct images *images, const struct raw_mapping *moved, struct mapped_image *found)
{
	struct search search = { .images = images, .moved = moved };

	if (maps_read(moved->pid, 0, see_part, &search) || !search.found.image)
		return 0;
	*found = search.found;
	return 1;
}
