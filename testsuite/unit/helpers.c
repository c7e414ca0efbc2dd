/* SPDX-License-Identifier: GPL-3.0-or-later */
/* helpers.c - see tests.h. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests.h"

const struct counting default_counting = { .os_mask = CINSTR_OS_DEFAULT_MASK };

const struct paths_choice every_path = { .depth = UINT64_MAX, .fold_percent = 100 };

void profile_of(struct profile *profile, struct maker *maker, enum profile_by by,
		const struct counting *counting)
{
	struct data data;

	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(maker)), 0);
	CU_ASSERT_EQUAL(data.n_problems, 0);
	for (size_t i = 0; i < data.n_problems; i++)
		printf("problem: %s\n", data.problems[i].reason);
	profile_init(profile, by, counting);
	profile_add(profile, &data);
	if (by == BY_PATH) {
		long double hidden;

		CU_ASSERT_EQUAL(paths_choose(profile, &every_path, &hidden), 0);
		profile_add(profile, &data);
	}
	data_release(&data);
}

const struct row *row_named(const struct profile *profile, const char *name)
{
	static const struct row none = { .calls = UINT64_MAX };

	for (size_t i = 0; i < profile->n_rows; i++)
		if (profile->rows[i].name && !strcmp(profile->rows[i].name, name))
			return &profile->rows[i];
	return &none;
}

char *captured(void (*print)(FILE *out, const void *arg), const void *arg)
{
	char *text = NULL;
	size_t n;
	FILE *out = tmpfile();

	print(out, arg);
	n = (size_t)ftell(out);
	rewind(out);
	text = calloc(n + 1, 1);
	CU_ASSERT_EQUAL(fread(text, 1, n, out), n);
	fclose(out);
	return text;
}

int nearly(long double a, long double b)
{
	return a - b < 0.001L && b - a < 0.001L;
}

static int kept_stderr = -1;

void quiet_begin(void)
{
	int nowhere = open("/dev/null", O_WRONLY);

	fflush(stderr);
	kept_stderr = dup(2);
	dup2(nowhere, 2);
	close(nowhere);
}

void quiet_end(void)
{
	fflush(stderr);
	dup2(kept_stderr, 2);
	close(kept_stderr);
}
