/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The wrong write: where it is, and what it was computed from.
 */
#include <stdio.h>
#include <string.h>

#include "common/array/array.h"
#include "common/core/err.h"
#include "common/tracereport/tracereport.h"
#include "frontend/diff/diff.h"
#include "frontend/locate/internal.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/symbols/symbols.h"
#include "frontend/traceview/traceview.h"

#define AROUND 10 /* lines of a statement before and behind the one that was found */

/* Who owns an array, asked once for each. */
struct owners {
	struct session *s;
	const char *name; /* of the array that they are of; NULL: none */
	uint32_t line, counter;
	struct owner *item;
	size_t n;
};

static bool owns(const struct owner *o, const struct trace_thing *t)
{
	bool own = o->desc.ndim == t->ndim;

	for (unsigned d = 0; own && d < t->ndim; d++)
		own = array_local(&o->desc, d, t->index[d]) >= 0;
	return own;
}

/* The same of what is beyond the end of a periodic array. */
static bool owns_wrapped(const struct owner *o, const struct trace_thing *t)
{
	int8_t wrap[ARRAY_DIMS] = { 0 };
	bool own = false;

	while (!own && o->desc.ndim == t->ndim && array_wrap_next(&o->desc, wrap)) {
		own = true;
		for (unsigned d = 0; own && d < t->ndim; d++)
			own = array_local(&o->desc, d, t->index[d] + wrap[d] * o->desc.extent[d]) >=
			      0;
	}
	return own;
}

static void ask(struct owners *w, const struct trace_thing *t)
{
	const char *slash = t->file ? strrchr(t->file, '/') : NULL;
	struct err err = { "" };
	char name[600];

	if (w->name && !strcmp(w->name, t->name) && w->line == t->line && w->counter == t->counter)
		return;
	owners_free(w->item, w->n);
	*w = (struct owners){ .s = w->s, .name = t->name, .line = t->line, .counter = t->counter };
	if (t->file && *t->file)
		snprintf(name, sizeof(name), "%s@%s:%u#%u", t->name, slash ? slash + 1 : t->file,
			 t->line, t->counter);
	else
		snprintf(name, sizeof(name), "%s", t->name);
	if (owners_all(w->s, name, &w->item, &w->n, &err))
		w->item = NULL;
}

#define OWN (-1L)
#define NOBODY (-2L) /* beyond the array's edge, mostly */

/* The rank that owns what is a halo's element on this one; OWN: it does, or that is not known. */
static long halo_of(struct owners *w, const struct trace_thing *t, uint32_t rank)
{
	long owner = NOBODY, other_end = NOBODY;

	if (t->what != TRACE_WHAT_ARRAY || t->array_kind != ARRAY_DISTRIBUTED)
		return OWN;
	ask(w, t);
	for (size_t i = 0; i < w->n; i++) {
		if (!owns(&w->item[i], t)) {
			if (owns_wrapped(&w->item[i], t))
				other_end = (long)w->item[i].rank;
			continue;
		}
		if (w->item[i].rank == rank)
			return OWN;
		owner = owner < 0 ? (long)w->item[i].rank : owner;
	}
	owner = owner < 0 ? other_end : owner;
	return w->n ? owner : OWN;
}

bool locate_other_end(struct session *s, const struct trace_thing *t, struct trace_thing *out,
		      uint32_t *rank)
{
	struct owners w = { .s = s };
	const struct array_desc *a;
	bool is = false;

	*out = *t;
	ask(&w, t);
	a = w.n ? &w.item[0].desc : NULL;
	for (unsigned d = 0; a && a->ndim == t->ndim && d < t->ndim; d++) {
		int64_t n = a->extent[d], *i = &out->index[d];

		*i += *i < a->lower[d] ? n : *i >= a->lower[d] + n ? -n : 0;
		is |= *i != t->index[d];
	}
	*rank = UINT32_MAX;
	for (size_t i = 0; is && i < w.n && *rank == UINT32_MAX; i++)
		if (owns(&w.item[i], out))
			*rank = w.item[i].rank;
	owners_free(w.item, w.n);
	return is && *rank != UINT32_MAX;
}

static void put_halo(json_t *o, struct owners *w, const struct trace_thing *t, uint32_t rank)
{
	long owner = halo_of(w, t, rank);

	if (owner >= 0)
		json_object_set_new(o, "halo_of", json_integer(owner));
	else if (owner == NOBODY)
		json_object_set_new(o, "unowned", json_true());
}

static bool continued(const struct source_file *f, uint32_t line)
{
	const char *text = line && line <= f->n ? f->line[line - 1] : "";
	size_t len = strlen(text);

	while (len && strchr(" \t\r", text[len - 1]))
		len--;
	return len && text[len - 1] == '&';
}

/* The lines of the statement, in Fortran with those before and behind it, without the indentation.
 */
static json_t *statement(const struct source_file *f, uint32_t line)
{
	json_t *list = json_array();
	uint32_t first = line, last = line;

	while (line - first < AROUND && continued(f, first - 1))
		first--;
	while (last - line < AROUND && last < f->n && continued(f, last))
		last++;
	for (uint32_t i = first; i <= last; i++) {
		const char *text = f->line[i - 1];

		json_array_append_new(list,
				      json_pack("{s:I s:o s:b}", "line", (json_int_t)i, "text",
						out_json_text(text + strspn(text, " \t")),
						"current", i == line));
	}
	return list;
}

