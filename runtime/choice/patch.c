/* SPDX-License-Identifier: MIT */
/*
 * patch.c - switches sleds on and off: a 5-byte NOP becomes a call to a thunk, or a jump to a stub
 * that counts, and back. And the lock for switching.
 *
 * A sled lies inside one aligned 8-byte word, so one aligned store changes it, also while other
 * threads run it: a processor fetches the old instruction or the new one, and both are one
 * instruction of the same length, so that no thread's instruction pointer is inside of it. A sled
 * that is neither the NOP, a call nor a jump to a stub was changed by another tool (a debugger's
 * breakpoint, a tool that redirects functions): it is left alone and counted.
 *
 * Text is writable only while the lock is held.
 */
#include <errno.h>
#include <linux/membarrier.h>

#include "runtime.h"
#include "tables.h"

#define MASK_5_BYTES 0xffffffffffull
#define LOCK_SPINS 100
#define LOCK_NAP_NS 50000

/* ---- the lock -------------------------------------------------------------------------------- */

/* This word is in the page that a forked child finds zeroed: the child does not have the thread
 * that holds the lock. */
static uint64_t *lock_word(void)
{
	return &cinstr.alive[1];
}

static int try_word(void)
{
	return !atomic_swap(lock_word(), 1);
}

int patch_try_lock(uint64_t *old)
{
	*old = sys_block_signals();
	if (try_word())
		return 1;
	sys_restore_signals(*old);
	return 0;
}

void patch_lock(uint64_t *old)
{
	struct timespec nap = { 0, LOCK_NAP_NS };

	*old = sys_block_signals();
	for (int i = 0; !try_word(); i++)
		if (i < LOCK_SPINS)
			SYS0(SYS_sched_yield);
		else /* the holder may have a lower priority, and need this processor */
			SYS2(SYS_nanosleep, &nap, NULL);
}

static void all_off(void);

/*
 * Who ends recording while another thread holds the lock leaves the sleds to that thread. One side
 * sets the state and then looks at the lock, the other one lets go of the lock and then looks at
 * the state: so at least one of them sees what the other did.
 */
void patch_unlock(uint64_t old)
{
	do {
		if (atomic_load_ordered(&cinstr.state) == RUNTIME_OFF)
			all_off();
		atomic_swap(lock_word(), 0);
	} while (atomic_load_ordered(&cinstr.state) == RUNTIME_OFF && cinstr.any_on && try_word());
	sys_restore_signals(old);
}

/* In a forked child, however forked. */
void patch_forked(void)
{
	*lock_word() = 0;
}

/* ---- access ---------------------------------------------------------------------------------- */

/* Gives the module's executable pages within [from, to) the access they were loaded with, and
 * `more`. 0 or -errno. */
static int protect(const struct module *module, uint64_t from, uint64_t to, int more)
{
	const ElfW(Phdr) *ph = module->image.headers;

	for (int i = 0; i < module->image.n; i++) {
		uint64_t start = module->base + ph[i].p_vaddr, end = start + ph[i].p_memsz;
		int access = (ph[i].p_flags & PF_R ? PROT_READ : 0) |
			     (ph[i].p_flags & PF_W ? PROT_WRITE : 0) | PROT_EXEC | more;
		int error;

		start = (start > from ? start : from) & ~(uint64_t)(CINSTR_PAGE - 1);
		end = (min_of(end, to) + CINSTR_PAGE - 1) & ~(uint64_t)(CINSTR_PAGE - 1);
		if (ph[i].p_type != PT_LOAD || !(ph[i].p_flags & PF_X) || start >= end)
			continue;
		error = sys_mprotect((void *)start, end - start, access);
		if (error)
			return error;
	}
	return 0;
}

/* Other threads may be running in the module: it stays executable. 0 or -errno: the text is not to
 * be written. */
int patch_begin(const struct module *module, uint64_t from, uint64_t to)
{
	return protect(module, from, to, PROT_READ | PROT_WRITE);
}

void patch_end(const struct module *module, uint64_t from, uint64_t to)
{
	protect(module, from, to, 0);
}

int patch_try(const struct module *module)
{
	int error = patch_begin(module, module->text_start, module->text_start + 1);

	if (!error)
		patch_end(module, module->text_start, module->text_start + 1);
	return error;
}

/* The kernel refuses with EACCES what MDWE forbids, and with EPERM what is sealed; the filter that
 * systemd makes of MemoryDenyWriteExecute answers with EPERM. */
