/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where marks of arrays may stand: in front of the loops that use them, and of the calls of
 * functions that have such loops. Ranks stop at each place, so that what is said of it holds there
 * and not only later. And what is seen at a stop: what the array is called there, and which
 * variables there are.
 */
#include "frontend/annotate/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"
#include "common/core/err.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/xvec.h"

#define MOST_PLACES 64
#define CALLERS 3 /* calls of calls are gone up so far */

/* ---- functions that count as part of their callers ---- */

#define MOST_CODE 2000 /* functions one behind the other count once */
#define CODE_GAP 15    /* bytes that functions are aligned by, less one */

struct small {
	struct draft *m;
	struct code_range {
		uint64_t low, high;
	} *code; /* owned */
	uint32_t n;
};

static bool has_loop(const struct scan *s, const struct function *f)
{
	for (uint32_t i = 0; i < s->nloop; i++)
		if (&s->function[s->loop[i].function] == f &&
		    (!s->loop[i].implicit || s->loop[i].braces || s->fortran))
			return true;
	return false;
}

static void take_small(void *arg, const struct symbol_body *b)
{
	struct small *x = arg;
	const struct scan *s;
	const struct function *f;

	if (!draft_foreign(b->file)) {
		s = draft_open(x->m, b->file);
		f = s ? draft_function(s, b->line) : NULL;
		if (!f || f->program || f->mpi || !strcmp(f->name, "main") || has_loop(s, f))
			return;
	}
	*xvec_add(x->code, x->n) = (struct code_range){ b->low, b->high };
}

