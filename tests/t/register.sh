# SPDX-License-Identifier: GPL-3.0-or-later
# Registrations that cannot mislead: what a pointer points to, memory that is too small, strides, types and orders
# that cannot be meant. Each wrong one is an error that names the object and its line; right ones are not refused.
. "${0%/*}/lib.sh"
exe=$(prog tests/prog/points/register "$(first_mpi)")
src=$srcdir/tests/prog/points/register.c

# at CASE [COMMAND]: runs it up to 1.E and gives the command there
at()
{
	dvm 30 "break 1.E
cont
${2-points}
findings
cont" -n 1 "$exe" "$1"
}

at own 'print u[0:2]'
like ".first = DVMDBG_OWN: the first own element is element 0" "$out" '^u\[0:2\] = 1 2 3$' '^no findings$'
like "the program computes the same" "$out" 'own: done'
for case in stored pool physical section every-second transposed shared-pad mapped stack small complex bytes tiny static-pool static-right; do
	at "$case"
	like "$case is not refused" "$out" '^no findings$' "$case: done"
done
while IFS='|' read -r case text want; do
	at "$case"
	like "$case is refused, with what to do" "$out" \
		"^Finding register .* an object is registered with an invalid description: $want  register\\.c:$(line_with "$text" "$src") " \
		"$case: done"
