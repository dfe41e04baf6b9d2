/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unwinding what was copied, by the files' own tables (libdwfl), and folding of what users did not
 * write.
 */
#include "runtime/exec/native/internal.h"

#include <elfutils/libdwfl.h>
#include <elfutils/version.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/core/log.h"
#include "common/core/parse.h"
#include "runtime/exec/sys/child.h"
#include "runtime/exec/sys/core.h"
#include "runtime/exec/sys/memory.h"

#define RAW_MOST 8192 /* calls that are unwound: a stack that has overflowed has more */
#define TRIES 4
#define THREADS 1024 /* of a program that is paused */
#define SAVED 512    /* calls whose registers are kept when they are wanted */

/* Registers that calls have; on others than x86-64 the program counter is none of them. */
#if defined(__x86_64__)
#define FRAME_REGS 17
#else
#define FRAME_REGS 32
#endif

/* A call as it was unwound. */
struct raw {
	uint64_t pc; /* of the call itself */
	Dwfl_Module *mod;
};

struct native {
	struct page *page; /* borrowed */
	struct capture capture;
	Dwfl *dwfl;
	pid_t pid; /* whose modules dwfl has */
	char exe[4096];
	struct raw *raw;
	uint32_t n;
	bool cut;
	bool nowhere; /* its innermost call is of an address where no code is */
	struct err why;
	native_namer namer;   /* NULL: none */
	native_holder holder; /* likewise */
	void *namer_arg;
	/* of the first calls; NULL: nobody has wanted them */
	struct saved {
		uint64_t reg[PAGE_REGS], have;
	} *saved;
	bool save;
	/* native_pause */
	struct {
		pid_t tid;
		int status;
	} thread[THREADS];
	unsigned nthread;
};

static int no_debuginfo(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base,
			const char *file, const char *link, GElf_Word crc, char **found)
{
	return -1;
}

/* Names and lines are looked up elsewhere: here only unwinding tables and symbols are read. */
static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = no_debuginfo,
};

struct native *native_create(struct page *page, struct memory *memory)
{
	struct native *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->raw = calloc(RAW_MOST, sizeof(*n->raw));
	if (!n->raw) {
		free(n);
		return NULL;
	}
	n->page = page;
	n->capture.memory = memory;
	return n;
}

void native_name_with(struct native *n, native_namer namer, native_holder holder, void *arg)
{
	n->namer = namer;
	n->holder = holder;
	n->namer_arg = arg;
}

void native_destroy(struct native *n)
{
	if (!n)
		return;
	if (n->dwfl)
		dwfl_end(n->dwfl);
	capture_clear(&n->capture);
	free(n->raw);
	free(n->saved);
	free(n);
}

bool native_paused(const struct native *n)
{
	return n->nthread || n->capture.memory->core;
}

void native_resume(struct native *n)
{
	while (n->nthread) {
		n->nthread--;
		child_unpause(n->thread[n->nthread].tid, n->thread[n->nthread].status);
	}
}

void native_yield(struct native *n)
{
	while (n->nthread) {
		n->nthread--;
		ptrace(PTRACE_DETACH, n->thread[n->nthread].tid, NULL, (void *)(uintptr_t)SIGSTOP);
	}
}

int native_take_back(struct native *n, struct err *err)
{
	kill(n->capture.memory->pid, SIGCONT);
	return native_pause(n, err);
}

static bool has_thread(const struct native *n, pid_t tid)
{
	for (unsigned i = 0; i < n->nthread; i++)
		if (n->thread[i].tid == tid)
			return true;
	return false;
}

/* Those that are there and run; how many were stopped, -1 and err. One that has ended meanwhile is
 * none. */
