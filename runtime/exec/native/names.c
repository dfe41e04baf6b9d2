/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Variables by their names: of the scopes that a call is in, of other calls and procedures, of
 * files, programs and name spaces.
 */
#include "runtime/exec/native/internal.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/core/err.h"
#include "common/core/parse.h"
#include "common/debuginfo/debuginfo.h"
#include "common/expr/expr.h"

#define PARTS 3 /* of a qualified name before the name itself */

static bool is_function(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/* An array, or what gfortran says nothing of: one whose lower bounds are variables. */
static bool is_array(Dwarf_Die *die)
{
	Dwarf_Die type, bare;

	return datum_type_at(die, &type) && datum_peeled(&type, &bare) &&
	       (dwarf_tag(&bare) == DW_TAG_array_type || dwarf_hasattr(&bare, DW_AT_declaration));
}

/* A variable, or a constant with a name, of the user's that is declared here. */
static bool is_variable(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);
	const char *name;

	if (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter && tag != DW_TAG_constant)
		return false;
	if (dwarf_hasattr(die, DW_AT_declaration))
		return false;
	name = dwarf_diename(die);
	if (!name || !*name || strchr(name, '.') || !strncmp(name, "dvmdbg_", 7) ||
	    !strncmp(name, "__var_", 6)) /* of gfortran's own */
		return false;
	/* gfortran says so of assumed-shape arrays, too, gcc of what a lambda has captured */
	return !dwarf_hasattr_integrate(die, DW_AT_artificial) || !strcmp(name, "this") ||
	       (*name != '_' && (tag == DW_TAG_variable || is_array(die)));
}

bool names_each(Dwarf_Die *scope, bool deep, names_fn fn, void *arg)
{
	Dwarf_Die child;

	for (bool more = !dwarf_child(scope, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);

		if ((tag == DW_TAG_common_block ||
		     (deep && (tag == DW_TAG_module || tag == DW_TAG_namespace))) &&
		    !names_each(&child, deep, fn, arg))
			return false;
		if ((tag == DW_TAG_enumeration_type || is_variable(&child)) && !fn(&child, arg))
			return false;
	}
	return true;
}

const char *names_function(struct frame *f, int first, int *last)
{
	const char *name;

	for (*last = first; *last < f->nscope && !is_function(&f->scope[*last]); ++*last)
		;
	if (*last >= f->nscope)
		return NULL;
	name = dwarf_diename(&f->scope[*last]);
	return name ? name : "";
}

/* ---- comparing ---- */

struct part {
	const char *text;
	size_t n; /* 0: it was left out */
};

/* What is looked for: parts of the name, as they were given. */
struct wanted {
	struct part exec, file, proc, scope, name;
	bool global; /* "::x" */
	bool outer;  /* only what is declared in none */
	bool fortran, found;
	Dwarf_Die die, type; /* type: of an enumerator, which does not say it */
};

static bool is_skipped(const char *text, size_t i)
{
	return i && text[i] == ' ' && (text[i - 1] == ',' || text[i - 1] == '<');
}

bool names_equal(const char *has, const char *text, size_t n, bool fortran)
{
	size_t i = 0, k = 0, all = has ? strlen(has) : 0;

	if (fortran || !all || !memchr(has, '<', all))
		return has && all == n &&
		       !(fortran ? strncasecmp(has, text, n) : strncmp(has, text, n));
	for (;; i++, k++) {
		while (i < all && is_skipped(has, i))
			i++;
		while (k < n && is_skipped(text, k))
			k++;
		if (i == all || k == n || has[i] != text[k])
			return i == all && k == n;
	}
}

size_t names_last(const char *text, size_t n)
{
	int depth = 0;

	for (size_t i = n; i > 1; i--) {
		depth += (text[i - 1] == '>') - (text[i - 1] == '<');
		if (!depth && text[i - 1] == ':' && text[i - 2] == ':')
			return i;
	}
	return 0;
}

static bool is_part(const struct part *p, const char *text, bool fortran)
{
	return names_equal(text, p->text, p->n, fortran);
}

/* A path, or its last parts. */
static bool is_file(const struct part *p, const char *path)
{
	size_t n = path ? strlen(path) : 0;

	return !p->n || (n >= p->n && !strncmp(path + n - p->n, p->text, p->n) &&
			 (n == p->n || path[n - p->n - 1] == '/'));
}

