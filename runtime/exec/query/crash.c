/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is known of a signal that ends the program: why it came, and what is at its address or close
 * to it. What malloc has given is found by the headers of glibc's blocks, where memory ends:
 * nothing else of it is known.
 */
#include "runtime/exec/query/internal.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/exec/page/page.h"
#include "runtime/exec/sys/memory.h"
#include "runtime/page/page.h"

#define CLOSE 65536u	 /* bytes from a block */
#define NULL_PAGE 65536u /* what is below is a null pointer and an offset */
#define HEADER 16u	 /* of a block, before what malloc returns */
#define FLAGS 7u	 /* bits of a block's size that say something else */
#define MAPPED 2u	 /* one of them: it has a mapping of its own */
#define WINDOW 65536u
#define BLOCKS 10000000u /* that are looked through */

#if defined(__x86_64__)
#define SP 7
#else
#define SP 31
#endif

struct mapping {
	uint64_t lo, hi; /* hi exclusive; 0: there is none */
	char perms[5];
	char path[200];
};

/* The mapping that has the address, and those next to it. */
struct around {
	struct mapping below, at, above;
};

static void find_around(pid_t pid, uint64_t addr, struct around *out)
{
	char name[64], line[512];
	FILE *f;

	*out = (struct around){ 0 };
	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	f = fopen(name, "re");
	while (f && fgets(line, sizeof(line), f)) {
		struct mapping m = { 0 };

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %*s %199[^\n]", &m.lo, &m.hi,
			   m.perms, m.path) < 3)
			continue;
		if (m.hi <= addr) {
			out->below = m;
		} else if (m.lo <= addr) {
			out->at = m;
		} else {
			out->above = m;
			break;
		}
	}
	if (f)
		fclose(f);
}

static bool is_forbidden(const struct mapping *m)
{
	return !m->hi || m->perms[0] != 'r';
}

