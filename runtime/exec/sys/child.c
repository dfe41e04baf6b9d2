/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/sys/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/core/log.h"
#include "runtime/exec/sys/clock.h"
#include "runtime/exec/sys/core.h"
#include "runtime/exec/sys/output.h"
#include "runtime/page/page.h"

extern char **environ;

struct child {
	struct child_spec spec;
	struct page *page;
	size_t page_bytes;
	void *area; /* of traces, NULL: there is none */
	size_t area_bytes;
	int page_fd;
	pid_t pid;
	struct output *output; /* owned; NULL: it has our own descriptors */
	int error_fd;
	int exec_errno;
	int status;
	bool ended, killed;
	bool attached; /* error_fd is then of the process */
	bool kept;     /* and the page is the process's */
	struct core *core; /* owned; NULL: there is a process */
	bool waited;   /* its end came with its status, as it was being traced */
};

static int page_make(struct child *c, struct err *err)
{
	size_t unit = (size_t)sysconf(_SC_PAGESIZE);

	c->page_bytes = (sizeof(struct page) + unit - 1) / unit * unit;
	c->page_fd = memfd_create(PAGE_FILE, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (c->page_fd < 0)
		return err_set(err, "cannot make the shared page: %s", strerror(errno));
	if (ftruncate(c->page_fd, (off_t)c->page_bytes))
		return err_set(err, "cannot size the shared page: %s", strerror(errno));
	c->page = mmap(NULL, c->page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
		       c->page_fd, 0);
	if (c->page == MAP_FAILED) {
		c->page = NULL;
		return err_set(err, "cannot map the shared page: %s", strerror(errno));
	}
	c->page->magic = PAGE_MAGIC;
	c->page->version = PAGE_VERSION;
	c->page->rank = c->spec.rank;
	c->page->size = c->spec.size;
	atomic_store(&c->page->exec_pid, getpid());
	return 0;
}

struct child *child_create(const struct child_spec *spec, struct err *err)
{
	struct child *c = calloc(1, sizeof(*c));

	if (!c) {
		err_set(err, "out of memory");
		return NULL;
	}
	c->spec = *spec;
	c->page_fd = c->error_fd = -1;
	if (page_make(c, err)) {
		child_destroy(c);
		return NULL;
	}
	return c;
}

void child_destroy(struct child *c)
{
	if (!c)
		return;
	output_destroy(c->output);
	core_close(c->core);
	if (c->area)
		munmap(c->area, c->area_bytes);
	if (c->page)
		munmap(c->page, c->page_bytes);
	if (c->page_fd >= 0)
		close(c->page_fd);
	if (c->error_fd >= 0)
		close(c->error_fd);
	free(c);
}

/* A program that shrank it could end us with SIGBUS. */
static int page_seal(const struct child *c, struct err *err)
{
	if (c->pid || !fcntl(c->page_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return 0;
	return err_set(err, "cannot seal the shared page: %s", strerror(errno));
}

int child_area(struct child *c, size_t bytes, struct err *err)
{
	struct page_trace *t = &c->page->trace;
	size_t unit = (size_t)sysconf(_SC_PAGESIZE), block = bytes / PAGE_BLOCKS / unit * unit;

	if (c->area)
		return 0;
	bytes = block * PAGE_BLOCKS;
	if (ftruncate(c->page_fd, (off_t)(c->page_bytes + bytes)))
		return err_set(err, "cannot make room for traces: %s", strerror(errno));
	c->area = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, c->page_fd,
		       (off_t)c->page_bytes);
	if (c->area == MAP_FAILED) {
		c->area = NULL;
		return err_set(err, "cannot map the traces: %s", strerror(errno));
	}
	c->area_bytes = bytes;
	t->offset = c->page_bytes;
	t->block_bytes = (uint32_t)block;
	t->nblock = PAGE_BLOCKS;
	return 0;
}

void *child_area_at(const struct child *c, size_t *bytes)
{
	*bytes = c->area_bytes;
	return c->area;
}

struct page *child_page(const struct child *c)
{
	return c->page;
}

/* The first executable file of that name, as execvp finds it; allocated. */
static char *find_program(const char *name)
{
	const char *path = getenv("PATH"), *end;
	struct stat st;
	char *full;

	if (strchr(name, '/'))
		return strdup(name);
	for (path = path ? path : "/bin:/usr/bin";; path = end + 1) {
		end = strchrnul(path, ':');
		if (asprintf(&full, "%.*s%s%s", (int)(end - path), path, end > path ? "/" : "./",
			     name) < 0)
			return NULL;
		if (stat(full, &st) == 0 && S_ISREG(st.st_mode) && access(full, X_OK) == 0)
			return full;
		free(full);
		if (!*end)
			return strdup(name);
	}
}

static const char *const secret_names[] = { "DVMDBG_RENDEZVOUS", "DVMDBG_SECRET", "DVMDBG_PRELOAD",
					    "DVMDBG_REGIONS",
					    "DVMDBG_NO_VM", "DVMDBG_PAGE", "DVMDBG_OUTPUT" };

static bool is_named(const char *entry, const char *name)
{
	size_t n = strlen(name);

	return strncmp(entry, name, n) == 0 && entry[n] == '=';
}

static bool is_ours(const char *entry)
{
	for (size_t i = 0; i < sizeof(secret_names) / sizeof(secret_names[0]); i++)
		if (is_named(entry, secret_names[i]))
			return true;
	return is_named(entry, "LD_PRELOAD");
}

/* The program's environment: nothing secret, the page and the libraries. Strings mixed, see
 * env_free. */
static char **env_make(const struct child *c)
{
	const char *former = getenv("LD_PRELOAD"), *preload = c->spec.preload;
	const char *regions = c->page->points == POINT_KIND_OMP ? c->spec.regions : NULL;
	size_t n = 0, m = 0;
	char **env;

	while (environ[n])
		n++;
	env = calloc(n + 3, sizeof(*env));
	if (!env)
		return NULL;
	if (asprintf(&env[m++], "DVMDBG_PAGE=/proc/%d/fd/%d", getpid(), c->page_fd) < 0)
		goto fail;
	if (!preload)
		preload = "";
	if (!regions)
		regions = "";
	if (!former)
		former = "";
	if (asprintf(&env[m++], "LD_PRELOAD=%s%s%s%s%s", preload, *preload && *regions ? ":" : "",
		     regions, (*preload || *regions) && *former ? ":" : "", former) < 0)
		goto fail;
	if (!*preload && !*regions && !*former)
		free(env[--m]);
	for (size_t i = 0; i < n; i++)
		if (!is_ours(environ[i]))
			env[m++] = environ[i];
	env[m] = NULL;
	return env;
fail:
	env[m - 1] = NULL;
	free(env[0]);
	free(env);
	return NULL;
}

static void env_free(char **env)
{
	free(env[0]);
	if (env[1] && is_named(env[1], "LD_PRELOAD"))
		free(env[1]);
	free(env);
}

/* In the child. Only what may be called between fork and exec. */
static void run_program(struct child *c, const char *path, char **env, bool die_with_us,
			int error_fd)
{
	pid_t parent = atomic_load(&c->page->exec_pid);
	int e;

	if (die_with_us) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(127);
	}
	if (c->output)
		output_enter(c->output);
	atomic_store(&c->page->program_pid, getpid());
	sigprocmask(SIG_SETMASK, c->spec.mask, NULL);
	execve(path, c->spec.argv, env);
	e = errno;
	if (write(error_fd, &e, sizeof(e)) < 0)
		_exit(126);
	_exit(127);
}

int child_start(struct child *c, bool die_with_us, struct err *err)
{
	char *path = find_program(c->spec.argv[0]);
	char **env = env_make(c);
	struct err no_output;
	int fd[2], ret = -1;

	if (!path || !env) {
		err_set(err, "out of memory");
		goto out;
	}
	if (page_seal(c, err))
		goto out;
	if (pipe2(fd, O_CLOEXEC | O_NONBLOCK)) {
		err_set(err, "pipe: %s", strerror(errno));
		goto out;
	}
	if (c->spec.output)
		c->output = output_create(&no_output);
	c->pid = fork();
	if (c->pid == 0)
		run_program(c, path, env, die_with_us, fd[1]);
	close(fd[1]);
	if (c->output)
		output_entered(c->output);
	if (c->pid < 0) {
		err_set(err, "cannot start a process: %s", strerror(errno));
		close(fd[0]);
		c->pid = 0;
		goto out;
	}
	log_debug("child", "started %s as %d", path, c->pid);
	c->error_fd = fd[0];
	ret = 0;
out:
	free(path);
	if (env)
		env_free(env);
	return ret;
}

#define TAKEN_MS 2000 /* for a supervisor to let go */

/* Whether the page is one that the process has made for who attaches. */
static bool is_page_of(const struct page *p, pid_t pid)
{
	return p->magic == PAGE_MAGIC && p->version == PAGE_VERSION &&
	       atomic_load(&p->program_pid) == pid && atomic_load(&p->state) != PAGE_OFF &&
	       atomic_load(&p->state) != PAGE_FRESH;
}

/* Another supervisor has it, and lives, or it has still to notice that this is no more. */
static bool is_in_use(const struct page *p)
{
	int32_t exec = atomic_load(&p->exec_pid);

	return (exec && (!kill(exec, 0) || errno == EPERM)) ||
	       atomic_load(&p->state) == PAGE_PARKED;
}

/* The same after some time: one that is about to leave is waited for. */
static bool is_taken(const struct page *p, pid_t pid)
{
	const struct timespec nap = { .tv_nsec = 20000000 };
	int64_t until = clock_msec() + TAKEN_MS;

	while (is_in_use(p) && clock_msec() < until)
		nanosleep(&nap, NULL);
	if (!is_in_use(p))
		return false;
	fprintf(stderr,
		"dvmdbg-exec: process %d: another dvmdbg has its points and arrays; its stacks can "
		"be looked at\n",
		pid);
	return true;
}

/* Takes it in place of ours: it has the points and objects so far. */
static void page_take(struct child *c, struct page *p, int fd)
{
	munmap(c->page, c->page_bytes);
	close(c->page_fd);
	c->page = p;
	c->page_fd = fd;
	p->rank = c->spec.rank;
	p->size = c->spec.size;
	atomic_store(&p->freeze, 0);
	atomic_store(&p->sums_tail, atomic_load(&p->sums_head));
	atomic_store(&p->exec_pid, getpid());
	c->kept = true;
}

static bool try_page(struct child *c, const char *path, pid_t pid)
{
	int fd = open(path, O_RDWR | O_CLOEXEC), seals;
	struct page *p = MAP_FAILED;
	struct stat st;

	if (fd < 0)
		return false;
	seals = fcntl(fd, F_GET_SEALS);
	/* else it could end us with SIGBUS */
	if (seals >= 0 && seals & F_SEAL_SHRINK && !fstat(fd, &st) &&
	    st.st_size >= (off_t)sizeof(struct page))
		p = mmap(NULL, c->page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd,
			 0);
	if (p != MAP_FAILED && is_page_of(p, pid) && !is_taken(p, pid)) {
		page_take(c, p, fd);
		return true;
	}
	if (p != MAP_FAILED)
		munmap(p, c->page_bytes);
	close(fd);
	return false;
}

/* A program that was started with DVMDBG_ATTACH has a page, and its descriptor. */
static void find_page(struct child *c, pid_t pid)
{
	static const char name[] = "/memfd:" PAGE_FILE " ";
	char path[64], link[64];
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	while (dir && !c->kept && (d = readdir(dir))) {
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/%d/fd/%.20s", pid, d->d_name);
		n = readlink(path, link, sizeof(link));
		if (n >= (ssize_t)sizeof(name) - 1 && !memcmp(link, name, sizeof(name) - 1))
			try_page(c, path, pid);
	}
	if (dir)
		closedir(dir);
}

int child_attach(struct child *c, pid_t pid, struct err *err)
{
	c->error_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (c->error_fd < 0 && errno == ENOSYS)
		return err_set(err, "the kernel has no pidfd_open: Linux 5.3 is needed");
	if (c->error_fd < 0)
		return err_set(err, "process %d: %s", pid, strerror(errno));
	fcntl(c->error_fd, F_SETFD, FD_CLOEXEC);
	c->pid = pid;
	c->attached = true;
	find_page(c, pid);
	/* else nothing in it looks at the page */
	if (!c->kept) {
		atomic_store(&c->page->program_pid, pid);
		atomic_store(&c->page->state, PAGE_OFF);
	}
	log_debug("child", "attached to %d", pid);
	return 0;
}

void child_let_go(struct child *c)
{
	if (c->kept)
		atomic_store(&c->page->exec_pid, 0);
}

#define NO_PROCESS INT32_MAX /* beyond what the kernel gives */

int child_core(struct child *c, const char *path, const char *program, struct err *err)
{
	c->core = core_open(path, program, err);
	if (!c->core)
		return -1;
	c->pid = NO_PROCESS;
	c->attached = true;
	atomic_store(&c->page->state, PAGE_OFF);
	return 0;
}

struct core *child_core_of(const struct child *c)
{
	return c->core;
}

bool child_is_attached(const struct child *c)
{
	return c->attached;
}

struct output *child_output(const struct child *c)
{
	return c->output;
}

pid_t child_pid(const struct child *c)
{
	return c->pid;
}

bool child_ended(const struct child *c)
{
	return c->ended;
}

int child_error_fd(const struct child *c)
{
	return c->error_fd;
}

/* One that was attached to has ended. True when that is news. */
static bool attached_ended(struct child *c)
{
	bool was_ended = c->ended;

	c->ended = true;
	return !was_ended;
}

bool child_error_read(struct child *c)
{
	int e = 0;
	ssize_t n = 0;

	if (c->error_fd < 0)
		return false;
	if (!c->attached)
		n = read(c->error_fd, &e, sizeof(e));
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n == (ssize_t)sizeof(e))
		c->exec_errno = e;
	close(c->error_fd);
	c->error_fd = -1;
	return c->attached && attached_ended(c);
}

