/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Selection of functions and calls. Everything here only looks; no code is changed.
 * A function without sleds is left out for a reason that the tables carry, so that the report can
 * say so: it is never an error.
 */
#include "select.h"
#include "actions.h"
#include "arch.h"
#include "locks.h"
#include "options.h"
#include "streams.h"
#include "wrappers.h"

#include "cinstr/amounts.h"
#include "cinstr/objects.h"
#include "cinstr/waits.h"

/* What has been decided, by assembler name. */
static hash_map<nofree_string_hash, enum cinstr_abi_reason> *decisions;

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

static enum cinstr_abi_reason why_impossible(tree fn)
{
	cgraph_node *node = cgraph_node::get(fn);

	/* DECL_NO_INSTRUMENT_FUNCTION_ENTRY_EXIT is set on every function of C: ask for the
	 * attribute. */
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

/* Not what only looks like an instruction (use, blockage), nor what -fcf-protection puts first. */
static bool is_machine_instruction(rtx_insn *insn)
{
	if (!NONDEBUG_INSN_P(insn) || GET_CODE(PATTERN(insn)) == USE || GET_CODE(PATTERN(insn)) == CLOBBER)
		return false;
	/* What is not recognized is an asm statement. */
	return recog_memoized(insn) < 0 || (get_attr_length(insn) > 0 && !arch_stays_first(insn));
}

/* Jumps through tables and computed ones may go anywhere. */
static bool jumps_forward(rtx_insn *jump, bitmap labels_passed)
{
	rtx target = JUMP_LABEL(jump);

	if (returnjump_p(jump))
		return true;
	return target && LABEL_P(target) && !tablejump_p(jump, NULL, NULL) &&
	       !bitmap_bit_p(labels_passed, CODE_LABEL_NUMBER(target));
}

/* The text of an asm statement: it may do anything. An empty one is a barrier of the optimizer. */
static bool is_asm_with_text(rtx_insn *insn)
{
	rtx body = PATTERN(insn);
	const char *text = NULL;

	if (GET_CODE(body) == PARALLEL)
		body = XVECEXP(body, 0, 0);
	if (GET_CODE(body) == SET)
		body = SET_SRC(body);
	if (GET_CODE(body) == ASM_OPERANDS)
		text = ASM_OPERANDS_TEMPLATE(body);
	else if (GET_CODE(body) == ASM_INPUT)
		text = XSTR(body, 0);
	return text && text[strspn(text, " \t\n")];
}

/* May this one take as long as many? */
static bool may_run_long(rtx_insn *insn)
{
	return NONDEBUG_INSN_P(insn) && (is_asm_with_text(insn) || arch_repeats(insn));
}

/* At most so many instructions, none of which is a call, jumps backwards or may run long. */
static bool is_short_leaf(unsigned int limit)
{
	auto_bitmap labels;
	unsigned int n = 0;

	for (rtx_insn *insn = get_insns(); insn && n <= limit; insn = NEXT_INSN(insn)) {
		if ((CALL_P(insn) && !FAKE_CALL_P(insn)) || may_run_long(insn))
			return false;
		if (JUMP_P(insn) && !jumps_forward(insn, labels))
			return false;
		if (LABEL_P(insn))
			bitmap_set_bit(labels, CODE_LABEL_NUMBER(insn));
		n += is_machine_instruction(insn);
	}
	return n <= limit;
}

static bool has_landing_pads(void)
{
	eh_landing_pad pad;
	unsigned int i;

	FOR_EACH_VEC_SAFE_ELT(cfun->eh->lp_array, i, pad)
	if (pad && pad->landing_pad)
		return true;
	return nonlocal_goto_handler_labels;
}

static bool is_small(tree fn)
{
	return settings.small && !MAIN_NAME_P(DECL_NAME(fn)) && !has_landing_pads() &&
	       is_short_leaf(settings.small);
}

/*
 * Precedence. The first that holds decides:
 *
 *	it cannot be instrumented		out
 *	the last rule that matches excludes it	out
 *	an action is inside			in
 *	none of the include rules matches	out (as small, if it is)
 *	a rule is its very name			in
 *	an action is at its calls		in
 *	it comes from a system header		out, if the user said so
 *	it is small				out
 */
static enum cinstr_abi_reason decide(tree fn, const struct names *names, const struct rules_choice *choice)
{
	enum cinstr_abi_reason impossible = why_impossible(fn);

	if (impossible)
		return impossible;
	if (choice->verdict == RULES_EXCLUDED)
		return CINSTR_LEFT_OUT_EXCLUDED;
	if (actions_inside(names))
		return SELECT_INSTRUMENT;
	/* Small ones stay without probes at their calls: these would cost the functions that are
	 * included more than they do. */
	if (choice->verdict == RULES_NOT_INCLUDED)
		return is_small(fn) ? CINSTR_LEFT_OUT_SMALL : CINSTR_LEFT_OUT_NOT_INCLUDED;
	if (choice->by_name || actions_outside(names))
		return SELECT_INSTRUMENT;
	if (settings.exclude_system_headers && in_system_header_at(DECL_SOURCE_LOCATION(fn)))
		return CINSTR_LEFT_OUT_SYSTEM;
	if (is_small(fn))
		return CINSTR_LEFT_OUT_SMALL;
	return SELECT_INSTRUMENT;
}

enum cinstr_abi_reason select_function(tree fn, const struct rule **rule)
{
	const struct names *names = names_of(names_assembler(fn), fn);
	struct rules_choice choice = rules_choose(names, DECL_SOURCE_FILE(fn));
	enum cinstr_abi_reason reason = decide(fn, names, &choice);

