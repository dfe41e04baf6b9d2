/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What gfortran calls to read and write items of I/O statements: libgfortran has no hooks, so these
 * report what it reads of the program's memory, and what it writes there. Parameters are those of
 * gcc 8 to 14 (libgfortran/io/transfer.c), the descriptor that of libgfortran.h.
 */
#include <stdbool.h>
#include <stddef.h>

#include "runtime/hooks/gate.h"

#define WRAP(name, ...)                            \
	void __real_##name(__VA_ARGS__);           \
	STANDS_IN void __wrap_##name(__VA_ARGS__); \
	void __wrap_##name(__VA_ARGS__)

#define RANK 15

struct descriptor {
	char *base;
	size_t offset;
	struct {
		size_t bytes; /* of an element */
		int version;
		signed char rank, type;
		short attribute;
	} type;
	ptrdiff_t span;
	struct {
		ptrdiff_t stride, lower, upper;
	} dim[RANK];
};

/* Of a number of that kind; the kind of 10 bytes takes 16. */
static size_t bytes_of(int kind)
{
	return kind == 10 ? 16 : (size_t)kind;
}

/* All elements, those of the first dimension together when nothing is between them. */
static void report_array(const struct descriptor *d, unsigned flags, const void *pc)
{
	ptrdiff_t at[RANK] = { 0 }, n[RANK], offset;
	unsigned rank = d->type.rank > 0 && d->type.rank <= RANK ? (unsigned)d->type.rank : 0, k;
	bool row;

	for (k = 0; k < rank; k++) {
		n[k] = d->dim[k].upper - d->dim[k].lower + 1;
		if (n[k] <= 0)
			return;
	}
	row = rank && d->dim[0].stride == 1;
	do {
		offset = 0;
		for (k = 0; k < rank; k++)
			offset += at[k] * d->dim[k].stride;
		report_range(d->base + offset * (ptrdiff_t)d->type.bytes,
			     d->type.bytes * (row ? (size_t)n[0] : 1), flags, pc);
		for (k = row; k < rank && ++at[k] == n[k]; k++)
			at[k] = 0;
	} while (k < rank);
}

#define NUMBERS(type, parts)                                                 \
	WRAP(_gfortran_transfer_##type##_write, void *dt, void *p, int kind) \
	{                                                                    \
		report_range(p, (parts)*bytes_of(kind), 0, CALLER);          \
		__real__gfortran_transfer_##type##_write(dt, p, kind);       \
	}                                                                    \
	WRAP(_gfortran_transfer_##type, void *dt, void *p, int kind)         \
	{                                                                    \
		report_range(p, (parts)*bytes_of(kind), HOOK_WRITE, CALLER); \
		__real__gfortran_transfer_##type(dt, p, kind);               \
	}
NUMBERS(integer, 1)
NUMBERS(logical, 1)
NUMBERS(real, 1)
NUMBERS(complex, 2)

WRAP(_gfortran_transfer_character_write, void *dt, void *p, size_t n)
{
	report_range(p, n, 0, CALLER);
	__real__gfortran_transfer_character_write(dt, p, n);
}

WRAP(_gfortran_transfer_character, void *dt, void *p, size_t n)
{
	report_range(p, n, HOOK_WRITE, CALLER);
	__real__gfortran_transfer_character(dt, p, n);
}

WRAP(_gfortran_transfer_array_write, void *dt, struct descriptor *d, int kind, size_t length)
{
	if (gate_is_open())
		report_array(d, 0, CALLER);
	__real__gfortran_transfer_array_write(dt, d, kind, length);
}

WRAP(_gfortran_transfer_array, void *dt, struct descriptor *d, int kind, size_t length)
{
	if (gate_is_open())
		report_array(d, HOOK_WRITE, CALLER);
	__real__gfortran_transfer_array(dt, d, kind, length);
}
