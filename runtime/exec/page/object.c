/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/core/parse.h"
#include "common/protocol/rule.h"
#include "common/array/value.h"

#define OBJECT_NAME 512
#define OBJECT_FIELDS 1024
#define OBJECT_STRUCT (1u << 20) /* bytes of the largest structure */
/* More entities than this do not fit the arena: a list that is longer runs in a circle. */
#define OBJECT_LIST (PAGE_ARENA / sizeof(struct page_entity))

/* A name as it was asked for, taken apart. */
struct wanted {
	char name[OBJECT_NAME];
	const char *field; /* in name, NULL for none */
	const char *file;  /* in name, NULL for any place */
	uint32_t line;
	uint32_t counter; /* UINT32_MAX: any */
	bool unplaced;	  /* only objects that the name alone identifies, as from Fortran */
	bool any_case;	  /* of letters, of objects from Fortran */
	bool fields;	  /* those of structures of that name */
};

/* Copies the entity at off; false when there is none, or when it is changing. */
static bool entity_load(const struct page_read *r, uint32_t off, struct page_entity *e, bool *live)
{
	const struct page_entity *at;

	if (off % _Alignof(struct page_entity) || off >= PAGE_ARENA ||
	    PAGE_ARENA - off < sizeof(*e))
		return false;
	at = (const struct page_entity *)(r->page->arena + off);
	*live = atomic_load(&at->live);
	if (!page_read_arena(r, off, e, sizeof(*e)))
		return false;
	*live = *live && atomic_load(&at->live);
	return true;
}

static bool box_fits(const struct page_entity *e, unsigned d)
{
	int64_t lo = e->lower[d], n = e->extent[d], last;

	if (n < 0 || __builtin_add_overflow(lo, n, &last))
		return false;
	if (e->periodic >> d & 1 && !array_wraps(lo, n))
		return false;
	if (e->halo_lo[d] < 0 || e->halo_hi[d] < 0 || e->halo_lo[d] > INT32_MAX ||
	    e->halo_hi[d] > INT32_MAX || e->list_n[d] > INT32_MAX)
		return false;
	if (e->list[d] || e->own_hi[d] < e->own_lo[d])
		return true;
	return e->own_lo[d] >= lo && e->own_hi[d] < last;
}

/* Whether everything in it is something that can be. */
static bool entity_check(const struct page_entity *e)
{
	size_t size = value_size(e->type);

	if (e->kind > ARRAY_REPLICATED || e->ndim > ARRAY_DIMS || e->nfield > OBJECT_FIELDS)
		return false;
	if (e->order != 'C' && e->order != 'F')
		return false;
	if (e->copies ? e->copies < 2 || e->copy >= e->copies || e->kind != ARRAY_DISTRIBUTED
		      : e->copy != 0)
		return false;
	if (e->type == VALUE_STRUCT ? e->elem_size == 0 || e->elem_size > OBJECT_STRUCT
				    : size == 0 || e->elem_size != size)
		return false;
	for (unsigned d = 0; d < e->ndim; d++)
		if (!box_fits(e, d))
			return false;
	return true;
}

static int fields_load(struct page_read *r, const struct page_entity *e, struct array_desc *a)
{
	if (e->nfield == 0 || e->type != VALUE_STRUCT)
		return 0;
	a->field = calloc(e->nfield, sizeof(*a->field));
	if (!a->field)
		return -1;
	for (uint32_t i = 0; i < e->nfield; i++) {
		struct array_field *to = &a->field[a->nfield];
		struct page_field f;
		const char *name;
		size_t size;

		if (!page_read_arena(r, e->field + i * (uint32_t)sizeof(f), &f, sizeof(f)))
			break;
		size = value_size(f.type);
		name = page_read_string(r, f.name);
		if (!*name || size == 0 || f.count == 0 || f.offset > e->elem_size ||
		    f.count > (e->elem_size - f.offset) / size)
			continue;
		to->name = strdup(name);
		if (!to->name)
			return -1;
		to->type = (uint8_t)f.type;
		to->offset = f.offset;
		to->count = f.count;
		a->nfield++;
	}
	return 0;
}

static int dims_load(struct page_read *r, const struct page_entity *e, struct array_desc *a)
{
	for (unsigned d = 0; d < e->ndim; d++) {
		size_t bytes = e->list_n[d] * sizeof(int64_t);

		a->lower[d] = e->lower[d];
		a->extent[d] = e->extent[d];
		a->own_lo[d] = e->own_lo[d];
		a->own_hi[d] = e->own_hi[d];
		a->halo_lo[d] = e->halo_lo[d];
		a->halo_hi[d] = e->halo_hi[d];
		a->stride[d] = e->stride[d];
		if (e->kind == ARRAY_REPLICATED) {
			a->own_lo[d] = e->lower[d];
			a->own_hi[d] = e->lower[d] + e->extent[d] - 1;
			continue;
		}
		if (!e->list[d])
			continue;
		a->list[d] = malloc(bytes ? bytes : 1);
		if (!a->list[d])
			return -1;
		if (!page_read_arena(r, e->list[d], a->list[d], bytes))
			return 1;
		a->list_n[d] = e->list_n[d];
	}
	return 0;
}

