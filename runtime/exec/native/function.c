/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of the program by name, and how the processor's convention has their arguments and
 * results.
 */
#include "runtime/exec/native/internal.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/array/value.h"
#include "common/core/err.h"
#include "common/core/parse.h"
#include "common/debuginfo/debuginfo.h"
#include "runtime/page/page.h"

#ifndef DW_CC_pass_by_reference
#define DW_CC_pass_by_reference 4
#endif

#define FOUND_MOST 32
#define NAME_MOST 256
#define PARAMETERS_MOST 32

struct found {
	struct function fn;
	char name[NAME_MOST]; /* with what it is declared in */
	bool near, whole;     /* whole: that is what was asked for */
};

struct search {
	struct native *n;
	const struct frame *near;
	const char *name, *last; /* last: of it, behind "::" */
	struct found *item;
	unsigned found;
	const char *lack; /* why one of that name cannot be called */
	/* of the unit that is looked at */
	Dwfl_Module *mod;
	const char *file;
	Dwarf_Addr bias;
	bool fortran, cpp, at_near;
};

static bool is_cpp(Dwarf_Die *cu)
{
	switch (dwarf_srclang(cu)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2b: /* C++ 17 and 20 */
	case 0x2c:
		return true;
	}
	return false;
}

static bool is_same(const struct search *w, const char *a, const char *b)
{
	return !(w->fortran ? strcasecmp(a, b) : strcmp(a, b));
}

/* The name itself, that of a template without its arguments, or the symbol. */
static bool is_named(const struct search *w, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	size_t n = strlen(w->last);
	Dwarf_Attribute at;

	if (name &&
	    (is_same(w, name, w->last) || (w->cpp && !strncmp(name, w->last, n) && name[n] == '<')))
		return true;
	return w->cpp && w->last == w->name && dwarf_attr_integrate(die, DW_AT_linkage_name, &at) &&
	       (name = dwarf_formstring(&at)) && !strcmp(name, w->name);
}

/* The function's name with the name spaces, classes and modules that it is declared in. */
static void put_name(Dwarf_Die *function, char *to)
{
	Dwarf_Die die = *function, *in = NULL;
	const char *name = dwarf_diename(function);
	Dwarf_Attribute at;
	size_t used = 0;
	int n;

	for (unsigned i = 0; i < 2; i++)
		if (dwarf_attr(&die, DW_AT_abstract_origin, &at) ||
		    dwarf_attr(&die, DW_AT_specification, &at))
			dwarf_formref_die(&at, &die);
	n = dwarf_getscopes_die(&die, &in);
	*to = 0;
	for (int i = n - 1; i > 0; i--) {
		const char *scope = dwarf_diename(&in[i]);
		int tag = dwarf_tag(&in[i]);

		if (scope &&
		    (tag == DW_TAG_namespace || tag == DW_TAG_module ||
		     datum_is_structure(&in[i])) &&
		    strlen(scope) + used + 3 < NAME_MOST)
			used += (size_t)snprintf(to + used, NAME_MOST - used, "%s::", scope);
	}
	free(in);
	snprintf(to + used, NAME_MOST - used, "%s", name ? name : "");
}

/* "b::f" of "a::b::f"; name: "b::f", "file.c::f". */
static bool is_asked(const struct search *w, const char *full, bool *whole)
{
	size_t own = strlen(w->name), all = strlen(full);
	size_t file = w->file ? strlen(w->file) : 0;
	const char *name = w->name;

	*whole = false;
	if (w->last == w->name)
		return *whole = is_same(w, full, w->name), true;
	if (file && own > file + 2 && !strncmp(name, w->file, file) &&
	    !strncmp(name + file, "::", 2)) {
		name += file + 2;
		own -= file + 2;
	}
	/* of a template no arguments are given */
	if (strchr(full, '<') && !strchr(name, '<') && w->cpp) {
		const char *end = strrchr(full, ':');

		end = strchr(end ? end : full, '<');
		all = end ? (size_t)(end - full) : all;
	}
	*whole = own == all;
	return own <= all &&
	       !(w->fortran ? strncasecmp(full + all - own, name, own)
			    : strncmp(full + all - own, name, own)) &&
	       (own == all || full[all - own - 1] == ':');
}

