package snapshot

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// value is one value with the way to write and to read it.
type value struct {
	write func(*Writer)
	read  func(*Reader) string
	want  string
}

func drawValue(t *rapid.T) value {
	switch rapid.IntRange(0, 8).Draw(t, "kind") {
	case 0:
		v := rapid.Uint64().Draw(t, "uvarint")
		return value{func(w *Writer) { w.Uvarint(v) }, func(r *Reader) string { return fmt.Sprint(r.Uvarint()) }, fmt.Sprint(v)}
	case 1:
		v := rapid.Int64().Draw(t, "varint")
		return value{func(w *Writer) { w.Varint(v) }, func(r *Reader) string { return fmt.Sprint(r.Varint()) }, fmt.Sprint(v)}
	case 2:
		v := rapid.Uint64().Draw(t, "uint64")
		return value{func(w *Writer) { w.Uint64(v) }, func(r *Reader) string { return fmt.Sprint(r.Uint64()) }, fmt.Sprint(v)}
	case 3:
		v := rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 0.1, math.Inf(1), math.NaN()}).Draw(t, "float64")
		return value{func(w *Writer) { w.Float64(v) }, func(r *Reader) string { return fmt.Sprint(r.Float64()) }, fmt.Sprint(v)}
	case 4:
		v := rapid.Bool().Draw(t, "bool")
		return value{func(w *Writer) { w.Bool(v) }, func(r *Reader) string { return fmt.Sprint(r.Bool()) }, fmt.Sprint(v)}
	case 5:
		v := rapid.String().Draw(t, "string")
		return value{func(w *Writer) { w.String(v) }, func(r *Reader) string { return r.String() }, v}
	case 6:
		v := rapid.SliceOf(rapid.Byte()).Draw(t, "fixed")
		return value{func(w *Writer) { w.Fixed(v) }, func(r *Reader) string { return string(r.Fixed(len(v))) }, string(v)}
	case 7:
		n := rapid.IntRange(0, 1000).Draw(t, "int")
		return value{func(w *Writer) { w.Uvarint(uint64(n)) }, func(r *Reader) string { return fmt.Sprint(r.Int(1000)) }, fmt.Sprint(n)}
	default:
		v := rapid.SliceOf(rapid.Byte()).Draw(t, "blob")
		return value{func(w *Writer) { w.Blob(v) }, func(r *Reader) string { return string(r.Blob()) }, string(v)}
	}
}

// part is what stands in a section: values, then sections, of which some are
// read.
type part struct {
	values   []value
	sections []section
}

type section struct {
	name    string
	read    bool // or passed over
	skipped bool // read so far as to be passed over then
	part
}

func drawPart(t *rapid.T, depth int) (p part) {
	for range rapid.IntRange(0, 4).Draw(t, "values") {
		p.values = append(p.values, drawValue(t))
	}
	if depth == 3 {
		return p
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "sections") {
		p.sections = append(p.sections, section{fmt.Sprint("s", i), rapid.Bool().Draw(t, "read"), rapid.IntRange(0, 5).Draw(t, "skipped") == 0, drawPart(t, depth+1)})
	}
	return p
}

func (p *part) write(w *Writer) {
	for _, v := range p.values {
		v.write(w)
	}
	for i := range p.sections {
		w.Section(p.sections[i].name, func() { p.sections[i].write(w) })
	}
}

func (p *part) check(t *rapid.T, r *Reader) {
	for i, v := range p.values {
		if got := v.read(r); got != v.want {
			t.Fatalf("value %d is %q, want %q", i, got, v.want)
		}
	}
	for i := range p.sections {
		switch s := &p.sections[i]; {
		case s.read && s.skipped:
			r.Section(s.name, r.Skip)
		case s.read:
			r.Section(s.name, func() { s.check(t, r) })
		}
	}
}

