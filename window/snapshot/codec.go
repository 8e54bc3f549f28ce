package snapshot

// Codec writes values, or reads them to where they stand: who has both to do says
// once what stands in a snapshot, and in which order.
type Codec struct {
	To   *Writer // nil where it reads
	From *Reader // nil where it writes
}

// Codec writes with w.
func (w *Writer) Codec() *Codec { return &Codec{To: w} }

// Codec reads with r.
func (r *Reader) Codec() *Codec { return &Codec{From: r} }

// Reads tells whether it reads.
func (c *Codec) Reads() bool { return c.From != nil }

// More tells whether there is more to read in the section; it always is to be
// written. Older snapshots may lack what stands last.
func (c *Codec) More() bool { return !c.Reads() || c.From.Left() > 0 }

// Check fails, as Failf, if what was read is not right.
func (c *Codec) Check(right bool, format string, args ...any) {
	if !right && c.Reads() {
		c.From.Failf(format, args...)
	}
}

// Section is Section of either.
func (c *Codec) Section(name string, f func()) {
	if c.Reads() {
		c.From.Section(name, f)
	} else {
		c.To.Section(name, f)
	}
}

// Part is a section that may be empty: it is written so, and passed over, unless it
// is wanted.
func (c *Codec) Part(name string, wanted bool, f func()) {
	c.Section(name, func() {
		switch {
		case wanted && c.More():
			f()
		case c.Reads():
			c.From.Skip()
		}
	})
}

// code reads a value to where it stands, or writes it.
func code[T any](c *Codec, v *T, read func(*Reader) T, write func(*Writer, T)) {
	if c.Reads() {
		*v = read(c.From)
	} else {
		write(c.To, *v)
	}
}

// Uvarint is a number that is usually small.
func (c *Codec) Uvarint(v *uint64) { code(c, v, (*Reader).Uvarint, (*Writer).Uvarint) }

// Varint is a number that is usually near 0 and may be negative.
func (c *Codec) Varint(v *int64) { code(c, v, (*Reader).Varint, (*Writer).Varint) }

// Uint64 is a number that may be any.
func (c *Codec) Uint64(v *uint64) { code(c, v, (*Reader).Uint64, (*Writer).Uint64) }

// Float64 is a number to the last bit.
func (c *Codec) Float64(v *float64) { code(c, v, (*Reader).Float64, (*Writer).Float64) }

// Bool is a truth value.
func (c *Codec) Bool(v *bool) { code(c, v, (*Reader).Bool, (*Writer).Bool) }

// Fixed are bytes whose number is known.
func (c *Codec) Fixed(b []byte) {
	if c.Reads() {
		copy(b, c.From.Fixed(len(b)))
	} else {
		c.To.Fixed(b)
	}
}

// Number is one that is usually near 0 and may be negative, of any type.
func Number[T ~int | ~int32 | ~int64](c *Codec, v *T) {
	if c.Reads() {
		*v = T(c.From.Varint())
	} else {
		c.To.Varint(int64(*v))
	}
}

// Size is a number of 0 up to most, which is usually small.
func Size[T ~int | ~int64 | ~uint32 | ~uint8](c *Codec, v *T, most int) {
	if c.Reads() {
		*v = T(c.From.Int(most))
	} else {
		c.To.Uvarint(uint64(*v))
	}
}

// Text is a text after its length in bytes.
func Text[T ~string](c *Codec, v *T) {
	if c.Reads() {
		*v = T(c.From.String())
	} else {
		c.To.String(string(*v))
	}
}

// Texts are texts one after the other, by their number.
func Texts[T ~string](c *Codec, list *[]T) { List(c, list, 1, func(v *T) { Text(c, v) }) }

// List is a list after its length, of items that take least bytes or more each.
// What is read replaces it, up to what is wrong; of no items it is nil.
func List[T any](c *Codec, list *[]T, least int, item func(*T)) {
	if n := c.Items(len(*list), least); c.Reads() {
		*list = nil
		if n > 0 {
			*list = make([]T, n)
		}
	}
	for i := range *list {
		if item(&(*list)[i]); c.Reads() && c.From.Err() != nil {
			return
		}
	}
}

// Items is how many items follow, of least bytes or more each: n to be written, and
// what it returns.
func (c *Codec) Items(n, least int) int {
	if c.Reads() {
		return c.From.Count(least)
	}
	c.To.Uvarint(uint64(n))
	return n
}
