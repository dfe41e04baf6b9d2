/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marks beside the source, compiled: addresses of the program's code, and what is computed
 * there. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/array/value.h"
#include "common/core/err.h"
#include "common/core/fingerprint.h"
#include "common/core/parse.h"
#include "common/markcode/markcode.h"
#include "common/protocol/rule.h"
#include "frontend/marks/internal.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/xvec.h"

#define LOOPS_FROM 16 /* order at one address: behind all that is no loop */

/* A mark at one address. */
struct put {
	uint64_t vaddr, function;
	unsigned order; /* at one address */
	uint32_t number;
	uint32_t file, line; /* of the code there */
	bool only;	     /* as of a site with iterations alone */
	struct markcode_mark mark;
};

struct build {
	struct symbols *symbols;
	const char *module;
	const struct mark_names *libraries; /* may be NULL */
	const struct marks *marks;
	const struct mark *now; /* being compiled */
	struct put *put;
	uint32_t nput;
	struct markcode_site *site;
	struct markcode_mark *mark;
	struct markcode_op *op;
	char *text;
	uint32_t nsite, nmark, nop, ntext;
	uint64_t *function; /* whose returns have marks */
	uint32_t nfunction;
	char *left_out; /* owned; what is not executed, and why; NULL: nothing */
	struct err *err;
};

static uint32_t put_text(struct build *b, const char *s)
{
	size_t n = strlen(s) + 1;

	for (uint32_t at = 0; at < b->ntext; at += (uint32_t)strlen(b->text + at) + 1)
		if (!strcmp(b->text + at, s))
			return at;
	b->text = xrealloc(b->text, b->ntext + n);
	memcpy(b->text + b->ntext, s, n);
	b->ntext += (uint32_t)n;
	return b->ntext - (uint32_t)n;
}

static struct markcode_piece put_code(struct build *b, const struct symbol_code *c)
{
	struct markcode_piece p = { b->nop, c->n };

	for (uint32_t i = 0; i < c->n; i++) {
		struct markcode_op *o = xvec_add(b->op, b->nop);

		*o = c->op[i];
	}
	return p;
}

/* What the mark is about, and why it cannot be. */
static int refuse(struct build *b, const char *what)
{
	if (*what)
		err_prefix(b->err, "%s", what);
	return err_prefix(b->err, "%s:%" PRIu32, b->now->file, b->now->line);
}

/* Why a mark is not executed, or how far not: the compiler has not kept what it needs. 0: that is
 * so, else -1. */
static int left_out(struct build *b, const char *what)
{
	char *more, *had = b->left_out;

	if (b->err->code != ERR_GONE)
		return -1;
	more = xasprintf("%s left out: %s", what, b->err->text);
	if (!had || !strstr(had, more)) {
		b->left_out = had ? xasprintf("%s; %s", had, more) : xstrdup(more);
		free(had);
	}
	free(more);
	return 0;
}

static int fault(struct build *b, const char *what, const char *why)
{
	err_set(b->err, "%s", why);
	return refuse(b, what);
}

/* A name of the source, as it is registered. */
static uint32_t put_name(struct build *b, const char *s)
{
	char *plain = mark_registered(s);
	uint32_t at = put_text(b, plain);

	free(plain);
	return at;
}

static int object(struct build *b, uint64_t vaddr, const char *text, struct symbol_object *o)
{
	unsigned n;
	char *structure = mark_element(text, &n);
	char *first =
		structure	  ? xasprintf("%s%s", structure, strchr(mark_member(text), '.'))
		: mark_rows(text) ? xasprintf("%.*s[0]", (int)mark_rows(text), text)
				  : NULL;
	int rc = symbols_object(b->symbols, b->module, vaddr, first ? first : text, o, b->err);

	free(structure);
	free(first);
	return rc ? refuse(b, text) : 0;
}

