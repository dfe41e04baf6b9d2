/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Arrays in a module's own memory: how they are registered against how the debug information
 * declares them, whatever pointer was given.
 */
#include "frontend/session/session.h"

#include <stdio.h>
#include <string.h>

#include "common/array/value.h"
#include "common/protocol/finding_kind.h"
#include "frontend/symbols/symbols.h"

struct stored {
	unsigned type;
	unsigned long long bytes;
	char place[128], name[65];
};

static bool is_number(unsigned type)
{
	return type < VALUE_TYPES && type != VALUE_POINTER && value_class(type) != VALUE_IS_BOOL;
}

static bool is_real(unsigned type)
{
	return value_class(type) == VALUE_IS_REAL || value_class(type) == VALUE_IS_COMPLEX;
}

/* Numbers of the same bytes and kind, parts of complex ones, and bytes, which hold anything. */
static bool suits(unsigned declared, unsigned type)
{
	return value_size(declared) == 1 || value_size(type) == 1 ||
	       (is_real(declared) && is_real(type) &&
		(declared == VALUE_FLOAT || declared == VALUE_FCOMPLEX) ==
			(type == VALUE_FLOAT || type == VALUE_FCOMPLEX)) ||
	       (is_real(declared) == is_real(type) && value_size(declared) == value_size(type));
}

/*
 * Whether all of the variable is registered, from its beginning: of larger ones a part may be lent
 * to numbers of another type.
 */
static bool is_whole(const struct stored *x, const struct symbol_data *d, struct symbols *s,
		     const char *module, const char *text, uint64_t vaddr)
{
	char variable[512];
	struct symbol_data all;

	snprintf(variable, sizeof(variable), "%s", text);
	while (variable[0] && variable[strlen(variable) - 1] == ']')
		*strrchr(variable, '[') = 0;
	return symbols_data_find(s, module, variable, &all, NULL) == 1 && all.vaddr == vaddr &&
	       value_size(d->type) &&
	       x->bytes / value_size(x->type) == all.size / value_size(d->type);
}

bool session_stored_wrong(struct symbols *s, const struct report_finding *f, char *place,
			  size_t placesize, char *detail, size_t size)
{
	struct stored x;
	struct symbol_data d;
	char text[512], at[160] = "";
	const char *base;

	if (!f->detail || sscanf(f->detail, "%u %llu %127s %64[^\n]", &x.type, &x.bytes, x.place,
				 x.name) != 4 ||
	    !is_number(x.type) ||
	    !symbols_data_at(s, f->place.module, f->place.vaddr, 0, NULL, &d, text, sizeof(text)))
		return false;
	if (d.type == VALUE_POINTER ? !is_real(x.type)
				    : !is_number(d.type) || suits(d.type, x.type) ||
					      (!(is_real(d.type) && is_real(x.type) &&
						 value_size(x.type) > value_size(d.type)) &&
					       !is_whole(&x, &d, s, f->place.module, text,
							 f->place.vaddr)))
		return false;
	base = d.file ? strrchr(d.file, '/') : NULL;
	if (d.file)
		snprintf(at, sizeof(at), ", %s:%u", base ? base + 1 : d.file, d.line);
	snprintf(place, placesize, "%s", x.place);
	if (d.type == VALUE_POINTER)
		snprintf(detail, size,
			 "%s: its elements are pointers to rows, and not numbers, as the debug "
			 "information has it (%s%s): register the block of numbers, or each row",
			 x.name, text, at);
	else
		snprintf(detail, size,
			 "%s: its elements are %s, as the debug information has it (%s%s), and "
			 "the registration says %s: give the pointer and .type their type",
			 x.name, value_type_name(d.type), text, at, value_type_name(x.type));
	return true;
}
