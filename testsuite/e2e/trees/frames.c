/* Frames of odd shapes: alloca, arrays of variable length, varargs, big structs, floating point,
 * nested functions. */
#include "e2e.h"
#include <alloca.h>
#include <stdarg.h>
#include <string.h>

struct big {
	double values[20];
};

KEEP static struct big make_big(double x, int n)
{
	struct big b = { { 0 } };

	b.values[n] = x;
	return b;
}

KEEP static int with_alloca(int n)
{
	char *p = alloca((size_t)n);

	memset(p, n, (size_t)n);
	return p[n - 1];
}

KEEP static int with_vla(int n)
{
	int v[n];

	v[n / 2] = n;
	sink = v[n / 2];
	return sink;
}

KEEP static double sum(int n, ...)
{
	va_list args;
	double total = 0;

	va_start(args, n);
	for (int i = 0; i < n; i++)
		total += va_arg(args, double);
	va_end(args);
	return total;
}

KEEP static long many(long a, long b, long c, long d, long e, long f, long g, long h)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

KEEP static __int128 wide(__int128 x)
{
	return x * x;
}

KEEP static long double extended(long double x)
{
	return x / 3;
}

KEEP static _Complex double turn(_Complex double z)
{
	return ~z;
}

KEEP static int call_back(int (*f)(int), int x)
{
	return f(x) + 1;
}

int main(void)
{
	int base = 10;
	int nested(int x) { return base + x + sink * 0; }
	_Complex double z = turn(1.0 + 2.0i);

	printf("%d %d\n", with_alloca(100), with_vla(50));
	printf("%.2f %.2f\n", sum(3, 1.0, 2.5, 3.0), make_big(1.5, 7).values[7]);
	printf("%ld %ld\n", many(1, 2, 3, 4, 5, 6, 7, 8), (long)(wide((__int128)1 << 40) >> 64));
	printf("%.4Lf %.1f %.1f\n", extended(1.0L), __real__ z, __imag__ z);
	printf("%d\n", call_back(nested, 4));
	return 0;
}