/* The compiler has made it for some of its callers, with other arguments. */
static bool is_clone(const char *symbol)
{
	return symbol && (strstr(symbol, ".isra.") || strstr(symbol, ".constprop.") ||
			  strstr(symbol, ".part."));
}

static void consider(struct search *w, Dwarf_Die *die)
{
	struct found *to = &w->item[w->found];
	Dwarf_Attribute at;
	Dwarf_Addr code;

	if (dwarf_hasattr(die, DW_AT_declaration) || w->found == FOUND_MOST)
		return;
	put_name(die, to->name);
	if (!is_asked(w, to->name, &to->whole))
		return;
	if (dwarf_entrypc(die, &code)) {
		if (!w->lack)
			w->lack = "the compiler has inlined it wherever it is called: there is no "
				  "code of it to call";
		return;
	}
	if (is_clone(dwfl_module_addrname(w->mod, code + w->bias))) {
		w->lack = "the compiler has changed its arguments (-O2): compile its file with "
			  "-O0, or with "
			  "-fno-ipa-sra -fno-ipa-cp";
		return;
	}
	for (unsigned i = 0; i < w->found; i++)
		if (w->item[i].fn.entry == code + w->bias)
			return;
	to->near = w->at_near;
	to->fn = (struct function){ .die = *die,
				    .declared = *die,
				    .mod = w->mod,
				    .code = code,
				    .entry = code + w->bias,
				    .fortran = w->fortran,
				    .cpp = w->cpp };
	if (dwarf_attr(die, DW_AT_abstract_origin, &at))
		dwarf_formref_die(&at, &to->fn.declared);
	w->found++;
}

/* Of a unit, a module, a namespace, a class. */
static void walk(struct search *w, Dwarf_Die *parent)
{
	Dwarf_Die child;

	for (bool more = !dwarf_child(parent, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);

		bool is = tag == DW_TAG_subprogram && is_named(w, &child);

		if (is && dwarf_tag(parent) == DW_TAG_subprogram)
			w->lack = "it is internal to a procedure whose frame it needs: it cannot "
				  "be called";
		else if (is)
			consider(w, &child);
		else if (tag == DW_TAG_module || tag == DW_TAG_namespace ||
			 tag == DW_TAG_subprogram)
			walk(w, &child);
	}
}

static int each_module(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base, void *arg)
{
	struct search *w = arg;
	Dwarf_Die *cu = NULL;
	const char *file;

	if (native_is_library(w->n, native_module_path(mod)))
		return DWARF_CB_OK;
	w->mod = mod;
	while ((cu = dwfl_module_nextcu(mod, cu, &w->bias))) {
		file = dwarf_diename(cu);
		w->file = file ? path_base(file) : NULL;
		w->fortran = debuginfo_fortran(cu);
		w->cpp = is_cpp(cu);
		w->at_near = w->near && w->near->mod == mod &&
			     dwarf_dieoffset(cu) == dwarf_dieoffset((Dwarf_Die *)&w->near->cu);
		walk(w, cu);
	}
	return DWARF_CB_OK;
}

/* ---- the one that fits ---- */

static bool is_type(Dwarf_Die *a, Dwarf_Die *b)
{
	const char *name = dwarf_diename(a), *other = dwarf_diename(b);
	Dwarf_Die to, its;

	if (dwarf_tag(a) != dwarf_tag(b))
		return false;
	if (name || other)
		return name && other && !strcmp(name, other);
	if (datum_type_at(a, &to) && datum_type_at(b, &its))
		return datum_peeled(&to, &to) && datum_peeled(&its, &its) && is_type(&to, &its);
	return dwarf_dieoffset(a) == dwarf_dieoffset(b);
}

