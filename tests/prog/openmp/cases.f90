! SPDX-License-Identifier: GPL-3.0-or-later
! Programs with OpenMP, one a case, named by the argument; what is to be found stands before each, as in cases.c.
module all_cases
	use omp_lib
	implicit none
	integer, parameter :: n = 64
	integer :: x = 0, y = 0
	real(8) :: a(0:n) = 0, b(0:n) = 0
contains
	! @pair counter w w ww x
	! @pair counter w w wr x
	subroutine counter()
		!$omp parallel
		x = x + 1 ! @counter.w
		!$omp end parallel
	end subroutine

	! @right critical
	subroutine critical()
		!$omp parallel
		!$omp critical
		x = x + 1
		!$omp end critical
		!$omp end parallel
	end subroutine

	! @pair neighbour w w wr a
	subroutine neighbour()
		integer :: i

		!$omp parallel do schedule(static)
		do i = 1, n
			a(i) = a(i - 1) + 1 ! @neighbour.w
		end do
		!$omp end parallel do
	end subroutine

	! @right independent
	subroutine independent()
		integer :: i

		!$omp parallel do schedule(static)
		do i = 1, n
			a(i) = b(i - 1) + a(i)
		end do
		!$omp end parallel do
	end subroutine

	! @pair siblings 1 2 ww x
	subroutine siblings()
		!$omp parallel
		!$omp single
		!$omp task
		x = 1 ! @siblings.1
		!$omp end task
		!$omp task
		x = 2 ! @siblings.2
		!$omp end task
		!$omp end single
		!$omp end parallel
	end subroutine

	! @right depending
	subroutine depending()
		!$omp parallel
		!$omp single
		!$omp task depend(out: x)
		x = 1
		!$omp end task
		!$omp task depend(in: x)
		y = x
		!$omp end task
		!$omp end single
		!$omp end parallel
	end subroutine

	! @right reduction
	subroutine reduction()
		real(8) :: s
		integer :: i

		s = 0
		!$omp parallel do reduction(+: s)
		do i = 1, n
			s = s + a(i)
		end do
		!$omp end parallel do
		if (s < 0) print *, 'negative'
	end subroutine

	! @pair block w w ww p
	subroutine block()
		real(8), allocatable :: p(:)

		allocate(p(n))
		!$omp parallel
		p(3) = 1 ! @block.w
		!$omp end parallel
		deallocate(p)
	end subroutine

	! @pair halves w w ww a
	! @pair halves w w wr a
	subroutine halves()
		integer :: i

		!$omp parallel do &
		!$omp schedule(static)
		do i = 1, &
			n
			a(i / 2 + 1) = a(i / 2 + 1) + 1 ! @halves.w
		end do
	end subroutine

	! @right halves-right
	subroutine halves_right()
		integer :: i, j

		!$omp parallel
		!$omp do collapse(2)
		outer: do i = 1, 8
			do j = 1, 8
				a(i * 8 + j - 8) = a(i * 8 + j - 8) + 1
			end do
		end do outer
		!$omp end do nowait
		!$omp critical
		x = x + 1
		!$omp end critical
		!$omp end parallel
	end subroutine

	! @right numbered
	subroutine numbered()
		use omp_lib
		integer :: i, me

		!$omp parallel private(me)
		me = omp_get_thread_num() + 1
		!$omp do
		do i = 1, n
			a(me) = a(me) + 1
		end do
		!$omp end parallel
	end subroutine

	! @right elements
	subroutine elements()
		real(8) :: s

		s = 0
		!$omp parallel
		!$omp workshare
		a = a * 2
		where (a > 1) b = a
		s = s + sum(b)
		!$omp end workshare
		!$omp end parallel
		if (s < 0) print *, 'negative'
	end subroutine
end module

program cases
	use all_cases
	implicit none
	character(40) :: name

	call get_command_argument(1, name)
	select case (name)
	case ('counter')
		call counter()
	case ('critical')
		call critical()
	case ('neighbour')
		call neighbour()
	case ('independent')
		call independent()
	case ('siblings')
		call siblings()
	case ('depending')
		call depending()
	case ('reduction')
		call reduction()
	case ('block')
		call block()
	case ('halves')
		call halves()
	case ('halves-right')
		call halves_right()
	case ('numbered')
		call numbered()
	case ('elements')
		call elements()
	case default
		stop 2
	end select
	print '(2a)', trim(name), ' done'
end program
