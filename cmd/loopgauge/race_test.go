//go:build race

package main

// raced is whether the tests run under the race detector, where they take ten
// times as long: what is not about processes and goroutines does less there, or
// waits for the run without it.
const raced = true
