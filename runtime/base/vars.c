/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registered objects: checked here, kept in the arena for the supervisor to read. One that is
 * registered again, by the same line under the same name, replaces the former if that is the same
 * variable or is no more; a line may register several, for levels of a grid or the fields of a
 * cell.
 */
#include "runtime/base/base.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

#include "common/array/array.h"
#include "common/array/layout.h"
#include "common/array/value.h"
#include "runtime/dvmdbg.h"

static_assert((int)DVMDBG_POINTER == (int)VALUE_POINTER && (int)DVMDBG_BOOL == (int)VALUE_BOOL &&
		      (int)DVMDBG_STRUCTURE == (int)VALUE_STRUCT,
	      "types of dvmdbg.h are those of common/array/value.h");

#define LINE_MOST 256 /* objects that one line registers; then the oldest is replaced */

/* Our own list, so that nothing is followed through the shared page. */
struct known {
	uint32_t name, loc; /* identity, with counter; loc 0: the name alone */
	uint32_t counter;   /* those of this line before it that are there at the same time */
	bool rows;	    /* its pointer is in a table, which goes with it */
	uint64_t content;   /* of a pointer variable, when it was registered */
	uint64_t gone;	    /* … or when the block it pointed to was freed; 0: it was not */
	uint32_t place;	    /* where it was registered last */
	uint32_t entity;    /* arena offset */
	uint32_t list_room[ARRAY_DIMS];
	uint32_t field_room;
	bool empty; /* it has no elements at all: it is never live */
};

static struct known *known;
static uint32_t nknown, last, changes;
static uint64_t *spot;		 /* where data of live objects begin, ascending */
static uint32_t nspot, spots_of; /* spots_of: changes when they were listed */
/* Of addresses at which something has been registered: few others have their bit here. */
static uint64_t begins[64];

static unsigned begin_bit(uint64_t addr)
{
	return (unsigned)(addr * 0x9e3779b97f4a7c15u >> 52);
}

size_t var_size(unsigned type)
{
	static const uint8_t bytes[] = {
#define X(name, words, size, class) size,
		VALUE_TYPE_LIST(X)
#undef X
	};

	return type < sizeof(bytes) ? bytes[type] : 0;
}

/* "u: own 0:1000 in dimension 1 is outside 0:999" */
static void report(const struct var *v, enum finding_kind kind, const char *what, int dim,
		   const char *more)
{
	char detail[192];
	struct text t = { detail, 0, sizeof(detail) };

	for (size_t i = 0; i < v->len && i < 64; i++)
		text_str(&t, (char[]){ v->name[i], 0 });
	text_str(&t, ": ");
	text_str(&t, what);
	if (dim >= 0) {
		text_str(&t, " in dimension ");
		text_num(&t, dim + 1);
	}
	text_str(&t, more);
	find_add(kind, v->loc, detail);
}

bool var_fault(const struct var *v, const char *what, int dim, const char *more)
{
	report(v, FINDING_REGISTER, what, dim, more);
	return false;
}

static bool fault_range(const struct var *v, const char *what, int64_t lo, int64_t hi, int dim)
{
	char first[64], more[64];
	struct text f = { first, 0, sizeof(first) }, m = { more, 0, sizeof(more) };

	text_str(&f, what);
	text_num(&f, lo);
	if (hi != lo) {
		text_str(&f, ":");
		text_num(&f, hi);
	}
	text_str(&m, " is outside ");
	text_num(&m, v->e.lower[dim]);
	text_str(&m, ":");
	text_num(&m, v->e.lower[dim] + v->e.extent[dim] - 1);
	return var_fault(v, first, dim, more);
}

