/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/expr/expr.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/core/vec.h"
#include "common/expr/internal.h"

/* Bounds on hostile input, so that recursion here and in users of the tree stays shallow. */
#define DEPTH_MAX 100
#define NODES_MAX 1000

struct parser {
	const char *text;
	size_t pos;
	unsigned depth, nodes;
	bool ranges; /* directly in a subscript: "i::2" is a range */
	struct err *err;
};

static struct expr *parse_binary(struct parser *p, int level);
static struct expr *parse_any(struct parser *p);
static struct expr *parse_unary(struct parser *p);

static char peek(struct parser *p)
{
	while (isspace((unsigned char)p->text[p->pos]))
		p->pos++;
	return p->text[p->pos];
}

static bool take(struct parser *p, char c)
{
	if (peek(p) != c)
		return false;
	p->pos++;
	return true;
}

static void found(struct parser *p, enum err_code code, char at)
{
	if (!p->err)
		return;
	p->err->code = (unsigned char)code;
	p->err->at = at;
}

/* Reports what was expected where the parser stands, and what is there. */
static void *expected(struct parser *p, const char *what)
{
	unsigned char c = (unsigned char)peek(p);

	if (!c)
		err_set(p->err, "column %zu: expected %s, found the end", p->pos + 1, what);
	else if (c < 32 || c > 126)
		err_set(p->err, "column %zu: expected %s, found byte 0x%02x", p->pos + 1, what, c);
	else
		err_set(p->err, "column %zu: expected %s, found '%c'", p->pos + 1, what, c);
	found(p, ERR_SYNTAX, (char)c);
	return NULL;
}

static struct expr *node(struct parser *p, enum expr_kind kind, size_t column)
{
	struct expr *e;

	if (++p->nodes > NODES_MAX) {
		err_set(p->err, "column %zu: the expression is too long", column + 1);
		return NULL;
	}
	e = calloc(1, sizeof *e);
	if (!e) {
		err_set(p->err, "out of memory");
		return NULL;
	}
	e->kind = kind;
	e->column = e->from = column;
	e->source = p->text;
	return e;
}

/* It ends where the parser has come to, without the blanks there. */
static struct expr *ended(struct parser *p, struct expr *e)
{
	if (!e)
		return NULL;
	for (e->end = p->pos; e->end > e->from && isspace((unsigned char)p->text[e->end - 1]);)
		e->end--;
	return e;
}

static void subscript_clear(struct expr_subscript *s)
{
	expr_destroy(s->first);
	expr_destroy(s->last);
	expr_destroy(s->step);
	for (size_t i = 0; i < s->nvector; i++)
		expr_destroy(s->vector[i]);
	free(s->vector);
}

void expr_destroy(struct expr *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->nsub; i++)
		subscript_clear(&e->sub[i]);
	free(e->sub);
	free(e->name);
	free(e->inside);
	expr_destroy(e->a);
	expr_destroy(e->b);
	if (e->root)
		free((char *)e->source);
	free(e);
}

static struct expr *parse_number(struct parser *p)
{
	size_t column = p->pos;
	bool real;
	size_t n = lex_number(p->text + p->pos, &real);
	char *text = strndup(p->text + p->pos, n);
	struct expr *e = text ? node(p, EXPR_NUMBER, column) : NULL;

	if (!text)
		err_set(p->err, "out of memory");
	if (e && !real && text[0] == '0' && strspn(text, "0") < strspn(text, "0123456789")) {
		err_set(p->err,
			"column %zu: %s has another value in C, where 0 begins octal numbers, than "
			"in Fortran: leave the 0 out, or write 0x%llx",
			column + 1, text, strtoull(text, NULL, 8));
		expr_destroy(e);
		e = NULL;
	} else if (e && lex_convert(&e->number, text, real)) {
		err_set(p->err, "column %zu: the number %.40s is too large", column + 1, text);
		expr_destroy(e);
		e = NULL;
	} else if (e) {
		p->pos += n;
		if (lex_is_word(p->text[p->pos])) {
			expected(p, "an operator or the end after the number");
			expr_destroy(e);
			e = NULL;
		}
	}
	free(text);
	return ended(p, e);
}

static struct expr *parse_word(struct parser *p, size_t length, enum value_class class, int value)
{
	struct expr *e = node(p, EXPR_NUMBER, p->pos);

	if (!e)
		return NULL;
	e->number = (struct value){ .class = class, .i = value };
	p->pos += length;
	return ended(p, e);
}

