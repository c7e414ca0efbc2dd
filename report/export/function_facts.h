/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * function_facts.h - values of functions that do not add up over call paths: lengths of calls,
 * uncertainties, calls that are still open, page faults. They are the columns of cinstr report,
 * with their names and values. The tree must have been read with has_functions.
 */
#ifndef REPORT_EXPORT_FUNCTION_FACTS_H
#define REPORT_EXPORT_FUNCTION_FACTS_H

#include "export_tree.h"

/* clang-format off */
#define FUNCTION_FACTS(FACT) \
	FACT(SHORTEST) FACT(LONGEST) FACT(P50) FACT(P90) FACT(P95) FACT(P99) \
	FACT(UNCERTAINTY) FACT(UNCERTAINTY_EXCLUSIVE) FACT(OPEN_CALLS) \
	FACT(MAJOR_FAULT_EXCLUSIVE) FACT(MINOR_FAULT_EXCLUSIVE)
/* clang-format on */
#define FUNCTION_FACT(id) FUNCTION_FACT_##id,
enum function_fact { FUNCTION_FACTS(FUNCTION_FACT) N_FUNCTION_FACTS };
#undef FUNCTION_FACT

/* Returns the name of the value: the column's. */
const char *function_fact_name(enum function_fact fact);
/* Sets *value, rounded as csv is. Returns 0 if it is not known of the function. */
int function_fact_value(struct export_tree *tree, uint32_t entity, enum function_fact fact, int64_t *value);

/* Calls put() with a line for each of the functions with most time of their own: how long their
 * calls took, and how uncertain that time is. */
void function_facts_tell(struct export_tree *tree, void (*put)(void *arg, const char *line), void *arg);

#endif
