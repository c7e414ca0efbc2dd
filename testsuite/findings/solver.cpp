// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0220 solve; processor
// Solves puzzles of numbers in squares. Planted: each try gets the board as a copy, a vector of vectors,
// in place of undoing it.
#include <cstdio>
#include <string>
#include <vector>

using Board = std::vector<std::vector<int>>;

static bool may(const Board &board, int row, int column, int number)
{
	for (int i = 0; i < 9; i++) {
		if (board[row][i] == number || board[i][column] == number)
			return false;
		if (board[row / 3 * 3 + i / 3][column / 3 * 3 + i % 3] == number)
			return false;
	}
	return true;
}

static long tries;

#ifdef REPAIRED
static int solve(Board &board, int at)
#else
static int solve(Board board, int at)
#endif
{
	int solutions = 0;
	while (at < 81 && board[at / 9][at % 9])
		at++;
	if (at == 81)
		return 1;
	for (int number = 1; number <= 9; number++) {
		if (!may(board, at / 9, at % 9, number))
			continue;
		tries++;
		board[at / 9][at % 9] = number;
		solutions += solve(board, at + 1);
		board[at / 9][at % 9] = 0;
	}
	return solutions;
}

static Board board_of(const std::string &text)
{
	Board board(9, std::vector<int>(9));
	for (int i = 0; i < 81; i++)
		board[i / 9][i % 9] = text[i] == '.' ? 0 : text[i] - '0';
	return board;
}

int main()
{
	const char *puzzles[] = {
		"8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..",
		"..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9",
		"1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..",
	};
	int solutions = 0;
	for (int i = 0; i < 3; i++) {
		if (i == 1)
			continue;
		for (int round = 0; round < 3; round++) {
			Board board = board_of(puzzles[i]);
			solutions += solve(board, 0);
		}
	}
	printf("%d solutions, %ld tries\n", solutions, tries);
}
