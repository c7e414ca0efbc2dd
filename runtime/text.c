/* SPDX-License-Identifier: MIT */
/*
 * text.c - strings and messages without libc. A message is one line by one write(2) to stderr, at most MESSAGES_MAX of
 * them in a process: the host program's output is not ours.
 */
#include <sys/stat.h>

#include "runtime.h"

#define MESSAGES_MAX 8

size_t string_length(const char *string)
{
	size_t n = 0;

	while (string[n])
		n++;
	return n;
}

int string_equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

void text_add(struct text *text, const char *string)
{
	while (*string && text->used + 1 < sizeof(text->data))
		text->data[text->used++] = *string++;
	text->data[text->used] = '\0';
}

void text_add_number(struct text *text, int64_t number)
{
	char digits[24];
	unsigned i = sizeof(digits);
	uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;

	digits[--i] = '\0';
	do
		digits[--i] = (char)('0' + rest % 10);
	while (rest /= 10);
	if (number < 0)
		digits[--i] = '-';
	text_add(text, digits + i);
}

static uint64_t stderr_device, stderr_inode; /* of descriptor 2 when the process was attached */

void messages_begin(void)
{
	struct stat status = { .st_dev = 0 };

	SYS2(SYS_fstat, 2, &status);
	stderr_device = status.st_dev;
	stderr_inode = status.st_ino;
}

/* Descriptor 2 may be the program's own file by now; and a pipe that nobody reads must not kill the program. */
static void write_stderr(const char *data, size_t bytes)
{
	uint64_t pipe = 1ull << (SIGPIPE - 1), before = 0, old;
	struct timespec none = { 0, 0 };
	struct stat status;

	if (SYS2(SYS_fstat, 2, &status) || status.st_dev != stderr_device || status.st_ino != stderr_inode)
		return;
	old = sys_block_signals();
	SYS2(SYS_rt_sigpending, &before, 8);
	if (sys_write(2, data, bytes) == -32 && !(before & pipe)) /* EPIPE */
		SYS4(SYS_rt_sigtimedwait, &pipe, NULL, &none, 8);
	sys_restore_signals(old);
}

/* `cinstr: WHAT: DETAIL (error N)` */
void cinstr_say(const char *what, const char *detail, int error)
{
	static uint32_t said;
	struct text line;

	if (__atomic_fetch_add(&said, 1, __ATOMIC_RELAXED) >= MESSAGES_MAX)
		return;
	line.used = 0;
	text_add(&line, "cinstr: ");
	text_add(&line, what);
	if (detail) {
		text_add(&line, ": ");
		text_add(&line, detail);
	}
	if (error) {
		text_add(&line, " (error ");
		text_add_number(&line, error);
		text_add(&line, ")");
	}
	text_add(&line, "\n");
	write_stderr(line.data, line.used);
}

/* One character class, [a-z] or [!a-z]; *glob is behind the '['. */
static int match_class(const char **glob, const char *end, char c)
{
	const char *g = *glob;
	int negated = g < end && (*g == '!' || *g == '^');
	int found = 0;

	g += negated;
	for (const char *first = g; g < end && (*g != ']' || g == first); g++) {
		if (g + 2 < end && g[1] == '-' && g[2] != ']') {
			found |= g[0] <= c && c <= g[2];
			g += 2;
		} else {
			found |= *g == c;
		}
	}
	*glob = g < end ? g + 1 : g;
	return found != negated;
}

/* Shell-style: * ? [..]. */
int glob_match(const char *glob, size_t glob_length, const char *string)
{
	const char *end = glob + glob_length, *star = NULL, *retry = NULL;

	for (;;) {
		const char *g = glob;

		if (g < end && *g == '*') {
			star = ++glob;
			retry = string;
			continue;
		}
		if (!*string) {
			if (g == end)
				return 1;
		} else if (g < end) {
			g++;
			if (glob[0] == '[' ? match_class(&g, end, *string)
					   : glob[0] == '?' || glob[0] == *string) {
				glob = g;
				string++;
				continue;
			}
		}
		if (!star || !*retry)
			return 0;
		glob = star;
		string = ++retry;
	}
}

size_t text_cut(const char *string, size_t most)
{
	size_t n = 0;

	while (n < most && string[n])
		n++;
	while (string[n] && n > 0 && ((unsigned char)string[n] & 0xc0) == 0x80) /* UTF-8 goes on there */
		n--;
	return n;
}
