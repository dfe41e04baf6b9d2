/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was copied of a thread, and how.
 */
#ifndef DVMDBG_RUNTIME_EXEC_NATIVE_INTERNAL_H
#define DVMDBG_RUNTIME_EXEC_NATIVE_INTERNAL_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/array/layout.h"
#include "runtime/exec/native/native.h"
#include "runtime/page/page.h"

struct buf;
struct core;
struct err;

#define CAPTURE_FIRST (128u << 10) /* bytes of stack: most programs need less */
#define CAPTURE_MOST (64u << 20)
#define CAPTURE_PAGE 4096u
#define CAPTURE_PAGES 64u

struct capture {
	struct memory *memory; /* borrowed */
	uint64_t reg[PAGE_REGS]; /* by their numbers in DWARF */
	unsigned char vector[16][16]; /* xmm0 … when has_vector */
	bool has_vector;
	uint64_t thread; /* address of its control block, 0: not known */
	bool live;		 /* the thread is parked: its memory is read as it is needed */
	/* else its stack as it was */
	uint64_t low; /* address of the first byte */
	unsigned char *stack; /* owned */
	size_t n, room;
	uint64_t wanted; /* an address behind what was copied, 0: none */
	/* live: pages that were read */
	struct {
		uint64_t addr; /* 0: none */
		unsigned char bytes[CAPTURE_PAGE];
	} page[CAPTURE_PAGES];
};

/* Of a core file, whose memory is read as it is needed. */
void capture_core(struct capture *c, const struct core *core);
/* Of a parked thread. -1 and err when the page has no registers. */
int capture_parked(struct capture *c, const struct page *page, struct err *err);
/* Pauses the thread pid and copies up to `bytes` of its stack. */
int capture_paused(struct capture *c, pid_t pid, size_t bytes, struct err *err);
/* Stops a thread, as capture_paused does, and leaves it so; *status is for child_unpause. */
int capture_hold(pid_t tid, int *status, struct err *err);
/* What capture_paused copies, of a thread that is held. */
int capture_held(struct capture *c, pid_t pid, size_t bytes, struct err *err);
/* A word at addr, as of then. */
bool capture_word(struct capture *c, uint64_t addr, uint64_t *out);
/* A vector register by its number in DWARF; false: it is not known. */
bool capture_vector(const struct capture *c, uint64_t reg, unsigned char *out);
void capture_clear(struct capture *c);

/* ---- variables of a frame: where they are, and what they look like ---- */

/* A call, with what is known of its registers. */
struct frame {
	struct capture *capture; /* borrowed */
	struct native *native;	 /* borrowed */
	struct frame *all;	 /* the calls that it is one of, borrowed … */
	int nall;
	struct frame *other; /* … and room for variables that are of none of them */
	native_namer namer;	 /* NULL: none */
	native_holder holder;	 /* likewise */
	void *namer_arg;
	Dwfl *dwfl;
	Dwfl_Module *mod;
	uint64_t pc; /* of the call itself */
	const uint64_t *reg; /* by their numbers in DWARF */
	uint64_t have;	     /* a bit for each that is known */
	bool innermost;
	struct frame *outer; /* the user's call around it; NULL: none */
	bool direct;	     /* which has called it itself */
	/* frame_open */
	Dwarf_Addr bias;
	Dwarf_Die cu, function;
	bool has_function, fortran;
	Dwarf_Die *scope; /* owned; the innermost first */
	int nscope;
	uint64_t cfa;
	bool cfa_known;
};

/* Reads memory as of then, where the stack is, and as of now. */
bool frame_read(struct frame *f, uint64_t addr, void *out, size_t n);
/* A vector register (16 bytes) of the innermost call. */
bool frame_vector(struct frame *f, uint64_t reg, unsigned char *out);

#define LOCATION_BYTES_MOST 64u

enum location_kind {
	LOCATION_GONE,	 /* optimised out */
	LOCATION_MEMORY, /* at addr */
	LOCATION_BYTES, /* in registers, or known to the compiler: n bytes, but for those of lost */
	LOCATION_POINTER, /* a pointer to a variable that has no address: off bytes in `to` */
};
struct location {
	enum location_kind kind;
	uint64_t addr;
	unsigned char bytes[LOCATION_BYTES_MOST];
	size_t n;
	uint64_t lost; /* a bit a byte */
	Dwarf_Die to;
	int64_t off;
	const char *lack; /* LOCATION_GONE: why, NULL: optimised out */
};

