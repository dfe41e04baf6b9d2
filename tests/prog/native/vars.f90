! SPDX-License-Identifier: GPL-3.0-or-later
! Variables of many kinds, in procedures in which a rank stays in a loop.
module field
  implicit none
  type point
    real(8) :: x, y
  end type
  type mesh
    integer :: n
    type(point) :: origin
    real(8), allocatable :: w(:)
  end type
  real(8) :: limit = 2.5d0
  integer, volatile :: go_on = 0
contains
  subroutine relax(u, n, a, m, label, scale)
    integer, intent(in) :: n
    real(8), intent(inout) :: u(0:n, 3), a(:, :)
    type(mesh), intent(in) :: m
    character(len=*), intent(in) :: label
    real(4), intent(in) :: scale
    real(8), allocatable :: work(:), none(:)
    real(8), pointer :: p(:)
    real(8), target :: t(6)
    integer :: i
    logical :: done
    complex(8) :: z

    allocate (work(2:5))
    work = 7.5d0
    t = [1, 2, 3, 4, 5, 6]
    p => t(2:6:2)
    done = .true.
    z = (1d0, -2d0)
    i = 3
    do while (go_on == 0)
      u(1, 2) = u(1, 2) + 0 ! @relax
    end do
    if (allocated(none) .or. done) print *, work, p, z, i, m%n, label, scale, limit, a
  end subroutine
end module

program vars
  use mpi
  use field
  implicit none
  integer :: rank, ierr, k(2)
  real(8) :: u(0:4, 3), a(4, 2)
  type(mesh) :: m
  common /shared/ k
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  u = 1
  u(1, 2) = 12
  a = reshape([11, 21, 31, 41, 12, 22, 32, 42], [4, 2])
  k = [5, 6]
  m%n = 9
  m%origin = point(0.5d0, 0.25d0)
  allocate (m%w(3))
  m%w = [1, 2, 3]
  call relax(u, 4, a(1:4:2, :), m, 'label', 0.5)
  call mpi_finalize(ierr)
end program
