/* SPDX-License-Identifier: MIT */
/*
 * store.c - the data file as memory (D5): one mapping, segments handed out under a lock, blocks
 * allocated before they are touched (a store into a hole of a full disk would be SIGBUS in the host
 * program).
 *
 * No descriptor stays open. The file is longer than its blocks reach, and grows into that hole,
 * which needs none: by little at first, as most processes record little. Later on it is opened
 * whenever it has to grow (reach.c), in a table that is not the program's (apart.c), and grows into
 * the hole only where it cannot be opened, or in the program's table only.
 */
#define XXH_INLINE_ALL
#define XXH_NO_STREAM
#define XXH_VECTOR 0 /* scalar: general registers only */
#define XXH_NO_STDLIB
#include <xxhash.h>

#include <errno.h>
#include <sys/utsname.h>

#include "runtime.h"

#define FIRST_BYTES (32u << 10)
#define EARLY_BYTES (1u << 20) /* a smaller file grows by what is needed */
#define GROW_MAX (64ull << 20)
#define AHEAD_BYTES (16ull << 20) /* a hole at the end of the file */
/* where the address space is limited the program's own needs come first */
#define LIMIT_SHARE 16

#define LOCK_SPINS 100
#define LOCK_NAP_NS 50000

enum lock_state { LOCK_FREE = 0, LOCK_TAKEN = 1, LOCK_AWAITED = 2 };

/* Waits until the holder is done; it may have a lower priority and this processor. */
static void lock_wait(void)
{
	struct timespec nap = { 0, LOCK_NAP_NS };
	long error = SYS4(SYS_futex, &cinstr.store.lock, 128 /* FUTEX_WAIT_PRIVATE */, LOCK_AWAITED, NULL);

	if (error && error != -EAGAIN && error != -EINTR) /* a filter may forbid it */
		SYS2(SYS_nanosleep, &nap, NULL);
}

/* Probes in fork handlers of the program's, between the runtime's own. */
static int is_locked_for_fork(void)
{
	return unlikely(atomic_load_relaxed(&cinstr.forking) == &cinstr_probe);
}

/* With signals blocked: a handler's probe in the same thread would wait for itself. */
uint64_t store_lock(void)
{
	uint64_t old = sys_block_signals();

	if (is_locked_for_fork())
		return old;
	for (int i = 0; i < LOCK_SPINS; i++) {
		uint32_t state = LOCK_FREE;

		/* pairs with store_unlock */
		if (atomic_compare_swap(&cinstr.store.lock, &state, LOCK_TAKEN))
			return old;
		if (state == LOCK_AWAITED)
			break;
		SYS0(SYS_sched_yield);
	}
	while (atomic_swap(&cinstr.store.lock, LOCK_AWAITED) != LOCK_FREE)
		lock_wait();
	return old;
}

void store_unlock(uint64_t old)
{
	if (!is_locked_for_fork() && atomic_swap(&cinstr.store.lock, LOCK_FREE) == LOCK_AWAITED)
		SYS4(SYS_futex, &cinstr.store.lock, 129 /* FUTEX_WAKE_PRIVATE */, 1, NULL);
	sys_restore_signals(old);
}

static int is_out_of_reach(int error)
{
	return error == -ENOENT || error == -EBADF || error == -EACCES || error == -ENOTDIR ||
	       error == -ENFILE || error == -EMFILE || error == -ELOOP || error == -ESTALE;
}