static bool list_ok(struct var *v, uint32_t d)
{
	struct page_entity *e = &v->e;
	int64_t lo = INT64_MAX, hi = INT64_MIN;

	if (v->index[d].block && (v->index[d].block < 1 || v->index[d].every < v->index[d].block))
		return var_fault(v, "the step of own", (int)d, " is less than its block");
	if (e->list_n[d] > INT32_MAX)
		return var_fault(v, "the count of the index list", (int)d, " is negative");
	for (uint32_t i = 0; i < e->list_n[d]; i++) {
		int64_t g = var_list_at(&v->index[d], i);

		if (g < e->lower[d] || g - e->lower[d] >= e->extent[d])
			return fault_range(v, "index ", g, g, (int)d);
		lo = g < lo ? g : lo;
		hi = g > hi ? g : hi;
	}
	e->own_lo[d] = e->list_n[d] ? lo : e->lower[d];
	e->own_hi[d] = e->list_n[d] ? hi : e->lower[d] - 1;
	return true;
}

static bool dim_ok(struct var *v, uint32_t d)
{
	struct page_entity *e = &v->e;

	if (e->extent[d] <= 0 || e->extent[d] > INT64_MAX / 4)
		return var_fault(v, "the shape", (int)d, " is not positive");
	if (e->lower[d] < INT64_MIN / 4 || e->lower[d] > INT64_MAX / 4)
		return var_fault(v, "the lower bound", (int)d, " is not a valid bound of an array");
	if (e->halo_lo[d] < 0 || e->halo_hi[d] < 0)
		return var_fault(v, "the halo", (int)d, " is negative");
	if (var_is_list(&v->index[d]))
		return list_ok(v, d);
	if (e->own_hi[d] < e->own_lo[d]) {
		e->own_lo[d] = e->lower[d];
		e->own_hi[d] = e->lower[d] - 1;
		return true;
	}
	if (e->own_lo[d] < e->lower[d] || e->own_hi[d] - e->lower[d] >= e->extent[d])
		return fault_range(v, "own ", e->own_lo[d], e->own_hi[d], (int)d);
	return true;
}

/* Whether what is here would fit with its dimensions in the other order. */
static bool fits_turned(const struct var *v)
{
	const struct page_entity *e = &v->e;
	int64_t n[2];

	if (e->ndim != 2 || !e->stride[0])
		return false;
	for (uint32_t d = 0; d < 2; d++)
		n[d] = (var_is_list(&v->index[d]) ? e->list_n[d]
						  : e->own_hi[d] - e->own_lo[d] + 1) +
		       e->halo_lo[d] + e->halo_hi[d];
	return n[0] <= e->stride[0] && (n[1] - 1) * e->stride[0] + n[0] <= (int64_t)v->room;
}

/* Fills in the packed strides; false: what is here does not fit the memory that is known. */
static bool layout_ok(struct var *v)
{
	struct page_entity *e = &v->e;
	int64_t step = v->apart ? v->apart : 1, reach = 1, part;
	bool empty = false, over = false;

	for (uint32_t i = 0; i < e->ndim; i++) {
		uint32_t d = e->order == 'F' ? i : e->ndim - 1 - i;
		int64_t n =
			var_is_list(&v->index[d]) ? e->list_n[d] : e->own_hi[d] - e->own_lo[d] + 1;

		empty |= n == 0;
		n += e->halo_lo[d] + e->halo_hi[d];
		if (!e->stride[d])
			e->stride[d] = step;
		if (!n)
			continue;
		over |= __builtin_mul_overflow(n - 1, e->stride[d], &part);
		over |= __builtin_add_overflow(reach, part, &reach);
		if (!v->part || d + 1 < e->ndim)
			over |= __builtin_mul_overflow(n, e->stride[d], &step);
	}
	if (over)
		return var_fault(v, "own, halo and stride are too large", -1, "");
	if (empty)
		return true;
	if (v->row && e->stride[0] != (int64_t)v->row)
		return var_fault(v, "the distance between rows does not match own and halo", -1,
			     ": give .stride");
	if (v->room && v->first_own)
		return var_fault(v, "the array begins at its first stored element", -1,
			     ": leave out .first = DVMDBG_OWN");
	if (v->room && (reach > (int64_t)v->room || reach < 1))
		return var_fault(v, "own and halo need more elements than the array has", -1,
			     fits_turned(v) ? ": they fit in the other order, give the indices as "
					      "the array is declared"
					    : "");
	return true;
}

