/* SPDX-License-Identifier: GPL-3.0-or-later */
/* diff_stats.c - see diff_stats.h. */
#include "diff_stats.h"

#include <math.h>

#define FRACTION_TERMS 500
#define BISECTIONS 200
#define PRECISION 1e-14

/* ---- Student's distribution ------------------------------------------------------------------ */

static double away_from_zero(double x)
{
	return fabs(x) < 1e-300 ? 1e-300 : x;
}

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), value = d;

	for (int m = 1; m <= FRACTION_TERMS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), step;

		d = 1 / away_from_zero(1 + even * d);
		c = away_from_zero(1 + even / c);
		value *= d * c;
		d = 1 / away_from_zero(1 + odd * d);
		c = away_from_zero(1 + odd / c);
		step = d * c;
		value *= step;
		if (fabs(step - 1) < PRECISION)
			break;
	}
	return value;
}

/* The regularized incomplete beta function I_x(a, b). */
static double beta_share(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x > 0;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* The share above t, for t >= 0. */
static double student_tail(double t, double freedom)
{
	return 0.5 * beta_share(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double student_quantile(double p, double freedom)
{
	double low = 0, high = 1;

	while (student_tail(high, freedom) > 1 - p && high < 1e12)
		high *= 2;
	for (int i = 0; i < BISECTIONS && high - low > PRECISION * high; i++) {
		double middle = (low + high) / 2;

		if (student_tail(middle, freedom) > 1 - p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/* ---- two samples ----------------------------------------------------------------------------- */

static double mean(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum / (double)n;
}

static double variance(const double *values, size_t n)
{
	double middle = mean(values, n), sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (values[i] - middle) * (values[i] - middle);
	return sum / (double)(n - 1);
}

struct difference difference_of(const double *a, size_t n_a, const double *b, size_t n_b, double alpha)
{
	struct difference d = { .a = mean(a, n_a), .b = mean(b, n_b) };
	double spread_a, spread_b, both; /* variances of the means */

	d.change = d.b - d.a;
	if (n_a < 2 && n_b < 2)
		return d;
	spread_a = n_a < 2 ? variance(b, n_b) : variance(a, n_a) / (double)n_a;
	spread_b = n_b < 2 ? variance(a, n_a) : variance(b, n_b) / (double)n_b;
	both = spread_a + spread_b;
	if (both <= 0)
		return d;
	d.freedom = n_a < 2   ? (double)(n_b - 1)
		    : n_b < 2 ? (double)(n_a - 1)
			      : both * both /
					(spread_a * spread_a / (double)(n_a - 1) +
					 spread_b * spread_b / (double)(n_b - 1));
	d.half = student_quantile(1 - alpha / 2, d.freedom) * sqrt(both);
	return d;
}
