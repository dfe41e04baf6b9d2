/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The chain from the wrong element to its root, for people: what it ends in, how sure that is, and
 * each write between.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/parse.h"
#include "common/logical/construct.h"
#include "common/traceslice/traceslice.h"
#include "frontend/hang/hang.h"
#include "frontend/locate/internal.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/symbols/symbols.h"
#include "frontend/traceview/traceview.h"
#include "frontend/util/xalloc.h"

#define NAMELESS "a variable without a name"
#define BEFORE 3 /* lines between a collective and where its result is read */
#define BEHIND 8 /* lines between what is set and a collective that brings it to others */

/* ---- as JSON ---- */

static const char *const ends[SLICE_ENDS] = {
	[SLICE_NOWHERE] = "open",
	[SLICE_STALE] = "stale",
	[SLICE_MISSING] = "missing write",
	[SLICE_EXTRA] = "extra write",
	[SLICE_OTHER_READ] = "other element",
	[SLICE_SENT_OTHER] = "other element sent",
	[SLICE_STATEMENT] = "statement",
	[SLICE_UNSEEN] = "unseen",
};

/* "u[3][4]", "gam", "byte 8 of the memory allocated at f.c:12"; returns out. */
static const char *name_of(const struct locate *l, const struct trace_thing *t,
			   char out[LOCATE_TEXT])
{
	char at[LOCATE_TEXT];
	struct symbols *s = l->s->symbols;

	if ((t->what == TRACE_WHAT_ADDRESS || t->what == TRACE_WHAT_HEAP) &&
	    trace_thing_name(s, t, out, LOCATE_TEXT))
		return out;
	if (t->what == TRACE_WHAT_HEAP && *trace_spot_text(s, &t->spot, at, sizeof(at)))
		snprintf(out, LOCATE_TEXT, "byte %llu of the memory allocated at %.*s",
			 (unsigned long long)t->within, 400, at);
	else if (t->what == TRACE_WHAT_ADDRESS && !t->name)
		snprintf(out, LOCATE_TEXT, NAMELESS);
	else
		locate_thing(l, t, out);
	return out;
}

static unsigned of_name(const char *name)
{
	return strcmp(name, NAMELESS) ? 0 : LOCATE_UNNAMED;
}

/* Of what a statement sets: as the source has it, where memory has no name. */
static const char *name_of_written(const struct locate *l, const struct trace_finding *f,
				   char out[LOCATE_TEXT])
{
	name_of(l, &f->thing, out);
	/* where it gets its first value may be its declaration */
	if (f->write && !strcmp(out, NAMELESS) &&
	    !(f->ref_spot.place.module && locate_assigned(l, &f->ref_spot, out, LOCATE_TEXT)))
		locate_assigned(l, &f->spot, out, LOCATE_TEXT);
	return out;
}

static const char *value_text(const struct trace_pair *v, bool ref, char out[VALUE_TEXT])
{
	struct trace_pair x = *v;

	x.now = ref ? v->ref : v->now;
	return locate_value_text(&x, out);
}

static json_t *write_json(const struct locate_traced *t, const struct trace_finding *f)
{
	char text[LOCATE_TEXT], value[VALUE_TEXT], at[POINT_TEXT];
	struct symbols *s = t->l->s->symbols;
	json_t *o = json_pack("{s:o s:i}", "element", out_json_text(name_of_written(t->l, f, text)),
			      "rank", (int)f->rank);

	json_object_set_new(o, "value", out_json_text(value_text(&f->value, false, value)));
	if (f->value.has_ref)
		json_object_set_new(o, "reference_value",
				    out_json_text(value_text(&f->value, true, value)));
	if (*trace_spot_text(s, &f->spot, text, sizeof(text)))
		json_object_set_new(o, "place", out_json_text(text));
	if (*trace_spot_text(s, &f->ref_spot, text, sizeof(text)))
		json_object_set_new(o, "reference_place", out_json_text(text));
	if (f->ref_rank != TRACE_NO_RANK)
		json_object_set_new(o, "reference_rank", json_integer(f->ref_rank));
	if (f->nidx)
		json_object_set_new(o, "iteration", trace_index_json(f->index, f->nidx));
	if (f->point.main)
		json_object_set_new(o, "point", json_string(point_format(&f->point, at)));
	return o;
}

