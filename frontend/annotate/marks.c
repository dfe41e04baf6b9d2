/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Marks from layouts and loops: where each goes in the source, and its words. What cannot be said
 * with what is in scope there is left out, with the reason.
 */
#include "frontend/annotate/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/util/xvec.h"

static const struct scan *file_of(struct marks *m, const char *path)
{
	for (uint32_t i = 0; i < m->nscan; i++)
		if (!strcmp(m->scan[i]->path, path))
			return m->scan[i];
	return NULL;
}

void marks_source(struct marks *m, const char *path)
{
	struct scan *s;

	if (!path || *path != '/' || file_of(m, path))
		return;
	s = scan_open(path, NULL);
	if (s) {
		struct scan **to = xvec_add(m->scan, m->nscan);

		*to = s;
	}
}

const struct loop *marks_loop(const struct scan *s, uint32_t line, bool mpi)
{
	for (uint32_t i = 0; i < s->nloop; i++) {
		const struct loop *l = &s->loop[i];

		if (l->first <= line && line <= l->last && l->mpi == mpi)
			return l;
	}
	return NULL;
}

static uint64_t own_elements(const struct array_guess *a, const struct part *p)
{
	uint64_t n = 1;

	for (unsigned d = 0; d < a->ndim; d++)
		n *= (uint64_t)p->own_n[d];
	return n;
}

static struct mark_loop *loop_mark(struct marks *m, const struct scan *s, const struct loop *l)
{
	struct mark_loop *x;

	for (uint32_t i = 0; i < m->nloop; i++)
		if (m->loop[i].scan == s && m->loop[i].loop == l)
			return &m->loop[i];
	x = xvec_add(m->loop, m->nloop);
	x->scan = s;
	x->loop = l;
	return x;
}

static void uses(uint32_t *list, uint32_t *n, uint32_t array)
{
	for (uint32_t i = 0; i < *n; i++)
		if (list[i] == array)
			return;
	if (*n < MARK_ARRAYS)
		list[(*n)++] = array;
}

/* Parallel loops: the outermost loops without MPI that go over half of an own part and more. */
void marks_loops(struct marks *m, const struct guesses *g)
{
	for (uint32_t i = 0; i < g->narray; i++) {
		const struct array_guess *a = &g->array[i];

		if (*a->why_not || a->replicated)
			continue;
		for (uint32_t k = 0; k < g->ntraining; k++) {
			const struct rank_seen *s = &g->training[k].rank[0];
			const struct part *p = &a->run[k].part[0];

			for (uint32_t j = 0; j < s->nsweep; j++) {
				const struct sweep *w = &s->sweep[j];
				const struct scan *f;
				const struct loop *l;
				struct mark_loop *x;

				if (w->region != p->region || w->elements * 2 < own_elements(a, p))
					continue;
				marks_source(m, w->file);
				f = file_of(m, w->file);
				l = f ? marks_loop(f, w->line, false) : NULL;
				if (!l)
					continue;
				x = loop_mark(m, f, l);
				if (w->write)
					uses(x->writes, &x->nwrites, i);
				else
					uses(x->reads, &x->nreads, i);
				if (w->write || !x->on_set) {
					x->on = i;
					x->on_set = true;
				}
			}
		}
	}
	for (uint32_t i = 0; i < m->nloop; i++) {
		struct mark_loop *x = &m->loop[i];

		x->sequential = marks_loop(x->scan, x->loop->first, true);
	}
}

/* The stop of a rank at a line; NULL: it did not come there. */
static const struct stop_seen *stop_at(const struct rank_seen *s, const char *file, uint32_t line)
{
	for (uint32_t i = 0; i < s->nstop; i++)
		if (s->stop[i].nframe && s->stop[i].frame[0].line == line &&
		    !strcmp(s->stop[i].frame[0].file, file))
			return &s->stop[i];
	return NULL;
}

static const char *pointer_to(const struct frame_seen *f, const struct region *r)
{
	for (uint32_t i = 0; i < f->nvariable; i++)
		if (f->variable[i].pointer && (uint64_t)f->variable[i].number == r->base)
			return f->variable[i].name;
	return NULL;
}

/* The global variable that points to the region, of what was seen. */
static const char *global_to(const struct rank_seen *s, const struct region *r)
{
	for (uint32_t i = 0; i < s->nscalar; i++)
		if (s->scalar[i].size == 8 && (uint64_t)s->scalar[i].value == r->base &&
		    !strstr(s->scalar[i].name, "::"))
			return s->scalar[i].name;
	return NULL;
}

