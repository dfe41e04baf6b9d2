/* SPDX-License-Identifier: GPL-3.0-or-later */
/* clang-format off */
/*
 * What a key costs on the full screen: keys [ROWS COLUMNS] COMMAND ARGS…, with a script on standard input:
 *	wait TEXT	until the screen was sent that, a minute at most
 *	press KEYS	\e, \r, \s for a blank, ^X and \\ are known; then until the screen keeps still
 *	case KEYS NAME	keys that are timed; they have no blank
 *	run ROUNDS	all cases so far, one after the other, so many times; they are told and gone
 *	idle SECONDS	processor time of the processes below us meanwhile
 * A key's time goes from when it is sent to the end of the largest piece that comes for the screen in one
 * go, and to the last byte before the screen keeps still. Told are, with tabs between: name, median and
 * first time to the largest, median to the last, bytes for the screen, bytes from the ranks (from
 * DVMDBG_DEBUG_FILE, when DVMDBG_DEBUG has "ask"); of idle: "idle", name and number of processes,
 * milliseconds, seconds, bytes for the screen.
 */
/* clang-format on */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* The screen keeps still; less than the second after which it tells that it waits. */
#define QUIET_MS 900
#define WAIT_MS 60000
#define PIECE_MS 10 /* what comes with less between is drawn in one go */
#define CASES 16
#define ROUNDS 200
#define KINDS 32

struct timed {
	char keys[64], name[128];
	size_t n;
	double most[ROUNDS], last[ROUNDS]; /* milliseconds */
	double shown, fetched;		   /* bytes, of all rounds */
};

struct kind {
	char name[32];
	double before, after;
	int n;
};

static int terminal;
static char seen[1 << 16]; /* the last of what the screen was sent */
static size_t nseen, ncases;
static struct timed cases[CASES];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void fail(const char *what)
{
	fprintf(stderr, "keys: %s\n", what);
	exit(1);
}

/* Bytes that came within that time; 0: none, -1: the program has ended. */
static ssize_t take(int ms)
{
	struct pollfd p = { .fd = terminal, .events = POLLIN };
	char some[1 << 14];
	ssize_t n;

	if (poll(&p, 1, ms) <= 0)
		return 0;
	n = read(terminal, some, sizeof(some));
	if (n <= 0)
		return -1;
	if (nseen + (size_t)n > sizeof(seen)) {
		size_t keep = sizeof(seen) / 2 < nseen ? sizeof(seen) / 2 : nseen;

		memmove(seen, seen + nseen - keep, keep);
		nseen = keep;
	}
	memcpy(seen + nseen, some, (size_t)n);
	nseen += (size_t)n;
	return n;
}

struct drawn {
	double most, last; /* when the largest piece was complete, and when all was */
	size_t bytes;
};

/* Until nothing more comes. */
static struct drawn settle(void)
{
	struct drawn d = { .last = now() };
	size_t piece = 0, largest = 0;
	ssize_t n;

	while ((n = take(QUIET_MS)) > 0) {
		double at = now();

		piece = (at - d.last < PIECE_MS ? piece : 0) + (size_t)n;
		d.bytes += (size_t)n;
		d.last = at;
		if (piece < largest)
			continue;
		largest = piece;
		d.most = at;
	}
	if (n < 0)
		fail("the program has ended");
	return d;
}

static void wait_text(const char *text)
{
	double end = now() + WAIT_MS;

	while (!memmem(seen, nseen, text, strlen(text)))
		if (now() > end || take(100) < 0) {
			fprintf(stderr, "keys: the screen was never sent \"%s\" but\n%.*s\n", text,
				(int)nseen, seen);
			exit(1);
		}
	settle();
}

static void press(const char *keys)
{
	char out[64];
	size_t n = 0;

	for (const char *p = keys; *p && n < sizeof(out); p++) {
		if (*p == '\\' && p[1])
			p++, out[n++] = *p == 'e' ? 27 : *p == 'r' ? '\r' : *p == 's' ? ' ' : *p;
		else if (*p == '^' && isupper((unsigned char)p[1]))
			out[n++] = (char)(*++p & 0x1f);
		else
			out[n++] = *p;
	}
	nseen = 0;
	if (write(terminal, out, n) != (ssize_t)n)
		fail("keys cannot be sent");
}

/* The front end tells with each answer how many bytes it has had so far. */
static double fetched(void)
{
	const char *name = getenv("DVMDBG_DEBUG_FILE");
	FILE *f = name ? fopen(name, "r") : NULL;
	char line[400];
	double bytes = 0;

	while (f && fgets(line, sizeof(line), f)) {
		char *end = strstr(line, " bytes\n");

		if (!end)
			continue;
		while (end > line && isdigit((unsigned char)end[-1]))
			end--;
		bytes = atof(end);
	}
	if (f)
		fclose(f);
	return bytes;
}

static void one(struct timed *c)
{
	double from, before = fetched();
	struct drawn d;

	from = now();
	press(c->keys);
	d = settle();
	c->most[c->n] = d.most - from;
	c->last[c->n++] = d.last - from;
	c->shown += (double)d.bytes;
	c->fetched += fetched() - before;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_size);
	return v[n / 2];
}

static void report(struct timed *c)
{
	double first = c->most[0];

	printf("%s\t%.1f\t%.1f\t%.1f\t%.0f\t%.0f\n", c->name, median(c->most, c->n), first,
	       median(c->last, c->n), c->shown / (double)c->n, c->fetched / (double)c->n);
}

