/* SPDX-License-Identifier: GPL-3.0-or-later */
/* snapshot.c - see snapshot.h. The folder gets its name when it is complete. */
#include "snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cinstr/atomics.h"
#include "file/data.h"
#include "lib/files.h"
#include "lib/util.h"
#include "runtime/process/session.h"
#include "session/processes.h"
#include "session/recording_end.h"
#include "session/session.h"
#include "session/session_command.h"
#include "values/values.h"

#define NAMES_TRIED 10000
#define COPIES_TRIED 20
#define COPIES_UNHELD 2 /* after so many attempts the threads are asked to wait */
#define HOLD_MS 45
#define HOLD_BEGIN_NS 2000000
#define FLUSH_WAIT_NS 2000000
#define FLUSH_WAITS 25 /* waits at most so often: threads that sleep do not answer */
#define PIECE (1u << 20)

/* ---- writing --------------------------------------------------------------------------------- */

static int write_at(int fd, const void *from, uint64_t bytes, uint64_t offset)
{
	uint64_t done = 0;

	while (done < bytes) {
		ssize_t n = pwrite(fd, (const char *)from + done, bytes - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? errno : ENOSPC;
		done += (uint64_t)n;
	}
	return 0;
}

/* Of a segment that is not in memory. */
static int copy_piece(int from, int to, uint64_t offset, uint64_t bytes)
{
	FREED char *piece = xcalloc(1, PIECE);
	int why = 0;

	while (bytes && !why) {
		uint64_t n = bytes < PIECE ? bytes : PIECE;

		n = load_read(from, piece, n, offset);
		why = n ? write_at(to, piece, n, offset) : EIO;
		offset += n;
		bytes -= n;
	}
	return why;
}

static int write_header(const struct data *data, int to, int is_live)
{
	char page[CINSTR_PAGE];
	struct cinstr_header *header = (void *)page;

	memcpy(page, data->memory, sizeof(page));
	header->file_bytes = data->file_bytes;
	if (is_live && !process_end_is_known(header)) {
		header->end = CINSTR_END_SNAPSHOT;
		header->end_realtime_ns = util_realtime_ns();
		header->end_ticks = data->end_ticks;
	}
	return write_at(to, page, sizeof(page), 0);
}

static int write_segments(const struct data *data, int from, int to)
{
	int why = ftruncate(to, (off_t)data->file_bytes) ? errno : 0;

	for (size_t i = 0; i < data->n_segments && !why; i++) {
		const struct data_segment *s = &data->segments[i];
		uint64_t at = s->offset - sizeof(struct cinstr_segment);

		if (data_is_loaded(s->type))
			why = write_at(to, data->memory + at, s->bytes + sizeof(struct cinstr_segment), at);
		else if (s->type == CINSTR_SEG_FREE)
			why = write_at(to, data->memory + at, sizeof(struct cinstr_segment), at);
		else
			why = copy_piece(from, to, at, s->bytes + sizeof(struct cinstr_segment));
	}
	return why;
}

/* Threads that wait have the names of their first events: the kernel has them as they are now. */
static void write_names(const struct data *data, int to)
{
	uint32_t pid = process_of(data->path, data->header);

	for (size_t i = 0; i < data->n_segments && pid == data->header->pid; i++) {
		const struct data_segment *s = &data->segments[i];
		const struct cinstr_thread *thread = (const void *)(data->memory + s->offset);
		char name[sizeof(thread->name)] = "";

		if (s->type == CINSTR_SEG_THREAD && s->used >= sizeof(*thread) &&
		    thread->state == CINSTR_THREAD_LIVE && !thread->named &&
		    !process_thread_name(pid, thread->tid, name, sizeof(name)))
			write_at(to, name, sizeof(name), s->offset + offsetof(struct cinstr_thread, name));
	}
}

/* ---- one file -------------------------------------------------------------------------------- */

/* Is the copy whole: nothing wrong, and R10 in every thread? */
static int is_sound(const char *path)
{
	struct data data;
	int sound = !data_open(&data, path) && !data.n_problems;

	for (size_t i = 0; i < data.n_threads; i++)
		sound &= !values_conservation(&data.threads[i]);
	data_release(&data);
	return sound;
}

static int write_copy(const struct data *data, const char *from, const char *to, int is_live)
{
	int in = files_open(from, 0), out, why;
	struct stat st;

	if (in < 0)
		return errno;
	unlink(to); /* a copy that was not sound */
	out = files_make(to);
	/* who may read the session may read this */
	if (out >= 0 && !fstat(in, &st) && st.st_mode & 0044)
		fchmod(out, 0600 | (st.st_mode & 0044));
	why = out < 0 ? errno : write_segments(data, in, out);
	if (!why)
		why = write_header(data, out, is_live);
	if (!why && is_live)
		write_names(data, out);
	if (out >= 0 && close(out) && !why)
		why = errno;
	close(in);
	return why;
}

/* 0 or an errno; *sound: whether the copy is whole. */
static int copy_once(const struct snapshot_file *file, const char *to, int *sound)
{
	struct data data;
	int why = 0;

	*sound = 0;
	if (!data_load(&data, file->path)) {
		int settled = !data.n_problems && !data.unsettled;

		recording_note_end(&data);
		why = write_copy(&data, file->path, to, file->is_live);
		*sound = !why && settled && is_sound(to);
	}
	data_release(&data);
	return why;
}

/* Each of the process's threads waits for a moment when it folds next; when asked to fold, it does
 * so at once. */
static void hold(const char *path, uint32_t until_ms)
{
	struct cinstr_control_block *block = control_map(path, 1);

	if (!block)
		return;
	atomic_store_release(&block->hold, until_ms); /* hold.c */
	if (until_ms) {
		atomic_add(&block->flushes, 1);
		control_changed(block);
	}
	control_unmap(block);
}

static int copy_while_held(const struct snapshot_file *file, const char *to, int *sound)
{
	struct timespec nap = { 0, HOLD_BEGIN_NS };
	int why;

	hold(file->path, (uint32_t)(util_realtime_ns() / 1000000) + HOLD_MS);
	nanosleep(&nap, NULL);
	why = copy_once(file, to, sound);
	hold(file->path, 0);
	return why;
}

/* A process that has just been forked may not have written its header yet. */
static int has_begun(const char *path)
{
	struct cinstr_header header;

	return !session_header(path, &header);
}

/* A process that ends, or goes on too fast, in the middle of a copy: once more. */
static int copy_file(const struct snapshot_file *file, const char *folder)
{
	STRBUF(to);
	int why = 0, sound = 0;

	strbuf_printf(&to, "%s/%s", folder, util_basename(file->path));
	for (int i = 0; i < COPIES_TRIED && !sound && !why; i++)
		why = i < COPIES_UNHELD || !file->is_live || file->never_waits
			      ? copy_once(file, to.text, &sound)
			      : copy_while_held(file, to.text, &sound);
	if (why)
		error("%s: %s", to.text, strerror(why));
	else if (!sound && access(to.text, F_OK) && !has_begun(file->path))
		; /* nothing is in it yet */
	else if (!sound && access(to.text, F_OK))
		warning("%s: cannot be copied (see cinstr info)", file->path);
	else if (!sound && !file->never_waits)
		warning("%s: its copy is not exact (cinstr info %s says more)", file->path, to.text);
	return why;
}

/* ---- the threads fold ------------------------------------------------------------------------ */

/* Sum of the commits of a file's threads. */
static uint64_t commits(const char *path)
{
	int fd = files_open(path, 0);
	struct cinstr_header header;
	struct cinstr_segment s;
	uint64_t sum = 0, at = CINSTR_PAGE, commit;

	if (fd < 0 || load_read(fd, &header, sizeof(header), 0) != sizeof(header))
		header.file_bytes = 0;
	while (at < header.file_bytes && load_read(fd, &s, sizeof(s), at) == sizeof(s) && s.bytes) {
		if (s.type == CINSTR_SEG_THREAD &&
		    load_read(fd, &commit, sizeof(commit),
			      at + sizeof(s) + offsetof(struct cinstr_thread, commit)) == sizeof(commit))
			sum += commit;
		at += s.bytes;
	}
	if (fd >= 0)
		close(fd);
	return sum;
}

static void ask_to_fold(const char *path)
{
	struct cinstr_control_block *block = control_map(path, 1);

	if (!block)
		return; /* what is in the buffers is copied as well */
	atomic_add(&block->flushes, 1);
	control_changed(block);
	control_unmap(block);
}

/* Waits until no more threads fold that had not folded before, but not long. */
static void wait_for_folds(const struct snapshot_file *files, size_t n)
{
	struct timespec nap = { 0, FLUSH_WAIT_NS };
	uint64_t last = 0;

	for (int i = 0; i < FLUSH_WAITS; i++) {
		uint64_t sum = 0;

		for (size_t k = 0; k < n; k++)
			sum += files[k].is_live ? commits(files[k].path) : 0;
		if (i > 2 && sum == last)
			return;
		last = sum;
		nanosleep(&nap, NULL);
	}
}

/* ---- the folder ------------------------------------------------------------------------------ */

static int write_session_file(const char *from, const char *folder)
{
	struct cinstr_control_block *block;
	char page[CINSTR_PAGE] = SESSION_MAGIC;
	FREED char *command = session_command(from);
	STRBUF(path);
	int fd, why;

	strbuf_printf(&path, "%s/%s", from, SESSION_LOCK_NAME);
	block = control_map(path.text, 0);
	if (block)
		memcpy(page + CINSTR_CONTROL_OFFSET, block, sizeof(*block));
	control_unmap(block);
	if (command)
		memcpy(page + CINSTR_COMMAND_OFFSET, command, strlen(command) + 1);
	strbuf_clear(&path);
	strbuf_printf(&path, "%s/%s", folder, SESSION_LOCK_NAME);
	fd = files_make(path.text);
	why = fd < 0 ? errno : write_at(fd, page, sizeof(page), 0);
	if (fd >= 0 && close(fd) && !why)
		why = errno;
	return why;
}

static void folder_remove(const char *folder, const struct snapshot_file *files, size_t n)
{
	STRBUF(path);

	for (size_t i = 0; i < n; i++) {
		strbuf_clear(&path);
		strbuf_printf(&path, "%s/%s", folder, util_basename(files[i].path));
		unlink(path.text);
	}
	strbuf_clear(&path);
	strbuf_printf(&path, "%s/%s", folder, SESSION_LOCK_NAME);
	unlink(path.text);
	rmdir(folder);
}

/* The complete folder gets its name; fails if something is there. */
static int folder_settle(const char *made, const char *name)
{
	return renameat2(AT_FDCWD, made, AT_FDCWD, name, RENAME_NOREPLACE) ? errno : 0;
}

/* Where RENAME_NOREPLACE is not to be had, a plain rename fails only where a folder with something
 * in it stands. */
static int folder_name(const char *made, const char *name)
{
	int why = folder_settle(made, name);

	if (why == EINVAL || why == ENOSYS)
		why = !access(name, F_OK) ? EEXIST : rename(made, name) ? errno : 0;
	return why;
}

static char *folder_finish(const char *made, const char *from, const char *wanted)
{
	struct strbuf name = { 0 };
	int why = EEXIST;

	for (int i = 1; why == EEXIST && i < (wanted ? 2 : NAMES_TRIED); i++) {
		strbuf_clear(&name);
		strbuf_puts(&name, wanted ? wanted : from);
		strbuf_puts(&name, wanted ? "" : ".snapshot");
		if (i > 1)
			strbuf_printf(&name, ".%d", i);
		why = folder_name(made, name.text);
	}
	if (!why)
		return name.text;
	error("%s: %s", name.text, strerror(why));
	strbuf_release(&name);
	return NULL;
}

static int is_in_session(const char *folder)
{
	STRBUF(parent);

	strbuf_printf(&parent, "%s/..", folder);
	return session_is_live(parent.text) >= 0;
}

static char *folder_make(const char *from, const char *wanted)
{
	struct strbuf made = { 0 };
	struct stat st;

	if (wanted && !access(wanted, F_OK)) {
		error("%s: exists already; a snapshot needs the name of a new folder", wanted);
		return NULL;
	}
	strbuf_printf(&made, "%s.new.%ld", wanted ? wanted : from, (long)getpid());
	if (mkdir(made.text, 0700 | (stat(from, &st) ? 0 : st.st_mode & 0055))) {
		error("%s: cannot be made: %s", wanted ? wanted : from, strerror(errno));
	} else if (is_in_session(made.text)) {
		error("%s: is in a session's folder, and would be read as a part of it",
		      wanted ? wanted : from);
		rmdir(made.text);
	} else {
		return made.text;
	}
	strbuf_release(&made);
	return NULL;
}

char *snapshot_make(const char *from, const struct snapshot_file *files, size_t n, const char *wanted)
{
	FREED char *made = folder_make(from, wanted);
	char *name = NULL;
	int why;

	if (!made)
		return NULL;
	why = write_session_file(from, made);
	if (why)
		error("%s: %s", made, strerror(why));
	for (size_t i = 0; i < n && !why; i++)
		if (files[i].is_live)
			ask_to_fold(files[i].path);
	if (!why)
		wait_for_folds(files, n);
	for (size_t i = 0; i < n && !why; i++)
		why = copy_file(&files[i], made);
	if (!why)
		name = folder_finish(made, from, wanted);
	if (!name)
		folder_remove(made, files, n);
	return name;
}