static json_t *read_json(const struct locate_traced *t, const struct trace_operand *x,
			 uint32_t rank)
{
	struct trace_finding f = { .rank = rank,
				   .ref_rank = TRACE_NO_RANK,
				   .thing = x->thing,
				   .value = x->value,
				   .spot = x->spot };

	return write_json(t, &f);
}

/* From the root's write to the wrong one. */
static json_t *chain_json(const struct locate_traced *t, const struct slice *c)
{
	static const char *const hows[] = { [SLICE_FIRST] = "wrong",
					    [SLICE_LOCAL] = "local",
					    [SLICE_OWNER] = "owner",
					    [SLICE_MESSAGE] = "message" };
	json_t *o = json_pack("{s:s s:s s:b s:b}", "end", ends[c->end], "grade",
			      slice_grade_word(c->grade), "shortened", c->shortened, "bounded",
			      c->bounded),
	       *list = json_array();

	for (unsigned i = c->n; i-- > 0;) {
		json_t *x = write_json(t, &c->step[i].write);

		json_object_set_new(x, "how", json_string(hows[c->step[i].how]));
		json_array_append_new(list, x);
	}
	json_object_set_new(o, "steps", list);
	if (c->read.thing.what != TRACE_WHAT_NONE)
		json_object_set_new(o, "read",
				    read_json(t, &c->read, c->step[c->n - 1].write.rank));
	if (c->owner != TRACE_NO_RANK)
		json_object_set_new(o, "owner", json_integer(c->owner));
	if (c->right.kind)
		json_object_set_new(o, "right", write_json(t, &c->right));
	if (c->instead.thing.what != TRACE_WHAT_NONE)
		json_object_set_new(o, "instead", read_json(t, &c->instead, c->instead_rank));
	return o;
}

/* ---- in words ---- */

/* What is said of a root. */
struct words {
	struct locate_traced *t;
	const struct slice *c;
	const struct trace_finding *w; /* the root's write */
	char name[LOCATE_TEXT], at[LOCATE_TEXT], read_at[LOCATE_TEXT], right_at[LOCATE_TEXT];
	char written[LOCATE_TEXT], now[VALUE_TEXT], ref[VALUE_TEXT];
};

static void words_of(struct words *x, struct locate_traced *t, const struct slice *c)
{
	*x = (struct words){ .t = t, .c = c, .w = &c->step[c->n - 1].write };
	name_of(t->l, &c->read.thing, x->name);
	name_of_written(t->l, x->w, x->written);
	locate_place(t, &x->w->spot, x->at);
	locate_place(t, &c->read.spot, x->read_at);
	locate_place(t, &c->right.spot, x->right_at);
	value_text(&c->read.value, false, x->now);
	value_text(&c->read.value, true, x->ref);
}

/* The statement is that of the reference, and reads the stale element on another line: which branch
 * it takes there may be wrong. Puts the reference's line into there. */
static bool is_other_branch(const struct locate_traced *t, const struct slice *c,
			    char there[LOCATE_TEXT])
{
	const struct trace_finding *w = &c->step[c->n - 1].write;
	struct symbols *s = t->l->s->symbols;
	char at[LOCATE_TEXT], a[LOCATE_TEXT], b[LOCATE_TEXT];

	return !t->l->spec->with && c->end == SLICE_STALE &&
	       c->instead.thing.what == TRACE_WHAT_NONE &&
	       *trace_spot_text(s, &c->read.spot, at, sizeof(at)) &&
	       *trace_spot_text(s, &c->read.ref_spot, there, LOCATE_TEXT) &&
	       strcmp(at, there) != 0 &&
	       !strcmp(locate_place(t, &w->spot, a), locate_place(t, &w->ref_spot, b));
}

static bool say_other_branch(const struct words *x)
{
	struct locate *l = x->t->l;
	char there[LOCATE_TEXT];

	if (!is_other_branch(x->t, x->c, there))
		return false;
	locate_because(
		l, LOCATE_STALE | LOCATE_COPIED,
		"%s reads %s for it on rank %u, where %s does in the reference, and the halo of "
		"%s from rank %u was stale",
		x->read_at, x->name, x->w->rank, there, x->c->read.thing.name, x->c->owner);
	locate_say(&l->advice,
		   "look at the conditions of %s and %s: is %s to be executed on rank %u, for this "
		   "element? If it is: look for the way of %s from rank %u to rank %u before it",
		   x->read_at, there, x->read_at, x->w->rank, x->name, x->c->owner, x->w->rank);
	return true;
}

