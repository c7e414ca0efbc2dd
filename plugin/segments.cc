/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counters of executed instructions. A function's code is cut into segments, each of which is
 * executed as a whole: blocks, and what is before and behind a call, which may not return (exit,
 * longjmp, exceptions).
 *
 * As few segments as possible get a counter (Knuth and Stevenson, 1973). A segment leads from a
 * node to a node; where the flow may go from the end of one to the start of another, these two
 * nodes are one. A call leads out of the function, so the node behind it is
 * that of the exit. Then what flows into a node flows out of it, and the segments of a spanning
 * tree need no counter: the tree takes the segments that are executed most.
 *
 *      f:      .Lcinstrb1:                             executed as often as
 *              testl   %edi, %edi                      f is called
 *              je      .L1
 *              .Lcinstre1: .Lcinstrb2:
 *              (counter .Lcinstrc2)                    what is counted
 *              call    g
 *              .Lcinstre2:
 *      .L1:    .Lcinstrb3:
 *              ret
 *              .Lcinstre3:
 *
 * A loop of one block is counted before its first iteration, where the number is known there
 * (loops.h): so the counter is executed once, and no iteration takes longer.
 *
 * Runs right after the sleds are in, near the end of all passes: what is executed is there, and
 * stays. Alignment of labels stands between segments.
 */
#include "segments.h"
#include "arch.h"
#include "loops.h"
#include "options.h"
#include "sites.h"
#include "sleds.h"

#include "cinstr/abi.h"

struct segment {
	basic_block bb;
	rtx_insn *first, *last; /* instructions of the program's; NULL: there are none */
	int from, to;		/* nodes */
	unsigned int label;
	bool counted;
	rtx_insn *place; /* the counter goes before it; NULL: to the start */
	struct arch_counter counter;
	rtx loop; /* the counter, if that counts the iterations before the first one */
	double weight;
};

/* Holds a segment as the function's note tells of it. */
struct written {
	unsigned int label;
	unsigned int from, to;
	bool counted;
};

struct written_function {
	section *text;
	vec<struct written> segments;
	unsigned int entry, exit;
};

static struct {
	vec<struct written_function> functions;
	unsigned int last_label;
} unit;

/* The function at hand. */
struct flow {
	auto_vec<struct segment> segments;
	auto_vec<int> unions;  /* of nodes: the next one of the same union, or itself */
	auto_vec<int> in, out; /* of blocks */
	int entry, exit;
	bool counts_all;
	HARD_REG_SET destroyed; /* by the function in any case */
};

/* ---- nodes ----------------------------------------------------------------------------------- */

static int new_node(struct flow *flow)
{
	int node = flow->unions.length();

	flow->unions.safe_push(node);
	return node;
}

static int find_node(struct flow *flow, int node)
{
	while (flow->unions[node] != node)
		node = flow->unions[node] = flow->unions[flow->unions[node]];
	return node;
}

/* Returns whether they were two. */
static bool unite(struct flow *flow, int a, int b)
{
	a = find_node(flow, a);
	b = find_node(flow, b);
	flow->unions[a] = b;
	return a != b;
}

/* ---- segments -------------------------------------------------------------------------------- */

/* Tells whether the instruction is code of the program's in front of which a counter may stand. */
static bool is_instruction(rtx_insn *insn)
{
	return NONDEBUG_INSN_P(insn) && !JUMP_TABLE_DATA_P(insn) && GET_CODE(PATTERN(insn)) != USE &&
	       GET_CODE(PATTERN(insn)) != CLOBBER && !sleds_is_one(insn) && !arch_stays_first(insn);
}

/*
 * Does control go to what follows whenever it comes here? That a call returns is never certain: the
 * program may be killed meanwhile, or recording go off or on, which must not upset the sums.
 */
static bool is_passed(rtx_insn *insn)
{
	return !CALL_P(insn) || FAKE_CALL_P(insn);
}

static double weight_of(basic_block bb)
{
	return bb->count.initialized_p() ? bb->count.to_frequency(cfun) : 1;
}

static struct segment begin_segment(basic_block bb, int from)
{
	struct segment segment = {};

	segment.bb = bb;
	segment.from = from;
	segment.weight = weight_of(bb);
	return segment;
}

/* Ends it, where control may leave the function. */
static struct segment end_at_call(struct flow *flow, struct segment *segment)
{
	segment->to = new_node(flow);
	unite(flow, segment->to, flow->exit);
	flow->segments.safe_push(*segment);
	return begin_segment(segment->bb, segment->to);
}

