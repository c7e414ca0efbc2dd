// SPDX-License-Identifier: GPL-3.0-or-later
// thread_work.cc - four threads that fill and read tables of strings, each its own: argument times.
#include <thread>
#include <vector>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
static long table_work(long n)
{
	std::map<long, std::string> table;
	long sum = 0;

	for (long i = 0; i < n; i++)
		table[i * 7919 % 1009] += static_cast<char>('a' + i % 26);
	for (const auto &[key, text] : table)
		sum += key * static_cast<long>(text.size()) + text[0];
	return sum;
}
int main(int argc, char **argv)
{
	long n = argc > 1 ? std::atol(argv[1]) : 1000, sums[4] = {};
	std::vector<std::thread> threads;

	for (int i = 0; i < 4; i++)
		threads.emplace_back([&sums, n, i] { sums[i] = table_work(n * (i + 1)); });
	for (std::thread &thread : threads)
		thread.join();
	std::printf("%ld\n", sums[0] + sums[1] + sums[2] + sums[3]);
	return 0;
}
