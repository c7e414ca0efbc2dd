/* argv[1]: number of calls of counted(), which calls leaf(). argv[2]: a pipe that it then waits at,
 * until that is closed. */
#include "../trees/e2e.h"

KEEP static void leaf(int x)
{
	sink += x;
}

KEEP static void counted(int x)
{
	leaf(x);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;
	FILE *wait;

	for (int i = 0; i < n; i++)
		counted(i);
	if (argc < 3)
		return 0;
	puts("counted");
	fflush(stdout);
	wait = fopen(argv[2], "r");
	return !wait || getc(wait) != EOF;
}
