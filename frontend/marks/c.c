/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marks in the words of dvmdbg.h. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/marks/internal.h"
#include "frontend/util/xalloc.h"

/* The line behind the last #include, or the first one. */
static uint32_t include_line(const struct source *s)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		const char *c = s->line[i] + strspn(s->line[i], " \t");

		if (*c == '#' && !strncmp(c + 1 + strspn(c + 1, " \t"), "include", 7))
			last = i + 1;
	}
	return last + 1;
}

/* What objects of C++ lead to their elements by, as the debug information has it, and by what the
 * source does. */
static const struct {
	const char *member, *call;
} objects[] = {
	{ "._M_impl._M_start", ".data()" },	   /* std::vector */
	{ "._M_t._M_t._M_head_impl", ".get()" }, /* std::unique_ptr */
};

#define OBJECTS (sizeof(objects) / sizeof(objects[0]))

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The text with other words for each place of some; the old text is gone. */
static char *replaced(char *text, const char *words, const char *by)
{
	char *out;
	size_t size, n = strlen(words);
	FILE *f = xmemstream(&out, &size);
	const char *c = text;

	for (const char *at; (at = strstr(c, words)); c = at + n) {
		/* not the end of another name, nor the beginning */
		bool whole = !(in_word(*words) && at > text &&
			       (in_word(at[-1]) || strchr(".>", at[-1]))) &&
			     !(in_word(words[n - 1]) && in_word(at[n]));

		fprintf(f, "%.*s%s", (int)(at - c), c, whole ? by : words);
	}
	fputs(c, f);
	xmemstream_close(f);
	free(text);
	return out;
}

char *mark_plain(const char *text)
{
	char *plain = xstrdup(text);

	for (size_t i = 0; i < OBJECTS; i++)
		plain = replaced(plain, objects[i].member, "");
	return replaced(plain, "._M_elems[", "[");
}

/* The elements of an object in C++; NULL: it is none of the library's. */
static char *elements_of(const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < OBJECTS; i++) {
		size_t end = strlen(objects[i].member);

		if (n > end && !strcmp(name + n - end, objects[i].member))
			return xasprintf("%.*s%s", (int)(n - end), name, objects[i].call);
	}
	return NULL;
}

/* What the name is in C++: the object, or its elements. */
static char *in_cxx(const char *name, bool elements)
{
	char *text = elements ? elements_of(name) : NULL;

	return text ? text : mark_plain(name);
}

/* u[], whose rows are allocated one by one: its first element, or what has the first row. */
static char *rows(const char *name, bool elements)
{
	char *table = mark_registered(name);
	char *text = elements ? xasprintf("&%s[0][0]", table) : xasprintf("%s[0]", table);

	free(table);
	return text;
}

/* elements: their address, not the variable that leads there. */
static void put_name(FILE *f, const char *before, const char *name, bool elements)
{
	unsigned n;
	char *plain = mark_plain(name), *first = mark_element(plain, &n);
	char *text = mark_rows(name) ? rows(name, elements)
		     : first ? xasprintf("%s%s%s", elements ? "&" : "", first,
				       strchr(mark_member(plain), '.'))
			   : in_cxx(name, elements);

	fprintf(f, "%s%s", before, text);
	free(plain);
	free(first);
	free(text);
}

static void names(FILE *f, const char *what, const struct mark_names *n)
{
	if (!n->n)
		return;
	fputs(what, f);
	for (uint32_t i = 0; i < n->n; i++)
		put_name(f, i ? ", " : "", n->name[i], true);
	fputs(" }", f);
}

static void ranges(FILE *f, const char *what, const struct mark *m)
{
	if (!m->from.n)
		return;
	fputs(what, f);
	for (uint32_t i = 0; i < m->from.n; i++)
		fprintf(f, "%s{ %s, %s }", i ? ", " : "", m->from.name[i], m->to.name[i]);
	fputs(" }", f);
}

/* Elements, or members of structures, of an array that is declared with n dimensions: in each they
 * are as far apart as it says. */
static void strides(FILE *f, const char *first, unsigned n, const char *member)
{
	size_t end = strlen(first) - n * strlen("[0]");

	for (unsigned d = 0; d < n; d++)
		fprintf(f, "%ssizeof(%.*s) / (sizeof(%s%s))", d ? ", " : ", .stride = { ",
			(int)(end + (d + 1) * strlen("[0]")), first, first, member);
	fputs(" }", f);
}