/* Fields begin with a dot, and "[]", in which indices stand, is left out. */
static void name_put_dots(char *name, size_t n)
{
	size_t to = 0;

	for (size_t i = 0; i < n; i++)
		if (name[i] == '[' && i + 1 < n && name[i + 1] == ']')
			i++;
		else
			name[to++] = name[i] == '%' ? '.' : name[i];
	memmove(name + to, name + n, strlen(name + n) + 1);
}

/* Puts fields into the name before its "@…"; '%' becomes '.'. */
static int name_add_fields(struct expr *e, const char *fields, size_t n)
{
	size_t length = strlen(e->name), at = strcspn(e->name, "@");
	char *name = malloc(length + n + 1);

	if (!name)
		return -1;
	memcpy(name, e->name, at);
	memcpy(name + at, fields, n);
	memcpy(name + at + n, e->name + at, length - at + 1);
	name_put_dots(name + at, n);
	free(e->name);
	e->name = name;
	return 0;
}

static int parse_vector(struct parser *p, struct expr_subscript *s)
{
	do {
		if (vec_more(s->vector, s->nvector, 1))
			return err_set(p->err, "out of memory");
		s->vector[s->nvector] = parse_any(p);
		if (!s->vector[s->nvector])
			return -1;
		s->nvector++;
	} while (take(p, ','));
	if (!take(p, '}'))
		return expected(p, "',' or '}'"), -1;
	return 0;
}

static bool at_subscript_end(struct parser *p)
{
	char c = peek(p);

	return c == ']' || c == ')' || c == ',' || c == '\0';
}

static int parse_end(struct parser *p, struct expr **end)
{
	if (peek(p) == ':' || at_subscript_end(p))
		return 0;
	*end = parse_any(p);
	return *end ? 0 : -1;
}

/* "*n" is what n points to, "*" alone the whole dimension. */
static bool at_pointer(struct parser *p)
{
	size_t at = p->pos;
	bool is;

	if (peek(p) != '*')
		return false;
	p->pos++;
	is = isalpha((unsigned char)peek(p)) || (peek(p) && strchr("_(*&#", peek(p)));
	p->pos = at;
	return is;
}

static int parse_subscript(struct parser *p, struct expr_subscript *s)
{
	if (take(p, '{'))
		return parse_vector(p, s);
	if (peek(p) == '*' && !at_pointer(p)) {
		p->pos++;
		s->all = at_subscript_end(p);
		return s->all ? 0 : (expected(p, "']', ')' or ',' after '*'"), -1);
	}
	if (at_subscript_end(p))
		return expected(p, "an index, a range lo:hi, '*' or {i,j,…}"), -1;
	if (parse_end(p, &s->first))
		return -1;
	if (!take(p, ':'))
		return 0;
	s->range = true;
	if (parse_end(p, &s->last))
		return -1;
	if (take(p, ':') && !(s->step = parse_any(p)))
		return -1;
	s->all = !s->first && !s->last && !s->step;
	s->range = !s->all;
	return 0;
}

/* What is in "(" are arguments, which have no ranges. */
static bool of_function(const struct expr *e)
{
	return e->spelling == '(' && e->name && expr_function_named(e->name);
}

/* One "[…]", or one entry of "(…, …)". */
static int add_subscript(struct parser *p, struct expr *e)
{
	struct expr_subscript *s;
	bool ranges;
	int rc;

	if (e->nsub == ARRAY_DIMS)
		return err_set(p->err, "column %zu: more than %d subscripts", p->pos + 1,
			       ARRAY_DIMS);
	s = vec_add(e->sub, e->nsub);
	if (!s)
		return err_set(p->err, "out of memory");
	ranges = p->ranges;
	p->ranges = !of_function(e);
	rc = parse_subscript(p, s);
	p->ranges = ranges;
	return rc;
}

/* The first "(…)" has ended. */
static void note_call(struct parser *p, struct expr *e, bool first)
{
	if (!first || e->kind != EXPR_NAME || of_function(e))
		return;
	e->behind = p->pos;
	e->narguments = e->nsub;
}

