/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0301 next_byte; processor
 * true: CF0205 to write the text is most of what is left
 * Counts lines of a file. Planted: it is read byte by byte, by read(). */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int next_byte(int fd)
{
	static unsigned char buffer[65536];
	static ssize_t have, at;
#ifdef REPAIRED
	size_t size = sizeof(buffer);
#else
	size_t size = 1;
#endif

	if (at == have) {
		have = read(fd, buffer, size);
		at = 0;
		if (have <= 0)
			return -1;
	}
	return buffer[at++];
}

static int read_line(int fd, char *line, size_t max)
{
	size_t n = 0;
	int c;

	while ((c = next_byte(fd)) >= 0 && c != '\n')
		if (n + 1 < max)
			line[n++] = (char)c;
	line[n] = '\0';
	return c >= 0 || n;
}

int main(void)
{
	char line[256], name[] = "letters.XXXXXX";
	int fd = mkstemp(name);
	size_t lines = 0, bytes = 0;
	FILE *file = fdopen(fd, "w+");

	for (int i = 0; i < 40000; i++)
		fprintf(file, "line %d of the text\n", i);
	fflush(file);
	lseek(fd, 0, SEEK_SET);
	while (read_line(fd, line, sizeof(line))) {
		lines++;
		bytes += strlen(line);
	}
	printf("%zu %zu\n", lines, bytes);
	unlink(name);
	return 0;
}
