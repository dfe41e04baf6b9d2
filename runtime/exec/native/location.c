/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a variable of a frame is: DWARF's location expressions, with the frame's registers and the
 * memory as of then. What they cannot say any more has been optimised out.
 */
#include "runtime/exec/native/internal.h"

#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "common/debuginfo/debuginfo.h"

#define STACK 64   /* numbers of an expression */
#define STEPS 4096 /* of it, so that it ends */
#define BLOCKS_DEEP 64 /* in one another */

/* ---- variables that each thread has for itself ---- */

/*
 * Where a module's are follows from the thread pointer, as in the ABI ("ELF Handling For
 * Thread-Local Storage") and glibc's csu/libc-tls.c, elf/dl-tls.c.
 */
#if defined(__x86_64__)
#define MODULE_RELOCATION R_X86_64_DTPMOD64
#define VECTOR_AT 8 /* of the pointer to the vector, from the thread pointer on */
#elif defined(__aarch64__)
#define MODULE_RELOCATION R_AARCH64_TLS_DTPMOD
#define VECTOR_AT 0
#define CONTROL_BLOCK 16u
#endif

#define VECTOR_ENTRY 16u

struct segments {
	GElf_Phdr local; /* PT_TLS */
	bool program;	 /* it is the program itself */
};

static bool find_segments(Elf *elf, struct segments *out)
{
	size_t n;
	bool found = false;

	*out = (struct segments){ 0 };
	if (elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, (int)i, &ph))
			continue;
		out->program |= ph.p_type == PT_INTERP;
		if (ph.p_type != PT_TLS)
			continue;
		out->local = ph;
		found = true;
	}
	return found;
}

#ifdef MODULE_RELOCATION
/* The program's come first: their distance to the thread pointer is known when it is linked. */
static uint64_t program_block(const GElf_Phdr *ph, uint64_t thread)
{
	uint64_t align = ph->p_align ? ph->p_align : 1, first = -ph->p_vaddr & (align - 1), off;

#if defined(__x86_64__)
	off = (ph->p_memsz - first + align - 1) / align * align + first;
	return thread - off;
#else
	off = (CONTROL_BLOCK + align - 1) / align * align;
	if (off - CONTROL_BLOCK < first)
		off += align;
	return thread + off - first;
#endif
}

/* A library's number, which the loader has put into its table. */
static bool module_number(struct frame *f, Elf *elf, GElf_Addr bias, uint64_t *out)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		GElf_Shdr sh;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_RELA ||
		    !(data = elf_getdata(scn, NULL)) || !sh.sh_entsize)
			continue;
		for (size_t i = 0; i < sh.sh_size / sh.sh_entsize; i++) {
			GElf_Rela r;

			if (gelf_getrela(data, (int)i, &r) &&
			    GELF_R_TYPE(r.r_info) == MODULE_RELOCATION &&
			    frame_read(f, r.r_offset + bias, out, sizeof(*out)) && *out)
				return true;
		}
	}
	return false;
}

/* Where the frame's module has a variable that its thread has for itself; false: it is not known, or
 * not there. */
static bool local_storage(struct frame *f, uint64_t offset, uint64_t *out)
{
	uint64_t thread = f->capture->thread, number, vector, block;
	struct segments s;
	GElf_Addr bias;
	Elf *elf = f->mod ? dwfl_module_getelf(f->mod, &bias) : NULL;

	if (!elf || !thread || !find_segments(elf, &s))
		return false;
	if (s.program) {
		*out = program_block(&s.local, thread) + offset;
		return true;
	}
	/* a thread that has used none of them has no block */
	if (!module_number(f, elf, bias, &number) ||
	    !frame_read(f, thread + VECTOR_AT, &vector, sizeof(vector)) ||
	    !frame_read(f, vector + number * VECTOR_ENTRY, &block, sizeof(block)) || !block ||
	    block == UINT64_MAX)
		return false;
	*out = block + offset;
	return true;
}
#else
static bool local_storage(struct frame *f, uint64_t offset, uint64_t *out)
{
	(void)f;
	(void)offset;
	(void)out;
	return false;
}
#endif

