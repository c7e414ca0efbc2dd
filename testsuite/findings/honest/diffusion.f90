! SPDX-License-Identifier: GPL-3.0-or-later
! Heat spreads on a plate, along columns as Fortran keeps them.
module plate
  implicit none
  integer, parameter :: n = 1200
  real, allocatable :: old(:,:), new(:,:)
contains
  subroutine spread_heat()
    integer :: i, j
    do j = 2, n - 1
      do i = 2, n - 1
        new(i, j) = old(i, j) + 0.1 * (old(i-1, j) + old(i+1, j) + old(i, j-1) + old(i, j+1) - 4 * old(i, j))
      end do
    end do
    old = new
  end subroutine
end module

program diffusion
  use plate
  implicit none
  integer :: step
  allocate(old(n, n), new(n, n))
  old = 0
  new = 0
  old(n/4:n/2, n/4:n/2) = 100
  do step = 1, 300
    call spread_heat()
  end do
  print '(f10.5)', sum(old) / n**2
end program
