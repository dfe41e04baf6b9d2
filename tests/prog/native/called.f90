! SPDX-License-Identifier: GPL-3.0-or-later
! Procedures to be called from the debugger: arguments by reference and by value, arrays, characters, results.
module numbers
  implicit none
  integer :: counted = 0
  type base_t
    integer :: n = 3
  contains
    procedure :: count_of
    procedure, nopass :: signed => plain
  end type
  type, extends(base_t) :: square_t
    real(8) :: s = 5
  contains
    procedure :: covers => area
    procedure :: more
  end type
contains
  real(8) function area(self)
    class(square_t), intent(in) :: self
    area = self%s**2
  end function
  real(8) function more(self, by)
    class(square_t), intent(in) :: self
    real(8), intent(in), optional :: by
    more = self%s
    if (present(by)) more = more + by
  end function
  integer function count_of(self)
    class(base_t), intent(in) :: self
    count_of = self%n
    select type (self)
    type is (square_t)
      count_of = count_of + 100
    end select
  end function
  real(8) function side(self)
    type(square_t), intent(in) :: self
    side = self%s
  end function
  elemental real(8) function twice(x)
    real(8), intent(in) :: x
    twice = 2 * x
  end function
  integer function lengths(s)
    character(len=*), intent(in) :: s
    lengths = len(s)
  end function
  real(8) function norm(u, n, name)
    integer, intent(in) :: n
    real(8), intent(in) :: u(n)
    character(len=*), intent(in) :: name
    norm = sqrt(sum(u**2)) + 100 * len(name)
  end function
  real(8) function total(a)
    real(8), intent(in) :: a(:, :)
    total = sum(a)
  end function
  integer function plain(k, l)
    integer, value :: k
    logical, intent(in) :: l
    plain = merge(k, -k, l)
  end function
  function doubled(n)
    integer, intent(in) :: n
    real(8) :: doubled(n)
    doubled = 2 * n
  end function
  complex(8) function turned(z)
    complex(8), intent(in) :: z
    turned = z * (0d0, 1d0)
  end function
  character(len=6) function word(i)
    integer, intent(in) :: i
    word = merge('even  ', 'odd   ', mod(i, 2) == 0)
  end function
  logical function above(x)
    real(4), intent(in) :: x
    above = x > 0.5
  end function
  subroutine change(x)
    real(8), intent(inout) :: x
    x = x + 1
    counted = counted + 1
  end subroutine
end module

program called
  use mpi
  use dvmdbg
  use numbers
  implicit none
  integer :: rank, ierr, i, n
  real(8) :: x(3), eps
  real(8), allocatable, target :: a(:, :)
  real(8), pointer :: row(:)
  integer, allocatable :: k(:, :)
  type(square_t) :: square
  type(base_t) :: base
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  x = [3d0, 4d0, 0d0]
  eps = 0.25d0
  n = 2
  allocate (a(2, 2))
  a = rank + 1
  row => a(2, :)
  allocate (k(2, 2))
  k = nint(sum(doubled(n)))
  call dvmdbg_replicated(eps, "eps")
  do i = 1, 2
    call dvmdbg_pl_begin(first=[1], last=[3])
    x(3) = 0
    call dvmdbg_pl_end()
  end do
  print '(a,f5.2,i3,f6.1)', 'eps counted', eps, counted, norm(x, n, 'ab') + total(a) * 0 * sum(row) * k(1, 1)
  if (plain(1, .true.) /= 1 .or. word(1) /= 'odd' .or. above(0.1) .or. turned((0d0, 0d0)) /= 0) print *, 'WRONG'
  call change(eps)
  if (area(square) + side(square) + count_of(base) + twice(eps) + lengths('ab') < 0) print *, 'WRONG'
  call MPI_Finalize(ierr)
end program
