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

static void loops_to_stop_at(const struct marks *m, struct symbols *s, const char *program,
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

static json_t *answer_of(const struct marks *m, const struct guesses *g, const struct plan *p,
			 const struct compose *c, const char *patch)
{
	json_t *o = json_pack("{s:s s:[] s:[] s:[]}", "type", "annotation", "arrays", "loops", "ranks");

	for (uint32_t k = 0; k < p->ncount; k++)
		json_array_append_new(json_object_get(o, "ranks"), json_integer(p->count[k]));
	json_object_set_new(o, "sizes", json_integer(p->nsize));
	for (uint32_t i = 0; i < m->narray; i++) {
		const struct mark_array *x = &m->array[i];
		const struct array_guess *a = &g->array[x->array];
		json_t *e = place(a->file, a->line);

		if (a->name)
			json_object_set_new(e, "name", json_string(a->name));
		else if (x->name)
			json_object_set_new(e, "name", json_string(x->name));
		json_object_set_new(e, "nth", json_integer(a->nth));
		json_object_set_new(e, "dims", json_integer(a->ndim));
		if (x->text)
			json_object_set_new(e, "mark", json_string(x->text));
		else
			json_object_set_new(e, "left-out", json_string(x->why_not));
		if (x->others)
			json_object_set_new(e, "others", json_string(x->others));
		json_array_append_new(json_object_get(o, "arrays"), e);
	}
	for (uint32_t i = 0; i < m->nloop; i++) {
		const struct mark_loop *x = &m->loop[i];
		json_t *e = place(x->scan->path, x->loop->first);

		if (x->text)
			json_object_set_new(e, "mark", json_string(x->text));
		if (x->iteration)
			json_object_set_new(e, "iteration", json_string(x->iteration));
		json_array_append_new(json_object_get(o, "loops"), e);
	}
	json_object_set_new(o, "replicated", json_integer(c->replicated));
	if (c->patch.n)
		json_object_set_new(o, "patch", json_string(patch));
	return o;
}

static int write_patch(struct compose *c, const char *path, struct err *err)
{
	char here[PATH_MAX];
	FILE *f;

	if (!c->patch.n)
		return 0;
	f = fopen(path, "we");
	if (!f)
		return err_set(err, "cannot write %s: %s", path, strerror(errno));
	patch_write(&c->patch, f, getcwd(here, sizeof(here)) ? here : "");
	if (fclose(f))
		return err_set(err, "cannot write %s: %s", path, strerror(errno));
	return 0;
}

json_t *annotate(const struct annotate_request *r, struct symbols *symbols, struct err *err)
{
	struct plan p;
	struct training *t = NULL;
	struct breaks b = { 0 };
	struct guesses g = { 0 };
	struct marks m = { 0 };
	struct compose c = { 0 };
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
		marks_loops(&m, &g);
		if (pass)
			break;
		loops_to_stop_at(&m, symbols, r->argv[0], &b);
		marks_clear(&m);
		guesses_clear(&g);
		for (uint32_t i = 0; i < n; i++)
			training_clear(&t[i]);
		free(t);
		memset(&m, 0, sizeof(m));
	}
	marks_fold(&m, &g);
	marks_arrays(&m, &g);
	marks_texts(&m, &g);
	compose(&c, &m, &g);
	if (!write_patch(&c, r->patch, err))
		answer = answer_of(&m, &g, &p, &c, r->patch);
out:
	patch_clear(&c.patch);
	marks_clear(&m);
	guesses_clear(&g);
	for (uint32_t i = 0; t && i < n; i++)
		training_clear(&t[i]);
	free(t);
	free(b.at);
	plan_clear(&p);
	return answer;
}
