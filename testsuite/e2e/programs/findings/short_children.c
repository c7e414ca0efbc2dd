/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forks a child for each of 100 numbers; with "fine" adds them by itself. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static int square(int i)
{
	return i * i & 1;
}

__attribute__((noinline)) static int by_child(int i)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0)
		_exit(square(i));
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	int is_fine = argc > 1 && !strcmp(argv[1], "fine");
	int sum = 0;

	for (int i = 0; i < 100; i++)
		sum += is_fine ? square(i) : by_child(i);
	return sum == 1;
}
