/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0216 sound|damp|main; processor
 * Lets a sound die away. Planted: what is left becomes so small that the processor computes with
 * subnormal numbers, which takes it a hundred times as long. */
#include <stdio.h>
#include <stdlib.h>

#define STRINGS 24
#define BLOCK 256
#define BLOCKS 48000

struct string {
	float level, before, decay;
};

static struct string strings[STRINGS];

static void strike(void)
{
	for (int i = 0; i < STRINGS; i++)
		strings[i] = (struct string){ .level = 1.0f / (float)(i + 1), .decay = 0.97f + 0.001f * (float)i };
}

static float damp(float value)
{
#ifdef REPAIRED
	return value < 1e-20f && value > -1e-20f ? 0 : value;
#else
	return value;
#endif
}

static void sound(struct string *string, float *out)
{
	float level = string->level, before = string->before;

	for (int i = 0; i < BLOCK; i++) {
		level = damp(level * string->decay);
		before = damp(0.5f * before + 0.25f * level);
		out[i] += before;
	}
	string->level = level;
	string->before = before;
}

static double loudness(const float *out)
{
	double sum = 0;

	for (int i = 0; i < BLOCK; i++)
		sum += out[i] > 0 ? out[i] : -out[i];
	return sum;
}

int main(void)
{
	static float out[BLOCK];
	double sum = 0;

	strike();
	for (int i = 0; i < BLOCKS; i++) {
		for (int k = 0; k < STRINGS; k++)
			sound(&strings[k], out);
		if (i % 64 == 0)
			sum += loudness(out);
	}
	printf("%.3f\n", sum);
	return 0;
}
