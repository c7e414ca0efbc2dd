/* SPDX-License-Identifier: GPL-3.0-or-later */
/* selection_file.h - reads and writes a selection in a file: a line `NAME VALUE` for each option; #
 * begins a comment. */
#ifndef REPORT_SELECTION_FILE_H
#define REPORT_SELECTION_FILE_H

#include "selection.h"

/* An option's name, and where its value is stored: `text` or `flag`. In the order of writing. */
struct selection_field {
	const char *name;
	const char **text;
	int *flag;
};
#define SELECTION_FIELDS 7
void selection_fields(struct selection *selection, struct selection_field fields[SELECTION_FIELDS]);

/* Read and write the options of a file. Options that have a value keep it. Values read are owned by
 * `strings`. Return 0, or an exit status after an error message. */
int selection_file_read(struct selection *selection, const char *path, struct map *strings);
int selection_file_write(const struct selection *selection, const char *path);

#endif
