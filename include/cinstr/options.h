/* SPDX-License-Identifier: MIT */
/*
 * cinstr/options.h - the options of recording, in one table: the runtime reads them from the
 * environment, `cinstr record` takes the same as flags and passes them on, and both print this
 * help.
 *
 *   OPTION(id, environment variable, flag, argument, default, help)
 *
 * flag NULL: environment only.
 */
#ifndef CINSTR_OPTIONS_H
#define CINSTR_OPTIONS_H

#define CINSTR_OPTION_TABLE(OPTION) \
	OPTION(SWITCH, "CINSTR", NULL, "on|off", "on", \
	       "off (or 0, no, false): record nothing; off: do not even load the runtime") \
	OPTION(DATA, "CINSTR_DATA", "output", "FOLDER", "cinstr.data", \
	       "session folder; the one before it is kept as FOLDER.old") \
	OPTION(MODE, "CINSTR_MODE", "mode", "0600|0640|0644|unchecked", "0600", \
	       "who may read the session besides you, whatever the umask: 0640 the group, 0644 everybody; " \
	       "unchecked: record also where files cannot be kept from others (file systems without " \
	       "owners)") \
	OPTION(PROBES, "CINSTR_PROBES", "probes", "functions|calls|lines", "calls", \
	       "functions: entry and exit only; calls: also before and after every call; lines: also each " \
	       "source line " \
	       "(built with -fplugin-arg-cinstr-lines)") \
	OPTION(ONLY, "CINSTR_ONLY", "only", "GLOB[,GLOB...]", "", \
	       "record only functions whose name matches, or whose file:GLOB or module:GLOB does") \
	OPTION(NOT, "CINSTR_NOT", "not", "GLOB[,GLOB...]", "", \
	       "do not record functions whose name (file:GLOB, module:GLOB) matches") \
	OPTION(DEPTH, "CINSTR_DEPTH", "depth", "N", "0", \
	       "record functions down to N levels of calls; 0: all. What is deeper counts as theirs") \
	OPTION(MAX_OVERHEAD, "CINSTR_MAX_OVERHEAD", "max-overhead", "PERCENT", "0", \
	       "only count, while the program runs, the calls of functions whose probes cost most for what " \
	       "they measure, until all cost " \
	       "at most so much of the program's own processor time (0.0001 to 10000); 0: no limit") \
	OPTION(COUNTS, "CINSTR_COUNTS", "counts", "functions|sites", "functions", \
	       "of functions that are only counted: functions: how often each was entered; sites: also how " \
	       "often each of their calls was made, which tells calls by call site, and those of functions " \
	       "without probes") \
	OPTION(START, "CINSTR_START", NULL, "on|paused", "on", \
	       "paused: processes begin stopped, until the program or `cinstr control` starts them") \
	OPTION(TIMELINE, "CINSTR_TIMELINE", "timeline", "SIZE|ring:SIZE|none|unlimited", "0", \
	       "also keep every event, up to SIZE (K, M, G) bytes a process; ring:SIZE: the newest") \
	OPTION(TIMELINE_MIN, "CINSTR_TIMELINE_MIN", "timeline-min", "TIME", "0", \
	       "calls shorter than TIME (ns, us, ms, s) leave the timeline; the values keep them") \
	OPTION(KEEP_SLOWEST, "CINSTR_KEEP_SLOWEST", "keep-slowest", "FUNCTION:TIME[,...]", "", \
	       "keep the timeline's ring when FUNCTION takes longer than TIME") \
	OPTION(PATHS, "CINSTR_PATHS", "paths", "auto|N", "auto", \
	       "call paths kept a thread: the first N; auto: the first 5000, then those that take time, up " \
	       "to a " \
	       "million. Other calls are kept by function and call site") \
	OPTION(PHASES, "CINSTR_PHASES", "phases", "N", "32", \
	       "a tree of call paths of its own for what is between two marks: the first N marks of a " \
	       "process begin " \
	       "one; 0: none does") \
	OPTION(CLOCK, "CINSTR_CLOCK", "clock", "auto|tsc|monotonic", "auto", \
	       "clock of the stamps; auto: the TSC if it is invariant") \
	OPTION(RESTARTABLE, "CINSTR_RESTARTABLE", "restartable", "auto|off", "auto", \
	       "off: do without restartable sequences (signals can then cost events)") \
	OPTION(VERBOSE, "CINSTR_VERBOSE", "verbose", "0|1", "0", "1: say on stderr what the runtime does") \
	OPTION(METHOD, "CINSTR_METHOD", NULL, "instrumentation|sampling|mixed|beside", "instrumentation", \
	       "mixed: what costs too much is only counted, as by CINSTR_MAX_OVERHEAD=5, and the threads " \
	       "sample themselves, where the kernel lets them; sampling: no probes, the program is being " \
	       "sampled; beside: as mixed, and it is being sampled (both set by cinstr record for its " \
	       "descendants)") \
	OPTION(SESSION, "CINSTR_SESSION", NULL, "FOLDER", "", \
	       "join this session (set by cinstr record for its descendants)")

/* Variables that only the command and the compilers' wrappers read. */
#define CINSTR_COMMAND_VARIABLES "CINSTR_REPORT_THREADS", "CINSTR_BUILD_LOG"

enum cinstr_option {
#define CINSTR_OPTION_ID(id, env, flag, arg, def, help) CINSTR_OPTION_##id,
	CINSTR_OPTION_TABLE(CINSTR_OPTION_ID)
#undef CINSTR_OPTION_ID
		CINSTR_OPTION_COUNT
};

#endif
