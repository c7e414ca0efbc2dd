/* SPDX-License-Identifier: MIT */
/*
 * cpu_limit.c - the limit of processor time that the process runs under: the lowest one of its
 * control group and those around it. Called when the process is attached. System calls only; limits
 * that cannot be read count as none.
 */
#include "runtime.h"

#define GROUPS_BYTES 4096
#define THOUSAND 1000

/* Up to `size` - 1 bytes of a file, as a string. Returns 0: there are none. */
static int read_text(const char *path, char *text, size_t size)
{
	int fd = sys_open(path, O_RDONLY, 0);
	long n;

	if (fd < 0)
		return 0;
	n = sys_read(fd, text, size - 1);
	sys_close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* A number and the space behind it; 0: "max", or "-1", for none. */
static uint64_t read_number(const char **at)
{
	uint64_t number = 0;

	for (; **at >= '0' && **at <= '9'; ++*at)
		number = number * 10 + (uint64_t)(**at - '0');
	*at += **at == ' ';
	return number;
}

static uint64_t number_in(const char *folder, const char *name)
{
	struct text path = text_of(folder, "/", name);
	char text[64];
	const char *at = text;

	return read_text(path.data, text, sizeof(text)) ? read_number(&at) : 0;
}

/* Thousandths of a processor that the group of this folder may use; 0: it has no limit. */
static uint64_t limit_of(const char *folder, int is_unified)
{
	struct text path = text_of(folder, "/cpu.max", "");
	char text[64];
	const char *at = text;
	uint64_t quota, period;

	if (!is_unified) {
		quota = number_in(folder, "cpu.cfs_quota_us");
		period = quota ? number_in(folder, "cpu.cfs_period_us") : 0;
	} else {
		if (!read_text(path.data, text, sizeof(text)))
			return 0;
		quota = read_number(&at);
		period = read_number(&at);
	}
	return quota && period ? (quota * THOUSAND + period - 1) / period : 0;
}

/* Up to the root of the mount: that may be the container's own group, whatever the path says. */
static uint64_t lowest_limit(const char *mount, const char *group, int is_unified)
{
	struct text folder = text_of(mount, group, "");
	unsigned root = string_length(mount);
	uint64_t lowest = 0, limit;

	for (;;) {
		limit = limit_of(folder.data, is_unified);
		lowest = limit && (!lowest || limit < lowest) ? limit : lowest;
		if (folder.used <= root)
			return lowest;
		while (folder.used > root && folder.data[folder.used - 1] != '/')
			folder.used--;
		folder.used -= folder.used > root;
		folder.data[folder.used] = '\0';
	}
}

/* Is "cpu" among the names, which commas divide? */
static int names_cpu(const char *names)
{
	for (; *names; names++) {
		if (names[0] == 'c' && names[1] == 'p' && names[2] == 'u' && (!names[3] || names[3] == ','))
			return 1;
		while (*names && *names != ',')
			names++;
		if (!*names)
			return 0;
	}
	return 0;
}

/* A line of /proc/self/cgroup, NUMBER:CONTROLLERS:GROUP; the fields are strings afterwards. */
static uint64_t limit_of_line(char *line)
{
	char *names = line, *group;

	while (*names && *names != ':')
		names++;
	if (!*names)
		return 0;
	for (group = ++names; *group && *group != ':'; group++)
		;
	if (!*group)
		return 0;
	*group++ = '\0';
	if (string_equal(group, "/"))
		group++;
	if (!*names)
		return lowest_limit("/sys/fs/cgroup", group, 1);
	if (!names_cpu(names))
		return 0;
	return lowest_limit(text_of("/sys/fs/cgroup/", names, "").data, group, 0);
}

uint64_t cpu_limit(void)
{
	static char text[GROUPS_BYTES]; /* one thread is here at a time, maybe on a small stack */
	char *line = text;
	uint64_t lowest = 0;

	if (!read_text("/proc/self/cgroup", text, sizeof(text)))
		return 0;
	while (*line) {
		char *end = line;
		uint64_t limit;
		int is_last;

		while (*end && *end != '\n')
			end++;
		is_last = !*end;
		*end = '\0';
		limit = limit_of_line(line);
		lowest = limit && (!lowest || limit < lowest) ? limit : lowest;
		if (is_last)
			break;
		line = end + 1;
	}
	return lowest;
}
