/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0201|CF0209|CF0217 reach|main; processor
 * Looks how far one gets in a maze within a few steps. Planted: the marks of all places are cleared
 * for each question, though few are set. */
#include <stdio.h>
#include <string.h>

#define WIDTH 2048
#define STEPS 12
#define QUESTIONS 8000

static unsigned char wall[WIDTH * WIDTH], seen[WIDTH * WIDTH];
static int queue[4 * STEPS * STEPS * 4];

static int reach(int start)
{
	int head = 0, tail = 0, last = 1, steps = 0;

#ifndef REPAIRED
	memset(seen, 0, sizeof(seen));
#endif
	queue[tail++] = start;
	seen[start] = 1;
	while (head < tail && steps < STEPS) {
		static const int ways[] = { 1, -1, WIDTH, -WIDTH };
		int here = queue[head++];

		for (int i = 0; i < 4; i++) {
			int next = here + ways[i];

			if (wall[next] || seen[next])
				continue;
			seen[next] = 1;
			queue[tail++] = next;
		}
		if (head == last) {
			steps++;
			last = tail;
		}
	}
#ifdef REPAIRED
	for (int i = 0; i < tail; i++)
		seen[queue[i]] = 0;
#endif
	return tail;
}

int main(void)
{
	long sum = 0;

	for (int i = 0; i < WIDTH * WIDTH; i++)
		wall[i] = (unsigned)i * 2654435761u >> 29 == 0;
	for (int i = 0; i < QUESTIONS; i++)
		sum += reach((50 + i % 900) * WIDTH + 50 + i * 7 % 900);
	printf("%ld\n", sum);
	return 0;
}
