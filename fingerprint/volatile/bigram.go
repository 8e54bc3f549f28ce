package volatile

import "slices"

// bigrams are what a text may have, by bits: one for each nonce and each hint. Whatever
// has those has two bytes for it. One pass over a text finds these, and most have few.
type bigrams uint32

// bigram is a byte of the first before one of the second.
type bigram [2]string

const decimals = "0123456789"

// What else is looked for in vain in most results.
var (
	exitHints = [...]bigram{{"x", "i"}, {"r", "n"}}                                  // of exit code, of return code
	timeHints = [...]bigram{{"T", "i"}, {"E", "l"}, {decimals, "smnu "}, {"_", "m"}} // of two clocks, of a unit of time, of the name of a time
)

const (
	mayExit bigrams = (1<<len(exitHints) - 1) << len(nonces)
	mayTime bigrams = (1<<len(timeHints) - 1) << (len(nonces) + len(exitHints))
)

// firsts and seconds have a bit for each bigram in which a byte stands so.
var firsts, seconds = func() (firsts, seconds [256]bigrams) {
	add := func(i int, b bigram) {
		for _, c := range []byte(b[0]) {
			firsts[c] |= 1 << i
		}
		for _, c := range []byte(b[1]) {
			seconds[c] |= 1 << i
		}
	}
	for i := range nonces {
		add(i, nonces[i].bigram)
	}
	for i, b := range slices.Concat(exitHints[:], timeHints[:]) {
		add(len(nonces)+i, b)
	}
	return firsts, seconds
}()

// bigramsIn are those of a text.
func bigramsIn(text []byte) (found bigrams) {
	first := bigrams(0)
	for _, c := range text {
		found |= first & seconds[c]
		first = firsts[c]
	}
	return found
}
