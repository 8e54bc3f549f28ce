package ingest

import (
	"cmp"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// lostPart and splitPart are why parts of a record are skipped whose rest does
// not follow, in a file and in a topic.
const (
	lostPart  = "a part of a record whose other parts are missing"
	splitPart = "a part of a line whose other parts came as other records of the topic: let the shipper join them"
)

// unwrapping reads lines that are wrapped. It counts each physical line once:
// for the record that begins in it, or, where none does, as blank.
type unwrapping struct {
	in    []*wrap.Wrapper
	chain *wrap.Chain
	run   *reading
	last  fingerprint.Position // of the last record
	any   bool                 // there was one
	// lines are those that no record was found to begin in, as long as one is
	// not at its end.
	lines []pending
}

// pending is a line that is not accounted for yet, unless a record, or a
// mistake, was counted for it.
type pending struct {
	offset  int64
	counted bool
}

func newUnwrapping(wrappers []*wrap.Wrapper) *unwrapping {
	u := &unwrapping{in: wrappers}
	u.chain = wrap.NewChain(wrappers, u.record, u.bad)
	return u
}

// line takes one physical line and returns the index of the item after those
// in it.
func (u *unwrapping) line(line []byte, at fingerprint.Position) int32 {
	run := u.run
	text := trimStart(line)
	switch {
	case run.b.MaxLine > 0 && len(line) > run.b.MaxLine:
		run.bad(at.Line, 0, tooLong)
		return at.Item + 1
	case len(trim(line)) > 0 || u.chain.Open():
		u.lines = append(u.lines, pending{offset: at.Offset})
		u.chain.Push(wrap.Line{Text: text, At: at, Column: run.lead(line, text)})
	default:
		run.blank()
	}
	if !u.chain.Open() {
		u.account()
	}
	return at.Item + 1
}

// record takes what was unwrapped.
func (u *unwrapping) record(line wrap.Line) {
	text := trim(line.Text)
	if len(text) == 0 {
		return // the line is blank
	}
	if u.run.b.Format.Tabs {
		text = trimRow(line.Text)
	}
	u.count(line.At.Offset)
	line.At = u.behind(line.At)
	lead := -1
	if line.Column >= 0 {
		lead = line.Column + cap(line.Text) - cap(text)
	}
	u.last.Item = u.run.text(text, line.At, lead) - 1
}

// behind is the place of the next record that begins at a line, behind the last
// one there.
func (u *unwrapping) behind(at fingerprint.Position) fingerprint.Position {
	if u.any && u.last.Offset == at.Offset {
		at.Item = u.last.Item + 1
	}
	u.last, u.any = at, true
	return at
}

// bad takes a line that could not be unwrapped.
func (u *unwrapping) bad(line wrap.Line, why string) {
	u.count(line.At.Offset)
	u.behind(line.At)
	u.run.bad(line.At.Line, 0, why)
}

// end counts the records that are left open, and why. The block is the last of
// its stream, then, or does not begin where one of them does.
func (u *unwrapping) end(why string) {
	u.chain.Drop(func(at fingerprint.Position) {
		u.count(at.Offset)
		u.run.bad(at.Line, 0, why)
	})
	u.account()
	u.any = false
}

// count notes that the line at the offset is accounted for. Lines that share
// an offset, those of one record of a topic, come one by one.
func (u *unwrapping) count(offset int64) {
	i, _ := slices.BinarySearchFunc(u.lines, offset, func(p pending, offset int64) int { return cmp.Compare(p.offset, offset) })
	for ; i < len(u.lines) && u.lines[i].offset == offset; i++ {
		if !u.lines[i].counted {
			u.lines[i].counted = true
			return
		}
	}
}

// account counts the lines as blank that no record begins in.
func (u *unwrapping) account() {
	for _, p := range u.lines {
		if !p.counted {
			u.run.blank()
		}
	}
	u.lines = u.lines[:0]
}
