/* SPDX-License-Identifier: GPL-3.0-or-later */
/* C++ streams: 100 lines that are flushed each, and 1,000 short texts into a buffer that has room
 * for them. */
#include <fstream>

static char room[1 << 20];

__attribute__((noipa)) static void flushed(std::ofstream &out)
{
	for (int i = 0; i < 100; i++)
		out << std::endl;
}

__attribute__((noipa)) static void buffered(std::ofstream &out)
{
	for (int i = 0; i < 1000; i++)
		out << "fifteen letters";
}

int main()
{
	std::ofstream out;

	out.rdbuf()->pubsetbuf(room, sizeof(room));
	out.open("/dev/null");
	flushed(out);
	buffered(out);
	return 0;
}
