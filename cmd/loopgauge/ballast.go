package main

import (
	"math"
	"runtime"
	"runtime/debug"
)

// ballast makes memory that nothing touches, and so takes none, until it is let
// go. The collector counts it: it first looks for garbage when as much has been
// allocated, and not a dozen times before, which is a sixth of what tune takes of a
// small log. Where somebody set a limit to memory (GOMEMLIMIT) that counts it, too,
// and there is none.
func ballast() (letGo func()) {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return func() {}
	}
	b := make([]byte, 64<<20)
	return func() { runtime.KeepAlive(b) }
}
