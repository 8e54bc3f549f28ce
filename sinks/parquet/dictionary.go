package parquet

import (
	"bytes"
	"encoding/hex"
	"hash/maphash"

	"github.com/parquet-go/parquet-go/encoding"
)

// dictionary numbers the texts of a row group as they come. A Go map would
// need a string for each.
type dictionary struct {
	text  []byte
	ends  []uint32 // in text, of each word; the first is 0, of none
	table []slot   // its length is a power of 2, and more than the words'
	total *int     // of the texts of all columns, bytes
	// hashes says that words as long as a hash are one, to be spelled in hex:
	// once a row group, and not each time one is looked up.
	hashes bool
	// fresh says that texts hardly ever come again: each but the last is a word of
	// its own, which takes no looking up.
	fresh bool

	fetched uint32 // so that to fetch slots is work
}

// slot is a word by its hash.
type slot struct {
	hash uint32
	word int32 // its number and 1; 0 for none
}

// seed is of no account: it decides where words are found, not which number
// they have.
var seed = maphash.MakeSeed()

func (d *dictionary) len() int { return len(d.ends) - 1 }

func (d *dictionary) word(n int32) []byte { return d.text[d.ends[n]:d.ends[n+1]] }

// lookups is how many texts are looked up at once: what one waits for in memory
// comes while others wait too.
const lookups = 64

// numbers adds the numbers of texts, each of which is new or not, to a list.
func (d *dictionary) numbers(to []int32, texts []byte, ends []uint32) []int32 {
	var hashes [lookups]uint32
	for len(ends) > 1 {
		n := min(lookups, len(ends)-1)
		for i := range n {
			hashes[i] = uint32(maphash.Bytes(seed, texts[ends[i]:ends[i+1]]))
		}
		if mask := uint32(len(d.table) - 1); len(d.table) > 0 {
			for _, hash := range hashes[:n] {
				d.fetched += d.table[hash&mask].hash
			}
		}
		for i := range n {
			to = append(to, d.number(hashes[i], texts[ends[i]:ends[i+1]]))
		}
		ends = ends[n:]
	}
	return to
}

// number is that of a text of a hash.
func (d *dictionary) number(hash uint32, text []byte) int32 {
	if 2*d.len() >= len(d.table) {
		d.grow()
	}
	i := d.find(hash, text)
	if d.table[i].word == 0 {
		d.text = append(d.text, text...)
		d.table[i] = slot{hash, d.ended() + 1}
	}
	return d.table[i].word - 1
}

// next is the number of a text that is fresh, or the last once more.
func (d *dictionary) next(text string) int32 {
	if last := int32(d.len()) - 1; last >= 0 && string(d.word(last)) == text {
		return last
	}
	d.text = append(d.text, text...)
	return d.ended()
}

// ended makes what text has behind the last word a word, and numbers it.
func (d *dictionary) ended() int32 {
	d.ends = append(d.ends, uint32(len(d.text)))
	*d.total += len(d.text) - int(d.ends[len(d.ends)-2])
	return int32(d.len()) - 1
}

// find is the place of a text in the table, or for it.
func (d *dictionary) find(hash uint32, text []byte) uint32 {
	mask := uint32(len(d.table) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		if s := d.table[i]; s.word == 0 || s.hash == hash && string(d.word(s.word-1)) == string(text) {
			return i
		}
	}
}

// grow makes room for as many words again.
func (d *dictionary) grow() {
	old := d.table
	d.table = make([]slot, max(64, 2*len(old)))
	mask := uint32(len(d.table) - 1)
	for _, s := range old {
		if s.word == 0 {
			continue
		}
		i := s.hash & mask
		for d.table[i].word != 0 {
			i = (i + 1) & mask
		}
		d.table[i] = s
	}
}

// shortHash is how long a hash is at least. What is shorter is spelled already.
const shortHash = 16

// spell adds a word as it is written to some bytes.
func (d *dictionary) spell(to, word []byte) []byte {
	if d.hashes && len(word) >= shortHash {
		return hex.AppendEncode(to, word)
	}
	return append(to, word...)
}

// compare tells the order of words as they are written. Hex keeps that of bytes.
func (d *dictionary) compare(a, b []byte) int {
	if d.hashes && (len(a) < shortHash) != (len(b) < shortHash) {
		a, b = d.spell(nil, a), d.spell(nil, b)
	}
	return bytes.Compare(a, b)
}

// values are all words as they are written, by their numbers.
func (d *dictionary) values(s *scratch) encoding.Values {
	if !d.hashes {
		return encoding.ByteArrayValues(d.text, d.ends)
	}
	s.text, s.ends = s.text[:0], append(s.ends[:0], 0)
	for i := range d.len() {
		s.text = d.spell(s.text, d.word(int32(i)))
		s.ends = append(s.ends, uint32(len(s.text)))
	}
	return encoding.ByteArrayValues(s.text, s.ends)
}

// reset forgets all words.
func (d *dictionary) reset() {
	d.text, d.ends = d.text[:0], d.ends[:1]
	clear(d.table)
}
