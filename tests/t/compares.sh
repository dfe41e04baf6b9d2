# SPDX-License-Identifier: GPL-3.0-or-later
# For tests of traces that are compared: programs of doc/examples that are right, on many numbers of ranks, and their
# faults, whose first findings are known. To be sourced behind lib.sh. With make check-long on more numbers of ranks.
cd "$tmp" || exit 1
in_set long && many="2 3 4 6" || many="2 4"

# at FILE TEXT [N]: FILE:LINE of the N-th line of an example that has the text
at() { echo "$1:$(grep -nF -e "$2" "$srcdir/doc/examples/$1" | sed -n "${3:-1}p" | cut -d: -f1)"; }
# upto FILE FIRST LAST: FILE:LINE-LINE of a statement of several lines, by texts of the first and the last one; which of
# them it is depends on the compiler
upto()
{
	local first last
	first=$(at "$1" "$2")
	last=$(sed -n "${first##*:},\$p" "$srcdir/doc/examples/$1" | grep -nF -e "$3" | head -n 1 | cut -d: -f1)
	echo "$first-$((${first##*:} + last - 1))"
}
hooked() { echo "$builddir/doc/examples/$1-hooked"; }

# record NAME LEVEL N PROGRAM ARGS…: a reference
record()
{
	local name=$1 level=$2 n=$3
	shift 3
	timeout -k 5 120 "$DVMDBG" record --level "$level" -o "$name" -n "$n" "$@" >"$name.said" 2>&1 </dev/null ||
		not_ok "$name: recorded" "$(tail -n 20 "$name.said")"
}
# compare ID REFERENCE N OPTIONS… PROGRAM ARGS…: what is answered goes to ID.json, the exit status to ID.status
compare()
{
	local id=$1 ref=$2 n=$3
	shift 3
	timeout -k 5 120 "$DVMDBG" compare --json -r "$ref" -n "$n" "$@" >"$id.json" 2>"$id.err" </dev/null
	echo $? >"$id.status"
}

# found ID: what traces have found, a line each: kind, rank, element, value here (of iterations: how many are missing),
# value there, point, iteration, place, with <PLACE behind it when it is another one in the reference; - is none.
found()
{
	awk '
	function get(key, other,    at, s) {
		at = index(top, "\"" key "\":")
		if (!at)
			return other
		s = substr(top, at + length(key) + 3)
		if (s ~ /^"/) {
			s = substr(s, 2)
			sub(/".*/, "", s)
		} else if (s ~ /^\[/) {
			sub(/\].*/, "", s)
			s = "(" substr(s, 2) ")"
		} else
			sub(/[,}].*/, "", s)
		return s
	}
	function number(s) { return s ~ /^[-+]?[0-9.]+(e[-+]?[0-9]+)?$/ ? sprintf("%.6g", s + 0) : s }
	/"type":"finding"/ && /"stack":/ {
		top = substr($0, 1, index($0, "\"stack\":") - 1)
		place = get("place", "-")
		other = get("reference_place", place)
		now = get("kind") == "missing" ? get("missing") : number(get("value", "-"))
		print get("kind"), get("rank", "-"), get("element", "-"), now, number(get("reference_value", "-")),
			get("point", "-"), get("iteration", "-"), place (other == place ? "" : "<" other)
	}' "$1.json" | sed 's/ -0 / 0 /g'
}
# total ID NAME: of what was compared in all
total() { grep '"type":"compared-traces"' "$1.json" | sed -E "s/.*\"$2\":\"?([^\",]*).*/\1/"; }