/* Ends recording for the whole process; what is in the file stays. */
void store_stop(enum cinstr_stop why, int error)
{
	static const char *const texts[] = {
		[CINSTR_STOP_NO_SPACE] = "recording ended, no room for its data; the program runs on",
		[CINSTR_STOP_NO_MEMORY] = "recording ended, no room for its data; the program runs on",
		[CINSTR_STOP_CODES] = "recording ended, no room for its data; the program runs on",
		[CINSTR_STOP_OUT_OF_REACH] =
			"recording ended: its file cannot be reached any more; the program runs on",
		[CINSTR_STOP_SECCOMP] = "recording ended, the program is about to restrict its system calls",
		[CINSTR_STOP_TASK] =
			"recording ended, the program makes a task with a thread pointer of its own "
			"making; the program runs on",
		[CINSTR_STOP_CLOCK] = "recording ended, the program is about to forbid itself its clock",
		[CINSTR_STOP_DISPATCH] = "recording ended, the program is about to handle its system calls",
	};

	if (atomic_swap(&cinstr.state, RUNTIME_OFF) == RUNTIME_OFF)
		return;
	if (cinstr.header) {
		cinstr.header->stop = why;
		cinstr.header->stop_errno = (uint32_t)-error;
	}
	patch_all_off();
	/* what such programs do by day */
	if (why >= CINSTR_STOP_SECCOMP && why != CINSTR_STOP_TASK && !cinstr.verbose)
		return;
	cinstr_say(texts[why], cinstr.store.path, -error);
}

/* Blocks for the file up to `bytes`. The file may be larger than asked for. 0 or -errno. */
static int allocate_blocks(int fd, uint64_t from, uint64_t bytes)
{
	struct rlimit limit;
	static const char zeros[4096];
	long result;

	/* Growing beyond the limit would send SIGXFSZ; so would growing beyond one that cannot be
	 * asked for. */
	result = SYS4(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit);
	if (result)
		return (int)result;
	if (bytes > limit.rlim_cur)
		return -EFBIG;
	result = SYS4(SYS_fallocate, fd, 0, from, bytes - from);
	if (result != -EOPNOTSUPP && result != -ENOSYS)
		return (int)result;
	for (; from < bytes; from += sizeof(zeros)) {
		result = SYS4(SYS_pwrite64, fd, zeros, sizeof(zeros), from);
		if (result != (long)sizeof(zeros))
			return result < 0 ? (int)result : -ENOSPC;
	}
	return 0;
}

/* Makes the file longer than its blocks reach: room for grow_unreached. Without it recording goes
 * on all the same. */
static void size_ahead(int fd, uint64_t bytes)
{
	struct rlimit limit;

	if (SYS4(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit))
		return; /* a limit that cannot be asked for: SIGXFSZ beyond it */
	bytes = min_of(bytes, limit.rlim_cur & ~(uint64_t)(CINSTR_PAGE - 1));
	bytes = min_of(bytes, cinstr.store.place.size);
	if (bytes > cinstr.store.size && reach_is_ours(fd) && !SYS2(SYS_ftruncate, fd, bytes))
		cinstr.store.size = bytes;
}

/*
 * Has the kernel make the pages writable, for which it allocates their blocks; fails where a store
 * would be SIGBUS. First they are read, just these: the page fault of the first one would have as
 * much of the hole read as the device likes to read ahead, for as long as milliseconds.
 */
static int populate(char *from, uint64_t bytes)
{
	SYS3(SYS_madvise, from, bytes, MADV_WILLNEED);
	return (int)SYS3(SYS_madvise, from, bytes, 23 /* MADV_POPULATE_WRITE */);
}

/* Room without a descriptor: the file may be out of reach (chroot, other rights). */
static int grow_unreached(uint64_t bytes)
{
	char *from = cinstr.store.file + cinstr.store.ready;
	uint64_t mapped = cinstr.store.place.mapped;
	int result;

	if (bytes > cinstr.store.size)
		return -ENOENT;
	result = place_grow(&cinstr.store.place, bytes);
	if (result)
		return result;
	result = populate(from, bytes - cinstr.store.ready);
	if (result)
		place_cut(&cinstr.store.place, mapped);
	else
		cinstr.store.ready = bytes;
	return result == -EFAULT ? -ENOSPC : result;
}

/* The same where the file could be reached: its blocks come a few at a time, as they are memory of
 * the process's from then on. */
