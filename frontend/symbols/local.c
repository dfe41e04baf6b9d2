/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The variable of a function that is at a place of its frame, whose registers are known; or of what
 * is passed to it by the compiler. */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <string.h>

#include "common/markcode/markcode.h"
#include "frontend/symbols/internal.h"
#include "frontend/symbols/symbols.h"

/* Registers as debug information has them. */
#ifdef __aarch64__
#define REG_SP 31
#define REG_BP 29
#else
#define REG_SP 7
#define REG_BP 6
#endif

#define DEPTH 32 /* of scopes in each other */

struct place_in_frame {
	int64_t from_sp, from_bp; /* of what is looked for */
};

/* How far behind the variable's beginning it is; false: that is not known. */
static bool distance(const struct symbol_code *c, const struct place_in_frame *p, int64_t *out)
{
	int64_t at = 0;
	bool known = false;

	for (uint32_t i = 0; i < c->n; i++) {
		const struct markcode_op *op = &c->op[i];

		if (op->op == MARKCODE_REG && !known && (op->arg == REG_SP || op->arg == REG_BP)) {
			at = (op->arg == REG_SP ? p->from_sp : p->from_bp) - op->value;
			known = true;
		} else if (op->op == MARKCODE_CONST && known) {
			at -= op->value;
		} else if (op->op != MARKCODE_ADD) {
			return false;
		}
	}
	*out = at;
	return known;
}

/* The name of the variable's byte at that distance, with element and field; false: it is not in
 * it. */
static bool put_name(const struct code_scope *x, const char *name, struct type_part *part,
		     int64_t at, char *text, size_t room)
{
	if (at < 0 || (uint64_t)at >= type_size(&part->die, x->fortran))
		return false;
	part->off = (uint64_t)at;
	snprintf(text, room, "%s", name);
	type_name(part, x->fortran, text, room);
	return true;
}

static bool is_at(const struct code_scope *x, Dwarf_Die *die, const struct place_in_frame *p,
		  char *text, size_t room)
{
	struct type_part part = { .want = 0 };
	struct symbol_code code = { 0 };
	const char *name = dwarf_diename(die);
	bool value = true, is;
	int64_t at = -1;

	is = name && type_of(die, &part.die) && code_of_variable(x, die, &code, &value) && !value &&
	     distance(&code, p, &at);
	code_clear(&code);
	return is && put_name(x, name, &part, at, text, room);
}

/* Whether it is the variable that is looked for, by want; then its name is in text. */
typedef bool is_wanted(const struct code_scope *x, Dwarf_Die *die, const void *want, char *text,
		       size_t room);

static bool is_in_frame(const struct code_scope *x, Dwarf_Die *die, const void *want, char *text,
			size_t room)
{
	return is_at(x, die, want, text, room);
}

/* The variable that has a byte, and what is left of it. */
struct wanted_room {
	struct place_in_frame at;
	uint64_t *left;
};

static bool has_room(const struct code_scope *x, Dwarf_Die *die, const void *wanted, char *text,
		     size_t room)
{
	const struct wanted_room *want = wanted;
	struct symbol_code code = { 0 };
	const char *name = dwarf_diename(die);
	bool value = true, is;
	Dwarf_Die type;
	int64_t at = -1;
	uint64_t size;

	is = name && type_of(die, &type) && code_of_variable(x, die, &code, &value) && !value &&
	     distance(&code, &want->at, &at);
	code_clear(&code);
	size = is ? type_size(&type, x->fortran) : 0;
	if (!is || at < 0 || (uint64_t)at >= size)
		return false;
	*want->left = size - (uint64_t)at;
	snprintf(text, room, "%s", name);
	return true;
}

/* In that scope, or one within it; here: of blocks those that the code is in. */
static bool search(const struct code_scope *x, Dwarf_Die *scope, bool here, is_wanted *is,
		   const void *want, unsigned depth, char *text, size_t room)
{
	Dwarf_Die child;

	if (!depth || dwarf_child(scope, &child))
		return false;
	do {
		int tag = dwarf_tag(&child);

		if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) &&
		    is(x, &child, want, text, room))
			return true;
		if (tag == DW_TAG_lexical_block &&
		    (!here || dwarf_haspc(&child, x->vaddr - x->bias) == 1) &&
		    search(x, &child, here, is, want, depth - 1, text, room))
			return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

const char *symbols_local_at(struct symbols *s, const char *module, uint64_t vaddr, int64_t from_sp,
			     int64_t from_bp, char *text, size_t room)
{
	const struct place_in_frame p = { from_sp, from_bp };
	struct code_scope x;
	bool is = !code_scope_open(s, module, vaddr, &x, NULL) &&
		  search(&x, &x.function, false, is_in_frame, &p, DEPTH, text, room);

	code_scope_close(&x);
	return is ? text : NULL;
}

/* gcc has not optimised it: else variables that are not needed at the same time share their place,
 * and debug information does not say when. */
static bool is_plain(Dwarf_Die *cu)
{
	Dwarf_Attribute at;
	const char *how = dwarf_formstring(dwarf_attr(cu, DW_AT_producer, &at));

	return how && !strncmp(how, "GNU ", 4) && symbols_level(how) == '0';
}

