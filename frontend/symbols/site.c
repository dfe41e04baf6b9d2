/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines as places in the code: where they begin, where a loop is left, where a function returns.
 * The instructions of a function are gone through for that (x86-64).
 */
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/protocol/rule.h"
#include "frontend/symbols/internal.h"
#include "frontend/util/xvec.h"

#define NO_LINE UINT32_MAX

/* A row of a line table; several may be of one address. */
struct row {
	Dwarf_Addr from;
	const char *file;
	uint32_t line;
	bool statement;
};

typedef void (*row_fn)(const struct row *row, Dwarf_Die *cu, void *arg);

static bool row_at(const struct module *m, Dwarf_Die *cu, Dwarf_Lines *lines, size_t i,
		   struct row *out)
{
	Dwarf_Line *l = dwarf_onesrcline(lines, i);
	bool end = false;
	int no = 0;

	*out = (struct row){ .file = symbols_path(m, cu, dwarf_linesrc(l, NULL, NULL)) };
	dwarf_lineendsequence(l, &end);
	if (end || !out->file || dwarf_lineaddr(l, &out->from))
		return false;
	dwarf_lineno(l, &no);
	dwarf_linebeginstatement(l, &out->statement);
	out->line = no > 0 ? (uint32_t)no : 0;
	return true;
}

/* Rows of the file in all units. */
static void each_row(const struct module *m, const char *file, row_fn fn, void *arg)
{
	Dwarf_Die *cu = NULL;
	Dwarf_Addr bias = 0;

	while (m->mod && (cu = dwfl_module_nextcu(m->mod, cu, &bias)) != NULL) {
		Dwarf_Lines *lines;
		struct row row;
		size_t n;

		if (dwarf_getsrclines(cu, &lines, &n))
			continue;
		for (size_t i = 0; i + 1 < n; i++) {
			if (!row_at(m, cu, lines, i, &row) || !symbols_file_is(file, row.file))
				continue;
			row.from += bias;
			fn(&row, cu, arg);
		}
	}
}

/* Lines that are looked for. */
struct wanted {
	uint32_t first, last, line; /* line: the first of them that has code */
	bool any;		    /* the file has code at all */
	struct symbol_site *site;
	bool begins[SYMBOL_SITES]; /* its function is a lambda, which may begin on the line */
	int n;
};

static void find_line(const struct row *row, Dwarf_Die *cu, void *arg)
{
	struct wanted *w = arg;

	w->any = true;
	if (row->statement && row->line >= w->first && row->line <= w->last && row->line < w->line)
		w->line = row->line;
}

/* The function around an address. */
static bool function_at(Dwarf_Die *cu, Dwarf_Addr at, struct symbol_site *out, int *decl)
{
	Dwarf_Die *scope = NULL;
	int n = symbols_scopes(cu, at, &scope);
	bool found = false;

	for (int i = 0; i < n && !found; i++) {
		Dwarf_Addr low, high, base;
		const char *name = dwarf_diename(&scope[i]);
		ptrdiff_t off = 0;

		if (dwarf_tag(&scope[i]) != DW_TAG_subprogram)
			continue;
		out->func = name ? name : "";
		*decl = 0;
		dwarf_decl_line(&scope[i], decl);
		while (!found && (off = dwarf_ranges(&scope[i], off, &base, &low, &high)) > 0) {
			found = at >= low && at < high;
			out->low = low;
			out->high = high;
		}
	}
	free(scope);
	return found;
}

static void find_site(const struct row *row, Dwarf_Die *cu, void *arg)
{
	struct wanted *w = arg;
	struct symbol_site s = { .vaddr = row->from, .file = row->file, .line = row->line };
	int decl = 0;

	if (!row->statement || row->line < w->line || row->line > w->last ||
	    !function_at(cu, row->from, &s, &decl) || decl > (int)w->first)
		return;
	for (int i = 0; i < w->n; i++) {
		if (w->site[i].low != s.low)
			continue;
		if (s.vaddr < w->site[i].vaddr)
			w->site[i] = s;
		return;
	}
	if (w->n == SYMBOL_SITES)
		return;
	w->begins[w->n] = (!decl || decl == (int)w->first) && !strcmp(s.func, "operator()");
	w->site[w->n++] = s;
}

