! SPDX-License-Identifier: GPL-3.0-or-later
! As blocks.c.
program blocks
	implicit none
	real(8), allocatable :: a(:), b(:,:), c(:), d(:), e(:)
	integer :: i, n

	n = 40
	allocate(a(n))
	allocate(b(0:n, 3), stat=i)
	allocate( &
		c(-2:n))
	allocate(d(n), e(n))
	!$omp parallel do
	do i = 2, n
		a(i / 2) = i ! @is a(1)
		b(i / 2, 1) = i ! @is b+8
		c(i / 2) = i ! @is c(1)
		d(i / 2) = i ! @is byte 0 of the block allocated at blocks.f90:13
	end do
	print *, a(3)
end program
