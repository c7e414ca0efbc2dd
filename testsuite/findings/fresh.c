/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0305 is_fresh|serve; processor
 * Serves pages from a cache. Planted: the file is asked for its time by stat() before each page. */
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

static time_t read_at;

static int is_fresh(const char *path, unsigned request)
{
	struct stat st;

#ifdef REPAIRED
	if (request % 1000)
		return 1;
#else
	(void)request;
#endif
	if (stat(path, &st) != 0)
		return 0;
	if (st.st_mtime != read_at) {
		read_at = st.st_mtime;
		return 0;
	}
	return 1;
}

static unsigned long serve(unsigned request)
{
	unsigned long page = request;

	if (!is_fresh("/usr/share/common-licenses/../../share/doc", request))
		page++;
	for (int i = 0; i < 200; i++)
		page = page * 6364136223846793005ul + 1442695040888963407ul;
	return page >> 40;
}

int main(void)
{
	unsigned long sum = 0;

	for (unsigned i = 0; i < 400000; i++)
		sum += serve(i);
	printf("%lu\n", sum);
	return 0;
}
