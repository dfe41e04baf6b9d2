/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a line of the source accesses at an address: pointers that it follows, elements whose index
 * is outside. The line is read as text: paths of names, subscripts and members.
 */
#include "runtime/exec/native/internal.h"

#include <ctype.h>
#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"

#define PATH_MOST 200		/* characters of a path */
#define NULL_PAGE 65536u	/* what is below is a null pointer and an offset */
#define FAR (UINT64_C(1) << 36) /* bytes: an index that leads further is not believed */

struct access {
	struct frame *f;
	int last; /* scope */
	uint64_t addr;
	char *out;
	size_t size;
	char weak[PATH_MOST + 32]; /* an element whose index is not known */
	unsigned nweak;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The line of the code, to be freed; NULL: there is none. */
static char *line_of(const struct frame *f)
{
	Dwfl_Line *at = dwfl_module_getsrc(f->mod, f->pc);
	int number = 0;
	const char *file = at ? dwfl_lineinfo(at, NULL, &number, NULL, NULL, NULL) : NULL;
	const char *dir = at ? dwfl_line_comp_dir(at) : NULL;
	char *path = NULL, *line = NULL;
	size_t room = 0;
	FILE *in = NULL;

	if (file && (*file == '/' || !dir))
		in = fopen(file, "re");
	else if (file && asprintf(&path, "%s/%s", dir, file) >= 0)
		in = fopen(path, "re");
	for (int i = 0; in && i < number; i++)
		if (getline(&line, &room, in) < 0) {
			free(line);
			line = NULL;
			break;
		}
	if (in)
		fclose(in);
	free(path);
	return line;
}

/* Strings, characters and comments become blanks. */
static void blank(char *s, bool fortran)
{
	char quote = 0;

	for (; *s; s++) {
		bool comment = !quote && (fortran ? *s == '!' : *s == '/' && s[1] == '/');

		if (comment) {
			*s = '\0';
			return;
		}
		if (quote) {
			bool ends = *s == quote;

			if (!fortran && *s == '\\' && s[1])
				*s++ = ' ';
			*s = ' ';
			quote = ends ? 0 : quote;
		} else if (*s == '"' || *s == '\'') {
			quote = *s;
			*s = ' ';
		}
	}
}

/* Behind the bracket that closes the one at s; NULL: none does. */
static const char *behind_brackets(const char *s)
{
	int depth = 0;

	for (; *s; s++) {
		depth += *s == '(' || *s == '[';
		depth -= *s == ')' || *s == ']';
		if (!depth)
			return s + 1;
	}
	return NULL;
}

/* 1; 0 and -1: there is no such thing, or it cannot be evaluated, and err says why. */
static int look(struct access *a, const char *from, const char *end, struct frame **f,
		struct datum *d, struct err *err)
{
	char path[PATH_MOST + 1];

	if (end - from > PATH_MOST)
		return 0;
	snprintf(path, sizeof(path), "%.*s", (int)(end - from), from);
	*f = a->f;
	return frame_path(f, 0, a->last, path, d, err);
}

/* The address in a pointer, and the bytes of what is there; false: it is none, or not known. */
static bool follow(struct frame *f, const struct datum *d, uint64_t *to, uint64_t *step)
{
	struct err none = { "" };
	struct datum target = *d;
	Dwarf_Die type, its;

	if (d->points || !d->typed || !datum_peeled(&d->type, &type) || !datum_is_pointer(&type) ||
	    !datum_read(f, d, to, sizeof(*to)))
		return false;
	*step = 1;
	if (!*to)
		return true;
	if (!datum_type_at(&type, &its) || datum_target(f, &target, &none))
		return false;
	return !datum_step(f, &target, step, &none);
}

/* The element that an index of a pointer leads to. */
static bool is_element(struct access *a, const char *from, const char *base, const char *end,
		       uint64_t to, uint64_t step)
{
	struct err none = { "" };
	char text[sizeof(a->weak)];
	struct frame *f;
	struct datum d;
	int64_t far = (int64_t)(a->addr - to), size = (int64_t)step;
	int64_t k = far / size - (far % size < 0);

	if (far >= (int64_t)FAR || far <= -(int64_t)FAR)
		return false;
	snprintf(text, sizeof(text), "%.*s[%" PRId64 "]", (int)(base - from), from, k);
	if (look(a, from, end, &f, &d, &none) > 0 && !d.points && d.place.kind == LOCATION_MEMORY) {
		uint64_t at = d.place.addr + d.off, n = datum_size(f, &d);

		if (a->addr < at || a->addr >= at + (n ? n : 1))
			return false;
		snprintf(a->out, a->size, "%s", text);
		return true;
	}
	snprintf(a->weak, sizeof(a->weak), "%s", text);
	a->nweak++;
	return false;
}

/* Whether the array is there, and its index inside. */
static bool is_outside(struct access *a, const char *from, const char *base, const char *end,
		       struct frame *f, const struct datum *d)
{
	struct err err = { "" };
	struct datum element;
	Dwarf_Die type;
	struct shape s;

