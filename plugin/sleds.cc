/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The pass that puts sleds into functions. It runs right before "shorten", near the end of all
 * passes: scheduling, cross-jumping and prologues are done and endbr64 stands where it must (that
 * pass comes after "mach"), so one walk over the instructions suffices and nothing moves a sled
 * again.
 *
 *      int twice(int x)                        twice:          (enter)
 *      {                                       .Lcinstr1:      nopl 0(%rax,%rax,1)
 *              return 2 * one(x);                      subq $8, %rsp
 *      }                                               (before)
 *                                              .Lcinstr2:      nopl 0(%rax,%rax,1)
 *      twice:                                          call one
 *              subq $8, %rsp                           (after)
 *              call one                        .Lcinstr3:      nopl 0(%rax,%rax,1)
 *              addq $8, %rsp                           addq $8, %rsp
 *              addl %eax, %eax                         addl %eax, %eax
 *              ret                                     (exit)
 *                                              .Lcinstr4:      nopl 0(%rax,%rax,1)
 *                                                      ret
 *
 * Nothing stands between a before sled and its call, but two prefixes of that (arch.h), and only
 * padding between the call and its after sled. At all these points the red zone is not in use, and
 * r10, r11 and the flags are free; where they are not, the site carries CINSTR_SITE_KEEP. Line
 * sleds (lines.cc) stand anywhere and claim nothing.
 */
#include "sleds.h"
#include "actions.h"
#include "arch.h"
#include "lines.h"
#include "list.h"
#include "options.h"
#include "segments.h"
#include "select.h"
#include "sites.h"

/* The walk over one function. */
struct walk {
	struct site_function function;
	action_list top, bottom;
	bool other_part;    /* behind the switch from the hot to the cold part, or the reverse */
	bool begun;	    /* the records of this part have begun */
	unsigned int enter; /* label of the enter sled; 0 before it */
	/* this function preserves what a probe destroys: CINSTR_SITE_KEEP everywhere */
	bool keep;
	auto_bitmap landings; /* numbers of the labels where control comes back without a return */
	auto_bitmap lines;    /* instructions and labels (INSN_UID) that need a line sled */
};

/* The last instruction behind `insn` in front of which no sled may stand (endbr64), or `insn`. */
static rtx_insn *behind_first(rtx_insn *insn)
{
	for (rtx_insn *next = NEXT_INSN(insn); next; next = NEXT_INSN(next)) {
		if (arch_stays_first(next))
			return next;
		if (!NOTE_P(next))
			break;
	}
	return insn;
}

/* A label has no location of its own. */
static location_t next_location(rtx_insn *label)
{
	rtx_insn *insn = next_real_nondebug_insn(label);

	return insn ? INSN_LOCATION(insn) : UNKNOWN_LOCATION;
}

/*
 * The section that final will put this part of the function into. GCC tells by a global variable
 * which part it is at, which still speaks of the function before.
 */
static section *text_section_of(bool other_part)
{
	bool saved = in_cold_section_p;
	bool cold_first = crtl->has_bb_partition && !cfun->is_thunk &&
			  BB_PARTITION(ENTRY_BLOCK_PTR_FOR_FN(cfun)->next_bb) == BB_COLD_PARTITION;

	in_cold_section_p = cold_first != other_part;
	section *text = current_function_section();
	in_cold_section_p = saved;
	return text;
}

/*
 * Assembler text as an instruction. BUILTINS_LOCATION keeps final from printing a file and line
 * for it. With `keep` it does not claim to destroy anything; the claim is what tells callers under
 * -fipa-ra that a call of this function costs the registers of the probe.
 */
static rtx asm_pattern(const char *format, unsigned int label, bool keep)
{
	char text[128];

	snprintf(text, sizeof(text), format, label);
	rtx input = gen_rtx_ASM_INPUT_loc(VOIDmode, ggc_strdup(text), BUILTINS_LOCATION);
	MEM_VOLATILE_P(input) = 1;
	return keep ? input : arch_with_clobbers(input);
}

