/* SPDX-License-Identifier: GPL-3.0-or-later */
/* change.c - see change.h. One thread. */
#include "change.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "cinstr/call_sums.h"
#include "cinstr/format.h"
#include "cinstr/stretches.h"
#include "cinstr/tags.h"
#include "lib/util.h"

#define SEGMENTS_MAX 256
#define USED_MAX 16384u /* of a segment: changes further behind are of the same kind */

uint32_t take(struct reader *r, size_t n)
{
	uint32_t value = 0;

	for (size_t i = 0; i < n && r->left; i++, r->left--)
		value |= (uint32_t)*r->at++ << 8 * i;
	return value;
}

/* Where the header and the used parts of the segments are. */
struct part {
	size_t offset, bytes;
	size_t segment; /* offset of its segment's header; 0: it is not in one */
};

/* The segment there, or NULL: the chain ends. */
static struct cinstr_segment *segment_at(const struct image *image, size_t at)
{
	struct cinstr_segment *s = (void *)(image->bytes + at);

	if (at + sizeof(*s) > image->size || s->magic != CINSTR_SEGMENT_MAGIC || !s->bytes ||
	    s->bytes % CINSTR_PAGE || s->bytes > image->size - at)
		return NULL;
	return s;
}

static size_t parts_find(const struct image *image, struct part *parts)
{
	const struct cinstr_segment *s;
	size_t n = 0;

	if (image->is_flat)
		parts[n++] = (struct part){ 0, image->size ? image->size : 1, 0 };
	else
		parts[n++] = (struct part){ 0, sizeof(struct cinstr_header), 0 };
	for (size_t at = CINSTR_PAGE; !image->is_flat && n + 1 < SEGMENTS_MAX; at += s->bytes) {
		size_t used;

		s = segment_at(image, at);
		if (!s)
			break;
		used = s->used < USED_MAX ? s->used : USED_MAX;
		parts[n++] = (struct part){ at, sizeof(*s), at };
		if (used)
			parts[n++] = (struct part){ at + sizeof(*s), used, at };
	}
	return n;
}

/* ---- words ----------------------------------------------------------------------------------- */

static void change_word(struct image *image, struct reader *r, const struct part *part, uint32_t how,
			uint32_t offset)
{
	static const uint64_t values[] = { 0,	       1,	   UINT32_MAX,	UINT64_MAX,
					   1ull << 63, 1ull << 32, CINSTR_PAGE, 64 };
	size_t at = part->offset + offset % part->bytes;
	uint32_t bytes = 1 + how / 4 % 8;
	uint64_t value;

	if (how & 128)
		at &= ~3ull;
	if (at + 8 > image->size)
		return;
	memcpy(&value, image->bytes + at, 8);
	switch (how % 4) {
	case 0: /* bytes of the input */
		for (uint32_t i = 0; i < bytes; i++)
			image->bytes[at + i] = (uint8_t)take(r, 1);
		return;
	case 1: /* a little more or less */
		value += (uint64_t)(int8_t)take(r, 1);
		break;
	case 2:
		value = values[take(r, 1) % ARRAY_SIZE(values)];
		break;
	default: /* what stands elsewhere in the same part */
		if (part->bytes >= 8)
			memcpy(&value, image->bytes + part->offset + take(r, 2) % (part->bytes - 7), 8);
	}
	memcpy(image->bytes + at, &value, bytes);
}

void change_words(struct image *image, struct reader *r)
{
	struct part parts[SEGMENTS_MAX];
	size_t n = parts_find(image, parts);

	while (r->left >= 4) {
		uint32_t how = take(r, 1), where = take(r, 1), offset = take(r, 2);

		change_word(image, r, &parts[where % n], how, offset);
	}
}

/* ---- elements -------------------------------------------------------------------------------- */

