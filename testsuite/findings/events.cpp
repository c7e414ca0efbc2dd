// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0201 pop|next|run; processor
// Simulates a queue at a counter. Planted: the next event is erased at the front of a long vector.
#include <cstdint>
#include <cstdio>
#include <deque>
#include <vector>

struct Event {
	uint32_t time;
	uint16_t customer, kind;
};

#ifdef REPAIRED
using Events = std::deque<Event>;
#else
using Events = std::vector<Event>;
#endif

class Agenda {
public:
	void add(Event e) { events.push_back(e); }
	bool is_empty() const { return events.empty(); }
	Event pop()
	{
		Event e = events.front();
		events.erase(events.begin());
		return e;
	}

private:
	Events events;
};

class Counter {
public:
	explicit Counter(unsigned customers)
	{
		for (unsigned i = 0; i < customers; i++)
			agenda.add({i * 3, uint16_t(i), 0});
	}
	void run()
	{
		while (!agenda.is_empty())
			serve(agenda.pop());
	}
	uint64_t waited() const { return sum; }

private:
	void serve(const Event &e)
	{
		now = now > e.time ? now : e.time;
		sum += now - e.time;
		if (e.kind < 2)
			agenda.add({now + e.customer % 13, e.customer, uint16_t(e.kind + 1)});
		now += e.customer % 5;
	}
	Agenda agenda;
	uint32_t now = 0;
	uint64_t sum = 0;
};

int main()
{
	Counter counter(50'000);
	counter.run();
	std::printf("waited %lu\n", (unsigned long)counter.waited());
	return 0;
}