static int pause_threads(struct native *n, DIR *threads, struct err *err)
{
	struct dirent *e;
	int stopped = 0;

	rewinddir(threads);
	while ((e = readdir(threads))) {
		pid_t tid = atoi(e->d_name);

		if (tid <= 0 || has_thread(n, tid))
			continue;
		if (n->nthread == THREADS)
			return err_set(err, "it has more than %u threads", THREADS);
		if (capture_hold(tid, &n->thread[n->nthread].status, err)) {
			if (kill(tid, 0) && tid != n->capture.memory->pid)
				continue;
			return -1;
		}
		n->thread[n->nthread++].tid = tid;
		stopped++;
	}
	return stopped;
}

int native_pause(struct native *n, struct err *err)
{
	char path[64];
	DIR *threads;
	int rc;

	if (native_paused(n))
		return 0;
	if (n->capture.memory->bounce)
		return err_set(err, "the kernel forbids ptrace");
	snprintf(path, sizeof(path), "/proc/%d/task", n->capture.memory->pid);
	threads = opendir(path);
	if (!threads)
		return err_set(err, "%s: %s", path, strerror(errno));
	/* as long as those that still run can start others */
	do
		rc = pause_threads(n, threads, err);
	while (rc > 0);
	closedir(threads);
	if (rc < 0)
		native_resume(n);
	return rc;
}

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread)
{
	struct native *n = arg;

	if (*thread)
		return 0;
	*thread = n;
	return n->pid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread)
{
	*thread = arg;
	return true;
}

static bool read_word(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *out, void *arg)
{
	struct native *n = arg;
	uint64_t word;

	if (!capture_word(&n->capture, addr, &word))
		return false;
	*out = word;
	return true;
}

/* Where no code is, a call by a wrong pointer has led: the call is what the stack begins with. */
static void leave_nowhere(struct native *n, Dwarf_Word *reg)
{
#if defined(__x86_64__)
	uint64_t back;

	if (dwfl_addrmodule(n->dwfl, reg[16]) || !capture_word(&n->capture, reg[7], &back) ||
	    !dwfl_addrmodule(n->dwfl, back - 1))
		return;
	reg[16] = back;
	reg[7] += sizeof(back);
	n->nowhere = true;
#elif defined(__aarch64__)
	if (dwfl_addrmodule(n->dwfl, reg[32]) || !dwfl_addrmodule(n->dwfl, reg[30] - 1))
		return;
	reg[32] = reg[30];
	n->nowhere = true;
#endif
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	struct native *n = arg;
	Dwarf_Word reg[PAGE_REGS];

	for (int i = 0; i < PAGE_REGS; i++)
		reg[i] = n->capture.reg[i];
	leave_nowhere(n, reg);
	if (!dwfl_thread_state_registers(thread, 0, FRAME_REGS, reg))
		return false;
#if defined(__aarch64__)
	dwfl_thread_state_register_pc(thread, reg[32]);
#endif
	return true;
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_word,
	.set_initial_registers = set_registers,
};

/* Its files, by the list that the core has; the first is the program. */
static int report_core(struct native *n)
{
	const struct core *core = n->capture.memory->core;

	snprintf(n->exe, sizeof(n->exe), "%s", core->file[0].path);
	for (size_t i = 0; i < core->nfile; i++) {
		const struct core_file *f = &core->file[i];
		bool known = f->offset || !strncmp(f->path, "/dev/", 5);

		for (size_t k = 0; k < i && !known; k++)
			known = !strcmp(core->file[k].path, f->path);
		/* one that is not there any more, or no program, is left out */
		if (!known)
			dwfl_report_elf(n->dwfl, f->path, f->path, -1, f->start, false);
	}
	return 0;
}

/* A line of /proc/PID/maps. */
struct mapping {
	unsigned long long lo, hi, off;
	char kind[5], path[4096];
	bool file;
};

static bool parse_mapping(const char *line, struct mapping *m)
{
	m->path[0] = '\0';
	if (sscanf(line, "%llx-%llx %4s %llx %*s %*s %4095[^\n]", &m->lo, &m->hi, m->kind, &m->off,
		   m->path) < 4)
		return false;
	m->file = *m->path == '/';
	return true;
}

