/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Input and output by the library. Tells of each function how many reads and writes the kernel has
 * counted in it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEEP __attribute__((noipa))

enum { BLOCK = 65536, BUFFER = 4096, BYTES = 20 * BUFFER };
static char block[BLOCK];
static volatile long sum;

KEEP static void blocks(FILE *file)
{
	for (int i = 0; i < 50; i++) {
		rewind(file);
		sum += (long)fread(block, BLOCK, 1, file);
	}
}

KEEP static void bytes(FILE *file)
{
	for (int i = 0; i < BYTES; i++)
		sum += (long)fread(block, 1, 1, file);
}

KEEP static void characters(FILE *file)
{
	for (int i = 0; i < BYTES; i++)
		sum += fgetc(file);
}

KEEP static void lines(FILE *file)
{
	for (int i = 0; i < BYTES / 16; i++)
		sum += fgets(block, BLOCK, file) != NULL;
}

KEEP static void buffered(FILE *file)
{
	for (int i = 0; i < BYTES / 16; i++)
		sum += fputs("fifteen letters\n", file);
}

KEEP static void unbuffered(FILE *file)
{
	for (int i = 0; i < 300; i++)
		sum += fputs("fifteen letters\n", file);
}

KEEP static void printed(FILE *file)
{
	for (int i = 0; i < 200; i++)
		sum += fprintf(file, "%d\n", i);
}

KEEP static void flushed(FILE *file)
{
	for (int i = 0; i < 100; i++)
		sum += fflush(file);
}

KEEP static void by_line(FILE *file)
{
	for (int i = 0; i < 200; i++)
		sum += fputs("fifteen letters\n", file);
}

/* 582, in hexadecimal 0x246, is what a system call may leave in a register. */
KEEP static void sized(FILE *file)
{
	for (int i = 0; i < 5; i++)
		sum += (long)fwrite(block, 1, 582, file);
}

static FILE *made(const char *path, const char *mode, int how)
{
	static char buffers[8][BUFFER];
	static int n;
	FILE *file = fopen(path, mode);

	if (!file || setvbuf(file, buffers[n++], how, BUFFER))
		exit(1);
	return file;
}

/* Reads and writes of this thread, less those that are for the question. */
static long counted(void)
{
	static long questions;
	char text[512] = "", *reads, *writes;
	int fd = open("/proc/thread-self/io", O_RDONLY);
	long n = read(fd, text, sizeof(text) - 1);

	close(fd);
	reads = strstr(text, "syscr: ");
	writes = strstr(text, "syscw: ");
	if (n <= 0 || !reads || !writes)
		exit(77);
	return atol(reads + 7) + atol(writes + 7) - questions++;
}

static void tell(const char *name, void (*function)(FILE *), FILE *file)
{
	long before = counted();

	function(file);
	printf("%s %ld\n", name, counted() - before);
	fflush(stdout);
}

int main(void)
{
	FILE *file = made("data", "w", _IOFBF);

	for (int i = 0; i < BLOCK / 16 * 2; i++)
		fputs("fifteen letters\n", file);
	fclose(file);
	file = made("data", "r", _IOFBF);
	tell("blocks", blocks, file);
	rewind(file);
	tell("bytes", bytes, file);
	rewind(file);
	tell("characters", characters, file);
	rewind(file);
	tell("lines", lines, file);
	fclose(file);
	file = made("/dev/null", "w", _IOFBF);
	tell("buffered", buffered, file);
	fflush(file);
	tell("flushed", flushed, file);
	tell("sized", sized, file);
	fclose(file);
	file = made("/dev/null", "w", _IONBF);
	tell("unbuffered", unbuffered, file);
	tell("printed", printed, file);
	fclose(file);
	file = made("/dev/null", "w", _IOLBF);
	tell("by_line", by_line, file);
	fclose(file);
	return 0;
}
