/* SPDX-License-Identifier: MIT */
/*
 * session.c - makes, rotates, joins and undoes session folders (session.h). Runs in constructors
 * and in the command. System calls only, relative to the descriptor of the parent folder.
 *
 * Programs that start at the same moment. A folder is made under a name of its own, with its lock
 * taken, and then renamed into place, which fails if something is there: exactly one gets the name.
 * An existing session is moved only by a process that holds its lock exclusively, so none is moved
 * while it is recorded, and no two processes move the same one. After a move it is checked again
 * under its new name. A session that was recorded while this process existed already is not an
 * older one, even if it has ended. Nothing is deleted under a name that others know: it is renamed
 * first.
 *
 *   1. FOLDER.old -> FOLDER.old.PID.N      both locks held, as far as there are these folders
 *   2. FOLDER -> FOLDER.old
 *   3. FOLDER.new.PID.N -> FOLDER          or, if somebody was quicker, -> FOLDER.PID
 *   4. FOLDER.old.PID.N is deleted         (session_keep); or all of it back (session_undo)
 *
 * Killed between two of these, each session is whole and under one of these names, and no name is
 * in a later program's way.
 */
#include "session.h"

#include <errno.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "cinstr/format.h"
#include "folder.h"
#include "sampler/sampler_ring.h"
#include "session_lock.h"
#include "system/sys.h"
#include "system/text.h"

#define HOLD_TRIES 8 /* session_is_live of another process has it for a moment */
#define PLACE_TRIES 16
#define NAME_TRIES 32
#define NAME_ROOM 64	    /* room for what is appended to the name */
#define LEFTOVER_SECONDS 60 /* folders older than this were left by a program that was killed */
#define TICK_NS 10000000ull /* of the times in /proc */
#define SWEEP_MAX 400	    /* so many entries of a folder are searched for such folders */

/* ---- what is in a session's folder ----------------------------------------------------------- */

static int is_ours(const char *name)
{
	/* the last two: of a command that was killed */
	return string_ends(name, string_length(name), CINSTR_FILE_SUFFIX) ||
	       string_equal(name, SESSION_LOCK_NAME) ||
	       string_ends(name, string_length(name), CINSTR_FILE_SUFFIX SESSION_PACK_SUFFIX) ||
	       string_equal(name, SAMPLER_RING_NAME);
}

/* The first bytes of a file: how many there are, or -errno. */
static long read_first(int folder, const char *name, void *bytes, size_t n)
{
	int fd = folder_open_file(folder, name, O_RDONLY);
	long got;

	if (fd < 0)
		return fd;
	got = sys_read(fd, bytes, n);
	sys_close(fd);
	return got;
}

static int has_data_suffix(const char *name)
{
	return string_ends(name, string_length(name), CINSTR_FILE_SUFFIX);
}

/* Of a data file that was never begun the first bytes are zero, and a lock file may be empty. */
static int is_no_remnant(int folder, const char *name, void *data)
{
	char magic[sizeof(CINSTR_FILE_MAGIC)] = "";
	long n;

	(void)data;
	if (string_equal(name, SAMPLER_RING_NAME))
		return 0;
	if (!has_data_suffix(name) && !string_equal(name, SESSION_LOCK_NAME))
		return 1;
	n = read_first(folder, name, magic, sizeof(magic) - 1);
	if (string_equal(name, SESSION_LOCK_NAME))
		return n != 0;
	return n < 0 || (*magic && !string_equal(magic, CINSTR_FILE_MAGIC));
}

/* Data files alone: a session that was being made or deleted when its process was killed, or that
 * an earlier version deleted by half. */
static int is_remnant(int folder)
{
	return folder_each(folder, is_no_remnant, NULL) == 0;
}

static int is_begun(int folder, const char *name, void *data)
{
	char magic[sizeof(CINSTR_FILE_MAGIC)] = "";

	(void)data;
	return has_data_suffix(name) && read_first(folder, name, magic, sizeof(magic) - 1) > 0 &&
	       string_equal(magic, CINSTR_FILE_MAGIC);
}

static int has_data(int folder)
{
	return folder_each(folder, is_begun, NULL) == 1;
}

/* Was it begun by a process that this one had started, before it became this program? */
static int is_of_child(int folder, const char *name, void *data)
{
	struct cinstr_header header;

	(void)data;
	return has_data_suffix(name) && read_first(folder, name, &header, sizeof(header)) == sizeof(header) &&
	       header.parent_pid == (uint32_t)SYS0(SYS_getpid) && !header.forked;
}