static void cut_block(struct flow *flow, basic_block bb)
{
	struct segment segment = begin_segment(bb, flow->in[bb->index]);
	rtx_insn *insn;

	FOR_BB_INSNS(bb, insn)
	{
		if (!is_instruction(insn))
			continue;
		if (!segment.first)
			segment.first = insn;
		segment.last = insn;
		if (CALL_P(insn) && find_reg_note(insn, REG_SETJMP, NULL_RTX))
			flow->counts_all = true;
		if (insn != BB_END(bb) && !is_passed(insn))
			segment = end_at_call(flow, &segment);
	}
	/* nothing behind the call: exceptions, too, leave the block at the call */
	if (!segment.last && segment.from != flow->in[bb->index]) {
		unite(flow, flow->out[bb->index], flow->exit);
		return;
	}
	segment.to = flow->out[bb->index];
	if (segment.last && !is_passed(segment.last))
		unite(flow, segment.to, flow->exit);
	flow->segments.safe_push(segment);
}

static void follow_edges(struct flow *flow, basic_block bb)
{
	edge way;
	edge_iterator i;

	if (!EDGE_COUNT(bb->succs) && bb != ENTRY_BLOCK_PTR_FOR_FN(cfun))
		unite(flow, flow->out[bb->index], flow->exit);
	FOR_EACH_EDGE(way, i, bb->succs)
	unite(flow, flow->out[bb->index], flow->in[way->dest->index]);
}

static void find_segments(struct flow *flow)
{
	basic_block bb;

	for (int i = 0; i < last_basic_block_for_fn(cfun); i++) {
		flow->in.safe_push(new_node(flow));
		flow->out.safe_push(new_node(flow));
	}
	flow->entry = flow->out[ENTRY_BLOCK];
	flow->exit = flow->in[EXIT_BLOCK];
	flow->counts_all = nonlocal_goto_handler_labels || cfun->has_nonlocal_label || cfun->calls_setjmp;
	FOR_EACH_BB_FN(bb, cfun)
	cut_block(flow, bb);
	FOR_EACH_BB_FN(bb, cfun)
	follow_edges(flow, bb);
	follow_edges(flow, ENTRY_BLOCK_PTR_FOR_FN(cfun));
}

/* ---- places of counters ---------------------------------------------------------------------- */

static unsigned int cost_of(const struct arch_counter *counter)
{
	return (counter->saved & 1) + (counter->saved >> 1);
}

/* Looks at what stands before the instruction, from the end of the segment up: the first of those
 * that cost least is taken. */
static void consider(struct segment *segment, rtx_insn *insn, bitmap live, const struct flow *flow)
{
	struct arch_counter counter = arch_place_counter(live, flow->destroyed);

	if (segment->place && cost_of(&counter) > cost_of(&segment->counter))
		return;
	segment->place = insn;
	segment->counter = counter;
}

/* A counter that adds up instructions has run before what its segment ends with is recorded. */
static bool ends_places(rtx_insn *insn)
{
	enum cinstr_abi_kind kind = settings.sums ? sleds_kind(insn) : (enum cinstr_abi_kind)0;

	return kind == CINSTR_REC_BEFORE || kind == CINSTR_REC_TAIL || kind == CINSTR_REC_EXIT;
}