/* ---- expressions ---- */

enum spot_kind {
	SPOT_NOTHING,
	SPOT_MEMORY,
	SPOT_REGISTER,
	SPOT_VALUE,
	SPOT_BYTES,
	SPOT_POINTER,
};

/* What an expression, or a piece of it, comes to. */
struct spot {
	enum spot_kind kind;
	uint64_t value; /* address, number of the register, or the value */
	const unsigned char *bytes; /* SPOT_BYTES; libdw's */
	size_t n;
	Dwarf_Die to; /* SPOT_POINTER: it points value bytes into that */
};

/* An expression at work. */
struct work {
	struct frame *f;
	Dwarf_Attribute *attr; /* that it is of; NULL: none */
	uint64_t object;       /* what DW_OP_push_object_address gives */
	bool has_object;
	const char *lack; /* why it cannot be evaluated, where it is known */
	uint64_t stack[STACK];
	unsigned n;
};

static int evaluate(struct work *w, const Dwarf_Op *op, size_t n, struct location *out);

static bool push(struct work *w, uint64_t value)
{
	if (w->n == STACK)
		return false;
	w->stack[w->n++] = value;
	return true;
}

static bool read_reg(const struct frame *f, uint64_t reg, uint64_t *out)
{
	if (reg >= PAGE_REGS || !(f->have >> reg & 1))
		return false;
	*out = f->reg[reg];
	return true;
}

bool location_frame(struct frame *f, uint64_t *out)
{
	for (int i = 0; i < 2 && !f->cfa_known; i++) {
		Dwarf_Addr bias = 0;
		Dwarf_CFI *cfi = i ? dwfl_module_dwarf_cfi(f->mod, &bias)
				   : dwfl_module_eh_cfi(f->mod, &bias);
		struct work w = { .f = f };
		Dwarf_Frame *frame = NULL;
		struct location at;
		Dwarf_Op *ops;
		size_t n;

		if (!cfi || dwarf_cfi_addrframe(cfi, f->pc - bias, &frame))
			continue;
		if (!dwarf_frame_cfa(frame, &ops, &n) && !evaluate(&w, ops, n, &at) &&
		    at.kind == LOCATION_MEMORY) {
			f->cfa = at.addr;
			f->cfa_known = true;
		}
		free(frame);
	}
	*out = f->cfa;
	return f->cfa_known;
}

/* What DW_OP_fbreg counts from. */
static bool frame_base(struct frame *f, uint64_t *out)
{
	struct work w = { .f = f };
	Dwarf_Attribute at;
	struct location place;
	Dwarf_Op *ops;
	size_t n;

	if (!f->has_function || !dwarf_attr_integrate(&f->function, DW_AT_frame_base, &at) ||
	    dwarf_getlocation_addr(&at, f->pc - f->bias, &ops, &n, 1) != 1)
		return false;
	w.attr = &at;
	/* the base cannot be given by itself */
	if (n && ops[0].atom == DW_OP_fbreg)
		return false;
	if (evaluate(&w, ops, n, &place))
		return false;
	if (place.kind == LOCATION_MEMORY)
		*out = place.addr;
	else if (place.kind == LOCATION_BYTES && place.n == sizeof(*out) && !place.lost)
		memcpy(out, place.bytes, sizeof(*out));
	else
		return false;
	return true;
}

static bool constant(struct work *w, const Dwarf_Op *op, bool *done)
{
	Dwarf_Attribute at;
	Dwarf_Addr addr;

	*done = true;
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push(w, op->atom - DW_OP_lit0);
	switch (op->atom) {
	case DW_OP_addr:
		return push(w, op->number + w->f->bias);
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		if (!w->attr || dwarf_getlocation_attr(w->attr, op, &at) ||
		    dwarf_formaddr(&at, &addr))
			return false;
		return push(w, addr + w->f->bias);
	case DW_OP_const1u:
	case DW_OP_const2u:
	case DW_OP_const4u:
	case DW_OP_const8u:
	case DW_OP_const1s:
	case DW_OP_const2s:
	case DW_OP_const4s:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		return push(w, op->number);
	case DW_OP_push_object_address:
		return w->has_object && push(w, w->object);
	}
	*done = false;
	return true;
}