/* Text of assembler that is ours, or NULL. */
static const char *text_of_ours(rtx_insn *insn)
{
	rtx body = NONJUMP_INSN_P(insn) ? PATTERN(insn) : NULL_RTX;

	if (body && GET_CODE(body) == PARALLEL)
		body = XVECEXP(body, 0, 0);
	return body && GET_CODE(body) == ASM_INPUT && strstr(XSTR(body, 0), ".Lcinstr") ? XSTR(body, 0)
											: NULL;
}

bool sleds_is_one(rtx_insn *insn)
{
	const char *text = text_of_ours(insn);

	return text && *text != '.';
}

bool sleds_is_label(rtx_insn *insn)
{
	const char *text = text_of_ours(insn);

	return text && *text == '.';
}

/* Kinds of the unit's sleds, by their labels; 0: of none, or of a line. */
static vec<unsigned char> kinds;

enum cinstr_abi_kind sleds_kind(rtx_insn *insn)
{
	const char *text = text_of_ours(insn);
	unsigned int label = text ? strtoul(strstr(text, ".Lcinstr") + strlen(".Lcinstr"), NULL, 10) : 0;

	return (enum cinstr_abi_kind)(label < kinds.length() ? kinds[label] : 0);
}

/* Listing looks as far as here. */
static void emit_before(rtx sled, rtx_insn *insn, location_t location)
{
	if (!settings.list)
		emit_insn_before_setloc(sled, insn, location);
}

static void emit_after(rtx sled, rtx_insn *insn, location_t location)
{
	if (!settings.list)
		emit_insn_after_setloc(sled, insn, location);
}

static bool function_preserves_probe_regs(void)
{
	for (unsigned int reg : arch_probe_regs)
		if (arch_preserved_by_function(reg))
			return true;
	return false;
}

/* Does the call read a register of the probe (static chain, target), or does it preserve one? */
static bool call_needs_probe_regs(rtx_insn *call)
{
	const function_abi abi = insn_callee_abi(call);

	for (unsigned int reg : arch_probe_regs)
		if (refers_to_regno_p(reg, get_call_rtx_from(call)) || find_regno_fusage(call, USE, reg) ||
		    !abi.clobbers_full_reg_p(reg))
			return true;
	return false;
}

/* A sled as an instruction, with its record. what: line, or index of the callee. */
static rtx make_sled(struct walk *walk, enum cinstr_abi_kind kind, unsigned int flags, unsigned int what,
		     const char *format = arch_sled_format)
{
	if (walk->keep)
		flags |= CINSTR_SITE_KEEP;

	unsigned int label = sites_add(kind, flags, what);
	if (label >= kinds.length())
		kinds.safe_grow_cleared(label + 1);
	kinds[label] = kind;
	if (kind == CINSTR_REC_ENTER)
		walk->enter = label;
	return asm_pattern(format, label, flags & CINSTR_SITE_KEEP);
}

/* The records of a part begin with its first sled: a part without sleds leaves none. */
static void begin_part(struct walk *walk)
{
	if (!walk->begun)
		sites_begin_function(text_section_of(walk->other_part), &walk->function, walk->enter);
	walk->begun = true;
}

static bool place_differs(const struct walk *walk, struct site_place place)
{
	const char *file = walk->function.definition.file;

	return place.file && (!file || strcmp(place.file, file));
}

/* The actions at the sled added last, behind its place. */
static void add_actions(const action_list *list)
{
	for (const struct action *action : *list)
		sites_add_action(action->kind, action->text);
}

/*
 * Returns the jump behind the comparison with the stack's limit under -fsplit-stack, or NULL. A
 * linker that reads the comparison (gold) wants it to come first.
 */
static rtx_insn *jump_of_split_stack(void)
{
	rtx_insn *insn = flag_split_stack ? get_insns() : NULL;

	while (insn && !JUMP_P(insn) && !CALL_P(insn) && !LABEL_P(insn))
		insn = NEXT_INSN(insn);
	return insn && any_condjump_p(insn) && prologue_epilogue_contains(insn) ? insn : NULL;
}

