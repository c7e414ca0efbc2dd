// Counts points of a grid. argv[1]: chains: by a hash of few values; spread: by one of many.
#include <cstdio>
#include <cstring>
#include <unordered_map>

static bool is_spread;

struct point {
	int x, y;
	bool operator==(const point &other) const
	{
		return x == other.x && y == other.y;
	}
};

struct hash {
	std::size_t operator()(const point &p) const
	{
		return is_spread ? std::size_t(p.x) * 73856093u ^ std::size_t(p.y) * 19349663u : std::size_t(p.x ^ p.y) & 31;
	}
};

__attribute__((noinline)) static void count(std::unordered_map<point, int, hash> &hits, int n)
{
	unsigned seed = 3;

	for (int i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		hits[{ int(seed >> 26), int(seed >> 20 & 63) }]++;
	}
}

int main(int, char **argv)
{
	std::unordered_map<point, int, hash> hits;

	is_spread = !strcmp(argv[1], "spread");
	count(hits, is_spread ? 10000000 : 500000);
	printf("%zu\n", hits.size());
}