/* Where the variable is in that frame. */
void location_of(struct frame *f, Dwarf_Die *die, struct location *out);
/* The address of the frame: what the stack pointer was before the call. */
bool location_frame(struct frame *f, uint64_t *out);
/*
 * An attribute that is a number: a constant, an expression (about the object at that address), or a
 * variable. False: there is none, or it is not known.
 */
bool location_number(struct frame *f, Dwarf_Die *die, unsigned name, uint64_t object,
		     bool has_object, int64_t *out);

/* The address of a virtual base of the object at that address. */
bool location_base(struct frame *f, Dwarf_Die *inheritance, uint64_t object, uint64_t *out);

/* Something with a type, which can be shown. */
struct datum {
	Dwarf_Die type; /* not peeled */
	bool typed;
	struct location place;
	uint64_t off; /* in place.bytes */
	unsigned skip; /* of an array so many dimensions have an index already */
	unsigned bits, bit; /* a field of so many bits, from that one on; 0: it is none */
	bool points;	    /* it is an address, and type that of what is there */
	unsigned base;	    /* enum value_type + 1 of a type that the program does not have; 0 */
	/* a section: so many of its parts, so many bytes apart; 0: it is none */
	uint64_t count;
	int64_t stride;
	uint64_t length; /* of Fortran's characters whose type does not say it; 0: it does */
	/* what moved to it, and the word that was last there */
	struct native_way way;
	uint64_t led;
};

#define SHAPE_DIMS 15

/* An array, or what is left of one behind indices. */
struct shape {
	Dwarf_Die element; /* not peeled */
	unsigned n;
	int64_t lower[SHAPE_DIMS], count[SHAPE_DIMS],
		stride[SHAPE_DIMS]; /* count -1: not known; bytes */
	bool by_column;
	const char *lacks; /* "not allocated"; NULL: it is there */
	uint64_t addr;	   /* of the first element, when it is in memory */
};
/* The shape of a peeled array type; false: it is not known. */
bool shape_of(struct frame *f, Dwarf_Die *type, const struct datum *d, struct shape *s);
/* Bytes of it, also of arrays whose bounds are variables; 0: not known. */
uint64_t datum_size(struct frame *f, const struct datum *d);
/* The dimension that is k-th from the outside. */
unsigned shape_outer(const struct shape *s, unsigned k);
/* How many characters Fortran's of that peeled type has; its length may be a variable. -1: it is not
 * known. */
int64_t shape_characters(struct frame *f, const struct datum *d, Dwarf_Die *type);

/* How much of a value is shown. */
struct shown {
	unsigned elements; /* of arrays and structures in all */
	unsigned deep;	   /* structures in one another, pointers that are followed */
	bool addresses;	   /* of pointers: they differ between ranks */
	bool places; /* of arrays addresses and bounds, no elements; the C++ library's members */
	unsigned small;	   /* but the elements where there are no more than so many */
};

/*
 * The user's calls in the thread at that place by age, the innermost first, to be freed; they hold
 * until the program is looked at next. Returns how many; -1 and err.
 */
int native_frames(struct native *n, bool parked, unsigned place, struct frame **out,
		  struct err *err);
/* Whether the file is none of the user's. MPI may be anywhere, with debug information too. */
bool native_is_library(const struct native *n, const char *path);
/* The file of a module, "" not known. */
const char *native_module_path(Dwfl_Module *mod);
/* A call of the function that is meant. */
struct chosen {
	struct frame *f; /* NULL: none */
	int first, last; /* its scopes */
};
/* Which call q means by func, rank and LOCALS_OUTERMOST, counted from the innermost or the
 * outermost one. */
struct chosen frame_choose(struct frame *frames, int n, const struct msg_query *q);
/*
 * "**p->x[3]" among the variables of these scopes and what is around them: the variable, its parts,
 * then what it points to, or any expression that comes to a place in memory or an address. *f
 * becomes the call, or the unit, that it is of. 1; 0: there is no such variable; -1: err.
 */
int frame_path(struct frame **f, int first, int last, const char *path, struct datum *d,
	       struct err *err);

struct expr_name;
typedef bool (*names_fn)(Dwarf_Die *die, void *arg);
/* Variables, constants and enumerations of a scope, and of common blocks in it; deep: of modules
 * and name spaces as well. fn is false at the end. */
