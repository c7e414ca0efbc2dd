/*
 * Threads. argv[1]: alive N: N at once; turn N: N short-lived ones, one after another. Each makes
 * 10 calls. The most memory used, in KB, goes to the file `memory`. Also:
 *   depth N    N nested calls in a thread with room for them
 *   paths BITS every one of 2^BITS call paths of two functions; calls of each: in `calls`
 */
#include "count.h"

#include <pthread.h>
#include <sys/resource.h>
#include <time.h>

static pthread_barrier_t all_there;
static int waits;

KEEP static int leaf(int x)
{
	entered();
	return x + 1;
}

KEEP static void *body(void *data)
{
	int x = (int)(long)data;

	entered();
	for (int i = 0; i < 10; i++)
		x = leaf(x);
	if (waits)
		pthread_barrier_wait(&all_there);
	return (void *)(long)x;
}

KEEP static long alive(long n)
{
	pthread_t *threads = calloc((size_t)n, sizeof(*threads));
	pthread_attr_t small;
	long sum = 0, made = 0;
	void *x;

	entered();
	waits = 1;
	pthread_barrier_init(&all_there, NULL, (unsigned)n);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	for (; made < n; made++)
		if (pthread_create(&threads[made], &small, body, (void *)made))
			abort();
	for (long i = 0; i < made; i++)
		if (!pthread_join(threads[i], &x))
			sum += (long)x;
	return sum;
}

KEEP static long turn(long n)
{
	long sum = 0;
	void *x;

	entered();
	for (long i = 0; i < n; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, body, (void *)i) || pthread_join(thread, &x))
			abort();
		sum += (long)x;
	}
	return sum;
}

KEEP static long down(long n)
{
	entered();
	return n ? down(n - 1) + 1 : 0;
}

KEEP static void *depth_body(void *data)
{
	entered();
	return (void *)down((long)data);
}

KEEP static long depth(long n)
{
	pthread_attr_t large;
	pthread_t thread;
	void *x;

	entered();
	pthread_attr_init(&large);
	pthread_attr_setstacksize(&large, (size_t)n * 128 + (1 << 20));
	if (pthread_create(&thread, &large, depth_body, (void *)n) || pthread_join(thread, &x))
		abort();
	return (long)x;
}

static long right(long bits);
static long calls_left, calls_right;

KEEP static long left(long bits)
{
	entered();
	calls_left++;
	return bits ? left(bits - 1) + right(bits - 1) : 1;
}

KEEP static long right(long bits)
{
	entered();
	calls_right++;
	return bits ? right(bits - 1) + left(bits - 1) : 2;
}

KEEP static long paths(long bits)
{
	long sum;
	FILE *file;

	entered();
	sum = left(bits) + right(bits);
	file = fopen("calls", "w");
	fprintf(file, "%ld %ld\n", calls_left, calls_right);
	fclose(file);
	return sum;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		long (*run)(long);
	} modes[] = { { "alive", alive }, { "turn", turn }, { "depth", depth }, { "paths", paths } };
	struct rusage usage;
	FILE *file;

	(void)argc;
	entered();
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(argv[1], modes[i].name))
			printf("%ld\n", modes[i].run(atol(argv[2])));
	getrusage(RUSAGE_SELF, &usage);
	file = fopen("memory", "w");
	fprintf(file, "%ld\n", usage.ru_maxrss);
	fclose(file);
	return 0;
}
