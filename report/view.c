/* SPDX-License-Identifier: GPL-3.0-or-later */
/* view.c - what the commands that show rows have in common: options, reading, writing (cmd.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

/* ---- options --------------------------------------------------------------------------------- */

static int os_event_bits(const char *word, size_t n)
{
	static const struct {
		const char *name;
		int bits;
	} words[] = {
		{ "voluntary", CINSTR_OS_VOLUNTARY },
		{ "involuntary", CINSTR_OS_INVOLUNTARY },
		{ "major-fault", CINSTR_OS_MAJOR_FAULT },
		{ "block-in", CINSTR_OS_BLOCK_IN },
		{ "block-out", CINSTR_OS_BLOCK_OUT },
		{ "syscall", CINSTR_OS_SYSCALL },
		{ "minor-fault", CINSTR_OS_MINOR_FAULT },
		{ "default", CINSTR_OS_DEFAULT_MASK },
		{ "all", CINSTR_OS_DEFAULT_MASK | CINSTR_OS_MINOR_FAULT },
		{ "none", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i].name) == n && !strncmp(words[i].name, word, n))
			return words[i].bits;
	return -1;
}

static int os_events_parse(const struct command *command, const char *list, uint32_t *mask)
{
	*mask = 0;
	while (*list) {
		size_t n = strcspn(list, ",");
		int bits = os_event_bits(list, n);

		if (bits < 0) {
			error("%s: --os-events has no event '%.*s'; it takes voluntary, involuntary, "
			      "major-fault, "
			      "block-in, block-out, syscall, minor-fault, all, default, none",
			      command->name, (int)n, list);
			return -1;
		}
		*mask |= (uint32_t)bits;
		list += n + (list[n] == ',');
	}
	return 0;
}

int view_counting(const struct command *command, const struct view_options *options,
		  struct counting *counting)
{
	*counting = (struct counting){ .on_cpu = options->application, .raw = options->raw };
	return os_events_parse(command, options->os_events, &counting->os_mask);
}

/* ---- reading and writing --------------------------------------------------------------------- */

static void add_data(void *profile, const struct data *data)
{
	profile_add(profile, data);
}

static int write_view(FILE *out, const struct view *view, int format)
{
	static void (*const writers[])(FILE *, const struct view *) = { output_table, output_csv,
									output_json };

	writers[format](out, view);
	return fflush(out) || ferror(out) ? -1 : 0;
}

static int write_output(const struct view *view, const struct view_options *options)
{
	FILE *out = stdout;
	int status;

	if (options->output && strcmp(options->output, "-"))
		out = fopen(options->output, "we");
	if (!out) {
		error("%s: cannot be written: %s", options->output, strerror(errno));
		return STATUS_DATA;
	}
	errno = 0;
	status = write_view(out, view, options->format);
	if (out != stdout && fclose(out))
		status = -1;
	if (status && errno != EPIPE)
		error("%s: cannot be written: %s", options->output ? options->output : "stdout",
		      strerror(errno));
	return status ? STATUS_DATA : STATUS_OK;
}

/* What a view needs and the session does not hold. */
static int view_lacks(const struct profile *profile)
{
	if (profile->by != BY_LINE || profile->totals.lines)
		return 0;
	error("no line events were recorded: build with -fplugin-arg-cinstr-lines and record with "
	      "--probes=lines");
	return 1;
}

/* Looks up where functions are defined that no table tells of. */
static void resolve(struct view *view, struct profile *profile)
{
	for (size_t i = 0; i < view->n_rows; i++) {
		struct row *row = &profile->rows[view->rows[i] - profile->rows];

		if (row->entity == UINT32_MAX || row->file)
			continue;
		names_resolve(&profile->names, row->entity);
		row->file = profile->names.list[row->entity].file;
		row->line = profile->names.list[row->entity].line;
	}
}

int view_run(const char *path, enum profile_by by, const struct counting *counting,
	     const struct view_options *options, void (*choose)(struct view *view, void *arg), void *arg)
{
	struct profile profile;
	struct input input;
	struct view view = { .profile = &profile };
	int status = STATUS_DATA;

	profile_init(&profile, by, counting);
	if (!input_open(&input, path)) {
		status = input_each(&input, add_data, &profile);
		view.source = input.path;
		view.is_live = input.is_live;
		if (input.n_usable && view_lacks(&profile)) {
			status = STATUS_DATA;
		} else if (input.n_usable) {
			view.rows = xcalloc(profile.n_rows, sizeof(*view.rows));
			choose(&view, arg);
			resolve(&view, &profile);
			if (write_output(&view, options))
				status = STATUS_DATA;
			free(view.rows);
		}
	}
	input_release(&input);
	profile_release(&profile);
	return status;
}
