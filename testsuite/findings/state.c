/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0217 score|best_move|main; processor
 * Plays a game. Planted: the board, a struct of 8 kB, is passed by value. */
#include <stdio.h>

struct board {
	unsigned short square[4096];
};

#ifdef REPAIRED
typedef const struct board *board_arg;
#define PASS(b) (&(b))
#define AT(b, i) ((b)->square[i])
#else
typedef struct board board_arg;
#define PASS(b) (b)
#define AT(b, i) ((b).square[i])
#endif

static __attribute__((noinline)) int score(board_arg board, unsigned move)
{
	int sum = 0;

	for (unsigned i = 0; i < 16; i++)
		sum += AT(board, (move * 17 + i * 64) % 4096);
	return sum;
}

static int best_move(const struct board *board)
{
	int best = 0;

	for (unsigned move = 0; move < 4096; move++) {
		int value = score(PASS(*board), move);

		best = value > best ? value : best;
	}
	return best;
}

int main(void)
{
	static struct board board;
	long sum = 0;

	for (int i = 0; i < 300; i++) {
		board.square[i * 13 % 4096] = (unsigned short)i;
		sum += best_move(&board);
	}
	printf("%ld\n", sum);
	return 0;
}
