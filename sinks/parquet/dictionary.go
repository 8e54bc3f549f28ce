package parquet

import (
	"hash/maphash"

	"github.com/parquet-go/parquet-go/encoding"
)

// dictionary numbers the texts of a row group as they come. A Go map would
// need a string for each.
type dictionary struct {
	text  []byte
	ends  []uint32 // in text, of each word; the first is 0, of none
	last  int32    // the word that was asked for last
	table []slot   // its length is a power of 2, and more than the words'
	total *int     // of the texts of all columns, bytes
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

// word is the text of a number.
func (d *dictionary) word(n int32) []byte { return d.text[d.ends[n]:d.ends[n+1]] }

// isLast tells whether a text is the one that was asked for last.
func (d *dictionary) isLast(text string) bool { return d.len() > 0 && string(d.word(d.last)) == text }

// number is that of a text, which is new or not.
func (d *dictionary) number(text []byte) int32 {
	if 2*d.len() >= len(d.table) {
		d.grow()
	}
	hash := uint32(maphash.Bytes(seed, text))
	i := d.find(hash, text)
	if d.table[i].word == 0 {
		d.table[i] = slot{hash, int32(len(d.ends))}
		d.text = append(d.text, text...)
		d.ends = append(d.ends, uint32(len(d.text)))
		*d.total += len(text)
	}
	d.last = d.table[i].word - 1
	return d.last
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

// values are all words, by their numbers.
func (d *dictionary) values() encoding.Values { return encoding.ByteArrayValues(d.text, d.ends) }

// reset forgets all words.
func (d *dictionary) reset() {
	d.text, d.ends, d.last = d.text[:0], append(d.ends[:0], 0), 0
	clear(d.table)
}
