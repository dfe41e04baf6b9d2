/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs of values: print differ. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/array/values.h"
#include "common/expr/expr.h"
#include "common/protocol/answer.h"
#include "frontend/cmd/cmd.h"
#include "frontend/data/fetch.h"
#include "frontend/data/fields.h"
#include "frontend/output/output.h"
#include "frontend/output/format.h"
#include "frontend/output/text.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/util/names.h"
#include "frontend/util/xalloc.h"
#include "frontend/data/value_json.h"
#include "frontend/verbs/look/internal.h"

extern const struct cmd cmd_print;

enum {
	PRINT_NAME,
	PRINT_INDEX,
	PRINT_FORMAT,
	PRINT_ALL,
	PRINT_WHERE,
	PRINT_SORT,
	PRINT_PLOT,
	PRINT_HIST,
};

/* The first of the fetched objects that has the shape of the result shows its indices. */
static const struct fetched *like(const struct fetch *f, const struct values *q)
{
	for (size_t i = 0; i < f->nkept; i++) {
		const struct fetched *x = &f->kept[i];

		if (q->ndim && x->q.ndim == q->ndim &&
		    !memcmp(x->q.count, q->count, q->ndim * sizeof(*q->count)))
			return x;
	}
	return NULL;
}

/* The indices of what no object shows them for. */
static void put_dims(json_t *o, const struct values *q)
{
	json_t *dims = json_array();

	for (unsigned d = 0; d < q->ndim; d++)
		json_array_append_new(dims,
				      json_pack("{s:I s:I s:I}", "n", (json_int_t)q->count[d],
						"first", (json_int_t)values_index(q, d, 0), "step",
						(json_int_t)(q->step[d] ? q->step[d] : 1)));
	json_object_set_new(o, "dims", dims);
	json_object_set_new(o, "order", json_string(q->order == 'F' ? "F" : "C"));
	json_object_set_new(o, "spelling", json_string(q->order == 'F' ? "(" : "["));
}

/* The answer for a quantity; x shows name, indices and notes, NULL when nothing of the kind is
 * there. */
static json_t *answer(const char *text, const struct values *q, const struct fetched *x, bool named)
{
	json_t *o = json_pack("{s:s s:o s:b s:o}", "type", "print", "expr", out_json_text(text),
			      "differing", q->n > 1, "groups",
			      value_json_groups(q, x ? x->missing : NULL));

	if (!x && q->ndim)
		put_dims(o, q);
	if (x) {
		const char order[2] = { (char)x->desc.order, 0 };

		json_object_set_new(o, "dims", fetched_dims(x));
		json_object_set_new(o, "order", json_string(order));
		json_object_set_new(o, "spelling", json_string(x->desc.order == 'F' ? "(" : "["));
		if (named)
			json_object_set_new(o, "subscripts", fetched_subscripts(x));
		if (json_array_size(x->notes))
			json_object_set(o, "notes", x->notes);
	}
	return o;
}

static json_t *print_expr(struct fetch *f, const struct expr_scope *scope, const struct expr *e,
			  const char *text, struct err *err);

/* A single structure that differs: what each of its fields is. */
static json_t *print_fields(struct fetch *f, const struct fetched *x, const char *name)
{
	size_t own = strcspn(name, "@");
	json_t *list = json_array();
	char part[400];

	for (uint32_t i = 0; i < x->desc.nfield; i++) {
		struct fetched y;
		json_t *o;

		snprintf(part, sizeof(part), "%.*s.%s%s", (int)own, name, x->desc.field[i].name,
			 name + own);
		if (fetch_object(f->s, part, NULL, f->who, &y, NULL))
			continue;
		o = answer(part, &y.q, &y, true);
		json_object_set_new(o, "name", out_json_text(part));
		json_array_append_new(list, o);
		fetched_clear(&y);
	}
	return out_json_list("fields", list, "");
}

/* What is printed of an array of structures. */
struct structures {
	json_t *list;	/* each field, as an answer of its own */
	json_t *fields; /* the same as fields of one structure … */
	json_t *ranks;	/* … of these ranks */
	bool one;	/* which it is, alike on all ranks */
};