static bool follows(const struct mapping *m, const struct mapping *before)
{
	return before->file && m->lo == before->hi && !strcmp(m->path, before->path);
}

/*
 * Whether it is a part of a file that somebody looks at, as libbacktrace does for gfortran, and
 * none that is loaded: readable alone, and neither the beginning of a file, which goes on behind
 * it, nor behind another part of it.
 */
static bool is_view(const struct mapping *m, const struct mapping *before,
		    const struct mapping *next)
{
	if (!m->file || strcmp(m->kind, "r--p"))
		return false;
	return m->off ? !follows(m, before) : !follows(next, m) || !next->off;
}

static void swap_lines(char *line[2], size_t room[2])
{
	char *text = line[0];
	size_t n = room[0];

	line[0] = line[1];
	room[0] = room[1];
	line[1] = text;
	room[1] = n;
}

/* The mappings without such views; *vdso: where that is. NULL: there are none, or no memory. */
static char *without_views(pid_t pid, size_t *size, struct mapping *vdso)
{
	struct mapping m[3] = { { .file = false } }; /* before, this one, the next */
	char path[64], *line[2] = { NULL, NULL }, *text = NULL;
	size_t room[2] = { 0, 0 }, dropped = 0;
	FILE *maps, *out;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "r");
	out = maps ? open_memstream(&text, size) : NULL;
	for (bool more = out && getline(&line[0], &room[0], maps) > 0 &&
			 parse_mapping(line[0], &m[1]); more;) {
		more = getline(&line[1], &room[1], maps) > 0 && parse_mapping(line[1], &m[2]);
		if (!more)
			m[2] = (struct mapping){ .file = false };
		if (!strcmp(m[1].path, "[vdso]"))
			*vdso = m[1];
		if (is_view(&m[1], &m[0], &m[2])) {
			dropped++;
		} else {
			fputs(line[0], out);
			m[0] = m[1];
		}
		m[1] = m[2];
		swap_lines(line, room);
	}
	if (maps)
		fclose(maps);
	if (out && (fclose(out) || !dropped)) {
		free(text);
		text = NULL;
	}
	free(line[0]);
	free(line[1]);
	return out ? text : NULL;
}

/* What is mapped, as dwfl_linux_proc_report has it, which takes a view of a file for its beginning
 * when it stands beside it. */
static int report_process(struct native *n, pid_t pid)
{
	struct mapping vdso = { .file = false };
	size_t size = 0;
	char *text = without_views(pid, &size, &vdso), name[32];
	FILE *f = text ? fmemopen(text, size, "r") : NULL;
	int rc = f ? dwfl_linux_proc_maps_report(n->dwfl, f)
		   : dwfl_linux_proc_report(n->dwfl, pid);

	snprintf(name, sizeof(name), "[vdso: %d]", pid);
	if (f && !rc && vdso.hi)
		dwfl_report_module(n->dwfl, name, vdso.lo, vdso.hi);
	if (f)
		fclose(f);
	free(text);
	return rc;
}

/* Reads again what is mapped: programs load libraries as they run. */
static int load_modules(struct native *n, struct err *err)
{
	pid_t pid = n->capture.memory->pid;
	char path[64];
	ssize_t len;
	int rc;

	if (n->dwfl && n->pid != pid) {
		dwfl_end(n->dwfl);
		n->dwfl = NULL;
	}
	if (!n->dwfl) {
		n->dwfl = dwfl_begin(&callbacks);
		if (!n->dwfl)
			return err_set(err, "libdw: %s", dwfl_errmsg(-1));
		n->pid = 0;
	}
	/* what a core has mapped stays as it is */
	if (n->capture.memory->core && n->pid)
		return 0;
	dwfl_report_begin(n->dwfl);
	if (n->capture.memory->core) {
		rc = report_core(n);
	} else {
		snprintf(path, sizeof(path), "/proc/%d/exe", pid);
		len = readlink(path, n->exe, sizeof(n->exe) - 1);
		n->exe[len > 0 ? len : 0] = 0;
		rc = report_process(n, pid);
	}
	if (dwfl_report_end(n->dwfl, NULL, NULL) || rc)
		return err_set(err, "what it has mapped cannot be read: %s",
			       rc > 0 ? strerror(rc) : dwfl_errmsg(-1));
	if (n->pid)
		return 0;
	n->pid = pid;
	if (!dwfl_attach_state(n->dwfl, NULL, pid, &thread_callbacks, n)) {
		err_set(err, "libdw: %s", dwfl_errmsg(-1));
		dwfl_end(n->dwfl);
		n->dwfl = NULL;
		return -1;
	}
	return 0;
}

