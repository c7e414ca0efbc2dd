/* Functions without probes have rows of their own, with their module. */
#include "e2e.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

KEEP static int count(const char *text)
{
	int n = 0;

	for (const char *p = text; (p = strchr(p, 'a')) != NULL; p++)
		n++;
	return n;
}

int main(void)
{
	char *copy = strdup("banana");
	double x = 0.5;

	srand(1);

	x = cos(x + sink);
	printf("%d %d %zu %.3f\n", rand() > 0, count(copy), strlen(copy), x);
	free(copy);
	return getppid() < 0;
}
