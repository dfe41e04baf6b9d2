/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instructions of x86-64: their lengths, and what in them depends on where they stand (Intel's
 * manual, volume 2, appendix A).
 */
#include "common/markcode/markcode.h"

#include <string.h>

/* What follows an opcode. */
enum {
	M = 1,	   /* modrm */
	I1 = 2,	   /* a byte */
	I2 = 4,	   /* two bytes */
	IZ = 8,	   /* four, or two with prefix 66 */
	IV = 16,   /* the same, but eight with REX.W */
	A8 = 32,   /* an address of eight bytes */
	NO = 64,   /* no instruction in 64-bit code, or a prefix */
};

static const uint8_t one[256] = {
#define ARITHMETIC M, M, M, M, I1, IZ, NO, NO
	/* 00 */ ARITHMETIC, ARITHMETIC,
	/* 10 */ ARITHMETIC, ARITHMETIC,
	/* 20 */ ARITHMETIC, ARITHMETIC,
	/* 30 */ ARITHMETIC, ARITHMETIC,
	/* 40 */ NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
	/* 50 */ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	/* 60 */ NO, NO, NO, M, NO, NO, NO, NO, IZ, M | IZ, I1, M | I1, 0, 0, 0, 0,
	/* 70 */ I1, I1, I1, I1, I1, I1, I1, I1, I1, I1, I1, I1, I1, I1, I1, I1,
	/* 80 */ M | I1, M | IZ, NO, M | I1, M, M, M, M, M, M, M, M, M, M, M, M,
	/* 90 */ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NO, 0, 0, 0, 0, 0,
	/* a0 */ A8, A8, A8, A8, 0, 0, 0, 0, I1, IZ, 0, 0, 0, 0, 0, 0,
	/* b0 */ I1, I1, I1, I1, I1, I1, I1, I1, IV, IV, IV, IV, IV, IV, IV, IV,
	/* c0 */ M | I1, M | I1, I2, 0, NO, NO, M | I1, M | IZ, I2 | I1, 0, NO, NO, NO, NO, NO, NO,
	/* d0 */ M, M, M, M, NO, NO, NO, 0, M, M, M, M, M, M, M, M,
	/* e0 */ I1, I1, I1, I1, NO, NO, NO, NO, IZ, IZ, NO, I1, NO, NO, NO, NO,
	/* f0 */ NO, NO, NO, NO, 0, 0, M, M, 0, 0, NO, NO, 0, 0, M, M,
};

/* Behind 0f. */
static uint8_t two(unsigned op)
{
	if (op >= 0x80 && op <= 0x8f)
		return IZ;
	if (op >= 0xc8 && op <= 0xcf)
		return 0;
	switch (op) {
	case 0x05: /* syscall */
	case 0x0b: /* ud2 */
	case 0x31:
	case 0x77:
	case 0xa2: return 0;
	case 0x70: case 0x71: case 0x72: case 0x73:
	case 0xa4: case 0xac: case 0xba:
	case 0xc2: case 0xc4: case 0xc5: case 0xc6: return M | I1;
	}
	if (op == 0x04 || (op >= 0x06 && op <= 0x0a) || op == 0x0c || op == 0x0e || op == 0x0f ||
	    (op >= 0x24 && op <= 0x27) || (op >= 0x30 && op <= 0x3f) || op == 0xa0 || op == 0xa1 ||
	    (op >= 0xa6 && op <= 0xaa) || op == 0x78 || op == 0x79)
		return NO;
	return M;
}

struct scan {
	const unsigned char *code;
	size_t n, at;
	bool narrow, wide; /* prefix 66, REX.W */
	unsigned map;	   /* 1: 0f, 2: 0f38, 3: 0f3a; 0: none */
	unsigned op;
	struct markcode_insn *out;
};

static int byte(const struct scan *s, size_t at)
{
	return at < s->n ? s->code[at] : -1;
}

static void prefixes(struct scan *s)
{
	for (;; s->at++) {
		int b = byte(s, s->at);

		if (b == 0x66)
			s->narrow = true;
		else if (b != 0xf2 && b != 0xf3 && b != 0xf0 && b != 0x64 && b != 0x65 &&
			 b != 0x2e && b != 0x36 && b != 0x3e && b != 0x26)
			break;
	}
	if (byte(s, s->at) >= 0x40 && byte(s, s->at) <= 0x4f) {
		s->wide = byte(s, s->at) & 8;
		s->at++;
	}
}

/* VEX and EVEX have what the old prefixes say. What follows the opcode, -1: not known. */
static int vector(struct scan *s)
{
	int b = byte(s, s->at);
	unsigned map = 1;

	if (b == 0xc5) {
		s->at += 2;
	} else if (b == 0xc4 || b == 0x62) {
		map = (unsigned)byte(s, s->at + 1) & (b == 0x62 ? 7 : 31);
		s->at += b == 0x62 ? 4 : 3;
	} else {
		return -1;
	}
	s->map = map;
	b = byte(s, s->at++);
	if (b < 0 || map < 1 || map > 3)
		return -1;
	s->op = (unsigned)b;
	if (map == 3)
		return M | I1;
	if (map == 2)
		return M;
	return b == 0x77 ? 0 : (b >= 0x70 && b <= 0x73) || b == 0xc2 || (b >= 0xc4 && b <= 0xc6)
		? M | I1
		: M;
}