static int grow_in_hole(uint64_t bytes)
{
	uint64_t more = min_of(bytes + EARLY_BYTES, cinstr.store.size);

	return more > bytes && !grow_unreached(more) ? 0 : grow_unreached(bytes);
}

static int grow_by(int fd, uint64_t bytes)
{
	int result = reach_is_ours(fd) ? allocate_blocks(fd, cinstr.store.ready, bytes) : -EBADF;

	if (result)
		return result;
	result = place_grow(&cinstr.store.place, bytes);
	if (!result) {
		cinstr.store.ready = bytes;
		size_ahead(fd, bytes + AHEAD_BYTES);
	}
	return result;
}

struct growth {
	uint64_t bytes, want; /* of the file: needed now; better */
	int error;
	int is_reached; /* the error is not that of finding the file */
};

static void grow_file(void *data)
{
	struct growth *growth = data;
	int fd = reach_file();

	growth->error = fd;
	if (fd < 0)
		return;
	growth->error = grow_by(fd, growth->want);
	/* a full disk may still have room for what is needed now */
	if (growth->error && growth->want > growth->bytes)
		growth->error = grow_by(fd, growth->bytes);
	reach_close(fd);
	growth->is_reached = growth->error != -EBADF; /* else the program has closed it */
}

/* Under the lock. Room up to `bytes` of the file. 0 or -errno. */
static int store_grow(uint64_t bytes)
{
	uint64_t want = cinstr.store.ready + min_of(cinstr.store.ready, GROW_MAX);
	struct growth growth = { .bytes = bytes };
	int result;

	if (bytes > cinstr.store.place.size)
		return -ENOMEM;
	if (bytes <= EARLY_BYTES && !grow_unreached(bytes))
		return 0;
	growth.want = min_of(want < bytes ? bytes : want, cinstr.store.place.size);
	if (atomic_load_relaxed(&cinstr.not_apart) && !grow_in_hole(bytes))
		return 0;
	call_apart(grow_file, &growth);
	/* -ESTALE: the file was deleted: nobody could ever read what comes */
	if (growth.is_reached || growth.error == -ESTALE)
		return growth.error;
	result = grow_unreached(bytes);
	return result == -ENOENT ? growth.error : result; /* why it was not reached */
}

struct cinstr_segment *store_segment_of(void *payload)
{
	return (struct cinstr_segment *)payload - 1;
}

#define MISSED_MAX 8

/* All under the lock. Sizes that no FREE segment has, so that they are not looked for again and
 * again. */
static uint64_t n_free, missed[MISSED_MAX];
static unsigned n_missed;

static int is_missed(uint64_t bytes)
{
	for (unsigned i = 0; i < n_missed; i++)
		if (missed[i] == bytes)
			return 1;
	return 0;
}

/* Under the lock: a segment of an ended thread of the same size. */
static struct cinstr_segment *reuse(uint64_t bytes)
{
	uint64_t end = cinstr.header->file_bytes;

	if (is_missed(bytes))
		return NULL;
	for (uint64_t at = CINSTR_PAGE; at < end;) {
		struct cinstr_segment *segment = (void *)(cinstr.store.file + at);

		/* the program has written over it: the list cannot be followed */
		if (segment->bytes < CINSTR_PAGE)
			break;
		if (segment->type == CINSTR_SEG_FREE && segment->bytes == bytes)
			return segment;
		at += segment->bytes;
	}
	if (n_missed < MISSED_MAX)
		missed[n_missed++] = bytes;
	return NULL;
}

static struct cinstr_segment *extend(uint64_t bytes)
{
	uint64_t at = cinstr.header->file_bytes;
	struct cinstr_segment *segment;

	if (at + bytes > cinstr.store.ready) {
		int error = store_grow(at + bytes);

		if (error) {
			store_stop(is_out_of_reach(error) ? CINSTR_STOP_OUT_OF_REACH : CINSTR_STOP_NO_SPACE,
				   error);
			return NULL;
		}
	}
	segment = (void *)(cinstr.store.file + at);
	segment->magic = CINSTR_SEGMENT_MAGIC;
	segment->bytes = bytes;
	/* A reader of a killed process walks up to file_bytes: the header is whole before it
	 * counts. */
	/* companion_watch.c, api.c, module.c */
	atomic_store_release(&cinstr.header->file_bytes, at + bytes);
	return segment;
}

