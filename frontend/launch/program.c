/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/err.h"
#include "frontend/util/xalloc.h"

#define NEEDED_DEPTH 4 /* libraries of libraries of … that are looked into */
#define NEEDED_FILES 256
#define MODULE "dvmdbg_fortran_" /* what runtime/dvmdbg.f90 has, which the library looks for */
#define MODULE_UNHOOKED MODULE "without_hooks_"
#define NOTE_HOOKS 1 /* by "dvmdbg": runtime/hooks/hooks.h */

/* What one walk over a program and its libraries has seen. */
struct walk {
	struct program *p;
	bool to_the_end; /* also when all that program_open tells is known */
	bool loads, library_marks;
	void (*needs)(void *arg, const char *name); /* gets what the file itself needs; NULL: nobody */
	void (*library)(void *arg,
			const char *path); /* gets those that are not the system's; NULL: nobody */
	void *arg;
	unsigned files;
	char *seen[NEEDED_FILES];
};

/* The file for name in a list of directories separated by ':', if test says so. Owned by the
 * caller. */
static char *find_in(const char *dirs, const char *name, int mode)
{
	while (dirs && *dirs) {
		size_t len = strcspn(dirs, ":");
		char path[PATH_MAX];
		struct stat st;

		snprintf(path, sizeof(path), "%.*s%s%s", (int)len, dirs, len ? "/" : "./", name);
		if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, mode) == 0)
			return xstrdup(path);
		dirs += len;
		dirs += *dirs == ':';
	}
	return NULL;
}

char *program_find(const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return access(name, X_OK) == 0 ? xstrdup(name) : NULL;
	return find_in(path ? path : "/usr/local/bin:/usr/bin:/bin", name, X_OK);
}

const char *program_mpi_words(enum program_mpi mpi)
{
	static const char *const words[] = { "no MPI", "Open MPI", "MPICH" };

	return words[mpi];
}

void program_clear(struct program *p)
{
	free(p->path);
	*p = (struct program){ 0 };
}

/* Which MPI a library's name (DT_NEEDED) represents. */
static enum program_mpi mpi_of(const char *lib)
{
	static const struct {
		const char *prefix;
		enum program_mpi mpi;
	} names[] = {
		{ "libmpich", PROGRAM_MPI_MPICH },	   { "libmpi.so.12", PROGRAM_MPI_MPICH },
		{ "libmpifort.so.12", PROGRAM_MPI_MPICH }, { "libmpi.so", PROGRAM_MPI_OPENMPI },
		{ "libmpi_", PROGRAM_MPI_OPENMPI },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(lib, names[i].prefix, strlen(names[i].prefix)) == 0)
			return names[i].mpi;
	return PROGRAM_MPI_NONE;
}

static void walk_file(struct walk *w, const char *path, unsigned depth);

/* Replaces $ORIGIN at the beginning of each directory of a run path. Owned by the caller. */
static char *expand_origin(const char *runpath, const char *path)
{
	char *copy = xstrdup(path), *out = NULL;
	size_t size = 0;
	FILE *f = xmemstream(&out, &size);
	const char *dir = dirname(copy);

	for (const char *s = runpath; *s;) {
		size_t skip = strncmp(s, "$ORIGIN", 7) == 0	? 7
			      : strncmp(s, "${ORIGIN}", 9) == 0 ? 9
								: 0;

		if (skip)
			fputs(dir, f);
		else
			fputc(*s, f);
		s += skip ? skip : 1;
	}
	xmemstream_close(f);
	free(copy);
	return out;
}

/* Looks into a needed library, as far as the loader's own search can be foretold. */
static void walk_needed(struct walk *w, const char *lib, const char *runpath, unsigned depth)
{
	static const char system_dirs[] =
#if defined(__x86_64__)
		"/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:"
#elif defined(__aarch64__)
		"/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu:"
#endif
		"/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib";
	const char *env = getenv("LD_LIBRARY_PATH");
	char *path;

	for (unsigned i = 0; i < w->files; i++)
		if (strcmp(w->seen[i], lib) == 0)
			return;
	if (w->files == NEEDED_FILES)
		return;
	w->seen[w->files] = xstrdup(lib);
	w->files++;
	path = find_in(runpath, lib, R_OK);
	if (!path)
		path = find_in(env, lib, R_OK);
	if (path && w->library)
		w->library(w->arg, path);
	if (!path)
		path = find_in(system_dirs, lib, R_OK);
	if (path)
		walk_file(w, path, depth + 1);
	free(path);
}

