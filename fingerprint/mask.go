package fingerprint

import (
	"slices"
	"unicode/utf8"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
	"github.com/loopgauge/loopgauge/fingerprint/volatile"
)

// Mask is a kind of volatile text that a rule can have replaced before
// hashing.
type Mask struct {
	Name string
	// match returns the length of such a text at the start of text, 0 if
	// there is none. It is asked at the start of each word only.
	match       func(text []byte) int
	placeholder string
}

// Masks are the kinds of text that can be masked, the more specific first: at
// one place the first that matches wins.
var Masks = []Mask{
	{"call_ids", volatile.MatchCallID, volatile.CallID},    // ids of tool calls, as in call_9a9e12, toolu_01AbC or chatcmpl-tool-3f2c
	{"uuids", volatile.MatchUUID, "<uuid>"},                // UUIDs, as in 123e4567-e89b-12d3-a456-426614174000
	{"timestamps", volatile.MatchTimestamp, "<timestamp>"}, // dates and times, as in 2026-11-21T10:00:00Z or 2026-11-21
	{"durations", volatile.MatchDuration, "<duration>"},    // how long something took, as in 0.41s, 12 ms, 1m23s, 3.2 seconds or 0:01:23
	{"hex", volatile.MatchHex, "<hex>"},                    // hexadecimal numbers of 8 digits or more, with 0x or with both digits and letters
	{"numbers", volatile.MatchNumber, "<number>"},          // decimal numbers, with sign, fraction and exponent; JSON numbers too
}

// MaskNames are those of the kinds of text that can be masked.
func MaskNames() []string { return namesOf(Masks, func(m *Mask) string { return m.Name }) }

// mask is the masks of an identity, in the order of Masks.
type mask []*Mask

func newMask(names []string) (mask, error) {
	var m mask
	for i := range Masks {
		if slices.Contains(names, Masks[i].Name) {
			m = append(m, &Masks[i])
		}
	}
	for _, name := range names {
		if all := MaskNames(); !slices.Contains(all, name) {
			return nil, unknown("mask", name, all)
		}
	}
	return m, nil
}

func (m mask) numbers() bool { return len(m) > 0 && m[len(m)-1].Name == "numbers" }

// onlyCallIDs tells that nothing is masked but what most texts have none of.
func (m mask) onlyCallIDs() bool { return len(m) == 1 && m[0].placeholder == volatile.CallID }

// append appends text with placeholders. Only whole words are replaced: abc123
// is a name, not a number.
func (m mask) append(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		if i == 0 || !chars.IsWord(text[i-1]) || text[i-1] >= utf8.RuneSelf && text[i] < utf8.RuneSelf && !chars.EndsInWord(text[:i]) {
			if n, placeholder := m.match(text[i:]); n > 0 {
				dst = append(dst, placeholder...)
				i += n
				continue
			}
		}
		dst = append(dst, text[i])
		i++
	}
	return dst
}

func (m mask) match(text []byte) (n int, placeholder string) {
	for _, k := range m {
		if n := k.match(text); n > 0 && !chars.BeginsWithWord(text[n:]) {
			return n, k.placeholder
		}
	}
	return 0, ""
}
