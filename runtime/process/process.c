/* SPDX-License-Identifier: MIT */
/*
 * process.c - the life of a recorded process: attach at the first module's constructor, fork, exit.
 *
 * Nothing here is needed for the data to be there: whatever ends the process, the file is complete
 * up to the last event. The exit handler only adds how it ended, checksums, and cuts off unused
 * blocks.
 */
#include <errno.h>
#include <linux/membarrier.h>
#include <linux/rseq.h>

#include "runtime.h"

#define SITES_WORDS (64u << 20) /* codes for 512 MiB of text; address space only */
#define SITES_WORDS_MIN (1u << 20)
/* an interval this many times as long as the question what happened in it: then it is asked */
#define THRESHOLD_PRICES 10
#define CALIBRATION_ROUNDS 4

struct runtime cinstr;
int cinstr_has_xsave;

/* ---- attach ---------------------------------------------------------------------------------- */

/* Has glibc registered restartable sequences with the kernel? */
static int has_sequences(void)
{
	ptrdiff_t offset = libc_rseq_offset();
	const struct rseq *rseq = (const void *)((char *)__builtin_thread_pointer() + offset);

	return offset && (int32_t)rseq->cpu_id >= 0;
}

/* Restartable sequences, or a word of our own that nobody clears. */
static void choose_armed(void)
{
	static const char *const words[] = { "auto", "off", NULL };
	ptrdiff_t own = (char *)&cinstr_probe.armed - (char *)__builtin_thread_pointer();

	cinstr.armed_offset = own;
	cinstr.restartable = 0;
	if (option_word(CINSTR_OPTION_RESTARTABLE, words) == 1 || cinstr.clock != CINSTR_CLOCK_TSC)
		return;
	if (!has_sequences())
		return;
	cinstr.restartable = 1;
	cinstr.armed_offset = libc_rseq_offset() + (ptrdiff_t)offsetof(struct rseq, rseq_cs);
}

/* Address space for the tables by code; all of them, or none. */
static int take_site_places(uint32_t words)
{
	struct place *places[] = { &cinstr.words_place,	  &cinstr.indirect_place, &cinstr.wrappers_place,
				   &cinstr.demoted_place, &cinstr.counted_place,  &cinstr.lost_place,
				   &cinstr.names_place };
	uint64_t bytes[] = { (uint64_t)words * 4, words / 8,	       words / 8,	   words / 4,
			     words / 8,		  (uint64_t)words * 4, (uint64_t)words * 2 };
	size_t n = sizeof(places) / sizeof(*places);

	for (size_t i = 0; i < n; i++)
		if (!place_take(places[i], -1, bytes[i], CINSTR_PAGE)) {
			while (i-- > 0)
				place_drop(places[i]);
			return -1;
		}
	return 0;
}

static int reserve_sites(void)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	uint32_t words = SITES_WORDS;

	SYS4(SYS_prlimit64, 0, RLIMIT_AS, NULL, &limit);
	while (words > SITES_WORDS_MIN && words > limit.rlim_cur / 64)
		words /= 2;
	for (; words >= SITES_WORDS_MIN; words /= 2) {
		if (take_site_places(words))
			continue;
		cinstr.demoted = (void *)cinstr.demoted_place.at;
		cinstr.lost = (void *)cinstr.lost_place.at;
		cinstr.sites.words = (void *)cinstr.words_place.at;
		cinstr.sites.wrappers = (void *)cinstr.wrappers_place.at;
		cinstr.indirect = (void *)cinstr.indirect_place.at;
		cinstr.sites.n_words = 0;
		cinstr.sites_reserved = words;
		cinstr.next_code = 4096;
		return 0;
	}
	return -ENOMEM;
}

/* A page that a forked child finds zeroed, however it was forked. */
static int make_alive(void)
{
	cinstr.alive = sys_memory(CINSTR_PAGE);
	if (sys_failed(cinstr.alive))
		return -ENOMEM;
	*cinstr.alive = 1;
	/* MADV_WIPEONFORK; without: fork() only is seen */
	SYS3(SYS_madvise, cinstr.alive, CINSTR_PAGE, 18);
	return 0;
}

/* The session that the environment names, or an ancestor's, or this process's from before an exec.
 * 1: it takes part in it. */
