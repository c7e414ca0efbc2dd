/* A table is made before main, which is half of the run; with "fine" main works far longer. */
#include <cstdio>
#include <cstring>
#include <vector>

__attribute__((noinline)) static unsigned step(unsigned x)
{
	for (int i = 0; i < 100000; i++)
		x = x * 1664525 + 1013904223;
	return x;
}

struct table {
	std::vector<unsigned> numbers;

	__attribute__((noinline)) table()
	{
		for (unsigned i = 0; i < 400; i++)
			numbers.push_back(step(i));
	}
};

static table all_numbers;

int main(int argc, char **argv)
{
	bool is_fine = argc > 1 && !strcmp(argv[1], "fine");
	unsigned sum = all_numbers.numbers[7];

	for (unsigned i = 0; i < (is_fine ? 6000u : 200u); i++)
		sum += step(sum);
	std::printf("%u\n", sum);
	return 0;
}
