/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When what is registered is the same in both runs: the construct once more, with the memory that
 * nobody has registered. Numbers that differ there are shown as what the value was computed from.
 * After that variables of the calls, where the loop begins.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/core/err.h"
#include "common/logical/construct.h"
#include "frontend/locate/internal.h"
#include "frontend/output/output.h"
#include "frontend/output/text.h"
#include "frontend/pair/pair.h"
#include "frontend/scan/scan.h"
#include "frontend/session/session.h"
#include "frontend/symbols/symbols.h"
#include "frontend/traceview/traceview.h"
#include "frontend/util/xrankset.h"

#define TEXT 600

static bool same_write(const struct trace_finding *a, const struct trace_finding *b)
{
	return a->kind == b->kind && a->write == b->write && a->rank == b->rank &&
	       a->thing.ndim == b->thing.ndim && !strcmp(a->thing.name, b->thing.name) &&
	       !memcmp(a->thing.index, b->thing.index, a->thing.ndim * sizeof(*a->thing.index));
}

/* A number as people write it. */
static const char *number(const json_t *o, const char *key, char out[VALUE_TEXT])
{
	return out_text_value(out_str(o, "kind_of_value"), out_get(o, key), out);
}

/* "gam", or, of memory that has no name, where it is read. */
static const char *name_of(const struct locate *l, const struct trace_operand *o, const json_t *x,
			   char out[TEXT])
{
	const char *element = out_str(x, "element"), *allocated = out_str(x, "allocated");
	char at[TEXT];

	if (*allocated)
		snprintf(out, TEXT, "%s (allocated at %s)", element, allocated);
	else if (strncmp(element, "0x", 2) != 0)
		snprintf(out, TEXT, "%s", element);
	else if (*trace_spot_text(l->s->symbols, &o->spot, at, sizeof(at)))
		snprintf(out, TEXT, "a variable that %s reads", at);
	else
		snprintf(out, TEXT, "the variable at %s", element);
	return out;
}

static void report(struct locate *l, const struct trace_finding *f, const struct trace_operand *o,
		   const json_t *x)
{
	char name[TEXT], now[VALUE_TEXT], ref[VALUE_TEXT];
	const char *element = out_str(x, "element");
	bool nameless = !strncmp(element, "0x", 2) || *out_str(x, "allocated");

	name_of(l, o, x, name);
	/* of a temporary nobody can say where it has its value from */
	l->grade = nameless ? SLICE_LIKELY : SLICE_PROVED;
	locate_because(l, nameless ? LOCATE_UNNAMED : 0, "%s is %s, and %s in the reference", name,
		       number(x, "value", now), number(x, "reference_value", ref));
	locate_say(&l->advice,
		   "it is computed from %s, which is not registered: look at what sets it on rank "
		   "%u",
		   name, f->rank);
}

static bool has(const json_t *list, const json_t *x)
{
	const json_t *y;
	size_t i;

	json_array_foreach(list, i, y)
	{
		if (json_equal(y, x))
			return true;
	}
	return false;
}

/* What is found of them is proved, as it is in the first trace. */
static bool blame_operand(struct locate_traced *t, const struct trace_finding *f, json_t *from)
{
	enum slice_grade before = t->l->grade;
	bool reported;

	t->l->grade = SLICE_PROVED;
	reported = locate_blame_operand(t, f, from);
	if (!reported)
		t->l->grade = before;
	return reported;
}

/* What differs of the operands becomes the write's; those without a name are reported. False: none
 * is. */
static bool take(struct locate_traced *t, const struct trace_finding *f, json_t *from,
		 json_t *write)
{
	json_t *list = json_object_get(write, "operands");
	/* what a chain ends in says more than what is read for the write alone */
	bool reported = t->l->rooted || blame_operand(t, f, from);

	if (json_object_get(from, "origin"))
		json_object_set(write, "origin", json_object_get(from, "origin"));
	if (!list) {
		list = json_array();
		json_object_set_new(write, "operands", list);
	}
	for (unsigned i = 0; i < f->noperand; i++) {
		const struct trace_operand *o = &f->operand[i];
		json_t *x = json_array_get(json_object_get(from, "operands"), i);

		if (!x || !(o->other || o->value.has_ref != o->value.has_now) ||
		    (o->thing.what != TRACE_WHAT_ARRAY && locate_is_address(o)))
			continue;
		if (!has(list, x))
			json_array_append(list, x);
		if (!reported && o->thing.what != TRACE_WHAT_ARRAY)
			report(t->l, f, o, x);
		reported = true;
	}
	return reported;
}

