! SPDX-License-Identifier: BSD-3-Clause
! As crashes.c: rank 1 ends badly in a procedure of a module, the others wait for it.
module work
	implicit none
	real(8), volatile :: zero = 0, sink = 0
contains
	subroutine fail(how)
		character(*), intent(in) :: how

		select case (how)
		case ('invalid')
			sink = sqrt(zero - 1) ! @invalid
		case ('divzero')
			sink = 1 / zero ! @divzero
		case ('stop')
			error stop 4 ! @stop
		case ('stack')
			call large(4000000) ! @stack
		end select
	end subroutine

	subroutine large(n)
		integer, intent(in) :: n
		real(8) :: room(n)

		room = zero
		sink = room(n / 2) ! @large
	end subroutine
end module

program crashes
	use mpi
	use work
	implicit none
	integer :: error, rank
	character(16) :: how
	real(8) :: got

	call get_command_argument(1, how)
	call MPI_INIT(error)
	call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
	if (rank == 1) then
		call fail(trim(how)) ! @fail
		call MPI_SEND(got, 1, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, error)
	else
		call MPI_RECV(got, 1, MPI_DOUBLE_PRECISION, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! @recv
	end if
	call MPI_FINALIZE(error)
end program
