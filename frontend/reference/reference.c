/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/reference/reference.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/tracefile/tracefile.h"
#include "common/traceindex/traceindex.h"
#include "frontend/reference/internal.h"
#include "frontend/util/xalloc.h"

/* Removes what a reference is made of, two levels deep; other things stay. */
static void remove_tree(const char *dir, int depth)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char *path;

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		path = xasprintf("%s/%s", dir, e->d_name);
		if (unlink(path) && depth)
			remove_tree(path, depth - 1);
		free(path);
	}
	if (d)
		closedir(d);
	rmdir(dir);
}

/* 0: nothing or an empty directory, 1: a reference, -1: something else. */
static int what_is_there(const char *dir, struct err *err)
{
	char *path;
	int rc;

	path = xasprintf("%s/manifest.json", dir);
	rc = access(path, F_OK) == 0;
	free(path);
	if (rc)
		return 1;
	if (rmdir(dir) == 0 || errno == ENOENT)
		return 0;
	return err_set(err, "%s: %s, and it is not a reference", dir,
		       errno == ENOTEMPTY || errno == EEXIST ? "the directory is not empty"
							     : strerror(errno));
}

struct reference *reference_create(const char *dir, const struct reference_info *info,
				   struct err *err)
{
	struct reference *r = xcalloc(1, sizeof(*r));
	size_t len = strlen(dir);

	while (len > 1 && dir[len - 1] == '/')
		len--;
	r->dir = xstrndup(dir, len);
	r->part = xasprintf("%s" REFERENCE_PARTIAL, r->dir);
	reference_info_copy(r, info);
	r->info.points = r->info.bytes = r->info.sums = 0;
	if (reference_file_busy(r->part, err) || what_is_there(r->dir, err) < 0) {
		/* what is there is not ours */
		free(r->part);
		r->part = NULL;
		goto fail;
	}
	remove_tree(r->part, 2);
	if (mkdir(r->part, 0777)) {
		err_set(err, "%s: %s", r->part, strerror(errno));
		goto fail;
	}
	if (!reference_manifest_write(r, r->part, err) && !reference_file_create(r, err))
		return r;
fail:
	reference_destroy(r);
	return NULL;
}

/* For those who compare traces with it. */
static void add_scales(struct reference *r, const struct sums_point *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct sums_array *a = &p->array[i];
		struct sum_scale id = {
			.name = a->name, .file = a->file, .line = a->line, .counter = a->counter
		};

		if (!a->sum)
			continue;
		memcpy(id.lower, a->lower, sizeof(id.lower));
		xalloc_check(sum_scales_take(&r->scales, &id, a->sum));
	}
}

static int save_scales(struct reference *r, struct err *err)
{
	char *path;
	int rc;

	if (r->info.trace_config.trace == TRACE_CONFIG_NONE)
		return 0;
	path = xasprintf("%s/" SUM_SCALES_FILE, r->part);
	rc = sum_scales_save(&r->scales, path, err);
	free(path);
	return rc;
}

int reference_add(struct reference *r, const struct sums_point *p, struct err *err)
{
	if (r->failed || !r->part)
		return 0;
	if (r->info.trace_config.trace != TRACE_CONFIG_NONE)
		add_scales(r, p);
	return reference_file_add(r, p, err);
}

char *reference_array_path(const struct reference *r, const char *name, const struct point *p)
{
	char point[POINT_TEXT], *path, *dir;

	dir = xasprintf("%s/arrays", r->part ? r->part : r->dir);
	if (r->part)
		mkdir(dir, 0777);
	path = xasprintf("%s/%s@%s.npy", dir, name, point_format(p, point));
	free(dir);
	return path;
}

/* Moves dir/name into the directory `to`; -1 with errno. */
static int move(const char *dir, const char *name, const char *to)
{
	char *from, *place = NULL;
	int rc = -1;

	from = xasprintf("%s/%s", dir, name);
	if (asprintf(&place, "%s/%s", to, name) >= 0) {
		rc = rename(from, place);
		free(place);
	}
	free(from);
	return rc;
}

/* Removes the whole arrays that a former reference had in dir. */
static void remove_arrays(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		const char *dot = strrchr(e->d_name, '.');
		char *path;

		if (!strchr(e->d_name, '@') || !dot || strcmp(dot, ".npy"))
			continue;
		path = xasprintf("%s/%s", dir, e->d_name);
		unlink(path);
		free(path);
	}
	if (d)
		closedir(d);
	rmdir(dir);
}

static bool is_trace(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	return !strncmp(e->d_name, "order.", 6) ||
	       (!strncmp(e->d_name, "trace.", 6) && dot && !strcmp(dot, ".bin")) ||
	       !strcmp(e->d_name, SUM_SCALES_FILE);
}

