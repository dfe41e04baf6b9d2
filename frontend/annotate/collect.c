/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the traces of a run: regions, sweeps, scalars of each rank. */
#include "frontend/annotate/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/traceindex/traceindex.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/xvec.h"

#define LEAST_REGION 16 /* bytes of what may be an array */
#define LEAST_SHARE 10	/* a tenth of the bytes */
#define SPOTS 4096
#define SMALL_TABLE 64 /* bytes of what is no array but some numbers: n[3] */
#define NO_SCALAR UINT32_MAX
#define LEAST_SWEEP 8	/* elements */

/* Where the accesses of a slot of a block go. */
struct target {
	bool known;
	const char *file, *func;
	uint32_t line;
	uint32_t region; /* UINT32_MAX: each address is looked up */
	uint32_t sweep;	 /* UINT32_MAX: none so far */
	uint32_t sweep_region;
};

struct reading {
	struct symbols *symbols;
	struct rank_seen *seen;
	const struct trace_block *block;
	struct target *target; /* by slot is not to be had: by site */
	uint32_t *object;      /* region of each object of the block */
	uint64_t *within;      /* bytes from where the region begins to the object */
	uint64_t records;
	struct spot { /* what was found at an address in this block */
		uint64_t at;
		uint32_t size, scalar; /* NO_SCALAR: nothing */
	} spot[SPOTS];
};

static uint32_t region_at(struct rank_seen *s, uint64_t base, uint64_t bytes, const char *name,
			  const struct place *p)
{
	uint64_t key = hash_mix(HASH_START, base);
	struct region *r;
	uint32_t nth = 0;

	for (uint32_t at = 0, i; hash_next(&s->region_by, key, &at, &i);)
		if (s->region[i].base == base && s->region[i].bytes == bytes &&
		    (name ? s->region[i].name && !strcmp(s->region[i].name, name) :
			    !s->region[i].name))
			return i;
	for (uint32_t i = 0; i < s->nregion; i++) {
		const struct region *o = &s->region[i];

		nth += name ? o->name && !strcmp(o->name, name) :
			      !o->name && o->line == p->line && p->file && o->file &&
				      !strcmp(o->file, p->file);
	}
	r = xvec_add(s->region, s->nregion);
	r->name = xstrdup(name);
	r->file = p ? p->file : NULL;
	r->func = p ? p->func : NULL;
	r->line = p ? p->line : 0;
	r->nth = nth;
	r->base = base;
	r->bytes = bytes;
	xalloc_check(hash_put(&s->region_by, key, s->nregion - 1));
	return s->nregion - 1;
}

static uint32_t sweep_of(struct rank_seen *s, const struct target *t, uint32_t region, bool write,
			 unsigned size)
{
	uint64_t key = hash_mix(hash_mix(hash_mix(HASH_START, (uintptr_t)t->file), t->line),
				(uint64_t)region << 8 | size << 1 | write);
	struct sweep *w;

	for (uint32_t at = 0, i; hash_next(&s->sweep_by, key, &at, &i);) {
		w = &s->sweep[i];
		if (w->file == t->file && w->line == t->line && w->region == region &&
		    w->write == write && w->size == size)
			return i;
	}
	w = xvec_add(s->sweep, s->nsweep);
	w->file = t->file;
	w->func = t->func;
	w->line = t->line;
	w->region = region;
	w->write = write;
	w->size = size;
	w->room = (s->region[region].bytes / size + 64) / 64;
	w->touched = xcalloc(w->room, sizeof(*w->touched));
	xalloc_check(hash_put(&s->sweep_by, key, s->nsweep - 1));
	return s->nsweep - 1;
}

static void scalar_now(struct scalar *x, unsigned size, uint64_t value, uint64_t when)
{
	int64_t v = size == 4 ? (int32_t)value : (int64_t)value;

	/* what is set for the first time has not changed */
	if (!x->value_first)
		x->value_first = v;
	if (x->value != v && (x->value || x->value_first != v)) {
		x->changed_first = x->changes ? x->changed_first : when;
		x->changed_last = when;
	}
	x->changes += x->value != v;
	x->value = v;
}

