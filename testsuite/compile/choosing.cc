// SPDX-License-Identifier: GPL-3.0-or-later
// Functions to choose from, by names, files and size: what choosing.sh lists.
#include "choosing.h"

#define NOINLINE __attribute__((noinline, noclone))

extern "C" void touch(void);

extern "C" NOINLINE void plain(void)
{
	touch();
	touch();
}

namespace ns
{
struct Class {
	int value;
	NOINLINE Class(int v)
		: value(v)
	{
		touch();
	}
	NOINLINE int method(int x) const
	{
		touch();
		return x + value;
	}
	NOINLINE int method(const char *s) const
	{
		touch();
		return *s;
	}
};

NOINLINE bool operator<(const Class &a, const Class &b)
{
	touch();
	return a.value < b.value;
}

template <class T> NOINLINE int twice(T x)
{
	touch();
	return x.value * 2;
}
} // namespace ns

// Each of these has one thing that a small function has not.
static NOINLINE int small_one(int x)
{
	return x * 3 + 1;
}

static NOINLINE int loop_one(const char *s)
{
	const char *end = s;

	while (*end)
		end++;
	return end - s;
}

static NOINLINE int tail_one(int (*f)(int))
{
	return f(1);
}

static NOINLINE int large_one(int x)
{
	x = (x ^ 3) * 5 + (x >> 3);
	x = (x ^ 7) * 9 + (x >> 5);
	x = (x ^ 1) * 17 + (x >> 7);
	return x ^ x >> 4;
}

int main(int argc, char **argv)
{
	ns::Class a(argc), b(2);

	plain();
	from_header();
	return a.method(3) + a.method(argv[0]) + (a < b) + ns::twice(a) + small_one(argc) + loop_one(argv[0]) +
	       tail_one(small_one) + large_one(argc);
}