/* "a::b": *last becomes "b"; the rest, 0: there is none. */
static size_t split_scope(const struct part *p, struct part *last)
{
	size_t i = names_last(p->text, p->n);

	*last = (struct part){ p->text + i, p->n - i };
	return i ? i - 2 : 0;
}

/* The last of "a::b" is what the declaration is in: a name space, a module, a class, a function. */
static bool is_in(const struct part *scope, bool fortran, Dwarf_Die *die)
{
	Dwarf_Die declared = *die, *in = NULL;
	Dwarf_Attribute at;
	struct part last;
	bool is = false;
	int n;

	if (!scope->n)
		return true;
	split_scope(scope, &last);
	if (dwarf_attr(die, DW_AT_abstract_origin, &at))
		dwarf_formref_die(&at, &declared);
	if (dwarf_attr(&declared, DW_AT_specification, &at))
		dwarf_formref_die(&at, &declared);
	n = dwarf_getscopes_die(&declared, &in);
	for (int i = 1; i < n && !is; i++) {
		if (dwarf_tag(&in[i]) == DW_TAG_lexical_block ||
		    dwarf_tag(&in[i]) == DW_TAG_common_block)
			continue;
		is = is_part(&last, dwarf_diename(&in[i]), fortran);
		break;
	}
	free(in);
	return is;
}

/* A function, "f" or "ns::f". */
static bool is_procedure(const struct part *proc, bool fortran, Dwarf_Die *die)
{
	struct part scope = *proc, last;

	scope.n = split_scope(proc, &last);
	/* Fortran's program, whatever its name */
	if (fortran && dwarf_hasattr(die, DW_AT_main_subprogram) && is_part(proc, "main", fortran))
		return true;
	return is_part(&last, dwarf_diename(die), fortran) && is_in(&scope, fortran, die);
}

/* Its enumerators can be named so: "ns::Gas", "Kind::Gas", "ns::Kind::Gas". */
static bool is_enumeration(const struct part *scope, bool fortran, Dwarf_Die *type)
{
	struct part outer = *scope, last;

	if (is_in(scope, fortran, type))
		return true;
	outer.n = split_scope(scope, &last);
	return is_part(&last, dwarf_diename(type), fortran) && is_in(&outer, fortran, type);
}

static bool find_enumerator(Dwarf_Die *type, struct wanted *w)
{
	Dwarf_Die child;

	for (bool more = !dwarf_child(type, &child); more && !w->found;
	     more = !dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) != DW_TAG_enumerator ||
		    !is_part(&w->name, dwarf_diename(&child), w->fortran) ||
		    !is_enumeration(&w->scope, w->fortran, type))
			continue;
		w->found = true;
		w->die = child;
		w->type = *type;
	}
	return !w->found;
}

static bool find_variable(Dwarf_Die *die, void *arg)
{
	struct wanted *w = arg;

	if (dwarf_tag(die) == DW_TAG_enumeration_type)
		return find_enumerator(die, w);
	/* the definition of what is declared in a name space or a class is outside of it */
	if (w->outer && dwarf_hasattr(die, DW_AT_specification))
		return true;
	if (!is_part(&w->name, dwarf_diename(die), w->fortran) ||
	    !is_in(&w->scope, w->fortran, die))
		return true;
	w->die = *die;
	w->found = true;
	return false;
}

/* ---- where it is looked for ---- */

/* A variable of the function that is in the same place in each call. */
static void find_static(struct frame *f, Dwarf_Die *function, struct wanted *w)
{
	Dwarf_Die child;
	struct location at;

	for (bool more = !dwarf_child(function, &child); more && !w->found;
	     more = !dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) == DW_TAG_lexical_block)
			find_static(f, &child, w);
		else if (is_variable(&child))
			find_variable(&child, w);
		if (!w->found || dwarf_tag(&child) == DW_TAG_lexical_block)
			continue;
		location_of(f, &w->die, &at);
		w->found = at.kind != LOCATION_GONE;
	}
}

/* The functions of a unit that have the name of the procedure. */
static void find_in_functions(struct frame *f, Dwarf_Die *parent, const struct part *proc,
			      struct wanted *w)
{
	Dwarf_Die child;