/* Returns which one it is. */
static uint32_t scalar_is(struct rank_seen *s, const char *name, unsigned size, uint64_t value,
			  uint64_t when)
{
	uint64_t key = hash_text(HASH_START, name);
	struct scalar *x;

	for (uint32_t at = 0, i; hash_next(&s->scalar_by, key, &at, &i);) {
		if (!strcmp(s->scalar[i].name, name)) {
			scalar_now(&s->scalar[i], size, value, when);
			return i;
		}
	}
	x = xvec_add(s->scalar, s->nscalar);
	x->name = xstrdup(name);
	x->size = size;
	x->value = x->value_first = size == 4 ? (int32_t)value : (int64_t)value;
	xalloc_check(hash_put(&s->scalar_by, key, s->nscalar - 1));
	return s->nscalar - 1;
}

static struct target *target_of(struct reading *g, uint32_t site)
{
	struct target *t = &g->target[site];
	struct place p;

	if (t->known)
		return t;
	p = g->block->site[site].place;
	symbols_resolve(g->symbols, &p);
	t->known = true;
	t->file = p.file;
	t->func = p.func;
	t->line = p.line;
	t->sweep = UINT32_MAX;
	return t;
}

/* The rows that the allocation is one of, and where in their region; NULL: none. *table: it is what
 * has their addresses. */
static const struct rows *rows_of(const struct rank_seen *s, uint64_t addr, uint64_t bytes,
				  uint64_t *within, bool *table)
{
	*table = false;
	for (uint32_t i = 0; i < s->nrows; i++) {
		const struct rows *r = &s->rows[i];

		*table = *table || r->table == addr;
		for (uint64_t k = 0; bytes == r->bytes && k < r->n; k++)
			if (r->row[k] == addr) {
				*within = k * r->pitch;
				return r;
			}
	}
	return NULL;
}

/* The region of an object of the block; UINT32_MAX: it is none. */
static uint32_t region_of(struct reading *g, uint32_t object)
{
	const struct trace_object *o = &g->block->object[object];
	const struct rows *rows;
	struct place p = { 0 };
	uint64_t addr = o->desc.addr, bytes = (uint64_t)o->desc.extent[0];
	bool table;

	if (g->object[object] != UINT32_MAX)
		return g->object[object];
	if (o->kind != TRACE_HEAP || o->desc.extent[0] < LEAST_REGION)
		return UINT32_MAX;
	rows = rows_of(g->seen, addr, bytes, &g->within[object], &table);
	if (!rows && table)
		return UINT32_MAX;
	if (o->site != TRACE_NONE) {
		p = g->block->site[o->site].place;
		symbols_resolve(g->symbols, &p);
	}
	if (rows) {
		addr = rows->base;
		bytes = rows->n * rows->pitch;
	}
	g->object[object] = region_at(g->seen, addr, bytes, NULL, &p);
	g->seen->region[g->object[object]].rows = rows;
	return g->object[object];
}

/* The array of a name, as far as the debug information knows its size. */
static uint32_t variable_region(struct reading *g, const char *module, const char *name,
				uint64_t load)
{
	struct symbol_data d;
	struct place p = { 0 };

	if (symbols_data_find(g->symbols, module, name, &d, NULL) != 1 || d.size < LEAST_REGION)
		return UINT32_MAX;
	p.file = d.file;
	p.line = d.line;
	return region_at(g->seen, load + d.vaddr, d.size, name, &p);
}

/* The first n letters name an array of a few numbers. */
static bool is_table(struct reading *g, const char *module, const char *text, size_t n)
{
	char *name = xstrndup(text, n);
	struct symbol_data d;
	bool small = text[n] == '[' && symbols_data_find(g->symbols, module, name, &d, NULL) == 1 &&
		     d.size <= SMALL_TABLE;

	free(name);
	return small;
}

