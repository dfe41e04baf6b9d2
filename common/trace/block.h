/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of decodable blocks: the tables of a block that is being made, and its content, which is
 * what a file keeps. Only trace_*.c need this.
 */
#ifndef DVMDBG_COMMON_TRACE_BLOCK_H
#define DVMDBG_COMMON_TRACE_BLOCK_H

#include "common/core/codec.h"
#include "common/trace/decode.h"

#define TRACE_CONTENT_MOST (512u << 20) /* bytes of a block's content */

/* Entries of the tables; positions are below the counts that are given, or TRACE_NONE. */
void trace_module_code(struct codec *c, struct trace_module *m);
/* Without the module, whose position is separate. */
void trace_site_code(struct codec *c, struct trace_site *s, uint32_t *module, uint32_t nmodule);
void trace_object_code(struct codec *c, struct trace_object *o, uint32_t nsite);
void trace_slot_code(struct codec *c, struct trace_slot *s, uint32_t nsite, uint32_t nobject);
void trace_frame_code(struct codec *c, struct trace_frame *f, uint32_t nplace);

struct trace_tables;

/* NULL: no memory. The resolver has to stay. */
struct trace_tables *trace_tables_create(const struct trace_resolver *r);
void trace_tables_destroy(struct trace_tables *t);
/*
 * The positions of what the program's numbers mean, which are asked for when they are new.
 * TRACE_NONE when memory is gone: trace_tables_content fails then.
 */
uint32_t trace_tables_site(struct trace_tables *t, uint64_t pc);
uint32_t trace_tables_object(struct trace_tables *t, uint32_t version);
uint32_t trace_tables_place(struct trace_tables *t, uint32_t place);
/* All modules that the resolver knows. */
void trace_tables_modules(struct trace_tables *t);
/* Appends a frame of the beginning; its place is a position already. */
void trace_tables_frame(struct trace_tables *t, const struct trace_frame *f);
/* The content of the whole block, *n bytes from malloc; NULL: no memory. */
unsigned char *trace_tables_content(struct trace_tables *t, const struct trace_slot *slot,
				    uint32_t nslot, const struct trace_col col[TRACE_COLS],
				    size_t *n);

#endif
