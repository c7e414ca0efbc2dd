/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session_command.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cinstr/format.h"
#include "lib/files.h"
#include "lib/util.h"
#include "runtime/process/folder.h"
#include "runtime/process/session.h"

#define CUT "..."

_Static_assert(CINSTR_CONTROL_OFFSET + sizeof(struct cinstr_control_block) <= CINSTR_COMMAND_OFFSET,
	       "the command is after the control block");

/* What does not fit is cut off, between two characters. */
static void cut(struct strbuf *line, size_t room)
{
	if (line->length < room)
		return;
	line->length = room - sizeof(CUT);
	while (((unsigned char)line->text[line->length] & 0xc0) == 0x80)
		line->length--;
	line->text[line->length] = '\0';
	strbuf_puts(line, CUT);
}

void session_command_note(char *const *argv)
{
	struct session_page page = session_page();
	STRBUF(line);

	if (!page.at || !page.writable)
		return;
	strbuf_clear(&line);
	for (size_t i = 0; argv[i]; i++) {
		strbuf_puts(&line, i ? " " : "");
		strbuf_argument(&line, argv[i]);
	}
	cut(&line, CINSTR_COMMAND_BYTES);
	memcpy((char *)page.at + CINSTR_COMMAND_OFFSET, line.text, line.length + 1);
}

char *session_command(const char *folder)
{
	char command[CINSTR_COMMAND_BYTES] = "", magic[sizeof(SESSION_MAGIC) - 1] = "";
	int at = files_folder(folder, 0);
	int fd = at < 0 ? -1 : folder_open_file(at, SESSION_LOCK_NAME, O_RDONLY);
	int is_whole = fd >= 0 && pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
		       !memcmp(magic, SESSION_MAGIC, sizeof(magic)) &&
		       pread(fd, command, sizeof(command), CINSTR_COMMAND_OFFSET) == (ssize_t)sizeof(command);

	if (fd >= 0)
		close(fd);
	if (at >= 0)
		close(at);
	command[sizeof(command) - 1] = '\0';
	return is_whole && *command ? xstrdup(command) : NULL;
}