/* The rank has computed its halo itself, and not in an iteration that marks by hand say it has. */
static bool is_own_halo(const struct locate_traced *t, const struct slice *c)
{
	return c->end == SLICE_STALE && c->in_halo &&
	       (t->l->spec->automatic || !c->step[c->n - 1].write.nidx);
}

static bool say_computed(const struct words *x)
{
	struct locate *l = x->t->l;

	if (!is_own_halo(x->t, x->c))
		return false;
	locate_because(l, LOCATE_HALO | LOCATE_STALE,
		       "rank %u computes its copy of %s at %s from %s, of which the halo from rank "
		       "%u was stale",
		       x->w->rank, x->written, x->at, x->name, x->c->owner);
	locate_say(&l->advice,
		   "is the halo of %s to be renewed after %s, or that of %s before it? One of "
		   "these exchanges is missing, or not of that element",
		   x->w->thing.name ? x->w->thing.name : x->written, x->at, x->c->read.thing.name);
	return true;
}

static void say_stale(const struct words *x)
{
	struct locate *l = x->t->l;
	const struct slice *c = x->c;
	char from[LOCATE_TEXT], at[LOCATE_TEXT];
	const char *array = c->read.thing.name;

	if (say_other_branch(x) || say_computed(x))
		return;
	if (c->instead.thing.what == TRACE_WHAT_NONE &&
	    locate_held(x->t, &c->read, c->owner, x->w->rank, &x->w->point, from)) {
		locate_because(
			l, LOCATE_HALO,
			"the halo of %s from rank %u was wrong when %s read %s on rank %u: it held "
			"what %s is there",
			array, c->owner, x->read_at, x->name, x->w->rank, from);
		locate_say(&l->advice,
			   "look at the messages from rank %u to rank %u before %s: %s came in "
			   "place of "
			   "%s, so their tags, order or buffers may be exchanged",
			   c->owner, x->w->rank, x->read_at, from, x->name);
		return;
	}
	if (c->instead.thing.what == TRACE_WHAT_NONE) {
		locate_because(l, LOCATE_HALO | LOCATE_STALE,
			       "the halo of %s from rank %u was stale when %s read %s on rank %u",
			       array, c->owner, x->read_at, x->name, x->w->rank);
		locate_say(&l->advice,
			   "rank %u has set %s to %s%s%s: look for its way to rank %u before %s: "
			   "is it "
			   "sent, of the right elements, after it is set, and waited for?",
			   c->owner, x->name, x->ref, c->right.kind ? " at " : "",
			   c->right.kind ? x->right_at : "", x->w->rank, x->read_at);
		return;
	}
	name_of(l, &c->instead.thing, from);
	locate_place(x->t, &c->instead.spot, at);
	if (!strcmp(from, x->name)) {
		locate_because(
			l, LOCATE_HALO | LOCATE_STALE,
			"the halo of %s from rank %u was stale when %s read %s on rank %u: %s has "
			"taken it as it was before",
			array, c->owner, x->read_at, x->name, x->w->rank, at);
		locate_say(&l->advice,
			   "%s takes %s on rank %u, and %s sets it: is it sent too early?", at,
			   from, c->instead_rank, x->right_at);
		return;
	}
	locate_because(
		l, LOCATE_HALO,
		"the halo of %s from rank %u was wrong when %s read %s on rank %u: it held %s of "
		"rank %u",
		array, c->owner, x->read_at, x->name, x->w->rank, from, c->instead_rank);
	locate_say(
		&l->advice,
		"look at what %s takes on rank %u, and at where it is put on rank %u: %s came in "
		"place of %s",
		at, c->instead_rank, x->w->rank, from, x->name);
}

static void say_missing(const struct words *x)
{
	struct locate *l = x->t->l;
	char at[LOCATE_TEXT], name[LOCATE_TEXT], now[VALUE_TEXT];

	locate_place(x->t, &x->c->right.spot, at);
	if (x->c->end == SLICE_EXTRA) {
		locate_because(l, 0,
			       "%s sets %s to %s, and there is no such write in the reference", at,
			       name_of(l, &x->c->right.thing, name),
			       value_text(&x->c->right.value, false, now));
		locate_say(&l->advice, "look at the index and at conditions at %s on rank %u", at,
			   x->c->right.rank);
		return;
	}
	locate_because(l, of_name(x->name),
		       "%s, which %s reads, is not set on rank %u, but in the reference at %s",
		       x->name, x->read_at, x->w->rank, at);
	locate_say(&l->advice,
		   "look at the bounds of the loop at %s, and at conditions: does it set %s on "
		   "rank %u?",
		   at, x->name, x->w->rank);
	if (x->c->read.thing.name)
		locate_container_lines(l, x->c->read.thing.name, at, x->w->rank);
}