/* What is known of its registers. */
static void save_registers(struct saved *s, Dwfl_Frame *frame)
{
	*s = (struct saved){ .have = 0 };
#if _ELFUTILS_PREREQ(0, 188)
	for (unsigned i = 0; i < PAGE_REGS; i++) {
		Dwarf_Word word;

		if (i >= FRAME_REGS || dwfl_frame_reg(frame, i, &word))
			continue;
		s->reg[i] = word;
		s->have |= UINT64_C(1) << i;
	}
#endif
}

static int add_frame(Dwfl_Frame *frame, void *arg)
{
	struct native *n = arg;
	Dwarf_Addr pc;
	bool exact;

	if (!dwfl_frame_pc(frame, &pc, &exact))
		return DWARF_CB_ABORT;
	if (n->n == RAW_MOST) {
		n->cut = true;
		return DWARF_CB_ABORT;
	}
	/* what a call returns to may be of the next line, or function */
	if (!exact || (n->nowhere && !n->n))
		pc--;
	if (n->save && n->n < SAVED)
		save_registers(&n->saved[n->n], frame);
	n->raw[n->n++] = (struct raw){ pc, dwfl_addrmodule(n->dwfl, pc) };
	return DWARF_CB_OK;
}

/* Unwinds what capture has, to n->raw. */
static void unwind(struct native *n)
{
	n->n = 0;
	n->cut = n->nowhere = false;
	if (dwfl_getthread_frames(n->dwfl, n->pid, add_frame, n) < 0)
		log_debug("native", "unwinding ends after %u calls: %s", n->n, dwfl_errmsg(-1));
}

/* Between fork and exec it is still this program. */
static bool is_us(pid_t pid)
{
	char path[64], its[4096], ours[4096];
	ssize_t n, m;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	n = readlink(path, its, sizeof(its));
	m = readlink("/proc/self/exe", ours, sizeof(ours));
	return n > 0 && n == m && !memcmp(its, ours, (size_t)n);
}

