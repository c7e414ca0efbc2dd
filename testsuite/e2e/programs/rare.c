/* A function whose calls are very short for so many rounds, argv[1], and then few and long, argv[2]
 * of them, 2 ms each. Between those the thread sleeps. */
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "../trees/e2e.h"

static volatile uint64_t state;

static double processor_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

KEEP static uint64_t step(uint64_t x)
{
	return x * 6364136223846793005u + 1442695040888963407u;
}

KEEP static void both(double ms)
{
	uint64_t x = state;

	if (ms <= 0)
		x = x * 6364136223846793005u + 1;
	else
		for (double end = processor_ms() + ms; processor_ms() < end;)
			for (int i = 0; i < 1000; i++)
				x = step(x);
	state = x;
}

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[1]) : 0, calls = argc > 2 ? atoi(argv[2]) : 0;

	for (int i = 0; i < rounds; i++)
		both(0);
	for (int i = 0; i < calls; i++) {
		both(2);
		usleep(1000);
	}
	return 0;
}
