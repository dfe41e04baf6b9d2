/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Logical stacks as answers of the type "where".
 */
#ifndef DVMDBG_FRONTEND_STACK_ANSWER_H
#define DVMDBG_FRONTEND_STACK_ANSWER_H

#include <stddef.h>

#include <jansson.h>

struct groups;
struct err;
struct stack_merge;
struct rankset;
struct session;

/* The logical stack of who; *answers stays the caller's and must outlive it. */
struct stack_merge *stack_answer_ask(struct session *s, const struct rankset *who, struct groups *answers,
			 struct rankset *silent, struct err *err);
/* Frames first … first + count - 1; level is the one that is chosen. */
json_t *stack_answer(struct session *s, const struct stack_merge *stack, unsigned level, size_t first,
		     size_t count, const struct groups *answers, const struct rankset *silent);

#endif
