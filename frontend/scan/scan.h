/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sources of C, C++ and Fortran without a compiler: functions, loops, calls, and what communicates.
 * What the preprocessor makes of them is not seen, but for branches that have no code.
 */
#ifndef DVMDBG_FRONTEND_SCAN_SCAN_H
#define DVMDBG_FRONTEND_SCAN_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct fortran;

/*
 * Functions and loops of a source file. Places in the text are of `text`, in which
 * comments and texts are blank; `plain` is the file.
 */
struct loop {
	uint32_t function;	  /* that it is in */
	uint32_t first, last;	  /* lines */
	uint32_t body_line;
	const char *at, *body, *end;
	bool braces;		  /* its body is a block */
	bool mpi;		  /* something in it communicates */
	bool below, down;	  /* i < to, i > to */
	bool implicit; /* an assignment of Fortran's arrays, or of C++'s, a copy by the library, or a
			  call with a lambda that is the body of a loop elsewhere: no variable */
	char *variable, *from, *to; /* owned; NULL: not written so */
	char *over; /* owned; of C++: all elements of this, by a reference or an iterator */
};

struct function {
	char *name; /* owned */
	uint32_t first, body_line, last;
	const char *body, *end;
	bool mpi;
	uint32_t host,
		unit; /* of Fortran: function that it is internal to, UINT32_MAX: none; its unit */
	bool program;	     /* Fortran's main program */
};

struct scan {
	char *path, *text, *plain; /* owned */
	char *headers; /* owned: of C, the text that it includes by "name" from its own folder */
	struct function *function;
	struct loop *loop; /* outer ones before those inside */
	uint32_t nfunction, nloop;
	struct fortran *fortran; /* owned; NULL: it is C */
};

/* The line of the file has code in the program. */
typedef bool (*scan_compiled)(void *arg, const char *path, uint32_t line);
struct scan *scan_open(const char *path, struct err *err);
/* The same without the branches of #if that the program has no code of. */
struct scan *scan_open_compiled(const char *path, scan_compiled is, void *arg, struct err *err);
/* What calls one of the functions of these n sources that communicate does so as well. */
void scan_communicate(struct scan *const *s, uint32_t n);
void scan_close(struct scan *s);
/* The whole word is there. */
bool scan_word(const struct scan *s, const char *at, const char *word);
/* Whether the text calls MPI, or a function of the file that does. */
bool scan_has_mpi(const struct scan *s, const char *from, const char *to);

uint32_t scan_line(const struct scan *s, const char *at);
/* Where that line begins, from 1 on; NULL: the text has fewer. */
const char *scan_line_begin(const struct scan *s, uint32_t line);
/* Where the statement begins that `at` is in, of the innermost block in this one; NULL: it is not
 * there. */
const char *scan_statement(const struct scan *s, const char *block, const char *at);
/* The first call of the function in the text, or NULL. */
const char *scan_call(const struct scan *s, const char *from, const char *to, const char *name);
/* The word of n letters at c gets a value there: name =, name +=, name++, &name, but where MPI sends
 * from that. */
bool scan_assigns(const struct scan *s, const char *c, size_t n);
/* A loop of the function that has the line, 0 of the file, counts with the variable, or with what
 * its name begins with. */
bool scan_counts(const struct scan *s, const char *name, uint32_t line);

/* A function of a class that does no more than give a member, which may be private: its value, a
 * reference to it, or its first element, which can be assigned. */
enum accessor_kind { ACCESSOR_NUMBER, ACCESSOR_OBJECT, ACCESSOR_ELEMENT };
struct accessor {
	enum accessor_kind kind;
	char *member, *call; /* owned: "data_" and "(0, 0)", "nx_" and ".nx()" */
	unsigned parameter;  /* of the class's template, from 1, that call has as '@'; 0: none */
	const char *class;   /* whose template it is, of nclass letters; the text's */
	size_t nclass;
};
bool scan_accessor(const struct scan *s, const struct function *f, struct accessor *out);

/* ---- names.c: names of single variables, with members: "alpha", "p->nu", "g%dt" ---- */

#define SCAN_NAME 100
#define SCAN_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
/* The next one in the text that has neither an index nor arguments, and its letters; NULL: none. */
const char *scan_name(const struct scan *s, const char *from, const char *to, size_t *n);
/* What is there is part of an index: of what stands in brackets, or, in Fortran, in parentheses. */
bool scan_is_index(const struct scan *s, const char *from, const char *at);
/* The statement on these lines computes with the variable of a loop, not as an index. */
bool scan_counts_on(const struct scan *s, uint32_t line, uint32_t last);
/* Where the text sets it last, or the structure that it is in; NULL: nowhere. */
const char *scan_sets(const struct scan *s, const char *from, const char *to, const char *name);
/* The innermost function that has the line; NULL: none has. */
const struct function *scan_function(const struct scan *s, uint32_t line);
/* A call of MPI_Allreduce, or MPI_Reduce. */
struct scan_reduction {
	const char *at;
	bool all; /* each rank has the result */
	char gives[SCAN_NAME], result[SCAN_NAME], op[SCAN_NAME]; /* "s", "p->sum", "MPI_SUM" */
};
/* The last one in the text, with that result; NULL: with any. Where several have other operations
 * which one is executed is not known: op begins with '?'. */
bool scan_reduction(const struct scan *s, const char *from, const char *to, const char *result,
		    struct scan_reduction *out);

/* The bracket that opens the arguments in front of the function's body; NULL: not found. */
const char *scan_arguments(const struct scan *s, const struct function *f);

#endif