static void say_read(const struct words *x)
{
	struct locate *l = x->t->l;
	char from[LOCATE_TEXT];

	if (x->c->end == SLICE_OTHER_READ) {
		locate_because(l, of_name(x->name),
			       "%s is read at %s for %s, but not in the reference", x->name,
			       x->read_at, x->written);
		locate_say(&l->advice, "look at the index and at conditions at %s on rank %u",
			   x->read_at, x->w->rank);
		return;
	}
	name_of(l, &x->c->instead.thing, from);
	locate_because(l, 0, "what a message has brought is %s of rank %u, which is right there",
		       from, x->c->instead_rank);
	locate_say(&l->advice, "look at which elements %s sends, and at where they are put",
		   x->read_at);
}

/* What another line sets in the reference is read behind a collective, which may be what should
 * bring it from the rank that sets it. */
static bool advise_missed(const struct words *x, const char *there)
{
	const struct slice *c = x->c;
	struct locate *l = x->t->l;
	struct place from = x->w->ref_spot.place, to;
	char *call = NULL;
	bool is;

	if (c->n < 2)
		return false;
	to = c->step[c->n - 2].write.spot.place;
	symbols_resolve(l->s->symbols, &from);
	symbols_resolve(l->s->symbols, &to);
	/* what reads it may stand in a function in front of that */
	if (from.file && to.file && !strcmp(from.file, to.file))
		call = hang_collective_in(l->s, from.file, from.line,
					  from.line < to.line ? to.line : from.line + BEHIND, 0);
	if (call)
		locate_say(&l->advice,
			   "%s stands between %s and %s:%u, which reads it: is it to bring what "
			   "another rank has set at %s to rank %u? Look at its count, root and "
			   "communicator; else at the conditions of %s",
			   call, there, path_base(to.file), to.line, there, x->w->rank, there);
	is = call;
	free(call);
	return is;
}

static void say_statement(const struct words *x)
{
	struct locate *l = x->t->l;
	char now[VALUE_TEXT], ref[VALUE_TEXT], there[LOCATE_TEXT];

	value_text(&x->w->value, false, now);
	value_text(&x->w->value, true, ref);
	locate_place(x->t, &x->w->ref_spot, there);
	if (!l->spec->with && strcmp(there, x->at) != 0) {
		locate_because(l, 0, "%s sets %s to %s, where %s sets it to %s in the reference",
			       x->at, x->written, now, there, ref);
		if (!advise_missed(x, there))
			locate_say(&l->advice, "look at the conditions of %s and %s on rank %u%s%s",
				   x->at, there, x->w->rank,
				   x->c->hidden ? "; else at what has no mark, and is read at " : "",
				   x->c->hidden ? x->at : "");
		return;
	}
	if (x->c->unclear) {
		locate_because(
			l, 0,
			"%s sets %s to %s, and to %s in the reference, from memory that is not "
			"registered",
			x->at, x->written, now, ref);
		locate_say(&l->advice,
			   "look at what %s reads on rank %u: is it what was put or received "
			   "there, and of the right elements?",
			   x->at, x->w->rank);
		return;
	}
	locate_because(
		l, 0,
		"%s sets %s to %s, and to %s in the reference, though it reads the same numbers%s",
		x->at, x->written, now, ref, x->c->hidden ? " from registered arrays" : "");
	locate_say(&l->advice, "look at constants, indices and conditions at %s on rank %u", x->at,
		   x->w->rank);
}

/* What is read may be the result of a collective of MPI on the lines before. */
static bool advise_collective(const struct words *x)
{
	struct locate *l = x->t->l;
	struct place at = x->c->read.spot.place;
	char *call = NULL;
	bool is;

	symbols_resolve(l->s->symbols, &at);
	if (at.file && at.line)
		call = hang_collective_in(l->s, at.file, at.line > BEFORE ? at.line - BEFORE : 1,
					  at.line, l->m->previous.main);
	if (call)
		locate_say(
			&l->advice,
			"it may be the result of %s: look at what each rank gives to that call, "
			"and at its counts, operation, root and communicator; whose part is wrong "
			"is not known",
			call);
	is = call;
	free(call);
	return is;
}

