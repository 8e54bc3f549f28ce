package parquet

import (
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// numberWriter is a column whose entries are added one after the other: of a
// list as many as its row then says, of any other column one a row.
type numberWriter[V int64 | int32 | float64 | bool] struct {
	chunk *chunk
	list  []V     // of the page's entries those that are not null
	nulls []int32 // which entries are null

	spare []V // scratch, as what follows
	bits  []byte
}

func newNumberWriter[V int64 | int32 | float64 | bool](w *columnar, name string) *numberWriter[V] {
	c := &numberWriter[V]{}
	c.chunk = w.claim(name, c)
	return c
}

func (c *numberWriter[V]) add(value V) { c.list = append(c.list, value) }

func (c *numberWriter[V]) null() { c.nulls = append(c.nulls, int32(len(c.list)+len(c.nulls))) }

// addIf adds a value, or null if it is unknown.
func (c *numberWriter[V]) addIf(known bool, value V) {
	if known {
		c.add(value)
	} else {
		c.null()
	}
}

// repeat makes rows of requests, each of which was added once and has so many,
// and finds the levels of definition.
func (c *numberWriter[V]) repeat(times []int32, rows int) {
	k := c.chunk
	single := k.lists == nil || k.lists.single
	k.defs, k.same = k.defs[:0], k.full
	switch {
	case len(c.nulls) > 0 && len(c.list) > 0 || k.lists != nil && !k.lists.filled:
		c.repeatMixed(times)
	case len(c.list) == 0:
		k.same = k.full - 1
	case times == nil:
	case single:
		c.list = repeated(c.list, times, rows)
	default:
		c.repeatLists(times)
	}
	c.nulls = c.nulls[:0]
}

// repeatLists is repeat for lists without nulls.
func (c *numberWriter[V]) repeatLists(times []int32) {
	l := c.chunk.lists
	to := slices.Grow(c.spare[:0], l.entries)[:l.entries]
	from, at := 0, 0
	for i, length := range l.lengths {
		one := c.list[from:][:length]
		from += len(one)
		for range times[i] {
			for _, value := range one { // mostly few, for which to copy them at once takes longer
				to[at] = value
				at++
			}
		}
	}
	c.list, c.spare = to, c.list
}

// repeatMixed is repeat for a column of which not all entries are there.
func (c *numberWriter[V]) repeatMixed(times []int32) {
	k := c.chunk
	requests := len(c.list) + len(c.nulls)
	if k.lists != nil {
		requests = len(k.lists.lengths)
	}
	to, entry, value, null := c.spare[:0], int32(0), 0, 0
	for i := range requests {
		length := int32(1)
		if k.lists != nil {
			length = k.lists.lengths[i]
		}
		first, level := value, len(k.defs)
		if length == 0 {
			k.defs = append(k.defs, 0)
		}
		for end := entry + length; entry < end; entry++ {
			if null < len(c.nulls) && c.nulls[null] == entry {
				null++
				k.defs = append(k.defs, k.full-1)
			} else {
				value++
				k.defs = append(k.defs, k.full)
			}
		}
		one, levels := c.list[first:value], k.defs[level:]
		for n := range timesOf(times, i) {
			to = append(to, one...)
			if n > 0 {
				k.defs = append(k.defs, levels...)
			}
		}
	}
	c.list, c.spare = to, c.list
}

func (c *numberWriter[V]) take(times []int32, rows int) (values encoding.Values, n int, least, most parquet.Value) {
	c.repeat(times, rows)
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

func (c *textWriter) addFingerprint(f *fingerprint.Fingerprint) {
	if b := f.Bytes(); len(b) >= shortHash {
		c.addBytes(b)
	} else {
		c.addBytes(f.Append(c.decimal[:0]))
	}
}

// gathered bounds the texts that wait to be looked up, bytes.
const gathered = 1 << 16

func (c *textWriter) add(text string) {
	if len(text) == 0 && c.chunk.optional {
		c.null()
		return
	}
	if c.fresh {
		c.numberWriter.add(c.next(text))
		return
	}
	if n := len(c.ends) - 2; n >= 0 && string(c.texts[c.ends[n]:c.ends[n+1]]) == text {
		c.numberWriter.add(int32(n))
		return
	}
	c.texts = append(c.texts, text...)
	c.gather()
}

// addBytes adds a text that is not empty, and hardly the last.
func (c *textWriter) addBytes(text []byte) {
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
	if c.fresh {
		return
	}
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
	c.repeat(times, rows)
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
