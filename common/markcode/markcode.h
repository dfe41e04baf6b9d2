/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Marks that stand beside the source, compiled: sites, which are addresses of the program's code,
 * the marks at each, and what these compute, as small programs for a stack of numbers. One piece of
 * memory without pointers: the front end makes it, the supervisor hands it on, the program reads a
 * copy where it lies.
 */
#ifndef DVMDBG_COMMON_MARKCODE_H
#define DVMDBG_COMMON_MARKCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

#define MARKCODE_MAGIC 0x324b524du /* "MRK2" */
#define MARKCODE_MOST (1u << 20)   /* bytes of all */
#define MARKCODE_DIMS 4
#define MARKCODE_NAMES 16 /* arrays that a loop names */
#define MARKCODE_REGS 17  /* numbers of DWARF, x86-64: 16 is the address of the instruction */
#define MARKCODE_STACK 32 /* numbers at a time */

/*     name    takes  gives  what */
#define MARKCODE_OPS(X)                                                        \
	X(CONST, 0, 1)  /* value */                                            \
	X(BASE, 0, 1)   /* value, an address of the program's file */          \
	X(REG, 0, 1)    /* register `arg` + value */                           \
	X(LOAD, 1, 1)   /* `arg` bytes at an address, without a sign */        \
	X(LOADS, 1, 1)  /* the same with a sign */                             \
	X(CUT, 1, 1)    /* the lowest `arg` bytes, without a sign */           \
	X(CUTS, 1, 1)   /* the same with a sign */                             \
	X(ADD, 2, 1)                                                           \
	X(SUB, 2, 1)                                                           \
	X(MUL, 2, 1)                                                           \
	X(DIV, 2, 1)                                                           \
	X(MOD, 2, 1)                                                           \
	X(AND, 2, 1)                                                           \
	X(OR, 2, 1)                                                            \
	X(XOR, 2, 1)                                                           \
	X(SHL, 2, 1)                                                           \
	X(SHR, 2, 1)                                                           \
	X(SHRA, 2, 1)                                                          \
	X(EQ, 2, 1)                                                            \
	X(NE, 2, 1)                                                            \
	X(LT, 2, 1)                                                            \
	X(LE, 2, 1)                                                            \
	X(GT, 2, 1)                                                            \
	X(GE, 2, 1)                                                            \
	X(MIN, 2, 1)                                                           \
	X(MAX, 2, 1)                                                           \
	X(NEG, 1, 1)                                                           \
	X(NOT, 1, 1)                                                           \
	X(ABS, 1, 1)                                                           \
	X(DUP, 1, 2)                                                           \
	X(DROP, 1, 0)                                                          \
	X(SWAP, 2, 2)                                                          \
	X(OVER, 2, 3)                                                          \
	X(ROT, 3, 3)                                                           \
	X(RANK, 0, 1)  /* of the process */                                    \
	X(RANKS, 0, 1) /* how many there are */

enum markcode_do {
#define X(name, takes, gives) MARKCODE_##name,
	MARKCODE_OPS(X)
#undef X
		MARKCODE_DOES
};

struct markcode_op {
	uint32_t op, arg; /* enum markcode_do */
	int64_t value;
};

/* A program: ops at, at + 1, … n 0: there is none. */
struct markcode_piece {
	uint32_t at, n;
};

enum markcode_kind {
	MARKCODE_BEHIND,     /* loops that do not have the site's line end */
	MARKCODE_RETURN,     /* the function returns */
	MARKCODE_POINTER,    /* a pointer that is in no memory: what it is now */
	MARKCODE_FUNCTION,
	MARKCODE_REDUCTION,
	MARKCODE_FORGET,
	MARKCODE_REPLICATED,
	MARKCODE_ARRAY,
	MARKCODE_LOOP,
	MARKCODE_ITERATION,
	MARKCODE_SKIP,
	MARKCODE_KINDS
};

