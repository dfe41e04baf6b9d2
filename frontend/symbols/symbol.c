/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/symbols/symbols.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/core/parse.h"
#include "common/debuginfo/debuginfo.h"
#include "common/protocol/report.h"
#include "common/protocol/rule.h"
#include "frontend/symbols/internal.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xvec.h"

#define BUCKETS 256

/* An answer that was given. */
struct known {
	struct known *next;
	const struct module *m;
	uint64_t vaddr;
	char *file, *func; /* owned */
	uint32_t line;
};

/* What symbols_path has made. */
struct paths {
	char **path; /* owned */
	size_t n;
	const char *from, *to; /* the last one, as rows of a file follow each other */
};

const char *symbols_path(const struct module *m, Dwarf_Die *cu, const char *file)
{
	Dwarf_Attribute at;
	const char *dir;
	char *path;

	if (!file || *file == '/')
		return file;
	if (file == m->paths->from)
		return m->paths->to;
	dir = dwarf_formstring(dwarf_attr(cu, DW_AT_comp_dir, &at));
	if (!dir)
		return file;
	path = xasprintf("%s/%s", dir, file);
	m->paths->from = file;
	for (size_t i = 0; i < m->paths->n; i++)
		if (!strcmp(m->paths->path[i], path)) {
			free(path);
			return m->paths->to = m->paths->path[i];
		}
	*xvec_add(m->paths->path, m->paths->n) = path;
	return m->paths->to = path;
}

static void paths_destroy(struct paths *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->path[i]);
	free(p->path);
	free(p);
}

struct symbols {
	struct module *modules;
	struct known *known[BUCKETS];
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

struct symbols *symbols_create(void)
{
	struct symbols *s = xcalloc(1, sizeof(*s));

	return s;
}

void symbols_destroy(struct symbols *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < BUCKETS; i++) {
		struct known *k;

		while ((k = s->known[i]) != NULL) {
			s->known[i] = k->next;
			free(k->file);
			free(k->func);
			free(k);
		}
	}
	while (s->modules) {
		struct module *m = s->modules;

		s->modules = m->next;
		if (m->dwfl)
			dwfl_end(m->dwfl);
		variables_destroy(m->variables);
		marks_destroy(m->marks);
		blocks_destroy(m->blocks);
		paths_destroy(m->paths);
		free(m->path);
		free(m);
	}
	free(s);
}

struct module *symbols_module(struct symbols *s, const char *path)
{
	struct module *m;

	for (m = s->modules; m; m = m->next)
		if (strcmp(m->path, path) == 0)
			return m;
	m = xcalloc(1, sizeof(*m));
	m->path = xstrdup(path);
	m->paths = xcalloc(1, sizeof(*m->paths));
	m->next = s->modules;
	s->modules = m;
	m->dwfl = dwfl_begin(&callbacks);
	if (!m->dwfl)
		return m;
	dwfl_report_begin(m->dwfl);
	/* add_p_vaddr: addresses are those of the file itself. */
	m->mod = dwfl_report_elf(m->dwfl, "", path, -1, 0, true);
	dwfl_report_end(m->dwfl, NULL, NULL);
	if (!m->mod) {
		dwfl_end(m->dwfl);
		m->dwfl = NULL;
	}
	return m;
}

Dwarf_Die *symbols_unit(const struct module *m, uint64_t vaddr, Dwarf_Addr *bias)
{
	Dwarf_Die *cu = m->mod ? dwfl_module_addrdie(m->mod, vaddr, bias) : NULL;

	if (!m->mod || (cu && dwarf_haspc(cu, vaddr - *bias) == 1))
		return cu;
	cu = NULL;
	while ((cu = dwfl_module_nextcu(m->mod, cu, bias)))
		if (dwarf_haspc(cu, vaddr - *bias) == 1)
			return cu;
	return NULL;
}

int symbols_scopes(Dwarf_Die *cu, Dwarf_Addr addr, Dwarf_Die **scopes)
{
	int n = debuginfo_scopes(cu, addr, scopes);

	return n > 0 ? n : 0;
}

/* The innermost function of the unit, inlined ones included; "" when it is not known. */
static const char *function_name(const struct module *m, Dwarf_Die *cu, Dwarf_Addr bias,
				 uint64_t vaddr)
{
	Dwarf_Die *scopes = NULL;
	int n = cu ? symbols_scopes(cu, vaddr - bias, &scopes) : 0;
	const char *name = NULL;

	for (int i = 0; i < n && !name; i++)
		if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram)
			name = dwarf_diename(&scopes[i]);
	free(scopes);
	if (!name && m->mod)
		name = dwfl_module_addrname(m->mod, vaddr);
	return name ? name : "";
}

