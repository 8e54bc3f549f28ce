package parted

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
)

// Keys are what the rows of a part may be sorted by.
var Keys = []Key{{"fingerprint", window.ByScopeAndFingerprint}, {"scope", window.ByScope}}

// Key is what the rows of a part are sorted by, besides their rule.
type Key struct {
	Name   string
	Keying window.Keying
}

// CountOptions say what to count.
type CountOptions struct {
	Policy  string // its hash
	Plan    *window.Plan
	Key     Key
	Windows []time.Duration // as window.SweepOptions has them, and Most
	Most    int             // the highest threshold
	MaxKeys int             // cap on live keys of a scope
}

// Count counts the rows of a part and writes what [Merge] reads.
func Count(ctx context.Context, in io.Reader, out io.Writer, o CountOptions) error {
	w := bufio.NewWriter(out)
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	var failed error
	write := func(l line) {
		if err := lines.Encode(l); failed == nil {
			failed = err
		}
	}
	p := window.NewPartition(o.Plan, o.Key.Keying, window.SweepOptions{Windows: o.Windows, Most: o.Most, MaxKeys: o.MaxKeys}, func(e *window.Episode) {
		episode := replay.NewDocumentEpisode(e)
		write(line{Kind: episodeLine, Rule: e.Rule.Name, Episode: &episode})
	})
	r := newRows(in, o.Plan, o.Key.Keying)
	for ctx.Err() == nil && failed == nil {
		rule, ev, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("standard input: %w", err)
		}
		p.Add(rule, ev)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	p.Close()
	var windows []float64
	for _, w := range o.Windows {
		windows = append(windows, w.Seconds())
	}
	for _, tally := range p.Result() {
		name := tally.Rule.Name
		for i := range tally.Cells {
			for _, l := range countsOf(tally.Rule, &tally.Cells[i]) {
				l.Rule, l.Key = name, o.Key.Name
				write(l)
			}
		}
		// Last, so that hits are missing of a part that was cut short.
		write(line{Kind: ruleLine, Rule: name, Key: o.Key.Name, Policy: o.Policy, Windows: windows, Most: o.Most, Hits: tally.Hits, Dropped: tally.Dropped})
	}
	return errors.Join(failed, w.Flush())
}

// countsOf are the lines of a cell of a rule.
func countsOf(rule *window.Rule, cell *window.Swept) (list []line) {
	for count := 2; count < len(cell.Requests); count++ {
		l := line{
			Kind: countLine, Counter: cell.Kind, WindowSeconds: cell.Window.Seconds(),
			Count: count, Hits: cell.Requests[count], Rises: cell.Episodes[count], Stopped: cell.StoppedAt(rule, count),
		}
		if count+1 < len(cell.Requests) {
			l.Hits -= cell.Requests[count+1]
		}
		if l.Hits != 0 || l.Rises != 0 || l.Stopped != nil && *l.Stopped != 0 {
			list = append(list, l)
		}
	}
	return list
}
