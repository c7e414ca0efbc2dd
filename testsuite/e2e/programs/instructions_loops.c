/* SPDX-License-Identifier: MIT */
/*
 * Loops of one block whose iterations are known before the first one: up and down, by steps of
 * several sizes, of 32 and 64 bits, compared before and after the step, with all registers in use.
 * Loops that are left in the middle, or that call, stand beside them.
 */
#include <stdio.h>

#define APART __attribute__((noinline, noipa))

static double numbers[256];
static volatile unsigned long sum;

APART static double up(const double *from, const double *to)
{
	double s = 0;

	for (; from != to; from++)
		s += *from;
	return s;
}

APART static unsigned long down(unsigned int n)
{
	unsigned long s = 1;

	do
		s = s * 3 + (s >> 5);
	while (--n);
	return s;
}

APART static long bytes(const char *at, long n)
{
	long s = 0;

	for (long i = 0; i < n; i++)
		s ^= at[i] << (i & 3);
	return s;
}

APART static unsigned long by_eight(unsigned int n)
{
	unsigned long s = 7;

	for (unsigned int i = 0; i != n * 8; i += 8)
		s = (s ^ i) * 5;
	return s;
}

APART static unsigned long downward(long *at, long n)
{
	unsigned long s = 0;

	for (long i = n * 4; i != 0; i -= 4)
		s += (unsigned long)at[i & 31] ^ (unsigned long)i;
	return s;
}

APART static int constant(const int *at)
{
	int s = 0;

	for (int i = 0; i < 50; i++)
		s = s * 2 + at[i];
	return s;
}

/* No register is free. */
APART static long crowded(const long *at, long n, long a, long b, long c, long d)
{
	long e = a + 1, f = b + 2, g = c + 3, h = d + 4, i = 0;

	do {
		a += at[i & 15] ^ b;
		b += c;
		c ^= d;
		d += e;
		e ^= f;
		f += g;
		g ^= h;
		h += a;
	} while (++i != n);
	return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

APART static void scale(int n, double *c, const double *a, const double *b)
{
	for (int j = 0; j < n; j++)
		for (int l = 0; l < n; l++) {
			double factor = 0.5 * b[l + j * n];

			for (int i = 0; i < n; i++)
				c[i + j * n] += factor * a[i + l * n];
		}
}

APART static int left(const char *at, char what)
{
	int n = 0;

	for (int i = 0; i < 64; i++) {
		if (at[i] == what)
			break;
		n += i;
	}
	return n;
}

APART static int calls(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += left("some text of more than sixty-four characters, that is looked through",
			  (char)('a' + i));
	return s;
}

int main(void)
{
	long values[64];

	for (int i = 0; i < 256; i++)
		numbers[i] = i * 0.25;
	for (int i = 0; i < 64; i++)
		values[i] = i * 77777 % 1001;
	for (int n = 1; n < 40; n += 3) {
		sum += (unsigned long)up(numbers, numbers + n) + down((unsigned int)n) +
		       by_eight((unsigned int)n);
		sum += (unsigned long)bytes((const char *)values, n) + downward(values, n);
		sum += (unsigned long)constant((const int *)values);
		sum += (unsigned long)crowded(values, n, 1, 2, 3, n) + (unsigned long)calls(n % 26);
	}
	scale(8, numbers, numbers + 64, numbers + 128);
	for (int i = 0; i < 64; i++)
		sum += (unsigned long)numbers[i];
	printf("%lu\n", sum);
	return 0;
}