// TestValuesComeBack: what was written is read, through sections that are read
// or passed over.
func TestValuesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPart(t, 0)
		w := NewWriter(nil)
		p.write(w)
		r := NewReader(w.Bytes())
		p.check(t, r)
		if err := r.Done(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestErrors(t *testing.T) {
	f := func(data string, read func(*Reader), want string) {
		t.Helper()
		r := NewReader([]byte(data))
		read(r)
		err := r.Err()
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", data, err, want)
			return
		}
		if e, ok := errors.AsType[*Error](err); !ok || errors.Unwrap(e) == nil {
			t.Errorf("%T is no *Error around another", err)
		}
		if n := r.Uvarint(); n != 0 || r.String() != "" || r.Fixed(1) != nil || r.Count(1) != 0 || r.Left() != 0 || !errors.Is(r.Err(), err) {
			t.Errorf("%q: after the error %d is read, and %v", data, n, r.Err())
		}
		r.Section("x", func() { t.Error("a section is read after an error") })
		r.Failf("something else")
		if !errors.Is(r.Done(), err) {
			t.Errorf("the error is %v then", r.Err())
		}
	}
	uvarint := func(r *Reader) { r.Uvarint() }
	f("", uvarint, "snapshot, byte 0: ends too early")
	f("\x80", uvarint, "snapshot, byte 0: ends too early")
	f("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", uvarint, "snapshot, byte 0: a number is too large")
	f("\x81\x00", uvarint, "snapshot, byte 0: a number is longer than it need be")
	f("\x02", func(r *Reader) { r.Bool() }, "snapshot, byte 1: a number is 2, and may be 1 at most")
	f("\x05abcd", func(r *Reader) { _ = r.String() }, "snapshot, byte 1: ends too early")
	f("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", func(r *Reader) { r.Blob() }, "snapshot, byte 10: ends too early")
	f("\x03abcdefgh", func(r *Reader) { r.Count(3) }, "snapshot, byte 1: ends too early")
	f("abcdefg", func(r *Reader) { r.Uint64() }, "snapshot, byte 0: ends too early")

	none := func(*Reader) func() { return func() {} }
	in := func(name string, read func(*Reader) func()) func(*Reader) {
		return func(r *Reader) { r.Section(name, read(r)) }
	}
	f("", in("a", none), "snapshot, byte 0: there is no section a")
	f("\x01b"+strings.Repeat("\x00", 8), in("a", none), "snapshot, byte 10: there is no section a")
	f("\x01a\x01"+strings.Repeat("\x00", 7), in("a", none), "snapshot, byte 10: ends too early")
	f("\x01a\x01"+strings.Repeat("\xff", 7), in("a", none), "snapshot, byte 10: ends too early")
	f("\x01a\x01\x00\x00", in("a", none), "snapshot, byte 2: ends too early")
	f("\x01a\x01"+strings.Repeat("\x00", 7)+"\x07", in("a", func(r *Reader) func() { return func() { r.Uint64() } }), "snapshot, section a, byte 10: ends too early")
	f("\x01a\x01"+strings.Repeat("\x00", 7)+"\x07", in("a", none), "snapshot, section a, byte 11: ends too early") // it is no section
	f("\x01a\x09"+strings.Repeat("\x00", 16), in("a", none), "snapshot, section a/, byte 19: a section has no name")
	f("\x01a\x0b"+strings.Repeat("\x00", 7)+"\x01b\x01"+strings.Repeat("\x00", 7)+"\x07", in("a", func(r *Reader) func() {
		return func() { in("b", func(r *Reader) func() { return func() { r.Failf("this is no %s", "good") } })(r) }
	}), "snapshot, section a/b, byte 20: this is no good")
	f("\x01a"+strings.Repeat("\x00", 8), func(r *Reader) {
		in("a", none)(r)
		r.Failf("this is no good")
	}, "snapshot, byte 10: this is no good")
}

func TestSizes(t *testing.T) {
	f := func(write func(*Writer), want int) {
		t.Helper()
		w := NewWriter(make([]byte, 9))
		if write(w); len(w.Bytes()) != want {
			t.Errorf("%q, want %d bytes", w.Bytes(), want)
		}
	}
	f(func(*Writer) {}, 0)
	f(func(w *Writer) { w.Uvarint(127) }, 1)
	f(func(w *Writer) { w.Uvarint(128) }, 2)
	f(func(w *Writer) { w.Uvarint(math.MaxUint64) }, 10)
	f(func(w *Writer) { w.Varint(-64) }, 1)
	f(func(w *Writer) { w.Varint(64) }, 2)
	f(func(w *Writer) { w.Varint(math.MinInt64) }, 10)
	f(func(w *Writer) { w.String("abc") }, 4)
	f(func(w *Writer) { w.Section("abc", func() { w.Bool(true) }) }, 13)
	f(func(w *Writer) { w.Bool(true); w.Reset(); w.Bool(false) }, 1)
}