/* Of a[].x the bytes of a structure, when x is a number of its own; 0: nothing is wrong. */
static int apart(struct build *b, uint64_t vaddr, const char *name, const struct symbol_object *x,
		 int64_t *bytes)
{
	unsigned n;
	char *table = mark_element(name, &n);
	struct symbol_object o;
	int rc;

	table[strlen(table) - strlen("[0]")] = 0;
	rc = object(b, vaddr, table, &o);

	if (!rc && (x->ndim || x->pointer || !x->elem || o.ndim != 1))
		rc = fault(b, name,
			   "NAME[].MEMBER is a member that is a number, of structures that NAME "
			   "points to");
	if (!rc && o.elem % x->elem)
		rc = fault(b, name, "its structures are no whole number of its elements apart");
	*bytes = rc ? 0 : o.elem;
	symbol_object_clear(&o);
	free(table);
	return rc;
}

static int number(struct build *b, uint64_t vaddr, const char *text, struct markcode_piece *out)
{
	struct symbol_object o;
	char *plain = text_with_numbers(b->now->file, text);
	int rc = object(b, vaddr, plain, &o);

	free(plain);

	if (!rc && (!o.value.n || o.pointer))
		rc = fault(b, text, "this is no whole number");
	if (!rc)
		*out = put_code(b, &o.value);
	symbol_object_clear(&o);
	return rc;
}

static int numbers(struct build *b, uint64_t vaddr, const struct mark_names *n,
		   struct markcode_piece *out)
{
	for (uint32_t i = 0; i < n->n; i++) {
		if (i == MARKCODE_DIMS)
			return fault(b, n->name[i], "at most 4 dimensions are possible");
		if (number(b, vaddr, n->name[i], &out[i]))
			return -1;
	}
	return 0;
}

/* Where a pointer or array leads, or where a[].x begins. */
static int address(struct build *b, uint64_t vaddr, const char *text, struct markcode_piece *out)
{
	struct symbol_object o;
	int rc = object(b, vaddr, text, &o);
	const struct symbol_code *at = mark_member(text) ? &o.address : &o.value;

	if (!rc && !at->n)
		rc = fault(b, text, "this is neither an array nor a pointer");
	if (!rc)
		*out = put_code(b, at);
	symbol_object_clear(&o);
	return rc;
}

/* "lo:hi" counts from lo. */
static int extent(struct build *b, uint64_t vaddr, const char *text, bool fortran,
		  struct markcode_piece *lower, struct markcode_piece *shape)
{
	const char *colon = strchr(text, ':');
	char *lo, *size;
	int rc;

	if (!colon) {
		rc = number(b, vaddr, fortran ? "1" : "0", lower);
		return rc ? rc : number(b, vaddr, text, shape);
	}
	lo = xstrndup(text, (size_t)(colon - text));
	size = xasprintf("(%s) - (%s) + 1", colon + 1, lo);
	rc = number(b, vaddr, lo, lower);
	if (!rc)
		rc = number(b, vaddr, size, shape);
	free(lo);
	free(size);
	return rc;
}

static int extents(struct build *b, uint64_t vaddr, bool fortran, struct markcode_mark *x)
{
	const struct mark_names *n = &b->now->shape;

	if (n->n > MARKCODE_DIMS)
		return fault(b, n->name[MARKCODE_DIMS], "at most 4 dimensions are possible");
	for (uint32_t i = 0; i < n->n; i++)
		if (extent(b, vaddr, n->name[i], fortran, &x->lower[i], &x->shape[i]))
			return -1;
	x->ndim = (uint8_t)n->n;
	return numbers(b, vaddr, &b->now->lower, x->lower);
}

/* In each dimension structures are as far apart as their array's declaration says. */
static int declared_apart(struct build *b, uint64_t vaddr, unsigned n, struct markcode_mark *x)
{
	const char *name = b->now->name;
	char *array = xstrndup(name, (size_t)(mark_member(name) - name));
	struct symbol_object o;
	int rc = object(b, vaddr, array, &o);

	if (!rc && (n != b->now->shape.n || o.ndim != n))
		rc = fault(b, name, "its array is not declared with as many dimensions");
	for (unsigned d = 0; !rc && d < n; d++)
		x->stride[d] = put_code(b, &o.stride[d]);
	symbol_object_clear(&o);
	free(array);
	return rc;
}