	if (d->typed && datum_peeled(&d->type, &type) && dwarf_tag(&type) == DW_TAG_array_type &&
	    shape_of(f, &type, d, &s) && s.lacks) {
		snprintf(a->out, a->size, "%.*s is %.*s", (int)(base - from), from,
			 (int)strcspn(s.lacks + 1, ">"), s.lacks + (*s.lacks == '<'));
		return true;
	}
	if (look(a, from, end, &f, &element, &err) > 0 || !strstr(err.text, " is outside "))
		return false;
	snprintf(a->out, a->size, "%.*s: %s", (int)(end - from), from,
		 strstr(err.text, "index ") ? strstr(err.text, "index ") : err.text);
	return true;
}

/* how: '[' and '(' a subscript follows base, up to end; '>' a member; '*' it is followed. */
static bool judge(struct access *a, const char *from, const char *base, const char *end, char how)
{
	struct err none = { "" };
	uint64_t to, step;
	struct frame *f;
	struct datum d;

	if (look(a, from, base, &f, &d, &none) <= 0)
		return false;
	if (!follow(f, &d, &to, &step))
		return (how == '[' || how == '(') && is_outside(a, from, base, end, f, &d);
	if (!to && a->addr < NULL_PAGE) {
		snprintf(a->out, a->size, "%.*s is NULL", (int)(base - from), from);
		return true;
	}
	if (to < NULL_PAGE)
		return false;
	if (how == '[')
		return is_element(a, from, base, end, to, step);
	if (how == '(' || a->addr < to || a->addr >= to + step)
		return false;
	snprintf(a->out, a->size, "%.*s leads there", (int)(base - from), from);
	return true;
}

/* A "*" that is no product stands before the name. */
static bool is_followed(const char *line, const char *name)
{
	const char *s = name;

	while (s > line && isspace((unsigned char)s[-1]))
		s--;
	if (s == line || s[-1] != '*')
		return false;
	for (s--; s > line && isspace((unsigned char)s[-1]);)
		s--;
	return s == line || !(is_word(s[-1]) || strchr(")]", s[-1]));
}

/* The path that begins with a name. */
static bool judge_path(struct access *a, const char *line, const char *from)
{
	bool fortran = a->f->fortran;
	const char *at = from, *end;

	while (is_word(*at) || (*at == ':' && at[1] == ':') || (*at == ':' && at[-1] == ':'))
		at++;
	for (;;) {
		const char *next = at + strspn(at, " \t");

		end = NULL;
		if (*next == '[' || (*next == '(' && fortran)) {
			end = behind_brackets(next);
			if (end && judge(a, from, at, end, *next))
				return true;
		} else if ((*next == '-' && next[1] == '>') || *next == '.' || *next == '%') {
			end = next + 1 + (*next == '-');
			end += strspn(end, " \t");
			if (!isalpha((unsigned char)*end) && *end != '_')
				break;
			while (is_word(*end))
				end++;
			if (*next == '-' && judge(a, from, at, end, '>'))
				return true;
		}
		if (!end)
			break;
		at = end;
	}
	return !fortran && is_followed(line, from) && judge(a, from, at, at, '*');
}

static void judge_line(struct access *a, const char *line)
{
	const char *s = line;

	while (*s) {
		const char *from = s;

		if (!is_word(*s)) {
			s++;
			continue;
		}
		while (is_word(*s))
			s++;
		if (isdigit((unsigned char)*from) ||
		    (from > line && strchr(".%>:", from[-1]) &&
		     !(from[-1] == '>' && (from == line + 1 || from[-2] != '-'))))
			continue;
		if (judge_path(a, line, from))
			return;
	}
	if (a->nweak == 1)
		snprintf(a->out, a->size, "%s", a->weak);
}

void native_accessed(struct native *n, bool parked, uint64_t addr, char *out, size_t size)
{
	struct access a = { .addr = addr, .out = out, .size = size };
	struct err none = { "" };
	struct frame *frames = NULL;
	int count = native_frames(n, parked, 0, &frames, &none);
	char *line;

	*out = '\0';
	for (int i = 0; i < count; i++)
		frame_open(&frames[i], &none);
	if (count > 0 && frames[0].innermost && names_function(&frames[0], 0, &a.last)) {
		a.f = &frames[0];
		line = line_of(a.f);
		if (line) {
			blank(line, a.f->fortran);
			judge_line(&a, line);
		}
		free(line);
	}
	for (int i = 0; i < count; i++)
		frame_close(&frames[i]);
	free(frames);
}