uint64_t symbols_local_room(struct symbols *s, const char *module, uint64_t vaddr, int64_t from_sp,
			    int64_t from_bp, char *text, size_t room)
{
	uint64_t left = 0;
	const struct wanted_room want = { .at = { from_sp, from_bp }, .left = &left };
	struct code_scope x;

	/* others may have had their variables where blocks have theirs */
	if (!code_scope_open(s, module, vaddr, &x, NULL) && is_plain(x.cu))
		search(&x, &x.function, true, has_room, &want, DEPTH, text, room);
	code_scope_close(&x);
	return left;
}

/*
 * What the compiler passes to the function: its parameter without a name, and the structure that
 * this points to.
 */
static bool passed(struct code_scope *x, Dwarf_Die *parameter, Dwarf_Die *out)
{
	Dwarf_Die child;

	if (dwarf_child(&x->function, &child))
		return false;
	do {
		bool pointer = false;

		if (dwarf_tag(&child) != DW_TAG_formal_parameter || dwarf_diename(&child) ||
		    !type_of(&child, out))
			continue;
		for (unsigned n = 0; n < 8 && dwarf_tag(out) != DW_TAG_structure_type; n++) {
			pointer |= dwarf_tag(out) == DW_TAG_pointer_type ||
				   dwarf_tag(out) == DW_TAG_reference_type;
			if (!type_of(out, out))
				return false;
		}
		*parameter = child;
		return pointer && dwarf_tag(out) == DW_TAG_structure_type;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

/* The member of the structure that the byte is in. */
static bool member_at(Dwarf_Die *structure, uint64_t at, Dwarf_Die *out)
{
	Dwarf_Die child;
	uint64_t last = 0;
	bool found = false;

	if (dwarf_child(structure, &child))
		return false;
	do {
		uint64_t from = dwarf_tag(&child) == DW_TAG_member ? type_member_at(&child) : 0;

		if (dwarf_tag(&child) != DW_TAG_member || from > at || (found && from < last))
			continue;
		*out = child;
		last = from;
		found = true;
	} while (!dwarf_siblingof(&child, &child));
	return found;
}

static bool is_member(const struct code_scope *x, Dwarf_Die *structure, int64_t within, char *text,
		      size_t room)
{
	struct type_part part = { .want = 0 };
	Dwarf_Die member;

	if (within < 0 || (uint64_t)within >= type_size(structure, false) ||
	    !member_at(structure, (uint64_t)within, &member) || !dwarf_diename(&member) ||
	    !type_of(&member, &part.die))
		return false;
	part.off = (uint64_t)within - type_member_at(&member);
	snprintf(text, room, "%s", dwarf_diename(&member));
	if (part.off < type_size(&part.die, x->fortran))
		type_name(&part, x->fortran, text, room);
	return true;
}

struct behind {
	struct symbol_code structure; /* owned; gives its address */
	int64_t within;
};

/* How far behind the structure's beginning c leads; false: elsewhere. */
static bool is_behind(const struct symbol_code *structure, const struct symbol_code *c,
		      int64_t *out)
{
	*out = 0;
	if (!structure->n || c->n < structure->n)
		return false;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct markcode_op *op = &c->op[i], *of = &structure->op[i];

		if (i >= structure->n && op->op == MARKCODE_CONST)
			*out += op->value;
		else if (i >= structure->n && op->op != MARKCODE_ADD)
			return false;
		if (i >= structure->n)
			continue;
		if (op->op != of->op || op->arg != of->arg)
			return false;
		if (op->value != of->value && (op->op != MARKCODE_REG || i + 1 != structure->n))
			return false;
		*out += op->value - of->value;
	}
	return true;
}

/* A variable of the function that is in the structure itself. */
static bool is_passed(const struct code_scope *x, Dwarf_Die *die, const void *want, char *text,
		      size_t room)
{
	const struct behind *b = want;
	struct type_part part = { .want = 0 };
	struct symbol_code code = { 0 };
	const char *name = dwarf_diename(die);
	bool value = true, is;
	int64_t at = 0;

	is = name && type_of(die, &part.die) && code_of_variable(x, die, &code, &value) && !value &&
	     is_behind(&b->structure, &code, &at);
	code_clear(&code);
	return is && put_name(x, name, &part, b->within - at, text, room);
}

/* Without members in the debug information (those of C with arrays of variable length). */
static bool search_passed(const struct code_scope *x, Dwarf_Die *parameter, int64_t within,
			  char *text, size_t room)
{
	struct behind b = { .within = within };
	struct code_scope in = *x;
	bool value, is;

	is = code_of_variable(x, parameter, &b.structure, &value);
	if (is && !value)
		code_add(&b.structure, MARKCODE_LOAD, 8, 0);
	is = is && search(x, &in.function, false, is_passed, &b, DEPTH, text, room);
	code_clear(&b.structure);
	return is;
}

const char *symbols_passed_at(struct symbols *s, const char *module, uint64_t vaddr, int64_t within,
			      char *text, size_t room)
{
	Dwarf_Die structure, parameter;
	struct code_scope x;
	bool is = !code_scope_open(s, module, vaddr, &x, NULL) &&
		  passed(&x, &parameter, &structure) &&
		  (is_member(&x, &structure, within, text, room) ||
		   search_passed(&x, &parameter, within, text, room));

	code_scope_close(&x);
	return is ? text : NULL;
}