/* The same write among what this run has found. */
static bool find_again(const struct locate_traced *t, const struct trace_finding *f,
		       struct trace_finding *out)
{
	for (size_t i = 0; i < t->found.n; i++)
		if (!trace_findings_get(&t->found, i, out) && same_write(f, out))
			return true;
	return false;
}

bool locate_others(struct locate *l, const struct trace_finding *f, json_t *write)
{
	struct locate_traced t;
	bool reported = false;
	struct locate_writes w = { 0 };
	struct trace_finding g;
	char *why = NULL;
	json_t *from;

	if (!locate_traced_begin(&t, l)) {
		t.x.only.nname = 0;
		t.x.only.others = true;
	}
	if (t.x.only.others && !l->interrupted && !locate_traced_run(&t) &&
	    (find_again(&t, f, &g) || (locate_outside(f) && locate_setter(&t, &g, &w, &why)))) {
		from = locate_write_json(l, second_session(t.now), &g);
		reported = take(&t, &g, from, write);
		locate_chain(&t, &g, from);
		json_decref(from);
	}
	free(why);
	locate_writes_clear(&w);
	locate_traced_end(&t);
	return reported;
}

/* ---- variables of the calls, which no hook sees ---- */

#define SCOPE_NAMES 40
#define SCOPE_FRAMES 4 /* calls that a procedure inside others is in */
#define NEAR 4	       /* lines between a reduction and where its result is seen */

/* Real numbers that a text computes with, and does not set; and what ranks give to reductions. */
struct scope {
	struct locate_traced *t;
	struct scan *scan; /* owned */
	const struct function *in;
	const char *from, *to;	   /* the text */
	uint32_t rank, line, last; /* of the statement; line 0: of none */
	struct point at;	   /* where ranks are asked */
	struct scope_name {
		char name[SCAN_NAME];
		uint32_t line;			 /* that has it */
		bool here;			 /* the statement has it */
		bool given;			 /* to the reduction */
		bool derived;			 /* from a number that is each rank's own */
		bool plain;			 /* … of none, nor of elements of arrays */
		struct scan_reduction reduction; /* that it is the result of, or given to */
		struct values ref, now;
	} item[SCOPE_NAMES];
	unsigned n;
};

/* ---- what is asked for ---- */

static struct scope_name *scope_add(struct scope *x, const char *name, size_t n)
{
	struct scope_name *v = &x->item[x->n];

	if (n >= SCAN_NAME || x->n == SCOPE_NAMES)
		return NULL;
	*v = (struct scope_name){ .given = false };
	for (size_t i = 0; i < n; i++)
		v->name[i] = x->scan->fortran ? (char)tolower((unsigned char)name[i]) : name[i];
	for (unsigned i = 0; i < x->n; i++)
		if (!strcmp(x->item[i].name, v->name))
			return &x->item[i];
	x->n++;
	return v;
}

/* Names of the text that it does not set. */
static void scope_names(struct scope *x)
{
	const char *c = x->from;
	size_t n;

	for (; (c = scan_name(x->scan, c, x->to, &n)); c += n) {
		unsigned before = x->n;
		struct scope_name *v = scope_add(x, c, n);

		if (v && scan_sets(x->scan, x->from, x->to, v->name)) {
			x->n = before;
			continue;
		}
		if (v && !v->line)
			v->line = scan_line(x->scan, c);
		if (v)
			v->here |= scan_line(x->scan, c) >= x->line &&
				   scan_line(x->scan, c) <= x->last;
	}
}

