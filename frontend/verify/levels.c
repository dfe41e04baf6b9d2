/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/verify/verify.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/dvmtext/dvmtext.h"
#include "frontend/model/actionpoints.h"
#include "frontend/output/output.h"
#include "frontend/model/session.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xvec.h"

#define LINE_RANGES 32 /* pieces of code that one source line is looked for in */

struct levels {
	struct trace_config_place *item; /* owned; kind LINE or NAME */
	size_t n;
};

struct levels *levels_create(void)
{
	return xcalloc(1, sizeof(struct levels));
}

void levels_forget(struct levels *l)
{
	free(l->item);
	*l = (struct levels){ 0 };
}

void levels_destroy(struct levels *l)
{
	if (l)
		levels_forget(l);
	free(l);
}

static struct trace_config_place *find(const struct levels *l, const struct location *loc)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->item[i].kind == loc->kind && l->item[i].line == loc->line &&
		    !strcmp(l->item[i].file, loc->file))
			return &l->item[i];
	return NULL;
}

/* A new one; NULL: too many. */
static struct trace_config_place *add(struct levels *l, struct err *err)
{
	if (l->n == TRACE_CONFIG_PLACES) {
		err_set(err, "at most %d constructs and arrays can have levels of their own",
			TRACE_CONFIG_PLACES);
		return NULL;
	}
	xvec_more(l->item, l->n, 1);
	l->item[l->n] = (struct trace_config_place){ 0 };
	return &l->item[l->n++];
}

int levels_set(struct levels *l, const struct location *loc, int level, struct err *err)
{
	struct trace_config_place *p = find(l, loc);

	if (level < 0) {
		if (!p)
			return err_set(err, "this construct has no level of its own");
		*p = l->item[--l->n];
		return 0;
	}
	if (!p)
		p = add(l, err);
	if (!p)
		return -1;
	p->kind = (uint8_t)loc->kind;
	p->level = (uint8_t)level;
	p->line = loc->line;
	memcpy(p->file, loc->file, sizeof(p->file));
	return 0;
}

static bool is_ranged(const struct dvmtext_loop *x)
{
	for (unsigned d = 0; d < x->ndim && d < ARRAY_DIMS; d++)
		if (x->step[d])
			return !x->noted;
	return false;
}

/* The last part of a path that fits. */
static const char *tail(const char *path)
{
	size_t n = strlen(path);
	const char *slash;

	if (n < RULE_FILE)
		return path;
	slash = strrchr(path, '/');
	return slash && strlen(slash) <= RULE_FILE ? slash + 1 : path + n - RULE_FILE + 1;
}

/* The level that holds inside of loop i: its own, or that of what is around it; -1: none. */
static int level_of(const struct dvmtext_head *h, uint32_t i)
{
	const struct dvmtext_loop *x = &h->loop[i];

	for (uint32_t k = i; x->level < 0 && x->parent && k-- > 0;)
		if (h->loop[k].number == x->parent)
			x = &h->loop[k];
	return x->level;
}

static void set_ranges(struct trace_config_place *p, const struct dvmtext_loop *x)
{
	for (unsigned d = 0; d < x->ndim && d < ARRAY_DIMS; d++) {
		bool given = x->step[d] != 0;

		p->first[d] = given ? x->first[d] : INT64_MIN;
		p->last[d] = given ? x->last[d] : INT64_MAX;
		p->step[d] = given ? llabs(x->step[d]) : 1;
		if (given)
			p->nrange = (uint8_t)(d + 1);
	}
}

/* Levels of arrays: those that limit what is recorded of them. */
static int read_arrays(struct levels *l, const struct dvmtext_head *h, struct err *err)
{
	for (uint32_t i = 0; i < h->narray; i++) {
		const struct dvmtext_array *a = &h->array[i];
		struct trace_config_place *p;

		if (a->level < 0 || a->level >= TRACE_CONFIG_FULL)
			continue;
		if (strlen(a->name) >= RULE_FILE)
			return err_set(err, "array %s: its name is too long for a level of its own",
				       a->name);
		p = add(l, err);
		if (!p)
			return -1;
		p->kind = TRACE_CONFIG_ARRAY;
		p->level = (uint8_t)a->level;
		p->line = a->line;
		p->vaddr = (uint64_t)a->counter + 1;
		strcpy(p->file, a->name);
	}
	return 0;
}

