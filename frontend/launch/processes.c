/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which processes are the ranks of a job that somebody else has started: by the table that
 * launchers keep for debuggers (MPIR_proctable), or by what launchers put into the environment of
 * those below them.
 */
#include "frontend/launch/launch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/core/log.h"
#include "common/core/parse.h"
#include "common/core/proc.h"
#include "common/logical/rankset.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xvec.h"

#define TEXT_MOST (4u << 20) /* bytes of a file in /proc */

/* A file of /proc/PID with a NUL behind it, to be freed; NULL: it cannot be read. */
static char *read_proc(pid_t pid, const char *name, size_t *len)
{
	char path[64], *text = NULL;
	size_t n = 0, room = 0;
	ssize_t got = 1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	while (got > 0 && n < TEXT_MOST) {
		if (n + 4096 > room) {
			room = 2 * room + 8192;
			text = xrealloc(text, room);
		}
		got = read(fd, text + n, 4095);
		n += got > 0 ? (size_t)got : 0;
	}
	close(fd);
	if (got < 0) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	*len = n;
	return text;
}

/* A number of the process's environment; false: there is none of that name. */
static bool env_number(const char *env, size_t len, const char *name, uint64_t *v)
{
	size_t n = strlen(name);

	for (const char *p = env; p < env + len; p += strlen(p) + 1)
		if (!strncmp(p, name, n) && p[n] == '=')
			return !parse_uint(p + n + 1, 0, RANKSET_MAX, v);
	return false;
}

/* What it is in its job; false: no launcher has given it a rank. */
static bool read_rank(pid_t pid, uint32_t *rank, uint32_t *size)
{
	size_t len = 0;
	char *env = read_proc(pid, "environ", &len);
	uint64_t r = 0, n = 0;
	bool found = false;

	for (size_t i = 0; env && !found && i < PROC_LAUNCHERS; i++) {
		found = env_number(env, len, proc_launchers[i].rank, &r);
		if (found && !env_number(env, len, proc_launchers[i].size, &n) &&
		    !env_number(env, len, PROC_SLURM_SIZE, &n))
			n = 0;
	}
	free(env);
	*rank = (uint32_t)r;
	*size = (uint32_t)n;
	return found && r < RANKSET_MAX;
}

/* The parent, 0: it is gone, or has ended. */
static pid_t read_parent(pid_t pid)
{
	size_t len;
	char *text = read_proc(pid, "stat", &len), state, *p;
	int parent = 0;

	/* the name is in parentheses and may hold anything */
	p = text ? strrchr(text, ')') : NULL;
	if (!p || sscanf(p + 1, " %c %d", &state, &parent) != 2 || state == 'Z')
		parent = 0;
	free(text);
	return parent;
}

static bool maps_mpi(pid_t pid)
{
	size_t len;
	char *maps = read_proc(pid, "maps", &len);
	bool has = maps && (strstr(maps, "/libmpi") || strstr(maps, "/libmpich"));

	free(maps);
	return has;
}

/* All processes and their parents; how far below the launcher they are, 0: not at all. */
struct table {
	struct entry {
		pid_t pid, parent;
		unsigned depth;
	} * list; /* owned */
	size_t n;
};

static void table_read(struct table *t)
{
	DIR *d = opendir("/proc");
	struct dirent *e;

	*t = (struct table){ 0 };
	while (d && (e = readdir(d))) {
		pid_t pid = atoi(e->d_name), parent = pid > 0 ? read_parent(pid) : 0;

		if (parent <= 0)
			continue;
		*xvec_add(t->list, t->n) = (struct entry){ .pid = pid, .parent = parent };
	}
	if (d)
		closedir(d);
}

/* So many steps below; 0: it is not below root. */
static unsigned depth_below(const struct table *t, pid_t pid, pid_t root)
{
	for (unsigned depth = 1; depth < 1000; depth++) {
		pid_t parent = 0;

		for (size_t i = 0; i < t->n && !parent; i++)
			if (t->list[i].pid == pid)
				parent = t->list[i].parent;
		if (parent == root)
			return depth;
		if (parent <= 1)
			return 0;
		pid = parent;
	}
	return 0;
}

/* What is known of a rank while we look: the outermost process with MPI, else the outermost, which
 * is root. */
struct candidate {
	uint32_t rank;
	pid_t pid, root;
	bool mpi;
};

struct search {
	struct table table;
	struct candidate *list; /* owned */
	size_t n;
	uint32_t size;
	struct processes *out;
};

static struct candidate *candidate_of(struct search *s, uint32_t rank)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->list[i].rank == rank)
			return &s->list[i];
	return NULL;
}

static int two_jobs(pid_t a, pid_t b, uint32_t rank, struct err *err)
{
	return err_set(
		err, "processes %d and %d are both rank %u: give those of one job, or its launcher",
		a, b, rank);
}

