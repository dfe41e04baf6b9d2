/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where functions and loops of a C source begin and end, without a compiler: words and brackets,
 * comments and texts left out. What a macro hides is not seen. Fortran: fortran.c.
 */
#include "frontend/scan/internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/core/err.h"
#include "frontend/fortran/fortran.h"
#include "frontend/marks/marks.h"
#include "frontend/util/xvec.h"

#define HEADERS 2 /* of headers that are followed, in each other */

/* Comments, texts and preprocessor lines become blanks; line ends stay. */
static void blank(char *s)
{
	bool start = true;

	for (; *s; s++) {
		if (start && *s == '#') {
			for (; *s && *s != '\n'; s++) {
				if (*s == '\\' && s[1] == '\n')
					*s++ = ' ';
				else
					*s = ' ';
			}
			if (!*s)
				return;
		} else if (*s == '/' && s[1] == '/') {
			for (; *s && *s != '\n'; s++)
				*s = ' ';
			if (!*s)
				return;
		} else if (*s == '/' && s[1] == '*') {
			for (; *s && !(*s == '*' && s[1] == '/'); s++)
				if (*s != '\n')
					*s = ' ';
			if (!*s)
				return;
			*s = ' ';
			*++s = ' ';
		} else if (*s == '"' || *s == '\'') {
			char q = *s;

			*s = ' ';
			for (s++; *s && *s != q && *s != '\n'; s++) {
				if (*s == '\\' && s[1])
					*s++ = ' ';
				*s = ' ';
			}
			if (!*s)
				return;
			if (*s == q)
				*s = ' ';
		}
		start = *s == '\n' || (start && isspace((unsigned char)*s));
	}
}

static const char *skip_blank(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

/* Behind the bracket that closes the one at s; NULL: none does. */
static const char *closing(const char *s)
{
	unsigned depth = 0;

	for (; *s; s++) {
		if (strchr("([{", *s))
			depth++;
		else if (strchr(")]}", *s) && !--depth)
			return s + 1;
	}
	return NULL;
}

static bool word_at(const char *text, const char *s, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(s, word, n) || isalnum((unsigned char)s[n]) || s[n] == '_')
		return false;
	return s == text || !(isalnum((unsigned char)s[-1]) || s[-1] == '_');
}

bool scan_word(const struct scan *s, const char *at, const char *word)
{
	return word_at(s->text, at, word);
}

/* Behind the statement that begins at s. */
static const char *statement_end(const char *text, const char *s)
{
	s = skip_blank(s);
	if (*s == '{')
		return closing(s);
	if (word_at(text, s, "for") || word_at(text, s, "while") || word_at(text, s, "if") ||
	    word_at(text, s, "switch")) {
		bool branch = word_at(text, s, "if");

		while (*s && *s != '(')
			s++;
		s = closing(s);
		if (!s)
			return NULL;
		s = statement_end(text, s);
		if (s && branch && word_at(text, skip_blank(s), "else"))
			return statement_end(text, skip_blank(s) + 4);
		return s;
	}
	if (word_at(text, s, "do")) {
		s = statement_end(text, s + 2);
		while (s && *s && *s != ';')
			s++;
		return s && *s ? s + 1 : NULL;
	}
	for (; *s && *s != ';'; s++)
		if (strchr("([{", *s)) {
			s = closing(s);
			if (!s)
				return NULL;
			s--;
		}
	return *s ? s + 1 : NULL;
}

static uint32_t line_of(const struct scan *s, const char *at)
{
	uint32_t n = 1;

	for (const char *c = s->text; c < at; c++)
		n += *c == '\n';
	return n;
}

static char *cut(const char *from, const char *to)
{
	from = skip_blank(from);
	while (to > from && isspace((unsigned char)to[-1]))
		to--;
	return xstrndup(from, (size_t)(to - from));
}

static bool has_within(const char *from, const char *to, const char *text)
{
	const char *at = strstr(from, text);

	return at && at < to;
}

/* for (type &x : OVER), for (auto i = OVER.begin(); …) */
static char *all_of(const char *open, const char *semi, const char *close)
{
	const char *colon = memchr(open, ':', (size_t)(close - open)), *eq, *begin;

	if (semi && semi < close) {
		eq = memchr(open, '=', (size_t)(semi - open));
		begin = eq ? strstr(eq, "begin()") : NULL;
		return begin && begin - 1 > eq && begin < semi && begin[-1] == '.' &&
				       skip_blank(begin + 7) == semi ?
			       cut(eq + 1, begin - 1) :
			       NULL;
	}
	while (colon && colon[1] == ':')
		colon = memchr(colon + 2, ':', (size_t)(close - colon - 2));
	return colon ? cut(colon + 1, close) : NULL;
}

