/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where variables are at an address of the code, as programs for the runtime: DWARF's locations,
 * written in the operations of common/markcode.
 */
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/debuginfo/debuginfo.h"
#include "frontend/symbols/internal.h"
#include "frontend/util/xvec.h"

void code_add(struct symbol_code *c, unsigned op, unsigned arg, int64_t value)
{
	struct markcode_op *o = xvec_add(c->op, c->n);

	*o = (struct markcode_op){ op, arg, value };
}

void code_append(struct symbol_code *c, const struct symbol_code *more)
{
	for (uint32_t i = 0; i < more->n; i++)
		code_add(c, more->op[i].op, more->op[i].arg, more->op[i].value);
}

void code_clear(struct symbol_code *c)
{
	free(c->op);
	*c = (struct symbol_code){ 0 };
}

static const uint8_t plain[][2] = {
	{ DW_OP_plus, MARKCODE_ADD },  { DW_OP_minus, MARKCODE_SUB }, { DW_OP_mul, MARKCODE_MUL },
	{ DW_OP_div, MARKCODE_DIV },   { DW_OP_mod, MARKCODE_MOD },   { DW_OP_and, MARKCODE_AND },
	{ DW_OP_or, MARKCODE_OR },     { DW_OP_xor, MARKCODE_XOR },   { DW_OP_shl, MARKCODE_SHL },
	{ DW_OP_shr, MARKCODE_SHR },   { DW_OP_shra, MARKCODE_SHRA }, { DW_OP_eq, MARKCODE_EQ },
	{ DW_OP_ne, MARKCODE_NE },     { DW_OP_lt, MARKCODE_LT },     { DW_OP_le, MARKCODE_LE },
	{ DW_OP_gt, MARKCODE_GT },     { DW_OP_ge, MARKCODE_GE },     { DW_OP_neg, MARKCODE_NEG },
	{ DW_OP_not, MARKCODE_NOT },   { DW_OP_abs, MARKCODE_ABS },   { DW_OP_dup, MARKCODE_DUP },
	{ DW_OP_drop, MARKCODE_DROP }, { DW_OP_swap, MARKCODE_SWAP }, { DW_OP_over, MARKCODE_OVER },
	{ DW_OP_rot, MARKCODE_ROT },
};

static bool plain_op(const Dwarf_Op *op, struct symbol_code *out)
{
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		if (op->atom == plain[i][0]) {
			code_add(out, plain[i][1], 0, 0);
			return true;
		}
	}
	return false;
}

static bool constant(const struct code_scope *x, Dwarf_Attribute *attr, const Dwarf_Op *op,
		     struct symbol_code *out)
{
	Dwarf_Attribute at;
	Dwarf_Addr addr;

	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
		code_add(out, MARKCODE_CONST, 0, op->atom - DW_OP_lit0);
		return true;
	}
	switch (op->atom) {
	case DW_OP_addr:
		code_add(out, MARKCODE_BASE, 0, (int64_t)(op->number + x->bias));
		return true;
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		if (dwarf_getlocation_attr(attr, op, &at) || dwarf_formaddr(&at, &addr))
			return false;
		code_add(out, MARKCODE_BASE, 0, (int64_t)(addr + x->bias));
		return true;
	case DW_OP_const1u:
	case DW_OP_const2u:
	case DW_OP_const4u:
	case DW_OP_const8u:
	case DW_OP_const1s:
	case DW_OP_const2s:
	case DW_OP_const4s:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		code_add(out, MARKCODE_CONST, 0, (int64_t)op->number);
		return true;
	}
	return false;
}

/* The function of a level; NULL: there is none. */
static Dwarf_Die *function_at(const struct code_scope *x, unsigned level)
{
	for (int i = 0; i < x->nscope; i++)
		if (dwarf_tag(&x->scope[i]) == DW_TAG_subprogram && !level--)
			return &x->scope[i];
	return NULL;
}

/*
 * Where in its frame a function has what functions internal to it use: all such variables but the
 * first are so many bytes behind one place, and less than `size`; if it is the only one it has this
 * size.
 */
