/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A supervisor for one program under libdvmdbg, for tests: `s`. The programs are those of
 * tests/prog, points/marks unless `use` names another. Whatever goes wrong fails the test.
 */
#ifndef TESTS_UNIT_SUPER_H
#define TESTS_UNIT_SUPER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <sys/types.h>

#include "runtime/page/page.h"

/* One run of the program; all zero before start. */
struct super {
	struct page *p;
	int fd;
	pid_t pid;
	int status; /* of waitpid, when it has ended */
	bool ended;
	uint32_t stops; /* seen */
	uint32_t gen;
	const char *prog;
	struct trace_config trace_config; /* told with each plan */
	size_t area;	    /* bytes for traces, whole pages a block; 0: none */
	unsigned char *blocks;
	uint32_t n, nwatch, nplace;
	struct rule rule[10000];
	struct watch watch[WATCH_MOST];
	struct trace_config_place place[TRACE_CONFIG_PLACES];
};

#define PATIENCE 60000 /* ms: with sanitizers, on a loaded machine */

extern struct super s;

/* For cmocka, round each test. */
int setup(void **state);
int teardown(void **state);
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* Rules to be told with the next plan. */
struct rule *rule_add(uint32_t id, unsigned kind);
struct rule *rule_at(uint32_t id, const char *point);
struct rule *rule_line(uint32_t id, const char *file, uint32_t line);
/* Starts the program with the rules that have been added, and a first plan. */
void start(const char *situation, unsigned mode, uint32_t n, const char *target);
/* What the child of start does. */
void child_run(const char *situation);
/* Another program than marks; skips the test when it has not been built. */
void use(const char *prog);
/* Rules and plan into the block that is not valid; go: let it run. */
void report(unsigned mode, uint32_t n, const char *target, bool go);
/* True: it has parked once more; false: it has ended, with s.status. */
bool stopped(void);
void expect_stop(const char *point, unsigned reason);
void expect_exit(int code);
void expect_death(int sig);
/* The last point, in a static buffer. */
const char *where(void);
const char *text(uint32_t off);
/* The innermost frame. */
const struct page_frame *top(void);
const struct page_loc *place(const struct page_frame *f);
/* The newest live object of that name, or NULL. */
const struct page_entity *object(const char *name);
void peek(uint64_t addr, void *to, size_t n);
/* How many findings of that kind have detail in their text. */
unsigned findings(unsigned kind, const char *detail);
/* How many there are; where arrays lie is none. */
unsigned faults(void);
void pause_ms(long ms);

#endif
