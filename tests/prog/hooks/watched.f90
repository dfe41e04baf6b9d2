! SPDX-License-Identifier: GPL-3.0-or-later
! What is watched without being registered: of a module, of dummy arguments, of derived types.
module config
  integer :: nstep = 0
  real(8) :: coef(-1:2) = 1.0d0
  type cell
    real(8) :: t
    integer :: k(3)
  end type
  type(cell) :: cells(4)
  character(len=4) :: label = 'none'
end module

subroutine relax(a, n)
  use config
  use dvmdbg
  integer, intent(in) :: n
  real(8), intent(inout) :: a(0:n+1)
  real(8) :: err
  integer :: i
  err = 0
  call dvmdbg_pl_begin(1, n)
  do i = 1, n
    a(i) = a(i) + coef(0) ! array
    err = err + a(i)
  end do
  call dvmdbg_pl_end()
  coef(1) = err ! coef
  nstep = nstep + 1
end subroutine

program watched
  use mpi
  use config
  use dvmdbg
  real(8) :: u(0:9)
  integer :: ierr, it
  call mpi_init(ierr)
  u = 0
  cells%t = 0
  call dvmdbg_sl_begin(1, 3)
  do it = 1, 3
    call dvmdbg_iteration(it)
    call relax(u, 8)
    cells(it)%t = u(3)
    cells(2)%k(it) = it ! field
    label(it:it) = 'x' ! label
  end do
  call dvmdbg_sl_end()
  print *, nstep, coef(1)
  call mpi_finalize(ierr)
end program
