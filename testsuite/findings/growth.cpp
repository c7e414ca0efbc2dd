// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0231|CF0217|CF0212|CF0204|CF0210 add|main; processor
// Keeps the positions of a ship. Planted: room is reserved for one more before each, so that all are
// moved to a new place for each of them.
#include <cstdio>
#include <vector>

struct Position {
	double latitude, longitude;
	long time;
};

class Track {
public:
	void add(const Position &position)
	{
#ifndef REPAIRED
		positions.reserve(positions.size() + 1);
#endif
		positions.push_back(position);
	}
	double length() const
	{
		double sum = 0;
		for (std::size_t i = 1; i < positions.size(); i++)
			sum += positions[i].latitude - positions[i - 1].longitude;
		return sum;
	}

private:
	std::vector<Position> positions;
};

int main()
{
	double sum = 0;
	for (int ship = 0; ship < 12; ship++) {
		Track track;
		for (int i = 0; i < 6000; i++)
			track.add({i * 0.001, ship + i * 0.0005, i});
		sum += track.length();
	}
	std::printf("%f\n", sum);
	return 0;
}