/* Members are as far apart as structures are, in the densest dimension. */
static int member_apart(struct build *b, uint64_t vaddr, const struct symbol_object *o,
			struct markcode_mark *x)
{
	const uint32_t n = b->now->shape.n;
	char text[32], *structure;
	unsigned dims;
	int64_t bytes;

	if (!n || n > MARKCODE_DIMS)
		return fault(b, b->now->name,
			     "members of structures are an array of 1 to 4 dimensions");
	if (apart(b, vaddr, b->now->name, o, &bytes))
		return -1;
	structure = mark_element(b->now->name, &dims);
	free(structure);
	if (dims > 1)
		return declared_apart(b, vaddr, dims, x);
	snprintf(text, sizeof(text), "%" PRId64, bytes);
	return number(b, vaddr, text, &x->stride[n - 1]);
}

/* How far the pointers to rows are apart. */
static int rows_apart(struct build *b, uint64_t vaddr, struct markcode_mark *x)
{
	const char *name = b->now->name;
	char *table = xstrndup(name, mark_rows(name));
	struct symbol_object o;
	int rc = object(b, vaddr, table, &o);

	if (!rc && (!o.elem || o.elem > UINT8_MAX))
		rc = fault(b, name, "NAME[] is a table of pointers, or of vectors");
	x->rows = (uint8_t)(rc ? 0 : o.elem);
	symbol_object_clear(&o);
	free(table);
	return rc;
}

/* The address of what is registered, and what its elements are. */
static int target(struct build *b, uint64_t vaddr, struct markcode_mark *x)
{
	const char *name = b->now->name;
	struct symbol_object o;
	bool member = mark_member(name);
	bool array = !member && (b->now->kind == MARK_ARRAY || b->now->shape.n);
	int rc = object(b, vaddr, name, &o);

	if (!rc && !o.address.n && !(array && o.value.n)) {
		err_set_code(b->err, ERR_GONE,
			     "it is in no memory there: it has been optimised away; "
			     "compile with -O0 or -Og");
		rc = refuse(b, name);
	}
	if (!rc && array && !o.ndim)
		rc = fault(b, name, "this is neither an array nor a pointer");
	if (!rc && !array && o.pointer) {
		o.type = VALUE_POINTER;
		o.whole = o.elem = 8;
	}
	if (!rc && o.type >= VALUE_TYPES)
		rc = fault(
			b, name,
			"its elements are no numbers; name members of structures: NAME[].MEMBER");
	if (!rc && member)
		rc = member_apart(b, vaddr, &o, x);
	if (!rc && array && mark_rows(name))
		rc = rows_apart(b, vaddr, x);
	if (!rc) {
		x->name = put_name(b, name);
		x->type = (uint8_t)o.type;
		x->elem_size = o.elem;
		x->whole = member ? 0 : o.whole;
		x->by_name = o.fortran;
		x->by_pointer = !array || !o.pointer ? 0 : o.address.n ? 1 : 2;
		x->addr = put_code(b, array && x->by_pointer != 1 ? &o.value : &o.address);
		for (unsigned i = 0; array && i < o.ndim && o.ndim == b->now->shape.n; i++)
			if (o.ndim > 1 || o.fortran)
				x->stride[i] = put_code(b, &o.stride[i]);
		rc = extents(b, vaddr, o.fortran, x);
	}
	symbol_object_clear(&o);
	return rc;
}

