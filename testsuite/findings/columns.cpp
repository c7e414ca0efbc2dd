// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0213 sums|main; processor
// Sums of a table's columns. Planted: the inner loop goes down a column of a vector of vectors, so that
// each access is in another vector.
#include <cstdio>
#include <vector>

using Table = std::vector<std::vector<float>>;

static std::vector<double> sums(const Table &table)
{
	std::vector<double> sum(table[0].size());
#ifdef REPAIRED
	for (std::size_t row = 0; row < table.size(); row++)
		for (std::size_t column = 0; column < sum.size(); column++)
			sum[column] += table[row][column];
#else
	for (std::size_t column = 0; column < sum.size(); column++)
		for (std::size_t row = 0; row < table.size(); row++)
			sum[column] += table[row][column];
#endif
	return sum;
}

int main()
{
	Table table(3000, std::vector<float>(3000));
	double all = 0;
	for (std::size_t row = 0; row < table.size(); row++)
		for (std::size_t column = 0; column < table.size(); column++)
			table[row][column] = float((row * 31 + column * 17) % 101);
	for (int round = 0; round < 10; round++)
		for (double one : sums(table))
			all += one;
	std::printf("%.1f\n", all);
	return 0;
}
