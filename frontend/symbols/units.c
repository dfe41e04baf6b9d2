/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compilation units: how each was compiled, and the functions of its source. */
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/parse.h"
#include "common/debuginfo/debuginfo.h"
#include "frontend/symbols/internal.h"
#include "frontend/util/xvec.h"

char symbols_level(const char *how)
{
	const char *last = NULL;

	for (const char *at = strstr(how, " -O"); at; at = strstr(at + 1, " -O"))
		last = at + 3;
	return !last ? '0' : *last && *last != ' ' ? *last : '1';
}

static bool language_of(Dwarf_Die *cu, enum symbol_language *out)
{
	switch (dwarf_srclang(cu)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
		*out = SYMBOL_C;
		return true;
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		*out = SYMBOL_CXX;
		return true;
	default:
		*out = SYMBOL_FORTRAN;
		return debuginfo_fortran(cu);
	}
}

static const char *text_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute at;

	return dwarf_formstring(dwarf_attr(die, name, &at));
}

/* Directories of the sources of a unit, but those of the system; to be freed, not the words. */
static const char **directories(Dwarf_Die *cu)
{
	const char *const *dirs = NULL, **list = NULL;
	size_t all = 0, n = 0;
	Dwarf_Files *files;
	size_t nfile;

	if (!dwarf_getsrcfiles(cu, &files, &nfile))
		dwarf_getsrcdirs(files, &dirs, &all);
	for (size_t i = 0; i < all; i++)
		if (dirs[i] && *dirs[i] && strncmp(dirs[i], "/usr/", 5) != 0)
			*xvec_add(list, n) = dirs[i];
	*xvec_add(list, n) = NULL;
	return list;
}

void symbols_units(struct symbols *s, const char *module,
		   void (*fn)(void *arg, const struct symbol_unit *u), void *arg)
{
	struct module *m = symbols_module(s, module);
	Dwarf_Die *cu = NULL;
	Dwarf_Addr bias = 0;

	while (m && m->mod && (cu = dwfl_module_nextcu(m->mod, cu, &bias)) != NULL) {
		struct symbol_unit u = { .path = dwarf_diename(cu),
					 .dir = text_of(cu, DW_AT_comp_dir),
					 .how = text_of(cu, DW_AT_producer) };
		const char **include;

		if (!u.path || !u.how || symbols_is_foreign(u.path) || !language_of(cu, &u.language))
			continue;
		u.include = include = directories(cu);
		fn(arg, &u);
		free(include);
	}
}

struct closed {
	void (*fn)(void *arg, const struct symbol_closed *m);
	void *arg;
};

/* A member of a class is private when nothing else is said, of a structure public. */
static bool is_closed(Dwarf_Die *member, bool class)
{
	Dwarf_Attribute at;
	Dwarf_Word access;

	if (dwarf_formudata(dwarf_attr(member, DW_AT_accessibility, &at), &access))
		return class;
	return access != DW_ACCESS_public;
}

static void closed_in(Dwarf_Die *of, const struct closed *x)
{
	Dwarf_Die child;
	int in = dwarf_tag(of), line = 0;
	struct symbol_closed m = { .class = dwarf_diename(of), .file = dwarf_decl_file(of) };

	if (dwarf_child(of, &child))
		return;
	if (!m.class || dwarf_decl_line(of, &line))
		m.file = NULL;
	m.line = (uint32_t)line;
	do {
		const char *name = dwarf_diename(&child);
		int tag = dwarf_tag(&child);

		if ((tag == DW_TAG_member || tag == DW_TAG_subprogram) && name &&
		    in != DW_TAG_compile_unit && in != DW_TAG_namespace &&
		    is_closed(&child, in == DW_TAG_class_type)) {
			m.name = name;
			x->fn(x->arg, &m);
		} else if (tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
			   (tag == DW_TAG_namespace && name && strcmp(name, "std") != 0)) {
			closed_in(&child, x);
		}
	} while (!dwarf_siblingof(&child, &child));
}

