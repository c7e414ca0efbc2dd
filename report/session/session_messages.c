/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session_messages.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cinstr/format.h"
#include "lib/files.h"
#include "lib/util.h"
#include "runtime/process/folder.h"
#include "runtime/process/session.h"

static int read_messages(const char *folder, struct cinstr_messages *messages)
{
	int at = files_folder(folder, 0);
	int fd = at < 0 ? -1 : folder_open_file(at, SESSION_LOCK_NAME, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : pread(fd, messages, sizeof(*messages), CINSTR_MESSAGES_OFFSET);

	if (fd >= 0)
		close(fd);
	if (at >= 0)
		close(at);
	return n == (ssize_t)sizeof(*messages) ? 0 : -1;
}

static void say_line(const char *line, size_t n)
{
	char text[sizeof(((struct cinstr_messages *)NULL)->text) + 1];
	size_t length = 0;

	for (size_t i = 0; i < n; i++) /* what its process had not written yet is 0 */
		if (line[i])
			text[length++] = line[i];
	text[length] = '\0';
	if (length)
		warning("%s", util_shown(text));
}

int session_messages_say(const char *folder)
{
	struct cinstr_messages messages;
	size_t from = 0, used;

	if (read_messages(folder, &messages))
		return 0;
	used = messages.used < sizeof(messages.text) ? messages.used : sizeof(messages.text);
	for (size_t i = 0; i < used; i++) {
		if (messages.text[i] != '\n')
			continue;
		say_line(messages.text + from, i - from);
		from = i + 1;
	}
	if (from < used)
		say_line(messages.text + from, used - from);
	if (messages.lost)
		warning("processes of this session had %u more messages, for which there was no room",
			messages.lost);
	return used || messages.lost;
}
