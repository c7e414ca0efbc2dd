! SPDX-License-Identifier: GPL-3.0-or-later
program hello
  implicit none
  integer :: i
  do i = 1, 3
    call say(i)
  end do
contains
  subroutine say(n)
    integer, intent(in) :: n
    print *, 'hello', n
  end subroutine say
end program hello
