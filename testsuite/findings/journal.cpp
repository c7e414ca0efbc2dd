// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0302|CF0303 book|write; wall
// true: CF0205 to write that text is what it is for
// Books payments into a journal. Planted: each line is ended with std::endl, which writes it at once.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

struct Payment {
	unsigned from, to, cents;
};

class Journal {
public:
	explicit Journal(const std::string &name) : out(name) {}
	void write(const Payment &p)
	{
		out << p.from << " -> " << p.to << ": " << p.cents;
#ifdef REPAIRED
		out << '\n';
#else
		out << std::endl;
#endif
	}

private:
	std::ofstream out;
};

class Bank {
public:
	explicit Bank(Journal &journal) : journal(journal) {}
	void book(const Payment &p)
	{
		balances[p.from] -= p.cents;
		balances[p.to] += p.cents;
		journal.write(p);
	}
	long most() const
	{
		long most = 0;
		for (auto &[account, cents] : balances)
			most = cents > most ? cents : most;
		return most;
	}

private:
	Journal &journal;
	std::map<unsigned, long> balances;
};

int main()
{
	const std::string name = "/tmp/journal." + std::to_string(std::rand());
	Journal journal(name);
	Bank bank(journal);
	unsigned seed = 5;
	for (int i = 0; i < 700'000; i++) {
		seed = seed * 1664525u + 1013904223u;
		bank.book({seed >> 27, seed >> 22 & 31, seed >> 16 & 1023});
	}
	std::printf("most %ld\n", bank.most());
	std::remove(name.c_str());
	return 0;
}