/* Asks libdw. */
static void look_up(const struct module *m, uint64_t vaddr, struct known *k)
{
	Dwarf_Addr bias = 0;
	Dwarf_Die *cu = symbols_unit(m, vaddr, &bias);
	Dwarf_Line *l = cu ? dwarf_getsrc_die(cu, vaddr - bias) : NULL;
	const char *file = l ? symbols_path(m, cu, dwarf_linesrc(l, NULL, NULL)) : NULL;
	int line = 0;

	if (file)
		dwarf_lineno(l, &line);
	k->line = line > 0 ? (uint32_t)line : 0;
	k->file = xstrdup(file ? file : path_base(m->path));
	k->func = xstrdup(function_name(m, cu, bias, vaddr));
}

/* The file and line that an inlined function was called at. */
static void called_at(const struct module *m, Dwarf_Die *cu, Dwarf_Die *die,
		      struct symbol_call *out)
{
	Dwarf_Attribute attr;
	Dwarf_Word number = 0;
	Dwarf_Files *files;
	size_t n;

	out->file = NULL;
	out->line = 0;
	if (dwarf_attr(die, DW_AT_call_file, &attr) && !dwarf_formudata(&attr, &number) &&
	    !dwarf_getsrcfiles(cu, &files, &n) && number < n)
		out->file = symbols_path(m, cu, dwarf_filesrc(files, number, NULL, NULL));
	if (dwarf_attr(die, DW_AT_call_line, &attr) && !dwarf_formudata(&attr, &number))
		out->line = (uint32_t)number;
}

unsigned symbols_calls(struct symbols *s, const char *module, uint64_t vaddr,
		       struct symbol_call *out, unsigned max)
{
	const struct module *m = symbols_module(s, module);
	Dwarf_Addr bias = 0;
	Dwarf_Die *cu = symbols_unit(m, vaddr, &bias), *scopes = NULL;
	Dwarf_Line *l = cu ? dwarf_getsrc_die(cu, vaddr - bias) : NULL;
	struct symbol_call at = { .file = l ? symbols_path(m, cu, dwarf_linesrc(l, NULL, NULL)) :
					      NULL };
	int count = cu ? symbols_scopes(cu, vaddr - bias, &scopes) : 0, line = 0;
	const char *name;
	unsigned n = 0;

	if (at.file && !dwarf_lineno(l, &line) && line > 0)
		at.line = (uint32_t)line;
	for (int i = 0; i < count && n + 1 < max; i++) {
		int tag = dwarf_tag(&scopes[i]);

		if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
			continue;
		name = dwarf_diename(&scopes[i]);
		at.func = name ? name : "";
		out[n++] = at;
		if (tag == DW_TAG_subprogram)
			break;
		called_at(m, cu, &scopes[i], &at);
	}
	free(scopes);
	if (n)
		return n;
	name = m->mod ? dwfl_module_addrname(m->mod, vaddr) : NULL;
	at.func = name ? name : "";
	out[0] = at;
	return 1;
}

static const struct known *known_get(struct symbols *s, const struct module *m, uint64_t vaddr)
{
	struct known **at = &s->known[(vaddr ^ vaddr >> 8) % BUCKETS], *k;

	for (k = *at; k; k = k->next)
		if (k->m == m && k->vaddr == vaddr)
			return k;
	k = xcalloc(1, sizeof(*k));
	if (!k)
		return NULL;
	k->m = m;
	k->vaddr = vaddr;
	look_up(m, vaddr, k);
	if (!k->file || !k->func) {
		free(k->file);
		free(k->func);
		free(k);
		return NULL;
	}
	k->next = *at;
	*at = k;
	return k;
}

void symbols_resolve(struct symbols *s, struct place *p)
{
	const struct module *m;
	const struct known *k;

	if (!s || !p->module || !*p->module || (p->file && *p->file))
		return;
	m = symbols_module(s, p->module);
	k = m ? known_get(s, m, p->vaddr) : NULL;
	if (!k)
		return;
	p->file = k->file;
	p->line = k->line;
	if (!p->func || !*p->func)
		p->func = k->func;
}

const char *symbols_text(struct symbols *s, const struct place *p, char *out, unsigned size)
{
	struct place r = *p;

	symbols_resolve(s, &r);
	if (r.line)
		snprintf(out, size, "%s:%u", path_base(r.file), r.line);
	else if (r.module && *r.module)
		snprintf(out, size, "%s+0x%llx", path_base(r.module), (unsigned long long)r.vaddr);
	else
		snprintf(out, size, "%s", r.file && *r.file ? path_base(r.file) : "?");
	return out;
}

