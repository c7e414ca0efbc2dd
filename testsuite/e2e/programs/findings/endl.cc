/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ends each line with std::endl; with "fine" by a newline. */
#include <cstring>
#include <fstream>

__attribute__((noinline)) static void put_row(std::ostream &out, int i, bool is_fine)
{
	if (is_fine)
		out << i << '\n';
	else
		out << i << std::endl;
}

int main(int argc, char **argv)
{
	bool is_fine = argc > 1 && !strcmp(argv[1], "fine");
	std::ofstream out("endl.out");

	for (int i = 0; i < 40000; i++)
		put_row(out, i, is_fine);
	return 0;
}