static int by_code(const void *a, const void *b)
{
	const struct code_range *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

char *draft_small(const char *program, struct draft *m)
{
	struct small x = { .m = m };
	char *text;
	size_t size;
	FILE *f = xmemstream(&text, &size);

	symbols_bodies(m->symbols, program, take_small, &x);
	if (x.n)
		qsort(x.code, x.n, sizeof(*x.code), by_code);
	for (uint32_t i = 0, k = 0; i < x.n && k < MOST_CODE; k++) {
		uint64_t low = x.code[i].low, high = x.code[i].high;

		for (i++; i < x.n && x.code[i].low <= high + CODE_GAP; i++)
			high = x.code[i].high > high ? x.code[i].high : high;
		fprintf(f, "%s%" PRIx64 "-%" PRIx64, k ? "," : "", low, high);
	}
	xmemstream_close(f);
	free(x.code);
	return text;
}

static void add_place(struct places *p, const struct scan *scan, uint32_t line, uint32_t stop)
{
	struct place_of *x;

	for (uint32_t i = 0; i < p->n; i++)
		if (p->place[i].scan == scan && p->place[i].line == line)
			return;
	if (p->n == MOST_PLACES)
		return;
	x = xvec_add(p->place, p->n);
	*x = (struct place_of){ .scan = scan, .line = line, .stop = stop };
}

/*
 * The place in front of the statement that `at` is in, and of the loops around it: of the outermost
 * one that communicates, which is the time loop, else of the outermost one.
 */
static void place_before(struct places *p, const struct scan *scan, const struct function *f,
			 const char *at)
{
	uint32_t line = scan_line(scan, at);
	const struct loop *l = draft_in_loop(scan, line, true);
	const char *begin;
	uint32_t stop;

	if (!l)
		l = draft_in_loop(scan, line, false);
	if (l && l->at < at)
		at = l->at;
	begin = scan_statement(scan, f->body, at);
	if (!begin)
		return;
	line = stop = scan_line(scan, begin);
	/* `do` itself is no code */
	if (l && begin == l->at && scan_word(scan, begin, "do"))
		stop = l->body_line + l->braces;
	add_place(p, scan, line, stop);
}

static void places_of_calls(struct places *p, const struct draft *m, const struct function *called,
			    unsigned depth)
{
	for (uint32_t i = 0; depth < CALLERS && i < m->nscan; i++) {
		const struct scan *s = m->scan[i];

		for (uint32_t k = 0; k < s->nfunction; k++) {
			const struct function *f = &s->function[k];
			const char *at = f == called ? NULL :
						       scan_call(s, f->body, f->end, called->name);
			bool any = at != NULL;

			for (; at; at = scan_call(s, at + 1, f->end, called->name))
				place_before(p, s, f, at);
			if (any)
				places_of_calls(p, m, f, depth + 1);
		}
	}
}

void places_make(struct places *p, const struct draft *m)
{
	*p = (struct places){ 0 };
	for (uint32_t i = 0; i < m->nloop; i++)
		add_place(p, m->loop[i].scan, m->loop[i].loop->first, m->loop[i].loop->first);
	for (uint32_t i = 0; i < m->nloop; i++) {
		const struct draft_loop *l = &m->loop[i];
		const struct function *f = &l->scan->function[l->loop->function];

		place_before(p, l->scan, f, l->loop->at);
		places_of_calls(p, m, f, 0);
	}
}

void places_clear(struct places *p)
{
	free(p->place);
	*p = (struct places){ 0 };
}

const struct stop_seen *stop_at(const struct rank_seen *s, const char *file, uint32_t line)
{
	for (uint32_t i = 0; i < s->nstop; i++)
		if (s->stop[i].nframe && s->stop[i].frame[0].line == line &&
		    !strcmp(s->stop[i].frame[0].file, file))
			return &s->stop[i];
	return NULL;
}

/* ---- names ---- */

/* Whether the array is used while a call of the function is under way, whenever it is used. */
static bool lasts(const struct guesses *g, const struct draft *m, uint32_t array, const char *func)
{
	const struct rank_seen *s = &g->training[0].rank[0];

	for (uint32_t i = 0; i < m->nloop; i++) {
		const struct draft_loop *l = &m->loop[i];
		const struct stop_seen *stop;
		bool uses = false, there = false;

		for (uint32_t k = 0; k < l->run[0].nwrites; k++)
			uses |= l->run[0].writes[k] == array;
		for (uint32_t k = 0; k < l->run[0].nreads; k++)
			uses |= l->run[0].reads[k] == array;
		stop = uses ? stop_at(s, l->scan->path, l->loop->first) : NULL;
		if (!stop)
			continue;
		for (uint32_t k = 0; k < stop->nframe; k++)
			there |= !strcmp(stop->frame[k].func, func);
		if (!there)
			return false;
	}
	return true;
}

/*
 * What a pointer of the file held at a time, in records of the rank: before it was changed for the
 * first time, or after the last time.
 */
static bool pointer_when(const struct scalar *x, uint64_t when, uint64_t *addr)
{
	if (x->size != 8)
		return false;
	if (!x->changed_last || when < x->changed_first) {
		*addr = (uint64_t)x->value_first;
		return true;
	}
	*addr = (uint64_t)x->value;
	return when > x->changed_last;
}

bool place_address(const struct rank_seen *s, const char *file, uint32_t line, const char *name,
		   uint64_t when, uint64_t *addr)
{
	const struct stop_seen *stop = stop_at(s, file, line);
	const struct frame_seen *f = stop ? &stop->frame[0] : NULL;

	if (!f)
		return false;
	for (uint32_t i = 0; i < f->nvariable; i++) {
		if (!strcmp(f->variable[i].name, name)) {
			*addr = (uint64_t)f->variable[i].number;
			return f->variable[i].pointer;
		}
	}
	for (uint32_t i = 0; i < s->nregion; i++) {
		if (s->region[i].name && !strcmp(s->region[i].name, name)) {
			*addr = s->region[i].base;
			return true;
		}
	}
	for (uint32_t i = 0; i < s->nscalar; i++)
		if (!strcmp(s->scalar[i].name, name))
			return pointer_when(&s->scalar[i], when, addr);
	return false;
}

static const struct stop_seen *stop_of(const struct guesses *g, uint32_t run, uint32_t rank,
				       const char *file, uint32_t line)
{
	return stop_at(&g->training[run].rank[rank], file, line);
}

/* It points to the array on all ranks of all runs, when the place is come to. */
static bool is_name(const struct guesses *g, const struct array_guess *a, const char *file,
		    uint32_t line, const char *name)
{
	for (uint32_t k = 0; k < g->ntraining; k++) {
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			const struct rank_seen *s = &g->training[k].rank[r];
			const struct region *x = &s->region[a->run[k].part[r].region];
			uint64_t addr;

			/* arrays are announced before pointers to them are exchanged */
			if (!place_address(s, file, line, name, 0, &addr) || addr != x->base)
				return false;
		}
	}
	return true;
}

/* The global variable, or variable array, that it is everywhere. */
static const char *global_name(const struct guesses *g, const struct array_guess *a,
			       const char *file, uint32_t line)
{
	const struct rank_seen *s = &g->training[0].rank[0];
	const struct region *x = &s->region[a->run[0].part[0].region];

	if (x->name)
		return is_name(g, a, file, line, x->name) ? x->name : NULL;
	for (uint32_t i = 0; i < s->nscalar; i++)
		if (s->scalar[i].size == 8 && !strstr(s->scalar[i].name, "::") &&
		    is_name(g, a, file, line, s->scalar[i].name))
			return s->scalar[i].name;
	return NULL;
}

bool place_keeps(const char *name)
{
	return strstr(name, "->") || strchr(name, '[') || *name == '(';
}

/* A caller has it under the same name, as what a component of a dummy argument leads to. */
static bool caller_has(const struct stop_seen *s, const char *name, uint64_t base)
{
	for (uint32_t k = 1; k < s->nframe; k++)
		for (uint32_t i = 0; i < s->frame[k].nvariable; i++) {
			const struct variable *v = &s->frame[k].variable[i];

			if (v->pointer && (uint64_t)v->number == base && !strcmp(v->name, name))
				return true;
		}
	return false;
}

