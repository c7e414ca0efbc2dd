/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <sys/types.h>

#include "perf_events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/files.h"
#include "lib/util.h"

#define UNITS "/sys/bus/event_source/devices/"
#define TRACING "/sys/kernel/tracing/events/"

#define CACHE(cache, op, result) \
	((uint64_t)PERF_COUNT_HW_CACHE_##cache | (uint64_t)PERF_COUNT_HW_CACHE_OP_##op << 8 | \
	 (uint64_t)PERF_COUNT_HW_CACHE_RESULT_##result << 16)
#define NS CINSTR_SAMPLING_NS
#define CYCLES CINSTR_SAMPLING_CYCLES
#define EVENTS CINSTR_SAMPLING_EVENTS
#define CLOCK_INTERVAL 1000000
#define CYCLES_INTERVAL 10000000
#define MANY_INTERVAL 1000000 /* of what happens all the time */
#define SOME_INTERVAL 10000

static const struct named_event {
	const char *name;
	struct perf_event event;
} table[] = {
#define HARDWARE(name, id, unit, interval) \
	{ \
		name, \
		{ \
			PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id, 0, 0, unit, interval, 0 \
		} \
	}
#define SOFTWARE(name, id, unit, interval, kernel) \
	{ \
		name, \
		{ \
			PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id, 0, 0, unit, interval, kernel \
		} \
	}
#define CACHED(name, cache, op, result, interval) \
	{ \
		name, \
		{ \
			PERF_TYPE_HW_CACHE, CACHE(cache, op, result), 0, 0, EVENTS, interval, 0 \
		} \
	}
	HARDWARE("cycles", CPU_CYCLES, CYCLES, CYCLES_INTERVAL),
	HARDWARE("cpu-cycles", CPU_CYCLES, CYCLES, CYCLES_INTERVAL),
	SOFTWARE("cpu-clock", CPU_CLOCK, NS, CLOCK_INTERVAL, 0),
	SOFTWARE("task-clock", TASK_CLOCK, NS, CLOCK_INTERVAL, 0),
	SOFTWARE("page-faults", PAGE_FAULTS, EVENTS, 1, 0),
	SOFTWARE("minor-faults", PAGE_FAULTS_MIN, EVENTS, 1, 0),
	SOFTWARE("major-faults", PAGE_FAULTS_MAJ, EVENTS, 1, 0),
	SOFTWARE("context-switches", CONTEXT_SWITCHES, EVENTS, 1, 1),
	SOFTWARE("cpu-migrations", CPU_MIGRATIONS, EVENTS, 1, 1),
	SOFTWARE("alignment-faults", ALIGNMENT_FAULTS, EVENTS, 1, 0),
	SOFTWARE("emulation-faults", EMULATION_FAULTS, EVENTS, 1, 0),
	HARDWARE("instructions", INSTRUCTIONS, EVENTS, CYCLES_INTERVAL),
	HARDWARE("ref-cycles", REF_CPU_CYCLES, CYCLES, CYCLES_INTERVAL),
	HARDWARE("bus-cycles", BUS_CYCLES, EVENTS, MANY_INTERVAL),
	HARDWARE("branches", BRANCH_INSTRUCTIONS, EVENTS, MANY_INTERVAL),
	HARDWARE("branch-instructions", BRANCH_INSTRUCTIONS, EVENTS, MANY_INTERVAL),
	HARDWARE("branch-misses", BRANCH_MISSES, EVENTS, SOME_INTERVAL),
	HARDWARE("cache-references", CACHE_REFERENCES, EVENTS, SOME_INTERVAL * 10),
	HARDWARE("cache-misses", CACHE_MISSES, EVENTS, SOME_INTERVAL),
	HARDWARE("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND, CYCLES, MANY_INTERVAL),
	HARDWARE("stalled-cycles-backend", STALLED_CYCLES_BACKEND, CYCLES, MANY_INTERVAL),
	CACHED("L1-dcache-loads", L1D, READ, ACCESS, MANY_INTERVAL),
	CACHED("L1-dcache-load-misses", L1D, READ, MISS, SOME_INTERVAL),
	CACHED("L1-dcache-stores", L1D, WRITE, ACCESS, MANY_INTERVAL),
	CACHED("L1-dcache-store-misses", L1D, WRITE, MISS, SOME_INTERVAL),
	CACHED("L1-dcache-prefetches", L1D, PREFETCH, ACCESS, SOME_INTERVAL),
	CACHED("L1-icache-loads", L1I, READ, ACCESS, MANY_INTERVAL),
	CACHED("L1-icache-load-misses", L1I, READ, MISS, SOME_INTERVAL),
	CACHED("LLC-loads", LL, READ, ACCESS, SOME_INTERVAL),
	CACHED("LLC-load-misses", LL, READ, MISS, SOME_INTERVAL),
	CACHED("LLC-stores", LL, WRITE, ACCESS, SOME_INTERVAL),
	CACHED("LLC-store-misses", LL, WRITE, MISS, SOME_INTERVAL),
	CACHED("dTLB-loads", DTLB, READ, ACCESS, MANY_INTERVAL),
	CACHED("dTLB-load-misses", DTLB, READ, MISS, SOME_INTERVAL),
	CACHED("dTLB-stores", DTLB, WRITE, ACCESS, MANY_INTERVAL),
	CACHED("dTLB-store-misses", DTLB, WRITE, MISS, SOME_INTERVAL),
	CACHED("iTLB-loads", ITLB, READ, ACCESS, MANY_INTERVAL),
	CACHED("iTLB-load-misses", ITLB, READ, MISS, SOME_INTERVAL),
	CACHED("branch-loads", BPU, READ, ACCESS, MANY_INTERVAL),
	CACHED("branch-load-misses", BPU, READ, MISS, SOME_INTERVAL),
	CACHED("node-loads", NODE, READ, ACCESS, SOME_INTERVAL),
	CACHED("node-load-misses", NODE, READ, MISS, SOME_INTERVAL),
};

/* ---- numbers and files ----------------------------------------------------------------------- */

/* All of the text is a number; 0, or -1. */
static int number_parse(const char *text, int base, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, base);
	return !*text || *text == '-' || *end || errno ? -1 : 0;
}

/* The first line of a file in /sys. 0, or -1. */
static int line_read(const char *path, char *line, size_t size)
{
	FILE *file = files_kernel("%s", path);
	char *read = file ? fgets(line, (int)size, file) : NULL;

	if (file)
		fclose(file);
	if (!read)
		return -1;
	line[strcspn(line, "\n")] = '\0';
	return 0;
}

/* ---- events of a unit: unit/event/ or unit/term=value,.../ ----------------------------------- */

/* Puts the lowest bits of a value where a format ("config1:0-7,32-35") says. 0, or -1. */
static int bits_put(struct perf_event *event, const char *format, uint64_t value)
{
	uint64_t *field = !strncmp(format, "config2:", 8)   ? &event->config2
			  : !strncmp(format, "config1:", 8) ? &event->config1
			  : !strncmp(format, "config:", 7)  ? &event->config
							    : NULL;
	const char *at = strchr(format, ':');

	if (!field)
		return -1;
	do {
		char *end;
		unsigned long first = strtoul(++at, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (unsigned long bit = first; bit <= last && bit < 64; bit++, value >>= 1)
			*field |= (value & 1) << bit;
		at = end;
	} while (*at == ',');
	return *at || value ? -1 : 0;
}

/* "name=value", or "name": 1. */
static int term_put(struct perf_event *event, const char *unit, const char *term)
{
	char path[256], format[128], name[64];
	size_t n = strcspn(term, "=");
	uint64_t value = 1;

	if (!n || n >= sizeof(name) || (term[n] && number_parse(term + n + 1, 0, &value)))
		return -1;
	snprintf(name, sizeof(name), "%.*s", (int)n, term);
	if (!strcmp(name, "config")) {
		event->config = value;
		return 0;
	}
	snprintf(path, sizeof(path), UNITS "%s/format/%s", unit, name);
	return strchr(name, '/') || line_read(path, format, sizeof(format)) ? -1
									    : bits_put(event, format, value);
}

static int terms_put(struct perf_event *event, const char *unit, char *terms)
{
	char *rest = NULL;

	for (char *term = strtok_r(terms, ",", &rest); term; term = strtok_r(NULL, ",", &rest))
		if (term_put(event, unit, term))
			return -1;
	return 0;
}

static int find_in_unit(const char *name, struct perf_event *event)
{
	char path[320], line[256], unit[64], terms[192];
	size_t n = strcspn(name, "/"), length = strlen(name);
	uint64_t type;

	if (!n || n >= sizeof(unit) || name[0] == '.' || length - n < 2 || length - n > sizeof(terms))
		return -1;
	snprintf(unit, sizeof(unit), "%.*s", (int)n, name);
	snprintf(terms, sizeof(terms), "%s", name + n + 1);
	terms[strcspn(terms, "/")] = '\0';
	snprintf(path, sizeof(path), UNITS "%s/type", unit);
	if (line_read(path, line, sizeof(line)) || number_parse(line, 10, &type))
		return -1;
	*event = (struct perf_event){ .type = (uint32_t)type, .unit = EVENTS, .interval = MANY_INTERVAL };
	snprintf(path, sizeof(path), UNITS "%s/events/%s", unit, terms);
	if (!strpbrk(terms, "=,") && !line_read(path, line, sizeof(line)))
		return terms_put(event, unit, line);
	return terms_put(event, unit, terms);
}

/* "sched:sched_switch": a tracepoint; its number can be read by root only. */
static int find_tracepoint(const char *name, struct perf_event *event)
{
	char path[256], line[64];
	size_t n = strcspn(name, ":");
	uint64_t id;

	snprintf(path, sizeof(path), TRACING "%.*s/%s/id", (int)n, name, name + n + 1);
	if (strchr(name, '/') || name[0] == '.' || line_read(path, line, sizeof(line)) ||
	    number_parse(line, 10, &id))
		return -1;
	*event = (struct perf_event){
		.type = PERF_TYPE_TRACEPOINT, .config = id, .unit = EVENTS, .interval = 1, .needs_kernel = 1
	};
	return 0;
}

/* ---- names ----------------------------------------------------------------------------------- */

int perf_event_find(const char *name, struct perf_event *event)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (!strcmp(table[i].name, name)) {
			*event = table[i].event;
			return 0;
		}
	*event = (struct perf_event){ .type = PERF_TYPE_RAW, .unit = EVENTS, .interval = MANY_INTERVAL };
	if (name[0] == 'r' && !number_parse(name + 1, 16, &event->config))
		return 0;
	if (strchr(name, '/'))
		return find_in_unit(name, event);
	return strchr(name, ':') ? find_tracepoint(name, event) : -1;
}

const char *perf_event_closest(const char *name)
{
	const char *names[ARRAY_SIZE(table)];

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		names[i] = table[i].name;
	return util_closest(name, names, ARRAY_SIZE(names));
}

/* ---- opening --------------------------------------------------------------------------------- */

void perf_event_attr(const struct perf_event *event, struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){ .size = sizeof(*attr),
					  .type = event->type,
					  .config = event->config,
					  .config1 = event->config1,
					  .config2 = event->config2,
					  .sample_period = event->interval,
					  .disabled = 1,
					  .exclude_hv = 1,
					  .use_clockid = 1,
					  .clockid = CLOCK_MONOTONIC_RAW };
	attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	attr->sample_id_all = 1;
}

