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
  type row
    real(8) :: v(3)
  end type
  type(row), save :: rows(4)
  real(8), save :: plane(0:1, 3) = 2
contains
  subroutine sweep(n, c, any, a, wide, flat, low)
    integer, intent(in) :: n
    real(8), intent(in) :: wide(0:n-1, *), flat(*)
    type(cell), intent(in) :: c
    class(base), intent(in) :: any
    real(8), intent(inout) :: a(0:)
    real(8), intent(in) :: low(n:, :)
    real(8) :: work(n), total
    integer :: i
    do i = 1, n
      work(i) = 10 * i
    end do
    total = sum(work) + a(0)
    do i = 1, 4
      rows(i)%v = [10 * i + 1, 10 * i + 2, 10 * i + 3]
    end do
    if (rows(4)%v(2) /= 42 .or. plane(1, 1) /= 2) total = 0
    call inside(total)
    print *, total, work(1), c%label, any%id, i, wide(0, 2), flat(2), low(n, 1)
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
  use kinds, only: cell, sweep ! a list, and gfortran leaves the bounds of wide out
  implicit none
  type(cell) :: c
  real(8) :: a(3), b(0:2, 2)
  integer :: ierr
  call mpi_init(ierr)
  a = [1, 2, 3]
  b = reshape([1, 2, 3, 4, 5, 6], [3, 2])
  c%label = 'label'
  call sweep(2, c, c, a, b, b, b)
  call mpi_finalize(ierr)
end program