/* A statement that begins on the line of a lambda in it is the function's around. */
static void drop_lambdas(struct wanted *w)
{
	int n = 0;

	for (int i = 0; i < w->n; i++)
		n += !w->begins[i];
	if (!n)
		return;
	n = 0;
	for (int i = 0; i < w->n; i++)
		if (!w->begins[i])
			w->site[n++] = w->site[i];
	w->n = n;
}

/* Lines of a file that have code. */
struct code_lines {
	bool *has; /* owned */
	uint32_t n;
};

static void add_line(const struct row *row, Dwarf_Die *cu, void *arg)
{
	struct code_lines *x = arg;

	(void)cu;
	if (row->line >= x->n && row->line < NO_LINE)
		xvec_more(x->has, x->n, row->line + 1 - x->n);
	while (x->n <= row->line && row->line < NO_LINE)
		x->has[x->n++] = false;
	if (row->line < x->n)
		x->has[row->line] = true;
}

bool *symbols_code(struct symbols *s, const char *module, const char *file, uint32_t *n)
{
	const struct module *m = symbols_module(s, module);
	struct code_lines x = { 0 };

	if (m)
		each_row(m, file, add_line, &x);
	*n = x.n;
	return x.has;
}

int symbols_sites(struct symbols *s, const char *module, const char *file, uint32_t first,
		  uint32_t last, struct symbol_site *out, struct err *err)
{
	const struct module *m = symbols_module(s, module);
	struct wanted w = { .first = first, .last = last, .line = NO_LINE, .site = out };

	if (first == last)
		w.last = NO_LINE - 1;
	each_row(m, file, find_line, &w);
	if (!w.any)
		return err_set(err, "the program has no code of %s: compile it with -g", file);
	if (first == last)
		w.last = w.line;
	if (w.line != NO_LINE)
		each_row(m, file, find_site, &w);
	drop_lambdas(&w);
	if (!w.n && first == last && w.line == NO_LINE)
		return err_set(err, "no code follows line %" PRIu32, first);
	if (!w.n && first == last)
		return err_set_code(err, ERR_GONE,
				    "no code follows line %" PRIu32 " in its function", first);
	if (!w.n)
		return err_set_code(err, ERR_GONE, "lines %" PRIu32 " to %" PRIu32 " have no code",
				    first, last);
	return w.n;
}

/* ---- the instructions of a function ---- */

/* The bytes at an address, as many as there are. */
static const unsigned char *code_at(const struct module *m, uint64_t vaddr, size_t *n)
{
	GElf_Addr bias;
	Elf *elf = m->mod ? dwfl_module_getelf(m->mod, &bias) : NULL;
	Elf_Scn *scn = NULL;
	GElf_Ehdr head;

	if (!elf || !gelf_getehdr(elf, &head) || head.e_machine != EM_X86_64)
		return NULL;
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		Elf_Data *data;
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_PROGBITS ||
		    !(sh.sh_flags & SHF_EXECINSTR) || vaddr < sh.sh_addr + bias ||
		    vaddr >= sh.sh_addr + bias + sh.sh_size)
			continue;
		data = elf_rawdata(scn, NULL);
		if (!data || vaddr - sh.sh_addr - bias >= data->d_size)
			return NULL;
		*n = data->d_size - (vaddr - sh.sh_addr - bias);
		return (const unsigned char *)data->d_buf + (vaddr - sh.sh_addr - bias);
	}
	return NULL;
}

typedef void (*insn_fn)(uint64_t at, const struct markcode_insn *insn, void *arg);

static int each_insn(const struct module *m, uint64_t low, uint64_t high, insn_fn fn, void *arg,
		     struct err *err)
{
	size_t room = 0;
	const unsigned char *code = code_at(m, low, &room);

