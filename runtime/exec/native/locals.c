/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arguments and variables of the user's calls: the scopes that the code is in, and what is declared
 * in them.
 */
#include "runtime/exec/native/internal.h"

#include <ctype.h>
#include <dwarf.h>
#include <elfutils/version.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/array/value.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/debuginfo/debuginfo.h"
#include "common/expr/expr.h"
#include "common/protocol/answer.h"
#include "common/protocol/msg.h"
#include "runtime/exec/sys/memory.h"

#define VARIABLES 200 /* of a call, at most */
#define STARS 8	      /* before a name */

static const struct shown few = { .elements = 5, .deep = 0 };
static const struct shown some = { .elements = 8, .deep = 1 };
static const struct shown many = { .elements = 200, .deep = 3 };
static const struct shown places = { .elements = 200, .deep = 2, .places = true };
static const struct shown all = { .elements = 200, .deep = 3, .places = true, .small = 8 };

bool frame_read(struct frame *f, uint64_t addr, void *out, size_t n)
{
	struct capture *c = f->capture;
	struct memory_span span = { addr, n };
	uint64_t bad;

	if (!c->live && addr >= c->low && addr - c->low + n <= c->n) {
		memcpy(out, c->stack + (addr - c->low), n);
		return true;
	}
	return addr && !memory_read(c->memory, &span, 1, out, &bad);
}

bool frame_vector(struct frame *f, uint64_t reg, unsigned char *out)
{
	return f->innermost && capture_vector(f->capture, reg, out);
}

/* The unit with the code; compilers may leave out the table of addresses. */
static Dwarf_Die *unit_at(struct frame *f)
{
	Dwarf_Die *cu = dwfl_module_addrdie(f->mod, f->pc, &f->bias);

	if (cu && dwarf_haspc(cu, f->pc - f->bias) == 1)
		return cu;
	for (cu = NULL; (cu = dwfl_module_nextcu(f->mod, cu, &f->bias));)
		if (dwarf_haspc(cu, f->pc - f->bias) == 1)
			return cu;
	return NULL;
}

static bool is_function(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

int frame_open(struct frame *f, struct err *err)
{
	Dwarf_Die *cu = f->mod ? unit_at(f) : NULL;

	if (!cu)
		return err_set(err, "there is no debug information of it: compile with -g");
	f->cu = *cu;
	f->fortran = debuginfo_fortran(cu);
	f->nscope = debuginfo_scopes(cu, f->pc - f->bias, &f->scope);
	for (int i = 0; i < f->nscope && !f->has_function; i++) {
		f->has_function = dwarf_tag(&f->scope[i]) == DW_TAG_subprogram;
		f->function = f->scope[i];
	}
	return f->has_function ? 0 : err_set(err, "its debug information has no such function");
}

void frame_close(struct frame *f)
{
	free(f->scope);
	f->scope = NULL;
	f->nscope = 0;
}

/* ---- variables of scopes ---- */

static bool is_array(Dwarf_Die *die)
{
	Dwarf_Attribute at;
	Dwarf_Die type, bare;

	return dwarf_attr_integrate(die, DW_AT_type, &at) && dwarf_formref_die(&at, &type) &&
	       !dwarf_peel_type(&type, &bare) && dwarf_tag(&bare) == DW_TAG_array_type;
}

static bool is_constant(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_constant || tag == DW_TAG_enumeration_type;
}

/* A variable, or constant, of the user's that is declared here. */
static bool is_variable(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);
	const char *name;

	if (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter && !is_constant(die))
		return false;
	if (dwarf_hasattr(die, DW_AT_declaration))
		return false;
	name = dwarf_diename(die);
	if (!name || !*name || strchr(name, '.') || !strncmp(name, "dvmdbg_", 7))
		return false;
	/* gfortran says so of assumed-shape arrays, too, gcc of what a lambda has captured */
	return !dwarf_hasattr_integrate(die, DW_AT_artificial) || !strcmp(name, "this") ||
	       (*name != '_' && (tag == DW_TAG_variable || is_array(die)));
}

typedef bool (*variable_fn)(Dwarf_Die *die, void *arg);

/* Those of a scope, and enumerations; common blocks and modules only hold others. fn is false at
 * the end. */
static bool each_variable(Dwarf_Die *scope, variable_fn fn, void *arg)
{
	Dwarf_Die child;

	for (bool more = !dwarf_child(scope, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);

		if ((tag == DW_TAG_common_block || tag == DW_TAG_module ||
		     tag == DW_TAG_namespace) &&
		    !each_variable(&child, fn, arg))
			return false;
		if ((tag == DW_TAG_enumeration_type || is_variable(&child)) && !fn(&child, arg))
			return false;
	}
	return true;
}

