/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/sys/core.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <unistd.h>

#include "common/core/err.h"

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

/* A file as a whole; NULL: it cannot be read. */
static unsigned char *map_file(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *at = MAP_FAILED;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0)
		at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (at == MAP_FAILED)
		return NULL;
	*len = (size_t)st.st_size;
	return at;
}

/* n bytes of the file at off; NULL: it is shorter. */
static const void *at(const struct core *c, uint64_t off, uint64_t n)
{
	return off <= c->len && n <= c->len - off ? c->bytes + off : NULL;
}

static const Elf64_Phdr *segment(const struct core *c, unsigned i)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)c->bytes;

	return i < e->e_phnum ? at(c, e->e_phoff + i * (uint64_t)e->e_phentsize, sizeof(Elf64_Phdr))
			      : NULL;
}

static void take_registers(struct core *c, const unsigned char *desc, size_t n)
{
	struct elf_prstatus s;

	if (n < sizeof(s))
		return;
	memcpy(&s, desc, sizeof(s));
	c->signal = s.pr_cursig;
#if defined(__x86_64__)
	{
		struct user_regs_struct r;
		uint64_t reg[17];

		memcpy(&r, s.pr_reg, sizeof(r));
		memcpy(reg,
		       (uint64_t[17]){ r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8,
				       r.r9, r.r10, r.r11, r.r12, r.r13, r.r14, r.r15, r.rip },
		       sizeof(reg));
		memcpy(c->reg, reg, sizeof(reg));
		c->thread = r.fs_base;
	}
#else
	memcpy(c->reg, s.pr_reg, sizeof(c->reg));
#endif
}

static void take_vectors(struct core *c, const unsigned char *desc, size_t n)
{
#if defined(__x86_64__)
	struct user_fpregs_struct fp;

	if (n < sizeof(fp))
		return;
	memcpy(&fp, desc, sizeof(fp));
	memcpy(c->vector, fp.xmm_space, sizeof(c->vector));
	c->has_vector = true;
#else
	(void)c, (void)desc, (void)n;
#endif
}

/* NT_FILE: count, size of a page, three numbers for each, then the names. */
static int take_files(struct core *c, const unsigned char *desc, size_t n)
{
	uint64_t head[2], three[3];
	const char *name, *end = (const char *)desc + n;

	if (n < sizeof(head) || c->file)
		return 0;
	memcpy(head, desc, sizeof(head));
	if (head[0] > n / sizeof(three) || n - sizeof(head) < head[0] * sizeof(three))
		return 0;
	name = (const char *)desc + sizeof(head) + head[0] * sizeof(three);
	c->file = calloc(head[0] + 1, sizeof(*c->file));
	c->mapped = calloc(head[0] + 1, sizeof(*c->mapped));
	if (!c->file || !c->mapped)
		return -1;
	for (uint64_t i = 0; i < head[0]; i++) {
		size_t len = strnlen(name, (size_t)(end - name));

		if (name + len >= end)
			break;
		memcpy(three, desc + sizeof(head) + i * sizeof(three), sizeof(three));
		c->file[c->nfile++] =
			(struct core_file){ three[0], three[1], three[2] * head[1], name };
		name += len + 1;
	}
	return 0;
}

/* All notes of a segment; have_registers: those of the first thread have been taken. */
static int take_notes(struct core *c, const Elf64_Phdr *p, bool *have_registers)
{
	uint64_t pos = 0;
	const unsigned char *notes = at(c, p->p_offset, p->p_filesz);

	while (notes && pos + sizeof(Elf64_Nhdr) <= p->p_filesz) {
		Elf64_Nhdr h;
		const unsigned char *desc;
		uint64_t next;

		memcpy(&h, notes + pos, sizeof(h));
		next = pos + sizeof(h) + ((h.n_namesz + 3ull) & ~3ull);
		if (next + h.n_descsz > p->p_filesz)
			break;
		desc = notes + next;
		pos = next + ((h.n_descsz + 3ull) & ~3ull);
		if (h.n_type == NT_PRSTATUS && !*have_registers) {
			take_registers(c, desc, h.n_descsz);
			*have_registers = true;
		} else if (h.n_type == NT_PRFPREG && !c->has_vector) {
			take_vectors(c, desc, h.n_descsz);
		} else if (h.n_type == NT_FILE && take_files(c, desc, h.n_descsz)) {
			return -1;
		}
	}
	return 0;
}

