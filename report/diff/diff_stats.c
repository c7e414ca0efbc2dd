/* SPDX-License-Identifier: GPL-3.0-or-later */
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

static struct moments moments_of(const double *values, size_t n)
{
	return (struct moments){ mean(values, n), n < 2 ? 0 : variance(values, n), (double)n };
}

struct difference difference_of_moments(const struct moments *a, const struct moments *b, double alpha)
{
	struct difference d = { .a = a->mean, .b = b->mean, .change = b->mean - a->mean };
	double spread_a, spread_b, both; /* variances of the means */

	if (a->n < 2 && b->n < 2)
		return d;
	spread_a = a->n < 2 ? b->variance : a->variance / a->n;
	spread_b = b->n < 2 ? a->variance : b->variance / b->n;
	both = spread_a + spread_b;
	if (both <= 0)
		return d;
	d.freedom =
		a->n < 2 ? b->n - 1
		: b->n < 2
			? a->n - 1
			: both * both / (spread_a * spread_a / (a->n - 1) + spread_b * spread_b / (b->n - 1));
	d.half = student_quantile(1 - alpha / 2, d.freedom) * sqrt(both);
	return d;
}

struct difference difference_of(const double *a, size_t n_a, const double *b, size_t n_b, double alpha)
{
	struct moments of_a = moments_of(a, n_a), of_b = moments_of(b, n_b);

	return difference_of_moments(&of_a, &of_b, alpha);
}