/* Of what a segment consists; 8: of words. */
static size_t element_bytes(uint32_t type)
{
	switch (type) {
	case CINSTR_SEG_BUFFER:
		return sizeof(struct cinstr_record);
	case CINSTR_SEG_STACK:
		return sizeof(struct cinstr_open);
	case CINSTR_SEG_JOURNAL:
		return sizeof(struct cinstr_undo);
	case CINSTR_SEG_CELLS:
		return sizeof(struct cinstr_cell);
	case CINSTR_SEG_STACKS:
		return sizeof(struct cinstr_stack_node);
	case CINSTR_SEG_SAMPLES:
		return sizeof(struct cinstr_sample);
	case CINSTR_SEG_TASKS:
		return sizeof(struct cinstr_task);
	case CINSTR_SEG_PROBE_CODE:
		return sizeof(struct cinstr_probe_code);
	case CINSTR_SEG_LONG_INTERVALS:
		return sizeof(struct cinstr_long_interval);
	case CINSTR_SEG_WAITS:
		return sizeof(struct cinstr_wait);
	case CINSTR_SEG_STRETCHES:
		return sizeof(struct cinstr_stretch);
	case CINSTR_SEG_SELF_SAMPLES:
		return sizeof(struct cinstr_self_sample);
	case CINSTR_SEG_PHASE_COUNTS:
		return sizeof(struct cinstr_phase_count);
	case CINSTR_SEG_SEGMENT_MODULES:
		return sizeof(struct cinstr_segment_module);
	case CINSTR_SEG_MERGED:
	case CINSTR_SEG_MERGED_SUMS:
	case CINSTR_SEG_MERGED_TAGS:
	case CINSTR_SEG_PROPERTIES:
		return 1;
	default:
		return 8;
	}
}

/* Without the zeros at its end, but for 64 bytes: nobody reads them. */
static void part_trim(const struct image *image, struct part *part)
{
	static const uint8_t zeros[512];
	const uint8_t *from = image->bytes + part->offset;
	size_t n = part->bytes;

	while (n > sizeof(zeros) && !memcmp(from + n - sizeof(zeros), zeros, sizeof(zeros)))
		n -= sizeof(zeros);
	while (n && !from[n - 1])
		n--;
	if (n + 64 < part->bytes)
		part->bytes = n + 64;
}

/* Elements of a segment: moved, copied, removed. */
static void elements_move(struct image *image, struct reader *r, const struct part *part, uint32_t how)
{
	struct cinstr_segment *s = segment_at(image, part->segment);
	size_t size = s && part->offset != part->segment ? element_bytes(s->type) : 8;
	size_t n = part->bytes / size, a, b, behind;
	uint8_t *from = image->bytes + part->offset, kept[128];

	if (n < 2)
		return;
	a = take(r, 1) % n, b = take(r, 1) % n;
	behind = part->bytes - (a + 1) * size;
	switch (how % 4) {
	case 0:
		memmove(from + b * size, from + a * size, size);
		break;
	case 1:
		memcpy(kept, from + a * size, size);
		memmove(from + a * size, from + b * size, size);
		memcpy(from + b * size, kept, size);
		break;
	case 2: /* once more */
		if (behind >= size)
			memmove(from + (a + 1) * size, from + a * size, behind);
		break;
	default:
		memmove(from + a * size, from + (a + 1) * size, behind);
	}
}

/* A stamp, a size, a count that jumps by a power of two. */
static void number_jump(struct image *image, struct reader *r, const struct part *part)
{
	size_t words = part->bytes / 4, at;
	uint32_t k;
	uint64_t value;

	at = part->offset + take(r, 2) % (words ? words : 1) * 4;
	k = take(r, 1);
	if (at + 8 > image->size)
		return;
	memcpy(&value, image->bytes + at, 8);
	value += k & 128 ? -(1ull << k % 64) : 1ull << k % 64;
	memcpy(image->bytes + at, &value, 8);
}

/* A number of 32 bits that names another element: a cell, a node, a code of a record. */
static void reference_change(struct image *image, struct reader *r, const struct part *part,
			     const struct part *other)
{
	size_t words = part->bytes / 4, at = part->offset + take(r, 2) % (words ? words : 1) * 4;
	uint32_t which = take(r, 1), value;

	if (at + 4 > image->size)
		return;
	if (which & 128) /* any number that stands there */
		memcpy(&value, image->bytes + other->offset + which % 128 * 4 % (other->bytes & ~3ull), 4);
	else if (which & 64)
		value = which % 64;
	else
		value = (uint32_t)(other->offset / sizeof(struct cinstr_cell)) + which;
	memcpy(image->bytes + at, &value, 4);
}