/* Whether it is derived from the other one. */
static bool is_derived(Dwarf_Die *type, Dwarf_Die *from, unsigned depth)
{
	Dwarf_Die child, base;

	for (bool more = depth < DATUM_DEEP && !dwarf_child(type, &child); more;
	     more = !dwarf_siblingof(&child, &child))
		if (dwarf_tag(&child) == DW_TAG_inheritance && datum_type_at(&child, &base) &&
		    datum_peeled(&base, &base) &&
		    (is_type(&base, from) || is_derived(&base, from, depth + 1)))
			return true;
	return false;
}

/* ---- functions of objects ---- */

/* Which of the class's virtual functions it is; -1: it is none. */
static int64_t virtual_index(Dwarf_Die *die)
{
	Dwarf_Attribute at;
	Dwarf_Word word;
	Dwarf_Op *op;
	size_t n;

	if (!dwarf_attr(die, DW_AT_vtable_elem_location, &at))
		return -1;
	if (!dwarf_formudata(&at, &word))
		return (int64_t)word;
	if (dwarf_getlocation(&at, &op, &n) || !n || op->atom != DW_OP_constu)
		return -1;
	return (int64_t)op->number;
}

/* They take the same, but for the object. */
static bool is_overridden(Dwarf_Die *die, Dwarf_Die *by)
{
	const char *name = dwarf_diename(die), *other = dwarf_diename(by);
	Dwarf_Die a, b, type, its;
	bool more, also;

	/* destructors have the names of their classes */
	if (!name || !other || (strcmp(name, other) && !(*name == '~' && *other == '~')))
		return false;
	more = !dwarf_child(die, &a);
	also = !dwarf_child(by, &b);
	for (;; more = !dwarf_siblingof(&a, &a), also = !dwarf_siblingof(&b, &b)) {
		while (more && dwarf_tag(&a) != DW_TAG_formal_parameter)
			more = !dwarf_siblingof(&a, &a);
		while (also && dwarf_tag(&b) != DW_TAG_formal_parameter)
			also = !dwarf_siblingof(&b, &b);
		if (!more || !also)
			return more == also;
		if (!dwarf_hasattr_integrate(&a, DW_AT_artificial) &&
		    (!datum_type_at(&a, &type) || !datum_peeled(&type, &type) ||
		     !datum_type_at(&b, &its) || !datum_peeled(&its, &its) ||
		     !is_type(&type, &its)))
			return false;
	}
}

/* The way from an object to what it is derived from. */
struct way {
	Dwarf_Die *to;	     /* a class; NULL: that with a virtual function … */
	Dwarf_Die *function; /* … which this one overrides */
	uint64_t at;	     /* its address */
	int64_t index;
	bool lost; /* by way of a virtual base, and the object does not say where that is */
	bool shared;
};