/* What is there may be in a frame that has been left, of which sanitizers complain. */
__attribute__((no_sanitize("address", "undefined"))) static uint64_t pointer_at(uint64_t addr)
{
	return *(const volatile uintptr_t *)(uintptr_t)addr;
}

static int64_t own_count(const struct var *v, uint32_t d)
{
	return var_is_list(&v->index[d]) ? v->e.list_n[d] : v->e.own_hi[d] - v->e.own_lo[d] + 1;
}

static bool part_empty(const struct var *v)
{
	for (uint32_t d = 0; d < v->e.ndim; d++)
		if (!own_count(v, d))
			return true;
	return false;
}

static int64_t width(int64_t stride)
{
	return stride < 0 ? -stride : stride;
}

/*
 * Whether two steps, one along a and some along b, lead to one place. A row's halo above may be the
 * next one's below, as in arrays that are padded by one column: only one of them counts.
 */
static bool dims_meet(const struct var *v, uint32_t a, uint32_t b)
{
	const struct page_entity *e = &v->e;
	int64_t sa = width(e->stride[a]), sb = width(e->stride[b]), x = sa, y = sb, n[2];

	for (unsigned i = 0; i < 2; i++) {
		uint32_t d = i ? b : a;

		n[i] = own_count(v, d) +
		       (e->halo_lo[d] > e->halo_hi[d] ? e->halo_lo[d] : e->halo_hi[d]);
		if (n[i] < 2)
			return false;
	}
	while (y) {
		int64_t rest = x % y;

		x = y;
		y = rest;
	}
	return !x || (sb / x < n[0] && sa / x < n[1]);
}

static bool strides_ok(const struct var *v)
{
	for (uint32_t a = 0; a < v->e.ndim; a++)
		for (uint32_t b = a + 1; b < v->e.ndim; b++)
			if (dims_meet(v, a, b))
				return var_fault(v, "the stride", (int)a,
					     " is shorter than a row: several elements lie at one "
					     "place");
	return true;
}

static bool fault_rows(const struct var *v)
{
	return var_fault(v, "its elements are pointers to rows, and not numbers", -1,
		     ": register the block of numbers, as with double *block = u[0], or each row; "
		     ".type does not help");
}

static bool is_real(unsigned type)
{
	return value_class(type) == VALUE_IS_REAL || value_class(type) == VALUE_IS_COMPLEX;
}

static bool is_number(int type)
{
	return type >= 0 &&
	       (value_class((unsigned)type) == VALUE_IS_INT ||
		value_class((unsigned)type) == VALUE_IS_UINT || is_real((unsigned)type));
}

#define LOOKED_AT 8 /* words that are looked at: what was freed before begins with 4 addresses */
#define LOWEST 65536	/* no rows are below this */

/* The type that is given, against that of the expression. */
static bool type_ok(const struct var *v)
{
	unsigned type = v->e.type;
	bool part = (v->declared == VALUE_FLOAT && type == VALUE_FCOMPLEX) ||
		    (v->declared == VALUE_DOUBLE && type == VALUE_DCOMPLEX);
	char more[80];
	struct text t = { more, 0, sizeof(more) };

	if (v->declared == VALUE_POINTER)
		return fault_rows(v);
	/* bytes hold anything, also what is a number of one byte */
	if (!is_number(v->declared) || value_size((unsigned)v->declared) == 1 || part ||
	    type == VALUE_STRUCT || value_size(type) == 1 ||
	    (is_real((unsigned)v->declared) == is_real(type) &&
	     value_size((unsigned)v->declared) == value_size(type)))
		return true;
	text_str(&t, value_type_name((unsigned)v->declared));
	text_str(&t, ", and .type says ");
	text_str(&t, value_size(type) ? value_type_name(type) : "something else");
	text_str(&t, ": leave out .type");
	return var_fault(v, "its elements are ", -1, more);
}

