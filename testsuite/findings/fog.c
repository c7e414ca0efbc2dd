/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0209 visibility|shade|pow; processor
 * Shades a picture by fog. Planted: pow() of a row's depth is computed for each of its pixels,
 * though it is the same for all of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 1600
#define HEIGHT 1200

static double visibility(double depth, double density)
{
	return pow(0.5 + depth * 0.4, density);
}

static void shade(float *pixels, double density)
{
	for (int y = 0; y < HEIGHT; y++) {
#ifdef REPAIRED
		float clear = (float)visibility((double)y / HEIGHT, density);
#endif
		for (int x = 0; x < WIDTH; x++) {
#ifndef REPAIRED
			float clear = (float)visibility((double)y / HEIGHT, density);
#endif
			float *pixel = &pixels[y * WIDTH + x];

			*pixel = *pixel * clear + 200 * (1 - clear);
		}
	}
}

int main(void)
{
	float *pixels = malloc(sizeof(float) * WIDTH * HEIGHT);

	for (int i = 0; i < WIDTH * HEIGHT; i++)
		pixels[i] = (float)(i % 251);
	for (int i = 0; i < 15; i++)
		shade(pixels, 1.5 + i * 0.1);
	printf("%f\n", pixels[WIDTH * HEIGHT / 2]);
	free(pixels);
	return 0;
}