void child_unpause(pid_t pid, int status)
{
	bool ours = status >> 16 == PTRACE_EVENT_STOP;

	ptrace(PTRACE_DETACH, pid, NULL, (void *)(uintptr_t)(ours ? 0 : WSTOPSIG(status)));
}

/* Reaps whoever has ended; false when nobody is left below us. */
static bool reap(struct child *c)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		/* a pause that came later than we waited for it */
		if (WIFSTOPPED(status)) {
			child_unpause(pid, status);
			continue;
		}
		if (pid != c->pid || c->ended)
			continue;
		child_error_read(c);
		c->waited = true;
		c->status = status;
		c->ended = true;
		log_debug("child", "%d ended with status 0x%x", pid, status);
	}
	return pid == 0;
}

bool child_reap(struct child *c)
{
	bool was_ended = c->ended;

	if (reap(c) && c->killed)
		child_kill(c);
	return c->ended && !was_ended;
}

int child_status(const struct child *c, int *status)
{
	*status = c->status;
	return c->attached && !c->waited ? -1 : c->exec_errno;
}

uint64_t child_oom_kills(void)
{
	FILE *f = fopen("/proc/vmstat", "re");
	unsigned long long n = 0;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "oom_kill %llu", &n) == 1)
			break;
	if (f)
		fclose(f);
	return n;
}

