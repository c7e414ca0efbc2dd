// SPDX-License-Identifier: GPL-3.0-or-later
// Distances in a large graph, by breadth first, with its edges in one array.
#include <cstdint>
#include <cstdio>
#include <vector>

struct Graph {
	std::vector<std::uint32_t> first, edges;
};

static Graph make(std::uint32_t nodes, std::uint32_t degree)
{
	Graph graph;
	std::uint32_t seed = 5;
	graph.first.reserve(nodes + 1);
	graph.edges.reserve(std::size_t(nodes) * degree);
	for (std::uint32_t node = 0; node < nodes; node++) {
		graph.first.push_back(std::uint32_t(graph.edges.size()));
		for (std::uint32_t i = 0; i < degree; i++) {
			seed = seed * 1664525u + 1013904223u;
			graph.edges.push_back((node + (seed >> 12) % 5000) % nodes);
		}
	}
	graph.first.push_back(std::uint32_t(graph.edges.size()));
	return graph;
}

static std::uint64_t distances(const Graph &graph, std::uint32_t from)
{
	std::vector<std::uint32_t> distance(graph.first.size() - 1, UINT32_MAX), queue{from};
	std::uint64_t sum = 0;
	queue.reserve(distance.size());
	distance[from] = 0;
	for (std::size_t i = 0; i < queue.size(); i++) {
		std::uint32_t node = queue[i];
		sum += distance[node];
		for (std::uint32_t e = graph.first[node]; e < graph.first[node + 1]; e++)
			if (distance[graph.edges[e]] == UINT32_MAX) {
				distance[graph.edges[e]] = distance[node] + 1;
				queue.push_back(graph.edges[e]);
			}
	}
	return sum;
}

int main()
{
	Graph graph = make(600000, 8);
	std::uint64_t sum = 0;
	for (std::uint32_t i = 0; i < 12; i++)
		sum += distances(graph, i * 7919);
	std::printf("%lu\n", (unsigned long)sum);
	return 0;
}
