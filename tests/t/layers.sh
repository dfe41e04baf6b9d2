# SPDX-License-Identifier: GPL-3.0-or-later
# How the sources hang together.
. "$(dirname "$0")/lib.sh"
cd "$srcdir" || exit 1

sources=$(find common runtime frontend tests doc/examples -name '*.[ch]' | sort)
every() { find common runtime frontend tests doc/examples .ci m4/dvmdbg.m4 quickstart autogen.sh \
	configure.ac Makefile.am \( -name '*.[ch]' -o -name '*.f90' -o -name '*.sh' -o -name '*.mk' \
	-o -path .ci/run -o -name '*.m4' -o -name quickstart -o -name configure.ac -o -name Makefile.am \) -type f; }

is "every source names its licence at the top" \
	"$(every | xargs awk 'FNR == 1 { if (name != "" && !has) print name; name = FILENAME; has = 0 }
		FNR <= 3 && /SPDX-License-Identifier/ { has = 1 } FNR == 3 { nextfile } END { if (!has) print name }')" ""
is "what goes into programs is BSD" \
	"$(echo "$sources" | grep -E '^(common|runtime)/' | xargs grep -L 'SPDX-License-Identifier: BSD-3-Clause')" ""
is "the front end is GPL" \
	"$(echo "$sources" | grep '^frontend/' | xargs grep -L 'SPDX-License-Identifier: GPL-3.0-or-later')" ""
is "no file has more than 900 lines" \
	"$(echo "$sources" | xargs awk 'FNR == 901 { print FILENAME }')" ""
# as what joins the lines of an example does
is "comments have a blank behind each star" "$(echo "$sources" | xargs grep -nE '^ [*][^ 	/]')" ""
is "every .c and .h is in a local.mk" \
	"$(cat {common,runtime,runtime/exec,frontend,doc,tests}/local.mk | grep -oE '[a-z_/][A-Za-z0-9_./-]*' |
		sed 's/\.[ch]$//' | sort -u | comm -13 - <(echo "$sources" | sed 's/\.[ch]$//' | sort -u))" ""
is "own headers are included with their folder" \
	"$(grep -nE '#include "[^/"]+"' $(echo "$sources" | grep -vE '^(tests|doc)/') |
		grep -v -e '"config.h"' -e '^runtime/dvmdbg_mpi.h:.*"dvmdbg.h"')" ""
is "config.h is only for .c files" "$(grep -lE '#include "config.h"' $(echo "$sources" | grep 'h$'))" ""

# the rooms
broken=$(python3 tests/layers.py "$srcdir" "$builddir" 2>&1)
room() { printf '%s\n' "$broken" | sed -n "s/^$1 //p"; }
is "rooms are looked at" "$(room checked)" 8
is "every source lies in a room" "$(room listed)" ""
is "a room has at most 20 sources and headers" "$(room size)" ""
is "a room has a README of at most 10 lines" "$(room readme)" ""
is "a room is entered by its public header" "$(room header)" ""
is "internal.h is for its own room" "$(room internal)" ""
is "a room includes only what stands above it" "$(room include)" ""
is "a room links only what stands above it" "$(room link)" ""
is "names begin with those of the room or of a type" "$(room name)" ""

# the walks of ARCHITECTURE
is "each step of the walks is there" \
	"$(grep -oE '`[a-z/_]+\.[ch]:[A-Za-z_]+`' doc/ARCHITECTURE.md | tr -d '`' | while IFS=: read -r file name; do
		grep -qw -- "$name" "$file" || echo "$file:$name"; done)" ""

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
	$'common/net/auth\ncommon/tracefile/pack'
is "libdw is for the debug information, and for unwinding" "$(users_of '(elfutils/|dwarf\.h)')" \
	$'common/debuginfo/debuginfo\nfrontend/symbols/code\nfrontend/symbols/data\nfrontend/symbols/expression\nfrontend/symbols/internal\nfrontend/symbols/local\nfrontend/symbols/marks\nfrontend/symbols/named\nfrontend/symbols/site\nfrontend/symbols/symbol\nfrontend/symbols/type\nfrontend/symbols/units\nruntime/exec/native/accessed\nruntime/exec/native/call\nruntime/exec/native/convention\nruntime/exec/native/elements\nruntime/exec/native/function\nruntime/exec/native/internal\nruntime/exec/native/library\nruntime/exec/native/locals\nruntime/exec/native/location\nruntime/exec/native/names\nruntime/exec/native/number\nruntime/exec/native/path\nruntime/exec/native/place\nruntime/exec/native/shape\nruntime/exec/native/typed\nruntime/exec/native/types\nruntime/exec/native/unwind\nruntime/exec/native/value'
is "MPI is for the room that wraps it" "$(users_of 'mpi\.h' | grep -Ev '^runtime/(mpi|order)/')" ""
one_user pcre2 'pcre2\.h'
one_user libelf '(libelf|gelf)\.h'
is "the spy of the mutation bench has names that dvmdbg.f90 calls" \
	"$(grep -oE '^(void|unsigned|int) dvmdbg_f_[a-z_0-9]+' "$srcdir/tests/mutate/spy.c" | cut -d' ' -f2 | while read -r name; do
		grep -q "name=\"$name\"" "$srcdir/runtime/dvmdbg.f90" || echo "$name"; done)" ""

so=$builddir/runtime/.libs/libdvmdbg.so
is "libdvmdbg.so exports only dvmdbg_*, and free, munmap, abort and those of signals, to be there first" \
	"$(nm -D --defined-only "$so" | awk '{ print $3 }' | grep -v '^dvmdbg_' | sort)" $'abort\nfree\nmunmap\nompt_start_tool\npthread_sigmask\nsigaction\nsignal\nsigprocmask'
is "libdvmdbg-regions.so exports only what begins regions" \
	"$(nm -D --defined-only "$builddir/runtime/.libs/libdvmdbg-regions.so" | awk '{ print $3 }' | grep -v '^GOMP_parallel')" ""
is "libdvmdbg-threads.so exports only what threads call" \
	"$(nm -D --defined-only "$builddir/runtime/.libs/libdvmdbg-threads.so" | awk '{ print $3 }' |
		grep -vE '^(pthread_|thrd_|mtx_|cnd_|sem_|call_once|__cxa_guard_|_Zn|_Zd|write|send|eventfd_|mq_|kill|raise|read|recv|sigwait)')" ""
for abi in $(mpis); do
	lib=$builddir/runtime/.libs/libdvmdbg-$abi.so
	is "$abi: its library exports only MPI's names" \
		"$(nm -D --defined-only "$lib" | awk '{ print $3 }' | grep -viE '^(p?mpix?|dvmdbg)_')" ""
	unlike "$abi: its library is not linked with MPI" "$(readelf -d "$lib" | grep NEEDED)" 'libmpi'
done
unlike "libdvmdbg.so needs nothing foreign" "$(readelf -d "$so" | grep NEEDED)" \
	'sodium|zstd|mpi|jansson|readline|libdw'
done_testing