/*
 * Whether what should be numbers begins with addresses of rows: as numbers they would be smaller
 * than any that is computed with.
 */
static bool has_rows(const struct var *v, uint64_t at, uint64_t end)
{
	uint64_t row[LOOKED_AT], n = (end - at) / sizeof(row[0]);
	const uint32_t wide = v->e.order == 'F' ? v->e.ndim - 1 : 0;
	const int64_t rows = own_count(v, wide) + v->e.halo_lo[wide] + v->e.halo_hi[wide];
	bool dense = false;

	for (uint32_t d = 0; d < v->e.ndim; d++)
		dense |= v->e.stride[d] == 1;
	if (!is_real(v->e.type) || at % sizeof(row[0]) || !dense)
		return false;
	n = n < LOOKED_AT ? n : LOOKED_AT;
	n = rows > 0 && n > (uint64_t)rows ? (uint64_t)rows : n;
	for (uint64_t i = 0; i < n; i++) {
		row[i] = pointer_at(at + i * sizeof(row[0]));
		if (row[i] < LOWEST || row[i] >> 48 || row[i] % value_size(v->e.type) ||
		    (i && row[i] == row[i - 1]) || !probe(row[i], sizeof(row[0]), true))
			return false;
	}
	return n > 1;
}

/* Offsets of what is here, with as much of the halo as is inside the array, or all of it. */
static void held(const struct var *v, bool all, int64_t *lo, int64_t *hi)
{
	const struct page_entity *e = &v->e;

	*lo = 0;
	*hi = e->elem_size;
	for (uint32_t d = 0; d < e->ndim; d++) {
		int64_t size = e->stride[d] * (int64_t)e->elem_size, n = own_count(v, d);
		int64_t below = e->halo_lo[d], above = e->halo_hi[d];
		int64_t room_below = e->own_lo[d] - e->lower[d];
		int64_t room_above = e->lower[d] + e->extent[d] - 1 - e->own_hi[d];

		if (!all && !var_is_list(&v->index[d])) {
			below = below < room_below ? below : room_below;
			above = above < room_above ? above : room_above;
		}
		n += e->halo_lo[d] + above;
		below = e->halo_lo[d] - below;
		*(size < 0 ? hi : lo) += below * size;
		*(size < 0 ? lo : hi) += (n - 1) * size;
	}
}

/* Where a pointer points to the first own element, the halo's bytes that are before it. */
static int64_t halo_before(const struct var *v)
{
	int64_t bytes = 0;

	for (uint32_t d = 0; d < v->e.ndim; d++)
		bytes += v->e.halo_lo[d] * v->e.stride[d] * (int64_t)v->e.elem_size;
	return bytes;
}

#define CHECKS 64 /* registrations of a line whose memory is looked at */

/* The part against the allocated block that it is in, if that is known. */
static bool block_ok(struct var *v)
{
	const struct page_entity *e = &v->e;
	int64_t lo, hi, shift = halo_before(v), unit = e->elem_size * (v->apart ? v->apart : 1);
	uint64_t at, first, end;
	char more[160];
	struct text t = { more, 0, sizeof(more) };

	if (rt_loc[v->loc].checked >= CHECKS)
		return true;
	rt_loc[v->loc].checked++;
	probe_start();
	at = !e->by_pointer			    ? e->addr
	     : probe(e->addr, sizeof(void *), true) ? pointer_at(e->addr)
						    : 0;
	if (!at)
		return true;
	if (!block_find(at, &first, &end)) {
		held(v, true, &lo, &hi);
		var_stored(v, at - (uint64_t)e->before + (uint64_t)lo, hi - lo);
		return true;
	}
	at -= (uint64_t)e->before;
	if (has_rows(v, at, end))
		return fault_rows(v);
	held(v, true, &lo, &hi);
	if (!v->first_own && shift > 0 && at + (uint64_t)hi > end &&
	    at + (uint64_t)(hi - shift) <= end && at - (uint64_t)shift >= first)
		return var_fault(v,
			     e->order == 'F' ? "what is given begins at the first own element, its "
					       "halo lies before it"
					     : "the pointer points to the first own element, its "
					       "halo lies before it",
			     -1,
			     e->order == 'F' ? ": give first=dvmdbg_own"
					     : ": give .first = DVMDBG_OWN, or a pointer to the "
					       "first stored element");
	held(v, false, &lo, &hi);
	if (at + (uint64_t)lo >= first && at + (uint64_t)hi <= end)
		return true;
	text_str(&t, " go beyond the allocated block, which has ");
	text_num(&t, (int64_t)(end - at) / unit);
	text_str(&t, " elements from the first stored one on and ");
	text_num(&t, (int64_t)(at - first) / unit);
	text_str(&t, " before it; ");
	text_num(&t, (hi + unit - 1) / unit);
	text_str(&t, " are needed");
	return var_fault(v, "own and halo", -1, more);
}