void patch_say_refused(int error)
{
	const char *why = error == EACCES ? "MemoryDenyWriteExecute (PR_SET_MDWE) or SELinux forbids it"
			  : error == EPERM
				  ? "a filter of system calls (MemoryDenyWriteExecute) or mseal forbids it"
				  : "the system refuses it";
	int is_sampled = cinstr.is_mixed && !cinstr.is_self_sampled;
	struct text text = text_of(is_sampled ? "only sampled" : "not recorded",
				   ": this process may not change its code: ", why);

	if (!is_sampled)
		text_add(&text, "; take samples instead: cinstr record");

	cinstr_say(text.data, NULL, error == EACCES || error == EPERM ? 0 : error);
}

int patch_sync(void)
{
	return (int)SYS3(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
}

/* ---- sleds ----------------------------------------------------------------------------------- */

/* Whether the sled's five bytes are ours: somebody else may have put a jump there. */
static int is_own(const struct thunks *thunks, const char *sled, uint64_t five_bytes)
{
	switch ((uint8_t)five_bytes) {
	case ARCH_NOP_OPCODE:
	case ARCH_CALL_OPCODE:
		return 1;
	case ARCH_JUMP_OPCODE:
		return thunks &&
		       thunk_is_jumped_to(thunks, sled + ARCH_SLED_BYTES + (int32_t)(five_bytes >> 8));
	default:
		return 0;
	}
}

/*
 * The bytes beside the sled are the program's, and may become a debugger's breakpoint at any
 * moment. Not for TSan (testsuite/stress), which keeps records of text that is read-only. Each
 * store here is one atomic word.
 */
__attribute__((no_sanitize_thread)) static int store_sled(const struct thunks *thunks, char *sled,
							  uint64_t five_bytes)
{
	uint64_t *word = (uint64_t *)((uint64_t)sled & ~7ull);
	unsigned shift = ((unsigned)(uint64_t)sled & 7) * 8;
	uint64_t old = atomic_load_relaxed(word), fresh;

	do {
		if (shift > 24 || !is_own(thunks, sled, old >> shift))
			return 0;
		fresh = (old & ~(MASK_5_BYTES << shift)) | five_bytes << shift;
		if (fresh == old)
			return 1;
	} while (!atomic_compare_swap(word, &old, fresh));
	return 1;
}

/* Between patch_begin and patch_end. Returns 1: the sled leads to the thunk now. */
int patch_on(const struct thunks *thunks, char *sled, const char *thunk)
{
	uint64_t distance = (uint64_t)(thunk - (sled + ARCH_SLED_BYTES)) & 0xffffffff;
	uint64_t opcode = thunk_is_jumped_to(thunks, thunk) ? ARCH_JUMP_OPCODE : ARCH_CALL_OPCODE;

	return store_sled(thunks, sled, opcode | distance << 8);
}

int patch_off(const struct thunks *thunks, char *sled)
{
	return store_sled(thunks, sled, ARCH_SLED_NOP_WORD);
}

int patch_is_on(const char *sled)
{
	uint8_t first = atomic_load_relaxed((const uint8_t *)sled);

	return first == ARCH_CALL_OPCODE || first == ARCH_JUMP_OPCODE;
}

int patch_leads_to(const char *sled, const char *thunk)
{
	const char *behind = sled + ARCH_SLED_BYTES;

	return atomic_load_relaxed((const uint8_t *)sled) == ARCH_CALL_OPCODE &&
	       behind + *(const int32_t *)(const void *)(sled + 1) == thunk;
}

static void sled_off(const struct module *module, char *sled, uint32_t info)
{
	(void)info;
	if (patch_is_on(sled))
		patch_off(module->thunks, sled);
}

/* Under the lock. */
static void all_off(void)
{
	if (!cinstr.any_on)
		return;
	for (unsigned i = 0; i < cinstr.n_modules; i++) {
		struct module *module = &cinstr.modules[i];

		if (!module->loaded || !(module->patched || segments_are_counted(module)) ||
		    patch_begin(module, 0, UINT64_MAX))
			continue;
		module_each_sled(module, sled_off);
		segments_off(module);
		direct_module(module);
		patch_end(module, 0, UINT64_MAX);
	}
	cinstr.any_on = 0;
	patch_sync();
}

/* Called when cinstr.state is RUNTIME_OFF already, from anywhere, also under the store's lock: so
 * it does not wait. */
void patch_all_off(void)
{
	uint64_t old;

	if (patch_try_lock(&old))
		patch_unlock(old);
}
