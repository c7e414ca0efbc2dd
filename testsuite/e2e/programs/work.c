/* argv[1] milliseconds of calls. Prints nothing that depends on how long they took. */
#include "../trees/e2e.h"
#include <time.h>

KEEP static int leaf(int x)
{
	return x + 1;
}

KEEP static int work(int n)
{
	for (int i = 0; i < n; i++)
		sink = leaf(sink);
	return sink;
}

int main(int argc, char **argv)
{
	struct timespec t;
	long end;

	clock_gettime(CLOCK_MONOTONIC, &t);
	end = t.tv_sec * 1000 + t.tv_nsec / 1000000 + (argc > 1 ? atol(argv[1]) : 0);
	do {
		work(1000);
		clock_gettime(CLOCK_MONOTONIC, &t);
	} while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < end);
	puts("worked");
	return 0;
}
