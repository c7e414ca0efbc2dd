/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_call_clusters.c - orders of functions by who calls whom, against ones made by hand. */
#include <stdlib.h>

#include "export/call_clusters.h"
#include "tests.h"

/* Whether the order is the wanted one, "cab". */
static int is_order(const struct call_clusters *clusters, const char *wanted)
{
	uint32_t *order = call_clusters_order(clusters);
	int is_same = strlen(wanted) == clusters->n;

	for (size_t i = 0; is_same && i < clusters->n; i++)
		is_same = order[i] == (uint32_t)(wanted[i] - 'a');
	free(order);
	return is_same;
}

static void callees_stand_behind_callers(void)
{
	struct call_clusters clusters;

	call_clusters_init(&clusters, 5);
	call_clusters_add(&clusters, 4, 1);
	call_clusters_add_arc(&clusters, 4, 2, 100);
	call_clusters_add_arc(&clusters, 4, 0, 90);
	call_clusters_add_arc(&clusters, 2, 3, 80);
	call_clusters_add_arc(&clusters, 0, 3, 70);
	call_clusters_add_arc(&clusters, 0, 1, 5);
	/* d, of 150 calls, is behind c, which makes most of them, c and a behind e, b behind a */
	CU_ASSERT(is_order(&clusters, "ecdab"));
	call_clusters_release(&clusters);
}

static void callers_that_hardly_call_do_not_count(void)
{
	struct call_clusters clusters;

	call_clusters_init(&clusters, 3);
	call_clusters_add(&clusters, 0, 40);
	call_clusters_add(&clusters, 1, 1000);
	call_clusters_add_arc(&clusters, 0, 1, 99);
	call_clusters_add(&clusters, 2, 500);
	CU_ASSERT(is_order(&clusters, "bca"));
	call_clusters_add_arc(&clusters, 0, 1, 100);
	CU_ASSERT(is_order(&clusters, "abc"));
	call_clusters_release(&clusters);
}

static void cold_code_does_not_get_between_hot_code(void)
{
	struct call_clusters clusters;

	call_clusters_init(&clusters, 3);
	call_clusters_add(&clusters, 0, 800);
	call_clusters_add_arc(&clusters, 0, 1, 100);
	call_clusters_add(&clusters, 2, 90);
	clusters.bytes[1] = 8; /* with it 900 / 9 calls a byte, an eighth of 800 */
	CU_ASSERT(is_order(&clusters, "abc"));
	clusters.bytes[1] = 9; /* 90 */
	CU_ASSERT(is_order(&clusters, "acb"));
	call_clusters_release(&clusters);
}

static void clusters_have_a_largest_size(void)
{
	struct call_clusters clusters;

	call_clusters_init(&clusters, 3);
	call_clusters_add(&clusters, 2, 50);
	call_clusters_add_arc(&clusters, 2, 1, 60);
	call_clusters_add(&clusters, 0, 1);
	clusters.bytes[1] = clusters.bytes[2] = 1u << 19;
	CU_ASSERT(is_order(&clusters, "acb"));
	clusters.bytes[1]++;
	CU_ASSERT(is_order(&clusters, "abc"));
	call_clusters_release(&clusters);
}

static void recursions_and_circles_end(void)
{
	struct call_clusters clusters;

	call_clusters_init(&clusters, 2);
	call_clusters_add(&clusters, 0, 1);
	call_clusters_add_arc(&clusters, 0, 0, 50);
	call_clusters_add_arc(&clusters, 0, 1, 60);
	call_clusters_add_arc(&clusters, 1, 0, 4);
	CU_ASSERT(is_order(&clusters, "ab"));
	call_clusters_release(&clusters);
	call_clusters_init(&clusters, 0);
	CU_ASSERT(is_order(&clusters, ""));
	call_clusters_release(&clusters);
}

CU_TestInfo call_clusters_tests[] = {
	{ "callees stand behind who calls them most", callees_stand_behind_callers },
	{ "callers that make hardly any of the calls do not count", callers_that_hardly_call_do_not_count },
	{ "cold code does not get between hot code", cold_code_does_not_get_between_hot_code },
	{ "clusters have a largest size", clusters_have_a_largest_size },
	{ "recursions and circles end", recursions_and_circles_end },
	CU_TEST_INFO_NULL,
};
