/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of compiled marks, checked, and their small programs, executed. */
#include "common/markcode/markcode.h"

#include <string.h>

static const uint8_t takes[] = {
#define X(name, takes, gives) takes,
	MARKCODE_OPS(X)
#undef X
};
static const uint8_t gives[] = {
#define X(name, takes, gives) gives,
	MARKCODE_OPS(X)
#undef X
};

unsigned markcode_takes(unsigned op)
{
	return op < MARKCODE_DOES ? takes[op] : 0;
}

unsigned markcode_gives(unsigned op)
{
	return op < MARKCODE_DOES ? gives[op] : 0;
}

size_t markcode_size(const struct markcode_head *h)
{
	return sizeof(*h) + (size_t)h->nsite * sizeof(struct markcode_site) +
	       (size_t)h->nmark * sizeof(struct markcode_mark) +
	       (size_t)h->nop * sizeof(struct markcode_op) + h->ntext;
}

/* Never more numbers than there is room for, nor fewer than are taken. */
static bool is_sound(const struct markcode_op *op, uint32_t n)
{
	unsigned have = 0;

	for (uint32_t i = 0; i < n; i++) {
		unsigned o = op[i].op;

		if (o >= MARKCODE_DOES || have < takes[o])
			return false;
		have = have - takes[o] + gives[o];
		if (have > MARKCODE_STACK)
			return false;
		if (o == MARKCODE_REG && op[i].arg >= MARKCODE_REGS)
			return false;
		if (o >= MARKCODE_LOAD && o <= MARKCODE_CUTS && (op[i].arg < 1 || op[i].arg > 8))
			return false;
	}
	return !n || have == 1;
}

static bool piece_is(const struct markcode *c, const struct markcode_piece *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (p[i].at > c->head->nop || p[i].n > c->head->nop - p[i].at ||
		    !is_sound(c->op + p[i].at, p[i].n))
			return false;
	return true;
}

static bool mark_is(const struct markcode *c, const struct markcode_mark *m)
{
	const uint32_t text = c->head->ntext;

	for (uint32_t i = 0; i < m->naccess && i < MARKCODE_NAMES; i++)
		if (m->access_name[i] >= text)
			return false;
	return m->kind < MARKCODE_KINDS && m->ndim <= MARKCODE_DIMS &&
	       m->naccess <= MARKCODE_NAMES && m->file < text && m->func < text &&
	       m->name < text && m->loop < c->head->nmark && piece_is(c, &m->addr, 1) &&
	       piece_is(c, &m->on, 1) && piece_is(c, m->shape, MARKCODE_DIMS) &&
	       piece_is(c, m->lower, MARKCODE_DIMS) && piece_is(c, m->stride, MARKCODE_DIMS) &&
	       piece_is(c, m->from, MARKCODE_DIMS) && piece_is(c, m->to, MARKCODE_DIMS) &&
	       piece_is(c, m->step, MARKCODE_DIMS) && piece_is(c, m->block, MARKCODE_DIMS) &&
	       piece_is(c, m->halo_lo, MARKCODE_DIMS) && piece_is(c, m->halo_hi, MARKCODE_DIMS) &&
	       piece_is(c, m->periodic, MARKCODE_DIMS) && piece_is(c, &m->copies, 1) &&
	       piece_is(c, &m->copy, 1) && piece_is(c, m->access, MARKCODE_NAMES);
}

static bool site_is(const struct markcode *c, const struct markcode_site *s)
{
	return s->first <= c->head->nmark && s->n <= c->head->nmark - s->first &&
	       s->file < c->head->ntext && s->cfa.n && piece_is(c, &s->cfa, 1);
}

int markcode_open(struct markcode *c, const void *at, size_t n)
{
	const struct markcode_head *h = at;

	*c = (struct markcode){ 0 };
	if (n < sizeof(*h) || n > MARKCODE_MOST || h->magic != MARKCODE_MAGIC || h->bytes != n ||
	    markcode_size(h) != n || !h->ntext || h->nid > sizeof(h->id))
		return -1;
	c->head = h;
	c->site = (const void *)(h + 1);
	c->mark = (const void *)(c->site + h->nsite);
	c->op = (const void *)(c->mark + h->nmark);
	c->text = (const void *)(c->op + h->nop);
	if (c->text[h->ntext - 1])
		return -1;
	for (uint32_t i = 0; i < h->nmark; i++)
		if (!mark_is(c, &c->mark[i]))
			return -1;
	for (uint32_t i = 0; i < h->nsite; i++)
		if (!site_is(c, &c->site[i]) || (i && c->site[i - 1].vaddr >= c->site[i].vaddr))
			return -1;
	return 0;
}