/* Memory of a variable that lasts: true, of an array; a scalar is noted. */
static bool variable(struct reading *g, const struct trace_rec *r, uint32_t *region, uint64_t *at)
{
	struct spot *spot = &g->spot[(r->at >> 2 ^ r->at >> 14) % SPOTS];
	struct trace_site m;
	struct symbol_data d;
	char text[256], *cut;

	if (spot->at == r->at && spot->size == r->size) {
		if (spot->scalar != NO_SCALAR)
			scalar_now(&g->seen->scalar[spot->scalar], r->size, r->value[0],
				   g->records);
		return false;
	}
	for (uint32_t i = 0; i < g->seen->nregion; i++) {
		const struct region *x = &g->seen->region[i];

		if (x->name && r->at >= x->base && r->at < x->base + x->bytes) {
			*region = i;
			*at = r->at - x->base;
			return true;
		}
	}
	*spot = (struct spot){ r->at, r->size, NO_SCALAR };
	if (!trace_block_module(g->block, r->at, &m) ||
	    !symbols_data_at(g->symbols, m.place.module, m.place.vaddr, r->size, NULL, &d, text,
			     sizeof(text)))
		return false;
	cut = strpbrk(text, "[(+");
	if (cut && is_table(g, m.place.module, text, (size_t)(cut - text))) {
		if (r->size >= 4 && r->size <= 8)
			spot->scalar = scalar_is(g->seen, text, r->size, r->value[0], g->records);
		return false;
	}
	if (cut) {
		*cut = 0;
		*region = variable_region(g, m.place.module, text, r->at - m.place.vaddr);
		if (*region == UINT32_MAX)
			return false;
		spot->at = 0;
		*at = r->at - g->seen->region[*region].base;
		return true;
	}
	if (r->size >= 4 && r->size <= 8)
		spot->scalar = scalar_is(g->seen, text, r->size, r->value[0], g->records);
	return false;
}

/* What was written first is kept, with a bit for each byte: the unit of a region is known when all
 * is read. */
static void keep_value(struct region *m, uint64_t at, const struct trace_rec *r)
{
	/* zeros are the same everywhere */
	if (r->size > sizeof(r->value) || at + r->size > m->bytes || !r->value[0])
		return;
	if (!m->value) {
		m->value = xcalloc(m->bytes / 8 + 1, sizeof(*m->value));
		m->valued = xcalloc(m->bytes / 64 + 1, sizeof(*m->valued));
	}
	if (m->valued[at / 64] >> at % 64 & 1)
		return;
	for (uint64_t k = at; k < at + r->size; k++)
		m->valued[k / 64] |= UINT64_C(1) << k % 64;
	memcpy((char *)m->value + at, r->value, r->size);
	if (!m->nvalued)
		m->fill = r->value[0];
	m->mixed = m->mixed || m->fill != r->value[0];
	m->nvalued += r->size;
	/* one number everywhere shows no more than zeros do */
	if (m->nvalued == m->bytes && !m->mixed) {
		memset(m->valued, 0, (m->bytes / 64 + 1) * sizeof(*m->valued));
		m->mixed = true;
	}
}

#define STACKS UINT64_C(0x7ff000000000) /* where Linux begins to have them */
#define STACK_ROOM (UINT64_C(1) << 25)

/* All of the stack around an address, of which only what is accessed costs memory. */
static bool on_stack(struct reading *g, uint64_t addr, uint32_t *region, uint64_t *at)
{
	struct rank_seen *s = g->seen;
	uint32_t i = 0;

	while (i < s->nregion && !s->region[i].stack)
		i++;
	if (addr < STACKS)
		return false;
	if (i == s->nregion) {
		uint64_t base = (addr & ~UINT64_C(4095)) - STACK_ROOM / 2;

		*region = region_at(s, base, STACK_ROOM, NULL, &(struct place){ 0 });
		s->region[i].stack = true;
	}
	*region = i;
	*at = addr - s->region[i].base;
	return addr >= s->region[i].base && *at < STACK_ROOM;
}

static void take(struct reading *g, const struct trace_rec *r)
{
	struct target *t = target_of(g, r->site);
	bool write = r->op == TRACE_WRITE;
	uint32_t region;
	uint64_t at = r->at;
	struct region *m;
	struct sweep *w;
	uint64_t e;

	if (r->object != TRACE_NOWHERE) {
		region = region_of(g, r->object);
		at += g->within[r->object];
	} else if (!on_stack(g, r->at, &region, &at) && !variable(g, r, &region, &at)) {
		return;
	}
	if (region == UINT32_MAX)
		return;
	if (t->sweep == UINT32_MAX || t->sweep_region != region ||
	    g->seen->sweep[t->sweep].write != write || g->seen->sweep[t->sweep].size != r->size) {
		t->sweep = sweep_of(g->seen, t, region, write, r->size);
		t->sweep_region = region;
	}
	w = &g->seen->sweep[t->sweep];
	m = &g->seen->region[region];
	if (!w->n++)
		w->first = g->records;
	e = at / r->size;
	if (e / 64 < w->room && !(w->touched[e / 64] >> e % 64 & 1)) {
		w->touched[e / 64] |= UINT64_C(1) << e % 64;
		w->elements++;
	}
	walk_to(&w->walk, (int64_t)at);
	if (write)
		keep_value(m, at, r);
}

