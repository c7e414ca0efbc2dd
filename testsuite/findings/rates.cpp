// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0211|CF0103 rate; wall
// Threads convert amounts by rates that seldom change. Planted: a std::shared_mutex is locked to read for
// each amount.
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

class Rates {
public:
	Rates()
	{
		for (int i = 0; i < 64; i++)
			rates.push_back(1.0 + i / 64.0);
	}
	double rate(unsigned currency) const
	{
		std::shared_lock guard(lock);
		return rates[currency % rates.size()];
	}
	std::vector<double> copy() const
	{
		std::shared_lock guard(lock);
		return rates;
	}

private:
	mutable std::shared_mutex lock;
	std::vector<double> rates;
};

static double convert(const Rates &rates, unsigned n, unsigned seed)
{
	double sum = 0;
#ifdef REPAIRED
	auto mine = rates.copy();
#endif
	for (unsigned i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
#ifdef REPAIRED
		sum += (seed >> 20) * mine[(seed >> 8) % mine.size()];
#else
		sum += (seed >> 20) * rates.rate(seed >> 8);
#endif
	}
	return sum;
}

int main()
{
	Rates rates;
	std::vector<std::thread> threads;
	double sums[3];
	for (unsigned i = 0; i < 3; i++)
		threads.emplace_back([&, i] { sums[i] = convert(rates, 2000000, i); });
	for (auto &thread : threads)
		thread.join();
	std::printf("%.0f\n", sums[0] + sums[1] + sums[2]);
	return 0;
}
