/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the fuzz targets share. With libFuzzer a target is built by
 *	clang -fsanitize=fuzzer,address,undefined -DFUZZ_ENGINE
 * and without it, it has a main of its own:
 *	fuzz_x FILE…                       runs these inputs
 *	fuzz_x [COUNT [SEED [SECONDS]]]    runs COUNT inputs made from the target's seeds, the same
 *		for the same SEED, or as many as SECONDS are enough for
 * An input that fails is left in crash-fuzz_x.
 */
#ifndef DVMDBG_TESTS_FUZZ_H
#define DVMDBG_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"

#ifndef FUZZ_ENGINE
#define FUZZ_MAIN
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(cond)                                                                     \
	do {                                                                                 \
		if (!(cond)) {                                                               \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #cond); \
			abort();                                                             \
		}                                                                            \
	} while (0)

#ifdef FUZZ_MAIN

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

/* The target's i-th good input is appended to out; false when there are no more. */
static bool fuzz_seed(unsigned i, struct buf *out);

#define FUZZ_MOST 4096 /* bytes of an input */

static uint8_t fuzz_input[FUZZ_MOST];
static size_t fuzz_size;
static char fuzz_crash[4096];

static void fuzz_keep(void)
{
	int fd = open(fuzz_crash, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd >= 0 && write(fd, fuzz_input, fuzz_size) == (ssize_t)fuzz_size)
		fprintf(stderr, "the input is in %s\n", fuzz_crash);
	if (fd >= 0)
		close(fd);
}

static void fuzz_aborted(int sig)
{
	fuzz_keep();
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Asked by a sanitizer of undefined behaviour: what it finds is to keep the input, too. */
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
	return "abort_on_error=1:print_stacktrace=1";
}

/* There when a sanitizer is. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static uint64_t fuzz_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static void fuzz_insert(size_t at, const void *bytes, size_t n)
{
	if (fuzz_size + n > FUZZ_MOST)
		return;
	memmove(fuzz_input + at + n, fuzz_input + at, fuzz_size - at);
	memmove(fuzz_input + at, bytes, n);
	fuzz_size += n;
}

static void fuzz_mutate(uint64_t *state)
{
	static const uint8_t odd[] = {
		0, 1, 2, 0x7f, 0x80, 0xff, ':', ',', '[', '(', '-', '9', '.'
	};
	size_t at = fuzz_size ? fuzz_random(state) % fuzz_size : 0;
	size_t n = 1 + fuzz_random(state) % 8;
	uint8_t byte = odd[fuzz_random(state) % sizeof odd], copy[8];

	if (n > fuzz_size - at)
		n = fuzz_size - at;
	switch (fuzz_random(state) % 6) {
	case 0:
		if (fuzz_size)
			fuzz_input[at] ^= (uint8_t)(1u << fuzz_random(state) % 8);
		break;
	case 1:
		memset(fuzz_input + at, byte, n);
		break;
	case 2:
		fuzz_insert(at, &byte, 1);
		break;
	case 3:
		memcpy(copy, fuzz_input + at, n);
		fuzz_insert(fuzz_size ? fuzz_random(state) % fuzz_size : 0, copy, n);
		break;
	case 4:
		memmove(fuzz_input + at, fuzz_input + at + n, fuzz_size - at - n);
		fuzz_size -= n;
		break;
	default:
		fuzz_size = at;
	}
}

/* Each input depends on the seed and its index alone. */
static void fuzz_make(uint64_t seed, uint64_t index, unsigned seeds)
{
	uint64_t state = seed * 0x2545f4914f6cdd1d + index;
	unsigned changes = (unsigned)(fuzz_random(&state) % 6);
	struct buf b = BUF_INIT;

	fuzz_seed((unsigned)(fuzz_random(&state) % seeds), &b);
	fuzz_size = b.len < FUZZ_MOST ? b.len : FUZZ_MOST;
	if (fuzz_size)
		memcpy(fuzz_input, b.data, fuzz_size);
	buf_clear(&b);
	while (changes--)
		fuzz_mutate(&state);
}

/* A copy of its own size, so that a read behind its end is seen. */
static void fuzz_run(void)
{
	uint8_t *exact = malloc(fuzz_size ? fuzz_size : 1);

	if (!exact)
		abort();
	memcpy(exact, fuzz_input, fuzz_size);
	LLVMFuzzerTestOneInput(exact, fuzz_size);
	free(exact);
}

static int fuzz_file(const char *path)
{
	FILE *f = fopen(path, "rb");

	if (!f) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	fuzz_size = fread(fuzz_input, 1, FUZZ_MOST, f);
	fclose(f);
	fuzz_run();
	return 0;
}

static time_t fuzz_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
	char *end = "x", here[3072];
	uint64_t count = argc > 1 ? strtoull(argv[1], &end, 10) : 10000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1, done = 0;
	time_t until = argc > 3 ? fuzz_seconds() + atoi(argv[3]) : 0;
	unsigned seeds = 0;
	struct buf b = BUF_INIT;

	/* a target may go elsewhere */
	snprintf(fuzz_crash, sizeof fuzz_crash, "%s/crash-%s",
		 getcwd(here, sizeof here) ? here : ".", name);
	signal(SIGABRT, fuzz_aborted);
	if (!__sanitizer_set_death_callback)
		signal(SIGSEGV, fuzz_aborted);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(fuzz_keep);
	if (argc > 1 && *end) {
		for (int i = 1; i < argc; i++)
			if (fuzz_file(argv[i]))
				return 1;
		return 0;
	}
	while (fuzz_seed(seeds, &b))
		seeds++;
	buf_clear(&b);
	for (; done < count && (!until || fuzz_seconds() < until); done++) {
		fuzz_make(seed, done, seeds);
		fuzz_run();
	}
	printf("%s: %llu inputs from %u seeds, seed %llu\n", name, (unsigned long long)done, seeds,
	       (unsigned long long)seed);
	return 0;
}

#endif
#endif
