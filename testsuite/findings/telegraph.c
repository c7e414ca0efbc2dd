/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0331 ask|server|telegrams|main|receive; wall
 * true: CF0333 each question still waits for its answer
 * Asks a server of its own. Planted: a question is written in two pieces, so that the second one
 * waits until the server's kernel acknowledges the first one, which it delays by 40 ms. */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define QUESTIONS 60

struct question {
	unsigned length;
	char text[60];
};

static int receive(int fd, void *to, size_t n)
{
	for (size_t have = 0; have < n;) {
		ssize_t part = read(fd, (char *)to + have, n - have);

		if (part <= 0)
			return 0;
		have += (size_t)part;
	}
	return 1;
}

static void *server(void *arg)
{
	int fd = accept(*(int *)arg, NULL, NULL);
	struct question question;

	while (receive(fd, &question.length, sizeof(question.length)) &&
	       receive(fd, question.text, question.length)) {
		unsigned sum = 0;

		for (unsigned i = 0; i < question.length; i++)
			sum = sum * 31 + (unsigned char)question.text[i];
		if (write(fd, &sum, sizeof(sum)) != sizeof(sum))
			break;
	}
	close(fd);
	return NULL;
}

static void put(int fd, const void *from, size_t n)
{
	if (write(fd, from, n) != (ssize_t)n)
		perror("write");
}

static unsigned ask(int fd, const struct question *question)
{
	unsigned answer = 0;

#ifdef REPAIRED
	put(fd, question, sizeof(question->length) + question->length);
#else
	put(fd, &question->length, sizeof(question->length));
	put(fd, question->text, question->length);
#endif
	receive(fd, &answer, sizeof(answer));
	return answer;
}

int main(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);
	pthread_t thread;
	unsigned sum = 0;

	if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &size))
		return 1;
	pthread_create(&thread, NULL, server, &listener);
	if (connect(fd, (struct sockaddr *)&address, size))
		return 1;
	for (unsigned i = 0; i < QUESTIONS; i++) {
		struct question question = { .length = 40 };

		snprintf(question.text, sizeof(question.text), "what does article %u cost?", i);
		sum += ask(fd, &question);
	}
	close(fd);
	pthread_join(thread, NULL);
	printf("%u\n", sum);
	return 0;
}
