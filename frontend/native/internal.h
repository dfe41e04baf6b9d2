/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DVMDBG_FRONTEND_NATIVE_INTERNAL_H
#define DVMDBG_FRONTEND_NATIVE_INTERNAL_H

/* demangle.c */
/*
 * C++: "std::terminate" of "_ZSt9terminatev", to be freed. NULL: it is no such name, or nobody here
 * can read it.
 */
char *native_demangle(const char *symbol);
/* What an uncaught exception of C++ is, with its type's name, to be freed; NULL: it is none. */
char *native_thrown(const char *message);

#endif
