/* Many different call paths: needs many megabytes of cells. */
#include "../trees/e2e.h"

KEEP static int walk(int depth, int x);

KEEP static int left(int depth, int x)
{
	return walk(depth, x) + 1;
}

KEEP static int right(int depth, int x)
{
	return walk(depth, x) + 2;
}

KEEP static int walk(int depth, int x)
{
	return depth == 0 ? x : left(depth - 1, x) + right(depth - 1, x);
}

int main(int argc, char **argv)
{
	printf("%d\n", walk(argc > 1 ? atoi(argv[1]) : 15, 1));
	return 0;
}
