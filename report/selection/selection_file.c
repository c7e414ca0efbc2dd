/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "selection_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/files.h"

#define BLANKS " \t\r\n"

void selection_fields(struct selection *s, struct selection_field fields[SELECTION_FIELDS])
{
	fields[0] = (struct selection_field){ "process", &s->processes, NULL };
	fields[1] = (struct selection_field){ "thread", &s->threads, NULL };
	fields[2] = (struct selection_field){ "from", &s->from, NULL };
	fields[3] = (struct selection_field){ "to", &s->to, NULL };
	fields[4] = (struct selection_field){ "function", &s->functions, NULL };
	fields[5] = (struct selection_field){ "module", &s->modules, NULL };
	fields[6] = (struct selection_field){ "just-my-code", NULL, &s->just_my_code };
}

/* Where the reader is. */
struct place {
	const char *path;
	unsigned line;
};

static int say(const struct place *place, const char *what, const char *word, const char *more)
{
	const char *path = util_shown(place->path), *shown = util_shown(word);

	return error_usage("%s:%u: %s '%s'%s", path, place->line, what, shown, more);
}

static int say_unknown(const struct place *place, const struct selection_field *fields, const char *name)
{
	const char *names[SELECTION_FIELDS], *closest;
	STRBUF(more);

	for (int i = 0; i < SELECTION_FIELDS; i++)
		names[i] = fields[i].name;
	closest = util_closest(name, names, SELECTION_FIELDS);
	strbuf_clear(&more);
	if (closest)
		strbuf_printf(&more, "; did you mean %s?", closest);
	else
		strbuf_puts(&more, "; it takes process, thread, from, to, function, module, just-my-code");
	say(place, "there is no filter", name, more.text);
	return STATUS_USAGE;
}

/* `NAME VALUE`; both are in `line`, which is changed. */
static int take_line(const struct place *place, struct selection_field *fields, int *given, char *line,
		     struct map *strings)
{
	char *name = line + strspn(line, BLANKS), *value = name + strcspn(name, BLANKS), *end;

	if (!*name || *name == '#')
		return 0;
	if (*value)
		*value++ = '\0';
	value += strspn(value, BLANKS);
	for (end = value + strlen(value); end > value && strchr(BLANKS, end[-1]);)
		*--end = '\0';
	for (int i = 0; i < SELECTION_FIELDS; i++) {
		if (strcmp(fields[i].name, name))
			continue;
		if (!fields[i].flag == !*value)
			return say(place, *value ? "no value belongs after" : "a value is missing after",
				   name, "");
		if (given[i]++)
			return say(place, "a second line for", name, "");
		if (fields[i].flag)
			*fields[i].flag = 1;
		else if (!*fields[i].text) /* what the command line says holds */
			*fields[i].text = map_keep(strings, value);
		return 0;
	}
	return say_unknown(place, fields, name);
}

int selection_file_read(struct selection *selection, const char *path, struct map *strings)
{
	FILE *file = files_read(path, FILES_STREAM);
	struct place place = { path, 0 };
	struct selection_field fields[SELECTION_FIELDS];
	int given[SELECTION_FIELDS] = { 0 }, status = STATUS_OK;
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	if (!file)
		return error_usage("--filter: %s: %s", path, files_problem(errno));
	selection_fields(selection, fields);
	while (!status && (length = getline(&line, &size, file)) >= 0) {
		place.line++;
		if (strlen(line) != (size_t)length)
			status = say(&place, "a NUL byte after", line, "");
		else
			status = take_line(&place, fields, given, line, strings);
	}
	if (!status && ferror(file)) {
		error("--filter: %s: cannot be read", path);
		status = STATUS_USAGE;
	}
	free(line);
	fclose(file);
	return status;
}

int selection_file_write(const struct selection *selection, const char *path)
{
	struct selection copy = *selection;
	struct selection_field fields[SELECTION_FIELDS];
	FILE *file = files_write(path);
	int failed;

	if (!file)
		return error_data("--save-filter: %s: cannot be written: %s", path, files_problem(errno));
	selection_fields(&copy, fields);
	fputs("# a filter of cinstr: --filter=FILE\n", file);
	for (int i = 0; i < SELECTION_FIELDS; i++) {
		if (fields[i].flag && *fields[i].flag)
			fprintf(file, "%s\n", fields[i].name);
		else if (fields[i].text && *fields[i].text)
			fprintf(file, "%s %s\n", fields[i].name, *fields[i].text);
	}
	failed = ferror(file);
	if (fclose(file) || failed)
		return error_data("--save-filter: %s: cannot be written: %s", path, strerror(errno));
	return STATUS_OK;
}