/* From the object at that address. */
static bool find_way(struct frame *f, Dwarf_Die *class, uint64_t object, struct way *w,
		     unsigned depth)
{
	Dwarf_Die child, base;

	w->at = object;
	if (w->to && is_type(class, w->to))
		return true;
	for (bool more = !w->to && !dwarf_child(class, &child); more;
	     more = !dwarf_siblingof(&child, &child))
		if (dwarf_tag(&child) == DW_TAG_subprogram &&
		    (w->index = virtual_index(&child)) >= 0 && is_overridden(&child, w->function))
			return true;
	for (bool more = depth < DATUM_DEEP && !dwarf_child(class, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		bool virtual = dwarf_hasattr(&child, DW_AT_virtuality), lost = false;
		uint64_t at = object;

		if (dwarf_tag(&child) != DW_TAG_inheritance || !datum_type_at(&child, &base) ||
		    !datum_peeled(&base, &base))
			continue;
		if (virtual)
			lost = !location_base(f, &child, object, &at);
		else
			at += (uint64_t)datum_member_at(f, &child);
		if (!find_way(f, &base, at, w, depth + 1))
			continue;
		w->shared |= virtual;
		w->lost |= lost;
		return true;
	}
	return false;
}

/* The class that it is declared in. */
static bool class_of(const struct function *fn, Dwarf_Die *declared, Dwarf_Die *class)
{
	Dwarf_Die *in = NULL;
	Dwarf_Attribute at;
	bool is;

	*declared = fn->declared;
	if (dwarf_attr(declared, DW_AT_specification, &at))
		dwarf_formref_die(&at, declared);
	is = dwarf_getscopes_die(declared, &in) > 1 && datum_is_structure(&in[1]);
	if (is)
		*class = in[1];
	free(in);
	return is;
}

int function_of_object(struct frame *f, struct function *fn, Dwarf_Die *class, bool named,
		       uint64_t *object, struct err *err)
{
	Dwarf_Die own, declared;
	struct way base = { .to = &own }, table = { .function = &declared };
	uint64_t at;

	if (!class_of(fn, &declared, &own) || dwarf_hasattr(class, DW_AT_declaration))
		return 0;
	if (!named && find_way(f, class, *object, &table, 0)) {
		*object = table.at;
		if (!table.lost && frame_read(f, *object, &at, sizeof(at)) &&
		    frame_read(f, at + 8 * (uint64_t)table.index, &fn->entry, sizeof(at)) &&
		    dwfl_addrmodule(f->dwfl, fn->entry))
			return 0;
		return err_set(err, "the object has no table of virtual functions: it has "
				    "not been constructed, or is no more");
	}
	if (!find_way(f, class, *object, &base, 0))
		return err_set(err, "it is of class %s, and the function is of %s",
			       dwarf_diename(class), dwarf_diename(&own));
	*object = base.at;
	return base.lost ? err_set(err, "the object does not say where its virtual base is: it has "
					"not been constructed, or is no more")
			 : 0;
}

int function_convert(struct frame *f, Dwarf_Die *from, Dwarf_Die *to, uint64_t *object)
{
	struct way up = { .to = to }, down = { .to = from };

	if (!*object || is_type(from, to) || !datum_is_structure(from) || !datum_is_structure(to))
		return 0;
	if (find_way(f, from, *object, &up, 0)) {
		*object = up.at;
		return up.lost ? -1 : 1;
	}
	if (!find_way(f, to, *object, &down, 0))
		return 0;
	*object -= down.at - *object;
	return down.shared ? -1 : 1;
}

bool function_is_scoped(const char *name)
{
	const char *end = strstr(name, "::");

	return end && (!memchr(name, '.', (size_t)(end - name)) || strstr(end + 2, "::"));
}

enum { FIT_NOT, FIT_CONVERTED, FIT_PROMOTED, FIT_EXACT };

static int fit_number(Dwarf_Die *type, unsigned given)
{
	unsigned takes = datum_number_type(type);
	enum value_class class = value_class(given);

	if (dwarf_tag(type) == DW_TAG_pointer_type)
		return class == VALUE_IS_INT ? FIT_CONVERTED : FIT_NOT;
	if (dwarf_tag(type) != DW_TAG_base_type)
		return FIT_NOT;
	if (takes == given)
		return FIT_EXACT;
	if (class == VALUE_IS_COMPLEX)
		return FIT_NOT;
	if ((takes == VALUE_INT && class != VALUE_IS_REAL && value_size(given) < 4) ||
	    (takes == VALUE_DOUBLE && given == VALUE_FLOAT))
		return FIT_PROMOTED;
	return FIT_CONVERTED;
}

/* An object, or what a pointer leads to. */
static int fit_type(Dwarf_Die *takes, const struct function_argument *a)
{
	if (!a->typed)
		return FIT_CONVERTED;
	return is_type(takes, (Dwarf_Die *)&a->type)	     ? FIT_EXACT
	       : is_derived((Dwarf_Die *)&a->type, takes, 0) ? FIT_PROMOTED
							     : FIT_NOT;
}

static bool is_enumeration(const struct function_argument *a)
{
	return a->typed && dwarf_tag((Dwarf_Die *)&a->type) == DW_TAG_enumeration_type;
}

static int fit(Dwarf_Die *parameter, const struct function_argument *a)
{
	Dwarf_Die type, to;
	int tag;

	if (a->kind == ARGUMENT_ANY || !datum_type_at(parameter, &type) ||
	    !datum_peeled(&type, &type))
		return FIT_CONVERTED;
	tag = dwarf_tag(&type);
	if ((tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type) &&
	    (!datum_type_at(&type, &type) || !datum_peeled(&type, &type)))
		return FIT_CONVERTED;
	if (a->kind == ARGUMENT_NUMBER)
		return fit_number(&type, a->number);
	if (a->kind == ARGUMENT_OBJECT)
		return is_enumeration(a) && dwarf_tag(&type) == DW_TAG_base_type
			       ? FIT_PROMOTED
			       : fit_type(&type, a);
	if (dwarf_tag(&type) != DW_TAG_pointer_type)
		return FIT_NOT;
	if (!datum_type_at(&type, &to) || !datum_peeled(&to, &to))
		return FIT_CONVERTED;
	if (a->kind == ARGUMENT_TEXT)
		return datum_number_type(&to) == VALUE_CHAR ? FIT_EXACT : FIT_NOT;
	return fit_type(&to, a);
}

/* How each argument fits; false: one does not. */
static bool fit_all(const struct found *x, const struct function_argument *a, size_t n, int *level)
{
	Dwarf_Die child, declared = x->fn.declared;
	bool first = true;
	size_t i = 0;

	for (bool more = !dwarf_child(&declared, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) == DW_TAG_unspecified_parameters) {
			for (; i < n; i++)
				level[i] = FIT_CONVERTED;
			return true;
		}
		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		/* that of the function that is called it in */
		if (first && convention_is_object(&child) &&
		    (!n || (a[0].kind != ARGUMENT_POINTER && a[0].kind != ARGUMENT_OBJECT))) {
			first = false;
			continue;
		}
		first = false;
		if (i == n)
			return false;
		level[i] = fit(&child, &a[i]);
		if (!level[i++])
			return false;
	}
	return i == n;
}

