/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All that goes into the source: arrays, loops, frames, replicated variables. */
#include "frontend/annotate/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/util/xvec.h"

/* The line behind the last #include, or the first one. */
static uint32_t include_line(const struct scan *s)
{
	uint32_t n = 0, line = 1, last = 0;

	for (const char *c = s->plain; *c; c = strchr(c, '\n') ? strchr(c, '\n') + 1 : c + strlen(c)) {
		const char *w = c + strspn(c, " \t");

		n++;
		if (*w == '#' && !strncmp(w + 1 + strspn(w + 1, " \t"), "include", 7))
			last = n;
	}
	return last ? last + 1 : line;
}

/* A loop of the function counts with it. */
static bool counts(const struct scan *s, const char *name)
{
	for (uint32_t i = 0; i < s->nloop; i++)
		if (s->loop[i].variable && !strcmp(s->loop[i].variable, name))
			return true;
	return false;
}

static const struct variable *variable_at(const struct rank_seen *s, uint32_t stop, uint32_t frame,
					  const char *name)
{
	if (stop >= s->nstop || frame >= s->stop[stop].nframe)
		return NULL;
	for (uint32_t i = 0; i < s->stop[stop].frame[frame].nvariable; i++)
		if (!strcmp(s->stop[stop].frame[frame].variable[i].name, name))
			return &s->stop[stop].frame[frame].variable[i];
	return NULL;
}

/* Equal on all ranks at each stop of the function, and to the run on one rank. */
static bool replicated(const struct guesses *g, const char *func, const char *name)
{
	for (uint32_t k = 0; k < g->ntraining; k++) {
		const struct training *t = &g->training[k], *one = NULL;

		for (uint32_t i = 0; i < g->ntraining; i++)
			if (g->training[i].ranks == 1 && g->training[i].size == t->size)
				one = &g->training[i];
		for (uint32_t r = 0; one && r < t->ranks; r++) {
			const struct rank_seen *s = &t->rank[r], *o = &one->rank[0];

			if (s->nstop != o->nstop)
				return false;
			for (uint32_t j = 0; j < s->nstop; j++) {
				for (uint32_t f = 0; f < s->stop[j].nframe; f++) {
					const struct variable *v, *w;

					if (strcmp(s->stop[j].frame[f].func, func))
						continue;
					v = variable_at(s, j, f, name);
					w = variable_at(o, j, f, name);
					if (!v || !w || strcmp(v->value, w->value))
						return false;
				}
			}
		}
	}
	return true;
}

static bool is_number(const struct variable *v)
{
	const char *t = v->type;

	return *v->value != '<' && !v->pointer && !strstr(t, "const ") &&
	       (v->whole || !strcmp(t, "double") || !strcmp(t, "float"));
}

static bool assigned(const struct scan *s, const char *name)
{
	size_t n = strlen(name);

	for (const char *c = s->text; (c = strstr(c, name)); c += n) {
		const char *e = c + n + strspn(c + n, " ");

		if ((c == s->text || !(c[-1] == '_' || (c[-1] >= '0' && c[-1] <= '9') ||
				       (c[-1] >= 'A' && c[-1] <= 'z'))) &&
		    *e == '=' && e[1] != '=')
			return true;
	}
	return false;
}

static const struct scalar *scalar_of(const struct rank_seen *s, const char *name)
{
	for (uint32_t i = 0; i < s->nscalar; i++)
		if (!strcmp(s->scalar[i].name, name))
			return &s->scalar[i];
	return NULL;
}

/* A variable of the file that is the same on all ranks and in the run on one rank. */
static bool same_everywhere(const struct guesses *g, const char *name)
{
	for (uint32_t k = 0; k < g->ntraining; k++) {
		const struct training *t = &g->training[k];

		for (uint32_t i = 0; i < g->ntraining; i++) {
			const struct training *one = &g->training[i];
			const struct scalar *w = scalar_of(&one->rank[0], name);

			if (one->ranks != 1 || one->size != t->size)
				continue;
			for (uint32_t r = 0; r < t->ranks; r++) {
				const struct scalar *v = scalar_of(&t->rank[r], name);

				if (!v || !w || v->changes || v->value != w->value)
					return false;
			}
		}
	}
	return true;
}