/* ---- what registers had when a function was entered: what its caller has passed, where the
 * caller's debug information says how it can still be had ---- */

/* The call that returns to that address. */
static bool call_at(Dwarf_Die *die, Dwarf_Addr returns, unsigned depth, Dwarf_Die *out)
{
	Dwarf_Die child;

	for (bool more = depth < BLOCKS_DEEP && !dwarf_child(die, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);
		Dwarf_Attribute at;
		Dwarf_Addr addr;

		if (tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site) {
			if ((dwarf_attr(&child, DW_AT_call_return_pc, &at) ||
			     dwarf_attr(&child, DW_AT_low_pc, &at)) &&
			    !dwarf_formaddr(&at, &addr) && addr == returns) {
				*out = child;
				return true;
			}
		} else if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) &&
			   call_at(&child, returns, depth + 1, out)) {
			return true;
		}
	}
	return false;
}

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute at;
	const char *name =
		dwarf_attr_integrate(die, DW_AT_linkage_name, &at) ? dwarf_formstring(&at) : NULL;

	return name ? name : dwarf_diename(die);
}

/* Whether it calls that function, and not one that has jumped to it at its own end. */
static bool calls(Dwarf_Die *site, Dwarf_Die *function)
{
	Dwarf_Attribute at;
	Dwarf_Die callee, one, other;
	const char *a, *b;

	if ((!dwarf_attr(site, DW_AT_call_origin, &at) &&
	     !dwarf_attr(site, DW_AT_abstract_origin, &at)) ||
	    !dwarf_formref_die(&at, &callee))
		return false;
	if (debuginfo_declared(&callee, &one) == debuginfo_declared(function, &other))
		return true;
	a = linkage_name(&one);
	b = linkage_name(&other);
	return a && b && !strcmp(a, b);
}

/* Whether the argument is passed in that register. */
static bool is_in(Dwarf_Die *parameter, unsigned atom)
{
	Dwarf_Attribute at;
	Dwarf_Op *ops;
	size_t n;

	return dwarf_attr(parameter, DW_AT_location, &at) && !dwarf_getlocation(&at, &ops, &n) &&
	       n == 1 && ops[0].atom == atom;
}

static bool entry_value(struct frame *f, const Dwarf_Op *ops, size_t n, uint64_t *out)
{
	bool data = n == 2 && ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31 &&
		    !ops[0].number &&
		    (ops[1].atom == DW_OP_deref || ops[1].atom == DW_OP_deref_size);
	unsigned atom = data ? ops[0].atom - DW_OP_breg0 + DW_OP_reg0 : ops[0].atom;
	struct frame *outer = f->direct ? f->outer : NULL;
	Dwarf_Die site, child;
	int64_t value;

	if ((!data && (n != 1 || atom < DW_OP_reg0 || atom > DW_OP_reg31)) || !outer ||
	    !outer->has_function ||
	    !call_at(&outer->function, outer->pc + 1 - outer->bias, 0, &site) ||
	    !calls(&site, &f->function))
		return false;
	for (bool more = !dwarf_child(&site, &child); more;
	     more = !dwarf_siblingof(&child, &child)) {
		unsigned name = data ? DW_AT_call_data_value : DW_AT_call_value;
		unsigned old = data ? DW_AT_GNU_call_site_data_value : DW_AT_GNU_call_site_value;

		if (!is_in(&child, atom))
			continue;
		if (!location_number(outer, &child, name, 0, false, &value) &&
		    !location_number(outer, &child, old, 0, false, &value))
			return false;
		*out = (uint64_t)value;
		return true;
	}
	return false;
}

/* ---- the steps of an expression ---- */

static bool at_entry(struct work *w, const Dwarf_Op *op)
{
	Dwarf_Attribute at;
	uint64_t value;
	Dwarf_Op *ops;
	size_t n;

	return w->attr && !dwarf_getlocation_attr(w->attr, op, &at) &&
	       !dwarf_getlocation(&at, &ops, &n) && n && entry_value(w->f, ops, n, &value) &&
	       push(w, value);
}