static bool var_ok(struct var *v)
{
	struct page_entity *e = &v->e;

	if (!v->name || !v->len)
		return var_fault(v, "the object has no name: give one", -1, "");
	if (e->ndim > ARRAY_DIMS)
		return var_fault(v, "the number of dimensions is not 1 to 8", -1, ": give .shape");
	if (!type_ok(v))
		return false;
	if (!var_size(e->type) && e->type != VALUE_STRUCT)
		return var_fault(
			v, "the type of the elements is not known", -1,
			v->by_name ? ": of a derived type name the fields before, call "
				     "dvmdbg_field(p(1), p(1)%x, 'x')"
				   : ": give .type, enum dvmdbg_type + 1, or of structures .fields "
				     "= DVMDBG_FIELDS(array, member, …)");
	if (!e->elem_size || (e->type != VALUE_STRUCT && e->elem_size != var_size(e->type)))
		return var_fault(v, "the size of the elements is not that of their type", -1, "");
	if (!e->addr)
		return var_fault(v, "is not allocated", -1, "");
	for (uint32_t d = 0; d < e->ndim; d++)
		if (!dim_ok(v, d))
			return false;
	if (e->copies > INT32_MAX || (e->copies ? e->copy >= e->copies : e->copy))
		return var_fault(v, "copy is not a number from 0 to copies - 1", -1, "");
	if (!var_rows_ok(v) || !layout_ok(v) || !var_fields_ok(v))
		return false;
	if (!e->ndim || e->type == VALUE_STRUCT || part_empty(v))
		return true;
	e->before = (v->first_own ? halo_before(v) : 0) - v->offset;
	return strides_ok(v) && (v->rows || block_ok(v));
}

/*
 * Whether the variable of k may still be there: not when it lay in a frame that has been left; a
 * pointer, wherever it is, has to point where it did. Others are there until they are forgotten,
 * but of two on the stack the newer is meant: which calls have returned is not known.
 */
static bool still_there(const struct known *k)
{
	const struct page_entity *e = arena_at(k->entity);
	bool on_stack = e->addr < rt.stack_top && e->addr > rt.stack_top - RT_STACK_REACH;

	if (!atomic_load(&e->live) || (on_stack && e->addr < (uintptr_t)__builtin_frame_address(0)))
		return false;
	if (!e->by_pointer)
		return !on_stack && probe(e->addr, e->elem_size, true);
	return probe(e->addr, sizeof(void *), true) && pointer_at(e->addr) == k->content;
}

/* The former registration that v replaces; NULL: none, and *counter are there beside it. */
static struct known *find(const struct var *v, uint32_t name, uint32_t *counter)
{
	struct known *gone = NULL, *oldest = NULL;

	*counter = 0;
	probe_start();
	for (uint32_t i = 0; i < nknown; i++) {
		struct known *k = &known[i];
		const struct page_entity *e = arena_at(k->entity);

		if (k->name != name || k->loc != (v->by_name ? 0 : v->loc))
			continue;
		if (v->by_name || e->addr == v->e.addr)
			return k;
		++*counter;
		if (!gone && !still_there(k))
			gone = k;
		if (!oldest || e->serial < ((struct page_entity *)arena_at(oldest->entity))->serial)
			oldest = k;
	}
	return !gone && *counter >= LINE_MOST ? oldest : gone;
}

