/* Recursion of two functions in every order down to a depth: 2^DEPTH call paths. The deepest call
 * of the last path sleeps. */
#include <time.h>

#define DEPTH 15
#define KEEP __attribute__((noinline, noclone))

static volatile unsigned long sink;
static unsigned long calls;

static void left(int depth);
static void right(int depth);

KEEP static void leaf(void)
{
	struct timespec t = { 0, 50000000 };

	sink++;
	if (++calls == 1ul << DEPTH)
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
	left(depth - 1);
	right(depth - 1);
	sink++;
}

int main(void)
{
	left(DEPTH);
	return 0;
}
