// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0214 cost|next_of|run|at; wall
// Threads look for ways through a road map. Planted: nodes are passed as shared_ptr by value, so that all
// threads count references to the same nodes.
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

struct Node {
	unsigned id = 0;
	float toll = 0;
	std::vector<std::shared_ptr<Node>> roads;
};

#ifdef REPAIRED
using Handle = const std::shared_ptr<Node> &;
#else
using Handle = std::shared_ptr<Node>;
#endif

class Map {
public:
	explicit Map(unsigned size)
	{
		for (unsigned i = 0; i < size; i++) {
			nodes.push_back(std::make_shared<Node>());
			nodes[i]->id = i;
			nodes[i]->toll = float(i % 7);
		}
		for (unsigned i = 0; i < size; i++)
			for (unsigned k = 1; k <= 4; k++)
				nodes[i]->roads.push_back(nodes[(i * k + k) % size]);
	}
	Handle at(unsigned i) const { return nodes[i % nodes.size()]; }

private:
	std::vector<std::shared_ptr<Node>> nodes;
};

static float cost(Handle from, Handle to)
{
	return from->toll + 0.5f * to->toll;
}

class Driver {
public:
	Driver(const Map &map, unsigned seed) : map(map), seed(seed) {}
	void run(int steps)
	{
		for (int i = 0; i < steps; i++) {
			seed = seed * 1664525u + 1013904223u;
			Handle node = map.at(seed >> 28);
			Handle next = node->roads[seed >> 26 & 3];
			total += cost(node, next);
		}
	}
	double sum() const { return total; }

private:
	const Map &map;
	unsigned seed;
	double total = 0;
};

int main()
{
	Map map(16);
	std::vector<Driver> drivers{{map, 1}, {map, 2}};
	std::vector<std::thread> threads;
	for (auto &driver : drivers)
		threads.emplace_back([&driver] { driver.run(10'000'000); });
	for (auto &thread : threads)
		thread.join();
	for (auto &driver : drivers)
		std::printf("%.1f\n", driver.sum());
	return 0;
}
