package parquet

import (
	"encoding/hex"
	"errors"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/loopgauge/loopgauge/window"
)

// span are events by their numbers, of a row group that is passed over: the rows of
// the first and the last may be in its neighbours, too.
type span struct{ first, last int64 }

// pass takes a row group for passed over if nothing in it is sought. Which events are
// in it must be known: all are counted, so that a file that is missing is noticed.
func (e *eventColumns) pass(g *group, sought *window.Sought) (passed bool, err error) {
	if sought == nil || !g.ours {
		return false, nil
	}
	first, last, known := e.seq.bounds(g)
	if !known {
		return false, nil
	}
	if at := sought.Line; at != nil && e.stream.mayHold(g, int64(at.Stream)) && e.line.mayHold(g, at.Line) {
		return false, nil
	}
	if sought.Time != nil && e.time.mayHold(g, *sought.Time) {
		return false, nil
	}
	for _, key := range sought.Scopes {
		if may, err := e.scopesKey.mayHold(g, hex.EncodeToString(key[:])); may || err != nil {
			return false, err
		}
	}
	from := first
	if n := len(e.passed); n > 0 {
		from = max(from, e.passed[n-1].last+1)
	}
	e.passed, e.counted = append(e.passed, span{first, last}), e.counted+last+1-from
	return true, nil
}

// isPassed tells whether the event at hand, of this number, is in a row group that is
// passed over.
func (e *eventColumns) isPassed(seq int64) bool {
	for len(e.passed) > 0 && e.passed[0].last < seq {
		e.passed = e.passed[1:]
	}
	return len(e.passed) > 0 && e.passed[0].first <= seq
}

// bounds are the least and the greatest number of the column in a row group.
func (c *column) bounds(g *group) (least, most int64, known bool) {
	chunk, ok := g.chunks[c.leaf].(*parquet.FileColumnChunk)
	if !ok {
		return 0, 0, false
	}
	low, high, known := chunk.Bounds()
	return low.Int64(), high.Int64(), known
}

// mayHold is false if no row of a row group has this number.
func (n *numbers[V]) mayHold(g *group, number int64) bool {
	least, most, known := n.bounds(g)
	return !known || least <= number && number <= most
}

// mayHold is false if no row of a row group has this text. In what is ours all texts
// of one are in its dictionary, which comes with the first page.
func (t *texts[V]) mayHold(g *group, text string) (bool, error) {
	if err := g.checkColumn(t.leaf); err != nil {
		return false, err
	}
	pages := g.chunks[t.leaf].Pages()
	defer pages.Close()
	page, err := pages.ReadPage()
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer parquet.Release(page)
	words := page.Dictionary()
	if words == nil {
		return true, nil
	}
	content := words.Page().Data()
	all, ends := content.ByteArray()
	for i := range len(ends) - 1 {
		if string(all[ends[i]:ends[i+1]]) == text {
			return true, nil
		}
	}
	return false, nil
}
