/* SPDX-License-Identifier: GPL-3.0-or-later */
/* selection_file.h - a selection kept in a file: a line `NAME VALUE` for each of its options, #
 * begins a comment. */
#ifndef REPORT_SELECTION_FILE_H
#define REPORT_SELECTION_FILE_H

#include "selection.h"

/* The options by name, in the order they are written and told; `text` or `flag` is where the value
 * goes. */
struct selection_field {
	const char *name;
	const char **text;
	int *flag;
};
#define SELECTION_FIELDS 7
void selection_fields(struct selection *selection, struct selection_field fields[SELECTION_FIELDS]);

/* Options that have a value keep it. Values live as long as `strings`. 0, or an exit status after
 * an error message. */
int selection_file_read(struct selection *selection, const char *path, struct map *strings);
int selection_file_write(const struct selection *selection, const char *path);

#endif
