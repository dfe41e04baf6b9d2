# SPDX-License-Identifier: GPL-3.0-or-later
# locate names the array, the first wrong element and the construct of every fault of every example, finds
# nothing in programs that are right, and tells rounding from faults.
. "$(dirname "$0")/lib.sh"

# Runs that are ended stand at a point: there is nobody whom mpiexec would have to wait for.
export OMPI_MCA_odls_base_sigkill_timeout=0

# locate ID N ARGS…: the report as one JSON object in $tmp/ID.report, exit status in $tmp/ID.status
locate()
{
	local id=$tmp/$1 n=$2
	shift 2
	timeout 300 "$DVMDBG" locate --json -n "$n" "$@" >"$id.out" 2>"$id.err" </dev/null
	echo $? >"$id.status"
	grep -F '"type":"locate"' "$id.out" >"$id.report" || cat "$id.out" "$id.err" >"$id.report"
}
# result ID: takes it into $report and $status
result()
{
	report=$(cat "$tmp/$1.report")
	status=$(cat "$tmp/$1.status")
}
# field NAME: of the report
field() { printf '%s\n' "$report" | grep -oE "\"$1\":(\"[^\"]*\"|[^,}]*)" | head -n 1 | sed -E 's/^[^:]*:"?//; s/"$//'; }

# found NAME: status, array, element, place of the report
found() { echo "$status $(field array) $(field where)"; }

# Each fault on 2 and 4 ranks, side by side; the elements of the lists are those of 4. On 2 the reference is one
# that there is: that of the program without a fault.
faults()
{
	local mpi=$1 exe=$2 args=$3 only=${4-} name fault array element place n
	name=$(basename "$exe" -mpich)
	# shellcheck disable=SC2086
	"$exe" $args --fault list >"$tmp/list"
	# shellcheck disable=SC2086
	timeout 100 "$DVMDBG" record -o "$tmp/ref.$mpi.$name" -n 1 "$exe" $args >"$tmp/o" 2>&1 </dev/null
	is "$mpi: $name: a reference" $? 0
	while IFS=$'\t' read -r fault array element place; do
		[ -z "$only" ] || [ "$only" = "$fault" ] || continue
		# shellcheck disable=SC2086
		locate on2 2 -r "$tmp/ref.$mpi.$name" "$exe" $args --fault "$fault" &
		# shellcheck disable=SC2086
		locate on4 4 "$exe" $args --fault "$fault"
		wait $!
		for n in 2 4; do
			result on$n
			is "$mpi: $name --fault $fault on $n ranks" "$(found)" "1 $array $place" ||
				diag "$(printf '%.3000s' "$report")"
			[ $n = 2 ] || is "$mpi: $name --fault $fault: the element" "$(field element)" "$element"
		done
	done <"$tmp/list"
	no_leak "$mpi: faults of $name"
}

# Right programs: nothing is found, to the last bit or within rounding.
right()
{
	local mpi=$1 exe=$2 args=$3 want=$4 n
	for n in 1 2 3 4 6; do
		# shellcheck disable=SC2086
		locate $n $n -r "$tmp/ref.$mpi.$(basename "$exe" -mpich)" "$exe" $args &
		case $n in 2 | 4 | 6) wait ;; esac
	done
	for n in 1 2 3 4 6; do
		result $n
		like "$mpi: $(basename "$exe") is right on $n ranks" "$status $(field verdict)" "^0 ($want)\$"
	done
	no_leak "$mpi: right programs"
}

first=$(first_mpi)
for mpi in $(mpis); do
	for example in "heat;40 3;missing-halo;equal" "cg;40 6;;equal|rounding" "jacobi;40 3;;equal" \
		"lu;12 2;missing-flux-halo;equal|rounding" "ring;24 2;;equal" "multiblock;24 3;;equal"; do
		IFS=';' read -r name args only want <<<"$example"
		exe=$(prog "doc/examples/$name" "$mpi")
		if [ ! -x "$exe" ]; then
			skip "$mpi: $name" "it was not built"
		elif [ "$mpi" = "$first" ]; then
			faults "$mpi" "$exe" "$args"
			right "$mpi" "$exe" "$args" "$want"
		elif [ -n "$only" ]; then
			faults "$mpi" "$exe" "$args" "$only"
		fi
	done
done

heat=$(prog doc/examples/heat "$first")
locate a 4 --image "$tmp/v.png" "$heat" 40 3 --fault missing-halo &
locate b 4 "$heat" 40 3 --fault differing-eps
wait $!
result a
like "the halo that the loop read is told, and since when" "$report" \
	'"stale_halos":\[\{"array":"u","rank":[01],"owner":[23],' '"since":"1.E"' '"because":"the halo of u from rank'
like "the report has both values, the shape, the stack, and the source" "$report" '"reference_value":"' \
	'"value":"' '"shape":"' '"iteration":\[1\]' '"loop":"heat.c:52"' '"current":true' '"kind":"synchronized"'
is "it was there again when both were run again" "$(field reference_again) $(field again)" "true true"
is "the picture is a PNG file" "$(field image) $(head -c 4 "$tmp/v.png" | tail -c 3)" "$tmp/v.png PNG"
result b
like "copies that differ are told with their ranks" "$report" '"copies":\[.*"ranks":"\[3\]".*"value":"0.75"'
timeout 300 "$DVMDBG" locate -n 4 "$heat" 40 3 --fault swapped-index >"$tmp/text" 2>&1 </dev/null
is "the text's exit status" $? 1
like "the text names it all in one line" "$(cat "$tmp/text")" \
	'^array v, element v\[20\]\[1\], first wrong at 3\.E in iteration 1 of the loop at heat\.c:52, in the parallel loop at heat\.c:61, on rank 2, because the halo of u from rank 0 was stale\.$' \
	'previous correct point 2\.E' '^-> *61 ' '^4 runs, [0-9.]+ s; the reference has 11 points in [0-9]+ bytes\.$' \
	'^  - look for the exchange of u between 1\.E and the loop at heat\.c:61'

dvm 120 'locate
print v[20][1]
where
cont
rerun' -n 4 "$heat" 40 3 --fault swapped-index
like "the session stands at the mismatch, and can be used after it" "$out" '^v\[20\]\[1\] = ' \
	'PL  heat\.c:61   3\.E' '^Ranks \[0:3\] exited with code 1; last seen at 8\.E' '^All ranks have ended'
dvm 60 'locate -ranks 0'  -n 2 "$heat" 40 3
like "a bad number of ranks is told" "$out" 'locate -ranks 0: 1 to 65536 ranks are allowed'
no_leak "sessions"
done_testing
