package main

import (
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows how much of the logs is read, on a terminal only.
type progress struct {
	quit  chan struct{}
	drawn sync.WaitGroup
}

// measured is what a bar shows the progress of, in bytes as they lie on disk.
type measured interface {
	Size() int64 // -1 if nobody knows
	Read() int64
}

// newProgress starts a bar. Stop it before anything else is printed.
func newProgress(u *ui, parts []measured) *progress {
	if u.quiet || !isTerminal(u.stderr) {
		return nil
	}
	var total int64
	for _, s := range parts {
		if s.Size() < 0 {
			total = -1 // of standard input nobody knows the size
			break
		}
		total += s.Size()
	}
	bar := progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(u.stderr),
		progressbar.OptionSetDescription("reading"),
		progressbar.OptionShowBytes(true),
		progressbar.OptionUseIECUnits(true),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionShowElapsedTimeOnFinish(),
		progressbar.OptionSetWidth(24),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
	p := &progress{quit: make(chan struct{})}
	p.drawn.Go(func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-p.quit:
				_ = bar.Clear()
				return
			case <-tick.C:
				var read int64
				for _, s := range parts {
					read += s.Read()
				}
				_ = bar.Set64(read)
			}
		}
	})
	return p
}

func (p *progress) stop() {
	if p != nil {
		close(p.quit)
		p.drawn.Wait()
	}
}