static int join_session(char *folder)
{
	const char *named = option_value(CINSTR_OPTION_SESSION);
	size_t n = string_length(named);
	int error = *named && n < SESSION_PATH_MAX ? session_join(named) : -ENOENT;

	if (!error) {
		arch_copy(folder, named, n + 1);
		return 1;
	}
	/* -ENOENT: that session is gone: the process that told of it ended, with nothing in it */
	if (error != -ENOENT)
		cinstr_say("recording into a session of its own, as it cannot join the one of CINSTR_SESSION",
			   named, -error);
	return (session_find_ancestor(!atomic_load_relaxed(&cinstr.not_apart), folder) ||
		session_find_own(ranks_wanted(), folder)) &&
	       !session_join(folder);
}

/* Where others may read: CINSTR_MODE. */
static void choose_modes(void)
{
	static const char *const words[] = { "0600", "0640", "0644", "unchecked", NULL };
	static const uint32_t files[] = { 0600, 0640, 0644, 0600 };
	int word = option_word(CINSTR_OPTION_MODE, words);

	folder_modes(files[word], word == 3);
}

/* The process's file and its folder, with what is needed to make them. */
struct making {
	char *folder; /* its path: room for it */
	long tid;     /* of the process's thread */
	int error;
};

static int open_session(char *folder)
{
	int result;

	choose_modes();
	if (join_session(folder)) {
		messages_go(0);
		return 0;
	}
	result = ranks_open_session(folder);
	messages_go(result != SESSION_JOINED);
	if (result == SESSION_JOINED)
		return 0;
	options_check_names();
	if (result == SESSION_BESIDE)
		cinstr_tell("another program is recording there; this session is in", folder);
	if (result == SESSION_ELSEWHERE)
		cinstr_say(
			"cannot use the session's folder: it is another user's, not a session, or cannot be "
			"moved; this session is in",
			folder, 0);
	return result < 0 ? result : 0;
}

/* The data file, in the session's folder. */
static int open_file(const char *folder)
{
	int error = store_create(folder, session_folder());

	if (error)
		session_undo();
	else
		session_keep();
	return error;
}

static void fill_identity(int forked)
{
	struct cinstr_header *header = cinstr.header;

	header->pid = (uint32_t)SYS0(SYS_getpid);
	header->parent_pid = (uint32_t)SYS0(SYS_getppid);
	header->process_start = session_process_start();
	header->start_realtime_ns = sys_clock_ns(CLOCK_REALTIME);
	header->clock = (uint32_t)cinstr.clock;
	header->probes = rules_choice->functions_only ? 1 : rules_choice->lines ? 3 : 2;
	header->threshold_ticks = cinstr.threshold;
	header->streams = cinstr.entry_ticks && cinstr.entry_ticks != UINT64_MAX;
	header->restartable = (uint32_t)cinstr.restartable;
	header->forked = (uint32_t)forked;
	header->mixed = (uint32_t)cinstr.is_mixed;
	header->self_sampled = (uint32_t)cinstr.is_self_sampled;
	timeline_describe(header);
	cinstr.pid = header->pid;
}

/* The magic comes last: a file without it was never begun. */
static void publish(void)
{
	struct cinstr_header *header = cinstr.header;

	header->identity_checksum = store_identity_checksum(header);
	atomic_fence_release(); /* reader */
	arch_copy(header->magic, CINSTR_FILE_MAGIC, 8);
}

/* Makes what the program leaves as complete as it can be. */
static void end_file(void)
{
	cinstr.header->end_ticks = clock_now();
	thread_exit_process();
	switch_finish();
	segments_end();
	if (!cinstr.loader_is_unsure)
		modules_scan();
	clock_mark(2);
	store_trim();
	cinstr_tell("recorded", cinstr.store.path);
}

static void on_process_exit(void *data, int status)
{
	(void)data;
	if (!cinstr.header || !runtime_enter())
		return;
	if ((long)cinstr.header->pid == SYS0(SYS_getpid)) {
		cinstr.header->end = CINSTR_END_HANDLERS; /* also when recording has ended before */
		cinstr.header->end_status = libc_tells_status() ? status & 0xff : -1;
		cinstr.header->end_realtime_ns = sys_clock_ns(CLOCK_REALTIME);
		session_note_end();
		if (cinstr.state == RUNTIME_ON)
			end_file();
	}
	runtime_leave();
}

static uint64_t fork_mask; /* of the thread that forks, while it holds the locks (cinstr.forking) */
static int forks_alone;	   /* there is no thread but the one that forks */

static int is_forking(void)
{
	return atomic_load_relaxed(&cinstr.forking) == &cinstr_probe;
}

static void set_forking(struct probe_state *probe)
{
	atomic_store_relaxed(&cinstr.forking, probe);
}