# settled WANTED FOUND: FOUND, with the lines of WANTED's statement for the line that is one of them
settled()
{
	local want=$1 got=$2 range file line
	range=$(printf '%s\n' "$want" | grep -oE '[a-z]+\.(c|f90):[0-9]+-[0-9]+' | head -n 1)
	file=${range%%:*}
	line=$(printf '%s\n' "$got" | sed -nE "s/.* $file:([0-9]+).*/\1/p")
	if [ -n "$range" ] && [ -n "$line" ]; then
		range=${range#*:}
		[ "$line" -lt "${range%-*}" ] || [ "$line" -gt "${range#*-}" ] || got=${got/"$file:$line"/"$file:$range"}
	fi
	printf '%s\n' "$got"
}

# first NAME ID WANTED…: the first lines of what is found
first()
{
	local name=$1 id=$2 want got n=0
	shift 2
	is "$name: differs" "$(<"$id.status")" 1
	for want; do
		n=$((n + 1))
		got=$(settled "$want" "$(found "$id" | sed -n "${n}p")")
		is "$name: $want" "$got" "$want" || diag "$(found "$id" | head -n 5; tail -n 3 "$id.err")"
	done
}

# faults NAME ARGS: the faults of an example, compared with one rank, on 2 and 4 ranks. From stdin, in the order in
# which they are found: FAULT RANKS and a line as of found, or "equal".
faults()
{
	local name=$1 args=$2 exe fault n line
	local -a want
	exe=$(hooked "$name")
	cat >"$name.table"
	# shellcheck disable=SC2086
	record "$name.ref" FULL 1 "$exe" $args
	# shellcheck disable=SC2086
	"$exe" $args --fault list | awk -F '\t' '$2 != "-" { print $1 }' >"$name.faults"
	check "$name has faults" test -s "$name.faults"
	while read -r -u 3 fault; do
		for n in $many; do
			# shellcheck disable=SC2086
			compare "$name.$n" "$name.ref" "$n" "$exe" $args --fault "$fault" &
			case $n in 2 | 3) ;; *) wait ;; esac
		done
		for n in $many; do
			want=()
			while read -r line; do
				want+=("$line")
			done < <(sed -n "s/^$fault $n //p" "$name.table")
			if [ "${#want[@]}" = 0 ]; then
				not_ok "$name $fault on $n: nobody knows what is right"
			elif [ "${want[0]}" = equal ]; then
				is "$name $fault on $n: nothing can be seen" "$(<"$name.$n.status") $(found "$name.$n")" "0 "
			else
				first "$name $fault on $n" "$name.$n" "${want[@]}"
			fi
		done
	done 3<"$name.faults"
	no_leak "faults of $name"
}

# equal NAME ID ACCESSES: nothing is found, and so many accesses are compared
equal()
{
	is "$1" "$(<"$2.status") $(total "$2" findings) $(total "$2" unknown) $(total "$2" accesses)" "0 0 0 $3" ||
		diag "$(found "$2" | head -n 5; tail -n 3 "$2.err")"
}

# right NAME ARGS WRITES: no finding in an example that is right, for many numbers of ranks of the reference, and of the
# run; it writes so many elements in loops (-: as many as it does)
right()
{
	local name=$1 args=$2 writes=$3 exe level m n accesses jobs=0
	local all="FULL:1:1 FULL:1:2 FULL:1:3 FULL:1:4 FULL:1:6 FULL:2:1 FULL:2:3 FULL:3:2 FULL:3:4 FULL:4:1
		MODIFY:1:4 MODIFY:2:3 MINIMAL:1:4 MINIMAL:3:2"
	exe=$(hooked "$name")
	! in_set long || all=$(for level in FULL MODIFY MINIMAL; do
		for m in 1 2 3 4 6; do
			for n in 1 2 3 4 6; do
				echo "$level:$m:$n"
			done
		done
	done)
	for m in $(printf '%s\n' $all | cut -d : -f 1,2 | sort -u); do
		# shellcheck disable=SC2086
		record "$name.${m%:*}.${m#*:}" "${m%:*}" "${m#*:}" "$exe" $args &
		jobs=$((jobs + 1))
		[ $((jobs % 2)) = 1 ] || wait
	done
	wait
	for m in $all; do
		IFS=: read -r level m n <<<"$m"
		# shellcheck disable=SC2086
		compare "$name.$level.$m.$n" "$name.$level.$m" "$n" "$exe" $args &
		jobs=$((jobs + 1))
		[ $((jobs % 2)) = 1 ] || wait
	done
	wait
	for m in $all; do
		IFS=: read -r level m n <<<"$m"
		case $level in
		FULL) accesses=$(total "$name.FULL.1.1" accesses) ;;
		MODIFY)
			[ "$writes" != - ] || writes=$(total "$name.MODIFY.1.4" accesses)
			accesses=$writes
			;;
		MINIMAL) accesses=0 ;;
		esac
		equal "$name at level $level, recorded on $m, is right on $n" "$name.$level.$m.$n" "$accesses"
	done
	check "$name: that are many accesses" test "$(total "$name.FULL.1.1" accesses)" -gt 1000
	no_leak "$name"
}
