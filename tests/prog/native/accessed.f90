! SPDX-License-Identifier: GPL-3.0-or-later
! Faults by arrays of one line, chosen by the first argument.
program accessed
  use mpi
  implicit none
  type field
    real(8), allocatable :: w(:, :)
  end type
  type(field) :: f
  real(8), pointer :: p(:)
  integer :: rank, ierr, i
  character(8) :: what

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call get_command_argument(1, what)
  nullify(p)
  allocate(f%w(10, 0:9))
  i = 40000000
  if (rank == 0) then
    select case (what)
    case ('second')
      f%w(1, i) = f%w(2, 2) + 1 ! @second
    case ('pointer')
      p(3) = 1 ! @pointer
    end select
  end if
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
