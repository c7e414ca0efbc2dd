/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store_properties.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "lib/files.h"
#include "lib/util.h"
#include "runtime/process/session_job.h"
#include "store.h"

#define ARGUMENTS_MAX 64
#define ARGUMENTS_BYTES 8192
#define PADDING_MIN 4 /* fewer may be empty arguments */

void store_boot_id(char *id, size_t size)
{
	FILE *file = files_kernel("/proc/sys/kernel/random/boot_id");

	*id = '\0';
	if (!file)
		return;
	if (fgets(id, (int)size, file))
		id[strcspn(id, "\n")] = '\0';
	fclose(file);
}

static void put(struct strbuf *text, const char *key, const char *value)
{
	strbuf_add(text, key, strlen(key) + 1);
	strbuf_add(text, value, strlen(value) + 1);
}

static void put_job(void *text, const char *key, const char *value)
{
	put(text, key, value);
}

static void put_argument(struct strbuf *text, unsigned number, const char *argument, size_t length)
{
	char key[16];

	snprintf(key, sizeof(key), "argv%u", number);
	strbuf_add(text, key, strlen(key) + 1);
	strbuf_add(text, argument, length);
	strbuf_add(text, "", 1);
}

/* Programs that change their title leave NULs behind it where their arguments were. */
static size_t without_padding(const char *line, size_t bytes)
{
	size_t n = bytes;

	while (n && !line[n - 1])
		n--;
	return bytes - n > PADDING_MIN ? n + 1 : bytes;
}

/* The arguments end with NULs, or blanks are between them. */
static void put_arguments(struct strbuf *text, const char *line, size_t bytes, char separator)
{
	unsigned number = 0;

	bytes = without_padding(line, bytes);
	if (bytes > ARGUMENTS_BYTES)
		bytes = ARGUMENTS_BYTES;
	for (size_t at = 0; at < bytes && number < ARGUMENTS_MAX;) {
		const char *end = memchr(line + at, separator, bytes - at);
		size_t length = end ? (size_t)(end - line) - at : bytes - at;

		if (length || !separator)
			put_argument(text, number++, line + at, length);
		at += length + 1;
	}
}

static void put_machine(struct strbuf *text, const struct store_process *process)
{
	struct utsname names;
	char id[64];

	if (uname(&names))
		memset(&names, 0, sizeof(names));
	put(text, "hostname", process->host ? process->host : names.nodename);
	put(text, "kernel", names.release);
	store_boot_id(id, sizeof(id));
	put(text, "boot_id", id);
}

static void put_cpu(struct strbuf *text)
{
	FILE *file = files_kernel("/proc/cpuinfo");
	char line[512], number[16];
	cpu_set_t set;

	while (file && fgets(line, sizeof(line), file)) {
		char *value = strchr(line, ':');

		if (strncmp(line, "model name", 10) || !value || value[1] != ' ')
			continue;
		value[strcspn(value, "\n")] = '\0';
		put(text, "cpu", value + 2);
		break;
	}
	if (file)
		fclose(file);
	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof(set), &set);
	snprintf(number, sizeof(number), "%d", CPU_COUNT(&set));
	put(text, "cpus", number);
}

void store_properties(struct strbuf *text, const struct store_process *process)
{
	size_t bytes = process->command_line_bytes;
	char asked[24];

	if (process->exe)
		put(text, "exe", process->exe);
	put(text, "cwd", process->cwd ? process->cwd : "");
	put_machine(text, process);
	put(text, "runtime_version", CINSTR_VERSION);
	put_cpu(text);
	if (process->job)
		job_each_property(process->job, put_job, text);
	put(text, "clock_note", "CLOCK_MONOTONIC_RAW");
	put(text, "event", process->event ? process->event : "");
	snprintf(asked, sizeof(asked), "%llu", (unsigned long long)process->asked);
	if (process->asked)
		put(text, "interval_asked", asked);
	if (process->command_line && bytes)
		put_arguments(text, process->command_line, bytes, '\0');
	else if (process->command_line)
		put_arguments(text, process->command_line, strlen(process->command_line), ' ');
}

void store_properties_program(struct strbuf *text, const char *exe)
{
	put(text, "exe", exe);
	put_argument(text, 0, exe, strlen(exe));
}
