/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * On which lines a module announces constructs, and has collective calls of MPI, by the calls in
 * its code (x86-64). A call of C or C++ passes its file and line, which the runtime goes by; one of
 * Fortran or of MPI is where its address is.
 */
#include "frontend/symbols/symbols.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "common/logical/point.h"
#include "common/mpistate/mpistate.h"
#include "common/protocol/rule.h"
#include "frontend/symbols/internal.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xvec.h"

#define CALL_BYTES 5
#define INDIRECT_BYTES 6
#define LINE_BYTES 6
#define ARGUMENT_BYTES 160 /* before a call, in which its arguments are set */
#define MACRO_LINES 32
#define MOST_LINE (1u << 24)

/* What is called to announce a construct; a collective call of MPI; what begins a parallel region. */
enum flavor { NOTHING, BY_LINE, BY_ADDRESS, BY_MPI, BY_OMP };

/* Where such a call leads: a stub of the linker or a function, or the slot that has its address. */
struct target {
	uint64_t vaddr;
	enum flavor flavor;
	bool slot;
};

struct mark {
	const char *file; /* borrowed from libdw */
	uint32_t line;
	enum point_kind kind;
};

/* The marks of one module. */
struct marks {
	bool known[POINT_KINDS]; /* they are all that it has */
	bool any;	       /* something that announces constructs is called */
	struct mark *mark;
	size_t n, room, calls;
	struct target *target;
	size_t ntarget, target_room;
	struct module *m;
	Elf *elf;
	Dwarf_Die *cu; /* borrowed; of the last address, with its bias */
	Dwarf_Addr bias;
};

/* In C, and in the spellings of Fortran's compilers: "MPI_Barrier", "mpi_barrier_". */
static bool is_collective(const char *name)
{
	size_t len = strlen(name);

	if (strncasecmp(name, "mpi_", 4))
		return false;
	for (size_t tail = 0; tail < 2 && len > 4 && name[len - 1] == '_'; tail++)
		len--;
	if (len > 4 && !strncasecmp(name + len - 4, "_f08", 4))
		len -= 4;
	for (unsigned i = 0; i < MPISTATE_CALLS; i++) {
		const char *call = mpistate_call_name(i);

		if (strlen(call) == len && !strncasecmp(call, name, len))
			return mpistate_is_collective(mpistate_call_class(i)) &&
			       mpistate_shape(i).comm >= 0;
	}
	return false;
}

/* Of gcc, and of clang. */
static bool begins_region(const char *name)
{
	return !strncmp(name, "GOMP_parallel", 13) || !strcmp(name, "__kmpc_fork_call");
}

static enum flavor flavor_of(const char *name)
{
	static const char *const fortran[] = { "dvmdbg_f_pl_mapped",  "dvmdbg_f_pl_open",
					       "dvmdbg_f_pl_begin",
					       "dvmdbg_f_sl_begin",   "dvmdbg_f_tr_open",
					       "dvmdbg_f_tr_begin",   "dvmdbg_f_task_begin",
					       "dvmdbg_f_function_begin" };

	if (!strcmp(name, "dvmdbg_open_at"))
		return BY_LINE;
	/* what a C++ compiler has made a function of, which has the same arguments */
	if (!strncmp(name, "_ZN10dvmdbg_cxx", 15) && strstr(name, "4open"))
		return BY_LINE;
	for (size_t i = 0; i < sizeof(fortran) / sizeof(fortran[0]); i++)
		if (!strcmp(name, fortran[i]))
			return BY_ADDRESS;
	if (begins_region(name))
		return BY_OMP;
	return is_collective(name) ? BY_MPI : NOTHING;
}

static bool in_header(const struct mark *at)
{
	return at->file && rule_file_matches("dvmdbg.h", at->file);
}

static void add_target(struct marks *x, uint64_t vaddr, enum flavor flavor, bool slot)
{
	xvec_room(x->target, x->target_room, x->ntarget + 1);
	x->target[x->ntarget++] = (struct target){ vaddr, flavor, slot };
	x->any |= flavor != BY_MPI && flavor != BY_OMP;
}

static enum flavor leads_to(const struct marks *x, uint64_t vaddr, bool slot)
{
	for (size_t i = 0; i < x->ntarget; i++)
		if (x->target[i].vaddr == vaddr && x->target[i].slot == slot)
			return x->target[i].flavor;
	return NOTHING;
}

/* The slots that the loader fills with the addresses of such functions. */
static void find_slots(struct marks *x, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	Elf_Scn *names = elf_getscn(x->elf, sh->sh_link);
	Elf_Data *symbols = names ? elf_getdata(names, NULL) : NULL;
	size_t n = data && sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0;
	GElf_Shdr table;

	if (!symbols || !gelf_getshdr(names, &table))
		return;
	for (size_t i = 0; i < n; i++) {
		GElf_Rela rela;
		GElf_Sym sym;
		const char *name = NULL;

		if (gelf_getrela(data, (int)i, &rela) &&
		    gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &sym))
			name = elf_strptr(x->elf, table.sh_link, sym.st_name);
		if (name && flavor_of(name))
			add_target(x, rela.r_offset, flavor_of(name), true);
	}
}

