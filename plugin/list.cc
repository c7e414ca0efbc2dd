/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The list is kept until the end of the unit, when the numbers of probe sites are final, and then
 * written at once, so that compilers that append to the same file do not mix their lines.
 */
#include "list.h"
#include "names.h"
#include "options.h"
#include "select.h"

#include <fcntl.h>

struct entry {
	char *head;	       /* "FILE:LINE: NAME: " */
	char *why;	       /* it is left out; NULL: it is not */
	unsigned int function; /* number */
};

static vec<struct entry> entries;
static unsigned int n_left_out[CINSTR_LEFT_OUT_SYSTEM + 1]; /* by reason */

static char *head_of(tree fn)
{
	expanded_location place = expand_location(DECL_SOURCE_LOCATION(fn));

	return xasprintf("%s:%d: %s: ", place.file ? place.file : "?", place.line,
			 names_shown(names_assembler(fn)));
}

void list_instrumented(tree fn, unsigned int function)
{
	entries.safe_push({ head_of(fn), NULL, function });
}

void list_left_out(tree fn, enum cinstr_abi_reason reason, const char *why)
{
	entries.safe_push({ head_of(fn), xstrdup(why), 0 });
	n_left_out[reason]++;
}

static void print_entry(FILE *out, const struct entry *entry)
{
	if (entry->why)
		fprintf(out, "%sleft out: %s\n", entry->head, entry->why);
	else
		fprintf(out, "%sinstrumented, %u probe sites\n", entry->head,
			sites_function_sleds(entry->function));
}

/* The link compiles temporary files, whose names tell nothing. */
static void print_totals(FILE *out, const struct site_totals *totals)
{
	const char *separator = " (";

	if (!in_lto_p)
		fprintf(out, "%s: ", main_input_filename ? main_input_filename : "?");
	fprintf(out, "%u functions with %u probe sites, %u left out", totals->functions, totals->sleds,
		totals->left_out);
	for (unsigned int i = 1; i < ARRAY_SIZE(n_left_out); i++)
		if (n_left_out[i]) {
			fprintf(out, "%s%u: %s", separator, n_left_out[i],
				select_reason_text((enum cinstr_abi_reason)i));
			separator = "; ";
		}
	fprintf(out, "%s\n", totals->left_out ? ")" : "");
}

static void write_out(const char *text, size_t length)
{
	const char *file = settings.list_file;
	int fd = file ? open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : STDERR_FILENO;

	if (fd < 0 || write(fd, text, length) != (ssize_t)length)
		error_at(UNKNOWN_LOCATION, "cinstr: cannot write the list %qs: %m",
			 file ? file : "to standard error");
	if (file && fd >= 0)
		close(fd);
}

void list_write(const struct site_totals *totals)
{
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (!out) {
		error_at(UNKNOWN_LOCATION, "cinstr: no memory for the list");
		return;
	}
	for (const struct entry &entry : entries)
		print_entry(out, &entry);
	print_totals(out, totals);
	fclose(out);
	write_out(text, length);
	free(text);
}