static void insert_enter(struct walk *walk, tree fn)
{
	rtx_insn *after = get_insns(), *jump = jump_of_split_stack();
	unsigned int flags = jump || arch_entry_needs_probe_regs(fn) ? CINSTR_SITE_KEEP : 0;

	for (rtx_insn *insn = after; insn && (NOTE_P(insn) || arch_stays_first(insn)); insn = NEXT_INSN(insn))
		if (arch_stays_first(insn))
			after = insn;
	begin_part(walk);
	rtx sled = make_sled(walk, CINSTR_REC_ENTER, flags, 0,
			     jump ? arch_sled_keeping_carry_format : arch_sled_format);
	add_actions(&walk->top);
	if (jump)
		emit_before(sled, jump, prologue_location);
	else if (NOTE_P(after) || arch_stays_first(after))
		emit_after(sled, after, prologue_location);
	else
		emit_before(sled, after, prologue_location);
}

/* The last line of the function that has code. */
static struct site_place last_place(void)
{
	struct site_place own = place_of(DECL_SOURCE_LOCATION(current_function_decl)), last = own;

	for (rtx_insn *insn = get_insns(); insn; insn = NEXT_INSN(insn)) {
		if (!NONDEBUG_INSN_P(insn))
			continue;
		location_t outer = lines_inlined_at(INSN_LOCATION(insn));
		struct site_place place = place_of(outer ? outer : INSN_LOCATION(insn));

		if (place.line > last.line && place.file && own.file && !strcmp(place.file, own.file))
			last = place;
	}
	return last;
}

/* Nobody wrote the return of a parallel region of OpenMP. */
static struct site_place place_of_exit(rtx_insn *jump)
{
	struct site_place place = place_of(INSN_LOCATION(jump));

	return place.line ? place : last_place();
}

/* Before a return, or before the jump of a tail call. */
static void insert_exit(struct walk *walk, rtx_insn *jump, unsigned int flags)
{
	struct site_place place = place_of_exit(jump);

	begin_part(walk);
	rtx sled = make_sled(walk, CINSTR_REC_EXIT, flags, place.line);
	if (place_differs(walk, place))
		sites_add_place(place);
	add_actions(&walk->bottom);
	emit_before(sled, jump, INSN_LOCATION(jump));
}

/* A landing comes behind what must stay first at its label or after its call. */
static void insert_landing(struct walk *walk, rtx_insn *after, unsigned int flags, location_t location)
{
	struct site_place place = place_of(location);

	begin_part(walk);
	rtx sled = make_sled(walk, CINSTR_REC_LANDING, flags, place.line);
	if (place_differs(walk, place))
		sites_add_place(place);
	emit_after(sled, behind_first(after), location);
}

/* Every register and the flags may be live here: what runs at the sled must preserve them all. */
static void insert_line(struct walk *walk, rtx_insn *insn)
{
	location_t location = LABEL_P(insn) ? next_location(insn) : INSN_LOCATION(insn);
	struct site_place place = place_of(location);

	begin_part(walk);
	unsigned int label = sites_add(CINSTR_REC_SOURCE_LINE, 0, place.line);
	if (place_differs(walk, place))
		sites_add_place(place);
	lines_each_inlined(location, sites_add_inlined);
	emit_before(asm_pattern(arch_sled_format, label, true), insn, location);
}

/* A call, and what is to be done about it. */
struct call {
	rtx_insn *insn;
	const char *name; /* of the callee; NULL: indirect */
	bool tail;
	bool returns;		   /* behind the call instruction */
	bool twice;		   /* like setjmp */
	unsigned int keep;	   /* CINSTR_SITE_KEEP or 0 */
	enum cinstr_abi_lock lock; /* that it takes */
	enum select_callee callee;
	const char *awaited; /* SELECT_LATER: the function that it depends on */
	action_list before, after;
};

