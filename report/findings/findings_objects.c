/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_objects.c - the rule on what the program has the C++ library do with its objects:
 * copies, temporary containers, elements that move, and steps from element to element. */
#include "findings_computing.h"

#include <string.h>

#include "computing_text.h"
#include "lib/globs.h"
#include "library_work.h"
#include "output/output.h"

#define OBJECTS_PERCENT 20 /* of all computing */
#define OBJECTS 1000	   /* calls; of those that are known */
#define ONCE 1.1L	   /* calls for each call of the caller */
#define SEARCH_NS 200	   /* of a search in a long text */
#define CLASS_MOST 48	   /* characters of a class with its parameters */

/* Built for a use of its own, such a generator gives one number for hundreds that it prepares. */
static const char *const generator_globs[] = { "_ZNSt23mersenne_twister_engineI*C[124]E*",
					       "_ZNSt26subtract_with_carry_engineI*C[124]E*",
					       "_ZNSt13random_deviceC[124]E*", NULL };
static const char *const built_globs[] = { "_ZNSt*C[124]E*", NULL };
/* Moved, or told by other rules: strings, streams, regular expressions, threads and locks. */
static const char *const unbuilt_globs[] = { "*C[124]EOS*",
					     "_ZNSt7__cxx1112basic_string*",
					     "_ZNSs*",
					     "*stream*",
					     "*basic_regex*",
					     "*thread*",
					     "*lock*",
					     "_ZNSt8functionI*",
					     NULL };
static const char *const erasing_globs[] = { "_ZNSt6vectorI*E5eraseEN*",  "_ZNSt6vectorI*E8_M_eraseEN*",
					     "_ZNSt5dequeI*E5eraseE*",	  "_ZNSt6vectorI*E6insertEN*",
					     "_ZNSt6vectorI*E7emplaceI*", NULL };
static const char *const growing_globs[] = { "_ZNSt*17_M_realloc_insert*", NULL };
static const char *const stepping_globs[] = {
	"_ZSt11lower_boundISt*", "_ZSt11upper_boundISt*", "_ZSt13binary_searchISt*",
	"_ZSt11equal_rangeISt*", "_ZSt8distanceISt*",	  "_ZSt7advanceISt*",
	"_ZSt4nextISt*",	 "_ZSt4prevISt*",	  NULL
};
static const char *const searching_globs[] = { "_ZNKSt7__cxx1112basic_string*4findE*",
					       "_ZNKSt7__cxx1112basic_string*5rfindE*",
					       "_ZNKSt17basic_string_view*4findE*", NULL };
static const char *const node_globs[] = { "*ISt*_Rb_tree_*", "*ISt*_List_*", "*ISt*_Fwd_list_*", NULL };

static int is_one_of(const char *assembler, const char *const *globs)
{
	for (; *globs; globs++)
		if (globs_text_matches(*globs, assembler))
			return 1;
	return 0;
}

/* Returns the length of an assembler name up to the constructor's own part; 0: it has none. */
static size_t class_length(const char *assembler)
{
	size_t length = 0;

	for (const char *at = assembler; (at = strstr(at, "C")); at++)
		if (strchr("124", at[1]) && at[1] && at[2] == 'E')
			length = (size_t)(at - assembler);
	return length;
}

static int is_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Tells whether an assembler name is that of the destructor of the same class. */
static int is_destructor(const char *name, const struct library_place *of)
{
	size_t length = class_length(of->operation);

	return name && length && !strncmp(name, of->operation, length) && name[length] == 'D';
}

/* Tells whether the program's function destroys such an object, too. */
static int is_destroyed(const struct computing *c, const struct library_place *place)
{
	size_t n;
	const struct row **out = call_graph_out(&c->graph, place->caller, &n);

	for (size_t i = 0; i < n; i++) {
		const char *name = call_graph_entity(&c->graph, out[i]->entity)->assembler;
		struct code_place at = library_call_place(c, out[i]);

		name = at.operation ? at.operation : name;
		if ((!at.own || is_same(at.own, place->own)) && is_destructor(name, place))
			return 1;
	}
	return 0;
}

/* ---- kinds ----------------------------------------------------------------------------------- */

/* Copies of shared pointers are left to the rule on locked instructions, where threads may meet. */
static int is_copied(const struct computing *c, const struct library_place *place)
{
	return computing_is_copy_of_object(place->operation) &&
	       !(c->graph.profile->totals.threads > 1 && strstr(place->operation, "shared_"));
}

static int is_built(const struct computing *c, const struct library_place *place)
{
	return is_one_of(place->operation, generator_globs) ||
	       (is_one_of(place->operation, built_globs) && !is_one_of(place->operation, unbuilt_globs) &&
		!computing_is_copy_of_object(place->operation) && is_destroyed(c, place));
}

static int is_moving(const struct computing *c, const struct library_place *place)
{
	return is_one_of(place->operation, erasing_globs) &&
	       !(place->edge &&
		 computing_is_one_of(call_graph_entity(&c->graph, place->edge->entity), growing_globs));
}

static int is_stepping(const struct computing *c, const struct library_place *place)
{
	(void)c;
	return is_one_of(place->operation, stepping_globs) && is_one_of(place->operation, node_globs);
}

static int is_searching(const struct computing *c, const struct library_place *place)
{
	uint64_t calls;

	if (!is_one_of(place->operation, searching_globs))
		return 0;
	calls = library_place_calls(place, c);
	return calls && place->time >= SEARCH_NS * (long double)calls;
}

