# SPDX-License-Identifier: GPL-3.0-or-later
# Arrays whose elements are not in memory: the program's functions bring them and take them back.
. "${0%/*}/lib.sh"
export HOME=$tmp
mpi=$(first_mpi)
[ -n "$mpi" ] || skip_all "no MPI"
mpi_compilers "$mpi"
libs="-L$builddir/runtime/.libs -ldvmdbg -Wl,-rpath,$builddir/runtime/.libs -lm"
src=$srcdir/doc/examples/tape.c
"$cc" -std=gnu11 -g -Wall -Werror -I"$srcdir/runtime" "$src" -o "$tmp/tape" $libs 2>"$tmp/cc.err" || diag "$(<"$tmp/cc.err")"
"$cc" -std=gnu11 -g -Wall -Werror -DDVMDBG_OFF -I"$srcdir/runtime" "$src" -o "$tmp/off" -lm 2>"$tmp/cc.err" || diag "$(<"$tmp/cc.err")"

for n in 1 3 4; do
	like "it is right on $n without the debugger" "$(mpirun "$mpi" "$n" "$tmp/tape" 100 4 2>&1)" '0 wrong OK$'
done
like "and with the marks left out" "$(mpirun "$mpi" 2 "$tmp/off" 100 4 2>&1)" '0 wrong OK$'
like "a fault shows" "$(mpirun "$mpi" 4 "$tmp/tape" 100 4 --fault lost-block 2>&1)" 'WRONG$'

# The first point is where u has its start values, 7 i mod 11.
for n in 1 4; do
	talk 'break 1.B
cont
print u[0:4]
print u[50]
print sum(u)
what u
halo u
step
print v[1]
stat v
delete -all
cont' -n $n "$tmp/tape" 100 4
	is "$n: a section" "$(answer 'print u[0:4]')" 'u[0:4] = 0 7 3 10 6'
	is "$n: an element of any rank" "$(answer 'print u[50]')" "u[50] = $((50 * 7 % 11))"
	sum=0
	for i in $(seq 0 99); do sum=$((sum + i * 7 % 11)); done
	is "$n: all of them" "$(answer 'print sum(u)')" "sum(u) = $sum"
	like "$n: what it is" "$(answer 'what u')" 'double.*\[100\]'
	like "$n: halos are their owners'" "$(answer 'halo u')" 'no halo|no rank of the set has a halo'
	is "$n: after the loop" "$(answer 'print v[1]')" 'v[1] = 4.25'
	like "$n: statistics" "$(answer 'stat v')" 'count +100|elements +100|100'
	like "$n: the program goes on" "$out" '0 wrong OK$'
	no_leak "values, $n"
done

# Assigned elements are stored where they are, with the copies in halos.
talk 'break 1.B
cont
assign u[24:25] 1000
print u[23:26]
halo u
step
print v[24]
print v[23]
delete -all
cont' -n 4 "$tmp/tape" 100 4
like "elements are assigned" "$(answer 'assign u[24:25] 1000')" '= 1000, 2 elements, on \[0:1\], copies on \[0:1\]'
like "halos too" "$(answer 'halo u')" 'no halo'
is "the program computes with them" "$(answer 'print v[24]')" "v[24] = 751.75"
like "and is wrong in the end" "$out" 'WRONG$'
no_leak "assigned"

# A watch has them brought at each point: without access hooks, and with them, where no write of theirs is seen.
DVMDBG_CC=$cc "$builddir/runtime/dvmdbg-cc" -std=gnu11 -g -I"$srcdir/runtime" "$src" -o "$tmp/hooked" $libs 2>"$tmp/cc.err" ||
	diag "$(<"$tmp/cc.err")"
for exe in tape hooked; do
	talk 'break 1.B
cont
watch v[3]
delete 0
cont
delete -all
cont' -n 2 "$tmp/$exe" 100 4
	like "$exe: a watch" "$out" '^Watch 1, v\[3\]: changed before 1\.E  \[0\]$' '^  v\[3\]  \[0\]  10 -> 7\.25$' '0 wrong OK$'
done

