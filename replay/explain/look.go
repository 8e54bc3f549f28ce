package explain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

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
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s:%d: no record any more: it was compacted away, or is a transaction's own", term.Safe(s.Name()), offset)
	}
	if err != nil {
		return err
	}
	defer b.Release()
	if b.TooLong {
		return x.unreadable(fingerprint.Position{Stream: b.Stream, Line: offset}, 0, b.Why)
	}
	return x.lookInto(b, offset, item, yield)
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
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%s has %s, no line %d", term.Safe(name), term.Plural(last, "line", "lines"), line)
		}
		if err != nil {
			return fmt.Errorf("%w\nline %d was not reached", err, line)
		}
		if last = lastOf(b); line > last {
			b.Release()
			continue
		}
		if b.TooLong {
			return x.unreadable(fingerprint.Position{Stream: b.Stream, Line: line}, 0, "line longer than the limit: see --max-line")
		}
		if b.Format == nil || len(b.Format.Wrappers) == 0 {
			b = only(b, line)
		}
		err = x.lookInto(b, line, item, yield)
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
	return b.Line + lines + b.Rest - 1
}

// several says that a line holds more than the one request that was asked for;
// first is the number of the first.
func several(place string, requests, first int) error {
	return fmt.Errorf("%s: the line holds %d requests\nname one of them: %s:%d is the first", place, requests, place, first)
}

// only is a block with but one of its lines. What is wrapped may go on over several.
func only(b *ingest.Block, line int64) *ingest.Block {
	for ; b.Line < line; b.Line++ {
		n := bytes.IndexByte(b.Data, '\n') + 1
		b.Data, b.Offset = b.Data[n:], b.Offset+int64(n)
	}
	if n := bytes.IndexByte(b.Data, '\n'); n >= 0 {
		b.Data = b.Data[:n+1]
	}
	return b
}

// lookInto looks for the line in a block, and in the line for the request, which
// may stand behind what is none.
func (x *explaining) lookInto(b *ingest.Block, line int64, item int, yield func(*fingerprint.Request)) error {
	at := fingerprint.Position{Stream: b.Stream, Line: line}
	place := term.Safe(x.place(at))
	var problem error
	var items []int
	ingest.NewReader(0).Read(b, func(r *fingerprint.Request) {
		if r.Position.Line == line {
			items = append(items, int(r.Position.Item)+1)
		}
	}, func(s ingest.Skip) {
		if s.Line == line {
			problem = x.unreadable(at, s.Column, s.Why)
		}
	})
	switch {
	case item == 0 && len(items) == 1:
		item = items[0]
	case slices.Contains(items, item):
	case problem != nil && (item > 0 || len(items) == 0):
		return problem
	case len(items) == 0:
		return fmt.Errorf("%s: no request begins in this line", place)
	case item == 0:
		return several(place, len(items), items[0])
	default:
		return fmt.Errorf("%s:%d: no request there: the line holds %s, %s:%d is the first", place, item, term.Plural(len(items), "request", "requests"), place, items[0])
	}
	ingest.NewReader(fingerprint.AllFields).Read(b, func(r *fingerprint.Request) {
		if r.Position.Line == line && int(r.Position.Item)+1 == item {
			yield(r)
		}
	}, nil)
	return nil
}

func (x *explaining) unreadable(at fingerprint.Position, column int, why string) error {
	if column > 0 {
		why = fmt.Sprintf("column %d: %s", column, why)
	}
	return fmt.Errorf("%s: malformed, and so not judged: %s", term.Safe(x.place(at)), why)
}