/* The source that the spot is in, and its line; NULL: it is not there, or not that of the program.
 */
static const struct source_file *source_of(const struct locate *l, const struct trace_spot *spot,
					   uint32_t *line)
{
	struct place at = spot->place;
	const struct source_file *f;
	struct err err = { "" };

	if (!l->s->shell ||
	    !symbols_build_is(l->s->symbols, at.module, spot->build_id, spot->nbuild_id))
		return NULL;
	symbols_resolve(l->s->symbols, &at);
	if (!at.file || !*at.file || !at.line)
		return NULL;
	f = source_find(l->s->shell->source, at.file, settings_text(l->s->set, "SOURCE_PATH"),
			l->s->job ? job_path(l->s->job) : NULL, &err);
	*line = at.line;
	return f && at.line <= f->n ? f : NULL;
}

static void put_source(struct locate *l, const struct trace_spot *spot, json_t *o)
{
	uint32_t line;
	const struct source_file *f = source_of(l, spot, &line);

	if (f)
		json_object_set_new(o, "source", statement(f, line));
}

/* The only "=" of the text that assigns; NULL: there is none, or several. */
static const char *assignment(const char *text)
{
	const char *at = NULL;

	for (const char *c = text; *c && strncmp(c, "//", 2) && strncmp(c, "/*", 2); c++) {
		if (*c != '=' || c == text)
			continue;
		if (c[1] == '=' || strchr("=!<>/", c[-1])) {
			c += c[1] == '=';
			continue;
		}
		if (at)
			return NULL;
		at = c;
	}
	return at;
}

bool locate_assigned(const struct locate *l, const struct trace_spot *spot, char *out, size_t room)
{
	static const char word[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.%>-";
	uint32_t line;
	const struct source_file *f = source_of(l, spot, &line);
	const char *text = f ? f->line[line - 1] : "", *at = assignment(text), *from;
	int deep = 0;

	if (!at)
		return false;
	while (at > text && strchr(" \t+-*/|&^", at[-1]))
		at--;
	for (from = at; from > text && (deep || strchr(word, from[-1]) || strchr(")]", from[-1]));
	     from--) {
		deep += strchr(")]", from[-1]) != NULL;
		deep -= strchr("([", from[-1]) != NULL;
	}
	if (deep || from == at || (size_t)(at - from) >= room)
		return false;
	snprintf(out, room, "%.*s", (int)(at - from), from);
	return true;
}

/* What is not so: reads behind the last iteration are in none, and only values are computed. */
static void drop(const struct trace_finding *f, json_t *o)
{
	if (f->kind == FINDING_REDUCTION)
		json_object_del(o, "iteration");
	if (f->kind != FINDING_VALUE && f->kind != FINDING_USE)
		json_object_del(o, "operands");
}

/* Which access to arrays it is of its iteration, from 1; 0: not known. */
static json_int_t operation(const struct trace_finding *f)
{
	int64_t nth = f->order[ARRAY_DIMS];

	if (!f->nidx || (f->kind != FINDING_VALUE && f->kind != FINDING_USE) || nth < 0 ||
	    f->thing.what != TRACE_WHAT_ARRAY || f->thing.array_kind != ARRAY_DISTRIBUTED)
		return 0;
	return nth + 1;
}

json_t *locate_write_json(struct locate *l, struct session *s, const struct trace_finding *f)
{
	json_t *more = trace_finding_json(l->s->symbols, f), *operand;
	char text[600], at[POINT_TEXT];
	struct owners w = { .s = s };
	json_t *o = json_pack("{s:s s:o}", "kind", finding_kind_key(f->kind), "text",
			      out_json_text(trace_finding_text(f, text, sizeof(text))));
	size_t i;

	if (f->point.main)
		json_object_set_new(o, "point", json_string(point_format(&f->point, at)));
	if (f->kind == FINDING_VALUE || f->kind == FINDING_USE)
		json_object_set_new(o, "outside", json_boolean(locate_outside(f)));
	if (f->noperand && f->kind == FINDING_VALUE)
		json_object_set_new(o, "reference_known", json_boolean(f->ref_whole));
	if (f->cut && f->kind == FINDING_VALUE)
		json_object_set_new(o, "cut", json_true());
	if (*trace_spot_text(l->s->symbols, &f->spot, text, sizeof(text)))
		json_object_set_new(o, "place", out_json_text(text));
	put_source(l, &f->spot, o);
	if (operation(f))
		json_object_set_new(o, "operation", json_integer(operation(f)));
	if (!f->write)
		put_halo(o, &w, &f->thing, f->rank);
	json_array_foreach(json_object_get(more, "operands"), i, operand)
	{
		if (i < f->noperand)
			put_halo(operand, &w, &f->operand[i].thing, f->rank);
	}
	json_object_update(o, more);
	drop(f, o);
	json_decref(more);
	owners_free(w.item, w.n);
	return o;
}
