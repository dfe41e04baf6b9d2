# SPDX-License-Identifier: GPL-3.0-or-later
# What an invocation has come to: statuses 0, 1, 2, 3 and which goes before which, what could not be compared is
# said last, damaged directories never make a finding, and a rank that leaves the others waiting is a bad end.
. "${0%/*}/lib.sh"
[ "$have_openmpi" = yes ] || [ "$have_mpich" = yes ] || skip_all "no MPI"
mpi=$(first_mpi)
mpi_compilers "$mpi"
heat=$(prog doc/examples/heat "$mpi")
cd "$tmp" || exit 1

# shell ARGS…: dvmdbg with these; what it says is in $out, its exit status in $status
shell()
{
	out=$(timeout -k 5 120 "$DVMDBG" "$@" 2>&1 </dev/null)
	status=$?
}
last_line() { printf '%s\n' "$out" | tail -n 1; }
# came NAME STATUS REGEX: the status, and the last line
came() { like "$1" "$status $(last_line)" "^$2 $3"; }

# Recorded runs, compared without a job.
shell record -o one -n 1 "$heat" 40 100
is "a run is recorded" "$status" 0
shell record -o two -n 2 "$heat" 40 100
is "and another" "$status" 0
shell compare two one
came "all is compared" 0 'compared .*: equal$'
shell compare --json two one
is "all is compared: as JSON" "$status $(last_line)" '0 {"type":"result","status":0,"holds":[],"incomplete":[]}'
# spoilt FILE COMMAND…: a copy of two, of which the command has changed a file
spoilt()
{
	rm -rf bad
	cp -R two bad
	"$@"
}
size=$(stat -c %s two/sums.bin)
byte() { printf '\125' | dd of=bad/sums.bin bs=1 seek="$1" conv=notrunc 2>/dev/null; }
wrong=
for at in 17 $((size / 4)) $((size / 3)) $((size / 2)) $((size * 2 / 3)) $((size - 20)); do
	spoilt byte "$at"
	for dirs in "one bad" "bad one"; do
		shell compare $dirs
		[ $status = 2 ] && [ "$(printf '%s\n' "$out" | grep -c '^Finding')" = 0 ] || wrong="$wrong $at:$dirs:$status"
	done
done
is "a wrong byte in either run: status 2 and no finding" "$wrong" ""
spoilt truncate -s $((size / 2)) bad/sums.bin
shell compare one bad
came "the reference is cut off" 2 'Not fully compared: .*bad/sums\.bin is cut off'
shell compare bad one
came "the run is cut off" 2 'Not fully compared: .*bad/sums\.bin is cut off'
spoilt sed -i 's/"complete": true/"complete": false/' bad/manifest.json
shell compare one bad
came "the reference is not finished" 2 'Not fully compared: bad ends early'
shell compare --json one bad
like "what holds, as JSON" "$(last_line)" '^\{"type":"result","status":2,"holds":\["incomplete"\],"incomplete":\["bad ends early'
shell record -o longer -n 1 "$heat" 40 120
shell compare longer one
came "points of the run without a partner" '[12]' '(Not fully compared: the run went on|compared .* finding)'