/* Below a launcher; those further out came before. -1 and err: another process is that rank. */
static int take_descendant(struct search *s, pid_t pid, struct err *err)
{
	struct candidate *c, new = { .pid = pid, .root = pid };
	uint32_t size;

	if (!read_rank(pid, &new.rank, &size))
		return 0;
	new.mpi = maps_mpi(pid);
	c = candidate_of(s, new.rank);
	if (c && pid != c->root && !depth_below(&s->table, pid, c->root))
		return two_jobs(c->pid, pid, new.rank, err);
	if (!c) {
		*xvec_add(s->list, s->n) = new;
	} else if (new.mpi && !c->mpi) {
		c->pid = pid;
		c->mpi = true;
	}
	if (size > s->size)
		s->size = size;
	return 0;
}

/* One that is a rank, by what others say. -1 and err: another process is that rank. */
static int take_rank(struct search *s, uint32_t rank, pid_t pid, struct err *err)
{
	const struct candidate *c = candidate_of(s, rank);

	if (c && c->pid != pid)
		return two_jobs(c->pid, pid, rank, err);
	if (!c)
		*xvec_add(s->list, s->n) =
			(struct candidate){ .rank = rank, .pid = pid, .root = pid };
	return 0;
}

/* Where the file's own address 0 is in the process. */
static bool load_base(const char *maps, const char *path, uint64_t *base)
{
	for (const char *line = maps; line && *line;
	     line = strchr(line, '\n'), line += line != NULL) {
		uint64_t from, offset;
		size_t n = strcspn(line, "\n"), len = strlen(path);

		if (n <= len || strncmp(line + n - len, path, len) || line[n - len - 1] != ' ' ||
		    sscanf(line, "%" SCNx64 "-%*x %*s %" SCNx64, &from, &offset) != 2 || offset)
			continue;
		*base = from;
		return true;
	}
	return false;
}

static bool read_memory(pid_t pid, uint64_t addr, void *out, size_t len)
{
	struct iovec to = { out, len }, from = { (void *)(uintptr_t)addr, len };

	return process_vm_readv(pid, &to, 1, &from, 1, 0) == (ssize_t)len;
}

/* The address of a variable of a running process, in its own file or one of its libraries. 0: there
 * is none. */
static uint64_t variable_at(pid_t pid, const char *maps, const char *name)
{
	char last[PATH_MAX] = "";

	for (const char *line = maps; line && *line;
	     line = strchr(line, '\n'), line += line != NULL) {
		char path[PATH_MAX], via[PATH_MAX + 64];
		size_t n = strcspn(line, "\n"), at = strcspn(line, "/");
		uint64_t vaddr, base = 0;
		bool fixed;

		if (at >= n || n - at >= sizeof(path))
			continue;
		snprintf(path, sizeof(path), "%.*s", (int)(n - at), line + at);
		if (!strcmp(path, last))
			continue;
		strcpy(last, path);
		/* it may live in another view of the files */
		snprintf(via, sizeof(via), "/proc/%d/root%s", pid, path);
		if (program_symbol(via, name, &vaddr, &fixed) &&
		    (fixed || load_base(maps, path, &base)))
			return base + vaddr;
	}
	return 0;
}

static bool same_host(const char *a, const char *b)
{
	size_t n = strcspn(a, "."), m = strcspn(b, ".");

	return n == m && !strncasecmp(a, b, n);
}

/* A string of another process, cut to what fits. */
static void read_text(pid_t pid, uint64_t addr, char *out, size_t size)
{
	size_t n = 0;

	while (n + 1 < size && read_memory(pid, addr + n, out + n, 1) && out[n])
		n++;
	out[n] = '\0';
}

/* An element of MPIR's table, as in the memory of a launcher of our word size. */
struct mpir {
	uint64_t host, executable;
	int32_t pid;
	int32_t unused;
};

/* By the table that the launcher keeps for debuggers; how many ranks it has, -1 and err. */
static int search_mpir(struct search *s, pid_t pid, struct err *err)
{
	size_t len;
	char *maps = read_proc(pid, "maps", &len), here[256] = "";
	uint64_t at = maps ? variable_at(pid, maps, "MPIR_proctable") : 0, list;
	uint64_t size_at = at ? variable_at(pid, maps, "MPIR_proctable_size") : 0;
	int32_t n = 0;

	free(maps);
	if (!at || !size_at || !read_memory(pid, size_at, &n, sizeof(n)) || n <= 0 ||
	    n > (int32_t)RANKSET_MAX || !read_memory(pid, at, &list, sizeof(list)))
		return 0;
	log_debug("attach", "the launcher's table has %d ranks", n);
	gethostname(here, sizeof(here) - 1);
	for (int32_t i = 0; i < n; i++) {
		struct mpir e;
		char host[256];

		if (!read_memory(pid, list + (uint64_t)i * sizeof(e), &e, sizeof(e)))
			return 0;
		read_text(pid, e.host, host, sizeof(host));
		if (!same_host(host, here) && strcmp(host, "localhost")) {
			s->out->elsewhere++;
			snprintf(s->out->host, sizeof(s->out->host), "%s", host);
		} else if (e.pid > 0 && take_rank(s, (uint32_t)i, e.pid, err)) {
			return -1;
		}
	}
	if ((uint32_t)n > s->size)
		s->size = (uint32_t)n;
	return n;
}

