/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A Fortran source as statements, units and declarations, in free or fixed form. What the
 * preprocessor makes of it is not seen, nor what other files declare, but for those that it
 * includes.
 */
#ifndef DVMDBG_FRONTEND_FORTRAN_FORTRAN_H
#define DVMDBG_FRONTEND_FORTRAN_FORTRAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FORTRAN_NONE UINT32_MAX

struct fortran_statement {
	uint32_t first, last; /* lines, from 1 */
	uint32_t label;	      /* 0: none */
	size_t at, end;	      /* where it is in the text; end: behind it */
	char *text; /* owned; in small letters, without label and continuation; texts in it are
		       blank */
	bool inner; /* of a type, an interface or an enumeration */
};

enum fortran_kind {
	FORTRAN_PROGRAM,
	FORTRAN_MODULE,
	FORTRAN_SUBROUTINE,
	FORTRAN_FUNCTION,
	FORTRAN_DATA
};

/* Numbers are of statements. */
struct fortran_unit {
	enum fortran_kind kind;
	char *name;	      /* owned; "" of a program without a first line */
	uint32_t host;	      /* unit that it is internal to, FORTRAN_NONE: none */
	bool headed;	      /* head is its first line, not yet a statement of its own */
	uint32_t head, body;  /* body: the first one that is executed, end when there is none */
	uint32_t end, close;  /* end: CONTAINS, or close: END */
};

struct fortran {
	char *text; /* owned; as long as the source, in small letters, comments and texts blank */
	struct fortran_statement *statement;
	struct fortran_unit *unit; /* hosts before what is internal to them */
	uint32_t n, nunit;
	bool fixed;
};

/* Always succeeds: what is no Fortran makes statements of no kind. */
struct fortran *fortran_parse(const char *text, bool fixed);
/*
 * The same of a file, in the form that its name says, with the statements of files that it includes
 * and that are beside it: each is in the line that includes its file.
 */
struct fortran *fortran_parse_file(const char *text, const char *path);
void fortran_free(struct fortran *f);
/* The form, by the end of the file's name: .f, .for, .ftn and these in capitals are fixed. */
bool fortran_is_fixed(const char *path);

/* The unit whose own part, without what is internal to it, has the line; FORTRAN_NONE: none. */
uint32_t fortran_unit_at(const struct fortran *f, uint32_t line);
/* The statement that has the line; FORTRAN_NONE: none. */
uint32_t fortran_statement_at(const struct fortran *f, uint32_t line);

/* The whole word in the text, but no component; NULL: it is not there. */
const char *fortran_word(const char *text, const char *word);
/* Behind the words when the text begins with them, blanks between them left out or not; NULL: it
 * does not. */
const char *fortran_begins(const char *text, const char *word, const char *next);
/* Behind the bracket that closes the one at s; NULL: none does. */
const char *fortran_closing(const char *s);
/* Behind what "name(…)%part = " stands in front of; NULL: the text is no assignment. *len: of the
 * name at its begin. */
const char *fortran_assignment(const char *text, size_t *len);

/* What a unit, one of its hosts, or a module that it uses declares. */
struct fortran_entity {
	uint32_t unit;	/* that declares it */
	uint32_t first; /* statement that declares its type, or what else is declared of it */
	uint32_t last;	/* the last one that declares something of it */
	bool array, pointer, target, parameter, dummy, allocatable, common, initial;
	char type[64];	/* "real(wp)", without blanks; "" not declared */
};

/* False: no declaration was found. name in small letters, without parts. */
bool fortran_find(const struct fortran *f, uint32_t unit, const char *name,
		  struct fortran_entity *out);
/* The next array, or object of a derived type, that a unit declares; *at and *place: 0 at first.
 * Owned by the caller; NULL: no more. */
char *fortran_next(const struct fortran *f, uint32_t unit, uint32_t *at, uint32_t *place);
/* The same of a component of any type that the source defines. */
bool fortran_component(const struct fortran *f, const char *name, struct fortran_entity *out);
/* The unit, or one of its hosts, is the module or uses it with the name; name NULL: any. */
bool fortran_uses(const struct fortran *f, uint32_t unit, const char *module, const char *name);

#endif
