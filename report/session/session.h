/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * session.h - a session folder (including the sessions inside it), or one data file, as a series of
 * opened data files. Reports problems on stderr.
 */
#ifndef REPORT_SESSION_SESSION_H
#define REPORT_SESSION_SESSION_H

#include "file/data.h"
#include "file/module_cache.h"

#define INPUT_DEFAULT "cinstr.data"

struct session {
	char *path;
	char **files; /* merged files first, then by the processes' start */
	size_t n_files;
	char **folders; /* of sessions: those of the files, and those inside them */
	size_t n_folders;
	int is_live;	   /* some process is still recording */
	int is_over;	   /* it is certain that no process is recording */
	size_t n_usable;   /* files that could be read; valid after session_each() */
	int keeps;	   /* session_again() will be called */
	struct data *kept; /* [n_files]: data kept for session_again(); path NULL: not kept */
	uint64_t kept_bytes;
	struct module_cache *tables; /* total size of all files */
	/* companions of sampled processes; set by session_open() */
	struct companions_read *companions;
	/* files of samples beside others; set by session_open(); NULL: none */
	struct beside_files *beside;
	uint32_t *twins;   /* [n_files]: twins.h; NULL: not set */
	struct map seen;   /* processes of the files visited: copies.h */
	uint8_t *left_out; /* [n_files]: files left out; NULL: none */
	int is_quiet;	   /* problems have been reported before */
	/* Nothing is written to stdout while files are visited, so that progress may be shown. */
	int is_silent;
	int is_to_merge; /* passed on to struct data_opening */
	/* Samples are not joined with calls: their names would have to be looked up. */
	int is_of_calls;
	/* Divides the files among several readers: visits file number `share` and each n_shares-th
	 * after it. n_shares 0: all. */
	uint32_t share, n_shares;
};

/* Opens a session. path NULL: INPUT_DEFAULT, or a newer session beside it. Prints messages left by
 * its processes. Returns 0, or -1 after an error message. */
int session_open(struct session *input, const char *path);
/* Lists a session's files. Like session_open(), but it is no error if there is no data: n_files is
 * 0. */
int session_list(struct session *input, const char *path);
/* Reads the header of a data file, unchanged. Returns 0, or -1 if it is not a data file. */
int session_header(const char *path, struct cinstr_header *header);
/* Whether the file is still empty: its process is starting, or was stopped while starting. */
int session_is_beginning(const char *path);
/* Whether an operand that may be something else names a session: a data file, or a folder with data
 * or sessions in it. */
int session_is_session(const char *operand);
void session_release(struct session *input);

/* Opens a file and warns about its problems. It is usable if it has a header. Returns STATUS_OK, or
 * STATUS_DATA if there was any problem. */
int session_open_one(struct session *input, size_t number, struct data *data);
/* Opens the files one after another, warns about their problems and calls `visit`. Returns
 * STATUS_OK, or STATUS_DATA if there was any problem. */
int session_each(struct session *input, void (*visit)(void *arg, struct data *data), void *arg);
/* Visits the same files again, silently, after session_each() with `keeps`. The data of a live
 * process are those of the first visit. */
void session_again(struct session *input, void (*visit)(void *arg, struct data *data), void *arg);
/* Like session_each(), without warnings, for files that are read twice. */
void session_each_quietly(struct session *input, void (*visit)(void *arg, struct data *data), void *arg);

#endif
