/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/native/native.h"
#include "frontend/native/internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/protocol/msg.h"
#include "frontend/model/ask.h"
#include "frontend/model/session.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

#define INLINED 32 /* functions that are inlined into each other at one place */

static const char *keep(struct native_stacks *x, char *text)
{
	*xvec_add(x->text, x->ntext) = text;
	return text;
}

/* What a function of ours represents: "MPI_Recv" of "wrapped_c_Recv" and "own_Recv", "MPI_RECV" of
 * "wrapped_f1_Recv". NULL: it is none of these. */
static char *wrapped_name(const char *symbol)
{
	bool wrapped = !strncmp(symbol, "wrapped_", 8);
	const char *call = wrapped ? strchr(symbol + 8, '_') : symbol + 3;
	char *name;

	if (!call || (!wrapped && strncmp(symbol, "own_", 4) != 0))
		return NULL;
	name = xasprintf("MPI%s", call);
	for (char *p = name; wrapped && symbol[8] == 'f' && *p; p++)
		*p = (char)toupper((unsigned char)*p);
	return name;
}

/*
 * As the user would write it: "MPI_Recv" of "PMPI_Recv", "MPI_RECV" of "mpi_recv_",
 * "mpi_recv_f08_", and of Open MPI's "ompi_recv_f".
 */
