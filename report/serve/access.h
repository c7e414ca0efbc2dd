/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * access.h - who may have what from `cinstr serve` (doc/security.md): whoever knows the token, by
 * an address of this machine. Looks at requests only; called from the server's thread.
 */
#ifndef REPORT_SERVE_ACCESS_H
#define REPORT_SERVE_ACCESS_H

#define ACCESS_TOKEN 32 /* characters: 128 bits */

struct access {
	char token[ACCESS_TOKEN + 1];
	unsigned port;
};

/* Of a request's head; headers that it has not are NULL. */
struct request {
	const char *method, *path;
	const char *host;
	unsigned n_hosts;		       /* headers of that name */
	const char *origin;		       /* Origin */
	const char *site, *mode, *destination; /* Sec-Fetch-... */
};

/* A new token, from the kernel. 0, or -1 after an error message. */
int access_init(struct access *access);

/*
 * The status of HTTP that the request has earned. 200: *rest is what of its path is behind the
 * token; else *why says it to a person.
 */
unsigned access_judge(const struct access *access, const struct request *request, const char **rest,
		      const char **why);

#endif