/* The other fits as well in each argument, and better in one. */
static bool is_worse(const int *level, const int *other, size_t n)
{
	bool worse = false;

	for (size_t i = 0; i < n; i++) {
		if (level[i] > other[i])
			return false;
		worse |= level[i] < other[i];
	}
	return worse;
}

/* Keeps those that fit, and of these the ones that no other one is better than. */
static unsigned keep_fitting(struct found *x, unsigned found,
			     const struct function_arguments *given)
{
	struct function_argument a[PARAMETERS_MOST];
	int level[FOUND_MOST][PARAMETERS_MOST];
	bool out[FOUND_MOST] = { false };
	unsigned n = 0;

	if (given->n > PARAMETERS_MOST)
		return found;
	given->describe(given->arg, a);
	for (unsigned i = 0; i < found; i++)
		if (fit_all(&x[i], a, given->n, level[n]))
			x[n++] = x[i];
	found = n;
	for (unsigned i = 0; i < found; i++)
		for (unsigned k = 0; k < found; k++)
			out[i] |= k != i && is_worse(level[i], level[k], given->n);
	n = 0;
	for (unsigned i = 0; i < found; i++)
		if (!out[i])
			x[n++] = x[i];
	return n;
}

/* A virtual function that the class of the object has without a body: any that overrides it stands
 * for all of them, as the object's table decides. */
static unsigned keep_overriding(struct found *x, unsigned found, struct frame *near,
				const struct function_arguments *given)
{
	struct function_argument a[PARAMETERS_MOST];
	int level[PARAMETERS_MOST];

	if (!given->n || given->n > PARAMETERS_MOST)
		return 0;
	given->describe(given->arg, a);
	for (unsigned i = 0; i < found && a[0].typed; i++) {
		Dwarf_Die declared, own, class = a[0].type;
		struct way table = { .function = &declared };
		bool fits;

		if (!class_of(&x[i].fn, &declared, &own) || !is_derived(&own, &class, 0) ||
		    !find_way(near, &class, 0, &table, 0))
			continue;
		a[0].type = own;
		fits = fit_all(&x[i], a, given->n, level);
		a[0].type = class;
		if (fits) {
			x[0] = x[i];
			return 1;
		}
	}
	return 0;
}