static char *library_name(const char *symbol)
{
	char *ours = *symbol == '_' ? native_demangle(symbol) : wrapped_name(symbol);
	size_t n = strlen(symbol);
	bool inner = !strncmp(symbol, "ompi_", 5) && n > 7 && !strcmp(symbol + n - 2, "_f");
	bool profiled = !strncmp(symbol, "PMPI_", 5) || !strncmp(symbol, "pmpi_", 5);
	char *name = xstrdup(symbol + (inner || profiled));

	if (ours) {
		free(name);
		return ours;
	}
	n = strlen(name);
	if (inner)
		name[n -= 2] = 0;

	/* glibc's own names of free, malloc, fgets … */
	if (!strncmp(name, "__libc_", 7))
		memmove(name, name + 7, n - 6);
	else if (!strncmp(name, "_IO_", 4))
		memmove(name, name + 4, n - 3);
	if (strncmp(name, "mpi_", 4))
		return name;
	while (n && name[n - 1] == '_')
		name[--n] = 0;
	if (n > 4 && (!strcmp(name + n - 4, "_f08") || !strcmp(name + n - 4, "_f90")))
		name[n - 4] = 0;
	for (char *p = name; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	return name;
}

/* What compilers have made of a name: "relax.part.0", "exchange_", "__field_MOD_relax", "MAIN__".
 */
static char *symbol_name(const char *symbol)
{
	const char *mod = strstr(symbol, "_MOD_");
	char *name = native_demangle(symbol);
	size_t n;

	if (name)
		return name;
	name = xstrdup(!strncmp(symbol, "__", 2) && mod ? mod + 5 : symbol);
	name[strcspn(name, ".@")] = 0;
	n = strlen(name);
	if (!strcmp(name, "MAIN__"))
		strcpy(name, "MAIN");
	else if (n > 1 && name[n - 1] == '_')
		name[n - 1] = 0;
	return name;
}

static struct native_frame *add_frame(struct native_stack *st)
{
	return xvec_add(st->frame, st->n);
}

/* A function of dvmdbg.h, which marks are made with. */
static bool is_mark(const struct symbol_call *c)
{
	const char *base = c->file ? strrchr(c->file, '/') : NULL;

	return c->file && !strcmp(base ? base + 1 : c->file, "dvmdbg.h");
}

/* The frames of a call, outermost first: more than one where functions are inlined. */
static void resolve(struct session *s, struct native_stacks *x, struct native_stack *st,
		    const struct native_call *c)
{
	struct symbol_call calls[INLINED];
	unsigned n = *c->module && *c->module != '['
			     ? symbols_calls(s->symbols, c->module, c->vaddr, calls, INLINED)
			     : 0;

	if (!n || (c->library && (!*calls[n - 1].func || !strcmp(calls[n - 1].func, "?")))) {
		const char *base = strrchr(c->module, '/');

		/* the library has no name of what is inside */
		*add_frame(st) = (struct native_frame){
			.func = base ? keep(x, xasprintf("in %s", base + 1)) : "",
			.file = "",
			.library = true
		};
		return;
	}
	if (c->library) {
		*add_frame(st) =
			(struct native_frame){ .func = keep(x, library_name(calls[n - 1].func)),
					       .file = "",
					       .library = true };
		return;
	}
	for (unsigned i = n; i-- > 0;) {
		if (is_mark(&calls[i]))
			continue;
		*add_frame(st) = (struct native_frame){
			.func = calls[i].file ? calls[i].func : keep(x, symbol_name(calls[i].func)),
			.file = calls[i].file ? calls[i].file : "",
			.line = calls[i].line,
			.inlined = i + 1 < n
		};
	}
}

/* gfortran makes a main that calls the program unit. */
static void drop_main(struct native_stack *st)
{
	const char *dot;

	if (st->n < 2 || strcmp(st->frame[0].func, "main") ||
	    strcmp(st->frame[0].file, st->frame[1].file))
		return;
	dot = strrchr(st->frame[0].file, '.');
	if (!dot || (dot[1] != 'f' && dot[1] != 'F'))
		return;
	memmove(st->frame, st->frame + 1, --st->n * sizeof(*st->frame));
}

/* The outermost frame that is MPI's; x->n: there is none. */
static size_t first_of_mpi(const struct native_stack *x)
{
	size_t i = 0;

	while (i < x->n && (!x->frame[i].library || strncmp(x->frame[i].func, "MPI_", 4) != 0))
		i++;
	return i;
}

/*
 * What MPI calls is a function of the user's, or of a plug-in: in a program with debug information
 * those have none, and are MPI's.
 */
static void drop_plugins(struct native_stack *st)
{
	size_t mpi = first_of_mpi(st);

	if (mpi == 0 || !*st->frame[mpi - 1].file)
		return;
	for (size_t i = mpi + 1; i < st->n; i++)
		if (*st->frame[i].file)
			return;
	if (mpi < st->n)
		st->n = mpi + 1;
}

static void take(struct session *s, struct native_stacks *x, const struct rank_group *g)
{
	struct buf b = buf_view(g->blob, g->len);
	struct native_stack *st = xvec_add(x->stack, x->n);

	xrankset_copy(&st->ranks, &g->ranks);
	st->answer = xcalloc(1, sizeof(*st->answer));
	st->near = st->cause = st->message = "";
	if (answer_native_get(st->answer, &b)) {
		memset(st->answer, 0, sizeof(*st->answer));
		st->why = "the answer cannot be read";
		return;
	}
	st->state = st->answer->state;
	st->near = st->answer->near;
	st->cause = st->answer->cause;
	st->said = native_thrown(st->answer->message);
	st->message = st->said ? st->said : st->answer->message;
	st->placed = st->answer->placed;
	st->lost = st->answer->lost;
	if (st->answer->head.kind == ANSWER_ERROR) {
		st->why = st->answer->head.why;
		return;
	}
	for (uint32_t i = 0; i < st->answer->n; i++)
		resolve(s, x, st, &st->answer->call[i]);
	drop_main(st);
	if (!*st->cause)
		drop_plugins(st);
}

int native_ask(struct session *s, const struct rankset *who, unsigned what,
	       struct native_stacks *out, struct err *err)
{
	struct msg_query q = { .kind = QUERY_NATIVE, .n = what };

	*out = (struct native_stacks){ 0 };
	if (ask(s, &q, who, &out->answers, &out->silent, err))
		return -1;
	for (size_t i = 0; i < out->answers.n; i++)
		take(s, out, &out->answers.group[i]);
	return 0;
}

static void stack_clear(struct native_stack *st)
{
	rankset_clear(&st->ranks);
	free(st->frame);
	free(st->answer);
	free(st->said);
}

/* Of one place by age; how many stacks were added. */
static size_t take_threads(struct session *s, struct native_stacks *x, uint32_t thread,
			   const struct groups *answers)
{
	size_t before = x->n;

	for (size_t i = 0; i < answers->n; i++) {
		struct native_stack *st;

		take(s, x, &answers->group[i]);
		st = &x->stack[x->n - 1];
		/* those that have no such thread */
		if (thread && st->why) {
			stack_clear(st);
			x->n--;
		} else {
			st->thread = thread;
		}
	}
	return x->n - before;
}

/* Ranks of all stacks become numbers of threads. */
static void number_threads(struct native_stacks *x)
{
	for (size_t i = 0; i < x->n; i++) {
		struct native_stack *st = &x->stack[i];
		struct rankset all = { 0 };

		for (int64_t r = rankset_next(&st->ranks, 0); r >= 0;
		     r = rankset_next(&st->ranks, (uint32_t)r + 1)) {
			uint32_t n = (uint32_t)r * x->threads + st->thread;

			xrankset_add(&all, n, n);
		}
		rankset_clear(&st->ranks);
		st->ranks = all;
	}
}

/* Of one place by age; *n: how many stacks there were. */
static int ask_place(struct session *s, uint32_t place, const struct rankset *who,
		     struct native_stacks *out, size_t *n, struct err *err)
{
	struct msg_query q = { .kind = QUERY_NATIVE, .n = NATIVE_THREAD, .rank = place };
	struct groups *answers = xcalloc(1, sizeof(*answers));
	struct rankset silent = { 0 };
	int rc;

	*xvec_add(out->more, out->nmore) = answers;
	rc = ask(s, &q, who, answers, &silent, err);
	if (!rc) {
		xrankset_add_set(&out->silent, &silent);
		*n = take_threads(s, out, place, answers);
	}
	rankset_clear(&silent);
	return rc;
}

int native_no_threads(struct err *err)
{
	return err_set(err, "there are no such threads; where -threads shows all");
}

int native_ask_threads(struct session *s, const struct rankset *who, const struct thread_set *only,
		       struct native_stacks *out, struct err *err)
{
	uint32_t greatest = only ? thread_set_greatest(only) : THREAD_LAST;
	bool more = true;

	*out = (struct native_stacks){ .threads = 1 };
	for (uint32_t place = 0; more && place < NATIVE_THREADS; place++) {
		struct rankset part = { 0 };
		size_t n = 0;
		int rc = 0;

		xrankset_copy(&part, who);
		if (only)
			xalloc_check(thread_set_only(only, place, &part));
		if (part.n)
			rc = ask_place(s, place, &part, out, &n, err);
		more = place < greatest && (n || !part.n || greatest != THREAD_LAST);
		out->threads = n ? place + 1 : out->threads;
		rankset_clear(&part);
		if (rc)
			return -1;
	}
	number_threads(out);
	return only && !out->n && !out->silent.n ? native_no_threads(err) : 0;
}

void native_clear(struct native_stacks *x)
{
	for (size_t i = 0; i < x->n; i++)
		stack_clear(&x->stack[i]);
	for (size_t i = 0; i < x->nmore; i++) {
		groups_clear(x->more[i]);
		free(x->more[i]);
	}
	free(x->more);
	for (size_t i = 0; i < x->ntext; i++)
		free(x->text[i]);
	free(x->stack);
	free(x->text);
	groups_clear(&x->answers);
	rankset_clear(&x->silent);
	*x = (struct native_stacks){ 0 };
}

/* Templates and other functions of the compiler's and the system's headers; and the archive of
 * hooks, which is in the program. */
static bool in_header(const struct native_frame *f)
{
	return !strncmp(f->file, "/usr/include/", 13) || !strncmp(f->file, "/usr/lib/", 9) ||
	       strstr(f->file, "/include/c++/") || strstr(f->file, "runtime/hooks/");
}

const struct native_frame *native_user_frame(const struct native_stack *x,
					     const struct native_frame **library)
{
	const struct native_frame *inner = NULL, *header = NULL, *header_calls = NULL;

	for (size_t i = x->n; i-- > 0; inner = &x->frame[i]) {
		const struct native_frame *f = &x->frame[i];

		if (f->library)
			continue;
		if (*f->file && !in_header(f)) {
			if (library)
				*library = inner;
			return f;
		}
		if (!header) {
			header = f;
			header_calls = inner;
		}
		/* one without debug information is the user's, as far as is known */
		if (!*f->file && strcmp(f->func, "?"))
			break;
	}
	if (library)
		*library = header_calls;
	return header;
}

const struct native_frame *native_calling_frame(const struct native_stack *x)
{
	size_t mpi = first_of_mpi(x);

	if (mpi == 0 || mpi == x->n)
		return native_user_frame(x, NULL);
	return x->frame[mpi - 1].library ? NULL : &x->frame[mpi - 1];
}
