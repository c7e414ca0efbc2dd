/* SPDX-License-Identifier: MIT */
/*
 * sampler_start.c - attaches a process that is sampled by timers: finds the ring of its session,
 * reports the program, its mappings, and forks. In constructors and fork handlers; again after an
 * exec.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "sampler.h"

#define PATH_MAX_ 1100
#define LIMIT_SHARE 16 /* where the address space is limited the program's own needs come first */

struct sampler sampler;

/* ---- the ring -------------------------------------------------------------------------------- */

static int is_ring(const struct sampler_ring *ring, uint64_t bytes)
{
	static const char magic[] = SAMPLER_RING_MAGIC;
	uint64_t slots = (uint64_t)ring->n_slots * ring->slot_bytes;

	for (unsigned i = 0; i < sizeof(ring->magic); i++)
		if (ring->magic[i] != magic[i])
			return 0;
	return ring->bytes == bytes && ring->n_slots && ring->words_at <= bytes && ring->slots_at <= bytes &&
	       ring->words_at % 8 == 0 && ring->slots_at % 8 == 0 && ring->slot_bytes % 8 == 0 &&
	       ring->n_slots * 8ull <= bytes - ring->words_at && slots <= bytes - ring->slots_at &&
	       ring->slot_bytes >=
		       ring->stack_bytes + sizeof(struct sampler_record) + sizeof(struct sampler_sample) &&
	       ring->slot_bytes >= SAMPLER_TEXT + sizeof(struct sampler_record) && ring->interval_ns;
}

static int has_room(uint64_t bytes)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	SYS4(SYS_prlimit64, 0, RLIMIT_AS, NULL, &limit);
	return bytes <= limit.rlim_cur / LIMIT_SHARE;
}

/* Filters for system calls that the process has more than its collector: what is asked of the
 * kernel here may end it. */
static int is_restricted(const struct sampler_ring *ring)
{
	char text[SAMPLER_STATUS_MAX];
	int fd = sys_open("/proc/self/status", O_RDONLY, 0);
	long n;

	if (fd < 0)
		return 1;
	n = sys_read(fd, text, sizeof(text));
	sys_close(fd);
	return n <= 0 || sampler_filters(text, (uint64_t)n) != ring->filters;
}

static struct sampler_ring *map(int fd, uint64_t bytes)
{
	return sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

/* The header first: what it says decides whether more is asked of the kernel. */
static struct sampler_ring *map_all(int fd, uint64_t bytes)
{
	struct sampler_ring *ring = map(fd, SAMPLER_PAGE);
	int is_good;

	if (sys_failed(ring))
		return NULL;
	is_good = is_ring(ring, bytes) && ring->state == SAMPLER_OPEN && !is_restricted(ring) &&
		  has_room(bytes);
	sys_munmap(ring, SAMPLER_PAGE);
	ring = is_good ? map(fd, bytes) : NULL;
	return sys_failed(ring) ? NULL : ring;
}

static struct sampler_ring *map_ring(const char *path)
{
	int fd = sys_open(path, O_RDWR | O_NOFOLLOW, 0);
	struct stat status = { .st_size = 0 };
	struct sampler_ring *ring;

