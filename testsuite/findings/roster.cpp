// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0215 is_enrolled|enroll; processor
// true: CF0212|CF0204|CF0210 nothing else is done than to keep names
// Enrols students. Planted: whether one is there already is looked up in a std::list from its begin.
#include <algorithm>
#include <cstdio>
#include <list>
#include <unordered_set>

struct Student {
	unsigned number;
	unsigned year;
	bool operator==(const Student &other) const { return number == other.number; }
};

class Roster {
public:
	bool is_enrolled(unsigned number) const
	{
#ifdef REPAIRED
		return numbers.count(number) > 0;
#else
		return std::find(students.begin(), students.end(), Student{number, 0}) != students.end();
#endif
	}
	void enroll(unsigned number)
	{
		if (is_enrolled(number))
			return;
		students.push_back({number, number % 5});
		numbers.insert(number);
	}
	std::size_t size() const { return students.size(); }

private:
	std::list<Student> students;
	std::unordered_set<unsigned> numbers;
};

int main()
{
	Roster roster;
	unsigned seed = 5;
	for (int i = 0; i < 30000; i++) {
		seed = seed * 1664525u + 1013904223u;
		roster.enroll(seed >> 18);
	}
	std::printf("%zu\n", roster.size());
	return 0;
}
