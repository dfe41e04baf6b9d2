/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that communicate, over several sources: by their names, where they are called. */
#include "frontend/scan/internal.h"

#include <ctype.h>
#include <string.h>

#include "common/core/hash.h"
#include "frontend/util/xalloc.h"

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static uint64_t key_of(const char *name, size_t n)
{
	return hash_bytes(HASH_START, name, n);
}

static bool is_known(const struct hash *names, const char *name, size_t n)
{
	uint32_t at = 0, i;

	return hash_next(names, key_of(name, n), &at, &i);
}

/* One of the names stands in the text in front of a bracket, or, in Fortran, behind CALL. */
static bool calls_one(const struct scan *s, const char *from, const char *to,
		      const struct hash *names)
{
	for (const char *c = from; c < to; c++) {
		const char *end = c;

		while (end < to && is_name(*end))
			end++;
		if (end == c)
			continue;
		if (!isdigit((unsigned char)*c) && is_known(names, c, (size_t)(end - c)) &&
		    (end[strspn(end, " \t\r\n")] == '(' || (s->fortran && scan_fortran_call(s, c))))
			return true;
		c = end;
	}
	return false;
}

/* True: one more function of the source is known to communicate. */
static bool add_callers(struct scan *s, struct hash *names)
{
	bool more = false;

	for (uint32_t i = 0; i < s->nfunction; i++) {
		struct function *f = &s->function[i];

		if (f->mpi || !calls_one(s, f->body, f->end, names))
			continue;
		f->mpi = more = true;
		xalloc_check(hash_put(names, key_of(f->name, strlen(f->name)), i));
	}
	return more;
}

void scan_communicate(struct scan *const *s, uint32_t n)
{
	struct hash names = { 0 };
	bool more;

	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < s[k]->nfunction; i++)
			if (s[k]->function[i].mpi && strcmp(s[k]->function[i].name, "main"))
				xalloc_check(hash_put(&names,
						      key_of(s[k]->function[i].name,
							     strlen(s[k]->function[i].name)),
						      i));
	do {
		more = false;
		for (uint32_t k = 0; k < n; k++)
			more |= add_callers(s[k], &names);
	} while (more);
	for (uint32_t k = 0; k < n; k++) {
		for (uint32_t i = 0; i < s[k]->nloop; i++) {
			struct loop *l = &s[k]->loop[i];

			l->mpi = l->mpi || calls_one(s[k], l->body, l->end, &names);
		}
	}
	hash_clear(&names);
}
