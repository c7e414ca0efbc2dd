// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0206 number_of; processor
// Adds up cells of a table. Planted: cells that are no number are found by the exception of std::stoi.
#include <charconv>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

static int number_of(const std::string &cell)
{
#ifdef REPAIRED
	int value = 0;
	std::from_chars(cell.data(), cell.data() + cell.size(), value);
	return value;
#else
	try {
		return std::stoi(cell);
	} catch (const std::invalid_argument &) {
		return 0;
	}
#endif
}

int main()
{
	std::vector<std::string> cells;
	long sum = 0;
	for (int i = 0; i < 1000; i++)
		cells.push_back(i % 3 ? std::to_string(i) : "n/a");
	for (int i = 0; i < 600; i++)
		for (auto &cell : cells)
			sum += number_of(cell);
	std::printf("%ld\n", sum);
	return 0;
}