/* Such functions that are in the module itself. */
static void find_functions(struct marks *x)
{
	int n = dwfl_module_getsymtab(x->m->mod);

	for (int i = 0; i < n; i++) {
		GElf_Sym sym;
		GElf_Addr at;
		const char *name =
			dwfl_module_getsym_info(x->m->mod, i, &sym, &at, NULL, NULL, NULL);

		if (name && sym.st_shndx != SHN_UNDEF && GELF_ST_TYPE(sym.st_info) == STT_FUNC &&
		    flavor_of(name))
			add_target(x, at, flavor_of(name), false);
	}
}

static uint32_t u32_at(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Where the four bytes at p lead, which are relative to what follows them. */
static uint64_t relative(const unsigned char *p, uint64_t vaddr)
{
	return vaddr + 4 + (uint64_t)(int64_t)(int32_t)u32_at(p);
}

/* The stubs of the linker: a jump through such a slot, with what may stand before it. */
static void find_stubs(struct marks *x, const unsigned char *code, size_t n, uint64_t vaddr)
{
	for (size_t i = 0; i + INDIRECT_BYTES <= n; i++) {
		enum flavor flavor;

		if (code[i] != 0xff || code[i + 1] != 0x25)
			continue;
		flavor = leads_to(x, relative(code + i + 2, vaddr + i + 2), true);
		if (!flavor)
			continue;
		add_target(x, vaddr + i, flavor, false);
		if (i && code[i - 1] == 0xf2) /* bnd */
			add_target(x, vaddr + i - 1, flavor, false);
		for (size_t k = 4; k <= 5 && k <= i; k++) /* endbr64 */
			if (u32_at(code + i - k) == 0xfa1e0ff3)
				add_target(x, vaddr + i - k, flavor, false);
	}
}

/* Of what a C++ compiler has put in place of its call: the file and line of that. */
static void to_caller(const struct module *m, Dwarf_Die *cu, Dwarf_Addr pc, struct mark *at)
{
	Dwarf_Die *scopes = NULL;
	Dwarf_Files *files;
	size_t nfiles;
	int n = dwarf_getscopes(cu, pc, &scopes);

	for (int i = 0; i < n && in_header(at); i++) {
		Dwarf_Attribute attr;
		Dwarf_Word file, line;

		if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine &&
		    !dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_file, &attr), &file) &&
		    !dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_line, &attr), &line) &&
		    !dwarf_getsrcfiles(cu, &files, &nfiles) && file < nfiles)
			*at = (struct mark){
				symbols_path(m, cu, dwarf_filesrc(files, file, NULL, NULL)),
				(uint32_t)line
			};
	}
	free(scopes);
}

/* The source line of the code at an address; file NULL: not known. */
static struct mark source_of(struct marks *x, uint64_t vaddr)
{
	struct mark at = { 0 };
	Dwarf_Line *l;
	int line = 0;

	/* mostly it is in the unit of the one before */
	if (!x->cu || dwarf_haspc(x->cu, vaddr - x->bias) != 1)
		x->cu = symbols_unit(x->m, vaddr, &x->bias);
	l = x->cu ? dwarf_getsrc_die(x->cu, vaddr - x->bias) : NULL;
	at.file = l ? symbols_path(x->m, x->cu, dwarf_linesrc(l, NULL, NULL)) : NULL;
	if (l)
		dwarf_lineno(l, &line);
	at.line = line > 0 ? (uint32_t)line : 0;
	if (in_header(&at))
		to_caller(x->m, x->cu, vaddr - x->bias, &at);
	return at;
}

static void add_mark(struct marks *x, const char *file, uint32_t line, enum point_kind kind)
{
	xvec_room(x->mark, x->room, x->n + 1);
	x->mark[x->n++] = (struct mark){ file, line, kind };
}

/* "mov $line, %r8d", which sets the argument that is the line. */
static bool sets_line(const unsigned char *code, size_t i, size_t n)
{
	return i + LINE_BYTES <= n && code[i] == 0x41 && code[i + 1] == 0xb8 &&
	       u32_at(code + i + 2) && u32_at(code + i + 2) < MOST_LINE;
}

/*
 * Wherever the line of the code itself, or a line nearby, as macros may take several, is set as
 * that argument. Compilers let several such places go on to one call.
 */
static void find_lines(struct marks *x, const unsigned char *code, size_t n, uint64_t vaddr)
{
	for (size_t i = 0; i < n; i++) {
		struct mark at;
		uint32_t line;

		if (!sets_line(code, i, n))
			continue;
		line = u32_at(code + i + 2);
		at = source_of(x, vaddr + i);
		if (at.file && (!at.line || (line < at.line ? at.line - line : line - at.line) <=
						    MACRO_LINES))
			add_mark(x, at.file, line, POINT_KIND_MARKS);
	}
}

