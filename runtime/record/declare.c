/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notes for dynamic control, where reads are recorded: what the program declares, memory that it
 * allocates, and what MPI writes and reads; events of OpenMP. common/trace/trace.h has their forms.
 */
#include "runtime/record/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/mpi_table.h"
#include "runtime/dvmdbg.h"

#define TEXT 400

/* As the thread, inside. */
static void put_text(struct tracer *t, const char *text)
{
	access_flush(t);
	if (tracer_ready(t) && t->want & TRACER_READS)
		TRACE_PUT(t, trace_enc_note(&t->enc, TRACE_NOTE_CONTROL, text));
}

static void put(const char *text)
{
	struct tracer *t = gate_active ? tracer_enter() : NULL;

	if (!t)
		return;
	put_text(t, text);
	tracer_leave(t);
}

/* Returns where the text ends. */
static size_t add_numbers(char *text, size_t at, const int64_t *number, unsigned n)
{
	for (unsigned i = 0; i < n && at < TEXT; i++)
		at += (size_t)snprintf(text + at, TEXT - at, " %" PRId64, number[i]);
	return at < TEXT ? at : TEXT - 1;
}

static void put_range(char kind, uint64_t addr, uint64_t bytes, uint64_t pc)
{
	char text[TEXT];

	if (pc)
		snprintf(text, sizeof(text), "%c %" PRIx64 " %" PRIu64 " %" PRIx64, kind, addr,
			 bytes, pc);
	else
		snprintf(text, sizeof(text), "%c %" PRIx64 " %" PRIu64, kind, addr, bytes);
	put(text);
}

void declare_range(char kind, uint64_t addr, uint64_t bytes, uint64_t pc)
{
	bool of_array = kind == 'C' || kind == 'H' || kind == 'h';
	uint64_t at[DVMDBG_FIELD_MOST];
	unsigned n = of_array && gate_active ? var_fields_at(addr, at, DVMDBG_FIELD_MOST) : 0;

	for (unsigned i = 0; i < n; i++)
		put_range(kind, at[i], bytes, pc);
	if (!n)
		put_range(kind, addr, bytes, pc);
}

static void put_across(uint64_t addr, unsigned n, const int64_t *both, uint64_t pc)
{
	char text[TEXT];
	size_t at = (size_t)snprintf(text, sizeof(text), "A %" PRIx64 " %u", addr, n);

	at = add_numbers(text, at, both, 2 * n);
	if (pc)
		snprintf(text + at, sizeof(text) - at, " %" PRIx64, pc);
	put(text);
}

void declare_across(uint64_t addr, unsigned n, const int64_t *below, const int64_t *above,
		    uint64_t pc)
{
	int64_t both[2 * ARRAY_DIMS];
	uint64_t at[DVMDBG_FIELD_MOST];
	unsigned fields = gate_active ? var_fields_at(addr, at, DVMDBG_FIELD_MOST) : 0;

	memcpy(both, below, n * sizeof(*below));
	memcpy(both + n, above, n * sizeof(*above));
	for (unsigned i = 0; i < fields; i++)
		put_across(at[i], n, both, pc);
	if (!fields)
		put_across(addr, n, both, pc);
}

void declare_after(int64_t task)
{
	char text[TEXT];

	snprintf(text, sizeof(text), "T %" PRId64, task);
	put(text);
}

void declare_on(struct tracer *t, const struct stack_range *r)
{
	int64_t both[2 * ARRAY_DIMS];
	char text[TEXT];
	unsigned n = r->non;

	if (!(t->want & TRACER_READS))
		return;
	if (r->pc) {
		snprintf(text, sizeof(text), "F %" PRIx64 " %" PRIx64 " %" PRIx64, r->pc, r->sp,
			 r->bp);
		put_text(t, text);
	}
	if (!r->on)
		return;
	memcpy(both, r->shift, n * sizeof(*both));
	memcpy(both + n, r->by, n * sizeof(*both));
	add_numbers(text, (size_t)snprintf(text, sizeof(text), "O %" PRIx64 " %u", r->on, n), both,
		    2 * n);
	put_text(t, text);
}

bool declare_moved_to(struct tracer *t, uint32_t version, uint64_t addr)
{
	char text[TEXT];

	if (!(t->want & TRACER_READS) || !tracer_ready(t))
		return false;
	snprintf(text, sizeof(text), "V %" PRIx64 " %u", addr, version);
	return TRACE_PUT(t, trace_enc_note(&t->enc, TRACE_NOTE_CONTROL, text));
}

bool declare_openmp(const char *text)
{
	struct tracer *t = gate_active ? tracer_enter() : NULL;
	bool put = false;

	if (!t)
		return false;
	access_flush(t);
	if (tracer_ready(t) && t->want & TRACER_READS)
		put = TRACE_PUT(t, trace_enc_note(&t->enc, TRACE_NOTE_OPENMP, text));
	tracer_leave(t);
	return put;
}

void declare_moved(char kind, const struct rt_mpi_moved *m, uint64_t pc)
{
	char text[TEXT];

	if (!m) {
		put("X");
		return;
	}
	snprintf(text, sizeof(text), "%c %lx %lu %lu %lu %" PRIx64 " %.40s", kind, m->addr,
		 m->block, m->stride, m->n, pc, m->call);
	put(text);
}