static int registered(struct build *b, uint64_t vaddr, struct markcode_mark *x)
{
	const struct mark *m = b->now;

	if (target(b, vaddr, x))
		return -1;
	return numbers(b, vaddr, &m->from, x->from) || numbers(b, vaddr, &m->to, x->to) ||
			       numbers(b, vaddr, &m->step, x->step) ||
			       numbers(b, vaddr, &m->block, x->block) ||
			       numbers(b, vaddr, &m->halo_lo, x->halo_lo) ||
			       numbers(b, vaddr, &m->halo_hi, x->halo_hi) ||
			       numbers(b, vaddr, &m->periodic, x->periodic) ||
			       numbers(b, vaddr, &m->copies, &x->copies) ||
			       numbers(b, vaddr, &m->copy, &x->copy)
		       ? -1
		       : 0;
}

static int reduced(struct build *b, uint64_t vaddr, struct markcode_mark *x)
{
	/* enum dvmdbg_op, from 1 */
	static const char *const words[] = { "sum", "prod", "max", "min",  "and", "or",	    "xor",
					     "eqv", "band", "bor", "bxor", "maxloc", "minloc" };
	const char *op = b->now->operation;

	if (!strcasecmp(op, "product"))
		op = "prod";
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcasecmp(words[i], op))
			x->op = (uint8_t)(i + 1);
	if (!x->op)
		return fault(b, op, "operations are sum prod max min and or xor eqv band bor bxor "
				    "maxloc minloc");
	return target(b, vaddr, x);
}

/* A pointer that is in no memory is forgotten as what the mark has made of it. */
static bool is_kept(struct build *b, const struct symbol_object *o, struct markcode_mark *x)
{
	for (uint32_t i = 0; i < b->marks->n && o->pointer && !o->address.n; i++) {
		const struct mark *m = &b->marks->mark[i];

		if (m->kind != MARK_ARRAY || strcmp(m->name, b->now->name) ||
		    strcmp(m->file, b->now->file))
			continue;
		x->by_pointer = 2;
		x->loop = i;
		return true;
	}
	return false;
}

static int forgotten(struct build *b, uint64_t vaddr, struct markcode_mark *x)
{
	struct symbol_object o;
	int rc = object(b, vaddr, b->now->name, &o);

	if (!rc && !o.address.n && !o.value.n)
		rc = fault(b, b->now->name, "it is in no memory there");
	if (!rc && !is_kept(b, &o, x))
		x->by_pointer = 0;
	if (!rc) {
		x->name = put_name(b, b->now->name);
		x->by_name = o.fortran;
		x->addr = put_code(b, o.address.n ? &o.address : &o.value);
	}
	symbol_object_clear(&o);
	return rc;
}

static int accesses(struct build *b, uint64_t vaddr, const struct mark_names *n, bool writes,
		    struct markcode_mark *x)
{
	for (uint32_t i = 0; i < n->n; i++) {
		if (x->naccess == MARKCODE_NAMES)
			return fault(b, n->name[i], "a loop can name 16 arrays");
		if (address(b, vaddr, n->name[i], &x->access[x->naccess]))
			return -1;
		x->access_name[x->naccess] = put_name(b, n->name[i]);
		x->writes[x->naccess++] = writes;
	}
	return 0;
}

static int loop(struct build *b, uint64_t vaddr, struct markcode_mark *x)
{
	const struct mark *m = b->now;

	x->ndim = (uint8_t)m->from.n;
	if (m->name && address(b, vaddr, m->name, &x->on) && left_out(b, "the loop's array is"))
		return -1;
	if (numbers(b, vaddr, &m->from, x->from) || numbers(b, vaddr, &m->to, x->to)) {
		x->ndim = 0;
		x->on.n = 0;
		if (left_out(b, "the loop's range is"))
			return -1;
	}
	if (accesses(b, vaddr, &m->writes, true, x) || accesses(b, vaddr, &m->reads, false, x)) {
		x->naccess = 0;
		if (left_out(b, "what the loop reads and writes is"))
			return -1;
	}
	return 0;
}

/* How many other loops a loop is in. */
static unsigned depth(const struct build *b, const struct mark *m)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < b->marks->n; i++) {
		const struct mark *o = &b->marks->mark[i];

		n += o->last && o != m && !strcmp(o->file, m->file) && o->line <= m->line &&
		     o->last >= m->last && (o->line < m->line || o->last > m->last);
	}
	return n;
}