/* One structure, without anything to be said of its elements. */
static bool is_one(const struct fetched *x, const struct array_desc *field)
{
	unsigned ndim = array_name_dims(field->name);

	for (unsigned d = 0; d < ndim; d++)
		if (d >= x->section.ndim || !x->section.dim[d].scalar)
			return false;
	return x->q.n == 1 && !json_array_size(x->notes) && !x->missing;
}

/* "cells[3].t" of "cells[3]". */
static int add_field(struct structures *to, struct fetch *f, const struct expr *e, const char *text,
		     const struct section *sec, const struct array_desc *field, struct err *err)
{
	size_t own = array_name_structure(field->name) + 2 * array_name_dims(field->name);
	char *name = fields_name(field, e->name);
	char *part = xasprintf("%s%s", text, field->name + own);
	const json_t *group;
	struct fetched x;
	int rc = fetch_object(f->s, name, e->nsub ? sec : NULL, f->who, &x, err);
	json_t *o;

	if (!rc) {
		o = answer(part, &x.q, &x, true);
		json_object_set_new(o, "name", out_json_text(fields_label(&x.desc, name)));
		json_array_append_new(to->list, o);
		group = json_array_get(out_get(o, "groups"), 0);
		to->one = to->one && is_one(&x, field);
		to->ranks = (json_t *)out_get(group, "ranks");
		json_array_append_new(to->fields, json_pack("{s:o s:O s:O}", "name",
							    out_json_text(field->name + own + 1),
							    "kind", out_get(group, "kind"),
							    "values", out_get(group, "values")));
		fetched_clear(&x);
	}
	free(name);
	free(part);
	return rc;
}

/*
 * Of a name of structures, or a section of them: one structure, or each field. NULL and err: there
 * are none of that name.
 */
static json_t *print_structures(struct fetch *f, const struct expr *e, const char *text,
				const struct section *sec, struct err *err)
{
	struct structures to = { json_array(), json_array(), NULL, true };
	struct fetch_objects all;
	json_t *o = NULL;
	int rc;

	if (fetch_names(f->s, e->name, f->who, &all, err))
		rc = -1;
	else if (!fields_unnamed(&all, e->name, err))
		rc = -1;
	else
		rc = 0;
	for (size_t i = 0; !rc && i < all.n; i++)
		if (fields_has(&all, i, e->name))
			rc = add_field(&to, f, e, text, sec, &all.item[i].desc, err);
	if (!rc && to.one)
		o = json_pack("{s:s s:o s:b s:[{s:O s:O}] s:o}", "type", "print", "expr",
			      out_json_text(text), "differing", 0, "groups", "ranks", to.ranks,
			      "fields", to.fields, "name", out_json_text(e->name));
	else if (!rc)
		o = out_json_list("fields", json_incref(to.list), "");
	json_decref(to.list);
	json_decref(to.fields);
	fetch_objects_clear(&all);
	return o;
}

/* A name with or without a section: elements may be missing then. */
static json_t *print_name(struct fetch *f, const struct expr_scope *scope, const struct expr *e,
			  const char *text, struct err *err)
{
	struct section sec = { 0 };
	struct fetched x = { 0 };
	json_t *o = NULL;

	if (e->spelling == '(' && !scope->known(scope->arg, e->name))
		return print_expr(f, scope, e, text, err);
	if (expr_section(e, f->who, scope, &sec, err))
		return NULL;
	if (!fetch_object(f->s, e->name, e->nsub ? &sec : NULL, f->who, &x, err)) {
		if (x.q.type == VALUE_STRUCT && x.q.n > 1 && !x.q.ndim)
			o = print_fields(f, &x, e->name);
		else
			o = answer(text, &x.q, &x, true);
		json_object_set_new(o, "name", out_json_text(fields_label(&x.desc, e->name)));
		fetched_clear(&x);
	} else if (err->code == ERR_FIELD) {
		o = print_structures(f, e, text, &sec, err);
	}
	section_clear(&sec);
	return o;
}

static json_t *print_address(struct fetch *f, const char *text)
{
	json_t *o = session_locals(f->s, f->who, text, LOCALS_LONG, &(struct err){ "" });

	if (o)
		json_object_set_new(o, "one", json_true());
	return o;
}