/* Texts are offsets. Pieces give what is written in the mark. */
struct markcode_mark {
	uint8_t kind;
	uint8_t parallel;   /* of a loop; an iteration: of such a loop */
	uint8_t again;	    /* the loop's site is passed by each iteration */
	uint8_t by_pointer; /* addr is that of a pointer variable; 2: what it points to, and the
			       variable is in no memory */
	uint8_t by_name;    /* Fortran: the name is the identity, the first index runs fastest */
	uint8_t type;	    /* enum value_type; UINT8_MAX: none of these */
	uint8_t op;	    /* of a reduction */
	uint8_t ndim, naccess;
	uint8_t rows; /* bytes from the pointer to a row, of which addr is the first, to the next
			 one; 0: the array is one block */
	uint8_t pad[2];
	uint32_t file, line, last, func, name;
	uint32_t loop; /* number of the mark; of an iteration: of its loop; below nmark */
	uint32_t elem_size;
	uint64_t whole; /* bytes of a variable or fixed array; 0: not known */
	struct markcode_piece addr, on;
	struct markcode_piece shape[MARKCODE_DIMS]; /* or index values */
	struct markcode_piece lower[MARKCODE_DIMS];
	struct markcode_piece stride[MARKCODE_DIMS]; /* bytes; n 0: elements are packed */
	struct markcode_piece from[MARKCODE_DIMS], to[MARKCODE_DIMS];
	struct markcode_piece step[MARKCODE_DIMS], block[MARKCODE_DIMS]; /* of what is owned */
	struct markcode_piece halo_lo[MARKCODE_DIMS], halo_hi[MARKCODE_DIMS];
	struct markcode_piece periodic[MARKCODE_DIMS];
	struct markcode_piece copies, copy; /* n 0: it is not partly replicated */
	struct markcode_piece access[MARKCODE_NAMES];
	uint8_t writes[MARKCODE_NAMES]; /* of access: 1 is written, 0 is read */
	uint32_t access_name[MARKCODE_NAMES];
};

struct markcode_site {
	uint64_t vaddr;		   /* in the program's file */
	uint32_t first, n;	   /* marks */
	uint32_t file, line;
	uint32_t function;	   /* number of the function that it is in */
	uint32_t iterations;	   /* only marks of parallel loops' iterations: needed at times */
	struct markcode_piece cfa; /* the frame's address */
};

struct markcode_head {
	uint32_t magic, bytes;
	uint32_t nsite, nmark, nop, ntext;
	uint32_t pad, nid;
	unsigned char id[32]; /* build-id of the program's file */
};

/* It, opened; points into the memory. */
struct markcode {
	const struct markcode_head *head;
	const struct markcode_site *site;
	const struct markcode_mark *mark;
	const struct markcode_op *op;
	const char *text;
};

/* How many numbers an operation takes and gives. */
unsigned markcode_takes(unsigned op);
unsigned markcode_gives(unsigned op);
size_t markcode_size(const struct markcode_head *h);
/* n bytes, aligned to 8. -1 when they are damaged: nothing in it leads outside of it afterwards. */
int markcode_open(struct markcode *c, const void *at, size_t n);

/* What the numbers come from. */
struct markcode_frame {
	const uint64_t *reg; /* MARKCODE_REGS */
	uint64_t base;	     /* where the program's file lies */
	uint32_t rank, ranks;
	bool (*read)(void *arg, uint64_t addr, void *to, size_t n);
	void *arg;
};
/* 0; -1: memory that is not there, or a division by zero. */
int markcode_eval(const struct markcode_op *op, uint32_t n, const struct markcode_frame *f,
		  int64_t *out);

/*
 * insn.c: an instruction of x86-64, as far as needs be known to execute it elsewhere.
 */
enum markcode_insn_kind {
	INSN_PLAIN,
	INSN_RELATIVE, /* has an address relative to the next instruction: 4 bytes at `at` */
	INSN_CALL,     /* to `target` */
	INSN_JUMP,     /* to `target` */
	INSN_BRANCH,   /* perhaps to `target`; cond: the condition's number */
	INSN_LOOP,     /* loop, jrcxz: perhaps to `target` */
	INSN_CALL_AT,  /* through a register or memory; modrm is at `at` */
	INSN_JUMP_AT,
	INSN_RETURN,
	INSN_STOP,     /* it does not go on behind: ud2, hlt */
};
struct markcode_insn {
	enum markcode_insn_kind kind;
	unsigned len;
	unsigned at;	/* of a displacement relative to the next instruction, 0: there is none */
	unsigned modrm; /* of CALL_AT and JUMP_AT */
	unsigned cond;
	int64_t target; /* relative to the first byte */
};
/* At most n bytes. -1: it is not known. */
int markcode_insn(const unsigned char *code, size_t n, struct markcode_insn *out);

#endif
