// SPDX-License-Identifier: GPL-3.0-or-later
// A line for each point is put together by a stream: `all` of them; or one of 1,000.
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string>

static unsigned long sum;

__attribute__((noinline)) static std::string describe(int i)
{
	std::ostringstream text;

	text << "point " << i << " of " << i / 3.0;
	return text.str();
}

__attribute__((noinline)) static void work(int i)
{
	for (int j = 0; j < 100; j++)
		sum = sum * 6364136223846793005ul + (unsigned long)(i ^ j);
}

int main(int argc, char **argv)
{
	int step = argc > 1 && !strcmp(argv[1], "all") ? 1 : 1000;

	for (int i = 0; i < 60000; i++) {
		if (i % step == 0)
			sum += describe(i).size();
		work(i);
	}
	printf("%lu\n", sum);
	return 0;
}