bool names_each(Dwarf_Die *scope, bool deep, names_fn fn, void *arg);
/* One of the function's own. */
bool names_local(struct frame *f, int first, int last, const char *name, size_t n,
		 Dwarf_Die *die);
/* The call of the function whose scopes begin there: a function, and blocks in it. NULL: none. */
const char *names_function(struct frame *f, int first, int *last);
/*
 * The variable of that name, as it is seen in these scopes; *f becomes the call, or the unit, that
 * it is of. 1; 0: there is none; -1 and err.
 */
int names_find(struct frame **f, int first, int last, const struct expr_name *n, struct datum *out,
	       struct err *err);
/* Of members of the class that all its objects share, and of classes that it is derived from. */
bool names_static(struct frame *f, Dwarf_Die *class, const char *name, size_t n, struct datum *out);
/* Whether the n characters are that name; of "a<int, 3>" with or without the blanks. */
bool names_equal(const char *has, const char *text, size_t n, bool fortran);
/* Where the last part of "a::b<c::d>" begins; 0: it is the only one. */
size_t names_last(const char *text, size_t n);
/* Finds unit and scopes of the call; -1 and err: there is no debug information. Close it in either
 * case. */
int frame_open(struct frame *f, struct err *err);
void frame_close(struct frame *f);

#define DATUM_DEEP 32 /* types in one another */
/* Without typedef, const and the like. */
bool datum_peeled(const Dwarf_Die *type, Dwarf_Die *out);
/* Of a peeled type. */
bool datum_is_pointer(Dwarf_Die *type);
bool datum_is_structure(Dwarf_Die *type);
unsigned datum_number_type(Dwarf_Die *type); /* enum value_type of a base type; VALUE_TYPES: none */
bool datum_is_member(Dwarf_Die *die);
int64_t datum_member_at(struct frame *f, Dwarf_Die *member); /* bytes */
/* The same of the object that is so many bytes behind d, also of a virtual base, whose place the
 * object itself has. */
int64_t datum_member_of(struct frame *f, Dwarf_Die *member, const struct datum *d, int64_t off);
/* Its first n bytes; false: they are not known. */
bool datum_read(struct frame *f, const struct datum *d, void *out, size_t n);
/* The part at so many bytes, of that type. */
struct datum datum_part(const struct datum *d, const Dwarf_Die *type, int64_t off);
/* Goes to the member, when it is a field of bits; type is its own, peeled. */
bool datum_bits(struct frame *f, Dwarf_Die *member, Dwarf_Die *type, struct datum *d);
/* Goes to the member of a structure, by way of pointers to it. */
int datum_follow_member(struct frame *f, struct datum *d, const char *name, size_t n,
			struct err *err);
bool datum_of(struct frame *f, Dwarf_Die *die, struct datum *out);
/* Goes from a descriptor of Fortran's class() to its object, which is of the type that it has by
 * then; false: it is none, or has no object. */
bool datum_object(struct frame *f, struct datum *d);
/*
 * Whether a dummy argument of that peeled type is of class(), and the address of the table that an
 * object of the other one has then. 1; 0: it is of no class, or the object is; -1 and err.
 */
int datum_table(struct frame *f, Dwarf_Die *dummy, Dwarf_Die *given, uint64_t *table,
		struct err *err);
struct function;
/*
 * The function that an object of Fortran has bound to the name, whatever type it is of by then, to
 * be called with so many arguments; passed: the object itself is the first one besides.
 */
bool datum_binding(struct frame *f, const struct datum *d, const char *name, size_t given,
		   struct function *out, bool *passed);
/* The type that a declaration names, not peeled; false: none. */
bool datum_type_at(Dwarf_Die *die, Dwarf_Die *type);
/* Of Fortran's characters with a length of their own, which another member has; 0: it is none. */
uint64_t datum_length(struct frame *f, const struct datum *d, Dwarf_Die *type, const char *member);
#define NUMBER_BYTES 32 /* of a base type, at most */
Dwarf_Word number_encoding(Dwarf_Die *type); /* DW_ATE_… of a base type */
/* enum value_type of what a peeled enumeration has; VALUE_TYPES: it is none. */
unsigned number_enumeration(Dwarf_Die *type);
/* Appends the number of that base type. */
void number_put(Dwarf_Die *type, const unsigned char *bytes, struct buf *out);
/* Whether it is a real or whole number of 16 bytes, whose values are none of enum value_type. */
bool number_is_wide(Dwarf_Die *type, bool *real);
/* Makes n of them numbers of 8 bytes in place; returns their enum value_type: LONG, or ULONG, when
 * all have room in it, else DOUBLE, rounded. */