static bool reported_no_room;

/* A new entity at the end of the page's list, not live yet; NULL: no room. */
static struct known *append(const struct var *v, uint32_t name, uint32_t counter)
{
	struct known *k;
	uint32_t off;

	if (!known)
		known = rt_pages(VAR_MOST * sizeof(*known));
	if (!known || nknown == VAR_MOST) {
		if (!reported_no_room)
			find_add(FINDING_PARTIAL, 0,
				 known ? "objects are too many: those registered from now on are "
					 "not known"
				       : "there is no memory for objects: none is known");
		reported_no_room = true;
		return NULL;
	}
	off = arena_take(sizeof(struct page_entity));
	if (!off)
		return NULL;
	k = &known[nknown++];
	*k = (struct known){
		.name = name, .loc = v->by_name ? 0 : v->loc, .counter = counter, .entity = off
	};
	if (last)
		atomic_store(&((struct page_entity *)arena_at(last))->next, off);
	else
		atomic_store(&rt.page->first_entity, off);
	last = off;
	return k;
}

/* Index lists and fields; what fits the room of former ones is written there. False: no room. */
static bool parts(struct known *k, struct var *v, struct page_entity *e)
{
	for (uint32_t d = 0; d < v->e.ndim; d++) {
		uint32_t n = v->e.list_n[d];
		int64_t *to;

		v->e.list[d] = var_is_list(&v->index[d]) ? e->list[d] : 0;
		if (!var_is_list(&v->index[d]))
			continue;
		if (!v->e.list[d] || n > k->list_room[d]) {
			v->e.list[d] = arena_take((n ? n : 1) * sizeof(int64_t));
			k->list_room[d] = n;
		}
		if (!v->e.list[d])
			return false;
		to = arena_at(v->e.list[d]);
		for (uint32_t i = 0; i < n; i++)
			to[i] = var_list_at(&v->index[d], i);
	}
	v->e.field = e->field;
	if (v->e.nfield > k->field_room) {
		v->e.field = arena_take(v->e.nfield * sizeof(struct page_field));
		k->field_room = v->e.nfield;
	}
	if (v->e.nfield && !v->e.field)
		return false;
	for (uint32_t i = 0; i < v->e.nfield; i++) {
		const struct dvmdbg_field *f = &v->field[i];
		struct page_field *to = (struct page_field *)arena_at(v->e.field) + i;

		to->name = arena_string(f->name, strlen(f->name));
		to->type = (uint32_t)f->type;
		to->offset = f->offset;
		to->count = (uint32_t)(f->bytes / var_size((unsigned)f->type));
	}
	return true;
}

/* An array without any element: there is nothing to look at, and nothing wrong with it. */
static bool is_empty(const struct var *v)
{
	bool empty = false;

	for (uint32_t d = 0; d < v->e.ndim && d < ARRAY_DIMS; d++) {
		if (v->e.extent[d] < 0)
			return false;
		empty |= !v->e.extent[d];
	}
	return empty && v->name && v->len && v->e.addr && v->e.ndim <= ARRAY_DIMS;
}

bool var_empty(uint64_t data)
{
	for (uint32_t i = 0; i < nknown; i++) {
		const struct page_entity *e = arena_at(known[i].entity);

		if (known[i].empty && (e->by_pointer ? known[i].content : e->addr) == data)
			return true;
	}
	return false;
}

bool var_empty_name(const char *name, size_t len)
{
	for (uint32_t i = 0; i < nknown; i++) {
		if (known[i].empty &&
		    var_name_matches(arena_at(known[i].name), name, len, true))
			return true;
	}
	return false;
}

