/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Removes the mark of a possible tail call from calls of functions in cinstr/amounts.h, right
 * before GCC makes machine code of them. This is the only change of a program's code beside the
 * sleds, and the registers that these destroy: `jmp read` becomes `call read; ret`. What must be a
 * tail call, by an attribute, stays one.
 *
 * The stack gets no deeper than before but for what the C library's function itself uses: the frame
 * of its caller was there just now, and these functions call nothing of the program. So only
 * functions that a system header declares are meant. A program's own function of such a name may be
 * one of a chain of tail calls without end, and keeps them.
 */
#include "tail_calls.h"
#include "arch.h"
#include "gcc.h"
#include "names.h"
#include "options.h"
#include "rules.h"
#include "select.h"

#include "cinstr/amounts.h"

static bool is_noted(gcall *call)
{
	tree callee = gimple_call_fndecl(call);

	return callee && select_is_of_system(callee) && cinstr_amount_use_of(names_assembler(callee));
}

static const struct pass_data tail_calls_pass_data = {
	GIMPLE_PASS, "cinstr_tail", OPTGROUP_NONE, TV_PLUGIN_RUN, 0, 0, 0, 0, 0,
};

class tail_calls_pass : public gimple_opt_pass
{
      public:
	tail_calls_pass() : gimple_opt_pass(tail_calls_pass_data, g)
	{
	}

	bool gate(function *function) final override
	{
		tree fn = function->decl;

		return arch_supported() && settings.calls != CALLS_NONE &&
		       rules_choose(names_of(names_assembler(fn), fn), DECL_SOURCE_FILE(fn)).verdict !=
			       RULES_EXCLUDED;
	}

	unsigned int execute(function *function) final override
	{
		basic_block block;

		FOR_EACH_BB_FN(block, function)
		for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
			gcall *call = dyn_cast<gcall *>(gsi_stmt(at));

			if (call && gimple_call_tail_p(call) && !gimple_call_must_tail_p(call) &&
			    is_noted(call))
				gimple_call_set_tail(call, false);
		}
		return 0;
	}
};

void tail_calls_register(const char *plugin_name)
{
	struct register_pass_info info = { new tail_calls_pass(), "optimized", 1, PASS_POS_INSERT_AFTER };

	register_callback(plugin_name, PLUGIN_PASS_MANAGER_SETUP, NULL, &info);
}
