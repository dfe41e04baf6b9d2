/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DVMDBG_FRONTEND_NATIVE_INTERNAL_H
#define DVMDBG_FRONTEND_NATIVE_INTERNAL_H

#include "frontend/native/native.h"

/* demangle.c */
/*
 * C++: "std::terminate" of "_ZSt9terminatev", to be freed. NULL: it is no such name, or nobody here
 * can read it.
 */
char *native_demangle(const char *symbol);
/* What an uncaught exception of C++ is, with its type's name, to be freed; NULL: it is none. */
char *native_thrown(const char *message);

/* native.c: err, -1. */
int native_no_threads(struct err *err);
/* tree.c: the same call, at the same place. */
bool native_same(const struct native_frame *a, const struct native_frame *b);

/* teams.c */
/* What of OpenMP a call is, "parallel region" or "task", by the one around it; NULL: nothing. */
const char *calls_part(const struct native_frame *outer, const struct native_frame *f);
struct calls {
	const struct native_frame **frame; /* owned; outermost first, each borrowed */
	size_t n;
};
/* The thread is in a part of a region or task that another thread may have begun. */
bool calls_are_part(const struct native_stack *st);
/* The calls around those of a thread of OpenMP: of the thread that has begun its region. number: of
 * the thread, which the stack is of. Free out->frame. */
void calls_outer(const struct native_stacks *x, const struct native_stack *st, uint32_t number,
		 struct calls *out);

#endif