/* One call, which begins at code + i. What it does not show makes the marks incomplete. */
static void add_call(struct marks *x, const unsigned char *code, size_t i, uint64_t vaddr,
		     enum flavor flavor)
{
	struct mark at = source_of(x, vaddr + i);
	size_t from = i > ARGUMENT_BYTES ? i - ARGUMENT_BYTES : 0;
	bool found = false;

	if (flavor == BY_MPI || flavor == BY_OMP) {
		enum point_kind kind = flavor == BY_MPI ? POINT_KIND_MPI : POINT_KIND_OMP;

		if (at.file && at.line)
			add_mark(x, at.file, at.line, kind);
		x->known[kind] &= at.file && at.line;
		return;
	}
	if (flavor == BY_ADDRESS) {
		if (at.file && at.line)
			add_mark(x, at.file, at.line, POINT_KIND_MARKS);
		found = at.file && at.line;
	} else {
		/* a call inside of dvmdbg.h hands on what its callers pass */
		found = in_header(&at);
		for (size_t k = from; at.file && k < i && !found; k++)
			found = sets_line(code, k, i);
	}
	x->known[POINT_KIND_MARKS] &= found;
	x->calls++;
}

static void find_calls(struct marks *x, const unsigned char *code, size_t n, uint64_t vaddr)
{
	for (size_t i = 0; i + CALL_BYTES <= n; i++) {
		enum flavor flavor = NOTHING;

		if (code[i] == 0xe8 || code[i] == 0xe9)
			flavor = leads_to(x, relative(code + i + 1, vaddr + i + 1), false);
		else if (code[i] == 0xff && code[i + 1] == 0x15 && i + INDIRECT_BYTES <= n)
			flavor = leads_to(x, relative(code + i + 2, vaddr + i + 2), true);
		if (flavor)
			add_call(x, code, i, vaddr, flavor);
	}
}

static void each_code(struct marks *x, void (*fn)(struct marks *x, const unsigned char *code,
						  size_t n, uint64_t vaddr))
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(x->elf, scn)) != NULL) {
		Elf_Data *data;
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_PROGBITS ||
		    !(sh.sh_flags & SHF_EXECINSTR))
			continue;
		data = elf_rawdata(scn, NULL);
		if (data)
			fn(x, data->d_buf, data->d_size, sh.sh_addr);
	}
}

static void find_all(struct marks *x)
{
	Elf_Scn *scn = NULL;
	GElf_Addr bias;
	GElf_Ehdr head;

	x->elf = x->m->mod ? dwfl_module_getelf(x->m->mod, &bias) : NULL;
	if (!x->elf || !gelf_getehdr(x->elf, &head) || head.e_machine != EM_X86_64)
		return;
	for (unsigned k = 0; k < POINT_KINDS; k++)
		x->known[k] = true;
	while ((scn = elf_nextscn(x->elf, scn)) != NULL) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_RELA && sh.sh_flags & SHF_ALLOC)
			find_slots(x, scn, &sh);
	}
	find_functions(x);
	if (!x->ntarget)
		return;
	each_code(x, find_stubs);
	each_code(x, find_calls);
	each_code(x, find_lines);
	/* called in a way that is not known here */
	x->known[POINT_KIND_MARKS] &= x->calls > 0 || !x->any;
}

static const struct marks *marks_of(struct symbols *s, const char *module)
{
	struct module *m = symbols_module(s, module);
	struct marks *x = m->marks;

	if (x)
		return x;
	x = m->marks = xcalloc(1, sizeof(*x));
	x->m = m;
	find_all(x);
	free(x->target);
	x->target = NULL;
	return x;
}

void marks_destroy(struct marks *x)
{
	if (!x)
		return;
	free(x->mark);
	free(x);
}

void symbol_marks_add(struct symbol_marks *to, uint32_t at, uint32_t line)
{
	to->here |= at == line;
	if (at > line && (!to->next || at < to->next))
		to->next = at;
	if (at < line && at > to->previous)
		to->previous = at;
}

bool symbols_marks(struct symbols *s, const char *module, const char *file, uint32_t line,
		   enum point_kind kind, struct symbol_marks *out)
{
	const struct marks *x = marks_of(s, module);

	*out = (struct symbol_marks){ 0 };
	for (size_t i = 0; i < x->n; i++) {
		if (x->mark[i].kind != POINT_KIND_MARKS && x->mark[i].kind != kind)
			continue;
		out->total++;
		if (rule_file_matches(file, x->mark[i].file))
			symbol_marks_add(out, x->mark[i].line, line);
	}
	return x->known[POINT_KIND_MARKS] && x->known[kind];
}
