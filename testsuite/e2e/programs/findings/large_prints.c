/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a file by fwrite, 128 KiB at a time, for which a stream needs no buffer. */
#include <stdio.h>
#include <stdlib.h>

static char data[128 * 1024];

int main(void)
{
	FILE *file = tmpfile();

	for (int i = 0; file && i < 1200; i++) {
		if (i % 100 == 0)
			rewind(file);
		if (fwrite(data, sizeof(data), 1, file) != 1)
			exit(1);
	}
	return file ? 0 : 1;
}
