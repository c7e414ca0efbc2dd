/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two programs of one source: with -DNEW, changed() works FACTOR times as much, less is called, and
 * one function is new. */
#ifdef NEW
#define FACTOR 4
#else
#define FACTOR 1
#endif

/* a loop that no compiler unrolls, and with it loses the line */
static volatile unsigned sink, times = 8 / FACTOR;

#define WORK(n) \
	for (unsigned i = 0; i < (n); i++) \
		sink = sink + i

__attribute__((noinline)) void changed(void)
{
	WORK(20000 * FACTOR);
}

__attribute__((noinline)) void equal(void)
{
	WORK(20000);
}

__attribute__((noinline)) void called_less(void)
{
	WORK(2000);
}

#ifdef NEW
__attribute__((noinline)) void fresh(void)
{
	WORK(50000);
}
#endif

int main(void)
{
	for (int i = 0; i < 100; i++) {
		changed();
		equal();
		for (unsigned k = 0; k < times; k++)
			called_less();
	}
#ifdef NEW
	fresh();
#endif
	return 0;
}