/* Those that are near, or are in no scope, when there are such; else all. */
static unsigned keep_near(struct found *x, unsigned found, bool near)
{
	unsigned n = 0;

	for (unsigned i = 0; i < found; i++)
		n += near ? x[i].near : x[i].whole;
	if (!n)
		return found;
	n = 0;
	for (unsigned i = 0; i < found; i++)
		if (near ? x[i].near : x[i].whole)
			x[n++] = x[i];
	return n;
}

static void put_type(Dwarf_Die *type, char *to, size_t n)
{
	Dwarf_Die bare, of;
	int tag = datum_peeled(type, &bare) ? dwarf_tag(&bare) : 0;
	const char *name = tag ? dwarf_diename(&bare) : NULL;
	size_t used;

	if (name || !(tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
		      tag == DW_TAG_rvalue_reference_type)) {
		snprintf(to, n, "%s", name ? name : "…");
		return;
	}
	if (datum_type_at(&bare, &of))
		put_type(&of, to, n);
	else
		snprintf(to, n, "void");
	used = strlen(to);
	snprintf(to + used, n - used, "%s",
		 tag == DW_TAG_pointer_type	? " *"
		 : tag == DW_TAG_reference_type ? " &"
						: " &&");
}

/* "f(int), ns::f(double)". */
static void put_all(const struct found *x, unsigned found, char *to, size_t n)
{
	size_t used = 0;

	for (unsigned i = 0; i < found && used + NAME_MOST < n; i++) {
		Dwarf_Die child, type, declared = x[i].fn.declared;
		unsigned k = 0;

		used += (size_t)snprintf(to + used, n - used, "%s%s(", i ? ", " : "", x[i].name);
		for (bool more = !dwarf_child(&declared, &child); more && used + NAME_MOST < n;
		     more = !dwarf_siblingof(&child, &child)) {
			if (dwarf_tag(&child) != DW_TAG_formal_parameter ||
			    !datum_type_at(&child, &type))
				continue;
			used += (size_t)snprintf(to + used, n - used, "%s", k++ ? ", " : "");
			put_type(&type, to + used, NAME_MOST / 2);
			used += strlen(to + used);
		}
		used += (size_t)snprintf(to + used, n - used, ")");
	}
}

/* Of those that were found; 1, or -1 and err. */
static int choose(struct search *w, const struct function_arguments *given, struct function *out,
		  struct err *err)
{
	unsigned found = w->found, fitting;
	char all[4 * NAME_MOST] = "";

	if (!w->item[0].fn.cpp)
		found = keep_near(w->item, found, true);
	put_all(w->item, found, all, sizeof(all));
	fitting = found;
	if (found > 1 && given && w->item[0].fn.cpp)
		fitting = keep_fitting(w->item, found, given);
	if (!fitting && !function_is_scoped(w->name))
		fitting = keep_overriding(w->item, found, (struct frame *)w->near, given);
	if (fitting > 1)
		fitting = keep_near(w->item, fitting, true);
	if (fitting > 1)
		fitting = keep_near(w->item, fitting, false);
	*out = w->item[0].fn;
	if (fitting == 1)
		return 1;
	if (!w->item[0].fn.cpp)
		return err_set(err,
			       "there are %u functions %s: say of which file, as in file.c::%s",
			       found, w->name, w->last);
	return err_set(err,
		       "%s functions %s fit the arguments: %s; say which, as in file.cc::%s or "
		       "scope::%s, or cast the arguments, as in (double)x",
		       fitting ? "several" : "none of the", w->last, all, w->last, w->last);
}

int function_find(struct native *n, Dwfl *dwfl, const struct frame *near, const char *name,
		  const struct function_arguments *given, struct function *out, struct err *err)
{
	struct search w = { .n = n, .near = near, .name = name, .last = name };
	int rc = 0;

	w.item = calloc(FOUND_MOST + 1, sizeof(*w.item));
	if (!w.item)
		return err_set(err, "out of memory");
	for (const char *p = name; (p = strstr(p, "::")); p += 2)
		w.last = p + 2;
	dwfl_getmodules(dwfl, each_module, &w, 0);
	if (w.found)
		rc = choose(&w, given, out, err);
	else if (w.lack)
		rc = err_set(err, "%s: %s", name, w.lack);
	free(w.item);
	return rc;
}