/* What is being answered of a call. */
struct listing {
	struct frame *f;
	const struct msg_query *q;
	struct buf out;
	uint32_t n;
};

static void put_variable(struct listing *l, const struct datum *d, const char *name, bool argument,
			 struct buf *out)
{
	struct shown how = l->q->n & LOCALS_LONG ? many : l->q->n & LOCALS_FRAMES ? few : some;
	struct answer_variable v = { .argument = argument, .number = VALUE_TYPES, .name = name };
	struct buf type = BUF_INIT, value = BUF_INIT;
	unsigned number;

	if (l->q->n & LOCALS_PLACES)
		how = l->q->n & LOCALS_LONG ? all : places;
	how.addresses = l->q->n & LOCALS_ADDRESSES;
	datum_type(l->f, d, &type);
	datum_value(l->f, d, &how, &value);
	buf_put_u8(&type, 0);
	buf_put_u8(&value, 0);
	if (datum_number(l->f, d, &number, v.bytes))
		v.number = (uint8_t)number;
	if (type.bad || value.bad) {
		out->bad = true;
	} else {
		v.type = (const char *)type.data;
		v.value = (const char *)value.data;
		answer_variable_put(&v, out);
	}
	buf_clear(&type);
	buf_clear(&value);
}

static bool list_variable(Dwarf_Die *die, void *arg)
{
	struct listing *l = arg;
	bool argument = dwarf_tag(die) == DW_TAG_formal_parameter;
	struct datum d;

	if (is_constant(die) || !(l->q->n & (argument ? LOCALS_ARGUMENTS : LOCALS_VARIABLES)))
		return true;
	datum_of(l->f, die, &d);
	put_variable(l, &d, dwarf_diename(die), argument, &l->out);
	return ++l->n < VARIABLES;
}

struct wanted {
	const char *name;
	size_t n;
	bool fortran, found;
	Dwarf_Die die, type; /* type: of an enumerator, which does not say it */
};

static bool is_wanted(const struct wanted *w, const char *name)
{
	return name && strlen(name) == w->n &&
	       !(w->fortran ? strncasecmp(name, w->name, w->n) : strncmp(name, w->name, w->n));
}

static bool find_variable(Dwarf_Die *die, void *arg)
{
	struct wanted *w = arg;
	const char *name = dwarf_diename(die);
	Dwarf_Die child;

	if (dwarf_tag(die) == DW_TAG_enumeration_type) {
		for (bool more = !dwarf_child(die, &child); more && !w->found;
		     more = !dwarf_siblingof(&child, &child)) {
			name = dwarf_diename(&child);
			w->found = dwarf_tag(&child) == DW_TAG_enumerator && is_wanted(w, name);
			w->die = child;
			w->type = *die;
		}
		return !w->found;
	}
	if (!is_wanted(w, name))
		return true;
	w->die = *die;
	w->found = true;
	return false;
}

/* The call of the function whose scopes begin there: a function, and blocks in it. */
static const char *function_at(struct frame *f, int first, int *last)
{
	const char *name;

	for (*last = first; *last < f->nscope && !is_function(&f->scope[*last]); ++*last)
		;
	if (*last == f->nscope)
		return NULL;
	name = dwarf_diename(&f->scope[*last]);
	return name ? name : "";
}

/* In these scopes of a call. */
static bool find_between(struct frame *f, int first, int last, struct wanted *w)
{
	w->fortran = f->fortran;
	for (int i = first; i <= last && !w->found; i++)
		each_variable(&f->scope[i], find_variable, w);
	return w->found;
}

/* Whether the function is internal to the other one. */
static bool is_host(Dwarf_Die *function, Dwarf_Die *host)
{
	Dwarf_Die own, its, *scope = NULL;
	Dwarf_Off wanted = debuginfo_declared(host, &its);
	bool is = false;
	int n;

	debuginfo_declared(function, &own);
	n = dwarf_getscopes_die(&own, &scope);
	for (int i = 1; i < n && !is; i++)
		is = dwarf_dieoffset(&scope[i]) == wanted;
	free(scope);
	return is;
}

/* Among those of the functions that this one is internal to, in their calls: *f becomes one. */
static bool find_in_hosts(struct frame **f, int last, struct wanted *w)
{
	Dwarf_Die *function = &(*f)->scope[last];
	int first = last + 1;

	for (struct frame *g = *f; g; g = g->outer, first = 0)
		for (; function_at(g, first, &last); first = last + 1) {
			if (!is_host(function, &g->scope[last]))
				continue;
			if (find_between(g, first, last, w)) {
				*f = g;
				return true;
			}
			function = &g->scope[last];
		}
	return false;
}

/* Among the members of the object that the function is of. */
static bool find_in_object(struct frame *f, int first, int last, const struct wanted *w,
			   struct datum *out)
{
	struct wanted this = { .name = "this", .n = 4 };
	struct err none = { "" };
	struct datum inner;

