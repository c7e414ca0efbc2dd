/* SPDX-License-Identifier: MIT */
/*
 * cinstr/options.h - the options of recording, in one table: the runtime reads them from the
 * environment, `cinstr record` takes the same as flags and passes them on, and both print this help.
 *
 *   OPTION(id, environment variable, flag, argument, default, help)
 *
 * flag NULL: environment only.
 */
#ifndef CINSTR_OPTIONS_H
#define CINSTR_OPTIONS_H

#define CINSTR_OPTION_TABLE(OPTION) \
	OPTION(SWITCH, "CINSTR", NULL, "on|off", "on", "off: record nothing, do not even load the runtime") \
	OPTION(DATA, "CINSTR_DATA", "output", "FOLDER", "cinstr.data", \
	       "session folder; the one before it is kept as FOLDER.old") \
	OPTION(PROBES, "CINSTR_PROBES", "probes", "functions|calls|lines", "calls", \
	       "functions: entry and exit only; calls: also before and after every call; lines: also each " \
	       "source line " \
	       "(built with -fplugin-arg-cinstr-lines)") \
	OPTION(ONLY, "CINSTR_ONLY", "only", "GLOB[,GLOB...]", "", \
	       "record only functions whose name matches") \
	OPTION(NOT, "CINSTR_NOT", "not", "GLOB[,GLOB...]", "", "do not record functions whose name matches") \
	OPTION(TIMELINE, "CINSTR_TIMELINE", "timeline", "SIZE", "0", \
	       "also keep every event, up to SIZE bytes a process (K, M, G; 'unlimited')") \
	OPTION(PATHS, "CINSTR_PATHS", "paths", "N", "1000000", \
	       "call paths kept a thread; what is called beyond is kept by function") \
	OPTION(CLOCK, "CINSTR_CLOCK", "clock", "auto|tsc|monotonic", "auto", \
	       "clock of the stamps; auto: the TSC if it is invariant") \
	OPTION(RESTARTABLE, "CINSTR_RESTARTABLE", "restartable", "auto|off", "auto", \
	       "off: do without restartable sequences (signals can then cost events)") \
	OPTION(VERBOSE, "CINSTR_VERBOSE", "verbose", "0|1", "0", "1: say on stderr what the runtime does") \
	OPTION(SESSION, "CINSTR_SESSION", NULL, "FOLDER", "", \
	       "join this session (set by cinstr record for its descendants)")

enum cinstr_option {
#define CINSTR_OPTION_ID(id, env, flag, arg, def, help) CINSTR_OPTION_##id,
	CINSTR_OPTION_TABLE(CINSTR_OPTION_ID)
#undef CINSTR_OPTION_ID
		CINSTR_OPTION_COUNT
};

#endif
