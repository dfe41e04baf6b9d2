/* SPDX-License-Identifier: BSD-3-Clause */
/* Where marks are in the code: traps, which stay, and what happens at them. */
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "runtime/base/base.h"
#include "runtime/marks/internal.h"
#include "runtime/stop/stop.h"

struct markcode marks_code;
static struct copy *copies; /* by site */
static uint64_t base;	    /* where the program's file lies */
static bool iterations;	    /* sites that only have those of parallel loops have their traps */

uint32_t marks_site(uint64_t pc)
{
	uint32_t low = 0, high = marks_code.head ? marks_code.head->nsite : 0;
	uint64_t vaddr = pc - base;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (marks_code.site[mid].vaddr == vaddr)
			return mid;
		if (marks_code.site[mid].vaddr < vaddr)
			low = mid + 1;
		else
			high = mid;
	}
	return UINT32_MAX;
}

#if defined(__x86_64__)
/* Has the thread go on in marks_enter, with its registers on its stack. */
static void enter(ucontext_t *c, uint64_t pc)
{
	greg_t *g = c->uc_mcontext.gregs;
	struct saved *x = (struct saved *)(uintptr_t)((uint64_t)g[REG_RSP] - RED_ZONE - sizeof(*x));

	*x = (struct saved){
		.r15 = (uint64_t)g[REG_R15], .r14 = (uint64_t)g[REG_R14],
		.r13 = (uint64_t)g[REG_R13], .r12 = (uint64_t)g[REG_R12],
		.r11 = (uint64_t)g[REG_R11], .r10 = (uint64_t)g[REG_R10],
		.r9 = (uint64_t)g[REG_R9],   .r8 = (uint64_t)g[REG_R8],
		.rdi = (uint64_t)g[REG_RDI], .rsi = (uint64_t)g[REG_RSI],
		.rbp = (uint64_t)g[REG_RBP], .rbx = (uint64_t)g[REG_RBX],
		.rdx = (uint64_t)g[REG_RDX], .rcx = (uint64_t)g[REG_RCX],
		.rax = (uint64_t)g[REG_RAX], .flags = (uint64_t)g[REG_EFL], .pc = pc,
	};
	g[REG_RSP] = g[REG_RBX] = (greg_t)(uintptr_t)x;
	g[REG_RIP] = (greg_t)(uintptr_t)marks_enter;
}

static void frame_registers(const struct saved *x, uint64_t reg[MARKCODE_REGS])
{
	const uint64_t all[MARKCODE_REGS] = {
		x->rax, x->rdx, x->rcx, x->rbx, x->rsi, x->rdi, x->rbp,
		(uintptr_t)x + sizeof(*x) + RED_ZONE,
		x->r8, x->r9, x->r10, x->r11, x->r12, x->r13, x->r14, x->r15, x->pc
	};

	memcpy(reg, all, sizeof(all));
}

/* Which operations raise SIGFPE may have been changed in a stop: that stays. */
static void keep_masks(unsigned char *vectors)
{
	uint16_t now, was;
	uint32_t csr, old;

	__asm__ volatile("fnstcw %0" : "=m"(now));
	__asm__ volatile("stmxcsr %0" : "=m"(csr));
	memcpy(&was, vectors, sizeof(was));
	memcpy(&old, vectors + 24, sizeof(old));
	if ((was ^ now) & 63) {
		was = (uint16_t)((was & ~63u) | (now & 63u));
		memcpy(vectors, &was, sizeof(was));
		vectors[512] |= 1;
	}
	old = (old & ~0x1f80u) | (csr & 0x1f80u);
	memcpy(vectors + 24, &old, sizeof(old));
}
#else
static void enter(ucontext_t *c, uint64_t pc)
{
}

static void frame_registers(const struct saved *x, uint64_t reg[MARKCODE_REGS])
{
}

static void keep_masks(unsigned char *vectors)
{
}
#endif

static bool trapped(uint64_t pc, void *context)
{
	uint32_t site = marks_site(pc);

	if (site == UINT32_MAX)
		return false;
	if (rt_owner && rt_is_on() && !rt.busy && !rt.exiting && !atomic_load(&rt.crashed))
		enter(context, pc);
	else
		code_pc(context, copies[site].plain);
	return true;
}

