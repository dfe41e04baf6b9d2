/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Arguments and variables of functions, of the frame that up and down have chosen: who is in which
 * call, and what the ranks answer, equal values once.
 */
#include "frontend/session/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/array/value.h"
#include "common/array/values.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/expr/expr.h"
#include "common/logical/construct.h"
#include "common/logical/groups.h"
#include "common/protocol/answer.h"
#include "common/protocol/msg.h"
#include "common/protocol/stack_merge.h"
#include "frontend/data/fetch.h"
#include "frontend/model/ask.h"
#include "frontend/model/merge_equal.h"
#include "frontend/output/output.h"
#include "frontend/output/text.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

void choice_clear(struct choice *c)
{
	for (size_t i = 0; i < c->n; i++) {
		rankset_clear(&c->item[i].ranks);
		free(c->item[i].func);
	}
	free(c->item);
	rankset_clear(&c->lacking);
	*c = (struct choice){ 0 };
}

void choice_add(struct choice *c, const struct rankset *ranks, const char *func, unsigned flags,
		unsigned call)
{
	struct chosen *x;

	for (size_t i = 0; i < c->n; i++) {
		x = &c->item[i];
		if (!strcmp(x->func, func) && x->flags == flags && x->call == call) {
			xrankset_add_set(&x->ranks, ranks);
			return;
		}
	}
	x = xvec_add(c->item, c->n);
	*x = (struct chosen){ .func = xstrdup(func), .flags = flags, .call = call };
	xrankset_copy(&x->ranks, ranks);
}

/* The function of the user's that the rank's frame is a call of; NULL: it is none. Lasts as the
 * symbols do. */
static const char *function_of(struct session *s, const struct stack_merge_frame *f, uint32_t rank)
{
	for (size_t i = 0; i < f->n; i++) {
		struct place p = f->variant[i].frame.place;

		if (f->variant[i].frame.kind != CONSTRUCT_FUNCTION ||
		    !rankset_has(&f->variant[i].ranks, rank))
			continue;
		symbols_resolve(s->symbols, &p);
		return p.file && *p.file && p.func && *p.func ? p.func : NULL;
	}
	return NULL;
}

/* How many frames from one to another are calls of the function. */
static unsigned calls_of(struct session *s, const struct stack_merge *st, size_t from, size_t to,
			 uint32_t rank, const char *func)
{
	unsigned n = 0;

	for (size_t i = from; i < to; i++) {
		const char *f = function_of(s, &st->frame[i], rank);

		n += f && !strcasecmp(f, func);
	}
	return n;
}

/* Which call the frame `level` of these ranks is in, or is. */
static void choose_of(struct session *s, const struct stack_merge *st, size_t level,
		      const struct rankset *ranks, struct choice *out)
{
	uint32_t rank = (uint32_t)rankset_next(ranks, 0);
	const char *func = NULL;
	unsigned outer, inner;
	size_t at = level;

	while (at < st->n && !(func = function_of(s, &st->frame[at], rank)))
		at++;
	/* the outermost construct: the function that it is in is not marked, and joined inside */
	for (size_t i = level; i-- > 0 && !func;)
		if ((func = function_of(s, &st->frame[i], rank)))
			at = i;
	if (!func) {
		xrankset_add_set(&out->lacking, ranks);
		return;
	}
	outer = calls_of(s, st, at + 1, st->n, rank, func);
	inner = calls_of(s, st, 0, at, rank, func);
	/* of calls of itself again and again only the first and the last are in the stack */
	if (outer && !inner)
		choice_add(out, ranks, func, 0, 0);
	else
		choice_add(out, ranks, func, LOCALS_OUTERMOST, outer);
}