/* Before the text, name is the result of a reduction: what is given to that is asked for, too. */
static bool add_given(struct scope *x, const char *name, struct scan_reduction *out)
{
	const struct function *host =
		x->in->host == UINT32_MAX ? x->in : &x->scan->function[x->in->host];
	struct scope_name *given;

	if (!scan_reduction(x->scan, x->in->body, x->from, name, out) &&
	    (host == x->in || !scan_reduction(x->scan, host->body, host->end, name, out)))
		return false;
	given = scope_add(x, out->gives, strlen(out->gives));
	if (given) {
		given->given = true;
		given->reduction = *out;
	}
	return true;
}

/* Of names that are results, or are computed from some. */
static void scope_given(struct scope *x)
{
	for (unsigned i = 0, n = x->n; i < n; i++) {
		struct scope_name *v = &x->item[i];
		const char *set = scan_sets(x->scan, x->in->body, x->from, v->name), *c;
		struct scan_reduction other;
		char name[SCAN_NAME];
		size_t len;

		if (add_given(x, v->name, &v->reduction))
			continue;
		for (c = set; set && (c = scan_name(x->scan, c, set + strcspn(set, ";\n"), &len));
		     c += len) {
			snprintf(name, sizeof(name), "%.*s", (int)len, c);
			if (add_given(x, name, &other) && !*v->reduction.gives)
				v->reduction = other;
		}
	}
}

/* A number that the name has there; of a procedure inside others also theirs, and of an object its
 * members. */
static void ask_name(const struct scope *x, struct session *s, const char *name, struct values *out)
{
	const struct rankset *all = job_set(s->job, JOB_ALL);
	unsigned frames = !x->scan->fortran ? 2 : x->in->host != UINT32_MAX ? SCOPE_FRAMES : 1;
	char text[SCAN_NAME + 16];

	for (unsigned i = 0; i < frames; i++) {
		struct err err = { "" };

		if (x->scan->fortran)
			snprintf(text, sizeof(text), "[#%u]%s", i, name);
		else
			snprintf(text, sizeof(text), "this->%s", name);
		if (!session_local_values(s, all, i ? text : name, NULL, out, &err) && out->n &&
		    out->type < VALUE_TYPES && !out->ndim && out->elem_size <= sizeof(uint64_t) &&
		    value_class(out->type) == VALUE_IS_REAL)
			return;
		values_clear(out);
		*out = (struct values){ 0 };
	}
}

/* It stands in the head of the function. */
static bool is_argument(const struct scope *x, const char *name)
{
	size_t n = strspn(name, SCAN_LETTERS);
	char word[SCAN_NAME];

	snprintf(word, sizeof(word), "%.*s", (int)n, name);
	for (const char *c = x->in->body;
	     c > x->scan->text && scan_line(x->scan, c) >= x->in->first; c--)
		if (scan_word(x->scan, c, word))
			return true;
	return false;
}

/* Where it is set before the text, else in the file when the function does not get it; or NULL. */
static const char *setter_of(const struct scope *x, const char *name)
{
	const char *text = x->scan->text;
	const char *set = scan_sets(x->scan, x->in->body, x->from, name);

	return set || is_argument(x, name) ? set
					   : scan_sets(x->scan, text, text + strlen(text), name);
}

static bool is_own(const struct scope *x, struct session *s, const char *name)
{
	char text[SCAN_NAME + 16];
	bool is = false;

	for (unsigned i = 0; i < (x->scan->fortran ? 1 : 2) && !is; i++) {
		struct err err = { "" };
		struct values v;

		snprintf(text, sizeof(text), "%s%s", i ? "this->" : "", name);
		is = !session_local_values(s, job_set(s->job, JOB_ALL), text, NULL, &v, &err) &&
		     v.n > 1 && !v.ndim && v.type < VALUE_TYPES && v.type != VALUE_POINTER &&
		     (value_class(v.type) == VALUE_IS_INT || value_class(v.type) == VALUE_IS_UINT);
		values_clear(&v);
	}
	return is;
}