static void describe_call(struct call *call, rtx_insn *insn)
{
	call->insn = insn;
	call->name = select_callee_name(insn);
	call->tail = SIBLING_CALL_P(insn);
	call->returns = !call->tail && !find_reg_note(insn, REG_NORETURN, NULL_RTX);
	call->twice = find_reg_note(insn, REG_SETJMP, NULL_RTX);
	call->keep = call_needs_probe_regs(insn) ? CINSTR_SITE_KEEP : 0;
	call->callee = select_callee(insn, &call->awaited);
	call->lock = (call->returns && !call->twice) || call->tail ? select_lock(insn, call->name)
								   : CINSTR_LOCK_NOT;
}

static void collect_actions(struct call *call)
{
	const struct names *names = call->name && actions_exist() ? select_callee_names(call->insn) : NULL;

	if (!names)
		return;
	if (call->tail) {
		actions_collect_tail(&call->before, names, INSN_LOCATION(call->insn));
	} else {
		actions_collect(&call->before, ACTION_BEFORE, names);
		if (call->returns)
			actions_collect(&call->after, ACTION_AFTER, names);
	}
}

/* The test whether to call, which is before it. */
static struct site_place place_before(rtx_insn *insn)
{
	struct site_place place = {};

	while (!place.line && (insn = PREV_INSN(insn)) && !LABEL_P(insn) && !BARRIER_P(insn))
		if (NONDEBUG_INSN_P(insn))
			place = place_of(INSN_LOCATION(insn));
	return place;
}

static struct site_place place_behind(rtx_insn *insn)
{
	struct site_place place = {};

	while (!place.line && (insn = NEXT_INSN(insn)))
		if (NONDEBUG_INSN_P(insn))
			place = place_of(INSN_LOCATION(insn));
	return place.line ? place : place_of(DECL_SOURCE_LOCATION(current_function_decl));
}

/* Nobody wrote the call of what GCC has split from a function, nor those that OpenMP makes. The
 * first part may have been inlined here: then it is that call. */
static struct site_place place_of_call(rtx_insn *insn)
{
	struct site_place place = place_of(INSN_LOCATION(insn));

	if (!place.line && select_is_split_part(insn))
		place = place_of(lines_inlined_at(INSN_LOCATION(insn)));
	if (!place.line)
		place = place_before(insn);
	return place.line ? place : place_behind(insn);
}

/* The sled before a call or a tail call. */
static void insert_before(struct walk *walk, const struct call *call)
{
	struct site_place place = place_of_call(call->insn);
	unsigned int flags = call->keep;

	if (!call->tail && !call->returns)
		flags |= CINSTR_SITE_NORETURN;
	if (select_is_syscall(call->insn, call->name))
		flags |= CINSTR_SITE_SYSCALL;
	else if (select_is_stream(call->insn, call->name))
		flags |= CINSTR_SITE_STREAM;
	else if ((!call->lock || call->lock == CINSTR_LOCK_OBJECT) && select_is_wait(call->insn, call->name))
		flags |= CINSTR_SITE_WAITS;
	if (call->tail && call->lock && call->lock != CINSTR_LOCK_AMOUNT)
		flags |= CINSTR_SITE_OBJECT;
	begin_part(walk);
	rtx sled = make_sled(walk, call->tail ? CINSTR_REC_TAIL : CINSTR_REC_BEFORE, flags,
			     sites_ref(call->name),
			     select_may_lead_elsewhere(call->insn) ? arch_sled_of_call_format
								   : arch_sled_format);
	if (call->awaited)
		sites_await(call->awaited);
	if (!call->returns || call->twice || place_differs(walk, place))
		sites_add_place(place);
	if (call->tail)
		add_actions(&walk->bottom);
	add_actions(&call->before);
	emit_before(sled, call->insn, INSN_LOCATION(call->insn));
}