void *store_segment(uint32_t type, uint64_t payload_bytes, uint32_t owner)
{
	static uint64_t sequence;
	uint64_t old, bytes = (payload_bytes + sizeof(struct cinstr_segment) + CINSTR_PAGE - 1) &
			      ~(uint64_t)(CINSTR_PAGE - 1);
	struct cinstr_segment *segment = NULL;

	old = store_lock();
	if (n_free)
		segment = reuse(bytes);
	if (segment) {
		n_free--;
		arch_zero(segment + 1, bytes - sizeof(*segment));
	} else {
		segment = extend(bytes);
	}
	if (segment) {
		segment->owner = owner;
		segment->used = 0;
		segment->sealed = 0;
		segment->sequence = ++sequence;
		/* Last: before it the segment is nobody's. */
		atomic_store_release(&segment->type, type); /* is_written (module.c), reader */
	}
	store_unlock(old);
	return segment ? segment + 1 : NULL;
}

void store_free(void *payload)
{
	uint64_t old;

	if (!payload)
		return;
	old = store_lock();
	store_segment_of(payload)->sealed = 0;
	atomic_store_relaxed(&store_segment_of(payload)->type, CINSTR_SEG_FREE);
	n_free++;
	n_missed = 0;
	store_unlock(old);
}

void store_seal(void *payload, uint64_t used)
{
	struct cinstr_segment *segment = store_segment_of(payload);

	segment->used = used;
	segment->checksum = XXH3_64bits(payload, used);
	segment->sealed = 1;
}

/* Of this machine, since it was started. Asked once: a forked child may be forbidden to. */
static uint64_t machine_number(void)
{
	static uint64_t number;
	struct {
		struct utsname names;
		char boot[40]; /* random */
	} machine;
	int fd;

	if (number)
		return number;
	arch_zero(&machine, sizeof(machine));
	SYS1(SYS_uname, &machine.names);
	fd = sys_open("/proc/sys/kernel/random/boot_id", O_RDONLY, 0);
	if (fd >= 0) {
		sys_read(fd, machine.boot, sizeof(machine.boot));
		sys_close(fd);
	}
	number = XXH3_64bits(&machine, sizeof(machine)) | 1;
	return number;
}

/*
 * No other process's file has it, whatever its machine: sessions of several are put together by
 * copying their files into one folder.
 */
static uint32_t unique_number(long pid)
{
	uint64_t what[] = { machine_number(), sys_clock_ns(CLOCK_REALTIME), sys_clock_ns(CLOCK_MONOTONIC_RAW),
			    (uint64_t)pid };

	return (uint32_t)XXH3_64bits(what, sizeof(what));
}

/* The program's name, fit for a file's. */
static struct text program_name(void)
{
	struct text name = text_of("program", "", "");
	int fd = sys_open("/proc/self/comm", O_RDONLY, 0);
	char comm[17];
	long n;

	if (fd < 0)
		return name;
	n = sys_read(fd, comm, sizeof(comm) - 1);
	sys_close(fd);
	if (n <= 1)
		return name;
	comm[n - 1] = '\0'; /* a newline */
	for (long i = 0; i < n; i++)
		if (comm[i] == '/' || comm[i] == '\n')
			comm[i] = '_';
	return text_of(comm, "", "");
}

/* NAME.PID.UNIQUE.cinstr in the folder; a process that execs has one for each program. Returns the
 * descriptor. */
