/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * wait_places.h - where threads wait for objects, and what these, and the threads, are called: what
 * waits that are over (wait_facts.h) and those that are not (open_waits.h) have in common.
 */
#ifndef REPORT_ROWS_WAIT_PLACES_H
#define REPORT_ROWS_WAIT_PLACES_H

#include "cinstr/objects.h"
#include "names/names.h"

/* A call in the source. */
struct wait_place {
	uint32_t entity;  /* the function that makes it; NAMES_NONE: not known */
	const char *file; /* NULL: not known */
	uint32_t line;	  /* 0: not known */
	uint32_t code;	  /* of its sled; 0: not known */
};

/* Returns the place of the call behind a sled, by its code. */
struct wait_place wait_place_of(struct names *names, const struct data *data, uint32_t code);
/* Whether the function is a header's of the system. */
int wait_is_of_system(const struct names *names, uint32_t entity);
/* Returns where the wait at this site was, in the program's own code: std::mutex::lock() is not.
 * index: of its cell, or 0. */
struct wait_place wait_place_waiter(struct names *names, const struct data *data, uint32_t site,
				    uint32_t index);
/* Returns the functions down to the one whose call the cell is, by ';': a new string; "": not
 * known. */
char *wait_path(struct names *names, const struct data *data, uint32_t index);

/* Returns the name of the function that waits; "": not known. */
const char *wait_callee(const struct data *data, uint32_t site);
enum cinstr_object_kind wait_kind(const struct data *data, uint32_t site);
/* Returns the name of the variable that is there, or that it is a part of, as it is shown: a new
 * string; NULL: there is none. file: the variable's module. */
char *wait_object_name(struct names *names, const struct data *data, uint64_t address, const char **file);

/* Returns the process's thread with this tid; NULL: it has none. */
const struct data_thread *wait_thread(const struct data *data, uint32_t tid);
/* Returns what the process's thread with this tid is called; NULL: nothing is known of it. */
const char *wait_thread_called(struct names *names, const struct data *data, uint32_t tid);

#endif