/* The same of those of who; the stack is that of `of`, others of who are in their innermost call. */
static void choose_in(struct session *s, const struct stack_merge *st, size_t level,
		      const struct rankset *of, const struct rankset *who, struct choice *out)
{
	struct rankset others = { 0 };

	xrankset_copy(&others, who);
	xrankset_remove_set(&others, of);
	if (others.n)
		choice_add(out, &others, "", 0, 0);
	xrankset_copy(&out->lacking, who);
	xrankset_remove_set(&out->lacking, &others);
	for (size_t i = 0; level < st->n && i < st->frame[level].n; i++) {
		struct rankset ranks = { 0 };

		xrankset_copy(&ranks, &st->frame[level].variant[i].ranks);
		xrankset_intersect(&ranks, who);
		xrankset_remove_set(&out->lacking, &ranks);
		if (ranks.n)
			choose_of(s, st, level, &ranks, out);
		rankset_clear(&ranks);
	}
	rankset_clear(&others);
}

int choice_find(struct session *s, const struct rankset *who, int64_t frame, struct choice *out,
		struct err *err)
{
	struct groups answers = { 0 };
	struct rankset silent = { 0 };
	const struct rankset *of = frame >= 0 || !s->shell ? who : &s->shell->level_who;
	struct stack_merge *st;
	json_t *lacking = NULL;
	size_t level = frame >= 0 ? (size_t)frame : s->shell ? s->shell->level : 0;

	*out = (struct choice){ 0 };
	if (!level || !rankset_meets(who, of)) {
		choice_add(out, who, "", 0, 0);
		return 0;
	}
	if (s->shell && s->shell->thread)
		return choice_find_threads(s, who, level, out, err);
	st = stack_answer_joined(s, of, &answers, &silent, &lacking, err);
	if (st)
		choose_in(s, st, level, of, who, out);
	stack_merge_destroy(st);
	json_decref(lacking);
	groups_clear(&answers);
	rankset_clear(&silent);
	return st ? 0 : -1;
}

/* ---- what they answer ---- */

/* A variable, over ranks. */
struct shown_variable {
	char *name;
	unsigned again; /* of several that have the name, which */
	bool argument;
	struct merge_equal values;
};

struct shown_call {
	char *func;
	struct rankset ranks;
	struct shown_variable *variable;
	size_t n;
};

struct shown_calls {
	struct shown_call *item;
	size_t n;
	json_t *lacking;
	struct values *values;	 /* as numbers, when they are wanted; borrowed */
	struct array_desc *desc; /* likewise; its fields become those of structures */
	bool odd;		 /* some are no numbers, or of different types */
	bool answered;		 /* by one of them at least */
	const char *label;	 /* what a single variable is called; NULL: its name */
	uint32_t watched;	 /* the questions are QUERY_WATCH, of that actionpoint + 1; 0 */
};

static void shown_clear(struct shown_calls *x)
{
	for (size_t i = 0; i < x->n; i++) {
		struct shown_call *c = &x->item[i];

		for (size_t k = 0; k < c->n; k++) {
			free(c->variable[k].name);
			merge_equal_clear(&c->variable[k].values);
		}
		free(c->variable);
		free(c->func);
		rankset_clear(&c->ranks);
	}
	free(x->item);
	json_decref(x->lacking);
}

static void lack(struct shown_calls *x, const struct rankset *ranks, const char *why)
{
	if (!x->lacking)
		x->lacking = json_array();
	json_array_append_new(x->lacking, json_pack("{s:o s:o}", "ranks", ask_ranks(ranks), "text",
						    out_json_text(why)));
}

static struct shown_call *call_of(struct shown_calls *x, const char *func)
{
	struct shown_call *c;

	for (size_t i = 0; i < x->n; i++)
		if (!strcmp(x->item[i].func, func))
			return &x->item[i];
	c = xvec_add(x->item, x->n);
	*c = (struct shown_call){ .func = xstrdup(func) };
	return c;
}

static struct shown_variable *variable_of(struct shown_call *c, const char *name, unsigned again)
{
	struct shown_variable *v;

	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->variable[i].name, name) && c->variable[i].again == again)
			return &c->variable[i];
	v = xvec_add(c->variable, c->n);
	*v = (struct shown_variable){ .name = xstrdup(name), .again = again };
	return v;
}