static bool is_call(unsigned atom)
{
	return atom == DW_OP_call2 || atom == DW_OP_call4 || atom == DW_OP_call_ref;
}

/* What the location of another variable comes to, which calls none itself. */
static bool called(struct work *w, const Dwarf_Op *op)
{
	struct frame *f = w->f;
	struct work its = { .f = f };
	struct location place;
	Dwarf_Attribute at;
	uint64_t word;
	Dwarf_Op *ops;
	Dwarf_Die die;
	size_t n;

	if (!w->attr || dwarf_getlocation_die(w->attr, op, &die) ||
	    !dwarf_attr_integrate(&die, DW_AT_location, &at) ||
	    dwarf_getlocation_addr(&at, f->pc - f->bias, &ops, &n, 1) != 1)
		return false;
	for (size_t i = 0; i < n; i++)
		if (is_call(ops[i].atom))
			return false;
	its.attr = &at;
	if (evaluate(&its, ops, n, &place))
		return false;
	if (place.kind == LOCATION_MEMORY)
		return push(w, place.addr);
	if (place.kind != LOCATION_BYTES || place.n < sizeof(word) || place.lost)
		return false;
	memcpy(&word, place.bytes, sizeof(word));
	return push(w, word);
}

static bool from_frame(struct work *w, const Dwarf_Op *op, bool *done)
{
	uint64_t base = 0;

	*done = true;
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return read_reg(w->f, op->atom - DW_OP_breg0, &base) && push(w, base + op->number);
	switch (op->atom) {
	case DW_OP_bregx:
		return read_reg(w->f, op->number, &base) && push(w, base + op->number2);
	case DW_OP_fbreg:
		return frame_base(w->f, &base) && push(w, base + op->number);
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return at_entry(w, op);
	case DW_OP_call_frame_cfa:
		return location_frame(w->f, &base) && push(w, base);
	case DW_OP_call2:
	case DW_OP_call4:
	case DW_OP_call_ref:
		return called(w, op);
	}
	*done = false;
	return true;
}

/* One number becomes another. */
static bool unary(struct work *w, const Dwarf_Op *op, bool *done)
{
	uint64_t *top = w->n ? &w->stack[w->n - 1] : NULL, word = 0;
	size_t size = op->atom == DW_OP_deref_size ? op->number : sizeof(word);

	*done = true;
	switch (op->atom) {
	case DW_OP_deref:
	case DW_OP_deref_size:
		if (!top || size > sizeof(word) || !frame_read(w->f, *top, &word, size))
			return false;
		*top = word;
		return true;
	case DW_OP_abs:
		if (top && (int64_t)*top < 0)
			*top = -*top;
		return top;
	case DW_OP_neg:
		if (top)
			*top = -*top;
		return top;
	case DW_OP_not:
		if (top)
			*top = ~*top;
		return top;
	case DW_OP_plus_uconst:
		if (top)
			*top += op->number;
		return top;
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		w->lack = "<thread-local: its place is not known>";
		return top && local_storage(w->f, *top, top);
	case DW_OP_nop:
		return true;
	}
	*done = false;
	return true;
}

static bool divide(unsigned atom, int64_t a, int64_t b, uint64_t *out)
{
	if (!b || (atom == DW_OP_div && a == INT64_MIN && b == -1))
		return false;
	*out = atom == DW_OP_div ? (uint64_t)(a / b) : (uint64_t)a % (uint64_t)b;
	return true;
}