static int remove_entry(int folder, const char *name, void *data)
{
	(void)data;
	if (is_ours(name))
		SYS3(SYS_unlinkat, folder, name, 0);
	return 0;
}

/* Deletes the session in this folder, which is at this name; one with files that are not ours
 * stays, with them. */
static void remove_session(int at, const char *name, int folder)
{
	folder_each(folder, remove_entry, NULL);
	SYS3(SYS_unlinkat, at, name, AT_REMOVEDIR);
}

/* ---- holding and moving ---------------------------------------------------------------------- */

/* A session of this user's that nobody records into, and that nobody else may move meanwhile. */
struct held {
	int folder, lock; /* descriptors; -1: none */
	struct folder_id id;
	uint64_t last_end_ns;
};

#define NOTHING_HELD \
	{ \
		.folder = -1, .lock = -1 \
	}

static void let_go(struct held *held)
{
	if (held->lock >= 0)
		sys_close(held->lock);
	if (held->folder >= 0)
		sys_close(held->folder);
	held->folder = held->lock = -1;
}

/* 0; -EBUSY: somebody records into it, or is moving it; -EEXIST: no session, or not ours; -ENOENT:
 * nothing is there. */
static int hold(int at, const char *name, struct held *held)
{
	struct lock_head head = { .last_end_ns = 0 };
	int error;

	*held = (struct held){ .lock = -1, .folder = folder_open(at, name) };
	if (held->folder < 0)
		return held->folder == -ENOENT ? -ENOENT : -EEXIST;
	held->id = folder_identity(held->folder);
	if (folder_is_own(held->folder) == 1) {
		held->lock = lock_open(held->folder, &head);
		held->last_end_ns = head.last_end_ns;
		/* a lock of the folder itself */
		if (held->lock == -ENOENT && is_remnant(held->folder))
			held->lock = folder_open(held->folder, ".");
	}
	error = held->lock < 0 ? -EEXIST : -EAGAIN;
	for (int i = 0; i < HOLD_TRIES && error == -EAGAIN; i++) {
		if (i)
			SYS0(SYS_sched_yield);
		error = (int)SYS2(SYS_flock, held->lock, LOCK_EX | LOCK_NB);
	}
	if (error)
		let_go(held);
	return error == -EAGAIN ? -EBUSY : error;
}

static int rename_in(int at, const char *from, const char *to)
{
	return (int)SYS4(SYS_renameat, at, from, at, to);
}

/* Moves the folder that has this identity. If it was another one (somebody else has renamed
 * folders), that one goes back. */
