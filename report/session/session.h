/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * session.h - a session folder (with those sessions that were put into it), or one data file, as a
 * series of opened data files. Says on stderr what is wrong.
 */
#ifndef REPORT_SESSION_SESSION_H
#define REPORT_SESSION_SESSION_H

#include "file/data.h"
#include "file/module_cache.h"

#define INPUT_DEFAULT "cinstr.data"

struct input {
	char *path;
	char **files; /* merged ones first, then in order of the processes' begin */
	size_t n_files;
	char **folders; /* of sessions: those of the files, and those put into them */
	size_t n_folders;
	int is_live;	   /* some process is still recording into it */
	int is_over;	   /* it is known that none is */
	size_t n_usable;   /* files that could be read, after input_each */
	int keeps;	   /* what has been read may be asked for again */
	struct data *kept; /* [n_files], as far as they were worth keeping: path is not NULL */
	uint64_t kept_bytes;
	struct tables *tables;		    /* of all files */
	struct companions_read *companions; /* of sampled processes; after input_open */
	struct beside_files *beside;	    /* likewise; NULL: none */
	uint32_t *twins;		    /* twins.h; by file; NULL: not looked for */
	struct map seen;		    /* processes of visited files: copies.h */
	uint8_t *left_out;		    /* by file; NULL: none */
	int is_quiet;			    /* problems have been told before */
	/* nobody writes to stdout while files are visited: progress may be shown */
	int is_silent;
	int is_to_merge; /* of struct data_opening */
	/* Of several who divide the files: only file number `share`, and each n_shares-th after it,
	 * is visited. n_shares 0: all. */
	uint32_t share, n_shares;
};

/* path NULL: INPUT_DEFAULT, or a newer session beside it. 0, or -1 after an error message. Says
 * what processes had to say. */
int input_open(struct input *input, const char *path);
/* The same without a message when there is no data: n_files is 0 then. */
int input_list(struct input *input, const char *path);
/* Reads the header of a data file as it is; 0, or -1 if it is none. */
int input_header(const char *path, struct cinstr_header *header);
/* Is there nothing in the file yet? Its process has only just begun, or was stopped while it
 * did. */
int input_is_beginning(const char *path);
/* Whether an operand that may be something else names a session: a folder with data or sessions in
 * it, or a data file. */
int input_is_session(const char *operand);
void input_release(struct input *input);

/*
 * Opens a file, and warns about its problems. Usable: it has a header. Returns STATUS_OK, or
 * STATUS_DATA if there was any problem.
 */
int input_open_one(struct input *input, size_t number, struct data *data);
/*
 * Opens one file after another, warns about its problems and calls visit. Returns STATUS_OK, or
 * STATUS_DATA if there was any problem.
 */
int input_each(struct input *input, void (*visit)(void *arg, struct data *data), void *arg);
/*
 * Visits the same files once more, after an input_each with `keeps`; says nothing. What a live
 * process records is as it was the first time.
 */
void input_again(struct input *input, void (*visit)(void *arg, struct data *data), void *arg);
/* The same without warnings, for what is read twice. */
void input_each_quietly(struct input *input, void (*visit)(void *arg, struct data *data), void *arg);

#endif
