// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0404 run; wall
// Blurs rows of pictures. Planted: a thread is made for each row of each picture.
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

using Row = std::vector<unsigned>;

static void blur(Row &row)
{
	for (std::size_t i = 1; i + 1 < row.size(); i++)
		row[i] = (row[i - 1] + 2 * row[i] + row[i + 1]) / 4;
}

static void run(std::vector<Row> &picture)
{
#ifdef REPAIRED
	for (auto &row : picture)
		blur(row);
#else
	std::vector<std::thread> threads;
	for (auto &row : picture)
		threads.emplace_back(blur, std::ref(row));
	for (auto &thread : threads)
		thread.join();
#endif
}

int main()
{
	std::vector<Row> picture(40, Row(2000, 7));
	for (int i = 0; i < 250; i++) {
		picture[i % 40][i] = 5000;
		run(picture);
	}
	std::printf("%u\n", picture[3][40]);
	return 0;
}
