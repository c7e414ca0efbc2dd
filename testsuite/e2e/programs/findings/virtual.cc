// SPDX-License-Identifier: GPL-3.0-or-later
// A loop calls a small virtual function of objects: `one`: all are of one class; `two`: of two.
#include <cstdio>
#include <cstring>

struct shape {
	virtual unsigned area(unsigned scale) const = 0;
	virtual ~shape()
	{
	}
};

struct square : shape {
	unsigned side;

	explicit square(unsigned n) : side(n)
	{
	}
	unsigned area(unsigned scale) const override;
};

struct circle : shape {
	unsigned radius;

	explicit circle(unsigned n) : radius(n)
	{
	}
	unsigned area(unsigned scale) const override;
};

unsigned square::area(unsigned scale) const
{
	unsigned n = side * scale;

	if (n & 64)
		n ^= side >> 3;
	else
		n += side << 2;
	n = (n ^ (n >> 7)) * 31;
	return n * side + scale;
}

unsigned circle::area(unsigned scale) const
{
	unsigned n = radius * scale;

	if (n & 32)
		n ^= radius >> 2;
	else
		n += radius << 1;
	n = (n ^ (n >> 5)) * 17;
	return n * radius * 3 + scale;
}

__attribute__((noinline)) static unsigned sum_areas(shape *const *shapes, unsigned n, unsigned scale)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += shapes[i]->area(scale + sum);
	return sum;
}

int main(int argc, char **argv)
{
	static shape *shapes[1000];
	bool is_two = argc > 1 && !strcmp(argv[1], "two");
	unsigned sum = 0;

	for (unsigned i = 0; i < 1000; i++)
		if (is_two && i % 2)
			shapes[i] = new circle(i);
		else
			shapes[i] = new square(i);
	for (unsigned round = 0; round < 2000; round++)
		sum += sum_areas(shapes, 1000, round);
	printf("%u\n", sum);
	return 0;
}