/* Indices and type of the first answer. */
static void take_shape(struct shown_calls *x, struct answer_elements *a)
{
	struct values *to = x->values;

	to->type = a->type;
	to->elem_size = a->type == VALUE_STRUCT ? a->elem_size : (uint32_t)value_size(a->type);
	if (x->desc) {
		to->field = x->desc->field = a->field;
		to->nfield = x->desc->nfield = a->nfield;
		a->field = NULL;
	}
	to->ndim = a->ndim;
	to->order = (char)a->order;
	memcpy(to->count, a->count, sizeof(to->count));
	memcpy(to->first, a->first, sizeof(to->first));
	memcpy(to->step, a->step, sizeof(to->step));
}

/* Those of another rank, if they were taken; its structures have the same ones. */
static bool fits(const struct values *q, const struct answer_elements *a)
{
	if (q->type != a->type || q->ndim != a->ndim ||
	    memcmp(q->count, a->count, sizeof(a->count)) ||
	    (q->type == VALUE_STRUCT && q->elem_size != a->elem_size) || q->nfield != a->nfield)
		return false;
	for (uint32_t i = 0; a->field && i < a->nfield; i++)
		if (strcmp(q->field[i].name, a->field[i].name) ||
		    q->field[i].type != a->field[i].type || q->field[i].count != a->field[i].count)
			return false;
	return true;
}

static void take_numbers(struct shown_calls *x, struct buf *b, const struct rankset *ranks)
{
	struct answer_elements a;
	struct values *to = x->values;

	if (answer_elements_get(&a, b)) {
		lack(x, ranks, "the answer cannot be read");
		return;
	}
	if (!to->elem_size)
		take_shape(x, &a);
	if (!fits(to, &a))
		x->odd = true;
	else if (a.n == values_total(to) * to->elem_size)
		xalloc_check(values_add(to, ranks, a.bytes));
	else if (a.n)
		lack(x, ranks, "the answer cannot be read");
	array_fields_clear(a.field, a.nfield);
}

/* The variables of one answer; names have been given before n times. */
static int take_variables(struct shown_calls *x, struct shown_call *c, uint32_t n, struct buf *b,
			  const struct rankset *ranks)
{
	const char **seen = xcalloc(n + 1, sizeof(*seen));
	int rc = 0;

	for (uint32_t i = 0; i < n && !rc; i++) {
		struct answer_variable v = { 0 };
		struct shown_variable *to;
		unsigned again = 0;

		rc = answer_variable_get(&v, b);
		if (rc)
			break;
		for (uint32_t k = 0; k < i; k++)
			again += !strcmp(seen[k], v.name);
		seen[i] = v.name;
		to = variable_of(c, x->label ? x->label : v.name, again);
		to->argument = v.argument;
		merge_equal_add(&to->values,
				json_pack("{s:o s:o}", "kind", out_json_text(v.type), "value",
					  out_json_text(v.value)),
				ranks, -1);
	}
	free(seen);
	return rc;
}

static void take(struct shown_calls *x, const struct rank_group *g)
{
	struct buf b = buf_view(g->blob, g->len);
	struct answer_locals a;

	x->answered = true;
	if (answer_locals_get(&a, &b)) {
		lack(x, &g->ranks, "the answer cannot be read");
		return;
	}
	if (a.head.kind == ANSWER_ERROR) {
		lack(x, &g->ranks, a.head.why);
		return;
	}
	if (x->values) {
		if (a.n)
			take_numbers(x, &b, &g->ranks);
		return;
	}
	for (uint32_t i = 0; i < a.n && i <= b.len; i++) {
		struct answer_call call;
		struct shown_call *c;

		if (answer_call_get(&call, &b) || call.n > b.len)
			return;
		c = call_of(x, call.func);
		xrankset_add_set(&c->ranks, &g->ranks);
		if (take_variables(x, c, call.n, &b, &g->ranks))
			return;
	}
}

static uint32_t asked_thread(const struct session *s)
{
	return LOCALS_THREAD(s->shell ? s->shell->thread : 0);
}

