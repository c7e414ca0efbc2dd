/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "access.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "lib/util.h"

int access_init(struct access *access)
{
	unsigned char bytes[ACCESS_TOKEN / 2];
	ssize_t n;

	do
		n = getrandom(bytes, sizeof(bytes), 0);
	while (n < 0 && errno == EINTR);
	if (n != sizeof(bytes))
		return error("serve: the kernel gives no random numbers: %s", strerror(errno));
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(access->token + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

/* A name that was made to mean this machine by somebody's name server is not among these. */
static int is_ours(const char *host, unsigned port)
{
	static const char *const names[] = { "127.0.0.1", "localhost" };
	char expected[32];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(expected, sizeof(expected), "%s:%u", names[i], port);
		if (!strcasecmp(host, expected))
			return 1;
		if (port == 80 && !strcasecmp(host, names[i]))
			return 1;
	}
	return 0;
}

static int is_our_origin(const char *origin, unsigned port)
{
	static const char scheme[] = "http://";

	return !strncasecmp(origin, scheme, sizeof(scheme) - 1) && is_ours(origin + sizeof(scheme) - 1, port);
}

/* Browsers say which page asks. A link to the page itself may stand anywhere; nothing else of it
 * may be used by other pages. */
static int is_from_elsewhere(const struct request *request, const char *rest)
{
	if (!request->site || !strcmp(request->site, "same-origin") || !strcmp(request->site, "none"))
		return 0;
	return *rest || !request->mode || strcmp(request->mode, "navigate") != 0 || !request->destination ||
	       strcmp(request->destination, "document") != 0;
}

/* Takes as long wherever the first difference is. */
static int has_token(const struct access *access, const char *path)
{
	unsigned char difference = 0;

	if (*path != '/' || strnlen(path + 1, ACCESS_TOKEN) < ACCESS_TOKEN)
		return 0;
	for (size_t i = 0; i < ACCESS_TOKEN; i++)
		difference |= (unsigned char)(path[1 + i] ^ access->token[i]);
	return !difference && path[1 + ACCESS_TOKEN] == '/';
}

unsigned access_judge(const struct access *access, const struct request *request, const char **rest,
		      const char **why)
{
	if (request->n_hosts != 1 || !request->host || !is_ours(request->host, access->port)) {
		*why = "This server answers to 127.0.0.1 and localhost only.";
		return 403;
	}
	if (request->origin && !is_our_origin(request->origin, access->port)) {
		*why = "Other pages may not ask here.";
		return 403;
	}
	if (strcmp(request->method, "GET") != 0 && strcmp(request->method, "HEAD") != 0) {
		*why = "There is only something to be read here: GET, HEAD.";
		return 405;
	}
	if (!has_token(access, request->path)) {
		*why = "The address lacks the token of this run: take it from what cinstr serve has printed.";
		return 403;
	}
	*rest = request->path + 1 + ACCESS_TOKEN + 1;
	if (is_from_elsewhere(request, *rest)) {
		*why = "Other pages may not ask here.";
		return 403;
	}
	return 200;
}
