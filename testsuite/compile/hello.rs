// SPDX-License-Identifier: GPL-3.0-or-later
// What gccrs can compile: it has no library yet.
#![feature(no_core)]
#![feature(lang_items)]
#![no_core]
#[lang = "sized"]
pub trait Sized {}

extern "C" {
    fn puts(s: *const i8) -> i32;
}

fn same(x: i32) -> i32 {
    x
}

fn say(_x: i32) {
    unsafe {
        puts("hello\0" as *const str as *const i8);
    }
}

fn main() -> i32 {
    say(same(2));
    0
}