static int read_notes(struct core *c, const char *path, struct err *err)
{
	const Elf64_Phdr *p;
	bool registers = false;

	for (unsigned i = 0; (p = segment(c, i)); i++)
		if (p->p_type == PT_NOTE && take_notes(c, p, &registers))
			return err_set(err, "out of memory");
	if (!registers || !c->nfile)
		return err_set(err,
			       "%s has no registers, or no list of files: it is cut off, or an old "
			       "kernel has "
			       "written it",
			       path);
	return 0;
}

/* The program may have been moved since. */
static void set_program(struct core *c, const char *program)
{
	const char *was = c->file[0].path;

	for (size_t i = 0; i < c->nfile; i++)
		if (c->file[i].path == was || !strcmp(c->file[i].path, was))
			c->file[i].path = program;
}

struct core *core_open(const char *path, const char *program, struct err *err)
{
	struct core *c = calloc(1, sizeof(*c));
	const Elf64_Ehdr *e;

	if (!c) {
		err_set(err, "out of memory");
		return NULL;
	}
	c->bytes = map_file(path, &c->len);
	if (!c->bytes) {
		err_set(err, "%s cannot be read: %s", path,
			errno ? strerror(errno) : "it is empty");
		core_close(c);
		return NULL;
	}
	e = (const Elf64_Ehdr *)c->bytes;
	if (c->len < sizeof(*e) || memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_type != ET_CORE ||
	    e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_machine != MACHINE) {
		err_set(err, "%s is no core file of this kind of machine", path);
		core_close(c);
		return NULL;
	}
	if (read_notes(c, path, err)) {
		core_close(c);
		return NULL;
	}
	set_program(c, program);
	return c;
}

void core_close(struct core *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->nmapped; i++)
		if (c->mapped[i].bytes)
			munmap(c->mapped[i].bytes, c->mapped[i].len);
	if (c->bytes)
		munmap(c->bytes, c->len);
	free(c->mapped);
	free(c->file);
	free(c);
}

/* The file of that name, opened once. */
static const struct core_mapped *file_of(struct core *c, const char *path)
{
	struct core_mapped *m;

	for (size_t i = 0; i < c->nmapped; i++)
		if (!strcmp(c->mapped[i].path, path))
			return &c->mapped[i];
	m = &c->mapped[c->nmapped++];
	m->path = path;
	m->bytes = map_file(path, &m->len);
	return m;
}

/* How many bytes at addr there are, at most n. */
static size_t read_file(struct core *c, uint64_t addr, unsigned char *out, size_t n)
{
	for (size_t i = 0; i < c->nfile; i++) {
		const struct core_file *f = &c->file[i];
		const struct core_mapped *m;
		uint64_t off = addr - f->start + f->offset;

		if (addr < f->start || addr >= f->end)
			continue;
		m = file_of(c, f->path);
		if (!m->bytes || off >= m->len)
			return 0;
		if (n > f->end - addr)
			n = f->end - addr;
		if (n > m->len - off)
			n = m->len - off;
		memcpy(out, m->bytes + off, n);
		return n;
	}
	return 0;
}

static size_t read_segment(struct core *c, uint64_t addr, unsigned char *out, size_t n)
{
	const Elf64_Phdr *p;

	for (unsigned i = 0; (p = segment(c, i)); i++) {
		uint64_t in = addr - p->p_vaddr;
		const void *from;

		if (p->p_type != PT_LOAD || addr < p->p_vaddr || in >= p->p_filesz)
			continue;
		if (n > p->p_filesz - in)
			n = p->p_filesz - in;
		from = at(c, p->p_offset + in, n);
		if (!from)
			return 0;
		memcpy(out, from, n);
		return n;
	}
	return read_file(c, addr, out, n);
}

bool core_read(struct core *c, uint64_t addr, void *out, size_t n)
{
	unsigned char *to = out;

	while (n) {
		size_t got = read_segment(c, addr, to, n);

		if (!got)
			return false;
		addr += got;
		to += got;
		n -= got;
	}
	return true;
}
