/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C and C++, as the preprocessor leaves them, or before it: the mark of an iteration is at the
 * beginning of the innermost body, on the line that is there, so that lines stay. Calls by which
 * the program asks for its thread get names of their own, as gcc calls these functions itself, too.
 */
#include "runtime/loops/loops.h"

#include <ctype.h>
#include <string.h>

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static size_t behind_quoted(const struct text *t, size_t at, char quote)
{
	for (at++; at < t->len && t->data[at] != quote && t->data[at] != '\n'; at++)
		if (t->data[at] == '\\' && at + 1 < t->len)
			at++;
	return at < t->len ? at + 1 : t->len;
}

/* A raw string of C++: R"x( … )x". */
static size_t behind_raw(const struct text *t, size_t at)
{
	const char *open = memchr(t->data + at, '(', t->len - at), *p;
	size_t n;

	if (!open)
		return t->len;
	n = (size_t)(open - (t->data + at)) - 1;
	for (p = open; (p = memchr(p, ')', (size_t)(t->data + t->len - p))); p++)
		if (p + n + 1 < t->data + t->len && !memcmp(p + 1, t->data + at + 1, n) &&
		    p[n + 1] == '"')
			return (size_t)(p - t->data) + n + 2;
	return t->len;
}

/* To the end of the line, and of those that continue it. */
static size_t behind_line(const struct text *t, size_t at)
{
	const char *end = t->data + at - 1;

	do
		end = memchr(end + 1, '\n', (size_t)(t->data + t->len - end - 1));
	while (end && end > t->data && end[-1] == '\\');
	return end ? (size_t)(end - t->data) : t->len;
}

static size_t behind_comment(const struct text *t, size_t at)
{
	const char *end = strstr(t->data + at + 2, "*/");

	return end ? (size_t)(end - t->data) + 2 : t->len;
}

/* Behind the token there: a name, a number, a text, a space, a comment or another character. */
static size_t behind_token(const struct text *t, size_t at)
{
	const char *p = t->data;
	size_t from = at;

	if (p[at] == '/' && p[at + 1] == '/')
		return behind_line(t, at);
	if (p[at] == '/' && p[at + 1] == '*')
		return behind_comment(t, at);
	if (p[at] == '"' || p[at] == '\'')
		return behind_quoted(t, at, p[at]);
	if (!is_name(p[at]))
		return at + 1;
	/* a number of C++ may have quotes in it */
	while (is_name(p[at]) || (p[at] == '\'' && isdigit((unsigned char)p[from])))
		at++;
	if (p[at] == '"' && p[at - 1] == 'R' && at - from <= 3)
		return behind_raw(t, at);
	return at;
}

static bool is_token(const struct text *t, size_t at, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(t->data + at, word, n) && !is_name(t->data[at + n]) &&
	       (!at || !is_name(t->data[at - 1]));
}

/* Spaces, comments and lines of directives. */
static size_t skip(const struct text *t, size_t at)
{
	const char *p = t->data;

	for (;;) {
		while (isspace((unsigned char)p[at]))
			at++;
		if (p[at] == '/' && (p[at + 1] == '/' || p[at + 1] == '*'))
			at = behind_token(t, at);
		else if (p[at] == '#')
			at = behind_line(t, at);
		else
			return at;
	}
}

/* Behind what matches the bracket there; 0: nothing does. */
static size_t behind_bracket(const struct text *t, size_t at)
{
	int depth = 0;

	while (at < t->len) {
		size_t from = at;
		char c = t->data[at];

		at = c == '#' ? behind_line(t, at) : behind_token(t, at);
		if (at != from + 1)
			continue;
		depth += c == '(' || c == '{' || c == '[';
		depth -= c == ')' || c == '}' || c == ']';
		if (!depth)
			return at;
	}
	return 0;
}

#define DEEP 200u /* statements in each other */

