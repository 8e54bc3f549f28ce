package formats

import "bytes"

// words walks a line of words, quotes and brackets.
type words struct {
	text []byte
	pos  int
}

func (f *words) column() int { return f.pos + 1 }

// next is the first byte of what comes next, 0 at the end.
func (f *words) next() byte {
	for f.pos < len(f.text) && f.text[f.pos] == ' ' {
		f.pos++
	}
	if f.pos == len(f.text) {
		return 0
	}
	return f.text[f.pos]
}

// word is all up to the next blank.
func (f *words) word() []byte {
	if f.next() == 0 {
		return nil
	}
	from := f.pos
	if n := bytes.IndexByte(f.text[from:], ' '); n >= 0 {
		f.pos += n
	} else {
		f.pos = len(f.text)
	}
	return f.text[from:f.pos]
}

// between is what stands between an opening and a closing byte. A closing one
// behind a backslash is part of it.
func (f *words) between(opening, closing byte) (inside []byte, ok bool) {
	if f.next() != opening {
		return nil, false
	}
	from := f.pos + 1
	for i := from; i < len(f.text); i++ {
		switch f.text[i] {
		case '\\':
			i++
		case closing:
			f.pos = i + 1
			return f.text[from:i], true
		}
	}
	return nil, false
}

// upTo is between where a backslash is nothing special.
func (f *words) upTo(opening, closing byte) (inside []byte, ok bool) {
	if f.next() != opening {
		return nil, false
	}
	inside, _, ok = bytes.Cut(f.text[f.pos+1:], []byte{closing})
	if !ok {
		return nil, false
	}
	f.pos += len(inside) + 2
	return inside, true
}

// set is a text of a log, nil where a dash stands for none.
func set(text []byte) []byte {
	if len(text) == 0 || string(text) == "-" {
		return nil
	}
	return text
}
