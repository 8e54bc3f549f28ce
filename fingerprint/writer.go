package fingerprint

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"hash/crc32"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/fingerprint/volatile"
)

// Writer collects fingerprints. It owns the scratch memory of the identities,
// so that computing allocates nothing in the steady state; one goroutine uses
// it at a time.
type Writer struct {
	// Keep keeps the canonical bytes beside each fingerprint.
	Keep bool

	prints  []Print
	pending pending
	mac     hash.Hash
	sum     []byte // of mac

	rules     textRules       // of the identity at work
	canonical []byte          // of the fingerprint in the making
	kept      arena           // what Keep keeps, and names
	broken    bool            // what was read inside the line is no JSON
	asSent    bool            // the log has the body as the client sent it
	said      bool            // some message says more than its role
	deeds     bool            // an answer that does something in text is that, without the words before
	acts      bool            // the message written last is more than words of the model
	of        []byte          // id of the call that the result at work answers
	isError   bool            // it is marked as an error
	scan      rawjson.Scanner // for queries, and messages that are read in a gateway's own way
	inner     rawjson.Scanner // for what is inside them
	results   rawjson.Scanner // for the results among that
	leaves    rawjson.Scanner // for texts in arguments and parts
	args      canonicalizer   // for arguments and other values
	turn      turn
	earlier   turn // scratch of sinceLost
	calls     []ToolCall
	pairs     []pair
	tools     []byte // names of the calls of a fingerprint
	pairTexts arena

	text, outer, leaf, spare, outcome, lowered, masked, scope []byte

	cleaner volatile.Cleaner
	made    []byte          // texts, put together
	steps   []rawjson.Value // of a scratchpad

	scopes     map[string]ScopeKey // of scopes met of late: see scopeKey
	beginnings []*beginning        // of conversations met of late, the latest first
	strangers  int                 // conversations in a row that are none of them

	memo
}

// NewWriter makes a Writer. With a key, fingerprints are the first 128 bits of
// HMAC-SHA-256 of the canonical bytes: without the key nobody can check a
// guessed prompt against one. Foreign identities lose their exact value then.
func NewWriter(key []byte) *Writer {
	w := &Writer{}
	if len(key) > 0 {
		w.mac = hmac.New(sha256.New, key)
	}
	return w
}

// Reset forgets the request and all fingerprints that were not taken, and ends
// the life of what Prints returned. To be called before another request.
func (w *Writer) Reset() {
	w.drop(0)
	w.kept, w.made = w.kept[:0], w.made[:0]
	w.cleaner.Reset()
	w.forget()
	if w.memory() > writerMemory {
		w.Flush()
		*w = Writer{Keep: w.Keep, mac: w.mac, sum: w.sum}
	}
}

// writerMemory is how much scratch memory a Writer keeps from line to line.
// Lines of a few hundred KB need less; one line of many MB must not hold its
// size in every Writer to the end of the run.
const writerMemory = 8 << 20

func (w *Writer) memory() int {
	n := w.pending.memory() + cap(w.canonical) + cap(w.kept) + cap(w.tools) + cap(w.pairTexts) + cap(w.issued.ids) +
		cap(w.text) + cap(w.outer) + cap(w.leaf) + cap(w.spare) + cap(w.outcome) + cap(w.lowered) + cap(w.masked) + cap(w.scope) + cap(w.made) + w.cleaner.Memory() + cap(w.turn.ids) + cap(w.turn.text) + cap(w.turn.since) + cap(w.earlier.ids) + cap(w.earlier.text) + w.args.memory() + w.memo.memory()
	for _, s := range []*rawjson.Scanner{&w.scan, &w.inner, &w.results, &w.leaves} {
		n += s.Memory()
	}
	const call, pair, result, print = 3 * 24, 2*24 + 8, 2*24 + 8, 88
	return n + call*(cap(w.calls)+cap(w.turn.calls)+cap(w.earlier.calls)) + result*(cap(w.turn.results)+cap(w.earlier.results)) + pair*cap(w.pairs) + print*cap(w.prints)
}

// called says of the last fingerprint which calls it is of. The same tool
// called side by side is named once, and no more than a few are.
func (w *Writer) called(calls ...ToolCall) {
	p := &w.prints[len(w.prints)-1]
	n := len(w.tools)
	for i, call := range calls[:min(len(calls), fewTools)] {
		if slices.ContainsFunc(calls[:i], func(before ToolCall) bool { return bytes.Equal(before.Name, call.Name) }) {
			continue
		}
		if len(w.tools) > n {
			w.tools = append(w.tools, ", "...)
		}
		w.tools = append(w.tools, call.Name...)
	}
	p.Tool = w.tools[n:len(w.tools):len(w.tools)]
}

// fewTools is how many calls of a fingerprint are named.
const fewTools = 8

// check notes that s, which read a part of the line, failed: the line was
// checked for its structure only.
func (w *Writer) check(s *rawjson.Scanner) {
	if _, what := s.Failure(); what != "" {
		w.broken = true
	}
}

// Prints are the fingerprints since the last Reset.
func (w *Writer) Prints() []Print {
	w.Flush()
	return w.prints
}

// Len is how many fingerprints Prints would give.
func (w *Writer) Len() int { return len(w.prints) }

// hashKind is how canonical bytes become a fingerprint: how many bytes it has.
type hashKind uint8

const (
	hash128 hashKind = 16 // the first 128 bits of SHA-256: all of our own
	hash256 hashKind = 32 // SHA-256
	hashCRC hashKind = 4  // CRC-32 (IEEE), as nginx's ngx.crc32_short computes it
)

// emit adds the fingerprint of the canonical bytes, which were written to
// w.canonical.
func (w *Writer) emit(canonical []byte, kind hashKind) {
	w.canonical = canonical
	p := Print{Fingerprint: Fingerprint{size: uint8(kind)}}
	if w.Keep {
		p.Canonical = w.kept.keep(canonical)
	}
	switch {
	case w.mac != nil:
		p.Fingerprint = w.keyed(canonical)
	case kind == hashCRC:
		binary.BigEndian.PutUint32(p.Fingerprint.sum[:], crc32.ChecksumIEEE(canonical))
	}
	w.prints = append(w.prints, p)
	if w.mac == nil && kind != hashCRC {
		w.wait(canonical)
	}
}

// keyed is the fingerprint with the key, whatever the identity.
func (w *Writer) keyed(canonical []byte) (f Fingerprint) {
	w.mac.Reset()
	w.mac.Write(canonical)
	w.sum = w.mac.Sum(w.sum[:0])
	f.size = uint8(copy(f.sum[:hash128], w.sum))
	return f
}