	if (!code || high - low > room)
		return err_set(err, "its code cannot be read; marks beside the source need x86-64");
	for (uint64_t at = low; at < high;) {
		struct markcode_insn insn;

		if (markcode_insn(code + (at - low), high - at, &insn))
			return err_set(err, "the instruction at 0x%" PRIx64 " is not known", at);
		fn(at, &insn, arg);
		at += insn.len;
	}
	return 0;
}

static void add_address(uint64_t **list, uint32_t *n, uint64_t at)
{
	uint64_t *to;

	for (uint32_t i = 0; i < *n; i++)
		if ((*list)[i] == at)
			return;
	to = xvec_add(*list, *n);
	*to = at;
}

/* ---- loops: the instructions of their lines, and the ways in and out ---- */

/* An instruction, and the line of the function that it is of. */
struct step {
	uint64_t at, to; /* to: where it may jump, 0: nowhere */
	uint32_t line;
	bool ends; /* what is behind it does not follow */
};

struct flow {
	const struct symbol_site *site;
	struct step *step; /* owned; ascending */
	uint32_t n;
	uint32_t first, last; /* lines */
	struct symbol_loop *out;
};

static void add_step(uint64_t at, const struct markcode_insn *insn, void *arg)
{
	struct flow *f = arg;
	struct step *s = xvec_add(f->step, f->n);
	bool jumps =
		insn->kind == INSN_JUMP || insn->kind == INSN_BRANCH || insn->kind == INSN_LOOP;

	s->at = at;
	s->to = jumps ? at + (uint64_t)insn->target : 0;
	s->ends = insn->kind == INSN_JUMP || insn->kind == INSN_JUMP_AT ||
		  insn->kind == INSN_RETURN || insn->kind == INSN_STOP;
}

