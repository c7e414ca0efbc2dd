/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_pack.c - `cinstr pack`: makes the data files of a session smaller, to be kept or sent;
 * `--undo`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "lib/util.h"
#include "runtime/process/session.h"
#include "session/pack_session.h"

struct pack_options {
	int undo;
};

static const struct option pack_options[] = {
	{ "undo", 0, OPTION_FLAG, NULL, offsetof(struct pack_options, undo),
	  "unpack: files as the runtime writes them, for other readers of the format", NULL },
};

/* The session that a file is in may still be recorded into: by its own process, too. */
static int is_live(const struct session *input)
{
	const char *name = util_basename(input->path);
	char *folder;
	int live;

	if (input->is_live || input->n_folders)
		return input->is_live;
	folder = strndup(input->path, (size_t)(name - input->path));
	live = session_is_live(*folder ? folder : ".") == 1;
	free(folder);
	return live;
}

static int can_be_packed(const struct session *input)
{
	const char *shown = util_shown(input->path);
	int live = is_live(input);

	if (live)
		error("%s: still being recorded (see cinstr control status); pack it afterwards", shown);
	else if (!input->n_files)
		error("%s: the folder holds no data", shown);
	return !live && input->n_files;
}

static void say(const struct pack_result *r, const struct pack_options *options, size_t n)
{
	STRBUF(line);

	strbuf_thousands(&line, r->n_changed);
	strbuf_puts(&line, " of ");
	strbuf_thousands(&line, n);
	strbuf_printf(&line, " file%s %s: ", n == 1 ? "" : "s", options->undo ? "unpacked" : "packed");
	strbuf_size(&line, r->sizes.before);
	strbuf_puts(&line, r->n_changed ? " before, " : " as before");
	if (r->n_changed) {
		strbuf_size(&line, r->sizes.after);
		strbuf_puts(&line, " now");
	}
	puts(line.text);
}

static int run(const struct command *command, int argc, char **argv)
{
	static const struct pack_limits limits = { 0, PACK_BYTES_MAX };
	struct pack_options options = { 0 };
	struct pack_result result;
	struct session input;
	int n_operands;
	enum options_result parsed = options_parse(command, argc, argv, &options, &n_operands);

	if (parsed != OPTIONS_OK)
		return parsed == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (session_list(&input, n_operands ? argv[1] : NULL))
		return STATUS_DATA;
	if (!can_be_packed(&input)) {
		session_release(&input);
		return STATUS_DATA;
	}
	pack_session(&input, options.undo ? PACK_UNDO : PACK, &limits, &result);
	say(&result, &options, input.n_files);
	session_release(&input);
	return result.n_failed ? STATUS_DATA : STATUS_OK;
}

const struct command command_pack = {
	.name = "pack",
	.operands = "[FOLDER | FILE]",
	.summary = "Makes the data files of an ended session about four times smaller.",
	OPTIONS_OF(pack_options),
	.max_operands = 1,
	.notes = "All views read packed files as they are. `cinstr record` packs files of 1 to 32\n"
		 "MB itself when its session has ended. Files with samples or a timeline stay as\n"
		 "they are.\n",
	.examples = "  ./app && cinstr pack && tar cf app.tar cinstr.data\n"
		    "  cinstr pack --undo cinstr.data\n",
	.run = run,
};