static bool combine(unsigned op, uint64_t a, uint64_t b, uint64_t *out)
{
	int64_t x = (int64_t)a, y = (int64_t)b;

	switch (op) {
	case MARKCODE_ADD: *out = a + b; break;
	case MARKCODE_SUB: *out = a - b; break;
	case MARKCODE_MUL: *out = a * b; break;
	case MARKCODE_DIV:
	case MARKCODE_MOD:
		if (!y || (x == INT64_MIN && y == -1))
			return false;
		*out = (uint64_t)(op == MARKCODE_DIV ? x / y : x % y);
		break;
	case MARKCODE_AND: *out = a & b; break;
	case MARKCODE_OR: *out = a | b; break;
	case MARKCODE_XOR: *out = a ^ b; break;
	case MARKCODE_SHL: *out = b < 64 ? a << b : 0; break;
	case MARKCODE_SHR: *out = b < 64 ? a >> b : 0; break;
	case MARKCODE_SHRA: *out = (uint64_t)(x >> (b < 64 ? b : 63)); break;
	case MARKCODE_EQ: *out = a == b; break;
	case MARKCODE_NE: *out = a != b; break;
	case MARKCODE_LT: *out = x < y; break;
	case MARKCODE_LE: *out = x <= y; break;
	case MARKCODE_GT: *out = x > y; break;
	case MARKCODE_GE: *out = x >= y; break;
	case MARKCODE_MIN: *out = x < y ? a : b; break;
	default: *out = x > y ? a : b; break;
	}
	return true;
}

static uint64_t cut(uint64_t v, unsigned bytes, bool sign)
{
	unsigned rest = 64 - 8 * bytes;

	return sign ? (uint64_t)((int64_t)(v << rest) >> rest) : v << rest >> rest;
}

/* What changes the topmost numbers, and their count. False: it cannot be done. */
static bool change(const struct markcode_op *op, uint64_t *top, const struct markcode_frame *f)
{
	uint64_t x = 0;

	switch (op->op) {
	case MARKCODE_LOAD:
	case MARKCODE_LOADS:
		if (!f->read(f->arg, top[-1], &x, op->arg))
			return false;
		top[-1] = cut(x, op->arg, op->op == MARKCODE_LOADS);
		break;
	case MARKCODE_CUT:
	case MARKCODE_CUTS: top[-1] = cut(top[-1], op->arg, op->op == MARKCODE_CUTS); break;
	case MARKCODE_NEG: top[-1] = -top[-1]; break;
	case MARKCODE_NOT: top[-1] = ~top[-1]; break;
	case MARKCODE_ABS: top[-1] = (int64_t)top[-1] < 0 ? -top[-1] : top[-1]; break;
	case MARKCODE_DUP: top[0] = top[-1]; break;
	case MARKCODE_OVER: top[0] = top[-2]; break;
	case MARKCODE_SWAP:
		x = top[-1];
		top[-1] = top[-2];
		top[-2] = x;
		break;
	case MARKCODE_ROT:
		x = top[-1];
		top[-1] = top[-2];
		top[-2] = top[-3];
		top[-3] = x;
		break;
	}
	return true;
}

int markcode_eval(const struct markcode_op *op, uint32_t n, const struct markcode_frame *f,
		  int64_t *out)
{
	uint64_t stack[MARKCODE_STACK + 1], *top = stack;

	for (uint32_t i = 0; i < n; i++, op++) {
		switch (op->op) {
		case MARKCODE_CONST: *top = (uint64_t)op->value; break;
		case MARKCODE_BASE: *top = (uint64_t)op->value + f->base; break;
		case MARKCODE_REG: *top = f->reg[op->arg] + (uint64_t)op->value; break;
		case MARKCODE_RANK: *top = f->rank; break;
		case MARKCODE_RANKS: *top = f->ranks; break;
		default:
			if (takes[op->op] == 2 && gives[op->op] == 1) {
				if (!combine(op->op, top[-2], top[-1], &top[-2]))
					return -1;
			} else if (!change(op, top, f)) {
				return -1;
			}
		}
		top = top - takes[op->op] + gives[op->op];
	}
	if (top != stack + 1)
		return -1;
	*out = (int64_t)stack[0];
	return 0;
}