/* Calls walk_needed for what the dynamic section names, after the names themselves were judged. */
static void walk_dynamic(struct walk *w, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh,
			 const char *path, unsigned depth)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data && sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0;
	char *runpath = NULL;

	for (size_t i = 0; i < n; i++) {
		GElf_Dyn dyn;
		const char *s;

		if (!gelf_getdyn(data, (int)i, &dyn))
			continue;
		s = elf_strptr(elf, sh->sh_link, dyn.d_un.d_val);
		if (dyn.d_tag == DT_NEEDED && s) {
			if (w->needs && !depth)
				w->needs(w->arg, s);
			if (w->p->mpi == PROGRAM_MPI_NONE)
				w->p->mpi = mpi_of(s);
			if (strncmp(s, "libdvmdbg.so", 12) == 0)
				w->p->annotated = true;
			if (strncmp(s, "libtsan.so", 10) == 0)
				w->p->sanitized = true;
		} else if ((dyn.d_tag == DT_RUNPATH || dyn.d_tag == DT_RPATH) && s && !runpath) {
			runpath = expand_origin(s, path);
		}
	}
	for (size_t i = 0; i < n && depth < NEEDED_DEPTH; i++) {
		GElf_Dyn dyn;
		const char *s;

		if (!w->to_the_end && w->p->mpi != PROGRAM_MPI_NONE && w->p->annotated &&
		    (w->p->hooked || w->p->hooked_library))
			break;
		if (gelf_getdyn(data, (int)i, &dyn) && dyn.d_tag == DT_NEEDED &&
		    (s = elf_strptr(elf, sh->sh_link, dyn.d_un.d_val)) != NULL)
			walk_needed(w, s, runpath, depth);
	}
	free(runpath);
}

/* Undefined dvmdbg_* symbols mean annotations (a program that was linked allowing them to be
 * missing). */
static void walk_symbols(struct walk *w, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh,
			 unsigned depth)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data && sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0;

	for (size_t i = 0; i < n; i++) {
		GElf_Sym sym;
		const char *name;

		if (!gelf_getsym(data, (int)i, &sym))
			continue;
		name = elf_strptr(elf, sh->sh_link, sym.st_name);
		if (name && sym.st_shndx == SHN_UNDEF && strncmp(name, "dvmdbg_", 7) == 0 &&
		    strncmp(name, MODULE, strlen(MODULE)) != 0) {
			w->p->annotated = true;
			w->library_marks |= depth > 0;
		}
		if (name && !depth && sym.st_shndx == SHN_UNDEF && !strcmp(name, "dlopen"))
			w->loads = true;
		if (name && sym.st_shndx == SHN_UNDEF && !strncmp(name, "dvmdbg_f_", 9))
			w->p->fortran = true;
		if (name && sym.st_shndx != SHN_UNDEF && !strcmp(name, MODULE_UNHOOKED))
			w->p->module_unhooked = true;
		/* clang links the sanitizer into the program, which exports it */
		if (name && !depth && sym.st_shndx != SHN_UNDEF && !strcmp(name, "__tsan_init"))
			w->p->sanitized = true;
	}
}

static bool note_is(const Elf_Data *data, const GElf_Nhdr *note, size_t name, unsigned type,
		    const char *owner)
{
	return note->n_type == type && note->n_namesz == strlen(owner) + 1 &&
	       memcmp((const char *)data->d_buf + name, owner, note->n_namesz) == 0;
}