bool symbols_build_is(struct symbols *s, const char *module, const unsigned char *id, unsigned n)
{
	struct module *m = n && module && *module ? symbols_module(s, module) : NULL;
	const unsigned char *bits;
	GElf_Addr at;
	int len;

	if (!m || !m->mod)
		return true;
	len = dwfl_module_build_id(m->mod, &bits, &at);
	return len <= 0 || ((unsigned)len == n && !memcmp(bits, id, n));
}

unsigned symbols_build_id(struct symbols *s, const char *module, unsigned char *id, unsigned n)
{
	struct module *m = symbols_module(s, module);
	const unsigned char *bits;
	GElf_Addr at;
	int len = m->mod ? dwfl_module_build_id(m->mod, &bits, &at) : 0;

	if (len <= 0 || (unsigned)len > n)
		return 0;
	memcpy(id, bits, (size_t)len);
	return (unsigned)len;
}

uint64_t symbols_address(struct symbols *s, const char *module, const char *name)
{
	struct module *m = symbols_module(s, module);
	int n = m && m->mod ? dwfl_module_getsymtab(m->mod) : 0;

	for (int i = 0; i < n; i++) {
		GElf_Sym sym;
		GElf_Addr at;
		const char *found = dwfl_module_getsym_info(m->mod, i, &sym, &at, NULL, NULL, NULL);

		if (found && GELF_ST_TYPE(sym.st_info) == STT_FUNC && !strcmp(found, name))
			return at;
	}
	return 0;
}

bool symbols_file_is(const char *file, const char *path)
{
	return rule_file_matches(file, path) && (strchr(file, '/') || !symbols_is_foreign(path));
}

/* Adds the ranges of one compilation unit's line table. */
static unsigned unit_lines(const struct module *m, Dwarf_Die *cu, const char *file, uint32_t line,
			   struct symbol_range *range, unsigned n, unsigned max)
{
	Dwarf_Lines *lines;
	size_t count;

	if (dwarf_getsrclines(cu, &lines, &count) != 0)
		return n;
	for (size_t i = 0; i + 1 < count && n < max; i++) {
		Dwarf_Line *l = dwarf_onesrcline(lines, i), *next = dwarf_onesrcline(lines, i + 1);
		Dwarf_Addr from = 0, to = 0;
		const char *src = dwarf_linesrc(l, NULL, NULL);
		bool end = false;
		int no = 0;

		dwarf_lineno(l, &no);
		dwarf_lineendsequence(l, &end);
		if (end || no != (int)line || !src ||
		    !symbols_file_is(file, symbols_path(m, cu, src)))
			continue;
		dwarf_lineaddr(l, &from);
		dwarf_lineaddr(next, &to);
		if (to <= from)
			continue;
		if (n && range[n - 1].vaddr + range[n - 1].len == from)
			range[n - 1].len += (uint32_t)(to - from);
		else
			range[n++] = (struct symbol_range){ from, (uint32_t)(to - from) };
	}
	return n;
}

unsigned symbols_lines(struct symbols *s, const char *module, const char *file, uint32_t line,
		       struct symbol_range *range, unsigned max)
{
	struct module *m = symbols_module(s, module);
	Dwarf_Die *cu = NULL;
	Dwarf_Addr bias = 0;
	unsigned n = 0;

	if (!m || !m->mod)
		return 0;
	while ((cu = dwfl_module_nextcu(m->mod, cu, &bias)) != NULL && n < max)
		n = unit_lines(m, cu, file, line, range, n, max);
	return n;
}

/* What is looked for among the functions of a unit. */
struct wanted {
	const char *name;
	struct symbol_function *out;
	Dwarf_Die *cu;
	bool found;
};

/*
 * libdw takes file 0 for none, but in DWARF 5 it is the unit's own file, and clang's programs name
 * it so.
 */
const char *symbols_declared_in(Dwarf_Die *cu, Dwarf_Die *die)
{
	const char *file = dwarf_decl_file(die);
	Dwarf_Attribute attr;
	Dwarf_Word number;
	Dwarf_Files *files;
	size_t n;

	if (file || !dwarf_attr_integrate(die, DW_AT_decl_file, &attr) ||
	    dwarf_formudata(&attr, &number) || number || dwarf_getsrcfiles(cu, &files, &n) || !n)
		return file;
	return dwarf_filesrc(files, 0, NULL, NULL);
}

/* The nearest function behind another one in the same file. */
struct behind {
	Dwarf_Die *cu;
	const char *file;
	int first, next; /* next 0: none so far */
};

static int inspect_behind(Dwarf_Die *func, void *arg)
{
	struct behind *b = arg;
	const char *file = symbols_declared_in(b->cu, func);
	int line = 0;

	if (file && !strcmp(file, b->file) && !dwarf_decl_line(func, &line) && line > b->first &&
	    (!b->next || line < b->next))
		b->next = line;
	return DWARF_CB_OK;
}