/* for (type i = FROM; i < TO; …): variable, first value and bound, when they are written so. */
static void header(struct loop *l, const char *open, const char *close)
{
	const char *semi = strchr(open, ';'), *next, *eq, *name, *op;

	l->over = all_of(open, semi, close);
	if (!semi || semi >= close)
		return;
	next = strchr(semi + 1, ';');
	eq = memchr(open, '=', (size_t)(semi - open));
	if (!next || next >= close || !eq || memchr(open, ',', (size_t)(semi - open)))
		return;
	for (name = eq; name > open && isspace((unsigned char)name[-1]);)
		name--;
	op = name;
	while (name > open && (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
		name--;
	if (name == op)
		return;
	l->variable = xstrndup(name, (size_t)(op - name));
	l->from = cut(eq + 1, semi);
	op = skip_blank(semi + 1);
	if (!word_at(op, op, l->variable))
		return;
	op = skip_blank(op + strlen(l->variable));
	if (*op != '<' && *op != '>')
		return;
	if (has_within(op, next, "||"))
		return;
	/* it may end earlier: for (…; i < TO && …; …) */
	if (has_within(op, next, "&&"))
		next = strstr(op, "&&");
	l->below = *op == '<' && op[1] != '=';
	l->down = *op == '>';
	l->to = cut(op + 1 + (op[1] == '='), next);
}

/* Of a constructor: n_{ n }, v_(new double[n]), … */
static const char *behind_initializers(const char *c)
{
	for (;; c++) {
		const char *open = c + strcspn(c, "({;}"), *end;

		if (*open != '(' && *open != '{')
			return c;
		end = closing(open);
		if (!end)
			return c;
		c = skip_blank(end);
		if (*c != ',')
			return c;
	}
}

/* What C++ may have between the arguments of a function and its block: const, noexcept and the
 * like, and the type that it returns. */
static const char *behind_arguments(const char *c)
{
	static const char *const words[] = { "const", "noexcept", "override", "final", "volatile" };
	const char *from;

	do {
		from = c = skip_blank(c);
		for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (word_at(c, c, words[i]))
				c = skip_blank(c + strlen(words[i]));
		if (c > from && *c == '(')
			c = closing(c) ? closing(c) : c;
		while (*c == '&')
			c++;
	} while (c > from);
	if (c[0] == '-' && c[1] == '>')
		c += strcspn(c, "{};()");
	return c[0] == ':' && c[1] != ':' ? behind_initializers(c + 1) : c;
}

/*
 * A statement that calls a function with the body of a loop, apply(grid, [&](int i, int j) { … });
 * c is at the bracket of that. The loop itself is in the function.
 */
static void lambda_in(struct scan *s, const char *from, const char *c, uint32_t function)
{
	const char *before = c, *body, *open = c, *begin, *end;
	unsigned depth = 0;
	struct loop *l;

	while (before > from && isspace((unsigned char)before[-1]))
		before--;
	body = closing(c);
	body = body && strchr("(,", before[-1]) && *skip_blank(body) == '(' ?
		       closing(skip_blank(body)) : NULL;
	body = body ? behind_arguments(body) : NULL;
	if (!body || *body != '{')
		return;
	while (open > from && (*open != '(' || depth)) {
		depth -= *open == '(';
		open--;
		depth += *open == ')';
	}
	for (begin = open; begin > from && (isalnum((unsigned char)begin[-1]) ||
					    strchr("_:.<>-", begin[-1]));)
		begin--;
	for (before = begin; before > from && isspace((unsigned char)before[-1]);)
		before--;
	end = *open == '(' ? closing(open) : NULL;
	if (!end || *skip_blank(end) != ';' || begin == open || !strchr("{};)", before[-1]) ||
	    (s->nloop && s->loop[s->nloop - 1].at == begin))
		return;
	l = xvec_add(s->loop, s->nloop);
	l->function = function;
	l->implicit = true;
	l->at = begin;
	l->body = body;
	l->end = skip_blank(end) + 1;
	l->first = line_of(s, begin);
	l->last = line_of(s, end);
	l->body_line = line_of(s, body);
	l->braces = true;
}

static const char *behind_name(const char *c)
{
	while (isalnum((unsigned char)*c) || *c == '_' || *c == '.' || (*c == '-' && c[1] == '>'))
		c += *c == '-' ? 2 : 1;
	return c;
}

/* Where the statement ends that copies or sets what may be a whole array: memcpy(), std::fill(),
 * v.assign(), and in C++ u = v; NULL: it is none. */
static const char *copy_end(const struct scan *s, const char *c)
{
	static const char *const calls[] = { "memcpy", "memmove",     "memset",
					     "copy",   "copy_n",      "fill",
					     "fill_n", "swap_ranges", "transform" };
	size_t path = strlen(s->path);
	bool plain = path > 2 && !strcmp(s->path + path - 2, ".c"), is = false;
	const char *name = c, *end;

	if (!plain && !strncmp(c, "std::", 5))
		name += 5;
	for (unsigned i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		is = is || (word_at(s->text, name, calls[i]) &&
			    (name > c || !strncmp(c, "mem", 3)));
	end = behind_name(name);
	if (plain || is)
		return is && *skip_blank(end) == '(' ? closing(skip_blank(end)) : NULL;
	if (*end == '(' && end - c > 7 && !strncmp(end - 7, ".assign", 7))
		return closing(end);
	end = skip_blank(end);
	if (*end != '=' || isdigit((unsigned char)*skip_blank(end + 1)))
		return NULL;
	c = skip_blank(end + 1);
	end = behind_name(c);
	return end > c ? end : NULL;
}

static void copy_in(struct scan *s, const char *from, const char *c, uint32_t function)
{
	const char *before = c, *end;
	struct loop *l;

	if (!isalpha((unsigned char)*c) && *c != '_')
		return;
	while (before > from && isspace((unsigned char)before[-1]))
		before--;
	if (before == from || !strchr("{};", before[-1]))
		return;
	end = copy_end(s, c);
	if (!end || *skip_blank(end) != ';')
		return;
	l = xvec_add(s->loop, s->nloop);
	l->function = function;
	l->implicit = true;
	l->at = c;
	l->body = l->end = skip_blank(end) + 1;
	l->first = line_of(s, c);
	l->last = l->body_line = line_of(s, end);
}

static void loops_in(struct scan *s, const char *from, const char *to, uint32_t function)
{
	for (const char *c = from; c < to; c++) {
		bool is_for = word_at(s->text, c, "for"), is_do = word_at(s->text, c, "do");
		const char *open, *body, *end;
		struct loop *l;

		if (*c == '[')
			lambda_in(s, from, c, function);
		copy_in(s, from, c, function);
		if (!is_for && !is_do && !word_at(s->text, c, "while"))
			continue;
		open = skip_blank(c + (is_do ? 2 : is_for ? 3 : 5));
		if (!is_do && *open != '(')
			continue;
		body = is_do ? open : closing(open);
		if (!body)
			continue;
		end = statement_end(s->text, is_do ? c : body);
		if (!end || *skip_blank(body) == ';')
			continue;
		l = xvec_add(s->loop, s->nloop);
		l->function = function;
		l->first = line_of(s, c);
		l->last = line_of(s, end - 1);
		l->body = skip_blank(body);
		l->braces = *l->body == '{';
		l->body_line = line_of(s, l->body);
		l->at = c;
		l->end = end;
		if (is_for)
			header(l, open + 1, body - 1);
	}
}

uint32_t scan_line(const struct scan *s, const char *at)
{
	return line_of(s, at);
}

const char *scan_line_begin(const struct scan *s, uint32_t line)
{
	const char *c = s->text;

	while (c && line-- > 1) {
		c = strchr(c, '\n');
		c = c ? c + 1 : NULL;
	}
	return c;
}

/* A block of statements begins there, not a list of values. */
static bool is_block(const char *text, const char *brace)
{
	const char *c = brace;

	while (c > text && isspace((unsigned char)c[-1]))
		c--;
	return c > text &&
	       (strchr("){};", c[-1]) || (c - text >= 4 && word_at(text, c - 4, "else")) ||
		(c - text >= 2 && word_at(text, c - 2, "do")));
}

const char *scan_statement(const struct scan *s, const char *block, const char *at)
{
	const char *from = block + 1, *end;

	if (s->fortran)
		return scan_fortran_statement(s, at);
	for (;; from = end) {
		from = skip_blank(from);
		end = *from && *from != '}' ? statement_end(s->text, from) : NULL;
		if (!end)
			return NULL;
		if (at < end)
			break;
	}
	for (const char *c = from; c < at; c++) {
		end = *c == '{' && is_block(s->text, c) ? closing(c) : NULL;
		if (end && at < end) {
			const char *inner = scan_statement(s, c, at);

			return inner ? inner : from;
		}
	}
	return from;
}

const char *scan_call(const struct scan *s, const char *from, const char *to, const char *name)
{
	size_t n = strlen(name);

	for (const char *c = from; (c = strstr(c, name)) && c < to; c += n)
		if (word_at(s->text, c, name) && (*skip_blank(c + n) == '(' ||
						  (s->fortran && scan_fortran_call(s, c))))
			return c;
	return NULL;
}

bool scan_counts(const struct scan *s, const char *name, uint32_t line)
{
	size_t n = strcspn(name, "-.[%(");

	for (uint32_t i = 0; i < s->nloop; i++) {
		const struct loop *l = &s->loop[i];
		const struct function *f = &s->function[l->function];

		if (l->variable && !strncmp(l->variable, name, n) && !l->variable[n] &&
		    (!line || (f->first <= line && line <= f->last)))
			return true;
	}
	return false;
}

/* Where "operator()" begins, or another one, that ends at open; open: it is none. */
static const char *operator_name(const char *text, const char *open)
{
	static const char word[] = "operator";
	const char *c = open;

	while (c > text && ispunct((unsigned char)c[-1]) && c[-1] != '_' && open - c < 4)
		c--;
	if (c == open || (size_t)(c - text) < strlen(word))
		return open;
	c -= strlen(word);
	return strncmp(c, word, strlen(word)) ? open : c;
}

/* Functions are blocks at depth 0 behind a closing parenthesis. */
static void functions(struct scan *s)
{
	for (const char *c = s->text; *c;) {
		const char *end, *name, *open;

		if (*c != '{') {
			if (*c == '(') {
				const char *e = closing(c);

				if (!e)
					return;
				open = c;
				c = e;
				if (*behind_arguments(c) != '{')
					continue;
				for (name = open;
				     name > s->text && isspace((unsigned char)name[-1]);)
					name--;
				open = name;
				while (name > s->text &&
				       (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
					name--;
				if (name == open)
					name = operator_name(s->text, open);
				c = behind_arguments(c);
				end = closing(c);
				if (end && name < open) {
					struct function *f = xvec_add(s->function, s->nfunction);

					f->name = xstrndup(name, (size_t)(open - name));
					f->body = c;
					f->end = end;
					f->first = line_of(s, name);
					f->body_line = line_of(s, c);
					f->last = line_of(s, end - 1);
					loops_in(s, c, end, s->nfunction - 1);
					c = end;
				}
				continue;
			}
			c++;
			continue;
		}
		end = closing(c); /* a structure, extern "C" or a namespace: look inside */
		c++;
		(void)end;
	}
}

static bool calls(const struct scan *s, const char *from, const char *to, const char *name)
{
	size_t n = strlen(name);

	for (const char *c = from; (c = strstr(c, name)) && c < to; c += n)
		if (word_at(s->text, c, name))
			return true;
	return false;
}

static bool names_mpi(const char *from, const char *to)
{
	static const char *const quiet[] = { "MPI_Wtime",     "MPI_COMM_WORLD", "MPI_DOUBLE",
					     "MPI_PROC_NULL", "MPI_Comm_rank",	"MPI_Comm_size" };

	for (const char *c = from; (c = strstr(c, "MPI_")) && c < to; c += 4) {
		bool none =
			c[4] >= 'A' && c[4] <= 'Z' && ((c[5] >= 'A' && c[5] <= 'Z') || c[5] == '_');

		for (unsigned i = 0; i < sizeof(quiet) / sizeof(*quiet); i++)
			none |= !strncmp(c, quiet[i], strlen(quiet[i]));
		if (!none)
			return true;
	}
	return false;
}

bool scan_has_mpi(const struct scan *s, const char *from, const char *to)
{
	if (s->fortran ? scan_fortran_mpi(from, to) : names_mpi(from, to))
		return true;
	for (uint32_t i = 0; i < s->nfunction; i++)
		if (s->function[i].mpi && calls(s, from, to, s->function[i].name))
			return true;
	return false;
}

/* The text of what is included by name from the folder of the file, and from there once more. */
static void read_headers(const char *path, const char *plain, unsigned depth, FILE *out)
{
	const char *slash = strrchr(path, '/');
	char name[256];

	for (const char *c = plain; depth && (c = strstr(c, "#include \"")); c++) {
		char *file, *text;
		FILE *f;

		if (sscanf(c, "#include \"%255[^\"\n]\"", name) != 1)
			continue;
		file = xasprintf("%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, name);
		f = fopen(file, "re");
		if (f) {
			text = xalloc_read(f);
			fclose(f);
			read_headers(file, text, depth - 1, out);
			fprintf(out, "%s\n", text);
			free(text);
		}
		free(file);
	}
}

static char *headers_of(const struct scan *s)
{
	char *text = NULL;
	size_t n;
	FILE *f = xmemstream(&text, &n);

	read_headers(s->path, s->plain, HEADERS, f);
	xmemstream_close(f);
	return text;
}

struct scan *scan_open(const char *path, struct err *err)
{
	return scan_open_compiled(path, NULL, NULL, err);
}

struct scan *scan_open_compiled(const char *path, scan_compiled is, void *arg, struct err *err)
{
	struct scan *s;
	FILE *f = fopen(path, "re");
	bool more;

	if (!f) {
		err_set(err, "cannot read %s", path);
		return NULL;
	}
	s = xcalloc(1, sizeof(*s));
	s->path = xstrdup(path);
	s->text = xalloc_read(f);
	fclose(f);
	s->plain = xstrdup(s->text);
	if (is)
		scan_branches(s, is, arg);
	if (marks_fortran(path)) {
		scan_fortran(s);
	} else {
		s->headers = headers_of(s);
		blank(s->text);
		functions(s);
	}
	do { /* who calls who does MPI does it */
		more = false;
		for (uint32_t i = 0; i < s->nfunction; i++) {
			struct function *x = &s->function[i];

			if (!x->mpi && scan_has_mpi(s, x->body, x->end))
				x->mpi = more = true;
		}
	} while (more);
	for (uint32_t i = 0; i < s->nloop; i++)
		s->loop[i].mpi = scan_has_mpi(s, s->loop[i].body, s->loop[i].end);
	return s;
}

void scan_close(struct scan *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->nfunction; i++)
		free(s->function[i].name);
	for (uint32_t i = 0; i < s->nloop; i++) {
		free(s->loop[i].variable);
		free(s->loop[i].from);
		free(s->loop[i].to);
		free(s->loop[i].over);
	}
	fortran_free(s->fortran);
	free(s->function);
	free(s->loop);
	free(s->text);
	free(s->plain);
	free(s->headers);
	free(s->path);
	free(s);
}

/* The address at c is what a call of MPI sends from: its first argument. */
static bool is_sent(const struct scan *s, const char *c)
{
	static const char *const calls[] = {
		"send",	    "bsend",   "ssend",	   "rsend", "gather",	"gatherv",
		"allgather", "scan",   "alltoall", "reduce", "allreduce", "exscan",
		"scatter",  "scatterv", "put",	   "sendrecv", "allgatherv", "accumulate"
	};
	const char *end = c;
	size_t n;

	while (end > s->text && isspace((unsigned char)end[-1]))
		end--;
	if (end == s->text || *--end != '(')
		return false;
	while (end > s->text && isspace((unsigned char)end[-1]))
		end--;
	for (c = end; c > s->text && (isalnum((unsigned char)c[-1]) || c[-1] == '_'); c--)
		;
	if (strncmp(c, "MPI_", 4) != 0)
		return false;
	c += 4 + (c[4] == 'I');
	n = (size_t)(end - c);
	for (unsigned i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (strlen(calls[i]) == n && !strncasecmp(c, calls[i], n))
			return true;
	return false;
}

bool scan_assigns(const struct scan *s, const char *c, size_t n)
{
	const char *e = c + n + strspn(c + n, " ");
	const char *b = c;

	while (b > s->text && b[-1] == ' ')
		b--;
	if (b > s->text && b[-1] == '&' && !(b - 1 > s->text && b[-2] == '&'))
		return !is_sent(s, b - 1);
	if (b - 1 > s->text && ((b[-1] == '+' && b[-2] == '+') || (b[-1] == '-' && b[-2] == '-')))
		return true;
	if (*e == '=')
		return e[1] != '=';
	if (*e && strchr("+-*/%|&^", *e))
		return e[1] == '=' || (strchr("+-", *e) && e[1] == *e);
	return false;
}