static int by_depth(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->depth > y->depth) - (x->depth < y->depth);
}

/* Ranks below a process; when there are none it is one itself, with that number. */
static int search_below(struct search *s, pid_t pid, uint32_t number, struct err *err)
{
	struct table *t = &s->table;
	size_t before = s->n;
	int rc = 0;

	for (size_t i = 0; i < t->n; i++)
		t->list[i].depth = depth_below(t, t->list[i].pid, pid);
	qsort(t->list, t->n, sizeof(*t->list), by_depth);
	for (size_t i = 0; i < t->n && !rc; i++)
		if (t->list[i].depth)
			rc = take_descendant(s, t->list[i].pid, err);
	return rc || s->n > before ? rc : take_rank(s, number, pid, err);
}

/* One of the processes that were named. */
static int search_one(struct search *s, pid_t pid, uint32_t number, struct err *err)
{
	char path[64];
	uint32_t rank, size;
	int found;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	if (access(path, F_OK))
		return err_set(err, "there is no process %d on this host", pid);
	if (pid == getpid())
		return err_set(err, "process %d is dvmdbg itself", pid);
	if (read_rank(pid, &rank, &size)) {
		if (size > s->size)
			s->size = size;
		return take_rank(s, rank, pid, err);
	}
	found = search_mpir(s, pid, err);
	if (found)
		return found < 0 ? -1 : 0;
	return search_below(s, pid, number, err);
}

/* The kernel asks the same here as for ptrace. -1 and err, with what forbids it. */
static int check_allowed(pid_t pid, struct err *err)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (errno == ENOENT)
		return err_set(err, "process %d has ended", pid);
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (proc_number(path, "Uid:") != (long)geteuid() && proc_number(path, "Uid:") >= 0) {
		const struct passwd *pw = getpwuid((uid_t)proc_number(path, "Uid:"));

		return err_set(err,
			       "process %d belongs to the user %s; only that user or root can "
			       "attach to it",
			       pid, pw ? pw->pw_name : "of another number");
	}
	proc_trace_refused(pid, EACCES, err);
	return err_prefix(err, "process %d cannot be attached to", pid);
}

static int by_rank(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* What they run, as it can be started again. */
static void read_program(struct processes *p)
{
	char path[64], exe[PATH_MAX] = "";
	size_t len = 0;
	char *line = read_proc(p->list[0].pid, "cmdline", &len);
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", p->list[0].pid);
	n = readlink(path, exe, sizeof(exe) - 1);
	exe[n > 0 ? n : 0] = '\0';
	p->program = xstrdup(exe);
	*xvec_add(p->argv, p->argc) = xstrdup(exe);
	for (const char *w = line; w && w < line + len; w += strlen(w) + 1)
		if (w != line)
			*xvec_add(p->argv, p->argc) = xstrdup(w);
	free(line);
}

int processes_find(struct processes *p, const pid_t *pid, size_t n, struct err *err)
{
	struct search s = { .out = p };
	int rc = 0;

	*p = (struct processes){ 0 };
	table_read(&s.table);
	for (size_t i = 0; i < n && !rc; i++)
		rc = search_one(&s, pid[i], (uint32_t)i, err);
	if (!rc && !s.n)
		rc = err_set(err, "the ranks are on other hosts, %s is one; attach there", p->host);
	for (size_t i = 0; i < s.n && !rc; i++) {
		*xvec_add(p->list, p->n) = (struct process){ s.list[i].rank, s.list[i].pid };
		rc = check_allowed(s.list[i].pid, err);
	}
	if (!rc) {
		qsort(p->list, p->n, sizeof(*p->list), by_rank);
		p->size = p->list[p->n - 1].rank + 1;
		if (s.size > p->size)
			p->size = s.size;
		read_program(p);
	} else {
		processes_clear(p);
	}
	free(s.list);
	free(s.table.list);
	return rc;
}

void processes_clear(struct processes *p)
{
	for (int i = 0; i < p->argc; i++)
		free(p->argv[i]);
	free(p->argv);
	free(p->program);
	free(p->list);
	*p = (struct processes){ 0 };
}
