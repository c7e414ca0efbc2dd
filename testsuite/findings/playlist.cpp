// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0215 song|harmony; processor
// Mixes a playlist. Planted: songs are asked for by their number out of a linked list, which walks there
// from its begin each time.
#include <cstdio>
#include <memory>
#include <string>

struct Song {
	std::string title;
	int seconds;
	int beats;
	Song *next = nullptr;
};

class Playlist {
public:
	~Playlist();
	void append(std::string title, int seconds, int beats);
	const Song *song(int number) const;
	const Song *first() const { return first_; }
	int length() const { return length_; }

private:
	Song *first_ = nullptr, *last_ = nullptr;
	int length_ = 0;
};

Playlist::~Playlist()
{
	for (Song *song = first_; song;) {
		Song *next = song->next;
		delete song;
		song = next;
	}
}

void Playlist::append(std::string title, int seconds, int beats)
{
	Song *song = new Song{std::move(title), seconds, beats};
	(last_ ? last_->next : first_) = song;
	last_ = song;
	length_++;
}

const Song *Playlist::song(int number) const
{
	const Song *song = first_;
	while (number-- > 0 && song)
		song = song->next;
	return song;
}

static double fit(const Song &one, const Song &other)
{
	double tempo = one.beats - other.beats;
	return 1 / (1 + tempo * tempo) + (one.title[0] == other.title[0]);
}

static double harmony(const Playlist &list)
{
	double sum = 0;
#ifdef REPAIRED
	for (const Song *song = list.first(); song && song->next; song = song->next)
		sum += fit(*song, *song->next) * song->seconds;
#else
	for (int i = 0; i + 1 < list.length(); i++)
		sum += fit(*list.song(i), *list.song(i + 1)) * list.song(i)->seconds;
#endif
	return sum;
}

int main()
{
	Playlist list;
	for (int i = 0; i < 9000; i++)
		list.append(std::string(1, 'a' + i * 7 % 26) + " song number " + std::to_string(i), 120 + i % 200, 60 + i * 31 % 120);
	double sum = 0;
	for (int round = 0; round < 3; round++)
		sum += harmony(list);
	printf("%g\n", sum);
}
