/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ways out that are not returns, 20 times each: thrown, by code without probes too, rethrown,
 * through cleanups, out of a callback, caught where it is thrown; jumps, also out of a handler; a
 * thread that ends itself, and one that is cancelled.
 */
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <stdexcept>
#include <unistd.h>
#include <vector>

#define KEEP __attribute__((noipa))

enum { TIMES = 20 };
static volatile int sink;
static sigjmp_buf at_handler;
static jmp_buf at_jump;

struct guard {
	KEEP ~guard()
	{
		sink = sink + 1;
	}
};

/* 22 frames */
KEEP static int thrower(int depth)
{
	if (!depth)
		throw 1;
	return thrower(depth - 1) + sink;
}

KEEP static int cleaned(int depth)
{
	guard here;

	return thrower(depth) + sink;
}

KEEP static void rethrower()
{
	try {
		thrower(2);
	} catch (int) {
		throw;
	}
}

KEEP static int reader(const std::vector<int> &list)
{
	return list.at(7) + sink;
}

KEEP static int compare(const void *, const void *)
{
	throw 2;
}

KEEP static void sorter()
{
	int list[2] = { 2, 1 };

	qsort(list, 2, sizeof(list[0]), compare);
	sink = list[0];
}

KEEP static void same_frame()
{
	try {
		throw 3;
	} catch (int) {
		sink = sink + 1;
	}
}

KEEP static void jumper(int depth)
{
	if (!depth)
		longjmp(at_jump, 1);
	jumper(depth - 1);
	sink = sink + 1;
}

KEEP static void handler(int)
{
	siglongjmp(at_handler, 1);
}

KEEP static void *ender(void *)
{
	guard here;

	pthread_exit(nullptr);
}

KEEP static void *waiter(void *)
{
	guard here;

	for (;;)
		pause();
}

/* Calls f, and says whether it came back by an exception. */
template <typename F>
KEEP static int caught(F f)
{
	try {
		f();
	} catch (int) {
		return 1;
	} catch (const std::exception &) {
		return 1;
	}
	return 0;
}

int main()
{
	const std::vector<int> list(3);
	int n = 0;

	for (int i = 0; i < TIMES; i++) {
		pthread_t thread;

		n += caught([] { thrower(21); });
		n += caught([] { cleaned(3); });
		n += caught(rethrower);
		n += caught([&] { reader(list); });
		n += caught(sorter);
		same_frame();
		if (!setjmp(at_jump))
			jumper(5);
		if (!sigsetjmp(at_handler, 1)) {
			signal(SIGUSR1, handler);
			raise(SIGUSR1);
		}
		pthread_create(&thread, nullptr, ender, nullptr);
		pthread_join(thread, nullptr);
		pthread_create(&thread, nullptr, waiter, nullptr);
		pthread_cancel(thread);
		pthread_join(thread, nullptr);
	}
	printf("%d\n", n);
	return n != 5 * TIMES;
}
