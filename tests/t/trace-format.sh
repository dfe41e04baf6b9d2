# SPDX-License-Identifier: GPL-3.0-or-later
# doc/TRACE.md says enough: a reader in Python that was made from it reads traces as ours does: of made-up accesses, of
# programs that run, of the historical debugger.
. "${0%/*}/lib.sh"
all_in all
command -v python3 >/dev/null || skip_all "no python3"
dump=$builddir/tests/prog/traces/tracedump
reader=$srcdir/tests/t/read_trace.py
cd "$tmp" || exit 1

# same NAME FILE: both readers say the same of the file, and something
same()
{
	"$dump" "$2" >"$tmp/ours" 2>&1
	status=$?
	python3 "$reader" "$2" >"$tmp/theirs" 2>&1
	theirs=$?
	[ $theirs != 77 ] || { skip "$1" "no zstd for Python"; return; }
	if [ $status = 0 ] && [ $theirs = 0 ] && [ -s "$tmp/ours" ] && cmp -s "$tmp/ours" "$tmp/theirs"; then
		ok "$1: $(wc -l <"$tmp/ours") lines"
	else
		not_ok "$1" "$(diff "$tmp/ours" "$tmp/theirs" | head -n 20)"
	fi
}

for what in heat float lu sparse random; do
	check "$what is made" "$dump" -make $what "$tmp/$what.bin"
	same "$what is read alike" "$tmp/$what.bin"
done
is "a stencil has its records" "$("$dump" "$tmp/heat.bin" | grep -cE '^(READ|WRITE|ITER)')" 200016
is "and all kinds of others" "$("$dump" "$tmp/heat.bin" | sed 's/ .*//' | sort -u | tr '\n' ' ')" \
	"BEGIN END ITER LOST NOTE READ REDUCTION SKIP SUM VALUE WRITE block complete frame trace "
# without its index, and in the middle of a block
size=$(wc -c <"$tmp/lu.bin")
for cut in $((size - 5)) $((size / 2)); do
	head -c "$cut" "$tmp/lu.bin" >"$tmp/cut.bin"
	same "cut off at byte $cut it is read alike" "$tmp/cut.bin"
	is "and is not complete" "$(tail -n 1 "$tmp/ours")" incomplete
done
check "a text trace is imported" "$dump" -import "$srcdir/tests/data/small.trd" "$tmp/small.bin"
same "an imported trace is read alike" "$tmp/small.bin"
if [ -d "$srcdir/../shared/traces" ]; then
	for text in "$srcdir"/../shared/traces/*.trd.gz; do
		name=$(basename "$text" .trd.gz)
		case $name in *config) continue ;; esac
		gunzip -c "$text" >"$tmp/text" && "$dump" -import "$tmp/text" "$tmp/text.bin"
		same "$name is read alike" "$tmp/text.bin"
	done
else
	skip "traces of the historical debugger" "they are not here"
fi

# Of programs: C and Fortran, all levels, a structure, values that are too long to be kept.
for spec in "heat 12 2" "lu 8 1"; do
	set -- $spec
	name=$1
	shift
	program=$builddir/doc/examples/$name-hooked
	[ -x "$program" ] || continue
	for level in MINIMAL MODIFY FULL; do
		# calls of MPI are records of any level
		calls=
		[ $level != MINIMAL ] || calls=--mpi
		timeout -k 5 120 "$DVMDBG" record $calls --level $level -o "$name-$level" -n 2 "$program" "$@" </dev/null >"$tmp/said" 2>&1
		for rank in 0 1; do
			same "$name at level $level, rank $rank" "$name-$level/trace.$rank.bin"
			like "it has iterations" "$(grep -c ^ITER ours)" "^[1-9][0-9][0-9]"
		done
	done
done
cat >values.c <<'EOT'
#include <stdio.h>
#include "dvmdbg.h"
static struct cell {
	int id;
	double x, y;
} one = { 1, 2, 3 };
static double big[1500];
static unsigned char odd[259];
int main(void)
{
	FILE *f = fopen("bytes", "wb");

	DVMDBG_STRUCT(one, DVMDBG_FIELD(one, id), DVMDBG_FIELD(one, y));
	DVMDBG_REPLICATED_ARRAY(big, 1500);
	DVMDBG_REPLICATED_ARRAY(odd, 259);
	for (int i = 0; i < 1500; i++)
		big[i] = 0.5 * i;
	for (int i = 0; i < 259; i++)
		odd[i] = (unsigned char)(7 * i);
	DVMDBG_PL(.range = { { 0, 0 } })
		DVMDBG_PL_ITERATION(0);
	fwrite(big, 1, sizeof(big), f);
	fclose(f);
	f = fopen("odd", "wb");
	fwrite(odd, 1, sizeof(odd), f);
	return fclose(f);
}
EOT
if [ -x "$builddir/doc/examples/heat-hooked" ]; then
	"$builddir/runtime/dvmdbg-cc" -g -O1 "-I$srcdir/runtime" values.c -o values "-L$builddir/runtime/.libs" \
		"-Wl,-rpath,$builddir/runtime/.libs" -ldvmdbg
	timeout -k 5 60 "$DVMDBG" record --level FULL -o values.ref -n 1 ./values </dev/null >"$tmp/said" 2>&1
	same "values of variables" values.ref/trace.0.bin
	like "of a structure the fields" "$(grep '^VALUE 1\.B' ours)" 'one#[0-9]+ .* 010000000000000000000840$'
	# FILE FROM BYTES: as hexadecimal digits
	hex() { od -An -v -tx1 -j "$2" -N "$3" "$1" | tr -d ' \n'; }
	like "long ones in parts" "$(grep '^VALUE 1\.B' ours)" "^VALUE 1\.B 0 2 0 7904 big#[0-9]+ .* $(hex bytes 0 4096)\$" \
		" 2 4096 3808 big#[0-9]+ .* $(hex bytes 4096 4096)\$" " 2 8192 0 big#[0-9]+ .* $(hex bytes 8192 3808)\$" \
		" 2 0 0 odd#[0-9]+ .* $(hex odd 0 259)\$"
	like "and as a fingerprint while they stay as they are" "$(grep '^VALUE 1\.E' ours)" \
		" 0 1 big#[0-9]+ .* $(python3 "$reader" -fingerprint bytes)\$" " 0 1 odd#[0-9]+ .* $(python3 "$reader" -fingerprint odd)\$"
fi
no_leak "traces"
done_testing
