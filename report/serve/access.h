/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * access.h - access to `cinstr serve` (doc/security.md): for clients that know the token and use an
 * address of this machine. Checks requests only; called from the server's thread.
 */
#ifndef REPORT_SERVE_ACCESS_H
#define REPORT_SERVE_ACCESS_H

#define ACCESS_TOKEN 32 /* characters: 128 bits */

struct access {
	char token[ACCESS_TOKEN + 1];
	unsigned port;
};

/* The head of a request; missing headers are NULL. */
struct request {
	const char *method, *path;
	const char *host;
	unsigned n_hosts;		       /* number of Host headers */
	const char *origin;		       /* Origin */
	const char *site, *mode, *destination; /* Sec-Fetch-... */
};

/* Makes a new token from the kernel's random numbers. Returns 0, or -1 after an error message. */
int access_init(struct access *access);

/* Returns the HTTP status for a request. 200: *rest is the part of its path after the token;
 * otherwise *why is an explanation for people. */
unsigned access_judge(const struct access *access, const struct request *request, const char **rest,
		      const char **why);

#endif
