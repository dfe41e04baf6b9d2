/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exception of C++ that ends the program: its type, and what those of the standard library say.
 * Nothing of the program is called. Places: Itanium C++ ABI, exception handling, 2.2.1 and 2.2.2.
 */
#include "runtime/stop/internal.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define GNU_CLASS UINT64_C(0x474e5543432b2b00) /* "GNUCC++", of one that is its own */
#define DEEP 16				       /* classes that are derived from one another */

struct type_info {
	const void *const *functions;
	const char *name;	      /* a "*" in front: of one file alone */
	const struct type_info *base; /* where functions are those of a class with one base */
};
struct thrown {
	const void *words[10];
	struct {
		uint64_t class, more[3];
	} header;
};
struct globals {
	const struct thrown *caught;
	unsigned uncaught;
};
/* What is derived from std::runtime_error and std::logic_error begins like this. */
struct said {
	const void *const *functions;
	const char *text;
};

static const struct type_info *(*current)(void);
static const struct globals *(*globals)(void);
static const void *const *derived; /* functions of a type_info with one base */

void thrown_find(void)
{
	if (current)
		return;
	globals = (const struct globals *(*)(void))dlsym(RTLD_DEFAULT, "__cxa_get_globals");
	derived = dlsym(RTLD_DEFAULT, "_ZTVN10__cxxabiv120__si_class_type_infoE");
	current = (const struct type_info *(*)(void))dlsym(RTLD_DEFAULT,
							   "__cxa_current_exception_type");
}

static const char *name_of(const struct type_info *t)
{
	return t->name + (*t->name == '*');
}

static bool has_text(const struct type_info *t)
{
	for (unsigned i = 0; i < DEEP && t; i++) {
		if (!strcmp(name_of(t), "St13runtime_error") ||
		    !strcmp(name_of(t), "St11logic_error"))
			return true;
		t = derived && t->functions == derived + 2 ? t->base : NULL;
	}
	return false;
}

void thrown_words(char *out, size_t size)
{
	const struct type_info *t = current ? current() : NULL;
	const struct thrown *x = t && globals ? globals()->caught : NULL;
	const char *text = NULL;

	if (!t)
		return;
	if (x && x->header.class == GNU_CLASS && has_text(t))
		text = ((const struct said *)(x + 1))->text;
	/* the front end makes the type's name of it */
	snprintf(out, size, "uncaught exception _ZTI%s%s%s", name_of(t), text ? ": " : "",
		 text ? text : "");
}