/*
 * The last line of the function's code in its own file; what is inlined into it is elsewhere. One
 * that is itself only inlined has no addresses of its own: its lines end before the next
 * function's.
 */
static uint32_t last_line(Dwarf_Die *cu, Dwarf_Die *func, const char *file, uint32_t first)
{
	Dwarf_Addr low = 0, high = 0;
	struct behind behind = { .cu = cu, .file = file, .first = (int)first };
	Dwarf_Lines *lines;
	uint32_t last = first;
	size_t count;
	bool inlined = dwarf_lowpc(func, &low) || dwarf_highpc(func, &high);

	if (dwarf_getsrclines(cu, &lines, &count))
		return first;
	dwarf_getfuncs(cu, inspect_behind, &behind, 0);
	for (size_t i = 0; i < count; i++) {
		Dwarf_Line *l = dwarf_onesrcline(lines, i);
		const char *src = dwarf_linesrc(l, NULL, NULL);
		Dwarf_Addr at = 0;
		int no = 0;

		dwarf_lineaddr(l, &at);
		dwarf_lineno(l, &no);
		if ((inlined || (at >= low && at < high)) && src && !strcmp(src, file) &&
		    no > (int)last && (!behind.next || no < behind.next))
			last = (uint32_t)no;
	}
	return last;
}

static int inspect_at_function(Dwarf_Die *func, void *arg)
{
	struct wanted *w = arg;
	const char *name = dwarf_diename(func), *file;
	Dwarf_Attribute declaration;
	int line = 0;

	if (!name || strcmp(name, w->name) != 0 || dwarf_decl_line(func, &line) ||
	    dwarf_attr(func, DW_AT_declaration, &declaration))
		return DWARF_CB_OK;
	file = symbols_declared_in(w->cu, func);
	if (!file)
		return DWARF_CB_OK;
	w->out->file = file;
	w->out->first = (uint32_t)line;
	w->out->last = last_line(w->cu, func, file, w->out->first);
	w->found = true;
	return DWARF_CB_ABORT;
}

bool symbols_function(struct symbols *s, const char *module, const char *name,
		      struct symbol_function *out)
{
	struct module *m = symbols_module(s, module);
	struct wanted w = { .name = name, .out = out };
	Dwarf_Addr bias = 0;

	while (m && m->mod && !w.found && (w.cu = dwfl_module_nextcu(m->mod, w.cu, &bias)) != NULL)
		dwarf_getfuncs(w.cu, inspect_at_function, &w, 0);
	if (w.found)
		out->file = symbols_path(m, w.cu, out->file);
	return w.found;
}

/* What was not written for the program: the access hooks, and what the compiler links in. */
bool symbols_is_foreign(const char *name)
{
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;

	return strstr(name, "runtime/hooks/") || !strncmp(base, "crtfastmath", 11) ||
	       strstr(name, "libgcc/");
}

void symbols_sources(struct symbols *s, const char *module, void (*fn)(void *arg, const char *path),
		     void *arg)
{
	struct module *m = symbols_module(s, module);
	Dwarf_Die *cu = NULL;
	Dwarf_Addr bias = 0;

	while (m && m->mod && (cu = dwfl_module_nextcu(m->mod, cu, &bias)) != NULL) {
		const char *name = dwarf_diename(cu), *dir;
		Dwarf_Attribute at;
		char *path;

		if (!name || symbols_is_foreign(name))
			continue;
		dir = *name == '/' ? NULL : dwarf_formstring(dwarf_attr(cu, DW_AT_comp_dir, &at));
		path = xasprintf("%s%s%s", dir ? dir : "", dir ? "/" : "", name);
		fn(arg, path);
		free(path);
	}
}

/*
 * By gcc, gfortran or clang, whose options stand there when they make hooks. What gcc shows without
 * options is of an assembler.
 */
static bool is_compiled(const char *how)
{
	return strstr(how, "clang version ") ||
	       (!strncmp(how, "GNU ", 4) && strchr(how, '-') && strncmp(how, "GNU AS", 6) != 0);
}

void symbols_unhooked(struct symbols *s, const char *module,
		      void (*fn)(void *arg, const char *path), void *arg)
{
	struct module *m = symbols_module(s, module);
	Dwarf_Die *cu = NULL;
	Dwarf_Addr bias = 0;

	while (m && m->mod && (cu = dwfl_module_nextcu(m->mod, cu, &bias)) != NULL) {
		const char *name = dwarf_diename(cu), *how;
		Dwarf_Attribute at;

		how = dwarf_formstring(dwarf_attr(cu, DW_AT_producer, &at));
		if (name && how && is_compiled(how) && !strstr(how, "-fsanitize=thread") &&
		    !symbols_is_foreign(name))
			fn(arg, name);
	}
}
