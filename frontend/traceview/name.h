/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of memory that nobody registered, in traces: variables by the debug information of the
 * program and libraries that were loaded, and as they were built then.
 */
#ifndef DVMDBG_FRONTEND_TRACE_NAME_H
#define DVMDBG_FRONTEND_TRACE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/trace/decode.h"
#include "frontend/symbols/data.h"

struct err;
struct symbols;
struct trace_index;
struct trace_spot;

/*
 * "grid.cell[3].t" of an address that is known as that of a module; "heat+0x4010" when no variable
 * is there, or the file has been built again since. size: bytes of the access. NULL: it is in no
 * module. Else returns text, and in *out (may be NULL) what is known, its type VALUE_TYPES when
 * that is nothing.
 */
const char *trace_spot_name(struct symbols *s, const struct trace_spot *p, unsigned size,
			    struct symbol_data *out, char *text, size_t room);
/* The same of an access of the block to no object. */
const char *trace_access_name(struct symbols *s, const struct trace_block *b,
			      const struct trace_rec *r, struct symbol_data *out, char *text,
			      size_t room);

/* Addresses that a variable, or an element of it, has in the process of a block. */
struct trace_range {
	uint64_t at, size;
};
/* Those of the text, at most n of them, as several modules may have the name. Returns how many. */
unsigned trace_name_ranges(struct symbols *s, const struct trace_block *b, const char *text,
			   struct trace_range *range, unsigned n);

/*
 * The variable of that name in a module that the traces know: 1, with the module's path (owned by
 * the reference's maps no longer than *hold, which is to be freed with trace_block_free); 0: there
 * is none; -1: err says why it is not that.
 */
int trace_name_find(struct symbols *s, const struct trace_index *ref, const char *text,
		    struct symbol_data *out, const char **module, struct trace_block **hold,
		    struct err *err);

#endif