/* Behind the statement, which is in so many others; 0: it is not understood. */
static size_t behind_statement(const struct text *t, size_t at, unsigned depth)
{
	static const char *const with[] = { "for", "while", "if", "switch" };
	bool is_if;

	at = skip(t, at);
	if (depth > DEEP)
		return 0;
	if (t->data[at] == '{')
		return behind_bracket(t, at);
	is_if = is_token(t, at, "if");
	for (unsigned i = 0; i < 4; i++) {
		if (!is_token(t, at, with[i]))
			continue;
		at = skip(t, at + strlen(with[i]));
		at = t->data[at] == '(' ? behind_bracket(t, at) : 0;
		at = at ? behind_statement(t, at, depth + 1) : 0;
		if (at && is_if && is_token(t, skip(t, at), "else"))
			return behind_statement(t, skip(t, at) + 4, depth + 1);
		return at;
	}
	if (is_token(t, at, "do"))
		return 0;
	while (at < t->len && t->data[at] != ';') {
		char c = t->data[at];

		at = c == '(' || c == '{' || c == '[' ? behind_bracket(t, at) : behind_token(t, at);
		if (!at)
			return 0;
	}
	return at < t->len ? at + 1 : 0;
}

/* Where the body of the innermost loop begins; 0: it is not understood. */
static size_t body_of(const struct text *t, size_t at, unsigned nest)
{
	for (unsigned i = 0; i < nest; i++) {
		while (i && t->data[at] == '{')
			at = skip(t, at + 1);
		if (!is_token(t, at, "for"))
			return 0;
		at = skip(t, at + 3);
		at = t->data[at] == '(' ? behind_bracket(t, at) : 0;
		if (!at)
			return 0;
		at = skip(t, at);
	}
	return at;
}

/* A directive for an ordered part. */
static bool has_ordered(const struct text *t, size_t from, size_t to)
{
	for (const char *p = t->data + from; (p = strstr(p, "ordered")) && p < t->data + to; p++)
		if (!is_name(p[-1]) && !is_name(p[7]))
			return true;
	return false;
}

/* Whether the text has that name there. */
static bool has_name(const struct text *t, size_t from, size_t to, const struct word *w)
{
	while (from < to) {
		size_t end = behind_token(t, from);

		if (end - from == w->n && !memcmp(t->data + from, w->p, w->n))
			return true;
		from = end;
	}
	return false;
}

/*
 * Calls for variables that have no value yet, each with a mark behind it; of a loop, whose heads
 * are in the text there, not for what that counts with. Objects of C++ may have values.
 */
static void fresh(const struct text *t, const struct directive *d, size_t from, size_t to, bool cxx,
		  char end, char *out, size_t room)
{
	size_t n = 0;

	*out = '\0';
	for (unsigned i = 0; i < d->nfresh && !t->plain; i++) {
		const struct word *w = &d->fresh[i];
		int more, len = (int)w->n;

		if (directive_gives(d, w) || has_name(t, from, to, w))
			continue;
		more = cxx ? snprintf(out + n, room - n,
				      "dvmdbg_private((void *)(__is_trivial(__typeof__(%.*s)) ? "
				      "&%.*s : 0), sizeof(%.*s), \"%.*s\")%c",
				      len, w->p, len, w->p, len, w->p, len, w->p, end)
			   : snprintf(out + n, room - n,
				      "dvmdbg_private((void *)&%.*s, sizeof(%.*s), \"%.*s\")%c",
				      len, w->p, len, w->p, len, w->p, end);
		if (more < 0 || (size_t)more >= room - n) {
			out[n] = '\0';
			return;
		}
		n += (size_t)more;
	}
}

#define CALLS 2000 /* characters of marks at a place */

