/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Training runs twice: from the first ones follow arrays and loops, in the second ones ranks stop where a
 * loop is come to, and show what their variables hold.
 */
#include "frontend/annotate/annotate.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/core/parse.h"
#include "frontend/annotate/internal.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/private_dir.h"
#include "frontend/util/xvec.h"

#define COUNTS 3
#define LEAST_SIZE 8 /* an argument from this on is taken for a size */

struct plan {
	char ***argv; /* owned: by size; the first is the user's */
	uint32_t nsize;
	uint32_t count[COUNTS], ncount;
	char *self, *dir;
	int held;
};

static void tell(const struct annotate_request *r, const char *fmt, ...)
{
	va_list ap;
	char *text;

	if (!r->progress)
		return;
	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	r->progress(r->arg, text);
	free(text);
}

static char **copy_args(char *const *argv)
{
	size_t n = 0;
	char **to;

	while (argv[n])
		n++;
	to = xcalloc(n + 1, sizeof(*to));
	for (size_t i = 0; i < n; i++)
		to[i] = xstrdup(argv[i]);
	return to;
}

/* The same with larger numbers, which do not divide as the first ones do; NULL: there are none. */
static char **larger(char *const *argv)
{
	char **to = copy_args(argv);
	bool any = false;

	for (size_t i = 1; to[i]; i++) {
		char *end;
		long v = strtol(to[i], &end, 10);

		if (end == to[i] || *end || v < LEAST_SIZE || v > INT_MAX / 2)
			continue;
		free(to[i]);
		to[i] = xasprintf("%ld", (v + v / 4) | 1);
		any = true;
	}
	if (any)
		return to;
	for (size_t i = 0; to[i]; i++)
		free(to[i]);
	free(to);
	return NULL;
}

static void plan_size(struct plan *p, char **argv)
{
	if (!argv)
		return;
	xvec_more(p->argv, p->nsize, 1);
	p->argv[p->nsize++] = argv;
}

static int plan_make(struct plan *p, const struct annotate_request *r, struct err *err)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	memset(p, 0, sizeof(*p));
	if (n < 0)
		return err_set(err, "annotate: /proc is needed, and cannot be read");
	p->self = xstrndup(self, (size_t)n);
	p->held = private_dir_temporary(&p->dir);
	if (p->held < 0)
		return err_set(err, "cannot make %s: %s", p->dir, strerror(errno));
	plan_size(p, copy_args(r->argv));
	for (unsigned i = 0; i < ANNOTATE_SIZES && r->other[i]; i++)
		plan_size(p, copy_args(r->other[i]));
	if (p->nsize == 1)
		plan_size(p, larger(r->argv));
	p->count[p->ncount++] = 1;
	if (r->ranks > 2)
		p->count[p->ncount++] = 2;
	p->count[p->ncount++] = r->ranks;
	return 0;
}

static void plan_clear(struct plan *p)
{
	for (uint32_t i = 0; i < p->nsize; i++) {
		for (size_t k = 0; p->argv[i][k]; k++)
			free(p->argv[i][k]);
		free(p->argv[i]);
	}
	free(p->argv);
	free(p->self);
	if (p->held >= 0) {
		private_dir_scratch_remove(p->dir);
		close(p->held);
	}
	free(p->dir);
}

static void loops_to_stop_at(const struct draft *m, struct symbols *s, const char *program,
			     struct breaks *b)
{
	struct symbol_range range[64];

	for (uint32_t i = 0; i < m->nloop; i++) {
		unsigned n = symbols_lines(s, program, m->loop[i].scan->path,
					   m->loop[i].loop->first, range, 64);
		uint64_t lo = UINT64_MAX;

		for (unsigned k = 0; k < n; k++)
			if (range[k].vaddr < lo)
				lo = range[k].vaddr;
		if (n)
			*xvec_add(b->at, b->n) = lo;
	}
}

/* All runs of the plan; ranks stop at the breakpoints. */
static int train(const struct plan *p, const struct annotate_request *r, struct symbols *s,
		 const struct breaks *b, struct training *t, struct err *err)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->nsize; i++) {
		for (uint32_t k = 0; k < p->ncount; k++, n++) {
			char *dir = xasprintf("%s/%" PRIu32 ".%" PRIu32 ".%u", p->dir, i, k, b->n > 0);
			char *answers = NULL;
			int rc;

			tell(r, "run %" PRIu32 " of %" PRIu32 " on %" PRIu32 " rank%s",
			     n + 1 + (b->n ? p->nsize * p->ncount : 0), 2 * p->nsize * p->ncount,
			     p->count[k], p->count[k] == 1 ? "" : "s");
			rc = training_run(p->self, p->argv[i], p->count[k], b, dir, &answers, err);
			if (!rc)
				rc = training_read(&t[n], dir, s, err);
			t[n].size = i;
			if (!rc)
				training_stops(&t[n], answers);
			free(answers);
			free(dir);
			if (rc)
				return -1;
		}
	}
	return 0;
}

static json_t *place(const char *file, uint32_t line)
{
	return json_pack("{s:s s:i}", "file", file ? path_base(file) : "", "line", (int)line);
}