static int move(int at, const char *from, const char *to, const struct folder_id *id)
{
	int error = rename_in(at, from, to), fd;

	/* a mount point: not the same as a session in use */
	if (error)
		return error == -EBUSY ? -EXDEV : error;
	fd = folder_open(at, to);
	if (fd >= 0 && folder_is(fd, id)) {
		sys_close(fd);
		return 0;
	}
	if (fd >= 0)
		sys_close(fd);
	rename_in(at, to, from);
	return -EAGAIN;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* NAME.WORD.PID.N: nobody else's, and none that an earlier process of this number has left. */
static struct text private_name(const char *name, const char *word)
{
	static uint32_t count;
	struct text text = text_of(name, ".", word);

	text_add_number(&text, SYS0(SYS_getpid));
	text_add(&text, ".");
	text_add_hex(&text, (uint32_t)(sys_clock_ns(CLOCK_MONOTONIC) * 2654435761u) + ++count);
	return text;
}

static int absolute(const char *wanted, struct text *out)
{
	out->used = 0;
	out->data[0] = '\0';
	if (*wanted != '/') {
		long n = SYS2(SYS_getcwd, out->data, SESSION_PATH_MAX);

		if (n < 0)
			return (int)n;
		if (out->data[0] != '/')
			return -ENOENT; /* the folder is gone or out of reach */
		out->used = (unsigned)n - 1;
		text_add(out, "/");
	}
	text_add(out, wanted);
	while (out->used > 1 && out->data[out->used - 1] == '/')
		out->data[--out->used] = '\0';
	return out->used < SESSION_PATH_MAX - 2 * NAME_ROOM ? 0 : -ENAMETOOLONG;
}

int session_absolute(const char *wanted, char *path)
{
	struct text whole;
	int error = absolute(wanted, &whole);

	for (unsigned i = 0; !error && i <= whole.used; i++)
		path[i] = whole.data[i];
	return error;
}

/* Divides an absolute path into the folder that it stands in, with the '/', and the name there. */
static int divide(const char *wanted, struct text *parent, struct text *name)
{
	int error = absolute(wanted, parent);
	unsigned n = parent->used;

	while (n > 0 && parent->data[n - 1] != '/')
		n--;
	*name = text_of(parent->data + n, "", "");
	parent->used = n;
	parent->data[n] = '\0';
	return error										 ? error
	       : !*name->data || string_equal(name->data, ".") || string_equal(name->data, "..") ? -EEXIST
												 : 0;
}

/* ---- a new session --------------------------------------------------------------------------- */

/* What session_create did, until session_keep or session_undo. */
static struct creation {
	int at, folder;	    /* descriptors: where it stands, the session's own; -1: none */
	struct text parent; /* path of the first, with a '/' */
	struct text name;   /* that was wanted */
	struct text beside; /* NAME.PID, or what was wanted in its place */
	struct text old;    /* NAME.old */
	struct text older;  /* private name of what was NAME.old before; empty: nothing was */
	struct held older_held;
	struct text made; /* the name that the session has now */
	struct folder_id id;
	struct held before; /* what was NAME, and is NAME.old: held while it is moved */
	struct folder_id before_id;
	uint64_t began_ns; /* of this process, CLOCK_REALTIME */
	int has_rotated;
} creation = { .at = -1, .folder = -1, .before = NOTHING_HELD, .older_held = NOTHING_HELD };

static uint64_t read_number(const char **at)
{
	uint64_t number = 0;

	for (; **at >= '0' && **at <= '9'; ++*at)
		number = number * 10 + (uint64_t)(**at - '0');
	*at += **at == ' ';
	return number;
}

/* Of the first thread: what it has run, and waited for a processor. */
static uint64_t scheduled_ns(void)
{
	char text[128] = "";
	const char *at = text;
	uint64_t running_ns;
	int fd = sys_open("/proc/self/schedstat", O_RDONLY, 0);

	if (fd >= 0) {
		sys_read(fd, text, sizeof(text) - 1);
		sys_close(fd);
	}
	running_ns = read_number(&at);
	return running_ns + read_number(&at);
}

/* This process began at this moment (CLOCK_REALTIME) at the latest: the kernel tells its start to a
 * tick only. */
static uint64_t began_by_ns(void)
{
	uint64_t start_ns = (session_process_start() + 1) * TICK_NS, alive_ns = scheduled_ns();
	uint64_t boot_ns = sys_clock_ns(CLOCK_BOOTTIME);

	if (start_ns > TICK_NS && boot_ns > start_ns + alive_ns)
		alive_ns = boot_ns - start_ns;
	return sys_clock_ns(CLOCK_REALTIME) - alive_ns;
}

static int make_folder(struct creation *c)
{
	int error = -EEXIST;

	for (int i = 0; i < NAME_TRIES && error == -EEXIST; i++) {
		c->made = private_name(c->name.data, "new.");
		c->folder = error = folder_make(c->at, c->made.data);
	}
	if (c->folder < 0)
		return c->folder;
	c->id = folder_identity(c->folder);
	return lock_make(c->folder);
}

/* FOLDER.old out of the way, to be deleted when the new session is there for good. */
static int move_older(struct creation *c)
{
	struct text name = private_name(c->name.data, "old.");
	int error;

	if (c->older.used)
		return 0;
	error = hold(c->at, c->old.data, &c->older_held);
	if (error)
		return error == -ENOENT ? 0 : error;
	error = move(c->at, c->old.data, name.data, &c->older_held.id);
	if (error)
		let_go(&c->older_held);
	else
		c->older = name;
	return error;
}

/* Was it recorded at the same time as this process? Whether it has just ended makes no
 * difference. */
static int is_beside(const struct held *held)
{
	struct stat status;
	uint64_t last_ns;

	if (SYS2(SYS_fstat, held->folder, &status))
		return 0;
	last_ns = (uint64_t)status.st_mtim.tv_sec * 1000000000 + (uint64_t)status.st_mtim.tv_nsec;
	if (held->last_end_ns > last_ns)
		last_ns = held->last_end_ns;
	/* A time in the future was noted by a clock that has been set back since. */
	return last_ns > creation.began_ns && last_ns <= sys_clock_ns(CLOCK_REALTIME) &&
	       folder_each(held->folder, is_of_child, NULL) != 1;
}

static void put_older_back(struct creation *c)
{
	if (c->older.used)
		rename_in(c->at, c->older.data, c->old.data);
	c->older.used = 0;
	let_go(&c->older_held);
}

/* A session in which nothing was recorded, of a program that was killed, need not be kept. */
static int drop_empty(struct creation *c)
{
	struct text away = private_name(c->name.data, "new.");
	int error = move(c->at, c->name.data, away.data, &c->before.id);

	if (error)
		return error == -EAGAIN ? error : -EEXIST;
	remove_session(c->at, away.data, c->before.folder);
	return 0;
}

/* FOLDER to FOLDER.old, if it is a finished session of this user's. */
static int rotate(struct creation *c)
{
	int error = hold(c->at, c->name.data, &c->before);

	if (error)
		return error == -ENOENT ? -EAGAIN : error; /* it has just been moved */
	if (is_beside(&c->before))
		return -EBUSY;
	if (!has_data(c->before.folder))
		return drop_empty(c);
	error = move_older(c);
	if (!error)
		error = move(c->at, c->name.data, c->old.data, &c->before.id);
	if (error) {
		put_older_back(c);
		return error == -EAGAIN || error == -EBUSY ? error : -EEXIST;
	}
	c->has_rotated = 1;
	c->before_id = c->before.id;
	return 0;
}

/* The session gets this name, if nothing or only an empty folder is there. */
static int settle(struct creation *c, const struct text *name)
{
	int error = rename_in(c->at, c->made.data, name->data);

	if (!error)
		c->made = *name;
	return error;
}

/* Something stands there, or somebody else's stands there that may not be replaced. */
static int is_taken(int error)
{
	return error == -ENOTEMPTY || error == -EEXIST || error == -ENOTDIR || error == -EPERM ||
	       error == -EACCES || error == -EBUSY;
}

/* FOLDER.PID, or, if that is taken, FOLDER.PID.N. why: what is the matter with FOLDER. */
static int settle_beside(struct creation *c, int why)
{
	int error = settle(c, &c->beside);

	for (int i = 0; i < NAME_TRIES && is_taken(error); i++) {
		struct text name = private_name(c->name.data, "");
		error = settle(c, &name);
	}
	return error ? error : why == -EBUSY || why == -EAGAIN ? SESSION_BESIDE : SESSION_ELSEWHERE;
}

static int take_place(struct creation *c)
{
	int why = 0;

	for (int i = 0; i < PLACE_TRIES && (!why || why == -EAGAIN); i++) {
		int error = settle(c, &c->name);

		if (!error || !is_taken(error))
			return error;
		let_go(&c->before);
		/* somebody else was quicker; that session is not moved as well */
		why = c->has_rotated ? -EBUSY : rotate(c);
	}
	return settle_beside(c, why);
}

static void finish(struct creation *c)
{
	let_go(&c->before);
	let_go(&c->older_held);
	if (c->folder >= 0)
		sys_close(c->folder);
	if (c->at >= 0)
		sys_close(c->at);
	c->folder = c->at = -1;
}

static int begin(struct creation *c, const char *wanted, const char *suffix)
{
	int error = divide(wanted, &c->parent, &c->name);

	/* first: waiting for others in the same folder does not count */
	c->began_ns = began_by_ns();
	c->older.used = 0;
	c->has_rotated = 0;
	c->folder = -1;
	c->before = c->older_held = (struct held)NOTHING_HELD;
	if (error)
		return error;
	c->old = text_of(c->name.data, ".old", "");
	c->beside = text_of(c->name.data, ".", suffix);
	c->at = sys_open(c->parent.data, O_PATH | O_DIRECTORY, 0);
	return c->at < 0 ? c->at : make_folder(c);
}

int session_create(const char *wanted, char *path)
{
	struct text suffix = { .used = 0 };

	text_add_number(&suffix, SYS0(SYS_getpid));
	return session_create_or(wanted, suffix.data, path);
}

int session_create_or(const char *wanted, const char *suffix, char *path)
{
	struct creation *c = &creation;
	int result = begin(c, wanted, suffix);
	struct text whole;

	if (!result)
		result = take_place(c);
	let_go(&c->before);
	if (result < 0) {
		session_undo();
		return result;
	}
	whole = text_of(c->parent.data, c->made.data, "");
	for (unsigned i = 0; i <= whole.used; i++)
		path[i] = whole.data[i];
	return result;
}

int session_folder(void)
{
	return creation.folder;
}

/* ---- what killed programs have left ---------------------------------------------------------- */

static int is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* Is it NAME.WORD.PID.N, as private_name makes it? */
static int is_private(const char *found, const char *name, const char *word)
{
	struct text begin = text_of(name, ".", word);
	unsigned i = 0, digits;

	while (i < begin.used && found[i] == begin.data[i])
		i++;
	if (i < begin.used || found[i] == '.')
		return 0;
	while (found[i] >= '0' && found[i] <= '9')
		i++;
	if (found[i++] != '.')
		return 0;
	for (digits = 0; is_hex(found[i]); digits++)
		i++;
	return digits == 8 && !found[i];
}

/* Asked before its lock is touched: another process may just be making it. */
static int is_aged(int at, const char *name)
{
	struct stat status = { .st_mtime = 0 };
	int folder = folder_open(at, name), error;

	if (folder < 0)
		return 0;
	error = (int)SYS2(SYS_fstat, folder, &status);
	sys_close(folder);
	return !error &&
	       status.st_mtime + LEFTOVER_SECONDS < (long)(sys_clock_ns(CLOCK_REALTIME) / 1000000000);
}

/* Programs that were killed between two steps have left their folders. Those who are at work hold
 * theirs, or have just made them. */
static int sweep_entry(int folder, const char *name, void *data)
{
	struct creation *c = &creation;
	uint32_t *left = data;
	struct held held;

	if ((is_private(name, c->name.data, "new.") || is_private(name, c->name.data, "old.")) &&
	    is_aged(folder, name) && !hold(c->at, name, &held)) {
		remove_session(c->at, name, held.folder);
		let_go(&held);
	}
	return --*left == 0;
}

static void sweep(struct creation *c)
{
	uint32_t left = SWEEP_MAX;

	folder_each(c->at, sweep_entry, &left);
}

void session_keep(void)
{
	struct creation *c = &creation;

	if (c->at >= 0 && c->older.used)
		remove_session(c->at, c->older.data, c->older_held.folder);
	if (c->at >= 0 && c->has_rotated)
		sweep(c);
	finish(c);
}

void session_leave(void)
{
	lock_drop();
}

/* ---- undone ---------------------------------------------------------------------------------- */

/* Everything back to its place, where nobody has taken that meanwhile. */
static void put_back(struct creation *c)
{
	if (c->has_rotated && move(c->at, c->old.data, c->name.data, &c->before_id))
		return;
	if (c->older.used)
		rename_in(c->at, c->older.data, c->old.data);
}

/* Is nobody but this process in it? Then nobody comes any more. The descriptor that says so, or
 * -errno. */
static int hold_alone(struct creation *c)
{
	struct lock_head head;
	int fd, error;

	lock_drop();
	fd = lock_open(c->folder, &head);
	if (fd == -ENOENT) /* it could not be made */
		return folder_open(c->folder, ".");
	if (fd < 0)
		return fd;
	error = (int)SYS2(SYS_flock, fd, LOCK_EX | LOCK_NB);
	if (!error)
		return fd;
	sys_close(fd);
	return error;
}

void session_undo(void)
{
	struct creation *c = &creation;
	struct text away;
	int fd;

	if (c->at < 0 || c->folder < 0) {
		finish(c);
		return;
	}
	fd = hold_alone(c);
	away = private_name(c->name.data, "new.");
	if (fd < 0) {
		session_keep();
		return;
	}
	if (!move(c->at, c->made.data, away.data, &c->id)) {
		remove_session(c->at, away.data, c->folder);
		put_back(c);
	}
	sys_close(fd);
	finish(c);
}

int session_join(const char *path)
{
	int folder = folder_open_trusted(AT_FDCWD, path), error;

	if (folder < 0)
		return folder;
	error = lock_join(folder);
	if (error) {
		sys_close(folder);
		return error;
	}
	creation.at = -1;
	creation.folder = folder;
	return 0;
}

int session_make_file(const char *path, const char *name)
{
	int folder = folder_open_trusted(AT_FDCWD, path), fd;

	if (folder < 0)
		return folder;
	fd = folder_make_file(folder, name);
	sys_close(folder);
	return fd;
}