/* A copied instruction that faults is the one that it was made of. */
static void home(void *context)
{
	uint64_t pc = code_pc(context, 0);

	for (uint32_t i = 0; i < marks_code.head->nsite; i++)
		if (pc == copies[i].plain)
			code_pc(context, base + marks_code.site[i].vaddr);
}

static bool read_memory(void *arg, uint64_t addr, void *to, size_t n)
{
	if (!addr || !probe(addr, n, false))
		return false;
	memcpy(to, (const void *)(uintptr_t)addr, n);
	return true;
}

uint64_t marks_run(struct saved *saved, unsigned char *vectors)
{
	uint32_t site = marks_site(saved->pc);
	uint64_t reg[MARKCODE_REGS];
	const struct markcode_frame f = { .reg = reg,
					  .base = base,
					  .rank = rt.page->rank,
					  .ranks = rt.page->size,
					  .read = read_memory };

	if (rt_enter()) {
		rt.caller = (uintptr_t)(saved + 1);
		frame_registers(saved, reg);
		probe_start();
		run_site(&marks_code.site[site], &f, saved->pc);
		rt_leave();
		keep_masks(vectors);
	}
	return copies[site].restore;
}

/* The build-id of the program's file is the one that the marks were compiled for. */
static int compare_id(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct markcode_head *h = marks_code.head;
	bool *same = arg;

	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const char *at = (const char *)(uintptr_t)(info->dlpi_addr + p->p_vaddr);
		const char *end = at + p->p_memsz;

		while (p->p_type == PT_NOTE && at + sizeof(ElfW(Nhdr)) <= end) {
			const ElfW(Nhdr) *n = (const void *)at;
			const char *id = at + sizeof(*n) + (n->n_namesz + 3) / 4 * 4;

			if (n->n_type == NT_GNU_BUILD_ID && n->n_descsz == h->nid)
				*same |= !memcmp(id, h->id, h->nid);
			at = id + (n->n_descsz + 3) / 4 * 4;
		}
	}
	return 1; /* the program comes first */
}

static bool is_program(void)
{
	bool same = !marks_code.head->nid;

	dl_iterate_phdr(compare_id, &same);
	return same;
}

static void wanted(bool want)
{
	if (want == iterations)
		return;
	iterations = want;
	for (uint32_t i = 0; i < marks_code.head->nsite; i++)
		if (marks_code.site[i].iterations)
			code_trap(base + marks_code.site[i].vaddr, want);
}

/* Copies of all instructions, then traps in their places. */
static int plant(void)
{
	uint32_t n = marks_code.head->nsite;

	if (!n)
		return 0;
	copies = rt_pages(n * sizeof(*copies));
	if (!copies || enter_init() || run_init() || copy_open(base + marks_code.site[0].vaddr, n))
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t at = base + marks_code.site[i].vaddr;

		if (copy_make(at, (const void *)(uintptr_t)at, 15, &copies[i]))
			return -1;
	}
	if (copy_close() || code_watch(trapped))
		return -1;
	for (uint32_t i = 0; i < n; i++)
		if (!marks_code.site[i].iterations &&
		    code_trap(base + marks_code.site[i].vaddr, true))
			return -1;
	return 0;
}

void marks_init(void)
{
	const uint64_t n = rt.page->marks_n;
	/* a forked child has the traps, and not the page */
	void *own = n && n <= MARKCODE_MOST ? rt_pages(n) : NULL;

	if (!own)
		return;
	memcpy(own, rt.page->marks, n);
	if (markcode_open(&marks_code, own, n) || !is_program()) {
		munmap(own, n);
		marks_code = (struct markcode){ 0 };
		return;
	}
	base = _r_debug.r_map->l_addr;
	if (plant()) {
		find_add(FINDING_PARTIAL, 0,
			 "marks beside the source cannot be put into the program's code here");
		return;
	}
	rt.at_iterations = wanted;
	code_home = home;
}