/* What sets it may read a whole number that differs between ranks: it may be one of places. */
static void look_at_setter(const struct scope *x, struct session *s, struct scope_name *v)
{
	const char *set = setter_of(x, v->name), *end, *c = set;
	char other[SCAN_NAME];
	size_t n;

	if (!set)
		return;
	end = set + strcspn(set, ";\n");
	for (; !v->derived && (c = scan_name(x->scan, c, end, &n)); c += n) {
		snprintf(other, sizeof(other), "%.*s", (int)n, c);
		v->derived = is_own(x, s, other);
	}
	/* it is no number of a place, to which the statement would add its index */
	if (v->derived && v->here && !scan_counts_on(x->scan, x->line, x->last)) {
		v->derived = false;
		return;
	}
	v->plain = !v->derived && !memchr(set, '[', (size_t)(end - set));
}

static void ask_scope(struct scope *x, bool ref)
{
	struct second *r = locate_again(x->t->l, ref, &x->at);

	for (unsigned i = 0; r && i < x->n; i++) {
		struct scope_name *v = &x->item[i];

		if (ref || v->ref.n)
			ask_name(x, second_session(r), v->name, ref ? &v->ref : &v->now);
		if (!ref && v->now.n > 1)
			look_at_setter(x, second_session(r), v);
	}
	second_retire(x->t->l->s, r);
}

/* ---- what it shows ---- */

static bool differ(const struct scope *x, unsigned type, double now, double ref)
{
	struct trace_thing any = { .what = TRACE_WHAT_NONE };
	struct trace_pair p = { .type = VALUE_DOUBLE, .size = 8, .has_now = true, .has_ref = true };
	float f[2] = { (float)now, (float)ref };

	memcpy(&p.now, &now, sizeof(now));
	memcpy(&p.ref, &ref, sizeof(ref));
	if (type == VALUE_FLOAT) {
		p = (struct trace_pair){
			.type = VALUE_FLOAT, .size = 4, .has_now = true, .has_ref = true
		};
		memcpy(&p.now, &f[0], sizeof(f[0]));
		memcpy(&p.ref, &f[1], sizeof(f[1]));
	}
	return locate_differ(x->t, &any, &p);
}

static double number_of(const struct values *v, size_t group)
{
	return values_value(v, group, 0).re;
}

/* A group of ranks has another value than the reference, in which all have one. */
static bool scope_differs(const struct scope *x, const struct scope_name *v, size_t group)
{
	return v->ref.n == 1 && v->now.type == v->ref.type &&
	       differ(x, v->ref.type, number_of(&v->now, group), number_of(&v->ref, 0));
}

/* A group whose value is wrong, of the rank, TRACE_NO_RANK: of any; false: none is. */
static bool scope_wrong(const struct scope *x, const struct scope_name *v, size_t *group)
{
	for (size_t i = 0; i < v->now.n; i++) {
		*group = i;
		if ((x->rank == TRACE_NO_RANK || rankset_has(&v->now.group[i].ranks, x->rank)) &&
		    scope_differs(x, v, i))
			return true;
	}
	return false;
}

/* Numbers that only grow, or only fall, from the first rank on may be those of places. */
static bool is_place(const struct scope *x, const struct scope_name *v)
{
	double last = 0;
	int up = 0, down = 0;

	for (uint32_t r = 0; r < (uint32_t)job_size(x->t->l->s->job); r++)
		for (size_t i = 0; i < v->now.n; i++) {
			double now = number_of(&v->now, i);

			if (!rankset_has(&v->now.group[i].ranks, r))
				continue;
			up += r && now > last;
			down += r && now < last;
			last = now;
		}
	return v->now.n > 2 && (!up || !down);
}

/* One rank of several has another number, or only the first has that of the reference. */
static bool is_odd(const struct scope *x, const struct scope_name *v)
{
	uint32_t size = (uint32_t)job_size(x->t->l->s->job);

	if (v->now.n == 1)
		return true;
	for (size_t i = 0; i < v->now.n && v->now.n == 2 && size > 2; i++)
		if (rankset_count(&v->now.group[i].ranks) == 1)
			return scope_differs(x, v, i) || rankset_has(&v->now.group[i].ranks, 0);
	return false;
}