static void run(size_t rounds)
{
	for (size_t r = 0; r < rounds && r < ROUNDS; r++)
		for (size_t i = 0; i < ncases; i++)
			one(&cases[i]);
	for (size_t i = 0; i < ncases && cases[i].n; i++)
		report(&cases[i]);
	fflush(stdout);
	ncases = 0;
}

/* A process's name and parent; -1: it is gone. */
static int parent_of(int pid, char name[32])
{
	char path[64], line[512], *end;
	FILE *f;
	int parent = -1;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return -1;
	if (fgets(line, sizeof(line), f) && (end = strrchr(line, ')'))) {
		*end = 0;
		snprintf(name, 32, "%s", strchr(line, '(') + 1);
		sscanf(end + 1, " %*c %d", &parent);
	}
	fclose(f);
	return parent;
}

static bool below_us(int pid)
{
	char name[32];

	for (int depth = 0; pid > 1 && depth < 20; depth++)
		if ((pid = parent_of(pid, name)) == getpid())
			return true;
	return false;
}

/* Milliseconds of processor time of all its threads. */
static double used(int pid)
{
	char path[300];
	double ns, sum = 0;
	struct dirent *e;
	DIR *d;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "/proc/%d/task/%.20s/schedstat", pid, e->d_name);
		f = isdigit((unsigned char)e->d_name[0]) ? fopen(path, "r") : NULL;
		if (f && fscanf(f, "%lf", &ns) == 1)
			sum += ns * 1e-6;
		if (f)
			fclose(f);
	}
	if (d)
		closedir(d);
	return sum;
}

/* Adds up by the names of processes. */
static size_t look(struct kind *k, size_t n, bool after)
{
	struct dirent *e;
	DIR *d = opendir("/proc");
	char name[32];

	while (d && (e = readdir(d))) {
		int pid = atoi(e->d_name);
		size_t i = 0;

		if (pid <= 1 || !below_us(pid) || parent_of(pid, name) < 0)
			continue;
		while (i < n && strcmp(k[i].name, name))
			i++;
		if (i == n && (after || n == KINDS))
			continue;
		if (i == n) {
			k[n++] = (struct kind){ .n = 0 };
			memcpy(k[i].name, name, sizeof(name));
		}
		*(after ? &k[i].after : &k[i].before) += used(pid);
		k[i].n += !after;
	}
	if (d)
		closedir(d);
	return n;
}

static void idle(int seconds)
{
	struct kind kind[KINDS];
	size_t n = look(kind, 0, false), bytes = 0;
	double end = now() + seconds * 1e3;
	ssize_t got;

	while (now() < end && (got = take(100)) >= 0)
		bytes += (size_t)got;
	look(kind, n, true);
	for (size_t i = 0; i < n; i++)
		printf("idle\t%s\t%d\t%.2f\t%d\t%zu\n", kind[i].name, kind[i].n,
		       kind[i].after - kind[i].before, seconds, bytes);
	fflush(stdout);
}

static void obey(char *line)
{
	char *what = strtok(line, " "), *rest = strtok(NULL, "");

	if (!what || *what == '#')
		return;
	rest = rest ? rest : what + strlen(what);
	if (!strcmp(what, "wait")) {
		wait_text(rest);
	} else if (!strcmp(what, "press")) {
		press(rest);
		settle();
	} else if (!strcmp(what, "case") && ncases < CASES) {
		memset(&cases[ncases], 0, sizeof(cases[0]));
		if (sscanf(rest, "%63s %127[^\n]", cases[ncases].keys, cases[ncases].name) != 2)
			fail("case KEYS NAME");
		ncases++;
	} else if (!strcmp(what, "run")) {
		run((size_t)atoi(rest));
	} else if (!strcmp(what, "idle")) {
		idle(atoi(rest));
	} else {
		fail("a line of the script is not known");
	}
}

/* The command in a terminal of its own; its process. */
static pid_t start(char **argv, unsigned rows, unsigned columns)
{
	struct winsize size = { .ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns };
	const char *name;
	pid_t pid;

	terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (terminal < 0 || grantpt(terminal) || unlockpt(terminal) ||
	    !(name = ptsname(terminal)) || ioctl(terminal, TIOCSWINSZ, &size))
		fail("no terminal can be made");
	pid = fork();
	if (pid)
		return pid;
	setsid();
	for (int fd = 0, tty = open(name, O_RDWR); fd < 3; fd++)
		dup2(tty, fd);
	execvp(argv[0], argv);
	_exit(127);
}

int main(int argc, char **argv)
{
	unsigned rows = 24, columns = 80;
	char line[1000];
	pid_t pid;
	int at = 1;

	if (argc > 3 && isdigit((unsigned char)argv[1][0])) {
		rows = (unsigned)atoi(argv[1]);
		columns = (unsigned)atoi(argv[2]);
		at = 3;
	}
	if (at >= argc)
		fail("a command is needed");
	pid = start(argv + at, rows, columns);
	if (pid < 0)
		fail("fork");
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = 0;
		obey(line);
	}
	close(terminal);
	for (int i = 0; i < 100 && !waitpid(pid, NULL, WNOHANG); i++)
		usleep(100000);
	kill(pid, SIGKILL);
	return 0;
}
