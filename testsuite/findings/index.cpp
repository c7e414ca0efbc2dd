// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0215 find|_M_find_before_node|hit|main; processor
// Counts how often points of a grid are hit. Planted: a hash function that gives few values, so that a
// bucket holds hundreds of points.
#include <cstdio>
#include <unordered_map>
#include <vector>

struct Point {
	int x, y;
	bool operator==(const Point &other) const { return x == other.x && y == other.y; }
};

struct Hash {
	std::size_t operator()(const Point &p) const
	{
#ifdef REPAIRED
		return std::size_t(p.x) * 73856093u ^ std::size_t(p.y) * 19349663u;
#else
		return std::size_t(p.x ^ p.y) & 31;
#endif
	}
};

class Grid {
public:
	void hit(Point p) { hits[p]++; }
	std::size_t different() const { return hits.size(); }
	int most() const
	{
		int most = 0;
		for (auto &[point, n] : hits)
			most = n > most ? n : most;
		return most;
	}

private:
	std::unordered_map<Point, int, Hash> hits;
};

static std::vector<Point> shots(int n)
{
	std::vector<Point> shots;
	unsigned seed = 3;
	for (int i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		shots.push_back({int(seed >> 26), int(seed >> 20 & 63)});
	}
	return shots;
}

int main()
{
	Grid grid;
	for (int round = 0; round < 30; round++)
		for (const Point &p : shots(100'000))
			grid.hit(p);
	std::printf("%zu points, most %d\n", grid.different(), grid.most());
	return 0;
}