static int read_block(struct reading *g, struct trace_cursor *c, struct err *err)
{
	struct trace_rec r;
	int rc;

	memset(g->spot, 0, sizeof(g->spot));
	g->target = xcalloc(g->block->nsite + 1, sizeof(*g->target));
	g->object = xmalloc((g->block->nobject + 1) * sizeof(*g->object));
	memset(g->object, 0xff, (g->block->nobject + 1) * sizeof(*g->object));
	g->within = xcalloc(g->block->nobject + 1, sizeof(*g->within));
	while ((rc = trace_block_next(c, &r)) == 1) {
		g->records++;
		if ((r.op == TRACE_READ || r.op == TRACE_WRITE) && r.site != TRACE_NONE)
			take(g, &r);
	}
	free(g->target);
	free(g->object);
	free(g->within);
	return rc < 0 ? err_set(err, "a block of the trace is damaged") : 0;
}

uint64_t region_used(const struct rank_seen *s, uint32_t region)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < s->nsweep; i++) {
		const struct sweep *w = &s->sweep[i];

		if (w->region == region && w->elements * w->size > most)
			most = w->elements * w->size;
	}
	return most;
}

/*
 * The smallest size that a line goes over a part of the region in: copies are made in larger
 * pieces. An array may be declared larger than what is used of it.
 */
static void find_units(struct rank_seen *s)
{
	uint64_t *used = xcalloc(s->nregion + 1, sizeof(*used));

	s->begin = UINT64_MAX;
	for (uint32_t i = 0; i < s->nregion; i++) {
		s->region[i].unit = 16;
		used[i] = region_used(s, i);
	}
	for (uint32_t i = 0; i < s->nsweep; i++) {
		const struct sweep *w = &s->sweep[i];
		struct region *r = &s->region[w->region];

		if (w->size < r->unit && w->elements * w->size * LEAST_SHARE >= used[w->region])
			r->unit = w->size;
		if (w->elements >= LEAST_SWEEP && w->first < s->begin)
			s->begin = w->first;
	}
	free(used);
}

static uint32_t sweep_alike(const struct rank_seen *s, const struct sweep *like, unsigned size)
{
	uint32_t i = 0;

	while (i < s->nsweep &&
	       (s->sweep[i].file != like->file || s->sweep[i].line != like->line ||
		s->sweep[i].region != like->region || s->sweep[i].write != like->write ||
		s->sweep[i].size != size))
		i++;
	return i;
}

/* Accesses to two elements at a time, as to complex numbers that other lines access by halves, are
 * accesses to elements. */
static void split_pairs(struct rank_seen *s)
{
	for (uint32_t i = 0; i < s->nsweep; i++) {
		struct sweep *w = &s->sweep[i];
		unsigned unit = s->region[w->region].unit;
		uint32_t to = sweep_alike(s, w, unit);
		uint64_t room = 2 * w->room, *touched;

		/* what is a stack has no elements of its own */
		if (w->size != 16 || unit != 8 || s->region[w->region].stack)
			continue;
		touched = xcalloc(room, sizeof(*touched));
		for (uint64_t e = 0; e < 64 * w->room; e++)
			if (w->touched[e / 64] >> e % 64 & 1)
				touched[e / 32] |= UINT64_C(3) << 2 * e % 64;
		if (to == s->nsweep) {
			free(w->touched);
			w->touched = touched;
			w->room = room;
			w->size = unit;
			w->elements *= 2;
			continue;
		}
		w = &s->sweep[to];
		w->elements = 0;
		for (uint64_t k = 0; k < w->room; k++) {
			w->touched[k] |= k < room ? touched[k] : 0;
			w->elements += (uint64_t)__builtin_popcountll(w->touched[k]);
		}
		free(touched);
	}
}

static void frame_clear(struct frame_seen *f)
{
	for (uint32_t k = 0; k < f->nvariable; k++) {
		free(f->variable[k].name);
		free(f->variable[k].type);
		free(f->variable[k].value);
	}
	free(f->variable);
	free(f->func);
	free(f->file);
}