static json_t *print_expr(struct fetch *f, const struct expr_scope *scope, const struct expr *e,
			  const char *text, struct err *err)
{
	struct values q = { 0 };
	uint64_t limit = (uint64_t)settings_number(f->s->set, "PRINT_LIMIT");
	json_t *o = NULL, *notes;

	/* what goes into a function is not shown */
	f->limit = expr_has_call(e) ? FETCH_MOST : 0;
	if (expr_eval(e, f->who, scope, &q, err))
		return NULL;
	if (values_total(&q) > limit) {
		err_set(err,
			"%s: these are %" PRIu64 " elements, more than PRINT_LIMIT (%" PRIu64 ")",
			text, values_total(&q), limit);
		values_clear(&q);
		return NULL;
	}
	/* a pointer: what it leads to is the same on all ranks, its address is not */
	if (q.type == VALUE_POINTER && e->kind == EXPR_BINARY)
		o = print_address(f, text);
	if (!o)
		o = answer(text, &q, like(f, &q), false);
	json_object_set_new(o, "name", out_json_text(text));
	/* What any of the objects left out concerns the result. */
	notes = json_array();
	for (size_t i = 0; i < f->nkept; i++)
		for (size_t k = 0; k < json_array_size(f->kept[i].notes); k++)
			json_array_append(notes, json_array_get(f->kept[i].notes, k));
	json_array_extend(notes, f->notes);
	if (json_array_size(notes))
		json_object_set(o, "notes", notes);
	json_decref(notes);
	values_clear(&q);
	return o;
}

/* Whether ranks have to be asked. */
static bool has_names(const struct expr *e)
{
	bool names = e && e->kind == EXPR_NAME && !expr_is_call(e);

	for (size_t i = 0; e && !names && i < e->nsub; i++)
		names = has_names(e->sub[i].first);
	return names || (e && (has_names(e->a) || has_names(e->b)));
}

/* It is an object, or a section of one. */
static bool is_object(const struct expr_scope *scope, const struct expr *e)
{
	return e->kind == EXPR_NAME && *e->name != '$' &&
	       (e->spelling != '(' || scope->known(scope->arg, e->name));
}

/* It names a variable of the program, or comes to one: "#f#x", "ns::x", "*(p + 1)". */
static bool is_variable(const struct expr *e)
{
	return e->kind == EXPR_TYPED  ? strcmp(e->op, "sizeof")
	       : e->kind == EXPR_NAME ? expr_name_has_place(e->name)
				      : false;
}

/*
 * Of a name that no object has: the variable of the chosen frame, as it is shown there, or its
 * numbers. NULL and err as it was: there is none.
 */
static json_t *print_variable(struct fetch *f, const struct expr_scope *scope, const struct expr *e,
			      const struct cmd_call *call, struct err *err)
{
	struct err own = { "" }, numbers = { "" };
	const char *text = call->rest;
	bool numbers_alone = e->kind == EXPR_NAME && strpbrk(e->name, "&@");
	/* they can be written otherwise */
	bool numbers_first = numbers_alone || call->option[PRINT_FORMAT] ||
			     call->option[PRINT_NAME] || call->option[PRINT_INDEX];
	json_t *o = numbers_first ? print_expr(f, scope, e, text, &numbers) : NULL;

	if (!o && (!numbers_alone || strchr(e->name, '@')))
		o = session_locals(f->s, f->who, text, LOCALS_LONG, &own);
	if (o && !strcmp(out_str(o, "type"), "locals")) {
		json_object_set_new(o, "one", json_true());
		variables_together(o);
		fields_apart(o);
	} else if (!o && !numbers_first) {
		o = print_expr(f, scope, e, text, &numbers);
	}
	if (!o && *numbers.text && numbers.code != ERR_NAME)
		*err = numbers;
	else if (!o && *own.text && (own.code != ERR_NAME || is_variable(e)))
		*err = own;
	return o;
}

/* The section that was fetched, when its dimensions are those of the values. */
static const struct section *section_of(const struct fetched *x, const struct values *q)
{
	unsigned n = 0;

	for (unsigned d = 0; d < x->section.ndim; d++)
		n += !x->section.dim[d].scalar;
	return n == q->ndim ? &x->section : NULL;
}