static bool shared_at(const struct code_scope *x, Dwarf_Die *host, uint64_t size, int64_t *at)
{
	Dwarf_Die child, type;
	unsigned behind = 0, alone = 0;
	int64_t only = 0;

	*at = 0;
	for (bool more = !dwarf_child(host, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		Dwarf_Attribute attr;
		Dwarf_Op *op;
		size_t n;

		if (!dwarf_attr(&child, DW_AT_location, &attr) ||
		    dwarf_getlocation_addr(&attr, x->vaddr - x->bias, &op, &n, 1) != 1 || !n ||
		    op[0].atom != DW_OP_fbreg)
			continue;
		if (n == 2 && op[1].atom == DW_OP_plus_uconst) {
			if (op[1].number >= size || (behind++ && *at != (int64_t)op[0].number))
				return false;
			*at = (int64_t)op[0].number;
		} else if (n == 1 && type_of(&child, &type) &&
			   (type_size(&type, x->fortran) + 7) / 8 * 8 == size) {
			alone++;
			only = (int64_t)op[0].number;
		}
	}
	if (!behind)
		*at = only;
	return behind || alone == 1;
}

/*
 * The frame of the host: its static link leads to the host's shared variables, and to the frame's
 * address behind them, which gfortran leaves 0.
 */
static bool host_base(const struct code_scope *inner, Dwarf_Die *host, Dwarf_Attribute *link,
		      const Dwarf_Op *op, size_t n, struct symbol_code *out)
{
	bool value;
	int64_t at;

	if (n < 3 || op[n - 1].atom != DW_OP_deref || op[n - 2].atom != DW_OP_plus_uconst ||
	    !shared_at(inner, host, op[n - 2].number, &at))
		return code_of_location(inner, link, op, n, NULL, out, &value);
	if (!code_of_location(inner, link, op, n - 2, NULL, out, &value))
		return false;
	code_add(out, MARKCODE_CONST, 0, at);
	code_add(out, MARKCODE_SUB, 0, 0);
	return true;
}

/* The function's own, or what its static link says of its host's. */
static bool frame_base(const struct code_scope *x, struct symbol_code *out)
{
	struct code_scope inner = *x;
	Dwarf_Die *function;
	Dwarf_Attribute at;
	Dwarf_Op *ops;
	bool value;
	size_t n;

	inner.level -= x->level > 0;
	function = function_at(x, inner.level);
	if (!function ||
	    !dwarf_attr_integrate(function, x->level ? DW_AT_static_link : DW_AT_frame_base, &at) ||
	    dwarf_getlocation_addr(&at, x->vaddr - x->bias, &ops, &n, 1) != 1 ||
	    (n && ops[0].atom == DW_OP_fbreg && !x->level))
		return false;
	return x->level ? host_base(&inner, function_at(x, x->level), &at, ops, n, out) :
			  code_of_location(&inner, &at, ops, n, NULL, out, &value);
}

/* What is declared in a host is in its frame: x, so that locations of the declaration are right. */
static struct code_scope scope_of(const struct code_scope *x, Dwarf_Die *die)
{
	struct code_scope of = *x;
	Dwarf_Die *around = NULL;
	int n;

	of.level = 0;
	if (!function_at(x, 1))
		return of;
	n = dwarf_getscopes_die(die, &around);
	for (int i = 0; i < n; i++) {
		Dwarf_Die *host = function_at(x, 1);

		if (dwarf_tag(&around[i]) != DW_TAG_subprogram)
			continue;
		for (unsigned level = 1; host; host = function_at(x, ++level))
			if (dwarf_dieoffset(host) == dwarf_dieoffset(&around[i]))
				of.level = level;
		break;
	}
	free(around);
	return of;
}

/* Numbers from the frame's registers and the object that is looked at. */
static bool from_frame(const struct code_scope *x, const Dwarf_Op *op,
		       const struct symbol_code *object, struct symbol_code *out)
{
	unsigned reg = op->atom - DW_OP_breg0;
	int64_t off = (int64_t)op->number;

	/* registers are the function's own */
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		code_add(out, MARKCODE_REG, reg, off);
		return reg < MARKCODE_REGS && !x->level;
	}
	switch (op->atom) {
	case DW_OP_bregx:
		code_add(out, MARKCODE_REG, (unsigned)op->number, (int64_t)op->number2);
		return op->number < MARKCODE_REGS && !x->level;
	case DW_OP_fbreg:
		if (!frame_base(x, out))
			return false;
		code_add(out, MARKCODE_CONST, 0, off);
		code_add(out, MARKCODE_ADD, 0, 0);
		return true;
	case DW_OP_call_frame_cfa:
		return !x->level && code_of_frame(x, out);
	case DW_OP_push_object_address:
		if (object)
			code_append(out, object);
		return object;
	case DW_OP_deref:
	case DW_OP_deref_size:
		code_add(out, MARKCODE_LOAD, op->atom == DW_OP_deref ? 8 : (unsigned)op->number, 0);
		return op->atom == DW_OP_deref || (op->number >= 1 && op->number <= 8);
	case DW_OP_plus_uconst:
		code_add(out, MARKCODE_CONST, 0, off);
		code_add(out, MARKCODE_ADD, 0, 0);
		return true;
	case DW_OP_nop:
		return true;
	}
	return false;
}

