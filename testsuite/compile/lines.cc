/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Line sleds in C++ (lines.sh): destructors, handlers, lambdas, templates. Numbers of lines as in
 * lines.c. */
#include <cstdio>

#define NOINLINE __attribute__((noinline, noclone))

volatile int touched;
static NOINLINE void touch(int n)
{
	touched = touched + n;
	if (n > 100)
		throw n;
}

#line 100
struct guard {
	int n;
	~guard()
	{
		touched = touched + n;
	}
};
#line 200
NOINLINE int destroys(int n)
{
	guard g{ n };
	touch(n);
	return touched;
}
#line 300
NOINLINE int catches(int n)
{
	try {
		touch(n);
		touched = 3;
	} catch (int m) {
		touched = m;
	}
	return touched;
}
#line 400
template <typename T>
static inline __attribute__((always_inline)) T twice(T x)
{
	touched = touched + 1;
	return x + x;
}
#line 500
NOINLINE long instances(int x)
{
	long y = twice<long>(x);
	auto add = [&](int z) __attribute__((always_inline)) {
		touched = touched + z;
	};
	add(x);
	return y + twice<int>(x);
}

int main()
{
	int sum = destroys(2) + catches(5) + catches(500);

	try {
		destroys(200);
	} catch (int n) {
		sum += n;
	}
	std::printf("%ld %d\n", sum + instances(7), touched);
	return 0;
}
