/* A function whose calls are short at first, and then one that is long, with two others inside that
 * have work in the proportion 1 : 3, one of them called through a pointer. argv[1]: rounds. */
#include <stdint.h>

#include "../trees/e2e.h"

static volatile uint64_t state;

static inline void work(int steps)
{
	uint64_t x = state;

	for (int i = 0; i < steps; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	state = x;
}

KEEP static void light(void)
{
	work(100);
}

KEEP static void heavy(void)
{
	work(300);
}

KEEP static void run(int rounds, void (*volatile other)(void))
{
	for (int i = 0; i < rounds; i++) {
		light();
		other();
	}
	sink++;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 0;

	for (int i = 0; i < rounds / 4; i++)
		run(1, heavy);
	run(rounds, heavy);
	return 0;
}
