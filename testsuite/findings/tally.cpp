// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0214 count; wall
// true: CF0214 half of the time goes with the locked instructions, though nobody meets there
// Threads count the words of their share of a text by their first letter.
// Planted: false sharing, the threads' counters lie side by side, and are written in turns.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#ifdef REPAIRED
#define APART alignas(128)
#else
#define APART
#endif

struct APART Tally {
	std::atomic<unsigned long> words{0};
	std::atomic<unsigned long> letters{0};
};

class Text {
public:
	explicit Text(std::size_t size)
	{
		unsigned seed = 7;
		for (std::size_t i = 0; i < size; i++) {
			seed = seed * 1664525u + 1013904223u;
			text.push_back(seed >> 29 ? char('a' + (seed >> 16) % 26) : ' ');
		}
	}
	std::string_view part(unsigned i, unsigned n) const
	{
		return std::string_view(text).substr(text.size() / n * i, text.size() / n);
	}

private:
	std::string text;
};

[[gnu::noinline]] static void count(std::string_view text, Tally &tally)
{
	bool inside = false;
	for (char c : text) {
		if (c == ' ') {
			inside = false;
			continue;
		}
		if (!inside)
			tally.words.fetch_add(1, std::memory_order_relaxed);
		inside = true;
		tally.letters.fetch_add(1, std::memory_order_relaxed);
	}
}

static const unsigned n = 2;
alignas(128) static Tally tallies[n];

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? std::atoi(argv[1]) : 60;
	Text text(6'000'000);
	std::vector<std::thread> threads;
	for (unsigned i = 0; i < n; i++)
		threads.emplace_back([&, i] {
			for (int round = 0; round < rounds; round++)
				count(text.part(i, n), tallies[i]);
		});
	for (auto &thread : threads)
		thread.join();
	for (auto &tally : tallies)
		std::printf("%lu words, %lu letters\n", tally.words.load(), tally.letters.load());
	return 0;
}
