/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of every sort, for the modes of calls and for actions. LATE: callees are compiled behind
 * their callers. */
#include <setjmp.h>

#define NOINLINE __attribute__((noinline, noclone))

void touch(void);

static jmp_buf environment;
static volatile int one = 1;

static int small(int x);
static int work(int x);
int outer(int x);
int calls(int x);
int tail_small(int x);
int tail_work(int x);
int lands(int x);

#define SMALL \
	static NOINLINE int small(int x) \
	{ \
		return x * 3 + 1; \
	}
#define WORK \
	static NOINLINE int work(int x) \
	{ \
		touch(); \
		return x + one; \
	}

#ifndef LATE
SMALL WORK
#endif

NOINLINE int outer(int x)
{
	touch();
	if (x > 5)
		return work(x) - 1;
	return small(x) + 2;
}

NOINLINE int calls(int x)
{
	return small(x) + work(x) + outer(x);
}

NOINLINE int tail_small(int x)
{
	touch();
	return small(x + 1);
}

NOINLINE int tail_work(int x)
{
	touch();
	return work(x + 1);
}

NOINLINE int lands(int x)
{
	return setjmp(environment) + x;
}

int main(void)
{
	touch();
	return calls(one) + tail_small(one) + tail_work(one) + lands(one) + small(one) == 0;
}

#ifdef LATE
SMALL WORK
#endif