/* The name of the array in a frame at a stop; the same on all ranks of all runs, or NULL. */
static const char *name_at(const struct guesses *g, const struct array_guess *a, const char *file,
			   uint32_t line, uint32_t frame)
{
	const char *name = NULL;

	for (uint32_t k = 0; k < g->ntraining; k++) {
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			const struct rank_seen *s = &g->training[k].rank[r];
			const struct region *x = &s->region[a->run[k].part[r].region];
			const struct stop_seen *stop = stop_at(s, file, line);
			const char *now = x->name;

			if (!stop || frame >= stop->nframe)
				return NULL;
			if (!now)
				now = pointer_to(&stop->frame[frame], x);
			if (!now)
				now = global_to(s, x);
			if (!now || (name && strcmp(name, now)))
				return NULL;
			name = now;
		}
	}
	return name;
}

static uint32_t environments(const struct guesses *g, const char *file, uint32_t line,
			     uint32_t frame, struct env *env)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < g->ntraining; k++) {
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			const struct rank_seen *s = &g->training[k].rank[r];
			const struct stop_seen *stop = stop_at(s, file, line);

			if (n == MARK_ENV || (stop && frame >= stop->nframe))
				return 0;
			env[n].frame = stop ? &stop->frame[frame] : NULL;
			env[n++].seen = s;
		}
	}
	return n;
}

enum wanted { WANT_SHAPE, WANT_FIRST, WANT_LAST };

static char *dimension(const struct guesses *g, const struct array_guess *a, unsigned d,
		       enum wanted want, const struct env *env, uint32_t n, char **others)
{
	int64_t value[MARK_ENV];
	uint32_t i = 0;

	for (uint32_t k = 0; k < g->ntraining; k++) {
		for (uint32_t r = 0; r < g->training[k].ranks; r++, i++) {
			const struct part *p = &a->run[k].part[r];

			value[i] = want == WANT_SHAPE ? a->run[k].shape[d]
				   : want == WANT_FIRST ? p->first[d]
							: p->first[d] + p->own_n[d] - 1;
		}
	}
	return expression(env, value, n, others);
}

/* The text of an array's mark at a frame of a stop; false: something is not in scope. */
static bool array_text(const struct guesses *g, struct mark_array *x, const char *file,
		       uint32_t line, uint32_t frame)
{
	const struct array_guess *a = &g->array[x->array];
	struct env *env = xcalloc(MARK_ENV, sizeof(*env));
	uint32_t n = environments(g, file, line, frame, env);
	const char *name = name_at(g, a, file, line, frame);
	char *text = NULL, *others[LAYOUT_DIMS] = { NULL };
	size_t size;
	FILE *f;
	bool all = name && n;

	f = xmemstream(&text, &size);
	fprintf(f, "DVMDBG_ARRAY(%s, .shape = { ", name ? name : "?");
	for (int what = 0; all && what < 2; what++) {
		if (what)
			fprintf(f, " }, .own = { ");
		for (unsigned d = 0; all && d < a->ndim; d++) {
			char *e = dimension(g, a, d, what ? WANT_FIRST : WANT_SHAPE, env, n,
					    what ? NULL : &others[d]);
			char *to = what ? dimension(g, a, d, WANT_LAST, env, n, NULL) : NULL;

			if (!e || (what && !to)) {
				all = false;
				snprintf(x->why_not, sizeof(x->why_not),
					 "no variables in scope at line %u give the %s of dimension %u",
					 line, what ? "own part" : "shape", d + 1);
			} else if (what) {
				fprintf(f, "%s{ %s, %s }", d ? ", " : "", e, to);
			} else {
				fprintf(f, "%s%s", d ? ", " : "", e);
			}
			free(e);
			free(to);
		}
	}
	if (all) {
		bool any = false, same = true;

		fprintf(f, " }");
		for (unsigned d = 0; d < a->ndim; d++) {
			any = any || a->halo_lo[d] || a->halo_hi[d];
			same = same && a->halo_lo[d] == a->halo_hi[d];
		}
		for (int side = 0; any && side < (same ? 1 : 2); side++) {
			fprintf(f, ", .halo%s = { ", same ? "" : side ? "_hi" : "_lo");
			for (unsigned d = 0; d < a->ndim; d++)
				fprintf(f, "%s%" PRId64, d ? ", " : "",
					side ? a->halo_hi[d] : a->halo_lo[d]);
			fprintf(f, " }");
		}
		fprintf(f, ");");
	}
	xmemstream_close(f);
	free(env);
	for (unsigned d = 0; d < LAYOUT_DIMS; d++) {
		if (others[d] && all && !x->others)
			x->others = xstrdup(others[d]);
		free(others[d]);
	}
	if (!all) {
		if (!name && !*x->why_not)
			snprintf(x->why_not, sizeof(x->why_not), "no variable points to it");
		free(text);
		return false;
	}
	x->text = text;
	x->name = xstrdup(name);
	return true;
}

