/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How accesses of native traces are written in text. Only trace_text*.c need this.
 */
#ifndef DVMDBG_COMMON_TRACE_TEXT_NAME_H
#define DVMDBG_COMMON_TRACE_TEXT_NAME_H

#include "common/trace/decode.h"

#define TRACE_TEXT_VALUE 96

/* The enum value_type of what an access reads or writes: what was registered, or the likeliest. */
unsigned dvmtext_type(const struct trace_block *b, const struct trace_rec *r);
/* The number that the format has for a type, of the same class and not smaller. */
unsigned dvmtext_type_number(unsigned type);
/* That of the real and the imaginary part of a complex type. */
unsigned dvmtext_part(unsigned type);
/* " = 1.5", or "#NAN". Returns out. */
char *dvmtext_value(unsigned type, const void *bytes, char out[TRACE_TEXT_VALUE]);

#endif
