/* SPDX-License-Identifier: MIT */
/*
 * message.c - messages of the runtime: one line each, at most MESSAGES_MAX in a process. The host
 * program's output is not ours: only the process that begins a session writes to stderr. Messages
 * of the others are kept in the session's page (struct cinstr_messages) and shown by `cinstr
 * record`, `report` and `info`. With CINSTR_VERBOSE=1 all go to stderr.
 *
 * Lines are held back until it is known whether this process began the session or joined it.
 * Called from constructors, at forks, and in probes with signals blocked.
 */
#include <errno.h>
#include <sys/stat.h>

#include "runtime.h"

#define MESSAGES_MAX 8
#define LINE_MAX 600   /* of a line that is kept */
#define DETAIL_MAX 300 /* of a path in it: its end */

enum speaker { SPEAKER_UNKNOWN, SPEAKER_STDERR, SPEAKER_SESSION };

static uint64_t stderr_device, stderr_inode; /* of descriptor 2 when the process was attached */
static enum speaker speaker;
static long speaker_pid;
static struct text waiting;

void messages_begin(void)
{
	struct stat status = { .st_dev = 0 };

	SYS2(SYS_fstat, 2, &status);
	stderr_device = status.st_dev;
	stderr_inode = status.st_ino;
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* The system's own texts: strerror() may allocate and takes a lock. What to do, where that does not
 * depend on what was tried. */
static const struct error_text {
	int number;
	const char *text, *remedy;
} error_texts[] = {
	{ EPERM, "Operation not permitted", NULL },
	{ ENOENT, "No such file or directory", NULL },
	{ EINTR, "Interrupted system call", NULL },
	{ EIO, "Input/output error", NULL },
	{ EBADF, "Bad file descriptor", NULL },
	{ EAGAIN, "Resource temporarily unavailable", NULL },
	{ ENOMEM, "Cannot allocate memory", "its limit of memory or address space is too low" },
	{ EACCES, "Permission denied", "set CINSTR_DATA to a folder that it may write" },
	{ EFAULT, "Bad address", NULL },
	{ EBUSY, "Device or resource busy", NULL },
	{ EEXIST, "File exists", NULL },
	{ ENODEV, "No such device", "that file system cannot map files: set CINSTR_DATA to another one" },
	{ ENOTDIR, "Not a directory", NULL },
	{ EINVAL, "Invalid argument", NULL },
	{ ENFILE, "Too many open files in system", NULL },
	{ EMFILE, "Too many open files", "raise the limit (ulimit -n)" },
	{ EFBIG, "File too large", "raise the limit (ulimit -f)" },
	{ ENOSPC, "No space left on device", "free some, or set CINSTR_DATA to another disk" },
	{ EROFS, "Read-only file system", "set CINSTR_DATA to a folder that can be written" },
	{ ENAMETOOLONG, "File name too long", "set CINSTR_DATA to a shorter one" },
	{ ENOSYS, "Function not implemented", NULL },
	{ ELOOP, "Too many levels of symbolic links", NULL },
	{ EOPNOTSUPP, "Operation not supported", NULL },
	{ ESTALE, "Stale file handle", "its folder has been moved or deleted" },
	{ EDQUOT, "Disk quota exceeded", "free some, or set CINSTR_DATA to another disk" },
};

static void add_error(struct text *line, int number)
{
	text_add(line, ": ");
	for (unsigned i = 0; i < sizeof(error_texts) / sizeof(*error_texts); i++) {
		if (error_texts[i].number != number)
			continue;
		text_add(line, error_texts[i].text);
		if (error_texts[i].remedy) {
			text_add(line, "; ");
			text_add(line, error_texts[i].remedy);
		}
		return;
	}
	text_add(line, "error ");
	text_add_number(line, number);
}

/* ---- to stderr ------------------------------------------------------------------------------- */

/* Descriptor 2 may be the program's own file by now; and a pipe that nobody reads must not kill the
 * program. */
static void write_stderr(const char *data, size_t bytes)
{
	uint64_t pipe = 1ull << (SIGPIPE - 1), before = 0, old;
	struct timespec none = { 0, 0 };
	struct stat status;

	if (SYS2(SYS_fstat, 2, &status) || status.st_dev != stderr_device || status.st_ino != stderr_inode)
		return;
	old = sys_block_signals();
	SYS2(SYS_rt_sigpending, &before, 8);
	if (sys_write(2, data, bytes) == -EPIPE && !(before & pipe))
		SYS4(SYS_rt_sigtimedwait, &pipe, NULL, &none, 8);
	sys_restore_signals(old);
}

/* ---- into the session ------------------------------------------------------------------------ */

static int is_at(const char *text, uint32_t left, const char *string, uint32_t n)
{
	if (n > left)
		return 0;
	for (uint32_t i = 0; i < n; i++)
		if (text[i] != string[i])
			return 0;
	return 1;
}

/* Has another process said the same already? */
static int is_kept(const struct cinstr_messages *messages, const char *line, uint32_t n)
{
	uint32_t used = min_of(atomic_load_relaxed(&messages->used), sizeof(messages->text));

	for (uint32_t i = 0; i < used; i++)
		if (is_at(messages->text + i, used - i, line, n))
			return 1;
	return 0;
}

static void add_speaker(struct text *line)
{
	char name[17] = "";

	if (!atomic_load_relaxed(&cinstr.is_mute))
		SYS2(SYS_prctl, 16 /* PR_GET_NAME */, name);
	text_add(line, *name ? name : "process");
	text_add(line, " (");
	text_add_number(line, SYS0(SYS_getpid));
	text_add(line, "): ");
}

/* Any process of the session at any time: room is taken by an addition; what is not written yet is
 * 0. */
static void keep_in_session(const char *text, uint32_t n)
{
	struct cinstr_messages *messages = levels_messages();
	struct text line = { .used = 0 };
	uint32_t at;

	if (!messages || is_kept(messages, text, n))
		return;
	add_speaker(&line);
	text_add(&line, text);
	if (line.used > LINE_MAX) {
		line.used = LINE_MAX - 1;
		text_add(&line, "\n");
	}
	at = atomic_add(&messages->used, line.used);
	if (at > sizeof(messages->text) - line.used) {
		atomic_add(&messages->lost, 1);
		return;
	}
	for (uint32_t i = 0; i < line.used; i++)
		messages->text[at + i] = line.data[i];
}

/* ---- the line -------------------------------------------------------------------------------- */

static int speaks_on_stderr(void)
{
	return speaker == SPEAKER_STDERR &&
	       SYS0(SYS_getpid) == speaker_pid; /* a forked child has not begun it */
}

static void put(const char *line, size_t n)
{
	struct text whole;
	int speaks = speaks_on_stderr();

	if (!speaks)
		keep_in_session(line, (uint32_t)n);
	if (!speaks && !cinstr.verbose)
		return;
	whole = text_of("cinstr: ", line, "");
	write_stderr(whole.data, whole.used);
}

/* Lines of `waiting`. */
static void put_waiting(void)
{
	unsigned from = 0;

	for (unsigned i = 0; i < waiting.used; i++) {
		struct text line = { .used = 0 };

		if (waiting.data[i] != '\n')
			continue;
		arch_copy(line.data, waiting.data + from, i + 1 - from);
		line.used = i + 1 - from;
		put(line.data, line.used);
		from = i + 1;
	}
	waiting.used = 0;
}

void messages_go(int to_stderr)
{
	speaker = to_stderr ? SPEAKER_STDERR : SPEAKER_SESSION;
	speaker_pid = SYS0(SYS_getpid);
	put_waiting();
}

/* `WHAT: DETAIL: the error's text; remedy` */
void cinstr_say(const char *what, const char *detail, int error)
{
	static uint32_t said;
	struct text line;

	if (atomic_add(&said, 1) >= MESSAGES_MAX)
		return;
	line = text_of("", "", "");
	text_add_visible(&line, what);
	text_add(&line, detail ? ": " : "");
	if (detail && string_length(detail) > DETAIL_MAX) {
		text_add(&line, "...");
		detail += string_length(detail) - DETAIL_MAX;
	}
	text_add_visible(&line, detail ? detail : "");
	if (error)
		add_error(&line, error);
	line.used = (unsigned)min_of(line.used, sizeof(line.data) - 2);
	text_add(&line, "\n");
	if (speaker != SPEAKER_UNKNOWN)
		put(line.data, line.used);
	else if (waiting.used + line.used < sizeof(waiting.data))
		text_add(&waiting, line.data);
}

void cinstr_tell(const char *what, const char *detail)
{
	struct text line = text_of("cinstr: ", what, ": ");

	if (!cinstr.verbose)
		return;
	text_add_visible(&line, detail);
	line.used = (unsigned)min_of(line.used, sizeof(line.data) - 2);
	text_add(&line, "\n");
	write_stderr(line.data, line.used);
}