static void say_unseen(const struct words *x)
{
	struct locate *l = x->t->l;
	char names[LOCATE_UNHOOKED];
	bool other = x->c->read.value.has_ref;

	if (x->c->owner != TRACE_NO_RANK) {
		locate_because(
			l, of_name(x->name),
			"%s, which %s reads on rank %u, is wrong on rank %u, which owns it, and "
			"no write of that is seen",
			x->name, x->read_at, x->w->rank, x->c->owner);
		locate_say(&l->advice,
			   "look for what %s is on rank %u: is it set there, or does the name mean "
			   "other memory than on other ranks?",
			   x->name, x->c->owner);
		return;
	}
	locate_because(l, of_name(x->name),
		       "%s, which %s reads on rank %u, is %s%s%s%s: no write of that is seen",
		       x->name, x->read_at, x->w->rank, x->now, other ? ", and " : "",
		       other ? x->ref : "", other ? " in the reference" : "");
	if (l->m->id.kind == ARRAY_REPLICATED && advise_collective(x))
		return;
	locate_say(&l->advice,
		   "look for what sets %s on rank %u: MPI does, code that is not compiled with "
		   "dvmdbg-cc or dvmdbg-fc%s, or something before the traced interval",
		   x->name, x->w->rank, locate_unhooked(l, names));
}

static void say(struct locate_traced *t, const struct slice *c)
{
	struct words *x = xcalloc(1, sizeof(*x));

	words_of(x, t, c);
	switch (c->end) {
	case SLICE_STALE:
		say_stale(x);
		break;
	case SLICE_MISSING:
	case SLICE_EXTRA:
		say_missing(x);
		break;
	case SLICE_OTHER_READ:
	case SLICE_SENT_OTHER:
		say_read(x);
		break;
	case SLICE_STATEMENT:
		say_statement(x);
		break;
	default:
		say_unseen(x);
		break;
	}
	free(x);
}

/* The line where it begins. */
static void put_root(struct locate_traced *t, const struct slice *c)
{
	const struct trace_spot *at = &c->step[c->n - 1].write.spot;
	char place[LOCATE_TEXT], there[LOCATE_TEXT];

	if (is_other_branch(t, c, there))
		at = &c->read.spot;
	if (c->end == SLICE_MISSING || c->end == SLICE_EXTRA)
		at = &c->right.spot;
	locate_root(t->l, locate_place(t, at, place));
}

void locate_root_clear(struct locate *l)
{
	free(l->root.file);
	free(l->root.module);
	l->root.file = l->root.module = NULL;
}

static void keep_root(struct locate_traced *t, const struct slice *c)
{
	char name[LOCATE_TEXT];
	bool unnamed = c->end == SLICE_UNSEEN &&
		       of_name(name_of(t->l, &c->read.thing, name)) == LOCATE_UNNAMED;
	struct place at = unnamed ? c->read.spot.place : c->step[c->n - 1].write.spot.place;

	locate_root_clear(t->l);
	symbols_resolve(t->l->s->symbols, &at);
	if ((c->end != SLICE_STATEMENT && !unnamed) || c->grade == SLICE_PROVED || !at.file ||
	    !at.module)
		return;
	t->l->root.file = xstrdup(at.file);
	t->l->root.module = xstrdup(at.module);
	t->l->root.line = at.line;
	t->l->root.rank = c->step[c->n - 1].write.rank;
}

/* ---- both ---- */

/* The chain says more than what was found of the wrong write alone. */
static bool says_more(const struct locate *l, const struct slice *c)
{
	if (c->end == SLICE_NOWHERE)
		return false;
	if (c->n > 1 || !l->because || (l->vague && c->end == SLICE_UNSEEN))
		return true;
	/* what was only seen to be wrong has a line */
	if ((c->end == SLICE_EXTRA || c->end == SLICE_MISSING) &&
	    (c->grade > l->grade || (c->grade == l->grade && l->about & LOCATE_COPIED)))
		return true;
	/* the halo is what its owner has */
	if (c->end == SLICE_UNSEEN && c->owner != TRACE_NO_RANK)
		return true;
	return c->end == SLICE_STALE &&
	       (!(l->about & LOCATE_STALE) || c->instead.thing.what != TRACE_WHAT_NONE ||
		!point_sort(&c->right.point, &c->step[0].write.point));
}