/* Of the two topmost numbers; false: it is no such operator, or cannot be done. */
static bool combine(unsigned atom, uint64_t a, uint64_t b, uint64_t *out)
{
	int64_t x = (int64_t)a, y = (int64_t)b;

	switch (atom) {
	case DW_OP_and: *out = a & b; break;
	case DW_OP_or: *out = a | b; break;
	case DW_OP_xor: *out = a ^ b; break;
	case DW_OP_plus: *out = a + b; break;
	case DW_OP_minus: *out = a - b; break;
	case DW_OP_mul: *out = a * b; break;
	case DW_OP_div:
	case DW_OP_mod: return divide(atom, x, y, out);
	case DW_OP_shl: *out = b < 64 ? a << b : 0; break;
	case DW_OP_shr: *out = b < 64 ? a >> b : 0; break;
	case DW_OP_shra: *out = (uint64_t)(x >> (b < 64 ? b : 63)); break;
	case DW_OP_eq: *out = a == b; break;
	case DW_OP_ne: *out = a != b; break;
	case DW_OP_lt: *out = x < y; break;
	case DW_OP_le: *out = x <= y; break;
	case DW_OP_gt: *out = x > y; break;
	case DW_OP_ge: *out = x >= y; break;
	default: return false;
	}
	return true;
}

static bool shuffle(struct work *w, const Dwarf_Op *op, bool *done)
{
	uint64_t *top = w->stack + w->n, x;
	uint64_t deep = op->atom == DW_OP_pick ? op->number : op->atom == DW_OP_over;

	*done = true;
	switch (op->atom) {
	case DW_OP_dup:
	case DW_OP_over:
	case DW_OP_pick:
		return deep < w->n && push(w, top[-1 - (int64_t)deep]);
	case DW_OP_drop:
		return w->n && w->n--;
	case DW_OP_swap:
		if (w->n < 2)
			return false;
		x = top[-1];
		top[-1] = top[-2];
		top[-2] = x;
		return true;
	case DW_OP_rot:
		if (w->n < 3)
			return false;
		x = top[-1];
		top[-1] = top[-2];
		top[-2] = top[-3];
		top[-3] = x;
		return true;
	}
	*done = false;
	return true;
}

/* One step that works on numbers; false: it cannot be done. */
static bool step(struct work *w, const Dwarf_Op *op)
{
	bool done;
	uint64_t x;

	if (!constant(w, op, &done) || (!done && !from_frame(w, op, &done)) ||
	    (!done && !unary(w, op, &done)) || (!done && !shuffle(w, op, &done)))
		return false;
	if (done)
		return true;
	if (w->n < 2 || !combine(op->atom, w->stack[w->n - 2], w->stack[w->n - 1], &x))
		return false;
	w->stack[--w->n - 1] = x;
	return true;
}

/* A step that says what the numbers mean. */
static bool is_end(struct work *w, const Dwarf_Op *op, struct spot *s)
{
	Dwarf_Block block;
	Dwarf_Die to;

	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
		*s = (struct spot){ .kind = SPOT_REGISTER, .value = op->atom - DW_OP_reg0 };
	} else if (op->atom == DW_OP_regx) {
		*s = (struct spot){ .kind = SPOT_REGISTER, .value = op->number };
	} else if (op->atom == DW_OP_stack_value) {
		*s = (struct spot){ .kind = w->n ? SPOT_VALUE : SPOT_NOTHING,
				    .value = w->n ? w->stack[w->n - 1] : 0 };
	} else if (op->atom == DW_OP_implicit_value && w->attr &&
		   !dwarf_getlocation_implicit_value(w->attr, op, &block)) {
		*s = (struct spot){ .kind = SPOT_BYTES, .bytes = block.data, .n = block.length };
	} else if ((op->atom == DW_OP_implicit_pointer || op->atom == DW_OP_GNU_implicit_pointer) &&
		   w->attr && !dwarf_getlocation_die(w->attr, op, &to)) {
		*s = (struct spot){ .kind = SPOT_POINTER, .value = op->number2, .to = to };
	} else {
		return false;
	}
	return true;
}