/* The traces of a former reference in `to`, and their scales, give way to those in from. */
static int move_traces(const char *from, const char *to)
{
	DIR *old = opendir(to), *new = opendir(from);
	struct dirent *e;
	int rc = 0;

	while (old && (e = readdir(old)))
		if (is_trace(e))
			unlinkat(dirfd(old), e->d_name, 0);
	while (!rc && new && (e = readdir(new)))
		if (is_trace(e))
			rc = move(from, e->d_name, to);
	if (old)
		closedir(old);
	if (new)
		closedir(new);
	return rc;
}

static int move_arrays(const char *from, const char *to)
{
	DIR *d = opendir(from);
	struct dirent *e;
	int rc = 0;

	if (d && mkdir(to, 0777) && errno != EEXIST)
		rc = -1;
	while (!rc && d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			rc = move(from, e->d_name, to);
	if (d)
		closedir(d);
	return rc;
}

/*
 * The new one takes the place of what was there. Files in the directory that are no part of a
 * reference stay. Without its manifest a directory is no reference, so that comes last.
 */
static int take_place(struct reference *r, struct err *err)
{
	char *old = NULL, *new = NULL, *manifest = NULL, *output;
	int rc = -1;

	if (rename(r->part, r->dir) == 0)
		return 0;
	old = xasprintf("%s/arrays", r->dir);
	new = xasprintf("%s/arrays", r->part);
	manifest = xasprintf("%s/manifest.json", r->dir);
	unlink(manifest);
	remove_arrays(old);
	/* the new one's is written when it is there */
	output = xasprintf("%s/output.txt", r->dir);
	unlink(output);
	free(output);
	if (move_arrays(new, old) || move_traces(r->part, r->dir) ||
	    move(r->part, "sums.bin", r->dir) || move(r->part, "manifest.json", r->dir))
		err_set(err, "%s: %s", r->dir, strerror(errno));
	else
		rc = 0;
	if (!rc)
		remove_tree(r->part, 2);
	free(old);
	free(new);
	free(manifest);
	return rc;
}

/* For the index: by the numbers alone. */
static int point_order(const struct point *x, const struct point *y)
{
	if (x->main != y->main)
		return x->main < y->main ? -1 : 1;
	if (x->task != y->task && point_kind(x) == POINT_KIND_MARKS)
		return x->task < y->task ? -1 : 1;
	if (x->sub != y->sub)
		return x->sub < y->sub ? -1 : 1;
	return x->side == y->side ? 0 : x->side < y->side ? -1 : 1;
}

static int by_point(const void *a, const void *b, void *arg)
{
	const struct reference *r = arg;

	return point_order(&r->entry[*(const uint32_t *)a].point,
			   &r->entry[*(const uint32_t *)b].point);
}

static int read_all(struct reference *r, struct err *err)
{
	struct stat st;

	if (reference_file_open(r, err))
		return -1;
	if (!fstat(fileno(r->f), &st))
		r->info.bytes = (uint64_t)st.st_size;
	r->info.points = r->n;
	r->sorted = xcalloc(r->n ? r->n : 1, sizeof(*r->sorted));
	for (size_t i = 0; i < r->n; i++)
		r->sorted[i] = (uint32_t)i;
	qsort_r(r->sorted, r->n, sizeof(*r->sorted), by_point, r);
	return 0;
}

int reference_finish(struct reference *r, bool complete, struct err *err)
{
	int rc = reference_file_flush(r, err), failed = rc;

	r->info.complete = complete && !r->failed;
	if (fclose(r->f) && !rc)
		rc = err_set(err, "%s: %s", r->part, strerror(errno));
	r->f = NULL;
	if (save_scales(r, failed ? NULL : err))
		rc = failed = -1;
	/* without room for it the one of the beginning stays, which says that the run has not ended
	 */
	if (reference_manifest_write(r, r->part, failed ? NULL : err))
		rc = failed = -1;
	if (take_place(r, failed ? NULL : err))
		return -1;
	free(r->part);
	r->part = NULL;
	return read_all(r, err) || rc ? -1 : 0;
}

/* What is known of a run of which there are only traces: texts, or imported ones. */
static int read_traces(struct reference *r, struct err *err)
{
	struct trace_index *x = trace_index_open(r->dir, 0, err);
	const struct trace_meta *m = x ? trace_reader_meta(trace_index_map(x, 0)) : NULL;
	char *argv[] = { NULL, NULL };

	if (!x)
		return -1;
	argv[0] = (char *)m->program;
	reference_info_copy(r, &(struct reference_info){
				       .program = m->program,
				       .build_id = m->build_id,
				       .version = m->version,
				       .argv = argv,
				       .ranks = m->ranks,
				       .trace_config = { .start = m->start, .finish = m->finish },
				       .bare = true,
				       .complete = trace_index_whole(x) });
	if (*trace_index_note(x))
		snprintf(r->note, sizeof(r->note), "%s: %s", r->dir, trace_index_note(x));
	r->sorted = xcalloc(1, sizeof(*r->sorted));
	trace_index_close(x);
	return 0;
}

static bool has_manifest(const char *dir)
{
	char *path = xasprintf("%s/manifest.json", dir);
	bool there = access(path, F_OK) == 0;

	free(path);
	return there;
}

struct reference *reference_open(const char *dir, struct err *err)
{
	struct reference *r = xcalloc(1, sizeof(*r));
	uint64_t reported;

	r->dir = xstrdup(dir);
	if (!has_manifest(dir) && trace_index_there(dir)) {
		if (!read_traces(r, err))
			return r;
		reference_destroy(r);
		return NULL;
	}
	if (reference_manifest_read(r, err)) {
		reference_destroy(r);
		return NULL;
	}
	reported = r->info.points;
	if (read_all(r, err)) {
		reference_destroy(r);
		return NULL;
	}
	if (!*r->note && reported > r->n)
		snprintf(r->note, sizeof(r->note),
			 "%s/sums.bin is cut off: it has %zu of %llu points", dir, r->n,
			 (unsigned long long)reported);
	r->damaged = *r->note != '\0';
	if (!r->n && *r->note) {
		err_set(err, "%s", r->note);
		reference_destroy(r);
		return NULL;
	}
	if (!*r->note && !r->info.complete)
		snprintf(r->note, sizeof(r->note),
			 "%s ends early: its run did not end, or could not be recorded", dir);
	return r;
}

void reference_destroy(struct reference *r)
{
	if (!r)
		return;
	if (r->f)
		fclose(r->f);
	if (r->part)
		remove_tree(r->part, 2);
	reference_info_clear(r);
	sums_point_destroy(r->lent);
	buf_clear(&r->raw);
	buf_clear(&r->open);
	sum_scales_clear(&r->scales);
	free(r->pending);
	free(r->entry);
	free(r->sorted);
	free(r->block);
	free(r->dir);
	free(r->part);
	free(r);
}

const struct reference_info *reference_info(const struct reference *r)
{
	return &r->info;
}

const char *reference_dir(const struct reference *r)
{
	return r->part ? r->part : r->dir;
}

const char *reference_note(const struct reference *r)
{
	return *r->note ? r->note : NULL;
}

bool reference_damaged(const struct reference *r)
{
	return r->damaged;
}

size_t reference_count(const struct reference *r)
{
	return r->n;
}

bool reference_has_kind(struct reference *r, enum point_kind kind)
{
	for (; r->kinds_of < r->n; r->kinds_of++)
		r->kind[point_kind(&r->entry[r->kinds_of].point)] = true;
	return r->kind[kind];
}

size_t reference_next_block(const struct reference *r, size_t i)
{
	uint32_t block = r->entry[i].block;

	while (i < r->n && r->entry[i].block == block)
		i++;
	return i;
}

const struct sums_point *reference_at(struct reference *r, size_t i, struct err *err)
{
	struct buf b;

	sums_point_destroy(r->lent);
	r->lent = NULL;
	if (i >= r->n || reference_file_get(r, i, &b, err))
		return NULL;
	r->lent = sums_point_get(&b, err);
	if (r->lent && point_order(&r->lent->point, &r->entry[i].point)) {
		err_set(err, "%s/sums.bin: point %zu is not the one of its list", r->dir, i);
		sums_point_destroy(r->lent);
		r->lent = NULL;
	}
	return r->lent;
}

const struct sums_point *reference_point(struct reference *r, const struct point *p,
					 struct err *err)
{
	size_t lo = 0, hi = r->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = point_order(&r->entry[r->sorted[mid]].point, p);

		if (!c)
			return reference_at(r, r->sorted[mid], err);
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

static char *output_path(const struct reference *r)
{
	return xasprintf("%s/output.txt", r->dir);
}

int reference_put_output(const struct reference *r, const char *text, size_t n, struct err *err)
{
	char *path = output_path(r);
	FILE *f = fopen(path, "w");
	int rc = f && fwrite(text, 1, n, f) == n ? 0 : -1;

	if (f && fclose(f))
		rc = -1;
	if (rc) {
		err_set(err, "%s: %s", path, strerror(errno));
		unlink(path);
	}
	free(path);
	return rc;
}

char *reference_output(const struct reference *r, size_t most)
{
	char *path = output_path(r), *text = NULL;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	FILE *f;

	free(path);
	if (fd < 0)
		return NULL;
	f = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? fdopen(fd, "r") : NULL;
	if (!f) {
		close(fd);
		return NULL;
	}
	text = xcalloc(most + 1, 1);
	text[fread(text, 1, most, f)] = '\0';
	fclose(f);
	return text;
}