/* Signals stay off until the handlers after the fork: a handler's probe would wait for the lock. */
static void before_fork(void)
{
	uint64_t now, old;

	/* A task beside the thread forks as one that runs no handlers. */
	if (cinstr.state != RUNTIME_ON || !runtime_enter())
		return;
	if (tasks_is_other()) {
		runtime_leave();
		return;
	}
	now = clock_now(); /* another thread may switch, or fork, for long */
	patch_lock(&old);
	slow_call_begin(&cinstr_probe);
	if (cinstr_probe.thread)
		thread_fold_to(cinstr_probe.thread, now); /* the child begins here */
	counting_close(&cinstr_probe);
	slow_call_end(&cinstr_probe);
	thread_arm(&cinstr_probe);
	store_lock();
	thread_before_fork();
	fork_mask = old;
	forks_alone = libc_is_single_threaded();
	set_forking(&cinstr_probe);
}

static void after_fork_parent(void)
{
	uint64_t mask;

	/* or another one forks, and this one holds nothing */
	if (!is_forking() || tasks_is_other())
		return;
	mask = fork_mask;
	forks_alone = 0;
	thread_after_fork();
	set_forking(NULL);
	store_unlock(~0ull);
	if (cinstr_probe.thread)
		segments_open(cinstr_probe.thread);
	patch_unlock(mask);
	runtime_leave();
}

/* A data file in the parent's folder, which may have been moved: the store's path is the parent's
 * file's. */
static void make_childs_file(void *data)
{
	struct making *making = data;
	int fd = reach_file();
	size_t n = string_length(cinstr.store.path);

	if (fd >= 0)
		reach_close(fd);
	arch_copy(making->folder, cinstr.store.path, n + 1);
	while (n > 0 && making->folder[n] != '/')
		n--;
	making->folder[n] = '\0';
	making->error = store_create_beside(making->folder);
	if (!making->error)
		fill_identity(1);
}

/* In a forked child: a data file of its own, in the same session. Also from the slow path; system
 * calls only. */
void process_forked(void)
{
	char *parent = cinstr.store.file;
	uint64_t parent_bytes =
		cinstr.store.ready; /* the parent's file may have grown: not accessible here */
	struct place old = cinstr.store.place;
	const struct thread *parents = cinstr_probe.thread;
	char folder[SESSION_PATH_MAX + 64];
	struct making making = { .folder = folder };
	int error;

	counting_close(&cinstr_probe);
	cinstr.store.lock = 0;
	if (!is_forking()) /* that was another thread, which does not exist in this process */
		set_forking(NULL);
	patch_forked();
	clock_forked();
	*cinstr.alive = 1;
	cinstr.n_inside = 1;
	cinstr.n_gates = cinstr_probe.gate != 0;
	cinstr.loader_is_unsure |= !forks_alone;
	forks_alone = 0;
	cinstr.threads = cinstr.free_threads = cinstr.look_next = NULL;
	cinstr.n_threads = cinstr.n_trees = 0;
	cinstr.marks = NULL;
	cinstr.n_marks_segments = 0;
	timeline_forked();
	stretches_forked();
	call_apart(make_childs_file, &making);
	error = making.error;
	if (error) {
		/* The old mapping is the parent's file: no thread may write there any more. */
		thread_off(&cinstr_probe);
		counting_hide(parents);
		levels_drop_process();
		held_end();
		cinstr.header = NULL;
		cinstr.store.file = NULL;
		cinstr.state = RUNTIME_OFF;
		patch_all_off();
		cinstr_say("a child process is not recorded: no data file", folder, -error);
		return;
	}
	clock_inherit((struct cinstr_header *)parent);
	cinstr.header->calibration = ((struct cinstr_header *)parent)->calibration;
	cinstr.header->event_cost = ((struct cinstr_header *)parent)->event_cost;
	cinstr.header->switches = cinstr.switches;
	clock_mark(1);
	marks_begin();
	phases_begin();
	held_begin();
	files_forked();
	levels_forked(parent);
	budget_forked();
	counting_forked();
	segments_forked();
	modules_copy(parent, parent_bytes);
	publish();
	thread_forked(parent, parent_bytes);
	place_drop(&old);
	counting_hide(parents);
	if (cinstr.switching) /* of a thread that does not exist in this process, and forked it */
		switch_again();
}

static void after_fork_child(void)
{
	if (!is_forking())
		return;
	set_forking(NULL);
	/* A probe in a handler that ran before this one may have done it. */
	if (cinstr.pid != SYS0(SYS_getpid)) {
		cinstr.store.lock = 0;
		patch_forked();
		if (cinstr.state == RUNTIME_ON) {
			cinstr_probe.busy = 1;
			process_forked();
			cinstr_probe.busy = 0;
			thread_arm(&cinstr_probe);
		}
		runtime_leave();
	}
	thread_after_fork();
	sys_restore_signals(fork_mask);
}

