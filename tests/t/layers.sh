# SPDX-License-Identifier: GPL-3.0-or-later
# How the sources hang together.
. "$(dirname "$0")/lib.sh"
cd "$srcdir" || exit 1

sources=$(find common runtime frontend tests doc/examples -name '*.[ch]' | sort)
every() { find common runtime frontend tests doc/examples .ci m4/dvmdbg.m4 quickstart autogen.sh \
	configure.ac Makefile.am \( -name '*.[ch]' -o -name '*.f90' -o -name '*.sh' -o -name '*.mk' \
	-o -path .ci/run -o -name '*.m4' -o -name quickstart -o -name configure.ac -o -name Makefile.am \) -type f; }

is "every source names its licence at the top" \
	"$(every | while read -r f; do head -n 3 "$f" | grep -q SPDX-License-Identifier || echo "$f"; done)" ""
is "what goes into programs is BSD" \
	"$(grep -L 'SPDX-License-Identifier: BSD-3-Clause' common/*.[ch] runtime/*.[ch] runtime/exec/*.[ch] runtime/hooks/*.[ch])" ""
is "the front end is GPL" \
	"$(grep -L 'SPDX-License-Identifier: GPL-3.0-or-later' frontend/*.[ch] frontend/cmd/*.[ch] frontend/tui/*.[ch])" ""
is "no file has more than 600 lines" \
	"$(for f in $sources; do [ "$(wc -l <"$f")" -le 600 ] || echo "$f"; done)" ""
is "every .c and .h is in a local.mk" \
	"$(for f in $sources; do cat common/local.mk runtime/local.mk runtime/exec/local.mk \
		frontend/local.mk doc/local.mk tests/local.mk | grep -qw -- "$f" || echo "$f"; done)" ""
is "common includes only common" \
	"$(grep -nE '#include "(runtime|frontend|tests)/' common/*.[ch])" ""
is "runtime never includes frontend" \
	"$(grep -rnE '#include "(frontend|tests)/' runtime --include='*.[ch]')" ""
is "frontend never includes runtime" \
	"$(grep -rnE '#include "(runtime|tests)/' frontend --include='*.[ch]')" ""
is "only main and tui/ know tui/" \
	"$(grep -rlE '#include "frontend/tui/' frontend --include='*.[ch]' | grep -vE '^frontend/(main\.c|tui/)')" ""
is "own headers are included with their layer" \
	"$(grep -nE '#include "[^/"]+"' $(echo "$sources" | grep -vE '^(tests|doc)/') |
		grep -v '"config.h"')" ""
is "config.h is only for .c files" "$(grep -lE '#include "config.h"' $(echo "$sources" | grep 'h$'))" ""

# one file, or a .c and its .h, per foreign library
users_of() { grep -lE "#include <$1" $(echo "$sources" | grep -vE '^(tests|doc)/') | sed 's/\.[ch]$//' | sort -u; }
one_user()
{
	local users
	users=$(users_of "$2")
	is "one file uses $1" "$(echo "$users" | grep -c .) $users" "1 $users"
}
one_user readline 'readline/'
one_user ncursesw '(ncurses|curses|term)\.h'
one_user zstd 'zstd\.h'
one_user libpng 'png\.h'
is "libsodium is for proofs and the hashes of blocks" "$(users_of 'sodium\.h')" \
	$'common/auth\ncommon/pack'
is "libdw is for the debug information" "$(users_of '(elfutils/|dwarf\.h)')" \
	$'frontend/symbol\nfrontend/symbol_data\nfrontend/symbol_impl\nfrontend/symbol_type'
one_user MPI 'mpi\.h'
one_user pcre2 'pcre2\.h'
one_user libelf '(libelf|gelf)\.h'

so=$builddir/runtime/.libs/libdvmdbg.so
is "libdvmdbg.so exports only dvmdbg_*" \
	"$(nm -D --defined-only "$so" | awk '{ print $3 }' | grep -v '^dvmdbg_')" ""
for abi in $(mpis); do
	lib=$builddir/runtime/.libs/libdvmdbg-$abi.so
	is "$abi: its library exports only MPI's names" \
		"$(nm -D --defined-only "$lib" | awk '{ print $3 }' | grep -viE '^(mpi|dvmdbg)_')" ""
	unlike "$abi: its library is not linked with MPI" "$(readelf -d "$lib" | grep NEEDED)" 'libmpi'
done
unlike "libdvmdbg.so needs nothing foreign" "$(readelf -d "$so" | grep NEEDED)" \
	'sodium|zstd|mpi|jansson|readline|libdw'
done_testing
