! SPDX-License-Identifier: BSD-3-Clause
! Arrays of all kinds that Fortran has, for marks beside the source.
module shared
  implicit none
  type grid
    integer :: n = 0
    real(8), allocatable :: u(:), v(:)
    real(8) :: w(3)
    integer, pointer :: p(:) => null()
  end type
  integer, parameter :: most = 4
  integer :: wide = 5
  real(8), allocatable :: field(:, :)
contains
  subroutine assumed(a, b, c)
    real(8), intent(inout) :: a(:), b(0:, -1:), c(*)
    a = a + 1  ! @assumed
    b(0, -1) = 7
    c(2) = 9
    print *, sum(a), sum(b)
  end subroutine
  subroutine explicit(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(wide, -2:n)
    real(8) :: auto(0:n), two(n, -n:n)
    auto = 3  ! @explicit
    two = 4
    a(1, -2) = auto(0) + two(1, 0)
    print *, a(1, -2)
  end subroutine
  subroutine host(m)
    integer, intent(in) :: m
    integer :: first, last
    real(8), allocatable :: h(:)
    first = m - 5
    last = m
    allocate (h(first:last))
    h = 4
    call guest()
  contains
    subroutine guest()
      integer :: k
      do k = lbound(h, 1), ubound(h, 1)  ! @guest
        h(k) = k
      end do
      print *, sum(h)
    end subroutine
  end subroutine
end module
program kinds
  use shared
  implicit none
  integer :: n = 4, i
  type(grid), target :: g
  type(grid), pointer :: q
  real(8) :: x(4), y(-1:2)
  complex(8) :: z(3)
  real(4) :: single(0:2)
  integer(8) :: whole(3)
  common /block/ x, y
  g%n = 3
  allocate (g%u(3), g%v(0:4), g%p(-3:-1), field(2, 0:3))
  q => g
  g%u = [1d0, 2d0, 3d0]
  g%v = [10d0, 20d0, 30d0, 40d0, 50d0]
  g%w = 6
  g%p = [7, 8, 9]
  field = 2
  x = [1, 2, 3, 4]
  y = [5, 6, 7, 8]
  z = (1d0, 2d0)
  single = 1.5
  whole = [1, 2, 3]
  n = n + 2 + command_argument_count()
  call inside(x)  ! @main
  call assumed(x, field, x)
  call explicit(field, 1)
  call host(3)
contains
  subroutine inside(a)
    real(8), intent(inout) :: a(n - 2)
    integer :: local
    local = n
    do i = 1, n - 2  ! @inside
      a(i) = a(i) + local
    end do
    do 10 i = 1, 3  ! @label
      g%v(i) = g%v(i) + 1
10  continue
    do concurrent (i = 1:3)  ! @concurrent
      g%u(i) = g%u(i) * 2
    end do
    g%u(1:2) = 5  ! @section
    print *, sum(a), g%v
  end subroutine
end program