static void segment_change(struct image *image, struct reader *r, const struct part *part)
{
	struct cinstr_segment *s = segment_at(image, part->segment);
	uint32_t what = take(r, 1), value = take(r, 1);

	if (!part->segment || !s)
		return;
	switch (what % 5) {
	case 0:
		s->type = value % 25;
		break;
	case 1:
		s->owner = value % 4;
		break;
	case 2:
		s->sequence = value % 4;
		break;
	case 3:
		s->sealed = value & 1;
		break;
	default:
		s->used = s->bytes - sizeof(*s) - value;
	}
}

/* A segment of the other file: behind all others, or in place of what one of them holds. */
static void segment_take(struct image *image, struct reader *r, const struct part *part,
			 const struct image *donor)
{
	struct part parts[SEGMENTS_MAX];
	size_t n = parts_find(donor, parts), at, bytes;
	const struct part *given = &parts[take(r, 1) % n];
	const struct cinstr_segment *s = segment_at(donor, given->segment);
	uint32_t how = take(r, 1);
	struct cinstr_segment *into = segment_at(image, part->segment);

	if (!given->segment || !s)
		return;
	at = (image->size + CINSTR_PAGE - 1) & ~(size_t)(CINSTR_PAGE - 1);
	if (how & 1 && part->segment && into) {
		bytes = into->bytes < s->bytes ? into->bytes : s->bytes;
		memcpy((uint8_t *)into + sizeof(*s), (const uint8_t *)s + sizeof(*s), bytes - sizeof(*s));
		into->used = bytes - sizeof(*s) < s->used ? bytes - sizeof(*s) : s->used;
	} else if (at + s->bytes <= FUZZ_FILE_MAX && s->bytes <= 65536) {
		memset(image->bytes + image->size, 0, at - image->size);
		memcpy(image->bytes + at, s, s->bytes);
		into = (void *)(image->bytes + at);
		into->owner = how / 2 % 4;
		image->size = at + s->bytes;
	}
}

void change_elements(struct image *image, struct reader *r, const struct image *donor)
{
	struct part parts[SEGMENTS_MAX];
	size_t n = parts_find(image, parts);

	for (size_t i = 0; i < n && !image->is_flat; i++)
		part_trim(image, &parts[i]);
	while (r->left >= 4) {
		uint32_t how = take(r, 1), where = take(r, 1);
		const struct part *part = &parts[where % n];

		if ((how >> 5 & 3) != 3 || image->is_flat)
			change_word(image, r, part, how, take(r, 2));
		else if (how % 8 < 4)
			elements_move(image, r, part, how);
		else if (how % 8 == 4)
			number_jump(image, r, part);
		else if (how % 8 == 5)
			reference_change(image, r, part, &parts[take(r, 1) % n]);
		else if (how % 8 == 6)
			segment_change(image, r, part);
		else
			segment_take(image, r, part, donor);
	}
}

/* ---- what stands for the whole --------------------------------------------------------------- */

void checksums_mend(struct image *image)
{
	struct cinstr_header *h = (void *)image->bytes;
	size_t from = offsetof(struct cinstr_header, pid), to = offsetof(struct cinstr_header, file_bytes);
	struct cinstr_segment *s;

	h->identity_checksum = XXH3_64bits(image->bytes + from, to - from);
	for (size_t at = CINSTR_PAGE; (s = segment_at(image, at)); at += s->bytes)
		if (s->sealed && s->used <= s->bytes - sizeof(*s))
			s->checksum = XXH3_64bits(s + 1, s->used);
}

void image_pack(struct image *image)
{
	static uint8_t packed[FUZZ_FILE_MAX];
	struct cinstr_header *h = (void *)image->bytes;
	size_t n;

	if (image->size < CINSTR_PAGE)
		return;
	n = ZSTD_compress(packed, sizeof(packed), image->bytes + CINSTR_PAGE, image->size - CINSTR_PAGE, 1);
	if (ZSTD_isError(n) || n > FUZZ_FILE_MAX - CINSTR_PAGE)
		return;
	h->packed = 1;
	h->file_bytes = image->size;
	memcpy(image->bytes + CINSTR_PAGE, packed, n);
	image->size = CINSTR_PAGE + n;
}
