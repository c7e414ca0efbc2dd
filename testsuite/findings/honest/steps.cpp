// SPDX-License-Identifier: GPL-3.0-or-later
// true: CF0214 that is where it is, and that they meet is not said
// Threads simulate random walks, each with a step counter of its own that others may read meanwhile.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

class Walker {
public:
	void walk(unsigned long steps)
	{
		for (unsigned long i = 0; i < steps; i++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			place += (state >> 62) & 1 ? 1 : -1;
			done.fetch_add(1, std::memory_order_relaxed);
		}
	}
	explicit Walker(std::uint64_t seed) : state(seed) {}
	std::atomic<unsigned long> done{0};
	long place = 0;

private:
	std::uint64_t state;
	char apart[128];
};

int main()
{
	std::vector<std::thread> threads;
	for (unsigned i = 0; i < 2; i++)
		threads.emplace_back([i] {
			Walker walker(i + 1);
			for (int round = 0; round < 600; round++)
				walker.walk(400000);
			std::printf("%lu steps to %ld\n", walker.done.load(), walker.place);
		});
	for (auto &thread : threads)
		thread.join();
	return 0;
}
