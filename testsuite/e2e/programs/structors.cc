// SPDX-License-Identifier: GPL-3.0-or-later
// A class whose constructor and destructor each have two names (C1 and C2, D1 and D2): calls by
// one, a function of the other. The destructor leaves by a jump, which no stack shows.
#include <cstdio>
#include <cstdlib>

volatile unsigned sink;

static void work(int n)
{
	for (int i = 0; i < n; i++)
		sink = sink + (unsigned)i;
}

struct Document {
	explicit Document(int n);
	~Document();
	int n;
};

Document::Document(int length) : n(length)
{
	work(n);
	work(n / 2);
}

Document::~Document()
{
	work(n / 2);
	srand((unsigned)n);
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 0;

	for (long i = 0; i < rounds; i++)
		Document document(40);
	printf("%u\n", sink);
	return 0;
}