static struct put *put_at(struct build *b, uint64_t vaddr, unsigned kind,
			  const struct symbol_site *s, uint32_t line)
{
	struct put *p = xvec_add(b->put, b->nput);

	p->vaddr = vaddr;
	p->function = s->low;
	p->number = b->nput;
	p->file = put_text(b, s->file);
	p->line = line;
	p->mark.kind = (uint8_t)kind;
	p->mark.loop = (uint32_t)(b->now - b->marks->mark);
	p->mark.file = p->file;
	p->mark.func = put_text(b, s->func);
	p->mark.name = put_text(b, "");
	p->mark.line = b->now->line;
	p->mark.last = b->now->last;
	p->order = kind;
	return p;
}

/* Once for each function: where it returns all that is open in it ends. */
static int put_returns(struct build *b, const struct symbol_site *s)
{
	uint64_t *at = NULL, *known;
	uint32_t n = 0;

	for (uint32_t i = 0; i < b->nfunction; i++)
		if (b->function[i] == s->low)
			return 0;
	known = xvec_add(b->function, b->nfunction);
	*known = s->low;
	if (symbols_returns(b->symbols, b->module, s, &at, &n, b->err)) {
		free(at);
		return refuse(b, s->func);
	}
	for (uint32_t i = 0; i < n; i++)
		put_at(b, at[i], MARKCODE_RETURN, s, symbols_line(b->symbols, b->module, at[i]));
	free(at);
	return 0;
}

static int put_iterations(struct build *b, const struct symbol_site *in)
{
	const struct mark *m = b->now;
	struct symbol_site site[SYMBOL_SITES];
	int n = symbols_sites(b->symbols, b->module, m->file, m->iteration_line, m->iteration_line,
			      site, b->err);

	if (n < 0) {
		refuse(b, "iteration");
		return left_out(b, "its iterations are");
	}
	for (int i = 0; i < n; i++) {
		struct put *p;
		struct markcode_mark x;

		if (site[i].low != in->low)
			continue;
		if (site[i].line < m->line || site[i].line > m->last) {
			err_set_code(b->err, ERR_GONE, "no code follows its line in the loop");
			refuse(b, "iteration");
			return left_out(b, "its iterations are");
		}
		p = put_at(b, site[i].vaddr, MARKCODE_ITERATION, &site[i], site[i].line);
		p->order = LOOPS_FROM + 2 * depth(b, m) + 1;
		x = p->mark;
		x.parallel = m->kind == MARK_PARALLEL;
		x.ndim = (uint8_t)m->iteration.n;
		if (!numbers(b, site[i].vaddr, &m->iteration, x.shape))
			b->put[p->number - 1].mark = x;
		else if (left_out(b, "its iterations are"))
			return -1;
		else
			b->nput--;
	}
	return 0;
}

/* A loop begins at each way into it, and has ended at each way out. */
static int put_loop(struct build *b, const struct symbol_site *s)
{
	const struct mark *m = b->now;
	struct symbol_loop x;
	int rc = symbols_loop(b->symbols, b->module, s, m->line, m->last, &x, b->err);

	if (rc) {
		symbol_loop_clear(&x);
		refuse(b, "the loop");
		return left_out(b, "the mark is");
	}
	for (uint32_t i = 0; !rc && i < x.nentry; i++) {
		struct put *p = put_at(b, x.entry[i], MARKCODE_LOOP, s, m->line);
		uint32_t at = p->number - 1;
		struct markcode_mark made = p->mark;

		p->order = LOOPS_FROM + 2 * depth(b, m);
		made.parallel = m->kind == MARK_PARALLEL;
		made.again = x.again;
		rc = loop(b, x.entry[i], &made);
		b->put[at].mark = made;
	}
	for (uint32_t i = 0; !rc && i < x.nexit; i++)
		put_at(b, x.exit[i], MARKCODE_BEHIND, s,
		       symbols_line(b->symbols, b->module, x.exit[i]));
	symbol_loop_clear(&x);
	if (!rc && m->iteration.n)
		rc = put_iterations(b, s);
	return rc || put_returns(b, s) ? -1 : 0;
}

