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
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "runtime.h"

#define NAME_BYTES 1024
#define SEGMENTS_MAX 256 /* of a page each */
#define SEGMENT_BYTES ((uint64_t)CINSTR_FILES_IN * CINSTR_FILE_UNIT)
#define SLOTS 16384u
#define PIPE "pipe:[" /* before the inode */
#define TRIES_MAX 64
/* First port that the kernel gives to clients. */
#define EPHEMERAL 32768

uint32_t files_of_fds[FILES_FDS];
static uint32_t highest_fd; /* at least that of the highest one with a number; about */

/* The names, which are in FILES segments. */
static struct {
	uint32_t slots[SLOTS]; /* numbers of names, by hash; 0: free */
	char *segments[SEGMENTS_MAX];
} names;

union address {
	struct sockaddr any;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
	struct sockaddr_un local;
	char bytes[128];
};

static uint16_t port_of(const union address *a)
{
	uint16_t port = a->any.sa_family == AF_INET    ? a->four.sin_port
			: a->any.sa_family == AF_INET6 ? a->six.sin6_port
						       : 0;

	return (uint16_t)(port << 8 | port >> 8);
}

static void put_four(struct text *text, const uint8_t *bytes)
{
	for (int i = 0; i < 4; i++) {
		text_add(text, i ? "." : "");
		text_add_number(text, bytes[i]);
	}
}

static void put_six(struct text *text, const uint8_t *bytes)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	int is_mapped = 1;

	for (int i = 0; i < 12; i++)
		is_mapped &= bytes[i] == mapped[i];
	if (is_mapped) {
		put_four(text, bytes + 12);
		return;
	}
	for (int i = 0; i < 16; i += 2) {
		char digits[6] = ":";
		int n = i != 0;

		for (int k = 0; k < 4; k++)
			digits[n++] = "0123456789abcdef"[bytes[i + k / 2] >> (k & 1 ? 0 : 4) & 15];
		digits[n] = '\0';
		text_add(text, digits);
	}
}

static void put_host(struct text *text, const union address *a)
{
	if (a->any.sa_family == AF_INET)
		put_four(text, (const uint8_t *)&a->four.sin_addr);
	else
		put_six(text, (const uint8_t *)&a->six.sin6_addr);
}

static void put_port(struct text *text, const union address *a)
{
	text_add(text, ":");
	text_add_number(text, port_of(a));
}

static int asked(long number, int fd, union address *a)
{
	socklen_t bytes = sizeof(*a);

	*a = (union address){ .bytes = "" };
	return !arch_syscall(number, fd, (long)a, (long)&bytes, 0, 0, 0);
}

static int has_port(const union address *a)
{
	return a->any.sa_family == AF_INET || a->any.sa_family == AF_INET6;
}

/* Returns the name of the socket's peer. A peer whose port the kernel chose is named by its host
 * and the own port, so that a server's clients have one name for each host. */
static struct text name_of_socket(int fd)
{
	struct text text = text_of("socket", "", "");
	union address peer, own;
	int is_connected;

	if (atomic_load_relaxed(&cinstr.no_peers))
		return text;
	is_connected = asked(SYS_getpeername, fd, &peer);
	if (!asked(SYS_getsockname, fd, &own))
		return text;
	if (own.any.sa_family == AF_UNIX) {
		const union address *a = own.local.sun_path[0] || !is_connected ? &own : &peer;

		text_add(&text, a->local.sun_path[0] ? " " : "");
		text_add(&text, a->local.sun_path);
	} else if (has_port(&own) && !is_connected) {
		text_add(&text, " ");
		put_port(&text, &own);
	} else if (has_port(&own) && port_of(&peer) >= EPHEMERAL && port_of(&own) < EPHEMERAL) {
		text_add(&text, " ");
		put_port(&text, &own);
		text_add(&text, " from ");
		put_host(&text, &peer);
	} else if (has_port(&own)) {
		text_add(&text, " ");
		put_host(&text, &peer);
		put_port(&text, &peer);
	}
	return text;
}

static int begins_with(const char *string, const char *with)
{
	while (*with && *string == *with) {
		string++;
		with++;
	}
	return !*with;
}

/* Returns the name of the descriptor's file or peer, or "" if it is no descriptor. link: becomes
 * what the kernel says. */
static struct text name_of(int fd, char *link)
{
	struct text path = text_of("/proc/self/fd/", "", ""), name = text_of("", "", "");
	long n;

	text_add_number(&path, fd);
	n = SYS4(SYS_readlinkat, AT_FDCWD, path.data, link, NAME_BYTES - 1);
	link[n < 0 ? 0 : n] = '\0';
	if (begins_with(link, "socket:"))
		return name_of_socket(fd);
	if (begins_with(link, PIPE))
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

/* Asks the kernel for the descriptor's file. Returns its number. */
static uint32_t ask_file(uint32_t fd, enum cinstr_amount_kind kind)
{
	char link[NAME_BYTES];
	const struct text name = name_of((int)fd, link);
	uint32_t number = number_of(&name);

	if (atomic_load_relaxed(&highest_fd) < fd)
		atomic_store_relaxed(&highest_fd, fd);
	pipes_forget(fd);
	atomic_store_release(&files_of_fds[fd], number); /* thunk_moves.inc */
	if (begins_with(link, PIPE) && kind != CINSTR_AMOUNT_OPENED)
		pipes_see(fd, link + sizeof(PIPE) - 1, kind == CINSTR_AMOUNT_WRITTEN, number);
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

/* Says whether `moves` are of the call whose AFTER this frame is; else a signal handler's call came
 * between. */
static int is_own(const struct moves *moves, const struct probe_frame *frame)
{
	return (uint32_t)frame->at[0] - ARCH_SLED_BYTES - moves->site <= CINSTR_CALL_BYTES_MAX;
}

uint64_t files_awaited(const struct probe_frame *frame)
{
	const struct moves *moves = own_moves();

	if (!(frame->kind & PROBE_KIND_MOVES) || !is_own(moves, frame))
		return 0;
	return pipes_awaited(moves->fd);
}

uint64_t files_moved(const struct probe_frame *frame)
{
	const struct moves *moves = own_moves();
	int64_t result = (int64_t)arch_result(&frame->registers);
	enum cinstr_amount_kind kind =
		frame->kind & PROBE_KIND_WRITES ? CINSTR_AMOUNT_WRITTEN : CINSTR_AMOUNT_READ;

	if (frame->kind & PROBE_KIND_OPENS) {
		int fd = (int)result;

		return value_of(CINSTR_AMOUNT_OPENED,
				fd < 0 ? CINSTR_FILE_UNKNOWN : file_of((uint32_t)fd, CINSTR_AMOUNT_OPENED), 0,
				fd < 0);
	}
	if (!is_own(moves, frame))
		return value_of(kind, CINSTR_FILE_UNKNOWN, 0, 1);
	return value_of(kind, file_of(moves->fd, kind), result < 0 ? 0 : (uint64_t)result * moves->item_size,
			result < 0);
}

void files_forked(void)
{
	if (!names.segments[0])
		return;
	arch_zero(&names, sizeof(names));
	arch_zero(files_of_fds, (highest_fd + 1) * sizeof(*files_of_fds));
	pipes_forked(highest_fd + 1);
}
