/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/regs.h"

#include <ucontext.h>

void regs_of_context(struct page_regs *r, const void *context)
{
	const ucontext_t *c = context;

	r->thread = regs_thread();
#if defined(__x86_64__)
	static const uint8_t at[17] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
					REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
					REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP };

	for (unsigned i = 0; i < 17; i++)
		r->reg[i] = (uint64_t)c->uc_mcontext.gregs[at[i]];
	r->have = 0x1ffff;
#elif defined(__aarch64__)
	for (unsigned i = 0; i < 31; i++)
		r->reg[i] = c->uc_mcontext.regs[i];
	r->reg[31] = c->uc_mcontext.sp;
	r->reg[32] = c->uc_mcontext.pc;
	r->have = UINT64_C(0x1ffffffff);
#else
	(void)c;
	r->have = 0;
#endif
}