static void take_in(struct var *v)
{
	static uint32_t serial;
	struct page_entity *e;
	struct known *k;
	uint32_t name, counter;
	bool empty = is_empty(v);

	if (!empty && !var_ok(v)) {
		var_refuse(v);
		return;
	}
	name = arena_string(v->name, v->len);
	if (!name)
		return;
	k = find(v, name, &counter);
	if (!k)
		k = append(v, name, counter);
	if (!k)
		return;
	e = arena_at(k->entity);
	atomic_store(&e->live, 0);
	k->empty = empty;
	if (empty) {
		e->addr = v->e.addr;
		e->by_pointer = v->e.by_pointer;
		k->content = v->e.by_pointer ? pointer_at(v->e.addr) : 0;
		changes++;
		return;
	}
	if (!parts(k, v, e))
		return;
	k->place = v->loc;
	k->rows = v->rows;
	k->gone = 0;
	k->content = v->e.by_pointer ? pointer_at(v->e.addr) :
		     v->e.table	     ? pointer_at(v->e.table) :
				       0;
	v->e.name = name;
	v->e.loc = rt_loc[v->loc].off;
	/* all but live, and what is behind next */
	memcpy(&e->name, &v->e.name,
	       offsetof(struct page_entity, next) - offsetof(struct page_entity, name));
	e->counter = k->counter;
	e->serial = ++serial;
	atomic_store(&e->freed, 0);
	begins[begin_bit(e->addr) / 64] |= UINT64_C(1) << begin_bit(e->addr) % 64;
	atomic_store(&e->live, 1);
	changes++;
	if (e->type == VALUE_STRUCT && !e->nfield)
		report(v, FINDING_PARTIAL, "checksums of whole structures are not taken", -1,
		       ": give .fields = DVMDBG_FIELDS(array, member, …)");
}

void var_register(struct var *v)
{
	const char *name = v->name;
	size_t len = v->len;
	char member[VAR_NAME];

	if (var_member_name(v, member, sizeof(member))) {
		v->name = member;
		v->len = strlen(member);
	}
	take_in(v);
	v->name = name;
	v->len = len;
}

static void ends(uint32_t i)
{
	if (rt.at_end)
		rt.at_end(i);
}

/* Where the data of k are; 0: it is not there, or nowhere. */
static uint64_t data_of(const struct known *k)
{
	const struct page_entity *e = arena_at(k->entity);

	if (!atomic_load(&e->live))
		return 0;
	if (!e->by_pointer)
		return e->table ? k->content : e->addr;
	return probe(e->addr, sizeof(void *), true) ? pointer_at(e->addr) : 0;
}

/* In place, without memory of its own. */
static void sort_spots(void)
{
	for (uint32_t gap = nspot / 2; gap; gap /= 2)
		for (uint32_t i = gap; i < nspot; i++) {
			uint64_t x = spot[i];
			uint32_t k = i;

			for (; k >= gap && spot[k - gap] > x; k -= gap)
				spot[k] = spot[k - gap];
			spot[k] = x;
		}
}

/* Pointers are listed with what they point to, and what they pointed to when they were registered,
 * as programs swap them. */
static void list_spots(void)
{
	if (!spot)
		spot = rt_pages((size_t)VAR_MOST * 2 * sizeof(*spot));
	nspot = 0;
	for (uint32_t i = 0; spot && i < nknown; i++) {
		const struct page_entity *e = arena_at(known[i].entity);

		if (!atomic_load(&e->live))
			continue;
		spot[nspot++] = data_of(&known[i]);
		if (e->by_pointer)
			spot[nspot++] = known[i].content;
	}
	sort_spots();
	spots_of = changes;
}