/* With -where, -sort, -plot or -hist. */
static json_t *print_picture(struct fetch *f, const struct expr_scope *scope, const struct expr *e,
			     const struct cmd_call *call, struct err *err)
{
	struct picture p = { .s = f->s,
			     .who = f->who,
			     .e = e,
			     .text = call->rest,
			     .sorted = call->option[PRINT_SORT],
			     .plot = call->option[PRINT_PLOT],
			     .histogram = call->option[PRINT_HIST] };
	const char *where = call->option[PRINT_WHERE];
	struct expr *mask = where ? expr_parse(where, err) : NULL;
	struct values q = { 0 }, m = { 0 };
	json_t *o = NULL;

	if (where && !mask) {
		err_prefix(err, "print: -where");
		return NULL;
	}
	f->limit = FETCH_MOST;
	if (where && (p.plot || p.histogram)) {
		err_set(err, "print: -where goes with -sort, not with -plot or -hist");
	} else if (p.plot + p.histogram + p.sorted > 1) {
		err_set(err, "print: choose one of -sort, -plot and -hist");
	} else if (!expr_eval(e, f->who, scope, &q, err)) {
		if (e->kind == EXPR_NAME)
			p.label = f->nkept ? fields_label(&f->kept[0].desc, e->name) : e->name;
		if (!mask || !expr_eval(mask, f->who, scope, &m, err)) {
			p.section = e->kind == EXPR_NAME && f->nkept ? section_of(&f->kept[0], &q)
								     : NULL;
			o = picture_of(&p, &q, mask ? &m : NULL, err);
		}
	}
	values_clear(&q);
	values_clear(&m);
	expr_destroy(mask);
	return o;
}

static bool is_picture(const struct cmd_call *call)
{
	return call->option[PRINT_WHERE] || call->option[PRINT_SORT] || call->option[PRINT_PLOT] ||
	       call->option[PRINT_HIST];
}

/* An expression to be printed. */
struct printed {
	struct session *s;
	struct cmd_call *call;
	const struct expr *e;
};

static json_t *print_for(void *arg, const struct rankset *who, struct err *err)
{
	const struct printed *p = arg;
	struct fetch f = { .s = p->s, .who = who };
	struct expr_scope scope = session_scope(&f);
	const char *text = p->call->rest;
	json_t *o;

	if (is_picture(p->call))
		o = print_picture(&f, &scope, p->e, p->call, err);
	else if (is_variable(p->e))
		o = print_variable(&f, &scope, p->e, p->call, err);
	else if (is_object(&scope, p->e))
		o = print_name(&f, &scope, p->e, text, err);
	else
		o = print_expr(&f, &scope, p->e, text, err);
	if (!o && !is_picture(p->call) && !is_variable(p->e) && is_object(&scope, p->e) &&
	    (err->code == ERR_NAME ||
	     (err->code == ERR_INDEX && !scope.registered(scope.arg, p->e->name))))
		o = print_variable(&f, &scope, p->e, p->call, err);
	/* what a function returns is shown, if it is no number */
	if (!o && err->code == ERR_VALUE)
		o = session_call(p->s, who, text, false,
				 (int)settings_number(p->s->set, "CALL_TIMER"),
				 &(struct err){ "" });
	fetch_clear(&f);
	return o;
}

static int run_print(struct session *s, struct cmd_call *call, struct err *err)
{
	const char *format = call->option[PRINT_FORMAT];
	struct printed p = { .s = s, .call = call };
	struct out_format form;
	struct expr *e;
	json_t *o;

	if (!*call->rest)
		return err_set(err, "print: give an expression, as in print eps*2 + u[3][4]; "
				    "'what' lists the objects");
	if (format && out_format_parse(format, &form, err))
		return -1;
	e = expr_parse(call->rest, err);
	if (!e)
		return -1;
	if (has_names(e) && cmd_only_processes(s, &cmd_print, &call->who, err)) {
		expr_destroy(e);
		return -1;
	}
	p.e = e;
	o = s->shell->threads && !is_picture(call)
		    ? session_each_thread(s, &call->who, print_for, &p, err)
		    : print_for(&p, &call->who, err);
	if (o) {
		if (format)
			json_object_set_new(o, "format", json_string(format));
		if (call->option[PRINT_NAME])
			json_object_set_new(o, "named", json_true());
		if (call->option[PRINT_INDEX])
			json_object_set_new(o, "indexed", json_true());
		if (call->option[PRINT_ALL])
			json_object_set_new(o, "all", json_true());
		out_answer(s->out, o);
		named_note_hidden(s, &call->who, e);
	}
	expr_destroy(e);
	return o ? 0 : -1;
}

