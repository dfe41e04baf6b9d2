/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/output/pager.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "frontend/output/output.h"

#define PAGER_ROWS 4	  /* a terminal with fewer has no room for it */
#define PAGER_LOOK_MS 200 /* for a signal that asks us to end */

static const char question[] = "-- more: space, Enter: a line, c: all, q: quit --";

void pager_begin(struct pager *p, FILE *f, int in)
{
	struct winsize size;

	*p = (struct pager){ .in = in };
	if (ioctl(fileno(f), TIOCGWINSZ, &size) || size.ws_row < PAGER_ROWS || !size.ws_col)
		return;
	p->f = f;
	p->rows = size.ws_row;
	p->columns = size.ws_col;
}

void pager_end(struct pager *p)
{
	p->f = NULL;
}

bool pager_is_on(const struct pager *p)
{
	return p->f != NULL;
}

/* The next key, 'q' when there can be none. */
static char read_key(int fd)
{
	struct termios former, raw;
	struct pollfd in = { .fd = fd, .events = POLLIN };
	char key = 'q';
	ssize_t got = -1;

	if (tcgetattr(fd, &former))
		return 'q';
	raw = former;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
	raw.c_iflag |= ICRNL;
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	tcsetattr(fd, TCSADRAIN, &raw);
	while (!out_cut_short()) {
		int n = poll(&in, 1, PAGER_LOOK_MS);

		if (n < 0 && errno != EINTR)
			break;
		if (n <= 0)
			continue;
		got = read(fd, &key, 1);
		break;
	}
	tcsetattr(fd, TCSADRAIN, &former);
	return got == 1 ? key : 'q';
}

/* Asks how to go on, until a key is one that says so. */
static void ask(struct pager *p)
{
	fputs(question, p->f);
	fflush(p->f);
	for (bool decided = false; !decided;) {
		decided = true;
		switch (read_key(p->in)) {
		case ' ':
		case 'f':
			p->used = 0;
			break;
		case '\n':
		case 'j':
			p->used = p->rows - 2;
			break;
		case 'c':
			p->all = true;
			break;
		case 'q':
		case 'Q':
		case 3: /* Ctrl-C */
		case 4:
		case 27:
			p->enough = true;
			break;
		default:
			decided = false;
		}
	}
	fputs("\r\033[K", p->f);
}

/* Rows of the terminal that a line takes. */
static size_t rows_of(const struct pager *p, const char *line, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += (line[i] & 0xc0) != 0x80;
	return n ? (n + p->columns - 1) / p->columns : 1;
}

void pager_write(struct pager *p, const char *text, size_t len)
{
	while (len && !p->enough) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;
		size_t rows = rows_of(p, text, n);

		/* a line that fills more than a screen by itself goes as it is */
		if (!p->all && p->used && p->used + rows > p->rows - 1) {
			ask(p);
			if (p->enough)
				break;
		}
		n += end ? 1 : 0;
		fwrite(text, 1, n, p->f);
		p->used += rows;
		text += n;
		len -= n;
	}
	fflush(p->f);
}
