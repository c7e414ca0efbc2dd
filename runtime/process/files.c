/* SPDX-License-Identifier: MIT */
/*
 * files.c - names and numbers of the files and peers of the program's descriptors, for AMOUNT
 * records (cinstr/amounts.h); and of what it counts and tags. The thunks around calls
 * (thunk_moves.inc) read the number from files_of_fds, and store 0 there when a descriptor is
 * closed or made. On a 0 they take the slow path, which calls this file, and it asks the kernel
 * once. A descriptor that code without probes closes, and opens again, keeps its old name until the
 * program's own code closes it.
 *
 * Called in any thread of the process, signals blocked. A name is complete before its number is in
 * `slots`. Two threads may add the same name: one of its numbers is then never used.
 */
#include "runtime.h"

#define NAME_BYTES 1024
#define SEGMENTS_MAX 256 /* of a page each */
#define SEGMENT_BYTES ((uint64_t)CINSTR_FILES_IN * CINSTR_FILE_UNIT)
#define SLOTS 16384u
#define TRIES_MAX 64

uint32_t files_of_fds[FILES_FDS];
static uint32_t highest_fd; /* at least that of the highest one with a number; about */

/* The names, which are in FILES segments. */
static struct {
	uint32_t slots[SLOTS]; /* numbers of names, by hash; 0: free */
	char *segments[SEGMENTS_MAX];
} names;

static int begins_with(const char *string, const char *with)
{
	while (*with && *string == *with) {
		string++;
		with++;
	}
	return !*with;
}

const char *files_link(uint32_t fd, char *link, uint32_t bytes)
{
	struct text path = text_of("/proc/self/fd/", "", "");
	long n;

	text_add_number(&path, fd);
	n = SYS4(SYS_readlinkat, AT_FDCWD, path.data, link, bytes - 1);
	link[n < 0 ? 0 : n] = '\0';
	return link;
}

/* Returns the name of the descriptor's file or peer, or "" if it is no descriptor. link: becomes
 * what the kernel says. */
static struct text name_of(uint32_t fd, char *link)
{
	struct text name = text_of("", "", "");

	files_link(fd, link, NAME_BYTES);
	if (begins_with(link, "socket:"))
		return sockets_name((int)fd);
	if (begins_with(link, "pipe:["))
		return text_of("pipe", "", "");
	text_add(&name, link);
	return name;
}

/* Returns the segment, which it makes if need be, or NULL: no room. */
static char *segment_at(uint32_t i)
{
	char *known = atomic_load_acquire(&names.segments[i]), *fresh;

	if (known)
		return known;
	fresh = store_segment(CINSTR_SEG_FILES, SEGMENT_BYTES, i);
	if (!fresh || atomic_compare_swap(&names.segments[i], &known, fresh))
		return fresh;
	store_free(fresh); /* another thread was first */
	return known;
}

static const char *name_at(uint32_t number)
{
	uint32_t place = number - CINSTR_FILE_FIRST;

	return names.segments[place / CINSTR_FILES_IN] + place % CINSTR_FILES_IN * CINSTR_FILE_UNIT;
}

/* Adds a name to the data file. Returns its number, or CINSTR_FILE_OTHER: no room. */
static uint32_t put_name(const struct text *name)
{
	uint64_t bytes = (name->used + CINSTR_FILE_UNIT) & ~(uint64_t)(CINSTR_FILE_UNIT - 1);

	for (uint32_t i = 0; i < SEGMENTS_MAX; i++) {
		char *segment = segment_at(i);
		uint64_t *used, at;

		if (!segment)
			break;
		used = &store_segment_of(segment)->used;
		at = atomic_load_relaxed(used);
		while (at + bytes <= SEGMENT_BYTES)
			if (atomic_compare_swap(used, &at, at + bytes)) {
				arch_copy(segment + at, name->data, name->used);
				return CINSTR_FILE_FIRST + i * CINSTR_FILES_IN +
				       (uint32_t)(at / CINSTR_FILE_UNIT);
			}
	}
	return CINSTR_FILE_OTHER;
}

static uint32_t hash_of(const struct text *name)
{
	uint32_t hash = 0x811c9dc5u;

	for (unsigned i = 0; i < name->used; i++)
		hash = (hash ^ (uint8_t)name->data[i]) * 0x01000193u;
	return hash ^ hash >> 15;
}

/* Returns the number of the name, which it adds if it is new. */
static uint32_t number_of(const struct text *name)
{
	uint32_t i = hash_of(name), fresh = 0, known;

	if (!name->used)
		return CINSTR_FILE_UNKNOWN;
	for (unsigned tries = 0; tries < TRIES_MAX; tries++, i++) {
		uint32_t *slot = &names.slots[i % SLOTS];

		known = atomic_load_acquire(slot);
		if (!known) {
			fresh = fresh ? fresh : put_name(name);
			if (fresh == CINSTR_FILE_OTHER || atomic_compare_swap(slot, &known, fresh))
				return fresh;
		}
		if (string_equal(name_at(known), name->data))
			return known;
	}
	return CINSTR_FILE_OTHER;
}