static int parse_section(struct parser *p, struct expr *e)
{
	bool first = !e->nsub && !e->inside;

	if (peek(p) == '[') {
		if (!e->behind)
			e->spelling = '[';
		while (take(p, '['))
			if (add_subscript(p, e))
				return -1;
			else if (!take(p, ']'))
				return expected(p, "']'"), -1;
	} else if (take(p, '(')) {
		size_t from = p->pos;

		e->spelling = '(';
		if (e->kind == EXPR_NAME && !e->nsub && peek(p) == ')') {
			/* a function without arguments */
			p->pos++;
			free(e->inside);
			e->inside = strdup("");
			note_call(p, e, first);
			return e->inside ? 0 : err_set(p->err, "out of memory");
		}
		do {
			if (add_subscript(p, e))
				return -1;
		} while (take(p, ','));
		if (!take(p, ')'))
			return expected(p, "',' or ')'"), -1;
		free(e->inside);
		e->inside = strndup(p->text, p->pos - 1);
		if (!e->inside)
			return err_set(p->err, "out of memory");
		memset(e->inside, ' ', from);
		note_call(p, e, first);
	}
	return 0;
}

/* A section, behind so many fields. */
static int parse_section_after(struct parser *p, struct expr *e, unsigned fields)
{
	bool round = peek(p) == '(';
	size_t n = e->nsub;

	if (parse_section(p, e))
		return -1;
	for (; round && n < e->nsub; n++) {
		e->sub[n].after = (unsigned char)(fields < UCHAR_MAX ? fields : UCHAR_MAX);
		e->late |= fields > 0;
	}
	return 0;
}

/* How many fields ".a->b" are. */
static unsigned count_fields(const char *s, size_t n)
{
	unsigned count = 0;

	for (size_t i = 0; i < n; i++)
		count += s[i] == '.' || s[i] == '%' || s[i] == '>';
	return count;
}

/* Fields, and sections of them, behind the name, so many fields and its own section. */
static int parse_rest(struct parser *p, struct expr *e, unsigned fields)
{
	size_t end = p->pos, n;

	if (parse_section_after(p, e, fields))
		return -1;
	if (!e->nsub && !e->inside)
		p->pos = end; /* looking for a section skips blanks, a field does not */
	e->mixed = e->behind && p->text[p->pos] == '[';
	if (e->mixed && parse_section(p, e))
		return -1;
	while ((n = lex_fields(p->text + p->pos, e->spelling != '['))) {
		if (name_add_fields(e, p->text + p->pos, n))
			return err_set(p->err, "out of memory");
		fields += count_fields(p->text + p->pos, n);
		p->pos += n;
		end = p->pos;
		n = e->nsub;
		if (parse_section_after(p, e, fields))
			return -1;
		if (e->nsub == n) {
			p->pos = end;
			break;
		}
	}
	return 0;
}

static struct expr *typed(struct parser *p, const char *op, size_t column, struct expr *a)
{
	struct expr *e = node(p, EXPR_TYPED, column);

	if (!e) {
		expr_destroy(a);
		return NULL;
	}
	e->op = op;
	e->a = a;
	if (a && a->from < e->from)
		e->from = a->from;
	return e;
}

/* The n characters there are its name. */
static struct expr *named(struct parser *p, struct expr *e, size_t n)
{
	if (!e)
		return NULL;
	e->name = strndup(p->text + p->pos, n);
	if (!e->name) {
		err_set(p->err, "out of memory");
		expr_destroy(e);
		return NULL;
	}
	p->pos += n;
	return ended(p, e);
}

/* "u[3]@4": so many from that element on; takes e over. */
static struct expr *parse_many(struct parser *p, struct expr *e)
{
	const char *s = p->text + p->pos;

	if (!e || !e->nsub || *s != '@' || !isdigit((unsigned char)s[1]))
		return e;
	e = typed(p, "@", p->pos, e);
	p->pos++;
	return named(p, e, strspn(s + 1, "0123456789"));
}

static struct expr *parse_name(struct parser *p)
{
	const char *s = p->text + p->pos;
	size_t n = *s == '$' ? 0 : strspn(s, "*&"), fields, suffix;
	struct expr *e;

	n += lex_base(s + n, !p->ranges);
	if (n == 4 && lex_starts(s, "true"))
		return parse_word(p, n, VALUE_IS_BOOL, 1);
	if (n == 5 && lex_starts(s, "false"))
		return parse_word(p, n, VALUE_IS_BOOL, 0);
	if ((n == 4 && !strncmp(s, "NULL", n)) || (n == 7 && !strncmp(s, "nullptr", n)))
		return parse_word(p, n, VALUE_IS_INT, 0);
	e = node(p, EXPR_NAME, p->pos);
	if (!e)
		return NULL;
	fields = lex_fields(s + n, true);
	suffix = lex_suffix(s + n + fields);
	e->name = strndup(s, n + fields + suffix);
	if (e->name)
		name_put_dots(e->name, n + fields);
	p->pos += n + fields + suffix;
	if (e->name && p->text[p->pos] == '@') {
		p->pos++;
		expected(p, "a number or file:line after '@'");
		found(p, ERR_SYNTAX, '@');
		goto fail;
	}
	if (!e->name)
		err_set(p->err, "out of memory");
	if (e->name && !parse_rest(p, e, count_fields(s + n, fields)))
		return parse_many(p, ended(p, e));
fail:
	expr_destroy(e);
	return NULL;
}

