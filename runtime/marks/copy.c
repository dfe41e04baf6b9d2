/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of instructions that are executed elsewhere: behind each a jump back. What is relative to
 * where it stands is made so again, calls push where they would have returned to, and jumps go on
 * through an address beside them.
 */
#include "runtime/marks/internal.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#define SLOT 128	   /* bytes of a copy with all that belongs to it */
#define NEAR UINT64_C(0x60000000)  /* what is relative reaches 2 GiB */
#define STEP UINT64_C(0x1000000)   /* between places that are tried */

static unsigned char *slots, *next;
static size_t bytes;

/* At that place or elsewhere; NULL: not near. */
static unsigned char *map_near(uint64_t near, uint64_t at)
{
	void *p = mmap((void *)(uintptr_t)at, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	if ((uint64_t)((uintptr_t)p - near + NEAR) < 2 * NEAR)
		return p;
	munmap(p, bytes);
	return NULL;
}

int copy_open(uint64_t near, uint32_t n)
{
	bytes = ((size_t)n * SLOT + 4095) / 4096 * 4096;
	near &= ~UINT64_C(4095);
	for (uint64_t off = STEP; off < NEAR && !slots; off += STEP) {
		if (near > off + STEP)
			slots = map_near(near, near - off);
		if (!slots)
			slots = map_near(near, near + off);
	}
	next = slots;
	return slots ? 0 : -1;
}

int copy_close(void)
{
	return mprotect(slots, bytes, PROT_READ | PROT_EXEC);
}

/* A copy that is being written: from the front code, from the back addresses. */
struct slot {
	unsigned char *at, *end;
	bool bad;
};

static void put(struct slot *s, const void *code, size_t n)
{
	if (s->at + n > s->end) {
		s->bad = true;
		return;
	}
	memcpy(s->at, code, n);
	s->at += n;
}

static void put_byte(struct slot *s, unsigned b)
{
	unsigned char c = (unsigned char)b;

	put(s, &c, 1);
}

/* The distance from the end of the next four bytes to an address of eight bytes in the slot. */
static void put_address(struct slot *s, uint64_t to)
{
	int32_t off;

	s->end -= sizeof(to);
	if (s->at + sizeof(off) > s->end) {
		s->bad = true;
		return;
	}
	memcpy(s->end, &to, sizeof(to));
	off = (int32_t)(s->end - (s->at + sizeof(off)));
	put(s, &off, sizeof(off));
}

/* jmp *to */
static void put_jump(struct slot *s, uint64_t to)
{
	put(s, "\xff\x25", 2);
	put_address(s, to);
}

/* push to */
static void put_push(struct slot *s, uint64_t to)
{
	put(s, "\xff\x35", 2);
	put_address(s, to);
}

/* A condition that is true leads over a jump back. */
static void put_branch(struct slot *s, const unsigned char *code, const struct markcode_insn *x,
		       uint64_t addr)
{
	if (x->kind == INSN_BRANCH)
		put_byte(s, 0x70 | x->cond);
	else
		put(s, code, x->len - 1); /* loop, jrcxz, and their prefix */
	put_byte(s, 6);
	put_jump(s, addr + x->len);
	put_jump(s, addr + (uint64_t)x->target);
}

/* call *operand, as: push the address behind it, jmp *operand. */
static void put_call_at(struct slot *s, const unsigned char *code, const struct markcode_insn *x,
			uint64_t addr)
{
	unsigned char changed[16];
	unsigned mode = code[x->modrm] >> 6, low = code[x->modrm] & 7;
	bool by_stack = mode != 3 && low == 4 && (code[x->modrm + 1] & 7) == 4;

	/* an operand that counts from the stack pointer would be another one */
	if (by_stack || (mode == 3 && low == 4)) {
		s->bad = true;
		return;
	}
	put_push(s, addr + x->len);
	memcpy(changed, code, x->len);
	changed[x->modrm] = (unsigned char)((code[x->modrm] & ~0x38u) | 4u << 3);
	if (x->at) {
		int32_t off;

		memcpy(&off, code + x->at, sizeof(off));
		off += (int32_t)((int64_t)addr - (int64_t)(uintptr_t)s->at);
		memcpy(changed + x->at, &off, sizeof(off));
	}
	put(s, changed, x->len);
}

static void put_plain(struct slot *s, const unsigned char *code, const struct markcode_insn *x,
		      uint64_t addr)
{
	unsigned char changed[16];

	memcpy(changed, code, x->len);
	if (x->at) {
		int32_t off;
		int64_t to;

		memcpy(&off, code + x->at, sizeof(off));
		to = (int64_t)addr + off - (int64_t)(uintptr_t)s->at;
		s->bad |= to != (int32_t)to;
		off = (int32_t)to;
		memcpy(changed + x->at, &off, sizeof(off));
	}
	put(s, changed, x->len);
	if (x->kind != INSN_RETURN && x->kind != INSN_STOP && x->kind != INSN_JUMP_AT)
		put_jump(s, addr + x->len);
}

/* Registers of struct saved; lea leaves the flags as they are. */
static const unsigned char restore[] = {
	0x41,	      0x5f, 0x41, 0x5e,
	0x41,	      0x5d, 0x41, 0x5c, /* pop %r15 … %r12 */
	0x41,	      0x5b, 0x41, 0x5a,
	0x41,	      0x59, 0x41, 0x58, /* pop %r11 … %r8 */
	0x5f,	      0x5e, 0x5d, 0x5b,
	0x5a,	      0x59, 0x58, /* pop %rdi %rsi %rbp %rbx %rdx %rcx %rax */
	0x9d,			  /* popf */
	0x48,	      0x8d, 0xa4, 0x24,
	8 + RED_ZONE, 0,    0,	  0, /* lea 8+128(%rsp),%rsp: over pc, red zone */
};

int copy_make(uint64_t addr, const unsigned char *code, size_t n, struct copy *out)
{
	struct slot s = { next, next + SLOT, false };
	struct markcode_insn x;

	if (!next || (size_t)(next - slots) + SLOT > bytes || markcode_insn(code, n, &x))
		return -1;
	out->restore = (uintptr_t)s.at;
	put(&s, restore, sizeof(restore));
	out->plain = (uintptr_t)s.at;
	switch (x.kind) {
	case INSN_CALL:
		put_push(&s, addr + x.len);
		put_jump(&s, addr + (uint64_t)x.target);
		break;
	case INSN_JUMP: put_jump(&s, addr + (uint64_t)x.target); break;
	case INSN_BRANCH:
	case INSN_LOOP: put_branch(&s, code, &x, addr); break;
	case INSN_CALL_AT: put_call_at(&s, code, &x, addr); break;
	default: put_plain(&s, code, &x, addr);
	}
	if (s.bad)
		return -1;
	next += SLOT;
	return 0;
}