/* Whether something that is registered may begin in these n bytes. */
static bool may_begin(uint64_t addr, uint64_t n)
{
	uint32_t low = 0, high = nspot;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (spot[mid] < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < nspot && spot[low] - addr < n;
}

bool var_block_freed(uint64_t addr, uint64_t n)
{
	bool any = false;

	probe_start();
	if (spots_of != changes)
		list_spots();
	if (!may_begin(addr, n))
		return false;
	var_forget_stack();
	for (uint32_t i = 0; i < nknown; i++) {
		struct page_entity *e = arena_at(known[i].entity);
		uint64_t data = data_of(&known[i]);

		if (!data || data - addr >= n || known[i].gone == data || atomic_load(&e->freed))
			continue;
		any = true;
		ends(i);
		if (e->by_pointer && !known[i].rows)
			known[i].gone = data;
		else
			atomic_store(&e->live, 0);
	}
	changes += any;
	return any;
}

bool var_gone(uint32_t i)
{
	return known[i].gone && known[i].gone == data_of(&known[i]);
}

bool var_freed(uint64_t addr)
{
	bool any = false;

	if (!rt_owner || !(begins[begin_bit(addr) / 64] >> begin_bit(addr) % 64 & 1))
		return false;
	for (uint32_t i = 0; i < nknown; i++) {
		struct page_entity *e = arena_at(known[i].entity);

		/* where a pointer points is seen when it is needed */
		if (e->by_pointer || e->addr != addr || !atomic_load(&e->live) ||
		    atomic_load(&e->freed))
			continue;
		any = true;
		ends(i);
		atomic_store(&e->freed, 1);
	}
	changes += any;
	return any;
}

void var_forget(uint64_t addr)
{
	changes++;
	for (uint32_t i = 0; i < nknown; i++) {
		struct page_entity *e = arena_at(known[i].entity);

		if (e->addr != addr)
			continue;
		if (atomic_load(&e->live))
			ends(i);
		atomic_store(&e->live, 0);
		known[i].empty = false;
	}
}

void var_forget_name(const char *name, size_t len)
{
	changes++;
	for (uint32_t i = 0; i < nknown; i++) {
		struct page_entity *e = arena_at(known[i].entity);

		if (known[i].loc ||
		    !var_name_matches(arena_at(known[i].name), name, len, false))
			continue;
		if (atomic_load(&e->live))
			ends(i);
		atomic_store(&e->live, 0);
		known[i].empty = false;
	}
}

void var_forget_stack(void)
{
	/* pointers may have been given other values since the last mark */
	spots_of = changes - 1;
	for (uint32_t i = 0; i < nknown; i++) {
		struct page_entity *e = arena_at(known[i].entity);

		if (e->addr >= rt.caller || e->addr <= rt.stack_top - RT_STACK_REACH)
			continue;
		/* a pointer in a function that calls exit: what it points to is still there */
		if (rt.exiting && e->by_pointer && pointer_at(e->addr) == known[i].content)
			continue;
		changes += atomic_load(&e->live);
		atomic_store(&e->live, 0);
	}
}

uint32_t var_count(void)
{
	return nknown;
}

uint32_t var_entity(uint32_t i, uint32_t *loc)
{
	*loc = known[i].place;
	return known[i].entity;
}

bool var_layout(const struct page_entity *e, struct layout *l)
{
	bool fits = true;

	*l = (struct layout){ .size = e->elem_size };
	for (uint32_t d = 0; d < e->ndim; d++)
		fits &= layout_add(
			l,
			&(struct layout_dim){ .lower = e->lower[d],
					      .extent = e->extent[d],
					      .own_lo = e->own_lo[d],
					      .own_hi = e->own_hi[d],
					      .halo_lo = e->halo_lo[d],
					      .halo_hi = e->halo_hi[d],
					      .stride = e->stride[d],
					      .list = e->list[d] ? arena_at(e->list[d]) : NULL,
					      .n = e->list_n[d] },
			false);
	l->origin -= e->before;
	return fits;
}

uint32_t var_changes(void)
{
	return changes;
}

uint32_t var_find(const char *name, size_t len)
{
	uint32_t found = VAR_NONE, serial = 0;

	for (uint32_t i = 0; i < nknown; i++) {
		const struct page_entity *e = arena_at(known[i].entity);

		if (atomic_load(&e->live) && e->serial > serial &&
		    var_name_matches(arena_at(known[i].name), name, len, true)) {
			found = i;
			serial = e->serial;
		}
	}
	return found;
}
