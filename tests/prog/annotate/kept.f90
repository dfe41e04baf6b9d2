! SPDX-License-Identifier: BSD-3-Clause
! Two unknowns of a point behind the others, in components of what is passed on; a function without
! loops reads the halo; a loop where no variable has the size of all.
! kept N STEPS
module kept_m
  use mpi
  implicit none
  type field
     real(8), allocatable :: q(:,:,:), w(:,:)
  end type field
  type part
     integer :: j1, j2, m, below, above
  end type part
contains
  subroutine begin(f, p, n)
    type(field), intent(inout) :: f
    type(part), intent(in) :: p
    integer, intent(in) :: n
    integer :: i, j
    allocate(f%q(n, 0:p%m+1, 2), f%w(n, 0:p%m+1))
    f%q = 0
    f%w = 0
    do j = 1, p%m
       do i = 1, n
          f%q(i,j,1) = 1 + 0.01d0 * mod(7 * (j + p%j1) + 3 * i, 13)
          f%q(i,j,2) = 2 + 0.02d0 * mod(5 * (j + p%j1) + i, 11)
       end do
    end do
  end subroutine begin

  real(8) function beside(a, i, j)
    real(8), intent(in) :: a(:,0:)
    integer, intent(in) :: i, j
    beside = a(i, j-1) + a(i, j+1) - 2 * a(i, j)
  end function beside

  subroutine renew(a, n, p)
    integer, intent(in) :: n
    type(part), intent(in) :: p
    real(8), intent(inout) :: a(n, 0:p%m+1)
    integer :: ierr
    call MPI_Sendrecv(a(1,1), n, MPI_DOUBLE_PRECISION, p%below, 1, a(1,p%m+1), n, &
         MPI_DOUBLE_PRECISION, p%above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(a(1,p%m), n, MPI_DOUBLE_PRECISION, p%above, 2, a(1,0), n, &
         MPI_DOUBLE_PRECISION, p%below, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end subroutine renew

  subroutine step(f, p)
    type(field), intent(inout) :: f
    type(part), intent(in) :: p
    integer :: i, j
    do j = 1, p%m
       do i = 1, size(f%w, 1)
          f%q(i,j,1) = f%q(i,j,1) + 0.1d0 * beside(f%w, i, j)
          f%q(i,j,2) = f%q(i,j,2) - 0.05d0 * f%w(i,j)
       end do
    end do
  end subroutine step
end module kept_m

program kept
  use kept_m
  implicit none
  type(field) :: f
  type(part) :: p
  integer :: n, steps, k, rank, ranks, i, j, ierr
  real(8) :: s, all
  character(12) :: text
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call get_command_argument(1, text)
  read (text, *) n
  call get_command_argument(2, text)
  read (text, *) steps
  p%j1 = n * rank / ranks + 1
  p%j2 = n * (rank + 1) / ranks
  p%m = p%j2 - p%j1 + 1
  p%below = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  p%above = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
  call begin(f, p, n)
  do k = 1, steps
     do j = 1, p%m
        do i = 1, n
           f%w(i,j) = f%q(i,j,1) * f%q(i,j,2)
        end do
     end do
     call renew(f%w, n, p)
     call step(f, p)
  end do
  s = sum(f%q(:, 1:p%m, :)**2)
  call MPI_Reduce(s, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(es20.12)', all
  call MPI_Finalize(ierr)
end program kept