const struct cmd cmd_print = {
	.name = "print",
	.args = "expr [-name] [-index] [-format f] [-where expr] [-sort] [-plot] [-hist] [-all]",
	.brief = "the value of an expression, in global indices",
	.help = "Objects are those that the program has registered; a name that none of them has "
		"is a variable of "
		"the frame chosen by up and down, as in i, p->x, a[2:5] (see locals). Sections are "
		"written a[2:5][*] "
		"or a(2:5,*), with both ends inclusive, a stride a[0:9:2], or a list of indices "
		"a[{1,4,9}]; fields p.x. An index "
		"outside of the array shows the halo that ranks store there, u[-1][0]. Values that "
		"differ between ranks are shown by groups, the "
		"smallest first; arithmetic works on each of them. "
		"Functions of all elements: sum min max mean norm count any all minloc maxloc, of "
		"some of them sum(u, u > 0); size(u), lbound(u, 1), ubound(u, 1); by element: abs "
		"sqrt exp log isnan isinf merge(a, b, mask), min and max of several. Characters "
		"are compared with texts, name == \"abc\"; len(name), len_trim(name). $rank, "
		"$nranks, $iteration and $point "
		"are those of each rank. Of variables also *p, p@10 (so many from there on), &x, "
		"sizeof(x), "
		"members of the elements of an array, cells.t, and with the program's types (T)x, "
		"((struct p *)q)[3].t, *(p + 1), sizeof(struct p). #file#procedure#name, ns::x and "
		"[process.thread#frame]name are variables elsewhere. f(x) calls a function of the "
		"program on each rank, as call does in a copy of the process; f(x).y, f(x)[2] and "
		"*f(x) are parts of "
		"what it returns. With MODE MULTILEVEL "
		"[0.*] print x shows what each thread of rank 0 has in x: private variables, and "
		"those "
		"of its own storage. Functions that are named here come before those of the "
		"program with the same name, which call calls. cells.t[3] in brackets is "
		"cells[3].t, "
		"in parentheses an index belongs to the field that it stands behind.",
	.both = CMD_SHOW,
	.example = "print u[498:501][498:501] -format .3f",
	.completes = "object",
	.raw = true,
	.needs_job = true,
	.option = { [PRINT_NAME] = { "name", CMD_FLAG, "every element with its name" },
		    [PRINT_INDEX] = { "index", CMD_FLAG, "every element with its indices" },
		    [PRINT_FORMAT] = { "format", CMD_STRING,
				       "f e g d u x o b l c s, width and digits as in f8.3" },
		    [PRINT_ALL] = { "all", CMD_FLAG, "all groups of ranks, however many" },
		    [PRINT_WHERE] = { "where", CMD_EXPR,
				      "only the elements for which this holds, each with its "
				      "name" },
		    [PRINT_SORT] = { "sort", CMD_FLAG, "elements from the least to the greatest" },
		    [PRINT_PLOT] = { "plot", CMD_FLAG,
				     "bars: along an array, of a single value over ranks" },
		    [PRINT_HIST] = { "hist", CMD_FLAG,
				     "a histogram between the extremes, as stat "
				     "-histogram; of a single value over ranks" } },
	.values = { [PRINT_FORMAT] = "=d|=u|=x|=o|=b|=f|=e|=g|=l|=c|=s|=f8.3|=.17g" },
	.run = run_print,
};

/* The number of elements that differ, and in *first the first of them. */
static uint64_t differing(const struct values *q, uint64_t *first)
{
	uint64_t total = values_total(q), n = 0;

	for (uint64_t i = 0; i < total; i++) {
		bool same = true;

		for (size_t g = 1; g < q->n && same; g++)
			same = !memcmp(q->group[0].bytes + i * q->elem_size,
				       q->group[g].bytes + i * q->elem_size, q->elem_size);
		if (same)
			continue;
		if (!n++)
			*first = i;
	}
	return n;
}

