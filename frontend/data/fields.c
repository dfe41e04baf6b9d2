/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/data/fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/data/fetch.h"
#include "frontend/util/xalloc.h"

bool fields_has(const struct fetch_objects *all, size_t i, const char *structures)
{
	const struct array_desc *d = &all->item[i].desc;
	char *name;
	bool has;

	if (i && !strcmp(d->name, all->item[i - 1].desc.name))
		return false;
	name = xstrndup(structures, strcspn(structures, "@"));
	has = array_name_in(d->name, name, d->order == 'F');
	free(name);
	return has;
}

char *fields_name(const struct array_desc *field, const char *structures)
{
	int own = (int)strcspn(structures, "@");
	size_t behind = array_name_structure(field->name) + 2 * array_name_dims(field->name);
	char *name = xasprintf("%.*s%s%s", own, structures, field->name + behind, structures + own);

	for (char *c = name + own; *c && *c != '@'; c++)
		*c = *c == '%' ? '.' : *c;
	return name;
}

/* What the fields of these structures are called, with commas between; false: there are none. */
static bool list_fields(const struct fetch_objects *all, const char *structures, bool whole,
			char *out, size_t size)
{
	size_t used = 0, own = whole ? 0 : strcspn(structures, "@") + 1;

	for (size_t i = 0; i < all->n && used < size; i++) {
		char *field;

		if (!fields_has(all, i, structures))
			continue;
		field = fields_name(&all->item[i].desc, structures);
		if (!whole)
			field[strcspn(field, "@")] = 0;
		used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "",
					 field + own);
		free(field);
	}
	return used;
}

int fields_unnamed(const struct fetch_objects *all, const char *name, struct err *err)
{
	char list[400];

	if (!list_fields(all, name, true, list, sizeof(list)))
		return 0;
	return err_set_code(err, ERR_FIELD, "%s is an array of structures: name a field, %s", name,
			    list);
}

int fields_unknown(const struct fetch_objects *all, const char *name, struct err *err)
{
	char *structures = xstrdup(name), list[400];
	int rc = 0;

	structures[strcspn(name, "@")] = 0;
	for (char *dot; !rc && (dot = strrchr(structures, '.'));) {
		*dot = 0;
		if (list_fields(all, structures, false, list, sizeof(list)))
			rc = err_set_code(err, ERR_FIELD,
					  "%s has no field '%.200s'; its fields: %s", structures,
					  name + (dot + 1 - structures), list);
	}
	free(structures);
	return rc;
}

void fields_whole(const struct array_desc *a, struct section *s)
{
	unsigned n = array_name_dims(a->name);

	if (n && s->ndim == n && a->ndim == n + 1 && n < ARRAY_DIMS)
		s->dim[s->ndim++] = (struct section_dim){ .all = true };
}

const char *fields_label(const struct array_desc *a, const char *name)
{
	return array_name_structure(a->name) && !strchr(name, '@') ? a->name : name;
}