	for (bool more = !dwarf_child(parent, &child); more && !w->found;
	     more = !dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_module || tag == DW_TAG_namespace)
			find_in_functions(f, &child, proc, w);
		else if (tag == DW_TAG_subprogram && is_procedure(proc, w->fortran, &child))
			find_static(f, &child, w);
	}
}

/* Enumerators of what is declared in a class. */
static void find_in_classes(Dwarf_Die *parent, bool class, struct wanted *w, unsigned depth)
{
	Dwarf_Die child;

	for (bool more = depth < DATUM_DEEP && !dwarf_child(parent, &child); more && !w->found;
	     more = !dwarf_siblingof(&child, &child)) {
		if (class && dwarf_tag(&child) == DW_TAG_enumeration_type)
			find_enumerator(&child, w);
		else if (datum_is_structure(&child) || dwarf_tag(&child) == DW_TAG_namespace)
			find_in_classes(&child, datum_is_structure(&child), w, depth + 1);
	}
}

/* What is in no name space goes first. */
static void find_in_unit(Dwarf_Die *cu, struct wanted *w)
{
	w->outer = !w->scope.n;
	names_each(cu, false, find_variable, w);
	w->outer = false;
	if (!w->found && !w->global)
		names_each(cu, true, find_variable, w);
	if (!w->found && w->scope.n && !w->fortran)
		find_in_classes(cu, false, w, 0);
}

/* All units of files of the user's; *near, whose own were looked at before, becomes the call that
 * there is none of. */
struct search {
	struct frame *near, *at;
	struct wanted *w;
	const struct part *proc; /* of functions of that name; NULL: of units */
};

static int search_module(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base,
			 void *arg)
{
	struct search *s = arg;
	struct wanted *w = s->w;
	const char *path = native_module_path(mod);
	Dwarf_Addr bias = 0;

	if (native_is_library(s->near->native, path) || !is_file(&w->exec, path))
		return DWARF_CB_OK;
	for (Dwarf_Die *cu = NULL; !w->found && (cu = dwfl_module_nextcu(mod, cu, &bias));) {
		if (!is_file(&w->file, dwarf_diename(cu)))
			continue;
		w->fortran = debuginfo_fortran(cu);
		*s->at = (struct frame){ .capture = s->near->capture,
					 .native = s->near->native,
					 .dwfl = s->near->dwfl,
					 .namer = s->near->namer,
					 .namer_arg = s->near->namer_arg,
					 .mod = mod,
					 .bias = bias,
					 .pc = bias,
					 .cu = *cu,
					 .fortran = w->fortran };
		if (s->proc)
			find_in_functions(s->at, cu, s->proc, w);
		else
			find_in_unit(cu, w);
	}
	return w->found ? DWARF_CB_ABORT : DWARF_CB_OK;
}

bool names_local(struct frame *f, int first, int last, const char *name, size_t n, Dwarf_Die *die)
{
	struct wanted w = { .name = { name, n }, .fortran = f->fortran };

	for (int i = first; i <= last && i < f->nscope && !w.found; i++)
		names_each(&f->scope[i], true, find_variable, &w);
	*die = w.die;
	return w.found;
}

/* In these scopes of a call. */
static bool find_between(struct frame *f, int first, int last, struct wanted *w)
{
	w->fortran = f->fortran;
	for (int i = first; i <= last && i < f->nscope && !w->found; i++)
		names_each(&f->scope[i], true, find_variable, w);
	return w->found;
}

/* Whether the function is internal to the other one. */
static bool is_host(Dwarf_Die *function, Dwarf_Die *host)
{
	Dwarf_Die own, its, *scope = NULL;
	Dwarf_Off wanted = debuginfo_declared(host, &its);
	bool is = false;
	int n;

	debuginfo_declared(function, &own);
	n = dwarf_getscopes_die(&own, &scope);
	for (int i = 1; i < n && !is; i++)
		is = dwarf_dieoffset(&scope[i]) == wanted;
	free(scope);
	return is;
}