static uint64_t limit_of_stack(pid_t pid)
{
	char name[64], line[256];
	uint64_t soft = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/limits", (int)pid);
	f = fopen(name, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Max stack size %" SCNu64, &soft) == 1)
			break;
	if (f)
		fclose(f);
	return soft;
}

/*
 * Whether the stack has run into what it must not: the stack pointer and the address are below it,
 * or so close to its end that a function's variables do not fit.
 */
static bool has_overflowed(pid_t pid, const struct around *x, uint64_t addr, uint64_t sp,
			   char *out, size_t size)
{
	struct around s;
	uint64_t limit = limit_of_stack(pid), reach;

	find_around(pid, sp, &s);
	/* a thread's stack ends in memory that nothing may touch */
	if (x->at.hi && is_forbidden(&x->at) && x->above.lo == x->at.hi &&
	    ((sp >= x->at.lo && sp < x->above.hi) && addr + CLOSE > sp)) {
		snprintf(out, size, "the stack has overflowed");
		return true;
	}
	if (!s.at.hi)
		s.at = s.above;
	reach = limit ? limit : 8u << 20;
	if (strcmp(s.at.path, "[stack]") || addr >= s.at.lo || s.at.lo - addr > 16 * reach ||
	    (sp >= s.at.lo + CLOSE && sp < s.at.hi && addr + CLOSE < s.at.lo &&
	     s.at.hi - addr < reach))
		return false;
	if (limit)
		snprintf(out, size, "the stack has overflowed, its limit is %" PRIu64 " KiB",
			 limit >> 10);
	else
		snprintf(out, size, "the stack has overflowed");
	return true;
}

/* Reads words one after another. */
struct window {
	struct memory *memory;
	uint64_t at;
	size_t n;
	unsigned char bytes[WINDOW];
};

static bool word_at(struct window *w, uint64_t addr, uint64_t end, uint64_t *out)
{
	uint64_t bad;

	if (addr + sizeof(*out) > end)
		return false;
	if (!w->n || addr < w->at || addr + sizeof(*out) > w->at + w->n) {
		struct memory_span span = { addr, end - addr < WINDOW ? end - addr : WINDOW };

		w->at = addr;
		w->n = span.len;
		if (memory_read(w->memory, &span, 1, w->bytes, &bad)) {
			w->n = 0;
			return false;
		}
	}
	memcpy(out, w->bytes + (addr - w->at), sizeof(*out));
	return true;
}

/*
 * Goes through the blocks of a mapping from its beginning: the last one that ends before `to`. The
 * mapping is malloc's when one ends exactly there. mapped: each has a mapping of its own. 0: it is
 * not.
 */
static uint64_t last_block(struct memory *m, const struct mapping *in, bool mapped, uint64_t *bytes)
{
	struct window *w = calloc(1, sizeof(*w));
	uint64_t at = in->lo, size, last = 0;

	if (!w)
		return 0;
	w->memory = m;
	for (unsigned i = 0; at < in->hi && i < BLOCKS; i++) {
		if (!word_at(w, at + 8, in->hi, &size) || (mapped && !(size & MAPPED)) ||
		    (size & ~(uint64_t)FLAGS) < 2 * HEADER ||
		    (size & ~(uint64_t)FLAGS) > in->hi - at)
			break;
		size &= ~(uint64_t)FLAGS;
		/* the rest of the heap is no block that was asked for */
		if (!mapped && at + size == in->hi) {
			at = in->hi;
			break;
		}
		last = at + HEADER;
		*bytes = mapped ? size - HEADER : size - HEADER / 2;
		at += size;
	}
	free(w);
	return at == in->hi ? last : 0;
}

static bool is_anonymous(const struct mapping *m)
{
	return m->hi && !strcmp(m->perms, "rw-p") && !*m->path;
}

/* Of an address that is in no memory: the block that ends or begins beside it. */
static void find_block(struct memory *m, const struct around *x, uint64_t addr, char *out,
		       size_t size)
{
	bool heap = !strcmp(x->below.path, "[heap]");
	uint64_t block = 0, bytes = 0, far = addr - x->below.hi;

	if ((heap || is_anonymous(&x->below)) && far < CLOSE)
		block = last_block(m, &x->below, !heap, &bytes);
	if (block && heap) {
		snprintf(out, size,
			 "behind the heap, whose last allocated block has %" PRIu64 " bytes",
			 bytes);
		return;
	}
	if (block) {
		snprintf(out, size,
			 "%" PRIu64 " bytes behind an allocated block of %" PRIu64 " bytes", far,
			 bytes);
		return;
	}
	far = x->above.lo - addr;
	if (is_anonymous(&x->above) && far < CLOSE) {
		struct mapping first = x->above;
		struct memory_span span = { first.lo + 8, sizeof(bytes) };
		uint64_t bad;

		if (memory_read(m, &span, 1, &bytes, &bad) || !(bytes & MAPPED) || bytes & 1)
			return;
		bytes &= ~(uint64_t)FLAGS;
		if (bytes % 4096 || bytes > first.hi - first.lo)
			return;
		snprintf(out, size,
			 "%" PRIu64 " bytes before an allocated block of %" PRIu64 " bytes",
			 far + HEADER, bytes - HEADER);
	}
}

static const struct {
	int sig, code;
	const char *words;
} causes[] = {
	{ SIGFPE, FPE_INTDIV, "integer division by zero" },
	{ SIGFPE, FPE_INTOVF, "integer overflow" },
	{ SIGFPE, FPE_FLTDIV, "floating-point division by zero" },
	{ SIGFPE, FPE_FLTOVF, "floating-point overflow" },
	{ SIGFPE, FPE_FLTUND, "floating-point underflow" },
	{ SIGFPE, FPE_FLTINV, "invalid floating-point operation" },
	{ SIGBUS, BUS_ADRALN, "misaligned address" },
	{ SIGBUS, BUS_ADRERR, "behind the end of the file that is mapped there" },
	{ SIGSEGV, SI_KERNEL, "no address that memory can have: the processor does not report it" },
};

/* Of a signal that somebody has sent; the C library's abort sends one, too. */
static void put_sender(int sig, pid_t sender, pid_t pid, char *out, size_t size)
{
	if (sender != pid)
		snprintf(out, size, "sent by process %d", (int)sender);
	else if (sig != SIGABRT)
		snprintf(out, size, "raised by the program itself");
}

void crash_words(struct page_read *r, struct memory *m, struct crash_words *out)
{
	const struct page *p = r->page;
	uint64_t fault = p->fault, sp = p->regs.reg[SP];
	int sig = p->code, code = p->sig_code;
	struct around x;

	*out = (struct crash_words){ .placed = false };
	if (p->reason != STOP_SIGNAL)
		return;
	snprintf(out->message, sizeof(out->message), "%.*s",
		 (int)strnlen(p->abort_text, PAGE_ABORT_TEXT - 1), p->abort_text);
	out->message[strcspn(out->message, "\n")] = 0;
	if (code <= 0) {
		put_sender(sig, p->sig_pid, m->pid, out->cause, sizeof(out->cause));
		return;
	}
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
		if (causes[i].sig == sig && causes[i].code == code)
			snprintf(out->cause, sizeof(out->cause), "%s", causes[i].words);
	out->placed = (sig == SIGSEGV || sig == SIGBUS) && code != SI_KERNEL;
	if (!out->placed || fault < NULL_PAGE)
		return;
	find_around(m->pid, fault, &x);
	out->overflowed = has_overflowed(m->pid, &x, fault, sp, out->cause, sizeof(out->cause));
	if (out->overflowed)
		return;
	near_words(r, m, fault, out->near, sizeof(out->near));
	if (!*out->near && is_forbidden(&x.at))
		find_block(m, &x, fault, out->near, sizeof(out->near));
	if (!*out->near && *x.at.path)
		snprintf(out->near, sizeof(out->near), "in what is mapped of %s", x.at.path);
	if (sig == SIGSEGV && x.at.hi && !*out->cause &&
	    !(*out->near && is_forbidden(&x.at)))
		snprintf(out->cause, sizeof(out->cause), "the memory there is %s",
			 is_forbidden(&x.at)	   ? "not to be accessed" :
			 x.at.perms[1] != 'w' ? "read-only" :
						     "not executable");
}
