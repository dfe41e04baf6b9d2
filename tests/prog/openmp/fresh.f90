! SPDX-License-Identifier: GPL-3.0-or-later
! Private variables that are read before they have a value, one in each line with @unset and its
! name; all others have one, or need none.
program fresh
	implicit none
	integer, parameter :: n = 20
	integer :: i, j, x, s, y(n), table(4)
	real(8) :: a(n), t
	real(8), allocatable :: w(:)
	real(8), pointer :: p
	real(8), target :: shared
	type cell
		integer :: k = 3
	end type
	type(cell) :: c
	type pair
		integer :: first
		real(8) :: second(3)
	end type
	type(pair) :: d
	character(8) :: text

	x = 5
	s = 0
	shared = 1
	y = 0
	allocate(w(4))
	!$omp parallel private(x, table) reduction(+:s) num_threads(3)
	s = s + x	! @unset x
	table(1) = 1
	s = s + table(1) + table(3)	! @unset table
	!$omp end parallel
	!$omp parallel do private(t)
	do i = 1, n
		a(i) = t	! @unset t
		t = i
	end do
	!$omp parallel do lastprivate(x)
	do i = 1, n
		y(i) = x	! @unset x
		x = i
	end do
	!$omp parallel private(w, p, c, text, j, t)
	w = 2
	p => shared
	t = p
	j = c%k
	text = 'more'
	if (j > 5 .or. w(2) > 9 .or. text == 'less') print *, t
	!$omp single
	do i = 1, 3
		!$omp task
		do j = 1, 3
			t = j
		end do
		!$omp end task
	end do
	!$omp end single
	!$omp end parallel
	!$omp parallel do private(i, j) collapse(2)
	do i = 1, 4
		do j = 1, 5
			y(i + 4 * (j - 1)) = i
		end do
	end do
	!$omp parallel private(t)
	t = 1
	!$omp do private(x)
	do i = 1, n
		x = i
		do j = 1, 2
			x = x + 1
		end do
		a(i) = x + t
	end do
	!$omp end parallel
	!$omp parallel do private(d)
	do i = 1, n
		d%first = i
		a(i) = d%first + d%second(2)	! @unset d
		d%second = i
		a(i) = a(i) + d%second(1)
	end do
	print *, sum(y) > 0, a(3) > 0
end program
