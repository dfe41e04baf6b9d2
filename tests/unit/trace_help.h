/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces made for tests: a short run with constructs of every kind, by the encoder.
 */
#ifndef DVMDBG_TESTS_UNIT_TRACE_HELP_H
#define DVMDBG_TESTS_UNIT_TRACE_HELP_H

#include "common/trace/decode.h"
#include "common/trace/encode.h"
#include "common/tracefile/tracefile.h"

/* Explains: pc p as main.c line p (below 1000) or as /bin/prog at vaddr p, version v as an array of
 * doubles A…, place n as main.c line n. */
extern const struct trace_resolver trace_help_resolver;

/* Describes objects 1 … 9; out borrows. 1 is double u[4][6] (own 1:2 of rows, halo 1), 2 int n
 * (replicated), 3 a Fortran array, 4 heap, 5 a structure, 6 nonsense, others -1. */
int trace_help_object(void *arg, uint32_t version, struct trace_object *out);

/* All kinds of records, in the order in which they were written. Returns how many. */
size_t trace_help_write(struct trace_enc *e);
/* Checks that the records of the block are those. */
void trace_help_check(const struct trace_block *b);

/* A raw block of that, in mem; the bytes used. */
size_t trace_help_raw(void *mem, size_t room);
/* The block; trace_block_clear it. */
void trace_help_block(struct trace_block *b);
/* A file with n such blocks, whose points go on. */
void trace_help_file(const char *path, unsigned n, bool complete);
/* Block i of such a file. */
void trace_help_block_at(struct trace_block *b, unsigned i);
extern const struct trace_meta trace_help_meta;

/* The path of a file in tests/data, until the next call. */
const char *trace_help_data(const char *name);
/* The whole file with a NUL behind it; free it. */
char *trace_help_text(const char *path);

#endif
