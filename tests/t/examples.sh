# SPDX-License-Identifier: GPL-3.0-or-later
# The examples without the debugger: right on any number of ranks, wrong with each fault, and the list of
# faults has four columns and names lines of the source. Those without an array hang.
. "${0%/*}/lib.sh"

# verdict NAME OK|WRONG MPI RANKS COMMAND…
verdict()
{
	local name=$1 want=$2 mpi=$3 n=$4
	shift 4
	like "$mpi: $name" "$(mpirun "$mpi" "$n" "$@" 2>"$tmp/err"; head -c 2000 "$tmp/err" | sed 's/^/ /')" " $want *\$"
}

# hangs NAME MPI RANKS COMMAND…: it is not over after a while, and has not said what came out
hangs()
{
	local name=$1 mpi=$2 n=$3 exe
	shift 3
	exe=mpiexec.$mpi
	command -v "$exe" >/dev/null || exe=mpiexec
	timeout -k 5 1 "$exe" -n "$n" "$@" >"$tmp/o" 2>&1 </dev/null
	like "$mpi: $name" "$? $(grep -cE ' (OK|WRONG) *$' "$tmp/o")" "^(124|137) 0\$"
}

for example in "heat.c 60 20" "cg.c 60 20" "jacobi.f90 60 20" "lu.f90 16 4" "stagger.f90 40 10" \
	"multiblock.c 60 20" "ring.c 24 2"; do
	read -r file size steps <<<"$example"
	name=${file%.*}
	src=$srcdir/doc/examples/$file
	if [ ! -x "$builddir/doc/examples/$name" ]; then
		skip "$name" "it was not built"
		continue
	fi
	counts="1 2 3 4"
	in_set all || counts=3
	list=$("$builddir/doc/examples/$name" --fault list)
	is "$name: each fault has a name, array, element, and file:line" "$(echo "$list" |
		awk -F '\t' -v f="$file" 'NF != 4 || $4 !~ "^" f ":[0-9]+$"')" ""
	while IFS=$'\t' read -r fault array _ place; do
		like "$name: the line of $fault has to do with $array" "$(sed -n "${place##*:}p" "$src")" \
			"$array|[Aa]llreduce|[Ww]ait|DVMDBG_PL|DVMDBG_[ST][LR]|dvmdbg_pl_begin"
	done <<<"$list"
	for mpi in $(mpis); do
		exe=$(prog "doc/examples/$name" "$mpi")
		[ "$mpi" = "$(first_mpi)" ] || counts=3 list=$(echo "$list" | head -n 1)
		in_set all || list=$(echo "$list" | head -n 1)
		for n in $counts; do
			verdict "$name is right on $n" OK "$mpi" "$n" "$exe" "$size" "$steps"
		done
		while IFS=$'\t' read -r -u 3 fault array _; do
			if [ "$array" = - ]; then
				hangs "$name --fault $fault hangs on 4" "$mpi" 4 "$exe" "$size" "$steps" --fault "$fault"
			else
				verdict "$name --fault $fault is wrong on 4" WRONG "$mpi" 4 "$exe" "$size" "$steps" --fault "$fault"
			fi
			! in_set all || verdict "$name --fault $fault is right on 1" OK "$mpi" 1 "$exe" "$size" "$steps" --fault "$fault"
		done 3<<<"$list"
	done
	"$builddir/doc/examples/$name" --fault nonsense >"$tmp/o" 2>&1 </dev/null
	is "$name refuses an unknown fault with status 2" $? 2
done

src=$srcdir/doc/examples/heat.c
is "heat.c: the lines of the manual's session" "$(grep -nE 'DVMDBG_(FUNCTION|SL|PL)\(' "$src" | cut -d : -f 1 | tr '\n' ' ')" \
	"20 35 41 52 61 $(grep -n 'DVMDBG_PL(' "$src" | tail -n 1 | cut -d : -f 1) "
manual=$(sed -n '/^Point 5\.2\.3\.E/,/ago$/p' "$srcdir/doc/dvmdbg.1.in" | grep -oE 'multiblock\.c:[0-9]+' | tr '\n' ' ')
src=$srcdir/doc/examples/multiblock.c
is "multiblock.c: those of the manual's other session" "$manual" \
	"$(for mark in 'DVMDBG_PL(.on = z->u, .range = { { 0, i1' 'DVMDBG_SL(.range = { { 1, steps'; do
		printf 'multiblock.c:%s ' "$(grep -nF "$mark" "$src" | cut -d : -f 1)"
	done)"
no_leak "the examples"
done_testing
