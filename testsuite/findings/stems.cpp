// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0211|CF0103|CF0101 stem|dictionary; wall
// Threads look up words. Planted: the table, which is made once and never changed, is asked for under a
// lock, since the first one to ask makes it.
#include <array>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

using Table = std::array<unsigned, 4096>;

static Table make()
{
	Table table{};
	for (unsigned i = 0; i < table.size(); i++)
		table[i] = i * 2654435761u >> 7;
	return table;
}

static const Table &dictionary()
{
#ifdef REPAIRED
	static const Table table = make();
	return table;
#else
	static std::mutex lock;
	static Table *table;
	std::lock_guard<std::mutex> guard(lock);
	if (!table)
		table = new Table(make());
	return *table;
#endif
}

[[gnu::noinline]] static unsigned stem(unsigned word)
{
	return dictionary()[word & 4095] ^ word;
}

static void read(unsigned seed, unsigned long &sum)
{
	for (int i = 0; i < 12000000; i++) {
		seed = seed * 1664525u + 1013904223u;
		sum += stem(seed >> 8);
	}
}

int main()
{
	std::vector<std::thread> threads;
	unsigned long sums[3][16] = {};
	for (unsigned i = 0; i < 3; i++)
		threads.emplace_back(read, i + 1, std::ref(sums[i][0]));
	for (auto &thread : threads)
		thread.join();
	std::printf("%lu\n", sums[0][0] + sums[1][0] + sums[2][0]);
	return 0;
}