/* Appends a name without its parameters, if these are long; of a member: its class only. */
static void put_part(struct strbuf *text, const char *shown, int is_class)
{
	size_t length = strlen(shown), open = strcspn(shown, "<");
	int depth = 0;

	for (size_t i = length; is_class && i-- > 1;) {
		depth += (shown[i] == '>') - (shown[i] == '<');
		if (!depth && shown[i] == ':' && shown[i - 1] == ':') {
			length = i - 1;
			break;
		}
	}
	if (length > CLASS_MOST && open < length)
		strbuf_printf(text, "%.*s<...>", (int)open, shown);
	else
		strbuf_printf(text, "%.*s", (int)length, shown);
}

static void put_copied(struct strbuf *text, const struct library_place *place)
{
	strbuf_puts(text, "copies ");
	put_part(text, place->shown, 1);
}

static void put_built(struct strbuf *text, const struct library_place *place)
{
	strbuf_puts(text, "builds a ");
	put_part(text, place->shown, 1);
	strbuf_puts(text, " for each use");
}

static void put_moving(struct strbuf *text, const struct library_place *place)
{
	strbuf_puts(text, strstr(place->operation, "erase") ? "erases in a " : "inserts into a ");
	put_part(text, place->shown, 1);
	strbuf_puts(text, ", which moves all that is behind");
}

static void put_stepping(struct strbuf *text, const struct library_place *place)
{
	strbuf_puts(text, "goes from element to element of a ");
	strbuf_puts(text, strstr(place->operation, "_Rb_tree_") ? "std::set or std::map" : "list");
	strbuf_printf(text, " by %.*s", (int)strcspn(place->shown, "<"), place->shown);
}

static void put_searching(struct strbuf *text, const struct library_place *place)
{
	strbuf_puts(text, "searches long texts by ");
	put_part(text, place->shown, 0);
}

static const struct {
	int (*is)(const struct computing *c, const struct library_place *place);
	void (*put)(struct strbuf *text, const struct library_place *place);
	int is_counted; /* its calls are those of the operation */
} kinds[] = {
	{ is_copied, put_copied, 1 },	  { is_built, put_built, 1 },	      { is_moving, put_moving, 0 },
	{ is_stepping, put_stepping, 0 }, { is_searching, put_searching, 1 },
};

/* ---- the rule -------------------------------------------------------------------------------- */

/* Adds what the same function of the program has done with the object that it makes at the place:
 * its end, and what a generator prepares for its one number. */
static void add_rest(const struct computing *c, const struct library_work *work, struct library_place *place)
{
	size_t length = class_length(place->operation);
	int is_generator = is_one_of(place->operation, generator_globs);
	long double calls = (long double)call_graph_calls(&c->graph, place->caller);

	for (size_t i = 0; length && i < work->n; i++) {
		const struct library_place *one = &work->list[i];
		const char *callee =
			one->edge ? call_graph_entity(&c->graph, one->edge->entity)->assembler : NULL;
		int is_prepared = is_generator && callee && is_same(one->own, place->own) &&
				  !strncmp(callee, place->operation, length) &&
				  (long double)one->edge->calls <= ONCE * calls;

		if (one->caller == place->caller && (is_prepared || is_destructor(one->operation, place))) {
			place->time += one->time;
			place->edge = place->edge ? place->edge : one->edge;
		}
	}
}

/* Finds the place with most time of all kinds. Returns its kind, or the number of kinds: none. */
static size_t find_most(const struct computing *c, const struct library_work *work,
			struct library_place *most)
{
	size_t kind = ARRAY_SIZE(kinds);

	most->time = 0;
	for (size_t i = 0; i < work->n; i++)
		for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
			struct library_place one = work->list[i];

			if (!kinds[k].is(c, &one))
				continue;
			add_rest(c, work, &one);
			if (one.time > most->time) {
				*most = one;
				kind = k;
			}
			break;
		}
	return kind;
}

/* Tells whether the program calls the library's function itself, or one of the same name: how often
 * it is done is known then. Of one that was inlined it is not, as its own calls may be in loops. */
static int is_called(const struct computing *c, const struct library_place *place)
{
	return place->edge && is_same(call_graph_entity(&c->graph, place->edge->entity)->name, place->shown);
}

static void put_times(const struct computing *c, const struct library_place *place, struct strbuf *text)
{
	uint64_t calls = is_called(c, place) ? library_place_calls(place, c) : 0;

	if (!calls)
		return;
	strbuf_puts(text, ", ");
	output_plural(text, calls, "time", "s");
}

int computing_objects(const struct computing *c, struct computing_found *found)
{
	struct library_work work;
	struct library_place most;
	size_t kind;
	int applies;

	library_work_make(&work, c);
	kind = find_most(c, &work, &most);
	applies = kind < ARRAY_SIZE(kinds) && computing_percent(c, most.time) >= OBJECTS_PERCENT &&
		  (!most.edge || most.edge->calls >= OBJECTS);
	if (applies) {
		kinds[kind].put(&found->text, &most);
		if (kinds[kind].is_counted)
			put_times(c, &most, &found->text);
		found->about = most.caller;
		found->edge = most.edge;
		found->code = most.place;
		found->look_at = is_called(c, &most) ? most.edge->entity : most.caller;
		found->verb = is_called(c, &most) ? "callers" : "annotate";
		found->time = most.time;
	}
	library_work_release(&work);
	return applies;
}

int computing_has_objects(const struct computing *c, long double time)
{
	struct computing_found found = { 0 };
	int has;

	strbuf_clear(&found.text);
	has = computing_objects(c, &found) && found.time >= time;
	strbuf_release(&found.text);
	return has;
}
