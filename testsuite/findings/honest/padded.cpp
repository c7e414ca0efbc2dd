// SPDX-License-Identifier: GPL-3.0-or-later
// Threads count primes in ranges of their own, each in an atomic counter that shares memory with no other.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

struct alignas(128) Counter {
	std::atomic<unsigned long> found{0}, tried{0};
};

[[gnu::noinline]] static void count(unsigned begin, unsigned end, Counter &counter)
{
	for (unsigned n = begin | 1; n < end; n += 2) {
		bool prime = true;
		for (unsigned d = 3; d * d <= n && prime; d += 2)
			prime = n % d != 0;
		counter.tried.fetch_add(1, std::memory_order_relaxed);
		if (prime)
			counter.found.fetch_add(1, std::memory_order_relaxed);
	}
}

int main()
{
	static Counter counters[2];
	std::vector<std::thread> threads;
	for (unsigned i = 0; i < 2; i++)
		threads.emplace_back([i] {
			for (unsigned from = i * 20000; from < 8000000; from += 40000)
				count(from, from + 20000, counters[i]);
		});
	for (auto &thread : threads)
		thread.join();
	std::printf("%lu of %lu\n", counters[0].found + counters[1].found, counters[0].tried + counters[1].tried);
	return 0;
}
