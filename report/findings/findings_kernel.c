/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_kernel.c - rules on samples in the kernel, by the function that entered it: CF032x.
 * There are none where the machine does not permit them. Samples do not show the number of
 * calls. */
#include <string.h>

#include "file/samples.h"
#include "rules.h"

#define LEAST_SAMPLES 100 /* of all: fewer tell nothing */
#define LEVELS 32	  /* of callers in libraries */
/* Percent of a function's own samples and the kernel's right below: less are interrupts. */
#define FAULTS_PERCENT 30

/* Frames of the C library in an executable that holds it are the program's own, by their module. */
static int is_library(const struct finder *finder, uint32_t entity)
{
	const struct entity *e = call_graph_entity(finder->graph, entity);

	return computing_is_system(&finder->computing, entity) || !strncmp(e->assembler, "__", 2) ||
	       !strncmp(e->assembler, "_IO_", 4) || finder->known[entity] != KNOWN_NOT ||
	       call_kind_of(e->assembler, KNOWN_NOT) != CALL_OTHER;
}

/* Of all places; none: 0. */
static size_t kernel_edges(const struct finder *finder, const struct row ***edges)
{
	size_t n = 0;

	for (uint32_t e = 0; e < finder->graph->n_entities && finder->t->elapsed >= LEAST_SAMPLES; e++) {
		const struct entity *entity = call_graph_entity(finder->graph, e);

		if (entity->name && !strcmp(entity->name, SAMPLES_KERNEL) && finder->graph->nodes[e]) {
			*edges = call_graph_in(finder->graph, e, &n);
			return n;
		}
	}
	return 0;
}

/* The same of all places in a function. */
static long double samples_of(const struct row **edges, size_t n, uint32_t caller)
{
	long double samples = 0;

	for (size_t i = 0; i < n; i++)
		samples += call_graph_caller(edges[i]) == caller ? edges[i]->sums.elapsed_inclusive : 0;
	return samples;
}

static int is_first_place(const struct row **edges, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (call_graph_caller(edges[k]) == call_graph_caller(edges[i]))
			return 0;
	return 1;
}

static void sampled_faults(struct finder *finder, const struct finding_rule *rule)
{
	const struct row **edges = NULL;
	size_t n = kernel_edges(finder, &edges);

	for (size_t i = 0; i < n; i++) {
		uint32_t caller = call_graph_caller(edges[i]);
		struct finding *finding;
		long double samples, own;

		if (caller >= finder->graph->n_entities || !finder->graph->nodes[caller] ||
		    is_library(finder, caller) || !is_first_place(edges, i))
			continue;
		samples = samples_of(edges, n, caller);
		own = finder->graph->nodes[caller]->sums.elapsed_exclusive;
		if (samples * 100 < FAULTS_PERCENT * (samples + own))
			continue;
		finding = finding_new(finder, rule);
		finding->about = finding->look_at = caller;
		finding->time = samples;
		finding->verb = "callers";
		strbuf_puts(&finding->text, "the kernel works for it without being called: page faults, most "
					    "likely at the first use of memory");
	}
}

/* The program's function that has most of the library's; NAMES_NONE: nobody is known. */
static const struct row *own_edge(const struct finder *finder, uint32_t entity)
{
	const struct row *edge = NULL;

	for (int level = 0; level < LEVELS; level++) {
		edge = call_graph_main_caller(finder->graph, entity);
		if (!edge || call_graph_caller(edge) >= finder->graph->n_entities)
			return NULL;
		entity = call_graph_caller(edge);
		if (!is_library(finder, entity))
			return edge;
	}
	return NULL;
}

/* Makes no system call: its page faults are at the memory that it was given. */
static int is_of_memory(const struct finder *finder, uint32_t entity)
{
	static const char *const globs[] = { "*memcpy*", "*memmove*", "*mempcpy*", "*memset*", NULL };

	return computing_is_one_of(call_graph_entity(finder->graph, entity), globs);
}

static void sampled_calls(struct finder *finder, const struct finding_rule *rule)
{
	const struct row **edges = NULL;
	size_t n = kernel_edges(finder, &edges);

	for (size_t i = 0; i < n; i++) {
		uint32_t wrapper = call_graph_caller(edges[i]);
		const struct row *edge;
		struct finding *finding;

		if (wrapper >= finder->graph->n_entities || !is_library(finder, wrapper) ||
		    !is_first_place(edges, i))
			continue;
		edge = own_edge(finder, wrapper);
		if (!edge)
			continue;
		finding = finding_new(finder, rule);
		finding->about = call_graph_caller(edge);
		finding->edge = edge;
		finding->look_at = wrapper;
		finding->time = samples_of(edges, n, wrapper);
		finding_set_path(finding, (uint32_t[]){ edge->entity, wrapper, edges[i]->entity }, 3);
		finding->verb = "callers";
		strbuf_puts(&finding->text,
			    is_of_memory(finder, wrapper)
				    ? "page faults, most likely at the first use of memory, in "
				      "its calls of "
				    : "the kernel works for its calls of ");
		finding_put_name(finder, &finding->text, edge->entity);
	}
}

const struct finding_rule findings_kernel_rules[] = {
	{ "CF0321", "page faults, by samples", OF_SAMPLED | OF_COMPUTING, 20, 10, sampled_faults,
	  "Samples of the kernel right below a function of the program. Such a function makes no system call "
	  "itself, so it gets there by a page fault. They have to be at least 30 % of these and the "
	  "function's own samples.",
	  "These samples.",
	  "The kernel gives new memory page by page, when it is first used. A program that gives large "
	  "blocks back and takes new ones pays for that again and again.",
	  "Use buffers again in place of freeing them; mallopt(M_MMAP_THRESHOLD, M_TRIM_THRESHOLD), or "
	  "another malloc; large pages (madvise MADV_HUGEPAGE); MAP_POPULATE. To see where they are: cinstr "
	  "record --sample --event=page-faults.",
	  "The function has a system call in its own code, as programs in assembler or Go have; the memory "
	  "is needed, and touched once." },
	{ "CF0322", "the kernel at work for it, by samples", OF_SAMPLED | OF_COMPUTING, 30, 20, sampled_calls,
	  "Samples of the kernel below a function of the C library, by the function of the program that has "
	  "most of its samples: system calls, or, below memcpy and the like, page faults.",
	  "All of them. Samples do not tell whether there are many calls or long ones.",
	  "The program computes little: most of the processor's time goes into what it asks of the kernel.",
	  "Record with probes, which count calls: many short ones can be made few (buffers, larger pieces, "
	  "answers that are kept).",
	  "The program's purpose is to move data: it copies or sends files." },
};
const size_t findings_n_kernel_rules = ARRAY_SIZE(findings_kernel_rules);