static void insert_after(struct walk *walk, const struct call *call)
{
	location_t location = INSN_LOCATION(call->insn);

	if (call->twice) {
		insert_landing(walk, call->insn, call->keep, location);
	} else {
		rtx sled = make_sled(walk, CINSTR_REC_AFTER, call->keep | CINSTR_LOCK_FLAGS(call->lock),
				     place_of_call(call->insn).line);
		emit_after(sled, behind_first(call->insn), location);
	}
	add_actions(&call->after);
}

/* Actions need their sleds, whatever is wanted besides. A tail call is an exit in any case. */
static void instrument_call(struct walk *walk, rtx_insn *insn)
{
	struct call call = {};

	describe_call(&call, insn);
	if (select_call_skipped(insn, call.name)) {
		if (call.tail) /* of another instrumentation: it ends the function all the same */
			insert_exit(walk, insn, call.keep);
		return;
	}
	collect_actions(&call);

	bool acts = call.before.length() || call.after.length();
	bool wanted = acts || select_call_wanted(call.callee);
	if (acts)
		call.awaited = NULL;
	if (call.tail && call.callee == SELECT_SMALL && !acts)
		insert_exit(walk, insn, call.keep);
	else if (call.tail || wanted)
		insert_before(walk, &call);
	if (call.returns && (call.twice || wanted))
		insert_after(walk, &call);
}

static void instrument_insn(struct walk *walk, rtx_insn *insn)
{
	if (bitmap_bit_p(walk->lines, INSN_UID(insn)))
		insert_line(walk, insn);
	if (CALL_P(insn))
		instrument_call(walk, insn);
	else if (JUMP_P(insn) && returnjump_p(insn))
		insert_exit(walk, insn, 0);
	else if (LABEL_P(insn) && bitmap_bit_p(walk->landings, CODE_LABEL_NUMBER(insn)))
		insert_landing(walk, insn, 0, next_location(insn));
	else if (NOTE_P(insn) && NOTE_KIND(insn) == NOTE_INSN_SWITCH_TEXT_SECTIONS) {
		walk->other_part = true;
		walk->begun = false;
	}
}

/* Labels of landing pads, and of the receivers of __builtin_setjmp and of non-local gotos. */
static void collect_landings(bitmap landings)
{
	eh_landing_pad pad;
	unsigned int i;

	FOR_EACH_VEC_SAFE_ELT(cfun->eh->lp_array, i, pad)
	if (pad && pad->landing_pad && LABEL_P(pad->landing_pad))
		bitmap_set_bit(landings, CODE_LABEL_NUMBER(pad->landing_pad));
	for (rtx_insn_list *list = nonlocal_goto_handler_labels; list; list = list->next())
		if (LABEL_P(list->insn()))
			bitmap_set_bit(landings, CODE_LABEL_NUMBER(list->insn()));
}

static struct site_function describe_function(tree fn)
{
	return { names_assembler(fn), place_of(DECL_SOURCE_LOCATION(fn)), !TREE_PUBLIC(fn),
		 select_replaceable(fn) };
}

static void describe_walk(struct walk *walk, tree fn)
{
	const struct names *names = names_of(names_assembler(fn), fn);

	walk->function = describe_function(fn);
	walk->keep = function_preserves_probe_regs();
	collect_landings(walk->landings);
	if (settings.lines)
		lines_find(walk->lines, walk->landings);
	actions_collect(&walk->top, ACTION_TOP, names);
	actions_collect(&walk->bottom, ACTION_BOTTOM, names);
}

static void instrument_function(tree fn)
{
	struct walk walk = {};

	describe_walk(&walk, fn);
	insert_enter(&walk, fn);
	/* What is inserted comes before `next` or looks like nothing to instrument. */
	for (rtx_insn *insn = NEXT_INSN(get_insns()), *next; insn; insn = next) {
		next = NEXT_INSN(insn);
		instrument_insn(&walk, insn);
	}
}

/*
 * Calls of a small function are known by its name: callers elsewhere may use another one, as they
 * do for constructors, whose code has the name of the base object's and the alias that of the
 * complete object's.
 */
