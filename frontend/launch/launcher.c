/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/launch/launch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/core/parse.h"
#include "common/logical/rankset.h"
#include "frontend/util/xalloc.h"

/* Ranks per processor of this host that are started without being told how. */
#define RANKS_PER_PROCESSOR 256

void launcher_words_free(char **word)
{
	for (size_t i = 0; word && word[i]; i++)
		free(word[i]);
	free(word);
}

/* Copies one word from *text, which is moved behind it; NULL when a quote is not closed. */
static char *take_word(const char **text)
{
	char *out = xcalloc(1, strlen(*text) + 1), quote = 0;
	size_t n = 0;
	const char *s;

	for (s = *text; *s; s++) {
		if (!quote && strchr(" \t\n", *s))
			break;
		if (!quote && (*s == '\'' || *s == '"'))
			quote = *s;
		else if (quote && *s == quote)
			quote = 0;
		else if (*s == '\\' && quote != '\'' && s[1])
			out[n++] = *++s;
		else
			out[n++] = *s;
	}
	*text = s;
	if (quote) {
		free(out);
		return NULL;
	}
	return out;
}

char **launcher_words(const char *text, struct err *err)
{
	const char *s = text;
	char **word = xcalloc(strlen(text) + 2, sizeof(*word));
	size_t n = 0;

	while (*(s += strspn(s, " \t\n"))) {
		word[n] = take_word(&s);
		if (!word[n]) {
			launcher_words_free(word);
			err_set(err, "launcher '%s': a quote is not closed", text);
			return NULL;
		}
		n++;
	}
	return word;
}

void launcher_clear(struct launcher *l)
{
	launcher_words_free(l->word);
	*l = (struct launcher){ 0 };
}

static bool is_openmpi_name(const char *name)
{
	return strstr(name, "openmpi") || strcmp(name, "orterun") == 0 ||
	       strcmp(name, "prterun") == 0;
}

/* Open MPI's mpiexec, by its name, by that of the file it is, or by what the program needs. */
static bool is_openmpi(const char *path, const struct program *p)
{
	const char *name = path_base(path);
	char *file;
	bool is;

	if (is_openmpi_name(name))
		return true;
	if (strcmp(name, "mpiexec") != 0 && strcmp(name, "mpirun") != 0)
		return false;
	file = realpath(path, NULL);
	is = p->mpi == PROGRAM_MPI_OPENMPI || (file && is_openmpi_name(path_base(file)));
	free(file);
	return is;
}

/* A batch system or a host list lets even a plain mpiexec reach other hosts. */
static bool may_be_remote(const struct launcher *l)
{
	static const char *const batch[] = {
		"SLURM_JOB_NODELIST", "PBS_NODEFILE",	 "LSB_HOSTS",
		"PE_HOSTFILE",	      "HYDRA_HOST_FILE", "OMPI_MCA_orte_default_hostfile"
	};
	static const char *const hosts[] = { "-host",	     "--host",	      "-hosts",
					     "-hostfile",    "--hostfile",    "-f",
					     "-machinefile", "--machinefile", "-hostlist" };
	const char *name = path_base(l->word[0]);

	for (size_t i = 0; i < sizeof(batch) / sizeof(batch[0]); i++)
		if (getenv(batch[i]))
			return true;
	if (!l->given)
		return false;
	if (strncmp(name, "mpiexec", 7) != 0 && strncmp(name, "mpirun", 6) != 0)
		return true;
	for (size_t w = 1; l->word[w]; w++)
		for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++)
			if (strcmp(l->word[w], hosts[i]) == 0)
				return true;
	return false;
}

/*
 * Only Open MPI's needs one. On other hosts it would be made too, and stay; and next to a directory
 * for this host alone or for the others Open MPI takes none for all.
 */
static bool needs_scratch(const struct launcher *l)
{
	if (!l->openmpi || l->remote || getenv("OMPI_MCA_orte_local_tmpdir_base") ||
	    getenv("OMPI_MCA_orte_remote_tmpdir_base"))
		return false;
	for (size_t w = 1; l->word[w]; w++)
		if (strstr(l->word[w], "tmpdir_base"))
			return false;
	return true;
}

/* Replaces word[0] by the file it names. */
static int resolve(struct launcher *l, struct err *err)
{
	char *path;

	if (!l->word[0])
		return err_set(err, "the launcher is empty; give a command as \"srun --mpi=pmix\"");
	path = program_find(l->word[0]);
	if (!path)
		return err_set(err, "the launcher '%s' is %s", l->word[0],
			       strchr(l->word[0], '/') ? "not there or not executable"
						       : "not found in PATH");
	free(l->word[0]);
	l->word[0] = path;
	return 0;
}

/* The first of the names that is installed, as a launcher of one word. 0, -1 when none is. */
static int take_first(struct launcher *l, const char *const *names)
{
	for (; *names; names++) {
		char *path = program_find(*names);

		if (!path)
			continue;
		l->word = xcalloc(2, sizeof(*l->word));
		l->word[0] = path;
		return 0;
	}
	return -1;
}

/* By what the program needs. */
static int choose_default(struct launcher *l, const struct program *p, int n, struct err *err)
{
	static const char *const names[][5] = {
		[PROGRAM_MPI_NONE] = { "mpiexec", "mpirun", "mpiexec.openmpi", "mpiexec.mpich" },
		[PROGRAM_MPI_OPENMPI] = { "mpiexec.openmpi", "mpiexec", "mpirun", "orterun" },
		[PROGRAM_MPI_MPICH] = { "mpiexec.mpich", "mpiexec.hydra", "mpiexec", "mpirun" },
	};

	if (p->mpi == PROGRAM_MPI_NONE && n <= 1)
		return 0;
	if (take_first(l, names[p->mpi]) == 0)
		return 0;
	if (n <= 1) /* an MPI program can be alone */
		return 0;
	return err_set(
		err,
		"no launcher for %d ranks: none of %s, %s, %s, %s is in PATH (the program needs "
		"%s); install one or name another with --launcher",
		n, names[p->mpi][0], names[p->mpi][1], names[p->mpi][2], names[p->mpi][3],
		program_mpi_words(p->mpi));
}

/* A typing error must not start a hundred thousand processes here. */
static int check_size(const struct launcher *l, int n, struct err *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	long most = (cpus > 0 ? cpus : 1) * RANKS_PER_PROCESSOR;

	if (n < 0)
		return err_set(err, "-n %d: the number of ranks is 1 or more", n);
	if ((unsigned)n > RANKSET_MAX)
		return err_set(err, "-n %d: at most %u ranks are possible", n, RANKSET_MAX);
	if (!l->given && !l->remote && n > most)
		return err_set(
			err,
			"-n %d: at most %ld ranks are started on this host (%d for each of its %ld "
			"processors); name a launcher for more with --launcher",
			n, most, RANKS_PER_PROCESSOR, cpus);
	return 0;
}

int launcher_choose(struct launcher *l, const char *text, const struct program *p, int n,
		    struct err *err)
{
	*l = (struct launcher){ .given = text != NULL };
	if (text) {
		l->word = launcher_words(text, err);
		if (!l->word || resolve(l, err) < 0) {
			launcher_clear(l);
			return -1;
		}
	} else if (choose_default(l, p, n, err) < 0) {
		return -1;
	}
	if (l->word) {
		l->openmpi = is_openmpi(l->word[0], p);
		l->remote = may_be_remote(l);
		l->scratch = needs_scratch(l);
	}
	if (check_size(l, n, err) < 0) {
		launcher_clear(l);
		return -1;
	}
	return 0;
}