/* What "[process.thread#frame]" in front of a name chooses. */
struct placed {
	struct rankset ranks; /* those of it */
	int64_t level;	      /* as of choice_find */
	char *text;	      /* owned: without it */
};

static void placed_clear(struct placed *p)
{
	rankset_clear(&p->ranks);
	free(p->text);
}

static int place(struct session *s, const struct rankset *who, const char *text, struct placed *out,
		 struct err *err)
{
	size_t blanks = strspn(text, " "), n;
	struct expr_name name;

	*out = (struct placed){ .level = CHOICE_SHELL };
	if (expr_name_split(text + blanks, &name) ||
	    (name.process < 0 && name.thread < 0 && name.frame < 0)) {
		out->text = xstrdup(text);
		xrankset_copy(&out->ranks, who);
		return 0;
	}
	n = blanks + name.address + name.stars;
	out->text = xasprintf("%.*s%s", (int)n, text, name.qualifier);
	out->level = name.frame;
	/* a thread may be given, and is not distinguished: a rank is a process */
	if (name.process >= (int64_t)job_size(s->job))
		return err_set(err, "[%lld]: there is no such process; they are 0 to %u",
			       (long long)name.process, job_size(s->job) - 1);
	if (name.process >= 0)
		xrankset_add(&out->ranks, (uint32_t)name.process, (uint32_t)name.process);
	else
		xrankset_copy(&out->ranks, who);
	return 0;
}

/* Asks all of them. */
static int gather_text(struct session *s, const struct rankset *ranks, const char *text,
		       unsigned what, struct shown_calls *x, struct err *err)
{
	struct placed at;
	struct choice choice = { 0 };
	struct rankset silent = { 0 };
	int rc = place(s, ranks, text, &at, err);

	if (!rc)
		rc = choice_find(s, &at.ranks, what & LOCALS_FRAMES ? 0 : at.level, &choice, err);
	for (size_t i = 0; i < choice.n && !rc; i++) {
		const struct chosen *c = &choice.item[i];
		struct msg_query q = { .kind = x->watched ? QUERY_WATCH : QUERY_LOCALS,
				       .name = at.text,
				       .func = c->func,
				       .n = what | c->flags | asked_thread(s),
				       .rank = c->call,
				       .id = x->watched - 1 };
		struct groups answers = { 0 };

		rc = ask(s, &q, &c->ranks, &answers, &silent, err);
		for (size_t k = 0; k < answers.n && !rc; k++)
			take(x, &answers.group[k]);
		groups_clear(&answers);
	}
	if (choice.lacking.n && !rc)
		lack(x, &choice.lacking, "they have no such frame");
	if (silent.n && !rc)
		lack(x, &silent, "they did not answer within QUERY_TIMER");
	choice_clear(&choice);
	rankset_clear(&silent);
	placed_clear(&at);
	return rc;
}

/* The text with the numbers that only the session knows; clear *p in either case. */
static int parts_of(struct session *s, const struct rankset *who, const char *path, struct parts *p,
		    struct err *err)
{
	struct expr *e = path && *path ? expr_parse(path, &(struct err){ "" }) : NULL;
	int rc = 0;

	parts_begin(p, who);
	if (e) {
		parts_append(p, e->source, e->from);
		rc = parts_expression(p, s, who, e, true, err);
	} else {
		parts_append(p, path ? path : "", path ? strlen(path) : 0);
	}
	expr_destroy(e);
	return rc;
}

static int gather(struct session *s, const struct rankset *who, const char *path, unsigned what,
		  struct shown_calls *x, struct err *err)
{
	struct parts p;
	int rc = parts_of(s, who, path, &p, err);

	for (size_t i = 0; i < p.n && !rc; i++)
		rc = gather_text(s, &p.item[i].ranks, p.item[i].text, what, x, err);
	parts_clear(&p);
	return rc;
}