unsigned number_narrow(Dwarf_Die *type, unsigned char *bytes, uint64_t n);
/* One that is real; quad: it has four times the precision of a float. */
double number_real(const unsigned char *bytes, bool quad);
bool number_is_quad(Dwarf_Die *type);
/* The 16 bytes of one that such a number, DOUBLE, LONG or ULONG, becomes; false: it has no room. */
bool number_widen(Dwarf_Die *type, unsigned from, const unsigned char *bytes, unsigned char *out);
void datum_put(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Appends its value. */
void datum_value(struct frame *f, const struct datum *d, const struct shown *how, struct buf *out);
/* Appends the name of its type. */
void datum_type(struct frame *f, const struct datum *d, struct buf *out);
/* How many bytes elements of that type are apart; -1 and err: it is not known. */
int datum_step(struct frame *f, const struct datum *d, uint64_t *size, struct err *err);
/* Its target, as of "*p". */
int datum_target(struct frame *f, struct datum *d, struct err *err);
/* enum value_type of a peeled base type; VALUE_TYPES: it is none. */
unsigned datum_number_type(Dwarf_Die *type);
/* A number: its type (enum value_type) and bytes; false: it is none, or not known. */
bool datum_number(struct frame *f, const struct datum *d, unsigned *type, unsigned char *bytes);

/* ---- library.c: objects of the C++ library ---- */

enum library_kind {
	LIBRARY_TEXT,  /* count bytes at addr; stride 0: their type is not known */
	LIBRARY_BITS,  /* count truth values, a bit each, at addr */
	LIBRARY_ARRAY, /* count elements of the type at addr */
	LIBRARY_INNER, /* the same as inner */
};
struct library {
	enum library_kind kind;
	uint64_t addr, count;
	int64_t stride;
	Dwarf_Die type; /* not peeled */
	uint64_t cell;	/* where the address is; 0: not in memory */
	struct datum inner;
};
/* How the object is shown; false: it is none of these, or has no value yet. */
bool library_of(struct frame *f, const struct datum *d, struct library *out);

/* ---- function.c: functions that can be called ---- */

struct function {
	Dwarf_Die die;	  /* with the code; parameters and types are those of `declared` */
	Dwarf_Die declared;
	Dwfl_Module *mod;
	uint64_t entry;	  /* in memory */
	uint64_t code;	  /* the same in the file */
	bool fortran, cpp;
};
/* What is given for a parameter. */
struct function_argument {
	enum {
		ARGUMENT_ANY,	  /* it is not known */
		ARGUMENT_NUMBER,  /* of that enum value_type */
		ARGUMENT_TEXT,	  /* in quotes */
		ARGUMENT_POINTER, /* to what has that type */
		ARGUMENT_OBJECT,  /* of that type */
	} kind;
	unsigned number;
	bool typed;
	Dwarf_Die type; /* peeled */
};
/* The arguments of a call; describe is asked where there are several functions. */
struct function_arguments {
	size_t n;
	void (*describe)(void *arg, struct function_argument *out);
	void *arg;
};
/* Of a variable of that peeled type, or its address. */
void function_describe(Dwarf_Die *type, bool address, struct function_argument *out);
/*
 * "f", "file.c::f", "module::f", "ns::class::f", a symbol of C++, of the files that are not
 * libraries; of C and Fortran in the unit of `near` first (may be NULL). Among several of C++ the
 * arguments choose (NULL: it is not called). 1; 0: there is none; -1 and err: it cannot be called,
 * or there are several.
 */
int function_find(struct native *n, Dwfl *dwfl, const struct frame *near, const char *name,
		  const struct function_arguments *given, struct function *out, struct err *err);
/* Of "f", "file.cc::f" and "ns::f" the last one: more than the file is said of where it is. */
bool function_is_scoped(const char *name);
/*
 * Of an object of that peeled class the function is called: its address becomes that of the part
 * that the function takes, and the function the one that the object has in place of it, unless its
 * class was named. -1 and err.
 */
int function_of_object(struct frame *f, struct function *fn, Dwarf_Die *class, bool named,
		       uint64_t *object, struct err *err);
/*
 * The address of an object of the one class becomes that of its part of the other, or the other way
 * round: 1; 0: they have nothing to do with each other, or are one. -1: from a virtual base to the
 * object there is no way.
 */
int function_convert(struct frame *f, Dwarf_Die *from, Dwarf_Die *to, uint64_t *object);
/* Whether Fortran's dummy argument of that peeled type takes the array, or section; -1 and err. */
int function_takes_array(struct frame *f, const char *text, const struct datum *d,
			 Dwarf_Die *array, Dwarf_Die *dummy, struct err *err);
/* The type of the result, also of what gfortran returns in memory; not peeled. */
bool function_result_type(const struct function *fn, Dwarf_Die *type);
/* Whether Fortran's dummy argument is the address of what is given. */
bool function_by_reference(const struct function *fn, Dwarf_Die *parameter);
/* How it leaves a result of that peeled type, and how many bytes; -1 and err: in a way that is not
 * known. */
enum function_result { FUNCTION_VALUE, FUNCTION_MEMORY, FUNCTION_CHARACTERS };
int function_result(const struct function *fn, Dwarf_Die *type, enum function_result *how,
		    uint32_t *form, uint64_t *size, struct err *err);

/* ---- convention.c: structures as arguments and results ---- */

enum convention_way {
	CONVENTION_UNKNOWN,   /* on this processor */
	CONVENTION_REGISTERS, /* eightbytes in general, whole, or vector registers */
	CONVENTION_MEMORY,    /* on the stack */
	CONVENTION_REFERENCE, /* C++: the address of a copy that a constructor has made */
};
struct convention_argument {
	enum convention_way way; /* of the first two */
	bool whole[2];
	bool itself; /* its address, where the function gets a copy that a constructor makes */
	uint64_t word[PAGE_CALL_STACK];
	unsigned n;
};
/* The variable as an argument of that peeled type, a structure; text: as it is typed. -1 and err. */
int convention_argument(struct frame *f, const struct datum *d, const char *text, Dwarf_Die *type,
			struct convention_argument *out, struct err *err);
/* Goes from a child of a function to the next that is a parameter, or its dots; false: there is none. */
bool convention_parameter(Dwarf_Die *child, bool *more);
/* gfortran's lengths of characters, and where characters are returned, which are not typed. */
bool convention_is_hidden(Dwarf_Die *parameter);
bool convention_is_object(Dwarf_Die *parameter); /* "this" of C++ */
/* A class of C++ whose objects a constructor copies. */
bool convention_has_copy(Dwarf_Die *type);
/* A function of the C library that takes doubles, and returns one. */
bool convention_takes_doubles(const char *name);
/* It is of an object of that class, which is not among so many arguments. */
bool convention_needs_object(const struct function *fn, size_t given, Dwarf_Die *class);
/* As of function_result. */
int convention_result(Dwarf_Die *type, uint64_t size, enum function_result *how, uint32_t *form,
		      struct err *err);

/* ---- call.c, convention.c: a call that was made ---- */

struct native_called {
	struct native *native; /* borrowed */
	struct function fn;
	struct frame frame; /* of the function, for its unit */
	Dwarf_Die type;	    /* of the result, not peeled */
	bool typed;
	unsigned cast; /* enum value_type that was given; VALUE_TYPES: none */
	enum function_result how;
	uint32_t form;
	uint64_t size, at; /* at: offset in the data, of FUNCTION_MEMORY and FUNCTION_CHARACTERS */
	bool addresses;
	char *wanted; /* of the result, owned; NULL: all */
	struct buf type_text, value_text;
};

/* ---- elements.c: numbers of variables ---- */

struct expr;
struct msg_value;
struct section;

/* A dimension that is left: places of its indices. */
struct elements_dim {
	uint64_t count;
	int64_t first, step;  /* indices; step 0: they are listed */
	int64_t base, stride; /* bytes: of index i (first + i * step) base + i * stride … */
	int64_t *place;	      /* owned; … or these; NULL: not listed */
};

struct elements {
	struct frame *f;
	const char *name;	 /* for errors; borrowed */
	const struct section *s; /* what subscripts say, not bound; borrowed */
	unsigned used;		 /* so many of them */
	const unsigned char *after; /* each stands behind so many fields; NULL: anywhere */
	unsigned walked;	    /* so many fields were followed */
	struct datum d;		 /* without the dimensions that are left */
	struct elements_dim dim[ARRAY_DIMS];
	unsigned ndim;
	bool place; /* only what subscripts say is taken of arrays */
	bool early; /* dimensions stand before fields */
	bool cast;  /* numbers of 16 bytes may be rounded, as they are cast */
	bool shape; /* no elements are wanted */
	bool deferred; /* characters of Fortran whose length may become another one */
};
void elements_clear(struct elements *x);
/* ".a->b" behind the variable. */
int elements_fields(struct elements *x, const char *fields, struct err *err);
/* Arrays, what subscripts that are left say of pointers, and so many stars. many: "@" follows. */
int elements_rest(struct elements *x, unsigned stars, bool many, struct err *err);
/* "p@10": so many, of what a pointer leads to or behind the object; itself: of pointers, too. */
int elements_many(struct elements *x, const char *count, bool itself, struct err *err);
/* An index of so many elements (-1: not known) that follow one another; the next subscript. */
int elements_index(struct elements *x, int64_t lower, int64_t count, int64_t stride,
		   struct err *err);

/* The datum is led to by the word at `cell`, which has the value `led`; was: what has it. */
void elements_led(struct datum *d, const struct datum *was, uint64_t cell, uint64_t led);

/* What is done with them. */
struct elements_task {
	bool shape;		       /* only type and indices are wanted */
	const struct msg_value *value; /* they become that; NULL: they are read */
	struct native_placed *placed;  /* where they are is wanted; NULL: it is not */
	struct answer_elements a;      /* free a.room */
	uint64_t written;
};
int elements_do(struct elements *x, struct elements_task *task, struct err *err);
/* They are structures, and become what a variable of their type has, `text` as it is typed. */
int elements_copy(struct elements *x, struct frame *of, const struct datum *from, const char *text,
		  uint64_t *count, struct err *err);
bool elements_are_characters(const struct elements *x); /* of Fortran */
/* Says that its type is only declared where it is known; -1. */
int elements_not_described(const struct elements *x, struct err *err);
/* place.c: where they are; clear *out in either case. */
int elements_place(struct elements *x, struct native_placed *out, struct err *err);

/* ---- typed.c: expressions with the types of the program ---- */

struct values;
struct native_objects;

/* An expression at work, in the scopes of a call. */
struct typing {
	struct frame *f;
	int first, last;
	unsigned depth;
	bool cast;   /* what is evaluated is cast to a type of C's own words */
	const struct datum *result; /* EXPR_RESULT, of a function that was called; NULL: none */
	char **text; /* owned: parts of the expression, for errors */
	size_t ntext;
};
void typed_end(struct typing *t);
/* Its numbers, or they become a value: 1; 0: it is a name, and there is none such; -1 and err. */
int typed_do(struct typing *t, const struct expr *e, struct elements_task *task, struct err *err);
/* The place or address that it comes to, in the call *f; as typed_do. */
int typed_datum(struct typing *t, const struct expr *e, struct frame **f, struct datum *d,
		struct err *err);
/* The address that it comes to, as a pointer or an array: 1; 0: it is a number; -1 and err. */
int typed_address(struct typing *t, const struct expr *e, uint64_t *out, struct err *err);
/* An expression of EXPR_RESULT that comes to one number, of at most 16 bytes. -1 and err. */
int typed_result(struct frame *f, const struct datum *result, const char *text, unsigned *type,
		 unsigned char *bytes, struct err *err);
/* For expr_eval: names are variables. */
struct expr_scope;
struct expr_scope typed_scope(struct typing *t);

/* ---- types.c: types by their names ---- */

/* Of a type without its stars; base: enum value_type + 1 of what the program has no type of. */
struct type_named {
	Dwarf_Die die;
	bool has; /* die; else it is void, or base */
	unsigned base, stars;
};
/* "struct cell *", "unsigned char", "ns::real". -1 and err. */
int types_find(struct frame *f, const char *text, struct type_named *out, struct err *err);
/* A type that is a pointer to it. */
bool types_pointer(Dwarf_Die *to, Dwarf_Die *out);
/* What a pointer of the type with its stars leads to. -1 and err. */
int types_target(struct type_named *type, struct datum *to, struct err *err);

#endif
