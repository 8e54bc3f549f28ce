package ingest

import (
	"bytes"
	"errors"
	"io"

	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// Sample is the beginning of a stream, kept in memory so that it can be looked
// at before it is read.
type Sample struct {
	Stream
	Blocks []*Block // what Next returns, one after the other
	Whole  bool     // nothing follows
	Err    error    // why the stream broke off, or nil
}

// NewSample reads at least so many lines of a stream, as far as there are so
// many, up to where a record ends, and cuts off what is more.
func NewSample(s Stream, lines int) *Sample {
	sample := &Sample{Stream: s}
	var ends func(line []byte) bool
	if f := s.Format(); f != nil {
		ends = wrap.NewCutter(f.Wrappers)
	}
	for seen := 0; seen < lines; {
		b, err := s.Next()
		if errors.Is(err, io.EOF) {
			sample.Whole = true
			return sample
		}
		if err != nil {
			sample.Err = err
			return sample
		}
		end := 0
		for end < len(b.Data) {
			line, next := cutLine(b.Data[end:])
			end += next
			if seen++; (ends == nil || ends(line)) && seen >= lines {
				break
			}
		}
		b.Data = b.Data[:end]
		sample.Blocks = append(sample.Blocks, b)
	}
	return sample
}

// Next implements Stream.
func (s *Sample) Next() (*Block, error) {
	if len(s.Blocks) == 0 {
		return nil, io.EOF
	}
	b := s.Blocks[0]
	s.Blocks = s.Blocks[1:]
	return b, nil
}

// Head is the beginning of a source in whatever format, unpacked: whole lines.
func Head(src *Source) ([]byte, error) {
	s := &fileStream{source: src}
	s.o.fill()
	if err := s.start(); err != nil {
		return nil, err
	}
	defer s.Close()
	b, err := s.blocks.next()
	if errors.Is(err, io.EOF) {
		return nil, newError(src.Name, errors.New("the file is empty"), "")
	}
	if err != nil {
		return nil, s.wrap(err)
	}
	if b.TooLong {
		return nil, newError(src.Name, errors.New(tooLong), "")
	}
	return b.Data, nil
}

// undone tells whether what the lines of data lie in is to be undone.
func undone(data []byte, w *wrap.Wrapper) bool {
	if !w.AroundText {
		return w.Around
	}
	inside := bytes.TrimLeft(unwrapped(data, w), " \t\r\n")
	return len(inside) > 0 && inside[0] != '{' && inside[0] != '['
}

// WrappersOf are those that all of the first lines are in, whatever they wrap.
func WrappersOf(data []byte) (in []*wrap.Wrapper) {
	for len(in) < wrap.MaxDepth {
		v := countVotes(data, nil)
		if v.broken { // laid out over several lines
			in = append(in, wrap.Texts)
			data = Unwrapped(data, in[len(in)-1:])
			continue
		}
		at := 0
		for at < len(wrap.All) && (v.wrappers[at] < v.lines || !undone(data, wrap.All[at])) {
			at++
		}
		if v.lines == 0 || at == len(wrap.All) {
			return in
		}
		in = append(in, wrap.All[at])
		data = unwrapped(data, wrap.All[at])
	}
	return in
}

// Unwrapped is what the lines of data wrap, a line each. Of a document that goes
// on behind data it is what there is of it.
func Unwrapped(data []byte, wrappers []*wrap.Wrapper) []byte {
	for _, w := range wrappers {
		out := unwrapped(data, w)
		if w == wrap.Texts && len(out) == 0 {
			out = unwrapped(closed(data), w)
		}
		data = out
	}
	return data
}
