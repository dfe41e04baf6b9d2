# SPDX-License-Identifier: GPL-3.0-or-later
# An array whose memory is freed after it was registered, as by move_alloc or by assigning a function's result to a whole
# allocatable array: what takes its place there is not it.
. "${0%/*}/lib.sh"
[ -x "$builddir/doc/examples/jacobi-hooked" ] || skip_all "no Fortran programs with access hooks"
cd "$tmp" || exit 1
cat >moved.f90 <<'EOT'
program moved
  use dvmdbg
  implicit none
  integer, parameter :: n = 1000
  real(8), allocatable :: b(:), c(:), fresh(:), other(:)
  integer :: i
  character(len=8) :: how = ''
  call get_command_argument(1, how)
  allocate (b(n), c(n), fresh(n))
  b = 0
  fresh = 0
  call dvmdbg_array(b, 'b')
  call dvmdbg_array(c, 'c')
  call dvmdbg_pl_begin(first=1, last=n, writes='b,c')
  do i = 1, n
    if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
    b(i) = i
    c(i) = 2 * i
  end do
  call dvmdbg_pl_end()
  if (how /= 'stays') call move_alloc(fresh, b)
  if (how == 'again') call dvmdbg_array(b, 'b')
  if (how == 'forget') call dvmdbg_forget('b')
  allocate (other(n))
  call dvmdbg_pl_begin(first=1, last=n)
  do i = 1, n
    if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
    other(i) = -i
    b(i) = other(i) + c(i)
  end do
  call dvmdbg_pl_end()
  deallocate (b, c)
  print *, sum(other)
end program
EOT
"$builddir/runtime/dvmdbg-fc" -g -O1 "$srcdir/runtime/dvmdbg.f90" moved.f90 -o moved "-L$builddir/runtime/.libs" \
	"-Wl,-rpath,$builddir/runtime/.libs" -ldvmdbg || skip_all "no Fortran compiler"

# record LEVEL HOW: what is said is in $out, with the exit status at its end
record()
{
	out=$(timeout -k 5 120 "$DVMDBG" record --level "$1" -o ref -n 1 ./moved "$2" 2>&1 </dev/null; echo "status $?")
}
# writes ELEMENT: values that are written to it
writes() { "$DVMDBG" trace print ref -element "$1" </dev/null | sed -n 's/.* write .* = \([-0-9]*\) .*/\1/p' | tr '\n' ' '; }

for level in CHECKSUM MODIFY FULL; do
	record $level ''
	like "$level: an array that has moved is told of, by name" "$out" '^status 1$' \
		'^Finding memory  \[0\] .*: b, so no checksum is taken of it: it was freed or moved, and not registered again' ' at 2\.E '
	is "$level: once, and nothing else" "$(printf '%s\n' "$out" | grep -c '^Finding')" 1
done
is "what is written where it was is not its" "$(writes 'b(7)')" "7 "
is "of the others all is seen" "$(writes 'c(7)')" "14 "
record FULL again
like "registered again: no finding" "$out" '^status 0$'
is "and it is seen in its new place" "$(writes 'b(7)')" "7 7 "
for how in forget stays; do
	record FULL $how
	like "$how: no finding, nor when arrays are freed in the end" "$out" '^status 0$'
done
no_leak "moved"
done_testing