static bool leave_out_alias(cgraph_node *node, void *text)
{
	if (node->alias && !node->weakref && TREE_PUBLIC(node->decl) && !select_replaceable(node->decl))
		sites_leave_out_alias((section *)text, names_assembler(node->decl), CINSTR_LEFT_OUT_SMALL);
	return false;
}

static void leave_out_function(tree fn, enum cinstr_abi_reason reason)
{
	struct site_function function = describe_function(fn);
	section *text = text_section_of(false);
	unsigned int label = sites_leave_out(text, &function, reason);

	if (reason == CINSTR_LEFT_OUT_SMALL)
		cgraph_node::get(fn)->call_for_symbol_and_aliases(leave_out_alias, text, true);
	if (label && !settings.list)
		emit_insn_after_noloc(asm_pattern(".Lcinstr%u:", label, true), get_insns(), NULL);
}

/* For messages: "it is excluded (rule "exclude foo*")". The caller frees it. */
static char *explain(enum cinstr_abi_reason reason, const struct rule *rule)
{
	const char *text = select_reason_text(reason);

	return rule ? concat(text, " (rule \"", rule->text, "\")", NULL) : xstrdup(text);
}

static void do_instrument(tree fn)
{
	instrument_function(fn);
	if (settings.list)
		list_instrumented(fn, sites_current_function());
	if (settings.verbose)
		inform(DECL_SOURCE_LOCATION(fn), "%qD: %u probe sites", fn,
		       sites_function_sleds(sites_current_function()));
}

static void do_leave_out(tree fn, enum cinstr_abi_reason reason, const struct rule *rule)
{
	char *why = explain(reason, rule);

	leave_out_function(fn, reason);
	actions_warn_left_out(names_of(names_assembler(fn), fn), fn, why);
	if (settings.list)
		list_left_out(fn, reason, why);
	if (settings.verbose)
		inform(DECL_SOURCE_LOCATION(fn), "%qD: not instrumented: %s", fn, why);
	free(why);
}

/* Small functions, too; but none that a rule leaves out, or that cannot have a probe. With
 * -fsplit-stack a call is followed by an instruction that belongs to it. */
static bool counts_instructions(enum cinstr_abi_reason reason)
{
	return settings.instructions && !settings.list && !flag_split_stack &&
	       (reason == SELECT_INSTRUMENT || reason == CINSTR_LEFT_OUT_SMALL);
}

static const struct pass_data sleds_pass_data = {
	RTL_PASS, "cinstr", OPTGROUP_NONE, TV_PLUGIN_RUN, 0, 0, 0, 0, 0,
};

class sleds_pass : public rtl_opt_pass
{
      public:
	sleds_pass() : rtl_opt_pass(sleds_pass_data, g)
	{
	}

	bool gate(function *) final override
	{
		return arch_supported();
	}

	unsigned int execute(function *function) final override
	{
		const struct rule *rule;
		enum cinstr_abi_reason reason = select_function(function->decl, &rule);

		if (reason == SELECT_INSTRUMENT)
			do_instrument(function->decl);
		else
			do_leave_out(function->decl, reason, rule);
		if (counts_instructions(reason))
			segments_insert(text_section_of(false));
		return 0;
	}
};

void sleds_register(const char *plugin_name)
{
	struct register_pass_info info = { new sleds_pass(), "shorten", 1, PASS_POS_INSERT_BEFORE };

	register_callback(plugin_name, PLUGIN_PASS_MANAGER_SETUP, NULL, &info);
}

static enum site_verdict judge(enum cinstr_abi_kind kind, const char *callee_name)
{
	enum select_callee callee = select_callee_by_name(callee_name);

	if (kind == CINSTR_REC_TAIL)
		return callee == SELECT_SMALL ? SITE_EXIT : SITE_WANTED;
	return select_call_wanted(callee) ? SITE_WANTED : SITE_UNWANTED;
}

void sleds_settle(void)
{
	sites_settle(judge);
}