	if (!decisions)
		decisions = new hash_map<nofree_string_hash, enum cinstr_abi_reason>;
	decisions->put(names->name[0], reason);
	*rule = reason == CINSTR_LEFT_OUT_EXCLUDED ? choice.rule : NULL;
	return reason;
}

bool select_replaceable(tree fn)
{
	return TREE_PUBLIC(fn) && !DECL_COMDAT(fn) && !DECL_ONE_ONLY(fn) && !decl_binds_to_current_def_p(fn);
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
	case CINSTR_LEFT_OUT_SMALL:
		return "it is small";
	case CINSTR_LEFT_OUT_EXCLUDED:
		return "it is excluded";
	case CINSTR_LEFT_OUT_NOT_INCLUDED:
		return "it is not included";
	case CINSTR_LEFT_OUT_SYSTEM:
		return "it is defined in a system header";
	default:
		return "its return or its calls follow unusual rules";
	}
}

/* The symbol of a call that needs no register: of the function, or with -fno-plt of the linker's
 * table. */
static rtx called_symbol(rtx address)
{
	/* Only the table of the linker holds the function that it is named after: not a
	 * variable. */
	if (MEM_P(address))
		address = arch_linked_symbol(XEXP(address, 0));
	return address && GET_CODE(address) == SYMBOL_REF ? address : NULL_RTX;
}

/* The declaration of the callee, also when a register holds its address. NULL: indirect. */
static tree called_decl(rtx_insn *call)
{
	rtx mem = XEXP(get_call_rtx_from(call), 0);
	rtx symbol = called_symbol(XEXP(mem, 0));
	tree decl = symbol ? SYMBOL_REF_DECL(symbol) : MEM_EXPR(mem);

	return decl && TREE_CODE(decl) == FUNCTION_DECL ? decl : NULL_TREE;
}

bool select_may_lead_elsewhere(rtx_insn *call)
{
	rtx address = XEXP(XEXP(get_call_rtx_from(call), 0), 0);
	tree decl = called_decl(call);

	return decl && GET_CODE(address) == SYMBOL_REF && !fndecl_built_in_p(decl) &&
	       !DECL_IN_SYSTEM_HEADER(decl);
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

bool select_is_split_part(rtx_insn *call)
{
	tree decl = called_decl(call);
	cgraph_node *node = decl ? cgraph_node::get(decl) : NULL;

	return node && node->split_part;
}

const struct names *select_callee_names(rtx_insn *call)
{
	return names_of(select_callee_name(call), called_decl(call));
}

enum select_callee select_callee_by_name(const char *name)
{
	enum cinstr_abi_reason *reason = decisions ? decisions->get(name) : NULL;

	if (!reason)
		return SELECT_LATER;
	if (*reason == SELECT_INSTRUMENT)
		return SELECT_INSTRUMENTED;
	return *reason == CINSTR_LEFT_OUT_SMALL ? SELECT_SMALL : SELECT_LEFT_OUT;
}

enum select_callee select_callee(rtx_insn *call, const char **name)
{
	tree decl = called_decl(call);
	cgraph_node *node = decl ? cgraph_node::get(decl) : NULL;
	enum availability availability = AVAIL_NOT_AVAILABLE;

	if (node)
		node = node->ultimate_alias_target(&availability);
	if (availability < AVAIL_AVAILABLE || !decl_binds_to_current_def_p(decl))
		return SELECT_FOREIGN;

	const char *assembler = names_assembler(node->decl);
	enum select_callee callee = select_callee_by_name(assembler);
	if (callee == SELECT_LATER)
		*name = assembler;
	return callee;
}

bool select_call_wanted(enum select_callee callee)
{
	switch (settings.calls) {
	case CALLS_ALL:
		return callee != SELECT_SMALL;
	case CALLS_UNKNOWN:
		return callee != SELECT_SMALL && callee != SELECT_INSTRUMENTED;
	default:
		return false;
	}
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

/* A program may have a function of its own by such a name. */
static bool is_external(rtx_insn *call, const char *callee)
{
	tree decl = called_decl(call);

	return callee && (!decl || DECL_EXTERNAL(decl));
}

bool select_is_syscall(rtx_insn *call, const char *callee)
{
	return is_external(call, callee) && bsearch(callee, wrapper_names, ARRAY_SIZE(wrapper_names),
						    sizeof(wrapper_names[0]), compare_names) != NULL;
}

bool select_is_stream(rtx_insn *call, const char *callee)
{
	if (!is_external(call, callee))
		return false;
	for (const char *prefix : stream_prefixes)
		if (startswith(callee, prefix))
			return true;
	return bsearch(callee, stream_names, ARRAY_SIZE(stream_names), sizeof(stream_names[0]),
		       compare_names) != NULL;
}

bool select_is_wait(rtx_insn *call, const char *callee)
{
	return is_external(call, callee) && cinstr_waits_by_name(callee);
}

static int compare_locks(const void *key, const void *element)
{
	return strcmp((const char *)key, ((const struct lock_name *)element)->name);
}

bool select_is_of_system(tree decl)
{
	return DECL_EXTERNAL(decl) && (DECL_IN_SYSTEM_HEADER(decl) || DECL_IS_UNDECLARED_BUILTIN(decl));
}

enum cinstr_abi_lock select_lock(rtx_insn *call, const char *callee)
{
	tree decl = called_decl(call);

	if (!decl || !callee || !select_is_of_system(decl))
		return CINSTR_LOCK_NOT;
	if (cinstr_amount_use_of(callee))
		return CINSTR_LOCK_AMOUNT;

	const struct lock_name *known =
		(const struct lock_name *)bsearch(callee, lock_names, ARRAY_SIZE(lock_names),
						  sizeof(lock_names[0]), compare_locks);
	return known ? known->lock : cinstr_object_call_of(callee) ? CINSTR_LOCK_OBJECT : CINSTR_LOCK_NOT;
}