/* Copies and unwinds, with more of the stack when there was not enough. */
static int take(struct native *n, pid_t tid, bool parked, struct err *err)
{
	size_t bytes = CAPTURE_FIRST;

	if (is_us(n->capture.memory->pid))
		return err_set(err, "it is being started");
	for (unsigned i = 0; i < TRIES; i++) {
		int rc = 0;

		if (n->capture.memory->core)
			capture_core(&n->capture, n->capture.memory->core);
		else
			rc = native_paused(n) ? capture_held(&n->capture, tid, bytes, err)
			 : parked	  ? capture_parked(&n->capture, n->page, err)
					  : capture_paused(&n->capture, tid, bytes, err);

		if (rc || load_modules(n, err))
			return -1;
		unwind(n);
		if (!n->capture.wanted || n->cut)
			break;
		bytes = (size_t)(n->capture.wanted - n->capture.low) + CAPTURE_FIRST;
		if (bytes > CAPTURE_MOST)
			break;
	}
	return n->n ? 0 : err_set(err, "its stack cannot be unwound");
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

const char *native_module_path(Dwfl_Module *mod)
{
	const char *name =
		mod ? dwfl_module_info(mod, NULL, NULL, NULL, NULL, NULL, NULL, NULL) : NULL;

	/* it has the process number behind it */
	return !name ? "" : begins(name, "[vdso") ? "[vdso]" : name;
}

bool native_is_library(const struct native *n, const char *path)
{
	static const char *const folders[] = { "/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/",
					       "/usr/local/lib/" };
	static const char *const names[] = { "libmpi",	   "libopen-",	"libpmi",     "libprrte",
					     "libuc",	   "libfabric", "libevent",   "libhwloc",
					     "libdvmdbg",  "libc.so",	"libpthread", "libgfortran",
					     "libgomp",	   "libomp",	"libiomp",    "libpsm",
					     "libibverbs", "ld-linux" };

	if (!*path || *path == '[')
		return true;
	if (!strcmp(path, n->exe))
		return false;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (begins(path, folders[i]))
			return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (begins(path_base(path), names[i]))
			return true;
	return false;
}

/* The symbol that holds the address, and where it begins; "" when there is none. */
static const char *symbol_at(const struct raw *r, uint64_t *begin)
{
	GElf_Off off = 0;
	GElf_Sym sym;
	const char *name = r->mod ? dwfl_module_addrinfo(r->mod, r->pc, &off, &sym, NULL, NULL,
							 NULL)
				  : NULL;

	*begin = r->pc - off;
	return name ? name : "";
}

/* The access hooks, and the marks of C++, are in the program's own file. */
static bool is_hook(const char *symbol)
{
	return begins(symbol, "__tsan_") || begins(symbol, "dvmdbg_") ||
	       begins(symbol, "__wrap_") || begins(symbol, "_ZN10dvmdbg_cxx") ||
	       begins(symbol, "_ZL13dvmdbg_leave_");
}

static void put_call(const struct raw *r, uint64_t at, bool library, struct native_call *out)
{
	Dwarf_Addr bias = 0;

	if (r->mod)
		dwfl_module_getelf(r->mod, &bias);
	*out = (struct native_call){ library, native_module_path(r->mod), at - bias };
}

/* Or the part of it that the compiler has put apart, as hardly ever executed; no region of OpenMP
 * in it. */
static bool is_main(const char *symbol)
{
	return !strcmp(symbol, "main") || (begins(symbol, "main.") && !begins(symbol, "main._omp"));
}

/* Innermost first, into all; returns how many. Ends with main, which is what users began with. */
static uint32_t fold(struct native *n, bool whole, struct native_call *all)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < n->n; i++) {
		const struct raw *r = &n->raw[i];
		const char *path = native_module_path(r->mod), *symbol;
		uint64_t begin = r->pc;
		bool library = native_is_library(n, path);

		symbol = whole && !library ? "" : symbol_at(r, &begin);
		if (!whole && !library && is_hook(symbol))
			library = true;
		/* not in main yet, or not any more */
		if (!whole && !strcmp(symbol, "_start"))
			break;
		if (whole || !library) {
			put_call(r, r->pc, library, &all[k++]);
		} else if (i + 1 < n->n &&
			   !native_is_library(n, native_module_path(n->raw[i + 1].mod)) &&
			   (!begins(path_base(path), "libdvmdbg.so") || !strcmp(symbol, "abort")) &&
			   !is_hook(symbol)) {
			/* what is further out is the user's: this is what that has called; abort,
			 * as C's */
			put_call(r, begin, true, &all[k++]);
		}
		if (!whole && !library && is_main(symbol))
			break;
	}
	return k;
}

/* The user's calls of what was unwound. */
static void put_stack(struct native *n, unsigned ask, struct answer_native *out)
{
	struct native_call *all;
	uint32_t k, kept;

	all = calloc(n->n + 1, sizeof(*all));
	if (!all) {
		err_set(&n->why, "out of memory");
		return;
	}
	k = fold(n, ask & NATIVE_WHOLE, all);
	/* of a stack that is too deep the outermost calls are given up */
	kept = k < NATIVE_CALLS ? k : NATIVE_CALLS;
	for (uint32_t i = 0; i < kept; i++)
		out->call[i] = all[kept - 1 - i];
	out->n = kept;
	if (!k) {
		err_set(&n->why, "it is not in main");
		free(all);
		return;
	}
	out->lost = n->cut ? UINT32_MAX : k - kept;
	out->head = (struct answer_head){ .kind = ANSWER_DONE };
	free(all);
}