	if (fd < 0)
		return NULL;
	SYS2(SYS_fstat, fd, &status);
	ring = status.st_size >= SAMPLER_PAGE ? map_all(fd, (uint64_t)status.st_size) : NULL;
	sys_close(fd);
	return ring;
}

static int join(char *path, const char *folder, const char *name)
{
	unsigned n = 0;

	while (*folder && n + 2 < PATH_MAX_)
		path[n++] = *folder++;
	path[n++] = '/';
	while (*name && n + 1 < PATH_MAX_)
		path[n++] = *name++;
	path[n] = '\0';
	return n + 1 < PATH_MAX_;
}

static int is_word(const char *text, const char *word)
{
	while (*word && *text == *word) {
		text++;
		word++;
	}
	return !*word && !*text;
}

/* With probes or without. */
static int is_sampling(const char *method)
{
	return method && (is_word(method, "sampling") || is_word(method, "beside"));
}

/* 0: nothing is sampled here. Set-user-ID programs have no such environment (secure_getenv). */
static int find_ring(void)
{
	const char *session = secure_getenv("CINSTR_SESSION");
	char path[PATH_MAX_];
	struct sampler_ring *ring;

	if (!is_sampling(secure_getenv("CINSTR_METHOD")) || !session || !*session ||
	    !join(path, session, SAMPLER_RING_NAME))
		return 0;
	ring = map_ring(path);
	if (!ring)
		return 0;
	sampler.n_slots = ring->n_slots;
	sampler.slot_bytes = ring->slot_bytes;
	sampler.stack_bytes = ring->stack_bytes;
	sampler.interval_ns = ring->interval_ns;
	sampler.tick_ns = ring->tick_ns;
	sampler.words = (char *)ring + ring->words_at;
	sampler.slots = (char *)ring + ring->slots_at;
	sampler.pid = (uint32_t)SYS0(SYS_getpid);
	sampler.ring = ring;
	return 1;
}

/* ---- what is mapped -------------------------------------------------------------------------- */

/* Lines of /proc/self/maps that are executable, put together. */
struct lines {
	char text[SAMPLER_TEXT];
	uint32_t used;
};

static void send_lines(struct lines *lines)
{
	if (lines->used)
		slot_tell(SAMPLER_MAPS, 0, 0, lines->text, lines->used);
	lines->used = 0;
}

/* "start-end rwxp offset ...": with its end of line. */
static void add_line(struct lines *lines, const char *line, uint32_t bytes)
{
	uint32_t at = 0;

	while (at + 4 < bytes && line[at] != ' ')
		at++;
	if (at + 4 >= bytes || line[at + 3] != 'x' || bytes > sizeof(lines->text))
		return;
	if (lines->used + bytes > sizeof(lines->text))
		send_lines(lines);
	arch_copy(lines->text + lines->used, line, bytes);
	lines->used += bytes;
}

static void tell_maps(void)
{
	struct lines lines = { .used = 0 };
	char buffer[8192];
	uint32_t used = 0, start;
	int fd = sys_open("/proc/self/maps", O_RDONLY, 0);
	long n;

	if (fd < 0)
		return;
	while ((n = sys_read(fd, buffer + used, sizeof(buffer) - used)) > 0) {
		used += (uint32_t)n;
		start = 0;
		for (uint32_t i = 0; i < used; i++)
			if (buffer[i] == '\n') {
				add_line(&lines, buffer + start, i + 1 - start);
				start = i + 1;
			}
		arch_copy(buffer, buffer + start, used - start);
		used = start ? used - start : 0;
	}
	sys_close(fd);
	send_lines(&lines);
}

/* ---- begin, fork, end ------------------------------------------------------------------------ */

static void tell_program(void)
{
	char name[17] = "";
	uint32_t n = 0;

	SYS2(SYS_prctl, 16, name); /* PR_GET_NAME */
	while (name[n])
		n++;
	slot_tell(SAMPLER_PROGRAM, (uint32_t)SYS0(SYS_getppid), 0, name, n);
	tell_maps();
}

static void on_fork(void)
{
	if (sampler.ring)
		threads_forked();
}

static void on_process_exit(int status, void *data)
{
	(void)status;
	(void)data;
	if (threads_are_sampled())
		slot_tell(SAMPLER_EXIT, 0, 0, "", 0);
}

__attribute__((constructor)) static void begin(void)
{
	uses_begin();
	if (getauxval(AT_SECURE) || !find_ring())
		return;
	tell_program();
	if (signal_begin()) {
		threads_silence("another library uses the signal");
		return;
	}
	pthread_atfork(NULL, NULL, on_fork);
	on_exit(on_process_exit, NULL);
	threads_begin_main();
}
