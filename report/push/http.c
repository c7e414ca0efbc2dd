/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * http.c - see http.h. The few functions and numbers of libcurl that are needed are declared here:
 * they are its stable interface, so that neither its headers nor the library is needed to build.
 */
#include "http.h"

#include <dlfcn.h>

#define LIBRARY "libcurl.so.4"
#define TEXT_MOST 300

/* CURLOPT_...: of long from 0, pointers from 10000, functions from 20000, curl_off_t from 30000 */
enum {
	OPTION_WRITE_DATA = 10001,
	OPTION_URL = 10002,
	OPTION_ERROR_TEXT = 10010,
	OPTION_POST_FIELDS = 10015,
	OPTION_HEADERS = 10023,
	OPTION_AUTHORITIES = 10065,
	OPTION_WRITE_FUNCTION = 20011,
	OPTION_NO_SIGNAL = 99,
	OPTION_TIMEOUT_MS = 155,
	OPTION_PROTOCOLS = 181,
	OPTION_POST_SIZE = 30120,
};
#define PROTOCOLS (1L | 2L) /* http, https */
#define INFO_STATUS 0x200002
#define ERROR_TEXT_BYTES 256

static struct {
	void *(*easy_init)(void);
	int (*easy_setopt)(void *handle, int option, ...);
	int (*easy_perform)(void *handle);
	int (*easy_getinfo)(void *handle, int info, ...);
	void (*easy_cleanup)(void *handle);
	const char *(*easy_strerror)(int code);
	void *(*slist_append)(void *list, const char *text);
	void (*slist_free_all)(void *list);
} curl;

int http_load(void)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return error("push: it needs %s, which is not installed (Debian 12: libcurl4, Debian 13: "
			     "libcurl4t64, Fedora: libcurl)",
			     LIBRARY);
#define LOAD(name) \
	curl.name = (__typeof__(curl.name))dlsym(library, "curl_" #name); \
	if (!curl.name) { \
		error("push: %s has no curl_" #name, LIBRARY); \
		return -1; \
	}
	LOAD(easy_init)
	LOAD(easy_setopt)
	LOAD(easy_perform)
	LOAD(easy_getinfo)
	LOAD(easy_cleanup)
	LOAD(easy_strerror)
	LOAD(slist_append)
	LOAD(slist_free_all)
#undef LOAD
	return 0;
}

static size_t keep(char *bytes, size_t size, size_t n, void *arg)
{
	struct strbuf *text = arg;
	size_t room = text->length < TEXT_MOST ? TEXT_MOST - text->length : 0;

	strbuf_add(text, bytes, size * n < room ? size * n : room);
	return size * n;
}

void http_post(const struct http_request *request, const void *body, size_t n, struct http_reply *reply)
{
	char why[ERROR_TEXT_BYTES] = "";
	void *handle = curl.easy_init(), *list = NULL;
	int code;

	*reply = (struct http_reply){ 0 };
	if (!handle) {
		strbuf_puts(&reply->text, "no memory");
		return;
	}
	for (const char *const *header = request->headers; *header; header++)
		list = curl.slist_append(list, *header);
	curl.easy_setopt(handle, OPTION_URL, request->url);
	if (request->authorities)
		curl.easy_setopt(handle, OPTION_AUTHORITIES, request->authorities);
	curl.easy_setopt(handle, OPTION_PROTOCOLS, PROTOCOLS);
	curl.easy_setopt(handle, OPTION_HEADERS, list);
	curl.easy_setopt(handle, OPTION_POST_FIELDS, body);
	curl.easy_setopt(handle, OPTION_POST_SIZE, (int64_t)n);
	curl.easy_setopt(handle, OPTION_TIMEOUT_MS, request->timeout_ms);
	curl.easy_setopt(handle, OPTION_NO_SIGNAL, 1L);
	curl.easy_setopt(handle, OPTION_ERROR_TEXT, why);
	curl.easy_setopt(handle, OPTION_WRITE_FUNCTION, keep);
	curl.easy_setopt(handle, OPTION_WRITE_DATA, &reply->text);
	code = curl.easy_perform(handle);
	if (code) {
		strbuf_clear(&reply->text);
		strbuf_puts(&reply->text, *why ? why : curl.easy_strerror(code));
	} else {
		curl.easy_getinfo(handle, INFO_STATUS, &reply->status);
	}
	curl.slist_free_all(list);
	curl.easy_cleanup(handle);
}