static int opcode(struct scan *s)
{
	int b = byte(s, s->at);

	if (b == 0xc4 || b == 0xc5 || b == 0x62)
		return vector(s);
	s->at++;
	if (b < 0)
		return -1;
	s->op = (unsigned)b;
	if (b != 0x0f)
		return one[b] & NO ? -1 : one[b];
	b = byte(s, s->at++);
	s->map = 1;
	if (b == 0x38 || b == 0x3a) {
		s->map = b == 0x38 ? 2 : 3;
		b = byte(s, s->at++);
		s->op = (unsigned)b;
		return b < 0 ? -1 : s->map == 3 ? M | I1 : M;
	}
	s->op = (unsigned)b;
	return b < 0 || two((unsigned)b) & NO ? -1 : two((unsigned)b);
}

/* Operands behind the opcode; *extra: immediate bytes that depend on modrm. */
static int modrm(struct scan *s, unsigned *extra)
{
	int m = byte(s, s->at), sib;
	unsigned mode, low;

	if (m < 0)
		return -1;
	mode = (unsigned)m >> 6;
	low = (unsigned)m & 7;
	s->out->modrm = (unsigned)s->at++;
	if (!s->map && (s->op == 0xf6 || s->op == 0xf7) && (m >> 3 & 7) < 2)
		*extra = s->op == 0xf6 ? I1 : IZ;
	if (mode == 3)
		return 0;
	if (low == 4) {
		sib = byte(s, s->at++);
		if (sib < 0)
			return -1;
		if (!mode && (sib & 7) == 5)
			s->at += 4;
	} else if (!mode && low == 5) {
		s->out->at = (unsigned)s->at;
		s->at += 4;
	}
	s->at += mode == 1 ? 1 : mode == 2 ? 4 : 0;
	return 0;
}

static unsigned immediate(const struct scan *s, unsigned what)
{
	unsigned n = (what & I1 ? 1 : 0) + (what & I2 ? 2 : 0) + (what & A8 ? 8 : 0);

	if (what & (IZ | IV))
		n += what & IV && s->wide ? 8 : s->narrow && !s->wide ? 2 : 4;
	return n;
}

static int64_t signed_at(const struct scan *s, size_t at, unsigned bytes)
{
	int32_t v = 0;

	if (bytes == 1)
		return (int8_t)s->code[at];
	memcpy(&v, s->code + at, sizeof(v));
	return v;
}

/* What it does to the way the program takes. -1: not known. */
static int classify(struct scan *s, size_t operand, unsigned bytes)
{
	struct markcode_insn *x = s->out;
	unsigned way = s->map ? 0 : s->op == 0xff ? s->code[x->modrm] >> 3 & 7 : 0;
	bool branch = false;

	if (x->at)
		x->kind = INSN_RELATIVE;
	if (!s->map && s->op == 0xe8)
		x->kind = INSN_CALL, branch = true;
	else if (!s->map && (s->op == 0xe9 || s->op == 0xeb))
		x->kind = INSN_JUMP, branch = true;
	else if ((!s->map && s->op >> 4 == 7) || (s->map == 1 && s->op >> 4 == 8))
		x->kind = INSN_BRANCH, x->cond = s->op & 15, branch = true;
	else if (!s->map && s->op >= 0xe0 && s->op <= 0xe3)
		x->kind = INSN_LOOP, branch = true;
	else if (way == 2 || way == 4)
		x->kind = way == 2 ? INSN_CALL_AT : INSN_JUMP_AT;
	else if (way == 3 || way == 5)
		return -1;
	else if (!s->map && (s->op == 0xc2 || s->op == 0xc3))
		x->kind = INSN_RETURN;
	else if ((s->map == 1 && s->op == 0x0b) || (!s->map && s->op == 0xf4))
		x->kind = INSN_STOP;
	if (branch && bytes != 1 && bytes != 4)
		return -1;
	if (branch)
		x->target = (int64_t)x->len + signed_at(s, operand, bytes);
	return 0;
}

int markcode_insn(const unsigned char *code, size_t n, struct markcode_insn *out)
{
	struct scan s = { .code = code, .n = n < 15 ? n : 15, .out = out };
	unsigned extra = 0, bytes;
	bool vex;
	size_t operand;
	int what;

	*out = (struct markcode_insn){ .kind = INSN_PLAIN };
	prefixes(&s);
	vex = byte(&s, s.at) == 0xc4 || byte(&s, s.at) == 0xc5 || byte(&s, s.at) == 0x62;
	what = opcode(&s);
	if (what < 0 || (what & M && modrm(&s, &extra)))
		return -1;
	bytes = immediate(&s, ((unsigned)what & ~(unsigned)M) | extra);
	operand = s.at;
	s.at += bytes;
	if (s.at > s.n)
		return -1;
	out->len = (unsigned)s.at;
	if (vex) {
		out->kind = out->at ? INSN_RELATIVE : INSN_PLAIN;
		return 0;
	}
	return classify(&s, operand, bytes);
}