/* In front of what the frame executes; in front of the loops with MPI that this is in. */
static uint32_t before(struct marks *m, const struct frame_seen *f, const struct scan **scan)
{
	const struct loop *l;

	marks_source(m, f->file);
	*scan = file_of(m, f->file);
	if (!*scan)
		return 0;
	l = marks_loop(*scan, f->line, true);
	if (!l)
		l = marks_loop(*scan, f->line, false);
	return l ? l->first : f->line;
}

void marks_arrays(struct marks *m, const struct guesses *g)
{
	const struct rank_seen *s = &g->training[0].rank[0];

	for (uint32_t i = 0; i < g->narray; i++) {
		const struct array_guess *a = &g->array[i];
		struct mark_array *x;
		bool used = false;

		for (uint32_t k = 0; k < m->nloop; k++) {
			for (uint32_t j = 0; j < m->loop[k].nwrites; j++)
				used |= m->loop[k].writes[j] == i;
			for (uint32_t j = 0; j < m->loop[k].nreads; j++)
				used |= m->loop[k].reads[j] == i;
		}
		x = xvec_add(m->array, m->narray);
		x->array = i;
		if (*a->why_not || a->replicated || !used) {
			snprintf(x->why_not, sizeof(x->why_not), "%s",
				 *a->why_not	? a->why_not
				 : a->replicated ? "each rank has as much of it as one rank alone"
						 : "no loop goes over it");
			continue;
		}
		for (uint32_t j = 0; j < s->nstop && !x->text; j++) {
			const struct stop_seen *stop = &s->stop[j];

			for (uint32_t k = stop->nframe; k-- > 0 && !x->text;) {
				const struct scan *scan;
				uint32_t line = before(m, &stop->frame[k], &scan);

				if (line && array_text(g, x, stop->frame[0].file,
						       stop->frame[0].line, k)) {
					x->scan = scan;
					x->line = line;
				}
			}
		}
	}
}

/* What a loop's mark says of its arrays, as they are called where the loop is. */
static void list(FILE *f, const char *what, const struct marks *m, const struct guesses *g,
		 const struct mark_loop *l, const uint32_t *array, uint32_t n)
{
	uint32_t some = 0;

	for (uint32_t i = 0; i < n; i++) {
		const char *name;

		if (!m->array[array[i]].text)
			continue;
		name = name_at(g, &g->array[array[i]], l->scan->path, l->loop->first, 0);
		/* arrays that are exchanged have each name once; which is which follows from the first stop */
		if (!name)
			continue;
		fprintf(f, "%s%s", some++ ? ", " : what, name);
	}
	if (some)
		fputs(" }", f);
}

void marks_texts(struct marks *m, const struct guesses *g)
{
	for (uint32_t i = 0; i < m->nloop; i++) {
		struct mark_loop *l = &m->loop[i];
		const char *on = m->array[l->on].text ?
					 name_at(g, &g->array[l->on], l->scan->path, l->loop->first, 0) :
					 NULL;
		size_t size;
		FILE *f;

		if (!on)
			continue;
		f = xmemstream(&l->text, &size);
		fprintf(f, "DVMDBG_PL(.on = %s", on);
		list(f, ", .writes = { ", m, g, l, l->writes, l->nwrites);
		list(f, ", .reads = { ", m, g, l, l->reads, l->nreads);
		fputs(")", f);
		xmemstream_close(f);
	}
}

void marks_clear(struct marks *m)
{
	for (uint32_t i = 0; i < m->nscan; i++)
		scan_close(m->scan[i]);
	for (uint32_t i = 0; i < m->narray; i++) {
		free(m->array[i].text);
		free(m->array[i].name);
		free(m->array[i].others);
	}
	for (uint32_t i = 0; i < m->nloop; i++)
		free(m->loop[i].text);
	free(m->scan);
	free(m->array);
	free(m->loop);
}
