/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0313 save; wall
 * true: CF0302 a record of each ballot is to be in the file
 * Counts ballots, and keeps the counts in a file. Planted: all counts are written for each ballot,
 * in place of the one that has changed. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PARTIES 24000
#define BALLOTS 10000

struct count {
	char party[40];
	long votes;
};

static struct count counts[PARTIES];
static char path[] = "/tmp/ballots.XXXXXX";
static int fd;

static int save(const struct count *changed)
{
#ifdef REPAIRED
	off_t at = (const char *)changed - (const char *)counts;

	return pwrite(fd, changed, sizeof(*changed), at) == sizeof(*changed) ? 0 : -1;
#else
	(void)changed;
	return pwrite(fd, counts, sizeof(counts), 0) == sizeof(counts) ? 0 : -1;
#endif
}

static long read_ballot(const char *text)
{
	long number = 0;

	for (; *text; text++)
		if (*text >= '0' && *text <= '9')
			number = number * 10 + (*text - '0');
	return number % PARTIES;
}

static int cast(const char *text)
{
	struct count *count = &counts[read_ballot(text)];

	count->votes++;
	return save(count);
}

int main(void)
{
	char text[64];
	int failed = 0;

	fd = mkstemp(path);
	if (fd < 0)
		return 1;
	unlink(path);
	for (int i = 0; i < PARTIES; i++)
		snprintf(counts[i].party, sizeof(counts[i].party), "party %d", i);
	for (int i = 0; i < BALLOTS; i++) {
		snprintf(text, sizeof(text), "ballot for %d of box %d", i * 31 % 997, i % 7);
		failed += cast(text) != 0;
	}
	printf("%d\n", failed);
	close(fd);
	return failed != 0;
}