# A rank exits with 0 and leaves the others waiting.
cat >left.c <<'EOT'
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "dvmdbg.h"
static double a[8], b[8];
int main(int argc, char **argv)
{
	int rank, x = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	DVMDBG_ARRAY(a, .shape = { 8 }, .replicated = 1);
	for (int s = 0; s < 2; s++)
		DVMDBG_PL(.range = { { 0, 7 } }, .writes = { argc > 1 && !strcmp(argv[1], "other") ? b : a })
			a[0] = argc > 1 && !strcmp(argv[1], "wrong");
	if (rank == 1 && argc > 2)
		exit(0);
	if (!rank)
		MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else if (rank == 1)
		MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
EOT
if "$cc" -g -w -I"$srcdir/runtime" left.c -o left -L"$builddir/runtime/.libs" -Wl,-rpath,"$builddir/runtime/.libs" \
	-ldvmdbg 2>said; then
	shell record -o right --set STOP_TIMER=1 -n 3 ./left right
	is "all come to MPI_Finalize" "$status" 0
	shell compare --json -r right --set STOP_TIMER=1 -n 3 ./left right left
	like "exit 0 without MPI_Finalize: which rank, what the others do" "$status
$out" '^3$' '"type":"exit","how":"exited","code":0,"mpi":"without MPI_Finalize".*"ranks":"\[1\]"' \
		'"type":"stop","reason":"paused",.*"calls":"MPI_Recv"\},"ranks":"\[0\]"' '"reason":"paused",.*"calls":"MPI_Finalize"\},"ranks":"\[2\]"' \
		'"type":"result","status":3,"holds":\["program failed"\]'
	shell compare --json -r right --set STOP_TIMER=1 -n 3 ./left wrong left
	like "and it differs: 1 before 3, both are named" "$status $(last_line)" \
		'^1 \{"type":"result","status":1,"holds":\["findings","program failed"\]'
	shell locate -r right --set STOP_TIMER=1 -n 3 ./left right left
	like "locate says it, too" "$status
$out" '^3$' '\[1\] exited with code 0 without MPI_Finalize; others had not ended'
	shell compare --json -r right -n 3 ./left other
	like ".writes names what is not registered: a finding, and not fully compared" "$status $(last_line)" \
		'^1 .*"holds":\["findings","incomplete"\],"incomplete":\["Found access to array without registration: \.writes of the construct names it"'
	dvm 60 'cont
frobnicate' --set STOP_TIMER=1 -n 3 ./left right left
	is "3 before 2" "$status" 3
else
	skip "a rank that leaves" "$cc: $(head -n 1 said)"
fi

# Damaged blocks of a trace: what print and stat could not show.
shell record --level MINIMAL -o traced -n 2 "$heat" 40 200
for verb in print stat; do
	shell trace $verb traced
	is "trace $verb of a sound trace" "$status" 0
	rm -rf hurt
	cp -R traced hurt
	printf '\125\252' | dd of=hurt/trace.1.bin bs=1 seek=$(($(stat -c %s hurt/trace.1.bin) / 2)) conv=notrunc 2>/dev/null
	shell trace $verb hurt
	came "trace $verb of a damaged block" 2 'Not fully (shown|readable): .*trace\.1\.bin'
	truncate -s $(($(stat -c %s hurt/trace.0.bin) / 2)) hurt/trace.0.bin
	shell trace $verb hurt
	came "trace $verb of one that is cut off" 2 'Not fully (shown|readable): .*trace\.[01]\.bin'
done

# Halo elements whose owner is not there to be asked are not compared.
dvm 60 'break 3.B
cont
halo
kill' -n 2 "$heat" 100 1000
is "halo: all is compared" "$status" 0
dvm 60 'break 3.B
cont
[1] go
[0] halo
kill' --set STOP_TIMER=1 -n 2 "$heat" 100 1000
like "halo: what an owner that runs has" "$status $(last_line)" '^2 Not fully compared: no rank that is stopped owns [12]00 elements of halos'

# Control characters of programs and files are shown, never sent to the terminal.
printf '%s\n' '#include "dvmdbg.h"' '#include <stdio.h>' 'int main(void) {' '	/* \33]0;source\7 */' \
	'	DVMDBG_PL(.range = { { 1, 1 } }, .name = "\33]0;construct\7")' '		puts("\33]0;printed\7");' '	return 0; }' |
	sed 's/\\33]0;source\\7/'"$(printf '\033]0;source\007')/" >'esc.c'
if gcc -g -w -I"$srcdir/runtime" esc.c -o "$(printf 'e\033]0;name\007')" -L"$builddir/runtime/.libs" -Wl,-rpath,"$builddir/runtime/.libs" -ldvmdbg; then
	printf '# \033]0;typed\007\n' >esc.in
	typed_ok "a program with control characters in its name, its source and what it prints" '
prompt; enter "break esc.c:5"; prompt; enter cont; sees {Point 1\.B}; prompt; enter where; prompt; enter "list 1,7"; sees {source}; prompt
enter points; prompt; enter status; prompt; enter "input esc.in"; prompt; enter "load none\\033\]0;file"; prompt
enter cont; sees {printed}; prompt; enter quit; ends' "./$(printf 'e\033]0;name\007')"
	is "nothing of them reached the terminal raw" "$(grep -c "$(printf '\033\\]0;')" "$tmp/o") $(grep -c 'x1b\]0;printed' "$tmp/o")" "0 1"
fi
no_leak "outcomes"
done_testing
