/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines are split into words. `copies`: each word is a copy of its own, freed behind its use;
 * `wrapped`: the same by functions of the program's own; `places`: words stay in the line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 20
#define LINES 50000

static unsigned long sum;

__attribute__((noinline)) static void use(const char *word, size_t length)
{
	for (size_t i = 0; i < length; i++)
		sum = sum * 31 + (unsigned char)word[i];
}

__attribute__((noinline)) static void split_copies(const char *line)
{
	while (*line) {
		size_t length = 0;
		char *word;

		while (line[length] && line[length] != ' ')
			length++;
		word = malloc(length + 1);
		for (size_t i = 0; i < length; i++)
			word[i] = line[i];
		use(word, length);
		free(word);
		line += length + (line[length] == ' ');
	}
}

__attribute__((noipa)) static char *word_alloc(size_t length)
{
	char *word = malloc(length + 1);

	if (!word)
		abort();
	return word;
}

__attribute__((noipa)) static void word_free(char *word)
{
	free(word);
	sum++;
}

__attribute__((noinline)) static void split_wrapped(const char *line)
{
	for (int n = 0; line[n]; n += 6) {
		char *word = word_alloc(5);

		memcpy(word, line + n, 5);
		use(word, 5);
		word_free(word);
	}
}

__attribute__((noinline)) static void split_places(const char *line)
{
	while (*line) {
		size_t length = 0;

		while (line[length] && line[length] != ' ')
			length++;
		use(line, length);
		line += length + (line[length] == ' ');
	}
}

int main(int argc, char **argv)
{
	int is_copies = argc > 1 && !strcmp(argv[1], "copies");
	int is_wrapped = argc > 1 && !strcmp(argv[1], "wrapped");
	char *line = malloc(WORDS * 6 + 1);

	for (int i = 0; i < WORDS * 6; i++)
		line[i] = i % 6 == 5 ? ' ' : (char)('a' + i % 23);
	line[WORDS * 6] = 0;
	for (int i = 0; i < (is_wrapped ? 5 : 1) * LINES; i++)
		if (is_copies)
			split_copies(line);
		else if (is_wrapped)
			split_wrapped(line);
		else
			split_places(line);
	free(line);
	printf("%lu\n", sum);
	return 0;
}