static void stop_clear(struct stop_seen *s)
{
	frame_clear(&s->modules);
	for (uint32_t i = 0; i < s->nframe; i++)
		frame_clear(&s->frame[i]);
	free(s->frame);
}

static void rank_clear(struct rank_seen *s)
{
	for (uint32_t i = 0; i < s->nregion; i++) {
		free(s->region[i].name);
		free(s->region[i].value);
		free(s->region[i].valued);
	}
	for (uint32_t i = 0; i < s->nsweep; i++)
		free(s->sweep[i].touched);
	for (uint32_t i = 0; i < s->nscalar; i++)
		free(s->scalar[i].name);
	for (uint32_t i = 0; i < s->nstop; i++)
		stop_clear(&s->stop[i]);
	for (uint32_t i = 0; i < s->nrows; i++)
		free(s->rows[i].row);
	free(s->rows);
	free(s->stop);
	free(s->region);
	free(s->sweep);
	free(s->scalar);
	hash_clear(&s->region_by);
	hash_clear(&s->sweep_by);
	hash_clear(&s->scalar_by);
}

static int read_blocks(struct reading *g, const struct trace_reader *m, struct err *err)
{
	struct trace_cursor *c = NULL;
	int rc = 0;

	g->records = 0;
	for (size_t i = 0; !rc && i < trace_reader_blocks(m); i++) {
		struct trace_block *b;

		b = trace_reader_block(m, i, err);
		if (!b) {
			rc = -1;
			break;
		}
		if (!c)
			c = xalloc_checked(trace_cursor_open(b));
		else
			xalloc_check(trace_cursor_start(c, b));
		g->block = b;
		rc = read_block(g, c, err);
		trace_block_free(b);
	}
	trace_cursor_free(c);
	return rc;
}

/* ---- rows that are allocated one by one ---- */

#define LEAST_ROWS 3
#define WORDS_OF_VECTOR 3 /* begin, end, end of the room */

/* Word number `at` of the table; 0: none was written. */
static uint64_t word_of(const struct region *table, uint64_t at)
{
	return at < table->bytes / 8 && table->valued[at / 8] >> at % 8 * 8 & 1 ? table->value[at]
										: 0;
}

/* The allocation that begins there; NULL: none that is accessed. */
static const struct region *allocation_at(const struct rank_seen *s, uint64_t addr)
{
	for (uint32_t k = 0, i; hash_next(&s->region_by, hash_mix(HASH_START, addr), &k, &i);)
		if (s->region[i].base == addr && !s->region[i].name)
			return &s->region[i];
	return NULL;
}

/* Each `apart` words of the table have the address of a row; some rows may not be accessed. */
static bool are_rows(const struct rank_seen *s, const struct region *table, unsigned apart,
		     struct rows *r)
{
	const struct region *like = NULL, *x;
	uint64_t now, seen = 0;
	bool even = true;

	for (; (now = word_of(table, r->n * apart)); *xvec_add(r->row, r->n) = now) {
		if (r->n && now == r->row[r->n - 1])
			return false;
		even = even && (r->n < 2 || now - r->row[r->n - 1] == r->row[1] - r->row[0]);
		x = allocation_at(s, now);
		like = like ? like : x;
		if (x && (x->bytes != like->bytes || x->line != like->line ||
			  x->file != like->file))
			return false;
		seen += x != NULL;
	}
	if (r->n < LEAST_ROWS || 2 * seen < r->n)
		return false;
	r->bytes = like->bytes;
	r->pitch = r->row[1] - r->row[0];
	even = even && r->pitch >= r->bytes && r->pitch <= UINT32_MAX;
	r->base = even ? r->row[0] : table->base;
	r->pitch = even ? r->pitch : r->bytes;
	r->table = table->base;
	return true;
}

static bool find_rows(struct rank_seen *s, const struct region *table, unsigned apart)
{
	struct rows r = { .row = NULL };
	bool found = are_rows(s, table, apart, &r);

	if (found)
		*xvec_add(s->rows, s->nrows) = r;
	else
		free(r.row);
	return found;
}

static void find_all_rows(struct rank_seen *s)
{
	for (uint32_t i = 0; i < s->nregion; i++) {
		const struct region *table = &s->region[i];

		if (table->value && !table->stack && !find_rows(s, table, 1))
			find_rows(s, table, WORDS_OF_VECTOR);
	}
}

