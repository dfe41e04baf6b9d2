/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of C++ as they are written. The library of the programs that have such names knows how, and
 * is where they run; it is loaded when the first is met.
 */
#include "frontend/native/internal.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/util/xalloc.h"

#define STRING "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"

typedef char *(*demangler)(const char *name, char *buf, size_t *size, int *status);

static demangler find(void)
{
	static demangler found;
	static bool looked;
	void *library;

	if (looked)
		return found;
	looked = true;
	library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
	if (library)
		found = (demangler)dlsym(library, "__cxa_demangle");
	return found;
}

/* Without what stands in the last brackets: the types of its arguments. */
static void cut_arguments(char *name)
{
	char *end = strrchr(name, ')');
	int depth = 0;

	for (char *p = end; p && p > name; p--) {
		depth += *p == ')';
		depth -= *p == '(';
		if (!depth) {
			*p = '\0';
			return;
		}
	}
}

char *native_demangle(const char *symbol)
{
	demangler demangle = strncmp(symbol, "_Z", 2) ? NULL : find();
	char *found = demangle ? demangle(symbol, NULL, NULL, NULL) : NULL, *name = NULL, *at;

	if (!found)
		return NULL;
	cut_arguments(found);
	while ((at = strstr(found, STRING))) {
		memcpy(at, "std::string", 11);
		memmove(at + 11, at + strlen(STRING), strlen(at + strlen(STRING)) + 1);
	}
	name = xstrdup(found);
	free(found);
	return name;
}

char *native_thrown(const char *message)
{
	static const char front[] = "uncaught exception ", of[] = "typeinfo for ";
	const char *symbol = message + sizeof(front) - 1;
	char *name, *type, *text = NULL;
	size_t n;

	if (strncmp(message, front, sizeof(front) - 1))
		return NULL;
	n = strcspn(symbol, ":");
	type = xstrndup(symbol, n);
	name = native_demangle(type);
	if (name && !strncmp(name, of, sizeof(of) - 1))
		text = xasprintf("%s%s%s", front, name + sizeof(of) - 1, symbol + n);
	free(name);
	free(type);
	return text;
}