/* In the text of the file, in front of all functions. */
static bool declared_outside(const struct scan *s, const char *name)
{
	const char *end = s->nfunction ? s->function[0].body : s->text;

	for (const char *c = s->text; (c = strstr(c, name)) && c < end; c++)
		if (scan_word(s, c, name))
			return true;
	return false;
}

/* Replicated variables of the frame where the first array is announced, and global ones. */
static void add_replicated(struct compose *c, const struct guesses *g, const struct mark_array *a)
{
	const struct rank_seen *s = &g->training[0].rank[0];
	const struct frame_seen *f = NULL;
	char text[160];

	for (uint32_t j = 0; j < s->nstop && !f; j++)
		for (uint32_t k = 0; k < s->stop[j].nframe && !f; k++)
			if (!strcmp(s->stop[j].frame[k].file, a->scan->path) &&
			    marks_function(a->scan, s->stop[j].frame[k].line) ==
				    marks_function(a->scan, a->line))
				f = &s->stop[j].frame[k];
	for (uint32_t i = 0; i < s->nscalar; i++) {
		const char *name = s->scalar[i].name;

		if (strstr(name, "::") || strpbrk(name, ".[(") || counts(a->scan, name) ||
		    !declared_outside(a->scan, name) || !same_everywhere(g, name))
			continue;
		snprintf(text, sizeof(text), "DVMDBG_REPLICATED(%s);", name);
		patch_add(&c->patch, a->scan, a->line, false, text);
		c->replicated++;
	}
	for (uint32_t i = 0; f && i < f->nvariable; i++) {
		const struct variable *v = &f->variable[i];

		if (!is_number(v) || counts(a->scan, v->name) || !strcmp(v->name, "argc") ||
		    !assigned(a->scan, v->name) || !marks_declared(a->scan, v->name, a->line) || !replicated(g, f->func, v->name))
			continue;
		snprintf(text, sizeof(text), "DVMDBG_REPLICATED(%s);", v->name);
		patch_add(&c->patch, a->scan, a->line, false, text);
		c->replicated++;
	}
}

void compose(struct compose *c, struct marks *m, const struct guesses *g)
{
	const struct mark_array *first = NULL;

	for (uint32_t i = 0; i < m->narray; i++)
		if (m->array[i].text && !first)
			first = &m->array[i];
	if (!first)
		return;
	patch_add(&c->patch, first->scan, include_line(first->scan), false, "#include \"dvmdbg.h\"");
	for (uint32_t i = 0; i < first->scan->nfunction; i++) {
		const struct function *f = &first->scan->function[i];

		if (!strcmp(f->name, "main"))
			patch_add(&c->patch, first->scan, f->body_line + 1, true,
				  "DVMDBG_FUNCTION();");
	}
	add_replicated(c, g, first);
	for (uint32_t i = 0; i < m->narray; i++) {
		if (!m->array[i].text)
			continue;
		patch_add(&c->patch, m->array[i].scan, m->array[i].line, false, m->array[i].text);
		c->arrays++;
	}
	for (uint32_t i = 0; i < m->nloop; i++) {
		const struct mark_loop *l = &m->loop[i];
		const struct loop *t = l->sequential;
		char text[256];

		if (!l->text)
			continue;
		if (t) {
			if (t->variable && t->from && t->to && !t->down)
				snprintf(text, sizeof(text), "DVMDBG_SL(.range = { { %s, %s%s } })",
					 t->from, t->to, t->below ? " - 1" : "");
			else
				snprintf(text, sizeof(text), "DVMDBG_SL()");
			patch_add(&c->patch, l->scan, t->first, false, text);
			if (t->variable && t->braces) {
				snprintf(text, sizeof(text), "DVMDBG_ITERATION(%s);", t->variable);
				patch_add(&c->patch, l->scan, t->body_line + 1, true, text);
			}
		}
		patch_add(&c->patch, l->scan, l->loop->first, false, l->text);
		if (l->iteration)
			patch_add(&c->patch, l->scan, l->inner->body_line + 1, true, l->iteration);
		if (l->scan != first->scan)
			patch_add(&c->patch, l->scan, include_line(l->scan), false,
				  "#include \"dvmdbg.h\"");
		c->loops++;
	}
}