int child_exit_code(const struct child *c)
{
	if (c->attached)
		return 0;
	if (c->exec_errno)
		return c->exec_errno == ENOENT ? 127 : 126;
	if (!c->ended)
		return c->pid ? 128 + SIGKILL : 0;
	return WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status) : WEXITSTATUS(c->status);
}

void child_signal(const struct child *c, int sig)
{
	if (c->pid && !c->ended && !c->attached)
		kill(c->pid, sig);
}

/* The parent of a process, 0 when it is gone. */
static pid_t parent_of(const char *pid)
{
	char path[64], text[512], *p;
	int fd, ppid = 0;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	/* the name is in parentheses and may hold anything */
	p = strrchr(text, ')');
	if (!p || sscanf(p + 1, " %*c %d", &ppid) != 1)
		return 0;
	return ppid;
}

/* Where the kernel does not list children: looks at all processes. */
static void kill_by_search(void)
{
	DIR *d = opendir("/proc");
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && parent_of(e->d_name) == getpid())
			kill(atoi(e->d_name), SIGKILL);
	if (d)
		closedir(d);
}

/* Kills all children, adopted ones too (those of the main thread: only that one starts any). */
static void kill_children(void)
{
	char path[64];
	FILE *f;
	int pid;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	f = fopen(path, "re");
	if (!f) {
		kill_by_search();
		return;
	}
	while (fscanf(f, "%d", &pid) == 1)
		if (pid > 0)
			kill(pid, SIGKILL);
	fclose(f);
}

void child_kill(struct child *c)
{
	if (c->attached)
		return;
	c->killed = true;
	atomic_store(&c->page->fatal, 1);
	child_signal(c, SIGKILL);
	kill_children();
}

bool child_was_killed(const struct child *c)
{
	return c->killed;
}

bool child_kill_all(struct child *c, int timeout_ms)
{
	int64_t until = clock_msec() + timeout_ms;

	if (c->attached)
		return true;
	for (;;) {
		child_kill(c);
		if (!reap(c))
			return true;
		if (clock_msec() >= until)
			return false;
		usleep(2000);
	}
}