/* The block behind the directive, of which it is not a loop. */
static void mark_block(struct text *t, size_t at, const struct directive *d, bool cxx)
{
	char calls[CALLS];
	size_t first = at;

	while (isspace((unsigned char)t->data[first]))
		first++;
	if (t->data[first] != '{' || d->parts)
		return;
	fresh(t, d, 0, 0, cxx, ';', calls, sizeof(calls));
	if (*calls)
		text_insert(t, first + 1, "%s", calls);
}

/* The loop behind the directive; alone: what is behind it is a statement of its own. */
static void mark_loop(struct text *t, size_t at, const struct directive *d, bool cxx, bool alone)
{
	size_t first = skip(t, at), end = behind_statement(t, first, 0);
	size_t body = body_of(t, first, d->nest);
	char call[200] = "dvmdbg_iteration_()", calls[CALLS] = "";

	if (!body || (d->simd && (!alone || !end || has_ordered(t, body, end))))
		return;
	if (d->simd)
		snprintf(call, sizeof(call), "dvmdbg_simd((%.*s)%s)",
			 d->nsafelen ? (int)d->nsafelen : 1, d->nsafelen ? d->safelen : "0",
			 d->reduces ? " | 1 << 30" : "");
	if (!d->simd)
		fresh(t, d, first, body, cxx, t->data[body] == '{' ? ';' : ',', calls,
		      sizeof(calls));
	if (t->data[body] == '{')
		text_insert(t, body + 1, "%s;%s", call, calls);
	else
		text_insert(t, body, "switch (%s,%s 0) default: ", call, calls);
	if (alone && end)
		text_insert(t, end, d->simd ? "dvmdbg_simd_end();" : "dvmdbg_loop_end_();");
}

static bool follows(const char *p, const char *word)
{
	return !strncmp(p, word, strlen(word)) && isspace((unsigned char)p[strlen(word)]);
}

/* A line of a directive; before: the last character of the program, 0: another directive. */
static size_t directive(struct text *t, size_t at, char before, bool cxx, bool *ours)
{
	size_t end = behind_line(t, at);
	const char *p = t->data + at + 1;
	struct directive d;

	*ours = false;
	while (*p == ' ' || *p == '\t')
		p++;
	if (!follows(p, "pragma"))
		return end;
	for (p += 6; *p == ' ' || *p == '\t'; p++)
		;
	if (!follows(p, "omp"))
		return end;
	*ours = true;
	if (directive_read(&d, p + 3, (size_t)(t->data + end - p - 3), false))
		mark_loop(t, end, &d, cxx,
			  !d.whole && (before == '{' || before == '}' || before == ';'));
	else if (d.nfresh)
		mark_block(t, end, &d, cxx);
	return end;
}

void c_marks(struct text *t, bool cxx, bool before_cpp)
{
	const char *linkage = cxx ? "\"C\" " : "";
	static const char *const asked[] = { "omp_get_thread_num", "omp_get_num_threads" };
	size_t at = 0, first = t->len;
	char before = ';';

	while (at < t->len) {
		char c = t->data[at];
		size_t to;
		bool ours = false;

		if (c == '#') {
			at = directive(t, at, before, cxx, &ours);
			before = ours ? '\0' : before;
			continue;
		}
		to = behind_token(t, at);
		for (unsigned i = 0; i < 2; i++)
			if (to - at == strlen(asked[i]) && is_token(t, at, asked[i]))
				text_insert(t, at, "dvmdbg_");
		if (!isspace((unsigned char)c) && (to == at + 1 || is_name(c) || c == '"')) {
			first = at < first ? at : first;
			before = c;
		}
		at = to;
	}
	if (t->n)
		text_insert(t, before_cpp ? 0 : first,
			    "extern %svoid dvmdbg_iteration_(void), dvmdbg_loop_end_(void), "
			    "dvmdbg_simd(int), dvmdbg_simd_end(void), "
			    "dvmdbg_private(void *, __typeof__(sizeof(0)), const char *);%s",
			    linkage, before_cpp ? "\n#line 1\n" : " ");
}
