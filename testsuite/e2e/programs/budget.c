/* Recursion of two functions in every order down to a depth: 2^DEPTH call paths. The deepest call
 * of the first path sleeps. */
#include <time.h>

#define DEPTH 10
#define KEEP __attribute__((noinline, noclone))

static volatile unsigned long sink;
static int slept;

static void left(int depth);
static void right(int depth);

KEEP static void leaf(void)
{
	struct timespec t = { 0, 50000000 };

	sink++;
	if (!slept++)
		nanosleep(&t, 0);
}

KEEP static void left(int depth)
{
	if (!depth) {
		leaf();
		return;
	}
	left(depth - 1);
	right(depth - 1);
	sink++;
}

KEEP static void right(int depth)
{
	if (!depth) {
		leaf();
		return;
	}
	right(depth - 1);
	left(depth - 1);
	sink++;
}

KEEP static void outer(void)
{
	left(DEPTH);
	sink++;
}

int main(void)
{
	outer();
	return 0;
}
