// SPDX-License-Identifier: GPL-3.0-or-later
// Go: goroutines on split stacks, a panic.
package main

import "fmt"

func fact(n int) int {
	if n < 0 {
		panic("negative")
	}
	if n < 2 {
		return 1
	}
	return n * fact(n-1)
}

func try() (s string) {
	defer func() { s = fmt.Sprint("caught ", recover()) }()
	fact(-1)
	return ""
}

func worker(n int, c chan int) {
	for i := 0; i < 100; i++ {
		c <- fact(n)
	}
}

func main() {
	c := make(chan int)
	for i := 0; i < 5; i++ {
		go worker(i, c)
	}
	sum := 0
	for i := 0; i < 500; i++ {
		sum += <-c
	}
	fmt.Println(sum, fact(6), try())
}
