// A window of the latest values. argv[1]: erased: the oldest one is erased from a vector; copied:
// each step copies the whole vector; ring: one is written over another.
#include <cstdio>
#include <cstring>
#include <vector>

static volatile long sink;

__attribute__((noinline)) static void slide_erased(std::vector<long> &window, int steps)
{
	for (int i = 0; i < steps; i++) {
		window.push_back(i);
		window.erase(window.begin());
	}
	sink = window[0];
}

__attribute__((noinline)) static void slide_copied(std::vector<long> &window, int steps)
{
	std::vector<long> next(window.size());

	for (int i = 0; i < steps; i++) {
		next = window;
		next[0] = i;
		window = next;
	}
	sink = window[0];
}

__attribute__((noinline)) static void slide_ring(std::vector<long> &window, int steps)
{
	for (int i = 0; i < 200 * steps; i++)
		window[(unsigned long)i % window.size()] = i;
	sink = window[0];
}

int main(int, char **argv)
{
	std::vector<long> window(20000, 1);

	if (!strcmp(argv[1], "erased"))
		slide_erased(window, 20000);
	else if (!strcmp(argv[1], "copied"))
		slide_copied(window, 10000);
	else
		slide_ring(window, 20000);
	printf("%ld\n", (long)sink);
}
