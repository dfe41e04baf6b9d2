! SPDX-License-Identifier: BSD-3-Clause
! As crashes.c: rank 1 ends badly in a procedure of a module, the others wait for it.
module work
	use, intrinsic :: iso_c_binding
	implicit none
	real(8), volatile :: zero = 0, sink = 0, large_one = 1d308
	integer, volatile :: none = 0, seven = 7
	real(8), pointer :: nowhere(:) => null()
	interface
		! no pages behind a mapped file, as C has it
		function mmap(at, bytes, protection, flags, file, offset) bind(C)
			import
			type(c_ptr), value :: at
			integer(c_size_t), value :: bytes
			integer(c_int), value :: protection, flags, file
			integer(c_long), value :: offset
			type(c_ptr) :: mmap
		end function
		function raise(signal) bind(C)
			import
			integer(c_int), value :: signal
			integer(c_int) :: raise
		end function
	end interface
contains
	subroutine fail(how)
		character(*), intent(in) :: how

		select case (how)
		case ('invalid')
			sink = sqrt(zero - 1) ! @invalid
		case ('divzero')
			sink = 1 / zero ! @divzero
		case ('overflow')
			sink = large_one * 10 ! @overflow
		case ('divide')
			none = seven / none ! @divide
		case ('segv')
			call set(nowhere) ! @set
		case ('bus')
			call behind_a_file()
		case ('illegal')
			none = raise(4) ! @illegal
		case ('abort')
			call abort() ! @abort
		case ('heap')
			call damage() ! @damage
		case ('bounds')
			call index_of(5)
		case ('memory')
			call much(8_8 ** 15)
		case ('text')
			error stop 'the matrix is singular' ! @text
		case ('leave')
			stop ! @leave
		case ('exit')
			call exit(3) ! @exit
		case ('stop')
			error stop 4 ! @stop
		case ('stack')
			call large(4000000) ! @stack
		end select
	end subroutine

	subroutine set(a)
		real(8), pointer, intent(in) :: a(:)

		a(1) = zero ! @segv
	end subroutine

	! The file is of the program itself, opened by its name, so that it has a number of C's.
	subroutine behind_a_file()
		integer(1), pointer :: bytes(:)
		integer :: unit

		open (newunit=unit, status='scratch', access='stream')
		call c_f_pointer(mmap(c_null_ptr, 8192_c_size_t, 1, 1, fnum(unit), 0_c_long), bytes, [8192])
		sink = bytes(7) ! @bus
	end subroutine

	subroutine fill(a, first, n)
		integer, intent(in) :: first, n
		real(8), intent(inout) :: a(*)
		integer :: i

		do i = first, n
			a(i) = 1
		end do
	end subroutine

	subroutine damage()
		real(8), allocatable :: a(:)

		allocate (a(3))
		call fill(a, -1, 3)
		deallocate (a) ! @heap
	end subroutine

	subroutine index_of(i)
		integer, intent(in) :: i
		real(8) :: a(4)

		a = zero
		sink = a(i) ! @bounds
	end subroutine

	subroutine much(n)
		integer(8), intent(in) :: n
		real(8), allocatable :: a(:)

		allocate (a(n)) ! @memory
		sink = a(1)
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
		if (how == 'mpi_abort') call MPI_ABORT(MPI_COMM_WORLD, 5, error) ! @mpi_abort
		call fail(trim(how)) ! @fail
		call MPI_SEND(got, 1, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, error)
	else
		call MPI_RECV(got, 1, MPI_DOUBLE_PRECISION, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! @recv
	end if
	call MPI_FINALIZE(error)
end program