/* Those from `first` on are the block's; returns the index behind the last. */
static unsigned int place_in_block(struct flow *flow, unsigned int first)
{
	basic_block bb = flow->segments[first].bb;
	unsigned int end = first, at;
	auto_bitmap live;
	rtx_insn *insn;

	while (end < flow->segments.length() && flow->segments[end].bb == bb)
		end++;
	at = end - 1;
	bitmap_copy(live, DF_LR_OUT(bb));
	df_simulate_initialize_backwards(bb, live);
	for (unsigned int i = first; i < end; i++) /* for those without instructions */
		if (!flow->segments[i].first)
			flow->segments[i].counter = arch_place_counter(live, flow->destroyed);
	FOR_BB_INSNS_REVERSE(bb, insn)
	{
		if (!NONDEBUG_INSN_P(insn))
			continue;
		df_simulate_one_insn_backwards(bb, insn, live);
		if (ends_places(insn) && flow->segments[at].first) {
			flow->segments[at].place = NULL;
			consider(&flow->segments[at], insn, live, flow);
		}
		if (!is_instruction(insn))
			continue;
		while (at > first && insn == flow->segments[at - 1].last)
			at--;
		if (flow->segments[at].first)
			consider(&flow->segments[at], insn, live, flow);
	}
	return end;
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* Those that need no counter most: where one would cost most, then those executed most. */
static int compare_segments(const void *left, const void *right)
{
	const struct segment *a = *(const struct segment *const *)left;
	const struct segment *b = *(const struct segment *const *)right;
	unsigned int cost_a = cost_of(&a->counter), cost_b = cost_of(&b->counter);

	if (cost_a != cost_b)
		return cost_a > cost_b ? -1 : 1;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* The function's own way from exit to entry is in it, as its calls are not counted here. */
static void choose_counted(struct flow *flow)
{
	auto_vec<struct segment *> order;

	for (struct segment &segment : flow->segments)
		order.safe_push(&segment);
	order.qsort(compare_segments);
	unite(flow, flow->entry, flow->exit);
	for (struct segment *segment : order)
		segment->counted = !unite(flow, segment->from, segment->to);
}

/* Numbers the nodes that there are from 0. */
static void number_nodes(struct flow *flow, struct written_function *function)
{
	hash_map<int_hash<int, -1, -2>, unsigned int> numbers;
	auto number = [&](int node) {
		bool known;
		unsigned int next = numbers.elements();
		unsigned int &n = numbers.get_or_insert(find_node(flow, node), &known);
		if (!known)
			n = next;
		return n;
	};

	function->entry = number(flow->entry);
	function->exit = number(flow->exit);
	for (struct segment &segment : flow->segments)
		function->segments.safe_push({ 0, number(segment.from), number(segment.to), false });
}

/* No equation holds: each has nodes of its own. */
static void count_all(struct flow *flow, struct written_function *function)
{
	unsigned int kept = 0;

	for (struct segment &segment : flow->segments) {
		if (!segment.first)
			continue;
		segment.counted = true;
		flow->segments[kept] = segment;
		function->segments.safe_push({ 0, 2 * kept, 2 * kept + 1, true });
		kept++;
	}
	flow->segments.truncate(kept);
	function->entry = 0;
	function->exit = 2 * kept;
}

/* ---- code ------------------------------------------------------------------------------------ */

/* A loop of one block leads from a node to the same one, so it has a counter in any case. */
static void find_loop(const struct flow *flow, struct segment *segment)
{
	struct counted_loop loop;

	if (!segment->counted || settings.sums || flow->counts_all)
		return;
	loop = loops_find(segment->bb);
	if (loop.step)
		segment->loop = arch_make_loop_counter(&loop, DF_LR_IN(segment->bb), flow->destroyed,
						       segment->label, &segment->counter.reg);
}

static rtx make_label(char kind, unsigned int label)
{
	char text[32];

	snprintf(text, sizeof(text), ".Lcinstr%c%u:", kind, label);
	rtx input = gen_rtx_ASM_INPUT_loc(VOIDmode, ggc_strdup(text), BUILTINS_LOCATION);
	MEM_VOLATILE_P(input) = 1;
	return input;
}

static rtx_insn *emit_behind(rtx pattern, rtx_insn *insn)
{
	rtx_insn *emitted = emit_insn_after_noloc(pattern, insn, NULL);

	INSN_LOCATION(emitted) = BUILTINS_LOCATION;
	return emitted;
}

static void emit_in_front(rtx pattern, rtx_insn *insn)
{
	INSN_LOCATION(emit_insn_before_noloc(pattern, insn, NULL)) = BUILTINS_LOCATION;
}

/* What is between two blocks without being of the program. */
static bool is_between(rtx_insn *insn)
{
	return (NOTE_P(insn) && !NOTE_INSN_BASIC_BLOCK_P(insn)) || sleds_is_one(insn) ||
	       sleds_is_label(insn) || arch_stays_first(insn);
}

/* The start of a block is before what has to be first there (endbr64). */
static void emit_block_start(basic_block bb, rtx label)
{
	rtx_insn *first = NULL;

	for (rtx_insn *insn = PREV_INSN(BB_HEAD(bb)); insn && is_between(insn); insn = PREV_INSN(insn))
		if (arch_stays_first(insn))
			first = insn;
	if (first && !LABEL_P(BB_HEAD(bb)))
		emit_in_front(label, first);
	else
		emit_behind(label, BB_HEAD(bb));
}

/* Is it the sled behind a call? Between them there are labels, and what has to be first there. */
static bool is_behind_call(rtx_insn *sled)
{
	rtx_insn *insn = PREV_INSN(sled);

	while (insn && is_between(insn) && !sleds_is_one(insn))
		insn = PREV_INSN(insn);
	return insn && CALL_P(insn);
}

/* Between a call and the sleds before and behind it there is nothing. */
static void emit_counter(const struct segment *segment, rtx_insn *block_end)
{
	rtx counter = arch_make_counter(&segment->counter, segment->label, settings.sums);
	rtx_insn *place = segment->place;

	if (!place) {
		emit_behind(counter, block_end);
		return;
	}
	while (!settings.sums && PREV_INSN(place) && sleds_is_one(PREV_INSN(place)) &&
	       !is_behind_call(PREV_INSN(place)))
		place = PREV_INSN(place);
	emit_in_front(counter, place);
}

/* Blocks are not known of any more, but for their ends. */
static void emit_segments(struct flow *flow)
{
	rtx_insn *end_label = NULL;

	for (unsigned int i = 0; i < flow->segments.length(); i++) {
		struct segment *segment = &flow->segments[i];
		bool is_first = !i || segment[-1].bb != segment->bb;
		bool is_last = i + 1 == flow->segments.length() || segment[1].bb != segment->bb;
		rtx_insn *end = is_last ? BB_END(segment->bb) : segment->last;
		rtx_insn *before = end_label;

		end_label = emit_behind(make_label('e', segment->label), end);
		if (segment->loop)
			emit_in_front(segment->loop, BB_HEAD(segment->bb));
		else if (segment->counted)
			emit_counter(segment, end);
		if (is_first)
			emit_block_start(segment->bb, make_label('b', segment->label));
		else
			emit_behind(make_label('b', segment->label), before);
	}
}

/* ---- a function ------------------------------------------------------------------------------ */

/* With -fipa-ra callers know what a function destroys: it shall not be more than without us. */
static void find_destroyed(struct flow *flow)
{
	if (!flag_ipa_ra) {
		SET_HARD_REG_SET(flow->destroyed);
		return;
	}
	CLEAR_HARD_REG_SET(flow->destroyed);
	for (rtx_insn *insn = get_insns(); insn; insn = NEXT_INSN(insn)) {
		HARD_REG_SET set;

		if (!NONDEBUG_INSN_P(insn))
			continue;
		find_all_hard_reg_sets(insn, &set, false);
		flow->destroyed |= set;
		if (CALL_P(insn) && !FAKE_CALL_P(insn))
			flow->destroyed |= insn_callee_abi(insn).full_reg_clobbers();
	}
}

/* ix86_reorg has found the blocks again, which free_cfg had made instructions forget. What has been
 * inserted since has not been looked at. */
static void find_blocks(void)
{
	basic_block bb;
	rtx_insn *insn;

	compute_bb_for_insn();
	df_clear_flags(DF_LR_RUN_DCE | DF_NO_INSN_RESCAN | DF_DEFER_INSN_RESCAN);
	FOR_EACH_BB_FN(bb, cfun)
	FOR_BB_INSNS(bb, insn)
	if (NONDEBUG_INSN_P(insn) &&
	    ((unsigned int)INSN_UID(insn) >= (unsigned int)DF_INSN_SIZE() || !DF_INSN_INFO_GET(insn)))
		df_insn_rescan(insn);
}

static void note_segments(const struct flow *flow, struct written_function *function)
{
	for (unsigned int i = 0; i < flow->segments.length(); i++) {
		const struct segment *segment = &flow->segments[i];
		struct written *written = &function->segments[i];

		written->label = segment->label;
		written->counted = segment->counted;
		if (!segment->counted)
			continue;
		written->from |= arch_register_in_code(segment->counter.reg) << 28;
		written->to |= segment->loop ? CINSTR_SEGMENT_LOOP : segment->counter.saved << 28;
	}
}

void segments_insert(section *text)
{
	struct flow flow = {};
	struct written_function function = {};

	find_blocks();
	df_analyze();
	find_destroyed(&flow);
	find_segments(&flow);
	for (unsigned int i = 0; i < flow.segments.length();)
		i = place_in_block(&flow, i);
	if (flow.counts_all) {
		count_all(&flow, &function);
	} else {
		number_nodes(&flow, &function);
		choose_counted(&flow);
	}
	for (struct segment &segment : flow.segments) {
		segment.label = ++unit.last_label;
		find_loop(&flow, &segment);
	}
	free_bb_for_insn();
	emit_segments(&flow);
	find_blocks(); /* for the choice of instructions in final (-mtune=atom) */
	note_segments(&flow, &function);
	function.text = text;
	if (function.segments.length())
		unit.functions.safe_push(function);
}

/* ---- the notes ------------------------------------------------------------------------------- */

unsigned int segments_functions(void)
{
	return unit.functions.length();
}

static void write_segment(FILE *out, const struct written *segment)
{
	fprintf(out, "\t.long\t.Lcinstrb%u-.,.Lcinstre%u-.,", segment->label, segment->label);
	if (segment->counted)
		fprintf(out, ".Lcinstrc%u-.", segment->label);
	else
		fprintf(out, "0");
	fprintf(out, ",%#x,%#x\n", segment->from, segment->to);
}

void segments_write(FILE *out)
{
	for (const struct written_function &function : unit.functions) {
		unsigned int n = function.segments.length();

		sites_begin_note(out, function.text,
				 sizeof(struct cinstr_abi_segments) + n * sizeof(struct cinstr_abi_segment),
				 settings.sums ? CINSTR_NOTE_SEGMENTS_SUM : CINSTR_NOTE_SEGMENTS);
		fprintf(out, "\t.long\t%u,%u,%u,%u\n", CINSTR_ABI_VERSION, n, function.entry, function.exit);
		for (const struct written &segment : function.segments)
			write_segment(out, &segment);
	}
}