bool code_of_location(const struct code_scope *x, Dwarf_Attribute *attr, const Dwarf_Op *op,
		      size_t n, const struct symbol_code *object, struct symbol_code *out,
		      bool *value)
{
	*value = false;
	for (size_t i = 0; i < n; i++, op++) {
		if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
			code_add(out, MARKCODE_REG, op->atom - DW_OP_reg0, 0);
			*value = true;
			return n == 1 && op->atom - DW_OP_reg0 < MARKCODE_REGS && !x->level;
		}
		if (op->atom == DW_OP_stack_value) {
			*value = true;
			return i + 1 == n;
		}
		if (!constant(x, attr, op, out) && !from_frame(x, op, object, out) &&
		    !plain_op(op, out))
			return false;
	}
	return out->n > 0;
}

bool code_of_frame(const struct code_scope *x, struct symbol_code *out)
{
	for (int i = 0; i < 2; i++) {
		Dwarf_Addr bias = 0;
		Dwarf_CFI *cfi = i ? dwfl_module_dwarf_cfi(x->mod, &bias)
				   : dwfl_module_eh_cfi(x->mod, &bias);
		Dwarf_Frame *frame = NULL;
		struct symbol_code code = { 0 };
		Dwarf_Op *ops;
		bool value = false, good;
		size_t n;

		if (!cfi || dwarf_cfi_addrframe(cfi, x->vaddr - bias, &frame))
			continue;
		good = !dwarf_frame_cfa(frame, &ops, &n) &&
		       code_of_location(x, NULL, ops, n, NULL, &code, &value) && !value;
		free(frame);
		if (good)
			code_append(out, &code);
		code_clear(&code);
		if (good)
			return true;
	}
	return false;
}

/* What the compiler has made a number of, or says that it has. */
static bool constant_value(const struct code_scope *x, Dwarf_Die *die, Dwarf_Attribute *at,
			   struct symbol_code *out, bool *value)
{
	Dwarf_Die cu;
	Dwarf_Addr addr;
	Dwarf_Sword number;

	switch (dwarf_diecu(die, &cu, NULL, NULL) ? debuginfo_constant(x->mod, &cu, die, &addr)
						  : DEBUGINFO_CONSTANT) {
	case DEBUGINFO_MEMORY:
		*value = false;
		code_add(out, MARKCODE_BASE, 0, (int64_t)addr);
		return true;
	case DEBUGINFO_UNKNOWN: return false;
	default: break;
	}
	if (debuginfo_number(at, &number))
		return false;
	code_add(out, MARKCODE_CONST, 0, number);
	return true;
}

bool code_of_variable(const struct code_scope *in, Dwarf_Die *die, struct symbol_code *out,
		      bool *value)
{
	const struct code_scope of = scope_of(in, die), *x = &of;
	Dwarf_Attribute at;
	Dwarf_Op *ops;
	size_t n;

	*value = true;
	if (dwarf_attr_integrate(die, DW_AT_const_value, &at))
		return constant_value(x, die, &at, out, value);
	if (!dwarf_attr_integrate(die, DW_AT_location, &at) ||
	    dwarf_getlocation_addr(&at, x->vaddr - x->bias, &ops, &n, 1) != 1)
		return false;
	return code_of_location(x, &at, ops, n, NULL, out, value);
}

bool code_of_number(const struct code_scope *in, Dwarf_Die *die, unsigned name,
		    const struct symbol_code *object, struct symbol_code *out)
{
	const struct code_scope of = scope_of(in, die), *x = &of;
	Dwarf_Attribute at;
	Dwarf_Die variable;
	Dwarf_Sword number;
	Dwarf_Op *ops;
	bool value;
	size_t n;

	if (!dwarf_attr_integrate(die, name, &at))
		return false;
	switch (dwarf_whatform(&at)) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
	case DW_FORM_ref_addr:
		/* a variable that the compiler has made for it */
		if (!dwarf_formref_die(&at, &variable) ||
		    !code_of_variable(x, &variable, out, &value))
			return false;
		if (!value)
			code_add(out, MARKCODE_LOAD, 8, 0);
		return true;
	}
	if (!debuginfo_number(&at, &number)) {
		code_add(out, MARKCODE_CONST, 0, number);
		return true;
	}
	return dwarf_getlocation_addr(&at, x->vaddr - x->bias, &ops, &n, 1) == 1 &&
	       code_of_location(x, &at, ops, n, object, out, &value);
}

/* Behind the function what it is in: functions that it is internal to, its module. */
static void add_hosts(struct code_scope *x)
{
	Dwarf_Die *around = NULL;
	int n = dwarf_getscopes_die(&x->function, &around), own = 0;

	while (dwarf_tag(&x->scope[own]) != DW_TAG_subprogram)
		own++;
	if (n > 1) {
		x->scope = xreallocarray(x->scope, (size_t)(own + n), sizeof(*x->scope));
		memcpy(x->scope + own + 1, around + 1, (size_t)(n - 1) * sizeof(*around));
		x->nscope = own + n;
	}
	free(around);
}