uint32_t files_number(const char *name)
{
	const struct text text = text_of(name, "", "");

	return number_of(&text);
}

static void see_fd(uint32_t fd)
{
	if (atomic_load_relaxed(&highest_fd) < fd)
		atomic_store_relaxed(&highest_fd, fd);
}

/* Asks the kernel for the descriptor's file. Returns its number. */
static uint32_t ask_file(uint32_t fd, enum cinstr_amount_kind kind)
{
	char link[NAME_BYTES];
	const struct text name = name_of(fd, link);
	uint32_t number = number_of(&name);

	see_fd(fd);
	atomic_store_release(&files_of_fds[fd], number); /* thunk_moves.inc */
	if (kind != CINSTR_AMOUNT_OPENED)
		pipes_see(fd, link, kind == CINSTR_AMOUNT_WRITTEN);
	return number;
}

/* Returns the number of the present file of the descriptor, with which a call did this. */
static uint32_t file_of(uint64_t fd, enum cinstr_amount_kind kind)
{
	uint32_t number;

	if (fd >= FILES_NO_FD) {
		number = CINSTR_FILE_UNKNOWN;
		atomic_store_release(&files_of_fds[FILES_NO_FD], number); /* thunk_moves.inc */
		return number;
	}
	number = atomic_load_acquire(&files_of_fds[fd]);
	return number ? number : ask_file((uint32_t)fd, kind);
}

static uint64_t value_of(enum cinstr_amount_kind kind, uint32_t file, uint64_t bytes, int is_failed)
{
	return CINSTR_AMOUNT_BYTES(bytes) | (uint64_t)file << CINSTR_AMOUNT_BITS |
	       (uint64_t)kind << CINSTR_AMOUNT_KIND_AT | (is_failed ? CINSTR_AMOUNT_FAILED : 0);
}

static const struct moves *own_moves(void)
{
	return (const void *)((const char *)__builtin_thread_pointer() + probe_offset + PROBE_MOVES);
}

uint32_t files_site(void)
{
	return own_moves()->site;
}

uint64_t files_size(void)
{
	return own_moves()->item_size;
}

const struct moves *files_moves(const struct probe_frame *frame)
{
	const struct moves *moves = own_moves();

	return (uint32_t)frame->at[0] - ARCH_SLED_BYTES - moves->site <= CINSTR_CALL_BYTES_MAX ? moves : NULL;
}

uint64_t files_awaited(const struct probe_frame *frame)
{
	const struct moves *moves = frame->kind & PROBE_KIND_MOVES ? files_moves(frame) : NULL;

	if (!moves)
		return 0;
	return pipes_awaited(moves->fd, frame->kind & PROBE_KIND_WRITES);
}

void files_paired(const struct probe_frame *frame)
{
	const struct moves *moves = files_moves(frame);
	const uint32_t *array = moves ? (const void *)moves->item_size : NULL;
	uint32_t result = (uint32_t)arch_result(&frame->registers), fds[2];

	if (!moves || (int)result < 0)
		return;
	for (int i = 0; i < 2; i++) {
		fds[i] = array ? array[i] : result;
		if (fds[i] >= FILES_NO_FD)
			return;
		see_fd(fds[i]);
		atomic_store_release(&files_of_fds[fds[i]], 0); /* thunk_moves.inc */
	}
	pipes_made((enum cinstr_end_kind)moves->fd, fds);
}

uint64_t files_moved(const struct probe_frame *frame)
{
	const struct moves *moves = files_moves(frame);
	int64_t result = (int64_t)arch_result(&frame->registers);
	enum cinstr_amount_kind kind =
		frame->kind & PROBE_KIND_WRITES ? CINSTR_AMOUNT_WRITTEN : CINSTR_AMOUNT_READ;

	if (frame->kind & PROBE_KIND_OPENS) {
		int fd = (int)result;

		return value_of(CINSTR_AMOUNT_OPENED,
				fd < 0 ? CINSTR_FILE_UNKNOWN : file_of((uint32_t)fd, CINSTR_AMOUNT_OPENED), 0,
				fd < 0);
	}
	if (!moves)
		return value_of(kind, CINSTR_FILE_UNKNOWN, 0, 1);
	return value_of(kind, file_of(moves->fd, kind), result < 0 ? 0 : (uint64_t)result * moves->item_size,
			result < 0);
}

void files_forked(void)
{
	if (!names.segments[0] && !highest_fd)
		return;
	arch_zero(&names, sizeof(names));
	arch_zero(files_of_fds, (highest_fd + 1) * sizeof(*files_of_fds));
	pipes_forked(highest_fd + 1);
}
