package tune

import (
	"runtime"
	"sync"
)

// onAllCores has f do n things, in parts beside each other that are numbered from
// 0: fewer than there are cores if n is.
func onAllCores(n int, f func(part, from, to int)) {
	var working sync.WaitGroup
	parts := min(n, runtime.GOMAXPROCS(0))
	for i := range parts {
		working.Go(func() { f(i, i*n/parts, (i+1)*n/parts) })
	}
	working.Wait()
}
