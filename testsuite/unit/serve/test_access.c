/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_access.c - who may have what from cinstr serve. */
#include <string.h>

#include "serve/access.h"
#include "tests.h"

static const struct access ours = { .token = "0123456789abcdef0123456789abcdef", .port = 8123 };
#define PAGE "/0123456789abcdef0123456789abcdef/"

static unsigned judge_with(struct request request, const char **rest)
{
	const char *why = NULL, *behind = NULL;
	unsigned status;

	if (!request.method)
		request.method = "GET";
	if (!request.path)
		request.path = PAGE;
	if (!request.n_hosts && request.host)
		request.n_hosts = 1;
	status = access_judge(&ours, &request, &behind, &why);
	CU_ASSERT((status == 200) == (why == NULL));
	if (rest)
		*rest = behind;
	return status;
}

#define JUDGE(...) judge_with((struct request){ __VA_ARGS__ }, NULL)
#define HOST .host = "127.0.0.1:8123"

static void test_hosts(void)
{
	static const char *const wrong[] = { "127.0.0.1",	 "127.0.0.1:81",     "127.0.0.1:81234", "127.0.0.2:8123",
					     "evil.example:8123", "localhost.evil.example:8123", "evil.localhost:8123",
					     "",		 "[::1]:8123",	     "0.0.0.0:8123",	"127.0.0.1:8123 ",
					     "127.1:8123",	 "2130706433:8123",  "user@127.0.0.1:8123" };

	CU_ASSERT_EQUAL(JUDGE(HOST), 200);
	CU_ASSERT_EQUAL(JUDGE(.host = "localhost:8123"), 200);
	CU_ASSERT_EQUAL(JUDGE(.host = "LocalHost:8123"), 200);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		CU_ASSERT_EQUAL(JUDGE(.host = wrong[i]), 403);
	CU_ASSERT_EQUAL(JUDGE(.host = NULL), 403);
	CU_ASSERT_EQUAL(JUDGE(HOST, .n_hosts = 2), 403);
}

static void test_tokens(void)
{
	static const char *const wrong[] = { "",
					     "/",
					     "/state",
					     "0123456789abcdef0123456789abcdef/",
					     "/0123456789abcdef0123456789abcdef",
					     "/0123456789abcdef0123456789abcdeg/",
					     "/1123456789abcdef0123456789abcdef/",
					     "/0123456789ABCDEF0123456789abcdef/",
					     "/0123456789abcdef0123456789abcdef0/",
					     "//0123456789abcdef0123456789abcdef/",
					     "/../0123456789abcdef0123456789abcdef/",
					     "/0123456789abcde/" };
	const char *rest;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		CU_ASSERT_EQUAL(JUDGE(HOST, .path = wrong[i]), 403);
	CU_ASSERT_EQUAL(judge_with((struct request){ HOST, .path = PAGE "3/nodes" }, &rest), 200);
	CU_ASSERT_STRING_EQUAL(rest, "3/nodes");
}

static void test_methods(void)
{
	static const char *const wrong[] = { "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "get", "" };

	CU_ASSERT_EQUAL(JUDGE(HOST, .method = "HEAD"), 200);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		CU_ASSERT_EQUAL(JUDGE(HOST, .method = wrong[i]), 405);
}

static void test_other_pages(void)
{
	static const char *const wrong[] = { "http://evil.example", "null",		      "https://127.0.0.1:8123",
					     "http://127.0.0.1:81", "http://127.0.0.1:8123/", "127.0.0.1:8123" };

	CU_ASSERT_EQUAL(JUDGE(HOST, .origin = "http://127.0.0.1:8123"), 200);
	CU_ASSERT_EQUAL(JUDGE(HOST, .origin = "http://localhost:8123"), 200);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		CU_ASSERT_EQUAL(JUDGE(HOST, .origin = wrong[i]), 403);
	CU_ASSERT_EQUAL(JUDGE(HOST, .path = PAGE "state", .site = "same-origin"), 200);
	CU_ASSERT_EQUAL(JUDGE(HOST, .path = PAGE "state", .site = "none"), 200);
	CU_ASSERT_EQUAL(JUDGE(HOST, .path = PAGE "state", .site = "cross-site"), 403);
	CU_ASSERT_EQUAL(JUDGE(HOST, .path = PAGE "state", .site = "same-site"), 403);
	/* A link to the page may stand anywhere; no frame, image or script of it. */
	CU_ASSERT_EQUAL(JUDGE(HOST, .site = "cross-site", .mode = "navigate", .destination = "document"), 200);
	CU_ASSERT_EQUAL(JUDGE(HOST, .site = "cross-site", .mode = "navigate", .destination = "iframe"), 403);
	CU_ASSERT_EQUAL(JUDGE(HOST, .site = "cross-site", .mode = "no-cors", .destination = "script"), 403);
	CU_ASSERT_EQUAL(JUDGE(HOST, .path = PAGE "state", .site = "cross-site", .mode = "navigate",
			      .destination = "document"),
			403);
}

static void test_new_tokens(void)
{
	struct access one = { 0 }, other = { 0 };

	CU_ASSERT_EQUAL(access_init(&one), 0);
	CU_ASSERT_EQUAL(access_init(&other), 0);
	CU_ASSERT_EQUAL(strspn(one.token, "0123456789abcdef"), ACCESS_TOKEN);
	CU_ASSERT_STRING_NOT_EQUAL(one.token, other.token);
}

CU_TestInfo access_tests[] = {
	{ "hosts", test_hosts },
	{ "tokens", test_tokens },
	{ "methods", test_methods },
	{ "other pages", test_other_pages },
	{ "every token is new", test_new_tokens },
	CU_TEST_INFO_NULL,
};