/* In front of a loop that has a mark itself is where that begins: its line may come first
 * elsewhere. */
static void move_to_loop(struct build *b, struct symbol_site *s)
{
	for (uint32_t i = 0; i < b->marks->n; i++) {
		const struct mark *m = &b->marks->mark[i];
		struct symbol_loop x;

		if (!m->last || m->line != s->line || !rule_file_matches(m->file, s->file))
			continue;
		if (!symbols_loop(b->symbols, b->module, s, m->line, m->last, &x, b->err))
			s->vaddr = x.entry[0];
		symbol_loop_clear(&x);
		return;
	}
}

static int put_mark(struct build *b, const struct symbol_site *s)
{
	static const uint8_t kinds[MARK_KINDS] = {
		[MARK_FUNCTION] = MARKCODE_FUNCTION,	 [MARK_REPLICATED] = MARKCODE_REPLICATED,
		[MARK_ARRAY] = MARKCODE_ARRAY,		 [MARK_REDUCTION] = MARKCODE_REDUCTION,
		[MARK_FORGET] = MARKCODE_FORGET,	 [MARK_SKIP] = MARKCODE_SKIP,
	};
	const struct mark *m = b->now;
	struct put *p = put_at(b, s->vaddr, kinds[m->kind], s, s->line);
	uint32_t at = p->number - 1;
	struct markcode_mark x = p->mark;
	int rc = 0;

	switch (kinds[m->kind]) {
	case MARKCODE_FUNCTION: rc = put_returns(b, s); break;
	case MARKCODE_REDUCTION: rc = reduced(b, s->vaddr, &x); break;
	case MARKCODE_FORGET: rc = forgotten(b, s->vaddr, &x); break;
	case MARKCODE_SKIP: break;
	default: rc = registered(b, s->vaddr, &x);
	}
	b->put[at].mark = x;
	if (rc && !left_out(b, "the mark is")) {
		b->nput = at;
		rc = 0;
	}
	return rc ? -1 : 0;
}

/* The library that has the mark's code; NULL: none has. */
static const char *library_of(const struct build *b)
{
	struct symbol_site site[SYMBOL_SITES];
	struct err none;

	for (uint32_t i = 0; b->libraries && i < b->libraries->n; i++)
		if (symbols_sites(b->symbols, b->libraries->name[i], b->now->file, b->now->line,
				  b->now->last ? b->now->last : b->now->line, site, &none) > 0)
			return b->libraries->name[i];
	return NULL;
}

static int compile_one(struct build *b, const struct mark *m)
{
	struct symbol_site site[SYMBOL_SITES];
	bool loop = m->kind == MARK_SEQUENTIAL || m->kind == MARK_PARALLEL;
	int n;

	b->now = m;
	n = symbols_sites(b->symbols, b->module, m->file, m->line, m->last ? m->last : m->line,
			  site, b->err);
	if (n < 0) {
		const char *library = library_of(b);

		if (library)
			err_set_code(b->err, ERR_GONE,
				     "its code is that of %s, and marks beside the source are "
				     "executed in the "
				     "program's own code only: link it in, or put the marks into "
				     "the source",
				     path_base(library));
		refuse(b, "");
		return left_out(b, "the mark is");
	}
	for (int i = 0; i < n; i++) {
		if (!loop && m->kind != MARK_FUNCTION)
			move_to_loop(b, &site[i]);
		if (loop ? put_loop(b, &site[i]) : put_mark(b, &site[i]))
			return -1;
	}
	return 0;
}

/* Marks that are only for traces and stops in iterations: they wait until these are wanted. */
static bool only_iterations(const struct markcode_mark *m)
{
	return m->kind == MARKCODE_ITERATION && m->parallel;
}

