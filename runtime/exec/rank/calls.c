/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of the program that the front end has called: the order in the page, how it is with it,
 * and its result.
 */
#include "runtime/exec/rank/internal.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "common/array/value.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/protocol/answer.h"
#include "common/protocol/msg.h"
#include "runtime/exec/native/native.h"
#include "runtime/exec/query/query.h"
#include "runtime/exec/sys/child.h"
#include "runtime/exec/sys/futex.h"

/* A registered object that the program gives a function. */
static bool address_of(void *arg, const char *name, uint64_t *out)
{
	struct control *c = arg;

	return query_address(&c->read, &c->memory, name, out);
}

static bool number_of(void *arg, const char *name, unsigned *type, unsigned char *bytes)
{
	struct control *c = arg;

	return query_number(&c->read, &c->memory, name, type, bytes);
}

static void wake(struct control *c)
{
	atomic_fetch_add(&c->page->wake, 1);
	futex_wake(&c->page->wake);
}

/* The program's copy of itself, or the program: the page may say anything. */
static bool is_copy(const struct control *c, int pid)
{
	char path[64], text[512];
	const char *p;
	FILE *f;
	int parent = -1;
	size_t n;

	if (pid == (int)child_pid(c->child))
		return true;
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = 0;
	fclose(f);
	/* "pid (name) state parent" */
	p = strrchr(text, ')');
	return p && sscanf(p + 1, " %*c %d", &parent) == 1 && parent == (int)child_pid(c->child);
}

static void begin(struct control *c, const struct msg_query *q, struct answer_called *a,
		  struct err *err)
{
	struct native_objects objects = { c, address_of, number_of };
	struct native_called *made;

	if (c->called) {
		err_set(err, "another call has not ended yet");
		return;
	}
	made = native_call(c->native, q, &objects, &c->page->call.order, err);
	if (!made)
		return;
	c->called = made;
	c->call_request++;
	atomic_store(&c->page->call.request, c->call_request);
	wake(c);
	a->head.kind = ANSWER_DONE;
	a->how = CALLED_WAITS;
}

/* Where it was, as a place in a file; what is said there lasts as the modules do. */
static void put_place(struct control *c, const struct page_call_result *r, struct answer_called *a)
{
	const char *path =
		r->pc ? modules_find(&c->modules, child_pid(c->child), r->pc, &a->vaddr) : NULL;

	a->module = path ? path : "";
	if (!path)
		a->vaddr = 0;
}

static const char *refusal_of(const struct page_call_result *r, struct err *err)
{
	switch (r->end) {
	case PAGE_CALL_NO_NAME:
		return "there is no function of that name";
	case PAGE_CALL_NOT_HERE:
		return "the program has crashed: only a copy of it can call functions; leave out "
		       "-keep";
	case PAGE_CALL_NO_COPY:
		err_set(err, "the process cannot be copied: %s", strerror(r->code));
		return err->text;
	}
	return "the program's answer cannot be read";
}

static void put_result(struct control *c, const struct page_call_result *r, struct answer_called *a,
		       struct err *err)
{
	static const uint8_t hows[] = { [PAGE_CALL_RETURNED] = CALLED_RETURNED,
					[PAGE_CALL_SIGNAL] = CALLED_SIGNAL,
					[PAGE_CALL_EXIT] = CALLED_EXIT,
					[PAGE_CALL_MPI] = CALLED_MPI,
					[PAGE_CALL_STOPPED] = CALLED_STOPPED };

	if (r->end > PAGE_CALL_STOPPED) {
		a->head.why = refusal_of(r, err);
		return;
	}
	a->head.kind = ANSWER_DONE;
	a->how = hows[r->end];
	a->code = a->how == CALLED_SIGNAL || a->how == CALLED_EXIT ? r->code : 0;
	switch (a->how) {
	case CALLED_RETURNED:
		native_called_value(c->called, r, a);
		break;
	case CALLED_SIGNAL:
		a->null = r->placed && r->fault < 65536;
		a->overflow = r->overflow != 0;
		put_place(c, r, a);
		break;
	case CALLED_MPI:
		a->mpi = r->name;
	}
}

static void look(struct control *c, struct page_call_result *r, struct answer_called *a,
		 struct err *err)
{
	struct page_call *p = &c->page->call;

	if (atomic_load(&p->answer) != c->call_request) {
		a->head.kind = ANSWER_DONE;
		a->how = CALLED_WAITS;
		return;
	}
	*r = p->result;
	r->name[sizeof(r->name) - 1] = 0;
	if (!is_copy(c, r->pid))
		r->pid = 0;
	put_result(c, r, a, err);
	atomic_store(&p->release, c->call_request);
	wake(c);
}

void control_call(struct control *c, const struct msg_query *q, struct buf *out)
{
	struct answer_called a = { .head = { .kind = ANSWER_ERROR },
				   .number = VALUE_TYPES,
				   .module = "",
				   .mpi = "",
				   .type = "",
				   .value = "" };
	struct page_call_result *r = calloc(1, sizeof(*r));
	struct err err = { "" };

	if (!r)
		err_set(&err, "out of memory");
	else if (q->n & CALL_BEGIN && (!control_is_parked(c) || c->memory.core))
		err_set(&err, "it is not stopped at a point, where a function can be called");
	else if (q->n & CALL_BEGIN)
		begin(c, q, &a, &err);
	else if (!c->called)
		err_set(&err,
			control_is_started(c) ? "no call is under way" : "the program has ended");
	else if (q->n & CALL_STOP)
		atomic_store(&c->page->call.stop, c->call_request);
	if (!*err.text && !(q->n & CALL_BEGIN)) {
		wake(c);
		look(c, r, &a, &err);
	}
	if (err.code == ERR_NAME && *err.text) {
		a.head.kind = ANSWER_DONE;
		a.how = CALLED_UNKNOWN;
		a.value = err.text;
	}
	if (a.head.kind == ANSWER_ERROR && !a.head.why)
		a.head.why = err.text;
	answer_called_put(&a, out);
	if (c->called && (a.head.kind == ANSWER_ERROR || a.how != CALLED_WAITS))
		control_call_clear(c);
	free(r);
}

void control_call_clear(struct control *c)
{
	native_called_destroy(c->called);
	c->called = NULL;
}
