! SPDX-License-Identifier: GPL-3.0-or-later
! Arrays in structures in arrays, a polymorphic argument, and arguments that are not there, in a procedure that aborts.
module nested
  implicit none
  type leaf
    real(8) :: w(3) = 0
    integer :: id = 0
  end type
  type node
    type(leaf) :: l(0:1)
    type(leaf), pointer :: p(:) => null()
    integer :: k = 0
  end type
  type row
    real(8), allocatable :: v(:)
    real(8), pointer :: q(:) => null()
  end type
  type(row), save :: rows(3)
  type :: shape_t
    real(8) :: size = 2.5d0
  end type
  type, extends(shape_t) :: circle_t
    real(8) :: r = 3
  end type
  type :: named_t
    character(len=:), allocatable :: name
  end type
  type, extends(named_t) :: known_t
    integer :: id = 4
  end type
  type(known_t), save :: known
  type(leaf), save :: leaves(3)
contains
  subroutine sweep(t, c, s, x, a, word)
    type(node), intent(inout) :: t(2,2)
    class(shape_t), intent(inout) :: c
    character(len=:), allocatable, intent(inout) :: s
    real(8), optional, intent(in) :: x, a(:)
    character(len=*), optional, intent(in) :: word
    s = s // 'more'
    c%size = c%size + 1
    if (t(1,2)%k == 12) call abort
    if (present(x)) print *, x, a, word
  end subroutine
end module
program main
  use nested
  implicit none
  type(node) :: t(2,2)
  type(circle_t) :: c
  character(len=:), allocatable :: s
  integer :: i, j
  do j = 1, 2
    do i = 1, 2
      t(i,j)%k = 10 * i + j
      t(i,j)%l(0)%w = [1, 2, 3] + t(i,j)%k * 10
      t(i,j)%l(1)%w = [4, 5, 6] + t(i,j)%k * 10
      allocate(t(i,j)%p(5))
      t(i,j)%p(3)%w = [7, 8, 9]
    end do
  end do
  do i = 1, 3
    allocate(rows(i)%v(4), rows(i)%q(4))
    rows(i)%v = i * 10
  end do
  s = 'ab'
  known%name = 'inherited'
  leaves%id = [1, 2, 3]
  call sweep(t, c, s)
  print *, t(1,1)%l(1)%w(2)
end program