/* A section that is the one element with number i of the fetched ones. */
static void element(const struct fetched *x, uint64_t i, struct section *sec)
{
	memset(sec, 0, sizeof(*sec));
	sec->ndim = x->section.ndim;
	for (unsigned d = x->section.ndim; d--;) {
		uint64_t n = section_count(&x->section, d);

		sec->dim[d].scalar = true;
		sec->dim[d].step = 1;
		sec->dim[d].first = sec->dim[d].last = section_index(&x->section, d, i % n);
		i /= n;
	}
}

/* Of an array that differs: how much of it does, and the first element that does. */
static json_t *differing_array(struct session *s, const struct rankset *who,
			       const struct fetched *x)
{
	uint64_t first = 0, n = differing(&x->q, &first);
	char name[400], note[100];
	struct section sec;
	struct fetched one;
	int64_t index[ARRAY_DIMS];
	json_t *o;

	element(x, first, &sec);
	if (fetch_object(s, x->desc.name, &sec, who, &one, NULL))
		return NULL;
	for (unsigned d = 0; d < sec.ndim; d++)
		index[d] = sec.dim[d].first;
	names_element(x->desc.name, x->desc.order == 'F', sec.ndim, index, name, sizeof(name));
	o = answer(name, &one.q, &one, true);
	snprintf(note, sizeof(note),
		 "%" PRIu64 " of %" PRIu64 " elements differ, this is the first", n,
		 values_total(&x->q));
	json_object_set_new(o, "notes", json_pack("[s]", note));
	json_object_set_new(o, "name", out_json_text(x->desc.name));
	fetched_clear(&one);
	return o;
}

/* The answer for one replicated object that differs; NULL when it does not. */
static json_t *groups_one(struct session *s, const struct rankset *who, const char *name)
{
	struct fetched x;
	json_t *o = NULL;

	if (fetch_object(s, name, NULL, who, &x, NULL))
		return NULL;
	if (x.q.n > 1 && x.q.ndim && x.q.type != VALUE_STRUCT) {
		o = differing_array(s, who, &x);
	} else if (x.q.n > 1) {
		o = answer(name, &x.q, &x, true);
		json_object_set_new(o, "name", out_json_text(name));
	}
	fetched_clear(&x);
	return o;
}

enum { DIFFER_ALL };

static int run_differ(struct session *s, struct cmd_call *call, struct err *err)
{
	struct fetch_objects objects;
	json_t *list, *o;
	size_t replicated = 0;
	char text[100];

	if (fetch_names(s, "", &call->who, &objects, err))
		return -1;
	list = json_array();
	for (size_t i = 0; i < objects.n; i++) {
		const struct array_desc *d = &objects.item[i].desc;

		/* Every name once: the newest registration is meant. */
		if ((d->kind != ARRAY_REPLICATED && !d->copies) ||
		    (i && !strcmp(d->name, objects.item[i - 1].desc.name)))
			continue;
		replicated++;
		o = groups_one(s, &call->who, d->name);
		if (o)
			json_array_append_new(list, o);
	}
	snprintf(text, sizeof(text),
		 replicated ? "no value differs, of %zu replicated object%s"
			    : "no replicated object is registered",
		 replicated, replicated == 1 ? "" : "s");
	o = out_json_list("differ", list, text);
	if (call->option[DIFFER_ALL])
		json_object_set_new(o, "all", json_true());
	out_answer(s->out, o);
	fetch_objects_clear(&objects);
	return 0;
}

const struct cmd cmd_differ = {
	.name = "differ",
	.args = "[-all]",
	.brief = "replicated objects whose values differ between ranks now",
	.help = "Shows for each object the groups of ranks with equal values, the smallest first; "
		"for an array the first element that differs, and how many do.",
	.both = CMD_SHOW,
	.example = "differ",
	.needs_job = true,
	.needs_process = true,
	.option = { [DIFFER_ALL] = { "all", CMD_FLAG, "all groups of ranks, however many" } },
	.run = run_differ,
};