/* `row[0]`: an object that is registered under a name with an index. */
static struct expr *parse_quoted(struct parser *p)
{
	const char *s = p->text + p->pos + 1;
	size_t n = strcspn(s, "`"), suffix;
	struct expr *e;

	if (!n || !s[n]) {
		p->pos += 1 + n;
		return expected(p, n ? "'`' behind the name" : "the name of an object");
	}
	e = node(p, EXPR_NAME, p->pos);
	if (!e)
		return NULL;
	suffix = lex_suffix(s + n + 1);
	e->name = malloc(n + suffix + 1);
	if (!e->name) {
		err_set(p->err, "out of memory");
		expr_destroy(e);
		return NULL;
	}
	memcpy(e->name, s, n);
	memcpy(e->name + n, s + n + 1, suffix);
	e->name[n + suffix] = '\0';
	name_put_dots(e->name, n);
	p->pos += n + suffix + 2;
	if (!parse_rest(p, e, 0))
		return ended(p, e);
	expr_destroy(e);
	return NULL;
}

/* ---- what the types of the program decide ---- */

/* "[3].x@4" behind what is no name; takes e over. */
static struct expr *parse_parts(struct parser *p, struct expr *e)
{
	while (e) {
		const char *s = p->text + p->pos;
		size_t n = lex_fields(s, false);

		if (*s == '[') {
			e = typed(p, "[", p->pos, e);
			if (e && parse_section(p, e)) {
				expr_destroy(e);
				return NULL;
			}
			ended(p, e);
			if (e)
				p->pos = e->end;
		} else if (n) {
			e = named(p, typed(p, ".", p->pos, e), n);
		} else if (*s == '@' && isdigit((unsigned char)s[1])) {
			e = typed(p, "@", p->pos, e);
			p->pos++;
			e = named(p, e, strspn(s + 1, "0123456789"));
		} else {
			break;
		}
	}
	return e;
}

/* A name may stand behind these stars, and is known with them. */
static bool is_plain_prefix(struct parser *p)
{
	const char *s = p->text + p->pos;
	size_t n = strspn(s, "*&"), base = lex_base(s + n, !p->ranges);

	if (!base || memchr(s + 1, '&', n - 1))
		return false;
	base += n;
	base += lex_fields(s + base, false);
	return *s == '&' || s[base + strspn(s + base, " ")] != '(';
}

static struct expr *operand_of(struct parser *p, struct expr *e)
{
	if (!e)
		return NULL;
	e->a = ++p->depth > DEPTH_MAX ? NULL : parse_unary(p);
	if (p->depth > DEPTH_MAX)
		err_set(p->err, "column %zu: the expression is nested too deeply", p->pos + 1);
	p->depth--;
	if (e->a)
		return ended(p, e);
	expr_destroy(e);
	return NULL;
}

/* "&(…)", "*(…)", "(struct p *)x"; *is: it is one of these. */
static struct expr *parse_typed(struct parser *p, bool *is)
{
	char c = peek(p);
	size_t n = lex_cast(p->text + p->pos), column = p->pos;
	struct expr *e;

	*is = n || ((c == '*' || c == '&') && !is_plain_prefix(p));
	if (!*is)
		return NULL;
	if (!n) {
		p->pos++;
		return operand_of(p, typed(p, c == '*' ? "*" : "&", column, NULL));
	}
	p->pos++;
	e = named(p, typed(p, "cast", column, NULL), n - 2);
	p->pos++;
	return operand_of(p, e);
}

/* sizeof (struct p), sizeof (int *), sizeof x; *is as above. */
static struct expr *parse_sizeof(struct parser *p, bool *is)
{
	size_t n = strlen("sizeof"), column = p->pos, length;
	const char *s = p->text + p->pos;
	struct expr *e;
	unsigned stars;
	enum lex_type kind;