static json_t *variable_json(struct shown_variable *v)
{
	json_t *groups = json_array(), *o;

	merge_equal_sort(&v->values);
	for (size_t i = 0; i < v->values.n; i++) {
		struct merge_equal_group *g = &v->values.group[i];

		json_object_set_new(g->answer, "ranks", ask_ranks(&g->ranks));
		json_array_append(groups, g->answer);
	}
	o = json_pack("{s:o s:o}", "name", out_json_text(v->name), "groups", groups);
	if (v->argument)
		json_object_set_new(o, "argument", json_true());
	return o;
}

static json_t *calls_json(struct shown_calls *x)
{
	json_t *calls = json_array(), *o;

	for (size_t i = 0; i < x->n; i++) {
		json_t *list = json_array();

		for (size_t k = 0; k < x->item[i].n; k++)
			json_array_append_new(list, variable_json(&x->item[i].variable[k]));
		json_array_append_new(calls,
				      json_pack("{s:o s:o s:o}", "ranks",
						ask_ranks(&x->item[i].ranks), "name",
						out_json_text(x->item[i].func), "variables", list));
	}
	o = json_pack("{s:s s:o}", "type", "locals", "calls", calls);
	if (x->lacking)
		json_object_set(o, "lacking", x->lacking);
	return o;
}

/* Why nobody has it. */
static void set_lack(const struct shown_calls *x, const char *path, struct err *err)
{
	const json_t *first = json_array_get(x->lacking, 0);

	if (first)
		err_set_code(err, x->answered ? ERR_OTHER : ERR_NAME, "%s: %s",
			     out_str(first, "ranks"), out_str(first, "text"));
	else if (path && *path)
		err_set_code(err, ERR_NAME, "the chosen frame has no variable '%s'", path);
	else
		err_set(err, "the chosen frame has no variables");
}

json_t *session_locals(struct session *s, const struct rankset *who, const char *path,
		       unsigned what, struct err *err)
{
	struct shown_calls x = { 0 };
	json_t *o = NULL;

	if (path && *path && !(what & LOCALS_HIDDEN))
		x.label = path + strspn(path, " ");
	if (rankset_count(who) == 1 && !(s->shell && s->shell->threads))
		what |= LOCALS_ADDRESSES;
	if (!gather(s, who, path, what, &x, err)) {
		if (x.n)
			o = calls_json(&x);
		else
			set_lack(&x, path, err);
	}
	shown_clear(&x);
	return o;
}

static char *path_text(const char *name, const struct section *sec)
{
	struct buf b = BUF_INIT;
	char *text;

	expr_put_path(name, sec, &b);
	text = xstrndup((const char *)b.data, b.len);
	buf_clear(&b);
	return text;
}

/* Those that have been gathered with this result; clears x. */
static int end_values(struct shown_calls *x, const char *path, int rc, struct err *err)
{
	if (!rc && (x->lacking || !x->values->elem_size)) {
		set_lack(x, path, err);
		rc = -1;
	} else if (!rc && x->odd) {
		rc = err_set(err,
			     "%s is not of one type and shape on all ranks: choose some, as in [0] "
			     "print",
			     path);
	}
	if (rc)
		values_clear(x->values);
	shown_clear(x);
	return rc;
}

/* Numbers, or their shape alone. */
static int gather_values(struct session *s, const struct rankset *who, const char *name,
			 const struct section *sec, unsigned what, struct values *out,
			 struct err *err)
{
	struct shown_calls x = { .values = out };
	char *path = path_text(name, sec);
	int rc;

	*out = (struct values){ 0 };
	rc = end_values(&x, path, gather(s, who, path, what, &x, err), err);
	free(path);
	return rc;
}

/* What is there that they know already, whatever their frames are. */
static int gather_watched(struct session *s, const struct rankset *who, struct shown_calls *x,
			  struct err *err)
{
	struct msg_query q = { .kind = QUERY_WATCH, .name = "", .func = "", .id = x->watched - 1 };
	struct groups answers = { 0 };
	struct rankset silent = { 0 };
	int rc = ask(s, &q, who, &answers, &silent, err);

