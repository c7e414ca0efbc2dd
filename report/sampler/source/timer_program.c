/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "timer_program.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/files.h"
#include "lib/util.h"
#include "machine.h"
#include "runtime/sampler/sampler_ring.h"

#define INTERPRETERS_MAX 4 /* scripts of scripts */
#define HEADERS_MAX 128

/* ---- the library ----------------------------------------------------------------------------- */

static char *beside(const char *folder, const char *where)
{
	struct strbuf path = { 0 };

	strbuf_printf(&path, "%s/%s%s", folder, where, SAMPLER_LIBRARY);
	if (!access(path.text, R_OK))
		return path.text;
	strbuf_release(&path);
	return NULL;
}

/* Beside the command, or where it is installed; else where the loader looks for it. */
static char *find_library(void)
{
	static const char *const places[] = { "", "../lib/cinstr/", "../lib64/cinstr/",
					      "../lib/" MACHINE_TRIPLET "/cinstr/" };
	char folder[4096], *found = NULL;
	ssize_t n = readlink("/proc/self/exe", folder, sizeof(folder) - 1);

	folder[n > 0 ? n : 0] = '\0';
	if (strrchr(folder, '/'))
		*strrchr(folder, '/') = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(places) && n > 0 && !found; i++)
		found = beside(folder, places[i]);
	return found ? found : xstrdup(SAMPLER_LIBRARY);
}

char *timer_library(char *why, size_t size)
{
	char *path = find_library();

	if (!strpbrk(path, " :\t\n"))
		return path;
	snprintf(why, size, "%s cannot be preloaded: its path holds a space or a colon", SAMPLER_LIBRARY);
	free(path);
	return NULL;
}

/* ---- the program ----------------------------------------------------------------------------- */

static int refuse(char *why, size_t size, const char *program, const char *what)
{
	snprintf(why, size,
		 "'%s' %s, so that the library which samples by timers cannot be loaded into it; it can be "
		 "sampled only where perf_event_open is permitted",
		 util_shown(program), what);
	return -1;
}

/* As execvp finds it; the caller frees it. */
static char *program_path(const char *program)
{
	const char *path = getenv("PATH");
	struct strbuf candidate = { 0 };

	if (strchr(program, '/'))
		return xstrdup(program);
	for (path = path ? path : "/bin:/usr/bin"; *path;) {
		size_t n = strcspn(path, ":");

		strbuf_clear(&candidate);
		strbuf_printf(&candidate, "%.*s/%s", n ? (int)n : 1, n ? path : ".", program);
		if (!access(candidate.text, X_OK))
			return candidate.text;
		path += n + (path[n] == ':');
	}
	strbuf_release(&candidate);
	return xstrdup(program);
}

/* Of a script: what is run in its place. 0: it is none. */
static int interpreter_of(const char *head, char *interpreter, size_t size)
{
	const char *at = head + 2;
	size_t n;

	if (strncmp(head, "#!", 2))
		return 0;
	at += strspn(at, " \t");
	n = strcspn(at, " \t\n");
	if (!n || n >= size)
		return 0;
	memcpy(interpreter, at, n);
	interpreter[n] = '\0';
	return 1;
}

static int has_interpreter(int fd, const Elf64_Ehdr *ehdr)
{
	Elf64_Phdr headers[HEADERS_MAX];
	size_t n = ehdr->e_phnum < HEADERS_MAX ? ehdr->e_phnum : HEADERS_MAX;
	ssize_t bytes = pread(fd, headers, n * sizeof(*headers), (off_t)ehdr->e_phoff);

	for (size_t i = 0; bytes > 0 && i < (size_t)bytes / sizeof(*headers); i++)
		if (headers[i].p_type == PT_INTERP)
			return 1;
	return 0;
}

static int check_elf(int fd, const Elf64_Ehdr *ehdr, const char *program, char *why, size_t size)
{
	if (ehdr->e_ident[EI_CLASS] != ELFCLASS64 || ehdr->e_machine != MACHINE_ELF)
		return refuse(why, size, program, "is not for " MACHINE_NAME);
	if (!has_interpreter(fd, ehdr))
		return refuse(why, size, program, "is statically linked");
	return 0;
}

static int is_privileged(const struct stat *st)
{
	return (st->st_mode & S_ISUID && st->st_uid != geteuid()) ||
	       (st->st_mode & S_ISGID && st->st_gid != getegid());
}

/* Returns 1: a script, go on with interpreter[size]. */
static int check_file(const char *path, char *interpreter, size_t interpreter_size, char *why, size_t size)
{
	union {
		Elf64_Ehdr ehdr;
		char head[512];
	} file = { .head = "" };
	int fd = files_open(path, FILES_LINKED), result = 0;
	struct stat st;

	if (fd < 0) /* whatever it is will be said when it is run */
		return 0;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && pread(fd, &file, sizeof(file) - 1, 0) > 0) {
		if (interpreter_of(file.head, interpreter, interpreter_size))
			result = 1;
		else if (is_privileged(&st))
			result = refuse(why, size, path, "runs with other rights (set-user-ID)");
		else if (!memcmp(file.head, ELFMAG, SELFMAG))
			result = check_elf(fd, &file.ehdr, path, why, size);
	}
	close(fd);
	return result;
}

int timer_program_check(const char *program, char *why, size_t size)
{
	char *path = program_path(program);
	int result = 1;

	for (int i = 0; i < INTERPRETERS_MAX && result == 1; i++) {
		char interpreter[512] = "";

		result = check_file(path, interpreter, sizeof(interpreter), why, size);
		free(path);
		path = xstrdup(interpreter);
	}
	free(path);
	return result < 0 ? -1 : 0;
}
