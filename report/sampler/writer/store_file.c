/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store_file.c - see store_file.h. The collector's thread only. */
#include "store_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cinstr/atomics.h"
#include "lib/files.h"
#include "lib/util.h"
#include "runtime/process/session.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Header and one page for each kind of segment: what a process of a few milliseconds needs. */
#define FIRST_BYTES (8 * (uint64_t)CINSTR_PAGE)
#define GROW_MAX (4ull << 20)
#define SEGMENT_HEADER sizeof(struct cinstr_segment)

static uint64_t pages(uint64_t bytes)
{
	return (bytes + CINSTR_PAGE - 1) & ~(uint64_t)(CINSTR_PAGE - 1);
}

/* ---- growing --------------------------------------------------------------------------------- */

/* Where the file system cannot allocate without writing. */
static int write_zeros(int fd, uint64_t from, uint64_t to)
{
	static const char zeros[CINSTR_PAGE];

	for (; from < to; from += sizeof(zeros)) {
		ssize_t n = pwrite(fd, zeros, sizeof(zeros), (off_t)from);

		if (n != (ssize_t)sizeof(zeros))
			return n < 0 ? -errno : -ENOSPC;
	}
	return 0;
}

static int allocate_blocks(int fd, uint64_t from, uint64_t to)
{
	struct rlimit limit;

	/* Growing beyond the limit would send SIGXFSZ. */
	if (getrlimit(RLIMIT_FSIZE, &limit) || to > limit.rlim_cur)
		return -EFBIG;
	while (fallocate(fd, 0, (off_t)from, (off_t)(to - from))) {
		if (errno == EOPNOTSUPP || errno == ENOSYS)
			return write_zeros(fd, from, to);
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

/* Blocks up to `to`, and a mapping of [from, to). */
static int extend(struct store_file *file, int fd, uint64_t from, uint64_t to)
{
	int why = allocate_blocks(fd, file->ready, to);
	void *at;

	if (why)
		return why;
	at = mmap(NULL, to - from, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)from);
	if (at == MAP_FAILED)
		return -errno;
	file->pieces = xrealloc(file->pieces, file->n_pieces + 1, sizeof(*file->pieces));
	file->pieces[file->n_pieces++] = (struct store_piece){ at, from, to - from };
	file->ready = to;
	return 0;
}

/* The file, if it is still where it was made; or -errno. */
static int reach(const struct store_file *file)
{
	int fd = files_open(file->path, FILES_CHANGE);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || st.st_dev != file->device || st.st_ino != file->inode) {
		close(fd);
		return -ESTALE;
	}
	return fd;
}

/* Room for `bytes` behind the last segment. A full disk may still have room for what is needed
 * now. */
static int grow(struct store_file *file, uint64_t bytes)
{
	uint64_t from = file->header->file_bytes, more = file->ready < GROW_MAX ? file->ready : GROW_MAX;
	int fd = reach(file), why;

	if (fd < 0)
		return fd;
	why = extend(file, fd, from, from + (more > bytes ? more : bytes));
	if (why && more > bytes)
		why = extend(file, fd, from, from + bytes);
	close(fd);
	return why;
}

static void stop(struct store_file *file, int why)
{
	int is_gone = why == -ESTALE || why == -ENOENT || why == -EACCES || why == -ENOTDIR ||
		      why == -EMFILE || why == -ENFILE;

	file->is_full = 1;
	if (file->header->stop)
		return;
	file->header->stop = is_gone	      ? CINSTR_STOP_OUT_OF_REACH
			     : why == -ENOMEM ? CINSTR_STOP_NO_MEMORY
					      : CINSTR_STOP_NO_SPACE;
	file->header->stop_errno = (uint32_t)-why;
}

/* ---- segments -------------------------------------------------------------------------------- */

struct cinstr_segment *store_file_segment(struct store_file *file, uint32_t type, uint64_t payload_bytes)
{
	uint64_t at = file->header->file_bytes, bytes = pages(payload_bytes + SEGMENT_HEADER);
	const struct store_piece *last;
	struct cinstr_segment *segment;

