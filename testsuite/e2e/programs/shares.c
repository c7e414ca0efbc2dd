/* argv[1]: rounds. In each three small functions with work in the proportion 1 : 2 : 4 are
 * called; in every thousandth a fourth one, which sleeps for a millisecond and is called by a
 * small one, too. */
#include <stdint.h>
#include <unistd.h>

#include "../trees/e2e.h"

static volatile uint64_t state;

/* Each step waits for the one before. */
static inline void work(int steps)
{
	uint64_t x = state;

	for (int i = 0; i < steps; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	state = x;
}

KEEP static void one(void)
{
	work(100);
}

KEEP static void two(void)
{
	work(200);
}

KEEP static void four(void)
{
	work(400);
}

KEEP static void rest(void)
{
	usleep(1000);
	sink++;
}

KEEP static void small(int round)
{
	if (round % 1000 == 0)
		rest();
	sink++;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 0;

	for (int i = 0; i < rounds; i++) {
		one();
		two();
		four();
		small(i);
	}
	return 0;
}
