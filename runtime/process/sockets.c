/* SPDX-License-Identifier: MIT */
/*
 * sockets.c - what the kernel says of the program's sockets: names of their peers (files.c), and
 * which two are the sides of one connection (pipes.c). Called in any thread of the process, signals
 * blocked, once for each socket.
 */
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "runtime.h"

/* First port that the kernel gives to clients. */
#define EPHEMERAL 32768
#define FACTOR 0x9e3779b97f4a7c15ull

union address {
	struct sockaddr any;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
	struct sockaddr_un local;
	char bytes[128];
};

static uint16_t port_of(const union address *a)
{
	uint16_t port = a->any.sa_family == AF_INET    ? a->four.sin_port
			: a->any.sa_family == AF_INET6 ? a->six.sin6_port
						       : 0;

	return (uint16_t)(port << 8 | port >> 8);
}

static void put_four(struct text *text, const uint8_t *bytes)
{
	for (int i = 0; i < 4; i++) {
		text_add(text, i ? "." : "");
		text_add_number(text, bytes[i]);
	}
}

static void put_six(struct text *text, const uint8_t *bytes)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	int is_mapped = 1;

	for (int i = 0; i < 12; i++)
		is_mapped &= bytes[i] == mapped[i];
	if (is_mapped) {
		put_four(text, bytes + 12);
		return;
	}
	for (int i = 0; i < 16; i += 2) {
		char digits[6] = ":";
		int n = i != 0;

		for (int k = 0; k < 4; k++)
			digits[n++] = "0123456789abcdef"[bytes[i + k / 2] >> (k & 1 ? 0 : 4) & 15];
		digits[n] = '\0';
		text_add(text, digits);
	}
}

static void put_host(struct text *text, const union address *a)
{
	if (a->any.sa_family == AF_INET)
		put_four(text, (const uint8_t *)&a->four.sin_addr);
	else
		put_six(text, (const uint8_t *)&a->six.sin6_addr);
}

static void put_port(struct text *text, const union address *a)
{
	text_add(text, ":");
	text_add_number(text, port_of(a));
}

static int asked(long number, int fd, union address *a)
{
	socklen_t bytes = sizeof(*a);

	*a = (union address){ .bytes = "" };
	return !arch_syscall(number, fd, (long)a, (long)&bytes, 0, 0, 0);
}

static int has_port(const union address *a)
{
	return a->any.sa_family == AF_INET || a->any.sa_family == AF_INET6;
}

/* Returns the name of the socket's peer. A peer whose port the kernel chose is named by its host
 * and the own port, so that a server's clients have one name for each host. */
struct text sockets_name(int fd)
{
	struct text text = text_of("socket", "", "");
	union address peer, own;
	int is_connected;

	if (atomic_load_relaxed(&cinstr.no_peers))
		return text;
	is_connected = asked(SYS_getpeername, fd, &peer);
	if (!asked(SYS_getsockname, fd, &own))
		return text;
	if (own.any.sa_family == AF_UNIX) {
		const union address *a = own.local.sun_path[0] || !is_connected ? &own : &peer;

		text_add(&text, a->local.sun_path[0] ? " " : "");
		text_add(&text, a->local.sun_path);
	} else if (has_port(&own) && !is_connected) {
		text_add(&text, " ");
		put_port(&text, &own);
	} else if (has_port(&own) && port_of(&peer) >= EPHEMERAL && port_of(&own) < EPHEMERAL) {
		text_add(&text, " ");
		put_port(&text, &own);
		text_add(&text, " from ");
		put_host(&text, &peer);
	} else if (has_port(&own)) {
		text_add(&text, " ");
		put_host(&text, &peer);
		put_port(&text, &peer);
	}
	return text;
}

/* Returns the address with a port as a number, the same one for both families. */
static uint64_t number_of(const union address *a)
{
	const uint8_t *host = a->any.sa_family == AF_INET ? (const uint8_t *)&a->four.sin_addr
							  : (const uint8_t *)&a->six.sin6_addr + 12;
	uint32_t four;

	arch_copy(&four, host, sizeof(four));
	return (uint64_t)four << 16 | port_of(a);
}

uint32_t sockets_connection(int fd, int *side)
{
	union address own, peer;
	uint64_t here, there;

	if (atomic_load_relaxed(&cinstr.no_peers) || !asked(SYS_getpeername, fd, &peer) ||
	    !asked(SYS_getsockname, fd, &own) || !has_port(&own) || !has_port(&peer))
		return 0;
	here = number_of(&own);
	there = number_of(&peer);
	*side = here > there;
	return (uint32_t)(((here + there) * FACTOR ^ (here ^ there)) * FACTOR >> 32) | 1;
}
