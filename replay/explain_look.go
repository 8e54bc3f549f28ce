package replay

import (
	"bytes"
	"context"
	"fmt"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/replay/term"
)

// topic is a stream of records, each of which can be read by its offset.
type topic interface {
	ingest.Stream
	// Only leaves of the stream the record at an offset.
	Only(offset int64) error
}

// lookRecord is look for a topic.
func (x *explaining) lookRecord(s topic, offset int64, item int, yield func(*fingerprint.Request)) error {
	if err := s.Only(offset); err != nil {
		return err
	}
	b, err := s.Next()
	if ended(err) {
		return fmt.Errorf("%s:%d: no record any more: it was compacted away, or is a transaction's own", term.Safe(s.Name()), offset)
	}
	if err != nil {
		return err
	}
	defer b.Release()
	if b.TooLong {
		return x.unreadable(fingerprint.Position{Stream: b.Stream, Line: offset}, 0, b.Why)
	}
	return x.lookWhole(b, offset, item, yield)
}

// look reads one line of a stream and calls yield for the request on it. The
// line of a record of a topic is its offset.
func (x *explaining) look(ctx context.Context, s ingest.Stream, line int64, item int, yield func(*fingerprint.Request)) error {
	if records, ok := s.(topic); ok {
		return x.lookRecord(records, line, item, yield)
	}
	name, last := s.Name(), int64(0)
	for ctx.Err() == nil {
		b, err := s.Next()
		if ended(err) {
			return fmt.Errorf("%s has %s, no line %d", term.Safe(name), term.Plural(last, "line", "lines"), line)
		}
		if err != nil {
			return fmt.Errorf("%w\nline %d was not reached", err, line)
		}
		if b.TooLong && b.Line == line {
			return x.unreadable(fingerprint.Position{Stream: b.Stream, Line: line}, 0, "line longer than the limit: see --max-line")
		}
		if last = lastOf(b); line > last {
			b.Release()
			continue
		}
		if b.Format != nil && len(b.Format.Wrappers) > 0 {
			err = x.lookWhole(b, line, item, yield)
		} else {
			err = x.lookInto(b, line, item, yield)
		}
		b.Release()
		return err
	}
	return ctx.Err()
}

// lastOf is the number of a block's last line.
func lastOf(b *ingest.Block) int64 {
	lines := int64(bytes.Count(b.Data, []byte{'\n'}))
	if len(b.Data) > 0 && b.Data[len(b.Data)-1] != '\n' || b.TooLong {
		lines++
	}
	return b.Line + lines - 1
}

// several says that a line holds more than the one request that was asked for.
func several(place string, requests int64) error {
	return fmt.Errorf("%s: the line holds %d requests\nname one of them: %s:1 is the first", place, requests, place)
}

// lookWhole looks for the line in the whole block: what is wrapped may go on
// over several lines, and the records of a topic need not have ends.
func (x *explaining) lookWhole(b *ingest.Block, line int64, item int, yield func(*fingerprint.Request)) error {
	at := fingerprint.Position{Stream: b.Stream, Line: line}
	place := term.Safe(x.place(at))
	var problem error
	requests := 0
	ingest.NewReader(0).Read(b, func(r *fingerprint.Request) {
		if r.Position.Line == line {
			requests++
		}
	}, func(s ingest.Skip) {
		if s.Line == line {
			problem = x.unreadable(at, s.Column, s.Why)
		}
	})
	switch {
	case requests == 0 && problem != nil:
		return problem
	case requests == 0:
		return fmt.Errorf("%s: no request begins in this line", place)
	case item > requests:
		return fmt.Errorf("%s: the line holds %s, no request %d", place, term.Plural(int64(requests), "request", "requests"), item)
	case item == 0 && requests > 1:
		return several(place, int64(requests))
	}
	n := 0
	ingest.NewReader(fingerprint.AllFields).Read(b, func(r *fingerprint.Request) {
		if r.Position.Line == line {
			if n++; n == max(item, 1) {
				yield(r)
			}
		}
	}, nil)
	return nil
}

// lookInto looks at the one line of a block.
func (x *explaining) lookInto(b *ingest.Block, line int64, item int, yield func(*fingerprint.Request)) error {
	one := *b
	for ; one.Line < line; one.Line++ {
		n := bytes.IndexByte(one.Data, '\n') + 1
		one.Data, one.Offset = one.Data[n:], one.Offset+int64(n)
	}
	if n := bytes.IndexByte(one.Data, '\n'); n >= 0 {
		one.Data = one.Data[:n+1]
	}
	at := fingerprint.Position{Stream: b.Stream, Line: line}
	place := term.Safe(x.place(at))
	var problem error
	found, last := 0, int32(-1)
	tally := ingest.NewReader(0).Read(&one, func(r *fingerprint.Request) {
		found++
		last = r.Position.Item
	}, func(s ingest.Skip) { problem = x.unreadable(at, s.Column, s.Why) })
	switch {
	case tally.Blank > 0 && tally.Blank == tally.Lines:
		return fmt.Errorf("%s: there is no request in the line", place)
	case item > 0 && int64(item) > tally.Lines:
		return fmt.Errorf("%s: the line holds %s, no request %d", place, term.Plural(tally.Lines, "request", "requests"), item)
	case item == 0 && tally.Lines > 1:
		return several(place, tally.Lines)
	case item == 0 && found == 1:
		item = int(last) + 1
	}
	found = 0
	ingest.NewReader(fingerprint.AllFields).Read(&one, func(r *fingerprint.Request) {
		if int(r.Position.Item)+1 == item {
			found++
			yield(r)
		}
	}, nil)
	if found > 0 {
		return nil
	}
	if problem == nil {
		problem = fmt.Errorf("%s: no request there", place)
	}
	return problem
}

func (x *explaining) unreadable(at fingerprint.Position, column int, why string) error {
	if column > 0 {
		why = fmt.Sprintf("column %d: %s", column, why)
	}
	return fmt.Errorf("%s: malformed, and so not judged: %s", term.Safe(x.place(at)), why)
}