	for (size_t k = 0; k < answers.n && !rc; k++)
		take(x, &answers.group[k]);
	if (silent.n && !rc)
		lack(x, &silent, "they did not answer within QUERY_TIMER");
	groups_clear(&answers);
	rankset_clear(&silent);
	return rc;
}

int session_watched(struct session *s, const struct rankset *who, const char *text, uint32_t id,
		    unsigned what, struct fetched *out, struct err *err)
{
	struct shown_calls x = { .values = &out->q, .desc = &out->desc, .watched = id + 1 };
	int rc;

	*out = (struct fetched){ .notes = NULL };
	rc = *text ? gather(s, who, text, what, &x, err) : gather_watched(s, who, &x, err);
	return end_values(&x, text, rc, err);
}

int session_local_values(struct session *s, const struct rankset *who, const char *name,
			 const struct section *sec, struct values *out, struct err *err)
{
	return gather_values(s, who, name, sec, LOCALS_NUMBERS, out, err);
}

int session_local_type(struct session *s, const struct rankset *who, const char *name,
		       const struct section *sec, unsigned *type, struct err *err)
{
	struct values shape;
	int rc = gather_values(s, who, name, sec, LOCALS_SHAPE, &shape, err);

	*type = rc ? VALUE_TYPES : shape.type;
	values_clear(&shape);
	return rc;
}

static int assign_text(struct session *s, const struct rankset *ranks, const char *text,
		       const struct msg_value *value, struct groups *answers,
		       struct rankset *silent, struct err *err)
{
	struct choice choice = { 0 };
	struct placed at;
	int rc = place(s, ranks, text, &at, err);

	if (!rc)
		rc = choice_find(s, &at.ranks, at.level, &choice, err);
	for (size_t i = 0; i < choice.n && !rc; i++) {
		const struct chosen *c = &choice.item[i];
		struct msg_query q = { .kind = QUERY_ASSIGN,
				       .name = at.text,
				       .func = c->func,
				       .n = LOCALS_VARIABLES | c->flags | asked_thread(s),
				       .rank = c->call,
				       .value = *value };
		struct groups one = { 0 };

		rc = ask(s, &q, &c->ranks, &one, silent, err);
		for (size_t k = 0; k < one.n && !rc; k++)
			xalloc_check(groups_add(answers, &one.group[k].ranks, one.group[k].blob,
						one.group[k].len));
		groups_clear(&one);
	}
	choice_clear(&choice);
	placed_clear(&at);
	return rc;
}

int session_local_assign(struct session *s, const struct rankset *who, const char *name,
			 const struct section *sec, const struct msg_value *value,
			 struct groups *answers, struct rankset *silent, struct err *err)
{
	char *path = path_text(name, sec);
	struct parts p;
	int rc = parts_of(s, who, path, &p, err);

	for (size_t i = 0; i < p.n && !rc; i++)
		rc = assign_text(s, &p.item[i].ranks, p.item[i].text, value, answers, silent, err);
	parts_clear(&p);
	free(path);
	return rc;
}

/* Of a size that is not known, as Fortran's x(*): it moves as a pointer does. */
static bool is_open_array(struct session *s, const struct rankset *who, const char *name)
{
	char *moved = xasprintf("%s + 0", name);
	struct values shape;
	bool is = !gather_values(s, who, moved, NULL, LOCALS_SHAPE, &shape, &(struct err){ "" }) &&
		  shape.type == VALUE_POINTER;

	values_clear(&shape);
	free(moved);
	return is;
}

bool session_local_is_array(struct session *s, const struct rankset *who, const char *name)
{
	struct err err = { "" };
	struct values shape;
	bool number = !gather_values(s, who, name, NULL, LOCALS_SHAPE, &shape, &err);
	bool is = number && (shape.ndim || shape.type == VALUE_POINTER) &&
		  (shape.order == 'F' || !expr_function_named(name));
	char *size;

	values_clear(&shape);
	if (number || expr_function_named(name))
		return is;
	/* structures */
	size = xasprintf("sizeof(%s)", name);
	is = !gather_values(s, who, size, NULL, LOCALS_SHAPE, &shape, &(struct err){ "" });
	values_clear(&shape);
	free(size);
	/* or there is one, of which nothing else is known */
	return is || is_open_array(s, who, name) ||
	       (err.code == ERR_OTHER && !strpbrk(name, ".->"));
}