const char *place_name(const struct guesses *g, const struct draft *m, uint32_t array,
		       const char *file, uint32_t line, bool lasting)
{
	const struct array_guess *a = &g->array[array];
	const struct stop_seen *first = stop_of(g, 0, 0, file, line);
	const struct frame_seen *f = first ? &first->frame[0] : NULL;
	const struct scan *source = draft_source(m, file);
	const char *best = NULL;

	for (uint32_t i = 0; f && i < f->nvariable; i++) {
		const char *name = f->variable[i].name;

		if (!f->variable[i].pointer ||
		    (uint64_t)f->variable[i].number !=
			    g->training[0].rank[0].region[a->run[0].part[0].region].base ||
		    (best && strlen(best) <= strlen(name)) || !is_name(g, a, file, line, name) ||
		    (lasting && !(source && source->fortran ? fortran_kept(m, source, line, name) :
							       place_keeps(name)) &&
		     !(strchr(name, '%') &&
		       caller_has(first, name, (uint64_t)f->variable[i].number)) &&
		     !lasts(g, m, array, f->func)))
			continue;
		best = name;
	}
	if (best || (source && source->fortran)) /* whose frames have what is visible */
		return best;
	return global_name(g, a, file, line);
}

static const struct rank_seen nothing;

uint32_t place_environments(const struct guesses *g, const struct scan *scan, uint32_t stop_line,
			    uint32_t line, struct env *env)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < g->ntraining; k++) {
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			const struct rank_seen *s = &g->training[k].rank[r];
			const struct stop_seen *stop = stop_at(s, scan->path, stop_line);

			if (n == DRAFT_ENV)
				return 0;
			env[n] = (struct env){
				.scan = scan, .line = line, .seen = s, .closed = g->closed
			};
			if (scan->fortran)
				env[n].seen = &nothing;
			env[n++].frame = stop && stop->nframe ? &stop->frame[0] : NULL;
		}
	}
	return n;
}

/* ---- structures ---- */

bool place_of_structures(const struct draft *m, const struct place_of *p, const struct env *env,
			 const char *name, bool rows)
{
	char *first = rows ? xasprintf("%s[0]", name) : NULL;
	struct symbol_site site[SYMBOL_SITES];
	struct symbol_object o;
	struct err none;
	bool numbers = true;

	if (m->symbols && !p->scan->fortran &&
	    symbols_sites(m->symbols, m->program, p->scan->path, p->stop, p->stop, site, &none) >
		    0) {
		if (!symbols_object(m->symbols, m->program, site[0].vaddr, rows ? first : name, &o,
				    &none))
			numbers = o.type < VALUE_TYPES;
		symbol_object_clear(&o);
	}
	free(first);
	if (!numbers)
		return true;
	for (uint32_t i = 0; !rows && env->frame && i < env->frame->nvariable; i++)
		if (!strcmp(env->frame->variable[i].name, name))
			return variable_of_structures(&env->frame->variable[i]);
	return false;
}

/* Whether `text` means a number, at an address of the code. */
static bool is_number(const struct draft *m, uint64_t vaddr, const char *text)
{
	struct symbol_object o;
	struct err none;
	bool is = !symbols_object(m->symbols, m->program, vaddr, text, &o, &none) &&
		  o.type < VALUE_TYPES && !o.ndim && !o.pointer;

	symbol_object_clear(&o);
	return is;
}

struct members {
	const struct draft *m;
	uint64_t vaddr;
	const char *name;
	char *first, *all; /* "[0][0]", "[][]" */
	struct mark_names *to;
};

static void take_member(void *arg, const char *name)
{
	const struct members *x = arg;
	char *first = xasprintf("%s%s.%s", x->name, x->first, name),
	     *all = xasprintf("%s%s.%s", x->name, x->all, name);

	if (is_number(x->m, x->vaddr, first))
		mark_name_add(x->to, all);
	free(first);
	free(all);
}

static char *repeated(const char *text, unsigned n)
{
	char *all = xstrdup(""), *more;

	for (; n; n--) {
		more = xasprintf("%s%s", all, text);
		free(all);
		all = more;
	}
	return all;
}

bool place_members(const struct draft *m, const struct place_of *p, const char *name,
		   const struct array_guess *a, struct mark_names *to)
{
	struct symbol_site site[SYMBOL_SITES];
	struct symbol_object o;
	struct err none;

	if (!m->symbols || symbols_sites(m->symbols, m->program, p->scan->path, p->stop, p->stop,
					 site, &none) <= 0)
		return false;
	if (!symbols_object(m->symbols, m->program, site[0].vaddr, name, &o, &none) &&
	    o.elem == a->unit && (o.ndim == 1 || o.ndim == a->ndim)) {
		struct members x = {
			m, site[0].vaddr, name, repeated("[0]", o.ndim), repeated("[]", o.ndim), to
		};

		symbols_members(m->symbols, m->program, site[0].vaddr, name, take_member, &x);
		free(x.first);
		free(x.all);
	}
	symbol_object_clear(&o);
	return to->n;
}