bool function_by_reference(const struct function *fn, Dwarf_Die *parameter)
{
	Dwarf_Attribute at;
	Dwarf_Op *op;
	size_t n;
	unsigned last;

	if (!dwarf_attr_integrate(parameter, DW_AT_location, &at) ||
	    dwarf_getlocation_addr(&at, fn->code, &op, &n, 1) < 1 || !n)
		return true;
	last = op[n - 1].atom;
	if (last >= DW_OP_reg0 && last <= DW_OP_reg31)
		return false;
	return last != DW_OP_fbreg && last != DW_OP_stack_value && last != DW_OP_regx;
}

/* ---- arrays of Fortran ---- */

static unsigned rank_of(Dwarf_Die *array)
{
	Dwarf_Die child;
	unsigned n = 0;

	for (bool more = !dwarf_child(array, &child); more; more = !dwarf_siblingof(&child, &child))
		n += dwarf_tag(&child) == DW_TAG_subrange_type;
	return n;
}

/* enum value_type of its elements, and the name of their type; VALUE_TYPES: they are none. */
static unsigned element_type(Dwarf_Die *array, const char **name)
{
	Dwarf_Die type, bare;

	if (!datum_type_at(array, &type) || dwarf_peel_type(&type, &bare))
		return VALUE_TYPES;
	*name = dwarf_diename(&bare);
	return datum_number_type(&bare);
}

/* The elements follow one another, as a dummy argument without a descriptor takes them. */
static bool is_dense(struct frame *f, const struct datum *d, Dwarf_Die *array)
{
	Dwarf_Word size = 0;
	struct shape s;
	int64_t next;

	if (!shape_of(f, array, d, &s) || s.lacks || dwarf_aggregate_size(&s.element, &size))
		return true; /* it has no address, or no distances */
	next = (int64_t)size;
	for (unsigned k = s.n; k-- > 0;) {
		unsigned i = shape_outer(&s, k);

		if (s.count[i] != 1 && s.stride[i] != next)
			return false;
		if (s.count[i] <= 0 || __builtin_mul_overflow(next, s.count[i], &next))
			return true;
	}
	return true;
}

/* What it is, or its elements are, peeled. */
static Dwarf_Die element_of(const Dwarf_Die *type)
{
	Dwarf_Die element = *type, of;

	if (dwarf_tag(&element) == DW_TAG_array_type && datum_type_at(&element, &of) &&
	    datum_peeled(&of, &of))
		element = of;
	return element;
}

/* Numbers, characters and structures are none of each other, nor are structures of other names. */
static int check_kind(const char *text, Dwarf_Die *given, Dwarf_Die *dummy, struct err *err)
{
	Dwarf_Die has = element_of(given), takes = element_of(dummy);
	bool text_has = dwarf_tag(&has) == DW_TAG_string_type,
	     text_takes = dwarf_tag(&takes) == DW_TAG_string_type;
	const char *own = dwarf_diename(&has), *its = dwarf_diename(&takes);

	if (dwarf_hasattr(&takes, DW_AT_declaration))
		return err_set(err, "the debug information does not say what the argument takes");
	/* descriptors, whatever holds them */
	if (own && its && !strncmp(own, "__class_", 8) && !strncmp(its, "__class_", 8))
		return 0;
	if (datum_is_structure(&has) == datum_is_structure(&takes) && text_has == text_takes &&
	    (!datum_is_structure(&has) || !own || !its || !strcasecmp(own, its)))
		return 0;
	return err_set(err, "%s is of type %s, and the argument takes %s", text,
		       text_has ? "character"
		       : own	? own
				: "another one",
		       text_takes ? "character"
		       : its	  ? its
				  : "another one");
}

