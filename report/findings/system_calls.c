/* SPDX-License-Identifier: GPL-3.0-or-later */
/* system_calls.c - see system_calls.h. */
#include <stdlib.h>
#include <string.h>

#include "system_calls.h"
#include "lib/util.h"

/* What enum known_function does not tell apart; in the order of strcmp(). */
static const struct kind_of_name {
	const char *name;
	enum call_kind kind;
} kinds_of_names[] = {
	{ "_Fork", CALL_FORK },
	{ "_ZNSo5flushEv", CALL_FLUSH },
	{ "_ZNSt13basic_filebufIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode", CALL_OPEN },
	{ "_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_", CALL_FLUSH },
	{ "_ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_", CALL_FLUSH },
	{ "__fgets_chk", CALL_GET },
	{ "__fprintf_chk", CALL_PRINT },
	{ "__fread_chk", CALL_GET },
	{ "__poll_chk", CALL_POLL },
	{ "__ppoll_chk", CALL_POLL },
	{ "__pread64_chk", CALL_READ },
	{ "__pread_chk", CALL_READ },
	{ "__printf_chk", CALL_PRINT },
	{ "__read_chk", CALL_READ },
	{ "__recv_chk", CALL_READ },
	{ "__recvfrom_chk", CALL_READ },
	{ "__vfprintf_chk", CALL_PRINT },
	{ "__vprintf_chk", CALL_PRINT },
	{ "access", CALL_ASK },
	{ "close", CALL_ASK },
	{ "fcntl", CALL_ASK },
	{ "fcntl64", CALL_ASK },
	{ "fflush", CALL_FLUSH },
	{ "fflush_unlocked", CALL_FLUSH },
	{ "fgetc", CALL_GET },
	{ "fgets", CALL_GET },
	{ "fopen", CALL_OPEN },
	{ "fopen64", CALL_OPEN },
	{ "fork", CALL_FORK },
	{ "fprintf", CALL_PRINT },
	{ "fputc", CALL_PRINT },
	{ "fputs", CALL_PRINT },
	{ "fread", CALL_GET },
	{ "fscanf", CALL_GET },
	{ "fstat", CALL_ASK },
	{ "fstat64", CALL_ASK },
	{ "fstatat", CALL_ASK },
	{ "fstatat64", CALL_ASK },
	{ "ftruncate", CALL_ASK },
	{ "ftruncate64", CALL_ASK },
	{ "fwrite", CALL_PRINT },
	{ "getc", CALL_GET },
	{ "getchar", CALL_GET },
	{ "getdelim", CALL_GET },
	{ "geteuid", CALL_ASK },
	{ "getline", CALL_GET },
	{ "getpid", CALL_ASK },
	{ "getppid", CALL_ASK },
	{ "getrusage", CALL_ASK },
	{ "gettid", CALL_ASK },
	{ "getuid", CALL_ASK },
	{ "ioctl", CALL_ASK },
	{ "lseek", CALL_ASK },
	{ "lseek64", CALL_ASK },
	{ "lstat", CALL_ASK },
	{ "lstat64", CALL_ASK },
	{ "madvise", CALL_ASK },
	{ "mmap", CALL_ASK },
	{ "mmap64", CALL_ASK },
	{ "mprotect", CALL_ASK },
	{ "munmap", CALL_ASK },
	{ "open", CALL_OPEN },
	{ "open64", CALL_OPEN },
	{ "openat", CALL_OPEN },
	{ "openat64", CALL_OPEN },
	{ "opendir", CALL_OPEN },
	{ "pclose", CALL_COMMAND },
	{ "posix_spawn", CALL_FORK },
	{ "posix_spawnp", CALL_FORK },
	{ "prctl", CALL_ASK },
	{ "printf", CALL_PRINT },
	{ "pthread_sigmask", CALL_ASK },
	{ "putc", CALL_PRINT },
	{ "putchar", CALL_PRINT },
	{ "puts", CALL_PRINT },
	{ "readlink", CALL_ASK },
	{ "sigaction", CALL_ASK },
	{ "sigprocmask", CALL_ASK },
	{ "stat", CALL_ASK },
	{ "stat64", CALL_ASK },
	{ "statx", CALL_ASK },
	{ "system", CALL_COMMAND },
	{ "times", CALL_ASK },
	{ "unlink", CALL_ASK },
	{ "vfork", CALL_FORK },
	{ "vfprintf", CALL_PRINT },
	{ "vprintf", CALL_PRINT },
};

static const enum call_kind kinds_of_known[] = {
	[KNOWN_SLEEP] = CALL_SLEEP,  [KNOWN_POLL] = CALL_POLL, [KNOWN_INPUT] = CALL_READ,
	[KNOWN_OUTPUT] = CALL_WRITE, [KNOWN_SYNC] = CALL_SYNC, [KNOWN_CHILD] = CALL_CHILD,
};

static int compare(const void *name, const void *item)
{
	return strcmp(name, ((const struct kind_of_name *)item)->name);
}

enum call_kind call_kind_of(const char *assembler, enum known_function known)
{
	const struct kind_of_name *found = bsearch(assembler, kinds_of_names, ARRAY_SIZE(kinds_of_names),
						   sizeof(*kinds_of_names), compare);

	if (found)
		return found->kind;
	return (size_t)known < ARRAY_SIZE(kinds_of_known) ? kinds_of_known[known] : CALL_OTHER;
}
