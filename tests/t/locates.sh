# SPDX-License-Identifier: GPL-3.0-or-later
# For tests of locate with the examples: each fault of their lists on 2 and 4 ranks, and none on 1, 2, 3, 4, 6.

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
	report=$(<"$tmp/$1.report")
	status=$(<"$tmp/$1.status")
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
		[ "$array" != - ] || continue # it hangs
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

# examples "NAME;ARGS;FAULT;VERDICTS"…: with the first MPI all of it, with another one only FAULT.
examples()
{
	local mpi example name args only want exe
	for mpi in $(mpis); do
		for example; do
			IFS=';' read -r name args only want <<<"$example"
			exe=$(prog "doc/examples/$name" "$mpi")
			if [ ! -x "$exe" ]; then
				skip "$mpi: $name" "it was not built"
			elif [ "$mpi" = "$(first_mpi)" ]; then
				faults "$mpi" "$exe" "$args"
				right "$mpi" "$exe" "$args" "$want"
			elif [ -n "$only" ]; then
				faults "$mpi" "$exe" "$args" "$only"
			fi
		done
	done
}