/* Where it is set before the text, else in the function at all; 0: it is not. */
static uint32_t scope_set_at(const struct scope *x, const char *name)
{
	const struct function *in = x->in;
	const char *at = NULL;

	for (;;) {
		if (in->body < x->from && x->from < in->end)
			at = scan_sets(x->scan, in->body, x->from, name);
		at = at ? at : scan_sets(x->scan, in->body, in->end, name);
		if (at || !x->scan->fortran || in->host == UINT32_MAX)
			return at ? scan_line(x->scan, at) : 0;
		in = &x->scan->function[in->host];
	}
}

static const char *file_of(const struct scope *x)
{
	const char *slash = strrchr(x->scan->path, '/');

	return slash ? slash + 1 : x->scan->path;
}

/* "what sets it, as c4_cg.c:91 does" */
static void scope_origin(const struct scope *x, const struct scope_name *v, char out[LOCATE_TEXT])
{
	uint32_t line = scope_set_at(x, v->name);
	const char *set = line ? NULL : setter_of(x, v->name);

	/* of an object, or a variable of the file */
	if (set)
		line = scan_line(x->scan, set);
	if (*v->reduction.gives)
		snprintf(out, LOCATE_TEXT,
			 "the reduction at %s:%u, and at %s, which each rank gives "
			 "to it",
			 file_of(x), scan_line(x->scan, v->reduction.at), v->reduction.gives);
	else if (line)
		snprintf(out, LOCATE_TEXT, "what sets it, as %s:%u does", file_of(x), line);
	else if (is_argument(x, v->name))
		snprintf(out, LOCATE_TEXT, "what %s is called with for it", x->in->name);
	else
		snprintf(out, LOCATE_TEXT, "what sets it before %s:%u", file_of(x),
			 scan_line(x->scan, x->from));
}

/* Which ranks have what the reference has says what is missing. */
static void scope_advise(const struct scope *x, const struct scope_name *v, uint32_t rank)
{
	struct locate *l = x->t->l;
	struct rankset right = { 0 };
	char origin[LOCATE_TEXT], ranks[80];
	unsigned wrong = 0;

	scope_origin(x, v, origin);
	for (size_t i = 0; i < v->now.n; i++)
		if (scope_differs(x, v, i))
			wrong++;
		else
			xrankset_add_set(&right, &v->now.group[i].ranks);
	rankset_format(&right, ranks, sizeof(ranks));
	if (wrong > 1 && !rankset_has(&right, 0))
		locate_say(&l->advice,
			   "%s is another number on other ranks: look at %s. If it is meant to be "
			   "equal, is a reduction missing (MPI_Allreduce), or a broadcast?",
			   v->name, origin);
	else if (!right.n)
		locate_say(&l->advice,
			   "%s is equal on all ranks, and not what it is in the reference: look at "
			   "%s, and at reductions before it: their operation, and what each rank "
			   "gives",
			   v->name, origin);
	else if (2 * rankset_count(&right) <= (size_t)job_size(l->s->job))
		locate_say(
			&l->advice,
			"only %s %s what the reference has of %s: look at %s. Is it broadcast to "
			"the others (MPI_Bcast), or the result of a reduction to one rank "
			"(MPI_Reduce, not MPI_Allreduce)?",
			ranks, rankset_count(&right) > 1 ? "have" : "has", v->name, origin);
	else
		locate_say(&l->advice,
			   "%s have what the reference has of %s: look at %s, and at conditions "
			   "that differ on rank %u",
			   ranks, v->name, origin, rank);
	rankset_clear(&right);
}

static void scope_say(const struct scope *x, const struct scope_name *v, size_t g)
{
	struct locate *l = x->t->l;
	uint32_t rank = x->rank == TRACE_NO_RANK ? (uint32_t)rankset_next(&v->now.group[g].ranks, 0)
						 : x->rank;
	struct value a = values_value(&v->now, g, 0), b = values_value(&v->ref, 0, 0);
	char now[VALUE_TEXT], ref[VALUE_TEXT];

	l->grade = is_place(x, v)			   ? SLICE_POSSIBLE
		   : v->here && (v->plain || is_odd(x, v)) ? SLICE_PROVED
							   : SLICE_LIKELY;
	l->vague = false;
	locate_because(
		l, 0, "%s, which %s:%u computes with, is %s on rank %u, and %s in the reference",
		v->name, file_of(x), v->here ? x->line : v->line,
		value_format(v->now.type, &a, 0, now), rank, value_format(v->ref.type, &b, 0, ref));
	scope_advise(x, v, rank);
}