	if (f->fortran || !find_between(f, first, last, &this))
		return false;
	datum_of(f, &this.die, out);
	inner = *out;
	if (!datum_follow_member(f, out, w->name, w->n, &none))
		return true;
	/* a lambda has captured it, as clang says so */
	*out = inner;
	return !datum_follow_member(f, out, "this", 4, &none) &&
	       !datum_follow_member(f, out, w->name, w->n, &none);
}

/*
 * In the scopes of the function, its object, and functions around it, whose call *f becomes; then
 * in the modules and the unit around it, then in all units of the file.
 */
static bool find_name(struct frame **at, int first, int last, struct wanted *w, struct datum *out)
{
	struct frame *f = *at;
	Dwarf_Die *cu = NULL;
	Dwarf_Addr bias;

	if (!find_between(f, first, last, w) && find_in_object(f, first, last, w, out))
		return true;
	if (!w->found)
		find_in_hosts(at, last, w);
	for (int i = last + 1; i < f->nscope && !w->found; i++)
		if (dwarf_tag(&f->scope[i]) == DW_TAG_module ||
		    dwarf_tag(&f->scope[i]) == DW_TAG_namespace)
			each_variable(&f->scope[i], find_variable, w);
	if (!w->found)
		each_variable(&f->cu, find_variable, w);
	while (!w->found && (cu = dwfl_module_nextcu(f->mod, cu, &bias)))
		each_variable(cu, find_variable, w);
	if (!w->found)
		return false;
	datum_of(*at, &w->die, out);
	if (dwarf_tag(&w->die) == DW_TAG_enumerator) {
		out->type = w->type;
		out->typed = true;
	}
	return true;
}

int frame_path(struct frame **f, int first, int last, const char *path, struct datum *d,
	       struct err *err)
{
	struct wanted w = { .name = path };
	unsigned stars = 0;

	for (; *w.name == '*' || *w.name == ' '; w.name++)
		stars += *w.name == '*';
	while (isalnum((unsigned char)w.name[w.n]) || w.name[w.n] == '_' || w.name[w.n] == '$')
		w.n++;
	if (!w.n || stars > STARS)
		return err_set(err, "'%s' is no name of a variable", path);
	if (!find_name(f, first, last, &w, d))
		return 0;
	if (datum_follow(*f, d, w.name + w.n, err))
		return -1;
	for (; stars; stars--)
		if (datum_target(*f, d, err))
			return -1;
	return 1;
}

/* All variables of it, to out. */
static void list_call(struct frame *f, int first, int last, const struct msg_query *q,
		      struct buf *out)
{
	struct listing l = { .f = f, .q = q };
	const char *name = dwarf_diename(&f->scope[last]);
	struct answer_call call = { .func = name ? name : "", .lack = "" };

	for (int i = first; i <= last; i++)
		if (!each_variable(&f->scope[i], list_variable, &l))
			break;
	call.n = l.n;
	answer_call_put(&call, out);
	if (l.out.bad)
		out->bad = true;
	else
		buf_put_raw(out, l.out.data, l.out.len);
	buf_clear(&l.out);
}

/* One variable, or a part of it; as frame_path. */
static int show_path(struct frame *f, int first, int last, const struct msg_query *q,
		     struct buf *out, struct err *err)
{
	struct listing l = { .f = f, .q = q };
	const char *name = dwarf_diename(&f->scope[last]);
	struct answer_call call = { .func = name ? name : "", .lack = "", .n = 1 };
	struct datum d;
	int found = frame_path(&l.f, first, last, q->name, &d, err);

	if (found <= 0)
		return found;
	answer_call_put(&call, out);
	put_variable(&l, &d, q->name, false, out);
	return 1;
}

/* Goes to the numbers of a variable; as find_path. */
static int find_numbers(struct frame *f, int first, int last, const char *path,
			struct elements_task *task, struct err *err)
{
	struct elements_way way;
	struct wanted w = { 0 };
	struct datum d;
	int rc = elements_way_parse(path, &way, err);

	if (!rc) {
		w.name = way.base;
		w.n = way.n;
		rc = find_name(&f, first, last, &w, &d);
	}
	if (rc > 0) {
		rc = elements_do(f, &way, &d, task, err) ? -1 : 1;
	}
	expr_destroy(way.e);
	return rc;
}

static int show_numbers(struct frame *f, int first, int last, const struct msg_query *q,
			struct buf *out, struct err *err)
{
	struct elements_task task = { .shape = q->n & LOCALS_SHAPE };
	int rc = find_numbers(f, first, last, q->name, &task, err);

	if (rc > 0)
		answer_elements_put(&task.a, out);
	free(task.a.room);
	return rc;
}

