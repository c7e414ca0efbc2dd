/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "messages.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
	int is_on;
	int terminal, file; /* what stderr was, what it is */
	off_t seen;
	struct strbuf text;
} messages;

int messages_begin(void)
{
	fflush(stderr);
	messages.seen = 0;
	strbuf_clear(&messages.text);
	messages.file = memfd_create("cinstr-messages", MFD_CLOEXEC);
	if (messages.file < 0)
		return -errno;
	messages.terminal = dup(STDERR_FILENO);
	if (messages.terminal < 0 || dup2(messages.file, STDERR_FILENO) < 0)
		return -errno;
	messages.is_on = 1;
	return 0;
}

const char *messages_text(int *is_new)
{
	char bytes[4096];
	ssize_t n;

	*is_new = 0;
	fflush(stderr);
	while (messages.is_on && (n = pread(messages.file, bytes, sizeof(bytes), messages.seen)) > 0) {
		strbuf_add(&messages.text, bytes, (size_t)n);
		messages.seen += n;
		*is_new = 1;
	}
	return messages.text.text ? messages.text.text : "";
}

void messages_end(void)
{
	int is_new;

	if (!messages.is_on)
		return;
	messages_text(&is_new);
	dup2(messages.terminal, STDERR_FILENO);
	close(messages.terminal);
	close(messages.file);
	messages.is_on = 0;
	if (messages.text.length)
		fputs(messages.text.text, stderr);
	strbuf_release(&messages.text);
}