	if (at + bytes > file->ready) {
		int why = grow(file, bytes);

		if (why) {
			stop(file, why);
			return NULL;
		}
	}
	last = &file->pieces[file->n_pieces - 1];
	segment = (struct cinstr_segment *)(void *)(last->at + (at - last->offset));
	*segment = (struct cinstr_segment){ .magic = CINSTR_SEGMENT_MAGIC, .type = type, .bytes = bytes };
	segment->sequence = ++file->n_segments;
	file->segments = xrealloc(file->segments, file->n_segments, sizeof(struct cinstr_segment *));
	file->segments[file->n_segments - 1] = segment;
	/* A reader walks up to file_bytes: the segment's header is whole before it counts. */
	atomic_store_release(&file->header->file_bytes, at + bytes); /* reader */
	return segment;
}

uint64_t store_file_offset(const struct store_file *file, const void *in_last_segment)
{
	const struct store_piece *last = &file->pieces[file->n_pieces - 1];

	return last->offset + (uint64_t)((const char *)in_last_segment - last->at);
}

void *store_list_add(struct store_file *file, struct store_list *list, const void *element)
{
	struct cinstr_segment *last = list->last;
	char *at;

	if (!last || last->used + list->element > last->bytes - SEGMENT_HEADER) {
		uint64_t bytes = list->bytes < GROW_MAX ? list->bytes : GROW_MAX;

		if (file->is_full)
			return NULL;
		last = store_file_segment(file, list->type, bytes ? bytes - SEGMENT_HEADER : list->element);
		if (!last)
			return NULL;
		list->last = last;
		list->bytes += last->bytes;
	}
	at = (char *)(last + 1) + last->used;
	memcpy(at, element, list->element);
	/* Whoever reads the file of a collector that was killed finds whole elements. */
	atomic_store_release(&last->used, last->used + list->element); /* reader */
	return at;
}

/* ---- its life -------------------------------------------------------------------------------- */

int store_file_create(struct store_file *file, const char *folder, const char *name)
{
	struct strbuf path = { 0 };
	struct stat st;
	int fd, why;

	strbuf_printf(&path, "%s/%s%s", folder, name, CINSTR_FILE_SUFFIX);
	*file = (struct store_file){ .path = path.text };
	fd = session_make_file(folder, util_basename(path.text));
	why = fd < 0 ? fd : 0;
	if (!why) {
		why = fstat(fd, &st) ? -errno : extend(file, fd, 0, FIRST_BYTES);
		close(fd);
		if (why)
			unlink(path.text);
	}
	if (why) {
		store_file_release(file);
		return why;
	}
	file->device = st.st_dev;
	file->inode = st.st_ino;
	file->header = (struct cinstr_header *)(void *)file->pieces[0].at;
	file->header->header_bytes = CINSTR_PAGE;
	file->header->version = CINSTR_FORMAT_VERSION;
	file->header->file_bytes = CINSTR_PAGE;
	return 0;
}

void store_file_publish(struct store_file *file)
{
	struct cinstr_header *header = file->header;
	const char *from = (const char *)&header->pid, *to = (const char *)&header->file_bytes;

	header->identity_checksum = XXH3_64bits(from, (size_t)(to - from));
	atomic_fence_release(); /* reader */
	memcpy(header->magic, CINSTR_FILE_MAGIC, 8);
}

/* Its checksum. What it does not use goes back to the disk, if fd >= 0. */
static void seal(struct cinstr_segment *segment, int fd, uint64_t at)
{
	uint64_t end = pages(SEGMENT_HEADER + segment->used);

	segment->checksum = XXH3_64bits(segment + 1, segment->used);
	atomic_store_release(&segment->sealed, 1); /* reader */
	if (fd >= 0 && end < segment->bytes)	   /* not every file system can */
		fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(at + end),
			  (off_t)(segment->bytes - end));
}

void store_file_seal(struct store_file *file)
{
	uint64_t at = CINSTR_PAGE;
	int fd = reach(file);

	for (size_t i = 0; i < file->n_segments; i++) {
		if (file->segments[i]->type != CINSTR_SEG_MARKS)
			seal(file->segments[i], fd, at);
		at += file->segments[i]->bytes;
	}
	if (fd < 0)
		return;
	if (!ftruncate(fd, (off_t)at))
		file->ready = at;
	close(fd);
}

void store_file_release(struct store_file *file)
{
	for (size_t i = 0; i < file->n_pieces; i++)
		munmap(file->pieces[i].at, file->pieces[i].bytes);
	free(file->pieces);
	free(file->segments);
	free(file->path);
	*file = (struct store_file){ 0 };
}
