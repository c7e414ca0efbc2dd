/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0205 stamp|handle; processor
 * Handles messages. Planted: each gets its date anew by localtime() and strftime(). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void stamp(char *text, size_t max, time_t now)
{
#ifdef REPAIRED
	static time_t last = -1;
	static char kept[64];

	if (now == last) {
		strcpy(text, kept);
		return;
	}
	last = now;
#endif
	strftime(text, max, "%Y-%m-%d %H:%M:%S", localtime(&now));
#ifdef REPAIRED
	strcpy(kept, text);
#endif
}

static unsigned long handle(unsigned i)
{
	char date[64];
	unsigned long sum = i;

	stamp(date, sizeof(date), 1700000000 + i / 5000);
	for (int k = 0; k < 100; k++)
		sum = sum * 6364136223846793005ul + (unsigned char)date[k % 19];
	return sum >> 50;
}

int main(void)
{
	unsigned long sum = 0;

	setenv("TZ", "Europe/Berlin", 1);
	for (unsigned i = 0; i < 600000; i++)
		sum += handle(i);
	printf("%lu\n", sum);
	return 0;
}