/* The build id of the program, and whether there are hooks, when these notes have it. */
static void read_notes(struct program *p, Elf_Scn *scn, unsigned depth)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
		const unsigned char *id = (const unsigned char *)data->d_buf + desc;
		size_t n = note.n_descsz;

		if (note_is(data, &note, name, NOTE_HOOKS, "dvmdbg"))
			*(depth ? &p->hooked_library : &p->hooked) = true;
		if (depth || !note_is(data, &note, name, NT_GNU_BUILD_ID, "GNU"))
			continue;
		for (size_t i = 0; i < n && 2 * i + 2 < sizeof(p->build_id); i++)
			snprintf(p->build_id + 2 * i, 3, "%02x", id[i]);
	}
}

static void walk_elf(struct walk *w, Elf *elf, const char *path, unsigned depth)
{
	Elf_Scn *scn = NULL;

	/* notes are before the rest in the files that linkers make: what they say saves walks */
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh))
			continue;
		if (sh.sh_type == SHT_DYNAMIC)
			walk_dynamic(w, elf, scn, &sh, path, depth);
		else if (sh.sh_type == SHT_DYNSYM)
			walk_symbols(w, elf, scn, &sh, depth);
		else if (sh.sh_type == SHT_NOTE)
			read_notes(w->p, scn, depth);
	}
}

/* An unreadable library only means that less is known. */
static void walk_file(struct walk *w, const char *path, unsigned depth)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);

	if (elf && elf_kind(elf) == ELF_K_ELF)
		walk_elf(w, elf, path, depth);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
}

/* Machine and class of this very program. */
static int own_machine(GElf_Ehdr *own)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), rc = -1;
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);

	if (elf && gelf_getehdr(elf, own))
		rc = 0;
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return rc;
}

static const char *machine_name(unsigned machine)
{
	static const struct {
		unsigned machine;
		const char *name;
	} names[] = {
		{ EM_X86_64, "x86-64" },  { EM_386, "i386" },	 { EM_AARCH64, "AArch64" },
		{ EM_ARM, "ARM" },	  { EM_PPC64, "POWER" }, { EM_RISCV, "RISC-V" },
		{ EM_S390, "IBM S/390" },
	};
	static char number[32];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].machine == machine)
			return names[i].name;
	snprintf(number, sizeof(number), "ELF machine %u", machine);
	return number;
}

/* Checks that the file can run here and reads what it needs. */
static int read_elf(struct program *p, Elf *elf, struct err *err)
{
	struct walk w = { .p = p };
	GElf_Ehdr head, own;
	size_t n = 0;

	if (!gelf_getehdr(elf, &head))
		return err_set(err, "%s: a damaged ELF file: %s", p->path, elf_errmsg(-1));
	if (head.e_type != ET_EXEC && head.e_type != ET_DYN)
		return err_set(err, "%s: an ELF file, but not a program that is linked", p->path);
	if (own_machine(&own) == 0 &&
	    (own.e_machine != head.e_machine || own.e_ident[EI_CLASS] != head.e_ident[EI_CLASS])) {
		char theirs[48];

		snprintf(theirs, sizeof(theirs), "%s", machine_name(head.e_machine));
		return err_set(err, "%s: is for %s%s, this dvmdbg for %s", p->path, theirs,
			       own.e_machine == head.e_machine ? " of another word size" : "",
			       machine_name(own.e_machine));
	}
	p->is_static = true;
	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_INTERP)
			p->is_static = false;
	}
	walk_elf(&w, elf, p->path, 0);
	while (w.files > 0)
		free(w.seen[--w.files]);
	return 0;
}

static int read_file(struct program *p, int fd, struct err *err)
{
	char head[4] = "";
	Elf *elf;
	int rc;

	if (pread(fd, head, sizeof(head), 0) < 0)
		return err_set(err, "%s: %s", p->path, strerror(errno));
	if (head[0] == '#' && head[1] == '!') {
		p->script = true;
		return 0;
	}
	if (memcmp(head, ELFMAG, SELFMAG) != 0)
		return err_set(err, "%s: is not a program (neither an ELF file nor a script)",
			       p->path);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf)
		return err_set(err, "%s: cannot be read: %s", p->path, elf_errmsg(-1));
	rc = read_elf(p, elf, err);
	elf_end(elf);
	return rc;
}