void symbols_closed(struct symbols *s, const char *module,
		    void (*fn)(void *arg, const struct symbol_closed *m), void *arg)
{
	struct module *m = symbols_module(s, module);
	const struct closed x = { fn, arg };
	Dwarf_Die *cu = NULL;
	Dwarf_Addr bias = 0;

	while (m && m->mod && (cu = dwfl_module_nextcu(m->mod, cu, &bias)) != NULL) {
		enum symbol_language is;

		if (language_of(cu, &is) && is == SYMBOL_CXX)
			closed_in(cu, &x);
	}
}

struct bodies {
	void (*fn)(void *arg, const struct symbol_body *b);
	void *arg;
	Dwarf_Die *cu;
};

static int take_body(Dwarf_Die *func, void *arg)
{
	const struct bodies *x = arg;
	struct symbol_body b = { .name = dwarf_diename(func) };
	int line = 0;

	if (!b.name || dwarf_lowpc(func, &b.low) || dwarf_highpc(func, &b.high) ||
	    dwarf_decl_line(func, &line))
		return DWARF_CB_OK;
	b.file = symbols_declared_in(x->cu, func);
	b.line = (uint32_t)line;
	if (b.file && b.low)
		x->fn(x->arg, &b);
	return DWARF_CB_OK;
}

void symbols_bodies(struct symbols *s, const char *module,
		    void (*fn)(void *arg, const struct symbol_body *b), void *arg)
{
	struct module *m = symbols_module(s, module);
	struct bodies x = { fn, arg, NULL };
	Dwarf_Addr bias = 0;

	while (m && m->mod && (x.cu = dwfl_module_nextcu(m->mod, x.cu, &bias)) != NULL) {
		enum symbol_language is;

		if (language_of(x.cu, &is))
			dwarf_getfuncs(x.cu, take_body, &x, 0);
	}
}

/* Functions that sources define, as "solver.c: step, line 12". */
struct functions {
	char **text; /* owned */
	size_t n;
	Dwarf_Die *cu;
};

static int take_function(Dwarf_Die *func, void *arg)
{
	struct functions *f = arg;
	const char *name = dwarf_diename(func), *file = dwarf_decl_file(func),
		   *source = dwarf_diename(f->cu);
	int line = 0;

	/* of headers only what is used is there, and how that is compiled may differ */
	if (name && file && source && !strcmp(path_base(file), path_base(source)) &&
	    !dwarf_decl_line(func, &line))
		*xvec_add(f->text, f->n) = xasprintf("%s (%s:%d)", name, path_base(file), line);
	return DWARF_CB_OK;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct functions functions_of(struct symbols *s, const char *module)
{
	struct module *m = symbols_module(s, module);
	struct functions f = { .n = 0 };
	size_t kept = 0;
	Dwarf_Addr bias;

	while (m && m->mod && (f.cu = dwfl_module_nextcu(m->mod, f.cu, &bias)) != NULL)
		if (dwarf_diename(f.cu) && !symbols_is_foreign(dwarf_diename(f.cu)))
			dwarf_getfuncs(f.cu, take_function, &f, 0);
	if (f.n)
		qsort(f.text, f.n, sizeof(*f.text), by_text);
	/* one that was inlined may be there more than once */
	for (size_t i = 0; i < f.n; i++) {
		if (kept && !strcmp(f.text[kept - 1], f.text[i]))
			free(f.text[i]);
		else
			f.text[kept++] = f.text[i];
	}
	f.n = kept;
	return f;
}

bool symbols_has_functions_of(struct symbols *s, const char *module, const char *other,
			      char *lacks, size_t size)
{
	struct functions a = functions_of(s, module), b = functions_of(s, other);
	bool same = true;

	for (size_t i = 0; same && i < b.n; i++) {
		same = a.n && bsearch(&b.text[i], a.text, a.n, sizeof(*a.text), by_text);
		if (!same)
			snprintf(lacks, size, "%s", b.text[i]);
	}
	for (size_t i = 0; i < a.n; i++)
		free(a.text[i]);
	for (size_t i = 0; i < b.n; i++)
		free(b.text[i]);
	free(a.text);
	free(b.text);
	return same;
}