static void say_not_recorded(int error)
{
	const char *folder = ranks_wanted();

	if (!session_page().at)
		messages_go(1);
	if (error == EPERM)
		cinstr_say("not recorded: files cannot be protected from other users there (a file system "
			   "without "
			   "owners?); set CINSTR_DATA to another folder, or CINSTR_MODE=unchecked",
			   folder, 0);
	else
		cinstr_say("not recorded: no data file can be made for", folder, error);
}

/* Measures what depends on the machine, and says in the file what is known by now. */
static void describe(void)
{
	budget_begin();
	clock_mark(0);
	timeline_init();
	cinstr.threshold = min_of(os_price_ticks() * THRESHOLD_PRICES, UINT32_MAX / 2);
	cinstr.entry_ticks = os_entry_ticks();
	resume_init();
	fill_identity(0);
	properties_write();
	if (counting_is_on())
		counting_look_for_tracer();
}

/* All that needs descriptors, for a task takes longer than most of it. */
static void make_first_file(void *data)
{
	struct making *making = data;

	making->error = open_session(making->folder);
	if (!making->error)
		making->error = open_file(making->folder);
	if (making->error)
		return;
	method_settle(making->tid);
	counter_settle(making->tid);
	describe();
}

static int attach(void)
{
	char folder[SESSION_PATH_MAX];
	struct making making = { .folder = folder, .tid = SYS0(SYS_gettid) };
	int error;

	clock_choose();
	cinstr.has_ticks = cinstr.clock == CINSTR_CLOCK_TSC;
	choose_armed();
	rules_begin();
	cinstr.chooses_paths = option_paths(&cinstr.max_paths);
	cinstr_has_xsave = arch_has_xsave();
	error = reserve_sites();
	if (!error)
		error = make_alive();
	if (!error)
		error = levels_begin();
	if (!error) {
		call_apart(make_first_file, &making);
		error = making.error;
	}
	if (error) {
		say_not_recorded(-error);
		return error;
	}
	marks_begin();
	phases_begin();
	held_begin();
	if (counting_is_on())
		counting_begin();
	levels_map_session();
	levels_start();
	thread_init();
	libc_at_exit(on_process_exit);
	libc_at_fork(before_fork, after_fork_parent, after_fork_child);
	SYS3(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
	/* ..._RSEQ: for switch.c; older headers have no name for it */
	SYS3(SYS_membarrier, 1 << 8, 0, 0);
	cinstr.state = RUNTIME_ON;
	return 0;
}

/* What the process was before, in the file that its collector has made, or as it is to begin. */
static void take_state(const char *folder)
{
	int fd = session_open_samples(folder, cinstr.header->pid);
	const char *page = fd < 0 ? NULL : sys_mmap(NULL, CINSTR_PAGE, PROT_READ, MAP_SHARED, fd, 0);

	if (fd >= 0)
		sys_close(fd);
	if (!page || sys_failed(page)) {
		levels_start();
		return;
	}
	levels_forked(page);
	sys_munmap((void *)page, CINSTR_PAGE);
}

int process_make_companion(uint64_t begin_ns, uint64_t begin_realtime_ns, int forked)
{
	const char *folder = option_value(CINSTR_OPTION_SESSION);
	int error = *folder ? 0 : -ENOENT;
	int is_first = !session_page().at;

	if (!error && !cinstr.control_pages)
		error = levels_begin();
	if (!error && is_first) {
		choose_modes();
		error = session_join(folder);
	}
	if (!error)
		error = is_first ? open_file(folder) : store_create_beside(folder);
	messages_go(error && is_first);
	if (error)
		return error;
	fill_identity(forked);
	cinstr.header->start_realtime_ns = begin_realtime_ns;
	cinstr.header->method = CINSTR_METHOD_SAMPLING;
	cinstr.header->sampling.flags = CINSTR_SAMPLING_COMPANION;
	cinstr.header->clock_ticks[0] = cinstr.header->clock_ns[0] = begin_ns;
	clock_mark(1);
	properties_write();
	marks_begin();
	if (is_first)
		levels_map_session();
	if (!forked)
		take_state(folder);
	publish();
	store_trim();
	return 0;
}

/* Where no session of record's is there to keep it, the process says it itself. */
static void say_refused(int error, const void *ehdr, const void *code)
{
	const char *session = option_value(CINSTR_OPTION_SESSION);
	int is_joined;

	choose_modes();
	is_joined = *session && !session_join(session);
	messages_go(!is_joined);
	if (error > 0)
		module_say_left(ehdr, code);
	else
		patch_say_refused(-error);
	if (!is_joined)
		return;
	session_keep();
	session_leave();
}

/* Asked before anything is made: a session in which nothing can be recorded would take the place of
 * a good one. A module loaded later may have code that can be changed (mseal), or does not look at
 * its own. */
static void attach_if_permitted(const void *ehdr, const void *code)
{
	static int is_said;
	int error = module_try(ehdr, code);

	if (!error) {
		attach();
		return;
	}
	cinstr.state = RUNTIME_NEW;
	if (!is_said)
		say_refused(error, ehdr, code);
	is_said = 1;
}

/* ehdr, code: of the module that asks, and of its hook. */
static void start(const void *ehdr, const void *code)
{
	static const char *const yes_no[] = { "0", "1", NULL };

	/* So under valgrind, which ends a program that makes such a task. */
	if (!has_sequences())
		apart_not();
	messages_begin();
	options_read();
	cinstr.verbose = option_word(CINSTR_OPTION_VERBOSE, yes_no);
	cinstr.state = RUNTIME_OFF;
	if (option_is_off())
		return;
	if (method_choose()) {
		sampled_begin();
		return;
	}
	counter_choose();
	attach_if_permitted(ehdr, code);
}

/* Runs once, when the first module's tables are known: the thunks are there to be measured. */
static void finish_attach(uint64_t begin_ns)
{
	cinstr_probe.busy = 1;
	calibrate(CALIBRATION_ROUNDS);
	clock_set_event_cost();
	cinstr_probe.busy = 0;
	clock_mark(1);
	modules_scan();
	cinstr.header->attach_ns = sys_clock_ns(CLOCK_MONOTONIC_RAW) - begin_ns;
	publish();
}

/* A set-user-ID program would write files with another user's rights: it is not recorded. */
static int may_start(const void *ehdr, const struct cinstr_abi_start *how)
{
	int is_known = !libc_find(how->debug, ehdr);

	if ((is_known && libc_is_secure()) || !seccomp_permits_start())
		return 0;
	if (is_known)
		return 1;
	messages_begin();
	messages_go(1);
	cinstr_say("not recorded: the program's C library is neither glibc nor musl", NULL, 0);
	return 0;
}

/* The runtime's own variables, where it is a library by itself. */
static void ignore_races(const void *ehdr)
{
	struct image image;

	if (image_find(&image, ehdr, ehdr))
		return;
	for (int i = 0; i < image.n; i++)
		if (image.headers[i].p_type == PT_LOAD && image.headers[i].p_flags & PF_W)
			race_tools_ignore((const void *)(image.base + image.headers[i].p_vaddr),
					  image.headers[i].p_memsz);
}

/* What the hook tells of this library. */
static void note_start(const struct cinstr_abi_start *how)
{
	thread_place_probe(how->offset);
	thunks_place_aborts(how->carrier);
	if (how->carrier)
		cinstr.carrier = how->carrier;
	if (!how->runtime || cinstr.own_image)
		return;
	ignore_races(how->runtime);
	cinstr.own_image = how->runtime;
	arch_copy(cinstr.own_path, how->path, min_of(string_length(how->path), sizeof(cinstr.own_path) - 1));
}

__attribute__((visibility("default"))) void cinstr_register_v1(const void *ehdr,
							       const struct cinstr_abi_hook *hook,
							       const void *code,
							       const struct cinstr_abi_start *how)
{
	uint64_t begin_ns, old;

	note_start(how);
	if (cinstr.state == RUNTIME_NEW && !may_start(ehdr, how))
		cinstr.state = RUNTIME_OFF;
	if (cinstr.state == RUNTIME_OFF)
		return;
	if (cinstr.state == RUNTIME_NEW) /* the kernel puts these bytes there */
		cinstr.main_stack = libc_auxiliary(AT_RANDOM);
	begin_ns = sys_clock_ns(CLOCK_MONOTONIC_RAW);
	old = sys_block_signals();
	if (cinstr.state == RUNTIME_NEW)
		start(ehdr, code);
	if (cinstr.state == RUNTIME_ON) {
		module_add(ehdr, hook, code);
		if (!cinstr.header->identity_checksum)
			finish_attach(begin_ns);
		else
			modules_scan();
	} else if (cinstr.state == RUNTIME_SAMPLED) {
		sampled_offer();
	}
	sys_restore_signals(old);
}

__attribute__((visibility("default"))) void cinstr_unregister_v1(const void *ehdr)
{
	if (!runtime_enter())
		return;
	module_remove(ehdr); /* also when recording has ended: sleds may still be switched off */
	runtime_leave();
}