/* Among those of the functions that this one is internal to, in their calls: *f becomes one. */
static bool find_in_hosts(struct frame **f, int last, struct wanted *w)
{
	Dwarf_Die *function = last < (*f)->nscope ? &(*f)->scope[last] : NULL;
	int first = last + 1;

	for (struct frame *g = *f; function && g; g = g->outer, first = 0)
		for (; names_function(g, first, &last); first = last + 1) {
			if (!is_host(function, &g->scope[last]))
				continue;
			if (find_between(g, first, last, w)) {
				*f = g;
				return true;
			}
			function = &g->scope[last];
		}
	return false;
}

/* In the scopes of the function and of functions around it, whose call *at becomes; then in the
 * modules and the unit around it, then in all units of the file. */
static void find_near(struct frame **at, int first, int last, struct wanted *w)
{
	struct frame *f = *at;
	Dwarf_Die *cu = NULL;
	Dwarf_Addr bias;

	w->fortran = f->fortran;
	if (!w->global && !find_between(f, first, last, w))
		find_in_hosts(at, last, w);
	for (int i = last + 1; i < f->nscope && !w->found && !w->global; i++)
		if (dwarf_tag(&f->scope[i]) == DW_TAG_module ||
		    dwarf_tag(&f->scope[i]) == DW_TAG_namespace)
			names_each(&f->scope[i], true, find_variable, w);
	if (!w->found)
		find_in_unit(&f->cu, w);
	while (!w->found && (cu = dwfl_module_nextcu(f->mod, cu, &bias)))
		find_in_unit(cu, w);
}

static void find_outside(struct frame **f, const struct part *proc, struct wanted *w)
{
	struct search s = { .near = *f, .at = (*f)->other, .w = w, .proc = proc };

	dwfl_getmodules((*f)->dwfl, search_module, &s, 0);
	if (w->found)
		*f = s.at;
}

/* The innermost call of the procedure, and its statics. */
static int find_in_procedure(struct frame **f, const struct part *proc, struct wanted *w,
			     struct err *err)
{
	struct frame *all = (*f)->all;
	bool active = false;

	for (int k = 0; k < (*f)->nall && !active; k++) {
		if (!is_file(&w->exec, native_module_path(all[k].mod)) ||
		    !is_file(&w->file, dwarf_diename(&all[k].cu)))
			continue;
		w->fortran = all[k].fortran;
		for (int i = 0, last; !active && names_function(&all[k], i, &last); i = last + 1) {
			active = is_procedure(proc, w->fortran, &all[k].scope[last]);
			for (int j = i; active && j <= last && !w->found; j++)
				names_each(&all[k].scope[j], true, find_variable, w);
		}
		if (w->found)
			*f = &all[k];
	}
	if (!w->found)
		find_outside(f, proc, w);
	if (w->found)
		return 0;
	return err_set(err,
		       active ? "%.*s has no variable '%.*s'"
			      : "%.*s is not being called, and has no static variable '%.*s'",
		       (int)proc->n, proc->text, (int)w->name.n, w->name.text);
}

/* ---- members of classes that are no part of their objects ---- */

static bool find_in_class(struct frame **f, Dwarf_Die *class, struct wanted *w, unsigned depth)
{
	const char *name = dwarf_diename(class);
	Dwarf_Die child, type, bare;

	for (bool more = !dwarf_child(class, &child); more && !w->found;
	     more = !dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);

		if ((tag != DW_TAG_variable && tag != DW_TAG_member) ||
		    !dwarf_hasattr(&child, DW_AT_declaration) ||
		    !is_part(&w->name, dwarf_diename(&child), false))
			continue;
		w->found = dwarf_hasattr(&child, DW_AT_const_value);
		w->die = child;
		w->scope = (struct part){ name, name ? strlen(name) : 0 };
		if (!w->found && w->scope.n)
			find_in_unit(&(*f)->cu, w);
		if (!w->found && w->scope.n && (*f)->other)
			find_outside(f, NULL, w);
		return w->found;
	}
	for (bool more = depth < DATUM_DEEP && !dwarf_child(class, &child); more && !w->found;
	     more = !dwarf_siblingof(&child, &child))
		if (dwarf_tag(&child) == DW_TAG_inheritance && datum_type_at(&child, &type) &&
		    datum_peeled(&type, &bare))
			find_in_class(f, &bare, w, depth + 1);
	return w->found;
}

