package tune

import "sync"

// inParts has f do n things, in so many parts beside each other that are numbered
// from 0: fewer if n is.
func inParts(parts, n int, f func(part, from, to int)) {
	var working sync.WaitGroup
	parts = min(n, parts)
	for i := range parts {
		working.Go(func() { f(i, i*n/parts, (i+1)*n/parts) })
	}
	working.Wait()
}
