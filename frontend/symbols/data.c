/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/symbols/symbols.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/core/err.h"
#include "common/core/parse.h"
#include "common/array/value.h"
#include "common/debuginfo/debuginfo.h"
#include "frontend/symbols/internal.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xvec.h"

#define DEEP 64 /* scopes in one another that are looked into */

/* Names are owned by libdw. */
struct variable {
	uint64_t vaddr, size;
	const char *name, *file;
	const char *func;  /* the function that it is declared in, "" none */
	const char *scope; /* common block, function, module, namespace: nscope bytes */
	unsigned nscope;
	uint32_t line;
	bool typed; /* die is its type, peeled */
	bool fortran;
	bool shared; /* others have the name, too: it is reported with its scope */
	Dwarf_Die type;
};

struct variables {
	struct variable *item; /* by address; common blocks have several names for one */
	size_t n, cap;
	struct variables
		*declared; /* owned; of other modules, by name; only while all are gathered */
};

void variables_destroy(struct variables *v)
{
	if (v)
		variables_destroy(v->declared);
	if (v)
		free(v->item);
	free(v);
}

static void add(struct variables *v, const struct variable *x)
{
	xvec_room(v->item, v->cap, v->n + 1);
	v->item[v->n++] = *x;
}

/* A unit, while its scopes are gone through. */
struct unit {
	struct variables *v;
	Dwfl_Module *mod;
	Dwarf_Die *cu;
	uint64_t bias;
	bool fortran;
};

/* The address of a variable that has one for the whole run. */
static bool address_of(const struct unit *u, Dwarf_Die *die, uint64_t *addr)
{
	Dwarf_Attribute at, where;
	Dwarf_Addr value;
	Dwarf_Op *op;
	size_t n;

	if (dwarf_attr(die, DW_AT_const_value, &at) &&
	    debuginfo_constant(u->mod, u->cu, die, addr) == DEBUGINFO_MEMORY)
		return true;
	if (!dwarf_attr(die, DW_AT_location, &at) || dwarf_getlocation(&at, &op, &n) || !n)
		return false;
	if (op[0].atom == DW_OP_addr)
		value = op[0].number;
	else if (op[0].atom != DW_OP_addrx || dwarf_getlocation_attr(&at, op, &where) ||
		 dwarf_formaddr(&where, &value))
		return false;
	if (n == 2 && op[1].atom == DW_OP_plus_uconst)
		value += op[1].number;
	else if (n != 1)
		return false;
	*addr = value + u->bias;
	return true;
}

static void take_variable(const struct unit *u, Dwarf_Die *die, const char *func, const char *scope)
{
	struct variable x = { .func = func,
			      .scope = scope,
			      .nscope = (unsigned)strlen(scope),
			      .fortran = u->fortran };
	Dwarf_Attribute at;
	int line = 0;

	bool here = address_of(u, die, &x.vaddr);

	if (!here && !dwarf_hasattr(die, DW_AT_declaration))
		return;
	x.name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &at));
	if (!x.name)
		return;
	x.file = symbols_declared_in(u->cu, die);
	x.line = dwarf_decl_line(die, &line) ? 0 : (uint32_t)line;
	x.typed = type_of(die, &x.type);
	x.size = x.typed ? type_size(&x.type, x.fortran) : 0;
	if (here || (x.typed && x.size))
		add(here ? u->v : u->v->declared, &x);
}

static bool is_scope(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_module ||
	       tag == DW_TAG_namespace || tag == DW_TAG_common_block;
}

/* All in a scope, and in those within. */
static void take_scope(const struct unit *u, Dwarf_Die *die, const char *func, const char *scope,
		       unsigned depth)
{
	Dwarf_Die child;

	if (depth > DEEP || dwarf_child(die, &child))
		return;
	do {
		int tag = dwarf_tag(&child);
		const char *name;

		if (tag == DW_TAG_variable) {
			take_variable(u, &child, func, scope);
		} else if (is_scope(tag)) {
			name = tag == DW_TAG_lexical_block ? NULL : dwarf_diename(&child);
			take_scope(u, &child, name && tag == DW_TAG_subprogram ? name : func,
				   name ? name : scope, depth + 1);
		}
	} while (dwarf_siblingof(&child, &child) == 0);
}

/* gfortran calls variable v of module m "__m_MOD_v". */
static void take_symbol(struct variables *v, const char *name, uint64_t at, uint64_t size)
{
	const char *mark = strncmp(name, "__", 2) ? NULL : strstr(name + 2, "_MOD_");
	struct variable x = { .vaddr = at, .size = size, .name = name, .func = "", .scope = "" };

	if (mark) {
		x.name = mark + 5;
		x.scope = name + 2;
		x.nscope = (unsigned)(mark - x.scope);
		x.fortran = true;
	}
	add(v, &x);
}