/* ---- what is given to reductions ---- */

enum { SUM, MOST, LEAST, COMBINATIONS };

static double combined(const struct values *v, int how)
{
	double all = 0;

	for (size_t i = 0; i < v->n; i++) {
		double x = number_of(v, i);

		if (how == SUM)
			all += x * (double)rankset_count(&v->group[i].ranks);
		else if (!i || (how == MOST ? x > all : x < all))
			all = x;
	}
	return all;
}

/* That of an operation; COMBINATIONS: it is another one. */
static int combination(const char *op)
{
	static const char *const names[] = { "mpi_sum", "mpi_max", "mpi_min" };
	int how = 0;

	while (how < COMBINATIONS && strcasecmp(op, names[how]))
		how++;
	return how;
}

/* "12 on [0,2:3], 976.6 on [1]" */
static void give_text(const struct values *v, uint32_t ranks, char *out, size_t room)
{
	size_t used = 0;

	*out = 0;
	for (uint32_t r = 0; r < ranks && used + VALUE_TEXT + 80 < room; r++)
		for (size_t i = 0; i < v->n; i++) {
			struct value x = values_value(v, i, 0);
			char text[VALUE_TEXT], on[60];

			if (rankset_next(&v->group[i].ranks, 0) != r)
				continue;
			used += (size_t)snprintf(
				out + used, room - used, "%s%s on %s", used ? ", " : "",
				value_format(v->type, &x, 0, text),
				rankset_format(&v->group[i].ranks, on, sizeof(on)));
			break;
		}
}

/* What ranks give is what the reference has, by another operation; or it is not, by any. */
static bool scope_reduced(const struct scope *x, const struct scope_name *v)
{
	static const char *const names[] = { "MPI_SUM", "MPI_MAX", "MPI_MIN" };
	int how = combination(v->reduction.op), other = 0;
	uint32_t line = scan_line(x->scan, v->reduction.at);
	struct locate *l = x->t->l;
	char given[LOCATE_TEXT];
	double ref;

	if (!v->given || how == COMBINATIONS || !v->ref.n || !v->now.n ||
	    v->now.type != v->ref.type)
		return false;
	ref = combined(&v->ref, how);
	if (!differ(x, v->ref.type, combined(&v->now, how), ref))
		return false;
	while (other < COMBINATIONS &&
	       (other == how || differ(x, v->ref.type, combined(&v->now, other), ref)))
		other++;
	give_text(&v->now, (uint32_t)job_size(l->s->job), given, sizeof(given));
	l->grade = SLICE_LIKELY;
	l->vague = false;
	if (other < COMBINATIONS) {
		locate_because(
			l, 0,
			"the reduction of %s at %s:%u is made with %s: the reference has what %s "
			"makes of what the ranks give",
			v->name, file_of(x), line, v->reduction.op, names[other]);
		locate_say(&l->advice, "is %s meant at %s:%u? Ranks give %s", names[other],
			   file_of(x), line, given);
		return true;
	}
	locate_because(
		l, 0,
		"%s, which ranks give to the reduction at %s:%u, is not what makes up that of the "
		"reference, by any operation",
		v->name, file_of(x), line);
	locate_say(&l->advice,
		   "%s is %s: look at how each rank computes it before %s:%u: is it set to zero on "
		   "all of them, are bounds right, and what is it computed from that has no mark?",
		   v->name, given, file_of(x), line);
	return true;
}

/* What is given to one of the reductions. */
static bool scope_any_reduced(const struct scope *x)
{
	for (unsigned i = 0; i < x->n; i++)
		if (scope_reduced(x, &x->item[i]))
			return true;
	return false;
}

/* ---- what the iteration itself sets ---- */

#define INNER_NAMES 3

/* Where the loop sets the name before the statement, not to count with it; 0: nowhere. */
static uint32_t set_inside(const struct scope *x, const char *statement, const char *name)
{
	const char *set = scan_sets(x->scan, x->from, statement, name);
	uint32_t line = set ? scan_line(x->scan, set) : 0;

	return line && line < x->line && !scan_counts(x->scan, name, line) ? line : 0;
}