/* The first step at an address or behind it. */
static uint32_t step_from(const struct flow *f, uint64_t at)
{
	uint32_t low = 0, high = f->n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (f->step[mid].at < at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool is_in(const struct flow *f, const struct step *s)
{
	return s->line >= f->first && s->line <= f->last;
}

/* The line of the function itself; of what is inlined there, where it was called. */
static uint32_t own_line(Dwarf_Die *cu, const struct row *row)
{
	Dwarf_Die *scope = NULL;
	Dwarf_Attribute attr;
	Dwarf_Word line = 0;
	int n = symbols_scopes(cu, row->from, &scope);
	uint32_t own = row->line;

	for (int i = 0; i < n && dwarf_tag(&scope[i]) != DW_TAG_subprogram; i++)
		if (dwarf_tag(&scope[i]) == DW_TAG_inlined_subroutine &&
		    !dwarf_formudata(dwarf_attr(&scope[i], DW_AT_call_line, &attr), &line))
			own = (uint32_t)line;
	free(scope);
	return own;
}

/*
 * What compilers say to be a statement of another line begins one there. What is of another line
 * without that has been moved, and is of the line that it was moved to, unless nothing goes on to
 * it. Behind its begin nothing is of the function's first line: gfortran says that of accesses to
 * COMMON that have hooks.
 */
static void take_rows(const struct module *m, struct flow *f, Dwarf_Die *cu, Dwarf_Addr bias)
{
	struct symbol_site of;
	Dwarf_Lines *lines;
	struct row row;
	size_t n;
	int decl = 0;

	if (dwarf_getsrclines(cu, &lines, &n))
		return;
	function_at(cu, f->site->vaddr - bias, &of, &decl);
	for (size_t i = 0; i + 1 < n; i++) {
		uint32_t k, line;

		if (!row_at(m, cu, lines, i, &row) || row.from + bias < f->site->low ||
		    row.from + bias >= f->site->high)
			continue;
		line = own_line(cu, &row);
		k = step_from(f, row.from + bias);
		if (k && line == (uint32_t)decl && (line < f->first || line > f->last))
			continue;
		if (line != row.line)
			row.statement = false;
		if (k < f->n && line &&
		    (row.statement || !k || f->step[k - 1].ends || !f->step[k - 1].line))
			f->step[k].line = line;
	}
}

static void spread_lines(struct flow *f)
{
	for (uint32_t i = 1; i < f->n; i++)
		if (!f->step[i].line)
			f->step[i].line = f->step[i - 1].line;
}

/* A way from one step to another, into the loop, in it, or out of it. */
static void take_way(struct flow *f, const struct step *from, const struct step *to, bool inner)
{
	bool before = is_in(f, from), after = is_in(f, to);

	if (before && !after && !inner)
		add_address(&f->out->exit, &f->out->nexit, to->at);
	if (!before && after && !inner)
		add_address(&f->out->entry, &f->out->nentry, to->at);
	for (uint32_t i = 0; before && after && inner && i < f->out->nentry; i++)
		f->out->again |= f->out->entry[i] == to->at;
}

static void take_ways(struct flow *f, bool inner)
{
	for (uint32_t i = 0; i < f->n; i++) {
		const struct step *s = &f->step[i];
		uint32_t k = s->to ? step_from(f, s->to) : f->n;

		if (!s->ends && i + 1 < f->n)
			take_way(f, s, s + 1, inner);
		if (k < f->n && f->step[k].at == s->to)
			take_way(f, s, &f->step[k], inner);
	}
}

int symbols_loop(struct symbols *s, const char *module, const struct symbol_site *site,
		 uint32_t first, uint32_t last, struct symbol_loop *out, struct err *err)
{
	const struct module *m = symbols_module(s, module);
	struct flow f = { .site = site, .first = first, .last = last, .out = out };
	Dwarf_Addr bias = 0;
	Dwarf_Die *cu = symbols_unit(m, site->vaddr, &bias);
	int rc;

	*out = (struct symbol_loop){ 0 };
	rc = each_insn(m, site->low, site->high, add_step, &f, err);
	if (!rc && cu) {
		take_rows(m, &f, cu, bias);
		spread_lines(&f);
		if (f.n && is_in(&f, &f.step[0]))
			add_address(&out->entry, &out->nentry, f.step[0].at);
		take_ways(&f, false);
		take_ways(&f, true);
	}
	if (!rc && !out->nentry)
		rc = err_set_code(err, ERR_GONE, "where the loop begins in the code is not known: "
						 "compile with -O0 or -Og");
	free(f.step);
	return rc;
}

void symbol_loop_clear(struct symbol_loop *x)
{
	free(x->entry);
	free(x->exit);
	*x = (struct symbol_loop){ 0 };
}

/* ---- returns ---- */

struct returns {
	const struct symbol_site *site;
	uint64_t **list;
	uint32_t *n;
};

static void find_return(uint64_t at, const struct markcode_insn *insn, void *arg)
{
	struct returns *r = arg;
	uint64_t to = at + (uint64_t)insn->target;

	/* a call in place of the return leaves it, too */
	if (insn->kind == INSN_RETURN ||
	    (insn->kind == INSN_JUMP && (to < r->site->low || to >= r->site->high)))
		add_address(r->list, r->n, at);
}

int symbols_returns(struct symbols *s, const char *module, const struct symbol_site *site,
		    uint64_t **vaddr, uint32_t *n, struct err *err)
{
	struct returns r = { .site = site, .list = vaddr, .n = n };

	*vaddr = NULL;
	*n = 0;
	return each_insn(symbols_module(s, module), site->low, site->high, find_return, &r, err);
}

uint32_t symbols_line(struct symbols *s, const char *module, uint64_t vaddr)
{
	const struct module *m = symbols_module(s, module);
	Dwarf_Addr bias = 0;
	Dwarf_Die *cu = symbols_unit(m, vaddr, &bias);
	Dwarf_Line *l = cu ? dwarf_getsrc_die(cu, vaddr - bias) : NULL;
	int line = 0;

	if (l)
		dwarf_lineno(l, &line);
	return line > 0 ? (uint32_t)line : 0;
}
