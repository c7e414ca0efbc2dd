/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions with names of every kind, for ARGV[1] ms of processor time: what is found by samples is
 * to be instrumented, and to have the same shares then. ARGV[2]: how many times as long chosen()
 * takes.
 */
#include <cstdlib>
#include <ctime>

#define OWN __attribute__((noinline, noclone))

static volatile unsigned long sink;
static long factor = 1;

/* Each step waits for the one before, so that it matters little where in memory the loop is. */
static inline void spin(long n)
{
	unsigned long x = sink;

	for (long i = 0; i < n; i++) {
		x = x * 6364136223846793005 + 1;
		__asm__ volatile("" : "+r"(x));
	}
	sink = x;
}

OWN int get(void)
{
	return (int)sink + 1;
}

namespace work
{
OWN void chosen(long n)
{
	spin(n * factor);
}

OWN void chosen(const char *text, long n)
{
	spin(n + *text);
	chosen(n / 8);
}

template <class T> OWN T made(T n)
{
	spin((long)n);
	chosen(n / 8);
	return n;
}

struct Box {
	long n;
	OWN long operator[](long i) const
	{
		spin(i);
		work::chosen(i / 8);
		return n + i;
	}
};
}

namespace
{
OWN void hidden(char *const *, long n)
{
	spin(n);
	work::chosen(n / 8);
}
}

OWN static int order(const void *a, const void *b)
{
	return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b;
}

OWN static void sort(void)
{
	static int values[2000];

	for (int &value : values)
		value = rand();
	qsort(values, 2000, sizeof(values[0]), order);
}

OWN static long recursive(long n)
{
	spin(1000);
	return n ? recursive(n - 1) + 1 : 0;
}

OWN static void rare(void)
{
	spin(10);
}

int main(int argc, char **argv)
{
	long ms = argc > 1 ? atol(argv[1]) : 1000;

	factor = argc > 2 ? atol(argv[2]) : 1;
	while (clock() / (CLOCKS_PER_SEC / 1000) < ms) {
		work::chosen(20000);
		work::chosen("x", 20000);
		work::made(20000L);
		work::Box{ 1 }[20000];
		hidden(argv, 20000);
		sort();
		recursive(20);
		rare();
		for (int i = 0; i < 2000; i++)
			sink = sink + (unsigned long)get();
	}
	return 0;
}
