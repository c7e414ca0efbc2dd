// SPDX-License-Identifier: GPL-3.0-or-later
// What the default views must show: workers wait for a lock that is held over a sleep, main only
// joins them; a recursion of which each level has less than half of the one above; functions of
// templates that look the same without their arguments.
#include <pthread.h>
#include <stdint.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned sink;

static void __attribute__((noipa)) spin(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink = sink * 1664525u + 1013904223u;
}

static void __attribute__((noipa)) write_log()
{
	struct timespec time = { 0, 2000000 };

	pthread_mutex_lock(&lock);
	nanosleep(&time, nullptr);
	pthread_mutex_unlock(&lock);
}

template <int N> static void __attribute__((noipa)) area()
{
	spin(N * 100);
}

static void __attribute__((noipa)) leaf(unsigned n)
{
	spin(n);
}

// Of two halves, down to the leaves.
static void __attribute__((noipa)) sort(unsigned depth)
{
	if (!depth) {
		leaf(100000); // much beside what sort() does itself
		return;
	}
	sort(depth - 1);
	sort(depth - 1);
}

static void *worker(void *arg)
{
	for (int i = 0; i < 20; i++) {
		area<20>();
		area<30>();
		write_log();
	}
	return arg;
}

int main(int argc, char **)
{
	pthread_t threads[3];

	if (argc > 1) {
		sort(8);
		return 0;
	}
	for (pthread_t &thread : threads)
		pthread_create(&thread, nullptr, worker, nullptr);
	for (pthread_t &thread : threads)
		pthread_join(thread, nullptr);
	return 0;
}
