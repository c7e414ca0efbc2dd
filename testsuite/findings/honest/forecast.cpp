// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks of std::async compute parts of a forecast of unlike length.
#include <cmath>
#include <cstdio>
#include <future>
#include <vector>

static double part(unsigned long steps, double x)
{
	for (unsigned long i = 0; i < steps; i++)
		x = 3.7 * x * (1 - x) + 1e-9 * std::sin(double(i));
	return x;
}

int main()
{
	std::vector<std::future<double>> parts;
	double sum = 0;
	for (unsigned i = 0; i < 8; i++)
		parts.push_back(std::async(std::launch::async, part, 9000000ul + 1200000ul * i, 0.3 + 0.01 * i));
	for (auto &one : parts)
		sum += one.get();
	std::printf("%.6f\n", sum);
	return 0;
}