/* Where it is known, at each address of its function that has a mark, what a pointer is that is in
 * no memory. */
static void put_pointer(struct build *b, const struct put *array, uint32_t n)
{
	struct put of = *array;
	const struct mark *m = &b->marks->mark[of.mark.loop];

	for (uint32_t i = 0; i < n; i++) {
		const struct put *at = &b->put[i];
		struct symbol_object o;
		struct err none;

		if (at->function == of.function && at->vaddr != of.vaddr &&
		    !symbols_object(b->symbols, b->module, at->vaddr, m->name, &o, &none) &&
		    o.value.n && !o.address.n) {
			struct put *p = xvec_add(b->put, b->nput);

			*p = of;
			at = &b->put[i];
			p->vaddr = at->vaddr;
			p->line = at->line;
			p->order = p->mark.kind = MARKCODE_POINTER;
			p->number = b->nput;
			p->mark.addr = put_code(b, &o.value);
			p->only = only_iterations(&at->mark);
		}
		symbol_object_clear(&o);
	}
}

static void put_pointers(struct build *b)
{
	const uint32_t n = b->nput;

	for (uint32_t i = 0; i < n; i++)
		if (b->put[i].mark.kind == MARKCODE_ARRAY && b->put[i].mark.by_pointer == 2)
			put_pointer(b, &b->put[i], n);
}

static int by_place(const void *a, const void *b)
{
	const struct put *p = a, *q = b;

	if (p->vaddr != q->vaddr)
		return p->vaddr < q->vaddr ? -1 : 1;
	if (p->order != q->order)
		return p->order < q->order ? -1 : 1;
	return p->number < q->number ? -1 : p->number > q->number;
}

static int put_sites(struct build *b)
{
	struct markcode_site *s = NULL;

	if (b->nput)
		qsort(b->put, b->nput, sizeof(*b->put), by_place);
	for (uint32_t i = 0; i < b->nput; i++) {
		const struct put *p = &b->put[i];
		struct markcode_mark *m = xvec_add(b->mark, b->nmark);

		*m = p->mark;
		if (!s || s->vaddr != p->vaddr) {
			struct symbol_code cfa = { 0 };

			s = xvec_add(b->site, b->nsite);
			s->vaddr = p->vaddr;
			s->first = b->nmark - 1;
			s->file = p->file;
			s->function = (uint32_t)p->function;
			s->iterations = true;
			if (symbols_frame(b->symbols, b->module, p->vaddr, &cfa, b->err)) {
				b->now = &b->marks->mark[p->mark.loop];
				free(cfa.op);
				return refuse(b, "");
			}
			s->cfa = put_code(b, &cfa);
			free(cfa.op);
		}
		/* of what only ends loops the line is the code's own, others know it better */
		if (!s->n || p->mark.kind > MARKCODE_POINTER)
			s->line = p->line;
		s->n++;
		s->iterations &= p->only || only_iterations(&p->mark);
	}
	return 0;
}

static int whole(struct build *b, void **out, size_t *n)
{
	struct markcode_head h = { .magic = MARKCODE_MAGIC,
				   .nsite = b->nsite,
				   .nmark = b->nmark,
				   .nop = b->nop,
				   .ntext = (b->ntext + 7) / 8 * 8 };
	char *to;

	*n = markcode_size(&h);
	if (*n > MARKCODE_MOST)
		return err_set(b->err,
			       "these marks are too many: compiled they have %zu bytes, and %u "
			       "are possible",
			       *n, MARKCODE_MOST);
	h.bytes = (uint32_t)*n;
	h.nid = symbols_build_id(b->symbols, b->module, h.id, sizeof(h.id));
	*out = to = xcalloc(1, *n);
	memcpy(to, &h, sizeof(h));
	to += sizeof(h);
	memcpy(to, b->site, b->nsite * sizeof(*b->site));
	to += b->nsite * sizeof(*b->site);
	memcpy(to, b->mark, b->nmark * sizeof(*b->mark));
	to += b->nmark * sizeof(*b->mark);
	memcpy(to, b->op, b->nop * sizeof(*b->op));
	memcpy(to + b->nop * sizeof(*b->op), b->text, b->ntext);
	return 0;
}

