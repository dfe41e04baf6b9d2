/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/err.h"
#include "frontend/launch/launch.h"

static char dir[] = "/tmp/dvmdbg-test-XXXXXX";

static int make_dir(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char cmd[64];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd);
}

/* "dir/name", in one of four buffers in turn. */
static const char *in_dir(const char *name)
{
	static char path[4][256];
	static unsigned i;

	i = (i + 1) % 4;
	snprintf(path[i], sizeof(path[i]), "%s/%s", dir, name);
	return path[i];
}

static void write_file(const char *path, const void *data, size_t len, int mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	close(fd);
}

/* Runs a shell command in dir; skips the test when it fails (no such compiler here). */
static void need(const char *cmd)
{
	char text[1024];

	snprintf(text, sizeof(text), "cd %s && (%s) >/dev/null 2>&1", dir, cmd);
	if (system(text) != 0)
		skip();
}

static void assert_refused(const char *name, const char *why)
{
	struct program p;
	struct err err = { "" };

	assert_int_equal(program_open(&p, name, &err), -1);
	if (!strstr(err.text, why))
		fail_msg("'%s' does not say '%s'", err.text, why);
	assert_null(p.path);
}

static void what_cannot_be_started_is_said(void **state)
{
	assert_refused("/no/such/program", "/no/such/program: there is no such file");
	assert_refused("no-such-program-anywhere", "not found in PATH");
	assert_refused(dir, "is a directory");
	write_file(in_dir("plain"), "text\n", 5, 0644);
	assert_refused(in_dir("plain"), "is not executable");
	chmod(in_dir("plain"), 0755);
	assert_refused(in_dir("plain"), "is not a program");
	write_file(in_dir("short"), "\177ELF", 4, 0755);
	assert_refused(in_dir("short"), "ELF");
	assert_refused("", "empty");
}

static void a_file_here_is_named_when_it_is_not_in_path(void **state)
{
	char *old = getcwd(NULL, 0);

	write_file(in_dir("here"), "#!/bin/sh\n", 10, 0755);
	assert_int_equal(chdir(dir), 0);
	assert_refused("here", "./here");
	assert_int_equal(chdir(old), 0);
	free(old);
}

static void a_program_of_another_machine_is_refused(void **state)
{
	char *true_path = program_find("true");
	unsigned char data[65536];
	int fd = open(true_path, O_RDONLY);
	ssize_t len = read(fd, data, sizeof(data));
	Elf64_Ehdr *head = (void *)data;

	assert_true(len > 1000);
	close(fd);
	head->e_machine = head->e_machine == EM_AARCH64 ? EM_X86_64 : EM_AARCH64;
	write_file(in_dir("foreign"), data, (size_t)len, 0755);
	assert_refused(in_dir("foreign"), ", this dvmdbg for ");
	free(true_path);
}

static void a_plain_program_is_found_in_path(void **state)
{
	struct program p;

	assert_int_equal(program_open(&p, "true", NULL), 0);
	assert_non_null(strchr(p.path, '/'));
	assert_false(p.script);
	assert_false(p.is_static);
	assert_false(p.annotated);
	assert_int_equal(p.mpi, PROGRAM_MPI_NONE);
	program_clear(&p);
}

static void a_script_is_taken_as_such(void **state)
{
	struct program p;

	write_file(in_dir("script"), "#!/bin/sh\nexec true\n", 20, 0755);
	assert_int_equal(program_open(&p, in_dir("script"), NULL), 0);
	assert_true(p.script);
	program_clear(&p);
}

static void annotations_are_seen_by_library_and_by_symbol(void **state)
{
	struct program p;

	need("echo 'void dvmdbg_end_at(int k){}' >lib.c && cc -shared -fPIC lib.c "
	     "-Wl,-soname,libdvmdbg.so.0 -o libdvmdbg.so && "
	     "echo 'void dvmdbg_end_at(int); int main(void){dvmdbg_end_at(1);}' >a.c && "
	     "echo 'int main(void){return 0;}' >none.c && "
	     "cc none.c -Wl,--no-as-needed -L. -ldvmdbg -o by-lib && "
	     "cc -shared -fPIC lib.c -Wl,-soname,libother.so.0 -o libother.so && "
	     "cc a.c -L. -lother -o by-symbol && cc none.c -Wl,--no-as-needed -L. -lother -o "
	     "neither");
	assert_int_equal(program_open(&p, in_dir("by-lib"), NULL), 0);
	assert_true(p.annotated);
	program_clear(&p);
	assert_int_equal(program_open(&p, in_dir("by-symbol"), NULL), 0);
	assert_true(p.annotated);
	program_clear(&p);
	assert_int_equal(program_open(&p, in_dir("neither"), NULL), 0);
	assert_false(p.annotated);
	program_clear(&p);
}

