// SPDX-License-Identifier: GPL-3.0-or-later
// Multiplies matrices, in an order that goes along rows.
#include <cstdio>
#include <vector>

class Matrix {
public:
	explicit Matrix(std::size_t n) : n(n), values(n * n) {}
	double *operator[](std::size_t row) { return &values[row * n]; }
	const double *operator[](std::size_t row) const { return &values[row * n]; }
	std::size_t size() const { return n; }

private:
	std::size_t n;
	std::vector<double> values;
};

static Matrix product(const Matrix &a, const Matrix &b)
{
	Matrix c(a.size());
	for (std::size_t i = 0; i < a.size(); i++)
		for (std::size_t k = 0; k < a.size(); k++)
			for (std::size_t j = 0; j < a.size(); j++)
				c[i][j] += a[i][k] * b[k][j];
	return c;
}

int main()
{
	Matrix a(700), b(700);
	for (std::size_t i = 0; i < 700; i++)
		for (std::size_t j = 0; j < 700; j++) {
			a[i][j] = double((i * j) % 13) / 7;
			b[i][j] = double((i + j) % 11) / 5;
		}
	for (int round = 0; round < 5; round++)
		a = product(a, b);
	std::printf("%g\n", a[3][4]);
	return 0;
}