static int create_file(const char *path, int folder)
{
	const struct text program = program_name();
	long pid = SYS0(SYS_getpid);
	int fd = -EEXIST;

	for (int i = 0; i < 1000 && fd == -EEXIST; i++) {
		struct text name = text_of(program.data, ".", ""), whole;

		text_add_number(&name, pid);
		text_add(&name, ".");
		text_add_hex(&name, unique_number(pid));
		text_add(&name, CINSTR_FILE_SUFFIX);
		whole = text_of(path, "/", name.data);
		if (whole.used >= sizeof(cinstr.store.path))
			return -ENAMETOOLONG;
		arch_copy(cinstr.store.path, whole.data, whole.used + 1);
		fd = folder_make_file(folder, name.data);
	}
	return fd;
}

/*
 * The file's mapping, with as much address space to grow into as can be had. Only what has blocks
 * is accessible: tools that read all of a process's memory (leak checkers, core dumps) stay out of
 * the rest.
 */
static char *map_file(int fd)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	size_t size = 64ull << 30;

	SYS4(SYS_prlimit64, 0, RLIMIT_AS, NULL, &limit);
	while (size > limit.rlim_cur / LIMIT_SHARE)
		size /= 2;
	for (; size >= EARLY_BYTES * 4; size /= 2) {
		char *at = place_take(&cinstr.store.place, fd, size, FIRST_BYTES);

		if (at)
			return at;
	}
	return NULL;
}

/* Blocks, mapping and header of the new file. 0 or -errno. */
static int begin_file(int fd)
{
	int result;

	cinstr.store.id = folder_identity(fd);
	cinstr.store.size = cinstr.store.ready = 0;
	cinstr.store.file = map_file(fd);
	if (!cinstr.store.file)
		return -ENOMEM;
	size_ahead(fd, EARLY_BYTES + AHEAD_BYTES);
	result = grow_unreached(FIRST_BYTES);
	if (result) /* the kernel, or the file system, has no such way */
		result = grow_by(fd, EARLY_BYTES);
	if (!result)
		result = levels_map_process(fd);
	if (result) {
		place_drop(&cinstr.store.place);
		cinstr.store.file = NULL;
	}
	return result;
}

static void remove_file(int folder)
{
	const char *name = cinstr.store.path + string_length(cinstr.store.path);

	while (name[-1] != '/')
		name--;
	SYS3(SYS_unlinkat, folder, name, 0);
}

int store_create(const char *path, int folder)
{
	int fd = create_file(path, folder), result;

	if (fd < 0)
		return fd;
	result = begin_file(fd);
	sys_close(fd);
	if (result) {
		remove_file(folder);
		return result;
	}
	cinstr.store.folder = folder_identity(folder);
	n_free = n_missed = 0;
	cinstr.header = (struct cinstr_header *)cinstr.store.file;
	cinstr.header->header_bytes = CINSTR_PAGE;
	cinstr.header->version = CINSTR_FORMAT_VERSION;
	cinstr.header->file_bytes = CINSTR_PAGE;
	return 0;
}

int store_create_beside(const char *path)
{
	int folder = folder_open(AT_FDCWD, path), result = -ESTALE;

	if (folder < 0)
		return folder;
	if (folder_is(folder, &cinstr.store.folder)) /* not one that has come in its place */
		result = store_create(path, folder);
	sys_close(folder);
	return result;
}

static void trim_file(void *unused)
{
	uint64_t bytes = cinstr.header->file_bytes;
	int fd = reach_file();

	(void)unused;
	if (fd < 0)
		return;
	if (reach_is_ours(fd) && !SYS2(SYS_ftruncate, fd, bytes)) {
		cinstr.store.size = cinstr.store.ready = bytes;
		place_cut(&cinstr.store.place, bytes);
	}
	reach_close(fd);
}

/* Gives back the blocks behind the last segment. The process may still go on: the file grows again
 * when it must. */
void store_trim(void)
{
	uint64_t old = store_lock();

	call_apart(trim_file, NULL);
	store_unlock(old);
}

uint64_t store_identity_checksum(const struct cinstr_header *header)
{
	const char *from = (const char *)&header->pid, *to = (const char *)&header->file_bytes;

	return XXH3_64bits(from, (size_t)(to - from));
}