// FuzzReader reads anything as anything.
func FuzzReader(f *testing.F) {
	w := NewWriter(nil)
	w.Section("a", func() {
		w.String("text")
		w.Section("b", func() { w.Float64(1) })
	})
	f.Add(w.Bytes(), []byte{8, 5})
	f.Fuzz(func(t *testing.T, data, reads []byte) {
		data = slices.Clone(data)
		r := NewReader(data)
		var read func()
		next := 0
		read = func() {
			for next < len(reads) {
				next++
				switch reads[next-1] % 10 {
				case 0:
					r.Uvarint()
				case 1:
					r.Varint()
				case 2:
					r.Float64()
				case 3:
					r.Bool()
				case 4:
					if n := len(r.Fixed(int(reads[next-1]))); n != 0 && n != int(reads[next-1]) {
						t.Errorf("%d bytes of %d", n, reads[next-1])
					}
				case 5:
					_ = r.String()
				case 6:
					if n := r.Count(3); n*3 > len(data) {
						t.Errorf("%d items of 3 bytes in %d", n, len(data))
					}
				case 7:
					r.Int(7)
				case 8:
					r.Section(string(rune('a'+next-1)), read)
				case 9:
					r.Skip()
				}
				if left := r.Left(); left < 0 || left > len(data) {
					t.Fatalf("%d bytes are left", left)
				}
			}
		}
		read()
		_ = r.Done()
		if r.Err() != nil && !strings.HasPrefix(r.Err().Error(), "snapshot, ") {
			t.Error(r.Err())
		}
	})
}

// coded is one of each that a Codec can write.
type coded struct {
	Uvarint, Uint64 uint64
	Varint          int64
	Float64         float64
	Bool            bool
	Number          time.Duration
	Size            int
	Text            string
	Texts           []string
	Fixed           [3]byte
}

func (v *coded) code(c *Codec) {
	c.Part("unwanted", false, nil)
	c.Part("part", true, func() {
		c.Uvarint(&v.Uvarint)
		c.Uint64(&v.Uint64)
		c.Varint(&v.Varint)
		c.Float64(&v.Float64)
		c.Bool(&v.Bool)
		Number(c, &v.Number)
		Size(c, &v.Size, 1000)
		Text(c, &v.Text)
		Texts(c, &v.Texts)
		c.Fixed(v.Fixed[:])
		c.Check(v.Size < 1000, "%d is too large", v.Size)
	})
}

// TestCodecReadsWhatItWrites: what is said once is written and read, and what is
// read replaces what was there.
func TestCodecReadsWhatItWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := []string{rapid.String().Draw(t, "text"), "", "b"}[:rapid.IntRange(0, 3).Draw(t, "texts")]
		want := coded{
			Uvarint: rapid.Uint64().Draw(t, "uvarint"), Uint64: rapid.Uint64().Draw(t, "uint64"), Varint: rapid.Int64().Draw(t, "varint"),
			Float64: 0.1, Bool: rapid.Bool().Draw(t, "bool"), Number: -3, Size: rapid.SampledFrom([]int{0, 999, 1000}).Draw(t, "size"),
			Text: rapid.String().Draw(t, "text"), Texts: texts, Fixed: [3]byte{1, 2, 3},
		}
		got := coded{Texts: []string{"before"}}
		w, written := NewWriter(nil), want
		written.code(w.Codec())
		r := NewReader(w.Bytes())
		got.code(r.Codec())
		if err := r.Done(); (err != nil) != (want.Size == 1000) {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || len(texts) == 0 && got.Texts != nil {
			t.Fatalf("%v is read as %v", want, got)
		}
	})
}

// TestParts: what was not wanted when it was written leaves what is there, and what
// is not wanted now is passed over.
func TestParts(t *testing.T) {
	f := func(written, read bool, want uint64) {
		t.Helper()
		w, v := NewWriter(nil), uint64(1)
		w.Codec().Part("part", written, func() { w.Uvarint(7) })
		r := NewReader(w.Bytes())
		r.Codec().Part("part", read, func() { v = r.Uvarint() })
		if err := r.Done(); v != want || err != nil {
			t.Errorf("written %t, wanted %t: %d, want %d; %v", written, read, v, want, err)
		}
	}
	f(true, true, 7)
	f(false, true, 1)
	f(true, false, 1)
	f(false, false, 1)
}

// TestListEndsWithError: once something is wrong, nothing is done for the items that
// a damaged length promises.
func TestListEndsWithError(t *testing.T) {
	c, n := NewReader([]byte("\x03\x00\x07\x00")).Codec(), 0
	var list []int
	List(c, &list, 1, func(v *int) {
		n++
		Size(c, v, 1)
	})
	if n != 2 || c.From.Err() == nil {
		t.Errorf("%d items, %v", n, c.From.Err())
	}
}
