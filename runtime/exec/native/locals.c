/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arguments and variables of the user's calls: the scopes that the code is in, and what is declared
 * in them.
 */
#include "runtime/exec/native/internal.h"

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

static const struct shown few = { .elements = 5, .deep = 0 };
static const struct shown some = { .elements = 8, .deep = 1 };
static const struct shown many = { .elements = 200, .deep = 3 };
static const struct shown places = { .elements = 200, .deep = 2, .places = true };
static const struct shown all = { .elements = 200, .deep = 5, .places = true, .small = 8 };

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

/* Marks are functions of dvmdbg.h that are inlined into the user's: a rank that waits in one is
 * where it stands. */
static void leave_marks(struct frame *f)
{
	int n = 0;

	for (int i = 0; i < f->nscope; i++) {
		const char *file = dwarf_tag(&f->scope[i]) == DW_TAG_inlined_subroutine
					   ? dwarf_decl_file(&f->scope[i])
					   : NULL;
		const char *base = file ? strrchr(file, '/') : NULL;

		if (file && !strcmp(base ? base + 1 : file, "dvmdbg.h"))
			n = i + 1;
	}
	f->nscope -= n;
	if (n)
		memmove(f->scope, f->scope + n, (size_t)f->nscope * sizeof(*f->scope));
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

int frame_open(struct frame *f, struct err *err)
{
	Dwarf_Die *cu = f->mod ? unit_at(f) : NULL;

	if (!cu)
		return err_set(err, "there is no debug information of it: compile with -g");
	f->cu = *cu;
	f->fortran = debuginfo_fortran(cu);
	f->nscope = debuginfo_scopes(cu, f->pc - f->bias, &f->scope);
	if (f->nscope < 0)
		f->nscope = 0;
	leave_marks(f);
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
	int tag = dwarf_tag(die);
	bool argument = tag == DW_TAG_formal_parameter;
	struct datum d;

	if ((tag != DW_TAG_variable && !argument) ||
	    !(l->q->n & (argument ? LOCALS_ARGUMENTS : LOCALS_VARIABLES)))
		return true;
	datum_of(l->f, die, &d);
	put_variable(l, &d, dwarf_diename(die), argument, &l->out);
	return ++l->n < VARIABLES;
}

int frame_path(struct frame **f, int first, int last, const char *path, struct datum *d,
	       struct err *err)
{
	struct typing t = { .f = *f, .first = first, .last = last };
	struct expr *e = expr_parse(path, err);
	int rc = e ? typed_datum(&t, e, f, d, err) : -1;

	expr_destroy(e);
	typed_end(&t);
	return rc;
}

/* All variables of it, to out. */
static void list_call(struct frame *f, int first, int last, const struct msg_query *q,
		      struct buf *out)
{
	struct listing l = { .f = f, .q = q };
	const char *name = dwarf_diename(&f->scope[last]);
	struct answer_call call = { .func = name ? name : "", .lack = "" };

	for (int i = first; i <= last; i++)
		if (!names_each(&f->scope[i], true, list_variable, &l))
			break;
	call.n = l.n;
	answer_call_put(&call, out);
	if (l.out.bad)
		out->bad = true;
	else
		buf_put_raw(out, l.out.data, l.out.len);
	buf_clear(&l.out);
}

/* One variable, a part of it, or what expressions make of pointers; as frame_path. */
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
	put_variable(&l, &d, q->name + strspn(q->name, " "), false, out);
	return 1;
}

/* Goes to the numbers of an expression; 0: it is a name, and there is none such. */
static int find_numbers(struct frame *f, int first, int last, const char *path,
			struct elements_task *task, struct err *err)
{
	struct typing t = { .f = f, .first = first, .last = last };
	struct expr *e = expr_parse(path, err);
	int rc = e ? typed_do(&t, e, task, err) : -1;

	expr_destroy(e);
	typed_end(&t);
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

/* ---- variables that have the name of a registered object ---- */

#define HIDDEN_BYTES 64 /* of a variable, in which pointers to the object are looked for */

/* The memory of the object, or a pointer to it, or to such a pointer: rows, and what the language
 * has of an array. True also when that is not known. */
static bool is_same(struct frame *f, const char *name, const struct datum *d)
{
	uint64_t word[HIDDEN_BYTES / 8], n = datum_size(f, d), at;

	if (d->place.kind == LOCATION_GONE)
		return true;
	if (d->place.kind == LOCATION_MEMORY &&
	    f->holder(f->namer_arg, name, d->place.addr + d->off) == 1)
		return true;
	n = !n || n > sizeof(word) ? sizeof(word) : n;
	if (!datum_read(f, d, word, n / 8 * 8))
		return true;
	for (size_t i = 0; i < n / 8; i++)
		if (f->holder(f->namer_arg, name, word[i]) == 1 ||
		    (frame_read(f, word[i], &at, sizeof(at)) &&
		     f->holder(f->namer_arg, name, at) == 1))
			return true;
	return false;
}

/* The name is that of an object, and of another variable of the call. */
static bool is_hidden(struct frame *f, int first, int last, const char *name, struct datum *d)
{
	Dwarf_Die die;

	return f->holder && f->holder(f->namer_arg, name, 0) >= 0 &&
	       names_local(f, first, last, name, strlen(name), &die) && datum_of(f, &die, d) &&
	       !is_same(f, name, d);
}

static int show_hidden(struct frame *f, int first, int last, const struct msg_query *q,
		       struct buf *out)
{
	const char *func = dwarf_diename(&f->scope[last]);
	struct answer_call call = { .func = func ? func : "", .lack = "" };
	struct buf list = BUF_INIT;
	char *names = strdup(q->name), *left = NULL;
	struct datum d;

	for (char *name = names ? strtok_r(names, " ", &left) : NULL; name;
	     name = strtok_r(NULL, " ", &left)) {
		if (!is_hidden(f, first, last, name, &d))
			continue;
		answer_variable_put(&(struct answer_variable){ .number = VALUE_TYPES,
							       .name = name,
							       .type = "",
							       .value = "" },
				    &list);
		call.n++;
	}
	if (call.n) {
		answer_call_put(&call, out);
		buf_put_raw(out, list.data, list.len);
	}
	out->bad |= list.bad || !names;
	buf_clear(&list);
	free(names);
	return call.n ? 1 : 0;
}

/* Marks name a template's instance without its arguments. */
static bool is_function(const char *name, const char *wanted)
{
	size_t n = strlen(wanted);

	return !strcasecmp(name, wanted) || (!strncmp(name, wanted, n) && name[n] == '<');
}

struct chosen frame_choose(struct frame *frames, int n, const struct msg_query *q)
{
	struct chosen c = { NULL, 0, 0 };
	uint32_t seen = 0, total = 0;
	bool outer = q->n & LOCALS_OUTERMOST;

	for (int pass = 0; pass < 1 + outer; pass++) {
		for (int k = 0; k < n; k++) {
			const char *name;

			for (int i = 0, last; (name = names_function(&frames[k], i, &last));
			     i = last + 1) {
				if (*q->func && !is_function(name, q->func))
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
		for (int i = 0, last; names_function(&frames[k], i, &last); i = last + 1, count++)
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
	if (q->n & LOCALS_HIDDEN)
		return show_hidden(c.f, c.first, c.last, q, out);
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

int native_place(struct native *n, bool parked, const struct msg_query *q,
		 struct native_placed *out, struct err *err)
{
	struct elements_task task = { .placed = out };

	*out = (struct native_placed){ .part = NULL };
	return at_call(n, parked, q, &task, err);
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
