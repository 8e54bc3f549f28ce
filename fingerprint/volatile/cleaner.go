// Package volatile leaves out of texts what is new each time though the same is said or
// done: what agents put around them ([Cleaner.Unframe]), and what results of tools say
// besides ([Cleaner.Result]), such as ids of requests, how long it took, names of temporary
// files. It also knows the kinds of such text that a mask can name: see [MatchUUID] and
// those beside it.
//
// What is new is told by its form and where it stands, and where that might be what was
// asked for it stays: a result that is taken for another costs a loop, one that is taken for
// the same makes a loop of honest work.
package volatile

import "github.com/loopgauge/loopgauge/fingerprint/rawjson"

// Text is a trimmed text as it was said or, if it is verbatim, as it stands in a string of
// JSON: see [rawjson.Value.Verbatim].
type Text struct {
	Bytes    []byte
	Verbatim bool
}

// Cleaner holds the memory for what is left of texts. One goroutine uses it at a time.
type Cleaner struct {
	made []byte // texts
	scan rawjson.Scanner
}

// Reset ends the life of all texts that were made.
func (c *Cleaner) Reset() { c.made = c.made[:0] }

// Memory is how much it holds, in bytes.
func (c *Cleaner) Memory() int { return cap(c.made) + c.scan.Memory() }

// Decoded is a copy of a text as it was said, good until Reset.
func (c *Cleaner) Decoded(t Text) []byte {
	n := len(c.made)
	if t.Verbatim {
		c.made, _ = rawjson.AppendText(c.made, t.Bytes)
	} else {
		c.made = append(c.made, t.Bytes...)
	}
	return c.made[n:]
}

// Result is the text of a tool's result without what is new with each. call is the id of
// the call that it answers, nil if that is not known; isError says that it is marked as an
// error. A text that has nothing of the kind is returned as it is.
func (c *Cleaner) Result(t Text, call []byte, isError bool) Text {
	t, may := c.withoutNonces(c.withoutCallID(t, call))
	return c.untimed(t, may, isError)
}