# What cannot be brought, or taken back.
cat >"$tmp/fixed.c" <<'END'
#include <string.h>
#include "dvmdbg.h"
static double x[4] = { 1, 2, 3, 4 };
static int bad = -7;
static int get(void *c, void *to, size_t first, size_t count)
{
	if (!*(int *)c)
		memcpy(to, x + first, count * sizeof(*x));
	return *(int *)c;
}
int main(void)
{
	int ro = 0, never = 0;
	int good = 0;
	DVMDBG_ELSEWHERE(ro, DVMDBG_DOUBLE, .shape = { 4 }, .own = { { 0, 3 } }, .fetch = get, .context = &good);
	DVMDBG_ELSEWHERE(never, DVMDBG_DOUBLE, .shape = { 4 }, .own = { { 0, 3 } }, .fetch = get, .context = &bad);
	for (int i = 0; i < 3; i++) {
		DVMDBG_PL(.range = { { 0, 3 } }) {}
		bad = i ? -8 : 0;
		x[0] += 10;
	}
	return 0;
}
END
"$cc" -std=gnu11 -g -Wall -Werror -I"$srcdir/runtime" "$tmp/fixed.c" -o "$tmp/fixed" $libs 2>"$tmp/cc.err" || diag "$(<"$tmp/cc.err")"
talk 'break 1.B
cont
print ro[0]
assign ro[0] 5
print sum(ro)
print never[0]
print sum(never)
stat never
assign never[0] 5
break 2.B
cont
print never
break 3.B
cont
print never[0]' -n 1 "$tmp/fixed"
is "what has no .store is shown" "$(answer 'print ro[0]')" 'ro[0] = 1'
like "and not assigned" "$(answer 'assign ro[0] 5')" 'ro\[0\] was not written: .*registered without \.store.*; give it a \.store'
is "nothing was" "$(answer 'print sum(ro)')" 'sum(ro) = 10'
for c in 'print never[0]' 'print sum(never)' 'stat never' 'assign never[0] 5'; do
	like "what never came is not known: $c" "$(answer "$c")" 'nothing of never is known: its \.fetch has failed with status -7; make'
done
is "until it comes" "$(answer 'print never')" 'never = 11 2 3 4'
like "and stays when it fails later" "$(answer 'print never[0]')" '^never\[0\] = 11$'
no_leak "fixed"

# Runs are compared.
dvm 60 "" >/dev/null 2>&1
out=$(timeout 100 "$DVMDBG" record -o "$tmp/ref" -n 1 "$tmp/tape" 100 4 2>&1 </dev/null)
is "a reference is recorded" "$?" 0
out=$(timeout 100 "$DVMDBG" compare -r "$tmp/ref" -n 4 "$tmp/tape" 100 4 2>&1 </dev/null)
is "the right program compares equal" "$?" 0
out=$(timeout 100 "$DVMDBG" compare -r "$tmp/ref" -n 4 "$tmp/tape" 100 4 --fault stale-edge 2>&1 </dev/null)
is "a wrong one does not" "$?" 1
out=$(timeout 100 "$DVMDBG" locate -n 4 "$tmp/tape" 100 4 --fault lost-block 2>&1 </dev/null)
like "locate finds the first element that is wrong" "$out" 'v\[25\]'
no_leak "compared"

# The same with CUDA: by nvcc and on a device where there is one, else on the host, with CUDA's functions made there.
if command -v nvcc nvidia-smi >/dev/null 2>&1 && nvidia-smi >/dev/null 2>&1; then
	nvcc -ccbin "mpicxx.$mpi" -g -I"$srcdir/runtime" "$srcdir/doc/examples/device.cu" -o "$tmp/device" \
		-L"$builddir/runtime/.libs" -ldvmdbg -Xlinker -rpath="$builddir/runtime/.libs" 2>"$tmp/cc.err" || diag "$(<"$tmp/cc.err")"
else
	sed -E 's/smooth<<<(.*), 256>>>(\(.*\));/CUDA_LAUNCH((\1), 256, smooth\2);/' "$srcdir/doc/examples/device.cu" >"$tmp/device.cc"
	"mpicxx.$mpi" -g -Wall -Werror -I"$srcdir/runtime" -I"$srcdir/tests/prog/arrays" "$tmp/device.cc" -o "$tmp/device" $libs \
		2>"$tmp/cc.err" || diag "$(<"$tmp/cc.err")"
fi
talk 'break 2.E
cont
print v[5]
assign v[5] 9
print v[5]
print sum(v)' -n 3 "$tmp/device"
is "device: an element" "$(answer 'print v[5]')" $'v[5] = 4.75\nv[5] = 9'
like "device: it is assigned" "$(answer 'assign v[5] 9')" '^v\[5\] = 9, was 4.75, on \[0\]'
is "device: a sum" "$(answer 'print sum(v)')" 'sum(v) = 496.5'
out=$(timeout 100 "$DVMDBG" locate -n 4 "$tmp/device" 100 4 --fault 2>&1 </dev/null)
like "device: locate finds what was not exchanged" "$out" 'v\[2[45]\]'
no_leak "device"
done_testing