static json_t *array_answer(const struct draft_array *x, const struct array_guess *a)
{
	json_t *e = place(a->file, a->line);

	if (a->name || x->mark.name)
		json_object_set_new(e, "name", json_string(a->name ? a->name : x->mark.name));
	json_object_set_new(e, "nth", json_integer(a->nth));
	json_object_set_new(e, "dims", json_integer(a->ndim));
	if (!x->good) {
		json_object_set_new(e, "left-out", json_string(x->why_not));
		return e;
	}
	json_object_set_new(e, "split", json_array());
	json_object_set_new(e, "halo", json_array());
	for (unsigned d = 0; d < a->ndim; d++) {
		bool split = false;

		for (uint32_t k = 0; k < a->nrun; k++)
			split = split || a->run[k].grid[d] > 1;
		json_array_append_new(json_object_get(e, "split"), json_boolean(split));
		json_array_append_new(json_object_get(e, "halo"),
				      json_pack("[I, I]", (json_int_t)a->halo_lo[d],
						(json_int_t)a->halo_hi[d]));
	}
	if (x->others)
		json_object_set_new(e, "others", json_string(x->others));
	return e;
}

static json_t *answer_of(const struct draft *m, const struct guesses *g, const struct plan *p)
{
	json_t *o = json_pack("{s:s s:[] s:[] s:[] s:i}", "type", "annotation", "ranks", "arrays",
			      "loops", "sizes", (int)p->nsize);

	for (uint32_t k = 0; k < p->ncount; k++)
		json_array_append_new(json_object_get(o, "ranks"), json_integer(p->count[k]));
	for (uint32_t i = 0; i < m->narray; i++)
		json_array_append_new(json_object_get(o, "arrays"),
				      array_answer(&m->array[i], &g->array[m->array[i].array]));
	for (uint32_t i = 0; i < m->nloop; i++)
		if (!m->loop[i].good)
			json_array_append_new(json_object_get(o, "loops"),
					      place(m->loop[i].scan->path, m->loop[i].loop->first));
	return o;
}

/* What was written, to the answer. */
static void answer_marks(json_t *o, const struct marks *marks, const char *base)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < marks->n; i++) {
		char *text;
		size_t size;
		FILE *f = xmemstream(&text, &size);

		mark_write(&marks->mark[i], f, base);
		xmemstream_close(f);
		text[strcspn(text, "\n")] = 0;
		json_array_append_new(list, json_string(text));
		free(text);
	}
	json_object_set_new(o, "marks", list);
}

static int write_files(const struct marks *marks, const struct annotate_request *r, const char *base,
		       struct err *err)
{
	for (int what = 0; what < 2; what++) {
		const char *path = what ? r->patch : r->marks;
		FILE *f = path ? fopen(path, "we") : NULL;
		int rc = 0;

		if (!path)
			continue;
		if (!f)
			return err_set(err, "cannot write %s: %s", path, strerror(errno));
		if (what)
			rc = marks_patch(marks, f, base, err);
		else
			for (uint32_t i = 0; i < marks->n; i++)
				mark_write(&marks->mark[i], f, base);
		if (fclose(f) && !rc)
			rc = err_set(err, "cannot write %s: %s", path, strerror(errno));
		if (rc)
			return rc;
	}
	return 0;
}

json_t *annotate(const struct annotate_request *r, struct symbols *symbols, struct err *err)
{
	struct plan p;
	struct training *t = NULL;
	struct breaks b = { 0 };
	struct guesses g = { 0 };
	struct draft m = { 0 };
	struct marks marks = { 0 };
	char here[PATH_MAX];
	json_t *answer = NULL;
	uint32_t n = 0;

	if (plan_make(&p, r, err) < 0)
		goto out;
	n = p.nsize * p.ncount;
	for (int pass = 0; pass < 2; pass++) {
		t = xcalloc(n, sizeof(*t));
		if (train(&p, r, symbols, &b, t, err) < 0)
			goto out;
		guesses_make(&g, t, n);
		draft_loops(&m, &g);
		if (pass)
			break;
		loops_to_stop_at(&m, symbols, r->argv[0], &b);
		draft_clear(&m);
		guesses_clear(&g);
		for (uint32_t i = 0; i < n; i++)
			training_clear(&t[i]);
		free(t);
	}
	draft_fold(&m, &g);
	draft_arrays(&m, &g);
	draft_marks(&m, &g);
	answer = answer_of(&m, &g, &p);
	compose(&marks, &m, &g);
	if (!getcwd(here, sizeof(here)))
		*here = 0;
	answer_marks(answer, &marks, here);
	if (marks.n && write_files(&marks, r, here, err)) {
		json_decref(answer);
		answer = NULL;
	} else if (marks.n) {
		json_object_set_new(answer, "patch", json_string(r->patch));
	}
out:
	marks_clear(&marks);
	draft_clear(&m);
	guesses_clear(&g);
	for (uint32_t i = 0; t && i < n; i++)
		training_clear(&t[i]);
	free(t);
	free(b.at);
	plan_clear(&p);
	return answer;
}