int levels_read(struct levels *l, const struct dvmtext_head *h, size_t *n, struct err *err)
{
	*n = 0;
	levels_forget(l);
	for (uint32_t i = 0; i < h->nloop; i++) {
		const struct dvmtext_loop *x = &h->loop[i];
		int level = level_of(h, i);
		struct trace_config_place *p;

		if (x->level < 0 && !is_ranged(x))
			continue;
		if (level > TRACE_CONFIG_FULL)
			continue; /* of checksums: as the program's */
		p = add(l, err);
		if (!p)
			return -1;
		p->kind = RULE_LINE;
		p->level = (uint8_t)(level < 0 ? TRACE_CONFIG_FULL : level);
		p->line = x->line;
		strcpy(p->file, tail(x->file));
		if (is_ranged(x))
			set_ranges(p, x);
		++*n;
	}
	return read_arrays(l, h, err);
}

size_t levels_count(const struct levels *l)
{
	return l->n;
}

unsigned levels_highest(const struct levels *l)
{
	unsigned most = TRACE_CONFIG_NONE;

	for (size_t i = 0; i < l->n; i++)
		if (l->item[i].kind != TRACE_CONFIG_ARRAY && l->item[i].level > most)
			most = l->item[i].level;
	return most;
}

/* The same place as addresses, for marks that come without a file (Fortran). */
static uint32_t add_addresses(struct session *s, const struct trace_config_place *line,
			      struct trace_config_place *out, uint32_t room)
{
	struct symbol_range range[LINE_RANGES];
	const char *path = job_path(s->job), *slash = strrchr(path, '/');
	unsigned n = symbols_lines(s->symbols, path, line->file, line->line, range, LINE_RANGES);
	uint32_t made = 0;

	for (unsigned i = 0; i < n && made < room; i++) {
		struct trace_config_place *p = &out[made++];

		*p = *line;
		p->kind = RULE_ADDR;
		p->vaddr = range[i].vaddr;
		p->line = range[i].len;
		memset(p->file, 0, sizeof(p->file));
		strncpy(p->file, slash ? slash + 1 : path, RULE_FILE - 1);
	}
	return made;
}

void levels_places(const struct levels *l, struct session *s, struct trace_config_place **out,
		   uint32_t *n)
{
	struct trace_config_place *list = l->n ? xcalloc(TRACE_CONFIG_PLACES, sizeof(*list)) : NULL;

	*out = list;
	*n = 0;
	for (size_t i = 0; i < l->n && *n < TRACE_CONFIG_PLACES; i++) {
		list[(*n)++] = l->item[i];
		if (l->item[i].kind == RULE_LINE)
			*n += add_addresses(s, &l->item[i], list + *n, TRACE_CONFIG_PLACES - *n);
	}
}

static json_t *ranges_json(const struct trace_config_place *p)
{
	json_t *list = json_array();

	for (unsigned d = 0; d < p->nrange; d++)
		json_array_append_new(list,
				      json_pack("[I, I, I]", (json_int_t)p->first[d],
						(json_int_t)p->last[d], (json_int_t)p->step[d]));
	return list;
}

static json_t *kept_json(const struct trace_config_place *p)
{
	static const char *const words[] = { [RULE_LINE] = "file", [RULE_NAME] = "name" };
	json_t *o = json_object();

	json_object_set_new(o, p->kind == TRACE_CONFIG_ARRAY ? "array" : words[p->kind],
			    out_json_text(p->file));
	if (p->kind != RULE_NAME)
		json_object_set_new(o, "line", json_integer(p->line));
	if (p->kind == TRACE_CONFIG_ARRAY)
		json_object_set_new(o, "counter", json_integer((json_int_t)p->vaddr - 1));
	json_object_set_new(o, "level", json_string(trace_config_level_word(p->level)));
	if (p->nrange)
		json_object_set_new(o, "ranges", ranges_json(p));
	return o;
}

