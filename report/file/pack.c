/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pack.c - see pack.h. Callable from several threads. */
#include "pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "cinstr/format.h"
#include "data.h"
#include "lib/util.h"
#include "runtime/process/folder.h"
#include "runtime/process/session.h"

#define TEXT_OF(macro) TEXT_OF_(macro)
#define TEXT_OF_(text) #text
#define LEVEL 1 /* higher ones make cells hardly smaller */

union first_page {
	struct cinstr_header header;
	char bytes[CINSTR_PAGE];
};

/* ---- files ----------------------------------------------------------------------------------- */

/* 0 or -errno. */
static int write_all(int fd, const void *bytes, size_t n)
{
	const char *from = bytes;

	while (n) {
		ssize_t done = write(fd, from, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? -errno : -ENOSPC;
		from += done;
		n -= (size_t)done;
	}
	return 0;
}

/* 0, or -EBADMSG: no data file. */
static int read_first_page(int fd, union first_page *first)
{
	uint64_t n = load_read(fd, first, sizeof(*first), 0);

	return n == sizeof(*first) && !memcmp(first->header.magic, CINSTR_FILE_MAGIC, 8) &&
			       first->header.version == CINSTR_FORMAT_VERSION &&
			       first->header.header_bytes == CINSTR_PAGE
		       ? 0
		       : -EBADMSG;
}

/* ---- unpacking ------------------------------------------------------------------------------- */

struct unpacking {
	int from, to;
	uint64_t left; /* bytes that are still to come, by the header */
	const char *wrong;
	ZSTD_DCtx *context;
	char *in, *out;
};

/* One input buffer. 0, 1: the frame has ended, or -errno. */
static int unpack_some(struct unpacking *u, size_t n)
{
	ZSTD_inBuffer in = { u->in, n, 0 };

	while (in.pos < in.size) {
		ZSTD_outBuffer out = { u->out, ZSTD_DStreamOutSize(), 0 };
		size_t result = ZSTD_decompressStream(u->context, &out, &in);
		size_t take = out.pos < u->left ? out.pos : u->left;
		int error = write_all(u->to, u->out, take);

		if (error)
			return error;
		u->left -= take;
		if (ZSTD_isError(result) || take < out.pos) {
			u->wrong = ZSTD_isError(result) ? ZSTD_getErrorName(result)
							: "there is more in it than its header says";
			return 1;
		}
		if (!result)
			return 1;
	}
	return 0;
}

/* 0 or -errno; u->wrong: the file ends early, or is damaged. */
static int unpack_frame(struct unpacking *u)
{
	uint64_t at = CINSTR_PAGE;
	int status = 0;

	while (!status) {
		uint64_t n = load_read(u->from, u->in, ZSTD_DStreamInSize(), at);

		if (!n)
			break;
		at += n;
		status = unpack_some(u, n);
	}
	if (!status || (status == 1 && u->left && !u->wrong))
		u->wrong = "it ends too early";
	return status < 0 ? status : 0;
}

/* The first page, and then what is behind it, to `to`. 0 or -errno. */
static int unpack(int from, int to, union first_page *first, const char **wrong)
{
	struct unpacking u = { .from = from,
			       .to = to,
			       .left = first->header.file_bytes - CINSTR_PAGE,
			       .context = ZSTD_createDCtx(),
			       .in = xcalloc(1, ZSTD_DStreamInSize()),
			       .out = xcalloc(1, ZSTD_DStreamOutSize()) };
	int error;

	first->header.packed = 0;
	error = write_all(to, first, sizeof(*first));
	if (!error)
		error = u.context ? unpack_frame(&u) : -ENOMEM;
	*wrong = u.wrong;
	ZSTD_freeDCtx(u.context);
	free(u.in);
	free(u.out);
	return error;
}

static char *text_of_problem(const char *format, const char *what)
{
	struct strbuf text = { 0 };

	strbuf_printf(&text, format, what);
	return text.text;
}

/* Packed files have a sound length; a damaged one is not followed into all of the machine's
 * memory. */
static int has_sound_length(const struct cinstr_header *h)
{
	return h->file_bytes >= CINSTR_PAGE && h->file_bytes % CINSTR_PAGE == 0 &&
	       h->file_bytes <= PACK_BYTES_MAX;
}

static int is_bomb(uint64_t file_bytes, int packed)
{
	struct stat status;

	return file_bytes > PACK_BYTES_ALWAYS &&
	       (fstat(packed, &status) || file_bytes / PACK_TIMES_MAX > (uint64_t)status.st_size);
}

int pack_open(int descriptor, char **why)
{
	union first_page first;
	const char *wrong = NULL;
	int memory, error;

	*why = NULL;
	if (read_first_page(descriptor, &first) || !first.header.packed)
		return descriptor;
	if (first.header.packed != CINSTR_PACKED_ZSTD || !has_sound_length(&first.header)) {
		*why = xstrdup("it is packed in a way that is not known, or its length is damaged");
		close(descriptor);
		return -1;
	}
	if (is_bomb(first.header.file_bytes, descriptor)) {
		*why = xstrdup("it is packed, and would have more than " TEXT_OF(
			PACK_TIMES_MAX) " times its size: that is not followed");
		close(descriptor);
		return -1;
	}
	memory = memfd_create("cinstr", MFD_CLOEXEC);
	error = memory < 0	       ? -errno
		: fchmod(memory, 0600) ? -errno
				       : unpack(descriptor, memory, &first, &wrong);
	close(descriptor);
	if (error) {
		*why = text_of_problem("it is packed, and there is no room to unpack it: %s",
				       strerror(-error));
		if (memory >= 0)
			close(memory);
		return -1;
	}
	if (wrong)
		*why = text_of_problem("it is packed, and the packed data is damaged: %s", wrong);
	return memory;
}

/* ---- packing --------------------------------------------------------------------------------- */

struct packing {
	int from, to;
	ZSTD_CCtx *context;
	char *in, *out;
};

/* One input buffer; the last one ends the frame. 0 or -errno. */
static int pack_some(const struct packing *p, size_t n, int is_last)
{
	ZSTD_inBuffer in = { p->in, n, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out = { p->out, ZSTD_CStreamOutSize(), 0 };
		int error;

		left = ZSTD_compressStream2(p->context, &out, &in, is_last ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return -ENOMEM;
		error = write_all(p->to, p->out, out.pos);
		if (error)
			return error;
	} while (is_last ? left : in.pos < in.size);
	return 0;
}

/* The bytes of the file behind its first page, as a frame. 0 or -errno. */
static int pack_rest(const struct packing *p, uint64_t file_bytes)
{
	uint64_t at = CINSTR_PAGE;
	int error;

	do {
		uint64_t want =
			file_bytes - at < ZSTD_CStreamInSize() ? file_bytes - at : ZSTD_CStreamInSize();

		if (load_read(p->from, p->in, want, at) != want)
			return -EBADMSG;
		at += want;
		error = pack_some(p, want, at == file_bytes);
	} while (!error && at < file_bytes);
	return error;
}

static int pack(int from, int to, union first_page *first)
{
	struct packing p = { .from = from,
			     .to = to,
			     .context = ZSTD_createCCtx(),
			     .in = xcalloc(1, ZSTD_CStreamInSize()),
			     .out = xcalloc(1, ZSTD_CStreamOutSize()) };
	int error = -ENOMEM;

	first->header.packed = CINSTR_PACKED_ZSTD;
	if (p.context && !ZSTD_isError(ZSTD_CCtx_setParameter(p.context, ZSTD_c_compressionLevel, LEVEL)) &&
	    !ZSTD_isError(ZSTD_CCtx_setParameter(p.context, ZSTD_c_checksumFlag, 1)))
		error = write_all(to, first, sizeof(*first));
	if (!error)
		error = pack_rest(&p, first->header.file_bytes);
	ZSTD_freeCCtx(p.context);
	free(p.in);
	free(p.out);
	return error;
}

static int is_worth_packing(const struct cinstr_header *h, uint64_t size, const struct pack_limits *limits)
{
	return !h->packed && has_sound_length(h) && h->file_bytes <= size && h->file_bytes >= limits->least &&
	       h->file_bytes <= limits->most && h->method == CINSTR_METHOD_INSTRUMENTATION &&
	       h->timeline_mode == CINSTR_TIMELINE_NONE;
}

/* ---- the new file in the old one's place ----------------------------------------------------- */

/* What `from` contains, the other way, to `to`. 0 or -errno. */
static int convert(int from, int to, union first_page *first)
{
	const char *wrong = NULL;
	int error;

	if (!first->header.packed)
		return pack(from, to, first);
	error = unpack(from, to, first, &wrong);
	return error ? error : wrong ? -EBADMSG : 0;
}

/* Whose it is, who may read it, and when it was written. 0 or -errno. */
static int keep_state(int to, const struct stat *was)
{
	struct timespec times[] = { was->st_atim, was->st_mtim };

	if (fchown(to, was->st_uid, was->st_gid) && errno != EPERM)
		return -errno;
	return fchmod(to, was->st_mode & 07777) || futimens(to, times) ? -errno : 0;
}

static int replace(int folder, const char *name, int from, union first_page *first, const struct stat *was,
		   struct pack_sizes *sizes)
{
	struct stat is;
	FREED char *new_name = text_of_problem("%s" SESSION_PACK_SUFFIX, name);
	int to, error, is_left;

	unlinkat(folder, new_name, 0); /* of one that was killed */
	to = folder_make_file(folder, new_name);
	error = to < 0 ? to : convert(from, to, first);
	is_left = !error && first->header.packed && is_bomb(first->header.file_bytes, to);
	if (!error)
		error = keep_state(to, was);
	if (!error && !is_left)
		error = fstat(to, &is) || renameat(folder, new_name, folder, name) ? -errno : 0;
	if ((error || is_left) && to >= 0)
		unlinkat(folder, new_name, 0);
	if (!error && !is_left)
		sizes->after = (uint64_t)is.st_size;
	if (to >= 0)
		close(to);
	return error ? error : !is_left;
}

/* Opens the file and reads its first page; a descriptor or -errno. */
static int open_first(int folder, const char *name, union first_page *first, struct stat *st,
		      struct pack_sizes *sizes)
{
	int fd = folder_open_trusted_file(folder, name, O_RDONLY), error;

	if (fd < 0)
		return fd;
	error = fstat(fd, st) ? -errno : read_first_page(fd, first);
	if (error) {
		close(fd);
		return error;
	}
	sizes->before = first->header.packed ? (uint64_t)st->st_size : first->header.file_bytes;
	sizes->after = sizes->before;
	return fd;
}

int pack_file(int folder, const char *name, const struct pack_limits *limits, struct pack_sizes *sizes)
{
	union first_page first;
	struct stat st;
	int fd = open_first(folder, name, &first, &st, sizes), status = 0;

	if (fd < 0)
		return fd;
	if (is_worth_packing(&first.header, (uint64_t)st.st_size, limits))
		status = replace(folder, name, fd, &first, &st, sizes);
	close(fd);
	return status;
}

int pack_undo(int folder, const char *name, struct pack_sizes *sizes)
{
	union first_page first;
	struct stat st;
	int fd = open_first(folder, name, &first, &st, sizes), status = 0;

	if (fd < 0)
		return fd;
	if (first.header.packed)
		status = first.header.packed == CINSTR_PACKED_ZSTD && has_sound_length(&first.header) &&
					 !is_bomb(first.header.file_bytes, fd)
				 ? replace(folder, name, fd, &first, &st, sizes)
				 : -EBADMSG;
	close(fd);
	return status;
}
