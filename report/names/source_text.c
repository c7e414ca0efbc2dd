/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/files.h"
#include "lib/util.h"

#define BYTES_MAX (64u << 20)
#define TAB 8

static int read_whole(int fd, char *bytes, size_t size)
{
	for (size_t n = 0; n < size;) {
		ssize_t got = read(fd, bytes + n, size - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got) /* it has become shorter */
			break;
		n += (size_t)got;
	}
	return 0;
}

static void split(struct source_text *text, size_t size)
{
	size_t room = 0;

	for (char *at = text->bytes, *end = at + size; at < end;) {
		char *newline = memchr(at, '\n', (size_t)(end - at));

		ARRAY_ROOM(text->lines, text->n, room, 256);
		text->lines[text->n++] = at;
		if (!newline)
			break;
		*newline = '\0';
		if (newline > at && newline[-1] == '\r')
			newline[-1] = '\0';
		at = newline + 1;
	}
}

int source_text_read(struct source_text *text, const char *path)
{
	int fd = files_open(path, FILES_LINKED), status = 0;
	struct stat st;

	*text = (struct source_text){ 0 };
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		status = -errno;
	else if (!S_ISREG(st.st_mode))
		status = -EINVAL;
	else if ((uint64_t)st.st_size > BYTES_MAX)
		status = -EFBIG;
	if (!status) {
		text->bytes = xcalloc((size_t)st.st_size + 1, 1);
		status = read_whole(fd, text->bytes, (size_t)st.st_size);
		text->changed_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
		split(text, (size_t)st.st_size);
	}
	close(fd);
	if (status)
		source_text_release(text);
	return status;
}

const char *source_text_line(const struct source_text *text, uint32_t number)
{
	return number && number <= text->n ? text->lines[number - 1] : NULL;
}

void source_text_release(struct source_text *text)
{
	free(text->lines);
	free(text->bytes);
	*text = (struct source_text){ 0 };
}

void source_text_put(struct strbuf *buf, const char *line)
{
	size_t column = 0;

	while (*line) {
		size_t n = strcspn(line, "\t");
		FREED char *piece = strndup(line, n);
		FREED char *visible = NULL;

		if (!piece)
			abort();
		visible = util_visible(piece);
		strbuf_puts(buf, visible);
		column += util_columns(visible);
		line += n;
		if (*line == '\t') {
			strbuf_fill(buf, ' ', TAB - column % TAB);
			column += TAB - column % TAB;
			line++;
		}
	}
}
