/* SPDX-License-Identifier: MIT */
/*
 * patch.c - switches sleds on and off: a 5-byte NOP becomes a call to a thunk and back.
 *
 * A sled lies inside one aligned 8-byte word, so one aligned store changes it, also while other threads run it. A
 * sled whose first byte is neither the NOP's nor the call's belongs to somebody else (a debugger's breakpoint): it is
 * left alone and counted.
 */
#include <elf.h>
#include <link.h>
#include <linux/membarrier.h>

#include "runtime.h"

#define MASK_5_BYTES 0xffffffffffull

/* Gives the module's executable segments the access they were loaded with, and `more`. 0 or -errno. */
static int protect(const struct module *module, int more)
{
	const ElfW(Ehdr) *ehdr = module->ehdr;
	const ElfW(Phdr) *ph = (const void *)((const char *)ehdr + ehdr->e_phoff);

	for (int i = 0; i < ehdr->e_phnum; i++) {
		uint64_t start = (module->base + ph[i].p_vaddr) & ~(uint64_t)(CINSTR_PAGE - 1);
		uint64_t end = (module->base + ph[i].p_vaddr + ph[i].p_memsz + CINSTR_PAGE - 1) &
			       ~(uint64_t)(CINSTR_PAGE - 1);
		int access = (ph[i].p_flags & PF_R ? PROT_READ : 0) |
			     (ph[i].p_flags & PF_W ? PROT_WRITE : 0) | PROT_EXEC | more;
		int error;

		if (ph[i].p_type != PT_LOAD || !(ph[i].p_flags & PF_X))
			continue;
		error = sys_mprotect((void *)start, end - start, access);
		if (error)
			return error;
	}
	return 0;
}

/* Other threads may be running in the module: it stays executable. 0 or -errno: the text is not to be written. */
int patch_begin(const struct module *module)
{
	return protect(module, PROT_READ | PROT_WRITE);
}

void patch_end(const struct module *module)
{
	protect(module, 0);
}

static int store_sled(char *sled, uint64_t five_bytes)
{
	uint64_t *word = (uint64_t *)((uint64_t)sled & ~7ull);
	unsigned shift = ((unsigned)(uint64_t)sled & 7) * 8;
	uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
	uint8_t first = (uint8_t)(old >> shift);

	if (shift > 24 || (first != ARCH_NOP_OPCODE && first != ARCH_CALL_OPCODE))
		return 0;
	__atomic_store_n(word, (old & ~(MASK_5_BYTES << shift)) | five_bytes << shift, __ATOMIC_RELEASE);
	return 1;
}

/* Between patch_begin and patch_end. Returns 1: the sled calls the thunk now. */
int patch_on(const struct module *module, char *sled, const char *thunk)
{
	uint64_t distance = (uint64_t)(thunk - (sled + ARCH_SLED_BYTES)) & 0xffffffff;

	(void)module;
	return store_sled(sled, ARCH_CALL_OPCODE | distance << 8);
}

static void sled_off(const struct module *module, char *sled, uint32_t info)
{
	(void)module;
	(void)info;
	if (*(uint8_t *)sled == ARCH_CALL_OPCODE)
		store_sled(sled, ARCH_SLED_NOP_WORD);
}

void patch_all_off(void)
{
	for (unsigned i = 0; i < cinstr.n_modules; i++) {
		struct module *module = &cinstr.modules[i];

		if (!module->loaded || !module->patched || patch_begin(module))
			continue;
		module_each_sled(module, sled_off);
		patch_end(module);
		SYS3(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
	}
}
