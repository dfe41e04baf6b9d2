! SPDX-License-Identifier: BSD-3-Clause
! As calls.c: rank 1 computes for ever in a procedure of a module, or divides an array of another shape; the
! others wait in MPI_RECV.
module work
	implicit none
	integer, volatile :: never = 0
	real(8), volatile :: sum = 0
contains
	subroutine relax(n)
		integer, intent(in) :: n
		integer :: i

		do while (never == 0)
			do i = 1, n
				sum = sum * 0.5d0 + i ! @relax
			end do
		end do
	end subroutine

	subroutine crash(a, i)
		real(8), pointer :: a(:)
		integer, intent(in) :: i

		a(i) = 1 ! @segv
	end subroutine
end module

subroutine wait_for(from)
	use mpi
	implicit none
	integer, intent(in) :: from
	integer :: error
	real(8) :: got

	call MPI_RECV(got, 1, MPI_DOUBLE_PRECISION, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! @recv
end subroutine

program calls
	use mpi
	use work
	implicit none
	integer :: error, rank
	character(16) :: how
	real(8), pointer :: a(:) => null()

	call get_command_argument(1, how)
	call MPI_INIT(error)
	call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
	if (rank /= 1) then
		call wait_for(1) ! @wait
	else if (how == 'spin') then
		call relax(100) ! @spin
	else
		call crash(a, 2) ! @crash
	end if
	call MPI_FINALIZE(error)
end program
