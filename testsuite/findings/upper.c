/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0201 shout; processor
 * Turns letters of lines into capitals. Planted: strlen() in the loop's condition. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void shout(char *line)
{
#ifdef REPAIRED
	for (size_t i = 0, n = strlen(line); i < n; i++)
#else
	for (size_t i = 0; i < strlen(line); i++)
#endif
		line[i] = (char)toupper((unsigned char)line[i]);
}

int main(void)
{
	static char line[8001];
	unsigned long sum = 0;

	for (int i = 0; i < 600; i++) {
		memset(line, 'a' + i % 26, sizeof(line) - 1);
		shout(line);
		sum += (unsigned char)line[i];
	}
	printf("%lu\n", sum);
	return 0;
}
