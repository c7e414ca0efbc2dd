/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0302 send_count|increment; wall
 * true: CF0302 the monitor gets its counts in small pieces
 * Handles events, and tells a monitor how many there were of each kind. Planted: a datagram is sent
 * for each event, in place of one for many of them. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS 150000
#define KINDS 8

struct meter {
	int fd;
	struct sockaddr_in address;
	long pending[KINDS], sent, n_pending;
};

static const char *const kinds[KINDS] = {
	"login", "logout", "search", "order", "cancel", "pay", "ship", "return",
};

static void send_count(struct meter *meter, int kind, long n)
{
	char text[64];
	int length = snprintf(text, sizeof(text), "shop.%s:%ld|c", kinds[kind], n);

	sendto(meter->fd, text, (size_t)length, MSG_DONTWAIT, (struct sockaddr *)&meter->address, sizeof(meter->address));
	meter->sent++;
}

static void flush(struct meter *meter)
{
	for (int i = 0; i < KINDS; i++) {
		if (meter->pending[i])
			send_count(meter, i, meter->pending[i]);
		meter->pending[i] = 0;
	}
	meter->n_pending = 0;
}

static void increment(struct meter *meter, int kind)
{
#ifdef REPAIRED
	meter->pending[kind]++;
	if (++meter->n_pending == 1000)
		flush(meter);
#else
	send_count(meter, kind, 1);
#endif
}

static unsigned handle(struct meter *meter, unsigned event)
{
	unsigned hash = event;

	for (int i = 0; i < 100; i++)
		hash = hash * 1664525 + 1013904223 + (hash >> 7);
	increment(meter, (int)(hash >> 29));
	return hash;
}

int main(void)
{
	int receiver = socket(AF_INET, SOCK_DGRAM, 0);
	struct meter meter = { .fd = socket(AF_INET, SOCK_DGRAM, 0) };
	socklen_t size = sizeof(meter.address);
	unsigned sum = 0;

	meter.address.sin_family = AF_INET;
	meter.address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(receiver, (struct sockaddr *)&meter.address, size) != 0)
		return 1;
	getsockname(receiver, (struct sockaddr *)&meter.address, &size);
	for (unsigned i = 0; i < EVENTS; i++)
		sum += handle(&meter, i);
	flush(&meter);
	printf("%08x %d\n", sum, meter.sent > 0);
	return 0;
}
