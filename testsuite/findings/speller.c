/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0333 ask; wall
 * true: CF0333 lines of words still wait for their answers
 * Checks the words of a text by another process, over two pipes. Planted: each word is sent, and
 * its answer waited for; the repaired one sends lines of 100 words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS 60000
#ifdef REPAIRED
#define AT_ONCE 100
#else
#define AT_ONCE 1
#endif

static int is_right(const char *word, int n)
{
	unsigned hash = 7;

	for (int turn = 0; turn < 3; turn++)
		for (int i = 0; i < n; i++)
			hash = hash * 31 + (unsigned char)word[i];
	return hash % 5 != 0;
}

static void check_words(int in, int out)
{
	char words[8 * 100], answers[100];
	ssize_t n;

	while ((n = read(in, words, 8 * AT_ONCE)) > 0) {
		for (int i = 0; i < n / 8; i++)
			answers[i] = (char)is_right(words + 8 * i, 8);
		if (write(out, answers, (size_t)n / 8) < 0)
			break;
	}
}

static int ask(int to, int from, const char *words, int n)
{
	char answers[100];
	int right = 0;

	if (write(to, words, 8 * (size_t)n) < 0 || read(from, answers, (size_t)n) != n)
		return 0;
	for (int i = 0; i < n; i++)
		right += answers[i];
	return right;
}

int main(void)
{
	int there[2], back[2], right = 0, n = 0;
	char words[8 * 100];
	pid_t pid;

	if (pipe(there) != 0 || pipe(back) != 0)
		return 1;
	pid = fork();
	if (pid == 0) {
		close(there[1]);
		check_words(there[0], back[1]);
		_exit(0);
	}
	for (int i = 0; i < WORDS; i++) {
		snprintf(words + 8 * n++, 8, "w%06d", i % 1000000);
		if (n == AT_ONCE) {
			right += ask(there[1], back[0], words, n);
			n = 0;
		}
	}
	close(there[1]);
	waitpid(pid, NULL, 0);
	printf("%d\n", right);
	return 0;
}
