/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arena of the shared page: text and places, each kept once. Only the owner takes from it, so
 * there is nothing to lock; readers see a thing once its offset has been published.
 */
#include "runtime/base/base.h"

#include <assert.h>
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "common/core/hash.h"

#define SLOTS 32768 /* a power of two, twice the most that is kept */
#define STRINGS (SLOTS / 2)

static_assert(RT_LOCS <= SLOTS / 2, "the table of places must stay half empty");

/* Tables of their own: the owner thread may not allocate. */
struct tables {
	struct rt_loc loc[RT_LOCS];
	uint32_t loc_slot[SLOTS];    /* index of loc, 0: free */
	uint32_t string_slot[SLOTS]; /* arena offset, 0: free */
	char program[PATH_MAX];	     /* path, "": not asked yet */
};

struct rt_loc *rt_loc;
static struct tables *tab;
static uint32_t nloc = 1, nstring;
static bool full;

/* -1: no memory. */
int arena_init(void)
{
	tab = rt_pages(sizeof(*tab));
	if (!tab)
		return -1;
	rt_loc = tab->loc;
	return 0;
}

static void is_full(void)
{
	if (full)
		return;
	full = true;
	find_add(FINDING_PARTIAL, 0, "the table of places is full: new places and objects are not "
				   "shown");
}

uint32_t arena_take(size_t n)
{
	uint32_t used = atomic_load_explicit(&rt.page->arena_used, memory_order_relaxed);

	n = (n + 7) & ~(size_t)7;
	if (used < 8 || used > PAGE_ARENA || n > PAGE_ARENA - used) {
		is_full();
		return 0;
	}
	memset(arena_at(used), 0, n);
	atomic_store_explicit(&rt.page->arena_used, used + (uint32_t)n, memory_order_release);
	return used;
}

uint32_t arena_string(const char *s, size_t len)
{
	uint64_t h = hash_bytes(HASH_START, s, len);
	uint32_t i, off;

	for (i = hash_mix(0, h) % SLOTS; (off = tab->string_slot[i]); i = (i + 1) % SLOTS) {
		const char *have = arena_at(off);

		if (len < PAGE_ARENA - off && !memcmp(have, s, len) && !have[len])
			return off;
	}
	if (nstring == STRINGS) {
		is_full();
		return 0;
	}
	off = arena_take(len + 1);
	if (!off)
		return 0;
	memcpy(arena_at(off), s, len);
	tab->string_slot[i] = off;
	nstring++;
	return off;
}

static bool loc_same(const struct rt_loc *a, const struct rt_loc *b)
{
	return a->file == b->file && a->func == b->func && a->line == b->line && a->pc == b->pc &&
	       a->kind == b->kind && a->func_len == b->func_len;
}

/* The module of pc and the address of the call in it. The program's own path is resolved. */
static void loc_module(struct rt_loc *l)
{
	Dl_info info;
	struct link_map *map = NULL;
	const char *path;
	uint32_t off;
	ssize_t n;

	l->vaddr = l->pc - 1;
	l->module = "";
	if (!dladdr1((void *)(uintptr_t)(l->pc - 1), &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
		return;
	l->vaddr -= map->l_addr;
	path = map->l_name;
	if (!path || !*path) {
		if (!*tab->program) {
			n = readlink("/proc/self/exe", tab->program, sizeof(tab->program) - 1);
			tab->program[n > 0 ? n : 0] = 0;
		}
		path = tab->program;
	}
	off = arena_string(path, strlen(path));
	l->module = off ? arena_at(off) : "";
}

static void loc_publish(struct rt_loc *l)
{
	struct page_loc *pl;
	uint32_t off = arena_take(sizeof(*pl));

	if (!off)
		return;
	pl = arena_at(off);
	pl->file = l->file ? arena_string(l->file, strlen(l->file)) : 0;
	pl->line = l->line;
	pl->func = l->func_len ? arena_string(l->func, l->func_len) : 0;
	pl->module = l->module ? arena_string(l->module, strlen(l->module)) : 0;
	pl->vaddr = l->vaddr;
	pl->kind = l->kind;
	l->off = off;
}

/* What two runs of one program have in common about a place. */
static uint64_t loc_hash(const struct rt_loc *l)
{
	uint64_t h = hash_mix(HASH_START, l->kind);
	const char *base;

	if (!l->file)
		return hash_mix(h, l->vaddr);
	base = strrchr(l->file, '/');
	base = base ? base + 1 : l->file;
	return hash_mix(hash_bytes(h, base, strlen(base)), l->line);
}

static uint32_t loc_find(const struct rt_loc *key)
{
	uint64_t h;
	uint32_t i, at;
	struct rt_loc *l;

	h = hash_mix((uintptr_t)key->file, key->line);
	h = hash_mix(hash_mix(h, (uintptr_t)key->func), key->pc + key->kind);
	for (i = h % SLOTS; (at = tab->loc_slot[i]); i = (i + 1) % SLOTS)
		if (loc_same(&rt_loc[at], key))
			return at;
	if (nloc == RT_LOCS) {
		is_full();
		return 0;
	}
	at = nloc++;
	l = &rt_loc[at];
	*l = *key;
	if (!l->file)
		loc_module(l);
	l->hash = loc_hash(l);
	loc_publish(l);
	tab->loc_slot[i] = at;
	return at;
}

uint32_t arena_loc_of_line(int kind, const char *file, int line, const char *func, bool named)
{
	struct rt_loc key = { .file = file ? file : "", .func = func, .kind = (uint32_t)kind };

	key.named = named;
	key.line = line > 0 ? (uint32_t)line : 0;
	if (func)
		key.func_len = (uint32_t)strlen(func);
	return loc_find(&key);
}

/*
 * The text of func may be on a stack that is soon gone, so it is its copy in the arena that makes
 * the identity.
 */
uint32_t arena_loc_of_pc(int kind, uint64_t pc, const char *func, size_t len)
{
	struct rt_loc key = { .pc = pc, .kind = (uint32_t)kind, .named = len };
	uint32_t off = len ? arena_string(func, len) : 0;

	if (off) {
		key.func = arena_at(off);
		key.func_len = (uint32_t)len;
	}
	return loc_find(&key);
}

bool arena_loc_is(unsigned kind, const char *file, uint32_t line, uint64_t vaddr,
		  const struct rt_loc *l)
{
	switch (kind) {
	case RULE_LINE:
		return l->file && l->line == line && rule_file_matches(file, l->file);
	case RULE_NAME:
		return l->func && l->named && strlen(file) == l->func_len &&
		       !memcmp(file, l->func, l->func_len);
	case RULE_ADDR:
		return !l->file && l->vaddr >= vaddr && l->vaddr - vaddr < (line ? line : 1) &&
		       (!*file || rule_file_matches(file, l->module));
	}
	return false;
}
