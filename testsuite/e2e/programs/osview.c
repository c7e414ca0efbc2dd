/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * osview.c - does a known number of things that the operating system has to act for, a function for
 * each, and writes what the kernel counted meanwhile into the file `truth`: "FUNCTION voluntary
 * minor major in out".
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define SLEEPS 20
#define READS 500
#define ROUNDS 3
#define MAP_BYTES (8u << 20)
#define FILE_BYTES (1u << 20)

static char block[65536];
static volatile char sink;

__attribute__((noinline)) static void sleeper(void)
{
	const struct timespec time = { 0, 1000000 };

	for (int i = 0; i < SLEEPS; i++)
		nanosleep(&time, NULL);
}

__attribute__((noinline)) static void reader(void)
{
	int fd = open("/dev/zero", O_RDONLY);

	for (int i = 0; i < READS; i++)
		if (read(fd, block, 1) != 1)
			exit(1);
	close(fd);
}

/* One interval a round: from the return of mmap to the call of munmap. */
__attribute__((noinline)) static void toucher(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		char *map = mmap(NULL, MAP_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		for (size_t at = 0; at < MAP_BYTES; at += 4096)
			map[at] = 1;
		munmap(map, MAP_BYTES);
	}
}

__attribute__((noinline)) static void writer(void)
{
	int fd = open("file", O_CREAT | O_TRUNC | O_WRONLY, 0600);

	for (size_t i = 0; i < FILE_BYTES / sizeof(block); i++)
		if (write(fd, block, sizeof(block)) != (ssize_t)sizeof(block))
			exit(1);
	fsync(fd);
	close(fd);
}

__attribute__((noinline)) static void pager(void)
{
	int fd = open("file", O_RDONLY);
	char *map;

	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	map = mmap(NULL, FILE_BYTES, PROT_READ, MAP_PRIVATE, fd, 0);
	madvise(map, FILE_BYTES, MADV_RANDOM);
	sink = map[FILE_BYTES / 2];
	munmap(map, FILE_BYTES);
	close(fd);
}

__attribute__((noinline)) static void part(FILE *truth, const char *name, void (*function)(void))
{
	struct rusage a, b;

	getrusage(RUSAGE_THREAD, &a);
	function();
	getrusage(RUSAGE_THREAD, &b);
	fprintf(truth, "%s %ld %ld %ld %ld %ld\n", name, b.ru_nvcsw - a.ru_nvcsw, b.ru_minflt - a.ru_minflt,
		b.ru_majflt - a.ru_majflt, b.ru_inblock - a.ru_inblock, b.ru_oublock - a.ru_oublock);
}

int main(void)
{
	FILE *truth = fopen("truth", "w");

	part(truth, "sleeper", sleeper);
	part(truth, "reader", reader);
	part(truth, "toucher", toucher);
	part(truth, "writer", writer);
	part(truth, "pager", pager);
	return fclose(truth);
}
