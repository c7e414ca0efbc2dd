/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wait_places.h - the places where threads wait for objects, and the names of objects and threads:
 * shared by waits that have ended (wait_facts.h) and those that have not (open_waits.h). */
#ifndef REPORT_ROWS_WAIT_PLACES_H
#define REPORT_ROWS_WAIT_PLACES_H

#include "cinstr/objects.h"
#include "names/names.h"

/* A call in the source. */
struct wait_place {
	uint32_t entity;  /* the function that contains it; NAMES_NONE: not known */
	const char *file; /* NULL: not known */
	uint32_t line;	  /* 0: not known */
	uint32_t code;	  /* code of its sled; 0: not known */
};

/* Returns the place of the call at a sled, by the sled's code. */
struct wait_place wait_place_of(struct names *names, const struct data *data, uint32_t code);
/* Whether the function is defined in a header of the system. */
int wait_is_of_system(const struct names *names, uint32_t entity);
/* Returns the place of the wait at this site in the program's own code, outside functions such as
 * std::mutex::lock(). index: of its cell, or 0. */
struct wait_place wait_place_waiter(struct names *names, const struct data *data, uint32_t site,
				    uint32_t index);
/* Returns the functions from the outermost to the caller of the cell, separated by ';'; "": not
 * known. The caller frees the text. */
char *wait_path(struct names *names, const struct data *data, uint32_t index);
/* Returns the same with the cell's own function, and sets *entity to that, or to NAMES_NONE: it is
 * none. */
char *wait_path_whole(struct names *names, const struct data *data, uint32_t index, uint32_t *entity);

/* Returns the name of the function called at this site, which waits; "": not known. */
const char *wait_callee(const struct data *data, uint32_t site);
/* Returns what kind of object a call at this site waits for. */
enum cinstr_object_kind wait_kind(const struct data *data, uint32_t site, uint64_t object);
/* Returns the name, as shown, of the variable that contains this address, or NULL. The caller frees
 * it. *file: the variable's module. */
char *wait_object_name(struct names *names, const struct data *data, uint64_t address, const char **file);

/* Returns the tid of the thread that `holder` of struct cinstr_wait names; 0: not known. */
uint32_t wait_holder_tid(const struct data *data, uint32_t holder);
/* Returns how many readers `holder` says that a read-write lock had; 0: none, or not known. */
uint32_t wait_holder_readers(const struct data *data, uint32_t holder);
/* Returns the process's thread with this tid, or NULL. */
const struct data_thread *wait_thread(const struct data *data, uint32_t tid);
/* Returns the name of the process's thread with this tid; NULL: not known. */
const char *wait_thread_called(struct names *names, const struct data *data, uint32_t tid);

#endif
