/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was copied of a thread, and how.
 */
#ifndef DVMDBG_RUNTIME_EXEC_NATIVE_INTERNAL_H
#define DVMDBG_RUNTIME_EXEC_NATIVE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/exec/native/native.h"
#include "runtime/page/page.h"

struct err;

#define CAPTURE_FIRST (128u << 10) /* bytes of stack: most programs need less */
#define CAPTURE_MOST (64u << 20)
#define CAPTURE_PAGE 4096u
#define CAPTURE_PAGES 64u

struct capture {
	struct memory *memory; /* borrowed */
	uint64_t reg[PAGE_REGS]; /* by their numbers in DWARF */
	bool live;		 /* the thread is parked: its memory is read as it is needed */
	/* else its stack as it was */
	uint64_t low; /* address of the first byte */
	unsigned char *stack; /* owned */
	size_t n, room;
	uint64_t wanted; /* an address behind what was copied, 0: none */
	/* live: pages that were read */
	struct {
		uint64_t addr; /* 0: none */
		unsigned char bytes[CAPTURE_PAGE];
	} page[CAPTURE_PAGES];
};

/* Of a parked thread. -1 and err when the page has no registers. */
int capture_parked(struct capture *c, const struct page *page, struct err *err);
/* Pauses the thread pid and copies up to `bytes` of its stack. */
int capture_paused(struct capture *c, pid_t pid, size_t bytes, struct err *err);
/* Stops a thread, as capture_paused does, and leaves it so; *status is for child_unpause. */
int capture_hold(pid_t tid, int *status, struct err *err);
/* What capture_paused copies, of a thread that is held. */
int capture_held(struct capture *c, pid_t pid, size_t bytes, struct err *err);
/* A word at addr, as of then. */
bool capture_word(struct capture *c, uint64_t addr, uint64_t *out);
void capture_clear(struct capture *c);

#endif
