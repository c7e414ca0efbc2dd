/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The unwind information is written by hand, not by .cfi directives: those may all go into
 * .debug_frame (-fno-asynchronous-unwind-tables -g).
 */
#include "room.h"
#include "arch.h"
#include "cinstr/abi.h"

static void write_unwinding(FILE *out, const char *name, unsigned int bytes)
{
	fprintf(out, "%s.Lcinstr_%s_common:\n", arch_unwind_section, name);
	fprintf(out, "\t.long\t.Lcinstr_%s_common_end-.Lcinstr_%s_common-4\n", name, name);
	fprintf(out, "\t.long\t0\n\t.byte\t1\n\t.asciz\t\"zR\"\n%s\t.p2align 3,0\n", arch_unwind_rules);
	fprintf(out, ".Lcinstr_%s_common_end:\n", name);
	fprintf(out, ".Lcinstr_%s_entry:\n\t.long\t.Lcinstr_%s_entry_end-.Lcinstr_%s_entry-4\n", name, name,
		name);
	fprintf(out, "\t.long\t.-.Lcinstr_%s_common\n\t.long\t.Lcinstr_%s-.\n\t.long\t%u\n", name, name,
		bytes);
	fprintf(out, "\t.byte\t0\n\t.p2align 3,0\n.Lcinstr_%s_entry_end:\n", name);
}

void room_write_hook(FILE *out, const char *group)
{
	fprintf(out, "\t.section\t" CINSTR_ROOM_SECTION ",\"awG\",@nobits,%s\n", group);
	fprintf(out, "\t.balign\t4096\n.Lcinstr_hook_room:\n\t.zero\t%d\n", CINSTR_ROOM_BYTES);
	write_unwinding(out, "hook_room", CINSTR_ROOM_BYTES);
}

void room_write_unit(FILE *out, unsigned int functions, unsigned int calls)
{
	unsigned int bytes = (functions * CINSTR_ROOM_FUNCTION + calls * CINSTR_ROOM_CALL + 63) / 64 * 64;

	fprintf(out, "\t.section\t" CINSTR_ROOM_SECTION ",\"aw\",@nobits\n");
	fprintf(out, "\t.balign\t64\n.Lcinstr_room:\n\t.zero\t%u\n", bytes);
	write_unwinding(out, "room", bytes);
}
