package window

import (
	"math"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// saver writes the state of one rule. Times stand in it as what lies between
// them and a time that stands there already.
type saver struct {
	*snapshot.Writer
	prints int // bytes of a fingerprint that is a key, at most 16
}

func (s *saver) scope(k *fingerprint.ScopeKey) { s.Fixed(k[:]) }
func (s *saver) print(k *printKey)             { s.Fixed(k[:s.prints]) }

func (s *saver) pair(k *pairKey) {
	s.scope(&k.scope)
	s.print(&k.print)
}

func (s *saver) fingerprint(f *fingerprint.Fingerprint) { s.Blob(f.Bytes()) }

func (s *saver) position(p fingerprint.Position) {
	s.Varint(int64(p.Stream))
	s.Varint(int64(p.Item))
	s.Varint(p.Line)
	s.Varint(p.Offset)
}

// loader reads what a saver wrote.
type loader struct {
	*snapshot.Reader
	prints int
}

// most is the highest count that is believed: no sum of such goes wrong.
const most = math.MaxInt64 >> 2

func (l *loader) int64() int64 { return int64(l.Int(most)) }

func (l *loader) scope() (k fingerprint.ScopeKey) {
	copy(k[:], l.Fixed(len(k)))
	return k
}

func (l *loader) print() (k printKey) {
	copy(k[:], l.Fixed(l.prints))
	return k
}

func (l *loader) pair() (k pairKey) {
	copy(k.scope[:], l.Fixed(len(k.scope)))
	copy(k.print[:], l.Fixed(l.prints))
	return k
}

func (l *loader) fingerprint() fingerprint.Fingerprint {
	f, ok := fingerprint.FromBytes(l.Blob())
	if !ok {
		l.Failf("a fingerprint has a length that none has")
	}
	return f
}

func (l *loader) position() (p fingerprint.Position) {
	p.Stream = l.int32()
	p.Item = l.int32()
	p.Line = l.Varint()
	p.Offset = l.Varint()
	return p
}

func (l *loader) int32() int32 {
	v := l.Varint()
	if v != int64(int32(v)) {
		l.Failf("a number is %d and should have 32 bits", v)
	}
	return int32(v)
}

// after is the time that lies what is read after t.
func (l *loader) after(t int64) int64 {
	v := t + int64(l.Uvarint())
	if v < t {
		l.Failf("a time is too late")
		return t
	}
	return v
}

// before is the time that lies what is read before t.
func (l *loader) before(t int64) int64 {
	v := t - int64(l.Uvarint())
	if v > t {
		l.Failf("a time is too early")
		return t
	}
	return v
}

// within is after, up to a latest time.
func (l *loader) within(t, latest int64) int64 {
	v := l.after(t)
	if v > latest {
		l.Failf("a time is later than that of its key")
		return t
	}
	return v
}

func (l *loader) cause() fingerprint.Cause {
	text := l.String()
	c, ok := fingerprint.ParseCause(text)
	if !ok {
		l.Failf("%q is no reason for a request not to be computable", text)
	}
	return c
}