done <<'EOT'
own-not-said|DVMDBG_ARRAY(u, .shape = { N }, .halo = { 1 });|u: the pointer points to the first own element, its halo lies before it: give \.first = DVMDBG_OWN, or a pointer to the first stored element
beyond|{ 100, 101 }|u: own and halo go beyond the allocated block, which has 1000[0-9] elements from the first stored one on and 0 before it; 10100 are needed
short-stride|{ 40, 1 }|u: the stride in dimension 1 is shorter than a row: several elements lie at one place
rows|DVMDBG_ARRAY(rows, .shape|rows: its elements are pointers to rows, and not numbers: register the block of numbers, .*
rows-with-type|DVMDBG_ARRAY(rows, .type|rows: its elements are pointers to rows, and not numbers: register the block of numbers, .*
float-as-double|.shape = { 200 }|f: its elements are float, and \.type says double: leave out \.type
int-as-float|.type = DVMDBG_FLOAT + 1|k: its elements are int, and \.type says float: leave out \.type
rows-cast|DVMDBG_ARRAY(u, .shape = { N, 1 })|u: its elements are pointers to rows, and not numbers: register the block of numbers, .*
static-float|DVMDBG_ARRAY(doubles,|doubles: its elements are float, as the debug information has it \(singles\[0\], register\.c:[0-9]*\), and the registration says double: .*
static-member|DVMDBG_ARRAY(doubles,|doubles: its elements are float, as the debug information has it \(cell\.w\[1\]\[2\], .*
static-rows|DVMDBG_ARRAY(doubles,|doubles: its elements are pointers to rows, and not numbers, as the debug information has it \(tables\[0\], .*
static-double|DVMDBG_ARRAY(floats,|floats: its elements are double, as the debug information has it \(pool\[0\], .*says float: .*
turned|{ 20, 6 }|u: own and halo need more elements than the array has: they fit in the other order, .*
EOT
at beyond
unlike "that a construct names what was refused is no finding of its own" "$out" 'without registration'

located() { out=$(timeout -k 5 60 "$DVMDBG" locate -n 3 "$@" </dev/null 2>&1); }
# Memory of which no allocator knows: what halos and their owners have shows it.
shifted=$(prog tests/prog/points/shifted "$(first_mpi)")
moved="the contents of u look shifted by one row against the neighbours' edges \\(registered at shifted\\.c:"
located "$shifted" own-not-said
like "locate: contents that lie one row off stand before what follows from them" "$out" \
	"^$moved[0-9]+\\): is the pointer that of the first own element\\? then say \\.first = DVMDBG_OWN\\.$" \
	'^What was found may only follow from that: array u, '
unlike "no cause is stated then" "$out" '^  (likely|possible|proved) |, because '
located "$shifted" own-said
like "the reverse" "$out" "^$moved[0-9]+\\): is the pointer that of the first stored element, halo included\\? then leave out"
for case in right stale zeros; do
	located "$shifted" $case
	unlike "$case: registered as it lies" "$out" 'look shifted'
done
dvm 30 "record $tmp/ref
cont" -n 1 "$shifted" own-not-said
dvm 30 "set STOP_ON mismatch
compare $tmp/ref
cont
cont
cont" -n 3 "$shifted" own-not-said
is "compare: the same where it stops, once" "$(said | grep -cE "$moved[0-9]+\\): is the pointer that of the first own")" 1
dvm 30 'break 2.B
cont
halo u' -n 3 "$shifted" own-not-said
like "halo: the same" "$out" "^ +$moved[0-9]+\\): is the pointer"

# What ranks store outside of the array.
dvm 30 'break 2.B
cont
print w[-1][2]
print w[-1:1][3]
print w[3][-1]
print w[5][-1]
print w[3:4][6]
print w[0][-1:1] + 1
halo w' -n 3 "$shifted"
like "halo outside of the array is shown" "$out" '^w\[-1\]\[2\] = -8$' '^w\[-1:1\]\[3\] = -7 3 13$' \
	'^w\[5\]\[-1\] = 1001$' '^w\[0\]\[-1:1\] \+ 1 = 1 1 2$'
like "by rank where they differ" "$out" '^w\[3\]\[-1\] = <differing>   \[0\]: 3    \[1\]: 999$'
like "in sections that no rank stores alone too" "$out" '^w\[3:4\]\[6\] = <differing> '
unlike "what is inside is as ever" "$out" 'look shifted'
dvm 30 'break 2.B
cont
print u[-2][0]' -n 3 "$shifted"
like "what no rank stores is an error that names the bounds" "$out" 'u: index -2 of dimension 1 is outside -1:12'

f=$builddir/tests/prog/points/fregister
if [ -x "$f" ]; then
	dvm 30 'break 1.E
cont
print inside(1:2,3)
print whole(1:2,3)
findings
cont' -n 1 "$f"
	like "Fortran: the own part, with its halo around it" "$out" '^inside\(1:2,3\) = 103 203$' '^whole\(1:2,3\) = 103 203$'
	like "Fortran: no room for the halo" "$out" 'bare: own needs all of the array, .* or first=dvmdbg_own if that lies around it  fregister\.f90:17 '
	like "Fortran: the other order" "$out" 'turned: .* they fit in the other order of the dimensions  fregister\.f90:18 '
	like "Fortran: too large" "$out" 'short: own and halo need more elements than the array has  fregister\.f90:19 '
	unlike "Fortran: what is right is not refused" "$out" 'description: (inside|whole)' 'without registration'
else
	skip "Fortran" "no Fortran compiler"
fi

# Hooks in the program, none in the Fortran module.
if [ -n "$FC" ]; then
	cat >"$tmp/it.f90" <<'EOT'
program it
  use dvmdbg
  integer :: i
  call dvmdbg_pl_begin(first=1, last=3)
  do i = 1, 3
    if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
  end do
  call dvmdbg_pl_end()
end program
EOT
	libs="-L$builddir/runtime/.libs -Wl,-rpath,$builddir/runtime/.libs -ldvmdbg"
	for with in "$FC" "$builddir/runtime/dvmdbg-fc"; do
		name=it-${with##*/}
		mkdir "$tmp/$name.mod"
		(cd "$tmp" && export DVMDBG_FC=$FC && $with -J "$name.mod" -c "$srcdir/runtime/dvmdbg.f90" -o "$name.o" &&
			"$builddir/runtime/dvmdbg-fc" -J "$name.mod" it.f90 "$name.o" -o "$name" $libs)
	done
	dvm 30 'cont' -n 1 "$tmp/it-${FC##*/}"
	like "a module without hooks in a program with hooks is reported at the start" "$out" \
		"it-${FC##*/} has access hooks, but its Fortran module dvmdbg was compiled without them: iterations"
	dvm 30 'break it.f90:4 -iter 2
cont' -n 1 "$tmp/it-dvmdbg-fc"
	unlike "a module with hooks is not" "$out" 'without them'
	like "and its iterations are there" "$out" 'iteration 2'
	dvm 30 'cont' -n 1 "$f"
	unlike "nor is a program without hooks" "$out" 'without them'

	# A subroutine that forgets the end of its loop; advice in the words of Fortran.
	cat >"$tmp/open.f90" <<'EOT'
program open
  use dvmdbg
  integer :: k
  call dvmdbg_sl_begin(first=1, last=3)
  do k = 1, 3
    call dvmdbg_iteration(k)
    call first()
    call second()
  end do
  call dvmdbg_sl_end()
contains
  subroutine first()
    call dvmdbg_pl_begin(first=1, last=3)
  end subroutine
  subroutine second()
    call dvmdbg_pl_begin(first=1, last=3, writes='presure')
    call dvmdbg_pl_end()
  end subroutine
end program
EOT
	(cd "$tmp" && $FC -g -J "it-${FC##*/}.mod" "it-${FC##*/}.o" open.f90 -o open $libs)
	dvm 30 'cont
findings
points -last 2' -n 1 "$tmp/open"
	like "a name in writes that no array has: a finding, and not fully compared" "$status
$out" '^1$' '^Finding access  \[0\]  Found access to array without registration: presure.*  open\.f90:16 ' \
		'^Not fully [a-z]+: Found access to array without registration: presure'
	# the name is looked at by the supervisor, meanwhile: which of the two is number 1 is open
	is "a forgotten end is one finding, without its consequences" "$(printf '%s\n' "$out" | grep '^Finding left' | sed 's/#2$/#1/' | sort -u)" \
		"Finding left  [0]  a construct was left without its end: parallel loop, which is open when the loop around it goes on: is call dvmdbg_pl_end() missing?, at 1.B  open.f90:13  #1"
	like "and numbers go on as if it were there" "$out" '^5\.E +parallel loop  open\.f90:16 '
	dvm 30 'break open.f90:16 -iter 2' -n 1 "$tmp/open"
	like "advice names Fortran's calls and compiler" "$out" 'mark them with dvmdbg_pl_iteration and rebuild with dvmdbg-fc'
else
	skip "the Fortran module's hooks" "no Fortran compiler"
fi
no_leak "registrations"
done_testing