static void a_static_program_is_recognised(void **state)
{
	struct program p;

	need("echo 'int main(void){return 0;}' >s.c && cc -static s.c -o static");
	assert_int_equal(program_open(&p, in_dir("static"), NULL), 0);
	assert_true(p.is_static);
	program_clear(&p);
}

static void mpi_is_known_by_the_library_that_is_needed(void **state)
{
	static const struct {
		const char *soname;
		enum program_mpi mpi;
	} libs[] = {
		{ "libmpi.so.40", PROGRAM_MPI_OPENMPI },
		{ "libmpi_mpifh.so.40", PROGRAM_MPI_OPENMPI },
		{ "libmpich.so.12", PROGRAM_MPI_MPICH },
		{ "libmpichfort.so.12", PROGRAM_MPI_MPICH },
		{ "libmpi.so.12", PROGRAM_MPI_MPICH },
		{ "libm.so.6", PROGRAM_MPI_NONE },
	};

	for (size_t i = 0; i < sizeof(libs) / sizeof(libs[0]); i++) {
		struct program p;
		char cmd[512];

		snprintf(cmd, sizeof(cmd),
			 "echo 'int f;' >l.c && cc -shared -fPIC l.c -Wl,-soname,%s -o libl.so && "
			 "echo 'int main(void){return 0;}' >m.c && "
			 "cc m.c -Wl,--no-as-needed -L. -ll -o with-mpi",
			 libs[i].soname);
		need(cmd);
		assert_int_equal(program_open(&p, in_dir("with-mpi"), NULL), 0);
		assert_int_equal(p.mpi, libs[i].mpi);
		program_clear(&p);
	}
}

static void mpi_below_another_library_is_found(void **state)
{
	struct program p;

	need("echo 'int f;' >l.c && cc -shared -fPIC l.c -Wl,-soname,libmpi.so.40 -o libmpi.so.40 "
	     "&& "
	     "cc -shared -fPIC l.c -Wl,--no-as-needed ./libmpi.so.40 -Wl,-soname,libsolver.so.1 "
	     "-o libsolver.so.1 && echo 'int main(void){return 0;}' >m.c && "
	     "cc m.c -Wl,--no-as-needed ./libsolver.so.1 -Wl,--allow-shlib-undefined "
	     "-Wl,-rpath,'$ORIGIN' -o indirect");
	assert_int_equal(program_open(&p, in_dir("indirect"), NULL), 0);
	assert_int_equal(p.mpi, PROGRAM_MPI_OPENMPI);
	program_clear(&p);
}

static void hooks_are_known_by_their_note(void **state)
{
	struct program p;

	need("echo 'int main(void){return 0;}' >m.c && cc m.c -o plain-one && "
	     "echo '.section .note.dvmdbg,\"a\",%note; .balign 4; .long 7, 4, 1; .asciz "
	     "\"dvmdbg\"; "
	     ".balign 4; .long 1' >n.s && "
	     "echo '.section .note.other,\"a\",%note; .balign 4; .long 7, 4, 2; .asciz \"dvmdbg\"; "
	     ".balign 4; .long 1' >o.s && cc m.c n.s -o with-hooks && strip with-hooks && "
	     "cc m.c o.s -o with-others");
	assert_int_equal(program_open(&p, in_dir("plain-one"), NULL), 0);
	assert_false(p.hooked);
	program_clear(&p);
	assert_int_equal(program_open(&p, in_dir("with-hooks"), NULL), 0);
	assert_true(p.hooked);
	program_clear(&p);
	assert_int_equal(program_open(&p, in_dir("with-others"), NULL), 0);
	assert_false(p.hooked);
	program_clear(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_cannot_be_started_is_said),
		cmocka_unit_test(a_file_here_is_named_when_it_is_not_in_path),
		cmocka_unit_test(a_program_of_another_machine_is_refused),
		cmocka_unit_test(a_plain_program_is_found_in_path),
		cmocka_unit_test(a_script_is_taken_as_such),
		cmocka_unit_test(annotations_are_seen_by_library_and_by_symbol),
		cmocka_unit_test(a_static_program_is_recognised),
		cmocka_unit_test(mpi_is_known_by_the_library_that_is_needed),
		cmocka_unit_test(mpi_below_another_library_is_found),
		cmocka_unit_test(hooks_are_known_by_their_note),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
