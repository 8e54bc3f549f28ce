package parquet

import (
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// numberWriter is a column to whose rows values are added. A value of a list is
// added after begin, any other is a row.
type numberWriter[V int64 | int32 | float64 | bool] struct {
	chunk *chunk
	list  []V // of the page that are not null
	row   int // where the last row of a list begins in the chunk's levels

	spare  []V // scratch, as what follows
	levels [2][]byte
	bits   []byte
}

func newNumberWriter[V int64 | int32 | float64 | bool](w *columnar, name string) *numberWriter[V] {
	c := &numberWriter[V]{}
	c.chunk = w.claim(name, c)
	return c
}

// begin begins a row of a list.
func (c *numberWriter[V]) begin() { c.row = len(c.chunk.reps) }

// level adds an entry of a definition level.
func (c *numberWriter[V]) level(defined byte) {
	k := c.chunk
	if k.list {
		k.reps = append(k.reps, byte(min(len(k.reps)-c.row, 1)))
	}
	if k.full > 0 {
		k.defs = append(k.defs, defined)
	}
}

// add adds a value.
func (c *numberWriter[V]) add(value V) {
	c.level(c.chunk.full)
	c.list = append(c.list, value)
}

// null adds a null.
func (c *numberWriter[V]) null() { c.level(c.chunk.full - 1) }

// addIf adds a value, or null if it is unknown.
func (c *numberWriter[V]) addIf(known bool, value V) {
	if known {
		c.add(value)
	} else {
		c.null()
	}
}

// end ends a row of a list, and says so if there is nothing in it.
func (c *numberWriter[V]) end() {
	if len(c.chunk.reps) == c.row {
		c.level(0)
	}
}

// repeat makes rows of requests, each of which was added once and has so many.
func (c *numberWriter[V]) repeat(times []int32, rows int) {
	k, one := c.chunk, len(times)
	if k.list && len(k.reps) != one {
		c.repeatLists(times)
		return
	}
	if len(c.list) == one {
		c.list = repeated(c.list, times, rows)
	} else if len(c.list) > 0 {
		c.spare = c.spare[:0]
		at := 0
		for i, n := range times {
			if k.defs[i] != k.full {
				continue
			}
			for range n {
				c.spare = append(c.spare, c.list[at])
			}
			at++
		}
		c.list, c.spare = c.spare, c.list
	}
	if k.full > 0 {
		k.defs = repeated(k.defs, times, rows)
	}
	if k.list {
		k.reps = repeated(k.reps, times, rows)
	}
}

// repeatLists is repeat for lists of any length.
func (c *numberWriter[V]) repeatLists(times []int32) {
	k := c.chunk
	reps, defs := c.levels[0][:0], c.levels[1][:0]
	c.spare = c.spare[:0]
	at, value := 0, 0
	for _, n := range times {
		end, after := at+1, value
		for end < len(k.reps) && k.reps[end] > 0 {
			end++
		}
		for _, defined := range k.defs[at:end] {
			if defined == k.full {
				after++
			}
		}
		for range n {
			for i := at; i < end; i++ { // mostly few, for which to copy them at once takes longer
				reps, defs = append(reps, k.reps[i]), append(defs, k.defs[i])
			}
			c.spare = append(c.spare, c.list[value:after]...)
		}
		at, value = end, after
	}
	c.levels = [2][]byte{k.reps, k.defs}
	k.reps, k.defs = reps, defs
	c.list, c.spare = c.spare, c.list
}

// repeated is a list of which each element comes so many times, in place of once.
func repeated[E any](list []E, times []int32, all int) []E {
	list = slices.Grow(list, all-len(list))[:all]
	for i, n := range slices.Backward(times) {
		one := list[i]
		for range n {
			all--
			list[all] = one
		}
	}
	return list
}

func (c *numberWriter[V]) take(times []int32, rows int) (values encoding.Values, n int, least, most parquet.Value) {
	if times != nil {
		c.repeat(times, rows)
	}
	n = len(c.list)
	switch list := any(c.list).(type) {
	case []int64:
		values = encoding.Int64Values(list)
	case []int32:
		values = encoding.Int32Values(list)
	case []float64:
		values = encoding.DoubleValues(list)
	case []bool:
		c.bits = append(c.bits[:0], make([]byte, (n+7)/8)...)
		for i, v := range list {
			if v {
				c.bits[i>>3] |= 1 << (i & 7)
			}
		}
		values = encoding.BooleanValues(c.bits)
	}
	if n > 0 {
		least, most, _ = c.chunk.kind.NewPage(0, n, values).Bounds()
	}
	c.list = c.list[:0]
	return values, n, least, most
}

func (c *numberWriter[V]) words() *dictionary { return nil }

// textWriter is a column of texts. An empty one is null where null may be.
//
// Texts are gathered, and then looked up one after the other: a dictionary that
// is worked with for some time comes into the processor's cache, where those of
// all columns in turn would push each other out.
type textWriter struct {
	numberWriter[int32] // numbers of words; from found on, of texts that were gathered
	dictionary
	found int
	texts []byte
	ends  []uint32 // in texts, of each; the first is 0, of none
	named []int32  // by name: the number of its text and 1, 0 if it was not gathered

	numbers []int32 // scratch, as what follows
	seen    []bool
	decimal [10]byte
}

func newTextWriter(w *columnar, name string) *textWriter {
	c := &textWriter{dictionary: dictionary{ends: []uint32{0}, total: &w.text}, ends: []uint32{0}}
	c.chunk = w.claim(name, c)
	return c
}

// newHashWriter is a column of hashes, which are added as bytes and written in
// hex.
func newHashWriter(w *columnar, name string) *textWriter {
	c := newTextWriter(w, name)
	c.hashes = true
	return c
}

// addFingerprint adds a fingerprint.
func (c *textWriter) addFingerprint(f *fingerprint.Fingerprint) {
	if b := f.Bytes(); len(b) >= shortHash {
		c.addBytes(b)
	} else {
		c.addBytes(f.Append(c.decimal[:0]))
	}
}

// gathered bounds the texts that wait to be looked up, bytes.
const gathered = 1 << 16

// add adds a text.
func (c *textWriter) add(text string) {
	if len(text) == 0 && c.chunk.optional {
		c.null()
		return
	}
	if n := len(c.ends) - 2; n >= 0 && string(c.texts[c.ends[n]:c.ends[n+1]]) == text {
		c.numberWriter.add(int32(n))
		return
	}
	c.texts = append(c.texts, text...)
	c.gather()
}

// addBytes adds a text that is hardly the last.
func (c *textWriter) addBytes(text []byte) {
	if len(text) == 0 && c.chunk.optional {
		c.null()
		return
	}
	c.texts = append(c.texts, text...)
	c.gather()
}

// addNamed adds a text that is not empty, and the same whenever it is added by
// that name.
func (c *textWriter) addNamed(name int, text string) {
	if name < len(c.named) && c.named[name] > 0 {
		c.numberWriter.add(c.named[name] - 1)
		return
	}
	for name >= len(c.named) {
		c.named = append(c.named, 0)
	}
	c.named[name] = int32(len(c.ends))
	c.texts = append(c.texts, text...)
	c.gather()
}

// gather adds the text that texts ends with.
func (c *textWriter) gather() {
	c.numberWriter.add(int32(len(c.ends) - 1))
	c.ends = append(c.ends, uint32(len(c.texts)))
	if len(c.texts) >= gathered {
		c.find()
	}
}

// find looks up the texts that were gathered.
func (c *textWriter) find() {
	c.numbers = c.dictionary.numbers(c.numbers[:0], c.texts, c.ends)
	for i, n := range c.list[c.found:] {
		c.list[c.found+i] = c.numbers[n]
	}
	c.found = len(c.list)
	c.texts, c.ends = c.texts[:0], c.ends[:1]
	clear(c.named)
}

func (c *textWriter) take(times []int32, rows int) (values encoding.Values, n int, least, most parquet.Value) {
	c.find()
	if len(c.list) > 0 {
		low, high := c.bounds()
		least, most = parquet.ByteArrayValue(c.spell(nil, low)), parquet.ByteArrayValue(c.spell(nil, high))
	}
	if times != nil {
		c.repeat(times, rows)
	}
	list := c.list
	c.list, c.found = c.list[:0], 0
	return encoding.Int32Values(list), len(list), least, most
}

// bounds are the least and the greatest of the page's words.
func (c *textWriter) bounds() (low, high []byte) {
	c.seen = append(c.seen[:0], make([]bool, c.len())...)
	low, high = c.word(c.list[0]), c.word(c.list[0])
	for _, n := range c.list {
		if c.seen[n] {
			continue
		}
		c.seen[n] = true
		if word := c.word(n); c.compare(word, low) < 0 {
			low = word
		} else if c.compare(word, high) > 0 {
			high = word
		}
	}
	return low, high
}

func (c *textWriter) words() *dictionary { return &c.dictionary }