/* ---- what expressions may name ---- */

/* What is of one process holds for all. */
static void spread(const struct fetch *f, struct values *q)
{
	if (q->n != 1)
		return;
	rankset_clear(&q->group[0].ranks);
	xrankset_copy(&q->group[0].ranks, f->who);
}

/* As fetch_resolve, and variables of the chosen frame. */
static int resolve_at(struct fetch *f, const char *name, const struct section *sec,
		      struct values *out, struct err *err)
{
	struct err own = { "" };
	bool plain = !strpbrk(name, "&@") && !expr_name_has_place(name);

	plain |= strchr(name, '@') && strchr(name, ':') && *name != '&';
	if (plain && !fetch_resolve(f, name, sec, out, err))
		return 0;
	if (plain && err->code != ERR_NAME)
		return -1;
	if (!f->s->job)
		return plain ? -1 : err_set(err, "%s: no program is loaded", name);
	if (!session_local_values(f->s, f->who, name, sec, out, &own))
		return 0;
	if (!plain || own.code != ERR_NAME)
		*err = own;
	return -1;
}

static int resolve(void *arg, const char *name, const struct section *sec, struct values *out,
		   struct err *err)
{
	struct fetch *f = arg, there;
	struct expr_name n;
	struct placed at;
	int rc;

	if (!f->s->job || expr_name_split(name, &n) || n.process < 0)
		return resolve_at(f, name, sec, out, err);
	rc = place(f->s, f->who, name, &at, err);
	there = (struct fetch){ .s = f->s, .who = &at.ranks, .limit = f->limit };
	if (!rc && n.frame < 0)
		rc = resolve_at(&there, at.text, sec, out, err);
	else if (!rc)
		rc = session_local_values(f->s, f->who, name, sec, out, err);
	if (!rc)
		spread(f, out);
	fetch_clear(&there);
	placed_clear(&at);
	return rc;
}

static bool known(void *arg, const char *name)
{
	struct fetch *f = arg;
	const struct expr_scope objects = fetch_scope(f);

	return objects.known(arg, name) ||
	       (f->s->job && session_local_is_array(f->s, f->who, name));
}

/* As it stands in the source, so that columns are the same. */
static char *text_of(const struct expr *e)
{
	return xasprintf("%*s%.*s", (int)e->from, "", (int)(e->end - e->from), e->source + e->from);
}

static int typed(void *arg, const struct expr *e, struct values *out, struct err *err)
{
	struct fetch *f = arg;
	char *text = text_of(e);
	int rc = f->s->job ? gather_values(f->s, f->who, text, NULL, LOCALS_NUMBERS, out, err)
			   : err_set(err, "no program is loaded");

	free(text);
	return rc;
}

static int call(void *arg, const struct expr *e, const char *cast, struct values *out,
		struct err *err)
{
	struct fetch *f = arg;
	char *text;
	int rc;

	if (!f->s->job)
		return 1;
	if (e->kind != EXPR_NAME || (e->behind && strpbrk(e->name, ".-")) ||
	    e->nsub > e->narguments || expr_is_call(e))
		return call_part_values(f->s, f->who, e, out, err);
	text = xasprintf("%s%s(%s)", cast, e->name, e->inside + strspn(e->inside, " "));
	rc = call_values(f->s, f->who, text, NULL, out, err);
	free(text);
	return rc;
}

struct expr_scope session_scope(struct fetch *f)
{
	struct expr_scope scope = fetch_scope(f);

	scope.registered = scope.known;
	scope.resolve = resolve;
	scope.known = known;
	scope.typed = typed;
	scope.call = call;
	return scope;
}