/* 0 and *a, which the caller clears; 1 when the entity cannot be; -1 when out of memory. */
static int desc_make(struct page_read *r, const struct page_entity *e, struct array_desc *a)
{
	struct place place;
	int ret;

	memset(a, 0, sizeof(*a));
	if (!entity_check(e))
		return 1;
	page_read_place(r, e->loc, &place);
	a->name = strdup(page_read_string(r, e->name));
	a->file = strdup(place.file);
	a->line = place.line;
	a->counter = e->counter;
	a->kind = e->kind;
	a->copies = e->copies;
	a->copy = e->copy;
	a->periodic = e->kind == ARRAY_DISTRIBUTED ? e->periodic & ((1u << e->ndim) - 1) : 0;
	a->type = e->type;
	a->order = e->order;
	a->elem_size = e->elem_size;
	a->ndim = e->ndim;
	a->addr = e->addr;
	ret = a->name && a->file ? dims_load(r, e, a) : -1;
	if (ret == 0 && !*a->name)
		ret = 1;
	if (ret == 0)
		ret = fields_load(r, e, a);
	if (ret)
		array_desc_clear(a);
	return ret;
}

/* "p.x@src/heat.c:12#1"; a "@" without a number behind it belongs to the name. */
static void wanted_parse(struct wanted *w, const char *name)
{
	char *at, *colon;
	const char *end;
	uint64_t line, counter = UINT32_MAX;

	memset(w, 0, sizeof(*w));
	w->counter = UINT32_MAX;
	strncpy(w->name, name, sizeof(w->name) - 1);
	at = strrchr(w->name, '@');
	colon = at ? strrchr(at, ':') : NULL;
	end = colon ? colon + 1 : "";
	if (parse_uint_at(&end, &line))
		return;
	if (*end == '#') {
		end++;
		if (parse_uint_at(&end, &counter))
			return;
	}
	if (*end || line > UINT32_MAX || counter > UINT32_MAX)
		return;
	w->line = (uint32_t)line;
	w->counter = (uint32_t)counter;
	*at = *colon = '\0';
	w->file = at + 1;
}

/* Whether the name is the one that is wanted, of an object in that order of dimensions. */
static bool same_name(const struct wanted *w, char order, const char *name, const char *wanted)
{
	bool fortran = order == 'F';

	return array_name_is(name, wanted, fortran, fortran && w->any_case);
}

/* Whether the entity has that name and place; name "" is any. */
static bool entity_matches(struct page_read *r, const struct page_entity *e, const struct wanted *w)
{
	struct place place;

	page_read_reset(r);
	if (w->fields && !array_name_in(page_read_string(r, e->name), w->name, e->order == 'F'))
		return false;
	if (!w->fields && *w->name && !same_name(w, (char)e->order, page_read_string(r, e->name), w->name))
		return false;
	if (!w->file)
		return true;
	if (w->unplaced) {
		page_read_place(r, e->loc, &place);
		return !*place.file;
	}
	if (w->counter != UINT32_MAX && e->counter != w->counter)
		return false;
	page_read_place(r, e->loc, &place);
	return place.line == w->line && rule_file_matches(w->file, place.file);
}

static bool entity_newer(const struct page_entity *a, const struct page_entity *b)
{
	return (int32_t)(a->serial - b->serial) >= 0;
}

/* The live one that was registered last; false when there is none. */
static bool entity_last(struct page_read *r, const struct wanted *w, struct page_entity *out)
{
	uint32_t off = atomic_load(&r->page->first_entity);
	struct page_entity e;
	bool found = false, live;

	for (size_t i = 0; i < OBJECT_LIST && off && entity_load(r, off, &e, &live); i++) {
		off = e.next;
		if (!live || !entity_matches(r, &e, w) || !entity_check(&e))
			continue;
		if (found && !entity_newer(&e, out))
			continue;
		memcpy(out, &e, sizeof(e));
		found = true;
	}
	return found;
}

/* What is beside the description. */
static void load_rest(const struct page_read *r, const struct page_entity *e, struct object *o)
{
	const struct page_away *x;

	o->by_pointer = e->by_pointer != 0;
	o->before = e->before;
	o->away = (struct object_away){ .is = false };
	if (!e->away || e->away > PAGE_AWAY)
		return;
	x = &r->page->away[e->away - 1];
	o->away = (struct object_away){ .is = true,
					.fixed = x->fixed,
					.brought = atomic_load(&x->brought),
					.status = atomic_load(&x->status) };
}

