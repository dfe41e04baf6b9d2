! SPDX-License-Identifier: GPL-3.0-or-later
! Arrays and a scalar that are watched: a section of an array with a lower bound of its own, a complex number, an
! assignment to a whole row.
program watch
  use dvmdbg
  implicit none
  integer :: i, it
  real(8), allocatable :: a(:, :)
  complex(8) :: z
  allocate(a(8, 0:3))
  a = 0
  z = 0
  call dvmdbg_array(a, 'a', shape=[8, 4], lower=[1, 0])
  call dvmdbg_replicated(z, 'z')
  call dvmdbg_sl_begin()
  do it = 1, 3
    call dvmdbg_iteration(it)
    call dvmdbg_pl_begin(first=[1], last=[8])
    do i = 1, 8
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
      a(i, it) = a(i, it) + i
    end do
    call dvmdbg_pl_end()
    z = z + cmplx(a(2, it), 1)
    a(3, :) = 7
  end do
  call dvmdbg_sl_end()
  print *, sum(a), z
end program