int marks_compile(const struct marks *m, struct symbols *s, const char *module,
		  const struct mark_names *libraries, void **out, size_t *n, char **left,
		  struct err *err)
{
	struct build b = {
		.symbols = s, .module = module, .libraries = libraries, .marks = m, .err = err
	};
	int rc = 0;

	*out = NULL;
	*n = 0;
	put_text(&b, "");
	for (uint32_t i = 0; i < m->n && !rc; i++)
		rc = compile_one(&b, &m->mark[i]);
	if (!rc) {
		put_pointers(&b);
		rc = put_sites(&b);
	}
	if (!rc)
		rc = whole(&b, out, n);
	*left = rc ? NULL : b.left_out;
	if (rc)
		free(b.left_out);
	free(b.put);
	free(b.site);
	free(b.mark);
	free(b.op);
	free(b.text);
	free(b.function);
	return rc;
}

static char *id_of(const struct marks *m)
{
	unsigned char id[FINGERPRINT_BYTES];
	struct fingerprint print = { 0 };
	char *text, *hex = xmalloc(2 * FINGERPRINT_BYTES + 1);
	size_t n;
	FILE *f = xmemstream(&text, &n);

	for (uint32_t i = 0; i < m->n; i++)
		mark_write(&m->mark[i], f, "");
	xmemstream_close(f);
	fingerprint_add(&print, text, n);
	fingerprint_end(&print, id);
	for (unsigned i = 0; i < FINGERPRINT_BYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
	free(text);
	return hex;
}

/* Where the sources have changed since, marks may be on other lines than they were made for. */
static void put_changed(const char *path, char **left)
{
	char *names = marks_changed(path), *text;

	if (!names)
		return;
	text = xasprintf("%s changed after the marks were made, which may be on wrong lines now: make "
			 "them again, or take away the line # source%s%s",
			 names, *left ? "; " : "", *left ? *left : "");
	free(names);
	free(*left);
	*left = text;
}

int marks_load(const char *path, const char *module, const struct mark_names *libraries, void **out,
	       size_t *n, char **id, char **left, struct err *err)
{
	struct symbols *s = symbols_create();
	struct marks m;
	int rc = marks_read(&m, path, err);

	if (!rc) {
		rc = marks_compile(&m, s, module, libraries, out, n, left, err);
		if (rc)
			err_prefix(err, "%s", path);
		else
			*id = id_of(&m);
		if (!rc)
			put_changed(path, left);
		marks_clear(&m);
	}
	symbols_destroy(s);
	return rc;
}

static bool is_of(const struct mark *m, const char *file)
{
	return rule_file_matches(file, m->file) || rule_file_matches(m->file, file);
}

int marks_iteration(const char *path, const char *file, uint32_t line)
{
	struct err none;
	struct marks m;
	int found = -1;

	if (!path || marks_read(&m, path, &none))
		return -1;
	for (uint32_t i = 0; i < m.n && found < 0; i++)
		if (m.mark[i].last && m.mark[i].line == line && is_of(&m.mark[i], file))
			found = (int)m.mark[i].iteration.n;
	marks_clear(&m);
	return found;
}

void marks_near(const char *path, const char *file, uint32_t line, struct symbol_marks *out)
{
	struct err none;
	struct marks m;

	if (!path || marks_read(&m, path, &none))
		return;
	for (uint32_t i = 0; i < m.n; i++) {
		if (!m.mark[i].last && m.mark[i].kind != MARK_FUNCTION)
			continue;
		out->total++;
		if (is_of(&m.mark[i], file))
			symbol_marks_add(out, m.mark[i].line, line);
	}
	marks_clear(&m);
}
