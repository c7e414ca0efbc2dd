/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0334 value_of; wall
 * true: CF0334 each tenth round still asks the one that has gone
 * Asks sensors for their values. Planted: one of six has gone, and is asked each round, and waited
 * for until the socket's limit of 20 ms; the repaired one asks it each tenth round. */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define SENSORS 6
#define ROUNDS 40

struct sensor {
	int fd, own, missing;
	struct sockaddr_in address;
};

static struct sensor sensors[SENSORS];

static void *measure(void *arg)
{
	struct sensor *sensor = arg;
	struct sockaddr_in from;
	socklen_t size = sizeof(from);
	int question;

	while (recvfrom(sensor->own, &question, sizeof(question), 0, (struct sockaddr *)&from, &size) > 0) {
		if (question < 0)
			break;
		question = question * 17 % 101;
		sendto(sensor->own, &question, sizeof(question), 0, (struct sockaddr *)&from, size);
	}
	return NULL;
}

static void open_sensor(struct sensor *sensor)
{
	struct timeval limit = { 0, 20000 };
	socklen_t size = sizeof(sensor->address);

	sensor->own = socket(AF_INET, SOCK_DGRAM, 0);
	sensor->fd = socket(AF_INET, SOCK_DGRAM, 0);
	sensor->address.sin_family = AF_INET;
	sensor->address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(sensor->own, (struct sockaddr *)&sensor->address, size) != 0)
		perror("bind");
	getsockname(sensor->own, (struct sockaddr *)&sensor->address, &size);
	setsockopt(sensor->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
}

static int tell(struct sensor *sensor, int question)
{
	return sendto(sensor->fd, &question, sizeof(question), 0, (struct sockaddr *)&sensor->address,
		      sizeof(sensor->address)) > 0;
}

static int value_of(struct sensor *sensor, int round)
{
	int value;

#ifdef REPAIRED
	if (sensor->missing > 2 && round % 10)
		return 0;
#endif
	tell(sensor, round);
	if (recv(sensor->fd, &value, sizeof(value), 0) == sizeof(value))
		return value;
	sensor->missing++;
	return 0;
}

int main(void)
{
	pthread_t threads[SENSORS];
	long sum = 0;

	for (int i = 0; i < SENSORS; i++) {
		open_sensor(&sensors[i]);
		if (i != 3)
			pthread_create(&threads[i], NULL, measure, &sensors[i]);
	}
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < SENSORS; i++)
			sum += value_of(&sensors[i], round);
	for (int i = 0; i < SENSORS; i++)
		if (i != 3 && tell(&sensors[i], -1))
			pthread_join(threads[i], NULL);
	printf("%ld\n", sum);
	return 0;
}