/* What is set there is computed from the variable of a loop. */
static bool of_counter(const struct scope *x, uint32_t line)
{
	const char *c = scan_line_begin(x->scan, line), *end = c ? c + strcspn(c, ";\n") : NULL;
	char name[SCAN_NAME];
	size_t n;

	for (; c && (c = scan_name(x->scan, c, end, &n)); c += n) {
		snprintf(name, sizeof(name), "%.*s", (int)n, c);
		if (scan_counts(x->scan, name, line))
			return true;
	}
	return false;
}

/*
 * All that the statement reads is the same, and so are the variables that the loop does not set:
 * what it computes with, and sets itself, is not.
 */
static bool scope_inside(const struct scope *x)
{
	const char *from = scan_line_begin(x->scan, x->line), *c;
	const char *end = from ? scan_line_begin(x->scan, x->last + 1) : NULL;
	char names[LOCATE_TEXT] = "", name[SCAN_NAME], seen[INNER_NAMES][SCAN_NAME];
	struct locate *l = x->t->l;
	bool counter = false;
	unsigned k, count = 0;
	size_t n;

	/* what is set is the same element */
	if (from && end && memchr(from, '=', (size_t)(end - from)))
		from = memchr(from, '=', (size_t)(end - from));
	for (c = from; c && end && (c = scan_name(x->scan, c, end, &n)); c += n) {
		size_t used = strlen(names);
		uint32_t line;

		snprintf(name, sizeof(name), "%.*s", (int)n, c);
		line = scan_is_index(x->scan, from, c) ? 0 : set_inside(x, from, name);
		k = 0;
		while (k < count && strcmp(seen[k], name) != 0)
			k++;
		if (!line || k < count || count == INNER_NAMES)
			continue;
		snprintf(seen[count++], SCAN_NAME, "%s", name);
		snprintf(names + used, sizeof(names) - used, "%s%s, which %s:%u sets",
			 used ? ", or " : "", name, file_of(x), line);
		counter |= of_counter(x, line);
	}
	if (!count)
		return false;
	l->grade = SLICE_LIKELY;
	locate_because(l, LOCATE_COPIED,
		       "%s:%u computes it differently with %s in the same iteration", file_of(x),
		       x->line, names);
	locate_say(&l->advice,
		   "what is read in memory for it is the same in both runs, and so are variables "
		   "that the loop does not set: look at %s, on rank %u%s",
		   names, x->rank,
		   counter ? "; where it depends on the loop's index: is that the index in the "
			     "whole array, or the rank's own?"
			   : "");
	return true;
}

/* ---- both ---- */

static bool scope_report(const struct scope *x, bool here)
{
	size_t g;

	for (unsigned i = 0; i < x->n; i++) {
		const struct scope_name *v = &x->item[i];

		if (v->given || v->derived || v->here != here || !scope_wrong(x, v, &g) ||
		    (x->rank == TRACE_NO_RANK && is_place(x, v)))
			continue;
		scope_say(x, v, g);
		if (*v->reduction.gives)
			scope_any_reduced(x);
		return true;
	}
	return false;
}

/* The finding is of a loop: that is the text, and ranks are asked where it begins. */
static bool scope_of_loop(struct scope *x, const json_t *statement, uint32_t line)
{
	size_t n = json_array_size(statement);
	const struct mismatch *m = x->t->l->m;
	/* a reduction that gives another result says more than what is computed from it */
	bool reduced = x->t->l->because && x->t->l->about & LOCATE_REDUCED;
	const struct loop *l = locate_loop_of(x->scan, m->where, reduced ? 0 : line);

	if (!l)
		return false;
	x->in = &x->scan->function[l->function];
	x->from = l->at;
	x->to = l->end;
	x->line = n ? (uint32_t)out_int(json_array_get(statement, 0), "line") : line;
	x->last = n ? (uint32_t)out_int(json_array_get(statement, n - 1), "line") : line;
	x->at = m->point;
	x->at.side = POINT_BEGIN;
	scope_names(x);
	scope_given(x);
	return x->n;
}