/* Words why a file cannot be started; -1 always. */
static int cannot_start(const char *name, struct err *err)
{
	struct stat st;

	if (name[0] == '\0')
		return err_set(err, "the name of the program is empty");
	if (!strchr(name, '/')) {
		if (stat(name, &st) == 0)
			return err_set(err, "%s: not found in PATH; the file here is ./%s", name,
				       name);
		return err_set(err, "%s: not found in PATH", name);
	}
	if (stat(name, &st) < 0)
		return err_set(err, "%s: %s", name,
			       errno == ENOENT ? "there is no such file" : strerror(errno));
	if (S_ISDIR(st.st_mode))
		return err_set(err, "%s: is a directory, not a program", name);
	return err_set(err, "%s: is not executable", name);
}

bool program_is_annotated(const char *path)
{
	struct program p;
	bool is = !program_open(&p, path, NULL) && p.annotated;

	program_clear(&p);
	return is;
}

/* Among the symbols of one section. */
static bool find_symbol(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, const char *name,
			uint64_t *vaddr)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data && sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0;

	for (size_t i = 0; i < n; i++) {
		GElf_Sym sym;
		const char *text;

		if (!gelf_getsym(data, (int)i, &sym) || sym.st_shndx == SHN_UNDEF)
			continue;
		text = elf_strptr(elf, sh->sh_link, sym.st_name);
		if (!text || strcmp(text, name))
			continue;
		*vaddr = sym.st_value;
		return true;
	}
	return false;
}

bool program_symbol(const char *path, const char *name, uint64_t *vaddr, bool *fixed)
{
	int fd = elf_version(EV_CURRENT) == EV_NONE ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	Elf_Scn *scn = NULL;
	GElf_Ehdr head;
	GElf_Shdr sh;
	bool found = false;

	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &head)) {
		*fixed = head.e_type == ET_EXEC;
		while (!found && (scn = elf_nextscn(elf, scn)) != NULL)
			found = gelf_getshdr(scn, &sh) &&
				(sh.sh_type == SHT_DYNSYM || sh.sh_type == SHT_SYMTAB) &&
				find_symbol(elf, scn, &sh, name, vaddr);
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return found;
}

bool program_marks_elsewhere(const char *path)
{
	struct program p = { .mpi = PROGRAM_MPI_NONE };
	struct walk w = { .p = &p, .to_the_end = true };

	if (elf_version(EV_CURRENT) == EV_NONE)
		return true;
	walk_file(&w, path, 0);
	while (w.files > 0)
		free(w.seen[--w.files]);
	return w.loads || w.library_marks;
}

static void walk_all(struct walk *w, const char *path)
{
	struct program p = { .mpi = PROGRAM_MPI_NONE };

	w->p = &p;
	w->to_the_end = true;
	if (elf_version(EV_CURRENT) == EV_NONE)
		return;
	walk_file(w, path, 0);
	while (w->files > 0)
		free(w->seen[--w->files]);
}

void program_libraries(const char *path, void (*fn)(void *arg, const char *path), void *arg)
{
	walk_all(&(struct walk){ .library = fn, .arg = arg }, path);
}

void program_needs(const char *path, void (*fn)(void *arg, const char *name), void *arg)
{
	walk_all(&(struct walk){ .needs = fn, .arg = arg }, path);
}

int program_open(struct program *p, const char *name, struct err *err)
{
	struct stat st;
	int fd, rc;

	*p = (struct program){ .path = program_find(name) };
	if (!p->path || stat(p->path, &st) < 0 || !S_ISREG(st.st_mode)) {
		program_clear(p);
		return cannot_start(name, err);
	}
	if (elf_version(EV_CURRENT) == EV_NONE) {
		program_clear(p);
		return err_set(err, "libelf is too old");
	}
	fd = open(p->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		/* Executable but not readable: it can be started, nothing is known of it. */
		return 0;
	}
	rc = read_file(p, fd, err);
	close(fd);
	if (rc < 0)
		program_clear(p);
	return rc;
}
