/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Selection of functions and calls. Everything here only looks; nothing is changed.
 * A function that cannot be instrumented is left out for a reason that the tables carry, so
 * that the report can say so: it is never an error.
 */
#include "select.h"
#include "arch.h"
#include "wrappers.h"

/*
 * Callees that are the compiler's business, not the program's: their arguments or their returns
 * follow rules of their own (__morestack returns behind the next instruction, the linker rewrites
 * calls of __tls_get_addr), or they belong to another instrumentation.
 */
static const char *const skipped_prefixes[] = {
	"__asan_",
	"__ubsan_",
	"__tsan_",
	"__msan_",
	"__hwasan_",
	"__sanitizer_",
	"__gcov_",
	"mcount",
	"_mcount",
	"__fentry__",
	"__tls_get_addr",
	"__morestack",
	"__cyg_profile_func_",
	"__stack_chk_fail",
};

static bool has_attribute(tree fn, const char *name)
{
	return lookup_attribute(name, DECL_ATTRIBUTES(fn)) ||
	       lookup_attribute(name, TYPE_ATTRIBUTES(TREE_TYPE(fn)));
}

static bool is_ifunc(cgraph_node *node, void *)
{
	return node->ifunc_resolver;
}

/* An ifunc is an alias of its resolver, which runs before the module is relocated. */
static bool resolves_ifunc(cgraph_node *node)
{
	return node->call_for_symbol_and_aliases(is_ifunc, NULL, true);
}

enum cinstr_abi_reason select_function(tree fn)
{
	cgraph_node *node = cgraph_node::get(fn);

	/* DECL_NO_INSTRUMENT_FUNCTION_ENTRY_EXIT is set on every function of C: ask for the attribute. */
	if (has_attribute(fn, "no_instrument_function"))
		return CINSTR_LEFT_OUT_ATTRIBUTE;
	if (has_attribute(fn, "naked") || has_attribute(fn, "interrupt"))
		return CINSTR_LEFT_OUT_NAKED;
	if (node && resolves_ifunc(node))
		return CINSTR_LEFT_OUT_IFUNC;
	if (cfun->is_thunk || (node && (node->thunk || node->former_thunk_p())))
		return CINSTR_LEFT_OUT_THUNK;
	if (crtl->calls_eh_return || arch_foreign_abi() || has_attribute(fn, "no_caller_saved_registers"))
		return CINSTR_LEFT_OUT_OTHER;
	return SELECT_INSTRUMENT;
}

const char *select_reason_text(enum cinstr_abi_reason reason)
{
	switch (reason) {
	case CINSTR_LEFT_OUT_ATTRIBUTE:
		return "it has the attribute no_instrument_function";
	case CINSTR_LEFT_OUT_NAKED:
		return "it is naked or an interrupt handler";
	case CINSTR_LEFT_OUT_IFUNC:
		return "it resolves an ifunc";
	case CINSTR_LEFT_OUT_THUNK:
		return "it is a thunk made by the compiler";
	default:
		return "its return or its calls follow unusual rules";
	}
}

/* The symbol of a call that needs no register: `call f`, or with -fno-plt `call *f@GOTPCREL(%rip)`. */
static rtx called_symbol(rtx address)
{
	if (MEM_P(address)) {
		/* Only the table of the linker holds the function that it is named after: not a variable. */
		address = XEXP(address, 0);
		if (GET_CODE(address) != CONST || GET_CODE(XEXP(address, 0)) != UNSPEC ||
		    XINT(XEXP(address, 0), 1) != UNSPEC_GOTPCREL)
			return NULL_RTX;
		address = XVECEXP(XEXP(address, 0), 0, 0);
	}
	return GET_CODE(address) == SYMBOL_REF ? address : NULL_RTX;
}

/* The declaration of the callee, also when a register holds its address. NULL: indirect. */
static tree called_decl(rtx_insn *call)
{
	rtx mem = XEXP(get_call_rtx_from(call), 0);
	rtx symbol = called_symbol(XEXP(mem, 0));
	tree decl = symbol ? SYMBOL_REF_DECL(symbol) : MEM_EXPR(mem);

	return decl && TREE_CODE(decl) == FUNCTION_DECL ? decl : NULL_TREE;
}

const char *select_callee_name(rtx_insn *call)
{
	tree decl = called_decl(call);
	rtx symbol = called_symbol(XEXP(XEXP(get_call_rtx_from(call), 0), 0));
	const char *name = NULL;

	if (symbol)
		name = XSTR(symbol, 0);
	else if (decl)
		name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl));
	return name && *name == '*' ? name + 1 : name;
}

bool select_call_skipped(rtx_insn *call, const char *callee)
{
	if (FAKE_CALL_P(call))
		return true;
	if (!callee)
		return false;
	for (const char *prefix : skipped_prefixes)
		if (startswith(callee, prefix))
			return true;
	return false;
}

static int compare_names(const void *key, const void *element)
{
	return strcmp((const char *)key, *(const char *const *)element);
}

bool select_is_syscall(rtx_insn *call, const char *callee)
{
	tree decl = called_decl(call);

	/* A program may have a function of its own by such a name. */
	if (!callee || (decl && !DECL_EXTERNAL(decl)))
		return false;
	return bsearch(callee, wrapper_names, ARRAY_SIZE(wrapper_names), sizeof(wrapper_names[0]),
		       compare_names) != NULL;
}