static void point_frame(struct frame_seen *f, const struct rows *r)
{
	for (uint32_t i = 0; i < f->nvariable; i++)
		if (f->variable[i].pointer && (uint64_t)f->variable[i].number == r->table)
			f->variable[i].number = (int64_t)r->base;
}

static void point_to_rows(struct rank_seen *s, const struct rows *r)
{
	for (uint32_t i = 0; i < s->nscalar; i++) {
		struct scalar *x = &s->scalar[i];

		if (x->size == 8 && (uint64_t)x->value == r->table)
			x->value = (int64_t)r->base;
		if (x->size == 8 && (uint64_t)x->value_first == r->table)
			x->value_first = (int64_t)r->base;
	}
	for (uint32_t i = 0; i < s->nstop; i++) {
		point_frame(&s->stop[i].modules, r);
		for (uint32_t k = 0; k < s->stop[i].nframe; k++)
			point_frame(&s->stop[i].frame[k], r);
	}
}

void training_rows(struct training *t)
{
	for (uint32_t k = 0; k < t->ranks; k++) {
		struct rank_seen *s = &t->rank[k];

		for (uint32_t i = 0; i < s->nrows; i++)
			point_to_rows(s, &s->rows[i]);
	}
}

static int read_rank(struct reading *g, const struct trace_reader *m, struct err *err)
{
	int rc = read_blocks(g, m, err);

	if (!rc)
		find_all_rows(g->seen);
	/* with rows that are known all is read again */
	if (g->seen->nrows) {
		struct rank_seen found = { .rows = g->seen->rows, .nrows = g->seen->nrows };

		g->seen->rows = NULL;
		g->seen->nrows = 0;
		rank_clear(g->seen);
		*g->seen = found;
		rc = read_blocks(g, m, err);
	}
	for (uint32_t i = 0; i < g->seen->nsweep; i++)
		walk_end(&g->seen->sweep[i].walk);
	find_units(g->seen);
	split_pairs(g->seen);
	return rc;
}

int training_read(struct training *t, const char *dir, struct symbols *symbols, struct err *err)
{
	struct trace_index *x = trace_index_open(dir, 0, err);
	int rc = 0;

	if (!x)
		return -1;
	t->ranks = trace_index_files(x);
	t->rank = xcalloc(t->ranks, sizeof(*t->rank));
	for (uint32_t i = 0; !rc && i < t->ranks; i++) {
		struct reading g = { .symbols = symbols, .seen = &t->rank[i] };

		rc = read_rank(&g, trace_index_map(x, i), err);
	}
	trace_index_close(x);
	return rc;
}

/* ---- arrays on stacks ---- */

#define LEAST_ELEMENTS 16 /* of an array that is looked at */
#define LEAST_TOUCHED 4

/* How a line accesses an array there: the bytes of an access, 0: none does. */
static unsigned access_size(const struct rank_seen *s, uint32_t stack, uint64_t from,
			    uint64_t count)
{
	for (uint32_t i = 0; i < s->nsweep; i++) {
		const struct sweep *w = &s->sweep[i];
		uint64_t n = 0, e = from / w->size, end = e + count;

		if (w->region != stack || from % w->size || end > STACK_ROOM / w->size)
			continue;
		for (; e < end && n < LEAST_TOUCHED; e++)
			n += w->touched[e / 64] >> e % 64 & 1;
		if (n == LEAST_TOUCHED)
			return w->size;
	}
	return 0;
}

/* The part of a sweep over the stack that is in the region. */
static void cut_sweep(struct rank_seen *s, uint32_t which, uint32_t region)
{
	const struct region *r = &s->region[region];
	struct sweep w = s->sweep[which];
	uint64_t from = (r->base - s->region[w.region].base) / w.size, n = r->bytes / w.size;
	const uint64_t *touched = w.touched;

	if (r->base % w.size)
		return;
	w.region = region;
	w.room = n / 64 + 1;
	w.touched = xcalloc(w.room, sizeof(*w.touched));
	w.elements = 0;
	for (uint64_t e = 0; e < n; e++) {
		if (!(touched[(from + e) / 64] >> (from + e) % 64 & 1))
			continue;
		w.touched[e / 64] |= UINT64_C(1) << e % 64;
		w.elements++;
	}
	w.n = w.elements;
	if (!w.elements)
		free(w.touched);
	else
		*xvec_add(s->sweep, s->nsweep) = w;
}

