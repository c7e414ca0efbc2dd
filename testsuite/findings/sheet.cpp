// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0203 value|compute; processor
// Computes a sheet of cells with formulas. Planted: a cell is computed anew each time it is referred to,
// so that the cells above are computed thousands of times.
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

struct Cell {
	enum Kind { NUMBER, SUM, MEAN, GROWTH } kind = NUMBER;
	double number = 0;
	std::vector<int> refers;
	mutable bool is_known = false;
	mutable double known = 0;
};

class Sheet {
public:
	void number(double value)
	{
		Cell cell;
		cell.number = value;
		cells_.push_back(cell);
	}
	void formula(Cell::Kind kind, std::vector<int> refers)
	{
		Cell cell;
		cell.kind = kind;
		cell.refers = std::move(refers);
		cells_.push_back(cell);
	}
	double value(int at) const;
	int size() const { return static_cast<int>(cells_.size()); }

private:
	double compute(const Cell &cell) const;
	std::vector<Cell> cells_;
};

double Sheet::compute(const Cell &cell) const
{
	double sum = 0;
	switch (cell.kind) {
	case Cell::NUMBER:
		return cell.number;
	case Cell::SUM:
		for (int refer : cell.refers)
			sum += value(refer);
		return sum;
	case Cell::MEAN:
		for (int refer : cell.refers)
			sum += value(refer);
		return sum / cell.refers.size();
	case Cell::GROWTH:
		return value(cell.refers[0]) * std::exp(0.001 * value(cell.refers[1]));
	}
	return 0;
}

double Sheet::value(int at) const
{
	const Cell &cell = cells_[at];
#ifdef REPAIRED
	if (!cell.is_known) {
		cell.known = compute(cell);
		cell.is_known = true;
	}
	return cell.known;
#else
	return compute(cell);
#endif
}

static Sheet budget(int rows)
{
	Sheet sheet;
	for (int i = 0; i < 40; i++)
		sheet.number(1 + i * 0.01);
	for (int row = 0; row < rows; row++) {
		int base = sheet.size();
		sheet.formula(row % 3 == 0 ? Cell::MEAN : Cell::SUM, {base - 1, base - 2});
		if (row % 5 == 0)
			sheet.formula(Cell::GROWTH, {base - 3, 1});
	}
	return sheet;
}

static double audit(const std::vector<double> &values)
{
	double sum = 0;
	for (int round = 0; round < 200000; round++)
		for (double value : values)
			sum += std::sqrt(value * value + round);
	return sum;
}

int main()
{
	Sheet sheet = budget(42);
	std::vector<double> values;
	for (int i = 0; i < sheet.size(); i++)
		values.push_back(sheet.value(i));
	printf("%g %g\n", values.back(), audit(values));
}
