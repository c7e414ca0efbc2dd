/* R3, R4: callbacks are children of the function without probes that calls them back. */
#include "e2e.h"
#include <search.h>

KEEP static int helper(int x)
{
	return x - sink;
}

KEEP static int compare(const void *a, const void *b)
{
	return helper(*(const int *)a) - *(const int *)b;
}

KEEP static void at_end(void)
{
	sink = 1;
}

int main(void)
{
	for (int i = 0; i < 5; i++) {
		int pair[2] = { 2 + i, 1 };

		qsort(pair, 2, sizeof(pair[0]), compare);
		printf("%d\n", pair[0]);
	}
	int list[3] = { 1, 2, 3 }, key = 3;
	size_t n = 3;

	printf("%d\n", lfind(&key, list, &n, sizeof(int), compare) != NULL);
	atexit(at_end);
	return 0;
}