/* Of the halos only those of the array that is the cause stay reported. */
static void keep_halos(struct locate_halo *h, const struct slice *c)
{
	size_t n = 0;

	if (c->end != SLICE_STALE)
		return;
	for (size_t i = 0; i < h->n; i++)
		if (!strcmp(h->reported[i].e->name, c->read.thing.name))
			h->reported[n++] = h->reported[i];
	h->n = n;
	h->refuted |= !n;
	h->cause = NULL;
}

/*
 * The iteration also reads halo of that array which no rank owns and which is wrong: the rank
 * computes its halo, and the copy is not only late.
 */
static bool is_computed(const struct trace_finding *f, const json_t *write, const char *array)
{
	const json_t *list = json_object_get(write, "operands");

	for (unsigned i = 0; i < f->noperand; i++)
		if (f->operand[i].other && f->operand[i].thing.what == TRACE_WHAT_ARRAY &&
		    !strcmp(f->operand[i].thing.name, array) &&
		    json_object_get(json_array_get(list, i), "unowned"))
			return true;
	return false;
}

static int weight(const struct slice *c)
{
	return c->end == SLICE_NOWHERE ? 1 : 2 + (int)c->grade * 100 + (int)c->n;
}

static bool is_other_statement(const struct locate_traced *t, const struct slice *c)
{
	const struct trace_finding *w = &c->step[c->n - 1].write;
	char here[LOCATE_TEXT], there[LOCATE_TEXT];

	return !t->l->spec->with &&
	       strcmp(locate_place(t, &w->spot, here), locate_place(t, &w->ref_spot, there)) != 0;
}

static void cap(const struct locate_traced *t, const struct trace_finding *f, const json_t *write,
		struct slice *c)
{
	char there[LOCATE_TEXT];

	if (c->grade > SLICE_LIKELY && c->n && is_other_branch(t, c, there))
		c->grade = SLICE_LIKELY;
	/* what it reads that has no mark may be wrong, and a part may begin with another statement */
	if (c->grade > SLICE_POSSIBLE && c->n && c->end == SLICE_STATEMENT && c->hidden &&
	    is_other_statement(t, c))
		c->grade = SLICE_POSSIBLE;
	/* in the right program it may be replaced before it is read */
	if (c->n && is_own_halo(t, c) && c->grade > SLICE_LIKELY)
		c->grade = SLICE_LIKELY;
	if (c->end == SLICE_STALE && c->instead.thing.what == TRACE_WHAT_NONE &&
	    c->grade > SLICE_LIKELY && is_computed(f, write, c->read.thing.name))
		c->grade = SLICE_LIKELY;
}

bool locate_chain(struct locate_traced *t, const struct trace_finding *f, const json_t *write)
{
	struct locate *l = t->l;
	struct slice_wanted w = { .tolerance = &t->tolerance,
				  .wrong = f,
				  .others = t->x.only.others };
	struct slice *c;

	if (!f->write || f->kind != FINDING_VALUE || !locate_traces_open(t))
		return false;
	w.now = t->now_traces;
	w.ref = t->ref_traces;
	c = xcalloc(1, sizeof(*c));
	if (slice_make(&w, c) == 1)
		cap(t, f, write, c);
	if (c->n && weight(c) >= l->chain_weight) {
		l->chain_weight = weight(c);
		json_decref(l->chain);
		l->chain = chain_json(t, c);
		if (says_more(l, c)) {
			say(t, c);
			put_root(t, c);
			keep_root(t, c);
			l->grade = c->grade;
			l->rooted = true;
			if (c->end != SLICE_STALE)
				locate_refute(l);
			keep_halos(&l->halo, c);
			t->unexplained &= c->grade != SLICE_PROVED;
			json_object_set_new(l->chain, "text", out_json_text(l->because));
		}
		/* all that it reads is recorded, and the same; or the owner's element is */
		if (!l->rooted && c->n == 1 && c->grade == SLICE_PROVED &&
		    (c->end == SLICE_STATEMENT || c->end == SLICE_STALE))
			l->grade = SLICE_PROVED;
		t->hidden = c->hidden;
		l->unset = c->unset && t->x.from.main;
	}
	slice_clear(c);
	free(c);
	return l->chain;
}