/* Bytes that are not in the program's memory: appends them, as much as a piece has. */
static void put_bytes(struct frame *f, const struct spot *s, size_t n, struct location *out)
{
	unsigned char from[16] = { 0 };
	const unsigned char *bytes = from;
	size_t have = 0;

	if (s->kind == SPOT_REGISTER && read_reg(f, s->value, (uint64_t *)from)) {
		have = sizeof(uint64_t);
	} else if (s->kind == SPOT_REGISTER && frame_vector(f, s->value, from)) {
		have = sizeof(from);
	} else if (s->kind == SPOT_VALUE) {
		memcpy(from, &s->value, sizeof(s->value));
		have = sizeof(s->value);
	} else if (s->kind == SPOT_BYTES) {
		bytes = s->bytes;
		have = s->n;
	}
	for (size_t i = 0; i < (n ? n : have) && out->n < LOCATION_BYTES_MOST; i++, out->n++) {
		if (i < have)
			out->bytes[out->n] = bytes[i];
		else
			out->lost |= UINT64_C(1) << out->n;
	}
}

static void put_piece(struct frame *f, const struct spot *s, size_t n, struct location *out)
{
	unsigned char bytes[LOCATION_BYTES_MOST];
	struct spot known = { .kind = SPOT_BYTES, .bytes = bytes, .n = n };

	if (n > LOCATION_BYTES_MOST - out->n)
		n = known.n = LOCATION_BYTES_MOST - out->n;
	if (s->kind == SPOT_MEMORY && n && frame_read(f, s->value, bytes, n))
		put_bytes(f, &known, n, out);
	else if (s->kind == SPOT_MEMORY)
		put_bytes(f, &(struct spot){ .kind = SPOT_NOTHING }, n, out);
	else
		put_bytes(f, s, n, out);
}

/* Where a jump goes; NULL: nowhere. */
static const Dwarf_Op *jump(const Dwarf_Op *ops, size_t n, const Dwarf_Op *from)
{
	uint64_t to = from->offset + 3 + (uint64_t)(int16_t)from->number;

	for (size_t i = 0; i < n; i++)
		if (ops[i].offset == to)
			return &ops[i];
	return NULL;
}

/* The whole of it, or up to its end; -1: it cannot be evaluated. */
static int evaluate(struct work *w, const Dwarf_Op *ops, size_t n, struct location *out)
{
	const Dwarf_Op *op = ops;
	struct spot s = { .kind = SPOT_NOTHING };
	bool ended = false, pieces = false;

	*out = (struct location){ .kind = LOCATION_GONE };
	for (unsigned steps = 0; op < ops + n && steps < STEPS; steps++) {
		if (op->atom == DW_OP_piece) {
			if (!ended && w->n)
				s = (struct spot){ .kind = SPOT_MEMORY,
						   .value = w->stack[w->n - 1] };
			put_piece(w->f, &s, op->number, out);
			s = (struct spot){ .kind = SPOT_NOTHING };
			w->n = 0;
			ended = false;
			pieces = true;
		} else if (op->atom == DW_OP_skip ||
			   (op->atom == DW_OP_bra && w->n && w->stack[--w->n])) {
			op = jump(ops, n, op);
			if (!op)
				return -1;
			continue;
		} else if (is_end(w, op, &s)) {
			ended = true;
		} else if (op->atom != DW_OP_bra && !step(w, op)) {
			return -1;
		}
		op++;
	}
	if (pieces) {
		out->kind = LOCATION_BYTES;
	} else if (s.kind == SPOT_POINTER) {
		out->kind = LOCATION_POINTER;
		out->to = s.to;
		out->off = (int64_t)s.value;
	} else if (ended) {
		out->kind = LOCATION_BYTES;
		put_bytes(w->f, &s, 0, out);
		if (!out->n)
			out->kind = LOCATION_GONE;
	} else if (w->n) {
		out->kind = LOCATION_MEMORY;
		out->addr = w->stack[w->n - 1];
	}
	return 0;
}

/* DW_AT_const_value: what the compiler has made a number, or bytes, of. */
static bool constant_value(Dwarf_Attribute *at, struct location *out)
{
	Dwarf_Block block;
	Dwarf_Sword value;
	const char *text;

	*out = (struct location){ .kind = LOCATION_BYTES };
	if (!dwarf_formblock(at, &block)) {
		out->n = block.length < LOCATION_BYTES_MOST ? block.length : LOCATION_BYTES_MOST;
		memcpy(out->bytes, block.data, out->n);
	} else if ((text = dwarf_formstring(at)) != NULL) {
		out->n = strnlen(text, LOCATION_BYTES_MOST);
		memcpy(out->bytes, text, out->n);
	} else if (!debuginfo_number(at, &value)) {
		out->n = sizeof(value);
		memcpy(out->bytes, &value, sizeof(value));
	} else {
		return false;
	}
	return true;
}