	*is = !strncmp(s, "sizeof", n) && !lex_is_word(s[n]);
	if (!*is)
		return NULL;
	n += strspn(s + n, " ");
	kind = s[n] == '(' ? lex_type(s + n + 1, &length, &stars) : LEX_NO_TYPE;
	if (kind && s[n + 1 + length] == ')' && (kind != LEX_NAMED_TYPE || stars)) {
		p->pos += n + 1;
		e = named(p, typed(p, "sizeof", column, NULL), length);
		p->pos++;
		return ended(p, e);
	}
	*is = s[n] != '(' && (lex_is_name(s + n, !p->ranges) || (s[n] && strchr("*&", s[n])));
	if (!*is)
		return NULL;
	p->pos += n;
	return operand_of(p, typed(p, "sizeof", column, NULL));
}

/* "abc" or 'abc'. */
static struct expr *parse_text(struct parser *p)
{
	const char *s = p->text + p->pos;
	size_t n = 1;

	while (s[n] && s[n] != *s)
		n += s[n] == '\\' && s[n + 1] ? 2 : 1;
	if (s[n])
		return named(p, node(p, EXPR_TEXT, p->pos), n + 1);
	p->pos += n;
	return expected(p, "a quote behind the text");
}

/* "(e)", and "(re, im)". */
static struct expr *parse_group(struct parser *p)
{
	size_t column = p->pos;
	bool ranges = p->ranges;
	struct expr *e, *pair;

	p->pos++;
	p->ranges = false;
	e = parse_any(p);
	if (e && take(p, ',')) {
		pair = node(p, EXPR_BINARY, column);
		if (pair) {
			pair->op = "cmplx";
			pair->a = e;
			pair->b = parse_any(p);
		} else {
			expr_destroy(e);
		}
		e = pair;
		if (e && !e->b) {
			expr_destroy(e);
			e = NULL;
		}
	}
	p->ranges = ranges;
	if (!e)
		return NULL;
	if (!take(p, ')')) {
		expr_destroy(e);
		return expected(p, "an operator or ')'");
	}
	e->from = column;
	e->bracketed = true;
	return parse_parts(p, ended(p, e));
}

/* "static_cast<int>(x)" is "(int)(x)". */
static struct expr *parse_cxx_cast(struct parser *p, size_t length)
{
	const char *s = p->text + p->pos, *op = NULL;
	size_t n = strcspn(s, "<") + 1, column = p->pos;
	char type[64];
	struct expr *e;

	snprintf(type, sizeof type, "(%.*s)x", (int)(length - n - 1), s + n);
	e = lex_unary(type, &op) ? node(p, EXPR_UNARY, column) : typed(p, "cast", column, NULL);
	p->pos += n;
	e = op ? e : named(p, e, length - n - 1);
	p->pos = column + length + 1;
	if (e) {
		e->op = op ? op : e->op;
		e->a = parse_any(p);
	}
	if (e && e->a && take(p, ')'))
		return parse_parts(p, ended(p, e));
	if (e && e->a)
		expected(p, "')'");
	expr_destroy(e);
	return NULL;
}

static struct expr *parse_operand(struct parser *p)
{
	const char *s = (peek(p), p->text + p->pos);
	unsigned bytes = 0;
	struct expr *e;
	size_t length;
	bool is;

	if (lex_starts(s, ".true."))
		return parse_word(p, strlen(".true."), VALUE_IS_BOOL, 1);
	if (lex_starts(s, ".false."))
		return parse_word(p, strlen(".false."), VALUE_IS_BOOL, 0);
	if (isdigit((unsigned char)*s) || (*s == '.' && isdigit((unsigned char)s[1])))
		return parse_number(p);
	length = lex_sizeof(s, &bytes);
	if (length && (e = node(p, EXPR_NUMBER, p->pos))) {
		e->number = (struct value){ .class = VALUE_IS_UINT, .i = bytes };
		p->pos += length;
	}
	if (length)
		return ended(p, e);
	e = parse_sizeof(p, &is);
	if (is)
		return e;
	length = lex_cxx_cast(s);
	if (length)
		return parse_cxx_cast(p, length);
	if (lex_is_name(s, !p->ranges))
		return parse_name(p);
	if (*s == '`')
		return parse_quoted(p);
	if (*s == '"' || *s == '\'')
		return parse_text(p);
	return *s == '(' ? parse_group(p) : expected(p, "a number, a name or '('");
}

/* e, or e ** what follows, which is done from the right: 2 ** 3 ** 2 is 512. Takes e over. */
static struct expr *parse_power(struct parser *p, struct expr *e)
{
	struct expr *power;