struct chosen frame_choose(struct frame *frames, int n, const struct msg_query *q)
{
	struct chosen c = { NULL, 0, 0 };
	uint32_t seen = 0, total = 0;
	bool outer = q->n & LOCALS_OUTERMOST;

	for (int pass = 0; pass < 1 + outer; pass++) {
		for (int k = 0; k < n; k++) {
			const char *name;

			for (int i = 0, last; (name = function_at(&frames[k], i, &last));
			     i = last + 1) {
				if (*q->func && strcasecmp(name, q->func))
					continue;
				if (outer ? pass && total - 1 - seen == q->rank : seen == q->rank)
					return (struct chosen){ &frames[k], i, last };
				seen++;
			}
		}
		total = seen;
		seen = 0;
	}
	return c;
}

/* All calls, the innermost first; how many. */
static uint32_t list_calls(struct frame *frames, int n, const struct msg_query *q, struct buf *out)
{
	uint32_t count = 0;

	for (int k = 0; k < n; k++)
		for (int i = 0, last; function_at(&frames[k], i, &last); i = last + 1, count++)
			list_call(&frames[k], i, last, q, out);
	return count;
}

/* What is behind the head; how many calls, -1 and err. */
static int64_t answer(struct frame *frames, int n, const struct msg_query *q, struct buf *out,
		      struct err *err)
{
	struct chosen c;

	if (q->n & LOCALS_FRAMES)
		return list_calls(frames, n, q, out);
	c = frame_choose(frames, n, q);
	if (!c.f && *q->func)
		return err_set(
			err,
			"it is not in %s, or there is no debug information of it: compile with -g",
			q->func);
	if (!c.f)
		return err_set(err, "there is no debug information of its code: compile with -g");
	if (q->n & (LOCALS_NUMBERS | LOCALS_SHAPE))
		return show_numbers(c.f, c.first, c.last, q, out, err);
	if (*q->name)
		return show_path(c.f, c.first, c.last, q, out, err);
	list_call(c.f, c.first, c.last, q, out);
	return 1;
}

/* With the call that is meant. */
static int at_call(struct native *n, bool parked, const struct msg_query *q,
		   struct elements_task *task, struct err *err)
{
	struct err none = { "" };
	struct frame *frames;
	struct chosen c;
	int rc, count = native_frames(n, parked, LOCALS_THREAD_OF(q->n), &frames, err);

	if (count < 0)
		return -1;
	for (int i = 0; i < count; i++)
		frame_open(&frames[i], &none);
	c = frame_choose(frames, count, q);
	rc = c.f ? find_numbers(c.f, c.first, c.last, q->name, task, err) : 0;
	for (int i = 0; i < count; i++)
		frame_close(&frames[i]);
	free(frames);
	return rc;
}

int native_numbers(struct native *n, bool parked, const char *path, struct answer_elements *out,
		   struct err *err)
{
	const struct msg_query q = { .kind = QUERY_LOCALS, .name = path, .func = "" };
	struct elements_task task = { .shape = false };
	int rc = at_call(n, parked, &q, &task, err);

	*out = task.a;
	return rc;
}

int native_assign(struct native *n, bool parked, const struct msg_query *q, uint64_t *count,
		  struct err *err)
{
	struct elements_task task = { .value = &q->value };
	int rc = at_call(n, parked, q, &task, err);

	free(task.a.room);
	*count = task.written;
	if (!rc)
		err_set(err, "there is no variable '%s'", q->name);
	return rc > 0 ? 0 : -1;
}

void native_locals(struct native *n, bool parked, const struct msg_query *q, struct buf *out)
{
	struct answer_locals a = { .head = { .kind = ANSWER_DONE } };
	struct err err = { "" }, none = { "" };
	struct buf body = BUF_INIT;
	struct frame *frames;
	int count = native_frames(n, parked, LOCALS_THREAD_OF(q->n), &frames, &err);
	int64_t calls = -1;

#if !_ELFUTILS_PREREQ(0, 188)
	if (count >= 0)
		count = err_set(&err, "variables need elfutils 0.188, and this is older");
#endif
	for (int i = 0; i < count; i++)
		frame_open(&frames[i], &none);
	if (count >= 0)
		calls = answer(frames, count, q, &body, &err);
	for (int i = 0; i < count; i++)
		frame_close(&frames[i]);
	free(frames);
	if (calls < 0)
		a.head = (struct answer_head){ .kind = ANSWER_ERROR, .why = err.text };
	a.n = (uint32_t)calls;
	answer_locals_put(&a, out);
	if (calls >= 0 && body.bad)
		out->bad = true;
	else if (calls >= 0)
		buf_put_raw(out, body.data, body.len);
	buf_clear(&body);
}
