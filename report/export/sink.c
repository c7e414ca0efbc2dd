/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sink.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "lib/files.h"

#define BUFFER_BYTES 65536
#define GZIP_WINDOW (15 + 16) /* zlib: a gzip header and trailer */

struct sink_packer {
	z_stream stream;
	unsigned char out[BUFFER_BYTES];
};

/* ---- a file that is not whole goes when the command is killed -------------------------------- */

static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
static char *volatile unfinished;

static void end(int number)
{
	if (unfinished)
		unlink(unfinished);
	signal(number, SIG_DFL);
	raise(number);
}

static void watch(char *partial)
{
	struct sigaction action = { .sa_handler = end }, before;

	unfinished = partial;
	for (size_t i = 0; partial && i < ARRAY_SIZE(ends); i++)
		if (!sigaction(ends[i], NULL, &before) && before.sa_handler == SIG_DFL)
			sigaction(ends[i], &action, NULL);
}

/* ---- open ------------------------------------------------------------------------------------ */

static int open_file(struct sink *sink)
{
	const char *name = sink->path;

	if (util_is_replaceable(sink->path)) {
		struct strbuf partial = { 0 };

		strbuf_printf(&partial, "%s.partial", sink->path);
		sink->partial = partial.text;
		name = sink->partial;
	}
	sink->out = files_write(name);
	if (sink->out) {
		watch(sink->partial);
		return STATUS_OK;
	}
	error("%s: cannot be written: %s", sink->path, files_problem(errno));
	free(sink->partial);
	sink->partial = NULL;
	return STATUS_DATA;
}

static void packer_begin(struct sink *sink)
{
	sink->packer = xcalloc(1, sizeof(*sink->packer));
	/* Faster than the default by half, and larger by a tenth. */
	if (deflateInit2(&sink->packer->stream, 4, Z_DEFLATED, GZIP_WINDOW, 9, Z_DEFAULT_STRATEGY) != Z_OK)
		sink->error = ENOMEM;
}

int sink_open(struct sink *sink, const char *path, int is_gzip, uint64_t most)
{
	*sink = (struct sink){ .out = stdout, .most = most };
	sink->path = path && strcmp(path, "-") ? path : NULL;
	if (sink->path && open_file(sink))
		return STATUS_DATA;
	sink->buffer = xcalloc(1, BUFFER_BYTES);
	if (is_gzip)
		packer_begin(sink);
	return STATUS_OK;
}

/* ---- write ----------------------------------------------------------------------------------- */

static void put(struct sink *sink, const void *bytes, size_t n)
{
	if (sink->error || !n)
		return;
	sink->written += n;
	if (sink->most && sink->written > sink->most)
		sink->error = SINK_TOO_LARGE;
	else if (fwrite(bytes, 1, n, sink->out) != n)
		sink->error = errno ? errno : EIO;
}

static void pack(struct sink *sink, const void *bytes, size_t n, int how)
{
	z_stream *stream = &sink->packer->stream;

	stream->next_in = (unsigned char *)(uintptr_t)bytes;
	stream->avail_in = (unsigned)n;
	do {
		stream->next_out = sink->packer->out;
		stream->avail_out = BUFFER_BYTES;
		deflate(stream, how);
		put(sink, sink->packer->out, BUFFER_BYTES - stream->avail_out);
	} while (!stream->avail_out && !sink->error);
}

static void empty(struct sink *sink)
{
	if (sink->packer)
		pack(sink, sink->buffer, sink->n_buffer, Z_NO_FLUSH);
	else
		put(sink, sink->buffer, sink->n_buffer);
	sink->n_buffer = 0;
}

void sink_bytes(struct sink *sink, const void *bytes, size_t n)
{
	const char *at = bytes;

	sink->bytes += n;
	while (n && !sink->error) {
		size_t part = BUFFER_BYTES - sink->n_buffer < n ? BUFFER_BYTES - sink->n_buffer : n;

		memcpy(sink->buffer + sink->n_buffer, at, part);
		sink->n_buffer += part;
		at += part;
		n -= part;
		if (sink->n_buffer == BUFFER_BYTES)
			empty(sink);
	}
}

void sink_puts(struct sink *sink, const char *text)
{
	sink_bytes(sink, text, strlen(text));
}

void sink_number(struct sink *sink, uint64_t number)
{
	char digits[20], *at = digits + sizeof(digits);

	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	sink_bytes(sink, at, (size_t)(digits + sizeof(digits) - at));
}

void sink_printf(struct sink *sink, const char *format, ...)
{
	STRBUF(text);
	va_list args;

	va_start(args, format);
	strbuf_vprintf(&text, format, args);
	va_end(args);
	sink_bytes(sink, text.text, text.length);
}

/* ---- close ----------------------------------------------------------------------------------- */

static void finish(struct sink *sink)
{
	empty(sink);
	if (sink->packer)
		pack(sink, NULL, 0, Z_FINISH);
	if (fflush(sink->out) && !sink->error)
		sink->error = errno ? errno : EIO;
}

static int say(const struct sink *sink)
{
	const char *name = sink->path ? sink->path : "stdout";
	const char *removed = sink->partial ? "; nothing is left of it" : "";
	STRBUF(size);

	if (!sink->error)
		return STATUS_OK;
	if (sink->error == SINK_TOO_LARGE) {
		strbuf_size(&size, sink->most);
		error("%s: it would be larger than %s; --force writes it all the same%s", name, size.text,
		      removed);
	} else if (sink->error != EPIPE) { /* who read a pipe may have seen enough */
		error("%s: cannot be written: %s%s", name, strerror(sink->error), removed);
	}
	return STATUS_DATA;
}

int sink_close(struct sink *sink, int is_whole)
{
	int status;

	if (is_whole)
		finish(sink);
	if (sink->path && fclose(sink->out) && !sink->error)
		sink->error = errno ? errno : EIO;
	if (sink->partial && is_whole && !sink->error && rename(sink->partial, sink->path))
		sink->error = errno;
	if (sink->partial && (!is_whole || sink->error))
		unlink(sink->partial);
	watch(NULL);
	status = say(sink);
	if (sink->packer)
		deflateEnd(&sink->packer->stream);
	free(sink->packer);
	free(sink->partial);
	free(sink->buffer);
	return status;
}