/* It is of a reduction: the loop around it, and ranks are asked where its result was compared. */
static bool scope_of_reduction(struct scope *x, uint32_t line)
{
	const struct loop *l = locate_loop_of(x->scan, NULL, line);
	struct scan_reduction reduction;
	struct scope_name *given;
	const char *end;

	x->in = scan_function(x->scan, line);
	if (!x->in)
		return false;
	x->from = l ? l->at : x->in->body;
	x->to = l ? l->end : x->in->end;
	x->at = x->t->l->m->point;
	scope_names(x);
	for (end = x->in->body; end < x->in->end && scan_line(x->scan, end) <= line;)
		end += strcspn(end, "\n") + 1;
	if (scan_reduction(x->scan, x->in->body, end, NULL, &reduction) &&
	    scan_line(x->scan, reduction.at) + NEAR >= line) {
		given = scope_add(x, reduction.gives, strlen(reduction.gives));
		if (given) {
			given->given = true;
			given->reduction = reduction;
		}
	}
	return x->n;
}

static bool scope_look(struct scope *x)
{
	ask_scope(x, true);
	ask_scope(x, false);
	return scope_report(x, true) || scope_report(x, false) || scope_any_reduced(x);
}

static void scope_clear(struct scope *x)
{
	for (unsigned i = 0; i < x->n; i++) {
		values_clear(&x->item[i].ref);
		values_clear(&x->item[i].now);
	}
	scan_close(x->scan);
}

bool locate_scope(struct locate_traced *t, const struct trace_finding *f, const json_t *write)
{
	struct scope x = { .t = t, .rank = f->rank };
	struct place at = f->spot.place;
	const struct point *p = &t->l->m->point;
	bool reduced = f->kind == FINDING_REDUCTION, reported = false;

	symbols_resolve(t->l->s->symbols, &at);
	if (p->sub || !at.file || !*at.file || !at.line || !at.module ||
	    (!reduced &&
	     (locate_outside(f) || f->rank == TRACE_NO_RANK || f->point.main != p->main)))
		return false;
	x.scan = locate_scan(t->l, at.file, at.module);
	if (reduced)
		x.rank = TRACE_NO_RANK;
	if (x.scan && (reduced ? scope_of_reduction(&x, at.line)
			       : scope_of_loop(&x, json_object_get(write, "source"), at.line)))
		reported = scope_look(&x);
	if (x.scan && !reported && !reduced && x.in && x.n && t->l->because &&
	    t->l->about & LOCATE_ALIKE)
		reported = scope_inside(&x);
	scope_clear(&x);
	return reported;
}

/* It is in the function of that name, or in the same procedure as that. */
static bool is_beside(const struct scope *x, const char *name)
{
	for (uint32_t i = 0; i < x->scan->nfunction && x->in->host != UINT32_MAX; i++)
		if (x->scan->function[i].host == x->in->host &&
		    !strcasecmp(x->scan->function[i].name, name))
			return true;
	return !strcasecmp(x->in->name, name);
}

bool locate_scope_root(struct locate_traced *t)
{
	struct scope x = { .t = t, .rank = t->l->root.rank, .at = t->l->m->point };
	const char *func = t->l->m->func;
	bool reported = false;

	x.scan = locate_scan(t->l, t->l->root.file, t->l->root.module);
	x.in = x.scan && func && !x.at.sub ? scan_function(x.scan, t->l->root.line) : NULL;
	x.from = x.in && is_beside(&x, func) ? scan_line_begin(x.scan, t->l->root.line) : NULL;
	x.to = x.from ? scan_line_begin(x.scan, t->l->root.line + 1) : NULL;
	if (x.to) {
		x.line = x.last = t->l->root.line;
		x.at.side = POINT_BEGIN;
		scope_names(&x);
		scope_given(&x);
		reported = scope_look(&x);
		/* it may follow from what is wrong since then */
		if (reported && t->l->grade > SLICE_LIKELY)
			t->l->grade = SLICE_LIKELY;
	}
	scope_clear(&x);
	return reported;
}