/* Symbols of data that the debug information does not have. */
static void take_symbols(struct variables *v, const struct module *m)
{
	int n = dwfl_module_getsymtab(m->mod);

	for (int i = 0; i < n; i++) {
		GElf_Sym sym;
		GElf_Addr at;
		const char *name = dwfl_module_getsym_info(m->mod, i, &sym, &at, NULL, NULL, NULL);

		if (name && *name && GELF_ST_TYPE(sym.st_info) == STT_OBJECT && sym.st_size &&
		    sym.st_shndx != SHN_UNDEF)
			take_symbol(v, name, at, sym.st_size);
	}
}

/* By address; of one address first what has a type, then what is larger. */
static int by_address(const void *a, const void *b)
{
	const struct variable *x = a, *y = b;

	if (x->vaddr != y->vaddr)
		return x->vaddr < y->vaddr ? -1 : 1;
	if (x->typed != y->typed)
		return x->typed ? -1 : 1;
	return (x->size < y->size) - (x->size > y->size);
}

static int by_plain_name(const void *a, const void *b)
{
	const struct variable *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/*
 * A program has copies of variables of libraries (R_COPY), of which its debug information has only
 * the declaration.
 */
static void take_types(struct variables *v)
{
	const struct variables *d = v->declared;

	if (!d->n)
		return;
	qsort(d->item, d->n, sizeof(*d->item), by_plain_name);
	for (size_t i = 0; i < v->n; i++) {
		struct variable *x = &v->item[i];
		const struct variable *y =
			x->typed ? NULL
				 : bsearch(x, d->item, d->n, sizeof(*d->item), by_plain_name);

		if (!y || y->size != x->size)
			continue;
		x->typed = true;
		x->type = y->type;
		x->file = y->file;
		x->line = y->line;
	}
}

static int by_name(const void *a, const void *b)
{
	const struct variable *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* The same, told twice: by its symbol, or by an inlined copy of its function. */
static bool same(const struct variable *x, const struct variable *y)
{
	return x->vaddr == y->vaddr &&
	       (!y->typed || (!strcmp(x->name, y->name) && x->func == y->func));
}

/*
 * clang reports a static variable in a function that is inlined everywhere without the function's
 * name; its symbol is called FUNCTION.VARIABLE.
 */
static void take_scope_of(struct variable *x, const struct variable *symbol)
{
	size_t whole = strlen(symbol->name), n = strlen(x->name);

	if (x->nscope || symbol->typed || whole < n + 2 || symbol->name[whole - n - 1] != '.' ||
	    strcmp(symbol->name + whole - n, x->name) != 0)
		return;
	x->scope = symbol->name;
	x->nscope = (unsigned)(whole - n - 1);
}

/* Each once; which of them share their names. */
static void put_in_order(struct variables *v)
{
	const struct variable **name = xcalloc(v->n + 1, sizeof(*name));
	size_t n = 0;

	if (v->n)
		qsort(v->item, v->n, sizeof(*v->item), by_address);
	for (size_t i = 0; i < v->n; i++)
		if (!n || !same(&v->item[n - 1], &v->item[i]))
			v->item[n++] = v->item[i];
		else
			take_scope_of(&v->item[n - 1], &v->item[i]);
	v->n = n;
	for (size_t i = 0; i < n; i++)
		name[i] = &v->item[i];
	if (n)
		qsort(name, n, sizeof(*name), by_name);
	for (size_t i = 1; i < n; i++)
		if (!strcmp(name[i - 1]->name, name[i]->name) &&
		    name[i - 1]->vaddr != name[i]->vaddr)
			v->item[name[i - 1] - v->item].shared = v->item[name[i] - v->item].shared =
				true;
	free(name);
}

/* NULL: the module cannot be read. */
static struct variables *variables_of(struct symbols *s, const char *path)
{
	struct module *m = path && *path ? symbols_module(s, path) : NULL;
	Dwarf_Die *cu = NULL;
	Dwarf_Addr bias = 0;

	if (!m || !m->mod)
		return NULL;
	if (m->variables)
		return m->variables;
	m->variables = xcalloc(1, sizeof(*m->variables));
	m->variables->declared = xcalloc(1, sizeof(*m->variables));
	while ((cu = dwfl_module_nextcu(m->mod, cu, &bias)) != NULL) {
		const struct unit u = { m->variables, m->mod, cu, bias, debuginfo_fortran(cu) };

		take_scope(&u, cu, "", "", 0);
	}
	take_symbols(m->variables, m);
	put_in_order(m->variables);
	take_types(m->variables);
	variables_destroy(m->variables->declared);
	m->variables->declared = NULL;
	return m->variables;
}

/*
 * The last that begins at or before the address and reaches to it, NULL: none. Of several that a
 * common block has there the one of that function.
 */
static const struct variable *at_address(const struct variables *v, uint64_t vaddr,
					 const char *func)
{
	const struct variable *found = NULL;
	size_t low = 0, high = v->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (v->item[mid].vaddr <= vaddr)
			low = mid + 1;
		else
			high = mid;
	}
	/* one may be in another: parts of a common block, a symbol in the middle of an array */
	for (unsigned tries = 0; low-- > 0 && tries < DEEP; tries++) {
		const struct variable *x = &v->item[low];

		if (vaddr - x->vaddr >= x->size)
			continue;
		if (!strcmp(x->func, func))
			return x;
		/* the first of its address */
		if (!found || found->vaddr == x->vaddr)
			found = x;
	}
	return found;
}

/* What distinguishes it from others of the name: a scope, a file, or nothing. */
static const char *scope_of(const struct variable *x, int *n)
{
	const char *file = x->file ? path_base(x->file) : "";

	*n = x->nscope ? (int)x->nscope : (int)strlen(file);
	return x->nscope ? x->scope : file;
}

/* "t", or with what distinguishes it from others of the name: "solve::t", "heat.c::t". */
static void put_name(const struct variable *x, char *text, size_t room)
{
	int n;
	const char *scope = scope_of(x, &n);

	snprintf(text, room, "%.*s%s%s", x->shared ? n : 0, scope, x->shared && n ? "::" : "",
		 x->name);
}

static void fill(const struct variable *x, uint64_t off, struct symbol_data *out)
{
	*out = (struct symbol_data){ .vaddr = x->vaddr + off,
				     .size = x->size,
				     .type = VALUE_TYPES,
				     .file = x->file,
				     .line = x->line };
}

const char *symbols_data_at(struct symbols *s, const char *module, uint64_t vaddr, unsigned size,
			    const char *func, struct symbol_data *out, char *text, size_t room)
{
	const struct variables *v = variables_of(s, module);
	const struct variable *x = v ? at_address(v, vaddr, func ? func : "") : NULL;
	struct symbol_data data;
	struct type_part part;
	uint64_t off;

	if (!x)
		return NULL;
	out = out ? out : &data;
	off = vaddr - x->vaddr;
	fill(x, off, out);
	put_name(x, text, room);
	if (x->typed) {
		part = (struct type_part){ .die = x->type, .off = off, .want = size };
		type_name(&part, x->fortran, text, room);
		off = part.off;
		out->type = part.type;
		out->size = part.size;
	}
	if (off && strlen(text) < room)
		snprintf(text + strlen(text), room - strlen(text), "+%llu",
			 (unsigned long long)off);
	return text;
}

uint64_t symbols_data_room(struct symbols *s, const char *module, uint64_t vaddr, char *text,
			   size_t room)
{
	const struct variables *v = variables_of(s, module);
	uint64_t most = 0;

	for (size_t i = 0; v && i < v->n; i++) {
		const struct variable *x = &v->item[i];

		if (vaddr < x->vaddr || vaddr - x->vaddr >= x->size ||
		    x->size - (vaddr - x->vaddr) <= most)
			continue;
		most = x->size - (vaddr - x->vaddr);
		put_name(x, text, room);
	}
	return most;
}

/* Whether the variable is "scope::name", or "name" (n bytes; scope NULL). */
static bool is_called(const struct variable *x, const char *scope, size_t nscope, const char *name,
		      size_t n)
{
	const char *file = x->file ? path_base(x->file) : "";
	int (*compare)(const char *, const char *, size_t) = x->fortran ? strncasecmp : strncmp;

	if (strlen(x->name) != n || compare(x->name, name, n) != 0)
		return false;
	return !scope || (x->nscope == nscope && !compare(x->scope, scope, nscope)) ||
	       (strlen(file) == nscope && !strncmp(file, scope, nscope));
}

static int ambiguous(const struct variable *x, const struct variable *y, struct err *err)
{
	int n, m;
	const char *one = scope_of(x, &n), *other = scope_of(y, &m);

	return err_set(err, "several variables are called %s: %.*s::%s and %.*s::%s", x->name, n,
		       one, x->name, m, other, y->name);
}

int symbols_data_find(struct symbols *s, const char *module, const char *text,
		      struct symbol_data *out, struct err *err)
{
	const struct variables *v = variables_of(s, module);
	const char *mark = strstr(text, "::"), *name = mark ? mark + 2 : text, *rest;
	size_t n = strcspn(name, "[(.%"), nscope = mark ? (size_t)(mark - text) : 0;
	const struct variable *x = NULL;
	struct type_part part;

	for (size_t i = 0; v && i < v->n; i++) {
		const struct variable *y = &v->item[i];

		/* a file may have a dot in its name, which a scope has not */
		if (!is_called(y, mark ? text : NULL, nscope, name, n) ||
		    (x && x->typed && !y->typed))
			continue;
		if (x && x->typed == y->typed && x->vaddr != y->vaddr)
			return ambiguous(x, y, err);
		if (!x || !x->typed)
			x = y;
	}
	if (!x)
		return 0;
	fill(x, 0, out);
	rest = name + n;
	if (!x->typed && *rest)
		return err_set(err, "%s: there is no debug information of %.*s, so no %s of it",
			       text, (int)n, name, rest);
	if (!x->typed)
		return 1;
	part = (struct type_part){ .die = x->type };
	if (type_find(&part, x->fortran, rest, err))
		return err_prefix(err, "%s", text);
	out->vaddr = x->vaddr + part.off;
	out->size = part.size;
	out->type = part.type;
	return 1;
}
