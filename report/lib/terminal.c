/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "terminal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "util.h"

#define WIDTH_LEAST 40
#define WIDTH_MOST 10000
#define WIDTH_UNTOLD 80 /* a terminal that does not tell its size */

enum colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

static struct {
	int has_width;
	unsigned width;
	enum colour colour;
	int no_pager;
} wishes;

/* -1: no such word */
static int colour_parse(const char *word)
{
	static const char *const words[] = { "auto", "always", "never" };

	for (int i = 0; i < (int)ARRAY_SIZE(words); i++)
		if (!strcmp(words[i], word))
			return i;
	return -1;
}

static unsigned bounded(unsigned long wanted)
{
	if (!wanted)
		return 0;
	return wanted < WIDTH_LEAST ? WIDTH_LEAST : wanted > WIDTH_MOST ? WIDTH_MOST : (unsigned)wanted;
}

int terminal_configure(const char *command, const struct terminal_options *options)
{
	const char *word = options->colour ? options->colour : getenv("CINSTR_COLOR");
	int colour = word && *word ? colour_parse(word) : COLOUR_AUTO;

	if (colour < 0)
		return error("%s: CINSTR_COLOR does not take '%s'; it takes auto, always, never", command,
			     util_shown(word));
	wishes.colour = (enum colour)colour;
	wishes.no_pager = options->no_pager;
	wishes.has_width = options->width != NULL;
	wishes.width = options->width ? bounded(strtoul(options->width, NULL, 10)) : 0;
	return 0;
}

/* ---- width ----------------------------------------------------------------------------------- */

/* 0: it is no terminal. */
static unsigned width_of(int fd)
{
	struct winsize size;

	if (!isatty(fd))
		return 0;
	return !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : WIDTH_UNTOLD;
}

/* Of the terminal that the command was called from. */
static unsigned width_of_caller(void)
{
	unsigned width = width_of(STDERR_FILENO);
	int fd = width ? -1 : files_open("/dev/tty", FILES_STREAM);

	if (fd >= 0) {
		width = width_of(fd);
		close(fd);
	}
	return width;
}

static int is_file(int fd)
{
	struct stat status;

	return !fstat(fd, &status) && S_ISREG(status.st_mode);
}

unsigned terminal_width(FILE *out)
{
	const char *columns = getenv("COLUMNS");
	unsigned width;
	int fd = fileno(out);

	if (wishes.has_width)
		return wishes.width;
	if (columns && *columns && strspn(columns, "0123456789") == strlen(columns))
		return bounded(strtoul(columns, NULL, 10));
	width = width_of(fd);
	if (!width && !is_file(fd))
		width = width_of_caller();
	return width ? bounded(width) : TERMINAL_NONE;
}

/* ---- colour, pager --------------------------------------------------------------------------- */

int terminal_is_watched(void)
{
	return terminal_is_paged() || isatty(STDOUT_FILENO);
}

/* The command's own locale is "C". */
int terminal_is_utf8(void)
{
	const char *locale = getenv("LC_ALL");

	locale = locale && *locale ? locale : getenv("LC_CTYPE");
	locale = locale && *locale ? locale : getenv("LANG");
	return locale && (strstr(locale, "UTF-8") || strstr(locale, "utf8") || strstr(locale, "UTF8"));
}

int terminal_has_bars(void)
{
	return terminal_is_watched() && terminal_is_utf8();
}

int terminal_is_coloured(FILE *out)
{
	const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");

	if (wishes.colour != COLOUR_AUTO)
		return wishes.colour == COLOUR_ALWAYS;
	if ((no_colour && *no_colour) || (terminal && !strcmp(terminal, "dumb")))
		return 0;
	return isatty(fileno(out)) || (terminal_is_paged() && fileno(out) == STDOUT_FILENO);
}

const char *terminal_pager_wished(void)
{
	static const char *const variables[] = { "CINSTR_PAGER", "PAGER" };

	if (wishes.no_pager || !isatty(STDOUT_FILENO))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
		const char *pager = getenv(variables[i]);

		if (pager) /* nothing, or cat: none, as with git */
			return *pager && strcmp(pager, "cat") != 0 ? pager : NULL;
	}
	return "less";
}