void object_clear(struct object *o)
{
	array_desc_clear(&o->desc);
	memset(o, 0, sizeof(*o));
}

/* 1, 0, -1 like object_find, for one way to take the name apart. */
static int find(struct page_read *r, const struct wanted *w, struct object *o)
{
	struct page_entity e;
	int ret;

	memset(o, 0, sizeof(*o));
	if (!entity_last(r, w, &e))
		return 0;
	page_read_reset(r);
	ret = desc_make(r, &e, &o->desc);
	if (ret)
		return ret < 0 ? -1 : 0;
	load_rest(r, &e, o);
	if (!w->field)
		return 1;
	for (uint32_t i = 0; i < o->desc.nfield; i++)
		if (same_name(w, (char)e.order, o->desc.field[i].name, w->field))
			o->field = &o->desc.field[i];
	if (o->field)
		return 1;
	object_clear(o);
	return 0;
}

/* Names and fields can both hold dots: the whole first, then the field that is shortest. */
static int each_split(struct page_read *r, struct wanted *w, struct object *o)
{
	int ret = find(r, w, o);

	for (size_t i = strlen(w->name); ret == 0 && i-- > 1;) {
		if (w->name[i] != '.')
			continue;
		if (w->field)
			w->name[strlen(w->name)] = '.';
		w->name[i] = '\0';
		w->field = w->name + i + 1;
		ret = find(r, w, o);
	}
	return ret;
}

/*
 * The same for a whole name, which w becomes. Of what is registered in Fortran only the front end
 * knows the place: when no other object has the one that is asked for, the name has to do. In
 * Fortran the case of letters does not matter, where no object has the name as it is written.
 */
static int find_placed(struct page_read *r, const char *name, struct wanted *w, struct object *o)
{
	int ret = 0;

	for (int any_case = 0; !ret && any_case <= 1; any_case++) {
		wanted_parse(w, name);
		w->any_case = any_case;
		ret = each_split(r, w, o);
		if (ret || !w->file)
			continue;
		wanted_parse(w, name);
		w->any_case = any_case;
		w->unplaced = true;
		ret = each_split(r, w, o);
	}
	return ret;
}

int object_find(struct page_read *r, const char *name, struct object *o)
{
	struct wanted w;

	memset(o, 0, sizeof(*o));
	return *name ? find_placed(r, name, &w, o) : 0;
}

/* The entity is described by o, which is cleared here. */
static int each_found(const struct page_read *r, const struct page_entity *e, struct object *o,
		      int (*fn)(void *arg, const struct object *o), void *arg)
{
	int rc;

	load_rest(r, e, o);
	o->field = NULL;
	rc = fn(arg, o);
	object_clear(o);
	return rc;
}

int object_each(struct page_read *r, const char *name, int (*fn)(void *arg, const struct object *o),
		void *arg)
{
	uint32_t off = atomic_load(&r->page->first_entity);
	struct page_entity e;
	struct wanted w;
	struct object o;
	bool live;
	int rc = 0;

	wanted_parse(&w, name);
	/* of a field it is the structure that has a description; of an array of structures it is
	 * each field */
	if (*w.name) {
		rc = find_placed(r, name, &w, &o);
		if (rc < 0)
			return rc;
		if (rc)
			object_clear(&o);
		else
			wanted_parse(&w, name);
		w.fields = !rc;
		rc = 0;
	}
	for (size_t i = 0; !rc && i < OBJECT_LIST && off && entity_load(r, off, &e, &live); i++) {
		off = e.next;
		if (!live || !entity_matches(r, &e, &w))
			continue;
		page_read_reset(r);
		rc = desc_make(r, &e, &o.desc);
		if (rc > 0)
			rc = 0;
		else if (!rc)
			rc = each_found(r, &e, &o, fn, arg);
	}
	return rc;
}

int object_version(struct page_read *r, uint32_t off, struct array_desc *a)
{
	struct page_entity e;
	bool live;

	return entity_load(r, off, &e, &live) && live ? desc_make(r, &e, a) : 1;
}

static int put_name(void *arg, const struct object *o)
{
	array_desc_put_global(&o->desc, arg);
	return 0;
}

void object_put_names(struct page_read *r, const char *name, struct buf *out)
{
	if (object_each(r, name, put_name, out))
		out->bad = true;
}

void object_put_layout(struct page_read *r, const char *name, struct buf *out)
{
	struct object o;
	int found = object_find(r, name, &o);

	if (found < 0)
		out->bad = true;
	if (found != 1)
		return;
	array_desc_put_global(&o.desc, out);
	array_desc_put_local(&o.desc, out);
	object_clear(&o);
}
