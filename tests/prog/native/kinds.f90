! SPDX-License-Identifier: GPL-3.0-or-later
! Variables of rarer kinds, in procedures that are internal to others, one of which aborts.
module kinds
  implicit none
  type base
    integer :: id = 3
    character(len=4) :: tag = 'base'
  end type
  type, extends(base) :: cell
    real(8) :: t = 1.5d0
    character(len=:), allocatable :: label
  end type
  integer, parameter :: most = 17
  real(16) :: precise = 1.25_16
contains
  subroutine sweep(n, c, any, a)
    integer, intent(in) :: n
    type(cell), intent(in) :: c
    class(base), intent(in) :: any
    real(8), intent(inout) :: a(0:)
    real(8) :: work(n), total
    integer :: i
    do i = 1, n
      work(i) = 10 * i
    end do
    total = sum(work) + a(0)
    call inside(total)
    print *, total, work(1), c%label, any%id, i
  contains
    subroutine inside(q)
      real(8), intent(inout) :: q
      real(8) :: loc
      loc = q + total + work(1)
      q = loc
      flush (6)
      call abort() ! @inside
      print *, loc
    end subroutine
  end subroutine
end module

program main
  use mpi
  use kinds
  implicit none
  type(cell) :: c
  real(8) :: a(3)
  integer :: ierr
  call mpi_init(ierr)
  a = [1, 2, 3]
  c%label = 'label'
  call sweep(2, c, c, a)
  call mpi_finalize(ierr)
end program
