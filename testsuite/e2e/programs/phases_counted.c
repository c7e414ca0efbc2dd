/* Threads that call small functions, known numbers of times in each phase. argv[1]: rounds;
 * argv[2]: "waits": for a line of its input in the second phase. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../trees/e2e.h"
#include "cinstr.h"

#define THREADS 3
#define PHASES 3

static pthread_barrier_t barrier;
static int rounds;

KEEP static uint64_t one(uint64_t x)
{
	return x * 6364136223846793005u + 1;
}

KEEP static uint64_t two(uint64_t x)
{
	return x * 2862933555777941757u + 3037000493u;
}

/* Phase p: p + 1 times as often; two() from the second on. */
static uint64_t work(int phase, uint64_t x)
{
	for (int i = 0; i < rounds * (phase + 1); i++)
		x = phase ? two(one(x)) : one(x);
	return x;
}

static void *run(void *arg)
{
	uint64_t x = (uintptr_t)arg;

	for (int phase = 0; phase < PHASES; phase++) {
		pthread_barrier_wait(&barrier); /* the mark is made */
		x = work(phase, x);
		pthread_barrier_wait(&barrier);
	}
	return (void *)(uintptr_t)(x | 1);
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "first", "second", "third" };
	pthread_t threads[THREADS];
	char line[80];

	rounds = argc > 1 ? atoi(argv[1]) : 0;
	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (int phase = 0; phase < PHASES; phase++) {
		cinstr_mark_text(phase + 1, names[phase]);
		pthread_barrier_wait(&barrier);
		work(phase, 1);
		pthread_barrier_wait(&barrier);
		if (phase == 1 && argc > 2 && !strcmp(argv[2], "waits")) {
			puts("waits");
			fflush(stdout);
			if (!fgets(line, sizeof(line), stdin))
				return 1;
		}
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
