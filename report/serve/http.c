/* SPDX-License-Identifier: GPL-3.0-or-later */
/* http.c - see http.h. The only file that knows of libmicrohttpd. */
#include "http.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/util.h"

#ifndef CINSTR_MICROHTTPD

int http_start(struct http *http, unsigned port, http_find *find, void *arg)
{
	(void)http, (void)port, (void)find, (void)arg;
	return error("serve: this cinstr was built without libmicrohttpd (Debian: libmicrohttpd-dev)");
}

void http_stop(struct http *http)
{
	(void)http;
}

#else
#include <microhttpd.h>

#define LIBRARY "libmicrohttpd.so.12"
#define CONNECTIONS 200
#define PATIENCE 20		 /* seconds without a byte */
#define REQUEST_BYTES (16 << 10) /* of a connection: no request of ours needs more */

/* What is called of it, by the library's own names. */
#define FUNCTIONS(x) \
	x(start_daemon) x(stop_daemon) x(lookup_connection_value) x(get_connection_values) \
		x(create_response_from_buffer) x(create_response_from_fd_at_offset64) x(add_response_header) \
			x(queue_response) x(destroy_response)

static struct {
#define MEMBER(name) __typeof__(MHD_##name) *name;
	FUNCTIONS(MEMBER)
#undef MEMBER
} mhd;

static int load(void)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return error(
			"serve: it needs %s, which is not installed (Debian 12: libmicrohttpd12, Debian 13: "
			"libmicrohttpd12t64, Fedora: libmicrohttpd)",
			LIBRARY);
#define LOAD(name) \
	mhd.name = (__typeof__(mhd.name))dlsym(library, "MHD_" #name); \
	if (!mhd.name) { \
		error("serve: %s has no MHD_" #name, LIBRARY); \
		return -1; \
	}
	FUNCTIONS(LOAD)
#undef LOAD
	return 0;
}

/* ---- answers --------------------------------------------------------------------------------- */

/* Nothing is loaded from elsewhere, nothing is kept, nobody else may use it or frame it. What
 * scripts and styles run is said by the page itself, by their digests; both policies must allow. */
static const char *const headers[][2] = {
	{ "Content-Security-Policy",
	  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
	  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'" },
	{ "Cache-Control", "no-store" },
	{ "X-Content-Type-Options", "nosniff" },
	{ "X-Frame-Options", "DENY" },
	{ "Referrer-Policy", "no-referrer" },
	{ "Cross-Origin-Resource-Policy", "same-origin" },
	{ "Cross-Origin-Opener-Policy", "same-origin" },
};

static enum MHD_Result send_response(struct MHD_Connection *connection, unsigned status, const char *type,
				     struct MHD_Response *response)
{
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
		mhd.add_response_header(response, headers[i][0], headers[i][1]);
	mhd.add_response_header(response, "Content-Type", type);
	if (status == 405)
		mhd.add_response_header(response, "Allow", "GET, HEAD");
	if (status == 405) /* there may be a body, which nobody reads */
		mhd.add_response_header(response, "Connection", "close");
	result = mhd.queue_response(connection, status, response);
	mhd.destroy_response(response);
	return result;
}

static enum MHD_Result send_text(struct MHD_Connection *connection, unsigned status, const char *text)
{
	struct strbuf line = { 0 };

	strbuf_printf(&line, "cinstr serve: %s\n", text);
	return send_response(connection, status, "text/plain; charset=utf-8",
			     mhd.create_response_from_buffer(line.length, line.text, MHD_RESPMEM_MUST_FREE));
}

static enum MHD_Result send_found(struct MHD_Connection *connection, const struct http_answer *answer)
{
	struct MHD_Response *response;

	if (answer->text) {
		response = mhd.create_response_from_buffer(strlen(answer->text), answer->text,
							   MHD_RESPMEM_MUST_FREE);
		if (!response)
			free(answer->text);
	} else {
		response = mhd.create_response_from_fd_at_offset64(answer->size, answer->fd, answer->offset);
		if (!response)
			close(answer->fd);
	}
	return send_response(connection, 200, answer->type, response);
}

static enum MHD_Result count_host(void *arg, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct request *request = arg;

	(void)kind;
	if (!strcasecmp(key, "Host")) {
		request->host = value;
		request->n_hosts++;
	}
	return MHD_YES;
}

static enum MHD_Result answer(void *arg, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *body, size_t *body_bytes,
			      void **state)
{
	struct http *http = arg;
	struct request request = { .method = method, .path = url };
	struct http_answer found = { .fd = -1 };
	const char *rest = "", *why = "";
	unsigned status;

	(void)version, (void)body, (void)body_bytes;
	/* The first call is for those who would rather not read a body; who answers then ends the
	 * connection. */
	if (!*state && !strcmp(method, "GET")) {
		*state = http;
		return MHD_YES;
	}
	mhd.get_connection_values(connection, MHD_HEADER_KIND, count_host, &request);
	request.origin = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");
	request.site = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Site");
	request.mode = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Mode");
	request.destination = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Dest");
	status = access_judge(&http->access, &request, &rest, &why);
	if (status != 200)
		return send_text(connection, status, why);
	http->find(http->arg, rest, &found);
	if (!found.type)
		return send_text(connection, 404, "There is nothing of that name, or not any more.");
	return send_found(connection, &found);
}

/* ---- begin and end --------------------------------------------------------------------------- */

/* A socket that listens on this machine alone; *port: which, and -1 after an error message. */
static int listen_here(unsigned *port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons((uint16_t)*port),
				       .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t size = sizeof(address);
	int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) &&
	    !bind(fd, (struct sockaddr *)&address, sizeof(address)) && !listen(fd, CONNECTIONS) &&
	    !getsockname(fd, (struct sockaddr *)&address, &size)) {
		*port = ntohs(address.sin_port);
		return fd;
	}
	error("serve: 127.0.0.1, port %u: %s", *port, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

int http_start(struct http *http, unsigned port, http_find *find, void *arg)
{
	int fd;

	http->find = find;
	http->arg = arg;
	if (load() || access_init(&http->access))
		return -1;
	fd = listen_here(&port);
	if (fd < 0)
		return -1;
	http->access.port = port;
	http->daemon =
		mhd.start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO, 0, NULL, NULL, answer, http,
				 MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
				 (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)PATIENCE,
				 MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES, MHD_OPTION_END);
	if (http->daemon)
		return 0;
	error("serve: libmicrohttpd does not start");
	close(fd);
	return -1;
}

void http_stop(struct http *http)
{
	if (http->daemon)
		mhd.stop_daemon(http->daemon);
	http->daemon = NULL;
}

#endif