static void cut_values(const struct region *stack, struct region *r)
{
	uint64_t off = r->base - stack->base;

	if (!stack->value)
		return;
	r->value = xcalloc(r->bytes / 8 + 1, sizeof(*r->value));
	r->valued = xcalloc(r->bytes / 64 + 1, sizeof(*r->valued));
	memcpy(r->value, (const char *)stack->value + off, r->bytes);
	for (uint64_t e = 0; e < r->bytes; e++)
		if (stack->valued[(off + e) / 64] >> (off + e) % 64 & 1)
			r->valued[e / 64] |= UINT64_C(1) << e % 64;
}

/* A region for an array that a frame shows; a larger one at the same place is the whole of it. */
static void stack_array(struct rank_seen *s, uint32_t stack, const struct frame_seen *f,
			const struct variable *v)
{
	int64_t lo[LAYOUT_DIMS], hi[LAYOUT_DIMS];
	unsigned n = variable_bounds(v, lo, hi, LAYOUT_DIMS), unit;
	uint64_t addr = (uint64_t)v->number, count = 1, bytes;
	struct region *r;

	if (!n || addr < s->region[stack].base || addr >= s->region[stack].base + STACK_ROOM)
		return;
	for (unsigned d = 0; d < n; d++) {
		if (hi[d] < lo[d] || hi[d] - lo[d] >= (int64_t)STACK_ROOM || count > STACK_ROOM)
			return;
		count *= (uint64_t)(hi[d] - lo[d] + 1);
	}
	bytes = addr - s->region[stack].base;
	unit = count < LEAST_ELEMENTS || count + bytes > STACK_ROOM
		       ? 0
		       : access_size(s, stack, bytes, count);
	if (!unit || count * unit + bytes > STACK_ROOM)
		return;
	for (uint32_t i = 0; i < s->nregion; i++) {
		r = &s->region[i];
		if (r->stack || addr >= r->base + r->bytes || addr + count * unit <= r->base)
			continue;
		if (r->base != addr || r->bytes >= count * unit || !r->nextent)
			return;
		r->bytes = 0; /* rows of this array */
	}
	r = xvec_add(s->region, s->nregion);
	r->name = xstrdup(v->name);
	r->file = f->file;
	r->line = f->line;
	r->base = addr;
	r->bytes = count * unit;
	r->unit = unit;
	r->nextent = n;
	for (unsigned d = 0; d < n; d++)
		r->extent[d] = hi[d] - lo[d] + 1;
}

static void rank_stack(struct rank_seen *s, uint32_t stack)
{
	uint32_t first = s->nregion, nsweep = s->nsweep, kept = first;

	for (uint32_t j = 0; j < s->nstop; j++) {
		for (uint32_t k = s->stop[j].nframe; k-- > 0;) {
			const struct frame_seen *f = &s->stop[j].frame[k];

			for (uint32_t i = 0; i < f->nvariable; i++)
				stack_array(s, stack, f, &f->variable[i]);
		}
	}
	for (uint32_t i = first; i < s->nregion; i++) {
		if (s->region[i].bytes)
			s->region[kept++] = s->region[i];
		else
			free(s->region[i].name);
	}
	s->nregion = kept;
	for (uint32_t i = first; i < s->nregion; i++) {
		cut_values(&s->region[stack], &s->region[i]);
		for (uint32_t k = 0; k < nsweep; k++)
			if (s->sweep[k].region == stack)
				cut_sweep(s, k, i);
	}
}

void training_stacks(struct training *t)
{
	for (uint32_t r = 0; r < t->ranks; r++)
		for (uint32_t i = 0; i < t->rank[r].nregion; i++)
			if (t->rank[r].region[i].stack)
				rank_stack(&t->rank[r], i);
}

bool training_shows(const struct training *t)
{
	for (uint32_t k = 0; k < t->ranks; k++)
		for (uint32_t i = 0; i < t->rank[k].nsweep; i++)
			if (t->rank[k].sweep[i].elements >= LEAST_SWEEP)
				return true;
	return false;
}

void training_clear(struct training *t)
{
	for (uint32_t k = 0; k < t->ranks; k++)
		rank_clear(&t->rank[k]);
	free(t->rank);
	memset(t, 0, sizeof(*t));
}
