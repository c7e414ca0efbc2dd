/* SPDX-License-Identifier: MIT */
/*
 * properties.c - writes the properties of the process and its machine (CINSTR_SEG_PROPERTIES):
 * pairs of strings. Called when the process is attached. System calls only.
 */
#include <sys/utsname.h>

#include "runtime.h"

#define ARGUMENTS_MAX 64

struct properties {
	char *data;
	size_t used, size;
};

static void put_string(struct properties *p, const char *string, size_t length)
{
	if (p->used + length + 1 > p->size)
		return;
	for (size_t i = 0; i < length; i++)
		p->data[p->used++] = string[i];
	p->data[p->used++] = '\0';
}

static void put(struct properties *p, const char *key, const char *value)
{
	size_t key_bytes = string_length(key), value_bytes = string_length(value);

	if (p->used + key_bytes + value_bytes + 2 > p->size)
		return;
	put_string(p, key, key_bytes);
	put_string(p, value, value_bytes);
}

static long read_file(const char *path, char *buffer, size_t size)
{
	int fd = sys_open(path, O_RDONLY, 0);
	long n;

	if (fd < 0)
		return fd;
	n = sys_read(fd, buffer, size - 1);
	sys_close(fd);
	buffer[n > 0 ? n : 0] = '\0';
	return n;
}

static void begin_argument(struct properties *p, int i)
{
	struct text key = { .used = 0 };

	text_add(&key, "argv");
	text_add_number(&key, i);
	put_string(p, key.data, key.used);
}

/* Puts pieces of one argument behind another. Returns the number of whole ones by now, *whole: the
 * bytes up to their end; -1: there is no more room. */
static int put_pieces(struct properties *p, int n_done, const char *piece, long n, size_t *whole)
{
	for (long i = 0; i < n && n_done < ARGUMENTS_MAX; i++) {
		if (p->used == *whole)
			begin_argument(p, n_done);
		if (p->used == *whole || p->used == p->size)
			return -1;
		p->data[p->used++] = piece[i];
		if (!piece[i]) {
			*whole = p->used;
			n_done++;
		}
	}
	return n_done;
}

/* A piece at a time, for the program's stack may be small. What has no room in the whole is left
 * out. */
static void put_arguments(struct properties *p)
{
	int fd = sys_open("/proc/self/cmdline", O_RDONLY, 0), n_done = 0;
	size_t whole = p->used;
	char piece[256];
	long n;

	if (fd < 0)
		return;
	while (n_done >= 0 && n_done < ARGUMENTS_MAX && (n = sys_read(fd, piece, sizeof(piece))) > 0)
		n_done = put_pieces(p, n_done, piece, n, &whole);
	sys_close(fd);
	p->used = whole;
}

static void put_cpu(struct properties *p)
{
	char text[2048];
	char *at = text, *end;
	struct text number = { .used = 0 };
	uint64_t mask[16];
	int cpus = 0;
	long n;

	read_file("/proc/cpuinfo", text, sizeof(text));
	while (*at && !(at[0] == 'm' && at[1] == 'o' && at[2] == 'd' && at[3] == 'e' && at[4] == 'l' &&
			at[6] == 'n'))
		at++;
	while (*at && *at != ':')
		at++;
	for (end = at; *end && *end != '\n'; end++)
		;
	*end = '\0';
	put(p, "cpu", *at ? at + 2 : "");
	n = SYS3(SYS_sched_getaffinity, 0, sizeof(mask), mask);
	for (long i = 0; i < n / 8; i++)
		for (uint64_t bits = mask[i]; bits; bits &= bits - 1)
			cpus++;
#ifdef CINSTR_VIRTUAL
	cpus = 64; /* the same on each machine */
#endif
	text_add_number(&number, cpus);
	put(p, "cpus", number.data);
}

static void put_cpu_limit(struct properties *p)
{
	struct text number = { .used = 0 };
	uint64_t limit = cpu_limit();

	text_add_number(&number, (int64_t)limit);
	if (limit)
		put(p, "cpu_limit", number.data);
}

static void put_options(struct properties *p)
{
	static const char *const names[] = {
#define NAME(id, env, flag, arg, def, help) env,
		CINSTR_OPTION_TABLE(NAME)
#undef NAME
	};
	struct text text = { .used = 0 };

	for (unsigned i = 0; i < CINSTR_OPTION_COUNT; i++) {
		const char *value = option_value((enum cinstr_option)i);

		if (i == CINSTR_OPTION_SESSION || i == CINSTR_OPTION_METHOD || !*value)
			continue;
		if (text.used)
			text_add(&text, " ");
		text_add(&text, names[i]);
		text_add(&text, "=");
		text_add(&text, value);
	}
	put(p, "options", text.data);
}

static void put_property(void *data, const char *key, const char *value)
{
	put(data, key, value);
}

void properties_write(void)
{
	static char buffer[16384]; /* one thread is here at a time, maybe on a small stack */
	char path[1024];
	struct properties p = { .data = buffer, .size = sizeof(buffer) };
	struct utsname names = { .sysname = "" };
	char *payload;
	long n;

	n = SYS4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	put(&p, "exe", path);
	n = SYS2(SYS_getcwd, path, sizeof(path));
	put(&p, "cwd", n > 0 ? path : "");
	SYS1(SYS_uname, &names);
	put(&p, "hostname", names.nodename);
	put(&p, "kernel", names.release);
	n = read_file("/proc/sys/kernel/random/boot_id", path, 64);
	path[n > 0 ? n - 1 : 0] = '\0'; /* the newline */
	put(&p, "boot_id", path);
	put(&p, "runtime_version", CINSTR_RUNTIME_VERSION);
	put_cpu(&p);
	put_cpu_limit(&p);
	job_each_property(ranks_job(), put_property, &p);
	put_options(&p);
	put(&p, "clock_note",
	    cinstr.clock == CINSTR_CLOCK_TSC ? "TSC" : "CLOCK_MONOTONIC_RAW, every probe in the slow path");
	put(&p, "restartable_note",
	    cinstr.restartable ? "restartable sequences"
			       : "no restartable sequences: switches are seen by long intervals only");
	put_arguments(&p);
	payload = store_segment(CINSTR_SEG_PROPERTIES, p.used, 0);
	if (!payload)
		return;
	arch_copy(payload, buffer, p.used);
	store_seal(payload, p.used);
}
