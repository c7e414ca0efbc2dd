/* SPDX-License-Identifier: MIT */
/*
 * cinstr/VSPerf.h - the function names, levels and return codes that programs for the profiling API
 * of Visual Studio use, on top of cinstr.h. Written from that API's public documentation; only for
 * code that is to compile on both systems.
 *
 * Differences: text is char (UTF-8); CommentMarkAtProfile takes nanoseconds of CLOCK_MONOTONIC; a
 * text is cut off at 1000 bytes, not 255.
 */
#ifndef CINSTR_VSPERF_H
#define CINSTR_VSPERF_H

#include "../cinstr.h"

#define PROFILE_CURRENTID ((unsigned int)-1)

typedef enum {
	PROFILE_GLOBALLEVEL = 1,
	PROFILE_PROCESSLEVEL = 2,
	PROFILE_THREADLEVEL = 3
} PROFILE_CONTROL_LEVEL;

/* Three groups; the same number means different things in each. */
typedef enum {
	PROFILE_OK = 0,
	PROFILE_ERROR_NOT_YET_IMPLEMENTED = 1,
	PROFILE_ERROR_MODE_NEVER = 2,
	PROFILE_ERROR_LEVEL_NOEXIST = 3,
	PROFILE_ERROR_ID_NOEXIST = 4,

	MARK_OK = 0,
	MARK_ERROR_MODE_NEVER = 1,
	MARK_ERROR_MODE_OFF = 2,
	MARK_ERROR_MARKER_RESERVED = 3,
	MARK_TEXTTOOLONG = 4, /* the mark was set, cut off */
	MARK_ERROR_NO_SUPPORT = 5,
	MARK_ERROR_OUTOFMEMORY = 6,

	NAME_OK = 0,
	NAME_ERROR_TEXTTRUNCATED = 1,
	NAME_ERROR_REDEFINITION = 2,
	NAME_ERROR_LEVEL_NOEXIST = 3,
	NAME_ERROR_ID_NOEXIST = 4,
	NAME_ERROR_INVALID_NAME = 5,
	NAME_ERROR_OUTOFMEMORY = 6,
	NAME_ERROR_NO_SUPPORT = 7
} PROFILE_COMMAND_STATUS;

CINSTR_API_FUNCTION enum cinstr_level cinstr_vs_level(PROFILE_CONTROL_LEVEL level)
{
	return level == PROFILE_GLOBALLEVEL    ? CINSTR_SESSION
	       : level == PROFILE_PROCESSLEVEL ? CINSTR_PROCESS
	       : level == PROFILE_THREADLEVEL  ? CINSTR_THREAD
					       : (enum cinstr_level)0;
}

CINSTR_API_FUNCTION unsigned int cinstr_vs_id(unsigned int id)
{
	return id == PROFILE_CURRENTID ? CINSTR_SELF : id ? id : PROFILE_CURRENTID;
}

CINSTR_API_FUNCTION PROFILE_COMMAND_STATUS cinstr_vs_control(enum cinstr_status status)
{
	switch (status) {
	case CINSTR_OK:
		return PROFILE_OK;
	case CINSTR_NO_RUNTIME:
		return PROFILE_ERROR_MODE_NEVER;
	case CINSTR_BAD_LEVEL:
		return PROFILE_ERROR_LEVEL_NOEXIST;
	case CINSTR_NO_ID:
		return PROFILE_ERROR_ID_NOEXIST;
	default:
		return PROFILE_ERROR_NOT_YET_IMPLEMENTED;
	}
}

CINSTR_API_FUNCTION PROFILE_COMMAND_STATUS cinstr_vs_mark(enum cinstr_status status)
{
	switch (status) {
	case CINSTR_OK:
		return MARK_OK;
	case CINSTR_NO_RUNTIME:
		return MARK_ERROR_MODE_NEVER;
	case CINSTR_OFF:
		return MARK_ERROR_MODE_OFF;
	case CINSTR_RESERVED:
		return MARK_ERROR_MARKER_RESERVED;
	case CINSTR_TRUNCATED:
		return MARK_TEXTTOOLONG;
	case CINSTR_NO_MEMORY:
		return MARK_ERROR_OUTOFMEMORY;
	default:
		return MARK_ERROR_NO_SUPPORT;
	}
}

CINSTR_API_FUNCTION PROFILE_COMMAND_STATUS cinstr_vs_name(enum cinstr_status status)
{
	switch (status) {
	case CINSTR_OK:
		return NAME_OK;
	case CINSTR_TRUNCATED:
		return NAME_ERROR_TEXTTRUNCATED;
	case CINSTR_NAMED:
		return NAME_ERROR_REDEFINITION;
	case CINSTR_BAD_LEVEL:
		return NAME_ERROR_LEVEL_NOEXIST;
	case CINSTR_NO_ID:
		return NAME_ERROR_ID_NOEXIST;
	case CINSTR_BAD_NAME:
		return NAME_ERROR_INVALID_NAME;
	case CINSTR_NO_MEMORY:
		return NAME_ERROR_OUTOFMEMORY;
	default:
		return NAME_ERROR_NO_SUPPORT;
	}
}

CINSTR_API_FUNCTION PROFILE_COMMAND_STATUS StartProfile(PROFILE_CONTROL_LEVEL level, unsigned int id)
{
	return cinstr_vs_control(cinstr_start(cinstr_vs_level(level), cinstr_vs_id(id)));
}

CINSTR_API_FUNCTION PROFILE_COMMAND_STATUS StopProfile(PROFILE_CONTROL_LEVEL level, unsigned int id)
{
	return cinstr_vs_control(cinstr_stop(cinstr_vs_level(level), cinstr_vs_id(id)));
}

CINSTR_API_FUNCTION PROFILE_COMMAND_STATUS SuspendProfile(PROFILE_CONTROL_LEVEL level, unsigned int id)
{
	return cinstr_vs_control(cinstr_suspend(cinstr_vs_level(level), cinstr_vs_id(id)));
}

CINSTR_API_FUNCTION PROFILE_COMMAND_STATUS ResumeProfile(PROFILE_CONTROL_LEVEL level, unsigned int id)
{
	return cinstr_vs_control(cinstr_resume(cinstr_vs_level(level), cinstr_vs_id(id)));
}

CINSTR_API_FUNCTION PROFILE_COMMAND_STATUS MarkProfile(long marker)
{
	return cinstr_vs_mark(cinstr_mark(marker));
}

CINSTR_API_FUNCTION PROFILE_COMMAND_STATUS CommentMarkProfile(long marker, const char *comment)
{
	return cinstr_vs_mark(cinstr_mark_text(marker, comment));
}

CINSTR_API_FUNCTION PROFILE_COMMAND_STATUS CommentMarkAtProfile(int64_t timestamp, long marker,
								const char *comment)
{
	return cinstr_vs_mark(cinstr_mark_at(timestamp, marker, comment));
}

CINSTR_API_FUNCTION PROFILE_COMMAND_STATUS NameProfile(const char *name, PROFILE_CONTROL_LEVEL level,
						       unsigned int id)
{
	return cinstr_vs_name(cinstr_name(cinstr_vs_level(level), cinstr_vs_id(id), name));
}

#endif
