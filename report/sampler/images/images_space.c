/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * images_space.c - the mappings of one process: ranges sorted by address that do not overlap. A
 * later mapping replaces what was there, as in the process; adjacent pieces that continue one
 * another are joined.
 */
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "lib/search.h"
#include "lib/util.h"

#define SEARCHES_MAX 16 /* each reads all mappings; a program that makes code has many of these */

struct space {
	struct images *images;
	uint32_t pid;
	struct mapped_image *ranges;
	size_t n, size;
	unsigned n_searches; /* for code that was moved */
};

struct space *space_new(struct images *images, uint32_t pid)
{
	struct space *space = xcalloc(1, sizeof(*space));

	space->images = images;
	space->pid = pid;
	return space;
}

struct space *space_copy(const struct space *space, uint32_t pid)
{
	struct space *copy = space_new(space->images, pid);

	copy->n = copy->size = space->n;
	copy->ranges = xcalloc(space->n + 1, sizeof(*copy->ranges));
	if (space->n)
		memcpy(copy->ranges, space->ranges, space->n * sizeof(*copy->ranges));
	return copy;
}

void space_release(struct space *space)
{
	if (space)
		free(space->ranges);
	free(space);
}

void space_clear(struct space *space)
{
	space->n = 0;
}

/* Number of the first range that ends above the address. */
static size_t first_above(const struct space *space, uint64_t address)
{
	size_t i;

	SEARCH(i, space->n, space->ranges[i].end > address);
	return i;
}

const struct mapped_image *space_find(const struct space *space, uint64_t address)
{
	size_t i = first_above(space, address);

	return i < space->n && space->ranges[i].start <= address ? &space->ranges[i] : NULL;
}

/* Puts with[n_with] in the place of ranges [at, at + n). */
static void replace(struct space *space, size_t at, size_t n, const struct mapped_image *with, size_t n_with)
{
	size_t after = space->n - at - n;

	if (space->n + n_with > space->size) {
		space->size = 2 * space->size + n_with + 16;
		space->ranges = xrealloc(space->ranges, space->size, sizeof(*space->ranges));
	}
	memmove(&space->ranges[at + n_with], &space->ranges[at + n], after * sizeof(*space->ranges));
	memcpy(&space->ranges[at], with, n_with * sizeof(*with));
	space->n = space->n - n + n_with;
}

static int is_same(const struct mapped_image *a, const struct mapped_image *b)
{
	return a->image == b->image && a->base == b->base;
}

/*
 * The ranges [at, end) touch the new one. The first and the last of them may be the same thing as
 * it, and then they become part of it; otherwise what they have outside of it is left.
 */
static void put(struct space *space, struct mapped_image range)
{
	size_t at = first_above(space, range.start ? range.start - 1 : 0), end = at, n = 0;
	struct mapped_image with[3], first, last;

	while (end < space->n && space->ranges[end].start <= range.end)
		end++;
	first = at < end ? space->ranges[at] : range;
	last = at < end ? space->ranges[end - 1] : range;
	if (is_same(&first, &range) && first.start < range.start)
		range.start = first.start;
	if (is_same(&last, &range) && last.end > range.end)
		range.end = last.end;
	if (first.start < range.start) {
		first.end = range.start;
		with[n++] = first;
	}
	with[n++] = range;
	if (last.end > range.end) {
		if (last.start < range.end)
			last.start = range.end;
		with[n++] = last;
	}
	replace(space, at, end - at, with, n);
}

/* Code of no file: *range becomes what a file has there, if the program has moved it. */
static void find_moved(struct space *space, const struct raw_mapping *mapping, struct mapped_image *range)
{
	const struct mapped_image *before = space_find(space, mapping->start);

	if (before && before->image && mapping->end <= before->end && image_is_moved(before, mapping))
		*range = *before;
	else if (!before && space->n_searches++ < SEARCHES_MAX)
		image_find_moved(space->images, mapping, range);
}

/*
 * Returns whether a mapping of the image's file lies where that image has memory without a file:
 * there the runtime puts probes, on copies of the file's pages (runtime/probe/backing.c). What
 * executes there is not what the file has.
 */
static int is_of_probes(const struct space *space, const struct mapped_image *range)
{
	for (size_t i = 0; i < space->n; i++) {
		const struct mapped_image *other = &space->ranges[i];

		if (other->image == range->image && other->base != range->base &&
		    image_is_zeroed(other->image, range->start - other->base))
			return 1;
	}
	return 0;
}

void space_map(struct space *space, const struct raw_mapping *mapping)
{
	struct mapped_image range = { .start = mapping->start, .end = mapping->end };

	if (range.start >= range.end)
		return;
	range.image = images_get(space->images, mapping);
	if (!range.image)
		find_moved(space, mapping, &range);
	else
		range.base = image_base(range.image, mapping->start, mapping->file_offset);
	if (range.image && is_of_probes(space, &range))
		range = (struct mapped_image){ .start = range.start, .end = range.end };
	put(space, range);
}

static void map_one(void *arg, const struct raw_mapping *mapping)
{
	space_map(arg, mapping);
}

int space_read(struct space *space)
{
	return maps_read(space->pid, 1, map_one, space);
}