int function_takes_array(struct frame *f, const char *text, const struct datum *d, Dwarf_Die *array,
			 Dwarf_Die *dummy, struct err *err)
{
	bool descriptor = dwarf_hasattr(dummy, DW_AT_data_location);
	bool given = dwarf_tag(array) == DW_TAG_array_type;
	const char *own = NULL, *its = NULL;
	unsigned takes = element_type(dummy, &its);
	unsigned has = given ? element_type(array, &own) : datum_number_type(array);

	if (check_kind(text, array, dummy, err))
		return -1;
	if (dwarf_tag(dummy) != DW_TAG_array_type)
		return given && datum_number_type(dummy) < VALUE_TYPES
			       ? err_set(err,
					 "%s is an array, and the argument takes one number: give "
					 "an element",
					 text)
			       : 0;
	if (!given)
		own = dwarf_diename(array);
	if (d->count)
		return err_set(err, "%s is a section: give the whole array, or its first element",
			       text);
	if (descriptor && !dwarf_hasattr(array, DW_AT_data_location))
		return err_set(err,
			       "%s has no descriptor: the argument takes an allocatable, pointer "
			       "or assumed-shape array",
			       text);
	if (takes < VALUE_TYPES && has < VALUE_TYPES && takes != has)
		return err_set(err,
			       given ? "%s has elements of type %s, and the argument takes %s"
				     : "%s is of type %s, and the argument takes an array of %s",
			       text, own, its);
	if (descriptor && given && rank_of(array) != rank_of(dummy))
		return err_set(err, "%s has %u dimension%s, and the argument takes an array of %u",
			       text, rank_of(array), rank_of(array) == 1 ? "" : "s",
			       rank_of(dummy));
	if (!descriptor && given && !is_dense(f, d, array))
		return err_set(err,
			       "the elements of %s do not follow one another, as the argument "
			       "takes them: give an array that is contiguous",
			       text);
	return 0;
}

/* ---- results ---- */

bool function_result_type(const struct function *fn, Dwarf_Die *type)
{
	Dwarf_Die *function = (Dwarf_Die *)&fn->declared;
	Dwarf_Die child, reference, bare;
	const char *name;

	if (datum_type_at(function, type))
		return true;
	for (bool more = !dwarf_child(function, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		name = dwarf_diename(&child);
		if (dwarf_tag(&child) == DW_TAG_formal_parameter && name &&
		    !strcmp(name, "__result"))
			return datum_type_at(&child, &reference) &&
			       !dwarf_peel_type(&reference, &bare) &&
			       (dwarf_tag(&bare) == DW_TAG_array_type ? (*type = bare, true)
								      : datum_type_at(&bare, type));
	}
	return false;
}

int function_result(const struct function *fn, Dwarf_Die *type, enum function_result *how,
		    uint32_t *form, uint64_t *size, struct err *err)
{
	unsigned number = datum_number_type(type);
	Dwarf_Word bytes = 0;
	int tag = dwarf_tag(type);

	*how = FUNCTION_VALUE;
	*form = PAGE_CALL_TWO_WORDS;
	if (tag == DW_TAG_array_type && fn->fortran)
		return err_set(err, "%s returns an array: call a function that returns one value",
			       dwarf_diename((Dwarf_Die *)&fn->declared));
	if (dwarf_aggregate_size(type, &bytes) || !bytes || bytes > PAGE_CALL_DATA / 2)
		return err_set(err, "what it returns is not known, or too large");
	*size = bytes;
	if (tag == DW_TAG_string_type) {
		*how = FUNCTION_CHARACTERS;
		return 0;
	}
	if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type) {
		return convention_result(type, bytes, how, form, err);
	}
	if (number == VALUE_FLOAT || number == VALUE_DOUBLE || number == VALUE_FCOMPLEX ||
	    number == VALUE_DCOMPLEX)
		*form = PAGE_CALL_TWO_VECTORS;
	else if (tag == DW_TAG_base_type && number >= VALUE_TYPES && bytes == sizeof(long double))
		*form = PAGE_CALL_LONG_DOUBLE;
	else if (bytes > 8)
		return err_set(err, "it returns %llu bytes in a way that is not known",
			       (unsigned long long)bytes);
	return 0;
}
