/*
 * All is inlined into main, whose first part makes many short calls, for which its probes cost too
 * much; after that it reads. argv[1]: how many short calls.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define READS 100000

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 0, sum = 0;
	int file = open("/dev/zero", O_RDONLY);
	char text[16], byte[1];

	for (long i = 0; i < calls; i++)
		sum += snprintf(text, sizeof(text), "%d", (int)i & 7);
	for (long i = 0; i < READS; i++)
		sum += read(file, byte, 1);
	printf("%ld\n", sum);
	return 0;
}