/* Whether it is one, or lies in memory all the same. */
static enum debuginfo_constant constant_in(struct frame *f, Dwarf_Die *die, uint64_t *addr)
{
	Dwarf_Addr at = 0;
	enum debuginfo_constant is = debuginfo_constant(f->mod, &f->cu, die, &at);

	*addr = at;
	return is;
}

void location_of(struct frame *f, Dwarf_Die *die, struct location *out)
{
	struct work w = { .f = f };
	Dwarf_Attribute at;
	Dwarf_Op *ops;
	size_t n;

	*out = (struct location){ .kind = LOCATION_GONE };
	if (dwarf_attr_integrate(die, DW_AT_const_value, &at)) {
		switch (constant_in(f, die, &out->addr)) {
		case DEBUGINFO_MEMORY: out->kind = LOCATION_MEMORY; return;
		case DEBUGINFO_UNKNOWN: return;
		default: break;
		}
		if (constant_value(&at, out))
			return;
		*out = (struct location){ .kind = LOCATION_GONE };
	}
	if (!dwarf_attr_integrate(die, DW_AT_location, &at) ||
	    dwarf_getlocation_addr(&at, f->pc - f->bias, &ops, &n, 1) != 1)
		return;
	w.attr = &at;
	if (evaluate(&w, ops, n, out))
		*out = (struct location){ .kind = LOCATION_GONE, .lack = w.lack };
}

bool location_number(struct frame *f, Dwarf_Die *die, unsigned name, uint64_t object,
		     bool has_object, int64_t *out)
{
	struct work w = { .f = f, .object = object, .has_object = has_object };
	Dwarf_Attribute at;
	Dwarf_Die variable;
	Dwarf_Sword value;
	struct location place;
	Dwarf_Op *ops;
	uint64_t word = 0;
	size_t n;

	if (!dwarf_attr_integrate(die, name, &at))
		return false;
	switch (dwarf_whatform(&at)) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
	case DW_FORM_ref_addr:
		/* a variable that the compiler has made for it */
		if (!dwarf_formref_die(&at, &variable))
			return false;
		location_of(f, &variable, &place);
		if (place.kind == LOCATION_MEMORY && frame_read(f, place.addr, &word, sizeof(word)))
			break;
		if (place.kind != LOCATION_BYTES || place.lost || place.n < sizeof(word))
			return false;
		memcpy(&word, place.bytes, sizeof(word));
		break;
	default:
		if (!debuginfo_number(&at, &value)) {
			*out = value;
			return true;
		}
		if (dwarf_getlocation_addr(&at, f->pc - f->bias, &ops, &n, 1) != 1)
			return false;
		w.attr = &at;
		if (evaluate(&w, ops, n, &place))
			return false;
		/* what is left is the number itself */
		word = place.addr;
		if (place.kind == LOCATION_BYTES)
			memcpy(&word, place.bytes, sizeof(word));
		else if (place.kind != LOCATION_MEMORY)
			return false;
	}
	*out = (int64_t)word;
	return true;
}

bool location_base(struct frame *f, Dwarf_Die *inheritance, uint64_t object, uint64_t *out)
{
	struct work w = { .f = f, .stack[0] = object, .n = 1 };
	struct location place;
	Dwarf_Attribute at;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr(inheritance, DW_AT_data_member_location, &at) ||
	    dwarf_getlocation_addr(&at, f->pc - f->bias, &ops, &n, 1) != 1)
		return false;
	w.attr = &at;
	if (evaluate(&w, ops, n, &place) || place.kind != LOCATION_MEMORY)
		return false;
	*out = place.addr;
	return true;
}
