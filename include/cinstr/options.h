/* SPDX-License-Identifier: MIT */
/*
 * cinstr/options.h - the options of recording, in one table: the runtime reads them from the
 * environment, `cinstr record` takes them as flags and passes them on, and both print this help.
 *
 *   OPTION(id, environment variable, flag, argument, default, help)
 *
 * flag NULL: environment only.
 */
#ifndef CINSTR_OPTIONS_H
#define CINSTR_OPTIONS_H

#define CINSTR_OPTION_TABLE(OPTION) \
	OPTION(SWITCH, "CINSTR", NULL, "on|off", "on", \
	       "off, 0, no or false: record nothing; with off the runtime is not even loaded") \
	OPTION(DATA, "CINSTR_DATA", "output", "FOLDER", "cinstr.data", \
	       "session folder; the one before it is kept as FOLDER.old. %h in its name stands for the " \
	       "host " \
	       "(or pod), %j for the parallel job, %r for the rank in it, %p for the process, %% for %") \
	OPTION(MODE, "CINSTR_MODE", "mode", "0600|0640|0644|unchecked", "0600", \
	       "who else may read the session: 0600 nobody, 0640 your group, 0644 everybody; the umask " \
	       "does " \
	       "not matter. unchecked: record also on file systems that cannot protect files from other " \
	       "users") \
	OPTION(PROBES, "CINSTR_PROBES", "probes", "functions|calls|lines", "calls", \
	       "functions: only entry and exit of functions; calls: also before and after each call; " \
	       "lines: " \
	       "also each source line (built with -fplugin-arg-cinstr-lines)") \
	OPTION(ONLY, "CINSTR_ONLY", "only", "GLOB[,GLOB...]", "", \
	       "record only functions whose name matches, or whose file:GLOB or module:GLOB does") \
	OPTION(NOT, "CINSTR_NOT", "not", "GLOB[,GLOB...]", "", \
	       "do not record functions whose name (file:GLOB, module:GLOB) matches") \
	OPTION(DEPTH, "CINSTR_DEPTH", "depth", "N", "0", \
	       "record only N levels of calls; what is deeper is a part of the last level. 0: all levels") \
	OPTION(MAX_OVERHEAD, "CINSTR_MAX_OVERHEAD", "max-overhead", "PERCENT|unlimited", "10", \
	       "limit what probes cost, in percent of the program's own processor time (0.0001 to 10000): " \
	       "functions whose probes cost most for what they measure are then only counted, and timed by " \
	       "samples. unlimited: time every call; 0: count as soon as possible") \
	OPTION(COUNTS, "CINSTR_COUNTS", "counts", "functions|libraries|sites", "libraries", \
	       "what is counted of functions that are only counted: functions: how often they were called; " \
	       "libraries: also each call by name that they make; sites: also calls through pointers") \
	OPTION(START, "CINSTR_START", NULL, "on|paused", "on", \
	       "paused: record nothing until the program or `cinstr control` starts it") \
	OPTION(TIMELINE, "CINSTR_TIMELINE", "timeline", "SIZE|ring:SIZE|none|unlimited", "0", \
	       "also keep every event, up to SIZE bytes (K, M, G) for each process; ring:SIZE: the newest " \
	       "events") \
	OPTION(TIMELINE_MIN, "CINSTR_TIMELINE_MIN", "timeline-min", "TIME", "0", \
	       "leave calls shorter than TIME (ns, us, ms, s) out of the timeline; reports still have them") \
	OPTION(KEEP_SLOWEST, "CINSTR_KEEP_SLOWEST", "keep-slowest", "FUNCTION:TIME[,...]", "", \
	       "keep the newest events of the timeline when a call of FUNCTION takes longer than TIME") \
	OPTION(PATHS, "CINSTR_PATHS", "paths", "auto|N", "auto", \
	       "how many call paths are kept for each thread: the first N; auto: the first 32768 " \
	       "(from the ninth thread on 5000), then those that take time, up to a million. Other calls " \
	       "are kept by function and call site") \
	OPTION(PHASES, "CINSTR_PHASES", "phases", "N", "32", \
	       "keep the times between marks apart (cinstr report --by=mark), for the first N marks of a " \
	       "process; 0: do not") \
	OPTION(COUNTER, "CINSTR_COUNTER", "counter", "none|cycles|retired|misses", "none", \
	       "also count by call path what the processor counts in the program's own code: cycles, " \
	       "retired instructions, or cache misses. Every call is timed then, unless " \
	       "CINSTR_MAX_OVERHEAD is given") \
	OPTION(HELD, "CINSTR_HELD", "held", "off|on|BLOCKS", "0", \
	       "keep which blocks of memory are allocated and not freed, by call path: up to BLOCKS of " \
	       "them " \
	       "(on: 262144), beyond that a sample. Every call is timed then, unless CINSTR_MAX_OVERHEAD " \
	       "is given") \
	OPTION(CLOCK, "CINSTR_CLOCK", "clock", "auto|tsc|monotonic", "auto", \
	       "the clock: tsc: the processor's time-stamp counter; auto: that one, if it is invariant") \
	OPTION(CHECKED_CODE, "CINSTR_CHECKED_CODE", "checked-code", "leave|change", "leave", \
	       "leave: no probes in programs and libraries that look at their own code, as self-tests do " \
	       "that compare it with its file; change: probes there, too") \
	OPTION(RESTARTABLE, "CINSTR_RESTARTABLE", "restartable", "auto|off", "auto", \
	       "off: do not use restartable sequences; a signal in a probe may then lose an event") \
	OPTION(VERBOSE, "CINSTR_VERBOSE", "verbose", "0|1", "0", "1: print to stderr what the runtime does") \
	OPTION(METHOD, "CINSTR_METHOD", NULL, "auto|instrumentation|sampling|mixed|beside", "auto", \
	       "mixed: the threads sample themselves; instrumentation: they do not, and every call is " \
	       "timed, " \
	       "unless CINSTR_MAX_OVERHEAD is given; auto: mixed where the kernel permits samples, else " \
	       "instrumentation. cinstr record sets the others for its child processes: sampling: no " \
	       "probes, only samples; beside: mixed, with samples from outside") \
	OPTION(SESSION, "CINSTR_SESSION", NULL, "FOLDER", "", \
	       "join this session (cinstr record sets it for its child processes)")

/* Variables that only the command and the compilers' wrappers read. */
#define CINSTR_COMMAND_VARIABLES "CINSTR_REPORT_THREADS", "CINSTR_BUILD_LOG", "CINSTR_PAGER"

enum cinstr_option {
#define CINSTR_OPTION_ID(id, env, flag, arg, def, help) CINSTR_OPTION_##id,
	CINSTR_OPTION_TABLE(CINSTR_OPTION_ID)
#undef CINSTR_OPTION_ID
		CINSTR_OPTION_COUNT
};

#endif
