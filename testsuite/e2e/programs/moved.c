/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads and writes numbers of bytes that are known: each function says its own. moved.c FOLDER HOW;
 * how: end, kill (dies of SIGKILL at the end), fork (a child does all once more), exec (so does the
 * program that takes its place).
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES 60000
static char data[BYTES], path[3][4096];

static void same(ssize_t a, ssize_t b)
{
	if (a != b)
		abort();
}

/* writes 60,000 bytes in 60 calls */
__attribute__((noinline)) static void fill(const char *name)
{
	int fd = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);

	for (int i = 0; i < 60; i++)
		same(write(fd, data + i * 1000, 1000), 1000);
	close(fd);
}

/* reads 5,000 bytes in 5,000 calls */
__attribute__((noinline)) static void by_byte(const char *name)
{
	int fd = open(name, O_RDONLY);
	char c;

	for (int i = 0; i < 5000; i++)
		same(read(fd, &c, 1), 1);
	close(fd);
}

/* ... which are tail calls without the plugin */
__attribute__((noinline)) static ssize_t wrapped(int fd, void *to, size_t n)
{
	return read(fd, to, n);
}

/* reads 60,000 bytes in 16 calls, of which the last one returns 0 */
__attribute__((noinline)) static void by_wrapper(const char *name)
{
	int fd = open(name, O_RDONLY);
	ssize_t n, all = 0;

	while ((n = wrapped(fd, data, 4000)) > 0)
		all += n;
	same(all, BYTES);
	close(fd);
}

/* reads 300 and 200 bytes, and writes 700, in three calls, at offsets */
__attribute__((noinline)) static void at_offsets(const char *name)
{
	struct iovec parts[2] = { { data, 100 }, { data + 100, 200 } };
	int fd = open(name, O_RDWR);

	same(readv(fd, parts, 2), 300);
	same(pread(fd, data, 200, 1000), 200);
	same(pwrite(fd, data, 700, 0), 700);
	close(fd);
}

/* opens one file 40 times, and writes 7 bytes each time */
__attribute__((noinline)) static void often(const char *name)
{
	for (int i = 0; i < 40; i++) {
		int fd = open(name, O_CREAT | O_APPEND | O_WRONLY, 0600);

		same(write(fd, "a line\n", 7), 7);
		close(fd);
	}
}

/* five calls fail, and move nothing */
__attribute__((noinline)) static void fails(void)
{
	for (int i = 0; i < 5; i++) {
		same(read(-1, data, 10), -1);
		same(errno, EBADF);
	}
}

/* reads 60,000 bytes in 500 items of 120, and writes 1,200 in 100 of 12 */
__attribute__((noinline)) static void streams(const char *from, const char *to)
{
	FILE *file = fopen(from, "r");

	for (int i = 0; i < 500; i++)
		same((ssize_t)fread(data, 40, 3, file), 3);
	fclose(file);
	file = fopen(to, "w");
	for (int i = 0; i < 10; i++)
		same((ssize_t)fwrite(data, 12, 10, file), 10);
	fclose(file);
}

static int ends[2];

/* 20 times 250 bytes */
static void *receives(void *unused)
{
	for (int i = 0; i < 20; i++)
		same(recv(ends[1], data, 250, MSG_WAITALL), 250);
	return unused;
}

/* the same the other way */
__attribute__((noinline)) static void sends(void)
{
	pthread_t thread;

	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	pthread_create(&thread, NULL, receives, NULL);
	for (int i = 0; i < 20; i++)
		same(send(ends[0], data, 250, 0), 250);
	pthread_join(thread, NULL);
	close(ends[0]);
	close(ends[1]);
}

__attribute__((noinline)) static void all(void)
{
	fill(path[0]);
	by_byte(path[0]);
	by_wrapper(path[0]);
	at_offsets(path[0]);
	often(path[1]);
	fails();
	streams(path[0], path[2]);
	sends();
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "big", "log", "stream" };

	if (argc < 3)
		return 2;
	for (int i = 0; i < 3; i++)
		snprintf(path[i], sizeof(path[i]), "%s/%s", argv[1], names[i]);
	all();
	if (!strcmp(argv[2], "fork")) {
		int status;

		if (!fork()) {
			all();
			_exit(0);
		}
		wait(&status);
	}
	if (!strcmp(argv[2], "exec"))
		return execl("/proc/self/exe", argv[0], argv[1], "end", (char *)NULL);
	if (!strcmp(argv[2], "kill"))
		raise(SIGKILL);
	return 0;
}