	if (!e || (peek(p), !lex_starts(p->text + p->pos, "**")))
		return e;
	power = ++p->depth > DEPTH_MAX ? NULL : node(p, EXPR_BINARY, p->pos);
	if (p->depth > DEPTH_MAX)
		err_set(p->err, "column %zu: the expression is nested too deeply", p->pos + 1);
	if (!power) {
		expr_destroy(e);
		return NULL;
	}
	p->pos += 2;
	power->op = "**";
	power->a = e;
	power->b = parse_unary(p);
	power->from = e->from;
	p->depth--;
	if (power->b)
		return ended(p, power);
	expr_destroy(power);
	return NULL;
}

static struct expr *parse_unary(struct parser *p)
{
	const char *op = NULL;
	struct expr *e, *a;
	size_t length = (peek(p), lex_unary(p->text + p->pos, &op));
	bool is = false;

	e = length ? NULL : parse_typed(p, &is);
	if (!length)
		return parse_power(p, is ? e : parse_operand(p));
	if (++p->depth > DEPTH_MAX) {
		err_set(p->err, "column %zu: the expression is nested too deeply", p->pos + 1);
		return NULL;
	}
	e = node(p, EXPR_UNARY, p->pos);
	p->pos += length;
	a = e ? parse_unary(p) : NULL;
	p->depth--;
	if (!a) {
		expr_destroy(e);
		return NULL;
	}
	e->op = op;
	e->a = a;
	return ended(p, e);
}

/* Precedence climbing: operators of the level and tighter ones. */
static struct expr *climb(struct parser *p, int level)
{
	struct expr *a = parse_unary(p), *e;
	const char *op;
	size_t length;
	int own;

	while (a && (peek(p), length = lex_binary(p->text + p->pos, &op, &own)) && own >= level) {
		e = node(p, EXPR_BINARY, p->pos);
		p->pos += length;
		if (e) {
			e->op = op;
			e->a = a;
			e->from = a->from;
			e->b = parse_binary(p, own + 1);
			ended(p, e);
		} else {
			expr_destroy(a);
		}
		if (e && !e->b) {
			expr_destroy(e);
			e = NULL;
		}
		a = e;
	}
	return a;
}

static struct expr *parse_binary(struct parser *p, int level)
{
	struct expr *e;

	if (++p->depth > DEPTH_MAX) {
		err_set(p->err, "column %zu: the expression is nested too deeply", p->pos + 1);
		return NULL;
	}
	e = climb(p, level);
	p->depth--;
	return e;
}

/* The two of "c ? a : b", in one node; takes a over. */
static struct expr *parse_choices(struct parser *p, struct expr *a)
{
	struct expr *e = a ? node(p, EXPR_BINARY, p->pos) : NULL;

	if (!e) {
		expr_destroy(a);
		return NULL;
	}
	e->op = ":";
	e->a = a;
	e->from = a->from;
	if (!take(p, ':'))
		expected(p, "an operator or ':'");
	else
		e->b = parse_any(p);
	if (e->b)
		return ended(p, e);
	expr_destroy(e);
	return NULL;
}

/* An expression, or "c ? a : b" of three. */
static struct expr *parse_any(struct parser *p)
{
	struct expr *c = parse_binary(p, 1), *e;

	if (!c || peek(p) != '?')
		return c;
	e = ++p->depth > DEPTH_MAX ? NULL : node(p, EXPR_BINARY, p->pos);
	if (p->depth > DEPTH_MAX)
		err_set(p->err, "column %zu: the expression is nested too deeply", p->pos + 1);
	if (e) {
		p->pos++;
		e->op = "?";
		e->a = c;
		e->from = c->from;
		e->b = parse_choices(p, parse_any(p));
		ended(p, e);
	} else {
		expr_destroy(c);
	}
	p->depth--;
	if (!e || e->b)
		return e;
	expr_destroy(e);
	return NULL;
}

struct expr *expr_parse(const char *text, struct err *err)
{
	struct parser p = { .text = strdup(text), .err = err };
	struct expr *e;

	if (!p.text) {
		err_set(err, "out of memory");
		return NULL;
	}
	e = parse_any(&p);
	if (e && !peek(&p)) {
		e->root = true;
		return e;
	}
	expr_destroy(e);
	if (e) {
		expected(&p, "an operator or the end");
		found(&p, ERR_END, peek(&p));
	}
	free((char *)p.text);
	return NULL;
}