static int by_age(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

/* The thread whose place by age that is, where 0 runs main. */
static int find_thread(struct native *n, unsigned place, pid_t *out, struct err *err)
{
	pid_t list[THREADS], pid = n->capture.memory->pid;
	unsigned k = 0;
	char path[64];
	struct dirent *e;
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	threads = n->capture.memory->core ? NULL : opendir(path);
	while (threads && k < THREADS && (e = readdir(threads))) {
		pid_t tid = atoi(e->d_name);

		if (tid > 0 && tid != pid)
			list[k++] = tid;
	}
	if (threads)
		closedir(threads);
	qsort(list, k, sizeof(list[0]), by_age);
	if (place > k)
		return err_set(err, "it has no thread %u", place);
	*out = place ? list[place - 1] : pid;
	return 0;
}

void native_thread(struct native *n, bool parked, unsigned place, unsigned ask,
		   struct answer_native *out)
{
	pid_t tid;

	n->why = (struct err){ "" };
	out->head = (struct answer_head){ .kind = ANSWER_ERROR, .why = n->why.text };
	out->near = "";
	if (find_thread(n, place, &tid, &n->why) || take(n, tid, parked && !place, &n->why))
		return;
	put_stack(n, ask, out);
	/* it waits for work, or is a library's */
	if (place && !out->n)
		out->head = (struct answer_head){ .kind = ANSWER_DONE };
}

void native_stack(struct native *n, bool parked, unsigned ask, struct answer_native *out)
{
	n->why = (struct err){ "" };
	out->head = (struct answer_head){ .kind = ANSWER_ERROR, .why = n->why.text };
	out->near = "";
	if (!take(n, n->capture.memory->pid, parked, &n->why))
		put_stack(n, ask, out);
}

int native_frames(struct native *n, bool parked, unsigned place, struct frame **out,
		  struct err *err)
{
	pid_t tid;
	struct frame *list;
	uint32_t before = UINT32_MAX;
	int k = 0;

	*out = NULL;
	if (!n->saved)
		n->saved = calloc(SAVED, sizeof(*n->saved));
	if (!n->saved)
		return err_set(err, "out of memory");
	if (find_thread(n, place, &tid, err))
		return -1;
	n->save = true;
	if (take(n, tid, parked && !place, err))
		k = -1;
	n->save = false;
	list = k ? NULL : calloc(SAVED + 1, sizeof(*list)); /* the last: of other files */
	if (!list)
		return k ? k : err_set(err, "out of memory");
	for (uint32_t i = 0; i < n->n && i < SAVED; i++) {
		const struct raw *r = &n->raw[i];
		uint64_t begin;
		const char *symbol = symbol_at(r, &begin);

		if (!strcmp(symbol, "_start"))
			break;
		if (native_is_library(n, native_module_path(r->mod)) || is_hook(symbol))
			continue;
		if (k)
			list[k - 1].direct = i == before + 1;
		before = i;
		list[k++] = (struct frame){ .capture = &n->capture,
					    .native = n,
					    .all = list,
					    .other = &list[SAVED],
					    .dwfl = n->dwfl,
					    .namer = n->namer,
					    .holder = n->holder,
					    .namer_arg = n->namer_arg,
					    .mod = r->mod,
					    .pc = r->pc,
					    .reg = n->saved[i].reg,
					    .have = n->saved[i].have,
					    .innermost = !i };
		if (is_main(symbol))
			break;
	}
	for (int i = 0; i < k; i++) {
		list[i].nall = k;
		list[i].outer = i + 1 < k ? &list[i + 1] : NULL;
	}
	*out = list;
	return k;
}
