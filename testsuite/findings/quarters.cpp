// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0405 year|main; wall
// Adds up the quarters of years from a slow archive, by std::async. Planted: the result of each task
// is waited for before the next one begins, so that they run one after another.
#include <chrono>
#include <cstdio>
#include <future>
#include <thread>
#include <vector>

static unsigned read_archive(unsigned quarter)
{
	std::this_thread::sleep_for(std::chrono::milliseconds(5)); // the archive's robot
	return quarter * 2654435761u;
}

static unsigned quarter(unsigned number)
{
	unsigned sum = read_archive(number);
	for (int i = 0; i < 100000; i++)
		sum = sum * 31 + (sum >> 7);
	return sum;
}

static unsigned year(unsigned number)
{
	unsigned sum = 0;
#ifdef REPAIRED
	std::vector<std::future<unsigned>> parts;
	for (unsigned i = 0; i < 4; i++)
		parts.push_back(std::async(std::launch::async, quarter, number * 4 + i));
	for (auto &part : parts)
		sum += part.get();
#else
	for (unsigned i = 0; i < 4; i++)
		sum += std::async(std::launch::async, quarter, number * 4 + i).get();
#endif
	return sum;
}

int main()
{
	unsigned sum = 0;
	for (unsigned i = 0; i < 40; i++)
		sum ^= year(i);
	std::printf("%u\n", sum);
	return 0;
}
