/* Exceptions: through frames with probes and without, caught, rethrown, in constructors and
 * destructors. */
#include "e2e.h"
#include "exceptions_plain.h"
#include <stdexcept>

KEEP static int leaf(int x)
{
	return x + 1;
}

struct Guard {
	int x;
	KEEP explicit Guard(int n) : x(n)
	{
	}
	KEEP ~Guard()
	{
		sink = leaf(x);
	}
};

KEEP static int thrower(int depth)
{
	Guard guard(depth);

	if (!depth)
		throw std::runtime_error("bottom");
	return thrower(depth - 1) + leaf(depth);
}

/* Caught by each caller in turn. */
KEEP static int rethrower(int n)
{
	try {
		return n ? rethrower(n - 1) : thrower(1);
	} catch (...) {
		leaf(n);
		throw;
	}
}

struct Member {
	KEEP explicit Member(int n)
	{
		if (n > 1)
			throw n;
	}
	KEEP ~Member()
	{
	}
};

struct Whole {
	Member first, second;
	KEEP explicit Whole(int n) try : first(0), second(n) {
	} catch (int) {
		leaf(n);
	}
	KEEP ~Whole()
	{
	}
};

/* A destructor that throws and catches while another exception is on its way. */
struct Restless {
	KEEP ~Restless()
	{
		try {
			throw 3L;
		} catch (long) {
			leaf(3);
		}
	}
};

KEEP static void restless()
{
	Restless guard;

	throw 4;
}

/* Called by a function without probes, and by qsort. */
KEEP static int callback(int x)
{
	Guard guard(x);

	if (x == 2)
		throw x;
	return leaf(x);
}

KEEP static int compare(const void *, const void *)
{
	throw 5.0;
}

KEEP static int sorting()
{
	int v[2] = { 2, 1 };

	try {
		qsort(v, 2, sizeof(v[0]), compare);
	} catch (double) {
		return leaf(1);
	}
	return 0;
}

int main()
{
	int caught = 0;

	try {
		rethrower(2);
	} catch (const std::exception &) {
		caught++;
	}
	for (int i = 1; i < 4; i++)
		try {
			Whole whole(i);
		} catch (int n) {
			caught += n * 10;
		}
	try {
		restless();
	} catch (int n) {
		caught += n * 100;
	}
	for (int i = 0; i < 4; i++)
		try {
			caught += through(callback, i) * 1000;
		} catch (int) {
			leaf(i);
		}
	caught += sorting() * 100000;
	printf("%d\n", caught);
	return 0;
}