json_t *levels_kept(const struct levels *l, const struct levels *more)
{
	json_t *list = json_array();

	for (size_t i = 0; l && i < l->n; i++)
		json_array_append_new(list, kept_json(&l->item[i]));
	for (size_t i = 0; more && i < more->n; i++)
		json_array_append_new(list, kept_json(&more->item[i]));
	return list;
}

static int take_ranges(struct trace_config_place *p, const json_t *list)
{
	size_t n = json_array_size(list);

	if ((list && !json_is_array(list)) || n > ARRAY_DIMS)
		return -1;
	for (size_t d = 0; d < n; d++) {
		json_int_t first, last, step;

		if (json_unpack(json_array_get(list, d), "[I, I, I]", &first, &last, &step) ||
		    step < 1)
			return -1;
		p->first[d] = first;
		p->last[d] = last;
		p->step[d] = step;
	}
	p->nrange = (uint8_t)n;
	return 0;
}

/* One that a reference keeps; -1: it is none. */
static int take_kept(struct trace_config_place *p, const json_t *o)
{
	const char *array = NULL, *file = NULL, *name = NULL, *word = "", *text;
	json_int_t line = 0, counter = -1;
	json_t *ranges = NULL;
	int level;

	*p = (struct trace_config_place){ 0 };
	if (json_unpack((json_t *)o, "{s?s s?s s?s s?I s?I s:s s?o}", "array", &array, "file",
			&file, "name", &name, "line", &line, "counter", &counter, "level", &word,
			"ranges", &ranges))
		return -1;
	text = array ? array : file ? file : name;
	level = trace_config_level_parse(word);
	if (!text || strlen(text) >= RULE_FILE || level < 0 || level > TRACE_CONFIG_FULL ||
	    line < 0 || line > UINT32_MAX || counter < -1 || counter >= UINT32_MAX ||
	    take_ranges(p, ranges))
		return -1;
	p->kind = array ? TRACE_CONFIG_ARRAY : file ? RULE_LINE : RULE_NAME;
	p->level = (uint8_t)level;
	p->line = (uint32_t)line;
	p->vaddr = array ? (uint64_t)counter + 1 : 0;
	strcpy(p->file, text);
	return 0;
}

int levels_take(struct levels *l, const json_t *list, unsigned most, struct err *err)
{
	const json_t *o;
	size_t i;

	json_array_foreach(list, i, o)
	{
		struct trace_config_place kept, *p;

		if (take_kept(&kept, o))
			return err_set(err, "a level of a construct or array is damaged");
		p = add(l, err);
		if (!p)
			return -1;
		*p = kept;
		if (p->kind != TRACE_CONFIG_ARRAY && p->level > most)
			p->level = (uint8_t)most;
	}
	return 0;
}

void levels_forget_arrays(struct levels *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		if (l->item[i].kind != TRACE_CONFIG_ARRAY)
			l->item[n++] = l->item[i];
	l->n = n;
}

bool levels_cut(const struct levels *l, const char *name, uint32_t counter)
{
	for (size_t i = 0; l && i < l->n; i++)
		if (l->item[i].kind == TRACE_CONFIG_ARRAY && !strcasecmp(l->item[i].file, name) &&
		    (!l->item[i].vaddr || l->item[i].vaddr == (uint64_t)counter + 1))
			return true;
	return false;
}

json_t *levels_json(const struct levels *l)
{
	json_t *list = json_array();

	for (size_t i = 0; i < l->n; i++) {
		const struct trace_config_place *p = &l->item[i];
		struct location loc = { .kind = (enum rule_kind)p->kind, .line = p->line };
		char text[RULE_FILE + 32];
		json_t *o;

		memcpy(loc.file, p->file, sizeof(loc.file));
		o = json_pack("{s:o s:s}", "location",
			      out_json_text(location_format(&loc, text, sizeof(text))), "level",
			      trace_config_level_word(p->level));
		if (p->nrange)
			json_object_set_new(o, "limited", json_true());
		json_array_append_new(list, o);
	}
	return list;
}