static void array(FILE *f, const struct mark *m)
{
	bool same = true, blocks = false;
	unsigned dims;
	char *plain = mark_plain(m->name), *first = mark_element(plain, &dims);
	const char *member = first ? strchr(mark_member(plain), '.') : NULL;

	if (mark_rows(m->name)) {
		char *table = mark_registered(m->name);

		fprintf(f, "DVMDBG_ROWS(%s", table);
		free(table);
	} else if (first)
		fprintf(f, "DVMDBG_MEMBER(%.*s, %s", (int)(strlen(first) - strlen("[0]")), first,
			member + 1);
	else
		put_name(f, "DVMDBG_ARRAY(", m->name, false);
	names(f, ", .shape = { ", &m->shape);
	names(f, ", .lower = { ", &m->lower);
	ranges(f, ", .own = { ", m);
	for (uint32_t i = 0; i < m->halo_lo.n; i++)
		same = same && !strcmp(m->halo_lo.name[i], m->halo_hi.name[i]);
	names(f, same ? ", .halo = { " : ", .halo_lo = { ", &m->halo_lo);
	if (!same)
		names(f, ", .halo_hi = { ", &m->halo_hi);
	if (dims > 1)
		strides(f, first, dims, member);
	free(plain);
	free(first);
	if (m->declared) {
		static const char brackets[] = "[0][0][0][0]";

		first = xasprintf("%s%.*s", m->name, (int)(m->declared * strlen("[0]")), brackets);
		strides(f, first, m->declared, "");
		free(first);
	}
	names(f, ", .periodic = { ", &m->periodic);
	names(f, ", .step = { ", &m->step);
	for (uint32_t i = 0; i < m->block.n; i++)
		blocks = blocks || (strcmp(m->block.name[i], "0") && strcmp(m->block.name[i], "1"));
	if (blocks)
		names(f, ", .block = { ", &m->block);
	if (m->copies.n)
		fprintf(f, ", .copies = %s, .copy = %s", m->copies.name[0], m->copy.name[0]);
	fputs(");", f);
}

/* The fields of a loop's mark, which are separated by commas. */
static char *loop(const struct mark *m)
{
	char *text, *cut;
	size_t size;
	FILE *f = xmemstream(&text, &size);

	if (m->name)
		put_name(f, ", .on = ", m->name, true);
	ranges(f, ", .range = { ", m);
	names(f, ", .writes = { ", &m->writes);
	names(f, ", .reads = { ", &m->reads);
	xmemstream_close(f);
	cut = xasprintf("DVMDBG_%s(%s)", m->kind == MARK_PARALLEL ? "PL" : "SL",
			*text ? text + 2 : "");
	free(text);
	return cut;
}

static char *text_of(const struct mark *m)
{
	char *text;
	size_t size;
	FILE *f = xmemstream(&text, &size);

	switch (m->kind) {
	case MARK_FUNCTION:
		fputs("DVMDBG_FUNCTION();", f);
		break;
	case MARK_REPLICATED:
		fprintf(f, "DVMDBG_REPLICATED(%s);", m->name);
		break;
	case MARK_ARRAY:
		array(f, m);
		break;
	case MARK_REDUCTION:
		fprintf(f, "DVMDBG_REDUCTION(%s, DVMDBG_", m->name);
		for (const char *c = m->operation; *c; c++)
			fputc(*c >= 'a' && *c <= 'z' ? *c - 32 : *c, f);
		fputs(");", f);
		break;
	case MARK_FORGET:
		put_name(f, "DVMDBG_FORGET(", m->name, false);
		fputs(");", f);
		break;
	case MARK_SKIP:
		fputs("DVMDBG_SKIP();", f);
		break;
	default:
		break;
	}
	xmemstream_close(f);
	return text;
}

/* Members that are private by what the class gives of them. */
static char *opened(const struct marks *all, char *text)
{
	text = replaced(text, "._M_t._M_t._M_head_impl->", "->");
	for (uint32_t i = 0; i < all->closed.n; i++) {
		char *by = replaced(xstrdup(all->open.name[i]), "._M_t._M_t._M_head_impl->", "->");
		bool element = strcmp(by + strlen(by) - 2, "()") != 0;
		char *closed = replaced(xstrdup(all->closed.name[i]), "._M_t._M_t._M_head_impl->",
					"->");
		char *at = in_cxx(closed, true), *object = in_cxx(closed, false), *from, *to;

		if (element) {
			from = xasprintf("DVMDBG_ARRAY(%s", object);
			to = xasprintf("DVMDBG_ELSEWHERE(%s, DVMDBG_TYPE_OF_OBJECT(%s)", by, by);
			text = replaced(text, from, to);
			free(from);
			free(to);
		}
		to = xasprintf("%s%s", element ? "&" : "", by);
		text = replaced(text, element ? at : object, to);
		free(to);
		free(object);
		free(at);
		free(closed);
		free(by);
	}
	text = replaced(text, "._M_t._M_t._M_head_impl)", ")");
	return replaced(text, "._M_elems[", "[");
}

/* A mark is not put into the source when it names what only the C++ library may. */
static void put(struct insertions *x, uint32_t before, bool inside, char *text)
{
	if (strstr(text, "._M_"))
		free(text);
	else
		insert(x, before, inside, text);
}

void mark_in_c(const struct marks *all, const struct mark *m, const struct source *s,
	       struct insertions *x)
{
	bool is_loop = m->kind == MARK_SEQUENTIAL || m->kind == MARK_PARALLEL;

	insert(x, include_line(s), false, xstrdup("#include \"dvmdbg.h\""));
	put(x, m->line, m->kind == MARK_FUNCTION,
	    opened(all, is_loop ? loop(m) : text_of(m)));
	if (is_loop && m->iteration.n) {
		char *text;
		size_t size;
		FILE *f = xmemstream(&text, &size);

		fputs(m->kind == MARK_PARALLEL ? "DVMDBG_PL_ITERATION(" : "DVMDBG_ITERATION(", f);
		for (uint32_t i = 0; i < m->iteration.n; i++)
			fprintf(f, "%s%s", i ? ", " : "", m->iteration.name[i]);
		fputs(");", f);
		xmemstream_close(f);
		put(x, m->iteration_line, true, opened(all, text));
	}
}