bool names_static(struct frame *f, Dwarf_Die *class, const char *name, size_t n, struct datum *out)
{
	struct wanted w = { .name = { name, n } };

	return !f->fortran && find_in_class(&f, class, &w, 0) && datum_of(f, &w.die, out);
}

/* "a::b::c": of the class a::b, or one that it is derived from. */
static void find_static_member(struct frame **f, struct wanted *w)
{
	char *class = strndup(w->scope.text, w->scope.n);
	struct type_named type;

	if (class && !(*f)->fortran && !types_find(*f, class, &type, &(struct err){ "" }) &&
	    type.has && !type.stars && datum_is_structure(&type.die))
		find_in_class(f, &type.die, w, 0);
	free(class);
}

/* ---- the parts of a name ---- */

/* "#exec#file#proc#": what each of less than three is shows its form: a file has a point. */
static int take_qualifier(const struct expr_name *n, struct wanted *w, struct err *err)
{
	struct part part[PARTS] = { { NULL, 0 } }, *to[PARTS] = { &w->exec, &w->file, &w->proc };
	unsigned k = 0;

	for (const char *p = n->qualifier; p + 1 < n->qualifier + n->nqualifier; k++) {
		size_t length = strcspn(p + 1, "#");

		if (k == PARTS)
			return err_set(err,
				       "'%.*s' has more parts than #program#file#procedure#name",
				       (int)(n->nqualifier + n->nword), n->qualifier);
		part[k] = (struct part){ p + 1, length };
		p += 1 + length;
	}
	if (k == 2) {
		bool last = part[1].n && memchr(part[1].text, '.', part[1].n);

		*to[last ? 1 : 2] = part[1];
		*to[!last && part[0].n && memchr(part[0].text, '.', part[0].n) ? 1 : 0] = part[0];
	} else if (k == 1) {
		*to[part[0].n && memchr(part[0].text, '.', part[0].n) ? 1 : 2] = part[0];
	} else {
		for (unsigned i = 0; i < k; i++)
			*to[i] = part[i];
	}
	return 0;
}

static void take_scope(const struct expr_name *n, struct wanted *w)
{
	const struct part all = { n->word, n->nword };

	w->scope = (struct part){ n->word, split_scope(&all, &w->name) };
	w->global = !w->scope.n && w->name.text != n->word;
}

/* The only part of "#x#name" is a program where there is no such procedure. */
static bool is_program(const struct frame *f, const struct part *p)
{
	return is_file(p, native_module_path(f->mod));
}

static int find_qualified(struct frame **f, const struct expr_name *n, struct wanted *w,
			  struct err *err)
{
	if (take_qualifier(n, w, err))
		return -1;
	if (w->proc.n && !w->exec.n && !w->file.n && is_program(*f, &w->proc)) {
		w->exec = w->proc;
		w->proc.n = 0;
	}
	if (w->proc.n)
		return find_in_procedure(f, &w->proc, w, err);
	find_outside(f, NULL, w);
	return w->found ? 0
			: err_set(err, "there is no variable '%.*s' in %.*s", (int)w->name.n,
				  w->name.text, (int)n->nqualifier, n->qualifier);
}

int names_find(struct frame **f, int first, int last, const struct expr_name *n, struct datum *out,
	       struct err *err)
{
	struct wanted w = { .found = false };
	int rc = 0;

	if (n->process >= 0 || n->thread >= 0 || n->frame >= 0)
		return err_set(err, "[process.thread#frame] cannot stand here: each rank has its "
				    "own variables alone");
	take_scope(n, &w);
	if (n->nqualifier) {
		rc = find_qualified(f, n, &w, err);
	} else {
		find_near(f, first, last, &w);
		if (!w.found)
			find_outside(f, NULL, &w);
		if (!w.found && w.scope.n) {
			const struct part proc = w.scope;

			find_static_member(f, &w);
			w.scope.n = 0;
			rc = w.found							? 0
			     : find_in_procedure(f, &proc, &w, &(struct err){ "" }) < 0 ? 0
											: rc;
		}
	}
	if (w.found)
		datum_of(*f, &w.die, out);
	if (w.found && dwarf_tag(&w.die) == DW_TAG_enumerator) {
		out->type = w.type;
		out->typed = true;
	}
	return rc < 0 ? -1 : w.found;
}
