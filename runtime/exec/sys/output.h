/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the program prints, read here instead of by the launcher, so that it is known which rank has
 * printed it. The program's standard output is a terminal when ours is, and a pipe when ours is
 * none: it buffers as it would.
 */
#ifndef DVMDBG_EXEC_OUTPUT_H
#define DVMDBG_EXEC_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct err;
struct output;

#define OUTPUT_STREAMS 2

/* For standard output and standard error. NULL and err: the program keeps ours. */
struct output *output_create(struct err *err);
void output_destroy(struct output *o); /* NULL is fine */
/* In the forked child: its descriptors 1 and 2 are these. */
void output_enter(const struct output *o);
/* In the parent, after the fork. */
void output_entered(struct output *o);
/* To be waited for; -1: at its end. */
int output_fd(const struct output *o, unsigned i);
/* What is there, at most n bytes: their number, 0 nothing now. *stream: 1 or 2. */
size_t output_read(struct output *o, unsigned i, char *to, size_t n, int *stream);
/* Writes it to our own standard output or error, where nobody else takes it. */
void output_pass(int stream, const char *text, size_t n);

#endif