int perf_event_open_fd(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Opens the event for this process and closes it again. Returns 0, or errno. */
static int tries(const struct perf_event *event, int kernel)
{
	struct perf_event_attr attr;
	int fd;

	perf_event_attr(event, &attr);
	attr.exclude_kernel = !kernel;
	attr.exclude_callchain_kernel = 1;
	fd = perf_event_open_fd(&attr, 0, -1);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

int perf_event_works(const struct perf_event *event, int *kernel)
{
	int why = tries(event, 1);

	*kernel = !why;
	if ((why == EACCES || why == EPERM) && !event->needs_kernel)
		why = tries(event, 0);
	return why;
}

/* ---- list ------------------------------------------------------------------------------------ */

static const char *why_not(int why)
{
	switch (why) {
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
	case EINVAL:
		return "no: this machine has no such counter";
	case EACCES:
	case EPERM:
		return "no: not permitted (kernel.perf_event_paranoid)";
	case ENOSYS:
		return "no: the kernel has no perf_event_open";
	default:
		return strerror(why);
	}
}

static void interval_say(const struct perf_event *event, struct strbuf *text)
{
	strbuf_clear(text);
	if (event->unit == NS)
		strbuf_duration(text, (long double)event->interval);
	else
		strbuf_thousands(text, event->interval);
}

static void event_list(const char *name, const struct perf_event *event)
{
	STRBUF(interval);
	int kernel, why = perf_event_works(event, &kernel);

	interval_say(event, &interval);
	printf("%-28s %12s  %s\n", name, interval.text,
	       why	? why_not(why)
	       : kernel ? "yes"
			: "yes, in the program's own code");
}

void perf_events_list(void)
{
	printf("%-28s %12s  %s\n", "EVENT", "INTERVAL", "WORKS HERE");
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		event_list(table[i].name, &table[i].event);
	printf("\nFurther: rNNN (a raw event, hexadecimal), UNIT/EVENT/ and UNIT/TERM=VALUE,.../ of\n" UNITS
	       ", SUBSYSTEM:NAME (a tracepoint).\n");
}