int code_scope_open(struct symbols *s, const char *module, uint64_t vaddr, struct code_scope *x,
		    struct err *err)
{
	struct module *m = symbols_module(s, module);

	*x = (struct code_scope){ .m = m, .mod = m->mod, .vaddr = vaddr };
	x->cu = symbols_unit(m, vaddr, &x->bias);
	if (!x->cu)
		return err_set(err, "there is no debug information of it: compile with -g");
	x->fortran = debuginfo_fortran(x->cu);
	x->nscope = symbols_scopes(x->cu, vaddr - x->bias, &x->scope);
	for (int i = 0; i < x->nscope && !x->has_function; i++) {
		x->has_function = dwarf_tag(&x->scope[i]) == DW_TAG_subprogram;
		x->function = x->scope[i];
	}
	if (!x->has_function)
		return err_set(err, "its debug information has no such function");
	add_hosts(x);
	return 0;
}

void code_scope_close(struct code_scope *x)
{
	free(x->scope);
	x->scope = NULL;
	x->nscope = 0;
}

int symbols_frame(struct symbols *s, const char *module, uint64_t vaddr, struct symbol_code *out,
		  struct err *err)
{
	struct code_scope x;
	int rc = code_scope_open(s, module, vaddr, &x, err);

	if (!rc && !code_of_frame(&x, out))
		rc = err_set(err, "the program's file does not say where its frame is");
	code_scope_close(&x);
	return rc;
}

/* ---- dimensions of arrays ---- */

void code_dims_clear(struct code_dims *d)
{
	for (unsigned i = 0; i < d->n; i++) {
		code_clear(&d->dim[i].lower);
		code_clear(&d->dim[i].count);
		code_clear(&d->dim[i].stride);
	}
	code_clear(&d->data);
	*d = (struct code_dims){ 0 };
}

/* upper - lower + 1 */
static void count_of(struct code_dim *d, struct symbol_code *upper)
{
	code_append(&d->count, upper);
	code_append(&d->count, &d->lower);
	code_add(&d->count, MARKCODE_SUB, 0, 0);
	code_add(&d->count, MARKCODE_CONST, 0, 1);
	code_add(&d->count, MARKCODE_ADD, 0, 0);
}

static void take_dim(const struct code_scope *x, Dwarf_Die *die, const struct symbol_code *object,
		     struct code_dim *d)
{
	struct symbol_code upper = { 0 };

	*d = (struct code_dim){ 0 };
	if (!code_of_number(x, die, DW_AT_lower_bound, object, &d->lower)) {
		code_clear(&d->lower);
		code_add(&d->lower, MARKCODE_CONST, 0, x->fortran);
	}
	if (!code_of_number(x, die, DW_AT_count, object, &d->count)) {
		code_clear(&d->count);
		if (code_of_number(x, die, DW_AT_upper_bound, object, &upper))
			count_of(d, &upper);
	}
	if (!code_of_number(x, die, DW_AT_byte_stride, object, &d->stride))
		code_clear(&d->stride);
	code_clear(&upper);
}

bool code_dims_of(const struct code_scope *x, Dwarf_Die *type, const struct symbol_code *object,
		    struct code_dims *d)
{
	bool by_column = x->fortran || dwarf_arrayorder(type) == DW_ORD_col_major;
	Dwarf_Die child, element;
	Dwarf_Word size = 0;
	struct symbol_code next = { 0 };

	*d = (struct code_dims){ 0 };
	if (!type_of(type, &element) || dwarf_child(type, &child))
		return false;
	do
		if (dwarf_tag(&child) == DW_TAG_subrange_type && d->n < CODE_DIMS)
			take_dim(x, &child, object, &d->dim[d->n++]);
	while (dwarf_siblingof(&child, &child) == 0);
	if (dwarf_hasattr(type, DW_AT_data_location)) {
		if (!code_of_number(x, type, DW_AT_data_location, object, &d->data))
			return false;
	} else {
		code_append(&d->data, object);
	}
	dwarf_aggregate_size(&element, &size);
	code_add(&next, MARKCODE_CONST, 0, (int64_t)size);
	for (unsigned k = 0; k < d->n; k++) {
		struct code_dim *i = &d->dim[by_column ? k : d->n - 1 - k];

		if (!i->stride.n)
			code_append(&i->stride, &next);
		code_clear(&next);
		if (!i->count.n && k + 1 < d->n)
			return false;
		code_append(&next, &i->stride);
		code_append(&next, &i->count);
		code_add(&next, MARKCODE_MUL, 0, 0);
	}
	code_clear(&next);
	return d->n > 0;
}
